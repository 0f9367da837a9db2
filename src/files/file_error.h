#pragma once
/// Errors of the system about files, as TensorFlow's classes.

#include <filesystem>

namespace flowray::files {

/// Throws the errors:: class for an errno: "<path>; No space left on device".
[[noreturn]] void throw_file_error(const std::filesystem::path& path, int error_number);

}  // namespace flowray::files
