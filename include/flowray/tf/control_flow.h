#pragma once
/// Operations that only order others; conditionals and loops.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.no_op: does nothing; something to fetch or to wait for.
Operation no_op(const std::string& name = "NoOp", Input::Where where = Input::Where::current());

/// tf.group: a NoOp that runs after all of `inputs`. In the graph of the first of them.
Operation group(const std::vector<Dependency>& inputs, const std::string& name = "group_deps",
                Input::Where where = Input::Where::current());

/// tf.tuple: the same tensors, none of which is there before all of them are. None stays None.
std::vector<Tensor> tuple(const std::vector<Tensor>& tensors, const std::string& name = "tuple",
                          Input::Where where = Input::Where::current());

// ---- conditionals

/// What a branch gives: a tensor, what converts to one, or an operation that has to run.
class BranchValue {
 public:
  BranchValue(const Operation& operation) : value_(operation) {}  // NOLINT: implicit, as all of these
  template <InputLike T>
  BranchValue(const T& value, Input::Where where = Input::Where::current()) : value_(Input(value, where)) {}
  /// What converts to a tensor.
  BranchValue(const Input& value) : value_(value) {}

  /// The value, or null for an operation.
  const Input* input() const { return std::get_if<Input>(&value_); }
  /// The operation, or null for a value.
  const Operation* operation() const { return std::get_if<Operation>(&value_); }

 private:
  std::variant<Input, Operation> value_;
};
using Branch = std::function<std::vector<BranchValue>()>;

/// A function that gives one value.
template <class F>
concept SingleBranch = requires(const F& function) {
  { function() } -> std::convertible_to<BranchValue>;
};

/// tf.cond: runs what one of the two functions makes, by the bool scalar `pred`. Both are called once, now;
/// tensors made elsewhere are computed whichever is chosen, and an operation counts as a bool. Throws
/// ValueError where the branches give different numbers or dtypes of values, TypeError for a `pred` that is a
/// C++ bool.
std::vector<Tensor> cond(const Input& pred, const Branch& true_fn, const Branch& false_fn,
                         const NameOption& options = {});
/// The same for branches that give one value each.
template <SingleBranch T, SingleBranch F>
Tensor cond(const Input& pred, const T& true_fn, const F& false_fn, const NameOption& options = {}) {
  return cond(pred, Branch([&] { return std::vector<BranchValue>{true_fn()}; }),
              Branch([&] { return std::vector<BranchValue>{false_fn()}; }), options)[0];
}

struct CaseOptions {
  /// Runs where no predicate is true; without it that is an error of the step.
  Branch default_fn = {};
  /// It is an error of the step if more than one predicate is true.
  bool exclusive = false;
  std::string name = {};
};

/// tf.case: the first function whose predicate is true. Throws ValueError for an empty list.
std::vector<Tensor> case_(const std::vector<std::pair<Tensor, Branch>>& pred_fn_pairs,
                          const CaseOptions& options = {}, Input::Where where = Input::Where::current());

// ---- loops

struct WhileLoopOptions {
  /// What stays the same of the variables' shapes; empty: all of it. One for each variable.
  std::vector<TensorShape> shape_invariants = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Without it no gradient flows through the loop.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here.
  bool swap_memory = false;
  std::string name = {};
  OptionalInput maximum_iterations = {};
};

using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
using LoopBody = std::function<std::vector<Input>(const std::vector<Tensor>&)>;

/// tf.while_loop: the variables after the last iteration. Both functions are called once, now, with the
/// variables of an iteration; `body` gives those of the next. Throws ValueError where their number, dtypes or
/// shapes do not go on.
std::vector<Tensor> while_loop(const LoopCondition& cond, const LoopBody& body,
                               const std::vector<Input>& loop_vars, const WhileLoopOptions& options = {},
                               Input::Where where = Input::Where::current());

namespace internal {
inline std::vector<Input> as_inputs(std::vector<Input> list) { return list; }
inline std::vector<Input> as_inputs(const Input& one) { return {one}; }
}  // namespace internal

/// The same for a number of variables that is written down: `auto [i, x] = tf::while_loop(cond, body, {0,
/// x0});`, and `cond` and `body` take two tensors. Of a single variable `body` may give it without a list
/// around it.
template <size_t N, class C, class B>
std::array<Tensor, N> while_loop(const C& cond, const B& body, const Input (&loop_vars)[N],
                                 const WhileLoopOptions& options = {},
                                 Input::Where where = Input::Where::current()) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    const LoopCondition goes_on = [&](const std::vector<Tensor>& values) { return cond(values[I]...); };
    const LoopBody next = [&](const std::vector<Tensor>& values) {
      return internal::as_inputs(body(values[I]...));
    };
    const std::vector<Tensor> results =
        while_loop(goes_on, next, std::vector<Input>{loop_vars[I]...}, options, where);
    return std::array<Tensor, N>{results[I]...};
  }(std::make_index_sequence<N>());
}

}  // namespace flowray::tf

#pragma GCC visibility pop
