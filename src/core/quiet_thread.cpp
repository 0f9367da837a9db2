#include "core/quiet_thread.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace flowray {
namespace {

/// While it lives, no signal reaches the calling thread; threads that it starts inherit that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_quiet_thread(const char* name, std::function<void()> work) {
  const SignalsBlocked blocked;
  return std::thread([name, work = std::move(work)] {
    pthread_setname_np(pthread_self(), name);
    work();
  });
}

}  // namespace flowray
