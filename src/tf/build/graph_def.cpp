#include <flowray/tf/graph_def.h>

#include "files/file_contents.h"
#include "graph/builder.h"
#include "graph/device_functions.h"
#include "graph/exchange/graph_export.h"
#include "graph/exchange/graph_import.h"
#include "graph/exchange/import_order.h"
#include "tf/build/apply_op.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

namespace flowray::tf {
namespace {

using NodesByName = std::unordered_map<std::string_view, graph::Node*>;

/// "x" and "x:0" are the same input.
std::string input_key(const std::string& name) {
  const graph::InputName input = graph::parse_input_name(name);
  return input.index == graph::InputName::kControl ? name : fmt::format("{}:{}", input.node, input.index);
}

graph::ImportOptions import_options(const ImportGraphDefOptions& options, graph::Graph& graph,
                                    std::string prefix) {
  graph::ImportOptions result;
  result.prefix = std::move(prefix);
  for (const auto& [name, tensor] : options.input_map) {
    if (&node_of(tensor, fmt::format("input_map[\"{}\"]", name)).graph() != &graph) {
      throw ValueError(
          fmt::format("Tensor {} for the input '{}' is not in the default graph.", tensor.name(), name));
    }
    result.input_map.emplace(input_key(name), graph::Endpoint{tensor.node(), tensor.value_index()});
  }
  const graph::Scopes& scopes = graph.scopes();
  std::set<std::string> groups;
  for (const auto& frame : scopes.colocation) groups.insert(frame.begin(), frame.end());
  result.colocation.assign(groups.begin(), groups.end());
  if (!groups.empty()) {
    result.device_around = graph::device_of_colocation(graph, scopes);
  } else if (!scopes.devices.empty()) {
    result.device_around = scopes.devices.back();
  }
  return result;
}

/// What a branch or loop makes to bring something in is named outside of it.
std::string new_prefix(graph::Graph& graph, const std::string& name) {
  const graph::NameScope scope(graph, name);
  const std::string_view path = scope.path();
  return std::string(path.substr(0, path.empty() ? 0 : path.size() - 1));
}

GraphElement find_element(const NodesByName& nodes, const std::string& name) {
  const bool is_tensor = name.find(':') != std::string::npos;
  const graph::InputName wanted = graph::parse_input_name(name);
  const auto found = nodes.find(wanted.node);
  if (found == nodes.end()) {
    throw ValueError(
        fmt::format("Requested return {} '{}' not found in graph def", is_tensor ? "tensor" : "node", name));
  }
  if (is_tensor && wanted.index >= found->second->num_outputs()) {
    throw ValueError(fmt::format("Invalid return output {} of node '{}', which has {} output(s)",
                                 wanted.index, wanted.node, found->second->num_outputs()));
  }
  return {Operation(found->second), is_tensor ? wanted.index : -1};
}

/// Throws for missing return elements, before anything is added.
void check_elements(const wire::GraphDef& message, const ImportGraphDefOptions& options) {
  const graph::MessageNodes names(message);
  for (const std::string& element : options.return_elements) {
    if (names.find(graph::parse_input_name(element).node) != graph::MessageNodes::kNone) continue;
    throw ValueError(fmt::format("Requested return {} '{}' not found in graph def",
                                 element.find(':') == std::string::npos ? "node" : "tensor", element));
  }
}

void check_inputs_are_used(const wire::GraphDef& message, const graph::ImportOptions& options) {
  auto unused = options.input_map;
  if (unused.empty()) return;
  for (const wire::NodeDef& node : message.node) {
    for (const wire::Text& input : node.input) unused.erase(input_key(input.str()));
    for (auto item = unused.begin(); item != unused.end();) {  // a node of that name is there, but not read
      const graph::InputName name = graph::parse_input_name(item->first);
      item = name.node == node.name.view() ? unused.erase(item) : std::next(item);
    }
    if (unused.empty()) return;
  }
  std::string names;
  for (const auto& [name, endpoint] : unused) names += (names.empty() ? "" : ", ") + name;
  throw ValueError(fmt::format("Attempted to map inputs that were not found in graph_def: [{}]", names));
}

}  // namespace

GraphDef::GraphDef() : bytes_(std::make_shared<std::string>()) {}

GraphDef GraphDef::from_string(std::string bytes) {
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  wire::decode<wire::GraphDef>(*shared);
  return GraphDef(std::move(shared));
}

std::string GraphDef::to_string() const {
  return wire::to_text_format(wire::decode<wire::GraphDef>(*bytes_));
}

GraphDef Graph::as_graph_def(const AsGraphDefOptions& options) const {
  return GraphDef::from_string(
      wire::encode(graph::to_graph_def(*graph_, {.add_shapes = options.add_shapes})));
}

Tensor GraphElement::tensor() const {
  if (value_index < 0)
    throw TypeError(fmt::format("'{}' was asked for as an operation, not as a tensor", operation.name()));
  return operation.output(value_index);
}

std::vector<GraphElement> import_graph_def(const GraphDef& graph_def, const ImportGraphDefOptions& options,
                                           std::source_location where) {
  const Graph target = get_default_graph();
  graph::Graph& graph = *target.get();
  const auto message = wire::decode<wire::GraphDef>(graph_def.serialize_to_string());
  const UserLine line(graph, where);  // of what branches and loops around make for the nodes, too
  std::vector<GraphElement> elements;
  try {
    check_elements(message, options);
    graph::ImportOptions import = import_options(options, graph, new_prefix(graph, options.name));
    import.line = graph.scopes().line;
    check_inputs_are_used(message, import);
    const std::vector<graph::Node*> nodes = graph::import_graph_def(message, graph, import);
    NodesByName by_name;
    if (!options.return_elements.empty()) {
      for (size_t i = 0; i < nodes.size(); ++i) by_name.emplace(message.node[i].name.view(), nodes[i]);
    }
    for (const std::string& name : options.return_elements) elements.push_back(find_element(by_name, name));
  } catch (const errors::InvalidArgumentError& error) {
    throw ValueError(error.message());
  }
  return elements;
}

namespace train {

std::filesystem::path write_graph(const GraphDef& graph_def, const std::filesystem::path& logdir,
                                  std::string_view name, const WriteGraphOptions& options) {
  const std::filesystem::path path = logdir / name;
  files::write_file(path.string(), options.as_text ? graph_def.to_string() : graph_def.serialize_to_string(),
                    files::FileAccess::all());
  return path;
}

std::filesystem::path write_graph(const Graph& graph, const std::filesystem::path& logdir,
                                  std::string_view name, const WriteGraphOptions& options) {
  return write_graph(graph.as_graph_def(), logdir, name, options);
}

}  // namespace train
}  // namespace flowray::tf
