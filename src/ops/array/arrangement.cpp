// Elements put in other places: Roll, DynamicPartition, SparseToDense, MatrixBandPart; and counted:
// DenseBincount.

#include "core/dtype_dispatch.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/dtype_lists.h"
#include "ops/elements/element_words.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::ops {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::OpTable;
using graph::ShapeContext;

namespace {

/// run<W>() for elements that are only moved.
template <class Run>
void for_words(DType dtype, Run run) {
  if (!dispatch_words(dtype, run)) {
    throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(dtype)));
  }
}

template <class W>
const W* words_in(const Array& array) {
  return static_cast<const W*>(array.raw_data());
}
template <class W>
W* words_in(Array& array) {
  return static_cast<W*>(array.mutable_raw_data());
}

// ---- Roll

/// How far each dimension is rolled; one that is named twice is rolled by both.
std::vector<int64_t> shifts_of(const DynamicCall& call) {
  const Shape& shape = call.in(0).shape();
  if (shape.rank() < 1) throw errors::InvalidArgumentError("input must be 1-D or higher");
  const std::vector<int64_t> shift = graph::to_integers(call.in(1));
  const std::vector<int64_t> axis = graph::to_integers(call.in(2));
  if (call.in(1).rank() > 1 || call.in(2).rank() > 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "{} must be a scalar or a 1-D vector. Found: {}", call.in(1).rank() > 1 ? "shift" : "axis",
        call.in(call.in(1).rank() > 1 ? 1 : 2).shape().to_string()));
  }
  if (shift.size() != axis.size())
    throw errors::InvalidArgumentError("shift and axis must have the same size");
  std::vector<int64_t> shifts(static_cast<size_t>(shape.rank()), 0);
  for (size_t i = 0; i < axis.size(); ++i) {
    const int64_t dim = axis[i] < 0 ? axis[i] + shape.rank() : axis[i];
    if (dim < 0 || dim >= shape.rank()) {
      throw errors::InvalidArgumentError(fmt::format("axis {} is out of range", dim));
    }
    const int64_t size = std::max<int64_t>(shape.dim(static_cast<int>(dim)), 1);
    int64_t& sum = shifts[static_cast<size_t>(dim)];
    sum = ((sum + shift[i]) % size + size) % size;
  }
  return shifts;
}

template <class W>
void roll_dimension(const Array& in, Array& out, const std::vector<int64_t>& shifts, int d, int64_t from,
                    int64_t to) {
  if (d == in.rank()) {
    words_in<W>(out)[to] = words_in<W>(in)[from];
    return;
  }
  const int64_t size = in.dim(d);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t moved = (i + shifts[static_cast<size_t>(d)]) % size;
    roll_dimension<W>(in, out, shifts, d + 1, from * size + i, to * size + moved);
  }
}

void roll(DynamicCall& call) {
  const std::vector<int64_t> shifts = shifts_of(call);
  Array out(call.in(0).dtype(), call.in(0).shape());
  for_words(out.dtype(), [&]<class W>() { roll_dimension<W>(call.in(0), out, shifts, 0, 0, 0); });
  call.set_out(0, std::move(out));
}

void roll_shape(ShapeContext& context) { context.set_output(0, context.with_rank_at_least(0, 1)); }

// ---- DynamicPartition: rows by the number of their part

void partition_shape(ShapeContext& context) {
  const Shape& data = context.input(0);
  const Shape& partitions = context.input(1);
  if (!data.has_rank() || !partitions.has_rank() || data.rank() < partitions.rank()) return;
  Shape rest{Shape::kUnknownDim};
  for (int i = partitions.rank(); i < data.rank(); ++i) rest.push_back(data.dim(i));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, rest);
}

void dynamic_partition(DynamicCall& call) {
  const Array& data = call.in(0);
  const Array& partitions = call.in(1);
  const auto count = call.attrs().get<int64_t>("num_partitions");
  const auto lead = static_cast<size_t>(partitions.rank());
  if (data.rank() < partitions.rank() ||
      !std::ranges::equal(data.shape().dims().first(lead), partitions.shape().dims())) {
    throw errors::InvalidArgumentError(
        fmt::format("data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                    data.shape().to_string(), partitions.shape().to_string()));
  }
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(count));
  for (int64_t i = 0; i < partitions.size(); ++i) {
    const int32_t part = partitions.data<int32_t>()[i];
    if (part < 0 || part >= count) {
      throw errors::InvalidArgumentError(
          fmt::format("partitions[{}] = {} is not in [0, {})", i, part, count));
    }
    rows[static_cast<size_t>(part)].push_back(i);
  }
  const Shape row(data.shape().dims().subspan(lead));
  for (size_t part = 0; part < rows.size(); ++part) {
    Array out(data.dtype(), Shape{static_cast<int64_t>(rows[part].size())}.concatenate(row));
    for_words(data.dtype(), [&]<class W>() {
      W* to = words_in<W>(out);
      const int64_t size = row.num_elements();
      for (const int64_t i : rows[part]) to = std::copy_n(words_in<W>(data) + i * size, size, to);
    });
    call.set_out(static_cast<int>(part), std::move(out));
  }
}

// ---- SparseToDense

void sparse_to_dense_shape(ShapeContext& context) { context.set_output(0, context.value_as_shape(1)); }

struct Coordinates {
  const std::vector<int64_t>& numbers;
  int64_t count;
  int64_t depth;

  std::span<const int64_t> at(int64_t i) const {
    return std::span(numbers).subspan(static_cast<size_t>(i * depth), static_cast<size_t>(depth));
  }
};

/// The elements that coordinates stand for. With `validate`, each must come after the one before.
std::vector<int64_t> places_of(const Coordinates& coordinates, const Shape& shape, bool validate) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < coordinates.count; ++i) {
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
  const std::vector<int64_t> places =
      places_of({numbers, count, depth}, shape, call.attrs().get<bool>("validate_indices"));
  Array out(values.dtype(), shape);
  for_words(values.dtype(), [&]<class W>() {
    W* to = words_in<W>(out);
    std::fill_n(to, out.size(), *words_in<W>(call.in(3)));
    for (size_t i = 0; i < places.size(); ++i) to[places[i]] = words_in<W>(values)[values.rank() > 0 ? i : 0];
  });
  call.set_out(0, std::move(out));
}

// ---- MatrixBandPart

/// What TensorFlow refuses: a vector where one number is meant.
void check_scalar(const Array& value, std::string_view what) {
  if (value.rank() == 0) return;
  throw errors::InvalidArgumentError(
      fmt::format("{} must be scalar, got shape {}", what, value.shape().to_string()));
}

void band_part(DynamicCall& call) {
  Array out = call.in(0);
  if (out.rank() < 2) {
    throw errors::InvalidArgumentError(
        fmt::format("input must be at least 2-dim, received shape: {}", out.shape().to_string()));
  }
  const int64_t rows = out.dim(-2);
  const int64_t columns = out.dim(-1);
  check_scalar(call.in(1), "num_lower");
  check_scalar(call.in(2), "num_upper");
  const int64_t lower = graph::to_integers(call.in(1))[0];
  const int64_t upper = graph::to_integers(call.in(2))[0];
  if (lower > rows) {
    throw errors::InvalidArgumentError(fmt::format(
        "num_lower must be negative or less or equal to number of rows ({}) got: {}", rows, lower));
  }
  if (upper > columns) {
    throw errors::InvalidArgumentError(fmt::format(
        "num_upper must be negative or less or equal to number of columns ({}) got: {}", columns, upper));
  }
  for_words(out.dtype(), [&]<class W>() {
    W* element = words_in<W>(out);
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t above = i % columns - i / columns % rows;  // how far above the diagonal
      const bool kept = (lower < 0 || -above <= lower) && (upper < 0 || above <= upper);
      if (!kept) element[i] = W{};
    }
  });
  call.set_out(0, std::move(out));
}

void band_part_shape(ShapeContext& context) { context.set_output(0, context.with_rank_at_least(0, 2)); }

// ---- DenseBincount

void bincount_shape(ShapeContext& context) {
  const Shape& input = context.input(0);
  const Array* size = context.value(1);
  const int64_t bins = size != nullptr ? graph::to_integers(*size)[0] : Shape::kUnknownDim;
  if (!input.has_rank()) return;
  context.set_output(0, input.rank() == 2 ? Shape{input.dim(0), bins} : Shape{bins});
}

void dense_bincount(DynamicCall& call) {
  const Array& input = call.in(0);
  const Array& weights = call.in(2);
  if (call.in(1).rank() != 0) {
    throw errors::InvalidArgumentError(fmt::format("Shape must be rank 0 but is rank {}", call.in(1).rank()));
  }
  const int64_t bins = graph::to_integers(call.in(1))[0];
  if (input.rank() > 2)
    throw errors::InvalidArgumentError(
        fmt::format("Shape must be at most rank 2 but is rank {}", input.rank()));
  if (bins < 0) throw errors::InvalidArgumentError(fmt::format("size ({}) must be non-negative", bins));
  if (weights.size() != 0 && !(weights.shape() == input.shape())) {
    throw errors::InvalidArgumentError(
        fmt::format("`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which "
                    "case it acts as all weights equal to 1. Received {}",
                    weights.shape().to_string()));
  }
  const bool once = call.attrs().get<bool>("binary_output");
  const std::vector<int64_t> values = graph::to_integers(input);
  const int64_t columns = input.rank() == 2 ? input.dim(1) : input.size();
  Array out(weights.dtype(), input.rank() == 2 ? Shape{input.dim(0), bins} : Shape{bins});
  (void)dispatch<NumberTypes>(out.dtype(), [&]<class T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0) throw errors::InvalidArgumentError("Input arr must be non-negative!");
      if (values[i] >= bins) continue;
      const int64_t row = input.rank() == 2 ? static_cast<int64_t>(i) / columns : 0;
      T& bin = out.mutable_data<T>()[row * bins + values[i]];
      const T weight = weights.size() == 0 ? T(1) : weights.data<T>()[i];
      bin = once ? T(1) : static_cast<T>(bin + weight);
    }
  });
  call.set_out(0, std::move(out));
}

// ---- gradients

std::vector<Endpoint> roll_gradient(GradientContext& g) {
  const Endpoint back = g.op("Neg", {g.input(1)});
  return {g.op("Roll", {g.grad(), back, g.input(2)}), {}, {}};
}

/// Where each part's elements came from says where those of its gradient go.
std::vector<Endpoint> partition_gradient(GradientContext& g) {
  const int64_t count = g.attrs().get<int64_t>("num_partitions");
  const Endpoint prefix = python_shape(g, g.input(1));
  const Endpoint size = g.op("Prod", {prefix, python_integers(g, {0}, DType::kInt32, "Const")});
  const Endpoint places = g.op("Reshape", {python_range(g, 0, size), prefix});
  std::vector<Endpoint> inputs =
      python_outputs(g, "DynamicPartition", {places, g.input(1)}, {{"num_partitions", count}});
  inputs.insert(inputs.end(), g.grads().begin(), g.grads().end());
  const Endpoint together = g.op("ParallelDynamicStitch", std::move(inputs));
  return {g.op("Reshape", {together, python_shape(g, g.input(0))}), {}};
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

std::vector<Endpoint> band_part_gradient(GradientContext& g) {
  return {g.op("MatrixBandPart", {g.grad(), g.input(1), g.input(2)}), {}, {}};
}

}  // namespace

void register_arrangement_ops(OpTable& table) {
  table.add({.name = "Roll",
             .inputs = "input:T, shift:Tshift, axis:Taxis",
             .outputs = "output:T",
             .attrs = "T:type; Tshift:type" FLOWRAY_INDICES "; Taxis:type" FLOWRAY_INDICES,
             .shape = roll_shape,
             .gradient = roll_gradient,
             .compute = roll});
  table.add({.name = "DynamicPartition",
             .inputs = "data:T, partitions:int32",
             .outputs = "outputs:num_partitions*T",
             .attrs = "num_partitions:int; T:type",
             .shape = partition_shape,
             .gradient = partition_gradient,
             .compute = dynamic_partition});
  table.add({.name = "SparseToDense",
             .inputs = "sparse_indices:Tindices, output_shape:Tindices, sparse_values:T, default_value:T",
             .outputs = "dense:T",
             .attrs = "validate_indices:bool=true; T:type; Tindices:type" FLOWRAY_INDICES,
             .shape = sparse_to_dense_shape,
             .gradient = sparse_to_dense_gradient,
             .compute = sparse_to_dense});
  table.add({.name = "MatrixBandPart",
             .inputs = "input:T, num_lower:Tindex, num_upper:Tindex",
             .outputs = "band:T",
             .attrs = "T:type; Tindex:type=int64" FLOWRAY_INDICES,
             .shape = band_part_shape,
             .gradient = band_part_gradient,
             .compute = band_part});
  table.add({.name = "DenseBincount",
             .inputs = "input:Tidx, size:Tidx, weights:T",
             .outputs = "output:T",
             .attrs = "Tidx:type" FLOWRAY_INDICES
                      "; T:type{[int32,int64,float32,float64]}; binary_output:bool=false",
             .shape = bincount_shape,
             .compute = dense_bincount});
}

}  // namespace flowray::ops
