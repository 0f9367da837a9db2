// HDF5 files, which cross to and from h5py.
#include "files/hdf5.h"

#include "support/child_process.h"

#include <flowray/errors.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace flowray::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Hdf5Test : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      const Hdf5Writer writer;
    } catch (const errors::UnimplementedError& error) {
      GTEST_SKIP() << error.message();
    }
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// What a program prints that has the path of a file, and h5py; nothing where there is no such Python.
  std::string said_by_h5py(const std::string& program, const std::string& path) {
    const char* const python = std::getenv("FLOWRAY_ORACLE_PYTHON");
    if (python == nullptr) return {};
    testing::ChildProcess child({python, "-c", "import sys, h5py\nimport numpy as np\n" + program, path});
    EXPECT_EQ(child.wait(), 0) << child.errors();
    return child.output();
  }
  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_hdf5" + std::to_string(::getpid()));
};

TEST_F(Hdf5Test, GivesBackWhatItWrote) {
  Hdf5Writer writer;
  writer.set_text("", "backend", "tensorflow");
  writer.set_texts("", "layer_names", {"dense", "a/b", ""});
  writer.add_group("dense");
  writer.set_texts("dense", "weight_names", {});
  writer.set_array("dense/dense/kernel:0", Array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  writer.set_array("scalar", Array(7.f));
  writer.set_array("none", Array::from(std::vector<float>(), {0, 3}));
  const Hdf5Reader reader(writer.bytes(), "x.h5");
  EXPECT_THAT(reader.texts("", "backend"), ElementsAre("tensorflow"));
  EXPECT_THAT(reader.texts("", "layer_names"), ElementsAre("dense", "a/b", ""));
  EXPECT_THAT(reader.texts("dense", "weight_names"), IsEmpty());
  EXPECT_THAT(reader.texts("dense", "missing"), IsEmpty());
  EXPECT_EQ(reader.array("dense/dense/kernel:0"), Array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  EXPECT_EQ(reader.array("scalar"), Array(7.f));
  EXPECT_EQ(reader.array("none").shape(), Shape({0, 3}));
  EXPECT_TRUE(reader.has_group("dense/dense"));
  EXPECT_FALSE(reader.has_group("dens"));
  EXPECT_TRUE(reader.has_attribute("dense", "weight_names"));
  EXPECT_FALSE(reader.has_attribute("", "weight_names"));
}

/// An attribute holds 64 KB, of which each text takes as much as the longest.
TEST_F(Hdf5Test, SplitsListsThatNoAttributeHolds) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("a_layer_with_a_long_name_" + std::to_string(i));
  Hdf5Writer writer;
  writer.set_texts("", "layer_names", names);
  const Hdf5Reader reader(writer.bytes(), "x.h5");
  EXPECT_FALSE(reader.has_attribute("", "layer_names"));
  EXPECT_TRUE(reader.has_attribute("", "layer_names1"));
  EXPECT_EQ(reader.texts("", "layer_names"), names);
  EXPECT_THROW(writer.set_texts("", "long", {std::string(70000, 'x')}), ValueError);
}

TEST_F(Hdf5Test, IsReadByH5py) {
  Hdf5Writer writer;
  writer.set_text("", "backend", "tensorflow");
  writer.add_group("dense");
  writer.set_texts("dense", "weight_names", {"dense/kernel:0", "bias"});
  writer.set_texts("", "none", {});
  writer.set_array("dense/dense/kernel:0", Array({{1.f, 2.f}, {3.f, 4.f}}));
  const std::string path = (folder_ / "ours.h5").string();
  std::ofstream(path, std::ios::binary) << writer.bytes();
  const std::string said = said_by_h5py(
      "f = h5py.File(sys.argv[1])\n"
      "print(f.attrs['backend'], list(f.attrs['none']), f['dense'].attrs['weight_names'].tolist())\n"
      "print(f['dense/dense/kernel:0'].dtype, f['dense/dense/kernel:0'][:].tolist())\n",
      path);
  if (said.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with h5py";
  EXPECT_EQ(said, "tensorflow [] [b'dense/kernel:0', b'bias']\nfloat32 [[1.0, 2.0], [3.0, 4.0]]\n");
}

TEST_F(Hdf5Test, ReadsWhatH5pyWrites) {
  const std::string path = (folder_ / "theirs.h5").string();
  const std::string said = said_by_h5py(
      "with h5py.File(sys.argv[1], 'w') as f:\n"
      "  f.attrs['variable'], f.attrs['variables'] = 'text', ['one', 'th\\u00e9']\n"
      "  f.attrs['bytes'], f.attrs['none'] = np.array([b'a', b'bcd']), np.zeros(0)\n"
      "  f.attrs['number'] = 3\n"
      "  f.create_dataset('g/double', data=np.array([0.5, 0.25]))\n"
      "  f.create_dataset('g/half', data=np.array([[0.5]], np.float16))\n"
      "  f.create_dataset('g/whole', data=np.arange(3))\n"
      "  f.create_dataset('g/packed', data=np.ones((40, 30), np.float32), compression='gzip', chunks=(7, "
      "8))\n"
      "print('written')\n",
      path);
  if (said.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with h5py";
  const Hdf5Reader reader(contents(path), path);
  EXPECT_THAT(reader.texts("", "variable"), ElementsAre("text"));
  EXPECT_THAT(reader.texts("", "variables"), ElementsAre("one", "th\u00e9"));
  EXPECT_THAT(reader.texts("", "bytes"), ElementsAre("a", "bcd"));
  EXPECT_THAT(reader.texts("", "none"), IsEmpty());
  EXPECT_THROW(reader.texts("", "number"), errors::DataLossError);
  EXPECT_EQ(reader.array("g/double"), Array({0.5f, 0.25f}));
  EXPECT_EQ(reader.array("g/half"), Array({{0.5f}}));
  EXPECT_EQ(reader.array("g/whole"), Array({0.f, 1.f, 2.f}));
  EXPECT_EQ(reader.array("g/packed"), Array::from(std::vector<float>(1200, 1.f), {40, 30}));
}

TEST_F(Hdf5Test, SaysWhatIsNoSuchFile) {
  const auto error_of = [](const auto& f) {
    try {
      f();
      return std::string("nothing");
    } catch (const errors::DataLossError& error) {
      return error.message();
    }
  };
  EXPECT_THAT(error_of([] { Hdf5Reader("", "a.h5"); }), StartsWith("Unable to open file a.h5"));
  EXPECT_THAT(error_of([] { Hdf5Reader("text", "a.h5"); }), StartsWith("Unable to open file a.h5"));
  Hdf5Writer writer;
  writer.set_array("values", Array({1.f, 2.f}));
  const std::string whole = writer.bytes();
  EXPECT_THAT(error_of([&] { Hdf5Reader(whole.substr(0, 100), "a.h5"); }), HasSubstr("only a part of one"));
  const Hdf5Reader reader(whole, "a.h5");
  EXPECT_THAT(error_of([&] { reader.array("other"); }),
              StartsWith("Unable to open object 'other' in a.h5: it is not one of the file's arrays."));
  EXPECT_THROW(reader.texts("other", "names"), errors::DataLossError);
}

/// Of files that h5py wrote (tests/oracle/record_hdf5.py).
class FilesOfOthers : public Hdf5Test {
 protected:
  static Hdf5Reader file(const std::string& name) {
    const std::string path = std::string(FLOWRAY_SOURCE_DIR "/tests/golden/hdf5/") + name;
    return {contents(path), path};
  }
  static std::string error_of(const Hdf5Reader& file, const std::string& path) {
    try {
      file.array(path);
    } catch (const errors::DataLossError& error) {
      return error.message();
    }
    return "nothing";
  }
};

TEST_F(FilesOfOthers, LeadToNoOtherFiles) {
  EXPECT_THAT(error_of(file("external_storage.h5"), "w"), HasSubstr("stands in other files"));
  EXPECT_THAT(error_of(file("virtual.h5"), "w"), HasSubstr("stands in other files"));
  const Hdf5Reader link = file("external_link.h5");
  EXPECT_THAT(error_of(link, "w"), HasSubstr("is not one of the file's arrays"));
  EXPECT_THROW((void)link.has_attribute("g", "x"), errors::DataLossError);
  EXPECT_FALSE(link.has_group("g/w"));
}

TEST_F(FilesOfOthers, MayLinkWithinThemselves) {
  EXPECT_THAT(file("soft_link.h5").array("other").span<float>(), ElementsAre(1.0f, 2.0f));
}

TEST_F(FilesOfOthers, HaveNumbersOrAreRefused) {
  EXPECT_THAT(error_of(file("without_numbers.h5"), "w"), HasSubstr("has no numbers"));
}

TEST_F(FilesOfOthers, SayHowLargeAnArrayIsBeforeItIsRead) {
  EXPECT_EQ(file("huge.h5").shape("w"), Shape({1 << 20, 1 << 20}));
}

TEST_F(FilesOfOthers, AreReadWhateverStandsInTheFolder) {
  std::filesystem::create_directory(folder_ / "here");
  const std::filesystem::path before = std::filesystem::current_path();
  Hdf5Writer writer;
  writer.set_array("w", Array(std::vector<float>{3.0f}));
  const std::string bytes = writer.bytes();
  std::filesystem::current_path(folder_ / "here");
  for (int i = 0; i < 200; ++i) std::ofstream("flowray" + std::to_string(i)) << "taken";
  const Hdf5Reader reader(bytes, "bytes");
  std::filesystem::current_path(before);
  EXPECT_THAT(reader.array("w").span<float>(), ElementsAre(3.0f));
}

}  // namespace
}  // namespace flowray::files
