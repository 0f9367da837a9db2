#include "lenet/interruption.h"

#include <atomic>

namespace lenet {
namespace {

std::atomic<int> last_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may wait for nothing");

void remember(int signal) { last_signal = signal; }

}  // namespace

Interruption::Interruption() {
  last_signal = 0;
  struct sigaction action{};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
}

int Interruption::signal() const { return last_signal; }

const char* Interruption::name() const { return signal() == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace lenet
