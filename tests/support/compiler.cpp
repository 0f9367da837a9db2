#include "support/compiler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace flowray {
namespace {

const std::filesystem::path kRoot = FLOWRAY_SOURCE_DIR;

struct Compiled {
  int status;
  std::string messages;
};

/// Checks a source without writing anything.
Compiled compile(const std::filesystem::path& source) {
  const std::string command = "LC_ALL=C c++ -std=c++20 -fsyntax-only -Wall -Werror -Wno-unused -I " +
                              (kRoot / "include").string() + " " + source.string() + " 2>&1";
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

}  // namespace

bool has_compiler() { return std::system("c++ --version > /dev/null 2>&1") == 0; }

void expect_refused(std::string_view room, std::string_view program) {
  const std::filesystem::path source =
      kRoot / "tests" / room / "does_not_compile" / (std::string(program) + ".cpp");
  const std::vector<std::string> expected = expected_in(source);
  ASSERT_FALSE(expected.empty()) << source << " is missing, or expects nothing";
  const Compiled compiled = compile(source);
  EXPECT_NE(compiled.status, 0) << source << " was accepted";
  for (const std::string& text : expected) {
    EXPECT_NE(compiled.messages.find(text), std::string::npos) << "not found: " << text << "\n"
                                                               << compiled.messages;
  }
}

void expect_accepted(const std::filesystem::path& source) {
  const Compiled compiled = compile(kRoot / source);
  EXPECT_EQ(compiled.status, 0) << compiled.messages;
}

}  // namespace flowray
