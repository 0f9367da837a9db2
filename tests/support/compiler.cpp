#include "support/compiler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace flowray {
namespace {

const std::filesystem::path kRoot = FLOWRAY_SOURCE_DIR;

struct Compiled {
  int status;
  std::string messages;
};

/// Checks a source without writing anything.
Compiled compile(const std::filesystem::path& source, const std::string& standard = "c++20") {
  const std::string command = "LC_ALL=C c++ -std=" + standard +
                              " -fsyntax-only -Wall -Werror -Wno-unused -I " + (kRoot / "include").string() +
                              " " + source.string() + " 2>&1";
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

}  // namespace

bool has_compiler() { return std::system("c++ --version > /dev/null 2>&1") == 0; }

void expect_refused(std::string_view room, std::string_view program) {
  const std::filesystem::path source =
      kRoot / "tests" / room / "does_not_compile" / (std::string(program) + ".cpp");
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

void expect_accepted(const std::filesystem::path& source) {
  const Compiled compiled = compile(kRoot / source);
  EXPECT_EQ(compiled.status, 0) << compiled.messages;
}

}  // namespace flowray
