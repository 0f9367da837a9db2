#pragma once
// Nodes and small graphs as messages.

#include "wire/graph_def.h"
#include "wire/tensor_value.h"

#include <string_view>
#include <utility>
#include <vector>

namespace flowray::cluster {

inline wire::NodeDef without_attrs(const char* name, const char* op, std::vector<wire::Text> inputs = {}) {
  wire::NodeDef node;
  node.name = name;
  node.op = op;
  node.input = std::move(inputs);
  return node;
}

inline wire::NodeDef node(const char* name, const char* op, std::vector<wire::Text> inputs, DType dtype) {
  wire::NodeDef node = without_attrs(name, op, std::move(inputs));
  const bool is_source = std::string_view(op) == "Placeholder" || std::string_view(op) == "VariableV2";
  node.attr.add(is_source ? "dtype" : "T").value = dtype;
  return node;
}

/// A node that calls a function of a Python program, which the name "pyfunc_0" finds there.
inline wire::NodeDef python_call(const char* name, const char* op) {
  wire::NodeDef node = without_attrs(name, op);
  node.attr.add("token").value = wire::Bytes("pyfunc_0");
  for (const char* list : {"Tin", "Tout"})
    node.attr.add(list).value.emplace<wire::AttrValue::kList>(wire::AttrValue::ListValue());
  return node;
}

inline wire::FunctionDef function_of(const char* name, std::vector<wire::NodeDef> nodes) {
  wire::FunctionDef function;
  function.signature.name = name;
  function.node_def = std::move(nodes);
  return function;
}

inline wire::TensorProto scalar(float value) {
  return wire::to_tensor_proto(Array(value), wire::TensorForm::kConstant);
}

/// A float32 scalar.
inline wire::NodeDef constant(const char* name, float value) {
  wire::NodeDef node = without_attrs(name, "Const");
  node.attr.add("dtype").value = DType::kFloat32;
  node.attr.add("value").value = wire::Box<wire::TensorProto>(scalar(value));
  return node;
}

inline wire::NodeDef variable(const char* name) {
  wire::NodeDef node = cluster::node(name, "VariableV2", {}, DType::kFloat32);
  node.attr.add("shape").value = wire::TensorShapeProto{};
  return node;
}

/// y = x + x, of float32.
inline wire::GraphDef doubling() {
  wire::GraphDef graph;
  graph.node = {node("x", "Placeholder", {}, DType::kFloat32),
                node("y", "AddV2", {"x", "x"}, DType::kFloat32)};
  return graph;
}

/// v is set to 0 by "init" and counts up by one each time "add" runs.
inline wire::GraphDef counting() {
  wire::GraphDef graph;
  graph.node = {variable("v"), constant("zero", 0), constant("one", 1),
                node("init", "Assign", {"v", "zero"}, DType::kFloat32),
                node("add", "AssignAdd", {"v", "one"}, DType::kFloat32)};
  return graph;
}

/// `node`, of one component of float32.
inline wire::NodeDef with_types(wire::NodeDef node, const char* attr) {
  wire::AttrValue::ListValue list;
  list.type = {DType::kFloat32};
  node.attr.add(attr).value.emplace<wire::AttrValue::kList>(std::move(list));
  return node;
}

/// A queue of float32 scalars that all sessions share; "put" puts one in, "size:0" is how many are there, and
/// "two:0" how many a dequeue may want.
inline std::vector<wire::NodeDef> shared_queue() {
  wire::NodeDef queue = with_types(without_attrs("queue", "FIFOQueueV2"), "component_types");
  wire::AttrValue::ListValue shapes;
  shapes.shape = {wire::TensorShapeProto{}};
  queue.attr.add("shapes").value.emplace<wire::AttrValue::kList>(std::move(shapes));
  queue.attr.add("shared_name").value = wire::Bytes("queue");
  wire::NodeDef two = without_attrs("two", "Const");
  two.attr.add("dtype").value = DType::kInt32;
  two.attr.add("value").value =
      wire::Box<wire::TensorProto>(wire::to_tensor_proto(Array(2), wire::TensorForm::kConstant));
  return {queue, two, with_types(without_attrs("put", "QueueEnqueueV2", {"queue", "one"}), "Tcomponents"),
          without_attrs("size", "QueueSizeV2", {"queue"})};
}

/// counting() and shared_queue(): "taken:0" adds one to v and then waits for an element, "both:0" for two.
inline wire::GraphDef waiting() {
  wire::GraphDef graph = counting();
  for (wire::NodeDef& node : shared_queue()) graph.node.push_back(std::move(node));
  graph.node.push_back(
      with_types(without_attrs("taken", "QueueDequeueV2", {"queue", "^add"}), "component_types"));
  graph.node.push_back(
      with_types(without_attrs("both", "QueueDequeueManyV2", {"queue", "two", "^add"}), "component_types"));
  return graph;
}

}  // namespace flowray::cluster
