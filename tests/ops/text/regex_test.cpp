// What is expected is what TensorFlow 2.21 gave for the same inputs.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using Strings = std::vector<std::string>;

Array strings(const Strings& values) { return Array(values); }

TEST(Regex, MatchesWholeStrings) {
  const Attrs pattern = {{"pattern", std::string("^s3://.*")}};
  EXPECT_EQ(run_op("StaticRegexFullMatch", {strings({"s3://x", "/a", ""})}, pattern),
            Array(std::vector<bool>{true, false, false}));
  EXPECT_EQ(run_op("RegexFullMatch", {strings({"ab", "abc"}), Array("a.")}),
            Array(std::vector<bool>{true, false}));
  expect_run_error("Invalid pattern: (a, error: missing ): (a\n", "StaticRegexFullMatch", {strings({"x"})},
                   {{"pattern", std::string("(a")}});
}

TEST(Regex, Replaces) {
  const auto replaced = [](const Strings& texts, const std::string& pattern, const std::string& rewrite,
                           bool all) {
    return run_op("StaticRegexReplace", {strings(texts)},
                  {{"pattern", pattern}, {"rewrite", rewrite}, {"replace_global", all}});
  };
  EXPECT_EQ(replaced({"aabb", "x"}, "a+(b)", "[\\1]", true), strings({"[b]b", "x"}));
  EXPECT_EQ(replaced({"aabab", "x"}, "a", "z", false), strings({"zabab", "x"}));
  EXPECT_EQ(run_op("RegexReplace", {strings({"aabab"}), Array("a"), Array("z")}), strings({"zzbzb"}));
}

}  // namespace
}  // namespace flowray::testing
