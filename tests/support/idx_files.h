#pragma once
/// Small data sets in MNIST's format for tests.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flowray::testing {

using Bytes = std::vector<uint8_t>;

/// A folder of its own for the running test; it goes with the object.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The bytes of an idx file of unsigned bytes.
Bytes idx_bytes(const std::vector<uint32_t>& dims, const Bytes& data);
/// As the program gzip writes it.
Bytes gzipped(const Bytes& plain);
void write_file(const std::filesystem::path& path, const Bytes& bytes);

}  // namespace flowray::testing
