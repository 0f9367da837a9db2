// The examples while their processes are killed at random moments: they end with the right values or a
// clear error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

using testing::Bytes;
using testing::ChildProcess;
using ::testing::ContainsRegex;
using testing::OwnProcesses;
using ::testing::StartsWith;

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::microseconds;

constexpr Microseconds kGuard = std::chrono::seconds(60);

/// Waits until the process has ended, or the time is over; whether it has ended.
bool ends_within(pid_t pid, Microseconds time) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return true;
  const timespec most{time.count() / 1'000'000, time.count() % 1'000'000 * 1000};
  pollfd end{fd, POLLIN, 0};
  const int ended = ppoll(&end, 1, &most, nullptr);
  close(fd);
  return ended == 1;
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string process = std::to_string(pid);
  std::ifstream file("/proc/" + process + "/task/" + process + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

/// What does not depend on how fast the machine is.
std::string without_times(const std::string& output) {
  return std::regex_replace(output, std::regex(" +[0-9]+ images/s|in [0-9.]+ s\n"), "");
}

struct Tally {
  int killed_workers = 0;
  int killed_templates = 0;
  int right = 0;
  int told = 0;
};

/// A program that is run again and again, each time with a kill.
class Victim {
 public:
  explicit Victim(std::vector<std::string> command) : command_(std::move(command)) {
    const auto start = Clock::now();
    ChildProcess program(command_);
    EXPECT_EQ(program.wait(), 0) << program.errors();
    takes_ = std::chrono::duration_cast<Microseconds>(Clock::now() - start);
    output_ = without_times(program.output());
  }

  void run_with_a_kill(std::minstd_rand& random, Tally& tally) const {
    ChildProcess program(command_);
    const Microseconds moment(std::uniform_int_distribution<int64_t>(0, takes_.count())(random));
    bool alive = !ends_within(program.pid(), moment);
    while (alive && !kill_one(program.pid(), random, tally))
      alive = !ends_within(program.pid(), Microseconds(100));
    if (!ends_within(program.pid(), kGuard)) {
      program.send_signal(SIGKILL);
      program.wait();
      FAIL() << command_[0] << " hangs; its output: " << program.output() << program.errors();
    }
    judge(program, tally);
  }

 private:
  /// Whether there was one to kill.
  static bool kill_one(pid_t program, std::minstd_rand& random, Tally& tally) {
    const auto zygotes = children_of(program);
    const auto templates = zygotes.empty() ? zygotes : children_of(zygotes[0]);
    if (templates.empty()) return false;
    const auto workers = children_of(templates[0]);
    if (workers.empty()) return false;
    const bool whole = random() % 16 == 0;
    kill(whole ? templates[0] : workers[random() % workers.size()], SIGKILL);
    ++(whole ? tally.killed_templates : tally.killed_workers);
    return true;
  }

  void judge(ChildProcess& program, Tally& tally) const {
    const int status = program.wait();
    const std::string output = without_times(program.output());
    if (status == 0) {
      EXPECT_EQ(output, output_);
      ++tally.right;
      return;
    }
    EXPECT_TRUE(status == 1 || status == -SIGABRT) << status;
    EXPECT_THAT(program.errors(),
                ContainsRegex(" is dead: .*(killed|is gone)|[Nn]o process could be started"));
    EXPECT_THAT(output_, StartsWith(output));  // and what it said until then was right
    ++tally.told;
  }

  std::vector<std::string> command_;
  Microseconds takes_{0};
  std::string output_;
};

void kill_at_random(const std::vector<std::string>& command, int kills) {
  const testing::Holdings before = testing::holdings();
  const OwnProcesses processes;
  const Victim victim(command);
  std::random_device device;
  const uint32_t seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::minstd_rand random(seed);
  Tally tally;
  while (tally.killed_workers + tally.killed_templates < kills && !::testing::Test::HasFailure()) {
    victim.run_with_a_kill(random, tally);
  }
  std::cout << tally.killed_workers << " workers and " << tally.killed_templates
            << " templates killed: " << tally.right << " runs ended right, " << tally.told
            << " with an error\n";
  EXPECT_TRUE(processes.all_end());
  EXPECT_EQ(testing::holdings(), before);
}

bool is_nightly() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr; }

TEST(RandomKills, EndWeightAveragingRightOrWithAnError) {
  kill_at_random({testing::built_program("weight_averaging"), "3"}, is_nightly() ? 700 : 15);
}

TEST(RandomKills, EndTheMainJobRightOrWithAnError) {
  const testing::TestFolder folder;
  const auto write = [&](const char* name, const std::vector<uint32_t>& dims, uint32_t bytes) {
    Bytes values(bytes);
    for (uint32_t i = 0; i < bytes; ++i)
      values[i] = static_cast<uint8_t>(dims.size() == 1 ? i % 10 : i % 251);
    testing::write_file(folder.path() / name, testing::idx_bytes(dims, values));
  };
  write("train-images-idx3-ubyte", {200, 28, 28}, 200 * 28 * 28);
  write("train-labels-idx1-ubyte", {200}, 200);
  write("t10k-images-idx3-ubyte", {50, 28, 28}, 50 * 28 * 28);
  write("t10k-labels-idx1-ubyte", {50}, 50);
  kill_at_random({testing::built_program("flowray-lenet"), "--data", folder.path(), "--steps", "20",
                  "--average-every", "2"},
                 is_nightly() ? 300 : 5);
}

}  // namespace
}  // namespace flowray
