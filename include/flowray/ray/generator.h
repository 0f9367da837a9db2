#pragma once
/// Generator<T>: a function that gives its values one by one, while it runs. Called in another process it
/// gives references, each as soon as its value is there:
///
///     ray::Generator<int> Squares(int n) {
///       for (int i = 0; i < n; ++i) co_yield i * i;
///     }
///     RAY_REMOTE(Squares);
///
///     for (const ray::ObjectRef<int>& square : ray::Task(Squares).Remote(3)) std::cout << *square.Get();

#include <flowray/ray/object_ref.h>

#include <coroutine>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// What a function returns that gives values by co_yield. It runs as far as it is asked for values; its
/// parameters by reference must live as long. (Those of a remote function do.) It cannot co_await.
template <typename T>
class [[nodiscard]] Generator {
 public:
  static_assert(std::is_same_v<T, std::decay_t<T>>,
                "a Generator gives values, not references or const types");

  class promise_type {
   public:
    Generator get_return_object() noexcept {
      return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    /// The value lives until the generator goes on.
    std::suspend_always yield_value(const T& value) noexcept {
      value_ = std::addressof(value);
      return {};
    }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const { throw; }
    template <typename Awaited>
    void await_transform(Awaited&&) = delete;

   private:
    friend Generator;
    const T* value_ = nullptr;
  };

  Generator(Generator&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Generator() {
    if (coroutine_) coroutine_.destroy();
  }

  /// The next value, until it is asked for the one after it; null: there is none any more. Throws what the
  /// function throws, which has ended then.
  const T* Next() {
    if (!coroutine_ || coroutine_.done()) return nullptr;
    coroutine_.resume();
    return coroutine_.done() ? nullptr : coroutine_.promise().value_;
  }

  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Generator& generator) : generator_(&generator), value_(generator.Next()) {}
    const T& operator*() const noexcept { return *value_; }
    Iterator& operator++() {
      value_ = generator_->Next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const noexcept { return value_ == nullptr; }

   private:
    Generator* generator_;
    const T* value_;
  };
  /// Once: all values that are to come.
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  explicit Generator(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}

  std::coroutine_handle<promise_type> coroutine_;
};

namespace internal {

template <typename R>
struct GeneratedValue {
  using Type = R;
  static constexpr bool kIsGenerated = false;
};
template <typename T>
struct GeneratedValue<Generator<T>> {
  using Type = T;
  static constexpr bool kIsGenerated = true;
};

/// Waits for the next value of a call that gives them one by one: a new handle of it, or null if there is
/// none any more. Throws RayTimeoutException.
ObjectHandle* take_next(const AnyRef& stream, int timeout_ms);
/// Whether take_next would return at once.
bool is_next_there(const AnyRef& stream);
void cancel_stream(const AnyRef& stream, bool force, bool recursive);

}  // namespace internal

/// What Remote returns for a function that returns a Generator<T>: its values as they come, each once. Copies
/// share it. When the last one goes before the function has ended, this is cancelled, as by Cancel. Not to be
/// sent to other processes; the references that it gives may be.
template <typename T>
class [[nodiscard]] ObjectRefGenerator : public internal::AnyRef {
 public:
  using AnyRef::AnyRef;

  /// Waits until the next value is there: a reference to it, or none where the function has ended. What the
  /// function throws, and the death of its process, is thrown by Get of the last reference.
  std::optional<ObjectRef<T>> Next() const { return Next(-1); }
  /// Throws RayTimeoutException if it is not there after `timeout_ms`; 0 does not wait, -1 waits without end.
  std::optional<ObjectRef<T>> Next(int timeout_ms) const {
    internal::ObjectHandle* const handle = internal::take_next(*this, timeout_ms);
    if (handle == nullptr) return std::nullopt;
    return ObjectRef<T>(handle);
  }
  /// Whether Next() would return at once.
  bool NextReady() const { return internal::is_next_there(*this); }
  /// Its Get waits until the function has ended, and throws nothing of what that has thrown. While it lives,
  /// so does the call.
  ObjectRef<void> Completed() const {
    internal::ObjectHandle* const stream = internal::require_handle(*this);
    stream->retain();
    return ObjectRef<void>(stream);
  }

  class Iterator {
   public:
    using value_type = ObjectRef<T>;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(const ObjectRefGenerator& generator)
        : generator_(&generator), next_(generator.Next()) {}
    const ObjectRef<T>& operator*() const noexcept { return *next_; }
    const ObjectRef<T>* operator->() const noexcept { return &*next_; }
    Iterator& operator++() {
      next_ = generator_->Next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const noexcept { return !next_; }

   private:
    const ObjectRefGenerator* generator_;
    std::optional<ObjectRef<T>> next_;
  };
  /// All values that are to come.
  Iterator begin() const { return Iterator(*this); }
  std::default_sentinel_t end() const noexcept { return {}; }
};

}  // namespace flowray::ray

#pragma GCC visibility pop
