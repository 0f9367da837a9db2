#include "ops/reduce/reduce_gradients.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/mutex.h"
#include "graph/constant_value.h"
#include "graph/integers.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/reduce/reduce_axes.h"

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;

namespace {

using Gradient = std::vector<Endpoint>;
using Ints = std::vector<int64_t>;

Ints dims_of(const Shape& shape) { return Ints(shape.begin(), shape.end()); }

bool keeps_dims(const GradientContext& g) { return g.attrs().get<bool>("keep_dims"); }

/// The axes where they are known.
std::optional<Ints> known_axes(const GradientContext& g) {
  const Array axes = graph::constant_value(g.input(1));
  if (!axes.has_value()) return std::nullopt;
  return graph::to_integers(axes);
}

/// The input's shape with 1 in place of each reduced dimension: numbers, or a node where they are not known.
struct KeptShape {
  std::optional<Ints> known;
  Endpoint node;

  Endpoint reshape(GradientContext& g, Endpoint x) const {
    return known ? python_reshape_to(g, x, *known) : g.op("Reshape", {x, node});
  }
};

Ints with_ones(const Shape& shape, const Ints& axes) {
  Ints dims = dims_of(shape);
  const std::vector<bool> reduced = reduced_dims(axes, shape.rank());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (reduced[i]) dims[i] = 1;
  }
  return dims;
}

/// axes counted from the start: (axes + rank) % rank.
Endpoint positive_axes(GradientContext& g, Endpoint axes, Endpoint rank) {
  const Endpoint sum = g.op("AddV2", {axes, rank}, {}, "add");
  return g.op("FloorMod", {sum, rank}, {}, "mod");
}

/// math_ops.reduced_shape. `input_shape` is the node that holds the input's shape.
KeptShape kept_shape(GradientContext& g, Endpoint input_shape) {
  const std::optional<Ints> axes = known_axes(g);
  if (axes && g.input(0).shape().is_fully_defined()) return {with_ones(g.input(0).shape(), *axes), {}};
  const Endpoint rank = python_size_of(g, input_shape);
  // TensorFlow fails for int64 axes here: its DynamicStitch takes int32.
  const Endpoint positive = positive_axes(g, python_cast(g, g.input(1), DType::kInt32), rank);
  const Endpoint axes_shape = python_shape(g, positive);
  const Endpoint range = python_range(g, 0, rank);
  Endpoint ones;
  {
    const NameScope scope(g.graph(), "ones");
    ones = g.op("Fill", {axes_shape, python_number(g, 1, DType::kInt32)}, {}, scope.path());
  }
  return {std::nullopt, g.op("DynamicStitch", {range, positive, input_shape, ones}, {{"N", int64_t{2}}})};
}

bool are_all_in_order(const Ints& axes, int rank) {
  if (static_cast<int>(axes.size()) != rank) return false;
  for (int i = 0; i < rank; ++i) {
    if (axes[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

/// Everything is reduced: the gradient's one element, tiled.
Endpoint tiled_scalar(GradientContext& g) {
  const Shape& shape = g.input(0).shape();
  Endpoint ones;
  if (shape.rank() == 0) {
    // Python first takes the empty list for floats, and leaves that constant behind.
    const NameScope scope(g.graph(), "Reshape");
    g.constant(Array(DType::kFloat32, Shape{0}), "shape");
    ones = g.op("Reshape", {g.grad(), python_integers(g, {}, DType::kInt32, "shape")}, {}, scope.path());
  } else {
    ones = python_reshape_to(g, g.grad(), Ints(static_cast<size_t>(shape.rank()), 1));
  }
  const Endpoint multiples = shape.is_fully_defined()
                                 ? python_integers(g, dims_of(shape), DType::kInt32, "Const")
                                 : python_shape(g, g.input(0));
  return g.op("Tile", {ones, multiples});
}

/// Shapes and axes whose tiling was worked out in this graph. TensorFlow computes it by nodes, the first time
/// only, whose values it reads at once.
struct KnownTilings {
  Mutex mutex;
  std::map<std::pair<Ints, Ints>, bool> seen FLOWRAY_GUARDED_BY(mutex);
};

void leave_tiling_nodes(GradientContext& g, const Ints& dims, const Ints& axes, const Ints& kept) {
  auto& tilings = g.graph().attachment<KnownTilings>("reduce_gradients/known_tilings");
  const MutexLock lock(tilings.mutex);
  if (!tilings.seen.emplace(std::pair(dims, axes), true).second) return;
  Endpoint at_least_one;
  {
    const NameScope scope(g.graph(), "Maximum");
    const Endpoint x = python_integers(g, kept, DType::kInt32, "x");
    at_least_one = g.op("Maximum", {x, python_number(g, 1, DType::kInt32, "y")}, {}, scope.path());
  }
  const NameScope scope(g.graph(), "floordiv");
  g.op("FloorDiv", {python_integers(g, dims, DType::kInt32, "x"), at_least_one}, {}, scope.path());
}

/// Static shape and axes: the gradient with ones in its shape, tiled.
Endpoint tiled_statically(GradientContext& g, const Ints& axes) {
  const Ints dims = dims_of(g.input(0).shape());
  const Ints kept = with_ones(g.input(0).shape(), axes);
  leave_tiling_nodes(g, dims, axes, kept);
  Ints multiples = dims;
  for (size_t i = 0; i < dims.size(); ++i) multiples[i] = dims[i] / std::max<int64_t>(kept[i], 1);
  const Endpoint ones = python_reshape_to(g, g.grad(), kept);
  const NameScope scope(g.graph(), "Tile");
  return g.op("Tile", {ones, python_integers(g, multiples, DType::kInt32, "multiples")}, {}, scope.path());
}

Endpoint gradient_of_sum(GradientContext& g) {
  const Shape& shape = g.input(0).shape();
  if (const std::optional<Ints> axes = known_axes(g); axes && shape.has_rank()) {
    if (g.input(1).shape().rank() == 1 && are_all_in_order(*axes, shape.rank())) return tiled_scalar(g);
    if (shape.is_fully_defined()) return tiled_statically(g, *axes);
  }
  const Endpoint input_shape = python_shape(g, g.input(0));
  Endpoint grad = g.grad();
  if (!keeps_dims(g)) {
    KeptShape kept;
    {
      const ColocateWith colocation(g.graph(), input_shape.node);
      kept = kept_shape(g, input_shape);
    }
    grad = kept.reshape(g, grad);
  }
  return g.op("BroadcastTo", {grad, input_shape});
}

/// math_ops.reduce_prod of all elements of an integer tensor.
Endpoint product_of(GradientContext& g, Endpoint x) {
  const int rank = x.shape().rank();
  if (rank > 0) {
    Ints axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    return g.op("Prod", {x, python_integers(g, axes, DType::kInt32, "Const")});
  }
  const Endpoint rank_node = python_rank_of(g, x);
  const Endpoint product = g.op("Prod", {x, python_range(g, 0, rank_node)});
  product.node->merge_output_shape(0, Shape());
  return product;
}

/// How many elements each mean is made of, of the gradient's dtype.
Endpoint mean_count(GradientContext& g, DType dtype) {
  const Shape& input = g.input(0).shape();
  const Shape& output = g.output(0).shape();
  if (input.is_fully_defined() && output.is_fully_defined()) {
    const int64_t count = input.num_elements() / std::max<int64_t>(output.num_elements(), 1);
    return python_number(g, static_cast<double>(count), dtype);
  }
  const Endpoint shape = python_shape(g, g.input(0));
  const Endpoint rank = python_size_of(g, shape);
  const Endpoint axes = positive_axes(g, python_cast(g, g.input(1), DType::kInt32), rank);
  return python_cast(g, product_of(g, python_gather(g, shape, axes)), dtype);
}

/// What is reduced and what is kept, for the gradient of Prod: a permutation that brings the reduced axes to
/// the front, and the number of elements in either part.
struct FrontedAxes {
  Endpoint permutation;
  Endpoint reduced_count;
  Endpoint other_count;
};

FrontedAxes front_reduced_axes(GradientContext& g, Endpoint axes, Endpoint input_shape) {
  const Endpoint rank = python_rank_of(g, g.input(0));
  const Endpoint reduced = positive_axes(g, python_cast(g, axes, DType::kInt32), rank);
  const Endpoint all = python_range(g, 0, rank);
  const Endpoint other = g.op("ListDiff", {all, reduced}, {{"out_idx", DType::kInt32}});
  const Endpoint permutation = python_concat(g, {reduced, other});
  const Endpoint reduced_count = product_of(g, python_gather(g, input_shape, reduced));
  return {permutation, reduced_count, product_of(g, python_gather(g, input_shape, other))};
}

/// The products of all elements before each one (or behind it) along axis 0.
Endpoint exclusive_products(GradientContext& g, Endpoint x, bool reverse) {
  const NameScope scope(g.graph(), "Cumprod");
  const Endpoint axis = python_number(g, 0, DType::kInt32, "axis");
  return g.op("Cumprod", {x, axis}, {{"exclusive", true}, {"reverse", reverse}}, scope.path());
}

/// Nodes made while it lives are on the first CPU.
class OnCpu {
 public:
  explicit OnCpu(graph::Graph& graph) : scopes_(graph.scopes()) {
    scopes_.devices.push_back("/device:CPU:0");
  }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;
  ~OnCpu() { scopes_.devices.pop_back(); }

 private:
  graph::Scopes& scopes_;
};

/// For each element the product of all the others that are reduced with it: right with zeros among them, too.
Endpoint products_of_others(GradientContext& g, Endpoint axes, Endpoint input_shape) {
  FrontedAxes fronted;
  {
    const OnCpu device(g.graph());
    fronted = front_reduced_axes(g, axes, input_shape);
  }
  const Endpoint permuted = g.op("Transpose", {g.input(0), fronted.permutation}, {}, "transpose");
  const Endpoint permuted_shape = python_shape(g, permuted);
  Endpoint matrix;
  {
    const NameScope scope(g.graph(), "Reshape");
    const Endpoint shape = g.op("Pack", {fronted.reduced_count, fronted.other_count}, {}, "shape");
    matrix = g.op("Reshape", {permuted, shape}, {}, scope.path());
  }
  const Endpoint left = exclusive_products(g, matrix, /*reverse=*/false);
  const Endpoint right = exclusive_products(g, matrix, /*reverse=*/true);
  const Endpoint left_slope = python_conjugate(g, left);
  const Endpoint product = g.op("Mul", {left_slope, python_conjugate(g, right)}, {}, "mul");
  const Endpoint back = g.op("Reshape", {product, permuted_shape});
  const Endpoint inverse = g.op("InvertPermutation", {fronted.permutation});
  return g.op("Transpose", {back, inverse}, {}, "transpose");
}

}  // namespace

Gradient sum_gradient(GradientContext& g) { return {gradient_of_sum(g), {}}; }

Gradient mean_gradient(GradientContext& g) {
  const Endpoint sum = gradient_of_sum(g);
  const Endpoint count = mean_count(g, base_dtype(sum.dtype()));
  return {g.op("RealDiv", {sum, count}, {}, "truediv"), {}};
}

Gradient extremum_gradient(GradientContext& g) {
  const Endpoint input_shape = python_shape(g, g.input(0));
  Endpoint extremum = g.output(0);
  Endpoint grad = g.grad();
  KeptShape kept;
  if (keeps_dims(g)) {
    kept.node = python_shape(g, extremum);
  } else {
    kept = kept_shape(g, input_shape);
    extremum = kept.reshape(g, extremum);
    grad = kept.reshape(g, grad);
  }
  // Elements that share the extremum share the gradient.
  const Endpoint chosen = python_cast(g, g.op("Equal", {extremum, g.input(0)}), base_dtype(grad.dtype()));
  const Endpoint count = kept.reshape(g, g.op("Sum", {chosen, g.input(1)}));
  const Endpoint share = g.op("RealDiv", {chosen, count}, {}, "truediv");
  return {g.op("Mul", {share, grad}, {}, "mul"), {}};
}

Gradient prod_gradient(GradientContext& g) {
  const Endpoint input_shape = python_shape(g, g.input(0));
  const Endpoint axes = python_reshape_to(g, g.input(1), {-1});
  Endpoint grad = g.grad();
  if (!keeps_dims(g)) grad = kept_shape(g, input_shape).reshape(g, grad);
  grad = g.op("BroadcastTo", {grad, input_shape});
  const Endpoint others = products_of_others(g, axes, input_shape);
  const Endpoint product = g.op("Mul", {grad, others}, {}, "mul");
  return {g.op("Reshape", {product, input_shape}), {}};
}

}  // namespace flowray::ops
