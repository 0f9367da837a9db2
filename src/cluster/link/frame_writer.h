#pragma once

#include "cluster/link/frame.h"
#include "cluster/message.h"
#include "core/mutex.h"

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

 private:
  bool write_waiting(int socket) FLOWRAY_REQUIRES(mutex_);

  const std::function<void(bool)> wants_room_;
  Mutex mutex_;
  std::deque<Message::Piece> waiting_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
