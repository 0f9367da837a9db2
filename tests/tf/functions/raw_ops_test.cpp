// Functions of single ops: there is one for each op of the registry that takes no function,
// and they make its node.
#include "ops/all_ops.h"
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/ops/array_ops.h>
#include <flowray/tf/ops/data_ops.h>
#include <flowray/tf/ops/file_ops.h>
#include <flowray/tf/ops/flow_ops.h>
#include <flowray/tf/ops/image_ops.h>
#include <flowray/tf/ops/math_ops.h>
#include <flowray/tf/ops/matrix_ops.h>
#include <flowray/tf/ops/neural_ops.h>
#include <flowray/tf/ops/queues_ops.h>
#include <flowray/tf/ops/random_ops.h>
#include <flowray/tf/ops/reduce_ops.h>
#include <flowray/tf/ops/sparse_ops.h>
#include <flowray/tf/ops/text_ops.h>
#include <flowray/tf/ops/variables_ops.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace flowray {
namespace {

namespace fs = std::filesystem;
namespace raw_ops = tf::raw_ops;

// tests/oracle/programs/reductions.py and control_flow.py in C++.
GOLDEN_PROGRAM(top_k) {
  raw_ops::TopKV2(tf::placeholder(tf::float32, {tf::None, 10}, {.name = "x"}), 3);
  raw_ops::Cumsum(tf::placeholder(tf::float32, {4}), 0);
}

GOLDEN_PROGRAM(checks) {
  const tf::Tensor x = tf::placeholder(tf::float32, {tf::None, 2}, {.name = "x"});
  raw_ops::CheckNumerics(x, "x is not finite");
  raw_ops::Print(x, {x}, {.message = "x: "});
}

std::set<std::string> functions() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(FLOWRAY_SOURCE_DIR "/include/flowray/tf/ops")) {
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const std::string contents = text.str();
    const std::regex call(R"re(internal::make\(\s*"(\w+)")re");
    for (auto match = std::sregex_iterator(contents.begin(), contents.end(), call);
         match != std::sregex_iterator(); ++match)
      names.insert((*match)[1]);
  }
  return names;
}

bool takes_function(const graph::OpSchema& schema) {
  for (const graph::AttrSchema& attr : schema.attrs) {
    if (attr.type == graph::AttrType::kFunction) return true;
  }
  return false;
}

TEST(RawOps, AreThoseOfTheRegistry) {
  const std::set<std::string> written = functions();
  for (const std::string& name : written)
    EXPECT_NE(ops::op_table().find(name), nullptr) << name << " is not registered: scripts/generate-ops";
  for (const std::string_view registered : ops::op_table().names()) {
    const std::string name(registered);
    if (name.starts_with('_') || takes_function(*ops::op_table().find(name))) continue;
    if (name == "Const" || name == "PlaceholderV2") continue;  // tf::constant; one of older graphs
    EXPECT_TRUE(written.contains(name)) << name << " has no function: scripts/generate-ops";
  }
}

TEST(RawOps, MakeNodesWithTheirAttributes) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto x = tf::constant({3.f, 1.f, 2.f});
  const auto [values, indices] = raw_ops::TopKV2(x, 2, {.sorted = true, .name = "top"});
  EXPECT_EQ(values.name(), "top:0");
  EXPECT_EQ(indices.name(), "top:1");
  const tf::Tensor sums = raw_ops::Cumsum(x, 0, {.exclusive = true});
  const tf::Tensor gathered = raw_ops::GatherNd(tf::constant({{1.f, 2.f}, {3.f, 4.f}}), {{1, 0}});
  const tf::Tensor factor = raw_ops::Cholesky({{4.f, 0.f}, {0.f, 9.f}});
  const tf::Tensor segments = raw_ops::SegmentSum({1.f, 2.f, 3.f}, {0, 0, 1});
  const tf::Tensor decoded = raw_ops::DecodeRaw(std::string("\1\0\2\0", 4), tf::int16);
  const tf::Tensor cast = raw_ops::Cast(x, tf::int32);
  const std::vector<tf::Tensor> parts = raw_ops::Unpack(x, 3);
  const tf::Tensor all = raw_ops::Pack({parts[2], parts[0]});
  tf::Session session;
  EXPECT_EQ(session.run(values), Array({3.f, 2.f}));
  EXPECT_EQ(session.run(indices), Array({0, 2}));
  EXPECT_EQ(session.run(sums), Array({0.f, 3.f, 4.f}));
  EXPECT_EQ(session.run(gathered), Array({3.f}));
  EXPECT_EQ(session.run(factor), Array({{2.f, 0.f}, {0.f, 3.f}}));
  EXPECT_EQ(session.run(segments), Array({3.f, 3.f}));
  EXPECT_EQ(session.run(decoded), Array(std::vector<int16_t>{1, 2}));
  EXPECT_EQ(session.run(cast), Array({3, 1, 2}));
  EXPECT_EQ(session.run(all), Array({2.f, 3.f}));
}

TEST(RawOps, TakeVariables) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Variable v({1.f, 2.f, 3.f});
  tf::Variable r({1.f, 2.f, 3.f}, {.use_resource = true});
  const tf::Tensor scattered = raw_ops::ScatterAdd(v, {0, 2}, {10.f, 20.f});
  const tf::Tensor row = raw_ops::ResourceGatherNd(r, {{2}}, tf::float32);
  tf::Session session;
  session.run({v.initializer(), r.initializer()});
  EXPECT_EQ(session.run(scattered), Array({11.f, 2.f, 23.f}));
  EXPECT_EQ(session.run(row), Array({3.f}));
}

TEST(RawOps, SayWhereTheyWereCalledAndWhatDoesNotFit) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  expect_error<tf::ValueError>([] { raw_ops::MatMul({{1.f, 2.f}}, {{1.f, 2.f}}); }, "raw_ops_test.cpp:");
  expect_error<tf::TypeError>([] { raw_ops::Cholesky({{1, 2}, {3, 4}}); },
                              "Value passed to parameter 'input' has DataType int32 not in list of allowed "
                              "values: float64, float32, float16, complex64, complex128");
}

}  // namespace
}  // namespace flowray
