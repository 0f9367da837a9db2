/// tf.nn's functions of elements and their statistics, for the module flowray.tf.nn.

#include "native/convert/convert.h"
#include "native/nn/nn_arguments.h"

#include <flowray/tf/nn.h>

namespace flowray::python {
namespace {

constexpr auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };

nb::handle either(nb::handle first, nb::handle second) { return first.is_none() ? second : first; }

bool is_set(nb::handle flag) { return !flag.is_none() && as_bool(flag); }

void bind_elements(nb::module_& m) {
  m.def(
      "crelu",
      [](nb::handle features, nb::handle name, Integer axis) {
        return give(tf::nn::crelu(as_input(features), {static_cast<int>(int64_t{axis}), as_text(name)}));
      },
      "features"_a, none("name"), "axis"_a = -1);
  for (const char* name : {"silu", "swish"}) {
    m.def(
        name,
        [](nb::handle features, nb::handle beta) {
          return give(tf::nn::silu(as_input(features), as_input(beta)));
        },
        "features"_a, "beta"_a = 1.0);
  }
  m.def(
      "zero_fraction",
      [](nb::handle value, nb::handle name) {
        return give(tf::nn::zero_fraction(as_input(value), {as_text(name)}));
      },
      "value"_a, none("name"));
  m.def(
      "weighted_cross_entropy_with_logits",
      [](nb::handle labels, nb::handle logits, nb::handle pos_weight, nb::handle name, nb::handle targets) {
        return give(tf::nn::weighted_cross_entropy_with_logits(
            {as_input(either(labels, targets)), as_input(logits), as_input(pos_weight), as_text(name)}));
      },
      none("labels"), none("logits"), none("pos_weight"), none("name"), none("targets"));
  m.def(
      "log_poisson_loss",
      [](nb::handle targets, nb::handle log_input, Flag full, nb::handle name) {
        return give(tf::nn::log_poisson_loss(as_input(targets), as_input(log_input), {full, as_text(name)}));
      },
      "targets"_a, "log_input"_a, "compute_full_loss"_a = false, none("name"));
}

nb::tuple give_moments(const tf::nn::Moments& moments) {
  return nb::make_tuple(give(moments.mean), give(moments.variance));
}

void bind_statistics(nb::module_& m) {
  m.def(
      "weighted_moments",
      [](nb::handle x, nb::handle axes, nb::handle weights, nb::handle name, nb::handle keep_dims,
         nb::handle keepdims) {
        return give_moments(tf::nn::weighted_moments(as_input(x), axes_of(axes), as_input(weights),
                                                     {is_set(either(keepdims, keep_dims)), as_text(name)}));
      },
      "x"_a, "axes"_a, "frequency_weights"_a, none("name"), none("keep_dims"), none("keepdims"));
  m.def(
      "sufficient_statistics",
      [](nb::handle x, nb::handle axes, nb::handle shift, nb::handle keep_dims, nb::handle name,
         nb::handle keepdims) {
        const tf::nn::SufficientStatistics result = tf::nn::sufficient_statistics(
            as_input(x), axes_of(axes),
            {as_optional_input(shift), is_set(either(keepdims, keep_dims)), as_text(name)});
        return nb::make_tuple(give(result.count), give(result.mean_ss), give(result.variance_ss),
                              give(result.shift));
      },
      "x"_a, "axes"_a, none("shift"), none("keep_dims"), none("name"), none("keepdims"));
  m.def(
      "normalize_moments",
      [](nb::handle counts, nb::handle mean_ss, nb::handle variance_ss, nb::handle shift, nb::handle name) {
        return give_moments(tf::nn::normalize_moments(as_input(counts), as_input(mean_ss),
                                                      as_input(variance_ss), as_optional_input(shift),
                                                      {as_text(name)}));
      },
      "counts"_a, "mean_ss"_a, "variance_ss"_a, "shift"_a, none("name"));
  m.def(
      "batch_norm_with_global_normalization",
      [](nb::handle t, nb::handle m1, nb::handle v, nb::handle beta, nb::handle gamma, nb::handle epsilon,
         nb::handle scales, nb::handle name, nb::handle input, nb::handle mean, nb::handle variance) {
        tf::nn::BatchNormalizationOptions options{
            .offset = as_input(beta), .variance_epsilon = as_float(epsilon), .name = as_text(name)};
        if (as_bool(scales)) options.scale = as_input(gamma);
        return give(tf::nn::batch_normalization(as_input(either(t, input)), as_input(either(m1, mean)),
                                                as_input(either(v, variance)), options));
      },
      none("t"), none("m"), none("v"), none("beta"), none("gamma"), none("variance_epsilon"),
      none("scale_after_normalization"), none("name"), none("input"), none("mean"), none("variance"));
}

}  // namespace

void bind_nn_elements(nb::module_& m) {
  bind_elements(m);
  bind_statistics(m);
}

}  // namespace flowray::python
