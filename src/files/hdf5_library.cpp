#include "files/hdf5_library.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string>

namespace flowray::files {
namespace {

/// What Debian and others call it, 1.10 to 2.0.
constexpr std::array kNames = {"libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310",
                               "libhdf5.so.310",        "libhdf5.so.200", "libhdf5.so.320",
                               "libhdf5_serial.so",     "libhdf5.so"};

void* opened_library() {
  if (const char* const given = std::getenv("FLOWRAY_HDF5_LIBRARY"); given != nullptr && *given != 0) {
    if (void* const library = dlopen(given, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* const reason = dlerror();
    throw errors::UnimplementedError(
        fmt::format("The HDF5 library that FLOWRAY_HDF5_LIBRARY names cannot be opened: {}",
                    reason == nullptr ? given : reason));
  }
  for (const char* const name : kNames) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw errors::UnimplementedError(
      "Files that end in .h5, .hdf5 or .keras need the HDF5 library, which is not installed.\nInstall it "
      "(Debian: libhdf5-103-1), or set FLOWRAY_HDF5_LIBRARY to where it is; a path without such an ending is "
      "a checkpoint, which needs no library.");
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return;
  throw errors::UnimplementedError(
      fmt::format("The HDF5 library has no function {}: a version from 1.10 on is needed.", name));
}

Hdf5Library::Id number(void* library, const char* name) {
  const auto* const found = static_cast<const Hdf5Library::Id*>(dlsym(library, name));
  if (found != nullptr) return *found;
  throw errors::UnimplementedError(
      fmt::format("The HDF5 library has no {}: a version from 1.10 on is needed.", name));
}

void find_files_and_groups(void* library, Hdf5Library& functions) {
  find(library, "H5open", functions.open);
  find(library, "H5Eset_auto2", functions.set_auto_errors);
  find(library, "H5Pcreate", functions.create_list);
  find(library, "H5Pclose", functions.close_list);
  find(library, "H5Pset_fapl_core", functions.set_core);
  find(library, "H5Pset_file_image", functions.set_image);
  find(library, "H5Fcreate", functions.create_file);
  find(library, "H5Fopen", functions.open_file);
  find(library, "H5Fflush", functions.flush);
  find(library, "H5Fget_file_image", functions.image);
  find(library, "H5Fget_filesize", functions.file_size);
  find(library, "H5Fclose", functions.close_file);
  find(library, "H5Gcreate2", functions.create_group);
  find(library, "H5Gopen2", functions.open_group);
  find(library, "H5Gclose", functions.close_group);
  find(library, "H5Lexists", functions.link_exists);
  find(library, "H5free_memory", functions.free_memory);
  find(library, "H5Pset_elink_cb", functions.set_external_links);
}

void find_spaces_and_types(void* library, Hdf5Library& functions) {
  find(library, "H5Screate", functions.create_scalar_space);
  find(library, "H5Screate_simple", functions.create_space);
  find(library, "H5Sget_simple_extent_ndims", functions.space_rank);
  find(library, "H5Sget_simple_extent_dims", functions.space_dims);
  find(library, "H5Sget_simple_extent_npoints", functions.space_points);
  find(library, "H5Sclose", functions.close_space);
  find(library, "H5Tcopy", functions.copy_type);
  find(library, "H5Tset_size", functions.set_type_size);
  find(library, "H5Tset_strpad", functions.set_text_padding);
  find(library, "H5Tget_class", functions.type_class);
  find(library, "H5Tis_variable_str", functions.is_variable_text);
  find(library, "H5Tget_size", functions.type_size);
  find(library, "H5Tclose", functions.close_type);
}

void find_values(void* library, Hdf5Library& functions) {
  find(library, "H5Dcreate2", functions.create_array);
  find(library, "H5Dopen2", functions.open_array);
  find(library, "H5Dget_space", functions.array_space);
  find(library, "H5Dwrite", functions.write_array);
  find(library, "H5Dread", functions.read_array);
  find(library, "H5Dclose", functions.close_array);
  find(library, "H5Dget_create_plist", functions.array_list);
  find(library, "H5Pget_external_count", functions.num_external_files);
  find(library, "H5Pget_layout", functions.layout);
  find(library, "H5Acreate2", functions.create_attribute);
  find(library, "H5Aopen", functions.open_attribute);
  find(library, "H5Aexists", functions.attribute_exists);
  find(library, "H5Aget_type", functions.attribute_type);
  find(library, "H5Aget_space", functions.attribute_space);
  find(library, "H5Awrite", functions.write_attribute);
  find(library, "H5Aread", functions.read_attribute);
  find(library, "H5Aclose", functions.close_attribute);
}

Hdf5Library found_library() {
  void* const library = opened_library();
  Hdf5Library functions{};
  find_files_and_groups(library, functions);
  find_spaces_and_types(library, functions);
  find_values(library, functions);
  if (functions.open() < 0) throw errors::InternalError("The HDF5 library cannot be set up.");
  functions.set_auto_errors(Hdf5Library::kDefault, nullptr, nullptr);  // we say what failed
  functions.text_type = number(library, "H5T_C_S1_g");
  functions.float_type = number(library, "H5T_NATIVE_FLOAT_g");
  functions.file_float_type = number(library, "H5T_IEEE_F32LE_g");
  functions.integer_type = number(library, "H5T_NATIVE_INT64_g");
  functions.file_integer_type = number(library, "H5T_STD_I64LE_g");
  functions.file_access = number(library, "H5P_CLS_FILE_ACCESS_ID_g");
  functions.group_access = number(library, "H5P_CLS_GROUP_ACCESS_ID_g");
  functions.array_access = number(library, "H5P_CLS_DATASET_ACCESS_ID_g");
  functions.link_access = number(library, "H5P_CLS_LINK_ACCESS_ID_g");
  return functions;
}

}  // namespace

const Hdf5Library& Hdf5Library::get() {
  static const Hdf5Library functions = found_library();
  return functions;
}

}  // namespace flowray::files
