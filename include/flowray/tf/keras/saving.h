#pragma once
/// tf.keras.models.load_model and its siblings: models from files and from JSON.
///
///     model.save("digits.h5");                                         // tf_keras reads it, too
///     tf::keras::Model same = tf::keras::load_model("digits.h5");      // goes on training where that was
///     tf::keras::Model like_it = tf::keras::model_from_json(model.to_json());
///
/// A layer of the program's own is named to them, with how it is made:
///
///     tf::keras::CustomObjects own;
///     own.layers["Scale"] = [](const tf::Config& config) {             // what get_config() gave
///       return std::make_shared<Scale>(config.at("factor").number());
///     };
///     tf::keras::Model model = tf::keras::load_model("scaled.h5", {.custom_objects = own});

#include <flowray/tf/config.h>
#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/constraints.h>
#include <flowray/tf/keras/layer.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/models.h>
#include <flowray/tf/keras/regularizers.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

/// Makes a layer of the program's from what its get_config() gave. The layer gets its name from the file.
using CustomLayer = std::function<std::shared_ptr<Layer>(const Config& config)>;

/// What files name and the language does not know.
struct CustomObjects {
  /// By the names of their classes, as class_name() gives them. They go before those of the language.
  std::map<std::string, CustomLayer> layers = {};
  /// Functions that outputs of layers go through.
  std::map<std::string, Activation> activations = {};
  /// Losses and metrics.
  std::map<std::string, ScoreFunction> scores = {};
  /// By the names of their classes, what makes them of their configs.
  std::map<std::string, std::function<regularizers::Regularizer(const Config& config)>> regularizers = {};
  /// The same of what weights become behind each step.
  std::map<std::string, std::function<constraints::Constraint(const Config& config)>> constraints = {};
};

struct LoadModelOptions {
  /// What the program has under names that the file uses.
  CustomObjects custom_objects = {};
  /// Whether it is compiled as it was, with what its optimizer kept. To be turned off for losses and metrics
  /// that are not there.
  bool compile = true;
};

/// The model of an HDF5 file that Model::save or tf.keras wrote, in the default graph; one that was compiled
/// goes on training where it was. Throws errors::NotFoundError for a file that is not there, ValueError for
/// a file without a model and for unknown layers, errors::UnimplementedError for arguments of layers that
/// are not there (layers written in Python, such as Lambda, among them).
Model load_model(const std::filesystem::path& path, const LoadModelOptions& options = {},
                 Layer::Where where = Layer::Where::current());
/// The model that Model::to_json() told of, with new weights and not compiled. Throws ValueError for what is
/// not JSON of a model; else as load_model().
Model model_from_json(const std::string& json, const CustomObjects& custom_objects = {},
                      Layer::Where where = Layer::Where::current());
/// A model like this one with new weights, in its graph. Throws as Model::save() and load_model() do.
Model clone_model(const Model& model, const CustomObjects& custom_objects = {},
                  Layer::Where where = Layer::Where::current());

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
