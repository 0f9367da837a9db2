#include "ending_signals.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string_view>
#include <thread>

#include "core/mutex.h"

namespace flowray::tools {
namespace {

constexpr std::chrono::milliseconds kTimeToEnd(4500);
constexpr std::string_view kEndedWithoutIt =
    "flowray server: what runs did not end within 4.5 s: ended without it\n";
constexpr int kSignalled = 128;  // and the signal's number: as a shell shows a process that was ended by one

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

/// Without memory, without the lock of stderr, which a step may hold that prints, and only where it does not
/// have to wait for a reader.
void say_that_it_ends() {
  signal(SIGALRM, SIG_DFL);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  alarm(1);  // somebody else may write first what the reader had room for
  pollfd errors{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&errors, 1, 0) != 1 || (errors.revents & POLLOUT) == 0) return;
  (void)!write(STDERR_FILENO, kEndedWithoutIt.data(), kEndedWithoutIt.size());
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
    say_that_it_ends();
    _exit(kSignalled + first);
  }).detach();
}

void EndingSignals::wait() {
  const MutexLock lock(state_->mutex);
  state_->changed.wait(state_->mutex, [this]() FLOWRAY_REQUIRES(state_->mutex) { return state_->has_come; });
}

}  // namespace flowray::tools
