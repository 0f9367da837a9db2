#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flowray::ray {

/// Where a process sleeps until somebody has a message for it; lies in shared memory. One thread sleeps at a time.
///
/// A sender publishes its message and then calls ring(); a sleeper announces itself, looks at its rings once more, and only
/// then sleeps. Both sides order their two steps sequentially consistent, so one of them sees the other.
class Doorbell {
 public:
  /// Costs a fence and a load when nobody sleeps. `event_fd`: the eventfd to write to when the sleeper waits in poll.
  void ring(int event_fd) noexcept;

  /// For the sleeper. announce(), look at the rings, then either cancel() or sleep().
  enum class How : uint32_t { kAwake = 0, kFutex = 1, kEvent = 2 };
  void announce(How how) noexcept;
  void cancel() noexcept;
  /// After announce(kFutex): until ring(), or `timeout_us` are over (negative: no end). False: the time was over. Cancels.
  bool sleep(int64_t timeout_us) noexcept;

 private:
  alignas(64) std::atomic<uint32_t> how_{0};
};

/// What lies at the beginning of a ring in shared memory, before its bytes.
struct RingHeader {
  alignas(64) std::atomic<uint64_t> written{0};  ///< bytes ever published; the writer's
  alignas(64) std::atomic<uint64_t> read{0};     ///< bytes ever consumed; the reader's
};

/// The writing end of a ring of messages: one writer (whoever holds the process's lock), one reader in another process.
/// A message is contiguous and begins 16-byte aligned. All of a header that comes from another process is checked by the
/// reader: a broken peer is an error, never a wild read.
class RingWriter {
 public:
  RingWriter() = default;
  /// `memory`: a RingHeader and a power of two of bytes behind it.
  explicit RingWriter(std::span<std::byte> memory);
  /// Room for a message of `bytes`, or null if the ring is full now. At most max_message_bytes().
  std::byte* reserve(size_t bytes) noexcept;
  /// Publishes what was reserved last; `bytes` may be less than reserved.
  void commit(size_t bytes) noexcept;
  size_t max_message_bytes() const noexcept;
};

class RingReader {
 public:
  RingReader() = default;
  explicit RingReader(std::span<std::byte> memory);
  bool empty() const noexcept;
  /// The next message, valid until pop(); empty span if there is none. Throws errors::DataLossError for a broken one.
  std::span<const std::byte> peek();
  void pop() noexcept;
};

}  // namespace flowray::ray
