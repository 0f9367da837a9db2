/// Counts, spreads, histograms: functions of math_ops that are made of several operations.

#include "native/convert/bind.h"

#include <flowray/tf/math.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::CountNonzeroOptions, axis, keepdims, dtype, name, reduction_indices, keep_dims)
FLOWRAY_FIELDS(tf::SpreadOptions, axis, keepdims, name)
FLOWRAY_FIELDS(tf::HistogramOptions, nbins, dtype, name)
FLOWRAY_FIELDS(tf::AccumulateOptions, shape, name)

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
  bind(m, "accumulate_n", &tf::accumulate_n, {"inputs", "shape", ignored("tensor_dtype"), "name"});
  bind(m, "scalar_mul", &tf::scalar_mul, {"scalar", "x"});
  bind(m, "saturate_cast", &tf::saturate_cast, {"value", "dtype"});
}

}  // namespace flowray::python
