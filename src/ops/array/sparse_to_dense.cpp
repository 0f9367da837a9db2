// SparseToDense: a default with values put over it.

#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/word_access.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

void sparse_to_dense_shape(ShapeContext& context) { context.set_output(0, context.value_as_shape(1)); }

struct Coordinates {
  const std::vector<int64_t>& numbers;
  int64_t count;
  int64_t depth;

  std::span<const int64_t> at(int64_t i) const {
    return std::span(numbers).subspan(static_cast<size_t>(i * depth), static_cast<size_t>(depth));
  }
};

/// The elements that the coordinates from `first` on stand for. With `validate`, each must come after the
/// one before.
std::vector<int64_t> places_of(const Coordinates& coordinates, int64_t first, const Shape& shape,
                               bool validate) {
  std::vector<int64_t> places;
  for (int64_t i = first; i < coordinates.count; ++i) {
    const auto at = coordinates.at(i);
    int64_t place = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t size = shape.dim(static_cast<int>(d));
      if (at[d] < 0 || at[d] >= size) {
        throw errors::InvalidArgumentError(
            fmt::format("indices[{}] = [{}] is out of bounds: need 0 <= index < {}", i, fmt::join(at, ","),
                        shape.to_string()));
      }
      place = place * size + at[d];
    }
    if (validate && !places.empty() && place <= places.back()) {
      const char* what =
          place == places.back() ? "is repeated" : "is out of order. Many sparse ops require sorted indices.";
      throw errors::InvalidArgumentError(fmt::format("indices[{}] = [{}] {}", i, fmt::join(at, ","), what));
    }
    places.push_back(place);
  }
  return places;
}

void sparse_to_dense(DynamicCall& call) {
  const Array& indices = call.in(0);
  const Array& values = call.in(2);
  if (indices.rank() > 2) {
    throw errors::InvalidArgumentError(fmt::format(
        "sparse_indices should be a scalar, vector, or matrix, got shape {}", indices.shape().to_string()));
  }
  if (call.in(1).rank() != 1) {
    throw errors::InvalidArgumentError(
        fmt::format("output_shape must be rank 1, got shape {}", call.in(1).shape().to_string()));
  }
  const std::vector<int64_t> dims = graph::to_integers(call.in(1));
  for (const int64_t dim : dims) {
    if (dim < 0) throw errors::InvalidArgumentError(fmt::format("Dimension {} must be >= 0", dim));
  }
  const Shape shape(dims);
  const std::vector<int64_t> numbers = graph::to_integers(indices);
  const int64_t count = indices.rank() > 0 ? indices.dim(0) : 1;
  const int64_t depth = indices.rank() > 1 ? indices.dim(1) : 1;
  if (shape.rank() != depth) {
    throw errors::InvalidArgumentError(
        fmt::format("output_shape has incorrect number of elements: {} should be: {}", shape.rank(), depth));
  }
  if (values.rank() > 0 && values.shape() != Shape{count}) {
    throw errors::InvalidArgumentError(fmt::format(
        "sparse_values has incorrect shape {}, should be [] or [{}]", values.shape().to_string(), count));
  }
  if (call.in(3).rank() != 0) throw errors::InvalidArgumentError("default_value should be a scalar.");
  Array out(values.dtype(), shape);
  // Coordinates without numbers take no memory, so there may be any number of them: they all stand for the
  // one element, which keeps the last value.
  const bool validate = call.attrs().get<bool>("validate_indices");
  const int64_t first = depth == 0 && !validate ? std::max<int64_t>(count - 1, 0) : 0;
  const std::vector<int64_t> places = places_of({numbers, count, depth}, first, shape, validate);
  for_words(values.dtype(), [&]<class W>() {
    W* to = words_in<W>(out);
    std::fill_n(to, out.size(), *words_in<W>(call.in(3)));
    for (size_t i = 0; i < places.size(); ++i) {
      to[places[i]] = words_in<W>(values)[values.rank() > 0 ? first + static_cast<int64_t>(i) : 0];
    }
  });
  call.set_out(0, std::move(out));
}

Endpoint sum_of_all(GradientContext& g, Endpoint x) {
  std::vector<int64_t> axes;
  for (int i = 0; i < x.shape().rank(); ++i) axes.push_back(i);
  const Endpoint every = x.shape().has_rank() ? python_integers(g, axes, DType::kInt32, "Const")
                                              : python_range(g, 0, python_rank_of(g, x));
  return g.op("Sum", {x, every});
}

/// What no value was put over is the default's.
std::vector<Endpoint> sparse_to_dense_gradient(GradientContext& g) {
  const Endpoint of_values = g.op("GatherNd", {g.grad(), g.input(0)});
  const Endpoint whole = sum_of_all(g, g.grad());
  const Endpoint of_default = g.op("Sub", {whole, sum_of_all(g, of_values)}, {}, "sub");
  const Endpoint of_indices = python_zeros_like(g, g.input(0));
  return {of_indices, python_zeros_like(g, g.input(1)), of_values, of_default};
}

constexpr graph::OpRow kSparseToDenseOps[] = {
    {.name = "SparseToDense",
     .inputs = "sparse_indices:Tindices, output_shape:Tindices, sparse_values:T, default_value:T",
     .outputs = "dense:T",
     .attrs = "validate_indices:bool=true; T:type; Tindices:type{indices}",
     .shape = sparse_to_dense_shape,
     .gradient = sparse_to_dense_gradient,
     .compute = sparse_to_dense},
};

}  // namespace

void register_sparse_to_dense_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseToDenseOps) table.add(row);
}

}  // namespace flowray::ops
