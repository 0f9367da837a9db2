// Datasets whose elements are those of several others; and mapped batches.
#include <flowray/tf/array.h>
#include <flowray/tf/data_experimental.h>
#include <flowray/tf/math.h>
#include <flowray/tf/ops/random_ops.h>

#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::data::experimental {
namespace {

/// The elements of datasets as one kind. Throws TypeError where there is none.
std::vector<TensorSpec> common_spec(const std::vector<Dataset>& datasets) {
  std::vector<TensorSpec> spec = datasets[0].element_spec();
  for (size_t i = 1; i < datasets.size(); ++i) {
    const std::vector<TensorSpec>& other = datasets[i].element_spec();
    if (types_of(other) != types_of(spec)) {
      throw TypeError(
          fmt::format("Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                      "element_spec={}.\nDataset {} element_spec={}.",
                      spec_text(datasets[0].element_spec()), i, spec_text(other)));
    }
    for (size_t c = 0; c < spec.size(); ++c) spec[c].shape = common_shape(spec[c].shape, other[c].shape);
  }
  return spec;
}

std::vector<Dataset> checked(const List<Dataset>& datasets) {
  std::vector<Dataset> all(datasets.begin(), datasets.end());
  if (all.empty()) throw ValueError("Invalid `datasets`. `datasets` should not be empty.");
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].has_value()) throw_unset_argument("tf::data::Dataset", element_name("datasets", i));
  }
  return all;
}

Dataset directed_interleave(const Dataset& selector, const std::vector<Dataset>& datasets, bool stops,
                            Input::Where where) {
  std::vector<TensorSpec> spec = common_spec(datasets);
  std::vector<Tensor> inputs;
  for (const Dataset& dataset : datasets) inputs.push_back(dataset.variant_tensor());
  DatasetCall call({selector, "choose_from_datasets()"}, {}, where);
  call.take_list(inputs).set("stop_on_empty_dataset", stops);
  return call.make("DirectedInterleaveDataset", std::move(spec));
}

/// Weights as they are written; no value for a tensor's.
Array written(const Input& weights) {
  if (weights.literal() != nullptr) return weights.literal()->to_array();
  return weights.array() != nullptr ? *weights.array() : Array();
}

void check_number_of_weights(const Array& weights, size_t num_datasets) {
  if (weights.rank() == 1 && weights.dim(0) == static_cast<int64_t>(num_datasets)) return;
  throw ValueError(
      fmt::format("Invalid `weights`. `weights` should have the same length as `datasets` but got "
                  "`len(weights)={}` vs. `len(datasets)={}`.",
                  weights.rank() == 0 ? 1 : weights.dim(0), num_datasets));
}

/// Leaves out the datasets whose weight is written as 0.
Array without_zeros(const Array& weights, std::vector<Dataset>& datasets) {
  check_number_of_weights(weights, datasets.size());
  const Array numbers = weights.astype(DType::kFloat64);
  std::vector<Dataset> left;
  std::vector<double> kept;
  for (size_t i = 0; i < datasets.size(); ++i) {
    if (!(numbers.data<double>()[i] > 0)) continue;
    left.push_back(datasets[i]);
    kept.push_back(numbers.data<double>()[i]);
  }
  if (left.empty()) {
    datasets = {datasets[0].take(0)};
    return Array(std::vector<float>{1.0F});
  }
  datasets = std::move(left);
  return Array(kept).astype(weights.dtype());
}

/// A row of logits, for Multinomial.
Tensor logits_of(graph::Graph& graph, const Input& weights, std::vector<Dataset>& datasets) {
  const Array known = written(weights);
  const auto number = static_cast<int64_t>(datasets.size());
  const Tensor given =
      to_tensor(graph, known.has_value() ? Input(without_zeros(known, datasets)) : weights, "weights");
  if (!known.has_value() && !given.shape().is_compatible_with(TensorShape{number})) {
    throw ValueError(fmt::format(
        "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is {}.",
        given.shape().to_tuple_string()));
  }
  const DType dtype = base_dtype(given.dtype());
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    throw TypeError(
        fmt::format("Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
                    "<dtype: '{}'>.",
                    dtype_name(dtype)));
  }
  return expand_dims(log(given, {.name = "logits"}), 0);
}

/// The number of a dataset, drawn by the logits with these seeds.
Tensor drawn(const Input& logits, const Input& seeds) {
  return squeeze(raw_ops::StatelessMultinomial(logits, 1, seeds), {0, 1});
}

}  // namespace

Dataset random_dataset(const RandomDatasetOptions& options, Input::Where where) {
  DatasetCall call(default_graph(), options.name, where);
  take_seeds(call, options.seed);
  return call.make("RandomDataset", {{DType::kInt64, TensorShape()}});
}

Dataset sample_from_datasets(const List<Dataset>& datasets, const SampleOptions& options) {
  const Input::Where where = datasets.where();
  const ErrorLine errors(where);
  std::vector<Dataset> sampled = checked(datasets);
  graph::Graph& graph = graph_of_dataset({sampled[0], "sample_from_datasets()"}, where);
  const CallScope scope(graph, where);
  const auto seeds = [&] { return random_dataset({.seed = options.seed}, where).batch(Input(2, where)); };
  Dataset selector;
  if (options.weights_of_each.has_value()) {
    if (options.weights.has_value())
      throw ValueError("Only one of `weights` and `weights_of_each` may be given.");
    const Dataset logits = options.weights_of_each.map(
        [](const std::vector<Tensor>& weights) {
          return log(Input::list({weights.begin(), weights.end()}), {.name = "logits"});
        },
        {}, where);
    selector = mapped_in_turn(
        Dataset::zip({logits, seeds()}),
        [](const std::vector<Tensor>& drawn_by) {
          return std::vector<Input>{drawn(drawn_by[0], drawn_by[1])};
        },
        where);
  } else {
    std::optional<Tensor> logits;
    if (options.weights.has_value()) logits = logits_of(graph, *options.weights, sampled);
    if (sampled.size() == 1) return sampled[0];
    const Array alike = Array(std::vector<float>(sampled.size(), 1.0F))
                            .reshape(Shape{1, static_cast<int64_t>(sampled.size())});
    selector = mapped_in_turn(
        seeds(),
        [&](const std::vector<Tensor>& seed) {
          return std::vector<Input>{drawn(logits.has_value() ? Input(*logits) : Input(alike), seed[0])};
        },
        where);
  }
  return directed_interleave(selector, sampled, options.stop_on_empty_dataset, where);
}

Dataset choose_from_datasets(const List<Dataset>& datasets, const Dataset& choice_dataset,
                             const ChooseOptions& options) {
  const Input::Where where = datasets.where();
  const ErrorLine errors(where);
  const std::vector<Dataset> chosen = checked(datasets);
  if (!choice_dataset.has_value()) throw_unset_argument("tf::data::Dataset", "choice_dataset");
  const std::vector<TensorSpec>& spec = choice_dataset.element_spec();
  if (spec.size() != 1 || spec[0].dtype != DType::kInt64 ||
      !spec[0].shape.is_compatible_with(TensorShape())) {
    throw TypeError(
        fmt::format("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                    "tensors but are {}.",
                    spec_text(spec)));
  }
  DatasetCall rewrite({choice_dataset, "choose_from_datasets()"}, {}, where);
  rewrite.take_inside("replicate_on_split");
  return directed_interleave(rewrite.make("RewriteDataset", spec), chosen, options.stop_on_empty_dataset,
                             where);
}

}  // namespace flowray::tf::data::experimental
