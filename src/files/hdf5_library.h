#pragma once
/// Functions of the HDF5 library, which is opened when the first file of it is read or written: programs
/// that have none begin without it, and a build does not need it.

#include <cstddef>
#include <cstdint>

namespace flowray::files {

/// Names, types and numbers are those of HDF5's C API, 1.10 and later (its headers are not needed).
struct Hdf5Library {
  using Id = int64_t;     // hid_t
  using Status = int;     // herr_t, below 0 where it failed
  using Size = uint64_t;  // hsize_t

  static constexpr Id kDefault = 0;  // H5P_DEFAULT, and H5S_ALL
  static constexpr unsigned kReadOnly = 0;
  static constexpr unsigned kTruncate = 2;
  static constexpr int kGlobal = 1;              // H5F_SCOPE_GLOBAL
  static constexpr int kTextClass = 3;           // H5T_STRING
  static constexpr int kNullPadded = 1;          // H5T_STR_NULLPAD
  static constexpr size_t kVariable = SIZE_MAX;  // H5T_VARIABLE
  static constexpr int kScalar = 0;              // H5S_SCALAR
  static constexpr int kVirtualLayout = 3;       // H5D_VIRTUAL

  using ExternalLink = Status (*)(const char* file, const char* group, const char* other_file,
                                  const char* object, unsigned* flags, Id access, void* data);

  Status (*open)();
  Status (*set_auto_errors)(Id stack, void* function, void* data);
  Id (*create_list)(Id list_class);
  Status (*close_list)(Id list);
  Status (*set_core)(Id list, size_t increment, bool backing_store);
  Status (*set_image)(Id list, void* bytes, size_t size);
  Id (*create_file)(const char* name, unsigned flags, Id creation, Id access);
  Id (*open_file)(const char* name, unsigned flags, Id access);
  Status (*flush)(Id object, int scope);
  int64_t (*image)(Id file, void* bytes, size_t size);
  Status (*file_size)(Id file, Size* size);
  Status (*close_file)(Id file);
  Id (*create_group)(Id place, const char* name, Id links, Id creation, Id access);
  Id (*open_group)(Id place, const char* name, Id access);
  Status (*close_group)(Id group);
  int (*link_exists)(Id place, const char* name, Id access);
  Id (*create_scalar_space)(int space_class);
  Id (*create_space)(int rank, const Size* dims, const Size* limits);
  int (*space_rank)(Id space);
  int (*space_dims)(Id space, Size* dims, Size* limits);
  int64_t (*space_points)(Id space);
  Status (*close_space)(Id space);
  Id (*copy_type)(Id type);
  Status (*set_type_size)(Id type, size_t size);
  Status (*set_text_padding)(Id type, int padding);
  int (*type_class)(Id type);
  int (*is_variable_text)(Id type);
  size_t (*type_size)(Id type);
  Status (*close_type)(Id type);
  Id (*create_array)(Id place, const char* name, Id type, Id space, Id links, Id creation, Id access);
  Id (*open_array)(Id place, const char* name, Id access);
  Id (*array_space)(Id array);
  Status (*write_array)(Id array, Id type, Id memory, Id file, Id transfer, const void* values);
  Status (*read_array)(Id array, Id type, Id memory, Id file, Id transfer, void* values);
  Status (*close_array)(Id array);
  Id (*create_attribute)(Id place, const char* name, Id type, Id space, Id creation, Id access);
  Id (*open_attribute)(Id place, const char* name, Id access);
  int (*attribute_exists)(Id place, const char* name);
  Id (*attribute_type)(Id attribute);
  Id (*attribute_space)(Id attribute);
  Status (*write_attribute)(Id attribute, Id type, const void* values);
  Status (*read_attribute)(Id attribute, Id type, void* values);
  Status (*close_attribute)(Id attribute);
  Status (*free_memory)(void* memory);
  /// H5Pset_elink_cb: `function` is asked before a link into another file is followed.
  Status (*set_external_links)(Id list, ExternalLink function, void* data);
  Id (*array_list)(Id array);          // H5Dget_create_plist
  int (*num_external_files)(Id list);  // H5Pget_external_count
  int (*layout)(Id list);              // H5Pget_layout
  // Set when the library is open:
  Id text_type;
  Id float_type;       // of this machine
  Id file_float_type;  // float32 as files have it
  Id integer_type;     // int64 of this machine
  Id file_integer_type;
  // Classes of lists of how these are opened or found:
  Id file_access, group_access, array_access, link_access;

  /// Throws errors::UnimplementedError where there is no such library, with what to install. It is
  /// FLOWRAY_HDF5_LIBRARY where that is set, else what the system has. One thread at a time calls its
  /// functions.
  static const Hdf5Library& get();
};

}  // namespace flowray::files
