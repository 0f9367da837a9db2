// The weights of a model, their values and files, and the rate at which training moves them.
#include <flowray/tf/keras/models.h>
#include <flowray/tf/saver.h>

#include "tf/build/call_scope.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/model_state.h"
#include "tf/keras/rated_optimizer.h"
#include "tf/keras/weight_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::keras {
namespace {

/// Those of the layers, then the model's own.
template <class Get>
std::vector<Variable> all_of(const std::vector<std::shared_ptr<Layer>>& layers,
                             const std::vector<Variable>& own, const Get& get) {
  std::vector<Variable> all;
  const auto add = [&](const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) {
      // Two models in one may share a layer.
      if (std::ranges::find(all, variable) == all.end()) all.push_back(variable);
    }
  };
  for (const std::shared_ptr<Layer>& layer : layers) add(get(*layer));
  add(own);
  return all;
}

}  // namespace

std::vector<Variable> Model::weights() const {
  return all_of(model_->layers, Layer::weights(), [](const Layer& layer) { return layer.weights(); });
}
std::vector<Variable> Model::trainable_weights() const {
  return all_of(model_->layers, Layer::trainable_weights(),
                [](const Layer& layer) { return layer.trainable_weights(); });
}
std::vector<Variable> Model::non_trainable_weights() const {
  return all_of(model_->layers, Layer::non_trainable_weights(),
                [](const Layer& layer) { return layer.non_trainable_weights(); });
}

void Model::check_has_weights() const {
  if (built()) return;
  throw ValueError(
      fmt::format("Weights for model '{}' have not yet been created. Weights are created when the model is "
                  "first called on inputs or `build()` is called with an `input_shape`.",
                  name()));
}

std::vector<Array> Model::get_weights(Where where) {
  const UserLine line(*model_->graph.get(), where);
  check_has_weights();
  return ModelRunner(*this).values_of(weights());
}

void Model::set_weights(const std::vector<Array>& weights, Where where) {
  const UserLine line(*model_->graph.get(), where);
  const std::vector<Variable> variables = this->weights();
  if (variables.size() != weights.size()) {
    throw ValueError(
        fmt::format("You called `set_weights(weights)` on layer \"{}\" with a weight list of length {}, but "
                    "the layer was "
                    "expecting {} weights.",
                    name(), weights.size(), variables.size()));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    if (variables[i].shape().is_compatible_with(weights[i].shape()) && weights[i].has_value()) continue;
    throw ValueError(fmt::format("Layer weight shape {} not compatible with provided weight shape {}",
                                 variables[i].shape().to_tuple_string(),
                                 weights[i].shape().to_tuple_string()));
  }
  ModelRunner(*this).set_values(variables, weights);
}

// ---- files

train::Saver& Model::State::saver_of(const std::vector<Variable>& weights) {
  if (weights.empty()) throw ValueError("No variables to save\nThe model has no weights.");
  std::vector<std::string> names;
  for (const Variable& weight : weights) names.push_back(weight.name());
  std::unique_ptr<train::Saver>& saver = savers[names];
  if (saver == nullptr) {
    const GraphScope in_graph(graph.get());
    const WithoutScopes outside(*graph.get());
    saver = std::make_unique<train::Saver>(
        train::SaverOptions{.var_list = weights, .max_to_keep = 0, .save_relative_paths = true});
  }
  return *saver;
}

void Model::save_weights(const std::filesystem::path& path, Where where) {
  const UserLine line(*model_->graph.get(), where);
  check_has_weights();
  if (is_hdf5_path(path)) {
    write_weight_file(*this, path, [this](const std::vector<Variable>& variables) {
      return ModelRunner(*this).values_of(variables);
    });
    return;
  }
  const std::vector<Variable> weights = this->weights();
  train::Saver& saver = model_->saver_of(weights);
  const train::SaveOptions options{.write_meta_graph = false};
  if (weights[0].ref().is_eager()) {
    saver.save(path, options);
  } else {
    saver.save(ModelRunner(*this).session(), path, options);
  }
}

void Model::load_weights(const std::filesystem::path& path, Where where) {
  const UserLine line(*model_->graph.get(), where);
  if (is_hdf5_path(path)) {
    if (!model_->own_class.empty() && !built()) {
      throw ValueError(
          "Unable to load weights saved in HDF5 format into a subclassed Model which has not created its "
          "variables yet. Call the Model first, then load the weights.");
    }
    check_has_weights();
    std::vector<Variable> variables;
    std::vector<Array> values;
    for (auto& [variable, value] : read_weight_file(*this, path)) {
      variables.push_back(variable);
      values.push_back(std::move(value));
    }
    return ModelRunner(*this).set_values(variables, values);
  }
  check_has_weights();
  const std::vector<Variable> weights = this->weights();
  train::Saver& saver = model_->saver_of(weights);
  if (weights[0].ref().is_eager()) {
    saver.restore(path);
  } else {
    saver.restore(ModelRunner(*this).session(), path);
  }
}

// ---- the rate of their optimizer

Variable Model::State::learning_rate(const std::vector<Variable>& weights) const {
  if (!is_compiled) {
    throw RuntimeError(
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  }
  graph::Graph& unbuilt = default_graph().is_eager() ? default_graph() : *graph.get();
  graph::Graph& home = weights.empty() ? unbuilt : weights[0].op().node()->graph();
  auto* const rated = dynamic_cast<RatedOptimizer*>(optimizer.get());
  const Variable rate = rated == nullptr ? Variable() : rated->learning_rate(home);
  if (rate.has_value()) return rate;
  throw ValueError(
      "Optimizer must have a \"lr\" attribute.\nThe rate may be set of those of tf::keras::optimizers, by "
      "object "
      "or by name, whose learning_rate is a number.");
}

double Model::learning_rate(Where where) {
  const UserLine line(*model_->graph.get(), where);
  const auto* const rated = dynamic_cast<const RatedOptimizer*>(model_->optimizer.get());
  if (const Tensor given = rated == nullptr ? Tensor() : rated->rate_tensor(); given.has_value())
    return ModelRunner(*this).value_of(given);
  return ModelRunner(*this).values_of({model_->learning_rate(weights())})[0].item<float>();
}

void Model::set_learning_rate(double learning_rate, Where where) {
  const UserLine line(*model_->graph.get(), where);
  ModelRunner(*this).set_values({model_->learning_rate(weights())},
                                {Array(static_cast<float>(learning_rate))});
}

}  // namespace flowray::tf::keras
