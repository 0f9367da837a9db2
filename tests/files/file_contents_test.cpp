#include "files/file_contents.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

namespace flowray::files {
namespace {

int write_end = -1;
int num_signals = 0;

/// The third signal ends the pipe, so that a read which waits for it is interrupted before.
void take_signal(int) {
  if (++num_signals < 3) return;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  [[maybe_unused]] const ssize_t written = write(write_end, "abc", 3);
  close(write_end);
}

TEST(ReadFile, WaitsForAPipeThroughSignals) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  write_end = ends[1];
  struct sigaction interrupting = {}, before = {};
  interrupting.sa_handler = take_signal;  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGALRM, &interrupting, &before), 0);
  const itimerval every_millisecond = {{0, 1000}, {0, 1000}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &every_millisecond, nullptr), 0);
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(ends[0])), "abc");
  EXPECT_EQ(num_signals, 3);
  sigaction(SIGALRM, &before, nullptr);
  close(ends[0]);
}

}  // namespace
}  // namespace flowray::files
