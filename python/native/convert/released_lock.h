#pragma once
/// Giving the interpreter's lock away while the language works.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace flowray::python {

/// Whether the interpreter has begun to end and this is not the thread that ends it: such a thread must not
/// ask for the lock any more.
bool interpreter_ends_without_us();

/// Whether this thread has given the lock away: it must not touch what is Python's then, such as its frames.
bool lock_is_released();

/// The interpreter's lock is free while it lives. At the interpreter's end Python unwinds a thread that asks
/// for the lock (up to 3.13), which a destructor does not survive: there the thread sleeps until the process
/// is gone.
class ReleasedLock {
 public:
  ReleasedLock();
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;
  ~ReleasedLock();

 private:
  PyThreadState* state_;
};

/// The lock, in a thread that may have given it away or that Python does not know,
/// for calls of the program's functions.
class RetakenLock {
 public:
  RetakenLock();
  RetakenLock(const RetakenLock&) = delete;
  RetakenLock& operator=(const RetakenLock&) = delete;
  ~RetakenLock();

 private:
  /// Counted from before the lock is asked for: the interpreter's end waits for it, for some seconds.
  struct Call {
    Call();
    ~Call();
  };
  Call call_;
  nb::gil_scoped_acquire lock_;
  bool was_released_;
};

/// Calls `function` without the interpreter's lock.
template <class Function>
decltype(auto) without_lock(Function&& function) {
  const ReleasedLock released;
  return function();
}

}  // namespace flowray::python
