#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace flowray::files {

/// The content of an idx file of unsigned bytes, the format of MNIST and Fashion-MNIST.
struct IdxFile {
  std::vector<int64_t> dims;  ///< images: {60000, 28, 28}; labels: {60000}
  std::vector<uint8_t> data;  ///< row-major; as many as the product of dims
};

/// Reads `path`, gzipped or plain: what it is shows in its first bytes, not in its name.
///
/// Throws, with one line that names the file, what it holds and what was expected: errors::NotFoundError,
/// PermissionDeniedError or FailedPreconditionError (a directory) if it cannot be read, errors::DataLossError
/// if it is not an idx file of unsigned bytes, is cut off, or goes on behind its data.
IdxFile read_idx(const std::filesystem::path& path);

}  // namespace flowray::files
