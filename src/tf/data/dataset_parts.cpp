#include "tf/data/dataset_parts.h"

#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::tf::data {
namespace {

/// The message Metadata of one field, the name, as ops hold it. A name without a message is the empty one.
std::string metadata_of(const std::string& name) {
  if (name.empty()) return {};
  const bool is_identifier =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
          std::string::npos &&
      (name.front() < '0' || name.front() > '9');
  constexpr size_t kMost = 127;  // its length is one byte of the message
  if (!is_identifier || name.size() > kMost) {
    throw ValueError(fmt::format(
        "Invalid `name`. The argument `name` needs to be a valid identifier. Value is considered a "
        "valid identifier if it only contains alphanumeric characters (a-z), (A-Z), and (0-9), or "
        "underscores (_). A valid identifier cannot start with a number, or contain any spaces.\n"
        "The name is '{}'; it may be as long as {} characters.",
        name, kMost));
  }
  return std::string("\n") + static_cast<char>(name.size()) + name;
}

std::vector<Tensor> args_of(FunctionGraph& body, const std::vector<TensorSpec>& components) {
  std::vector<Tensor> args;
  for (const TensorSpec& spec : components) args.push_back(body.add_arg(spec.dtype, spec.shape));
  return args;
}

}  // namespace

std::vector<DType> types_of(const std::vector<TensorSpec>& spec) {
  std::vector<DType> types;
  for (const TensorSpec& component : spec) types.push_back(component.dtype);
  return types;
}

std::vector<TensorShape> shapes_of(const std::vector<TensorSpec>& spec) {
  std::vector<TensorShape> shapes;
  for (const TensorSpec& component : spec) shapes.push_back(component.shape);
  return shapes;
}

TensorShape common_shape(const TensorShape& a, const TensorShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return TensorShape::unknown_rank();
  std::vector<int64_t> dims;
  for (int i = 0; i < a.rank(); ++i) dims.push_back(a.dim(i) == b.dim(i) ? a.dim(i) : -1);
  return TensorShape(dims);
}

namespace {

std::string type_text(const TensorSpec& spec) {
  return fmt::format("TensorSpec(shape={}, dtype=tf.{}, name=None)", spec.shape.to_tuple_string(),
                     dtype_name(spec.dtype));
}

}  // namespace

std::string spec_text(const std::vector<TensorSpec>& spec) {
  if (spec.size() == 1) return type_text(spec[0]);
  std::string text;
  for (const TensorSpec& component : spec) text += (text.empty() ? "(" : ", ") + type_text(component);
  return text + ")";
}

std::vector<Tensor> components_of(DatasetCall& call, const List<Input>& tensors) {
  if (tensors.empty()) throw ValueError("Invalid `element`. `element` should not be empty.");
  const NameScope scope(call.graph(), "normalize_element");
  std::vector<Tensor> components;
  for (size_t i = 0; i < tensors.size(); ++i)
    components.push_back(to_tensor(call.graph(), tensors[i], fmt::format("component_{}", i)));
  return components;
}

TensorSpec spec_of(const Tensor& tensor) { return {base_dtype(tensor.dtype()), tensor.shape()}; }

graph::Graph& graph_of_dataset(const CalledOn& on, Input::Where where) {
  if (!on.dataset.has_value()) throw_unset_method("tf::data::Dataset", on.method, where);
  return graph_of({{"dataset", Input(on.dataset.variant_tensor())}});
}

DatasetCall::DatasetCall(const CalledOn& on, const std::string& name, Input::Where where)
    : DatasetCall(graph_of_dataset(on, where), name, where) {
  take(on.dataset.variant_tensor());
}

DatasetCall::DatasetCall(graph::Graph& graph, const std::string& name, Input::Where where)
    : CallScope(graph, where) {
  if (!name.empty()) attrs_.set("metadata", metadata_of(name));
}

DatasetCall& DatasetCall::take(const Input& input, std::string_view name, DType dtype) {
  check_set(input, name);
  const graph::Endpoint value = convert_to_endpoint(this->graph(), input, dtype, name);
  if (base_dtype(value.dtype()) != dtype) {
    throw ValueError(fmt::format("Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
                                 dtype_name(dtype), dtype_name(base_dtype(value.dtype())),
                                 tensor_text(value)));
  }
  return take(tensor_of(value));
}

DatasetCall& DatasetCall::take(const Tensor& tensor) { return take_inside(tensor); }

DatasetCall& DatasetCall::take_inside(const Input& input) {
  args_.emplace_back(input);
  return *this;
}

DatasetCall& DatasetCall::take_list(const std::vector<Tensor>& tensors) {
  args_.emplace_back(std::vector<Input>(tensors.begin(), tensors.end()));
  return *this;
}

DatasetCall& DatasetCall::set(std::string_view name, graph::AttrValue value) {
  attrs_.set(name, std::move(value));
  return *this;
}

void DatasetCall::set_elements(std::string_view op, const std::vector<TensorSpec>& spec) {
  const graph::OpSchema* const schema = graph().ops().find(op);
  const auto has = [&](std::string_view name) {
    return schema != nullptr && schema->find_attr(name) != nullptr;
  };
  if (has("output_types")) set("output_types", types_of(spec));
  if (has("output_shapes")) set("output_shapes", shapes_of(spec));
}

Dataset DatasetCall::make(std::string_view op, std::vector<TensorSpec> spec) {
  set_elements(op, spec);
  return {apply_op({.op = op, .args = std::move(args_), .attrs = std::move(attrs_)}), std::move(spec)};
}

std::vector<Tensor> DatasetCall::compute(std::string_view op, const std::vector<TensorSpec>& spec) {
  set_elements(op, spec);
  graph::Node* const node = apply_op_node({.op = op, .args = std::move(args_), .attrs = std::move(attrs_)});
  std::vector<Tensor> components;
  for (int i = 0; i < node->num_outputs(); ++i) components.push_back(tensor_of({node, i}));
  return components;
}

std::string tuple_text(const std::vector<DType>& types) {
  std::string text;
  for (const DType type : types) text += fmt::format("{}tf.{}", text.empty() ? "(" : ", ", dtype_name(type));
  return text + ")";
}

int64_t known_size(const Input& input) {
  if (input.literal() != nullptr) {
    const Array value = input.literal()->to_array(DType::kInt64);
    return value.size() == 1 ? *value.data<int64_t>() : -1;
  }
  if (input.array() != nullptr && input.array()->size() == 1)
    return *input.array()->astype(DType::kInt64).data<int64_t>();
  return -1;
}

bool is_known_true(const OptionalInput& input) {
  if (!input.has_value()) return false;
  const Array* array = input->array();
  const Array value = input->literal() != nullptr ? input->literal()->to_array(DType::kBool)
                      : array != nullptr          ? *array
                                                  : Array(false);
  return value.dtype() == DType::kBool && value.size() == 1 && *value.data<bool>();
}

std::vector<DType> ElementsFunction::captured_types() const {
  std::vector<DType> types;
  for (const Tensor& tensor : captured) types.push_back(base_dtype(tensor.dtype()));
  return types;
}

namespace {

/// What `fn` gives, in the body; `specs` says what is known of it.
std::vector<graph::Endpoint> call_in(FunctionGraph& body, const std::vector<TensorSpec>& components,
                                     const FunctionNames& names, const internal::ElementFunction& fn,
                                     std::vector<TensorSpec>& specs) {
  const LinesOfTheirOwn lines(body.graph());
  const std::vector<Input> values = fn(args_of(body, components));
  check_returned(values, names.argument);
  std::vector<graph::Endpoint> results;
  for (const Input& value : values) {
    results.push_back(body.bring_in(convert_to_endpoint(body.graph(), value, DType::kInvalid, "component")));
    specs.push_back({base_dtype(results.back().dtype()), results.back().shape()});
  }
  return results;
}

}  // namespace

ElementsFunction build_function(graph::Graph& graph, const std::vector<TensorSpec>& components,
                                const FunctionNames& names, const internal::ElementFunction& fn) {
  FunctionGraph body(graph);
  ElementsFunction function;
  std::vector<graph::Endpoint> results = call_in(body, components, names, fn, function.results);
  if (results.empty()) {
    throw ValueError(
        "Attr 'output_types' of 'MapDataset' Op passed list of length 0 less than minimum 1.\nThe function "
        "gives nothing: it must give a tensor or several.");
  }
  function.name = body.finish(names.in_library, std::move(results));
  function.captured = body.captured();
  return function;
}

namespace {

/// What is known of a state and of what the function makes of it.
std::vector<TensorSpec> relaxed(const std::vector<TensorSpec>& state, const std::vector<TensorSpec>& given) {
  std::vector<TensorSpec> known = state;
  for (size_t i = 0; i < given.size(); ++i) known[i].shape = common_shape(state[i].shape, given[i].shape);
  if (known == state || given.size() == state.size()) return known;
  throw ValueError(fmt::format(
      "Could not pack sequence. Argument `structure` had {} elements, but argument "
      "`flat_sequence` had {} elements.\nThe function must give as many tensors as the state has.",
      state.size(), given.size()));
}

}  // namespace

ElementsFunction build_state_function(graph::Graph& graph, std::vector<TensorSpec>& state,
                                      const std::vector<TensorSpec>& components,
                                      const StateFunctionNames& names, const internal::ElementFunction& fn) {
  while (true) {
    FunctionGraph body(graph);
    ElementsFunction function;
    std::vector<TensorSpec> arguments = state;
    arguments.insert(arguments.end(), components.begin(), components.end());
    std::vector<graph::Endpoint> results = call_in(body, arguments, names.function, fn, function.results);
    const size_t num_given = std::min(function.results.size(), state.size());
    const std::vector<TensorSpec> given(function.results.begin(),
                                        function.results.begin() + static_cast<std::ptrdiff_t>(num_given));
    for (size_t i = 0; i < num_given; ++i) {
      if (given[i].dtype != state[i].dtype) throw TypeError(names.misfit(types_of(state), types_of(given)));
    }
    std::vector<TensorSpec> known = relaxed(state, given);
    if (known != state) {
      state = std::move(known);
      continue;
    }
    function.name = body.finish(names.function.in_library, std::move(results));
    function.captured = body.captured();
    return function;
  }
}

ElementsFunction build_function(graph::Graph& graph, const std::vector<TensorSpec>& components,
                                const FunctionNames& names, const internal::DatasetFunction& fn) {
  FunctionGraph body(graph);
  const LinesOfTheirOwn lines(body.graph());
  const Dataset made = fn(args_of(body, components));
  if (!made.has_value()) throw_unset_result("tf::data::Dataset", names.argument, {});
  ElementsFunction function;
  function.results = made.element_spec();
  function.name = body.finish(names.in_library, {body.bring_in(endpoint_of(made.variant_tensor()))});
  function.captured = body.captured();
  return function;
}

}  // namespace flowray::tf::data
