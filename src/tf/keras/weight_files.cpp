#include "tf/keras/weight_files.h"

#include "files/file_access.h"
#include "files/file_contents.h"
#include "files/hdf5.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf::keras {
namespace {

constexpr const char* kOwnWeights = "top_level_model_weights";

struct WeightsOfLayer {
  std::string layer;
  std::vector<Variable> weights;
};

/// Those of each layer, the trainable ones first, then the model's own.
std::vector<WeightsOfLayer> weights_by_layer(const Model& model) {
  std::vector<WeightsOfLayer> all;
  std::vector<Variable> known;
  for (const std::shared_ptr<Layer>& layer : model.layers()) {
    std::vector<Variable> weights = layer->trainable_weights();
    const std::vector<Variable> others = layer->non_trainable_weights();
    weights.insert(weights.end(), others.begin(), others.end());
    known.insert(known.end(), weights.begin(), weights.end());
    all.push_back({layer->name(), std::move(weights)});
  }
  all.push_back({kOwnWeights, {}});
  for (const Variable& weight : model.weights()) {
    if (std::ranges::find(known, weight) == known.end()) all.back().weights.push_back(weight);
  }
  return all;
}

std::string in_group(const std::string& root, const std::string& name) {
  return root.empty() ? name : root + "/" + name;
}

void write_group(files::Hdf5Writer& file, const std::string& group, const WeightsOfLayer& of_layer,
                 const ValuesOf& values_of) {
  std::vector<std::string> names;
  for (const Variable& weight : of_layer.weights) names.push_back(weight.name());
  file.add_group(group);
  file.set_texts(group, "weight_names", names);
  if (names.empty()) return;
  const std::vector<Array> values = values_of(of_layer.weights);
  for (size_t i = 0; i < names.size(); ++i) file.set_array(in_group(group, names[i]), values[i]);
}

/// The arrays of a layer in a file, by the layer's name.
struct SavedLayer {
  std::string layer;
  std::vector<std::string> arrays;  // their paths in it
};

SavedLayer saved_layer(const files::Hdf5Reader& file, const std::string& root, const std::string& name) {
  const std::string group = in_group(root, name);
  SavedLayer saved{.layer = name, .arrays = {}};
  for (const std::string& weight : file.texts(group, "weight_names"))
    saved.arrays.push_back(fmt::format("{}/{}", group, weight));
  return saved;
}

std::vector<SavedLayer> saved_layers(const files::Hdf5Reader& file) {
  const bool is_whole_model = !file.has_attribute("", "layer_names") &&
                              !file.has_attribute("", "layer_names0") && file.has_group("model_weights");
  const std::string root = is_whole_model ? "model_weights" : "";
  std::vector<SavedLayer> all;
  std::vector<std::string> names = file.texts(root, "layer_names");
  if (file.has_group(in_group(root, kOwnWeights))) names.emplace_back(kOwnWeights);
  for (const std::string& name : names) {
    SavedLayer saved = saved_layer(file, root, name);
    if (!saved.arrays.empty()) all.push_back(std::move(saved));
  }
  return all;
}

void check_weight_shape(const Variable& weight, const Shape& shape, const std::string& path) {
  if (weight.shape().is_compatible_with(shape)) return;
  throw ValueError(fmt::format(
      "Shape mismatch in {} for weight {}. Weight expects shape {}. Received saved weight with "
      "shape {}",
      path, weight.name(), weight.shape().to_tuple_string(), TensorShape(shape).to_tuple_string()));
}

}  // namespace

bool is_hdf5_path(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == ".h5" || ending == ".hdf5" || ending == ".keras";
}

void write_weights(const Model& model, files::Hdf5Writer& file, const std::string& root,
                   const ValuesOf& values_of) {
  if (!root.empty()) file.add_group(root);
  std::vector<WeightsOfLayer> layers = weights_by_layer(model);
  std::vector<std::string> names;
  for (size_t i = 0; i + 1 < layers.size(); ++i) names.push_back(layers[i].layer);
  file.set_texts(root, "layer_names", names);
  file.set_text(root, "backend", "tensorflow");
  file.set_text(root, "keras_version", kKerasVersion);
  for (const WeightsOfLayer& of_layer : layers)
    write_group(file, in_group(root, of_layer.layer), of_layer, values_of);
}

void write_weight_file(const Model& model, const std::filesystem::path& path, const ValuesOf& values_of) {
  files::Hdf5Writer file;
  write_weights(model, file, "", values_of);
  files::write_file(path.string(), file.bytes(), files::FileAccess::all());
}

std::vector<std::pair<Variable, Array>> read_weight_file(const Model& model,
                                                         const std::filesystem::path& path) {
  const files::Hdf5Reader file(files::read_file(path.string(), files::FileAccess::all()), path.string());
  std::vector<SavedLayer> saved = saved_layers(file);
  std::vector<WeightsOfLayer> layers = weights_by_layer(model);
  std::erase_if(layers, [](const WeightsOfLayer& layer) { return layer.weights.empty(); });
  if (layers.size() != saved.size()) {
    throw ValueError(
        fmt::format("Layer count mismatch when loading weights from file. Model expected {} layers, "
                    "found {} saved layers.",
                    layers.size(), saved.size()));
  }
  std::vector<std::pair<Variable, Array>> pairs;
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::vector<Variable>& weights = layers[i].weights;
    const std::vector<std::string>& arrays = saved[i].arrays;
    if (weights.size() != arrays.size()) {
      throw ValueError(fmt::format(
          "Weight count mismatch for layer #{} (named {} in the current model, {} in the save file). "
          "Layer expects {} weight(s). Received {} saved weight(s)",
          i, layers[i].layer, saved[i].layer, weights.size(), arrays.size()));
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      check_weight_shape(weights[k], file.shape(arrays[k]), path.string());
      pairs.emplace_back(weights[k], file.array(arrays[k]));
    }
  }
  return pairs;
}

}  // namespace flowray::tf::keras
