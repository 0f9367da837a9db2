// What another process of this machine sends over a link: frames into a reader, and a connection to a
// listener that answers.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cluster/link/frame_reader.h"
#include "cluster/link/link_listener.h"
#include "cluster/link/local_socket.h"
#include "fuzz/target.h"

namespace flowray::fuzz {
namespace {

using cluster::Frame;
using cluster::FrameHead;
using cluster::FrameKind;
using cluster::FrameReader;

constexpr uint64_t kMostBody = 100'000;
constexpr size_t kAtOnce = 16 << 10;  // less than a socket holds

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the other side has had enough
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void check_frame(const Frame& frame) {
  check(cluster::is_possible(frame.head), "a frame has a head that may be one");
  check(frame.text.size() == frame.head.text_bytes, "a frame has the text that its head tells");
  check(frame.details.size() == frame.head.details_bytes, "a frame has the details that its head tells");
  if (frame.head.body_bytes > kMostBody) {
    check(frame.owner == nullptr, "a body that is too large is passed over");
  } else {
    check(frame.body.size() == frame.head.body_bytes, "a frame has the body that its head tells");
  }
  uint64_t sum = 0;
  for (const std::byte byte : frame.body) sum += std::to_integer<uint64_t>(byte);
  volatile uint64_t touched = sum;
  (void)touched;
}

/// In pieces, as they may come.
void read_frames(std::string_view bytes) {
  std::array<int, 2> ends{};
  check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0, "there are sockets");
  FrameReader reader(nullptr, kMostBody);
  Frame frame;
  auto outcome = FrameReader::Outcome::kNothingYet;
  size_t piece = 1 + bytes.size() % 97;
  while (!bytes.empty() && outcome != FrameReader::Outcome::kOver) {
    const std::string_view now = bytes.substr(0, std::min(piece, kAtOnce));
    send_all(ends[0], now);
    bytes.remove_prefix(now.size());
    piece *= 3;
    while ((outcome = reader.next(ends[1], frame)) == FrameReader::Outcome::kFrame) check_frame(frame);
  }
  ::shutdown(ends[0], SHUT_WR);
  while (reader.next(ends[1], frame) == FrameReader::Outcome::kFrame) check_frame(frame);
  for (const int end : ends) ::close(end);
}

/// Answers each request with its own bytes.
cluster::LinkListener& listener() {
  static const auto one = std::make_unique<cluster::LinkListener>(
      [](const cluster::Request& request, const cluster::Reply& reply) {
        cluster::Message answer{std::string(request.method)};
        answer.add({request.bytes, request.owner});
        reply({std::move(answer), {}});
      },
      nullptr, static_cast<int64_t>(kMostBody));
  return *one;
}

std::string bytes_of(FrameKind kind, std::string_view text, std::string_view body, uint64_t number = 1) {
  FrameHead head{.kind = kind, .number = number};
  head.text_bytes = static_cast<uint32_t>(text.size());
  head.body_bytes = body.size();
  std::string bytes(sizeof(head), '\0');
  std::memcpy(bytes.data(), &head, sizeof(head));
  return bytes.append(text).append(body);
}

/// `knows`: it says the secret first, as one that was let in; then what follows is requests.
void talk_to_listener(bool knows, std::string_view bytes) {
  check(listener().introduction().has_value(), "the listener has a socket");
  const cluster::Descriptor socket = cluster::connect_to(listener().introduction()->name);
  if (!socket) return;  // all are taken at the moment
  std::string all = knows ? bytes_of(FrameKind::kHello, listener().introduction()->secret, "") : "";
  all += bytes.substr(0, kAtOnce);
  send_all(socket.number(), all);
  ::shutdown(socket.number(), SHUT_WR);
  // It has had enough, or answers what was whole, and goes.
  std::array<char, 4096> answer{};
  for (;;) {
    const ssize_t got = ::recv(socket.number(), answer.data(), answer.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (got < 0) ::usleep(20);
  }
}

}  // namespace

// The first byte says who reads it.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view rest = bytes.substr(1);
  if (bytes.front() == 'r') return read_frames(rest);
  talk_to_listener(bytes.front() == 'k', rest);
}

std::vector<std::string> seeds() {
  const std::string frames = bytes_of(FrameKind::kRequest, "/tensorflow.MasterService/RunStep", "a body") +
                             bytes_of(FrameKind::kGiveUp, "", "") +
                             bytes_of(FrameKind::kRequest, "m", std::string(70'000, 'b'), 2);
  return {"r" + bytes_of(FrameKind::kHello, "secret", "") + frames,
          "r" + bytes_of(FrameKind::kRequest, "m", std::string(kMostBody + 1, 'b')) + frames, "k" + frames,
          "n" + bytes_of(FrameKind::kHello, "a guess", ""), "k" + frames.substr(0, 100)};
}

}  // namespace flowray::fuzz
