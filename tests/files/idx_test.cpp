#include "files/idx.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace flowray::files {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// As the program gzip writes it.
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

// Two images of 2 x 3 pixels, written out by hand.
const Bytes kHeader = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3};
const Bytes kPixels = {0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255};

class ReadIdx : public testing::Test {
 protected:
  ReadIdx() { std::filesystem::create_directories(folder_); }
  ~ReadIdx() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const Bytes& bytes) const {
    const std::filesystem::path path = folder_ / "images-idx3-ubyte";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

  // Expects the error that one gets for these bytes: DataLossError, the path, then `complaint`.
  void expect_damaged(const Bytes& bytes, const std::string& complaint) const {
    const std::filesystem::path path = write(bytes);
    try {
      read_idx(path);
      ADD_FAILURE() << "nothing was thrown; expected: " << complaint;
    } catch (const errors::DataLossError& error) {
      EXPECT_EQ(error.message(), "'" + path.string() + "' " + complaint);
    }
  }

  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("flowray-idx-" + std::to_string(getpid()) + "-" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ReadIdx, ReadsAPlainFile) {
  const IdxFile file = read_idx(write(kHeader + kPixels));
  EXPECT_EQ(file.dims, (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(file.data, kPixels);
}

TEST_F(ReadIdx, ReadsAGzippedFileWhateverItsName) {
  const IdxFile file = read_idx(write(gzipped(kHeader + kPixels)));
  EXPECT_EQ(file.dims, (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(file.data, kPixels);
}

TEST_F(ReadIdx, ReadsGzipMembersInARow) {
  EXPECT_EQ(read_idx(write(gzipped(kHeader) + gzipped(kPixels))).data, kPixels);
}

TEST_F(ReadIdx, ReadsMoreThanAPieceAtATime) {
  Bytes pixels(5 << 20);
  uint32_t state = 1;
  for (uint8_t& pixel : pixels) pixel = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  const Bytes header = {0, 0, 8, 1, 0, 0x50, 0, 0};
  for (const Bytes& bytes : {header + pixels, gzipped(header + pixels)}) {
    const IdxFile file = read_idx(write(bytes));
    EXPECT_EQ(file.dims, (std::vector<int64_t>{5 << 20}));
    EXPECT_TRUE(file.data == pixels);
  }
}

TEST_F(ReadIdx, ReadsLargeDimensionsAndScalars) {
  // 0xfffffffe is not a negative number.
  EXPECT_EQ(read_idx(write({0, 0, 8, 2, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0})).dims,
            (std::vector<int64_t>{4294967294, 0}));
  EXPECT_EQ(read_idx(write({0, 0, 8, 0, 42})).data, Bytes{42});
}

TEST_F(ReadIdx, TellsAMissingFile) {
  const std::filesystem::path path = folder_ / "no-such-file";
  try {
    read_idx(path);
    FAIL() << "nothing was thrown";
  } catch (const errors::NotFoundError& error) {
    EXPECT_EQ(
        error.message(),
        "'" + path.string() + "' does not exist; expected an idx file (MNIST's format), plain or gzipped");
  }
  EXPECT_THROW(read_idx(write({}) / "below-a-file"), errors::NotFoundError);
}

TEST_F(ReadIdx, TellsADirectory) { EXPECT_THROW(read_idx(folder_), errors::FailedPreconditionError); }

TEST_F(ReadIdx, TellsAFileThatMayNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::filesystem::path path = write(kHeader + kPixels);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_THROW(read_idx(path), errors::PermissionDeniedError);
}

TEST_F(ReadIdx, TellsAFileThatIsNoIdxFile) {
  expect_damaged(
      {'P', 'K', 3, 4, 0, 0},
      "is not an idx file (MNIST's format): it begins with 50 4b 03 04; expected 00 00 08 and the number of "
      "dimensions");
  expect_damaged(
      gzipped({0, 0, 7, 1, 0, 0, 0, 0}),
      "is not an idx file (MNIST's format): it begins with 00 00 07 01; expected 00 00 08 and the number of "
      "dimensions");
}

TEST_F(ReadIdx, TellsAnotherElementType) {
  expect_damaged({0, 0, 13, 1, 0, 0, 0, 1, 0, 0, 0, 0},
                 "is an idx file of 32-bit floats; expected unsigned bytes");
}

TEST_F(ReadIdx, TellsAFileThatIsCutOffAnywhere) {
  expect_damaged({},
                 "is cut off: it holds 0 bytes; expected an idx file (MNIST's format), which begins with 4");
  const Bytes whole = kHeader + kPixels;
  expect_damaged(Bytes(whole.begin(), whole.begin() + 9),
                 "is cut off: it holds 9 bytes; expected 16 for 3 dimensions alone");
  expect_damaged(Bytes(whole.begin(), whole.end() - 1),
                 "is cut off: it holds 11 bytes of data; expected 12 for the dimensions [2,2,3]");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_idx(write(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)))),
                 errors::DataLossError)
        << length;
  }
}

TEST_F(ReadIdx, TellsGzipDataThatIsCutOffAnywhere) {
  const Bytes whole = gzipped(kHeader + kPixels);
  expect_damaged(Bytes(whole.begin(), whole.end() - 1), "is cut off: its gzip data ends after " +
                                                            std::to_string(whole.size() - 1) +
                                                            " bytes without the end mark");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_idx(write(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)))),
                 errors::DataLossError)
        << length;
  }
}

TEST_F(ReadIdx, TellsDamagedGzipData) {
  Bytes bytes = gzipped(kHeader + kPixels);
  bytes[bytes.size() - 8] ^= 1;  // the checksum
  expect_damaged(bytes, "is damaged: its gzip data cannot be unzipped (incorrect data check)");
}

TEST_F(ReadIdx, TellsBytesBehindTheEnd) {
  expect_damaged(
      kHeader + kPixels + Bytes{0},
      "goes on behind its data: it holds 13 bytes of data; expected 12 for the dimensions [2,2,3]");
  expect_damaged(gzipped(kHeader + kPixels) + Bytes{1, 2, 3},
                 "has 3 bytes behind the end of its gzip data; expected none");
}

TEST_F(ReadIdx, TellsDimensionsThatNoFileCanHold) {
  const Bytes huge = {0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
  expect_damaged(huge,
                 "is cut off: it holds 1 bytes of data; expected more than 2^64 for the dimensions "
                 "[4294967295,4294967295,4294967295]");
}

// The real thing, where Debian's dataset-fashion-mnist is installed.
TEST(ReadIdxOfDebian, ReadsFashionMnist) {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const IdxFile images = read_idx(folder / "t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(images.dims, (std::vector<int64_t>{10000, 28, 28}));
  const IdxFile labels = read_idx(folder / "t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(labels.dims, (std::vector<int64_t>{10000}));
  // Fashion-MNIST has as many test images of each of its ten classes.
  std::vector<int> counts(10);
  for (const uint8_t label : labels.data) ++counts.at(label);
  EXPECT_EQ(counts, std::vector<int>(10, 1000));
}

}  // namespace
}  // namespace flowray::files
