#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>

#include "core/counted_text.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/flow/flow_build.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// An operation stands for the branch's pivot, which waits for it.
Endpoint pivot_after(graph::Builder& builder, const BranchContext& context, const Operation& operation) {
  graph::Graph& graph = builder.graph();
  const graph::NameScope scope(graph, "control_dependency");
  const ColocationGuard beside(&graph, colocation_groups(*context.pivot_node()));
  const ControlDependenciesGuard wait(&graph, {operation.node()}, /*clears=*/false);
  return pass_on(builder, "Identity", context.pivot(), scope.path());
}

/// What the function gives, all of which must be set.
std::vector<BranchValue> given_by(const Branch& function, std::string_view name) {
  std::vector<BranchValue> values = function();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].operation() == nullptr) {
      check_returned(*values[i].input(), name, i);
    } else {
      (void)returned(*values[i].operation(), name, fmt::format(" at [{}]", i));
    }
  }
  return values;
}

/// A branch of cond, by its name there.
struct NamedBranch {
  std::string_view name;
  const Branch& function;

  std::vector<BranchValue> call_back(graph::Graph& graph) const {
    const LinesOfTheirOwn lines(graph);
    return given_by(function, name);
  }
};

std::vector<Endpoint> build_branch(graph::Builder& builder, const NamedBranch& function, Endpoint predicate,
                                   Endpoint pivot, int branch) {
  graph::Graph& graph = builder.graph();
  BranchContext& context = graph::FlowContexts::of(graph).keep(
      std::make_unique<BranchContext>(graph, current_context(graph), predicate, pivot, branch));
  const InsideOf inside(&context);
  std::vector<Endpoint> results;
  for (const BranchValue& value : function.call_back(graph)) {
    results.push_back(value.operation() != nullptr ? pivot_after(builder, context, *value.operation())
                                                   : context.result(convert_to_endpoint(
                                                         graph, *value.input(), DType::kInvalid, "Const")));
  }
  context.hand_out(results);
  return results;
}

void check_results(const std::vector<Endpoint>& yes, const std::vector<Endpoint>& no) {
  if (yes.size() != no.size()) {
    throw ValueError(
        fmt::format("Incompatible return values of 'true_fn' and 'false_fn': they give {} and {}.",
                    yes.size(), counted_text(no.size(), "value")));
  }
  if (yes.empty()) throw ValueError("'true_fn' and 'false_fn' must return at least one result.");
  for (size_t i = 0; i < yes.size(); ++i) {
    if (base_dtype(yes[i].dtype()) == base_dtype(no[i].dtype())) continue;
    throw ValueError(
        fmt::format("Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received {} from "
                    "'true_fn' and {} from "
                    "'false_fn'.",
                    dtype_name(yes[i].dtype()), dtype_name(no[i].dtype())));
  }
}

void check_given(const Branch& function, std::string_view name) {
  if (!function.has_value()) throw TypeError(fmt::format("cond(): '{}' argument required", name));
}

/// While operations run at once the value decides which function is called.
std::vector<Tensor> cond_of_value(Composite& scope, const Input& pred, const Branch& true_fn,
                                  const Branch& false_fn) {
  const Array value = tensor_of(scope.convert(pred, "pred")).value();
  if (value.dtype() != DType::kBool || value.size() != 1) throw TypeError("pred must not be a Python bool");
  const bool is_true = value.item<bool>();
  std::vector<Tensor> results;
  for (const BranchValue& given : is_true ? given_by(true_fn, "true_fn") : given_by(false_fn, "false_fn")) {
    results.push_back(given.operation() != nullptr ? constant(true)
                                                   : to_tensor(scope.graph(), *given.input(), "Const"));
  }
  return results;
}

bool is_written_bool(const Input& pred) {
  return pred.literal() != nullptr && pred.literal()->to_array().dtype() == DType::kBool;
}

}  // namespace

std::vector<Tensor> cond(const Input& pred, const Branch& true_fn, const Branch& false_fn,
                         const NameOption& options) {
  Composite scope({{"pred", pred}}, options.name, "cond", pred.where());
  check_given(true_fn, "true_fn");
  check_given(false_fn, "false_fn");
  if (is_written_bool(pred)) throw TypeError("'pred' must not be a Python bool.\nUse `if`, or a tensor.");
  if (scope.graph().is_eager()) return cond_of_value(scope, pred, true_fn, false_fn);
  graph::Builder& builder = scope.builder();
  Endpoint predicate = scope.convert(pred, "pred");
  const auto [not_taken, taken] = switch_node(builder, predicate, predicate);
  const Endpoint true_pivot = pass_on(builder, "Identity", taken, "switch_t");
  const Endpoint false_pivot = pass_on(builder, "Identity", not_taken, "switch_f");
  predicate = pass_on(builder, "Identity", predicate, "pred_id");
  for (const Endpoint& inside : {taken, true_pivot, false_pivot, predicate})
    graph::FlowContexts::of(scope.graph()).forbid_fetching(*inside.node);
  const std::vector<Endpoint> yes = build_branch(builder, {"true_fn", true_fn}, predicate, true_pivot, 1);
  const std::vector<Endpoint> no = build_branch(builder, {"false_fn", false_fn}, predicate, false_pivot, 0);
  check_results(yes, no);
  std::vector<Tensor> merged;
  for (size_t i = 0; i < yes.size(); ++i) merged.push_back(tensor_of(merge_node(builder, no[i], yes[i])));
  return merged;
}

Operation Assert(const Input& condition, const List<Input>& data, int64_t summarize,
                 const NameOption& options) {
  Composite scope({{"condition", condition}, {"data", data}}, options.name, "Assert", condition.where());
  std::vector<Endpoint> values;
  bool plain = true;
  for (const Input& value : data) {
    values.push_back(scope.convert(value, "Const"));
    const DType dtype = base_dtype(values.back().dtype());
    plain = plain && (dtype == DType::kString || dtype == DType::kInt32);
  }
  const Endpoint holds = scope.convert(condition, "Condition");
  const auto assertion = [&] {
    const graph::NameScope named(scope.graph(), "Assert");
    std::vector<Endpoint> inputs = {holds};
    for (size_t i = 0; i < data.size(); ++i) {
      inputs.push_back(data[i].tensor() != nullptr ? values[i]
                                                   : scope.convert(data[i], fmt::format("data_{}", i)));
    }
    return Operation(
        scope.builder().node("Assert", std::move(inputs), {{"summarize", summarize}}, named.path()));
  };
  // What is only text and numbers of the CPU costs nothing; the rest is fetched only where it is shown.
  if (plain) return assertion();
  return cond(tensor_of(holds), [] { return no_op(); }, assertion, {.name = "AssertGuard"}).op();
}

namespace {

Operation assert_at_most(const std::vector<Tensor>& predicates, int most, const std::string& message) {
  const std::vector<Input> inputs(predicates.begin(), predicates.end());
  // Python's stack makes an empty float32 constant of no tensors.
  const Tensor all = inputs.empty() ? constant(Array(DType::kFloat32, {0}), {.name = "preds_c"})
                                    : stack(inputs, {.name = "preds_c"});
  const Tensor count = reduce_sum(cast(all, DType::kInt32), {.name = "num_true_conds"});
  const Tensor few = less_equal(count, constant(most, {.name = "n_true_conds"}));
  std::string names;
  for (const Tensor& predicate : predicates) names += (names.empty() ? "" : ", ") + predicate.name();
  return Assert(
      few, {fmt::format("{}: more than {} conditions ({}) evaluated as True:", message, most, names), all},
      static_cast<int64_t>(predicates.size()));
}

/// What the function of a case gives that is the only one, outside of all branches. There is no pivot there
/// that could wait for an operation; a true that does stands for it.
Tensor tensor_of_alone(graph::Graph& graph, const BranchValue& value) {
  if (value.operation() == nullptr) return to_tensor(graph, *value.input(), "Const");
  const ControlDependenciesGuard wait = control_dependencies({*value.operation()});
  return constant(true, {.name = "control_dependency"});
}

/// Without a default the last case stands for it, and asserts that its predicate is true.
Branch last_resort(std::vector<std::pair<Tensor, Branch>>& cases) {
  const auto [predicate, action] = cases.back();
  cases.pop_back();
  std::vector<Tensor> others;
  for (const auto& [other, function] : cases) others.push_back(other);
  return [predicate, action, others] {
    const std::string wrong = fmt::format(
        "Implementation error: selected default action #{} was called, but some of other predicates are "
        "True: ",
        others.size());
    std::vector<Input> all(others.begin(), others.end());
    all.emplace_back(predicate);
    const Tensor shown = stack(all, {.name = "preds_c"});
    const Operation none_other = assert_at_most(others, 0, wrong);
    const Operation is_true =
        Assert(predicate, {"Input error: None of conditions evaluated as True:", shown});
    const ControlDependenciesGuard wait = control_dependencies({none_other, is_true});
    std::vector<BranchValue> values = action();
    if (!others.empty()) return values;
    for (BranchValue& value : values) value = tensor_of_alone(predicate.node()->graph(), value);
    return values;
  };
}

}  // namespace

std::vector<Tensor> case_(const std::vector<std::pair<Tensor, Branch>>& pred_fn_pairs,
                          const CaseOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (pred_fn_pairs.empty())
    throw ValueError("tf::case_ needs at least one pair of a predicate and a function.");
  for (size_t i = 0; i < pred_fn_pairs.size(); ++i) {
    const auto& [predicate, function] = pred_fn_pairs[i];
    (void)node_of(predicate, element_name("pred_fn_pairs", i));
    if (!function.has_value())
      throw TypeError(fmt::format("fn for pred {} must be callable.", predicate.name()));
  }
  for (const auto& [predicate, function] : pred_fn_pairs) {
    if (base_dtype(predicate.dtype()) != DType::kBool)
      throw TypeError(fmt::format("pred must be Tensor of type bool: {}", predicate.name()));
  }
  Composite scope(pred_fn_pairs.front().first.node()->graph(), options.name, "case", where);
  const auto named = [](const Branch& branch, const std::string& name) -> Branch {
    return [branch, name] { return given_by(branch, name); };
  };
  std::vector<std::pair<Tensor, Branch>> cases;
  for (const auto& [predicate, action] : pred_fn_pairs)
    cases.emplace_back(predicate, named(action, element_name("pred_fn_pairs", cases.size()) + ".second"));
  Branch function =
      options.default_fn.has_value() ? named(options.default_fn, "default_fn") : last_resort(cases);
  std::vector<Tensor> predicates;
  for (const auto& [predicate, action] : cases) predicates.push_back(predicate);
  for (auto one = cases.rbegin(); one != cases.rend(); ++one) {
    function = [pred = one->first, yes = one->second, no = function] {
      const std::vector<Tensor> results = cond(pred, yes, no);
      return std::vector<BranchValue>(results.begin(), results.end());
    };
  }
  std::vector<Dependency> checks;
  if (options.exclusive) checks.emplace_back(assert_at_most(predicates, 1, "Input error: exclusive=True"));
  const ControlDependenciesGuard wait = control_dependencies(checks);
  std::vector<Tensor> results;
  for (const BranchValue& value : function()) results.push_back(*value.input()->tensor());
  return results;
}

}  // namespace flowray::tf
