// StridedSlice and StridedSliceGrad: NumPy's basic indexing and its adjoint.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "graph/constant_value.h"
#include "graph/dims_context.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/array/strided_slice_spec.h"
#include "ops/elements/fill_words.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/strided_copy.h"
#include "ops/python_nodes/python_array_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::DimsContext;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

constexpr int kMaxRank = StridedSliceSpec::kMaxRank;

/// begin, end and strides must be vectors of one length. Returns it, or -1 while it is not known.
int64_t check_lengths(ShapeContext& context, int first) {
  const Shape& begin = context.input(first);
  const Shape& end = context.input(first + 1);
  const Shape& strides = context.input(first + 2);
  if (context.running() && !(begin.rank() == 1 && begin == end && end == strides)) {
    ShapeContext::fail(
        fmt::format("Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, "
                    "and {} instead.",
                    begin.to_string(), end.to_string(), strides.to_string()));
  }
  Shape merged = context.with_rank(first, 1);
  merged = merge_shapes(merged, context.with_rank(first + 1, 1));
  merged = merge_shapes(merged, context.with_rank(first + 2, 1));
  return merged.dim(0);
}

StridedSliceSpec make_spec(const ShapeContext& context, const Shape& in, int first) {
  const auto known = [&](int i) {
    return context.value(i) == nullptr ? std::vector<int64_t>() : context.integers(i);
  };
  const std::vector<int64_t> begin = known(first);
  const std::vector<int64_t> end = known(first + 1);
  const std::vector<int64_t> strides = known(first + 2);
  const SliceIndices indices = {.begin = context.value(first) == nullptr ? nullptr : begin.data(),
                                .end = context.value(first + 1) == nullptr ? nullptr : end.data(),
                                .strides = strides.data(),
                                .count = checked_int32("Number of strides", std::ssize(strides))};
  return StridedSliceSpec(in, indices, SliceMasks::of(context.attrs()));
}

void strided_slice_shape(ShapeContext& context) {
  check_lengths(context, 1);
  if (!context.input(0).has_rank() || context.value(3) == nullptr) return;
  context.set_output(0, make_spec(context, context.input(0), 1).output_shape());
}

/// dims[begin:end] in steps of 1, without new or lost axes; nothing is known of other slices.
Shape strided_slice_dims(const DimsContext& context) {
  const SliceMasks masks = SliceMasks::of(context.attrs());
  const Shape whole = context.dims(0);
  const Array begin = context.value(1);
  const Array end = context.value(2);
  const Array stride = context.value(3);
  const bool plain = masks.ellipsis == 0 && masks.new_axis == 0 && masks.shrink_axis <= 1;
  if (!whole.has_rank() || !plain || begin.size() != 1 || end.size() != 1 || stride.size() != 1 ||
      graph::to_integers(stride)[0] != 1) {
    return Shape::unknown_rank();
  }
  const int64_t rank = whole.rank();
  if (masks.shrink_axis == 1) {
    const int64_t at = graph::to_integers(begin)[0];
    if (masks.begin != 0 || at < -rank || at >= rank) return Shape::unknown_rank();
    return Shape{whole.dim(static_cast<int>(at < 0 ? at + rank : at))};
  }
  const auto clamp = [rank](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t first = masks.begin != 0 ? 0 : clamp(graph::to_integers(begin)[0]);
  const int64_t last = masks.end != 0 ? rank : clamp(graph::to_integers(end)[0]);
  std::vector<int64_t> dims;
  for (int64_t i = first; i < last; ++i) dims.push_back(whole.dim(static_cast<int>(i)));
  return Shape(dims);
}

/// The indices of one call, read from inputs [first, first + 3).
struct IndexInputs {
  int first;
  int count;
  DType dtype;
  SliceMasks masks;

  IndexInputs(PrepareContext& context, int first_input)
      : first(first_input),
        count(static_cast<int>(
            std::min<int64_t>(context.input_shape(first_input).num_elements(), kMaxRank + 1))),
        dtype(context.input_dtype(first_input)),
        masks(SliceMasks::of(context.attrs())) {
    if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kInt16)
      context.no_kernel_for(dtype);
    if (count > kMaxRank) ShapeContext::fail("Slices reach up to 32 dimensions");
  }

  StridedSliceSpec spec(const KernelCall& call, const Shape& array) const {
    int64_t values[3][kMaxRank];
    for (int which = 0; which < 3; ++which) {
      for (int i = 0; i < count; ++i) values[which][i] = read(call, first + which, i);
    }
    return StridedSliceSpec(array, {values[0], values[1], values[2], count}, masks);
  }

 private:
  int64_t read(const KernelCall& call, int input, int i) const {
    if (dtype == DType::kInt32) return call.in<int32_t>(input)[i];
    if (dtype == DType::kInt64) return call.in<int64_t>(input)[i];
    return call.in<int16_t>(input)[i];
  }
};

/// The copy from an array of shape `array` to its slice, or back with `into_slice` false.
StridedCopy slice_copy(const StridedSliceSpec& spec, const Shape& array, DType dtype, bool into_slice) {
  const std::span<const int64_t> sizes(spec.size.data(), static_cast<size_t>(spec.rank));
  if (std::ranges::find(sizes, 0) != sizes.end()) return {};
  std::array<StridedCopy::Dim, kMaxRank> dims;
  int64_t array_stride = 1;
  int64_t slice_stride = 1;
  int64_t offset = 0;
  for (int i = spec.rank - 1; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    // The stride of a slice of one element is unbounded, and unused; longer slices fit the array.
    const int64_t step = spec.size[at] > 1 ? spec.stride[at] * array_stride : 0;
    dims[at] = {spec.size[at], into_slice ? step : slice_stride, into_slice ? slice_stride : step};
    offset += spec.begin[at] * array_stride;
    array_stride *= array.dim(i);
    slice_stride *= spec.size[at];
  }
  const std::span<const StridedCopy::Dim> used(dims.data(), static_cast<size_t>(spec.rank));
  return StridedCopy(dtype, used, into_slice ? offset : 0, into_slice ? 0 : offset);
}

[[noreturn]] void fail_changed(const Shape& got, const Shape& planned) {
  throw errors::InternalError(fmt::format("StridedSlice: the slice has shape {}, but {} was planned",
                                          got.to_string(), planned.to_string()));
}

/// Where all indices are known the copy is made once. Single indices (x[i]) may also be known in the
/// run only.
std::unique_ptr<Kernel> prepare_strided_slice(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Shape in = context.input_shape(0);
  const IndexInputs indices(context, 1);
  if (context.input_value(1) != nullptr && context.input_value(2) != nullptr &&
      context.input_value(3) != nullptr) {
    const std::vector<int64_t> begin = context.integers(1);
    const std::vector<int64_t> end = context.integers(2);
    const std::vector<int64_t> strides = context.integers(3);
    const StridedSliceSpec spec(in, {begin.data(), end.data(), strides.data(), indices.count}, indices.masks);
    return make_kernel([copy = slice_copy(spec, in, dtype, true)](const KernelCall& call) {
      copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
    });
  }
  return make_kernel([in, dtype, indices, out = context.output_shape(0)](const KernelCall& call) {
    const StridedSliceSpec spec = indices.spec(call, in);
    const Shape got = spec.output_shape();
    if (!(got == out)) fail_changed(got, out);
    slice_copy(spec, in, dtype, true).run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

SliceMasks copied_masks(const GradientContext& g) { return SliceMasks::of(g.attrs()); }

graph::Attrs mask_attrs(const SliceMasks& masks) {
  return {{"begin_mask", masks.begin},
          {"end_mask", masks.end},
          {"ellipsis_mask", masks.ellipsis},
          {"new_axis_mask", masks.new_axis},
          {"shrink_axis_mask", masks.shrink_axis}};
}

/// Known shapes and indices become constant inputs of the new node.
std::vector<Endpoint> strided_slice_gradient(GradientContext& g) {
  const Endpoint shape = python_shape_of_type(g, g.input(0), base_dtype(g.input(1).dtype()));
  const NameScope scope(g.graph(), "StridedSliceGrad");
  const auto constant_or = [&](Endpoint endpoint, std::string_view name) {
    const Array value = graph::constant_value(endpoint);
    return value.has_value() ? g.constant(value, name) : endpoint;
  };
  const Endpoint whole = constant_or(shape, "shape");
  const Endpoint begin = constant_or(g.input(1), "begin");
  const Endpoint end = constant_or(g.input(2), "end");
  const Endpoint strides = constant_or(g.input(3), "strides");
  const Endpoint grad = g.op("StridedSliceGrad", {whole, begin, end, strides, g.grad()},
                             mask_attrs(copied_masks(g)), scope.path());
  return {grad, {}, {}, {}};
}

// ---- StridedSliceGrad

void strided_slice_grad_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() != 1) {
    ShapeContext::fail("shape must be 1-D, got shape.shape = " + context.input(0).to_string());
  }
  context.with_rank(0, 1);
  const Shape out = context.value_as_shape(0);
  if (context.running()) {
    check_lengths(context, 1);
    for (int i = 1; i <= 3; ++i)
      (void)context.integers(i);  // where one is not known, nothing can be checked before it is
    const Shape slice = make_spec(context, out, 1).output_shape();
    if (!(slice == context.input(4))) {
      ShapeContext::fail(
          fmt::format("shape of dy was {} instead of {}", context.input(4).to_string(), slice.to_string()));
    }
  }
  context.set_output(0, out);
}

std::unique_ptr<Kernel> prepare_strided_slice_grad(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Shape out = context.output_shape(0);
  const Shape dy = context.input_shape(4);
  const Array zero(dtype, Shape());
  return make_kernel([out, dy, dtype, zero, indices = IndexInputs(context, 1)](const KernelCall& call) {
    const StridedSliceSpec spec = indices.spec(call, out);
    const Shape slice = spec.output_shape();
    if (!(slice == dy)) {
      ShapeContext::fail(fmt::format("shape of dy was {} instead of {}", dy.to_string(), slice.to_string()));
    }
    fill_words(dtype, zero.raw_data(), call.out<void>(0), out.num_elements(), call.parallel());
    slice_copy(spec, out, dtype, false).run(call.in<void>(4), call.out<void>(0), call.parallel());
  });
}

std::vector<Endpoint> strided_slice_grad_gradient(GradientContext& g) {
  const Endpoint grad =
      g.op("StridedSlice", {g.grad(), g.input(1), g.input(2), g.input(3)}, mask_attrs(copied_masks(g)));
  return {{}, {}, {}, {}, grad};
}

constexpr graph::OpRow kArrayStridedSliceOps[] = {
    {.name = "StridedSlice",
     .inputs = "input:T, begin:Index, end:Index, strides:Index",
     .outputs = "output:T",
     .attrs = "T:type; Index:type{indices_and_int16}; begin_mask:int=0; end_mask:int=0; ellipsis_mask:int=0; "
              "new_axis_mask:int=0; shrink_axis_mask:int=0",
     .shape = strided_slice_shape,
     .dims = strided_slice_dims,
     .gradient = strided_slice_gradient,
     .prepare = prepare_strided_slice},
    {.name = "StridedSliceGrad",
     .inputs = "shape:Index, begin:Index, end:Index, strides:Index, dy:T",
     .outputs = "output:T",
     .attrs = "T:type; Index:type{indices}; begin_mask:int=0; end_mask:int=0; ellipsis_mask:int=0; "
              "new_axis_mask:int=0; shrink_axis_mask:int=0",
     .shape = strided_slice_grad_shape,
     .gradient = strided_slice_grad_gradient,
     .prepare = prepare_strided_slice_grad},
};

}  // namespace

void register_array_strided_slice_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayStridedSliceOps) table.add(row);
}

}  // namespace flowray::ops
