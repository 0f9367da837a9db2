#include "native/convert/released_lock.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace flowray::python {
namespace {

/// Threads that have found the interpreter running and now wait for its lock.
std::atomic<int> num_returning{0};
/// Functions of the program that are being called by threads that had no lock.
std::atomic<int> num_calls{0};
std::atomic<bool> interpreter_ends{false};
std::atomic<std::thread::id> ending_thread{};

thread_local bool is_released = false;

[[noreturn]] void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Runs in Python's atexit, where the lock can still be had: threads that asked for it before are let
/// through.
void begin_to_end() {
  ending_thread = std::this_thread::get_id();
  interpreter_ends = true;
  const ReleasedLock released;
  // A thread in a function of the program's would not survive the interpreter's end. One that does not return
  // soon cannot be helped.
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (num_returning > 0 || (num_calls > 0 && std::chrono::steady_clock::now() < last))
    std::this_thread::yield();
}

}  // namespace

bool interpreter_ends_without_us() {
  return interpreter_ends && ending_thread.load() != std::this_thread::get_id();
}

bool lock_is_released() { return is_released; }

RetakenLock::Call::Call() { ++num_calls; }
RetakenLock::Call::~Call() { --num_calls; }

RetakenLock::RetakenLock() : was_released_(std::exchange(is_released, false)) {}
RetakenLock::~RetakenLock() { is_released = was_released_; }

ReleasedLock::ReleasedLock() : state_(PyEval_SaveThread()) { is_released = true; }

ReleasedLock::~ReleasedLock() {
  // Counted before it looks: either begin_to_end() sees the count, or we see that the interpreter ends.
  const bool ends_it = ending_thread.load() == std::this_thread::get_id();
  if (!ends_it) ++num_returning;
  if (interpreter_ends_without_us()) {
    --num_returning;
    sleep_forever();
  }
  PyEval_RestoreThread(state_);
  is_released = false;
  if (!ends_it) --num_returning;
}

void bind_end_of_interpreter(nb::module_& m) {
  pthread_atfork(nullptr, nullptr,
                 [] { num_returning = num_calls = 0; });  // the child has none of the other threads
  m.def("_begin_to_end", &begin_to_end);
  nb::module_::import_("atexit").attr("register")(m.attr("_begin_to_end"));
}

}  // namespace flowray::python
