// SparseSegmentSum, SparseSegmentMean, SparseSegmentSqrtN: rows that indices name, put together by sorted
// segments, without gathering them first; and the gradients.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_parts.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

enum class Scale { kSum, kMean, kSqrtN };

double factor_of(Scale scale, int64_t count) {
  if (scale == Scale::kSum || count == 0) return 1;
  return 1 / (scale == Scale::kMean ? static_cast<double>(count) : std::sqrt(static_cast<double>(count)));
}

// ---- shapes

Shape rows_like(const Shape& rows, int64_t count) {
  return Shape{count}.concatenate(Shape(rows.dims().subspan(1)));
}

/// The indices and the ids of segments, inputs 1 and 2, are vectors of one length.
void check_vectors(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() != 1) ShapeContext::fail("indices should be a vector.");
    if (context.input(2).rank() != 1) ShapeContext::fail("segment_ids should be a vector.");
    if (context.input(1).dim(0) != context.input(2).dim(0)) {
      ShapeContext::fail("segment_ids and indices should have same size.");
    }
  }
  ShapeContext::merge_dim(context.with_rank(1, 1).dim(0), context.with_rank(2, 1).dim(0));
}

/// In a step, the segments' ids end before `count`.
void check_last_segment(const ShapeContext& context, int64_t count, const char* error) {
  const std::vector<int64_t> ids = context.integers(2);
  if (!ids.empty() && ids.back() >= count) ShapeContext::fail(error);
}

/// There are as many segments as the last id says, counted in the ids' type: its greatest number has no
/// next one.
void check_has_next(const std::vector<int64_t>& ids, DType dtype) {
  if (ids.empty()) return;
  if (ids.back() == INT64_MAX) {
    ShapeContext::fail(fmt::format("Last segment id must be < kintmax, got {0} limit {0}", INT64_MAX));
  }
  if (ids.back() < 0 || (dtype == DType::kInt32 && ids.back() == INT32_MAX))
    ShapeContext::fail("segment ids must be >= 0");
}

void forward_shape(ShapeContext& context) {
  check_vectors(context);
  if (context.running() && context.num_inputs() == 4 && context.input(3).rank() != 0) {
    ShapeContext::fail("num_segments should be a scalar, not shape " + context.input(3).to_string());
  }
  const Shape data = context.with_rank_at_least(0, 1);
  if (!data.has_rank()) return;
  int64_t rows = Shape::kUnknownDim;
  if (context.num_inputs() == 4) {
    context.with_rank(3, 0);
    if (context.running() || context.value(3) != nullptr) rows = context.integers(3)[0];
    if ((context.running() || context.value(3) != nullptr) && rows < 0)
      ShapeContext::fail("segment ids must be >= 0");
    if (context.running()) check_last_segment(context, rows, "segment ids must be < num_segments");
  } else if (context.running()) {
    const std::vector<int64_t> ids = context.integers(2);
    check_has_next(ids, context.input_dtype(2));
    rows = ids.empty() ? 0 : ids.back() + 1;
  }
  context.set_output(0, rows_like(data, rows));
}

void backward_shape(ShapeContext& context) {
  check_vectors(context);
  if (context.running() && context.input(3).rank() != 0)
    ShapeContext::fail("output_dim0 should be a scalar.");
  const Shape grad = context.with_rank_at_least(0, 1);
  context.with_rank(3, 0);
  if (!grad.has_rank()) return;
  const bool known = context.running() || context.value(3) != nullptr;
  const int64_t rows = known ? context.integers(3)[0] : Shape::kUnknownDim;
  if (context.running()) {
    if (rows < 0) ShapeContext::fail(fmt::format("Expected a non-negative size, got {}", rows));
    check_last_segment(context, grad.dim(0), "Invalid number of segments");
  }
  context.set_output(0, rows_like(grad, rows));
}

// ---- kernels

struct SparseSegments {
  DType index_dtype;
  DType id_dtype;
  int64_t count;     // of indices
  int64_t in_rows;   // of data, or of the gradient
  int64_t out_rows;  // of segments, or of the data
  int64_t row;       // elements
  Scale scale;

  SparseSegments(const PrepareContext& context, Scale by)
      : index_dtype(context.input_dtype(1)),
        id_dtype(context.input_dtype(2)),
        count(context.input_shape(1).num_elements()),
        in_rows(context.input_shape(0).dim(0)),
        out_rows(context.output_shape(0).dim(0)),
        row(elements_between(context.output_shape(0), 1, context.output_shape(0).rank())),
        scale(by) {}

  template <class T>
  void forward(const KernelCall& call) const {
    const IntegerReader indices{call.in<void>(1), index_dtype};
    const IntegerReader ids{call.in<void>(2), id_dtype};
    T* const out = call.out<T>(0);
    std::fill_n(out, out_rows * row, T(0));
    for (int64_t begin = 0; begin < count;) {
      const int64_t id = ids[begin];
      int64_t end = begin;
      while (end < count && ids[end] == id) ++end;
      if (end < count && ids[end] < id) throw errors::InvalidArgumentError("segment ids are not increasing");
      if (id < 0 || id >= out_rows) {
        throw errors::InvalidArgumentError(fmt::format(
            "Segment id {} out of range [0, {}), possibly because segment_ids input is not sorted.", id,
            out_rows));
      }
      put_segment(call.in<T>(0), indices, begin, end, out + id * row);
      begin = end;
    }
  }

  template <class T>
  void put_segment(const T* data, const IntegerReader& indices, int64_t begin, int64_t end, T* out) const {
    using Sum = std::conditional_t<std::is_integral_v<T>, T, Wide<T>>;
    const auto factor = static_cast<Wide<T>>(factor_of(scale, end - begin));
    for (int64_t i = begin; i < end; ++i) {
      if (indices[i] < 0 || indices[i] >= in_rows) {
        throw errors::InvalidArgumentError(
            fmt::format("Bad: indices[{}] == {} out of range [0, {})", i, indices[i], in_rows));
      }
    }
    for (int64_t k = 0; k < row; ++k) {
      Sum sum{};
      for (int64_t i = begin; i < end; ++i)
        sum = wrapping_add(sum, static_cast<Sum>(data[indices[i] * row + k]));
      out[k] = static_cast<T>(scale == Scale::kSum ? sum : static_cast<Sum>(sum * factor));
    }
  }

  /// Each row of the data gets the gradients of the segments it went into.
  template <class T>
  void backward(const KernelCall& call) const {
    const IntegerReader indices{call.in<void>(1), index_dtype};
    const IntegerReader ids{call.in<void>(2), id_dtype};
    T* const out = call.out<T>(0);
    std::fill_n(out, out_rows * row, T(0));
    // Rows without elements take no memory, so there may be any number of them.
    std::vector<int64_t> sizes(static_cast<size_t>(row == 0 ? 0 : in_rows), 0);
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] < 0 || indices[i] >= out_rows) {
        throw errors::InvalidArgumentError(
            fmt::format("Index {} out of range [0, {}).", indices[i], out_rows));
      }
      if (ids[i] < 0 || ids[i] >= in_rows) {
        throw errors::InvalidArgumentError(
            fmt::format("Segment id {} out of range [0, {}).", ids[i], in_rows));
      }
      if (row > 0) ++sizes[static_cast<size_t>(ids[i])];
    }
    if (row == 0) return;
    for (int64_t i = 0; i < count; ++i) {
      const auto factor = static_cast<Wide<T>>(factor_of(scale, sizes[static_cast<size_t>(ids[i])]));
      const T* const from = call.in<T>(0) + ids[i] * row;
      T* const to = out + indices[i] * row;
      for (int64_t k = 0; k < row; ++k) {
        to[k] = static_cast<T>(static_cast<Wide<T>>(to[k]) + static_cast<Wide<T>>(from[k]) * factor);
      }
    }
  }
};

template <Scale kScale, class Types>
std::unique_ptr<Kernel> prepare_forward(PrepareContext& context) {
  const SparseSegments segments(context, kScale);
  return kernel_for_dtype<Types>(context, context.output_dtype(0), [&]<class T>() {
    return make_kernel([segments](const KernelCall& call) { segments.forward<T>(call); });
  });
}

template <Scale kScale>
std::unique_ptr<Kernel> prepare_backward(PrepareContext& context) {
  const SparseSegments segments(context, kScale);
  return kernel_for_dtype<RealFloatTypes>(context, context.output_dtype(0), [&]<class T>() {
    return make_kernel([segments](const KernelCall& call) { segments.backward<T>(call); });
  });
}

// ---- gradients

template <Scale kScale>
std::vector<Endpoint> forward_gradient(GradientContext& g) {
  constexpr const char* kOps[] = {"SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad"};
  const Endpoint rows = python_element(g, python_shape_of_type(g, g.input(0), DType::kInt32), 0);
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = g.op(kOps[static_cast<int>(kScale)], {g.grad(), g.input(1), g.input(2), rows});
  return grads;
}

constexpr graph::OpRow sparse_segment_row(std::string_view name, std::string_view attrs,
                                          graph::PrepareFunction prepare, graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = "data:T, indices:Tidx, segment_ids:Tsegmentids",
          .outputs = "output:T",
          .attrs = attrs,
          .shape = forward_shape,
          .gradient = gradient,
          .prepare = prepare};
}

/// ...WithNumSegments.
constexpr graph::OpRow counted_row(std::string_view name, std::string_view attrs,
                                   graph::PrepareFunction prepare, graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = "data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments",
          .outputs = "output:T",
          .attrs = attrs,
          .shape = forward_shape,
          .gradient = gradient,
          .prepare = prepare};
}

/// ...Grad.
constexpr graph::OpRow backward_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32",
          .outputs = "output:T",
          .attrs = "T:type{floats}; Tidx:type=int32{indices}; Tsegmentids:type=int32{indices}",
          .shape = backward_shape,
          .prepare = prepare};
}

constexpr std::string_view kFloatAttrs =
    "T:type{floats}; Tidx:type=int32{indices}; Tsegmentids:type=int32{indices}; sparse_gradient:bool=false";
constexpr std::string_view kCountedFloatAttrs =
    "T:type{floats}; Tidx:type=int32{indices}; Tsegmentids:type=int32{indices}; sparse_gradient:bool=false; "
    "Tnumsegments:type=int32{indices}";

constexpr graph::OpRow kSparseSegmentOps[] = {
    sparse_segment_row("SparseSegmentSum",
                       "T:type{real_numbers}; Tidx:type=int32{indices}; Tsegmentids:type=int32{indices}; "
                       "sparse_gradient:bool=false",
                       prepare_forward<Scale::kSum, RealTypes>, forward_gradient<Scale::kSum>),
    sparse_segment_row("SparseSegmentMean", kFloatAttrs, prepare_forward<Scale::kMean, RealFloatTypes>,
                       forward_gradient<Scale::kMean>),
    sparse_segment_row("SparseSegmentSqrtN", kFloatAttrs, prepare_forward<Scale::kSqrtN, RealFloatTypes>,
                       forward_gradient<Scale::kSqrtN>),
    counted_row("SparseSegmentSumWithNumSegments",
                "T:type{real_numbers}; Tidx:type=int32{indices}; Tsegmentids:type=int32{indices}; "
                "sparse_gradient:bool=false; Tnumsegments:type=int32{indices}",
                prepare_forward<Scale::kSum, RealTypes>, forward_gradient<Scale::kSum>),
    counted_row("SparseSegmentMeanWithNumSegments", kCountedFloatAttrs,
                prepare_forward<Scale::kMean, RealFloatTypes>, forward_gradient<Scale::kMean>),
    counted_row("SparseSegmentSqrtNWithNumSegments", kCountedFloatAttrs,
                prepare_forward<Scale::kSqrtN, RealFloatTypes>, forward_gradient<Scale::kSqrtN>),
    backward_row("SparseSegmentSumGrad", prepare_backward<Scale::kSum>),
    backward_row("SparseSegmentMeanGrad", prepare_backward<Scale::kMean>),
    backward_row("SparseSegmentSqrtNGrad", prepare_backward<Scale::kSqrtN>),
};

}  // namespace

void register_sparse_segment_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseSegmentOps) table.add(row);
}

}  // namespace flowray::ops
