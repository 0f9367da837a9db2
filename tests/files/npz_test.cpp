// The recorded files were written by NumPy (tests/oracle/record_npy.py, which has the same values).

#include "files/npz.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/idx_files.h"

namespace flowray::files {
namespace {

using ::testing::HasSubstr;

const std::string kGolden = FLOWRAY_SOURCE_DIR "/tests/golden/npy/";
const Array kMatrix({{0.f, 1.f, 2.f}, {3.f, 4.f, 5.f}});

class ReadNpz : public ::testing::Test {
 protected:
  static std::string content_of(const std::string& name) {
    std::ifstream file(kGolden + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What reading a file of these bytes throws; empty: nothing.
  std::string error_of(const std::string& bytes) const {
    const std::filesystem::path path = folder_.path() / "a.npz";
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      (void)read_npz(path);
    } catch (const errors::DataLossError& error) {
      return error.what();
    } catch (const errors::UnimplementedError& error) {
      return error.what();
    }
    return {};
  }
  /// Where the list has its entry of the first file.
  static size_t list_of(const std::string& bytes) { return bytes.find("PK\1\2"); }

  testing::TestFolder folder_;
};

TEST_F(ReadNpz, GivesTheArraysByTheirNames) {
  const std::map<std::string, Array> stored = read_npz(kGolden + "stored.npz");
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored.at("matrix"), kMatrix);
  EXPECT_EQ(stored.at("numbers"), Array::from(std::vector<int64_t>{7, 8, 9}, {3}));
}

TEST_F(ReadNpz, DecompressesThem) {
  const std::map<std::string, Array> compressed = read_npz(kGolden + "compressed.npz");
  ASSERT_EQ(compressed.size(), 2U);
  EXPECT_EQ(compressed.at("matrix"), kMatrix);
  EXPECT_EQ(compressed.at("strings").dtype(), DType::kString);
  EXPECT_EQ(compressed.at("strings").data<std::string>()[2], "longer");
}

TEST_F(ReadNpz, RefusesWhatIsCutOff) {
  for (const char* const name : {"stored.npz", "compressed.npz"}) {
    const std::string whole = content_of(name);
    ASSERT_FALSE(whole.empty());
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("is not a complete .npz file")) << size;
    for (size_t begin = 1; begin < whole.size(); begin += 9)
      EXPECT_NE(error_of(whole.substr(begin)), "") << begin;
  }
  EXPECT_THROW(read_npz(folder_.path() / "none.npz"), errors::NotFoundError);
}

TEST_F(ReadNpz, RefusesWhatIsDamaged) {
  const std::string whole = content_of("compressed.npz");
  std::string other = whole;
  other[list_of(whole) + 16] ^= 1;  // the checksum
  EXPECT_THAT(error_of(other), HasSubstr("matrix.npy cannot be decompressed"));
  other = whole;
  other[list_of(whole) + 24] ^= 1;  // the size
  EXPECT_THAT(error_of(other), HasSubstr("matrix.npy cannot be decompressed"));
  other = whole;
  other[list_of(whole) + 42] ^= 1;  // the place
  EXPECT_THAT(error_of(other), HasSubstr("matrix.npy is not where its list says"));
}

TEST_F(ReadNpz, RefusesAChangedByteOfWhatIsNotCompressed) {
  std::string other = content_of("stored.npz");
  other[list_of(other) - 1] ^= 1;  // the last one of the last array
  EXPECT_THAT(error_of(other), HasSubstr("is not what its checksum says"));
}

TEST_F(ReadNpz, RefusesOtherKindsOfArchives) {
  const std::string whole = content_of("compressed.npz");
  std::string other = whole;
  other[list_of(whole) + 8] |= 1;
  EXPECT_THAT(error_of(other), HasSubstr("matrix.npy' is encrypted"));
  other = whole;
  other[list_of(whole) + 10] = 12;  // bzip2
  EXPECT_THAT(error_of(other), HasSubstr("is compressed in another way than deflate"));
  other = whole;
  other.replace(list_of(whole) + 20, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(error_of(other), HasSubstr("is a part of 4 GiB or more"));
}

}  // namespace
}  // namespace flowray::files
