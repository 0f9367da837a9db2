#include "cluster/link/frame_writer.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace flowray::cluster {
namespace {

constexpr size_t kMostPieces = 64;  // in one call of the system

iovec of(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // NOLINT: they are only read
}

/// How many bytes the socket has taken; -1: it takes none any more.
ssize_t put(int socket, std::span<iovec> pieces) {
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  while (true) {
    const ssize_t count = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    return errno == EAGAIN ? 0 : -1;
  }
}

}  // namespace

void FrameWriter::send(int socket, FrameHead head, std::string_view text, std::string_view details,
                       const Message& body) {
  head.text_bytes = static_cast<uint32_t>(text.size());
  head.details_bytes = static_cast<uint32_t>(details.size());
  head.body_bytes = body.size_bytes();
  const std::array<std::span<const std::byte>, 3> front = {
      std::as_bytes(std::span(&head, 1)), std::as_bytes(std::span(text)), std::as_bytes(std::span(details))};
  std::array<iovec, kMostPieces> pieces{};
  size_t num_pieces = 0;
  for (const auto bytes : front) pieces[num_pieces++] = of(bytes);
  for (const Message::Piece& piece : body.pieces().first(std::min(body.pieces().size(), kMostPieces - 3)))
    pieces[num_pieces++] = of(piece.bytes);

  const MutexLock lock(mutex_);
  ssize_t taken = waiting_.empty() ? put(socket, std::span(pieces).first(num_pieces)) : 0;
  if (taken < 0) return;
  const auto is_left = [&taken](std::span<const std::byte>& bytes) {
    const size_t gone = std::min(bytes.size(), static_cast<size_t>(taken));
    taken -= static_cast<ssize_t>(gone);
    bytes = bytes.subspan(gone);
    return !bytes.empty();
  };
  const bool had_waiting = !waiting_.empty();
  std::string copied;
  for (std::span<const std::byte> bytes : front) {
    if (is_left(bytes)) copied.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  Message rest;
  rest.add(std::move(copied));
  for (Message::Piece piece : body.pieces()) {
    if (is_left(piece.bytes)) rest.add(std::move(piece));
  }
  for (const Message::Piece& piece : rest.pieces()) waiting_.push_back(piece);
  if (!had_waiting && !waiting_.empty()) wants_room_(true);
}

void FrameWriter::go_on(int socket) {
  const MutexLock lock(mutex_);
  if (write_waiting(socket)) wants_room_(false);
}

/// True: nothing waits any more.
bool FrameWriter::write_waiting(int socket) {
  size_t put_bytes = 0;
  while (!waiting_.empty()) {
    // The socket stays ready to be written to.
    if (put_bytes >= kMostAtOnce) return false;
    std::array<iovec, kMostPieces> pieces{};
    const size_t num_pieces = std::min(waiting_.size(), kMostPieces);
    for (size_t i = 0; i < num_pieces; ++i) pieces[i] = of(waiting_[i].bytes);
    const ssize_t taken = put(socket, std::span(pieces).first(num_pieces));
    if (taken == 0) return false;
    if (taken < 0) {
      waiting_.clear();
      return true;
    }
    put_bytes += static_cast<size_t>(taken);
    bytes_after_waiting_.fetch_add(static_cast<uint64_t>(taken), std::memory_order_relaxed);
    for (auto left = static_cast<size_t>(taken); left > 0;) {
      std::span<const std::byte>& first = waiting_.front().bytes;
      const size_t gone = std::min(first.size(), left);
      first = first.subspan(gone);
      left -= gone;
      if (first.empty()) waiting_.pop_front();
    }
  }
  return true;
}

}  // namespace flowray::cluster
