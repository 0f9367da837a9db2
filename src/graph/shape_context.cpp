#include "graph/shape_context.h"

#include "graph/integers.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {

void ShapeContext::fail(const std::string& reason) { throw errors::InvalidArgumentError(reason); }

namespace {

void check_rank(int64_t rank) {
  if (rank > INT32_MAX) ShapeContext::fail("Rank cannot exceed kint32max");
}

[[noreturn]] void throw_unknown(const OpSchema& schema, int i) {
  throw UnknownValue(fmt::format("Shape function of '{}': input {} is not known", schema.name, i));
}

}  // namespace

Shape ShapeContext::value_as_shape(int i) const {
  const Input& input = known(i);
  if (value(i) == nullptr) {
    if (input.value_as_shape != nullptr && input.value_as_shape->has_rank()) return *input.value_as_shape;
    if (running_ && input.dtype != DType::kResource) throw_unknown(schema_, i);
    return input.shape.rank() == 1 && input.shape.dim(0) >= 0 ? Shape::of_rank(input.shape.dim(0))
                                                              : Shape::unknown_rank();
  }
  const std::vector<int64_t> dims = integers(i);
  if (input.value->rank() == 0) {
    if (dims[0] == -1) return Shape::unknown_rank();
    fail(fmt::format(
        "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown "
        "shape).  Saw value: {}",
        dims[0]));
  }
  for (int64_t dim : dims) {
    if (dim < -1 && running_) fail(fmt::format("Dimension {} must be >= 0", dim));
    if (dim < -1) fail(fmt::format("Invalid value in tensor used for shape: {}", dim));
  }
  return Shape(dims);
}

std::vector<int64_t> ShapeContext::integers(int i) const {
  const Array* array = value(i);
  if (array == nullptr) throw_unknown(schema_, i);
  return to_integers(*array);
}

Shape ShapeContext::with_rank(int i, int64_t rank) const {
  const Shape& shape = input(i);
  check_rank(rank);
  if (!shape.has_rank()) return Shape::of_rank(rank);
  if (shape.rank() != rank) fail(fmt::format("Shape must be rank {} but is rank {}", rank, shape.rank()));
  return shape;
}

Shape ShapeContext::with_rank_at_least(int i, int64_t rank) const {
  const Shape& shape = input(i);
  check_rank(rank);
  if (shape.has_rank() && shape.rank() < rank) {
    fail(fmt::format("Shape must be at least rank {} but is rank {}", rank, shape.rank()));
  }
  return shape;
}

int64_t ShapeContext::merge_dim(int64_t a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b) fail(fmt::format("Dimensions must be equal, but are {} and {}", a, b));
  return a >= 0 ? a : b;
}

Shape common_shape(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return Shape::unknown_rank();
  Shape common = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) common.set_dim(i, Shape::kUnknownDim);
  }
  return common;
}

void unchanged_shape(ShapeContext& context) { context.set_output(0, context.input(0)); }

void scalar_shape(ShapeContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, Shape());
}

void reference_handle_shape(ShapeContext& context) { context.set_output(0, Shape{2}); }

void unknown_shape(ShapeContext&) {}
void no_outputs(ShapeContext&) {}

void broadcast_shape(ShapeContext& context) {
  context.set_output(0, broadcast(context.input(0), context.input(1), context.running()));
}

Shape handle_shape(const Endpoint& handle) {
  if (handle.dtype() != DType::kResource) return Shape::unknown_rank();
  const Node* node = handle.node;
  // What brings a handle into a branch or a loop.
  while (node->op() == "Switch" || node->op() == "Enter" || node->op() == "Identity")
    node = node->input(0).node;
  // `shape` of a placeholder is the handle's own.
  if (node->op() != "VarHandleOp") return Shape::unknown_rank();
  const AttrValue* shape = node->attrs().find("shape");
  return shape != nullptr && shape->get_if<Shape>() != nullptr ? shape->get<Shape>() : Shape::unknown_rank();
}

const Attrs* handle_attrs(const Endpoint& handle) {
  const bool is_handle = handle.dtype() == DType::kResource || is_ref(handle.dtype());
  return is_handle && handle.node->num_inputs() == 0 ? &handle.node->attrs() : nullptr;
}

Shape broadcast(const Shape& a, const Shape& b, bool running) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::of_rank(rank);
  for (int i = 1; i <= rank; ++i) {
    const int64_t da = i <= a.rank() ? a.dim(-i) : 1;
    const int64_t db = i <= b.rank() ? b.dim(-i) : 1;
    if (da == db) {
      out.set_dim(-i, da);
    } else if (da == 1) {
      out.set_dim(-i, db);
    } else if (db == 1) {
      out.set_dim(-i, da);
    } else if (da < 0 || db < 0) {
      // The unknown one must turn out to be 1 or equal to the known one, if that is above 1. Of 0 TensorFlow
      // does not say so.
      out.set_dim(-i, std::max(da, db) == 0 ? Shape::kUnknownDim : std::max(da, db));
    } else if (running) {
      ShapeContext::fail(fmt::format("Incompatible shapes: {} vs. {}", a.to_string(), b.to_string()));
    } else {
      ShapeContext::fail(fmt::format("Dimensions must be equal, but are {} and {}", da, db));
    }
  }
  return out;
}

}  // namespace flowray::graph
