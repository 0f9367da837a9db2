#include <flowray/tf/graph_util.h>

#include "wire/graph_def.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace flowray::tf::graph_util {
namespace {

/// "x" of "x:1" and of "^x".
std::string_view node_of(std::string_view input) {
  if (input.starts_with('^')) return input.substr(1);
  return input.substr(0, input.find(':'));
}

/// Keeps the nodes that those of the names need.
void prune(wire::GraphDef& message, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, const wire::NodeDef*> by_name;
  for (const wire::NodeDef& node : message.node) by_name.emplace(node.name.view(), &node);
  std::unordered_set<std::string_view> needed;
  std::vector<std::string_view> open;
  for (const std::string& name : names) {
    if (!by_name.contains(name)) throw AssertionError(fmt::format("{} is not in graph", name));
    open.push_back(by_name.find(name)->first);
  }
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    const auto found = by_name.find(name);
    if (found == by_name.end() || !needed.insert(found->first).second) continue;
    for (const wire::Text& input : found->second->input) open.push_back(node_of(input.view()));
  }
  std::vector<wire::NodeDef> kept;
  for (const wire::NodeDef& node : message.node)
    if (needed.contains(node.name.view())) kept.push_back(node);
  message.node = std::move(kept);
}

bool is_variable(const wire::NodeDef& node) {
  return node.op.view() == "VariableV2" || node.op.view() == "Variable";
}

wire::NodeDef constant_of(const wire::NodeDef& variable, const Array& value) {
  wire::NodeDef node;
  node.name = wire::Text(std::string(variable.name.view()));
  node.op = "Const";
  wire::AttrValue dtype;
  dtype.value = value.dtype();
  node.attr.add("dtype", std::move(dtype));
  wire::AttrValue tensor;
  tensor.value = wire::Box<wire::TensorProto>(wire::to_tensor_proto(value, wire::TensorForm::kBorrowed));
  node.attr.add("value", std::move(tensor));
  return node;
}

}  // namespace

GraphDef extract_sub_graph(const GraphDef& graph_def, const std::vector<std::string>& dest_nodes) {
  auto message = wire::decode<wire::GraphDef>(graph_def.serialize_to_string());
  prune(message, dest_nodes);
  return GraphDef::from_string(wire::encode(message));
}

GraphDef convert_variables_to_constants(Session& session, const GraphDef& graph_def,
                                        const std::vector<std::string>& output_node_names) {
  auto message = wire::decode<wire::GraphDef>(graph_def.serialize_to_string());
  prune(message, output_node_names);
  std::vector<wire::NodeDef*> variables;
  std::vector<Fetch> fetches;
  for (wire::NodeDef& node : message.node) {
    if (!is_variable(node)) continue;
    variables.push_back(&node);
    fetches.emplace_back(session.graph().get_tensor_by_name(std::string(node.name.view()) + ":0"));
  }
  const std::vector<Array> values =
      fetches.empty() ? std::vector<Array>() : session.run(std::span<const Fetch>(fetches));
  for (size_t i = 0; i < variables.size(); ++i) *variables[i] = constant_of(*variables[i], values[i]);
  return GraphDef::from_string(wire::encode(message));
}

}  // namespace flowray::tf::graph_util
