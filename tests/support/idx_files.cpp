#include "support/idx_files.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

namespace flowray::testing {

TestFolder::TestFolder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string("flowray-") + test->test_suite_name() + "-" + test->name();
  for (char& letter : name) letter = letter == '/' ? '-' : letter;  // of parameterised tests
  path_ = std::filesystem::temp_directory_path() / (name + "-" + std::to_string(getpid()));
  std::filesystem::create_directories(path_);
}

TestFolder::~TestFolder() {
  std::error_code ignored;  // a folder left behind does not end the tests
  std::filesystem::remove_all(path_, ignored);
}

Bytes idx_bytes(const std::vector<uint32_t>& dims, const Bytes& data) {
  Bytes bytes = {0, 0, 8, static_cast<uint8_t>(dims.size())};
  for (const uint32_t dim : dims) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<uint8_t>(dim >> shift));
  }
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

Bytes gzipped(const Bytes& plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes zipped(deflateBound(&stream, plain.size()));
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = zipped.data();
  stream.avail_out = static_cast<uInt>(zipped.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  zipped.resize(stream.total_out);
  deflateEnd(&stream);
  return zipped;
}

void write_file(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

}  // namespace flowray::testing
