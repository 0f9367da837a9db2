#include "tf/keras/model_file.h"

#include "files/file_access.h"
#include "files/file_contents.h"
#include "files/file_error.h"
#include "files/hdf5.h"
#include "tf/build/call_scope.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/model_state.h"
#include "tf/keras/rated_optimizer.h"
#include "tf/keras/training_config.h"
#include "tf/keras/watched_numbers.h"
#include "tf/keras/weight_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr const char* kOptimizerWeights = "optimizer_weights";

Config with_version(Config config) {
  return std::move(config.set("keras_version", kKerasVersion).set("backend", "tensorflow"));
}

}  // namespace

// ---- writing

/// What the optimizer keeps, in tf.keras' order: its steps, then each slot of all weights.
void ModelFile::write_optimizer(Model& model, files::Hdf5Writer& file) {
  const Model::State& state = *model.model_;
  const auto* const optimizer = dynamic_cast<const RatedOptimizer*>(state.optimizer.get());
  const std::vector<Variable> trained = state.trained.value_or(model.trainable_weights());
  const graph::Graph& home = trained.empty() ? *state.graph.get() : trained.front().op().node()->graph();
  std::vector<std::string> names;
  std::vector<Variable> slots;
  for (const WeightSlot& slot : optimizer->slots_in_files(trained)) {
    names.push_back(slot.name_in_files(optimizer->name()));
    slots.push_back(optimizer->variable_of(slot, home));
  }
  const bool has_slots = std::ranges::all_of(slots, [](const Variable& slot) { return slot.has_value(); });
  std::vector<Array> values;
  int64_t steps = optimizer->steps();
  if (state.first_optimizer_weights.has_value()) {
    values = state.first_optimizer_weights->slots;
    steps = state.first_optimizer_weights->steps;
  } else if (has_slots && steps > 0) {
    values = ModelRunner(model).values_of(slots);
  } else {
    return;  // it has made no step
  }
  file.add_group(kOptimizerWeights);
  std::vector<std::string> all = {fmt::format("training/{}/iter:0", optimizer->name())};
  all.insert(all.end(), names.begin(), names.end());
  file.set_texts(kOptimizerWeights, "weight_names", all);
  file.set_integer(fmt::format("{}/{}", kOptimizerWeights, all[0]), steps);
  for (size_t i = 0; i < names.size(); ++i)
    file.set_array(fmt::format("{}/{}", kOptimizerWeights, names[i]), values[i]);
}

void ModelFile::write(Model& model, const std::filesystem::path& path, bool include_optimizer) {
  const Model::State& state = *model.model_;
  const Config config = told_of(model);
  files::Hdf5Writer file;
  file.set_text("", "keras_version", kKerasVersion);
  file.set_text("", "backend", "tensorflow");
  file.set_text("", "model_config", config.to_json());
  const bool keeps_training = include_optimizer && state.is_compiled &&
                              dynamic_cast<RatedOptimizer*>(state.optimizer.get()) != nullptr;
  if (keeps_training) file.set_text("", "training_config", training_config(model).to_json());
  write_weights(model, file, "model_weights", [&](const std::vector<Variable>& variables) {
    return ModelRunner(model).values_of(variables);
  });
  if (keeps_training) write_optimizer(model, file);
  files::write_file(path.string(), file.bytes(), files::FileAccess::all());
}

Config ModelFile::training_config(Model& model) {
  const Model::State& state = *model.model_;
  auto& optimizer = dynamic_cast<RatedOptimizer&>(*state.optimizer);
  const Config schedule = optimizer.schedule_in_files();
  const Config rate = schedule.is_null() ? Config(model.learning_rate(Layer::Where())) : schedule;
  std::vector<std::string> modes;
  for (const bool are_of_times : state.has_weights_of_times)
    modes.emplace_back(are_of_times ? "temporal" : "");
  std::vector<std::vector<ScoreFunction>> weighted;
  for (const auto& of_output : state.weighted_metrics) {
    weighted.emplace_back();
    for (const WeightedMetric& metric : of_output) weighted.back().push_back(metric.score);
  }
  return told_training({.losses = state.losses,
                        .metrics_of_outputs = state.metrics,
                        .weighted_metrics_of_outputs = std::move(weighted),
                        .loss_weights = state.loss_weights,
                        .sample_weight_modes = std::move(modes)},
                       optimizer.config(rate));
}

void Model::save(const std::filesystem::path& path, const SaveModelOptions& options, Where where) {
  const UserLine line(*model_->graph.get(), where);
  if (!model_->own_class.empty()) {
    throw errors::UnimplementedError(
        "Saving the model to HDF5 format requires the model to be a Functional model or a Sequential model. "
        "It does not work for subclassed models, because such models are defined via the body of a Python "
        "method, which isn't safely serializable. Consider saving to the Tensorflow SavedModel format (by "
        "setting save_format=\"tf\") or using `save_weights`.\nsave_weights() keeps the weights of the "
        "model.");
  }
  if (!is_hdf5_path(path)) {
    throw errors::UnimplementedError(fmt::format(
        "save: a SavedModel of a Keras model is not there.\nLet the path {} end with .h5", path.string()));
  }
  check_has_weights();
  const std::filesystem::path local = files::local_path(path.string());
  if (!options.overwrite && std::filesystem::exists(local))
    throw errors::AlreadyExistsError(
        fmt::format("{} is there already, and overwrite is false", path.string()));
  if (local.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(local.parent_path(), error);
    if (error) files::throw_file_error(local.parent_path(), error.value());
  }
  ModelFile::write(*this, path, options.include_optimizer);
}

std::string Model::to_json(Where where) const {
  const UserLine line(*model_->graph.get(), where);
  return with_version(told_of(*this)).to_json();
}

// ---- reading

void ModelFile::compile(Model& model, const Config& training_config, const CustomObjects& own) {
  model.compile(compile_options_of(training_config, model.output_names(), own), Layer::Where());
}

/// Its slots are made with the first step of training, which gives them these values.
void ModelFile::read_optimizer(Model& model, const files::Hdf5Reader& file) {
  if (!file.has_group(kOptimizerWeights)) return;
  const std::vector<std::string> names = file.texts(kOptimizerWeights, "weight_names");
  if (names.empty()) return;
  const auto* const optimizer = dynamic_cast<const RatedOptimizer*>(model.model_->optimizer.get());
  const std::vector<Variable> trained = model.trainable_weights();
  const std::vector<WeightSlot> slots = optimizer->slots_in_files(trained);
  const auto path_of = [&](const std::string& name) { return fmt::format("{}/{}", kOptimizerWeights, name); };
  bool fits = names.size() == 1 + slots.size();
  for (size_t i = 1; fits && i < names.size(); ++i)
    fits = slots[i - 1].shape().is_compatible_with(file.shape(path_of(names[i])));
  if (!fits) {
    return callbacks::warn(
        "Error in loading the saved optimizer state. As a result, your model is starting with a freshly "
        "initialized optimizer.");
  }
  OptimizerWeights weights{.steps = file.integer(path_of(names[0]))};
  for (size_t i = 1; i < names.size(); ++i) weights.slots.push_back(file.array(path_of(names[i])));
  model.model_->first_optimizer_weights = std::move(weights);
}

Model ModelFile::read(const std::filesystem::path& path, const LoadModelOptions& options) {
  const files::Hdf5Reader file(files::read_file(path.string(), files::FileAccess::all()), path.string());
  const std::vector<std::string> told = file.texts("", "model_config");
  if (told.size() != 1) {
    throw ValueError(
        fmt::format("No model config found in the file at {}.\nOf a file of save_weights() load_weights() "
                    "takes the weights.",
                    path.string()));
  }
  Model model = model_of_config(Config::from_json(told[0]), options.custom_objects);
  if (model.built()) model.load_weights(path, Layer::Where());
  if (!options.compile) return model;
  const std::vector<std::string> training = file.texts("", "training_config");
  if (training.size() != 1) {
    callbacks::warn(
        "No training configuration found in the save file, so the model was *not* compiled. Compile it "
        "manually.");
    return model;
  }
  compile(model, Config::from_json(training[0]), options.custom_objects);
  if (model.built()) read_optimizer(model, file);
  return model;
}

Model load_model(const std::filesystem::path& path, const LoadModelOptions& options, Layer::Where where) {
  const ErrorLine errors(where);
  if (!is_hdf5_path(path) && std::filesystem::is_directory(files::local_path(path.string()))) {
    throw errors::UnimplementedError(fmt::format(
        "A SavedModel of a Keras model is not there: {} is a folder, and no .h5 file", path.string()));
  }
  return ModelFile::read(path, options);
}

Model model_from_json(const std::string& json, const CustomObjects& custom_objects, Layer::Where where) {
  const ErrorLine errors(where);
  return model_of_config(Config::from_json(json), custom_objects);
}

Model clone_model(const Model& model, const CustomObjects& custom_objects, Layer::Where where) {
  const ErrorLine errors(where);
  const Config told = told_of(model);
  const GraphScope in_graph(ModelFile::graph_of(model));
  return model_of_config(told, custom_objects);
}

}  // namespace flowray::tf::keras
