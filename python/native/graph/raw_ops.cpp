/// Any op of the registry by its schema: what the generated functions of flowray.tf and
/// flowray.tf.raw_ops call.

#include "native/convert/convert.h"
#include "native/graph/python_graph.h"

#include "graph/exchange/attr_message.h"
#include "graph/op_schema.h"
#include "ops/all_ops.h"
#include "tf/build/apply_op.h"
#include "tf/build/function_graph.h"
#include "tf/build/scoped_op.h"

#include <flowray/tf/ops/raw_op.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

using graph::ArgSchema;
using graph::AttrSchema;
using graph::AttrType;
using graph::AttrValue;
using graph::OpSchema;

const OpSchema& schema_of(const std::string& op) {
  const OpSchema* schema = ops::op_table().find(op);
  if (schema == nullptr) {
    throw errors::UnimplementedError(
        fmt::format("Flowray has no op {} yet.\nflowray.tf.raw_ops lists those that it has.", op));
  }
  return *schema;
}

bool is_list(const ArgSchema& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

// ---- attributes

/// The name of a function of the graph's library: a text, or what has a name, as the functions that
/// tf.function traces. What function.Defun gives is added to the library of the default graph.
std::string function_name(const AttrSchema& schema, nb::handle value) {
  using Defined = tf::function::DefinedFunction;
  if (const nb::object defined = nb::getattr(value, "_defined", nb::none()); nb::isinstance<Defined>(defined))
    return tf::raw_ops::internal::name_in_library(nb::cast<const Defined&>(defined), schema.name);
  nb::object name = nb::borrow(value);
  if (!nb::isinstance<nb::str>(value)) name = nb::getattr(value, "name", nb::none());
  if (nb::isinstance<nb::bytes>(name)) name = name.attr("decode")();
  if (nb::isinstance<nb::str>(name)) return as_text(name);
  throw TypeError(
      fmt::format("Don't know how to convert {} to a func for argument {}\nGive it what function.Defun "
                  "makes of a function.",
                  nb::repr(value).c_str(), schema.name));
}

AttrValue attr_list(const AttrSchema& schema, nb::handle value) {
  switch (schema.type) {
    case AttrType::kBool: {
      std::vector<bool> items;
      for (nb::handle item : value) items.push_back(as_bool(item));
      return items;
    }
    case AttrType::kInt:
      return as_ints(value);
    case AttrType::kFloat: {
      std::vector<float> items;
      for (nb::handle item : value) items.push_back(static_cast<float>(as_float(item)));
      return items;
    }
    case AttrType::kString:
      return as_texts(value);
    case AttrType::kType:
      return as_dtypes(value);
    case AttrType::kShape:
      return as_shapes(value);
    case AttrType::kFunction: {
      if (nb::isinstance<nb::str>(value)) {
        throw TypeError(
            fmt::format("Expected list for attr {}, got the text {}", schema.name, nb::repr(value).c_str()));
      }
      std::vector<std::string> names;
      for (nb::handle item : value) names.push_back(function_name(schema, item));
      return tf::functions_attr(names);
    }
    default:
      break;
  }
  throw TypeError(fmt::format("The attribute '{}' cannot be given from Python", schema.name));
}

AttrValue attr_value(const AttrSchema& schema, nb::handle value) {
  if (schema.is_list) return attr_list(schema, value);
  switch (schema.type) {
    case AttrType::kBool:
      return as_bool(value);
    case AttrType::kInt:
      return as_int(value);
    case AttrType::kFloat:
      return static_cast<float>(as_float(value));
    case AttrType::kString:
      return as_text(value);
    case AttrType::kType:
      return base_dtype(as_dtype(value));
    case AttrType::kShape:
      return as_shape(value);
    case AttrType::kTensor:
      return as_array(value);
    case AttrType::kFunction:
      return tf::function_attr(function_name(schema, value));
  }
  throw TypeError(fmt::format("The attribute '{}' cannot be given from Python", schema.name));
}

// ---- calls

/// An output argument as Python has it: a tensor, or a list of them.
nb::object give_output(const ArgSchema& arg, graph::Node* node, int& next) {
  int count = 1;
  if (!arg.number_attr.empty()) count = static_cast<int>(node->attrs().get<int64_t>(arg.number_attr));
  if (!arg.type_list_attr.empty()) {
    count = static_cast<int>(node->attrs().get<std::vector<DType>>(arg.type_list_attr).size());
  }
  if (!is_list(arg)) return give(tf::Tensor(node, next++));
  nb::list list;
  for (int i = 0; i < count; ++i) list.append(give(tf::Tensor(node, next++)));
  return list;
}

/// An Operation for an op without outputs, its output, or a tuple of them.
nb::object give_outputs(graph::Node* node) {
  const OpSchema& schema = node->schema();
  if (schema.outputs.empty()) return give(tf::Operation(node));
  int next = 0;
  if (schema.outputs.size() == 1) return give_output(schema.outputs.front(), node, next);
  nb::list outputs;
  for (const ArgSchema& arg : schema.outputs) outputs.append(give_output(arg, node, next));
  return nb::tuple(outputs);
}

/// The call of an op without its name: `inputs` in the order of the schema, `attrs` those that differ from
/// what follows by itself.
tf::OpCall call_of(const OpSchema& schema, const nb::tuple& inputs, const nb::dict& attrs) {
  tf::OpCall call{.op = schema.name, .name = {}, .args = {}, .attrs = {}};
  for (size_t i = 0; i < schema.inputs.size(); ++i) {
    const nb::object value = inputs[i];
    if (is_list(schema.inputs[i])) {
      call.args.emplace_back(as_inputs(value));
    } else {
      call.args.emplace_back(as_input(value));
    }
  }
  for (auto [key, value] : attrs) {
    const std::string attr_name = as_text(key);
    const AttrSchema* attr = schema.find_attr(attr_name);
    if (attr == nullptr)
      throw TypeError(fmt::format("{}() got an unexpected keyword argument '{}'", schema.name, attr_name));
    if (nb::handle(value).is_none() && attr->type != AttrType::kFunction) continue;
    call.attrs.set(attr_name, attr_value(*attr, value));
  }
  return call;
}

nb::object make_op(const std::string& op, nb::handle name, const nb::tuple& inputs, const nb::dict& attrs) {
  const std::string node_name = as_text(name);
  tf::OpCall call = call_of(schema_of(op), inputs, attrs);
  call.name = node_name;
  return give_outputs(tf::apply_op_node(call));
}

/// The results of a function that gives other ones than the op: an index, or a tuple of them in the
/// function's order; None: all.
nb::object chosen_outputs(graph::Node* node, nb::handle outputs) {
  if (outputs.is_none()) return give_outputs(node);
  if (nb::isinstance<nb::int_>(outputs)) return give(tf::Tensor(node, static_cast<int>(as_int(outputs))));
  nb::list chosen;
  for (const int64_t index : as_ints(outputs)) chosen.append(give(tf::Tensor(node, static_cast<int>(index))));
  return nb::tuple(chosen);
}

/// A function that is one op by the table of endpoints. `seed` is a tuple of what is given for it, empty
/// where the function has none.
nb::object make_scoped_op(const std::string& op, nb::handle name, const std::string& scope,
                          const std::string& node, const nb::tuple& inputs, const nb::dict& attrs,
                          const nb::tuple& names, const nb::tuple& seed, nb::handle outputs) {
  const std::string user_name = as_text(name);
  tf::ScopedOp scoped{
      .call = call_of(schema_of(op), inputs, attrs), .name = user_name, .scope = scope, .node = node};
  scoped.names = as_texts(names);
  scoped.seeded = seed.size() > 0;
  if (scoped.seeded) scoped.seed = as_optional_int(seed[0]);
  return chosen_outputs(tf::apply_scoped_op(std::move(scoped)), outputs);
}

// ---- schemas, for the generator

nb::list allowed_types(const AttrSchema& attr) {
  nb::list names;
  for (const DType dtype : attr.allowed_types) names.append(dtype_name(dtype));
  return names;
}

/// A default as Python's text; "" where there is none, or where only C++ can hold it.
std::string default_text(const AttrSchema& attr) {
  if (!attr.default_value.has_value()) return {};
  const AttrValue& value = *attr.default_value;
  if (const auto* flag = value.get_if<bool>()) return *flag ? "True" : "False";
  if (const auto* number = value.get_if<int64_t>()) return fmt::format("{}", *number);
  if (const auto* real = value.get_if<float>()) return fmt::format("{}", *real);
  if (const auto* text = value.get_if<std::string>()) return nb::repr(nb::str(text->c_str())).c_str();
  return "None";
}

nb::dict describe(const OpSchema& schema) {
  nb::list inputs;
  nb::list inferred;
  for (const ArgSchema& arg : schema.inputs) {
    inputs.append(nb::make_tuple(arg.name, is_list(arg), arg.is_ref,
                                 arg.type_attr.empty() ? dtype_name(arg.type) : arg.type_attr));
    for (const std::string* attr : {&arg.type_attr, &arg.number_attr, &arg.type_list_attr}) {
      if (!attr->empty()) inferred.append(*attr);
    }
  }
  nb::list attrs;
  for (const AttrSchema& attr : schema.attrs) {
    constexpr const char* kTypes[] = {"bool",  "int",         "float",   "str",
                                      "DType", "TensorShape", "ndarray", "function"};
    attrs.append(nb::make_tuple(attr.name, kTypes[static_cast<int>(attr.type)], attr.is_list,
                                attr.default_value.has_value(), default_text(attr), allowed_types(attr)));
  }
  nb::list outputs;
  for (const ArgSchema& arg : schema.outputs) outputs.append(nb::make_tuple(arg.name, is_list(arg)));
  nb::dict description;
  description["name"] = schema.name;
  description["inputs"] = inputs;
  description["inferred"] = inferred;
  description["attrs"] = attrs;
  description["outputs"] = outputs;
  description["stateful"] = schema.row.stateful;
  return description;
}

nb::list arg_parts(const std::vector<ArgSchema>& args) {
  nb::list list;
  for (const ArgSchema& arg : args) {
    const bool has_type = arg.type_attr.empty() && arg.type_list_attr.empty();
    list.append(nb::make_tuple(arg.name, has_type ? static_cast<int>(base_dtype(arg.type)) : 0, arg.type_attr,
                               arg.number_attr, arg.type_list_attr, arg.is_ref));
  }
  return list;
}

/// What tf.Operation.op_def says.
nb::dict op_parts(const std::string& op) {
  constexpr const char* kTypes[] = {"bool", "int", "float", "string", "type", "shape", "tensor", "func"};
  const OpSchema& schema = schema_of(op);
  nb::list attrs;
  for (const AttrSchema& attr : schema.attrs) {
    std::string type = kTypes[static_cast<int>(attr.type)];
    if (attr.is_list) type = "list(" + type + ")";
    nb::object value = nb::none();
    if (attr.default_value.has_value()) {
      const std::string bytes = wire::encode(graph::attr_to_message(*attr.default_value));
      value = nb::bytes(bytes.data(), bytes.size());
    }
    attrs.append(nb::make_tuple(attr.name, type, value,
                                attr.minimum.has_value() ? nb::cast(*attr.minimum) : nb::none(),
                                allowed_types(attr), attr.allowed_strings));
  }
  nb::dict parts;
  parts["input_arg"] = arg_parts(schema.inputs);
  parts["output_arg"] = arg_parts(schema.outputs);
  parts["attr"] = attrs;
  parts["is_stateful"] = schema.row.stateful;
  return parts;
}

}  // namespace

void bind_ops(nb::module_& m) {
  m.def("op", &make_op, "op"_a, nb::arg("name").none(), "inputs"_a, "attrs"_a,
        "Makes a node of any op by its schema.");
  m.def("scoped_op", &make_scoped_op, "op"_a, nb::arg("name").none(), "scope"_a, "node"_a, "inputs"_a,
        "attrs"_a, "names"_a = nb::tuple(), "seed"_a = nb::tuple(), nb::arg("outputs").none() = nb::none(),
        "Makes the node of a function that is one op by another name or in a scope of its own.");
  m.def(
      "_refuse",
      [](nb::handle value, const std::string& function, const std::string& argument) {
        refuse(value, function.c_str(), argument.c_str());
      },
      nb::arg("value").none(), "function"_a, "argument"_a);
  m.def("_op_parts", &op_parts, "op"_a);
  m.def("op_schemas", [] {
    nb::list list;
    for (const std::string_view name : ops::op_table().names())
      list.append(describe(*ops::op_table().find(name)));
    return list;
  });
}

}  // namespace flowray::python
