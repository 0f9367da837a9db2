#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flowray::ray {

/// Tells the processor that this thread only waits, for some 40 to 140 cycles.
inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks at `ready()` again and again for about `spin_us` microseconds, at least once; whether it came true.
/// What to do before sleeping on a doorbell, where the other process has a core of its own.
template <typename Ready>
bool spin_until(Ready ready, int64_t spin_us) {
  if (ready()) return true;
  if (spin_us <= 0) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(spin_us);
  do {
    for (int i = 0; i < 32; ++i) {
      spin_pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// Where a process sleeps until there is a message for it; lies in shared memory. One thread sleeps at a
/// time, any number may ring.
///
/// A sender publishes its message and then calls ring(); a sleeper announces itself, looks at its rings once
/// more, and only then sleeps. Both sides order their two steps sequentially consistent, so one of them sees
/// the other.
class Doorbell {
 public:
  enum class How : uint32_t { kAwake = 0, kFutex = 1, kEvent = 2 };

  /// Wakes the sleeper. Costs a fence and a load without a sleeper. `event_fd`: the eventfd to write to when
  /// the sleeper waits in poll.
  void ring(int event_fd) noexcept { ring_both(*this, *this, event_fd); }
  /// ring() of two for one message, of which either may have a sleeper: with one fence.
  static void ring_both(Doorbell& one, Doorbell& other, int event_fd) noexcept;
  /// Whether ring() would wake a sleeper; false: whoever sleeps here later looks for messages first.
  bool would_wake() const noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return has_sleeper();
  }
  /// As ring(), with a system call always. For reporting another process's death: that one may have died
  /// within its ring(), between taking the sleeper's announcement down and waking it.
  void wake(int event_fd) noexcept;

  /// For the sleeper: announce(how), look at the rings, then either cancel(), or sleep() after kFutex, or
  /// poll the eventfd, read it empty and cancel() after kEvent.
  void announce(How how) noexcept;
  void cancel() noexcept;
  /// After announce(kFutex): until ring(), or `timeout_us` are over (negative: no end). False: the time was
  /// over. Cancels.
  bool sleep(int64_t timeout_us) noexcept;

  /// The most doorbells that one thread sleeps on.
  static constexpr size_t kMostAtOnce = 128;
  /// Whether the system has sleep_on_any (Linux before 5.16 does not).
  static bool can_sleep_on_several() noexcept;
  /// sleep() on all of them, each announced by kFutex: until one is rung. At most kMostAtOnce.
  static bool sleep_on_any(std::span<Doorbell* const> bells, int64_t timeout_us) noexcept;

 private:
  bool has_sleeper() const noexcept {
    return how_.load(std::memory_order_relaxed) != static_cast<uint32_t>(How::kAwake);
  }
  void wake_sleeper(int event_fd) noexcept;

  alignas(64) std::atomic<uint32_t> how_{0};
};

/// What lies at the beginning of a ring in shared memory, before its bytes. All zero in a new one.
struct RingHeader {
  alignas(64) std::atomic<uint64_t> read{0};  ///< bytes ever consumed; the reader's
  /// When `read` comes here the reader must ring the writer's doorbell, 0: never; the writer sets it, the
  /// reader clears it.
  alignas(64) std::atomic<uint64_t> wake_writer_at{0};
};

/// The writing end of a ring of messages: one writer (the holder of the process's lock), one reader in
/// another process. A message is contiguous and begins 16-byte aligned. All of a header that comes from
/// another process is checked: a broken peer is an error, never a wild read or write.
class RingWriter {
 public:
  RingWriter() = default;
  /// `memory`: zeros, 64-byte aligned; a RingHeader and a power of two of bytes (1 KiB to 1 GiB) behind it.
  /// Throws errors::InvalidArgumentError for anything else.
  explicit RingWriter(std::span<std::byte> memory);
  /// Room for a message of `bytes`, or null if the ring is full now. At most max_message_bytes().
  std::byte* reserve(size_t bytes) noexcept;
  /// Publishes what was reserved last; `bytes` may be less than reserved. `stamp`: what the reader's stamp()
  /// says of it. The reader's doorbell is the caller's matter.
  void commit(size_t bytes, uint64_t stamp = 0) noexcept;
  /// After reserve(bytes) gave null: lets the reader ring this process's doorbell when there is room. True:
  /// there is room already. Call it after Doorbell::announce, or go on sleeping only if it is false.
  bool ask_for_room(size_t bytes) noexcept;
  size_t max_message_bytes() const noexcept { return capacity_ / 2 - 16; }
  /// Bytes published so far, with the messages' heads and padding: for has_read().
  uint64_t position() const noexcept { return written_; }
  /// Whether the reader is done with all that was published up to that position.
  bool has_read(uint64_t position) noexcept {
    if (read_seen_ < position) see_read();
    return read_seen_ >= position;
  }

 private:
  /// What a message of `bytes` takes, with its own header and the padding before it.
  struct Place {
    uint64_t padding = 0;
    uint64_t record = 0;
  };
  Place place_of(size_t bytes) const noexcept;
  bool fits(Place place) noexcept;
  bool see_read() noexcept;
  std::byte* at(uint64_t position) const noexcept { return bytes_ + (position & (capacity_ - 1)); }

  RingHeader* header_ = nullptr;
  std::byte* bytes_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t written_ = 0;    // bytes ever published
  uint64_t read_seen_ = 0;  // the last value of header_->read that was looked at
  uint64_t padding_ = 0;    // before the message that is reserved
};

class RingReader {
 public:
  RingReader() = default;
  /// Takes the memory as RingWriter does.
  explicit RingReader(std::span<std::byte> memory);
  bool empty() const noexcept;
  /// The next message, valid until pop(); null data if there is none. Throws errors::DataLossError for a
  /// broken one; the ring is of no use any more then. The bytes stay writable for the other process: a reader
  /// that does not trust it copies first.
  std::span<const std::byte> peek();
  /// Of the message that peek() gave.
  uint64_t stamp() const noexcept;
  /// Only after peek() gave a message.
  void pop() noexcept;
  /// Whether the writer waits for room that there is now; then its doorbell must be rung. Ask after pop(),
  /// and once more between Doorbell::announce and sleeping.
  bool take_writer_waits() noexcept;

 private:
  std::byte* at(uint64_t position) const noexcept { return bytes_ + (position & (capacity_ - 1)); }
  void skip_padding();

  RingHeader* header_ = nullptr;
  std::byte* bytes_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t read_ = 0;    // bytes ever consumed
  uint64_t record_ = 0;  // of them in the message that peek() gave, with its header
};

/// Bytes of memory that a ring with room for `capacity` bytes needs.
constexpr size_t ring_memory_bytes(size_t capacity) noexcept { return sizeof(RingHeader) + capacity; }

}  // namespace flowray::ray
