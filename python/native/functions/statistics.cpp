/// Counts, spreads, histograms: functions of math_ops that are made of several operations.

#include "native/convert/convert.h"

#include <flowray/tf/math.h>

namespace flowray::python {
namespace {

using Spread = tf::Tensor (*)(const tf::Input&, const tf::SpreadOptions&);
using Histogram = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::HistogramOptions&);
using Segments = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&, const tf::NameOption&);
using Unary = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);

void bind_spread(nb::module_& m, const char* name, Spread function) {
  m.def(
      name,
      [function](nb::handle x, nb::handle axis, Flag keepdims, nb::handle node_name) {
        tf::SpreadOptions options;
        options.axis = as_optional_input(axis);
        options.keepdims = keepdims;
        options.name = as_text(node_name);
        return give(function(as_input(x), options));
      },
      "input_tensor"_a, "axis"_a = nb::none(), "keepdims"_a = false, "name"_a = nb::none());
}

void bind_histogram(nb::module_& m, const char* name, Histogram function) {
  m.def(
      name,
      [function](nb::handle values, nb::handle range, nb::handle nbins, nb::handle dtype,
                 nb::handle node_name) {
        tf::HistogramOptions options;
        options.nbins = as_input(nbins);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.name = as_text(node_name);
        return give(function(as_input(values), as_input(range), options));
      },
      "values"_a, "value_range"_a, "nbins"_a = 100, "dtype"_a = nb::none(), "name"_a = nb::none());
}

void bind_segments(nb::module_& m, const char* name, Segments function) {
  m.def(
      name,
      [function](nb::handle data, nb::handle ids, nb::handle number, nb::handle node_name) {
        return give(function(as_input(data), as_input(ids), as_input(number), {as_text(node_name)}));
      },
      "data"_a, "segment_ids"_a, "num_segments"_a, "name"_a = nb::none());
}

void bind_unary(nb::module_& m, const char* name, Unary function) {
  m.def(
      name,
      [function](nb::handle x, nb::handle node_name) {
        return give(function(as_input(x), {as_text(node_name)}));
      },
      "x"_a, "name"_a = nb::none());
}

}  // namespace

void bind_statistics(nb::module_& m, nb::module_& math) {
  m.def(
      "count_nonzero",
      [](nb::handle x, nb::handle axis, nb::handle keepdims, nb::handle dtype, nb::handle name,
         nb::handle reduction_indices, nb::handle keep_dims, nb::handle old_x) {
        tf::CountNonzeroOptions options;
        options.axis = as_optional_input(axis);
        options.keepdims = !keepdims.is_none() && as_bool(keepdims);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.name = as_text(name);
        options.reduction_indices = as_optional_input(reduction_indices);
        if (!keep_dims.is_none()) options.keep_dims = as_bool(keep_dims);
        if (!x.is_none() && !old_x.is_none())
          throw ValueError("Cannot specify both 'input' and 'input_tensor'.");
        return give(tf::count_nonzero(as_input(x.is_none() ? old_x : x), options));
      },
      "input_tensor"_a = nb::none(), "axis"_a = nb::none(), "keepdims"_a = nb::none(), "dtype"_a = nb::none(),
      "name"_a = nb::none(), "reduction_indices"_a = nb::none(), "keep_dims"_a = nb::none(),
      "input"_a = nb::none());
  bind_spread(math, "reduce_variance", &tf::math::reduce_variance);
  bind_spread(math, "reduce_std", &tf::math::reduce_std);
  bind_histogram(m, "histogram_fixed_width", &tf::histogram_fixed_width);
  bind_histogram(m, "histogram_fixed_width_bins", &tf::histogram_fixed_width_bins);
  bind_segments(m, "unsorted_segment_mean", &tf::unsorted_segment_mean);
  bind_segments(m, "unsorted_segment_sqrt_n", &tf::unsorted_segment_sqrt_n);
  bind_unary(m, "lbeta", &tf::lbeta);
  bind_unary(m, "log_sigmoid", &tf::log_sigmoid);
  m.def(
      "accumulate_n",
      [](nb::handle inputs, nb::handle shape, nb::handle, nb::handle name) {
        return give(tf::accumulate_n(as_inputs(inputs), {.shape = as_shape(shape), .name = as_text(name)}));
      },
      "inputs"_a, "shape"_a = nb::none(), "tensor_dtype"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "scalar_mul",
      [](nb::handle scalar, nb::handle x, nb::handle name) {
        return give(tf::scalar_mul(as_input(scalar), as_input(x), {as_text(name)}));
      },
      "scalar"_a, "x"_a, "name"_a = nb::none());
  m.def(
      "saturate_cast",
      [](nb::handle value, nb::handle dtype, nb::handle name) {
        return give(tf::saturate_cast(as_input(value), as_dtype(dtype), {as_text(name)}));
      },
      "value"_a, "dtype"_a, "name"_a = nb::none());
}

}  // namespace flowray::python
