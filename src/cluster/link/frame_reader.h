#pragma once

#include "cluster/link/frame.h"
#include "cluster/transport.h"

#include <sys/types.h>

#include <cstddef>
#include <memory>

namespace flowray::cluster {

/// Takes frames off a socket that does not block. One thread at a time.
class FrameReader {
 public:
  /// `allocate`: memory for large bodies; null: of the heap. What is larger than `most_body_bytes` is passed
  /// over: its frame comes without it.
  FrameReader(Allocate allocate, uint64_t most_body_bytes);

  enum class Outcome { kFrame, kNothingYet, kOver };
  /// kFrame: `frame` is the next one. kNothingYet: the rest of it has still to come. kOver: the other side
  /// has gone, or sends something other than frames.
  Outcome next(int socket, Frame& frame);
  uint64_t most_body_bytes() const { return most_body_bytes_; }
  /// All that has come so far.
  uint64_t received_bytes() const { return received_bytes_; }

 private:
  static constexpr size_t kBufferBytes = 64 << 10;
  /// What next() takes of a large body before it lets its thread look after other links.
  static constexpr size_t kMostAtOnce = 16 << 20;

  Outcome begin_frame(Frame& frame);
  void begin_large_body();
  Outcome take_large_body(int socket, Frame& frame);
  Outcome receive(int socket);
  ssize_t take_some(int socket, std::span<std::byte> to);
  std::span<const std::byte> buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void finish(Frame& frame, std::span<const std::byte> body, std::shared_ptr<const void> owner);

  const Allocate allocate_;
  const uint64_t most_body_bytes_;
  const std::unique_ptr<std::byte[]> buffer_;
  size_t begin_ = 0;  // of what is in the buffer and has not been taken
  size_t end_ = 0;

  /// A frame whose body does not fit into the buffer, while that comes.
  Frame large_;
  bool is_in_large_body_ = false;
  std::byte* next_ = nullptr;  // where it goes on; null: it is passed over
  uint64_t bytes_left_ = 0;
  uint64_t received_bytes_ = 0;
};

}  // namespace flowray::cluster
