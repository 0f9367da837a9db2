/// Functions whose op, or whose number of nodes, depends on their arguments.

#include "native/convert/bind.h"

#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/strings.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::SearchsortedOptions, side, out_type, name)
FLOWRAY_FIELDS(tf::BincountOptions, weights, minlength, maxlength, dtype)
FLOWRAY_FIELDS(tf::SparseSegmentOptions, name, num_segments, sparse_gradient)
FLOWRAY_FIELDS(tf::nn::FusedBatchNormOptions, mean, variance, epsilon, data_format, is_training, name,
               exponential_avg_factor)
FLOWRAY_FIELDS(tf::nn::FusedBatchNorm, y, mean, variance)
FLOWRAY_FIELDS(tf::SvdOptions, full_matrices, compute_uv, name)
FLOWRAY_FIELDS(tf::signal::RealTransformOptions, fft_length, name)
FLOWRAY_FIELDS(tf::RegexReplaceOptions, replace_global, name)
FLOWRAY_FIELDS(tf::ReduceJoinOptions, axis, keep_dims, separator, name)

namespace {

void bind_numbers(nb::module_& m, nb::module_& math) {
  bind(m, "real", &tf::real, {"input"});
  bind(m, "imag", &tf::imag, {"input"});
  bind(m, "conj", &tf::conj, {"x"});
  bind(m, "angle", &tf::angle, {"input"});
  bind(math, "reciprocal_no_nan", &tf::math::reciprocal_no_nan, {"x"});
  bind(m, "verify_tensor_all_finite", &tf::verify_tensor_all_finite,
       {either("t", "x"), either("msg", "message"), "name", {"x", nb::none()}, {"message", nb::none()}});
  bind(m, "searchsorted",
       [](const tf::Input& sequence, const tf::Input& values, tf::SearchsortedOptions options) {
         options.out_type = base_dtype(options.out_type);
         return tf::searchsorted(sequence, values, options);
       },
       {"sorted_sequence", "values"});
  bind(m, "bincount",
       [](const tf::Input& arr, tf::BincountOptions options) {
         options.dtype = base_dtype(options.dtype);
         return tf::bincount(arr, options);
       },
       {"arr"});
}

void bind_segments(nb::module_& m) {
  bind(m, "sparse_segment_sum", &tf::sparse_segment_sum, {"data", "indices", "segment_ids"});
  bind(m, "sparse_segment_mean", &tf::sparse_segment_mean, {"data", "indices", "segment_ids"});
  bind(m, "sparse_segment_sqrt_n", &tf::sparse_segment_sqrt_n, {"data", "indices", "segment_ids"});
}

void bind_images(nb::module_& m, nb::module_& nn) {
  bind(
      m, "batch_to_space", &tf::batch_to_space,
      {"input", "crops", required(either("block_size", "block_shape")), "name", {"block_shape", nb::none()}});
  bind(m, "space_to_batch", &tf::space_to_batch,
       {"input", "paddings", either("block_size", "block_shape"), "name", {"block_shape", nb::none()}});
  bind(nn, "fused_batch_norm", &tf::nn::fused_batch_norm, {"x", "scale", "offset"},
       "x normalised, scaled and moved for each channel, and the mean and variance of the batch.");
}

void bind_matrices(nb::module_& m, nb::module_& linalg) {
  bind(m, "svd",
       [](const tf::Input& tensor, const tf::SvdOptions& options) {
         const std::vector<tf::Tensor> outputs = tf::svd(tensor, options);
         return outputs.size() == 1 ? give(outputs.front()) : nb::object(nb::tuple(give(outputs)));
       },
       {"tensor"});
  bind(m, "cholesky_solve", &tf::cholesky_solve, {"chol", "rhs"});
  bind(linalg, "logdet", &tf::linalg::logdet, {"matrix"});
}

void bind_transforms(nb::module_& signal) {
  bind(signal, "rfft", &tf::signal::rfft, {"input_tensor"});
  bind(signal, "rfft2d", &tf::signal::rfft2d, {"input_tensor"});
  bind(signal, "irfft", &tf::signal::irfft, {"input_tensor"});
  bind(signal, "irfft2d", &tf::signal::irfft2d, {"input_tensor"});
}

void bind_strings(nb::module_& m, nb::module_& strings) {
  bind(strings, "regex_full_match", &tf::regex_full_match, {"input", "pattern"},
       docstring_of("regex_full_match"));
  bind(m, "regex_replace", &tf::regex_replace, {"input", "pattern", "rewrite"});
  bind(m, "reduce_join", &tf::reduce_join,
       {"inputs",
        "axis",
        either("keep_dims", "keepdims"),
        {"separator", ""},
        "name",
        either("reduction_indices", "axis"),
        fills({"keepdims", nb::none()}, "keep_dims")});
}

}  // namespace

void bind_functions_by_arguments(nb::module_& m, nb::module_& nn) {
  nb::module_ math = m.def_submodule("math");
  nb::module_ linalg = m.def_submodule("linalg");
  nb::module_ signal = m.def_submodule("signal");
  nb::module_ strings = m.def_submodule("strings");
  bind_numbers(m, math);
  bind_segments(m);
  bind_images(m, nn);
  bind_matrices(m, linalg);
  bind_transforms(signal);
  bind_strings(m, strings);
}

}  // namespace flowray::python
