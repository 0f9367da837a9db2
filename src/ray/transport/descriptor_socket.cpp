#include "ray/transport/descriptor_socket.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace flowray::ray {
namespace {

constexpr size_t kControlBytes = CMSG_SPACE(DescriptorSocket::kMaxDescriptors * sizeof(int));

[[noreturn]] void throw_failed(const char* what, int failure) {
  const std::string text = fmt::format("Cannot {}: {}", what, std::strerror(failure));
  switch (failure) {
    case EBADF:
    case EINVAL:
    case EMSGSIZE:
    case ENOTSOCK:
      throw errors::InvalidArgumentError(text + "; one of the descriptors is closed or of a wrong kind");
    default:
      throw errors::ResourceExhaustedError(
          text + "; this process or the system has too many files open or under way, or too little memory");
  }
}

void put_descriptors(msghdr& header, std::span<std::byte> control, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
}

void take_descriptors(msghdr& header, std::vector<Descriptor>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(fd);
    }
  }
}

}  // namespace

bool is_readable_within(std::chrono::milliseconds most, int fd) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  pollfd readable{fd, POLLIN, 0};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    const int ready = poll(&readable, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

std::pair<DescriptorSocket, DescriptorSocket> DescriptorSocket::make_pair() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw_failed("make a pair of sockets", errno);
  return {DescriptorSocket(Descriptor(ends[0])), DescriptorSocket(Descriptor(ends[1]))};
}

DescriptorSocket::Sent DescriptorSocket::send(std::span<const std::byte> bytes,
                                              std::span<const int> descriptors, Wait wait) {
  if (bytes.empty() || bytes.size() > kMaxMessageBytes || descriptors.size() > kMaxDescriptors) {
    throw errors::InvalidArgumentError(
        fmt::format("A message to another process has 1 to {} bytes and at most {} descriptors; {} bytes "
                    "with {} descriptors given",
                    kMaxMessageBytes, kMaxDescriptors, bytes.size(), descriptors.size()));
  }
  alignas(cmsghdr) std::byte control[kControlBytes] = {};
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  put_descriptors(header, control, descriptors);
  for (;;) {
    if (sendmsg(fd_.get(), &header, MSG_NOSIGNAL | (wait == Wait::kNo ? MSG_DONTWAIT : 0)) >= 0)
      return Sent::kAll;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return Sent::kNotNow;
    if (errno == ETOOMANYREFS && wait == Wait::kNo) return Sent::kNotNow;
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) return Sent::kPeerGone;
    throw_failed("send a message to another process", errno);
  }
}

DescriptorSocket::Received DescriptorSocket::receive(Message& message, Wait wait) {
  // What comes once must not meet a lack of memory.
  message.bytes.resize(kMaxMessageBytes);
  message.descriptors.clear();
  message.descriptors.reserve(kMaxDescriptors);
  message.descriptors_lost = false;
  alignas(cmsghdr) std::byte control[kControlBytes];
  iovec part{message.bytes.data(), message.bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got = -1;
  do {
    got = recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC | (wait == Wait::kNo ? MSG_DONTWAIT : 0));
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return Received::kNothingNow;
  if (got == 0 || (got < 0 && errno == ECONNRESET))
    return Received::kEnd;  // reset: closed with messages unread there
  if (got < 0) throw_failed("receive a message from another process", errno);
  take_descriptors(header, message.descriptors);
  message.bytes.resize(static_cast<size_t>(got));
  if ((header.msg_flags & MSG_TRUNC) != 0) {
    throw errors::DataLossError(
        fmt::format("Another process sent a message longer than {} bytes", kMaxMessageBytes));
  }
  if ((header.msg_flags & MSG_CTRUNC) != 0) {  // the kernel hands over as many as it can
    message.descriptors.clear();
    message.descriptors_lost = true;
  }
  return Received::kMessage;
}

void DescriptorSocket::shut_down() noexcept { shutdown(fd_.get(), SHUT_RDWR); }

}  // namespace flowray::ray
