#include "cluster/master/graph_check.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_set>

#include "cluster/refused_ops.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/graph_import.h"
#include "graph/unknown_op.h"

namespace flowray::cluster {
namespace {

/// "\n\t [[{{node NAME}}]]", by which clients find the node.
std::string at_node(std::string_view name) { return fmt::format("\n\t [[{{{{node {}}}}}]]", name); }

void check_inputs(const wire::NodeDef& node) {
  const auto is_control = [](const wire::Text& input) { return input.view().starts_with('^'); };
  if (!std::ranges::is_partitioned(node.input, [&](const wire::Text& input) { return !is_control(input); })) {
    throw errors::InvalidArgumentError("All control inputs must follow all data inputs" + at_node(node.name),
                                       node.name.str());
  }
}

/// The attributes that the types of its inputs and outputs follow from come first.
std::string missing_attr(const wire::NodeDef& node, const graph::OpSchema& schema) {
  const auto is_missing = [&](const std::string& name) {
    const graph::AttrSchema* attr = schema.find_attr(name);
    return attr != nullptr && !attr->default_value.has_value() && node.attr.find(name) == nullptr;
  };
  for (const auto* args : {&schema.inputs, &schema.outputs}) {
    for (const graph::ArgSchema& arg : *args) {
      for (const std::string* name : {&arg.number_attr, &arg.type_list_attr, &arg.type_attr}) {
        if (!name->empty() && is_missing(*name)) return *name;
      }
    }
  }
  const auto found = std::ranges::find_if(schema.attrs, is_missing, &graph::AttrSchema::name);
  return found == schema.attrs.end() ? std::string() : found->name;
}

[[noreturn]] void throw_unplaced(const wire::NodeDef& node, const graph::DeviceName& wanted,
                                 const engine::DeviceSet& devices) {
  std::string available;
  for (const graph::DeviceName& device : devices.devices)
    available += (available.empty() ? "" : ", ") + device.to_string();
  throw errors::InvalidArgumentError(
      fmt::format(
          "Cannot assign a device for operation {}: {{{{node {}}}}} was explicitly assigned to {} but "
          "available devices are [ {} ]. Make sure the device specification refers to a valid "
          "device.{}\n\t [[{}]]",
          node.name.view(), node.name.view(), node.device.view(), available,
          wanted.type == "GPU" ? " The requested device appears to be a GPU, but CUDA is not enabled." : "",
          node.name.view()),
      node.name.str());
}

}  // namespace

bool is_cpu(std::string_view device) {
  auto name = graph::DeviceName::parse(device);
  if (!name) name = graph::DeviceName::parse_local(device);
  return name && (!name->type || name->type == "CPU");
}

void check_nodes(const wire::GraphDef& graph_def, graph::Graph& graph) {
  const graph::OpTable& ops = graph.ops();
  refuse_calls_of_program(graph_def, ops);
  const graph::FunctionLibrary& library = graph::FunctionLibrary::of(graph);
  std::unordered_set<std::string_view> functions;
  if (graph_def.library.has_value()) {
    for (const wire::FunctionDef& function : graph_def.library->function)
      functions.insert(function.signature.name.view());
  }
  for (const wire::NodeDef& node : graph_def.node) {
    const bool is_function = functions.contains(node.op.view()) || library.find(node.op) != nullptr;
    if (ops.find(node.op) == nullptr && !is_function) graph::throw_unknown_op(node, graph_def.node, ops);
  }
  for (const wire::NodeDef& node : graph_def.node) {
    if (!graph::is_valid_node_name(node.name)) {  // nor one that begins with _, as the engine's do
      throw errors::InvalidArgumentError(
          fmt::format("Illegal op name '{}'{}", node.name.view(), at_node(node.name)), node.name.str());
    }
    check_inputs(node);
    const graph::OpSchema* schema = ops.find(node.op);
    const std::string attr = schema == nullptr ? std::string() : missing_attr(node, *schema);
    if (attr.empty()) continue;
    throw errors::NotFoundError(fmt::format("No attr named '{}' in NodeDef:{}\n\t [[{}]]", attr,
                                            at_node(node.name), node.name.view()),
                                node.name.str());
  }
}

void check_placement(const wire::GraphDef& graph_def, const engine::DeviceSet& devices) {
  std::set<std::string_view> allowed = {""};
  for (const wire::NodeDef& node : graph_def.node) {
    if (allowed.contains(node.device.view())) continue;
    const auto wanted = graph::DeviceName::parse(node.device);
    if (!wanted) {
      throw errors::InvalidArgumentError(
          fmt::format("Malformed device specification '{}' in node: {{{{node {}}}}}\n\t [[{}]]",
                      node.device.view(), node.name.view(), node.name.view()),
          node.name.str());
    }
    const auto may_run_on = [&](const graph::DeviceName& have) {
      return wanted->includes(have) || (devices.soft && wanted->includes_task_of(have));
    };
    if (!std::ranges::any_of(devices.devices, may_run_on)) throw_unplaced(node, *wanted, devices);
    allowed.insert(node.device.view());
  }
}

void check_container(const graph::Node& node) {
  const auto text = [&](const char* attr) {
    const graph::AttrValue* value = node.attrs().find(attr);
    const auto* string = value == nullptr ? nullptr : value->get_if<std::string>();
    return string == nullptr ? std::string_view() : std::string_view(*string);
  };
  const std::string_view container = text("container");
  const auto begins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  const auto goes_on = [&](char c) { return begins(c) || c == '-' || c == '_' || c == '/'; };
  if (!container.empty() && (!begins(container[0]) || !std::ranges::all_of(container, goes_on))) {
    throw errors::InvalidArgumentError(
        fmt::format("container contains invalid characters: {}{}", container, at_node(node.name())),
        node.name());
  }
  if (const std::string_view shared = text("shared_name"); shared.starts_with('_')) {
    throw errors::InvalidArgumentError(
        fmt::format("shared_name cannot start with '_':{}{}", shared, at_node(node.name())), node.name());
  }
}

}  // namespace flowray::cluster
