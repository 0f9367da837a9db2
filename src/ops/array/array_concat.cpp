// ConcatV2, Concat, ConcatOffset, Pack: several arrays in one.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/wrapping.h"
#include "graph/dims_context.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/shape_parts.h"
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

/// Copies blocks of the inputs side by side: `outer` times a block of each.
std::unique_ptr<Kernel> copy_side_by_side(PrepareContext& context, int first_input, int64_t outer,
                                          const std::vector<int64_t>& blocks) {
  const DType dtype = context.output_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  if (context.output_shape(0).num_elements() == 0) return make_kernel([](const KernelCall&) {});
  int64_t row = 0;
  for (const int64_t block : blocks) row += block;
  std::vector<StridedCopy> copies;
  int64_t offset = 0;
  for (const int64_t block : blocks) {
    const StridedCopy::Dim dims[] = {{outer, block, row}, {block, 1, 1}};
    copies.emplace_back(dtype, dims, 0, offset);
    offset += block;
  }
  return make_kernel([first_input, copies = std::move(copies)](const KernelCall& call) {
    for (size_t i = 0; i < copies.size(); ++i) {
      copies[i].run(call.in<void>(first_input + static_cast<int>(i)), call.out<void>(0), call.parallel());
    }
  });
}

// ---- ConcatV2, Concat

/// Where the values and the axis stand among the inputs.
struct ConcatInputs {
  int first_value;
  int num_values;
  int axis;

  template <class Context>
  explicit ConcatInputs(const Context& context) {
    const bool old_form = context.schema().name == "Concat";
    first_value = old_form ? 1 : 0;
    num_values = context.num_inputs() - 1;
    axis = old_form ? 0 : num_values;
  }
  int end() const { return first_value + num_values; }
};

void concat_in_step(ShapeContext& context, const ConcatInputs& inputs) {
  if (context.input(inputs.axis).num_elements() != 1) {
    ShapeContext::fail(fmt::format("{} tensor should be a scalar integer, but got shape {}",
                                   inputs.axis == 0 ? "concat_dim" : "axis",
                                   context.input(inputs.axis).to_string()));
  }
  const Shape& first = context.input(inputs.first_value);
  const int64_t axis = context.integers(inputs.axis)[0];
  const int rank = first.rank();
  if (rank == 0 && axis == 0)
    ShapeContext::fail("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (axis < -rank || axis >= rank) {
    ShapeContext::fail(fmt::format(
        "ConcatOp : Expected concatenating dimensions in the range [{}, {}), but got {}", -rank, rank, axis));
  }
  const int along = static_cast<int>(axis < 0 ? axis + rank : axis);
  Shape out = first;
  for (int i = 1; i < inputs.num_values; ++i) {
    const Shape& other = context.input(inputs.first_value + i);
    const auto shapes = [&] {
      return fmt::format("shape[0] = {} vs. shape[{}] = {}", first.to_string(), i, other.to_string());
    };
    if (other.rank() != rank) {
      ShapeContext::fail("ConcatOp : Ranks of all input tensors should match: " + shapes());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != along && other.dim(d) != first.dim(d)) {
        ShapeContext::fail(
            fmt::format("ConcatOp : Dimension {} in both shapes must be equal: {}", d, shapes()));
      }
    }
    out.set_dim(along, checked(out.dim(along)) + other.dim(along));
  }
  context.set_output(0, out);
}

/// The rank is that of any input whose rank is known.
void concat_of_unknown_axis(ShapeContext& context, const ConcatInputs& inputs) {
  for (int i = inputs.first_value; i < inputs.end(); ++i) {
    const int rank = context.input(i).rank();
    if (rank == 0) ShapeContext::fail("Can't concatenate scalars (use tf.stack instead)");
    if (rank < 0) continue;
    for (int j = inputs.first_value; j < inputs.end(); ++j) context.with_rank(j, rank);
    return context.set_output(0, Shape::of_rank(rank));
  }
}

/// Dimensions [begin, end) of a shape; unknown rank stays unknown.
Shape part_of(const Shape& shape, int begin, int end) {
  return shape.has_rank()
             ? Shape(shape.dims().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)))
             : Shape::unknown_rank();
}

void concat_shape(ShapeContext& context) {
  const ConcatInputs inputs(context);
  if (context.running()) return concat_in_step(context, inputs);
  context.with_rank(inputs.axis, 0);
  if (context.value(inputs.axis) == nullptr) return concat_of_unknown_axis(context, inputs);
  const int64_t axis = context.integers(inputs.axis)[0];
  const int64_t min_rank = axis < 0 ? checked(0) - axis : checked(axis) + 1;
  Shape before = Shape::unknown_rank();
  Shape after = Shape::unknown_rank();
  int64_t along = 0;
  for (int i = inputs.first_value; i < inputs.end(); ++i) {
    const Shape shape = context.with_rank_at_least(i, min_rank);
    if (!shape.has_rank()) {
      along = Shape::kUnknownDim;
      continue;
    }
    if (shape.rank() == 0) ShapeContext::fail("Can't concatenate scalars (use tf.stack instead)");
    if (before.has_rank()) context.with_rank(i, before.rank() + 1 + after.rank());
    const int middle = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
    before = merge_shapes(before, part_of(shape, 0, middle));
    after = merge_shapes(after, part_of(shape, middle + 1, shape.rank()));
    const bool known = along >= 0 && shape.dim(middle) >= 0;
    along = known ? static_cast<int64_t>(checked(along) + shape.dim(middle)) : Shape::kUnknownDim;
  }
  if (before.has_rank()) context.set_output(0, before.concatenate(Shape{along}).concatenate(after));
}

/// The dimensions that a concatenation of vectors (the axis comes last) holds, one after the other.
Shape concat_dims(const DimsContext& context) {
  Shape out;
  for (int i = 0; i + 1 < context.num_inputs(); ++i) out = out.concatenate(context.dims(i));
  return out;
}

std::unique_ptr<Kernel> prepare_concat(PrepareContext& context) {
  const ConcatInputs inputs(context);
  const int rank = context.output_shape(0).rank();
  const int64_t given = context.integers(inputs.axis)[0];
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  std::vector<int64_t> blocks;
  for (int i = inputs.first_value; i < inputs.end(); ++i) {
    blocks.push_back(elements_between(context.input_shape(i), axis, rank));
  }
  return copy_side_by_side(context, inputs.first_value, elements_between(context.output_shape(0), 0, axis),
                           blocks);
}

/// The values' shapes: constants where all are known, else one ShapeN (after the nodes that were tried).
std::vector<Endpoint> shapes_of(GradientContext& g, const std::vector<Endpoint>& values) {
  std::vector<Endpoint> shapes;
  for (const Endpoint value : values) {
    shapes.push_back(python_shape_of_type(g, value, DType::kInt32));
    if (!shapes.back().node->schema().row.is_constant) break;
  }
  if (shapes.back().node->schema().row.is_constant) return shapes;
  return python_outputs(g, "ShapeN", values);
}

/// Above so many values one SplitV takes the place of a Slice for each.
constexpr size_t kMaxSlices = 16;

std::vector<Endpoint> split_gradient(GradientContext& g, const std::vector<Endpoint>& shapes, Endpoint axis) {
  const Endpoint stacked = g.op("Pack", shapes, {{"axis", int64_t{1}}}, "stack");
  Endpoint row;
  {
    const NameScope scope(g.graph(), "Slice");
    const Endpoint begin = python_list(g, {axis, 0}, DType::kInt32, "begin");
    const Endpoint size = python_integers(g, {1, -1}, DType::kInt32, "size");
    row = g.op("Slice", {stacked, begin, size}, {}, scope.path());
  }
  const Endpoint sizes = g.op("Squeeze", {row});
  return python_outputs(g, "SplitV", {g.grad(), sizes, axis},
                        {{"num_split", static_cast<int64_t>(shapes.size())}}, "split");
}

std::vector<Endpoint> slice_gradients(GradientContext& g, const std::vector<Endpoint>& shapes,
                                      Endpoint axis) {
  std::vector<Endpoint> inputs = {axis};
  inputs.insert(inputs.end(), shapes.begin(), shapes.end());
  const std::vector<Endpoint> offsets = python_outputs(g, "ConcatOffset", inputs);
  std::vector<Endpoint> parts;
  for (size_t i = 0; i < shapes.size(); ++i) {
    parts.push_back(g.op("Slice", {g.grad(), offsets[i], shapes[i]}));
  }
  return parts;
}

std::vector<Endpoint> concat_gradient(GradientContext& g) {
  const bool old_form = g.node().op() == "Concat";
  const int count = g.num_inputs() - 1;
  std::vector<Endpoint> parts;
  if (count == 1) {
    parts = {g.grad()};
  } else {
    const int first = old_form ? 1 : 0;
    std::vector<Endpoint> values;
    for (int i = first; i < first + count; ++i) values.push_back(g.input(i));
    const Endpoint rank = python_rank_of(g, values[0]);
    const Endpoint axis = g.op("FloorMod", {g.input(old_form ? 0 : count), rank}, {}, "mod");
    const std::vector<Endpoint> shapes = shapes_of(g, values);
    parts = shapes.size() > kMaxSlices ? split_gradient(g, shapes, axis) : slice_gradients(g, shapes, axis);
  }
  parts.insert(old_form ? parts.begin() : parts.end(), Endpoint());
  return parts;
}

// ---- ConcatOffset

void concat_offset_shape(ShapeContext& context) {
  const bool running = context.running();
  if (running && context.input(0).rank() != 0) {
    ShapeContext::fail("Concat dim tensor should be a scalar integer, but got shape " +
                       context.input(0).to_string());
  }
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (running && context.input(i).rank() != 1) {
      ShapeContext::fail(
          fmt::format("input {} should be a vector, but got shape {}", i, context.input(i).to_string()));
    }
    const Shape shape = context.with_rank(i, 1);
    if (running && shape.dim(0) != context.input(1).dim(0)) {
      ShapeContext::fail(fmt::format("input {} should contain {} elements, but got {}", i - 1,
                                     context.input(1).dim(0), shape.dim(0)));
    }
    context.set_output(i - 1, shape);
  }
}

template <class T>
void concat_offsets(const KernelCall& call, int count, int64_t rank) {
  const int64_t given = *call.in<int32_t>(0);
  if (given < -rank || given >= rank) {
    throw errors::InvalidArgumentError(fmt::format("Concat dim is out of range: {} vs. {}", given, rank));
  }
  const int64_t axis = given < 0 ? given + rank : given;
  const T* const first = call.in<T>(1);
  T offset = 0;
  for (int i = 0; i < count; ++i) {
    const T* const shape = call.in<T>(1 + i);
    T* const out = call.out<T>(i);
    for (int64_t d = 0; d < rank; ++d) {
      if (d != axis && shape[d] != first[d]) {
        throw errors::InvalidArgumentError(fmt::format(
            "All dimensions except {} must match. Input {} has shape [{}] and doesn't match input 0 with "
            "shape [{}].",
            axis, i, fmt::join(shape, shape + rank, " "), fmt::join(first, first + rank, " ")));
      }
      out[d] = d == axis ? offset : T(0);
    }
    offset = wrapping_add(offset, shape[axis]);
  }
}

std::unique_ptr<Kernel> prepare_concat_offset(PrepareContext& context) {
  const int count = context.num_outputs();
  const int64_t rank = context.input_shape(1).num_elements();
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<IndexTypes>(context.output_dtype(0), [&]<class T>() {
    kernel = make_kernel([count, rank](const KernelCall& call) { concat_offsets<T>(call, count, rank); });
  });
  if (!known) context.no_kernel_for(context.output_dtype(0));
  return kernel;
}

// ---- Pack

/// The attribute `axis`, counted from 0, for an output of rank `rank`.
template <class Context>
int pack_axis(const Context& context, int rank, bool running) {
  const int64_t axis = checked_int32("Attr axis", context.attrs().template get<int64_t>("axis"));
  if (axis < -rank || axis >= rank) {
    ShapeContext::fail(running ? fmt::format("axis = {} not in [{}, {})", axis, -rank, rank)
                               : fmt::format("Invalid axis: {}; must be in [{},{})", axis, -rank, rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void pack_shape(ShapeContext& context) {
  Shape common = context.input(context.num_inputs() - 1);
  for (int i = context.num_inputs() - 2; i >= 0 && !context.running(); --i) {
    common = merge_shapes(context.input(i), common);
  }
  for (int i = 1; i < context.num_inputs() && context.running(); ++i) {
    if (!(context.input(i) == context.input(0))) {
      ShapeContext::fail(
          fmt::format("Shapes of all inputs must match: values[0].shape = {} != values[{}].shape = {}",
                      context.input(0).to_string(), i, context.input(i).to_string()));
    }
  }
  if (!common.has_rank()) return;
  const int axis = pack_axis(context, common.rank() + 1, context.running());
  std::vector<int64_t> dims(common.begin(), common.end());
  dims.insert(dims.begin() + axis, context.num_inputs());
  context.set_output(0, Shape(dims));
}

std::unique_ptr<Kernel> prepare_pack(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  const int axis = pack_axis(context, out.rank(), true);
  const std::vector<int64_t> blocks(static_cast<size_t>(context.num_inputs()),
                                    elements_between(out, axis + 1, out.rank()));
  return copy_side_by_side(context, 0, elements_between(out, 0, axis), blocks);
}

/// The dimensions that a Pack of scalars holds, one each.
Shape pack_dims(const DimsContext& context) {
  std::vector<int64_t> dims;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Array value = context.value(i);
    const bool is_known = value.has_value() && value.size() == 1;
    dims.push_back(is_known ? std::max(graph::to_integers(value)[0], Shape::kUnknownDim)
                            : Shape::kUnknownDim);
  }
  return Shape(dims);
}

std::vector<Endpoint> pack_gradient(GradientContext& g) {
  return python_outputs(g, "Unpack", {g.grad()},
                        {{"num", int64_t{g.num_inputs()}}, {"axis", g.attrs().get<int64_t>("axis")}},
                        "unstack");
}

constexpr graph::OpRow kArrayConcatOps[] = {
    {.name = "ConcatV2",
     .inputs = "values:N*T, axis:Tidx",
     .outputs = "output:T",
     .attrs = "N:int>=2; T:type; Tidx:type=int32{indices}",
     .shape = concat_shape,
     .dims = concat_dims,
     .gradient = concat_gradient,
     .prepare = prepare_concat},
    {.name = "Concat",
     .inputs = "concat_dim:int32, values:N*T",
     .outputs = "output:T",
     .attrs = "N:int>=2; T:type",
     .shape = concat_shape,
     .gradient = concat_gradient,
     .prepare = prepare_concat},
    {.name = "ConcatOffset",
     .inputs = "concat_dim:int32, shape:N*shape_type",
     .outputs = "offset:N*shape_type",
     .attrs = "N:int>=2; shape_type:type=int32{indices}",
     .shape = concat_offset_shape,
     .not_differentiable = true,
     .prepare = prepare_concat_offset},
    {.name = "Pack",
     .inputs = "values:N*T",
     .outputs = "output:T",
     .attrs = "N:int>=1; T:type; axis:int=0",
     .shape = pack_shape,
     .dims = pack_dims,
     .gradient = pack_gradient,
     .prepare = prepare_pack},
};

}  // namespace

void register_array_concat_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayConcatOps) table.add(row);
}

}  // namespace flowray::ops
