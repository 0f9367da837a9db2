#include "ops/data/external_state.h"

#include "wire/graph_def.h"

#include <set>
#include <string_view>
#include <variant>
#include <vector>

namespace flowray::ops {
namespace {

/// Ops whose state TensorFlow lets pass.
bool may_have_state(std::string_view op) {
  if (op == "Assert" || op == "LookupTableFind" || op == "LookupTableFindV2") return true;
  const std::string_view unversioned = op.substr(0, op.find_last_not_of("0123456789") + 1);
  return op.ends_with("Dataset") || unversioned.ends_with("DatasetV");
}

/// Looks through functions, each once.
class StatefulOps {
 public:
  StatefulOps(const graph::FunctionLibrary& library, const graph::OpTable& ops)
      : library_(library), ops_(ops) {}

  std::string first_of(const wire::AttrValue& first) {
    note(first);
    while (!waiting_.empty()) {
      const std::string name = waiting_.back();
      waiting_.pop_back();
      const graph::LibraryFunction* const found = library_.find(name);
      if (found == nullptr) continue;  // its call says so
      for (const wire::NodeDef& node : found->definition.node_def) {
        if (is_stateful(node)) return node.op.str();
      }
    }
    return {};
  }

 private:
  bool is_stateful(const wire::NodeDef& node) {
    const graph::OpSchema* const schema = ops_.find(node.op);
    if (schema == nullptr) note(node.op.view());
    if (schema != nullptr && schema->row.stateful && !may_have_state(node.op)) return true;
    for (const auto& [name, value] : node.attr.items) note(value);
    return false;
  }

  void note(std::string_view function) {
    if (seen_.emplace(function).second) waiting_.emplace_back(function);
  }
  void note(const wire::AttrValue& value) {
    if (const auto* named = std::get_if<wire::AttrValue::kFunc>(&value.value)) note((*named)->name.view());
    const auto* const list = std::get_if<wire::AttrValue::kList>(&value.value);
    if (list == nullptr) return;
    for (const wire::NameAttrList& named : (*list)->func) note(named.name.view());
  }

  const graph::FunctionLibrary& library_;
  const graph::OpTable& ops_;
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> waiting_;
};

}  // namespace

std::string stateful_op_of(const std::string& attr, const graph::FunctionLibrary& library,
                           const graph::OpTable& ops) {
  return StatefulOps(library, ops).first_of(wire::decode<wire::AttrValue>(attr));
}

}  // namespace flowray::ops
