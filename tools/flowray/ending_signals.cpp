#include "ending_signals.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include "core/mutex.h"

namespace flowray::tools {
namespace {

constexpr std::chrono::milliseconds kTimeToEnd(4500);
constexpr int kSignalled = 128;  // and the signal's number: as a shell shows who was ended by one

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

/// The next of the signals, or 0 when none came in that time. Stopping the process (a debugger, LeakSanitizer
/// at its end) interrupts the call: it waits for what is left then.
int next_of(const sigset_t& signals, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) return 0;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec limit = {.tv_sec = seconds.count(),
                            .tv_nsec = std::chrono::nanoseconds(left - seconds).count()};
    const int signal = sigtimedwait(&signals, nullptr, &limit);
    if (signal > 0) return signal;
    if (errno != EINTR) return 0;
  }
}

}  // namespace

struct EndingSignals::State {
  Mutex mutex;
  CondVar changed;
  bool has_come FLOWRAY_GUARDED_BY(mutex) = false;
};

EndingSignals::EndingSignals() : state_(std::make_shared<State>()) {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Never joined: it is there until the process is not.
  std::thread([state = state_, signals] {
    int first = 0;
    sigwait(&signals, &first);
    {
      const MutexLock lock(state->mutex);
      state->has_come = true;
    }
    state->changed.notify_all();
    const int second = next_of(signals, kTimeToEnd);
    if (second > 0) _exit(kSignalled + second);
    fmt::print(stderr, "flowray server: what runs did not end within {}.{} s: ended without it\n",
               kTimeToEnd.count() / 1000, kTimeToEnd.count() % 1000 / 100);
    std::fflush(stderr);
    _exit(kSignalled + first);
  }).detach();
}

void EndingSignals::wait() {
  const MutexLock lock(state_->mutex);
  state_->changed.wait(state_->mutex, [this]() FLOWRAY_REQUIRES(state_->mutex) { return state_->has_come; });
}

}  // namespace flowray::tools
