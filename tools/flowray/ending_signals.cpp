#include "ending_signals.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include "core/mutex.h"

namespace flowray::tools {
namespace {

constexpr timespec kTimeToEnd = {.tv_sec = 4, .tv_nsec = 500'000'000};
constexpr int kSignalled = 128;  // and the signal's number: as a shell shows who was ended by one

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
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
    const int second = sigtimedwait(&signals, nullptr, &kTimeToEnd);
    if (second > 0) _exit(kSignalled + second);
    fmt::print(stderr, "flowray server: what runs did not end within {}.{} s: ended without it\n",
               kTimeToEnd.tv_sec, kTimeToEnd.tv_nsec / 100'000'000);
    std::fflush(stderr);
    _exit(kSignalled + first);
  }).detach();
}

void EndingSignals::wait() {
  const MutexLock lock(state_->mutex);
  state_->changed.wait(state_->mutex, [this]() FLOWRAY_REQUIRES(state_->mutex) { return state_->has_come; });
}

}  // namespace flowray::tools
