/// Counts, spreads, histograms: functions of math_ops that are made of several operations.

#include "native/convert/bind.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include <fmt/format.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::CountNonzeroOptions, axis, keepdims, dtype, name, reduction_indices, keep_dims)
FLOWRAY_FIELDS(tf::SpreadOptions, axis, keepdims, name)
FLOWRAY_FIELDS(tf::HistogramOptions, nbins, dtype, name)
FLOWRAY_FIELDS(tf::AccumulateOptions, shape, name)

namespace {

tf::Tensor accumulate_n(const tf::List<tf::Input>& inputs, DType tensor_dtype,
                        const tf::AccumulateOptions& options) {
  if (tensor_dtype != DType::kInvalid && !inputs.empty()) {
    const DType given = base_dtype(tf::convert_to_tensor(inputs[0]).dtype());
    if (given != tensor_dtype) {
      throw TypeError(fmt::format(
          "The `tensor_dtype` argument is <dtype: '{}'>, but `input` is of type <dtype: '{}'>. These must be "
          "equal. Try casting the input to the desired type.",
          dtype_name(tensor_dtype), dtype_name(given)));
    }
  }
  return tf::accumulate_n(inputs, options);
}

}  // namespace

void bind_statistics(nb::module_& m, nb::module_& math) {
  using CountNonzero = tf::Tensor (*)(const tf::Input&, const tf::CountNonzeroOptions&);
  bind<CountNonzero>(m, "count_nonzero", &tf::count_nonzero,
                     {{"input_tensor", nb::none()},
                      "axis",
                      {"keepdims", nb::none()},
                      "dtype",
                      "name",
                      "reduction_indices",
                      "keep_dims",
                      either("input", "input_tensor")});
  using Spread = tf::Tensor (*)(const tf::Input&, const tf::SpreadOptions&);
  bind<Spread>(math, "reduce_variance", &tf::math::reduce_variance, {"input_tensor"});
  bind<Spread>(math, "reduce_std", &tf::math::reduce_std, {"input_tensor"});
  bind(m, "histogram_fixed_width", &tf::histogram_fixed_width, {"values", "value_range"});
  bind(m, "histogram_fixed_width_bins", &tf::histogram_fixed_width_bins, {"values", "value_range"});
  bind(m, "unsorted_segment_mean", &tf::unsorted_segment_mean, {"data", "segment_ids", "num_segments"});
  bind(m, "unsorted_segment_sqrt_n", &tf::unsorted_segment_sqrt_n, {"data", "segment_ids", "num_segments"});
  bind(m, "lbeta", &tf::lbeta, {"x"});
  bind(m, "log_sigmoid", &tf::log_sigmoid, {"x"});
  bind(m, "accumulate_n", &accumulate_n, {"inputs", "shape", {"tensor_dtype", nb::none()}, "name"});
  bind(m, "scalar_mul", &tf::scalar_mul, {"scalar", "x"});
  bind(m, "saturate_cast", &tf::saturate_cast, {"value", "dtype"});
}

}  // namespace flowray::python
