// Runs the compiler on programs that it must refuse, with a message that says what to do.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
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
Compiled compile(const std::filesystem::path& source, const std::string& standard = "c++20") {
  const std::string command = "c++ -std=" + standard +
                              std::string(" -fsyntax-only -Wall -Werror -Wno-unused -I ") +
                              FLOWRAY_SOURCE_DIR + "/include " + source.string() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "c++ could not be started"};
  std::string messages;
  char piece[4096];
  while (const size_t size = std::fread(piece, 1, sizeof piece, pipe)) messages.append(piece, size);
  return {pclose(pipe), messages};
}

/// What stands behind `mark` in lines of the source.
std::vector<std::string> marked_in(const std::filesystem::path& source, std::string_view mark) {
  std::vector<std::string> marked;
  std::ifstream file(source);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(mark)) marked.push_back(line.substr(mark.size()));
  }
  return marked;
}

/// The first line that is an error.
std::string first_error(const std::string& messages) {
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos) return line;
  }
  return {};
}

bool has_compiler() { return std::system("c++ --version > /dev/null 2>&1") == 0; }

class DoesNotCompile : public testing::TestWithParam<std::string> {};

TEST_P(DoesNotCompile, AndSaysWhatToDo) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  const std::filesystem::path source = kRoom / "does_not_compile" / (GetParam() + ".cpp");
  const std::vector<std::string> expected = marked_in(source, "// EXPECTED: ");
  const std::vector<std::string> first = marked_in(source, "// FIRST: ");
  const std::vector<std::string> standard = marked_in(source, "// STANDARD: ");
  ASSERT_FALSE(expected.empty() && first.empty()) << source << " is missing, or expects nothing";
  const Compiled compiled = compile(source, standard.empty() ? "c++20" : standard.front());
  EXPECT_NE(compiled.status, 0) << source << " was accepted";
  for (const std::string& text : expected) {
    EXPECT_NE(compiled.messages.find(text), std::string::npos) << "not found: " << text << "\n"
                                                               << compiled.messages;
  }
  for (const std::string& text : first) {
    EXPECT_NE(first_error(compiled.messages).find(text), std::string::npos)
        << "not said first: " << text << "\n"
        << compiled.messages;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, DoesNotCompile,
                         testing::Values("parts_of_graphs", "returned_tensor", "pointers_and_unknown_types",
                                         "arguments", "callables", "lambdas", "lambda_factory",
                                         "session_parameter", "old_standard"),
                         [](const auto& program) { return program.param; });

TEST(DoesCompile, WhatIsRight) {
  if (!has_compiler()) GTEST_SKIP() << "there is no compiler c++ here";
  const Compiled compiled = compile(kRoom / "does_not_compile_control.cpp");
  EXPECT_EQ(compiled.status, 0) << compiled.messages;
}

}  // namespace
