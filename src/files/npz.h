#pragma once
/// NumPy's .npz files: ZIP archives of .npy files.

#include <flowray/array.h>

#include <filesystem>
#include <map>
#include <string>

namespace flowray::files {

/// The arrays of a file of numpy.savez or numpy.savez_compressed by their names.
///
/// Throws the errors:: class of the system's error, DataLossError for a file that is not such an archive, is
/// damaged or cut off, and UnimplementedError for parts of 4 GiB and more, for encrypted ones, and as
/// read_npy() does.
std::map<std::string, Array> read_npz(const std::filesystem::path& path);

}  // namespace flowray::files
