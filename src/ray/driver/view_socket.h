#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// Where people ask a driver how it goes: a socket in the session folder that is this user's alone (0600),
/// and a thread that answers, which is started by the first request. Where the folder cannot be had
/// there is none: no reason for a program not to run.
class ViewSocket {
 public:
  /// Answers a line. In the thread.
  using Answer = std::function<std::string(std::string_view request)>;
  explicit ViewSocket(Answer answer);
  ~ViewSocket();
  ViewSocket(const ViewSocket&) = delete;
  ViewSocket& operator=(const ViewSocket&) = delete;

  /// Readable on a connection while there is no thread yet, which start() makes; -1: not to be polled.
  int descriptor() const { return thread_.joinable() ? -1 : listening_.get(); }
  void start() noexcept;
  /// Removes the socket and ends the thread. Once; not while start() runs.
  void stop() noexcept;

 private:
  void serve() noexcept;
  void answer_one(int socket) const;

  const Answer answer_;
  std::string path_;
  const pid_t pid_;  // a process that is forked from this one has not made the socket
  Descriptor listening_;
  Descriptor ended_;  // an eventfd
  std::thread thread_;
};

}  // namespace flowray::ray
