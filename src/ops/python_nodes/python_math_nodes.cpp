#include "ops/python_nodes/python_math_nodes.h"

#include <algorithm>
#include <optional>

#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

namespace flowray::ops {

using graph::Builder;
using graph::Endpoint;
using graph::NameScope;

namespace {

struct ReductionAxes {
  std::vector<int64_t> x;
  std::vector<int64_t> y;
};

/// Axes along which each operand was certainly broadcast; none where that shows only in the step.
std::optional<ReductionAxes> static_axes(const Shape& x, const Shape& y) {
  if (!x.has_rank() || !y.has_rank()) return std::nullopt;
  const int rank = std::max(x.rank(), y.rank());
  ReductionAxes axes;
  for (int axis = 0; axis < rank; ++axis) {
    const int from_end = axis - rank;
    const int64_t x_dim = -from_end > x.rank() ? 1 : x.dim(from_end);
    const int64_t y_dim = -from_end > y.rank() ? 1 : y.dim(from_end);
    if (x_dim == 1 && y_dim != 1) {
      axes.x.push_back(axis);
    } else if (y_dim == 1 && x_dim != 1) {
      axes.y.push_back(axis);
    } else if (x_dim < 0 || y_dim < 0) {
      return std::nullopt;
    }
  }
  return axes;
}

Endpoint summed_over(Builder& g, Endpoint grad, Endpoint shape, Endpoint axes) {
  return g.op("Reshape", {g.op("Sum", {grad, axes}, {{"keep_dims", true}}), shape});
}

Endpoint summed_over(Builder& g, Endpoint grad, Endpoint shape, const std::vector<int64_t>& axes) {
  Endpoint sum;
  {
    const NameScope scope(g.graph(), "Sum");
    // Python first takes an empty list for floats, and leaves that constant behind.
    if (axes.empty()) g.constant(Array(DType::kFloat32, Shape{0}), "reduction_indices");
    const Endpoint indices = python_integers(g, axes, DType::kInt32, "reduction_indices");
    sum = g.op("Sum", {grad, indices}, {{"keep_dims", true}}, scope.path());
  }
  return g.op("Reshape", {sum, shape});
}

}  // namespace

Endpoint python_number(Builder& g, double number, DType dtype, std::string_view name) {
  return g.constant(Array(number).astype(base_dtype(dtype)), name);
}

Endpoint python_with_right(Builder& g, std::string_view op, Endpoint x, double number,
                           std::string_view name) {
  const NameScope scope(g.graph(), name);
  return g.op(op, {x, python_number(g, number, x.dtype(), "y")}, {}, scope.path());
}

Endpoint python_with_left(Builder& g, std::string_view op, double number, Endpoint x, std::string_view name) {
  const NameScope scope(g.graph(), name);
  return g.op(op, {python_number(g, number, x.dtype(), "x"), x}, {}, scope.path());
}

Endpoint python_conjugate(Builder& g, Endpoint x) {
  return is_complex(base_dtype(x.dtype())) ? g.op("Conj", {x}) : x;
}

Endpoint python_cast(Builder& g, Endpoint x, DType dtype) {
  return x.dtype() == dtype ? x : g.op("Cast", {x}, {{"DstT", dtype}});
}

bool python_same_static_shapes(Endpoint x, Endpoint y, Endpoint grad) {
  return x.shape().is_fully_defined() && x.shape() == y.shape() && x.shape() == grad.shape();
}

std::vector<Endpoint> python_reduce_gradients(Builder& g, Endpoint x, Endpoint y, Endpoint gx, Endpoint gy) {
  const Endpoint x_shape = python_shape(g, x);
  const Endpoint y_shape = python_shape(g, y);
  const std::optional<ReductionAxes> axes = static_axes(x.shape(), y.shape());
  if (!axes) {
    graph::Node* args = g.node("BroadcastGradientArgs", {x_shape, y_shape});
    if (gx) gx = summed_over(g, gx, x_shape, args->output(0));
    if (gy) gy = summed_over(g, gy, y_shape, args->output(1));
    return {gx, gy};
  }
  if (gx && (!axes->x.empty() || x.shape().rank() < y.shape().rank()))
    gx = summed_over(g, gx, x_shape, axes->x);
  if (gy && (!axes->y.empty() || y.shape().rank() < x.shape().rank()))
    gy = summed_over(g, gy, y_shape, axes->y);
  return {gx, gy};
}

}  // namespace flowray::ops
