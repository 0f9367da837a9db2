// DynamicStitch and UnsortedSegmentSum: rows put together by their numbers, the adjoints of gathering.

#include "core/dtype_dispatch.h"
#include "graph/gradient_context.h"
#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array_ops.h"
#include "ops/element_words.h"
#include "ops/fill_words.h"
#include "ops/index_text.h"
#include "ops/python_array_nodes.h"
#include "ops/python_nodes.h"
#include "ops/shape_merging.h"
#include "ops/shape_parts.h"

#include <fmt/format.h>

#include <algorithm>

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

Shape suffix(const Shape& shape, int begin) {
  return Shape(shape.dims().subspan(static_cast<size_t>(begin)));
}

bool starts_with(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() && std::equal(prefix.begin(), prefix.end(), shape.begin());
}

/// While a graph is built: `prefix`, input `prefix_input`, must be how input `whole_input` begins. Returns
/// what follows.
Shape after_prefix(const ShapeContext& context, int whole_input, int prefix_input) {
  const Shape& prefix = context.input(prefix_input);
  if (!prefix.has_rank()) return Shape::unknown_rank();
  const Shape whole = context.with_rank_at_least(whole_input, prefix.rank());
  if (!whole.has_rank()) return whole;
  for (int i = 0; i < prefix.rank(); ++i) ShapeContext::merge_dim(whole.dim(i), prefix.dim(i));
  return suffix(whole, prefix.rank());
}

// ---- DynamicStitch, ParallelDynamicStitch

void check_stitch_in_step(const ShapeContext& context, int count) {
  const Shape& first_indices = context.input(0);
  const Shape& first_data = context.input(count);
  for (int i = 0; i < count; ++i) {
    const Shape& indices = context.input(i);
    const Shape& data = context.input(count + i);
    if (!starts_with(data, indices)) {
      ShapeContext::fail(fmt::format("data[{0}].shape = {1} does not start with indices[{0}].shape = {2}", i,
                                     data.to_string(), indices.to_string()));
    }
    if (!(suffix(data, indices.rank()) == suffix(first_data, first_indices.rank()))) {
      ShapeContext::fail(
          fmt::format("Need data[0].shape[{1}:] = data[{0}].shape[{2}:], got data[0].shape = {3}, "
                      "data[{0}].shape = {4}, indices[0].shape = {5}, indices[{0}].shape = {6}",
                      i, first_indices.rank(), indices.rank(), first_data.to_string(), data.to_string(),
                      first_indices.to_string(), indices.to_string()));
    }
  }
}

void stitch_shape(ShapeContext& context) {
  const int count = context.num_inputs() / 2;
  if (context.running()) check_stitch_in_step(context, count);
  bool all_known = true;
  int64_t rows = 0;
  Shape row = Shape::unknown_rank();
  for (int i = 0; i < count; ++i) {
    row = merge_shapes(row, after_prefix(context, count + i, i));
    all_known = all_known && context.value(i) != nullptr;
    if (!all_known) continue;
    for (int64_t index : context.integers(i)) rows = std::max(rows, index + 1);
  }
  if (row.has_rank()) context.set_output(0, Shape{all_known ? rows : Shape::kUnknownDim}.concatenate(row));
}

/// Rows that no index names are zero; where an index is there twice the last one wins.
template <class W>
void stitch(const KernelCall& call, const std::vector<int64_t>& num_indices, int64_t rows,
            int64_t row_elements) {
  W* const out = call.out<W>(0);
  for (size_t i = 0; i < num_indices.size(); ++i) {
    const int32_t* const indices = call.in<int32_t>(static_cast<int>(i));
    const W* data = call.in<W>(static_cast<int>(num_indices.size() + i));
    for (int64_t k = 0; k < num_indices[i]; ++k, data += row_elements) {
      if (indices[k] < 0 || indices[k] >= rows) {
        throw errors::InvalidArgumentError(fmt::format("indices[{}] is out of range", k));
      }
      copy_words(data, out + indices[k] * row_elements, row_elements);
    }
  }
}

std::unique_ptr<Kernel> prepare_stitch(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  const int64_t rows = out.dim(0);
  const int64_t row_elements = elements_between(out, 1, out.rank());
  std::vector<int64_t> num_indices;
  for (int i = 0; i < context.num_inputs() / 2; ++i)
    num_indices.push_back(context.input_shape(i).num_elements());
  const DType dtype = context.output_dtype(0);
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch_words(dtype, [&]<class W>() {
    kernel =
        make_kernel([num_indices, rows, row_elements, zero = Array(dtype, Shape())](const KernelCall& call) {
          fill_words(zero.dtype(), zero.raw_data(), call.out<void>(0), rows * row_elements, call.parallel());
          stitch<W>(call, num_indices, rows, row_elements);
        });
  });
  if (!known) context.no_kernel_for(dtype);
  return kernel;
}

std::vector<Endpoint> stitch_gradient(GradientContext& g) {
  const int count = g.num_inputs() / 2;
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  for (int i = 0; i < count; ++i)
    grads[static_cast<size_t>(count + i)] = python_gather(g, g.grad(), g.input(i));
  return grads;
}

// ---- UnsortedSegmentSum

void segment_sum_shape(ShapeContext& context) {
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
  const Shape row = after_prefix(context, 0, 1);
  int64_t count = Shape::kUnknownDim;
  if (context.value(2) != nullptr) {
    count = context.integers(2)[0];
    if (count < 0) {
      ShapeContext::fail(
          context.running()
              ? fmt::format("Input num_segments == {} must not be negative.", count)
              : fmt::format("Dimension size, given by scalar input 2, must be non-negative but is {}",
                            count));
    }
  }
  if (row.has_rank()) context.set_output(0, Shape{count}.concatenate(row));
}

struct SegmentSizes {
  Shape ids;
  int64_t num_ids;
  int64_t num_segments;
  int64_t row_elements;
};

template <class Index>
void check_segment_ids(const SegmentSizes& sizes, const Index* ids) {
  for (int64_t i = 0; i < sizes.num_ids; ++i) {
    if (ids[i] >= sizes.num_segments) {
      throw errors::InvalidArgumentError(fmt::format("segment_ids{} = {} is out of range [0, {})",
                                                     position_text(sizes.ids, i), ids[i],
                                                     sizes.num_segments));
    }
  }
}

/// Columns [begin, end) of all rows. Rows with a negative id are left out.
template <class T, class Index>
void sum_columns(const SegmentSizes& sizes, const T* data, const Index* ids, T* out, int64_t begin,
                 int64_t end) {
  const int64_t width = sizes.row_elements;
  for (int64_t i = 0; i < sizes.num_segments; ++i)
    std::fill(out + i * width + begin, out + i * width + end, T(0));
  for (int64_t i = 0; i < sizes.num_ids; ++i) {
    if (ids[i] < 0) continue;
    const T* const from = data + i * width;
    T* const to = out + ids[i] * width;
    for (int64_t k = begin; k < end; ++k) to[k] += from[k];
  }
}

template <class T, class Index>
std::unique_ptr<Kernel> segment_sum_kernel(const SegmentSizes& sizes) {
  return make_kernel([sizes](const KernelCall& call) {
    constexpr int64_t kMinElementsPerWorker = 16384;
    constexpr int64_t kMinColumns = 16;  // a cache line: threads do not share one
    const Index* const ids = call.in<Index>(1);
    const T* const data = call.in<T>(0);
    T* const out = call.out<T>(0);
    check_segment_ids(sizes, ids);
    if (sizes.row_elements == 0 || sizes.num_segments == 0) return;
    const int64_t min_columns =
        std::max(kMinColumns, kMinElementsPerWorker / std::max<int64_t>(1, sizes.num_ids));
    if (sizes.row_elements < 2 * min_columns)
      return sum_columns(sizes, data, ids, out, 0, sizes.row_elements);
    call.parallel().for_range(sizes.row_elements, min_columns, [&](int64_t begin, int64_t end, int) {
      sum_columns(sizes, data, ids, out, begin, end);
    });
  });
}

std::unique_ptr<Kernel> prepare_segment_sum(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  const SegmentSizes sizes = {.ids = context.input_shape(1),
                              .num_ids = context.input_shape(1).num_elements(),
                              .num_segments = out.dim(0),
                              .row_elements = elements_between(out, 1, out.rank())};
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<NumberTypes>(context.output_dtype(0), [&]<class T>() {
    const bool indices = dispatch<IndexTypes>(
        context.input_dtype(1), [&]<class Index>() { kernel = segment_sum_kernel<T, Index>(sizes); });
    if (!indices) context.no_kernel_for(context.input_dtype(1));
  });
  if (!known) context.no_kernel_for(context.output_dtype(0));
  return kernel;
}

/// array_ops.ones([count]) of int32.
Endpoint vector_of_ones(GradientContext& g, Endpoint count) {
  const NameScope scope(g.graph(), "ones");
  const Endpoint dims = python_list(g, {count}, DType::kInt32, "packed");
  return g.op("Fill", {dims, python_scalar(g, 1, DType::kInt32, "Const")}, {}, scope.path());
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

/// Gathers the segments' gradients; rows with a negative id get zeros.
std::vector<Endpoint> segment_sum_gradient(GradientContext& g) {
  const Endpoint ids = g.input(1);
  const Endpoint clipped = g.op("Maximum", {ids, python_zeros_like(g, ids)});
  const Endpoint gathered = python_gather(g, g.grad(), clipped);
  const Endpoint counts = python_with_number(g, "GreaterEqual", ids, 0, "GreaterEqual");
  const Endpoint counts_shape = python_shape_of_type(g, counts, DType::kInt32);
  const Endpoint rank = python_rank_of(g, gathered);
  const Endpoint ids_rank = python_rank_of(g, counts);
  const Endpoint ones = vector_of_ones(g, g.op("Sub", {rank, ids_rank}, {}, "sub"));
  const Endpoint wide = g.op("Reshape", {counts, python_concat_lists(g, {counts_shape, ones}, 0)});
  const Endpoint mask = g.op("LogicalAnd", {wide, all_true_like(g, gathered)}, {}, "and");
  return {g.op("SelectV2", {mask, gathered, python_zeros_like(g, gathered)}), {}, {}};
}

}  // namespace

void register_array_segment_ops(graph::OpTable& table) {
  for (const char* name : {"DynamicStitch", "ParallelDynamicStitch"}) {
    table.add({.name = name,
               .inputs = "indices:N*int32, data:N*T",
               .outputs = "merged:T",
               .attrs = "N:int; T:type",
               .shape = stitch_shape,
               .gradient = stitch_gradient,
               .prepare = prepare_stitch});
  }
  table.add({.name = "UnsortedSegmentSum",
             .inputs = "data:T, segment_ids:Tindices, num_segments:Tnumsegments",
             .outputs = "output:T",
             .attrs =
                 "T:type{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
                 "bfloat16,qint16,"
                 "quint16,uint16,complex128,float16,uint32,uint64]}; Tindices:type{[int16,int32,int64]}; "
                 "Tnumsegments:type=int32{[int32,int64]}",
             .shape = segment_sum_shape,
             .gradient = segment_sum_gradient,
             .prepare = prepare_segment_sum});
}

}  // namespace flowray::ops
