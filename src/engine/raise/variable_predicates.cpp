#include "engine/raise/variable_predicates.h"

#include "graph/signature.h"

#include <algorithm>

namespace flowray::engine {

using graph::FlowRole;

bool is_prefix(const Condition& prefix, const Condition& whole) {
  return prefix.size() <= whole.size() && std::equal(prefix.begin(), prefix.end(), whole.begin());
}

/// Whether node `item` may set what it gets as a reference or handle: what only names or reads it does not.
bool VariablePredicates::changes(const StepNode& item, size_t input) const {
  if (!is_ref(flow_.flat.values[item.inputs[input]].dtype())) return false;
  const graph::OpSchema& schema = item.node->schema();
  if (item.kind != StepKind::kOp) return true;
  if (schema.row.flow != FlowRole::kNone || schema.row.view) return false;
  return graph::takes_reference(schema, item.node->attrs(), static_cast<int>(input));
}

bool VariablePredicates::may_change(const graph::Node* variable) {
  if (variable == nullptr) return true;
  if (!changed_.has_value()) {
    changed_.emplace();
    for (const StepNode& item : flow_.flat.nodes) {
      for (size_t i = 0; i < item.inputs.size(); ++i) {
        if (changes(item, i)) changed_->insert(flow_.bound_by(item.inputs[i]));
      }
    }
  }
  return changed_->contains(variable) || changed_->contains(nullptr);
}

VariablePredicates::Predicate VariablePredicates::of_switch(
    const Unit& unit, uint32_t number, const std::unordered_map<uint32_t, uint32_t>& unit_of_node) {
  const StepNode& it = flow_.item(unit.node);
  const ValueId root = flow_.root(it.inputs[1]);
  const bool is_variable = is_ref(flow_.endpoint(root).dtype());
  const int32_t reader = flow_.producer(root);
  const bool is_read = !is_variable && reader >= 0 &&
                       flow_.node(static_cast<uint32_t>(reader)).schema().row.view &&
                       is_ref(flow_.endpoint(flow_.item(static_cast<uint32_t>(reader)).inputs[0]).dtype());
  if ((!is_variable && !is_read) || root == loop_condition_) return {root};
  const ValueId reference = is_variable ? root : flow_.item(static_cast<uint32_t>(reader)).inputs[0];
  const graph::Node* const variable = flow_.bound_by(reference);
  if (may_change(variable)) {
    if (is_variable) fail_irregular(*it.node, "its predicate is a variable that the step changes");
    return {root};
  }
  for (const Read& read : reads_) {
    if (read.variable != variable || !is_prefix(read.condition, unit.condition)) continue;
    return {read.value, read.unit == number ? std::nullopt : read.unit};
  }
  Read made{variable, root, std::nullopt, unit.condition};
  if (is_variable) {
    // A Switch of the variable by itself reads it as its data.
    const bool reads =
        flow_.bound_by(it.inputs[0]) == variable && !is_ref(flow_.endpoint(it.outputs[0]).dtype());
    if (!reads) fail_irregular(*it.node, "its predicate is a variable that nothing reads");
    made.value = it.outputs[0];
    made.unit = number;
  } else if (const auto found = unit_of_node.find(static_cast<uint32_t>(reader));
             found != unit_of_node.end()) {
    made.unit = found->second;
  }
  reads_.push_back(made);
  return {made.value, made.unit == number ? std::nullopt : made.unit};
}

}  // namespace flowray::engine
