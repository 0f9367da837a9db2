#pragma once
/// Whole models in HDF5 files, in tf.keras' layout: what they are made of, their weights, how they are
/// trained, and what their optimizer keeps.

#include <flowray/tf/keras/saving.h>

#include "tf/keras/model_state.h"

#include <filesystem>
#include <string>

namespace flowray::files {
class Hdf5Reader;
class Hdf5Writer;
}  // namespace flowray::files

namespace flowray::tf::keras {

class ModelFile {
 public:
  static void write(Model& model, const std::filesystem::path& path, bool include_optimizer);
  static Model read(const std::filesystem::path& path, const LoadModelOptions& options);

  /// Whether tf.keras counts the calls of this layer from 1, as a model's first one is that of its own
  /// inputs.
  static bool begins_with_inputs(const Layer& layer);
  static graph::Graph* graph_of(const Model& model) { return model.model_->graph.get(); }
  /// The model that the config of a Sequential tells of.
  static Model sequential(const Config& config, const CustomObjects& own);

 private:
  static Config training_config(Model& model);
  static void compile(Model& model, const Config& training_config, const CustomObjects& own);
  static void write_optimizer(Model& model, files::Hdf5Writer& file);
  static void read_optimizer(Model& model, const files::Hdf5Reader& file);
};

}  // namespace flowray::tf::keras
