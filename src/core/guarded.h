#pragma once

#include <mutex>
#include <utility>

#include "core/mutex.h"

namespace flowray {

/// Data that can be reached through its mutex only:
///
///     Guarded<std::vector<int>> numbers;
///     numbers.lock()->push_back(1);              // locked for one expression
///     auto locked = numbers.lock();              // locked until `locked` ends
///     locked.wait(changed, [&] { return !locked->empty(); });
template <typename T>
class Guarded {
 public:
  /// Holds the mutex while it lives. Must not outlive the Guarded.
  template <typename Data>
  class [[nodiscard]] Lock {
   public:
    Data* operator->() const noexcept { return data_; }
    Data& operator*() const noexcept { return *data_; }

    /// Lets others at the data until `condition` is notified and `ready()` holds; the mutex is held
    /// again after.
    template <typename Ready>
    void wait(CondVar& condition, Ready ready) {
      lock_.mutex()->assert_held();
      condition.wait(*lock_.mutex(), std::move(ready));
    }

    /// Ends the lock early; the data must not be touched through it after.
    void unlock() {
      data_ = nullptr;
      lock_.unlock();
    }

   private:
    friend class Guarded;
    Lock(Mutex& mutex, Data& data) : lock_(mutex), data_(&data) {}

    std::unique_lock<Mutex> lock_;
    Data* data_;
  };

  template <typename... Arguments>
  constexpr explicit Guarded(Arguments&&... arguments) : data_{std::forward<Arguments>(arguments)...} {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Lock<T> lock() { return {mutex_, data_}; }
  Lock<const T> lock() const { return {mutex_, data_}; }

  /// The data without the lock. Right only where no other thread can have it: say why at the call.
  T& unlocked() noexcept { return data_; }

 private:
  mutable Mutex mutex_;
  T data_;
};

}  // namespace flowray
