#pragma once
/// Weights in HDF5 files in tf.keras' layout: a group for each layer, with its weights by their names.

#include <flowray/tf/keras/models.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace flowray::files {
class Hdf5Writer;
}  // namespace flowray::files

namespace flowray::tf::keras {

/// Whether a path is that of an HDF5 file: it ends in .h5, .hdf5 or .keras.
bool is_hdf5_path(const std::filesystem::path& path);

using ValuesOf = std::function<std::vector<Array>(const std::vector<Variable>&)>;

constexpr const char* kKerasVersion = "2.21.0";  // of the tf.keras whose layout it is

/// The weights of a model below a group of a file; "": at its root.
void write_weights(const Model& model, files::Hdf5Writer& file, const std::string& root,
                   const ValuesOf& values_of);
/// Writes the weights of a model, whose values `values_of` gives.
void write_weight_file(const Model& model, const std::filesystem::path& path, const ValuesOf& values_of);
/// The values of a file for the weights of a model, layer by layer in their order. Throws ValueError for a
/// file of other layers or shapes.
std::vector<std::pair<Variable, Array>> read_weight_file(const Model& model,
                                                         const std::filesystem::path& path);

}  // namespace flowray::tf::keras
