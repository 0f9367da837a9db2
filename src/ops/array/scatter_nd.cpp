// ScatterNd, TensorScatterAdd, ..., ScatterNdAdd, ..., ResourceScatterNdAdd, ...: slices of an array or a
// variable, named by coordinates, are updated.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/combine_rules.h"
#include "ops/elements/element_words.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/slices.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

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

/// What TensorFlow's kernels say, which differ, to indices and updates of an array of `shape` that do
/// not fit.
class RunningCheck {
 public:
  RunningCheck(const Shape& shape, const Shape& indices, const Shape& updates)
      : shape_(shape), indices_(indices), updates_(updates) {}

  /// ScatterNd.
  void of_new_array() const {
    check_ranks();
    check_not_empty(shape_.rank(), "Indices and updates specified for empty output shape");
    const int lead = indices_.rank() - 1;
    check_lead(lead);
    check_rest(indices_.dim(-1), lead, lead);
  }

  /// TensorScatterAdd, ...
  void of_array() const {
    check_ranks();
    check_not_empty(shape_.num_elements(), "Indices and updates specified for empty output shape");
    const int lead = indices_.rank() - 1;
    const int64_t depth = indices_.dim(-1);
    if (lead > updates_.rank() || !(part_of(indices_, 0, lead) == part_of(updates_, 0, lead))) {
      fail(fmt::format(
          "Outer dimensions of indices and update must match. Indices shape: {}, updates shape:{}",
          indices_.to_string(), updates_.to_string()));
    }
    if (shape_.rank() - depth != updates_.rank() - lead) {
      fail(fmt::format(
          "Inner dimensions of output shape must match inner dimensions of updates shape. Output: {} "
          "updates: {}",
          shape_.to_string(), updates_.to_string()));
    }
    const int rest = updates_.rank() - lead;
    if (depth > shape_.rank() || !(part_of(shape_, static_cast<int>(depth), shape_.rank()) ==
                                   part_of(updates_, lead, updates_.rank()))) {
      fail(
          fmt::format("The inner {0} dimensions of output.shape={1} must match the inner {0} dimensions of "
                      "updates.shape={2}",
                      rest, shape_.to_string(), updates_.to_string()));
    }
  }

  /// ScatterNdUpdate, ... of variables.
  void of_variable() const {
    if (shape_.rank() < 1) fail("Output must be at least 1-D, got shape: " + shape_.to_string());
    if (indices_.rank() < 1) fail("Indices must be at least 1-D, got shape: " + indices_.to_string());
    check_not_empty(
        shape_.num_elements(),
        "Indices and updates specified for empty output.  indices shape: " + indices_.to_string());
    const int lead = std::max(1, indices_.rank() - 1);  // of one coordinate there is still one update
    const int64_t depth = indices_.rank() > 1 ? indices_.dim(-1) : 1;
    const int64_t first = updates_.rank() == 0 ? 0 : updates_.dim(0);
    if (first != indices_.dim(0)) {
      fail(
          fmt::format("Dimensions [0,1) of indices[shape={}] = {} must match dimensions [0,1) of "
                      "updates[shape={}] = {}",
                      indices_.to_string(), indices_.dim(0), updates_.to_string(), first));
    }
    check_lead(lead);
    check_rest(depth, lead, depth);
  }

 private:
  [[noreturn]] static void fail(const std::string& text) { ShapeContext::fail(text); }

  void check_ranks() const {
    if (indices_.rank() < 1) fail("Indices shape must have rank at least one. Found:" + indices_.to_string());
    if (updates_.rank() < 1) fail("Updates shape must have rank at least one. Found:" + updates_.to_string());
  }

  /// `size`: of the array, or of its shape where that is what TensorFlow looks at.
  void check_not_empty(int64_t size, const std::string& text) const {
    const bool no_work = indices_.num_elements() == 0 && updates_.num_elements() == 0;
    const bool some = indices_.num_elements() > 0 && updates_.num_elements() > 0 && size > 0;
    if (!no_work && !some) fail(text);
  }

  void check_lead(int lead) const {
    if (lead <= updates_.rank() && part_of(indices_, 0, lead) == part_of(updates_, 0, lead)) return;
    fail(fmt::format(
        "Dimensions [0,{0}) of indices[shape={1}] must match dimensions [0,{0}) of updates[shape={2}]", lead,
        indices_.to_string(), updates_.to_string()));
  }

  /// `named` is where the sentence says that the rest of the updates begins.
  void check_rest(int64_t depth, int lead, int64_t named) const {
    if (depth <= shape_.rank() &&
        part_of(shape_, static_cast<int>(depth), shape_.rank()) == part_of(updates_, lead, updates_.rank())) {
      return;
    }
    fail(fmt::format(
        "Dimensions [{},{}) of input[shape={}] must match dimensions [{},{}) of updates[shape={}]", depth,
        shape_.rank(), shape_.to_string(), named, updates_.rank(), updates_.to_string()));
  }

  const Shape& shape_;
  const Shape& indices_;
  const Shape& updates_;
};

/// Updates of an array of `shape` fit the indices, as far as is known while a graph is built.
void check_updates(const Shape& shape, const Shape& indices, const Shape& updates) {
  if (!shape.has_rank() || !indices.has_rank() || !updates.has_rank() || indices.dim(-1) < 0) return;
  const int64_t depth = indices.dim(-1);
  const int lead = indices.rank() - 1;
  if (depth > shape.rank()) {
    ShapeContext::fail(fmt::format(
        "The inner {} dimensions of output.shape={} must match the inner dimensions of updates.shape={}",
        depth, shape.to_string(), updates.to_string()));
  }
  const Shape expected =
      part_of(indices, 0, lead).concatenate(part_of(shape, static_cast<int>(depth), shape.rank()));
  if (expected.is_compatible_with(updates)) return;
  ShapeContext::fail(
      fmt::format("Dimensions [0,{}) of indices[shape={}] must match dimensions [0,{}) of updates[shape={}]",
                  lead, indices.to_string(), lead, updates.to_string()));
}

void scatter_nd_shape(ShapeContext& context) {
  if (context.running() && context.input(2).rank() != 1) ShapeContext::fail("Shape must be a vector");
  const Shape shape = context.value_as_shape(2);
  if (context.running()) {
    RunningCheck(shape, context.input(0), context.input(1)).of_new_array();
  } else {
    check_updates(shape, context.with_rank_at_least(0, 1), context.input(1));
  }
  context.set_output(0, shape);
}

void update_nd_shape(ShapeContext& context) {
  const Shape shape =
      context.input_dtype(0) == DType::kResource ? context.value_as_shape(0) : context.input(0);
  if (context.running() && shape.is_fully_defined()) {
    const RunningCheck check(shape, context.input(1), context.input(2));
    context.schema().name.starts_with("TensorScatter") ? check.of_array() : check.of_variable();
  } else {
    check_updates(shape, context.with_rank_at_least(1, 1), context.input(2));
  }
  if (context.num_outputs() > 0) context.set_output(0, shape);
}

// ---- kernels

/// Variables take a vector of indices as one of coordinates of one number each.
Shape coordinates(const Shape& indices) {
  return indices.rank() == 1 ? indices.concatenate(Shape{1}) : indices;
}

/// The indices and updates of one op, apart from the pointers.
struct Scatter {
  Shape indices;
  DType index_dtype;

  using Loop = void (*)(const Scatter& scatter, const Shape& shape, const void* index_data,
                        const void* updates, void* out);

  /// What differs between rules and types; the rest is compiled once.
  template <class Rule, class T>
  static void run(const Scatter& scatter, const Shape& shape, const void* index_data, const void* updates,
                  void* out) {
    const Slices slices(shape, scatter.indices);
    const IntegerReader at{index_data, scatter.index_dtype};
    for (int64_t i = 0; i < slices.count; ++i) {
      const auto number = slices.find(at, i);
      if (!number) {
        throw errors::InvalidArgumentError(fmt::format("indices[{}] = {} does not index into shape {}", i,
                                                       slices.coordinate_text(at, i), shape.to_string()));
      }
      const T* from = static_cast<const T*>(updates) + i * slices.slice;
      T* to = static_cast<T*>(out) + *number * slices.slice;
      for (int64_t k = 0; k < slices.slice; ++k) to[k] = Rule::combine(to[k], from[k]);
    }
  }
};

/// Strings that meet at one place are joined.
struct Joined {
  static std::string combine(const std::string& a, const std::string& b) { return a + b; }
};

std::unique_ptr<Kernel> prepare_scatter_nd(PrepareContext& context) {
  const Scatter scatter{context.input_shape(0), context.input_dtype(0)};
  if (context.input_dtype(1) == DType::kString) {
    return make_kernel([scatter, shape = context.output_shape(0)](const KernelCall& call) {
      auto* const out = call.out<std::string>(0);
      std::fill_n(out, shape.num_elements(), std::string());
      Scatter::run<Joined, std::string>(scatter, shape, call.in<void>(0), call.in<std::string>(1), out);
    });
  }
  return kernel_for_dtype<AddedTypes>(context, context.input_dtype(1), [&]<class T>() {
    return make_kernel([scatter, shape = context.output_shape(0)](const KernelCall& call) {
      std::fill_n(call.out<T>(0), shape.num_elements(), T(0));
      Scatter::run<Plus, T>(scatter, shape, call.in<void>(0), call.in<T>(1), call.out<T>(0));
    });
  });
}

/// The loop for elements of `dtype`, or where elements are only moved for those of its width.
template <class Rule, class Types>
Scatter::Loop scatter_loop(const PrepareContext& context, DType dtype) {
  Scatter::Loop loop = nullptr;
  const auto take = [&]<class T>() { loop = &Scatter::run<Rule, T>; };
  if constexpr (std::is_same_v<Rule, Replace>) {
    if (!dispatch_words(dtype, take)) context.no_kernel_for(dtype);
  } else {
    if (!dispatch<Types>(dtype, take)) context.no_kernel_for(dtype);
  }
  return loop;
}

std::unique_ptr<Kernel> tensor_scatter_kernel(PrepareContext& context, Scatter::Loop loop) {
  const Scatter scatter{context.input_shape(1), context.input_dtype(1)};
  std::unique_ptr<Kernel> kernel;
  const bool movable = dispatch_words(context.input_dtype(0), [&]<class W>() {
    kernel = make_kernel(
        [scatter, loop, shape = context.input_shape(0)](const KernelCall& call) {
          W* const out = call.out<W>(0);
          if (call.in<W>(0) != out) copy_words(call.in<W>(0), out, shape.num_elements());
          loop(scatter, shape, call.in<void>(1), call.in<void>(2), out);
        },
        {.in_place = {{0, 0}}});
  });
  if (!movable) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

/// Output 0 is a copy of input 0, updated.
template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_tensor_scatter(PrepareContext& context) {
  return tensor_scatter_kernel(context, scatter_loop<Rule, Types>(context, context.input_dtype(0)));
}

std::unique_ptr<Kernel> variable_scatter_kernel(PrepareContext& context, Scatter::Loop loop) {
  const Scatter scatter{coordinates(context.input_shape(1)), context.input_dtype(1)};
  return make_kernel([scatter, loop, dtype = context.input_dtype(2),
                      updates = context.input_shape(2)](const KernelCall& call) {
    graph::Variable::Update update = call.variable(0).update();
    const Shape& shape = update.shape();
    const int64_t depth = scatter.indices.dim(-1);
    const bool fits = update.dtype() == dtype && depth <= shape.rank() &&
                      part_of(scatter.indices, 0, scatter.indices.rank() - 1)
                              .concatenate(part_of(shape, static_cast<int>(depth), shape.rank())) == updates;
    if (!fits) {
      throw errors::InvalidArgumentError(fmt::format(
          "Cannot update a variable of {} {} at indices {} with {} {}", dtype_kernel_name(update.dtype()),
          shape.to_string(), scatter.indices.to_string(), dtype_kernel_name(dtype), updates.to_string()));
    }
    loop(scatter, shape, call.in<void>(1), call.in<void>(2), update.raw_data());
  });
}

template <class Rule, class Types>
std::unique_ptr<Kernel> prepare_variable_scatter(PrepareContext& context) {
  return variable_scatter_kernel(context, scatter_loop<Rule, Types>(context, context.input_dtype(2)));
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

/// TensorScatter...: of a tensor, which is taken as it is.
constexpr graph::OpRow tensor_scatter_row(
    std::string_view name, graph::PrepareFunction prepare, graph::GradientFunction gradient,
    std::string_view attrs = "T:type; Tindices:type{indices}; bad_indices_policy:string=\"\"") {
  return {.name = name,
          .inputs = "tensor:T, indices:Tindices, updates:T",
          .outputs = "output:T",
          .attrs = attrs,
          .shape = update_nd_shape,
          .gradient = gradient,
          .prepare = prepare};
}

/// ScatterNd...: of a variable by reference, which is what comes out.
constexpr graph::OpRow variable_scatter_row(
    std::string_view name, graph::PrepareFunction prepare, bool not_differentiable,
    std::string_view attrs =
        "T:type{numbers}; Tindices:type{indices}; use_locking:bool=false; bad_indices_policy:string=\"\"") {
  return {.name = name,
          .inputs = "ref:ref T, indices:Tindices, updates:T",
          .outputs = "output_ref:ref T",
          .attrs = attrs,
          .shape = update_nd_shape,
          .not_differentiable = not_differentiable,
          .prepare = prepare};
}

/// ResourceScatterNd...: of a variable by handle.
constexpr graph::OpRow resource_scatter_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "ref:resource, indices:Tindices, updates:T",
          .attrs = "T:type; Tindices:type{indices}; use_locking:bool=true; bad_indices_policy:string=\"\"",
          .stateful = true,
          .shape = update_nd_shape,
          .prepare = prepare};
}

constexpr graph::OpRow kScatterNdOps[] = {
    {.name = "ScatterNd",
     .inputs = "indices:Tindices, updates:T, shape:Tindices",
     .outputs = "output:T",
     .attrs = "T:type; Tindices:type{indices_and_int16}; bad_indices_policy:string=\"\"",
     .shape = scatter_nd_shape,
     .gradient = scatter_nd_gradient,
     .prepare = prepare_scatter_nd},
    {.name = "ScatterNdNonAliasingAdd",
     .inputs = "input:T, indices:Tindices, updates:T",
     .outputs = "output:T",
     .attrs = "T:type{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
              "bfloat16,qint16,quint16,uint16,complex128,float16,uint32,uint64,bool]}; "
              "Tindices:type{indices}; bad_indices_policy:string=\"\"",
     .shape = update_nd_shape,
     .gradient = alias_free_gradient,
     .prepare = prepare_tensor_scatter<Plus, AddedTypes>},
    tensor_scatter_row("TensorScatterAdd", prepare_tensor_scatter<Plus, AddedTypes>, add_gradient),
    tensor_scatter_row("TensorScatterSub", prepare_tensor_scatter<Minus, AddedTypes>, subtract_gradient),
    tensor_scatter_row("TensorScatterMin", prepare_tensor_scatter<Least, RealTypes>, extreme_gradient),
    tensor_scatter_row("TensorScatterMax", prepare_tensor_scatter<Greatest, RealTypes>, extreme_gradient),
    tensor_scatter_row("TensorScatterUpdate", prepare_tensor_scatter<Replace, MovedTypes>, replace_gradient,
                       "T:type; Tindices:type{[int16,int32,int64,uint16]}; bad_indices_policy:string=\"\""),
    variable_scatter_row("ScatterNdAdd", prepare_variable_scatter<Plus, AddedTypes>,
                         /*not_differentiable=*/true),
    variable_scatter_row("ScatterNdSub", prepare_variable_scatter<Minus, AddedTypes>,
                         /*not_differentiable=*/true),
    variable_scatter_row("ScatterNdMin", prepare_variable_scatter<Least, RealTypes>,
                         /*not_differentiable=*/false),
    variable_scatter_row("ScatterNdMax", prepare_variable_scatter<Greatest, RealTypes>,
                         /*not_differentiable=*/false),
    variable_scatter_row(
        "ScatterNdUpdate", prepare_variable_scatter<Replace, MovedTypes>, /*not_differentiable=*/true,
        "T:type; Tindices:type{indices}; use_locking:bool=true; bad_indices_policy:string=\"\""),
    resource_scatter_row("ResourceScatterNdAdd", prepare_variable_scatter<Plus, AddedTypes>),
    resource_scatter_row("ResourceScatterNdSub", prepare_variable_scatter<Minus, AddedTypes>),
    resource_scatter_row("ResourceScatterNdMin", prepare_variable_scatter<Least, RealTypes>),
    resource_scatter_row("ResourceScatterNdMax", prepare_variable_scatter<Greatest, RealTypes>),
    resource_scatter_row("ResourceScatterNdUpdate", prepare_variable_scatter<Replace, MovedTypes>),
};

}  // namespace

void register_scatter_nd_ops(OpTable& table) {
  for (const graph::OpRow& row : kScatterNdOps) table.add(row);
}

}  // namespace flowray::ops
