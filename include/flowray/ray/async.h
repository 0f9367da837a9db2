#pragma once
/// Async<T>: a function that waits without a thread. Methods of actors that return one run side by side in
/// one thread:
///
///     ray::Async<int> Network::Step(int x) {
///       std::shared_ptr<int> y = co_await other.Task(&Other::Plus).Remote(x);   // as Get, but others go on
///       co_return *y + 1;
///     }
///
/// In the driver, ray::Get(f(x)) runs one, and ray::Get(several) some side by side.

#include <flowray/ray/object_ref.h>

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

template <typename T>
class Async;

namespace internal {

/// Throws RayException for a coroutine that was begun before, or moved from.
void require_unbegun(bool can_begin);

/// Runs coroutines in the thread that waits for them, until they are done. One loop of a thread may stand in
/// another one.
class AsyncLoop {
 public:
  AsyncLoop() noexcept;
  ~AsyncLoop();
  AsyncLoop(const AsyncLoop&) = delete;
  AsyncLoop& operator=(const AsyncLoop&) = delete;

  /// The innermost one of this thread; null: none runs here.
  static AsyncLoop* here() noexcept;
  void await(const AnyRef& ref, Awaiting& awaiting) { awaited_.push_back({ref, &awaiting}); }
  /// Runs until the coroutine has ended. Throws RayException if it waits for an empty reference.
  void run(std::coroutine_handle<> coroutine);

 private:
  struct Awaited {
    AnyRef ref;
    Awaiting* awaiting;
  };
  void go_on_with_ready();

  AsyncLoop* const outer_;
  std::vector<Awaited> awaited_;
};

/// The value, if it is there at no cost; else `awaiting` goes on when it is.
std::optional<ValueView> await_value(const AnyRef& ref, Awaiting& awaiting);

/// What co_await of a reference is.
template <typename T>
class RefAwaiter final : public Awaiting {
 public:
  explicit RefAwaiter(ObjectRef<T> ref) : ref_(std::move(ref)) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    coroutine_ = coroutine;
    // Another thread may go on with it, and end it, before this returns.
    std::optional<ValueView> value = await_value(ref_, *this);
    if (!value) return true;
    value_ = std::move(*value);
    return false;
  }
  typename GetResult<T>::One await_resume() {
    const ValueView value = std::move(value_);
    if (value.is_error) throw_error_value(value);
    if constexpr (!std::is_void_v<T>) return std::make_shared<T>(decode_value<T>(value));
  }
  void go_on(ValueView value) override {
    value_ = std::move(value);
    coroutine_.resume();
  }

 private:
  ObjectRef<T> ref_;
  std::coroutine_handle<> coroutine_;
  ValueView value_;
};

/// What the promises of all types share.
class AsyncPromiseBase {
 public:
  struct Ending {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const std::coroutine_handle<> awaiting = ended.promise().awaiting_;
      return awaiting ? awaiting : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  Ending final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  /// To be resumed then; `awaiting` goes on at its end.
  void begin(std::coroutine_handle<> awaiting) {
    require_unbegun(!has_begun_);
    has_begun_ = true;
    awaiting_ = awaiting;
  }

 protected:
  void throw_error() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  bool has_begun_ = false;
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;
};

template <typename T>
class AsyncPromise : public AsyncPromiseBase {
 public:
  template <typename U>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    throw_error();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};
template <>
class AsyncPromise<void> : public AsyncPromiseBase {
 public:
  void return_void() const noexcept {}
  void take() const { throw_error(); }
};

template <typename R>
struct AsyncValue {
  using Type = R;
  static constexpr bool kIsAsync = false;
};
template <typename T>
struct AsyncValue<Async<T>> {
  using Type = T;
  static constexpr bool kIsAsync = true;
};

}  // namespace internal

/// A coroutine that gives a T. It begins when it is awaited, or its Get is called, once; it is that of the
/// function that returns it, whose parameters by reference must live as long. (Those of an actor's method
/// do.) In it, co_await of an ObjectRef waits for the value as ObjectRef::Get does, and throws what that
/// throws; co_await of another Async runs that one.
template <typename T = void>
class [[nodiscard]] Async {
 public:
  class promise_type : public internal::AsyncPromise<T> {
   public:
    Async get_return_object() noexcept {
      return Async(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  Async(Async&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Async& operator=(Async&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Async() {
    if (coroutine_) coroutine_.destroy();
  }

  /// Runs it to its end, in this thread, which waits meanwhile. Not in methods that are coroutines
  /// themselves: all others of the actor would wait.
  T Get() {
    internal::AsyncLoop loop;
    begin().resume();
    loop.run(coroutine_);
    return coroutine_.promise().take();
  }

  class Awaiter {
   public:
    explicit Awaiter(Async& async) noexcept : async_(async) {}
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) { return async_.begin(awaiting); }
    T await_resume() { return async_.coroutine_.promise().take(); }

   private:
    Async& async_;
  };
  /// What co_await of it waits for: its end.
  Awaiter operator co_await() noexcept { return Awaiter(*this); }

 private:
  template <typename Other>
  friend auto Get(std::vector<Async<Other>> coroutines);

  explicit Async(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}
  /// What to resume.
  std::coroutine_handle<> begin(std::coroutine_handle<> awaiting = nullptr) {
    internal::require_unbegun(static_cast<bool>(coroutine_));
    coroutine_.promise().begin(awaiting);
    return coroutine_;
  }

  std::coroutine_handle<promise_type> coroutine_;
};

/// Waits for the value in a coroutine.
template <typename T>
internal::RefAwaiter<T> operator co_await(ObjectRef<T> ref) {
  return internal::RefAwaiter<T>(std::move(ref));
}

/// As Async::Get.
template <typename T>
T Get(Async<T> coroutine) {
  return coroutine.Get();
}
/// Runs them side by side; their values in their order. Throws the error of the first that is one, when all
/// have ended.
template <typename T>
auto Get(std::vector<Async<T>> coroutines) {
  internal::AsyncLoop loop;
  for (auto& coroutine : coroutines) coroutine.begin().resume();
  for (auto& coroutine : coroutines) loop.run(coroutine.coroutine_);
  if constexpr (std::is_void_v<T>) {
    for (auto& coroutine : coroutines) coroutine.coroutine_.promise().take();
  } else {
    std::vector<T> values;
    values.reserve(coroutines.size());
    for (auto& coroutine : coroutines) values.push_back(coroutine.coroutine_.promise().take());
    return values;
  }
}

}  // namespace flowray::ray

#pragma GCC visibility pop
