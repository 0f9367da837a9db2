#pragma once
/// NumPy's .npy files (numpy.lib.format): one array each.

#include <flowray/array.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace flowray::files {

/// Reads numbers and bool of every width that arrays have, byte strings (S) and texts (U, as UTF-8).
///
/// Throws the errors:: class of the system's error, DataLossError for a file that is not .npy or is cut off,
/// and UnimplementedError, saying what to do in NumPy, for column-major arrays, big-endian numbers and dtypes
/// without arrays (Python objects, times, records).
Array read_npy(const std::filesystem::path& path);
/// The same of the bytes of such a file; `name` is what errors call it.
Array npy_of(std::string_view bytes, const std::string& name);

/// Writes what numpy.load reads, at once or not at all. Strings become byte strings as long as the longest;
/// bfloat16, which NumPy does not have, float32. Throws the errors:: class of the system's error, and
/// InvalidArgumentError for a string that ends with a zero byte, which NumPy would drop.
void write_npy(const std::filesystem::path& path, const Array& array);

}  // namespace flowray::files
