#pragma once
/// Graphs made at random: chains and diamonds of elementwise ops with broadcasting, views, reductions,
/// products and movement, within conditionals and loops within one another. All follows from one number.

#include "graph/builder.h"

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::engine {

/// Adds nodes to a graph. Every value stays small, so that float32 rounding cannot hide a wrong result.
class RandomGraph {
 public:
  RandomGraph(graph::Builder& builder, unsigned seed) : builder_(builder), random_(seed) {
    scopes_.emplace_back();
  }

  graph::Endpoint source(graph::Endpoint endpoint) {
    values().push_back(endpoint);
    return endpoint;
  }

  /// Conditionals and loops count as one node each.
  void grow(unsigned nodes) {
    for (unsigned i = 0; i < nodes; ++i) {
      const graph::Endpoint made = next();
      values().push_back(made);
    }
  }

  /// A boolean variable, by its reference or handle, that predicates may be read of.
  void flag(graph::Endpoint variable) { scope().flags.push_back(variable); }

  graph::Endpoint pick() { return values()[random_() % values().size()]; }
  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }
  /// Values inside of conditionals of the step, which a step may fetch: TensorFlow refuses the dead ones.
  const std::vector<graph::Endpoint>& inside() const { return inside_; }

  /// One of two values by two predicates, of which one holds: what no pass can know.
  graph::Endpoint either() {
    const graph::Endpoint p = predicate();
    const graph::Endpoint q = builder_.op("LogicalNot", {p});
    graph::Node* const on = builder_.node("Switch", {flat(pick()), p});
    return builder_.op("Merge", {builder_.op("Neg", {on->output(1)}), gated(flat(pick()), q, true)});
  }

 private:
  /// Where nodes are made: the step, a branch, a loop's body.
  struct Scope {
    std::vector<graph::Endpoint> values = {};
    std::vector<graph::Endpoint> flags = {};
    /// Constants wait for it, as in TensorFlow's branches and loops.
    graph::Node* pivot = nullptr;
    bool is_in_loop = false;
  };

  Scope& scope() { return scopes_.back(); }
  std::vector<graph::Endpoint>& values() { return scope().values; }

  graph::Endpoint constant(const Array& value, bool always_waits = false) {
    const graph::Endpoint made = builder_.constant(value);
    const bool waits = scope().is_in_loop || always_waits || number(4) > 0;
    if (scope().pivot != nullptr && waits) made.node->add_control_input(scope().pivot);
    return made;
  }
  graph::Endpoint ints(const std::vector<int32_t>& values) { return constant(Array(values)); }

  graph::Endpoint next() {
    constexpr size_t kDeepest = 4;
    const graph::Endpoint x = pick();
    switch (number(scopes_.size() < kDeepest ? 12 : 9)) {
      case 0:
        return unary(x);
      case 1:
      case 2:
        return binary(x, partner(x));
      case 3:
        return reduction(x);
      case 4:
        return builder_.op("Reshape", {x, ints({-1})});
      case 5:
        return transposed(x);
      case 6:
        return builder_.op("ConcatV2", {flat(x), flat(pick()), constant(Array(0))});
      case 7:
        return product(x);
      case 9:
      case 10:
        return conditional();
      case 11:
        return loop();
      default:
        return builder_.op("Identity", {x});
    }
  }

  graph::Endpoint unary(graph::Endpoint x) {
    static constexpr const char* kOps[] = {"Neg", "Tanh", "Sigmoid", "Relu", "Abs", "Square"};
    const char* op = kOps[number(6)];
    // Squares of squares grow: only bounded values are squared.
    return std::string_view(op) == "Square" ? builder_.op(op, {builder_.op("Tanh", {x})})
                                            : builder_.op(op, {x});
  }

  graph::Endpoint binary(graph::Endpoint x, graph::Endpoint y) {
    static constexpr const char* kOps[] = {"AddV2", "Sub", "Mul", "Maximum", "Minimum"};
    return builder_.op("Tanh", {builder_.op(kOps[number(5)], {x, y})});
  }

  /// Something that broadcasts with x: itself, a scalar, or one number a last dimension.
  graph::Endpoint partner(graph::Endpoint x) {
    switch (number(3)) {
      case 0:
        return x;
      case 1:
        return constant(Array(0.25f * static_cast<float>(number(8)) - 1.0f));
      default:
        break;
    }
    if (x.shape().rank() == 0 || x.shape().dim(-1) < 0) return x;
    Array row(DType::kFloat32, {x.shape().dim(-1)});
    for (int64_t i = 0; i < row.size(); ++i) {
      row.mutable_data<float>()[i] = 0.125f * static_cast<float>(i % 7) - 0.3f;
    }
    return constant(row);
  }

  graph::Endpoint reduction(graph::Endpoint x) {
    const int rank = x.shape().rank();
    if (rank == 0) return builder_.op("Neg", {x});
    const auto axis = static_cast<int32_t>(number(static_cast<unsigned>(rank)));
    const bool keeps_dims = number(2) == 0;
    const graph::Endpoint reduced =
        builder_.op(number(2) == 0 ? "Mean" : "Max", {x, ints({axis})}, {{"keep_dims", keeps_dims}});
    return keeps_dims && axis + 1 == rank ? builder_.op("Sub", {x, reduced}) : reduced;
  }

  graph::Endpoint transposed(graph::Endpoint x) {
    std::vector<int32_t> order;
    for (int i = x.shape().rank() - 1; i >= 0; --i) order.push_back(i);
    return builder_.op("Transpose", {x, ints(order)});
  }

  graph::Endpoint flat(graph::Endpoint x) { return builder_.op("Reshape", {x, ints({-1})}); }
  graph::Endpoint mean(graph::Endpoint x) { return builder_.op("Mean", {flat(x), ints({0})}); }

  graph::Endpoint product(graph::Endpoint x) {
    const graph::Endpoint column = builder_.op("Reshape", {x, ints({-1, 1})});
    const graph::Endpoint cut = builder_.op("Slice", {column, ints({0, 0}), ints({1, 1})});
    graph::Endpoint made = builder_.op("MatMul", {column, cut});
    if (number(2) == 0) made = builder_.op("BiasAdd", {made, constant(Array(std::vector<float>{0.3f}))});
    return builder_.op(number(2) == 0 ? "Tanh" : "Relu6", {made});
  }

  // ---- conditionals

  graph::Endpoint predicate() {
    if (!scope().flags.empty() && number(4) == 0) return read_flag();
    const float limit = 0.37f * static_cast<float>(number(5)) - 0.7371f;
    return builder_.op("Less", {mean(pick()), constant(Array(limit))});
  }

  /// A flag as it is, or read. In a loop it may have been read before.
  graph::Endpoint read_flag() {
    const graph::Endpoint flag = scope().flags[number(static_cast<unsigned>(scope().flags.size()))];
    if (flag.dtype() == DType::kResource)
      return builder_.op("ReadVariableOp", {flag}, {{"dtype", DType::kBool}});
    return is_ref(flag.dtype()) && number(3) == 0 ? flag : builder_.op("Identity", {flag});
  }

  /// Takes a flag into a loop: the variable, or what is read of it.
  graph::Endpoint entered_flag(graph::Endpoint flag, const graph::Attrs& frame) {
    if (!is_ref(flag.dtype())) return builder_.op("Enter", {flag}, frame);
    return number(2) == 0 ? builder_.op("RefEnter", {flag}, frame)
                          : builder_.op("Enter", {builder_.op("Identity", {flag})}, frame);
  }

  /// `x` where `p` is `value`.
  graph::Endpoint gated(graph::Endpoint x, graph::Endpoint p, bool value) {
    return builder_.node("Switch", {x, p})->output(value ? 1 : 0);
  }

  /// Several values with one predicate, of which one is returned and the others are found later.
  graph::Endpoint conditional() {
    const graph::Endpoint p = predicate();
    std::vector<graph::Node*> switches;
    for (unsigned i = 0; i <= number(3); ++i) switches.push_back(builder_.node("Switch", {pick(), p}));
    graph::Node* const pivots = number(3) == 0 ? switched_by_itself(p) : switches[0];
    const unsigned num_results = 1 + number(2);
    const bool as_they_are = number(3) == 0;
    std::vector<graph::Endpoint> results[2];
    for (const int branch : {0, 1}) {
      begin_branch(switches, pivots, branch);
      grow(number(4));
      for (unsigned i = 0; i < num_results; ++i) {
        results[branch].push_back(as_they_are ? flat(pick()) : binary(mean(pick()), mean(pick())));
      }
      if (scopes_.size() == 2) inside_.push_back(pick());
      scopes_.pop_back();
    }
    graph::Endpoint last;
    for (unsigned i = 0; i < num_results; ++i) {
      const size_t first = number(2);
      graph::Node* const merge = builder_.node("Merge", {results[first][i], results[1 - first][i]});
      last = merge->output(0);
      source(last);
      if (number(3) == 0) source(builder_.op("Cast", {merge->output(1)}, {{"DstT", DType::kFloat32}}));
    }
    return last;
  }

  /// As in tf.cond; what a branch makes waits for its output.
  graph::Node* switched_by_itself(graph::Endpoint p) {
    return builder_.node("Switch", {p, number(2) == 0 ? p : builder_.op("Identity", {p})});
  }

  void begin_branch(const std::vector<graph::Node*>& switches, graph::Node* pivots, int branch) {
    Scope made;
    made.is_in_loop = scope().is_in_loop;
    made.flags = scope().flags;
    for (graph::Node* node : switches) made.values.push_back(node->output(branch));
    made.pivot = builder_.node("Identity", {pivots->output(branch)});
    scopes_.push_back(std::move(made));
  }

  // ---- loops

  struct Variable {
    graph::Node* merge;
    graph::Node* gate = nullptr;
  };

  Variable variable(graph::Endpoint first, const graph::Attrs& frame) {
    const graph::Endpoint entered = builder_.op("Enter", {first}, frame);
    entered.node->merge_output_shape(0, first.shape());  // none of them changes its shape
    return {builder_.node("Merge", {entered, entered})};
  }

  /// A counter and some values, with constants of the loop; ends after a number of iterations, or by a value.
  graph::Endpoint loop() {
    const std::string name = "loop_" + std::to_string(num_loops_++);
    const graph::Attrs frame{{"frame_name", name}};
    const graph::Attrs for_all{{"frame_name", name}, {"is_constant", true}};
    const auto limit = constant(Array(static_cast<int32_t>(number(4))), /*always_waits=*/true);
    std::vector<Variable> variables{variable(constant(Array(0), /*always_waits=*/true), frame)};
    for (unsigned i = 0; i <= number(2); ++i) {
      variables.push_back(variable(number(2) == 0 ? pick() : mean(pick()), frame));
    }
    std::vector<graph::Endpoint> constants;
    for (unsigned i = 0; i < number(3); ++i) constants.push_back(builder_.op("Enter", {pick()}, for_all));
    const graph::Endpoint most = builder_.op("Enter", {limit}, for_all);
    std::vector<graph::Endpoint> flags;
    for (const graph::Endpoint flag : scope().flags) flags.push_back(entered_flag(flag, for_all));
    scopes_.push_back({{}, std::move(flags), variables[0].merge, /*is_in_loop=*/true});
    const graph::Endpoint goes_on = builder_.op("LoopCond", {condition(variables, most)});
    for (Variable& one : variables) one.gate = builder_.node("Switch", {one.merge->output(0), goes_on});
    make_body(variables, constants);
    scopes_.pop_back();
    for (size_t i = 1; i < variables.size(); ++i) source(builder_.op("Exit", {variables[i].gate->output(0)}));
    if (number(2) == 0) return values().back();
    const graph::Endpoint count = builder_.op("Exit", {variables[0].gate->output(0)});
    return builder_.op("Tanh", {builder_.op("Cast", {count}, {{"DstT", DType::kFloat32}})});
  }

  graph::Endpoint condition(const std::vector<Variable>& variables, graph::Endpoint most) {
    const graph::Endpoint counts = builder_.op("Less", {variables[0].merge->output(0), most});
    if (number(3) > 0) return counts;
    source(variables[1].merge->output(0));
    return builder_.op("LogicalAnd", {counts, predicate()});
  }

  void make_body(const std::vector<Variable>& variables, const std::vector<graph::Endpoint>& constants) {
    scope().values.clear();
    scope().pivot = builder_.node("Identity", {variables[0].gate->output(1)});
    for (size_t i = 1; i < variables.size(); ++i)
      source(builder_.op("Identity", {variables[i].gate->output(1)}));
    for (const graph::Endpoint held : constants) source(held);
    const size_t num_own = variables.size() - 1;
    grow(1 + number(4));
    const auto more = builder_.op("AddV2", {scope().pivot->output(0), constant(Array(1))});
    variables[0].merge->close_loop(1, builder_.op("NextIteration", {more}));
    for (size_t i = 0; i < num_own; ++i) {
      const graph::Endpoint next = binary(values()[i], mean(pick()));
      variables[i + 1].merge->close_loop(1, builder_.op("NextIteration", {next}));
    }
  }

  graph::Builder& builder_;
  std::mt19937 random_;
  std::vector<Scope> scopes_;
  std::vector<graph::Endpoint> inside_;
  int num_loops_ = 0;
};

}  // namespace flowray::engine
