// The recorded files were written by NumPy (tests/oracle/record_npy.py, which has the same values).

#include "files/npy.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/idx_files.h"

namespace flowray::files {
namespace {

using std::string_literals::operator""s;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::string kGolden = FLOWRAY_SOURCE_DIR "/tests/golden/npy/";

template <class T>
Array array(const std::vector<T>& values, const Shape& shape) {
  return Array::from(values, shape);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_content(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const Array kMatrix = array<float>({0, 1, 2, 3, 4, 5}, {2, 3});

std::vector<std::pair<std::string, Array>> arrays() {
  return {{"matrix", kMatrix},
          {"scalar", Array(0.1)},
          {"half", array<float16>({float16(1.5f), float16(-2.f)}, {2})},
          {"whole", array<int64_t>({int64_t{1} << 40, -1}, {1, 2, 1})},
          {"bytes", array<uint8_t>({0, 255}, {2})},
          {"bool", Array(std::vector<bool>{true, false})},
          {"complex", array<std::complex<float>>({{1, 2}}, {1})},
          {"empty", Array(DType::kInt32, {0, 3})},
          {"strings", array<std::string>({"a", "", "longer", "\0x"s}, {2, 2})}};
}

TEST(Npy, OfNumpyIsRead) {
  for (const auto& [name, value] : arrays()) EXPECT_EQ(read_npy(kGolden + name + ".npy"), value) << name;
  EXPECT_EQ(read_npy(kGolden + "version2.npy"), kMatrix);
  EXPECT_EQ(read_npy(kGolden + "texts.npy"), array<std::string>({"a", "\u00fc\u20ac\U0001f600", ""}, {3}));
}

TEST(Npy, IsWrittenAsNumpyWritesIt) {
  const flowray::testing::TestFolder folder;
  for (const auto& [name, value] : arrays()) {
    const auto path = folder.path() / "deep" / (name + ".npy");
    write_npy(path, value);
    EXPECT_EQ(content_of(path), content_of(kGolden + name + ".npy")) << name;
  }
}

TEST(Npy, HasFloat32ForBfloat16) {
  const flowray::testing::TestFolder folder;
  write_npy(folder.path() / "a.npy", array<bfloat16>({bfloat16(1.5f)}, {1}));
  EXPECT_EQ(read_npy(folder.path() / "a.npy"), array<float>({1.5f}, {1}));
}

template <class Error>
std::string error_of(const std::filesystem::path& path) {
  try {
    read_npy(path);
  } catch (const Error& error) {
    return error.message();
  }
  return "no such error";
}

TEST(Npy, SaysWhatItDoesNotRead) {
  const auto unsupported = [](const char* name) {
    return error_of<errors::UnimplementedError>(kGolden + name + ".npy");
  };
  EXPECT_THAT(unsupported("column_major"),
              AllOf(HasSubstr("column-major"), HasSubstr("numpy.ascontiguousarray(a)")));
  EXPECT_THAT(unsupported("big_endian"), HasSubstr("big-endian numbers"));
  EXPECT_THAT(unsupported("objects"), HasSubstr("Python objects"));
  EXPECT_THAT(unsupported("times"), HasSubstr("elements of dtype '<M8[D]'"));
  EXPECT_THAT(unsupported("records"), HasSubstr("records"));
  EXPECT_THAT(error_of<errors::NotFoundError>(kGolden + "none.npy"), HasSubstr("No such file or directory"));
}

TEST(Npy, ThatIsCutOffIsRefused) {
  const flowray::testing::TestFolder folder;
  const auto path = folder.path() / "a.npy";
  for (const char* name : {"matrix.npy", "strings.npy", "version2.npy"}) {
    const std::string whole = content_of(kGolden + name);
    for (size_t size = 0; size < whole.size(); ++size) {
      write_content(path, whole.substr(0, size));
      EXPECT_THAT(error_of<errors::DataLossError>(path), HasSubstr("is not a complete .npy file"))
          << name << " " << size;
    }
  }
  write_content(path, "this is a text and no array at all");
  EXPECT_THAT(error_of<errors::DataLossError>(path), HasSubstr("it does not begin with"));
}

// Whatever stands in the header: an array or an error.
TEST(Npy, HasTruthValuesWhateverItsBytesAre) {
  const flowray::testing::TestFolder folder;
  const std::string path = folder.path() / "bools.npy";
  std::string bytes = content_of(kGolden + "bool.npy");
  bytes.replace(bytes.size() - 2, 2, "\xff\x00"s);
  write_content(path, bytes);
  const Array read = read_npy(path);
  EXPECT_EQ(static_cast<const unsigned char*>(read.raw_data())[0], 1);
  EXPECT_EQ(read, Array(std::vector<bool>{true, false}));
}

TEST(Npy, SurvivesDamage) {
  const flowray::testing::TestFolder folder;
  const auto path = folder.path() / "a.npy";
  const std::string whole = content_of(kGolden + "matrix.npy");
  const Array undamaged = read_npy(kGolden + "matrix.npy");
  int num_refused = 0;
  for (size_t byte = 0; byte < 80; ++byte) {
    for (const char c : {'\0', '\xff', '9', ' ', '\'', ')', '('}) {
      std::string wrong = whole;
      wrong[byte] = c;
      write_content(path, wrong);
      try {
        const Array read = read_npy(path);
        EXPECT_LE(read.size_bytes(), whole.size());
        const bool is_elsewhere = byte < 10;  // the header may be said to be shorter
        if (!is_elsewhere && read.dtype() == undamaged.dtype() && read.shape() == undamaged.shape()) {
          EXPECT_EQ(read, undamaged);
        }
      } catch (const errors::OpError& error) {
        EXPECT_THAT(error.code(), AnyOf(Code::kDataLoss, Code::kUnimplemented));
        EXPECT_THAT(error.message(), HasSubstr(path.string()));
        ++num_refused;
      }
    }
  }
  EXPECT_GT(num_refused, 300);
}

/// A file of version 1 with these 8 bytes of elements.
std::string npy(const std::string& descr, const std::string& shape) {
  const std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\1\0"s + static_cast<char>(text.size()) + '\0' + text + "abcdefgh";
}

TEST(Npy, RefusesSizesThatNoFileHolds) {
  const flowray::testing::TestFolder folder;
  const auto path = folder.path() / "a.npy";
  const auto complaint = [&](const std::string& descr, const std::string& shape) {
    write_content(path, npy(descr, shape));
    return error_of<errors::DataLossError>(path);
  };
  EXPECT_THAT(complaint("|S0", "(1000000000000,)"), HasSubstr("no bytes for 1000000000000 strings"));
  EXPECT_THAT(complaint("|S9223372036854775807", "(0,)"), HasSubstr("a string has at most"));
  EXPECT_THAT(complaint("|S9223372036854775807", "(1,)"), HasSubstr("a string has at most"));
  EXPECT_THAT(complaint("<U4611686018427387905", "(2,)"), HasSubstr("a string has at most"));
  EXPECT_THAT(complaint("|S99999999999999999999", "(2,)"), HasSubstr("its dtype is '|S9999"));
  EXPECT_THAT(complaint("|S536870911", "(1,)"), HasSubstr("its elements are cut off"));
  EXPECT_THAT(complaint("<f4", "(4294967296, 4294967296)"),
              HasSubstr("its shape is (4294967296, 4294967296)"));
  EXPECT_THAT(complaint("<f4", "(4294967296, 4294967296, 0)"), HasSubstr("its shape is"));
  EXPECT_THAT(complaint("<f4", "(4611686018427387905,)"), HasSubstr("its elements are cut off"));

  write_content(path, npy("|S0", "(3,)"));
  EXPECT_EQ(read_npy(path), Array(DType::kString, {3}));
  write_content(path, npy("|S4", "(2,)"));
  EXPECT_EQ(read_npy(path), array<std::string>({"abcd", "efgh"}, {2}));
}

// More than are read at once, short and long.
TEST(Npy, HasManyStrings) {
  const flowray::testing::TestFolder folder;
  const auto path = folder.path() / "strings.npy";
  for (const auto& [count, width] : {std::pair(30'000, 7), {3, 100'000}, {2, 65'536}}) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i)
      texts.push_back(std::to_string(i) + std::string(static_cast<size_t>(i % 3), 'x'));
    texts.back().resize(static_cast<size_t>(width), 'y');
    const Array strings = array(texts, {count});
    write_npy(path, strings);
    EXPECT_EQ(read_npy(path), strings) << count << " of " << width;
  }
}

TEST(Npy, RefusesStringsThatNumpyWouldCut) {
  const flowray::testing::TestFolder folder;
  EXPECT_THROW(write_npy(folder.path() / "a.npy", Array("x\0"s)), errors::InvalidArgumentError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace flowray::files
