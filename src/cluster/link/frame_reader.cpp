#include "cluster/link/frame_reader.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "cluster/payload.h"

namespace flowray::cluster {
namespace {

constexpr size_t kAlignment = 64;

Memory of_the_heap(size_t size_bytes) {
  std::shared_ptr<std::byte[]> owner(new (std::nothrow) std::byte[size_bytes]);
  return {owner.get(), owner};
}

/// The count of bytes that came, 0 where there are none yet, -1 where none will come any more.
ssize_t receive_some(int socket, std::span<std::byte> to) {
  while (true) {
    const ssize_t count = ::recv(socket, to.data(), to.size(), MSG_DONTWAIT);
    if (count > 0) return count;
    if (count == 0) return -1;
    if (errno == EINTR) continue;
    return errno == EAGAIN ? 0 : -1;
  }
}

}  // namespace

FrameReader::FrameReader(Allocate allocate, uint64_t most_body_bytes)
    : allocate_(allocate != nullptr ? std::move(allocate) : of_the_heap),
      most_body_bytes_(most_body_bytes),
      buffer_(new std::byte[kBufferBytes]) {
  static_assert(sizeof(FrameHead) + 2 * kMostTextBytes < kBufferBytes);
}

FrameReader::Outcome FrameReader::next(int socket, Frame& frame) {
  while (true) {
    if (is_in_large_body_) return take_large_body(socket, frame);
    const Outcome outcome = begin_frame(frame);
    if (outcome != Outcome::kNothingYet) return outcome;
    if (is_in_large_body_) continue;
    const Outcome received = receive(socket);
    if (received != Outcome::kFrame) return received;
  }
}

/// Looks for a frame in the buffer. A large body begins to be taken where its frame has come that far.
FrameReader::Outcome FrameReader::begin_frame(Frame& frame) {
  const std::span<const std::byte> here = buffered();
  if (here.size() < sizeof(FrameHead)) return Outcome::kNothingYet;
  FrameHead head;
  std::memcpy(&head, here.data(), sizeof(head));
  if (!is_possible(head)) return Outcome::kOver;
  const size_t before_body = sizeof(head) + head.text_bytes + head.details_bytes;
  const bool fits = before_body + head.body_bytes <= kBufferBytes && head.body_bytes <= most_body_bytes_;
  if (here.size() < before_body + (fits ? head.body_bytes : 0)) return Outcome::kNothingYet;
  const char* const texts = reinterpret_cast<const char*>(here.data()) + sizeof(head);
  large_.head = head;
  large_.text.assign(texts, head.text_bytes);
  large_.details.assign(texts + head.text_bytes, head.details_bytes);
  begin_ += before_body;
  if (!fits) {
    begin_large_body();
    return take_large_body(-1, frame);
  }
  // A copy, so that what keeps it keeps no more.
  std::shared_ptr<std::byte[]> body(new (std::nothrow) std::byte[std::max<size_t>(head.body_bytes, 1)]);
  if (body != nullptr) std::memcpy(body.get(), here.data() + before_body, head.body_bytes);
  begin_ += head.body_bytes;
  const std::span<const std::byte> copied(body.get(), body == nullptr ? 0 : head.body_bytes);
  finish(frame, copied, std::move(body));
  return Outcome::kFrame;
}

/// Takes the body into memory of its own, so that most of it, as a tensor's content, is aligned.
void FrameReader::begin_large_body() {
  is_in_large_body_ = true;
  bytes_left_ = large_.head.body_bytes;
  next_ = nullptr;
  if (bytes_left_ > most_body_bytes_) return;
  Memory memory = allocate_(bytes_left_ + kAlignment);
  if (memory.data == nullptr) return;
  const size_t begun = std::min<uint64_t>(buffered().size(), bytes_left_);
  const size_t payload = payload_offset(buffered().first(begun), bytes_left_);
  next_ = memory.data + (-(reinterpret_cast<uintptr_t>(memory.data) + payload)) % kAlignment;
  large_.body = {next_, static_cast<size_t>(bytes_left_)};
  large_.owner = std::move(memory.owner);
}

/// `socket` of -1: only what is in the buffer.
FrameReader::Outcome FrameReader::take_large_body(int socket, Frame& frame) {
  const size_t begun = std::min<uint64_t>(buffered().size(), bytes_left_);
  if (begun > 0) {
    if (next_ != nullptr) std::memcpy(std::exchange(next_, next_ + begun), buffered().data(), begun);
    begin_ += begun;
    bytes_left_ -= begun;
  }
  uint64_t taken = 0;
  while (bytes_left_ > 0 && socket >= 0) {
    // The socket stays ready to be read.
    if (taken >= kMostAtOnce) return Outcome::kNothingYet;
    begin_ = end_ = 0;
    const std::span<std::byte> to =
        next_ != nullptr ? std::span(next_, bytes_left_)
                         : std::span(buffer_.get(), std::min<uint64_t>(kBufferBytes, bytes_left_));
    const ssize_t count = take_some(socket, to);
    if (count < 0) return Outcome::kOver;
    if (count == 0) return Outcome::kNothingYet;
    bytes_left_ -= static_cast<uint64_t>(count);
    taken += static_cast<uint64_t>(count);
    if (next_ != nullptr) next_ += count;
  }
  if (bytes_left_ > 0) return Outcome::kNothingYet;
  is_in_large_body_ = false;
  finish(frame, large_.body, std::move(large_.owner));
  return Outcome::kFrame;
}

ssize_t FrameReader::take_some(int socket, std::span<std::byte> to) {
  const ssize_t count = receive_some(socket, to);
  if (count > 0) received_bytes_ += static_cast<uint64_t>(count);
  return count;
}

void FrameReader::finish(Frame& frame, std::span<const std::byte> body, std::shared_ptr<const void> owner) {
  frame = {large_.head, std::move(large_.text), std::move(large_.details), body, std::move(owner)};
  large_ = {};
}

/// kFrame: there is more in the buffer now.
FrameReader::Outcome FrameReader::receive(int socket) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0 && end_ == kBufferBytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  const ssize_t count = take_some(socket, {buffer_.get() + end_, kBufferBytes - end_});
  if (count < 0) return Outcome::kOver;
  end_ += static_cast<size_t>(count);
  return count == 0 ? Outcome::kNothingYet : Outcome::kFrame;
}

}  // namespace flowray::cluster
