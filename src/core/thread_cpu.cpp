#include "core/thread_cpu.h"

namespace flowray {

void move_from(int cpu) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<size_t>(cpu), &others);
  if (sched_setaffinity(0, sizeof(others), &others) == 0) sched_setaffinity(0, sizeof(allowed), &allowed);
}

PulledTo::PulledTo(int cpu, pid_t thread) : thread_(thread) {
  if (cpu < 0 || sched_getaffinity(thread, sizeof(allowed_), &allowed_) != 0) return;
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<size_t>(cpu), &here);
  is_pulled_ = sched_setaffinity(thread, sizeof(here), &here) == 0;
}

PulledTo::~PulledTo() {
  if (is_pulled_) sched_setaffinity(thread_, sizeof(allowed_), &allowed_);
}

}  // namespace flowray
