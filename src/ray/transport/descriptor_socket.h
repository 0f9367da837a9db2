#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// Waits for something to read from `fd`, or its end; false where neither comes.
bool is_readable_within(std::chrono::milliseconds most, int fd);

/// One end of a pair of sockets that carries messages with file descriptors. Messages keep their bounds and
/// their order. Several threads may send at once; one receives.
class DescriptorSocket {
 public:
  static constexpr size_t kMaxMessageBytes = size_t{32} << 10;
  static constexpr size_t kMaxDescriptors = 253;  // SCM_MAX_FD of the kernel

  struct Message {
    std::vector<std::byte> bytes;
    /// Closed on exec.
    std::vector<Descriptor> descriptors;
    /// Descriptors came that this process could not take, because it has as many as it may; `descriptors` is
    /// empty then.
    bool descriptors_lost = false;
  };
  enum class Received { kMessage, kNothingNow, kEnd };
  enum class Sent { kAll, kNotNow, kPeerGone };
  enum class Wait { kYes, kNo };

  /// Two connected ends, closed on exec. Throws errors::ResourceExhaustedError.
  static std::pair<DescriptorSocket, DescriptorSocket> make_pair();

  DescriptorSocket() noexcept = default;
  explicit DescriptorSocket(Descriptor fd) noexcept : fd_(std::move(fd)) {}

  /// Sends `bytes` (at least one) with copies of `descriptors`. That the other end is closed is kPeerGone,
  /// not an error, and never SIGPIPE. Throws errors::InvalidArgumentError if it is too much for one message
  /// or a descriptor is invalid, errors::ResourceExhaustedError if the system lacks memory or has too many
  /// descriptors under way; of these a send that does not wait says kNotNow.
  Sent send(std::span<const std::byte> bytes, std::span<const int> descriptors = {}, Wait wait = Wait::kYes);
  /// The next message. kEnd: the other end is closed and all that it sent has been received. Throws
  /// errors::DataLossError for a message that send() would not have sent.
  Received receive(Message& message, Wait wait = Wait::kYes);
  /// Ends the talk for both ends, also for copies of this one in other processes.
  void shut_down() noexcept;

  /// The descriptor, to be polled.
  int fd() const noexcept { return fd_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
  void close() noexcept { fd_.close(); }

 private:
  Descriptor fd_;
};

}  // namespace flowray::ray
