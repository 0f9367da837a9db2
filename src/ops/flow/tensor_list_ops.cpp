/// The ops that make, change and read lists (TensorList): what loops of version 2 collect their values in.
#include "ops/elements/tensor_list.h"

#include "core/checked_size.h"
#include "core/wrapping.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/copy_elements.h"
#include "ops/elements/variant_elements.h"
#include "ops/flow/register.h"
#include "ops/flow/tensor_list_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::DynamicCall;
using graph::ShapeContext;

constexpr std::string_view kElements = "elements of a TensorList";

// ---- what inputs say

DType element_dtype(const DynamicCall& call) { return call.attrs().get<DType>("element_dtype"); }

const TensorList& list_for_op(DynamicCall& call) {
  const TensorList& list = list_of(call.in(0));
  if (list.dtype == element_dtype(call)) return list;
  throw InvalidArgumentError(fmt::format("Invalid data types; op elements {} but list elements {}",
                                         dtype_kernel_name(element_dtype(call)),
                                         dtype_kernel_name(list.dtype)));
}

std::vector<int64_t> integers(const Array& array) {
  const Array wide = array.astype(DType::kInt64);
  return {wide.data<int64_t>(), wide.data<int64_t>() + wide.size()};
}

/// An input that holds a shape: -1 for unknown rank, -1 in it for unknown dimensions.
Shape shape_in(const Array& input) {
  const std::vector<int64_t> dims = integers(input);
  if (input.rank() == 0) {
    if (dims[0] == -1) return Shape::unknown_rank();
    throw InvalidArgumentError(
        "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  if (input.rank() > 1) {
    throw InvalidArgumentError(fmt::format("Shape must be at most rank 1 but is rank {}", input.rank()));
  }
  for (const int64_t dim : dims) {
    if (dim < -1) throw InvalidArgumentError(fmt::format("Dimension {} must be >= -1", dim));
  }
  return Shape(dims);
}

Shape merged(const Shape& a, const Shape& b) {
  if (a.is_compatible_with(b)) return a.merge_with(b);
  throw InvalidArgumentError(fmt::format("PartialTensorShape: Incompatible shapes during merge: {} vs. {}",
                                         a.to_string(), b.to_string()));
}

int32_t scalar(const Array& input) {
  if (input.size() == 1) return input.item<int32_t>();
  throw InvalidArgumentError(fmt::format("Expected a scalar, but got shape: {}", input.shape().to_string()));
}

Array zeros(DType dtype, const Shape& shape) {
  return dtype == DType::kVariant ? graph::empty_variant() : Array(dtype, shape);
}

/// As far as it is known from `asked`, the list and, where these do not tell, its elements.
Shape element_shape(const TensorList& list, const Shape& asked) {
  Shape shape = merged(asked, list.element_shape);
  for (int64_t i = 0; i < list.elements().size() && !shape.is_fully_defined(); ++i) {
    if (list.elements()[i].has_value()) shape = merged(shape, list.elements()[i].shape());
  }
  return shape;
}

Shape row_shape(const Array& values) {
  if (values.rank() > 0) return Shape(values.shape().dims().subspan(1));
  throw InvalidArgumentError(
      fmt::format("Tensor must be at least a vector, but saw shape: {}", values.shape().to_string()));
}

Shape checked_row_shape(const Array& values, const Shape& asked) {
  const Shape shape = row_shape(values);
  if (asked.is_compatible_with(shape)) return shape;
  throw InvalidArgumentError(fmt::format("Specified a list with shape {} from a tensor with shape {}",
                                         asked.to_string(), shape.to_string()));
}

// ---- making lists

void empty_list(DynamicCall& call) {
  if (call.in(1).rank() != 0) {
    throw InvalidArgumentError(fmt::format("max_num_elements expected to be a scalar but got shape: {}",
                                           call.in(1).shape().to_string()));
  }
  TensorList list;
  list.dtype = element_dtype(call);
  list.element_shape = shape_in(call.in(0));
  list.max_size = call.in(1).item<int32_t>();
  call.set_out(0, handle_of(std::move(list)));
}

void reserve(DynamicCall& call) {
  TensorList list;
  list.dtype = element_dtype(call);
  list.element_shape = shape_in(call.in(0));
  if (call.in(1).size() != 1) {
    throw InvalidArgumentError(fmt::format("The num_elements to reserve must be a tensor size 1, but got {}",
                                           call.in(1).shape().to_string()));
  }
  const int32_t size = call.in(1).item<int32_t>();
  if (size < 0) {
    throw InvalidArgumentError(
        fmt::format("The num_elements to reserve must be a non negative number, but got {}", size));
  }
  list.resize(checked_count(kElements, size));
  call.set_out(0, handle_of(std::move(list)));
}

void from_tensor(DynamicCall& call) {
  const Array& values = call.in(0);
  TensorList list;
  list.dtype = element_dtype(call);
  (void)row_shape(values);
  list.element_shape = shape_in(call.in(1));
  const Shape shape = checked_row_shape(values, list.element_shape);
  (void)checked_count(kElements, values.dim(0));  // rows without elements may be any number
  for (int64_t i = 0; i < values.dim(0); ++i) list.push_back(row_of(values, i));
  call.set_out(0, handle_of(std::move(list)));
}

void list_split(DynamicCall& call) {
  const Array& values = call.in(0);
  TensorList list;
  list.dtype = element_dtype(call);
  if (call.in(2).rank() != 1) {
    throw InvalidArgumentError(
        fmt::format("Expected lengths to be a vector, received shape: {}", call.in(2).shape().to_string()));
  }
  (void)row_shape(values);
  list.element_shape = shape_in(call.in(1));
  int64_t used = 0;
  for (const int64_t length : integers(call.in(2))) {
    if (length < 0) throw InvalidArgumentError(fmt::format("Invalid value in lengths: {}", length));
    if (length > values.dim(0) - used) {
      throw InvalidArgumentError(fmt::format("Attempting to slice [{}, {}] from tensor with length {}", used,
                                             wrapping_add(used, length), values.dim(0)));
    }
    list.push_back(rows_of(values, used, used + length));
    used += length;
  }
  if (used < values.dim(0)) {
    throw InvalidArgumentError(
        fmt::format("Unused values in tensor. Length of tensor: {} Values used: {}", values.dim(0), used));
  }
  call.set_out(0, handle_of(std::move(list)));
}

/// Row i goes to index i of `indices`; the list has `size` elements, or as many as it takes.
void scatter_rows(TensorList& list, const Array& values, const Array& indices, int64_t size) {
  const std::vector<int64_t> places = integers(indices);
  if (static_cast<int64_t>(places.size()) != values.dim(0)) {
    throw InvalidArgumentError(fmt::format("Invalid number of rows in input tensor. Expected: {} Actual: {}",
                                           places.size(), values.dim(0)));
  }
  int64_t last = -1;
  for (const int64_t place : places) {
    if (place < 0) throw InvalidArgumentError("Indices in TensorListScatter must all be non-negative.");
    if (size >= 0 && place >= size) {
      throw InvalidArgumentError(
          fmt::format("TensorListScatter: Trying to scatter at index {} in list with size {}", place, size));
    }
    last = std::max(last, place);
  }
  list.resize(checked_count(kElements, std::max({list.elements().size(), size, last + 1})));
  for (size_t i = 0; i < places.size(); ++i) {
    list.set(places[i], row_of(values, static_cast<int64_t>(i)));
  }
}

void list_scatter(DynamicCall& call) {
  TensorList list;
  list.dtype = element_dtype(call);
  (void)row_shape(call.in(0));
  list.element_shape = shape_in(call.in(2));
  const Shape row = checked_row_shape(call.in(0), list.element_shape);
  int64_t size = -1;
  if (call.num_inputs() > 3) size = scalar(call.in(3));
  if (size < -1) {
    throw InvalidArgumentError(fmt::format("TensorListScatter expects num_elements >= -1, found: {}", size));
  }
  scatter_rows(list, call.in(0), call.in(1), size);
  call.set_out(0, handle_of(std::move(list)));
}

void scatter_into_list(DynamicCall& call) {
  TensorList list = list_for_op(call);
  (void)row_shape(call.in(1));
  scatter_rows(list, call.in(1), call.in(2), -1);
  call.set_out(0, handle_of(std::move(list)));
}

// ---- changing lists

void push_back(DynamicCall& call) {
  TensorList list = list_of(call.in(0));
  const Array& value = call.in(1);
  if (list.dtype != element_dtype(call)) {
    throw InvalidArgumentError(fmt::format("Invalid data types; list elements {} but tried to append {}",
                                           dtype_kernel_name(list.dtype),
                                           dtype_kernel_name(element_dtype(call))));
  }
  if (!list.element_shape.is_compatible_with(value.shape())) {
    throw InvalidArgumentError(fmt::format(
        "Tried to append a tensor with incompatible shape to a list. Op element shape: {} list shape: {}",
        value.shape().to_string(), list.element_shape.to_string()));
  }
  if (list.max_size >= 0 && list.elements().size() >= list.max_size) {
    throw InvalidArgumentError(
        fmt::format("Tried to push item into a full list list size: {} max_num_elements: {}",
                    list.elements().size(), list.max_size));
  }
  list.push_back(value);
  call.set_out(0, handle_of(std::move(list)));
}

void pop_back(DynamicCall& call) {
  TensorList list = list_for_op(call);
  if (list.elements().size() == 0) throw InvalidArgumentError("Trying to pop from an empty list.");
  Array value = list.elements()[list.elements().size() - 1];
  if (!value.has_value()) {
    const Shape shape = element_shape(list, shape_in(call.in(1)));
    if (!shape.is_fully_defined()) {
      throw InvalidArgumentError(
          "Trying to read an uninitialized tensor but element_shape is not fully defined." +
          shape.to_string());
    }
    value = zeros(list.dtype, shape);
  }
  list.pop_back();
  call.set_out(0, handle_of(std::move(list)));
  call.set_out(1, std::move(value));
}

void set_item(DynamicCall& call) {
  TensorList list = list_for_op(call);
  const int32_t index = scalar(call.in(1));
  const Array& value = call.in(2);
  const bool may_grow = call.attrs().get<bool>("resize_if_index_out_of_bounds");
  if (index >= 0 && index >= list.elements().size() && may_grow)
    list.resize(checked_count(kElements, int64_t{index} + 1));
  if (index < 0 || index >= list.elements().size()) {
    throw InvalidArgumentError(fmt::format("Trying to modify element {} in a list with {} elements.", index,
                                           list.elements().size()));
  }
  if (!list.element_shape.is_compatible_with(value.shape())) {
    throw InvalidArgumentError(
        fmt::format("Tried to set a tensor with incompatible shape at a list index. Item element shape: {} "
                    "list shape: {}",
                    value.shape().to_string(), list.element_shape.to_string()));
  }
  list.set(index, value);
  call.set_out(0, handle_of(std::move(list)));
}

void resize(DynamicCall& call) {
  TensorList list = list_of(call.in(0));
  const int32_t size = scalar(call.in(1));
  if (size < 0) {
    throw InvalidArgumentError(fmt::format("TensorListSlice expects size to be non-negative. Got: {}", size));
  }
  list.resize(checked_count(kElements, size));
  call.set_out(0, handle_of(std::move(list)));
}

void concat_lists(DynamicCall& call) {
  TensorList list = list_for_op(call);
  const TensorList& other = list_of(call.in(1));
  if (other.dtype != list.dtype) {
    throw InvalidArgumentError(fmt::format("input_b.type != element_dtype: {} vs. {}",
                                           dtype_kernel_name(other.dtype), dtype_kernel_name(list.dtype)));
  }
  if (!(list.element_shape == other.element_shape)) {
    throw InvalidArgumentError(fmt::format(
        "input_a and input_b TensorList element shapes are not identical at index 0.  Saw {} vs. {}",
        list.element_shape.to_string(), other.element_shape.to_string()));
  }
  (void)checked_count(kElements, list.elements().size() + other.elements().size());
  for (int64_t i = 0; i < other.elements().size(); ++i) list.push_back(other.elements()[i]);
  call.set_out(0, handle_of(std::move(list)));
}

// ---- reading lists

void get_item(DynamicCall& call) {
  const TensorList& list = list_for_op(call);
  const int32_t index = scalar(call.in(1));
  if (index < 0 || index >= list.elements().size()) {
    throw InvalidArgumentError(fmt::format("Trying to access element {} in a list with {} elements.", index,
                                           list.elements().size()));
  }
  if (list.elements()[index].has_value()) return call.set_out(0, list.elements()[index]);
  const Shape shape = element_shape(list, shape_in(call.in(2)));
  if (!shape.is_fully_defined()) {
    throw InvalidArgumentError(fmt::format(
        "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and no "
        "list element is set.",
        shape.to_string()));
  }
  call.set_out(0, zeros(list.dtype, shape));
}

/// The elements at `indices` in a row; all have `shape`.
Array stacked(const TensorList& list, std::span<const int64_t> indices, const Shape& shape) {
  if (list.dtype == DType::kVariant)
    throw errors::UnimplementedError("Lists of lists cannot be stacked here");
  Array all(list.dtype, Shape{static_cast<int64_t>(indices.size())}.concatenate(shape));
  for (size_t i = 0; i < indices.size(); ++i) {
    const Array& value = list.elements()[indices[i]];
    if (!value.has_value()) continue;
    (void)merged(shape, value.shape());
    copy_elements(value, 0, all, static_cast<int64_t>(i) * value.size(), value.size());
  }
  return all;
}

void stack(DynamicCall& call) {
  const TensorList& list = list_for_op(call);
  const int64_t size = list.elements().size();
  const int64_t asked = call.attrs().get<int64_t>("num_elements");
  if (asked != -1 && asked != size) {
    throw InvalidArgumentError(fmt::format(
        "Operation expected a list with {} elements but got a list with {} elements.", asked, size));
  }
  const Shape shape = element_shape(list, shape_in(call.in(1)));
  if (!shape.is_fully_defined()) {
    throw InvalidArgumentError(
        size == 0
            ? fmt::format("Tried to stack elements of an empty list with non-fully-defined element_shape: {}",
                          shape.to_string())
            : fmt::format("Tried to stack list which only contains uninitialized tensors and has a "
                          "non-fully-defined element_shape: {}",
                          shape.to_string()));
  }
  std::vector<int64_t> indices(static_cast<size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  call.set_out(0, stacked(list, indices, shape));
}

void list_gather(DynamicCall& call) {
  const TensorList& list = list_for_op(call);
  const std::vector<int64_t> indices = integers(call.in(1));
  for (const int64_t index : indices) {
    if (index >= 0 && index < list.elements().size()) continue;
    throw InvalidArgumentError(
        fmt::format("Index {} out o range; list only has {} elements.", index, list.elements().size()));
  }
  const Shape shape = element_shape(list, shape_in(call.in(2)));
  if (!shape.is_fully_defined()) {
    throw InvalidArgumentError(
        indices.empty()
            ? fmt::format("Tried to gather 0-elements from a list with non-fully-defined shape: {}",
                          shape.to_string())
            : fmt::format("Tried to gather uninitialized tensors from a list with non-fully-defined "
                          "element_shape: {}",
                          shape.to_string()));
  }
  call.set_out(0, stacked(list, indices, shape));
}

/// How many rows each element has: its own, those that the shape tells, or those of `given`.
std::vector<int64_t> rows_of_elements(const TensorList& list, const Shape& shape,
                                      std::span<const int64_t> given) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < list.elements().size(); ++i) {
    const Array& value = list.elements()[i];
    if (value.has_value() && value.rank() == 0) {
      throw InvalidArgumentError("Concat requires elements to be at least vectors, found scalars instead.");
    }
    if (value.has_value()) {
      rows.push_back(value.dim(0));
    } else if (shape.rank() > 0 && shape.dim(0) >= 0) {
      rows.push_back(shape.dim(0));
    } else if (i < static_cast<int64_t>(given.size())) {
      rows.push_back(given[static_cast<size_t>(i)]);
      if (rows.back() < 0) throw InvalidArgumentError(fmt::format("Dimension {} must be >= 0", rows.back()));
    } else {
      throw InvalidArgumentError(
          fmt::format("List contains uninitialized tensor at index {} but leading_dims has only {} elements.",
                      i, given.size()));
    }
  }
  return rows;
}

void concat(DynamicCall& call, const Shape& asked, std::span<const int64_t> leading_dims) {
  const TensorList& list = list_for_op(call);
  const Shape shape = merged(asked, list.element_shape);
  if (shape.rank() == 0) {
    throw InvalidArgumentError("Concat requires elements to be at least vectors, found scalars instead.");
  }
  const std::vector<int64_t> rows = rows_of_elements(list, shape, leading_dims);
  Shape row = shape.has_rank() ? Shape(shape.dims().subspan(1)) : Shape::unknown_rank();
  for (int64_t i = 0; i < list.elements().size(); ++i) {
    const Array& value = list.elements()[i];
    if (value.has_value()) row = merged(row, Shape(value.shape().dims().subspan(1)));
  }
  if (!row.is_fully_defined()) {
    throw InvalidArgumentError(fmt::format(
        "All except the first dimension must be fully defined when concating an empty tensor list. "
        "element_shape: {}",
        row.to_string()));
  }
  CheckedSize num_rows(0);
  for (const int64_t count : rows) num_rows += count;
  Array all(list.dtype, Shape{num_rows}.concatenate(row));
  int64_t at = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Array& value = list.elements()[static_cast<int64_t>(i)];
    if (value.has_value()) copy_elements(value, 0, all, at, value.size());
    at += rows[i] * row.num_elements();
  }
  call.set_out(0, std::move(all));
  call.set_out(1, Array(rows));
}

void concat_v1(DynamicCall& call) { concat(call, call.attrs().get<Shape>("element_shape"), {}); }
void concat_v2(DynamicCall& call) { concat(call, shape_in(call.in(1)), integers(call.in(2))); }

void length(DynamicCall& call) {
  call.set_out(0, Array(static_cast<int32_t>(list_of(call.in(0)).elements().size())));
}

void element_shape_of_list(DynamicCall& call) {
  const Shape& shape = list_of(call.in(0)).element_shape;
  Array dims(int64_t{-1});
  if (shape.has_rank()) dims = Array(std::vector<int64_t>(shape.dims().begin(), shape.dims().end()));
  call.set_out(0, dims.astype(call.attrs().get<DType>("shape_type")));
}

// ---- shapes while building

void popped_shape(ShapeContext& context) {
  context.set_output(0, Shape());
  context.set_output(1, context.value_as_shape(1));
}

void item_shape(ShapeContext& context) { context.set_output(0, context.value_as_shape(2)); }

void stacked_shape(ShapeContext& context) {
  const Shape element = context.value_as_shape(1);
  const Shape rows{context.attrs().get<int64_t>("num_elements")};
  if (element.has_rank()) context.set_output(0, rows.concatenate(element));
}

void list_gathered_shape(ShapeContext& context) {
  const Shape element = context.value_as_shape(2);
  if (element.has_rank()) context.set_output(0, context.input(1).concatenate(element));
}

void concatenated_rows_shape(ShapeContext& context) {
  const Shape element = context.value_as_shape(1);
  if (element.rank() > 0)
    context.set_output(0, Shape{Shape::kUnknownDim}.concatenate(Shape(element.dims().subspan(1))));
  context.set_output(1, Shape{Shape::kUnknownDim});
}

void list_concatenated_shape(ShapeContext& context) { context.set_output(1, Shape{Shape::kUnknownDim}); }

constexpr const char* kShapeAttrs = "element_dtype:type; shape_type:type{indices}";
constexpr const char* kAttrs = "element_dtype:type";

constexpr graph::OpRow list_row(std::string_view name, std::string_view inputs, std::string_view outputs,
                                std::string_view attrs, graph::ShapeFunction shape,
                                graph::ComputeFunction compute, graph::GradientFunction gradient = nullptr,
                                bool not_differentiable = false) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = shape,
          .gradient = gradient,
          .not_differentiable = not_differentiable,
          .compute = compute};
}

constexpr graph::OpRow kTensorListOps[] = {
    list_row("EmptyTensorList", "element_shape:shape_type, max_num_elements:int32", "handle:variant",
             kShapeAttrs, graph::scalar_shape, empty_list),
    list_row("TensorListReserve", "element_shape:shape_type, num_elements:int32", "handle:variant",
             kShapeAttrs, graph::scalar_shape, reserve),
    list_row("TensorListFromTensor", "tensor:element_dtype, element_shape:shape_type",
             "output_handle:variant", kShapeAttrs, graph::scalar_shape, from_tensor,
             list_from_tensor_gradient),
    list_row("TensorListSplit", "tensor:element_dtype, element_shape:shape_type, lengths:int64",
             "output_handle:variant", kShapeAttrs, graph::scalar_shape, list_split, list_split_gradient),
    list_row("TensorListScatter", "tensor:element_dtype, indices:int32, element_shape:shape_type",
             "output_handle:variant", kShapeAttrs, graph::scalar_shape, list_scatter, list_scatter_gradient),
    list_row("TensorListScatterV2",
             "tensor:element_dtype, indices:int32, element_shape:shape_type, num_elements:int32",
             "output_handle:variant", kShapeAttrs, graph::scalar_shape, list_scatter, list_scatter_gradient),
    list_row("TensorListScatterIntoExistingList", "input_handle:variant, tensor:element_dtype, indices:int32",
             "output_handle:variant", kAttrs, graph::scalar_shape, scatter_into_list,
             list_scatter_into_gradient),
    list_row("TensorListPushBack", "input_handle:variant, tensor:element_dtype", "output_handle:variant",
             kAttrs, graph::scalar_shape, push_back, list_push_back_gradient),
    list_row("TensorListPopBack", "input_handle:variant, element_shape:int32",
             "output_handle:variant, tensor:element_dtype", kAttrs, popped_shape, pop_back,
             list_pop_back_gradient),
    list_row("TensorListSetItem", "input_handle:variant, index:int32, item:element_dtype",
             "output_handle:variant", "element_dtype:type; resize_if_index_out_of_bounds:bool=false",
             graph::scalar_shape, set_item, list_set_item_gradient),
    list_row("TensorListResize", "input_handle:variant, size:int32", "output_handle:variant", "",
             graph::scalar_shape, resize, list_resize_gradient),
    list_row("TensorListConcatLists", "input_a:variant, input_b:variant", "output:variant", kAttrs,
             graph::scalar_shape, concat_lists, nullptr, true),
    list_row("TensorListGetItem", "input_handle:variant, index:int32, element_shape:Tshape",
             "item:element_dtype", "element_dtype:type; Tshape:type=int32{indices}", item_shape, get_item,
             list_get_item_gradient),
    list_row("TensorListStack", "input_handle:variant, element_shape:int32", "tensor:element_dtype",
             "element_dtype:type; num_elements:int=-1", stacked_shape, stack, list_stack_gradient),
    list_row("TensorListGather", "input_handle:variant, indices:int32, element_shape:int32",
             "values:element_dtype", kAttrs, list_gathered_shape, list_gather, list_gather_gradient),
    list_row("TensorListConcat", "input_handle:variant", "tensor:element_dtype, lengths:int64",
             "element_dtype:type; element_shape:shape=unknown", list_concatenated_shape, concat_v1,
             list_concat_gradient),
    list_row("TensorListConcatV2", "input_handle:variant, element_shape:shape_type, leading_dims:int64",
             "tensor:element_dtype, lengths:int64", kShapeAttrs, concatenated_rows_shape, concat_v2,
             list_concat_gradient),
    list_row("TensorListLength", "input_handle:variant", "length:int32", "", graph::scalar_shape, length,
             nullptr, true),
    list_row("TensorListElementShape", "input_handle:variant", "element_shape:shape_type",
             "shape_type:type{indices}", graph::unknown_shape, element_shape_of_list, nullptr, true),
};

}  // namespace

void register_tensor_list_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kTensorListOps) table.add(row);
}

}  // namespace flowray::ops
