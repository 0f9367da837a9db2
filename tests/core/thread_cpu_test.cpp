#include "core/thread_cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <thread>

namespace flowray {
namespace {

cpu_set_t allowed_cpus(pid_t thread) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(thread, sizeof(cpus), &cpus), 0);
  return cpus;
}

bool is_only(const cpu_set_t& cpus, int cpu) {
  return CPU_COUNT(&cpus) == 1 && CPU_ISSET(static_cast<size_t>(cpu), &cpus) != 0;
}

TEST(MoveFrom, GoesToAnotherCpuAndMayRunOnAllAsBefore) {
  const cpu_set_t before = allowed_cpus(0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "there is one CPU";
  // The system may bring it back before it looks where it is, but not again and again.
  bool went = false;
  for (int i = 0; i < 1000 && !went; ++i) {
    const int cpu = sched_getcpu();
    move_from(cpu);
    went = sched_getcpu() != cpu;
  }
  EXPECT_TRUE(went);
  const cpu_set_t after = allowed_cpus(0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(MoveFrom, StaysWhereThereIsNoOther) {
  std::thread([] {
    const int cpu = sched_getcpu();
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<size_t>(cpu), &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);
    move_from(cpu);
    EXPECT_EQ(sched_getcpu(), cpu);
    EXPECT_TRUE(is_only(allowed_cpus(0), cpu));
  }).join();
}

TEST(PulledTo, HoldsAThreadOnOneCpuWhileItLives) {
  std::latch begun(1);
  std::latch end(1);
  pid_t number = 0;
  std::thread other([&] {
    number = gettid();
    begun.count_down();
    end.wait();
  });
  begun.wait();
  const cpu_set_t before = allowed_cpus(number);
  {
    const int cpu = sched_getcpu();
    const PulledTo pulled(cpu, number);
    EXPECT_TRUE(is_only(allowed_cpus(number), cpu));
  }
  const cpu_set_t after = allowed_cpus(number);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  end.count_down();
  other.join();
}

TEST(PulledTo, LeavesAThreadThatIsNotThereAlone) {
  constexpr pid_t kNone = 0x7fff'fffe;
  {
    const PulledTo pulled(sched_getcpu(), kNone);
  }
  const cpu_set_t before = allowed_cpus(0);
  {
    const PulledTo pulled(-1, 0);
  }
  const cpu_set_t after = allowed_cpus(0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace flowray
