#include "support/coverage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace flowray::testing {
namespace {

std::set<std::string> tested_names(const std::string& macro) {
  const std::regex pattern(macro + R"(\((\w+)[^)]*\) \{)");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FLOWRAY_SOURCE_DIR "/tests/tf")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator match(source.begin(), source.end(), pattern), end; match != end; ++match) {
      names.insert((*match)[1]);
    }
  }
  return names;
}

}  // namespace

void expect_covered(const std::set<std::string>& recorded, const std::string& macro,
                    const std::map<std::string, std::string>& left_out) {
  const std::set<std::string> tested = tested_names(macro);
  ASSERT_FALSE(recorded.empty());
  for (const std::string& name : recorded) {
    EXPECT_TRUE(tested.contains(name) || left_out.contains(name))
        << name << " is neither tested nor left out for a reason";
    EXPECT_FALSE(tested.contains(name) && left_out.contains(name))
        << name << " is tested: take it off the list";
  }
  for (const std::string& name : tested) EXPECT_TRUE(recorded.contains(name)) << name << " is not recorded";
  for (const auto& [name, reason] : left_out)
    EXPECT_TRUE(recorded.contains(name)) << name << " is not recorded";
}

}  // namespace flowray::testing
