// SegmentSum, ...: rows that belong to one segment put together; the ids of the segments are sorted
// (SegmentSum) or not (UnsortedSegmentSum, the adjoint of gathering).

#include "core/dtype_dispatch.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/combine_rules.h"
#include "ops/elements/element_types.h"
#include "ops/elements/index_text.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/shape_parts.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- rules

/// What a segment starts with, and whether its sum is divided.
struct SumRule : Plus {
  static constexpr bool kIsMean = false;
  template <class T>
  static T first() {
    return T(0);
  }
};
struct MeanRule : SumRule {
  static constexpr bool kIsMean = true;
};
struct ProductRule : Times {
  static constexpr bool kIsMean = false;
  template <class T>
  static T first() {
    return T(1);
  }
};
struct MaximumRule : Greatest {
  static constexpr bool kIsMean = false;
  template <class T>
  static T first() {
    return std::numeric_limits<T>::lowest();
  }
};
struct MinimumRule : Least {
  static constexpr bool kIsMean = false;
  template <class T>
  static T first() {
    return std::numeric_limits<T>::max();
  }
};

// ---- shapes

Shape suffix(const Shape& shape, int begin) {
  return Shape(shape.dims().subspan(static_cast<size_t>(begin)));
}

bool starts_with(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() && std::equal(prefix.begin(), prefix.end(), shape.begin());
}

/// The value of the scalar that is input `i`; unknown where it is not known.
int64_t number_of_segments(ShapeContext& context, int i) {
  context.with_rank(i, 0);
  if (context.value(i) == nullptr && !context.running()) return Shape::kUnknownDim;
  const int64_t count = context.integers(i)[0];
  if (count < 0) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("Input num_segments == {} must not be negative.", count)
            : fmt::format("Dimension size, given by scalar input {}, must be non-negative but is {}", i,
                          count));
  }
  return count;
}

void unsorted_shape(ShapeContext& context) {
  const Shape& data = context.input(0);
  const Shape& ids = context.input(1);
  if (context.running()) {
    if (context.input(2).rank() != 0) {
      ShapeContext::fail("num_segments should be a scalar, not shape " + context.input(2).to_string());
    }
    if (!starts_with(data, ids)) {
      ShapeContext::fail(fmt::format("data.shape = {} does not start with segment_ids.shape = {}",
                                     data.to_string(), ids.to_string()));
    }
  }
  context.with_rank(2, 0);
  if (!ids.has_rank()) return;
  const Shape whole = context.with_rank_at_least(0, ids.rank());
  if (whole.has_rank()) {
    for (int i = 0; i < ids.rank(); ++i) ShapeContext::merge_dim(whole.dim(i), ids.dim(i));
  }
  const int64_t count = number_of_segments(context, 2);
  if (whole.has_rank()) context.set_output(0, Shape{count}.concatenate(suffix(whole, ids.rank())));
}

/// The number of rows that the last id asks for.
int64_t rows_by_last_id(const ShapeContext& context) {
  const std::vector<int64_t> ids = context.integers(1);
  if (ids.empty()) return 0;
  if (ids.back() < 0) ShapeContext::fail("segment ids must be >= 0");
  if (ids.back() == INT64_MAX) {
    ShapeContext::fail(
        fmt::format("Expected a non-negative size, got {}\nThe last segment id is {}, which none can follow: "
                    "so many rows "
                    "cannot be counted",
                    INT64_MIN, INT64_MAX));
  }
  return ids.back() + 1;
}

void sorted_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(1).rank() != 1) ShapeContext::fail("segment_ids should be a vector.");
    if (context.input(0).rank() < 1 || context.input(0).dim(0) != context.input(1).dim(0)) {
      ShapeContext::fail("segment_ids should be the same size as dimension 0 of input.");
    }
  }
  const Shape data = context.with_rank_at_least(0, 1);
  const Shape ids = context.with_rank(1, 1);
  if (!data.has_rank()) return;
  ShapeContext::merge_dim(data.dim(0), ids.dim(0));
  int64_t rows = Shape::kUnknownDim;
  if (context.num_inputs() == 3) {
    rows = number_of_segments(context, 2);
  } else if (context.running()) {
    rows = rows_by_last_id(context);
  }
  context.set_output(0, Shape{rows}.concatenate(suffix(data, 1)));
}

// ---- kernels

struct SegmentSizes {
  Shape ids;
  DType id_dtype;
  int64_t num_ids;
  int64_t num_segments;
  int64_t row_elements;

  explicit SegmentSizes(const PrepareContext& context)
      : ids(context.input_shape(1)),
        id_dtype(context.input_dtype(1)),
        num_ids(ids.num_elements()),
        num_segments(context.output_shape(0).dim(0)),
        row_elements(elements_between(context.output_shape(0), 1, context.output_shape(0).rank())) {}

  void check_unsorted(const IntegerReader& at) const {
    for (int64_t i = 0; i < num_ids; ++i) {
      if (at[i] >= num_segments) {
        throw errors::InvalidArgumentError(fmt::format("segment_ids{} = {} is out of range [0, {})",
                                                       position_text(ids, i), at[i], num_segments));
      }
    }
  }

  void check_sorted(const IntegerReader& at) const {
    for (int64_t i = 0; i < num_ids; ++i) {
      if (i > 0 && at[i] < at[i - 1]) throw errors::InvalidArgumentError("segment ids are not increasing");
      if (at[i] < 0 || at[i] >= num_segments) {
        throw errors::InvalidArgumentError(fmt::format(
            "Segment id {} out of range [0, {}), possibly because 'segment_ids' input is not sorted.", at[i],
            num_segments));
      }
    }
  }
};

/// Columns [begin, end) of all rows. Rows with a negative id are left out.
template <class Rule, class T>
void combine_columns(const SegmentSizes& sizes, const void* data, const IntegerReader& ids, void* out,
                     int64_t begin, int64_t end) {
  if (begin == end) return;  // of any number of segments
  const int64_t width = sizes.row_elements;
  T* const rows = static_cast<T*>(out);
  for (int64_t i = 0; i < sizes.num_segments; ++i)
    std::fill(rows + i * width + begin, rows + i * width + end, Rule::template first<T>());
  for (int64_t i = 0; i < sizes.num_ids; ++i) {
    const int64_t id = ids[i];
    if (id < 0) continue;
    const T* const from = static_cast<const T*>(data) + i * width;
    T* const to = rows + id * width;
    for (int64_t k = begin; k < end; ++k) to[k] = Rule::combine(to[k], from[k]);
  }
}

/// Sorted segments: means are divided; a segment without rows below the last id is 0, or 1 of products.
template <class Rule, class T>
void finish_sorted(const SegmentSizes& sizes, const IntegerReader& ids, bool counted, void* out) {
  if (sizes.row_elements == 0) return;  // of any number of segments
  int64_t at = 0;
  for (int64_t segment = 0; segment < sizes.num_segments; ++segment) {
    const int64_t first = at;
    while (at < sizes.num_ids && ids[at] == segment) ++at;
    T* const row = static_cast<T*>(out) + segment * sizes.row_elements;
    if (at == first && !counted && !std::is_same_v<Rule, ProductRule>)
      std::fill_n(row, sizes.row_elements, T(0));
    if constexpr (Rule::kIsMean) {
      if (at == first) continue;
      const T divisor = static_cast<T>(static_cast<Wide<T>>(at - first));
      for (int64_t k = 0; k < sizes.row_elements; ++k) row[k] = static_cast<T>(row[k] / divisor);
    }
  }
}

/// What differs between rules and types; the rest is compiled once.
struct SegmentLoops {
  void (*combine)(const SegmentSizes& sizes, const void* data, const IntegerReader& ids, void* out,
                  int64_t begin, int64_t end) = nullptr;
  void (*finish)(const SegmentSizes& sizes, const IntegerReader& ids, bool counted, void* out) = nullptr;
};

void combine_segments(const SegmentLoops& loops, const SegmentSizes& sizes, const KernelCall& call,
                      const IntegerReader& ids) {
  constexpr int64_t kMinElementsPerWorker = 16384;
  constexpr int64_t kMinColumns = 16;  // a cache line: threads do not share one
  if (sizes.row_elements == 0 || sizes.num_segments == 0) return;
  const void* const data = call.in<void>(0);
  void* const out = call.out<void>(0);
  const int64_t min_columns =
      std::max(kMinColumns, kMinElementsPerWorker / std::max<int64_t>(1, sizes.num_ids));
  if (sizes.row_elements < 2 * min_columns)
    return loops.combine(sizes, data, ids, out, 0, sizes.row_elements);
  call.parallel().for_range(sizes.row_elements, min_columns, [&](int64_t begin, int64_t end, int) {
    loops.combine(sizes, data, ids, out, begin, end);
  });
}

std::unique_ptr<Kernel> unsorted_kernel(PrepareContext& context, const SegmentLoops& loops) {
  return make_kernel([loops, sizes = SegmentSizes(context)](const KernelCall& call) {
    const IntegerReader ids{call.in<void>(1), sizes.id_dtype};
    sizes.check_unsorted(ids);
    combine_segments(loops, sizes, call, ids);
  });
}

template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_unsorted(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  SegmentLoops loops;
  if (!dispatch<Types>(dtype, [&]<class T>() { loops.combine = &combine_columns<Rule, T>; }))
    context.no_kernel_for(dtype);
  return unsorted_kernel(context, loops);
}

std::unique_ptr<Kernel> sorted_kernel(PrepareContext& context, const SegmentLoops& loops) {
  const bool counted = context.num_inputs() == 3;
  return make_kernel([loops, counted, sizes = SegmentSizes(context)](const KernelCall& call) {
    const IntegerReader ids{call.in<void>(1), sizes.id_dtype};
    sizes.check_sorted(ids);
    combine_segments(loops, sizes, call, ids);
    loops.finish(sizes, ids, counted, call.out<void>(0));
  });
}

template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_sorted(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  SegmentLoops loops;
  if (!dispatch<Types>(dtype,
                       [&]<class T>() { loops = {&combine_columns<Rule, T>, &finish_sorted<Rule, T>}; })) {
    context.no_kernel_for(dtype);
  }
  return sorted_kernel(context, loops);
}

// ---- gradients; nodes and names are those of TensorFlow's Python

/// array_ops.ones([count]) of int32.
Endpoint vector_of_ones(GradientContext& g, Endpoint count) {
  const NameScope scope(g.graph(), "ones");
  const Endpoint dims = python_list(g, {count}, DType::kInt32, "packed");
  return g.op("Fill", {dims, python_scalar(g, 1, DType::kInt32, "Const")}, {}, scope.path());
}

/// array_ops.ones(dims, dtype).
Endpoint ones_of_shape(GradientContext& g, Endpoint dims, DType dtype) {
  const NameScope scope(g.graph(), "ones");
  return g.op("Fill", {dims, python_number(g, 1, dtype, "Const")}, {}, scope.path());
}

/// array_ops.ones_like(x, dtype=bool).
Endpoint all_true_like(GradientContext& g, Endpoint x) {
  const NameScope scope(g.graph(), "ones_like");
  Endpoint dims;
  const Shape& shape = x.shape();
  if (shape.is_fully_defined()) {
    const NameScope shape_scope(g.graph(), "Shape");
    dims = python_integers(g, std::vector<int64_t>(shape.begin(), shape.end()), DType::kInt32,
                           "shape_as_tensor");
  } else {
    dims = g.op("Shape", {x});
  }
  const Endpoint all = g.op("Fill", {dims, g.constant(Array(true), "Const")}, {}, scope.path());
  all.node->merge_output_shape(0, shape);
  return all;
}

/// Rows of `params` by id, 0 where the id is negative, and which those are.
struct Gathered {
  Endpoint rows;
  Endpoint mask;
};

Endpoint clipped_ids(GradientContext& g) {
  return g.op("Maximum", {g.input(1), python_zeros_like(g, g.input(1))});
}

Gathered gather_drop_negatives(GradientContext& g, Endpoint params, Endpoint clipped, Endpoint mask = {}) {
  const Endpoint gathered = python_gather(g, params, clipped);
  if (!mask) {
    const Endpoint counts = python_with_number(g, "GreaterEqual", g.input(1), 0, "GreaterEqual");
    const Endpoint counts_shape = python_shape_of_type(g, counts, DType::kInt32);
    const Endpoint rank = python_rank_of(g, gathered);
    const Endpoint ids_rank = python_rank_of(g, counts);
    const Endpoint ones = vector_of_ones(g, g.op("Sub", {rank, ids_rank}, {}, "sub"));
    const Endpoint wide = g.op("Reshape", {counts, python_concat_lists(g, {counts_shape, ones}, 0)});
    mask = g.op("LogicalAnd", {wide, all_true_like(g, gathered)}, {}, "and");
  }
  return {g.op("SelectV2", {mask, gathered, python_zeros_like(g, gathered)}), mask};
}

std::vector<Endpoint> unsorted_sum_gradient(GradientContext& g) {
  return {gather_drop_negatives(g, g.grad(), clipped_ids(g)).rows, {}, {}};
}

Endpoint divided(GradientContext& g, Endpoint x, Endpoint y) {
  return g.op("RealDiv", {x, y}, {}, "truediv");
}

std::vector<Endpoint> unsorted_extreme_gradient(GradientContext& g) {
  const DType dtype = base_dtype(g.grad().dtype());
  const Endpoint clipped = clipped_ids(g);
  const Gathered outputs = gather_drop_negatives(g, g.output(0), clipped);
  const Endpoint equal = g.op("Equal", {g.input(0), outputs.rows});
  const Endpoint selected = g.op("LogicalAnd", {equal, outputs.mask});
  const Endpoint count =
      g.op("UnsortedSegmentSum", {python_cast(g, selected, dtype), g.input(1), g.input(2)});
  const Gathered grads = gather_drop_negatives(g, divided(g, g.grad(), count), clipped, outputs.mask);
  return {g.op("SelectV2", {selected, grads.rows, python_zeros_like(g, grads.rows)}), {}, {}};
}

/// What the gradient of a product is made of: where a segment holds more than one zero it is 0 anywhere.
struct ProductParts {
  Endpoint is_zero;
  Endpoint grad;
  Endpoint non_zero_data;
};

template <class Segments>
ProductParts product_parts(GradientContext& g, Segments segments) {
  const Endpoint data = g.input(0);
  const Endpoint is_zero = python_with_right(g, "Equal", data, 0, "Equal");
  const Endpoint zeros = segments("SegmentSum", python_cast(g, is_zero, DType::kInt32));
  const Endpoint many = python_with_right(g, "Greater", zeros, 1, "Greater");
  const Endpoint grad = g.op("SelectV2", {many, python_zeros_like(g, g.grad()), g.grad()});
  return {is_zero, grad, g.op("SelectV2", {is_zero, python_ones_like(g, data), data})};
}

std::vector<Endpoint> unsorted_product_gradient(GradientContext& g) {
  const ProductParts parts = product_parts(g, [&](std::string_view op, Endpoint x) {
    return g.op("Unsorted" + std::string(op), {x, g.input(1), g.input(2)});
  });
  const Endpoint product = g.op("UnsortedSegmentProd", {parts.non_zero_data, g.input(1), g.input(2)});
  const Endpoint clipped = clipped_ids(g);
  const Endpoint gathered = python_gather(g, g.output(0), clipped);
  const Endpoint gathered_product = python_gather(g, product, clipped);
  const Endpoint quotient = divided(g, gathered, g.input(0));
  const Endpoint slope = g.op("SelectV2", {parts.is_zero, gathered_product, quotient});
  const Endpoint grads = gather_drop_negatives(g, parts.grad, clipped).rows;
  return {g.op("Mul", {grads, slope}, {}, "mul"), {}, {}};
}

std::vector<Endpoint> with_blanks(const GradientContext& g, Endpoint first) {
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = first;
  return grads;
}

std::vector<Endpoint> sum_gradient(GradientContext& g) {
  return with_blanks(g, python_gather(g, g.grad(), g.input(1)));
}

std::vector<Endpoint> mean_gradient(GradientContext& g) {
  const Endpoint rank = python_rank_of(g, g.input(0));
  const Endpoint ids_shape = python_shape_of_type(g, g.input(1), DType::kInt32);
  const Endpoint others = python_expand_dims(g, python_with_number(g, "Sub", rank, 1, "sub"), 0);
  const Endpoint remaining = ones_of_shape(g, others, DType::kInt32);
  const Endpoint dims = python_concat(g, {ids_shape, remaining});
  const Endpoint ones = ones_of_shape(g, dims, base_dtype(g.grad().dtype()));
  const Endpoint scaled = divided(g, g.grad(), g.op("SegmentSum", {ones, g.input(1)}));
  return with_blanks(g, python_gather(g, scaled, g.input(1)));
}

std::vector<Endpoint> extreme_gradient(GradientContext& g) {
  const Endpoint ids = g.input(1);
  const Endpoint zeros = python_zeros_like(g, g.input(0));
  const Endpoint selected = g.op("Equal", {g.input(0), python_gather(g, g.output(0), ids)});
  const Endpoint count = g.op("SegmentSum", {python_cast(g, selected, base_dtype(g.grad().dtype())), ids});
  const Endpoint grads = python_gather(g, divided(g, g.grad(), count), ids);
  return with_blanks(g, g.op("SelectV2", {selected, grads, zeros}));
}

std::vector<Endpoint> product_gradient(GradientContext& g) {
  const Endpoint ids = g.input(1);
  const ProductParts parts =
      product_parts(g, [&](std::string_view op, Endpoint x) { return g.op(op, {x, ids}); });
  const Endpoint product = g.op("SegmentProd", {parts.non_zero_data, ids});
  const Endpoint gathered = python_gather(g, g.output(0), ids);
  const Endpoint gathered_product = python_gather(g, product, ids);
  const Endpoint quotient = divided(g, gathered, parts.non_zero_data);
  const Endpoint slope = g.op("SelectV2", {parts.is_zero, gathered_product, quotient});
  return with_blanks(g, g.op("Mul", {python_gather(g, parts.grad, ids), slope}, {}, "mul"));
}

// ---- the ops

constexpr graph::OpRow segment_op_row(std::string_view name, std::string_view inputs, std::string_view attrs,
                                      graph::ShapeFunction shape, graph::PrepareFunction prepare,
                                      graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "output:T",
          .attrs = attrs,
          .shape = shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kSegmentOps[] = {
    segment_op_row("SegmentSum", "data:T, segment_ids:Tindices", "T:type{numbers}; Tindices:type{indices}",
                   sorted_shape, prepare_sorted<SumRule, AllNumberTypes>, sum_gradient),
    segment_op_row("SegmentMean", "data:T, segment_ids:Tindices", "T:type{numbers}; Tindices:type{indices}",
                   sorted_shape, prepare_sorted<MeanRule, AllNumberTypes>, mean_gradient),
    segment_op_row("SegmentProd", "data:T, segment_ids:Tindices", "T:type{numbers}; Tindices:type{indices}",
                   sorted_shape, prepare_sorted<ProductRule, AllNumberTypes>, product_gradient),
    segment_op_row("SegmentMax", "data:T, segment_ids:Tindices",
                   "T:type{real_numbers}; Tindices:type{indices}", sorted_shape,
                   prepare_sorted<MaximumRule, RealTypes>, extreme_gradient),
    segment_op_row("SegmentMin", "data:T, segment_ids:Tindices",
                   "T:type{real_numbers}; Tindices:type{indices}", sorted_shape,
                   prepare_sorted<MinimumRule, RealTypes>, extreme_gradient),
    segment_op_row("SegmentSumV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}", sorted_shape,
                   prepare_sorted<SumRule, AllNumberTypes>, nullptr),
    segment_op_row("SegmentProdV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}", sorted_shape,
                   prepare_sorted<ProductRule, AllNumberTypes>, nullptr),
    segment_op_row("SegmentMaxV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{real_numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
                   sorted_shape, prepare_sorted<MaximumRule, RealTypes>, nullptr),
    segment_op_row("SegmentMinV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{real_numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
                   sorted_shape, prepare_sorted<MinimumRule, RealTypes>, nullptr),
    segment_op_row("UnsortedSegmentSum", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{numbers}; Tindices:type{indices_and_int16}; Tnumsegments:type=int32{indices}",
                   unsorted_shape, prepare_unsorted<SumRule, AllNumberTypes>, unsorted_sum_gradient),
    segment_op_row("UnsortedSegmentProd", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
                   unsorted_shape, prepare_unsorted<ProductRule, AllNumberTypes>, unsorted_product_gradient),
    segment_op_row("UnsortedSegmentMax", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{real_numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
                   unsorted_shape, prepare_unsorted<MaximumRule, RealTypes>, unsorted_extreme_gradient),
    segment_op_row("UnsortedSegmentMin", "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
                   "T:type{real_numbers}; Tindices:type{indices}; Tnumsegments:type=int32{indices}",
                   unsorted_shape, prepare_unsorted<MinimumRule, RealTypes>, unsorted_extreme_gradient),
};

}  // namespace

void register_segment_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSegmentOps) table.add(row);
}

}  // namespace flowray::ops
