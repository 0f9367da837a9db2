// `flowray microbenchmark`: its rows are there, and measured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::OwnProcesses;

// As `ray microbenchmark` of Ray 2.60 has them, in its order; those of its client are of another program.
const std::vector<std::string> kRows = {
    "single client get calls (Plasma Store)",
    "single client put calls (Plasma Store)",
    "multi client put calls (Plasma Store)",
    "single client put gigabytes",
    "single client tasks and get batch",
    "multi client put gigabytes",
    "single client get object containing 10k refs",
    "single client wait 1k refs",
    "single client tasks sync",
    "single client tasks async",
    "multi client tasks async",
    "1:1 actor calls sync",
    "1:1 actor calls async",
    "1:1 actor calls concurrent",
    "1:n actor calls async",
    "n:n actor calls async",
    "n:n actor calls with arg async",
    "1:1 async-actor calls sync",
    "1:1 async-actor calls async",
    "1:1 async-actor calls with args async",
    "1:n async-actor calls async",
    "n:n async-actor calls async",
    "placement group create/removal",
};

std::vector<std::string> with_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {testing::built_program("flowray"), "microbenchmark"});
  return arguments;
}

struct Said {
  int status = 0;
  std::string output;
  std::string errors;
};
Said microbenchmark(const std::vector<std::string>& arguments) {
  ChildProcess process(with_command(arguments));
  const int status = process.wait();
  return {status, process.output(), process.errors()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Microbenchmark, MeasuresEachRow) {
  const OwnProcesses processes;
  const Said said = microbenchmark({"--seconds", "0.01", "--array-mb", "20"});
  EXPECT_EQ(said.status, 0) << said.errors;
  EXPECT_EQ(said.errors, "");
  const std::regex form("(.*) per second ([0-9.]+) \\+- ([0-9.]+)");
  std::vector<std::string> names;
  for (const std::string& line : lines_of(said.output)) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, form)) << line;
    names.push_back(parts[1]);
    EXPECT_GT(std::stod(parts[2]), 0) << line;
  }
  EXPECT_THAT(names, ElementsAreArray(kRows));
  EXPECT_TRUE(processes.all_end());
}

TEST(Microbenchmark, ListsItsRows) {
  EXPECT_THAT(lines_of(microbenchmark({"--list"}).output), ElementsAreArray(kRows));
  const std::vector<std::string> some = {"1:1 actor calls sync", "1:1 async-actor calls sync"};
  std::vector<std::string> listed = lines_of(microbenchmark({"--list", "--only", "calls sync"}).output);
  EXPECT_THAT(listed, ElementsAreArray(some));
}

TEST(Microbenchmark, RefusesWhatItDoesNotKnow) {
  const Said argument = microbenchmark({"--second", "1"});
  EXPECT_EQ(argument.status, 2);
  EXPECT_THAT(argument.errors, HasSubstr("--second"));
  EXPECT_EQ(microbenchmark({"--seconds", "0"}).status, 2);
  const Said word = microbenchmark({"--only", "no such row"});
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.errors, HasSubstr("no row has 'no such row' in its name"));
}

TEST(Microbenchmark, GoesOnWhereARowCannotBeMeasured) {
  const Said said =
      microbenchmark({"--only", "single client put", "--seconds", "0.01", "--array-mb", "2000000"});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.output, HasSubstr("single client put calls (Plasma Store) per second"));
  EXPECT_THAT(said.errors, HasSubstr("single client put gigabytes: "));
}

TEST(Microbenchmark, EndsByControlC) {
  const OwnProcesses processes;
  ChildProcess process(with_command({"--only", "tasks sync", "--seconds", "1000"}));
  ChildProcess quick(with_command({"--only", "single client put calls", "--seconds", "0.01"}));
  EXPECT_EQ(quick.wait(), 0) << quick.errors();
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), -SIGINT);
  EXPECT_TRUE(processes.all_end());
}

}  // namespace
}  // namespace flowray
