#include "files/file_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

#include "support/idx_files.h"

namespace flowray::files {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(ends[0]), FileAccess::all()), "abc");
  EXPECT_EQ(num_signals, 3);
  sigaction(SIGALRM, &before, nullptr);
  close(ends[0]);
}

TEST(MatchingFiles, MatchesPartByPart) {
  const testing::TestFolder folder;
  const std::string at = folder.path().string() + "/";
  for (const char* path : {"a1/x.txt", "a1/y.txt", "a2/x.txt", "b/x.txt", "b/.hidden", "b/[x]"}) {
    write_file(at + path, "", FileAccess::all());
  }
  const auto matches = [&](const std::string& pattern) {
    std::vector<std::string> found = matching_files(at + pattern, FileAccess::all());
    for (std::string& name : found) name.erase(0, at.size());
    return found;
  };
  EXPECT_THAT(matches("a?/x.txt"), ElementsAre("a1/x.txt", "a2/x.txt"));
  EXPECT_THAT(matches("a1/*"), ElementsAre("a1/x.txt", "a1/y.txt"));
  EXPECT_THAT(matches("[!b]*/[xz].txt"), ElementsAre("a1/x.txt", "a2/x.txt"));
  EXPECT_THAT(matches("*/*"),
              ElementsAre("a1/x.txt", "a1/y.txt", "a2/x.txt", "b/.hidden", "b/[x]", "b/x.txt"));
  EXPECT_THAT(matches("b/\\[x]"), ElementsAre("b/[x]"));
  EXPECT_THAT(matches("*/none"), IsEmpty());
  EXPECT_THAT(matches("a1/x.txt/*"), IsEmpty());
  EXPECT_THAT(matches("a*/"), ElementsAre("a1/", "a2/"));
}

}  // namespace
}  // namespace flowray::files
