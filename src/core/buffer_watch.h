#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace flowray {

/// Watches how many bytes of heap buffers are handed out at once, as their holders asked for them: without
/// heads and rounding. For explain and for tests. What adopts foreign memory (strings) is left out. One watch
/// a process counts at a time; a second one throws errors::FailedPreconditionError. All threads are counted;
/// while none is watching, a buffer pays one relaxed load.
class BufferWatch {
 public:
  BufferWatch();
  /// One, or null while another one counts.
  static std::unique_ptr<BufferWatch> begin_if_free();
  ~BufferWatch();
  BufferWatch(const BufferWatch&) = delete;
  BufferWatch& operator=(const BufferWatch&) = delete;

  /// More than were handed out when the watch began; may be negative.
  int64_t bytes() const noexcept;
  /// The largest bytes() so far.
  int64_t most_bytes() const;
  /// Likewise without the workspaces of kernels.
  int64_t most_value_bytes() const;
  /// Lets both begin again at what is handed out now.
  void forget_most() noexcept;

  /// For Buffer: so many bytes more are handed out, or fewer.
  static void tell(int64_t change) noexcept {
    if (is_watching.load(std::memory_order_relaxed)) [[unlikely]]
      add(change);
  }
  /// For Workspace: of what is handed out, so many bytes more are not values, or fewer. Said before they are
  /// handed out and after they are given back.
  static void tell_workspace(int64_t change) noexcept {
    if (is_watching.load(std::memory_order_relaxed)) [[unlikely]]
      add_workspace(change);
  }

 private:
  struct Taken {};
  explicit BufferWatch(Taken) noexcept;
  void begin() noexcept;
  static void add(int64_t change) noexcept;
  static void add_workspace(int64_t change) noexcept;
  static std::atomic<bool> is_watching;
};

}  // namespace flowray
