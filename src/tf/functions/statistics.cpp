#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"
#include "tf/build/with_dependencies.h"

#include <fmt/format.h>

namespace flowray::tf {

Tensor count_nonzero(const Input& x, const CountNonzeroOptions& options) {
  Composite scope({{"x", x}, {"axis", options.axis}, {"reduction_indices", options.reduction_indices}},
                  options.name, "count_nonzero", x.where());
  const Tensor values = scope.convert(x, "input");
  const DType dtype = base_dtype(values.dtype());
  const Tensor is_some = dtype == DType::kBool ? values : not_equal(values, zeros(TensorShape{}, dtype));
  const Tensor count =
      reduce_sum(cast(is_some, DType::kInt64), {.axis = options.axis,
                                                .keepdims = options.keepdims,
                                                .reduction_indices = options.reduction_indices,
                                                .keep_dims = options.keep_dims});
  return cast(count, options.dtype);
}

namespace math {

Tensor reduce_variance(const Input& x, const SpreadOptions& options) {
  Composite scope({{"x", x}, {"axis", options.axis}}, options.name, "reduce_variance", x.where());
  const Tensor values = scope.convert(x, "Const");
  const Tensor mean = reduce_mean(values, {.axis = options.axis, .keepdims = true});
  if (is_integer(base_dtype(mean.dtype()))) {
    throw TypeError(fmt::format("Input must be either real or complex. Received integer type <dtype: '{}'>.",
                                dtype_name(base_dtype(mean.dtype()))));
  }
  const Tensor distance = values - mean;
  Tensor squares;
  if (is_complex(base_dtype(distance.dtype()))) {
    const Tensor conjugate = apply_op({.op = "Conj", .args = {distance}});
    const DType real = base_dtype(distance.dtype()) == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    const Tensor product = apply_op({.op = "Mul", .args = {conjugate, distance}});
    squares = apply_op({.op = "Real", .args = {product}, .attrs = {{"Tout", real}}});
  } else {
    squares = square(distance);
  }
  return reduce_mean(squares, {.axis = options.axis, .keepdims = options.keepdims});
}

Tensor reduce_std(const Input& x, const SpreadOptions& options) {
  Composite scope({{"x", x}, {"axis", options.axis}}, options.name, "reduce_std", x.where());
  const Tensor values = scope.convert(x, "Const");
  return sqrt(reduce_variance(values, {.axis = options.axis, .keepdims = options.keepdims}));
}

}  // namespace math

Tensor histogram_fixed_width(const Input& values, const Input& value_range, const HistogramOptions& options) {
  Composite scope({{"values", values}, {"value_range", value_range}, {"nbins", options.nbins}}, options.name,
                  "histogram_fixed_width", values.where());
  return apply_op({.op = "HistogramFixedWidth",
                   .name = scope.result_name(),
                   .args = {values, value_range, options.nbins},
                   .attrs = {{"dtype", options.dtype}}});
}

Tensor histogram_fixed_width_bins(const Input& values, const Input& value_range,
                                  const HistogramOptions& options) {
  Composite scope({{"values", values}, {"value_range", value_range}, {"nbins", options.nbins}}, options.name,
                  "histogram_fixed_width_bins", values.where());
  const Tensor given = scope.convert(values, "values");
  const Tensor sizes = shape(given);
  const Tensor row = reshape(given, {-1});
  const Tensor range = scope.convert(value_range, "value_range");
  const Tensor wanted = scope.convert(options.nbins, "nbins", DType::kInt32);
  const Operation some = Assert(greater(wanted, 0), {fmt::format("nbins {} must > 0", tensor_text(wanted))});
  const DType dtype = base_dtype(row.dtype());
  const Tensor bins = cast(with_dependencies({some}, wanted), dtype);
  const Tensor above = row - range[0];
  const Tensor highest = range[1];
  const Tensor scaled = truediv(above, highest - range[0], {.name = "scaled_values"});
  const Tensor places = floor(bins * scaled, {.name = "indices"});
  const Tensor kept = clip_by_value(places, 0, bins - 1);
  return reshape(cast(kept, options.dtype), sizes);
}

namespace {

/// How many rows have each number, 1 where none has it, in a shape that divides sums of rows.
Tensor segment_counts(const Tensor& data, const Tensor& ids, const Input& num_segments) {
  const Tensor number = convert_to_tensor(num_segments);
  const TensorShape& known = ids.shape();
  const Tensor sizes =
      known.is_fully_defined()
          ? constant(Array(std::vector<int64_t>(known.begin(), known.end())).astype(DType::kInt32),
                     {.name = "Shape/shape_as_tensor"})
          : apply_op({.op = "Shape", .args = {ids}});
  const Tensor each = ones(sizes, data.dtype());
  const Tensor count = apply_op({.op = "UnsortedSegmentSum", .args = {each, ids, number}});
  const Tensor first = number[newaxis];
  const Tensor data_rank = rank(data);
  const Tensor rest = data_rank - rank(ids);
  const Tensor sides = ones(Input::list({rest}), number.dtype());
  return maximum(reshape(count, concat({first, sides}, 0)), 1);
}

/// The sums of rows with one number, divided by what `divisor` makes of how many they are.
Tensor scaled_sums(const char* name, const Input& data, const Input& segment_ids, const Input& num_segments,
                   const NameOption& options, Tensor (*divisor)(const Tensor& counts)) {
  Composite scope({{"data", data}, {"segment_ids", segment_ids}, {"num_segments", num_segments}},
                  options.name, name, data.where());
  const Tensor rows = scope.convert(data, "Const");
  const Tensor ids = scope.convert(segment_ids, "Const");
  const Tensor counts = segment_counts(rows, ids, num_segments);
  const Tensor sums = apply_op({.op = "UnsortedSegmentSum", .args = {rows, ids, num_segments}});
  return sums / divisor(counts);
}

}  // namespace

Tensor unsorted_segment_mean(const Input& data, const Input& segment_ids, const Input& num_segments,
                             const NameOption& options) {
  return scaled_sums("UnsortedSegmentMean", data, segment_ids, num_segments, options,
                     [](const Tensor& counts) { return counts; });
}

Tensor unsorted_segment_sqrt_n(const Input& data, const Input& segment_ids, const Input& num_segments,
                               const NameOption& options) {
  return scaled_sums("UnsortedSegmentSqrtN", data, segment_ids, num_segments, options,
                     [](const Tensor& counts) { return sqrt(counts); });
}

Tensor accumulate_n(const List<Input>& inputs, const AccumulateOptions& options) {
  const ErrorLine errors(place_in_program(inputs));
  if (inputs.empty())
    throw ValueError("inputs must be a list of at least one Tensor with the same dtype and shape");
  const CallScope call({{"inputs", inputs}});
  graph::Graph& graph = call.graph();
  DType dtype = DType::kInvalid;
  for (const Input& input : inputs) {
    if (dtype == DType::kInvalid && input.tensor() != nullptr && input.tensor()->has_value())
      dtype = base_dtype(input.tensor()->dtype());
  }
  std::vector<Input> terms;
  TensorShape shape = options.shape;
  for (const Input& input : inputs) {
    const Tensor term = to_tensor(graph, input, "Const", dtype);
    shape = shape.merge_with(term.shape());
    terms.emplace_back(term);
  }
  if (terms.size() == 1)
    return options.name.empty() ? *terms.front().tensor() : identity(terms.front(), {options.name});
  return add_n(terms, {options.name});
}

Tensor lbeta(const Input& x, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "lbeta", x.where());
  const Tensor values = scope.convert(x, "x");
  const Tensor products = reduce_sum(apply_op({.op = "Lgamma", .args = {values}}), {-1});
  const Tensor sums = reduce_sum(values, {-1});
  return products - apply_op({.op = "Lgamma", .args = {sums}});
}

Tensor log_sigmoid(const Input& x, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "LogSigmoid", x.where());
  const Tensor values = scope.convert(x, "x");
  return negative(apply_op({.op = "Softplus", .args = {negative(values)}}), {.name = scope.result_name()});
}

Tensor scalar_mul(const Input& scalar, const Input& x, const NameOption& options) {
  const CallScope call({{"scalar", scalar}, {"x", x}}, x.where());
  graph::Graph& graph = call.graph();
  const Tensor values = convert_to_tensor(x, {.name = "x"});
  const Tensor factor = to_tensor(graph, scalar, "scalar", base_dtype(values.dtype()));
  if (factor.shape().rank() != 0) {
    throw ValueError(fmt::format("The input scalar must be a 0-D value. Received shape {}.",
                                 factor.shape().to_tuple_string()));
  }
  return apply_op({.op = "Mul", .name = options.name, .args = {factor, values}});
}

}  // namespace flowray::tf
