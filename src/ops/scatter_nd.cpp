// ScatterNd, TensorScatterAdd, ..., ScatterNdAdd, ..., ResourceScatterNdAdd, ...: slices of an array or a
// variable, named by coordinates, are updated.

#include "graph/gradient_context.h"
#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array_ops.h"
#include "ops/combine_rules.h"
#include "ops/dtype_lists.h"
#include "ops/element_words.h"
#include "ops/integer_reader.h"
#include "ops/kernel_for_dtype.h"
#include "ops/python_array_nodes.h"
#include "ops/python_math_nodes.h"
#include "ops/python_nodes.h"
#include "ops/slices.h"

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

using AddedTypes = TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                            uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool>;
using MovedTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t, Word16, std::string>;

// ---- shapes

/// Updates of an array of `shape` fit the indices. In a step the words are those of TensorFlow's kernels.
void check_updates(const ShapeContext& context, const Shape& shape, const Shape& indices,
                   const Shape& updates) {
  if (!shape.has_rank() || !indices.has_rank() || !updates.has_rank() || indices.dim(-1) < 0) return;
  const int depth = static_cast<int>(indices.dim(-1));
  const int lead = indices.rank() - 1;
  if (depth > shape.rank()) {
    ShapeContext::fail(fmt::format(
        "The inner {} dimensions of output.shape={} must match the inner dimensions of updates.shape={}",
        depth, shape.to_string(), updates.to_string()));
  }
  const Shape expected = part_of(indices, 0, lead).concatenate(part_of(shape, depth, shape.rank()));
  if (expected.is_compatible_with(updates)) return;
  if (context.running() && context.schema().name != "ScatterNd") {
    ShapeContext::fail(fmt::format(
        "Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got "
        "updates.shape: {}, indices.shape: {}, params_shape: {}, slice_dim: {}, and batch_dim: {}",
        updates.to_string(), indices.to_string(), shape.to_string(), depth, lead));
  }
  ShapeContext::fail(
      fmt::format("Dimensions [0,{}) of indices[shape={}] must match dimensions [0,{}) of updates[shape={}]",
                  lead, indices.to_string(), lead, updates.to_string()));
}

void scatter_nd_shape(ShapeContext& context) {
  const Shape shape = context.value_as_shape(2);
  context.set_output(0, shape);
  check_updates(context, shape, context.with_rank_at_least(0, 1), context.input(1));
}

void update_nd_shape(ShapeContext& context) {
  const Shape shape =
      context.input_dtype(0) == DType::kResource ? context.value_as_shape(0) : context.input(0);
  if (context.running() && shape.rank() < 1) {
    ShapeContext::fail("Output must be at least 1-D, got shape: " + shape.to_string());
  }
  check_updates(context, shape, context.with_rank_at_least(1, 1), context.input(2));
  if (context.num_outputs() > 0) context.set_output(0, shape);
}

// ---- kernels

/// The indices and updates of one op, apart from the pointers.
struct Scatter {
  Shape indices;
  DType index_dtype;

  template <class Rule, class T>
  void run(const Shape& shape, const void* index_data, const T* updates, T* out) const {
    const Slices slices(shape, indices);
    const IntegerReader at{index_data, index_dtype};
    for (int64_t i = 0; i < slices.count; ++i) {
      const auto number = slices.find(at, i);
      if (!number) {
        throw errors::InvalidArgumentError(fmt::format("indices[{}] = {} does not index into shape {}", i,
                                                       slices.coordinate_text(at, i), shape.to_string()));
      }
      const T* from = updates + i * slices.slice;
      T* to = out + *number * slices.slice;
      for (int64_t k = 0; k < slices.slice; ++k) to[k] = Rule::combine(to[k], from[k]);
    }
  }
};

std::unique_ptr<Kernel> prepare_scatter_nd(PrepareContext& context) {
  const Scatter scatter{context.input_shape(0), context.input_dtype(0)};
  return kernel_for_dtype<AddedTypes>(context, context.input_dtype(1), [&]<class T>() {
    return make_kernel([scatter, shape = context.output_shape(0)](const KernelCall& call) {
      std::fill_n(call.out<T>(0), shape.num_elements(), T(0));
      scatter.run<Plus>(shape, call.in<void>(0), call.in<T>(1), call.out<T>(0));
    });
  });
}

/// make.operator()<T>() for the element type of `dtype`, or where elements are only moved for one of its
/// width.
template <class Rule, class Types, class Make>
std::unique_ptr<Kernel> kernel_for_rule(PrepareContext& context, DType dtype, Make make) {
  if constexpr (std::is_same_v<Rule, Replace>) {
    std::unique_ptr<Kernel> kernel;
    if (!dispatch_words(dtype, [&]<class W>() { kernel = make.template operator()<W>(); }))
      context.no_kernel_for(dtype);
    return kernel;
  } else {
    return kernel_for_dtype<Types>(context, dtype, make);
  }
}

/// Output 0 is a copy of input 0, updated.
template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_tensor_scatter(PrepareContext& context) {
  const Scatter scatter{context.input_shape(1), context.input_dtype(1)};
  return kernel_for_rule<Rule, Types>(context, context.input_dtype(0), [&]<class T>() {
    return make_kernel(
        [scatter, shape = context.input_shape(0)](const KernelCall& call) {
          T* const out = call.out<T>(0);
          if (call.in<T>(0) != out) copy_words(call.in<T>(0), out, shape.num_elements());
          scatter.run<Rule>(shape, call.in<void>(1), call.in<T>(2), out);
        },
        {.in_place = {{0, 0}}});
  });
}

template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_variable_scatter(PrepareContext& context) {
  const Scatter scatter{context.input_shape(1), context.input_dtype(1)};
  const DType dtype = context.input_dtype(2);
  return kernel_for_rule<Rule, Types>(context, dtype, [&]<class T>() {
    return make_kernel([scatter, dtype, updates = context.input_shape(2)](const KernelCall& call) {
      graph::Variable::Update update = call.variable(0).update();
      const Shape& shape = update.shape();
      const int depth = static_cast<int>(scatter.indices.dim(-1));
      const bool fits = update.dtype() == dtype && depth <= shape.rank() &&
                        part_of(scatter.indices, 0, scatter.indices.rank() - 1)
                                .concatenate(part_of(shape, depth, shape.rank())) == updates;
      if (!fits) {
        throw errors::InvalidArgumentError(fmt::format(
            "Cannot update a variable of {} {} at indices {} with {} {}", dtype_kernel_name(update.dtype()),
            shape.to_string(), scatter.indices.to_string(), dtype_kernel_name(dtype), updates.to_string()));
      }
      scatter.run<Rule>(shape, call.in<void>(1), call.in<T>(2), static_cast<T*>(update.raw_data()));
    });
  });
}

// ---- gradients; nodes and names are those of TensorFlow's Python

std::vector<Endpoint> scatter_nd_gradient(GradientContext& g) {
  return {{}, g.op("GatherNd", {g.grad(), g.input(0)}), {}};
}

Endpoint gradient_of_updates(GradientContext& g) { return g.op("GatherNd", {g.grad(), g.input(1)}); }

std::vector<Endpoint> add_gradient(GradientContext& g) {
  const Endpoint updates = gradient_of_updates(g);
  return {g.op("Identity", {g.grad()}), {}, updates};
}
std::vector<Endpoint> subtract_gradient(GradientContext& g) {
  const Endpoint updates = gradient_of_updates(g);
  const Endpoint tensor = g.op("Identity", {g.grad()});
  return {tensor, {}, g.op("Neg", {updates})};
}
std::vector<Endpoint> replace_gradient(GradientContext& g) {
  const Endpoint updates = gradient_of_updates(g);
  const Endpoint copy = g.op("Identity", {g.grad()});
  const Endpoint zeros = python_zeros_like(g, g.input(2));
  return {g.op("TensorScatterUpdate", {copy, g.input(1), zeros}), {}, updates};
}
std::vector<Endpoint> alias_free_gradient(GradientContext& g) {
  return {g.grad(), {}, gradient_of_updates(g)};
}

/// Shared by what reached the extreme.
std::vector<Endpoint> extreme_gradient(GradientContext& g) {
  const Endpoint indices = g.input(1);
  const DType dtype = base_dtype(g.grad().dtype());
  const Endpoint of_tensor = python_cast(g, g.op("Equal", {g.input(0), g.output(0)}), dtype);
  const Endpoint chosen = g.op("GatherNd", {g.output(0), indices});
  const Endpoint of_updates = python_cast(g, g.op("Equal", {g.input(2), chosen}), dtype);
  const Endpoint shape = python_shape_of_type(g, g.input(0), base_dtype(indices.dtype()));
  const Endpoint scattered = g.op("ScatterNd", {indices, of_updates, shape});
  const Endpoint count = g.op("AddV2", {of_tensor, scattered}, {}, "add");
  const Endpoint product = g.op("Mul", {g.grad(), of_tensor}, {}, "mul");
  const Endpoint tensor = g.op("RealDiv", {product, count}, {}, "truediv");
  const Endpoint share = g.op("RealDiv", {g.grad(), count}, {}, "truediv");
  const Endpoint gathered = g.op("GatherNd", {share, indices});
  return {tensor, {}, g.op("Mul", {gathered, of_updates}, {}, "mul")};
}

// ---- the ops

#define FLOWRAY_POLICY "; bad_indices_policy:string=\"\""
#define FLOWRAY_TINDICES "; Tindices:type" FLOWRAY_INDICES

struct TensorScatterOp {
  std::string_view name;
  std::string_view indices;
  graph::PrepareFunction prepare;
  graph::GradientFunction gradient;
};

constexpr TensorScatterOp kTensorOps[] = {
    {"TensorScatterAdd", "T:type" FLOWRAY_TINDICES FLOWRAY_POLICY, prepare_tensor_scatter<Plus, AddedTypes>,
     add_gradient},
    {"TensorScatterSub", "T:type" FLOWRAY_TINDICES FLOWRAY_POLICY, prepare_tensor_scatter<Minus, AddedTypes>,
     subtract_gradient},
    {"TensorScatterMin", "T:type" FLOWRAY_TINDICES FLOWRAY_POLICY, prepare_tensor_scatter<Least, RealTypes>,
     extreme_gradient},
    {"TensorScatterMax", "T:type" FLOWRAY_TINDICES FLOWRAY_POLICY,
     prepare_tensor_scatter<Greatest, RealTypes>, extreme_gradient},
    {"TensorScatterUpdate", "T:type; Tindices:type{[int16,int32,int64,uint16]}" FLOWRAY_POLICY,
     prepare_tensor_scatter<Replace, MovedTypes>, replace_gradient},
};

struct VariableScatterOp {
  std::string_view name;
  std::string_view attrs;
  std::string_view resource_name;
  graph::PrepareFunction prepare;
};

#define FLOWRAY_REF_NUMBERS \
  "T:type" FLOWRAY_ALL_NUMBERS FLOWRAY_TINDICES "; use_locking:bool=false" FLOWRAY_POLICY
#define FLOWRAY_ANY_LOCKED "T:type" FLOWRAY_TINDICES "; use_locking:bool=true" FLOWRAY_POLICY

constexpr VariableScatterOp kVariableOps[] = {
    {"ScatterNdAdd", FLOWRAY_REF_NUMBERS, "ResourceScatterNdAdd", prepare_variable_scatter<Plus, AddedTypes>},
    {"ScatterNdSub", FLOWRAY_REF_NUMBERS, "ResourceScatterNdSub",
     prepare_variable_scatter<Minus, AddedTypes>},
    {"ScatterNdMin", FLOWRAY_REF_NUMBERS, "ResourceScatterNdMin", prepare_variable_scatter<Least, RealTypes>},
    {"ScatterNdMax", FLOWRAY_REF_NUMBERS, "ResourceScatterNdMax",
     prepare_variable_scatter<Greatest, RealTypes>},
    {"ScatterNdUpdate", FLOWRAY_ANY_LOCKED, "ResourceScatterNdUpdate",
     prepare_variable_scatter<Replace, MovedTypes>},
};

}  // namespace

void register_scatter_nd_ops(OpTable& table) {
  table.add({.name = "ScatterNd",
             .inputs = "indices:Tindices, updates:T, shape:Tindices",
             .outputs = "output:T",
             .attrs = "T:type; Tindices:type{[int16,int32,int64]}" FLOWRAY_POLICY,
             .shape = scatter_nd_shape,
             .gradient = scatter_nd_gradient,
             .prepare = prepare_scatter_nd});
  table.add(
      {.name = "ScatterNdNonAliasingAdd",
       .inputs = "input:T, indices:Tindices, updates:T",
       .outputs = "output:T",
       .attrs =
           "T:type{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,"
           "qint16,quint16,uint16,complex128,float16,uint32,uint64,bool]}" FLOWRAY_TINDICES FLOWRAY_POLICY,
       .shape = update_nd_shape,
       .gradient = alias_free_gradient,
       .prepare = prepare_tensor_scatter<Plus, AddedTypes>});
  for (const TensorScatterOp& op : kTensorOps) {
    table.add({.name = op.name,
               .inputs = "tensor:T, indices:Tindices, updates:T",
               .outputs = "output:T",
               .attrs = op.indices,
               .shape = update_nd_shape,
               .gradient = op.gradient,
               .prepare = op.prepare});
  }
  for (const VariableScatterOp& op : kVariableOps) {
    table.add({.name = op.name,
               .inputs = "ref:ref T, indices:Tindices, updates:T",
               .outputs = "output_ref:ref T",
               .attrs = op.attrs,
               .shape = update_nd_shape,
               .prepare = op.prepare});
    table.add({.name = op.resource_name,
               .inputs = "ref:resource, indices:Tindices, updates:T",
               .attrs = FLOWRAY_ANY_LOCKED,
               .stateful = true,
               .shape = update_nd_shape,
               .prepare = op.prepare});
  }
}

}  // namespace flowray::ops
