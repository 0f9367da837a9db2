// Runs the compiler on programs that it must refuse, with a message that says what to do.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace {

const std::filesystem::path kRoom = std::filesystem::path(FLOWRAY_SOURCE_DIR) / "tests/ray";

struct Compiled {
  int status;
  std::string messages;
};

/// Checks a source without writing anything.
Compiled compile(const std::filesystem::path& source) {
  const std::string command = std::string("c++ -std=c++20 -fsyntax-only -Wall -Werror -Wno-unused -I ") +
                              FLOWRAY_SOURCE_DIR + "/include " + source.string() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "c++ could not be started"};
  std::string messages;
  char piece[4096];
  while (const size_t size = std::fread(piece, 1, sizeof piece, pipe)) messages.append(piece, size);
  return {pclose(pipe), messages};
}

std::vector<std::string> expected_in(const std::filesystem::path& source) {
  std::vector<std::string> expected;
  constexpr std::string_view kMark = "// EXPECTED: ";
  std::ifstream file(source);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) expected.push_back(line.substr(kMark.size()));
  }
  return expected;
}

bool has_compiler() { return std::system("c++ --version > /dev/null 2>&1") == 0; }

class DoesNotCompile : public testing::TestWithParam<std::string> {};

TEST_P(DoesNotCompile, AndSaysWhatToDo) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  const std::filesystem::path source = kRoom / "does_not_compile" / (GetParam() + ".cpp");
  const std::vector<std::string> expected = expected_in(source);
  ASSERT_FALSE(expected.empty()) << source << " is missing, or expects nothing";
  const Compiled compiled = compile(source);
  EXPECT_NE(compiled.status, 0) << source << " was accepted";
  for (const std::string& text : expected) {
    EXPECT_NE(compiled.messages.find(text), std::string::npos) << "not found: " << text << "\n"
                                                               << compiled.messages;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, DoesNotCompile,
                         testing::Values("parts_of_graphs", "returned_tensor", "pointers_and_unknown_types",
                                         "arguments", "callables"),
                         [](const auto& program) { return program.param; });

TEST(DoesCompile, WhatIsRight) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  const Compiled compiled = compile(kRoom / "does_not_compile_control.cpp");
  EXPECT_EQ(compiled.status, 0) << compiled.messages;
}

}  // namespace
