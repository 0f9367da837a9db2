/// tf.nn, for the module flowray.tf.nn.

#include "native/nn/nn_arguments.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include <fmt/format.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::nn::LeakyReluOptions, alpha, name)
FLOWRAY_FIELDS(tf::nn::SoftmaxOptions, axis, name)
FLOWRAY_FIELDS(tf::nn::DropoutOptions, keep_prob, noise_shape, seed, name, rate)
FLOWRAY_FIELDS(tf::nn::BiasAddOptions, data_format, name)
FLOWRAY_FIELDS(tf::nn::BatchNormalizationOptions, offset, scale, variance_epsilon, name)
FLOWRAY_FIELDS(tf::nn::L2NormalizeOptions, epsilon, name)
FLOWRAY_FIELDS(tf::nn::SampledLossOptions, num_true, sampled_values, remove_accidental_hits, name, seed)

namespace {

void refuse_text_as_keep_prob(nb::handle keep_prob) {
  if (PyUnicode_Check(keep_prob.ptr()) == 0) return;
  throw ValueError(
      fmt::format("`keep_prob` must be a floating point number or Tensor. Received: keep_prob={}",
                  nb::str(keep_prob).c_str()));
}

void refuse_text_as_rate(nb::handle rate) {
  if (PyUnicode_Check(rate.ptr()) == 0) return;
  throw ValueError(
      fmt::format("`rate` must be a scalar or scalar tensor. Received: rate={}", nb::str(rate).c_str()));
}

void bind_activations(nb::module_& m) {
  bind(m, "relu", &tf::nn::relu, {"features"});
  bind(m, "relu6", &tf::nn::relu6, {"features"});
  bind(m, "elu", &tf::nn::elu, {"features"});
  bind(m, "selu", &tf::nn::selu, {"features"});
  bind(m, "softsign", &tf::nn::softsign, {"features"});
  bind(m, "softplus", &tf::nn::softplus, {"features"});
  bind(m, "l2_loss", &tf::nn::l2_loss, {"t"});
  // A double here: as a float the default would show more digits.
  bind(m, "leaky_relu", &tf::nn::leaky_relu, {"features", {"alpha", 0.2}, "name"});
  bind(m, "softmax", &tf::nn::softmax, {"logits", {"axis", nb::none()}, "name", older("dim", "axis")});
  bind(m, "log_softmax", &tf::nn::log_softmax,
       {"logits", {"axis", nb::none()}, "name", older("dim", "axis")});
  bind(m, "dropout", &tf::nn::dropout,
       {"x", checked("keep_prob", &refuse_text_as_keep_prob), "noise_shape", "seed", "name",
        checked("rate", &refuse_text_as_rate)});
}

tf::Tensor softmax_cross_entropy(const tf::Input& labels, const tf::Input& logits,
                                 std::optional<int64_t> axis, const tf::NameOption& options) {
  return tf::nn::softmax_cross_entropy_with_logits(
      {labels, logits, static_cast<int>(axis.value_or(-1)), options.name});
}

tf::Tensor softmax_cross_entropy_v2(const tf::Input& labels, const tf::Input& logits,
                                    std::optional<int64_t> axis, const tf::NameOption& options) {
  return tf::nn::softmax_cross_entropy_with_logits_v2(
      {labels, logits, static_cast<int>(axis.value_or(-1)), options.name});
}

void bind_losses(nb::module_& m) {
  const auto refuse_none = +[](nb::handle value) {
    if (value.is_none()) throw ValueError("Both `labels` and `logits` must be provided.");
  };
  const Argument labels = checked({"labels", nb::none()}, refuse_none);
  const Argument logits = checked({"logits", nb::none()}, refuse_none);
  const auto loss = [&](const char* name, tf::Tensor (*make)(const tf::nn::CrossEntropyOptions&)) {
    bind(m, name,
         [make](const tf::Input& classes, const tf::Input& guesses, const tf::NameOption& options) {
           return make({classes, guesses, options.name});
         },
         {labels, logits});
  };
  loss("sparse_softmax_cross_entropy_with_logits", &tf::nn::sparse_softmax_cross_entropy_with_logits);
  loss("sigmoid_cross_entropy_with_logits", &tf::nn::sigmoid_cross_entropy_with_logits);
  bind(m, "softmax_cross_entropy_with_logits", &softmax_cross_entropy,
       {labels, logits, older("dim", "axis"), "name", {"axis", nb::none()}});
  bind(m, "softmax_cross_entropy_with_logits_v2", &softmax_cross_entropy_v2,
       {"labels", "logits", {"axis", nb::none()}, "name", older("dim", "axis")});
}

void bind_normalisation(nb::module_& m) {
  bind(m, "moments", &tf::nn::moments,
       {"x", "axes", ignored("shift"), "name", older("keep_dims", "keepdims"),
        fills({"keepdims", nb::none()}, "keep_dims")});
  bind(
      m, "batch_normalization", &tf::nn::batch_normalization,
      {"x", "mean", "variance", required("offset"), required("scale"), required("variance_epsilon"), "name"});
  bind(m, "l2_normalize", &tf::nn::l2_normalize,
       {"x", {"axis", nb::none()}, "epsilon", "name", older("dim", "axis")});
  bind(m, "bias_add", &tf::nn::bias_add, {"value", "bias", {"data_format", nb::none()}, "name"});
  bind(m, "xw_plus_b", &tf::nn::xw_plus_b, {"x", "weights", "biases"});
  bind(m, "relu_layer", &tf::nn::relu_layer, {"x", "weights", "biases"});
}

/// The rows of a table in several parts, in the order of their ids: "div" has them one part behind the other,
/// of "mod" a row's part is its id modulo the number of parts.
tf::Input whole_table(nb::handle params, const std::string& partition_strategy) {
  const bool several = PyList_Check(params.ptr()) != 0 || PyTuple_Check(params.ptr()) != 0;
  if (!several && !nb::hasattr(params, "_get_variable_list")) return as_input(params);
  const std::vector<tf::Input> parts = as_inputs(params);
  if (parts.empty()) throw ValueError("Need at least one param");
  if (parts.size() == 1) return parts[0];
  if (partition_strategy != "mod" && partition_strategy != "div")
    throw ValueError("Unrecognized partition strategy: " + partition_strategy +
                     ".Must be one of either `mod` or `div`.");
  const tf::Tensor rows = tf::concat({parts, tf::Input::Where()}, 0);
  if (partition_strategy == "div") return rows;
  const auto count = static_cast<int64_t>(parts.size());
  const tf::Tensor number = tf::shape(rows, {.out_type = DType::kInt64})[0];
  const tf::Tensor ids = tf::range(number);
  const tf::Tensor part = tf::floormod(ids, count);
  const tf::Tensor begin =
      part * tf::floordiv(number, count) + tf::minimum(part, tf::floormod(number, count));
  return tf::gather(rows, begin + tf::floordiv(ids, count));
}

void bind_sampled_losses(nb::module_& m) {
  const auto loss = [&](const char* name, bool removes, auto make) {
    bind(m, name,
         [make](nb::handle weights, nb::handle biases, const tf::Input& labels, const tf::Input& inputs,
                int64_t num_sampled, int64_t num_classes, const std::string& partition_strategy,
                const tf::nn::SampledLossOptions& options) {
           return make(whole_table(weights, partition_strategy), whole_table(biases, partition_strategy),
                       labels, inputs, num_sampled, num_classes, options);
         },
         {"weights",
          "biases",
          "labels",
          "inputs",
          "num_sampled",
          "num_classes",
          "num_true",
          "sampled_values",
          {"remove_accidental_hits", removes},
          {"partition_strategy", "mod"},
          {"name", name},
          "seed"});
  };
  loss("nce_loss", false, &tf::nn::nce_loss);
  loss("sampled_softmax_loss", true, &tf::nn::sampled_softmax_loss);
}

}  // namespace

void bind_nn(nb::module_& m) {
  bind_normalisation(m);
  bind_sampled_losses(m);
  bind_activations(m);
  bind_losses(m);
}

}  // namespace flowray::python
