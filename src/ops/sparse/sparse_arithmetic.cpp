// Sparse tensors added to each other and to dense ones, compared, multiplied, divided; softmax of rows.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_nodes.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

/// run<T>() for the type that `dtype` stands for; UnimplementedError for another.
template <class Types, class Run>
void for_type(DType dtype, Run run) {
  if (!dispatch<Types>(dtype, run)) {
    throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(dtype)));
  }
}

// ---- two sparse tensors of one shape

/// A value of the first, the second or both, by coordinates; -1 where one has none there.
struct Pair {
  int64_t a;
  int64_t b;
};

/// All coordinates of both, each once, where both are in order.
std::vector<Pair> merged(const Coordinates& a, const Coordinates& b) {
  std::vector<Pair> pairs;
  int64_t i = 0;
  int64_t j = 0;
  while (i < a.count() || j < b.count()) {
    const auto order = i == a.count()   ? std::strong_ordering::greater
                       : j == b.count() ? std::strong_ordering::less
                                        : compare_coordinates(a[i], b[j]);
    pairs.push_back({order <= 0 ? i : -1, order >= 0 ? j : -1});
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
  return pairs;
}

Array coordinates_of_pairs(const Coordinates& a, const Coordinates& b, const std::vector<Pair>& pairs) {
  std::vector<int64_t> numbers;
  for (const Pair& pair : pairs) {
    const auto at = pair.a >= 0 ? a[pair.a] : b[pair.b];
    numbers.insert(numbers.end(), at.begin(), at.end());
  }
  return coordinates_of(numbers, std::ssize(pairs), a.depth());
}

void check_two_matrices(const Array& a, const Array& b, std::string_view what) {
  if (a.rank() == 2 && b.rank() == 2) return;
  invalid_argument(fmt::format("{} {}{}{}", what, a.shape().to_string(),
                               what.starts_with("Inputs") ? ", " : " and ", b.shape().to_string()));
}
void check_two_vectors(const Array& a, const Array& b, std::string_view what) {
  if (a.rank() == 1 && b.rank() == 1) return;
  invalid_argument(fmt::format("{} {} and {}", what, a.shape().to_string(), b.shape().to_string()));
}

/// Checks an op whose inputs are indices, values and shape of one sparse tensor, then of another.
void check_two_sparse(const DynamicCall& call, std::string_view indices, std::string_view values) {
  check_two_matrices(call.in(0), call.in(3), indices);
  check_two_vectors(call.in(1), call.in(4), values);
  const int64_t count_a = call.in(0).dim(0);
  const int64_t count_b = call.in(3).dim(0);
  if (call.in(1).size() != count_a || call.in(4).size() != count_b) {
    invalid_argument(fmt::format("Expected {} and {} non-empty input values, got {} and {}", count_a, count_b,
                                 call.in(1).size(), call.in(4).size()));
  }
  check_two_vectors(call.in(2), call.in(5), "Input shapes should be a vector but received shapes");
  constexpr int64_t kShown = 10;
  if (call.in(2).size() != call.in(5).size()) {
    invalid_argument(fmt::format("Operands do not have the same ranks; got shapes: [{}] and [{}]",
                                 summary_of(call.in(2), kShown), summary_of(call.in(5), kShown)));
  }
  for (int64_t d = 0; d < call.in(2).size(); ++d) {
    const int64_t of_a = call.in(2).data<int64_t>()[d];
    const int64_t of_b = call.in(5).data<int64_t>()[d];
    if (of_a == of_b) continue;
    invalid_argument(
        fmt::format("Operands' shapes do not match: got {} and {} for dimension {}", of_a, of_b, d));
  }
  if (call.in(0).dim(1) != call.in(2).size() || call.in(3).dim(1) != call.in(2).size()) {
    invalid_argument(fmt::format("Indices' innermost dimension should match rank of shape: {}, {} and {}",
                                 call.in(0).dim(1), call.in(3).dim(1), call.in(2).size()));
  }
}

// ---- SparseAdd

void add_shape(ShapeContext& context) {
  const Shape dims = context.with_rank(2, 1);
  context.set_output(0, Shape{kUnknown, dims.dim(0)});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, dims);
}

using AddedTypes =
    TypeList<float, double, int8_t, int16_t, int32_t, int64_t, std::complex<float>, std::complex<double>>;

/// The type of a complex number's parts, and of a real number itself.
template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

template <class T>
bool reaches(T sum, typename RealOf<T>::Type threshold) {
  if constexpr (std::is_integral_v<T>) {
    // The lowest integer has no absolute value of its own; TensorFlow takes what wraps around.
    return threshold <= (sum < 0 ? wrapping_negate(sum) : sum);
  } else {
    return threshold <= std::abs(sum);
  }
}

template <class T>
void add(DynamicCall& call) {
  const Coordinates a(call.in(0));
  const Coordinates b(call.in(3));
  if (call.in(6).dtype() != kDTypeOf<typename RealOf<T>::Type>) {
    throw errors::UnimplementedError("The threshold of SparseAdd has the dtype of its values.");
  }
  const auto threshold = call.in(6).item<typename RealOf<T>::Type>();
  const auto values_a = call.in(1).span<T>();
  const auto values_b = call.in(4).span<T>();
  std::vector<Pair> kept;
  std::vector<T> sums;
  for (const Pair& pair : merged(a, b)) {
    const T of_a = pair.a >= 0 ? values_a[static_cast<size_t>(pair.a)] : T(0);
    const T of_b = pair.b >= 0 ? values_b[static_cast<size_t>(pair.b)] : T(0);
    const T sum = pair.a < 0 ? of_b : pair.b < 0 ? of_a : wrapping_add(of_a, of_b);
    if (pair.a >= 0 && pair.b >= 0 && !reaches<T>(sum, threshold)) continue;
    kept.push_back(pair);
    sums.push_back(sum);
  }
  call.set_out(0, coordinates_of_pairs(a, b, kept));
  call.set_out(1, Array::from(sums, Shape{std::ssize(sums)}));
  call.set_out(2, call.in(2));
}

void compute_add(DynamicCall& call) {
  check_two_sparse(call, "Input indices should be matrices but received shapes:",
                   "Input values should be vectors but received shapes:");
  check_rank(call.in(6), 0, "The magnitude threshold must be a scalar: got shape");
  for_type<AddedTypes>(call.in(1).dtype(), [&]<class T>() { add<T>(call); });
}

std::vector<Endpoint> add_gradient(GradientContext& g) {
  const std::vector<Endpoint> parts =
      python_outputs(g, "SparseAddGrad", {g.grad(1), g.input(0), g.input(3), g.output(0)});
  return {{}, parts[0], {}, {}, parts[1], {}, {}};
}

// ---- SparseAddGrad

void add_grad_shape(ShapeContext& context) {
  context.set_output(0, Shape{context.with_rank(1, 2).dim(0)});
  context.set_output(1, Shape{context.with_rank(2, 2).dim(0)});
}

/// The value that the sum has at each coordinate; 0 where it has none.
template <class T>
Array values_at(const Coordinates& coordinates, const Coordinates& sum, const Array& values) {
  Array out(values.dtype(), Shape{coordinates.count()});
  T* const to = out.mutable_data<T>();
  int64_t k = 0;
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    while (k < sum.count() && compare_coordinates(sum[k], coordinates[i]) < 0) ++k;
    const bool is_there = k < sum.count() && compare_coordinates(sum[k], coordinates[i]) == 0;
    to[i] = is_there ? values.data<T>()[k] : T(0);
  }
  return out;
}

void add_grad(DynamicCall& call) {
  const Array& gradient = call.in(0);
  const auto is_matrix = [&](int i) { return call.in(i).rank() == 2; };
  if (!is_matrix(1) || !is_matrix(2) || !is_matrix(3)) {
    invalid_argument(fmt::format(
        "Inputs a_indices, b_indices and sum_indices should be matrices but received "
        "shapes: {}, {} and {}",
        call.in(1).shape().to_string(), call.in(2).shape().to_string(), call.in(3).shape().to_string()));
  }
  check_rank(gradient, 1, "Input backprop_val_grad should be a vector but received shape:");
  if (call.in(1).dim(1) != call.in(2).dim(1) || call.in(2).dim(1) != call.in(3).dim(1)) {
    invalid_argument(fmt::format("The densified operands should have the same ndims: got {}, {} and {}",
                                 call.in(1).dim(1), call.in(2).dim(1), call.in(3).dim(1)));
  }
  if (gradient.size() != call.in(3).dim(0)) {
    invalid_argument(fmt::format(
        "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got {} and {}",
        gradient.size(), call.in(3).dim(0)));
  }
  for_type<AllNumberTypes>(gradient.dtype(), [&]<class T>() {
    const Coordinates sum(call.in(3));
    call.set_out(0, values_at<T>(Coordinates(call.in(1)), sum, gradient));
    call.set_out(1, values_at<T>(Coordinates(call.in(2)), sum, gradient));
  });
}

// ---- SparseSparseMaximum, SparseSparseMinimum

void compared_shape(ShapeContext& context) {
  for (const int first : {0, 3}) {
    context.with_rank(first, 2);
    context.with_rank(first + 1, 1);
    context.with_rank(first + 2, 1);
  }
  context.set_output(0, Shape{kUnknown, kUnknown});
  context.set_output(1, Shape{kUnknown});
}

template <bool kIsMaximum>
void compare(DynamicCall& call) {
  check_two_sparse(call, "Inputs a_indices and b_indices should be matrices but received shapes:",
                   "Inputs a_values and b_values should be vectors but received shapes:");
  for_type<RealTypes>(call.in(1).dtype(), [&]<class T>() {
    const Coordinates a(call.in(0));
    const Coordinates b(call.in(3));
    const std::vector<Pair> pairs = merged(a, b);
    Array values(call.in(1).dtype(), Shape{std::ssize(pairs)});
    T* to = values.mutable_data<T>();
    for (const Pair& pair : pairs) {
      const T of_a = pair.a >= 0 ? call.in(1).data<T>()[pair.a] : T(0);
      const T of_b = pair.b >= 0 ? call.in(4).data<T>()[pair.b] : T(0);
      const bool takes_b = kIsMaximum ? of_a < of_b : of_b < of_a;
      *to++ = takes_b ? of_b : of_a;
    }
    call.set_out(0, coordinates_of_pairs(a, b, pairs));
    call.set_out(1, std::move(values));
  });
}

// ---- SparseTensorDenseAdd

void dense_add_shape(ShapeContext& context) { context.set_output(0, context.input(3)); }

void check_dense_add(const DynamicCall& call) {
  const Array& indices = call.in(0);
  const Array& values = call.in(1);
  const Array& dims = call.in(2);
  const Array& dense = call.in(3);
  check_rank(indices, 2, "Input a_indices should be a matrix but received shape:");
  check_two_vectors(values, dims, "Inputs a_values and a_shape should be vectors but received shapes:");
  const auto check_equal = [](int64_t a, int64_t b) {
    if (a != b) invalid_argument(fmt::format("Dimensions {} and {} are not compatible", a, b));
  };
  check_equal(indices.dim(0), values.dim(0));
  check_equal(indices.dim(1), dims.dim(0));
  if (dims.size() != dense.rank()) {
    invalid_argument(
        fmt::format("Two operands have different ranks; received: {} and {}", dims.size(), dense.rank()));
  }
  const std::vector<int64_t> sizes = graph::to_integers(dims);
  for (int d = 0; d < dense.rank(); ++d) {
    if (sizes[static_cast<size_t>(d)] == dense.dim(d)) continue;
    invalid_argument(fmt::format(
        "Dimension {} does not equal (no broadcasting is supported): sparse side {} vs dense side {}", d,
        sizes[static_cast<size_t>(d)], dense.dim(d)));
  }
}

void dense_add(DynamicCall& call) {
  check_dense_add(call);
  const std::vector<int64_t> numbers = graph::to_integers(call.in(0));
  const Array& dense = call.in(3);
  std::vector<int64_t> places;
  const auto depth = static_cast<size_t>(dense.rank());
  for (int64_t i = 0; i < call.in(0).dim(0); ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < depth; ++d) {
      const int64_t at = numbers[static_cast<size_t>(i) * depth + d];
      const int64_t size = dense.dim(static_cast<int>(d));
      if (at < 0 || at >= size) {
        invalid_argument(
            fmt::format("Sparse tensor has an invalid index on dimension {}: a_indices({},{}) = {}, dense "
                        "tensor shape: {}",
                        d, i, d, at, fmt::join(dense.shape().dims(), " ")));
      }
      place = place * size + at;  // size: within the dense array
    }
    places.push_back(place);
  }
  constexpr size_t kMostDims = 5;
  if (depth < 1 || depth > kMostDims) {
    invalid_argument(fmt::format(
        "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: {}", depth));
  }
  for_type<AllNumberTypes>(dense.dtype(), [&]<class T>() {
    Array sum(dense.dtype(), dense.shape());
    T* const to = sum.mutable_data<T>();
    std::copy_n(dense.data<T>(), dense.size(), to);
    for (size_t i = 0; i < places.size(); ++i)
      to[places[i]] = static_cast<T>(wrapping_add(to[places[i]], call.in(1).data<T>()[i]));
    call.set_out(0, std::move(sum));
  });
}

std::vector<Endpoint> dense_add_gradient(GradientContext& g) {
  return {{}, g.op("GatherNd", {g.grad(), g.input(0)}), {}, g.grad()};
}

// ---- SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv

void elementwise_shape(ShapeContext& context) {
  context.set_output(0, Shape{context.with_rank(0, 2).dim(0)});
}

void check_elementwise(const DynamicCall& call) {
  check_rank(call.in(0), 2, "Input sp_indices should be a matrix but received shape:");
  check_two_vectors(call.in(1), call.in(2),
                    "Inputs sp_values and sp_shape should be vectors but received shapes:");
  if (call.in(1).dim(0) != call.in(0).dim(0)) {
    invalid_argument(fmt::format("The first dimension of values and indices should match. ({} vs. {})",
                                 call.in(1).dim(0), call.in(0).dim(0)));
  }
  if (call.in(2).dim(0) != call.in(0).dim(1)) {
    invalid_argument(
        fmt::format("Number of dimensions must match second dimension of indices. Got {} "
                    "dimensions, indices shape: {}",
                    call.in(2).dim(0), call.in(0).shape().to_string()));
  }
  if (call.in(0).size() == 0 && call.in(0).dim(1) == 0) {
    invalid_argument("Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: 0");
  }
}

/// For each value, the element of the dense array beside it once that is broadcast to the sparse shape.
std::vector<int64_t> places_in_dense(const Coordinates& coordinates, std::span<const int64_t> dims,
                                     const Shape& dense) {
  const int64_t added = std::ssize(dims) - dense.rank();
  bool fits = added >= 0;
  for (int d = 0; fits && d < dense.rank(); ++d) {
    const int64_t size = dims[static_cast<size_t>(added + d)];
    fits = dense.dim(d) == size || (dense.dim(d) == 1 && size >= 1);
  }
  if (!fits) {
    invalid_argument(fmt::format(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {} vs. {}",
        numbers_text(dims), dense.to_string()));
  }
  std::vector<int64_t> places;
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (at[d] < 0 || at[d] >= dims[d])
        invalid_argument("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
      const int64_t of_dense = static_cast<int64_t>(d) - added;
      if (of_dense < 0) continue;
      const int64_t size = dense.dim(static_cast<int>(of_dense));
      place = place * size + (size == 1 ? 0 : at[d]);  // size: within the dense array
    }
    places.push_back(place);
  }
  return places;
}

enum class Elementwise { kAdd, kMultiply, kDivide };

template <Elementwise kOp, class T>
T combined(T x, T y) {
  if constexpr (kOp == Elementwise::kAdd) return static_cast<T>(wrapping_add(x, y));
  if constexpr (kOp == Elementwise::kMultiply) return static_cast<T>(wrapping_multiply(x, y));
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) invalid_argument("Integer division by zero");
    return y == static_cast<T>(-1) ? static_cast<T>(wrapping_subtract(T(0), x)) : static_cast<T>(x / y);
  } else {
    return static_cast<T>(x / y);
  }
}

template <Elementwise kOp>
void elementwise(DynamicCall& call) {
  check_elementwise(call);
  const std::vector<int64_t> dims = checked_dims(call.in(2));
  constexpr size_t kMostDims = 5;
  const std::vector<int64_t> places = places_in_dense(Coordinates(call.in(0)), dims, call.in(3).shape());
  if (dims.empty() || dims.size() > kMostDims) {
    invalid_argument(fmt::format(
        "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: {}", dims.size()));
  }
  for_type<RealTypes>(call.in(1).dtype(), [&]<class T>() {
    Array out(call.in(1).dtype(), Shape{std::ssize(places)});
    T* const to = out.mutable_data<T>();
    for (size_t i = 0; i < places.size(); ++i)
      to[i] = combined<kOp>(call.in(1).data<T>()[i], call.in(3).data<T>()[places[i]]);
    call.set_out(0, std::move(out));
  });
}

/// The dense operand's elements that met the values, and their coordinates there.
struct MetElements {
  Endpoint coordinates;
  Endpoint values;
  Endpoint dims;
};

MetElements python_met_elements(GradientContext& g) {
  const Endpoint dense = g.input(3);
  const Endpoint dims = python_cast(g, python_shape(g, dense), DType::kInt64);
  const Endpoint added = g.op("Sub", {python_size_of(g, g.input(2)), python_size_of(g, dims)}, {}, "sub");
  const Endpoint num_added = python_expand_dims(g, added, 0);
  Endpoint ones;
  {
    const graph::NameScope scope(g.graph(), "ones");
    const Endpoint one = python_scalar(g, 1, DType::kInt64, "Const");
    ones = g.op("Fill", {num_added, one}, {}, scope.path());
  }
  const Endpoint whole = python_concat(g, {ones, dims});
  const Endpoint scale = g.op("FloorDiv", {g.input(2), whole}, {}, "floordiv");
  const Endpoint scaled = g.op("FloorDiv", {g.input(0), scale}, {}, "floordiv");
  Endpoint begin;
  {
    const graph::NameScope scope(g.graph(), "concat");
    const Endpoint zero = python_integers(g, {0}, DType::kInt32, "values_0");
    const Endpoint axis = python_scalar(g, 0, DType::kInt32, "axis");
    begin = g.op("ConcatV2", {zero, num_added, axis}, {}, scope.path());
  }
  Endpoint coordinates;
  {
    const graph::NameScope scope(g.graph(), "Slice");
    const Endpoint size = python_integers(g, {-1, -1}, DType::kInt32, "size");
    coordinates = g.op("Slice", {scaled, begin, size}, {}, scope.path());
  }
  return {coordinates, g.op("GatherNd", {dense, coordinates}), dims};
}

template <bool kIsProduct>
std::vector<Endpoint> elementwise_gradient(GradientContext& g) {
  const MetElements met = python_met_elements(g);
  Endpoint of_values;
  Endpoint of_dense;
  if constexpr (kIsProduct) {
    of_values = g.op("Mul", {g.grad(), met.values}, {}, "mul");
    of_dense = g.op("Mul", {g.grad(), g.input(1)}, {}, "mul");
  } else {
    of_values = g.op("RealDiv", {g.grad(), met.values}, {}, "truediv");
    const Endpoint negative = g.op("Neg", {g.input(1)});
    const Endpoint square = g.op("Square", {met.values});
    const Endpoint quotient = g.op("RealDiv", {negative, square}, {}, "truediv");
    of_dense = g.op("Mul", {g.grad(), quotient}, {}, "mul");
  }
  const Endpoint zeros = python_zeros_like(g, g.input(3));
  const Endpoint dense = g.op("SparseTensorDenseAdd", {met.coordinates, of_dense, met.dims, zeros});
  return {{}, of_values, {}, dense};
}

// ---- SparseSoftmax

void softmax_shape(ShapeContext& context) {
  context.with_rank(0, 2);
  const Shape values = context.with_rank(1, 1);
  context.with_rank(2, 1);
  context.set_output(0, values);
}

template <class T>
void softmax_of_row(const T* in, T* out, int64_t count) {
  using Computed = Wide<T>;
  const T largest = *std::max_element(in, in + count);
  Computed sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(std::exp(static_cast<Computed>(in[i]) - static_cast<Computed>(largest)));
    sum += static_cast<Computed>(out[i]);
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(static_cast<Computed>(out[i]) * (Computed(1) / sum));
}

void softmax(DynamicCall& call) {
  check_rank(call.in(0), 2, "Input sp_indices should be a matrix but received shape:");
  check_two_vectors(call.in(1), call.in(2),
                    "Inputs sp_values and sp_shape should be vectors but received shapes:");
  if (call.in(2).size() < 2) {
    invalid_argument(
        fmt::format("Input should have rank >= 2, but received shape: {}", summary_of(call.in(2), 3)));
  }
  const std::vector<int64_t> dims = checked_dims(call.in(2));
  check_sparse(call.in(0), call.in(1), dims);
  const Coordinates all(call.in(0));
  const std::vector<int64_t> rows = sorted_rows(all, all_axes(all.depth()));
  const auto row_of = [&](size_t i) { return all[rows[i]].first(dims.size() - 1); };
  using SoftmaxTypes = TypeList<float, double, float16>;
  const Array values = picked_rows(call.in(1), rows);
  for_type<SoftmaxTypes>(values.dtype(), [&]<class T>() {
    Array out(values.dtype(), values.shape());
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin + 1;
      while (end < rows.size() && compare_coordinates(row_of(begin), row_of(end)) == 0) ++end;
      softmax_of_row(values.data<T>() + begin, out.mutable_data<T>() + begin,
                     static_cast<int64_t>(end - begin));
      begin = end;
    }
    call.set_out(0, std::move(out));
  });
}

std::vector<Endpoint> softmax_gradient(GradientContext& g) {
  const Endpoint indices = g.input(0);
  const Endpoint dims = g.input(2);
  const Endpoint product = g.op("Mul", {g.output(0), g.grad()}, {}, "mul");
  Endpoint sums;
  {
    const graph::NameScope scope(g.graph(), "SparseReduceSum");
    const Endpoint axes = python_integers(g, {-1}, DType::kInt32, "reduction_axes");
    sums = g.op("SparseReduceSum", {indices, product, dims, axes}, {{"keep_dims", true}}, scope.path());
  }
  const Endpoint negative = g.op("Neg", {sums});
  const Endpoint rest = g.op("SparseDenseCwiseAdd", {indices, g.grad(), dims, negative});
  return {{}, g.op("Mul", {rest, g.output(0)}, {}, "mul"), {}};
}

// ---- SparseFillEmptyRowsGrad

void fill_rows_grad_shape(ShapeContext& context) {
  context.set_output(0, context.with_rank(0, 1));
  context.with_rank(1, 1);
  context.set_output(1, Shape());
}

void fill_rows_grad(DynamicCall& call) {
  const Array& places = call.in(0);
  const Array& gradient = call.in(1);
  check_rank(places, 1, "reverse_index_map must be a vector, saw:");
  check_rank(gradient, 1, "grad_values must be a vector, saw:");
  for_type<AllNumberTypes>(gradient.dtype(), [&]<class T>() {
    Array values(gradient.dtype(), places.shape());
    std::vector<bool> is_taken(static_cast<size_t>(gradient.size()), false);
    for (int64_t i = 0; i < places.size(); ++i) {
      const int64_t place = places.data<int64_t>()[i];
      if (place < 0 || place >= gradient.size()) {
        invalid_argument(
            fmt::format("Elements in reverse index must be in [0, {}) but got {}", gradient.size(), place));
      }
      values.mutable_data<T>()[i] = gradient.data<T>()[place];
      is_taken[static_cast<size_t>(place)] = true;
    }
    auto sum = Wide<T>(0);
    for (size_t i = 0; i < is_taken.size(); ++i) {
      if (!is_taken[i])
        sum = static_cast<Wide<T>>(wrapping_add(sum, static_cast<Wide<T>>(gradient.data<T>()[i])));
    }
    Array rest(gradient.dtype(), Shape());
    *rest.mutable_data<T>() = static_cast<T>(sum);
    call.set_out(0, std::move(values));
    call.set_out(1, std::move(rest));
  });
}

// ---- rows

/// TensorFlow has a gradient that is an error: "Gradient for ... is not implemented."
template <const char* kOp>
std::vector<Endpoint> no_gradient(GradientContext&) {
  throw errors::UnimplementedError(fmt::format("Gradient for {} is not implemented.", kOp));
}
constexpr char kCwiseAdd[] = "SparseDenseCwiseAdd";
constexpr char kMaximum[] = "SparseSparseMaximum";
constexpr char kMinimum[] = "SparseSparseMinimum";

constexpr graph::OpRow elementwise_row(std::string_view name, graph::GradientFunction gradient,
                                       graph::ComputeFunction compute) {
  return {.name = name,
          .inputs = "sp_indices:int64, sp_values:T, sp_shape:int64, dense:T",
          .outputs = "output:T",
          .attrs = "T:type{numbers}",
          .shape = elementwise_shape,
          .gradient = gradient,
          .compute = compute};
}

constexpr graph::OpRow compared_row(std::string_view name, std::string_view attrs,
                                    graph::GradientFunction gradient, graph::ComputeFunction compute) {
  return {.name = name,
          .inputs = "a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64",
          .outputs = "output_indices:int64, output_values:T",
          .attrs = attrs,
          .shape = compared_shape,
          .gradient = gradient,
          .compute = compute};
}

constexpr graph::OpRow kSparseArithmeticOps[] = {
    {.name = "SparseAdd",
     .inputs = "a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64, "
               "thresh:Treal",
     .outputs = "sum_indices:int64, sum_values:T, sum_shape:int64",
     .attrs = "T:type{numbers}; Treal:type{real_numbers}",
     .shape = add_shape,
     .gradient = add_gradient,
     .compute = compute_add},
    {.name = "SparseAddGrad",
     .inputs = "backprop_val_grad:T, a_indices:int64, b_indices:int64, sum_indices:int64",
     .outputs = "a_val_grad:T, b_val_grad:T",
     .attrs = "T:type{numbers}",
     .shape = add_grad_shape,
     .not_differentiable = true,
     .compute = add_grad},
    compared_row("SparseSparseMaximum", "T:type{real_numbers}", no_gradient<kMaximum>, compare<true>),
    compared_row("SparseSparseMinimum", "T:type{numbers}", no_gradient<kMinimum>, compare<false>),
    {.name = "SparseTensorDenseAdd",
     .inputs = "a_indices:Tindices, a_values:T, a_shape:Tindices, b:T",
     .outputs = "output:T",
     .attrs = "T:type{numbers}; Tindices:type{indices}",
     .shape = dense_add_shape,
     .gradient = dense_add_gradient,
     .compute = dense_add},
    elementwise_row("SparseDenseCwiseAdd", no_gradient<kCwiseAdd>, elementwise<Elementwise::kAdd>),
    elementwise_row("SparseDenseCwiseMul", elementwise_gradient<true>, elementwise<Elementwise::kMultiply>),
    elementwise_row("SparseDenseCwiseDiv", elementwise_gradient<false>, elementwise<Elementwise::kDivide>),
    {.name = "SparseSoftmax",
     .inputs = "sp_indices:int64, sp_values:T, sp_shape:int64",
     .outputs = "output:T",
     .attrs = "T:type{ieee_floats}",
     .shape = softmax_shape,
     .gradient = softmax_gradient,
     .compute = softmax},
    {.name = "SparseFillEmptyRowsGrad",
     .inputs = "reverse_index_map:int64, grad_values:T",
     .outputs = "d_values:T, d_default_value:T",
     .attrs = "T:type",
     .shape = fill_rows_grad_shape,
     .compute = fill_rows_grad},
};

}  // namespace

void register_sparse_arithmetic_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseArithmeticOps) table.add(row);
}

}  // namespace flowray::ops
