#include "ray/calls/command_line.h"

#include <flowray/ray/errors.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace flowray::ray {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::array<std::string_view, 2> kValued = {"name", "size"};
constexpr std::array<std::string_view, 1> kSwitches = {"fast"};

std::vector<Flag> flags(std::vector<std::string> words) {
  std::vector<char*> arguments{words.emplace(words.begin(), "program")->data()};
  for (size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  return flags_in(static_cast<int>(arguments.size()), arguments.data(), kValued, kSwitches);
}

TEST(CommandLine, HasValuesBehindASignOrASpaceWithOneDashOrTwo) {
  EXPECT_THAT(flags({"--name=a=b", "-size=1", "--name", "-c", "-size", "2", "--name="}),
              ElementsAre(Pair("name", "a=b"), Pair("size", "1"), Pair("name", "-c"), Pair("size", "2"),
                          Pair("name", "")));
}

TEST(CommandLine, TurnsSwitchesOnAndOff) {
  EXPECT_THAT(flags({"--fast", "--nofast", "-fast=false", "x"}),
              ElementsAre(Pair("fast", "true"), Pair("fast", "false"), Pair("fast", "false")));
}

TEST(CommandLine, LeavesTheRestToTheProgram) {
  EXPECT_THAT(flags({"name=1", "--names=1", "--other", "name", "-", "--", "--name=1"}), IsEmpty());
  EXPECT_THAT(flags_in(0, nullptr, kValued, kSwitches), IsEmpty());
}

TEST(CommandLine, RefusesAFlagWithoutItsValue) {
  try {
    flags({"--size=1", "--name"});
    FAIL() << "no error";
  } catch (const RayException& error) {
    EXPECT_STREQ(error.what(), "Missing the value for the flag 'name'\nGive it as --name=VALUE.");
  }
}

TEST(CommandLine, HasSeveralPathsInOneFlag) {
  EXPECT_THAT(paths_in("/a/x.so:/b"), ElementsAre("/a/x.so", "/b"));
  EXPECT_THAT(paths_in(":/a::"), ElementsAre("/a"));
  EXPECT_THAT(paths_in(""), IsEmpty());
}

}  // namespace
}  // namespace flowray::ray
