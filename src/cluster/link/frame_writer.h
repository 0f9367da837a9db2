#pragma once

#include "cluster/link/frame.h"
#include "cluster/message.h"
#include "core/mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

namespace flowray::cluster {

/// Puts frames into a socket that does not block: what it does not take at once waits here. Thread-safe.
class FrameWriter {
 public:
  /// `wants_room` is told whether go_on() is to be called when the socket takes more.
  explicit FrameWriter(std::function<void(bool)> wants_room) : wants_room_(std::move(wants_room)) {}

  /// The sizes in `head` are filled in. What is sent to a closed peer is lost;
  /// the reading end notices it.
  void send(int socket, FrameHead head, std::string_view text, std::string_view details, const Message& body);
  void go_on(int socket);
  /// How much of what had to wait the socket has taken since: the other side has read that much, and more.
  uint64_t bytes_after_waiting() const { return bytes_after_waiting_.load(std::memory_order_relaxed); }

 private:
  /// What go_on() puts before it lets its thread look after other links.
  static constexpr size_t kMostAtOnce = 16 << 20;

  bool write_waiting(int socket) FLOWRAY_REQUIRES(mutex_);

  const std::function<void(bool)> wants_room_;
  Mutex mutex_;
  std::deque<Message::Piece> waiting_ FLOWRAY_GUARDED_BY(mutex_);
  std::atomic<uint64_t> bytes_after_waiting_ = 0;
};

}  // namespace flowray::cluster
