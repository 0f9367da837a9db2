#pragma once
/// HDF5 files as models have them: groups in groups, which have texts as attributes and arrays of float32.
/// They are made and read in memory by the HDF5 library (files/hdf5_library.h), in one thread at a time.
/// Paths in a file are "group/group"; "" is the root.

#include <flowray/array.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::files {

class Hdf5Writer {
 public:
  /// Throws errors::UnimplementedError where the library is missing.
  Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  /// A group, with those above it, where it is not there.
  void add_group(const std::string& path);
  /// An attribute of a group that is there, of any length.
  void set_text(const std::string& group, const std::string& name, const std::string& text);
  /// The same of a list. Throws ValueError for texts of more than 64 KB, which no file can hold as one.
  void set_texts(const std::string& group, const std::string& name, const std::vector<std::string>& texts);
  /// An integer, as an array without dimensions.
  void set_integer(const std::string& path, int64_t value);
  /// An array of float32, with the groups above it.
  void set_array(const std::string& path, const Array& values);
  /// The file.
  std::string bytes();

 private:
  int64_t file_ = -1;
};

class Hdf5Reader {
 public:
  /// `path`: what errors call the file. Throws errors::UnimplementedError where the library is missing,
  /// errors::DataLossError for a file of another format.
  Hdf5Reader(std::string bytes, std::string path);
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;
  ~Hdf5Reader();

  bool has_group(const std::string& path) const;
  bool has_attribute(const std::string& group, const std::string& name) const;
  /// Texts of an attribute; none of one that is not there, or has no elements. Throws errors::DataLossError
  /// for others than texts.
  std::vector<std::string> texts(const std::string& group, const std::string& name) const;
  /// Of an array, which may be greater than memory: a few bytes say so. Throws errors::DataLossError where
  /// there is none, and for one that stands in other files.
  Shape shape(const std::string& path) const;
  /// An array of one integer. Throws as shape(), and for more than one.
  int64_t integer(const std::string& path) const;
  /// An array as float32, whatever numbers it has. Throws as shape(), and for more than the file can hold.
  Array array(const std::string& path) const;

 private:
  class OpenArray;

  std::string bytes_;  // the library reads of it
  std::string path_;
  int64_t file_ = -1;
};

}  // namespace flowray::files
