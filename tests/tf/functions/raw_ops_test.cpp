// Functions of single ops: there is one for each op of the registry, and they make its node.
#include "ops/all_ops.h"
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/function.h>
#include <flowray/tf/operators.h>
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

TEST(RawOps, AreThoseOfTheRegistry) {
  const std::set<std::string> written = functions();
  for (const std::string& name : written)
    EXPECT_NE(ops::op_table().find(name), nullptr) << name << " is not registered: scripts/generate-ops";
  for (const std::string_view registered : ops::op_table().names()) {
    const std::string name(registered);
    if (name.starts_with('_')) continue;
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

using Tensors = std::vector<tf::Tensor>;

// tests/python/programs/functions_of_raw_ops.py is the same in Python.
struct FunctionsOfOps {
  tf::function::DefinedFunction twice = tf::function::Defun(
      {tf::float32}, [](const Tensors& args) { return Tensors{args[0] * 2.f}; }, {.func_name = "twice"});
  tf::function::DefinedFunction square = tf::function::Defun(
      {tf::float32}, [](const Tensors& args) { return Tensors{args[0] * args[0]}; }, {.func_name = "square"});
  tf::function::DefinedFunction below = tf::function::Defun(
      {tf::float32}, [](const Tensors& args) { return Tensors{args[0] < 100.f}; }, {.func_name = "below"});
};

TEST(RawOps, TakeFunctionsOfBranches) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const FunctionsOfOps f;
  const tf::Tensor condition = tf::placeholder(tf::boolean, {});
  const tf::Tensor branch = tf::placeholder(tf::int32, {});
  const Tensors chosen =
      raw_ops::If(condition, {3.f}, {tf::float32}, f.twice, f.square, {.output_shapes = {{}}, .name = "if"});
  EXPECT_EQ(chosen[0].name(), "if:0");
  EXPECT_EQ(chosen[0].shape().to_string(), "[]");
  const Tensors pure = raw_ops::StatelessIf(condition, {3.f}, {tf::float32}, f.twice, f.square);
  const Tensors one = raw_ops::Case(branch, {3.f}, {tf::float32}, {f.twice, f.square});
  const Tensors pure_one = raw_ops::StatelessCase(branch, {3.f}, {tf::float32}, {f.square, f.twice});
  tf::Session session;
  EXPECT_EQ(session.run(chosen[0], {{condition, true}}), Array(6.f));
  EXPECT_EQ(session.run(chosen[0], {{condition, false}}), Array(9.f));
  EXPECT_EQ(session.run(pure[0], {{condition, false}}), Array(9.f));
  EXPECT_EQ(session.run(one[0], {{branch, 0}}), Array(6.f));
  EXPECT_EQ(session.run(one[0], {{branch, 5}}), Array(9.f));
  EXPECT_EQ(session.run(pure_one[0], {{branch, 1}}), Array(6.f));
}

TEST(RawOps, TakeFunctionsOfLoopsAndCalls) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const FunctionsOfOps f;
  const tf::Tensor w = tf::constant(5.f);
  const auto scaled =
      tf::function::Defun({tf::float32}, [&](const Tensors& args) { return Tensors{args[0] * w}; });
  const Tensors loop = raw_ops::While({3.f}, f.below, f.square);
  const Tensors pure_loop = raw_ops::StatelessWhile({3.f}, f.below, f.twice);
  const Tensors call = raw_ops::PartitionedCall({3.f}, {tf::float32}, f.square);
  const Tensors captures =
      raw_ops::StatefulPartitionedCall({3.f, scaled.captured_inputs()[0]}, {tf::float32}, scaled);
  const Tensors gradient = raw_ops::SymbolicGradient({3.f, 1.f}, {tf::float32}, f.square);
  tf::Session session;
  EXPECT_EQ(session.run(loop[0]), Array(6561.f));
  EXPECT_EQ(session.run(pure_loop[0]), Array(192.f));
  EXPECT_EQ(session.run(call[0]), Array(9.f));
  EXPECT_EQ(session.run(captures[0]), Array(15.f));
  EXPECT_EQ(gradient[0].name(), "SymbolicGradient:0");  // runs where tf::gradients has made it
}

TEST(RawOps, TakeFunctionsOfDatasets) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto plus_one =
      tf::function::Defun({tf::int64}, [](const Tensors& args) { return Tensors{args[0] + 1}; });
  const auto is_even = tf::function::Defun(
      {tf::int64}, [](const Tensors& args) { return Tensors{tf::equal(args[0] % 2, 0)}; });
  const auto count = tf::function::Defun({}, [&](const Tensors&) {
    return Tensors{raw_ops::RangeDataset(int64_t{0}, int64_t{6}, int64_t{1}, {tf::int64}, {{}})};
  });
  const tf::Tensor numbers = raw_ops::RangeDataset(int64_t{0}, int64_t{6}, int64_t{1}, {tf::int64}, {{}});
  const tf::Tensor mapped = raw_ops::MapDataset(numbers, {}, plus_one, {tf::int64}, {{}});
  const tf::Tensor kept = raw_ops::FilterDataset(mapped, {}, is_even, {tf::int64}, {{}});
  const tf::Tensor iterator = raw_ops::IteratorV2("numbers", "", {tf::int64}, {{}});
  const tf::Operation begin = raw_ops::MakeIterator(kept, iterator);
  const Tensors element = raw_ops::IteratorGetNext(iterator, {tf::int64}, {{}});
  const Tensors first =
      raw_ops::IteratorGetNext(raw_ops::OneShotIterator(count, {tf::int64}, {{}}), {tf::int64}, {{}});
  tf::Session session;
  session.run(begin);
  for (const int64_t expected : {2, 4, 6}) EXPECT_EQ(session.run(element[0]), Array(expected));
  for (const int64_t expected : {0, 1}) EXPECT_EQ(session.run(first[0]), Array(expected));
}

TEST(RawOps, AddTheFunctionToTheGraphOfTheCall) {
  const tf::Graph first;
  const tf::Graph second;
  const FunctionsOfOps f;
  {
    const auto scope = first.as_default();
    EXPECT_EQ(f.square.name(), "square");  // made here
  }
  const auto scope = second.as_default();
  const Tensors call = raw_ops::PartitionedCall({3.f}, {tf::float32}, f.square);
  tf::Session session;
  EXPECT_EQ(session.run(call[0]), Array(9.f));
}

TEST(RawOps, NameAFunctionThatIsNotSet) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const FunctionsOfOps f;
  expect_error<tf::ValueError>([] { raw_ops::PartitionedCall({3.f}, {tf::float32}, {}); }, "'f'");
  expect_error<tf::ValueError>([&] { raw_ops::Case(0, {3.f}, {tf::float32}, {f.twice, {}}); },
                               "'branches[1]'");
}

/// The number is TensorFlow 2.21's.
TEST(RawOps, TellListsOfValuesApartFromThoseOfTypes) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto indices = tf::constant(Array::from(std::vector<int64_t>{0, 0}, {1, 2}));
  const auto values = tf::constant(Array::from(std::vector<int64_t>{5}, {1}));
  const auto pair = tf::constant(Array::from(std::vector<int64_t>{1, 2}, {2}));
  const auto crossed =
      raw_ops::SparseCrossHashed({indices}, {values}, {pair}, {}, tf::constant(int64_t{0}), false, pair);
  EXPECT_EQ(tf::Session().run(crossed.output_values).data<int64_t>()[0], 6963635240778461613);
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
