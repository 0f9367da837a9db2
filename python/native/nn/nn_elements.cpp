/// tf.nn's functions of elements and their statistics, for the module flowray.tf.nn.

#include "native/nn/nn_arguments.h"

#include <flowray/tf/nn.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::nn::CreluOptions, axis, name)
FLOWRAY_FIELDS(tf::nn::LogPoissonOptions, compute_full_loss, name)
FLOWRAY_FIELDS(tf::nn::SufficientStatisticsOptions, shift, keep_dims, name)
FLOWRAY_FIELDS(tf::nn::SufficientStatistics, count, mean_ss, variance_ss, shift)

namespace {

tf::Tensor weighted_cross_entropy(const tf::Input& labels, const tf::Input& logits,
                                  const tf::Input& pos_weight, const tf::NameOption& options) {
  return tf::nn::weighted_cross_entropy_with_logits({labels, logits, pos_weight, options.name});
}

void bind_elements(nb::module_& m) {
  bind(m, "crelu", &tf::nn::crelu, {"features", "name", "axis"});
  using Silu = tf::Tensor (*)(const tf::Input&, const tf::Input&);
  bind<Silu>(m, "silu", &tf::nn::silu, {"features", {"beta", 1.0}});
  bind<Silu>(m, "swish", &tf::nn::silu, {"features", {"beta", 1.0}}, docstring_of("nn.silu"));
  bind(m, "zero_fraction", &tf::nn::zero_fraction, {"value"});
  bind(m, "weighted_cross_entropy_with_logits", &weighted_cross_entropy,
       {{"labels", nb::none()},
        {"logits", nb::none()},
        {"pos_weight", nb::none()},
        "name",
        older("targets", "labels")});
  bind(m, "log_poisson_loss", &tf::nn::log_poisson_loss, {"targets", "log_input"});
}

tf::Tensor batch_norm_with_global_normalization(const tf::Input& x, const tf::Input& mean,
                                                const tf::Input& variance, const tf::Input& beta,
                                                nb::handle gamma, double variance_epsilon,
                                                bool scale_after_normalization,
                                                const tf::NameOption& options) {
  tf::nn::BatchNormalizationOptions all{
      .offset = beta, .variance_epsilon = variance_epsilon, .name = options.name};
  if (scale_after_normalization) all.scale = as_input(gamma);
  return tf::nn::batch_normalization(x, mean, variance, all);
}

void bind_statistics(nb::module_& m) {
  const Argument keepdims = fills({"keepdims", nb::none()}, "keep_dims");
  bind(m, "weighted_moments", &tf::nn::weighted_moments,
       {"x", "axes", "frequency_weights", "name", older("keep_dims", "keepdims"), keepdims});
  bind(m, "sufficient_statistics", &tf::nn::sufficient_statistics,
       {"x", "axes", "shift", older("keep_dims", "keepdims"), "name", keepdims});
  bind(m, "normalize_moments", &tf::nn::normalize_moments, {"counts", "mean_ss", "variance_ss", "shift"});
  bind(m, "batch_norm_with_global_normalization", &batch_norm_with_global_normalization,
       {{"t", nb::none()},
        {"m", nb::none()},
        {"v", nb::none()},
        {"beta", nb::none()},
        {"gamma", nb::none()},
        {"variance_epsilon", nb::none()},
        {"scale_after_normalization", nb::none()},
        "name",
        older("input", "t"),
        older("mean", "m"),
        older("variance", "v")},
       docstring_of("nn.batch_normalization"));
}

}  // namespace

void bind_nn_elements(nb::module_& m) {
  bind_elements(m);
  bind_statistics(m);
}

}  // namespace flowray::python
