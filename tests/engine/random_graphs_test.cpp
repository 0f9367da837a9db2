// The engine agrees with the naive interpreter on graphs made at random: chains and diamonds of elementwise ops with
// broadcasting, views, reductions, products, movement, variables and their updates.
#include "engine_fixture.h"

#include <random>

namespace flowray::engine {
namespace {

/// Adds nodes at random to a graph; every value stays small, so that float32 rounding cannot hide a wrong result.
class GraphMaker {
 public:
  GraphMaker(graph::Builder& builder, unsigned seed) : builder_(builder), random_(seed) {}

  graph::Endpoint source(graph::Endpoint endpoint) {
    values_.push_back(endpoint);
    return endpoint;
  }

  void grow(int nodes) {
    for (int i = 0; i < nodes; ++i) values_.push_back(next());
  }

  graph::Endpoint pick() { return values_[random_() % values_.size()]; }
  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  graph::Endpoint ints(std::vector<int32_t> values) { return builder_.constant(Array(values)); }

  graph::Endpoint next() {
    const graph::Endpoint x = pick();
    switch (number(9)) {
      case 0: return unary(x);
      case 1:
      case 2: return binary(x, partner(x));
      case 3: return reduction(x);
      case 4: return builder_.op("Reshape", {x, ints({-1})});
      case 5: return transposed(x);
      case 6: return builder_.op("ConcatV2", {flat(x), flat(pick()), builder_.constant(0)});
      case 7: return product(x);
      default: return builder_.op("Identity", {x});
    }
  }

  graph::Endpoint unary(graph::Endpoint x) {
    static constexpr const char* kOps[] = {"Neg", "Tanh", "Sigmoid", "Relu", "Abs", "Square"};
    const char* op = kOps[number(6)];
    // Squares of squares grow: only bounded values are squared.
    return std::string_view(op) == "Square" ? builder_.op(op, {builder_.op("Tanh", {x})}) : builder_.op(op, {x});
  }

  graph::Endpoint binary(graph::Endpoint x, graph::Endpoint y) {
    static constexpr const char* kOps[] = {"AddV2", "Sub", "Mul", "Maximum", "Minimum"};
    return builder_.op("Tanh", {builder_.op(kOps[number(5)], {x, y})});
  }

  /// Something that broadcasts with x: itself, a scalar, or one number a last dimension.
  graph::Endpoint partner(graph::Endpoint x) {
    switch (number(3)) {
      case 0: return x;
      case 1: return builder_.constant(0.25f * static_cast<float>(number(8)) - 1.0f);
      default: break;
    }
    if (x.shape().rank() == 0) return x;
    Array row(DType::kFloat32, {x.shape().dim(-1)});
    for (int64_t i = 0; i < row.size(); ++i) row.mutable_data<float>()[i] = 0.125f * static_cast<float>(i % 7) - 0.3f;
    return builder_.constant(row);
  }

  graph::Endpoint reduction(graph::Endpoint x) {
    const int rank = x.shape().rank();
    if (rank == 0) return builder_.op("Neg", {x});
    const auto axis = static_cast<int32_t>(number(static_cast<unsigned>(rank)));
    return builder_.op(number(2) == 0 ? "Mean" : "Max", {x, ints({axis})}, {{"keep_dims", number(2) == 0}});
  }

  graph::Endpoint transposed(graph::Endpoint x) {
    std::vector<int32_t> order;
    for (int i = x.shape().rank() - 1; i >= 0; --i) order.push_back(i);
    return builder_.op("Transpose", {x, ints(order)});
  }

  graph::Endpoint flat(graph::Endpoint x) { return builder_.op("Reshape", {x, ints({-1})}); }

  graph::Endpoint product(graph::Endpoint x) {
    const graph::Endpoint column = builder_.op("Reshape", {x, ints({-1, 1})});
    const graph::Endpoint cut = builder_.op("Slice", {column, ints({0, 0}), ints({1, 1})});
    return builder_.op("Tanh", {builder_.op("MatMul", {column, cut})});
  }

  graph::Builder& builder_;
  std::mt19937 random_;
  std::vector<graph::Endpoint> values_;
};

Array filled(const Shape& shape, unsigned seed) {
  Array array(DType::kFloat32, shape);
  for (int64_t i = 0; i < array.size(); ++i) {
    array.mutable_data<float>()[i] = static_cast<float>((i * 37 + seed * 11) % 23) / 11.5f - 1.0f;
  }
  return array;
}

class RandomGraphs : public ::testing::TestWithParam<int> {};

/// All passes, and each one left out.
constexpr PassOptions kPasses[] = {{.verify = true},
                                   {.fold = false, .verify = true},
                                   {.drop = false, .verify = true},
                                   {.share = false, .verify = true},
                                   {.fuse = false, .verify = true},
                                   {.fold = false, .drop = false, .share = false, .fuse = false, .verify = true}};

TEST_P(RandomGraphs, GiveWhatTheInterpreterGives) {
  constexpr int kGraphs = 50;
  for (int i = 0; i < kGraphs; ++i) {
    const auto seed = static_cast<unsigned>(GetParam() * kGraphs + i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    graph::Graph graph(ops::op_table());
    graph::Builder builder(graph);
    GraphMaker maker(builder, seed);
    const auto x = maker.source(builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, 4}}}));
    const auto w = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{4}}}, "w");
    maker.source(builder.op("Identity", {w}));
    graph::Node* init = builder.node("Assign", {w, builder.constant(filled({4}, seed))});
    maker.grow(12 + static_cast<int>(maker.number(20)));
    const auto step = builder.op("AssignAdd", {w, builder.constant(filled({4}, seed + 1))});
    const std::vector<graph::Endpoint> fetches{maker.pick(), maker.pick(), maker.pick()};

    Session session({.intra_op_threads = 1 + i % 2, .passes = kPasses[i % std::size(kPasses)]});
    testing::Interpreter interpreter;
    graph::Node* const inits[] = {init};
    session.step({{}, {}, inits}).run({}, {});
    (void)interpreter.run({}, {}, {init});
    for (unsigned run = 0; run < 3; ++run) {
      const Array fed = filled({3, 4}, seed + run);
      const std::vector<graph::Endpoint> feeds{x};
      const Array* const values[] = {&fed};
      graph::Node* const targets[] = {step.node};
      std::vector<Array> results(fetches.size());
      session.step({feeds, fetches, targets}).run(values, results);
      const std::vector<Array> expected = interpreter.run(fetches, {{x, fed}}, {step.node});
      for (size_t k = 0; k < fetches.size(); ++k) testing::expect_close(results[k], expected[k], 1e-5, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, ::testing::Range(0, 10));

}  // namespace
}  // namespace flowray::engine
