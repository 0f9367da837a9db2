// Which line of the program a node is told to be made at. That it is one of the program's, whatever functions
// it went through, is tested with every golden program (tests/support/golden_graph.cpp).
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace flowray {
namespace {

class LinesOfNodes : public ::testing::Test {
 protected:
  LinesOfNodes() : scope_(graph_.as_default()) {}

  /// The lines of this file at which nodes were made behind the first `begin`, each once; 0 for any other.
  std::vector<uint32_t> lines(size_t begin) const {
    std::vector<uint32_t> found;
    const std::vector<graph::Node*> nodes = graph_.get()->nodes();
    for (size_t i = begin; i < nodes.size(); ++i) {
      const SourceLine line = nodes[i]->line();
      const bool here = std::string_view(line.file).ends_with("apply_op_test.cpp");
      found.push_back(here ? line.line : 0);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }
  static uint32_t line(std::source_location where = std::source_location::current()) { return where.line(); }
  size_t size() const { return graph_.get()->nodes().size(); }

  tf::Graph graph_;
  tf::GraphScope scope_;
};

TEST_F(LinesOfNodes, AreThoseOfTheOutermostCall) {
  const auto x = tf::placeholder(tf::float32, {4, 3});
  const size_t begin = size();
  const auto y = tf::layers::dense(x, 2);
  const uint32_t layer = line() - 1;
  EXPECT_EQ(lines(begin), std::vector<uint32_t>{layer});
  const size_t middle = size();
  tf::train::AdamOptimizer(0.1).minimize(tf::reduce_mean(y));
  EXPECT_EQ(lines(middle), std::vector<uint32_t>{line() - 1});
}

TEST_F(LinesOfNodes, InAFunctionOfTheProgramAreItsOwn) {
  const auto x = tf::placeholder(tf::float32, {});
  const size_t begin = size();
  const auto twice = [&] { return x * 2.0; };
  const auto squared = [&] { return tf::square(x); };
  tf::cond(x > 0.0, twice, squared);
  const uint32_t end = line() - 1;
  EXPECT_EQ(lines(begin), (std::vector<uint32_t>{end - 2, end - 1, end}));
}

TEST_F(LinesOfNodes, InAFunctionOfTheLibraryAreTheCalls) {
  const auto x = tf::placeholder(tf::int32, {tf::None});
  const size_t begin = size();
  tf::assert_positive(x);  // a branch that fails, and one that does not
  EXPECT_EQ(lines(begin), std::vector<uint32_t>{line() - 1});
}

TEST_F(LinesOfNodes, AreNotThoseOfTheStandardLibrary) {
  const auto x = tf::placeholder(tf::float32, {});
  std::vector<tf::Input> both;
  both.emplace_back(x);  // the place of this one is in a header
  both.push_back(1.0);
  const size_t begin = size();
  tf::stack(both);
  EXPECT_EQ(lines(begin), std::vector<uint32_t>{line() - 1});
}

}  // namespace
}  // namespace flowray
