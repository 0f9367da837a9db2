#include "tf/build/apply_op.h"

#include "graph/signature.h"
#include "tf/build/eager_variable.h"
#include "tf/build/function_graph.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace flowray::tf {
namespace {

/// Finds the first tensor among inputs and the lists in them, and checks that the others are of its graph.
/// The body of a function takes tensors of any: there it is that one.
class GraphFinder {
 public:
  void look_at(const Input& input) {
    if (function_ != nullptr) return;
    if (const std::vector<Input>* list = input.list()) {
      for (const Input& item : *list) look_at(item);
    }
    const Tensor* tensor = input.reference().has_value() ? &input.reference() : input.tensor();
    if (tensor == nullptr || !tensor->has_value()) return;
    if (tensor->node()->is_value()) return;  // a constant in any graph
    if (first_ == nullptr) first_ = tensor;
    if (&tensor->node()->graph() == &first_->node()->graph()) return;
    const ErrorLine line(input.where());
    throw ValueError(fmt::format("{} must be from the same graph as {}.{}{}", tensor_text(*tensor),
                                 tensor_text(*first_), FunctionGraph::advice_for(*tensor->node()),
                                 FunctionGraph::advice_for(*first_->node())));
  }

  graph::Graph& graph() const {
    if (function_ != nullptr) return function_->graph();
    return first_ == nullptr ? default_graph() : first_->node()->graph();
  }

 private:
  const FunctionGraph* const function_ = FunctionGraph::current();
  const Tensor* first_ = nullptr;
};

graph::Graph& graph_of_tensors(const std::vector<const Input*>& inputs) {
  GraphFinder finder;
  for (const Input* input : inputs) finder.look_at(*input);
  return finder.graph();
}

/// The dtype of the first tensor or array in a list, at whatever depth.
DType dtype_in(const std::vector<Input>& list) {
  for (const Input& item : list) {
    if (item.tensor() != nullptr && item.tensor()->has_value()) return base_dtype(item.tensor()->dtype());
    if (item.array() != nullptr) return item.array()->dtype();
    const DType inner = item.list() == nullptr ? DType::kInvalid : dtype_in(*item.list());
    if (inner != DType::kInvalid) return inner;
  }
  return DType::kInvalid;
}

std::vector<const Input*> all_inputs(const std::vector<OpArg>& args) {
  std::vector<const Input*> inputs;
  for (const OpArg& arg : args) {
    if (const auto* one = std::get_if<Input>(&arg)) {
      inputs.push_back(one);
    } else {
      for (const Input& item : std::get<std::vector<Input>>(arg)) inputs.push_back(&item);
    }
  }
  return inputs;
}

/// Turns the arguments of one call into endpoints, in the order of the schema.
class ArgumentConverter {
 public:
  ArgumentConverter(graph::Graph& graph, const graph::OpSchema& schema, const graph::Attrs& attrs)
      : graph_(graph), schema_(schema) {
    for (const auto& [name, value] : attrs.items()) {
      if (const auto* dtype = value.get_if<DType>()) types_[name] = *dtype;
    }
  }

  void convert(const graph::ArgSchema& arg, const OpArg& value) {
    if (const auto* one = std::get_if<Input>(&value)) {
      add(arg, *one, arg.name);
      return;
    }
    const auto& list = std::get<std::vector<Input>>(value);
    check_all_set(list, arg.name);
    // A list is of the dtype of its first tensor, so that numbers among tensors fit.
    for (const Input& item : list) {
      if (item.tensor() != nullptr && !arg.type_attr.empty()) {
        types_.try_emplace(arg.type_attr, base_dtype(item.tensor()->dtype()));
        break;
      }
    }
    for (size_t i = 0; i < list.size(); ++i) add(arg, list[i], fmt::format("{}_{}", arg.name, i));
  }

  std::vector<graph::Endpoint> endpoints;
  std::vector<std::string> colocation;

 private:
  void add(const graph::ArgSchema& arg, const Input& input, std::string_view name) {
    graph::Endpoint endpoint;
    const bool by_handle = arg.type_attr.empty() && arg.type == DType::kResource;
    if ((arg.is_ref || by_handle) && input.reference().has_value()) {
      endpoint = reference_in(graph_, input.reference());
      if (by_handle) endpoint = convert_to_endpoint(graph_, tensor_of(endpoint), DType::kInvalid, name);
    } else {
      endpoint = convert(arg, input, name);
    }
    if (!arg.type_attr.empty()) types_.try_emplace(arg.type_attr, base_dtype(endpoint.dtype()));
    if (arg.is_ref && !graph_.is_eager()) {
      const auto groups = colocation_groups(*endpoint.node);
      colocation.insert(colocation.end(), groups.begin(), groups.end());
    }
    endpoints.push_back(endpoint);
  }

  graph::Endpoint convert(const graph::ArgSchema& arg, const Input& input, std::string_view name) {
    if (input.tensor() != nullptr) return convert_to_endpoint(graph_, input, DType::kInvalid, name);
    const auto known = types_.find(arg.type_attr);
    const DType wanted = arg.type_attr.empty()   ? arg.type
                         : known == types_.end() ? DType::kInvalid
                                                 : known->second;
    if (wanted != DType::kInvalid || arg.type_attr.empty()) return convert_to(arg, input, wanted, name);
    const graph::AttrSchema* attr = schema_.find_attr(arg.type_attr);
    if (attr == nullptr || !attr->default_value.has_value()) {
      return convert_to_endpoint(graph_, input, DType::kInvalid, name);
    }
    // The attribute's default is a preference, for what does not fit by itself: an empty list, which is
    // float32. Python tries it first and leaves that constant in the graph.
    const auto& allowed = attr->allowed_types;
    if (!allowed.empty()) {
      const graph::Endpoint natural = convert_to_endpoint(graph_, input, DType::kInvalid, name);
      if (std::find(allowed.begin(), allowed.end(), base_dtype(natural.dtype())) != allowed.end())
        return natural;
    }
    return convert_with_hint(graph_, input, attr->default_value->get<DType>(), name);
  }

  graph::Endpoint convert_to(const graph::ArgSchema& arg, const Input& input, DType wanted,
                             std::string_view name) {
    try {
      return convert_to_endpoint(graph_, input, wanted, name);
    } catch (const TypeError& error) {
      throw TypeError(
          fmt::format("Expected {} passed to parameter '{}' of op '{}', got a value of another type instead. "
                      "Error: {}",
                      dtype_name(wanted), arg.name, schema_.name, error.message()));
    }
  }

  graph::Graph& graph_;
  const graph::OpSchema& schema_;
  std::map<std::string, DType, std::less<>> types_;
};

}  // namespace

void Argument::check_set() const {
  if (is_list_) {
    check_all_set(inputs_, name_);
  } else if (!inputs_.empty()) {
    tf::check_set(input(), name_);
  }
}

graph::Graph& graph_of(std::initializer_list<Argument> arguments, Input::Where where) {
  for (const Argument& argument : arguments)
    where = first_in_program(where, place_in_program(argument.inputs()));
  const ErrorLine line(where);
  GraphFinder finder;
  for (const Argument& argument : arguments) {
    argument.check_set();
    for (const Input& input : argument.inputs()) finder.look_at(input);
  }
  return finder.graph();
}

graph::Graph& graph_of(const std::vector<OpArg>& args) { return graph_of_tensors(all_inputs(args)); }

graph::Endpoint convert_to_endpoint(graph::Graph& graph, const Input& input, DType dtype,
                                    std::string_view name) {
  check_set(input, name);
  if (const Tensor* tensor = input.tensor()) {
    if (&tensor->node()->graph() == &graph) return endpoint_of(*tensor);
    FunctionGraph* const function = FunctionGraph::current();
    return function != nullptr && &function->graph() == &graph ? function->bring_in(endpoint_of(*tensor))
                                                               : endpoint_of(*tensor);
  }
  if (const std::vector<Input>* list = input.list()) return pack_inputs(graph, *list, DType::kInvalid, name);
  const Array value = input.literal() != nullptr ? input.literal()->to_array(dtype)
                      : dtype == DType::kInvalid ? *input.array()
                                                 : input.array()->astype(dtype);
  return graph::Builder(graph).constant(value, name);
}

graph::Endpoint convert_with_hint(graph::Graph& graph, const Input& input, DType hint,
                                  std::string_view name) {
  if (input.array() != nullptr || input.literal() != nullptr) {
    try {
      const Array value =
          input.array() != nullptr ? input.array()->astype(hint) : input.literal()->to_array(hint);
      return graph::Builder(graph).constant(value, name);
    } catch (const TypeError&) {  // NOLINT: then it is what it is by itself
    }
  }
  return convert_to_endpoint(graph, input, DType::kInvalid, name);
}

graph::Endpoint pack_inputs(graph::Graph& graph, const std::vector<Input>& list, DType dtype,
                            std::string_view name) {
  if (dtype == DType::kInvalid) dtype = dtype_in(list);
  const graph::NameScope scope(graph, name);
  std::vector<graph::Endpoint> items(list.size());
  // Inner lists come first, then the constants: Python's order.
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].list() != nullptr) items[i] = pack_inputs(graph, *list[i].list(), dtype, std::to_string(i));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!items[i]) items[i] = convert_to_endpoint(graph, list[i], dtype, std::to_string(i));
  }
  return graph::Builder(graph).op("Pack", std::move(items), {}, scope.path());
}

std::vector<std::string> colocation_groups(const graph::Node& node) {
  if (const graph::AttrValue* groups = node.attrs().find("_class"))
    return groups->get<std::vector<std::string>>();
  return {"loc:@" + node.name()};
}

namespace {

/// The common call of eager execution: all arguments are values. Null for another one.
graph::Node* apply_to_values(graph::Graph& graph, const OpCall& call) {
  std::vector<graph::Endpoint> inputs;
  inputs.reserve(call.args.size());
  Input::Where where = call.where;
  for (const OpArg& arg : call.args) {
    const auto* const one = std::get_if<Input>(&arg);
    if (one == nullptr || one->reference().has_value()) return nullptr;
    const Tensor* const tensor = one->tensor();
    if (tensor == nullptr || !tensor->is_eager()) return nullptr;
    where = first_in_program(where, one->where());
    inputs.push_back(endpoint_of(*tensor));
  }
  const ErrorLine errors(where);
  return graph.add({.op = call.op, .name = call.name, .inputs = std::move(inputs), .attrs = call.attrs});
}

/// Whether inputs in a row do not tell how long each list is (SparseCrossHashed).
bool has_lists_of_both_kinds(const graph::OpSchema& schema) {
  const auto has = [&](std::string graph::ArgSchema::* attr) {
    return std::ranges::any_of(schema.inputs,
                               [&](const graph::ArgSchema& arg) { return !(arg.*attr).empty(); });
  };
  return has(&graph::ArgSchema::number_attr) && has(&graph::ArgSchema::type_list_attr);
}

/// Sets the attribute that says how long the list is, unless the caller has.
void note_list(const graph::ArgSchema& arg, std::span<const graph::Endpoint> list, graph::Attrs& attrs) {
  if (!arg.number_attr.empty()) {
    if (!attrs.contains(arg.number_attr)) attrs.set(arg.number_attr, static_cast<int64_t>(list.size()));
  } else if (!arg.type_list_attr.empty() && !attrs.contains(arg.type_list_attr)) {
    std::vector<DType> dtypes;
    for (const graph::Endpoint& one : list) dtypes.push_back(base_dtype(one.dtype()));
    attrs.set(arg.type_list_attr, std::move(dtypes));
  }
}

}  // namespace

graph::Node* apply_op_node(const OpCall& call) {
  if (graph::Graph& eager = default_graph(); eager.is_eager() && !call.args.empty()) {
    const graph::ValuePool::Call in_call;
    if (graph::Node* const node = apply_to_values(eager, call)) return node;
  }
  const std::vector<const Input*> inputs = all_inputs(call.args);
  graph::Graph& graph = graph_of_tensors(inputs);
  const graph::OpSchema* schema = graph.ops().find(call.op);
  if (schema == nullptr || schema->inputs.size() != call.args.size()) {
    throw errors::InternalError(
        fmt::format("apply_op: no op '{}' of {} arguments", call.op, call.args.size()));
  }
  const UserLine line(graph, first_in_program(call.where, place_in_program(inputs)));
  const graph::NameScope scope(graph, call.name.empty() ? call.op : call.name);
  ArgumentConverter converter(graph, *schema, call.attrs);
  graph::Attrs attrs = call.attrs;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const size_t begin = converter.endpoints.size();
    converter.convert(schema->inputs[i], call.args[i]);
    if (std::holds_alternative<std::vector<Input>>(call.args[i]) && has_lists_of_both_kinds(*schema))
      note_list(schema->inputs[i], std::span(converter.endpoints).subspan(begin), attrs);
  }
  const ColocationGuard colocated(converter.colocation.empty() ? nullptr : &graph, converter.colocation);
  return graph.add({.op = call.op,
                    .name = scope.path(),
                    .inputs = std::move(converter.endpoints),
                    .attrs = std::move(attrs)});
}

Tensor apply_op(const OpCall& call) { return {apply_op_node(call), 0}; }

}  // namespace flowray::tf
