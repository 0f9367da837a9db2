#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/constant_value.h"
#include "graph/integers.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// Elements of a constant in another shape: too few are filled up with the last one.
Array in_shape(const Array& value, const TensorShape& shape) {
  const int64_t count = shape.num_elements();
  if (value.size() == count) return value.reshape(shape);
  if (value.size() > count) {
    throw ValueError(
        fmt::format("Too many elements provided. Takes at most {}, but got {}.", count, value.size()));
  }
  if (value.size() == 0)
    throw ValueError("A constant of a shape needs at least one element to fill it with.");
  const Array last = value.reshape({value.size()}).rows(value.size() - 1, value.size());
  Array result(value.dtype(), shape);
  const auto copy = [&]<class T>(const T*) {
    T* out = result.mutable_data<T>();
    std::copy_n(value.data<T>(), value.size(), out);
    std::fill(out + value.size(), out + count, *last.data<T>());
  };
  if (value.dtype() == DType::kString) {
    copy(static_cast<const std::string*>(nullptr));
    return result;
  }
  auto* out = static_cast<std::byte*>(result.mutable_raw_data());
  const size_t width = dtype_size(value.dtype());
  std::copy_n(static_cast<const std::byte*>(value.raw_data()), value.size_bytes(), out);
  for (int64_t i = value.size(); i < count; ++i) {
    std::copy_n(static_cast<const std::byte*>(last.raw_data()), width, out + static_cast<size_t>(i) * width);
  }
  return result;
}

/// An integer, or a list of them, written in the program: an attribute, not a tensor.
std::vector<int64_t> integers_of(const Input& input, std::string_view argument) {
  check_set(input, argument);
  if (input.literal() == nullptr && input.array() == nullptr) {
    throw TypeError(fmt::format("The argument '{}' takes numbers, not a tensor.", argument));
  }
  const Array value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  if (value.size() > 0 && !is_integer(value.dtype())) {
    throw TypeError(fmt::format("Expected int for argument '{}' not {}.", argument, value.to_string()));
  }
  return graph::to_integers(value.astype(DType::kInt64));
}

}  // namespace

Tensor constant(const Input& value, const ConstantOptions& options) {
  const ErrorLine errors(value.where());
  if (value.tensor() != nullptr || value.list() != nullptr) {
    throw TypeError(
        "tf::constant takes numbers, strings, lists of them or an Array, not a tensor: use tf::identity or "
        "tf::stack.");
  }
  graph::Graph& graph = graph_of({{"value", value}});
  const UserLine line(graph, value.where());
  Array array = value.literal() != nullptr         ? value.literal()->to_array(options.dtype)
                : options.dtype == DType::kInvalid ? *value.array()
                                                   : value.array()->astype(options.dtype);
  if (options.shape) array = in_shape(array, *options.shape);
  return tensor_of(graph::Builder(graph).constant(array, options.name));
}

Tensor convert_to_tensor(const Input& value, const ConstantOptions& options) {
  graph::Graph& graph = graph_of({{"value", value}});
  const UserLine line(graph, value.where());
  const std::string name = value.list() != nullptr && options.name == "Const" ? "packed" : options.name;
  const Endpoint tensor = convert_to_endpoint(graph, value, options.dtype, name);
  if (options.dtype != DType::kInvalid && base_dtype(tensor.dtype()) != options.dtype) {
    throw ValueError(fmt::format("Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
                                 dtype_name(options.dtype), dtype_name(tensor.dtype()), tensor.name()));
  }
  return tensor_of(tensor);
}

Tensor placeholder(DType dtype, const TensorShape& shape, const NameOption& options, Input::Where where) {
  graph::Graph& graph = default_graph();
  const UserLine line(graph, where);
  return tensor_of(
      graph::Builder(graph).op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}, options.name));
}

Tensor placeholder_with_default(const Input& input, const TensorShape& shape, const NameOption& options) {
  return apply_op(
      {.op = "PlaceholderWithDefault", .name = options.name, .args = {input}, .attrs = {{"shape", shape}}});
}

Tensor identity(const Input& input, const NameOption& options) {
  return apply_op({.op = "Identity", .name = options.name, .args = {input}});
}
std::vector<Tensor> identity_n(const List<Input>& inputs, const NameOption& options) {
  const ErrorLine errors(place_in_program(inputs));
  // The op takes any dtypes, so its numbers are converted here and not by the dtype of the first.
  if (inputs.empty()) throw ValueError("tf::identity_n needs at least one tensor.");
  Composite scope({{"inputs", inputs}}, options.name, "IdentityN", place_in_program(inputs));
  std::vector<Endpoint> tensors;
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back(scope.convert(inputs[i], fmt::format("input_{}", i)));
  return Operation(scope.builder().node("IdentityN", std::move(tensors), {}, scope.result_name())).outputs();
}
Tensor stop_gradient(const Input& input, const NameOption& options) {
  return apply_op({.op = "StopGradient", .name = options.name, .args = {input}});
}

// ---- shapes

Tensor shape(const Input& input, const ShapeOptions& options) {
  Composite scope({{"input", input}}, options.name, "Shape", input.where());
  const Endpoint tensor = scope.convert(input, "Const");
  const TensorShape& known = tensor.shape();
  if (!known.is_fully_defined()) return scope.result("Shape", {tensor}, {{"out_type", options.out_type}});
  const std::vector<int64_t> dims(known.begin(), known.end());
  return tensor_of(scope.builder().constant(Array(dims).astype(options.out_type), scope.result_name()));
}

std::vector<Tensor> shape_n(const List<Input>& inputs, const ShapeOptions& options) {
  (void)graph_of({{"inputs", inputs}});
  return Operation(apply_op_node({.op = "ShapeN",
                                  .name = options.name,
                                  .args = {inputs.items()},
                                  .attrs = {{"out_type", options.out_type}},
                                  .where = inputs.where()}))
      .outputs();
}

Tensor size(const Input& input, const ShapeOptions& options) {
  Composite scope({{"input", input}}, options.name, "Size", input.where());
  const Endpoint tensor = scope.convert(input, "Const");
  const TensorShape& known = tensor.shape();
  const bool empty = std::find(known.begin(), known.end(), 0) != known.end();
  if (!known.is_fully_defined() && !empty)
    return scope.result("Size", {tensor}, {{"out_type", options.out_type}});
  const int64_t count = empty ? 0 : known.num_elements();
  return tensor_of(scope.builder().constant(Array(count).astype(options.out_type), scope.result_name()));
}

Tensor rank(const Input& input, const NameOption& options) {
  Composite scope({{"input", input}}, options.name, "Rank", input.where());
  const Endpoint tensor = scope.convert(input, "Const");
  if (!tensor.shape().has_rank()) return scope.result("Rank", {tensor});
  return tensor_of(scope.builder().constant(Array(int32_t{tensor.shape().rank()}), scope.result_name()));
}

Tensor reshape(const Input& tensor, const Input& shape, const NameOption& options) {
  return apply_op({.op = "Reshape", .name = options.name, .args = {tensor, shape}});
}
Tensor expand_dims(const Input& input, const Input& axis, const NameOption& options) {
  const ErrorLine errors(input.where());
  check_set(axis, "axis");
  return apply_op({.op = "ExpandDims", .name = options.name, .args = {input, axis}});
}

Tensor squeeze(const Input& input, const SqueezeOptions& options) {
  const ErrorLine errors(input.where());
  if (options.axis.has_value() && options.squeeze_dims.has_value())
    throw ValueError("Cannot specify both 'squeeze_dims' and 'axis'.");
  std::vector<int64_t> dims;
  if (options.axis.has_value()) dims = integers_of(*options.axis, "axis");
  if (options.squeeze_dims.has_value()) dims = integers_of(*options.squeeze_dims, "squeeze_dims");
  return apply_op(
      {.op = "Squeeze", .name = options.name, .args = {input}, .attrs = {{"squeeze_dims", dims}}});
}

Tensor broadcast_to(const Input& input, const Input& shape, const NameOption& options) {
  return apply_op({.op = "BroadcastTo", .name = options.name, .args = {input, shape}});
}

Tensor transpose(const Input& x, const TransposeOptions& options) {
  Composite scope({{"x", x}, {"perm", options.perm}}, options.name, "transpose", x.where());
  const Tensor tensor = scope.convert(x, "a");
  const auto transposed = [&](const Input& perm) {
    return apply_op({.op = "Transpose", .name = scope.result_name(), .args = {tensor, perm}});
  };
  if (options.perm.has_value()) return transposed(*options.perm);
  if (!tensor.shape().has_rank()) {
    const Tensor last = tensor_of(scope.op("Rank", {tensor})) - 1;
    return transposed(apply_op({.op = "Range", .args = {last, -1, -1}}));
  }
  std::vector<int32_t> perm(static_cast<size_t>(tensor.shape().rank()));
  std::iota(perm.rbegin(), perm.rend(), 0);
  return transposed(Array(perm));
}

Tensor matrix_transpose(const Input& x, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "matrix_transpose", x.where());
  const Tensor tensor = scope.convert(x, "a");
  const int rank = tensor.shape().rank();
  if (!tensor.shape().has_rank()) {
    const Tensor tensor_rank = tf::rank(tensor);
    const Tensor front = apply_op({.op = "Range", .args = {0, tensor_rank - 2, 1}});
    return transpose(tensor, concat({front, {tensor_rank - 1, tensor_rank - 2}}, 0));
  }
  if (rank < 2) {
    throw ValueError(fmt::format(
        "Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {} with shape: {}",
        tensor.name(), tensor.shape().to_tuple_string()));
  }
  std::vector<int32_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(tensor, Array(perm));
}

// ---- together and apart

Tensor concat(const List<Input>& values, const Input& axis, const NameOption& options) {
  const ErrorLine errors(place_in_program(values));
  const std::string name = options.name.empty() ? "concat" : options.name;
  if (values.empty()) throw ValueError("tf::concat needs at least one tensor.");
  if (values.size() > 1) {
    return apply_op(
        {.op = "ConcatV2", .name = name, .args = {values.items(), axis}, .where = values.where()});
  }
  Composite scope({{"values", values}, {"axis", axis}}, name, name, place_in_program(values));
  const Endpoint dim = scope.convert(axis, "concat_dim", DType::kInt32);
  if (dim.shape().has_rank() && dim.shape().rank() != 0) {
    throw ValueError(fmt::format("Shape {} must have rank 0", dim.shape().to_tuple_string()));
  }
  return identity(values.front(), {.name = name});
}

Tensor stack(const List<Input>& values, const StackOptions& options) {
  const ErrorLine errors(place_in_program(values));
  if (values.empty()) throw ValueError("tf::stack needs at least one tensor.");
  graph::Graph& graph = graph_of({{"values", values}});
  const UserLine line(graph, place_in_program(values));
  if (options.axis == 0) {
    const bool plain =
        std::all_of(values.begin(), values.end(), [](const Input& v) { return v.literal() != nullptr; });
    std::vector<Literal> literals;
    for (const Input& value : values) {
      if (plain) literals.push_back(*value.literal());
    }
    if (plain)
      return tensor_of(graph::Builder(graph).constant(Literal::list(literals).to_array(), options.name));
    return tensor_of(pack_inputs(graph, values, DType::kInvalid, options.name));
  }
  const Endpoint first = convert_to_endpoint(graph, values.front(), DType::kInvalid, options.name);
  const int64_t rank = first.shape().has_rank() ? first.shape().rank() + 1 : -1;
  if (rank >= 0 && (options.axis < -rank || options.axis >= rank)) {
    throw ValueError(fmt::format("Argument `axis` = {} not in range [{}, {})", options.axis, -rank, rank));
  }
  return apply_op(
      {.op = "Pack", .name = options.name, .args = {values.items()}, .attrs = {{"axis", options.axis}}});
}

std::vector<Tensor> unstack(const Input& value, const UnstackOptions& options) {
  graph::Graph& graph = graph_of({{"value", value}});
  const UserLine line(graph, value.where());
  const Endpoint tensor = convert_to_endpoint(graph, value, DType::kInvalid, "Const");
  const TensorShape& known = tensor.shape();
  std::optional<int64_t> num = options.num;
  if (!num && known.has_rank()) {
    if (options.axis < -known.rank() || options.axis >= known.rank()) {
      throw ValueError(fmt::format("Argument `axis` = {} not in range [{}, {})", options.axis, -known.rank(),
                                   known.rank()));
    }
    const int64_t dim = known.dim(static_cast<int>(options.axis));
    if (dim >= 0) num = dim;
  }
  if (!num)
    throw ValueError(fmt::format("Cannot infer argument `num` from shape {}", known.to_tuple_string()));
  return Operation(apply_op_node({.op = "Unpack",
                                  .name = options.name,
                                  .args = {Input(tensor_of(tensor), value.where())},
                                  .attrs = {{"num", *num}, {"axis", options.axis}}}))
      .outputs();
}

std::vector<Tensor> split(const Input& value, const Input& num_or_size_splits, const SplitOptions& options) {
  graph::Graph& graph =
      graph_of({{"value", value}, {"num_or_size_splits", num_or_size_splits}, {"axis", options.axis}});
  const Input axis = options.axis.has_value() ? *options.axis : Input(0, value.where());
  const bool is_tensor = num_or_size_splits.tensor() != nullptr || num_or_size_splits.list() != nullptr;
  const Array number = is_tensor                               ? Array()
                       : num_or_size_splits.array() != nullptr ? *num_or_size_splits.array()
                                                               : num_or_size_splits.literal()->to_array();
  if (number.has_value() && number.rank() == 0) {
    return Operation(apply_op_node({.op = "Split",
                                    .name = options.name,
                                    .args = {axis, value},
                                    .attrs = {{"num_split", number.astype(DType::kInt64).item<int64_t>()}}}))
        .outputs();
  }
  const UserLine line(graph, value.where());
  const Tensor sizes = tensor_of(
      convert_to_endpoint(graph, num_or_size_splits, DType::kInvalid, is_tensor ? "packed" : "Const"));
  if (sizes.shape().rank() == 0) {
    throw ValueError("Rank-0 tensors are not supported as the num_or_size_splits argument to split.");
  }
  const int64_t num = options.num ? *options.num : sizes.shape().rank() == 1 ? sizes.shape().dim(0) : -1;
  if (num < 0)
    throw ValueError(
        fmt::format("Cannot infer argument `num` from shape {}", sizes.shape().to_tuple_string()));
  return Operation(apply_op_node({.op = "SplitV",
                                  .name = options.name,
                                  .args = {value, sizes, axis},
                                  .attrs = {{"num_split", num}}}))
      .outputs();
}

// ---- parts

Tensor slice(const Input& input, const Input& begin, const Input& size, const NameOption& options) {
  return apply_op({.op = "Slice", .name = options.name, .args = {input, begin, size}});
}

Tensor strided_slice(const Input& input, const Input& begin, const Input& end, const Input& strides,
                     const StridedSliceOptions& options) {
  return apply_op({.op = "StridedSlice",
                   .name = options.name,
                   .args = {input, begin, end, strides},
                   .attrs = {{"begin_mask", options.begin_mask},
                             {"end_mask", options.end_mask},
                             {"ellipsis_mask", options.ellipsis_mask},
                             {"new_axis_mask", options.new_axis_mask},
                             {"shrink_axis_mask", options.shrink_axis_mask}}});
}

Tensor strided_slice(const Input& input, const Input& begin, const Input& end,
                     const StridedSliceOptions& options) {
  const CallScope call({{"input", input}, {"begin", begin}, {"end", end}});
  const Tensor ones = ones_like(begin);
  return strided_slice(input, begin, end, Input(ones, input.where()), options);
}

namespace {

bool is_zero(const Input& axis) {
  if (axis.literal() == nullptr && axis.array() == nullptr) return false;
  const Array value = axis.literal() != nullptr ? axis.literal()->to_array() : *axis.array();
  return is_integer(value.dtype()) && value.size() == 1 && value.astype(DType::kInt64).item<int64_t>() == 0;
}

}  // namespace

Tensor gather(const Input& params, const Input& indices, const GatherOptions& options) {
  const Input axis =
      options.axis.has_value() ? *options.axis : Input(static_cast<int>(options.batch_dims), params.where());
  // Of a resource variable only the rows are read.
  if (params.reference().has_value() && params.reference().dtype() == DType::kResource && is_zero(axis)) {
    return apply_op({.op = "ResourceGather",
                     .name = options.name.empty() ? "Gather" : options.name,
                     .args = {params, indices},
                     .attrs = {{"dtype", params.reference().node()->attrs().get<DType>("dtype")}}});
  }
  return apply_op({.op = "GatherV2",
                   .name = options.name,
                   .args = {params, indices, axis},
                   .attrs = {{"batch_dims", options.batch_dims}}});
}

Tensor where(const Input& condition, const Input& x, const Input& y, const NameOption& options) {
  const ErrorLine errors(condition.where());
  check_set(x, "x");
  check_set(y, "y");
  return apply_op({.op = "Select", .name = options.name, .args = {condition, x, y}});
}
Tensor where(const Input& condition, const NameOption& options) {
  Composite scope({{"condition", condition}}, options.name, "Where", condition.where());
  return scope.result("Where", {convert_with_hint(scope.graph(), condition, DType::kBool, "condition")});
}
Tensor where_v2(const Input& condition, const Input& x, const Input& y, const NameOption& options) {
  const ErrorLine errors(condition.where());
  check_set(x, "x");
  check_set(y, "y");
  return apply_op({.op = "SelectV2", .name = options.name, .args = {condition, x, y}});
}

// ---- repeated and moved

Tensor tile(const Input& input, const Input& multiples, const NameOption& options) {
  return apply_op({.op = "Tile", .name = options.name, .args = {input, multiples}});
}

Tensor pad(const Input& tensor, const Input& paddings, const PadOptions& options) {
  const ErrorLine errors(tensor.where());
  check_set(tensor, "tensor");
  std::string mode = options.mode;
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (mode == "REFLECT" || mode == "SYMMETRIC") {
    return apply_op(
        {.op = "MirrorPad", .name = options.name, .args = {tensor, paddings}, .attrs = {{"mode", mode}}});
  }
  if (mode != "CONSTANT") {
    throw ValueError(fmt::format(
        "Value of argument `mode` expected to be one of \"CONSTANT\", \"REFLECT\", or \"SYMMETRIC\". "
        "Received `mode` = {}",
        mode));
  }
  const Literal* number = options.constant_values.literal();
  const Array value = number == nullptr ? Array() : number->to_array();
  const bool zero = value.has_value() && value.rank() == 0 && value == Array(value.dtype(), {});
  if (zero) return apply_op({.op = "Pad", .name = options.name, .args = {tensor, paddings}});
  return apply_op({.op = "PadV2", .name = options.name, .args = {tensor, paddings, options.constant_values}});
}

Tensor reverse(const Input& tensor, const Input& axis, const NameOption& options) {
  return apply_op({.op = "ReverseV2", .name = options.name, .args = {tensor, axis}});
}
Tensor invert_permutation(const Input& x, const NameOption& options) {
  return apply_op({.op = "InvertPermutation", .name = options.name, .args = {x}});
}

Tensor one_hot(const Input& indices, const Input& depth, const OneHotOptions& options) {
  Composite scope({{"indices", indices},
                   {"depth", depth},
                   {"on_value", options.on_value},
                   {"off_value", options.off_value}},
                  options.name, "one_hot", indices.where());
  DType dtype = options.dtype;
  const auto convert = [&](const OptionalInput& value, std::string_view argument) {
    if (!value.has_value()) return Endpoint();
    const Endpoint tensor = convert_with_hint(scope.graph(), *value, options.dtype, "Const");
    const DType own = base_dtype(tensor.dtype());
    if (options.dtype != DType::kInvalid && own != options.dtype) {
      throw TypeError(fmt::format("dtype <dtype: '{}'> of {} does not match dtype parameter <dtype: '{}'>",
                                  dtype_name(own), argument, dtype_name(options.dtype)));
    }
    if (dtype == DType::kInvalid) dtype = own;
    return tensor;
  };
  Endpoint on = convert(options.on_value, "on_value");
  Endpoint off = convert(options.off_value, "off_value");
  if (dtype == DType::kInvalid) dtype = DType::kFloat32;
  if (!on) on = scope.builder().constant(Array(1).astype(dtype), "on_value");
  if (!off) off = scope.builder().constant(Array(0).astype(dtype), "off_value");
  if (on.dtype() != off.dtype()) {
    throw TypeError(
        fmt::format("dtype <dtype: '{}'> of on_value does not match dtype <dtype: '{}'> of off_value",
                    dtype_name(base_dtype(on.dtype())), dtype_name(base_dtype(off.dtype()))));
  }
  return apply_op({.op = "OneHot",
                   .name = scope.result_name(),
                   .args = {indices, depth, tensor_of(on), tensor_of(off)},
                   .attrs = {{"axis", options.axis}}});
}

std::optional<Array> get_static_value(const Tensor& tensor, Input::Where where) {
  const ErrorLine errors(where);
  const Array value = graph::constant_value({&node_of(tensor, "tensor"), tensor.value_index()});
  return value.has_value() ? std::optional(value) : std::nullopt;
}

}  // namespace flowray::tf
