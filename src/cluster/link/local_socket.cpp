#include "cluster/link/local_socket.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace flowray::cluster {
namespace {

constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr int kWaiting = 64;  // connections that have not been accepted

struct Address {
  explicit Address(const std::string& name) {
    all.sun_family = AF_UNIX;
    const size_t size = std::min(name.size(), sizeof(all.sun_path) - 1);
    std::memcpy(all.sun_path + 1, name.data(), size);  // behind a zero: no file
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&all); }
  sockaddr_un all{};
  socklen_t length = 0;
};

bool is_of_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor listen_at(const std::string& name) {
  Descriptor made(::socket(AF_UNIX, kFlags, 0));
  const Address address(name);
  if (!made || ::bind(made.number(), address.get(), address.length) != 0 ||
      ::listen(made.number(), kWaiting) != 0) {
    return Descriptor();
  }
  return made;
}

Descriptor connect_to(const std::string& name) {
  Descriptor made(::socket(AF_UNIX, kFlags, 0));
  const Address address(name);
  if (!made || ::connect(made.number(), address.get(), address.length) != 0 ||
      !is_of_same_user(made.number())) {
    return Descriptor();
  }
  return made;
}

Descriptor accept_from(int listener) {
  while (true) {
    Descriptor made(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!made || is_of_same_user(made.number())) return made;
  }
}

std::string random_word() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  constexpr const char* kDigits = "0123456789abcdef";
  std::string word;
  for (const unsigned char byte : bytes) {
    word += kDigits[byte >> 4];
    word += kDigits[byte & 15];
  }
  return word;
}

}  // namespace flowray::cluster
