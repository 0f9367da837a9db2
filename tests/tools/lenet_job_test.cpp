// The main job, flowray-lenet, as its users run it: from outside, on a small data set.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <thread>

#include "core/sanitizers.h"
#include "tools/lenet_job.h"

namespace flowray {
namespace {

using testing::Bytes;
using testing::ChildProcess;
using ::testing::HasSubstr;
using testing::idx_bytes;
using testing::kEndless;
using testing::LenetJob;
using testing::lines_of;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::write_file;

// Of the last line.
double accuracy_in(const std::string& line) {
  return std::stod(line.substr(std::string("test accuracy ").size()));
}

// What does not depend on how fast the machine is.
std::string without_times(const std::string& output) {
  return std::regex_replace(output, std::regex(" +[0-9]+ images/s|in [0-9.]+ s"), "");
}

// ---- good runs

TEST_F(LenetJob, ShowsItsProgressAndEndsWithTheTestAccuracy) {
  const auto lines = lines_of(output_of({"--steps", "150"}));
  ASSERT_EQ(lines.size(), 3u);
  const std::string numbers = "  loss [0-9]\\.[0-9]{4}  accuracy [01]\\.[0-9]{4} +[0-9]+ images/s";
  EXPECT_THAT(lines[0], MatchesRegex("step 100/150" + numbers));
  EXPECT_THAT(lines[1], MatchesRegex("step 150/150" + numbers));
  EXPECT_THAT(lines[2], MatchesRegex("test accuracy [01]\\.[0-9]{4} in [0-9]+\\.[0-9] s"));
}

TEST_F(LenetJob, Learns) {
  const std::string untrained = lines_of(output_of({"--steps", "0"})).at(0);
  const std::string trained = lines_of(output_of({"--steps", "150"})).back();
  EXPECT_LT(accuracy_in(untrained), 0.5);
  EXPECT_GT(accuracy_in(trained), 0.95);
}

TEST_F(LenetJob, LearnsInAnyNumberOfProcesses) {
  for (const char* actors : {"0", "1", "3"}) {
    const auto lines = lines_of(output_of({"--steps", "150", "--actors", actors, "--average-every", "7"}));
    EXPECT_GT(accuracy_in(lines.back()), 0.95) << actors;
  }
}

TEST_F(LenetJob, LearnsFashionMnistByDefault) {
  if (kSanitized) GTEST_SKIP() << "2,000 steps take minutes under a sanitizer";
  const char* const folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed: " << folder;
  ChildProcess job({testing::built_program("flowray-lenet")});
  ASSERT_EQ(job.wait(), 0) << job.errors();
  const auto lines = lines_of(job.output());
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_GT(accuracy_in(lines.back()), 0.87);
}

TEST_F(LenetJob, OnlyTestsWithoutSteps) {
  EXPECT_THAT(output_of({"--steps", "0"}),
              MatchesRegex("test accuracy [01]\\.[0-9]{4} in [0-9]+\\.[0-9] s\n"));
}

TEST_F(LenetJob, RepeatsItselfForTheSameSeedOnly) {
  const auto run = [&](const char* seed) {
    return without_times(output_of({"--steps", "110", "--seed", seed}));
  };
  const std::string first = run("1");
  EXPECT_EQ(run("1"), first);
  EXPECT_NE(run("2"), first);
}

TEST_F(LenetJob, RunsTwiceAtTheSameTime) {
  ChildProcess one(command({"--steps", kEndless}));
  ChildProcess other(command({"--steps", kEndless}));
  one.await_output("step ");
  other.await_output("step ");
  one.send_signal(SIGTERM);
  other.send_signal(SIGTERM);
  EXPECT_EQ(one.wait(), 143);
  EXPECT_EQ(other.wait(), 143);
}

TEST_F(LenetJob, ExplainsItsFlags) {
  const std::string help = output_of({"--help"});
  for (const char* flag : {"--actors", "--steps", "--average-every", "--data", "--logdir", "--seed"})
    EXPECT_THAT(help, HasSubstr(flag));
}

// ---- on a terminal

TEST_F(LenetJob, DrawsABarOnATerminalAndLeavesItsLineBeforeTheResult) {
  ChildProcess job(command({"--steps", "150"}), ChildProcess::Output::kTerminal);
  EXPECT_EQ(job.wait(), 0) << job.errors();
  const auto lines = lines_of(job.output());
  ASSERT_EQ(lines.size(), 2u) << job.output();
  EXPECT_THAT(lines[0], MatchesRegex(".*\r\\[#+\\]  step 150/150  loss .*"));
  EXPECT_THAT(lines[0], HasSubstr("0:00 left"));
  EXPECT_THAT(lines[1], StartsWith("test accuracy "));
  for (std::string drawn : lines_of(std::regex_replace(lines[0], std::regex("\r"), "\n"))) {
    drawn = std::regex_replace(drawn, std::regex("\x1b\\[K"), "");
    EXPECT_LT(drawn.size(), 100u) << "it would not fit into one line: " << drawn;
  }
}

TEST_F(LenetJob, EndsTheBarsLineWhenItIsInterrupted) {
  ChildProcess job(command({"--steps", kEndless}), ChildProcess::Output::kTerminal);
  job.await_output("images/s");
  job.send_signal(SIGINT);
  EXPECT_EQ(job.wait(), 130);
  const auto lines = lines_of(job.output());
  ASSERT_EQ(lines.size(), 2u) << job.output();
  EXPECT_THAT(lines[1], StartsWith("stopped by SIGINT after "));
}

// ---- the user's wish to end it

class LenetJobSignal : public LenetJob, public ::testing::WithParamInterface<int> {};

TEST_P(LenetJobSignal, EndsItAfterTheStep) {
  ChildProcess job(command({"--steps", kEndless}));
  job.await_output("step ");
  job.send_signal(GetParam());
  EXPECT_EQ(job.wait(), 128 + GetParam());
  EXPECT_EQ(job.errors(), "");
  const std::string name = GetParam() == SIGINT ? "SIGINT" : "SIGTERM";
  EXPECT_THAT(lines_of(job.output()).back(),
              MatchesRegex("stopped by " + name + " after [0-9]+ of 1000000000 steps"));
}

INSTANTIATE_TEST_SUITE_P(Both, LenetJobSignal, ::testing::Values(SIGINT, SIGTERM));

TEST_F(LenetJob, LeavesNoProcessWhenItIsKilled) {
  ChildProcess job(command({"--steps", kEndless}));
  job.await_output("step ");
  const auto processes = [this] {  // those with this test's folder on their command line
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline");
      const std::string words((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (words.find(folder_.path().string()) != std::string::npos) ++count;
    }
    return count;
  };
  EXPECT_GE(processes(), 4);  // driver, template, two actors
  job.send_signal(SIGKILL);
  EXPECT_EQ(job.wait(), -SIGKILL);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);  // hang guard
  while (processes() > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(processes(), 0);
}

// ---- wrong uses

TEST_F(LenetJob, RefusesMoreActorsThanThereAreImages) {
  EXPECT_THAT(complaint_of({"--actors", "201"}), HasSubstr("--actors 201: there are 200 training images"));
  EXPECT_THAT(complaint_of({"--actors", "100000000000"}), HasSubstr("--actors 100000000000: "));
}

TEST_F(LenetJob, NamesADirectoryThatIsMissing) {
  EXPECT_THAT(complaint_of({"--data", "/nowhere/at/all"}), HasSubstr("'/nowhere/at/all' does not exist"));
}

TEST_F(LenetJob, NamesAFileThatIsMissing) {
  std::filesystem::remove(data("t10k-labels-idx1-ubyte"));
  EXPECT_THAT(complaint_of({}), HasSubstr(data("t10k-labels-idx1-ubyte").string()));
}

TEST_F(LenetJob, NamesAFileThatIsDamaged) {
  const auto path = data("train-images-idx3-ubyte.gz");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(complaint_of({}), HasSubstr(path.string()));
}

TEST_F(LenetJob, RefusesImagesOfAnotherSize) {
  std::filesystem::remove(data("train-images-idx3-ubyte.gz"));
  write_file(data("train-images-idx3-ubyte"), idx_bytes({200, 2, 2}, Bytes(800)));
  write_file(data("t10k-images-idx3-ubyte"), idx_bytes({50, 2, 2}, Bytes(200)));
  EXPECT_THAT(complaint_of({}), HasSubstr("images of 4 pixels; expected 28x28"));
}

class LenetJobMistake : public LenetJob, public ::testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(LenetJobMistake, IsToldInOneLine) {
  const std::string complaint = complaint_of(GetParam());
  EXPECT_THAT(complaint, HasSubstr(GetParam()[0])) << "the word that is wrong";
  EXPECT_THAT(complaint, HasSubstr("--help"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, LenetJobMistake,
    ::testing::Values(std::vector<std::string>{"--stepz"}, std::vector<std::string>{"stray"},
                      std::vector<std::string>{"--steps"}, std::vector<std::string>{"--steps", "-1"},
                      std::vector<std::string>{"--steps", "many"}, std::vector<std::string>{"--steps", "1.5"},
                      std::vector<std::string>{"--steps", "10", "--steps", "20"},
                      std::vector<std::string>{"--steps", "99999999999999999999"},
                      std::vector<std::string>{"--actors", "-1"},
                      std::vector<std::string>{"--average-every", "0"},
                      std::vector<std::string>{"--seed", "-3"}, std::vector<std::string>{"--seed", "x"}));

}  // namespace
}  // namespace flowray
