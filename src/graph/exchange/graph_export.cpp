#include "graph/exchange/graph_export.h"

#include "graph/exchange/attr_message.h"
#include "graph/exchange/function_library.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {
namespace {

wire::Text input_text(const Endpoint& input) {
  if (input.index == 0) return wire::Text::borrow(input.node->name());
  return fmt::format("{}:{}", input.node->name(), input.index);
}

wire::AttrValue output_shapes(const Node& node) {
  wire::AttrValue::ListValue list;
  for (int i = 0; i < node.num_outputs(); ++i)
    list.shape.push_back(wire::to_shape_proto(node.output_shape(i)));
  wire::AttrValue message;
  message.value.emplace<wire::AttrValue::kList>(std::move(list));
  return message;
}

}  // namespace

wire::NodeDef to_node_def(const Node& node, bool add_shapes) {
  wire::NodeDef message;
  message.name = wire::Text::borrow(node.name());
  message.op = wire::Text::borrow(node.op());
  message.device = wire::Text::borrow(node.device());
  message.input.reserve(node.inputs().size() + node.control_inputs().size());
  for (const Endpoint& input : node.inputs()) message.input.push_back(input_text(input));
  for (const Node* control : node.control_inputs()) message.input.emplace_back("^" + control->name());
  std::sort(message.input.begin() + node.num_inputs(), message.input.end());
  if (add_shapes && node.num_outputs() > 0) message.attr.add("_output_shapes", output_shapes(node));
  for (const auto& [name, value] : node.attrs().items()) {
    if (add_shapes && name == "_output_shapes") continue;
    message.attr.add(wire::Text::borrow(name), attr_to_message(value));
  }
  return message;
}

wire::GraphDef to_graph_def(Graph& graph, const ExportOptions& options) {
  wire::GraphDef message;
  const std::vector<Node*> nodes = graph.nodes();
  message.node.reserve(nodes.size());
  for (size_t i = static_cast<size_t>(std::max(options.first_node, 0)); i < nodes.size(); ++i) {
    message.node.push_back(to_node_def(*nodes[i], options.add_shapes));
  }
  wire::FunctionDefLibrary library = FunctionLibrary::of(graph).message();
  if (!library.function.empty() || !library.gradient.empty()) message.library = std::move(library);
  message.versions.emplace().producer = kGraphDefProducer;
  return message;
}

}  // namespace flowray::graph
