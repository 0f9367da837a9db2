#pragma once
/// Operations that only order others; conditionals and loops.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/several.h>

#include <array>
#include <concepts>
#include <functional>
#include <iterator>
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
Operation group(const List<Dependency>& inputs, const std::string& name = "group_deps",
                Input::Where where = Input::Where::current());
/// The same of one. (A template, so that `group({x})` never means it.)
template <std::convertible_to<Dependency> T>
  requires(!std::convertible_to<const T&, List<Dependency>>)
Operation group(const T& input, const std::string& name = "group_deps",
                Input::Where where = Input::Where::current()) {
  return group(List<Dependency>({Dependency(input)}, where), name, where);
}

/// tf.tuple: the same tensors, none of which is there before all of them are. None stays None.
std::vector<Tensor> tuple(const List<Tensor>& tensors, const std::string& name = "tuple",
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
/// What makes them: a function that gives one, or a tuple or vector of several. A default-made one is "none".
class Branch {
 public:
  Branch() = default;
  template <std::invocable F>
    requires(!std::same_as<F, Branch> &&
             internal::OneOrSeveral<std::remove_cvref_t<std::invoke_result_t<const F&>>, BranchValue>)
  Branch(F function)  // NOLINT: implicit
      : function_(internal::is_unset(function) ? nullptr : Function([function = std::move(function)] {
          return internal::list_of<BranchValue>(function());
        })) {}

  /// Whether there is one.
  bool has_value() const { return function_ != nullptr; }
  /// Calls it; only where there is one.
  std::vector<BranchValue> operator()() const { return function_(); }

 private:
  using Function = std::function<std::vector<BranchValue>()>;
  Function function_;
};

/// tf.cond: runs what one of the two functions makes, by the bool scalar `pred`. Both are called once, now;
/// tensors made elsewhere are computed whichever is chosen, and an operation counts as a bool. Throws
/// ValueError where the branches give different numbers or dtypes of values, TypeError for a `pred` that is a
/// C++ bool and for a branch that is not a function.
std::vector<Tensor> cond(const Input& pred, const Branch& true_fn, const Branch& false_fn,
                         const NameOption& options = {});
/// The same for functions that give one value each, a tensor then, or tuples of as many, then an array:
///
///     auto [a, b] = tf::cond(p, [&] { return std::tuple(x, y); }, [&] { return std::tuple(y, x); });
template <std::invocable T, std::invocable F>
auto cond(const Input& pred, const T& true_fn, const F& false_fn, const NameOption& options = {}) {
  using Yes = std::remove_cvref_t<std::invoke_result_t<const T&>>;
  using No = std::remove_cvref_t<std::invoke_result_t<const F&>>;
  constexpr bool kValues =
      internal::OneOrSeveral<Yes, BranchValue> && internal::OneOrSeveral<No, BranchValue>;
  static_assert(
      kValues,
      "tf::cond: a branch gives a tensor, what converts to one, an operation, or a tuple or vector of "
      "such");
  if constexpr (kValues) {
    constexpr bool kTuples = internal::TupleLike<Yes> && internal::TupleLike<No>;
    constexpr bool kOnes =
        std::convertible_to<const Yes&, BranchValue> && std::convertible_to<const No&, BranchValue>;
    const auto branch = [](const auto& function) {  // by reference: called once
      return internal::is_unset(function) ? Branch() : Branch([&] { return function(); });
    };
    std::vector<Tensor> merged = cond(pred, branch(true_fn), branch(false_fn), options);
    if constexpr (kTuples) {
      static_assert(std::tuple_size_v<Yes> == std::tuple_size_v<No>,
                    "tf::cond: both branches must give the same number of values");
    }
    using Shape = std::conditional_t<kOnes || kTuples, Yes, std::vector<Tensor>>;
    return internal::shaped_as<Shape, BranchValue>(std::move(merged));
  }
}

struct CaseOptions {
  /// Runs where no predicate is true; without it that is an error of the step.
  Branch default_fn = {};
  /// Whether it is an error of the step if more than one predicate is true; false: the first that is true
  /// counts; true checks, in each step, cases that must not overlap.
  bool exclusive = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

/// tf.case: what the first function whose predicate is true gives. Throws ValueError for an empty list.
///
///     auto y = tf::case_({{x < 0, [&] { return -x; }}, {x > 9, [&] { return x / 2; }}},
///                        {.default_fn = [&] { return x; }})[0];
std::vector<Tensor> case_(const std::vector<std::pair<Tensor, Branch>>& pred_fn_pairs,
                          const CaseOptions& options = {}, Input::Where where = Input::Where::current());

// ---- loops

struct WhileLoopOptions {
  /// What stays the same of the variables' shapes; empty: all of it. One for each variable.
  std::vector<TensorShape> shape_invariants = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false for a loop that nothing is trained through: it has no
  /// gradient.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here. Set it for a graph that TensorFlow is to run on a GPU
  /// with too little memory for what the loop remembers.
  bool swap_memory = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// An integer scalar: the loop ends after so many rounds at the latest; left out: no limit.
  OptionalInput maximum_iterations = {};
};

/// Whether there is another round: takes the loop's variables, gives a bool scalar.
using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
/// One round: takes the loop's variables, gives their next values.
using LoopBody = std::function<std::vector<Input>(const std::vector<Tensor>&)>;

namespace internal {
std::vector<Tensor> while_loop_of_list(const LoopCondition& cond, const LoopBody& body,
                                       const std::vector<Input>& loop_vars, const WhileLoopOptions& options,
                                       Input::Where where);
}  // namespace internal

/// tf.while_loop: the variables after the last iteration. Both functions are called once, now, with a list of
/// the variables of an iteration; `body` gives those of the next. Throws ValueError where their number,
/// dtypes or shapes do not go on.
template <class C, class B, InputLike T>
std::vector<Tensor> while_loop(const C& cond, const B& body, const std::vector<T>& loop_vars,
                               const WhileLoopOptions& options = {},
                               Input::Where where = Input::Where::current()) {
  internal::check_callable(body, "body", where);
  return internal::while_loop_of_list(
      cond, [&](const std::vector<Tensor>& values) { return internal::list_of<Input>(body(values)); },
      std::vector<Input>(loop_vars.begin(), loop_vars.end()), options, where);
}
/// The same for one variable: `auto i = tf::while_loop(cond, body, 0);`.
template <class C, class B, InputLike T>
Tensor while_loop(const C& cond, const B& body, const T& loop_var, const WhileLoopOptions& options = {},
                  Input::Where where = Input::Where::current());
/// The same for a number of variables that is written down: `auto [i, x] = tf::while_loop(cond, body, {0,
/// x0});`. `cond` and `body` take as many tensors, and `body` gives a tuple or a list of them, or the only
/// one itself.
template <size_t N, class C, class B>
std::array<Tensor, N> while_loop(const C& cond, const B& body, const Input (&loop_vars)[N],
                                 const WhileLoopOptions& options = {},
                                 Input::Where where = Input::Where::current()) {
  internal::check_callable(cond, "cond", where);
  internal::check_callable(body, "body", where);
  const auto goes_on = [&](const std::vector<Tensor>& values) -> Tensor {
    if constexpr (internal::TakesTensors<C, N>) {
      return internal::call_with<N>(cond, values);
    } else {
      return cond(values);
    }
  };
  const auto next = [&](const std::vector<Tensor>& values) {
    if constexpr (internal::TakesTensors<B, N>) {
      using Next = std::remove_cvref_t<decltype(internal::call_with<N>(body, values))>;
      static_assert(
          !internal::TupleLike<Next> || requires { requires std::tuple_size<Next>::value == N; },
          "tf::while_loop: the body must give as many values as there are loop variables");
      return internal::list_of<Input>(internal::call_with<N>(body, values));
    } else {
      return internal::list_of<Input>(body(values));
    }
  };
  const std::vector<Input> variables(std::begin(loop_vars), std::end(loop_vars));
  return internal::shaped_as<std::array<Tensor, N>, Input>(
      internal::while_loop_of_list(goes_on, next, variables, options, where));
}
/// Defined here, declared above.
template <class C, class B, InputLike T>
Tensor while_loop(const C& cond, const B& body, const T& loop_var, const WhileLoopOptions& options,
                  Input::Where where) {
  return while_loop(cond, body, {Input(loop_var, where)}, options, where)[0];
}

}  // namespace flowray::tf

#pragma GCC visibility pop
