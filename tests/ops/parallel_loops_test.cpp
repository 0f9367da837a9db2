// Large arrays are shared by threads; what comes out is what one thread computes, to the bit.

#include "core/thread_pool.h"
#include "graph/builder.h"
#include "graph/kernel/evaluate.h"
#include "ops/all_ops.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace flowray::testing {
namespace {

/// Cuts ranges into as many pieces as it may, of unequal sizes, and runs them in the caller, the last
/// one first.
class ManyPieces final : public Parallel {
 public:
  int workers() const override { return 7; }
  void for_range(int64_t count, int64_t min_per_worker,
                 const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) override {
    const int64_t least = std::max<int64_t>(1, min_per_worker);
    for (int64_t end = count; end > 0;) {
      const int64_t begin = end < 2 * least ? 0 : end - least - (end % 3 == 0 ? 0 : (end - 2 * least) % 5);
      body(begin, end, 0);
      end = begin;
      ++pieces;
    }
  }
  int pieces = 0;
};

class NoStates final : public graph::NodeStates {
  std::shared_ptr<graph::NodeState> find_or_make(
      const std::string&, const std::function<std::shared_ptr<graph::NodeState>()>&) override {
    return nullptr;
  }
};

Array run(const std::string& op, const std::vector<Array>& inputs, const graph::Attrs& attrs,
          Parallel& parallel) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  std::vector<graph::Endpoint> endpoints;
  std::vector<graph::NodeInput> values;
  for (const Array& input : inputs) {
    endpoints.push_back(
        builder.op("Placeholder", {}, {{"dtype", input.dtype()}, {"shape", Shape::unknown_rank()}}));
    values.push_back({input, nullptr});
  }
  const graph::Node* node = builder.node(op, endpoints, attrs);
  NoStates states;
  return graph::evaluate(*node, values, states, parallel)[0];
}

void expect_the_same(const std::string& op, const std::vector<Array>& inputs,
                     const graph::Attrs& attrs = {}) {
  SCOPED_TRACE(op);
  Serial serial;
  ManyPieces many;
  ThreadPool pool(3);
  const Array expected = run(op, inputs, attrs, serial);
  EXPECT_EQ(run(op, inputs, attrs, many), expected);
  EXPECT_GT(many.pieces, 1) << "the work was not shared";
  EXPECT_EQ(run(op, inputs, attrs, pool), expected);
}

Array numbers(const Shape& shape) {
  Array array(DType::kFloat32, shape);
  float* values = array.mutable_data<float>();
  for (int64_t i = 0; i < array.size(); ++i) values[i] = 0.01f * static_cast<float>(i * 7919 % 1009) - 3.f;
  return array;
}

Array truths(const Shape& shape) {
  Array array(DType::kBool, shape);
  for (int64_t i = 0; i < array.size(); ++i) array.mutable_data<bool>()[i] = i * 7919 % 5 < 2;
  return array;
}

TEST(MathInParallel, ElementwiseOps) {
  const Array x = numbers({300, 701});
  for (const char* op : {"Exp", "Neg", "IsNan", "Square"}) expect_the_same(op, {x});
  expect_the_same("TanhGrad", {x, x});
  expect_the_same("AddN", {x, x, x});
  expect_the_same("Cast", {x}, {{"DstT", DType::kFloat64}});
}

TEST(MathInParallel, BroadcastingOps) {
  const Array x = numbers({300, 701});
  for (const Shape& shape : {Shape{300, 701}, Shape{}, Shape{701}, Shape{300, 1}}) {
    expect_the_same("Sub", {x, numbers(shape)});
    expect_the_same("Less", {numbers(shape), x});
    expect_the_same("SelectV2", {truths(shape), x, numbers(shape)});
  }
  expect_the_same("Sub", {numbers({40000, 5}), numbers({5})});
  expect_the_same("Sub", {numbers({5}), numbers({40000, 5})});
  expect_the_same("Sub", {numbers({50, 1, 40, 1}), numbers({60, 1, 3})});
  expect_the_same("Select", {truths({300}), x, numbers({300, 701})});
  expect_the_same("BroadcastTo", {numbers({300, 1}), Array({300, 701})});
  expect_the_same("BroadcastTo", {numbers({701}), Array({300, 701})});
}

TEST(MathInParallel, Reductions) {
  for (const char* op : {"Sum", "Mean", "Max", "Min"}) {
    for (const Shape& shape : {Shape{300, 701}, Shape{70000, 3}, Shape{3, 70000}}) {
      expect_the_same(op, {numbers(shape), Array(1)});
      expect_the_same(op, {numbers(shape), Array(0)});
      expect_the_same(op, {numbers(shape), Array({0, 1})});
    }
    expect_the_same(op, {numbers({20, 70, 150}), Array({0, 2})});
    expect_the_same(op, {numbers({20, 70, 150}), Array(1)});
  }
  expect_the_same("Any", {truths({700, 300}), Array(1)});
  expect_the_same("ArgMax", {numbers({300, 701}), Array(1)});
  expect_the_same("ArgMax", {numbers({30, 70, 71}), Array(1)});
  expect_the_same("Cumsum", {numbers({300, 701}), Array(1)});
}

}  // namespace
}  // namespace flowray::testing
