#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace flowray {

class BufferRef;

/// A block of bytes that is shared by counting references: what an Array's elements live in.
///
/// A heap block holds this header and, behind it, the data in one allocation of the block pool
/// (block_pool.h), so that making one in the steady state costs some nanoseconds and no call of the system. A
/// foreign block points at memory of another owner, whose callback runs when the last reference goes.
///
/// Counting is thread-safe; the bytes are not: a writer must hold the only
/// reference (`writable_in_place`).
class alignas(64) Buffer {
 public:
  /// Data of heap blocks is aligned to this; foreign data lies where its owner put it.
  static constexpr size_t kAlignment = 64;

  /// `bytes` uninitialised bytes; 0 is allowed. Throws errors::ResourceExhaustedError, which says how many
  /// were asked.
  static BufferRef allocate(size_t bytes);

  /// Refers to `bytes` bytes at `data` and calls release(owner), from any thread, when the last reference
  /// goes. `release` must not throw; null: no callback. `data` may be null if `bytes` is 0. `writable`:
  /// the memory is private to this process and no one but the holders of this buffer reads it, so that a sole
  /// holder may write it. If this throws (out of memory), `release` is not called.
  static BufferRef adopt(void* data, size_t bytes, void (*release)(void* owner), void* owner, bool writable);

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Never null, even of zero bytes.
  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  size_t size_bytes() const noexcept { return size_bytes_; }

  /// Whether the caller's reference is the only one. True stays true until the caller shares it; all that
  /// others did with the bytes before they let go has then happened.
  bool held_once() const noexcept {
    // Pairs with the decrement in release(): the bytes' last readers are done before we may overwrite them.
    return references_.load(std::memory_order_acquire) == 1;
  }

  /// Whether a holder of this reference may overwrite the bytes: held once, and private to this process.
  bool writable_in_place() const noexcept { return private_ && held_once(); }

  friend void retain(Buffer* buffer) noexcept;
  friend void release(Buffer* buffer) noexcept;

 private:
  using ReleaseFunction = void (*)(void* owner);

  Buffer(std::byte* data, size_t size_bytes, uint32_t size_class, bool is_private, ReleaseFunction release,
         void* owner) noexcept
      : size_class_(size_class),
        private_(is_private),
        data_(data),
        size_bytes_(size_bytes),
        release_(release),
        owner_(owner) {}
  ~Buffer() = default;

  void destroy() noexcept;

  std::atomic<uint32_t> references_{1};
  uint32_t size_class_;  // of the block this header lies in
  bool private_;
  std::byte* data_;
  size_t size_bytes_;
  ReleaseFunction release_;
  void* owner_;
};

/// Takes one more reference. `buffer` must be held by the caller; null is ignored.
inline void retain(Buffer* buffer) noexcept {
  // Relaxed: the caller holds a reference, so the count cannot reach zero meanwhile, and nothing
  // is published.
  if (buffer != nullptr) buffer->references_.fetch_add(1, std::memory_order_relaxed);
}

/// Gives one reference back; the last one frees the block. Null is ignored.
inline void release(Buffer* buffer) noexcept {
  if (buffer == nullptr) return;
  // A count of one is ours and cannot be raised, so the last holder needs no read-modify-write. The
  // acquire (here and in fetch_sub) pairs with the release in the other holders' fetch_sub: they are done
  // with the bytes.
  if (buffer->references_.load(std::memory_order_acquire) == 1 ||
      buffer->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    buffer->destroy();
  }
}

/// One counted reference to a Buffer, or none.
class BufferRef {
 public:
  BufferRef() noexcept = default;
  BufferRef(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  BufferRef(const BufferRef& other) noexcept : buffer_(other.buffer_) { retain(buffer_); }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() { release(buffer_); }

  /// Takes over a reference that the caller holds.
  static BufferRef take(Buffer* held) noexcept {
    BufferRef result;
    result.buffer_ = held;
    return result;
  }
  /// Takes a further reference to a buffer that the caller goes on holding.
  static BufferRef share(Buffer* held) noexcept {
    retain(held);
    return take(held);
  }
  /// Hands this reference to the caller, who must release() it.
  [[nodiscard]] Buffer* leave() noexcept { return std::exchange(buffer_, nullptr); }

  Buffer* get() const noexcept { return buffer_; }
  Buffer* operator->() const noexcept { return buffer_; }
  Buffer& operator*() const noexcept { return *buffer_; }
  explicit operator bool() const noexcept { return buffer_ != nullptr; }
  void reset() noexcept { release(std::exchange(buffer_, nullptr)); }

  friend bool operator==(const BufferRef&, const BufferRef&) noexcept = default;

 private:
  Buffer* buffer_ = nullptr;
};

}  // namespace flowray
