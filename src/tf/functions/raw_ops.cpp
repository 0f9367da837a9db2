#include <flowray/tf/ops/raw_op.h>

#include "core/checked_size.h"
#include "graph/op_schema.h"
#include "tf/build/apply_op.h"
#include "tf/build/function_graph.h"
#include "tf/build/unset.h"

namespace flowray::tf::raw_ops::internal {
namespace {

/// How many tensors an output is.
int size_of(const graph::ArgSchema& arg, const graph::Node& node) {
  if (!arg.number_attr.empty())
    return checked_int32(arg.number_attr.c_str(), node.attrs().get<int64_t>(arg.number_attr));
  if (!arg.type_list_attr.empty())
    return static_cast<int>(node.attrs().get<std::vector<DType>>(arg.type_list_attr).size());
  return 1;
}

/// The number of its first tensor.
int begin_of(const graph::Node& node, int i) {
  int begin = 0;
  for (int before = 0; before < i; ++before)
    begin += size_of(node.schema().outputs[static_cast<size_t>(before)], node);
  return begin;
}

template <class Value>
graph::AttrValue value_of_attr(const std::string& /*attr*/, const Value& value) {
  return value;
}
graph::AttrValue value_of_attr(const std::string& attr, const function::DefinedFunction& function) {
  return function_attr(name_in_library(function, attr));
}
graph::AttrValue value_of_attr(const std::string& attr,
                               const std::vector<function::DefinedFunction>& functions) {
  std::vector<std::string> names;
  for (size_t i = 0; i < functions.size(); ++i)
    names.push_back(name_in_library(functions[i], element_name(attr, i)));
  return functions_attr(names);
}

}  // namespace

Operation make(const char* op, const std::string& name, const std::vector<Arg>& args,
               const std::vector<std::pair<const char*, Attr>>& attrs, Input::Where where) {
  const ErrorLine errors(where);
  OpCall call{.op = op, .name = name, .args = args, .where = where};
  for (const auto& [attr, value] : attrs) {
    std::visit([&, key = attr](const auto& of) { call.attrs.set(key, value_of_attr(key, of)); }, value);
  }
  return Operation(apply_op_node(call));
}

Tensor output(const Operation& operation, int i) {
  return {operation.node(), begin_of(*operation.node(), i)};
}

std::vector<Tensor> outputs(const Operation& operation, int i) {
  graph::Node& node = *operation.node();
  const int begin = begin_of(node, i);
  std::vector<Tensor> tensors;
  for (int k = 0; k < size_of(node.schema().outputs[static_cast<size_t>(i)], node); ++k)
    tensors.emplace_back(&node, begin + k);
  return tensors;
}

}  // namespace flowray::tf::raw_ops::internal
