// Checkpoints: those that TensorFlow 2.21 wrote (tests/golden/checkpoints, by
// tests/oracle/record_checkpoints.py, which has the same values) are read, and written again byte by byte.

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>

#include "files/bundle_publication.h"
#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "files/crc32c.h"
#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray::files {
namespace {

using std::string_literals::operator""s;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kGolden = FLOWRAY_SOURCE_DIR "/tests/golden/checkpoints/";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_content(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

template <class Run>
std::string error_of(Run run, Code code) {
  try {
    run();
  } catch (const errors::OpError& error) {
    EXPECT_EQ(error.code(), code) << error.message();
    return error.message();
  }
  return "no error";
}

template <class T>
Array array(const std::vector<T>& values, const Shape& shape) {
  return Array::from(values, shape);
}

std::vector<std::pair<std::string, Array>> types() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {
      {"float", array<float>({0.5f, -1.5f, 3.f, kInfinity}, {2, 2})},
      {"double", Array(0.1)},
      {"half", array<float16>({float16(1.5f), float16(-2.f)}, {2})},
      {"bfloat", array<bfloat16>({bfloat16(1.5f), bfloat16(-2.f)}, {2})},
      {"int8", array<int8_t>({-128, 127}, {2})},
      {"int16", array<int16_t>({-32768}, {1})},
      {"int32", array<int32_t>({7, 8}, {1, 2, 1})},
      {"int64", Array(-(int64_t{1} << 40))},
      {"uint8", array<uint8_t>({255}, {1})},
      {"uint16", array<uint16_t>({65535}, {1})},
      {"uint32", array<uint32_t>({4294967295u}, {1})},
      {"uint64", array<uint64_t>({18446744073709551615u}, {1})},
      {"bool", Array(std::vector<bool>{true, false, true})},
      {"complex64", array<std::complex<float>>({{1, 2}}, {1})},
      {"complex128", array<std::complex<double>>({{-1, -0.5}}, {1})},
      {"strings", array<std::string>({"a", "", "\0\xff"s, std::string(200, 'x')}, {2, 2})},
      {"empty", Array(DType::kFloat32, {0, 3})},
      {"no_strings", Array(DType::kString, {0})},
      {"scope/name", Array(int32_t{7})},
  };
}

/// 0, 1, 2, ... of rows [begin, end) and columns [left, right) of a matrix of 3 columns.
Array part_of_matrix(int begin, int end, int left = 0, int right = 3) {
  std::vector<float> values;
  for (int i = begin; i < end; ++i) {
    for (int j = left; j < right; ++j) values.push_back(static_cast<float>(3 * i + j));
  }
  return array(values, {end - begin, right - left});
}

Array part_of_row(int begin, int end) {
  std::vector<uint8_t> values;
  for (int i = begin; i < end; ++i) values.push_back(static_cast<uint8_t>(i));
  return Array(values);
}

void expect_same_files(const std::string& ours, const std::string& golden, int shards = 1) {
  EXPECT_EQ(content_of(ours + ".index"), content_of(golden + ".index"));
  for (int i = 0; i < shards; ++i) {
    EXPECT_EQ(content_of(bundle_data_path(ours, i, shards)), content_of(bundle_data_path(golden, i, shards)));
  }
}

class Bundle : public ::testing::Test {
 protected:
  std::string prefix(const std::string& name = "model.ckpt") const { return folder_.path() / name; }
  const flowray::testing::TestFolder folder_;
};

TEST_F(Bundle, OfTensorFlowIsReadInEveryDType) {
  const BundleReader reader(kGolden + "types", FileAccess::all());
  for (const auto& [name, value] : types()) {
    EXPECT_EQ(reader.read(name), value) << name;
    const BundleTensor tensor = reader.find(name);
    EXPECT_EQ(tensor.dtype, value.dtype()) << name;
    EXPECT_EQ(tensor.shape, value.shape()) << name;
    EXPECT_THAT(tensor.slices, IsEmpty());
  }
  EXPECT_EQ(reader.names().size(), types().size());
}

TEST_F(Bundle, IsWrittenAsTensorFlowWritesIt) {
  BundleWriter writer(prefix(), FileAccess::all());
  for (const auto& [name, value] : types()) writer.add(name, value);
  writer.finish();
  expect_same_files(prefix(), kGolden + "types");
  EXPECT_THAT(files_in(folder_.path()), ElementsAre("model.ckpt.data-00000-of-00001", "model.ckpt.index"));
}

TEST_F(Bundle, HasVariantsAsTensorFlowWritesThem) {
  const BundleReader golden(kGolden + "variants", FileAccess::all());
  const std::vector<std::string> messages = golden.read_variants("state");
  const BundleTensor tensor = golden.find("state");
  EXPECT_EQ(tensor.dtype, DType::kVariant);
  EXPECT_EQ(tensor.shape, Shape{std::ssize(messages)});
  for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr("tensorflow::Iterator"));
  BundleWriter writer(prefix(), FileAccess::all());
  writer.add_variants("state", tensor.shape, messages);
  writer.add("v", golden.read("v"));
  writer.finish();
  expect_same_files(prefix(), kGolden + "variants");
}

TEST_F(Bundle, OfDamagedVariantsIsDataLoss) {
  BundleWriter writer(prefix(), FileAccess::all());
  writer.add_variants("state", {2}, {"one", std::string(200, 'x')});
  writer.add("v", Array(1));
  writer.finish();
  const std::string path = bundle_data_path(prefix(), 0, 1);
  const std::string whole = content_of(path);
  EXPECT_THAT(BundleReader(prefix(), FileAccess::all()).read_variants("state"),
              ElementsAre("one", std::string(200, 'x')));
  const size_t end = whole.size() - sizeof(int32_t);  // where v begins
  for (size_t i = 0; i < end; ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x41);
    write_content(path, bytes);
    const BundleReader reader(prefix(), FileAccess::all());
    EXPECT_THAT(error_of([&] { (void)reader.read_variants("state"); }, Code::kDataLoss), HasSubstr("'state'"))
        << i;
  }
  write_content(path, whole);
  EXPECT_THAT(
      error_of([&] { (void)BundleReader(prefix(), FileAccess::all()).read_variants("v"); }, Code::kDataLoss),
      HasSubstr("it is not a tensor of variants"));
}

void write_parts(const std::string& prefix) {
  BundleWriter writer(prefix, FileAccess::all());
  const auto add = [&](const char* name, const char* text, const Array& value) {
    const SliceSpec spec = parse_slice_spec(text);
    EXPECT_EQ(spec.shape, value.shape());
    writer.add_slice(name, spec.full, spec.slice, value);
  };
  add("matrix", "4 3 0,2:-", part_of_matrix(0, 2));
  add("matrix", "4 3 2,2:0,1", part_of_matrix(2, 4, 0, 1));
  add("matrix", "4 3 2,2:1,2", part_of_matrix(2, 4, 1, 3));
  add("row", "20000 0,70", part_of_row(0, 70));
  add("row", "20000 70,9930", part_of_row(70, 10000));
  add("row", "20000 10000,10000", part_of_row(10000, 20000));
  writer.add("plain", part_of_matrix(0, 4));
  writer.finish();
}

TEST_F(Bundle, HasPartsAsTensorFlowWritesThem) {
  write_parts(prefix());
  expect_same_files(prefix(), kGolden + "parts");
}

TEST_F(Bundle, JoinsParts) {
  const BundleReader reader(kGolden + "parts", FileAccess::all());
  EXPECT_THAT(reader.names(), ElementsAre("matrix", "plain", "row"));
  EXPECT_EQ(reader.read("matrix"), part_of_matrix(0, 4));
  EXPECT_EQ(reader.read("row"), part_of_row(0, 20000));
  EXPECT_EQ(reader.find("matrix").slices.size(), 3u);
  for (const char* name : {"matrix", "plain"}) {
    const auto slice = [&](const char* spec) {
      return reader.read_slice(name, parse_slice_spec(spec).slice);
    };
    EXPECT_EQ(slice("4 3 2,2:1,2"), part_of_matrix(2, 4, 1, 3));
    EXPECT_EQ(slice("4 3 1,2:0,2"), part_of_matrix(1, 3, 0, 2));
    EXPECT_EQ(slice("4 3 -:2,1"), part_of_matrix(0, 4, 2, 3));
    EXPECT_EQ(slice("4 3 -:-"), part_of_matrix(0, 4));
  }
  EXPECT_EQ(reader.read_slice("row", parse_slice_spec("20000 60,10000").slice), part_of_row(60, 10060));
}

TEST_F(Bundle, SaysWhichPartIsMissing) {
  BundleWriter writer(prefix(), FileAccess::all());
  const SliceSpec spec = parse_slice_spec("4 3 0,2:-");
  writer.add_slice("matrix", spec.full, spec.slice, part_of_matrix(0, 2));
  writer.finish();
  const BundleReader reader(prefix(), FileAccess::all());
  EXPECT_EQ(reader.read_slice("matrix", spec.slice), part_of_matrix(0, 2));
  EXPECT_EQ(error_of([&] { reader.read_slice("matrix", parse_slice_spec("4 3 1,2:-").slice); },
                     Code::kInvalidArgument),
            "Does not have sufficient slices for partitioned tensor matrix to restore in slice_spec: 1,2:-");
  EXPECT_EQ(error_of([&] { reader.read("matrix"); }, Code::kInvalidArgument),
            "Does not have sufficient slices for partitioned tensor matrix to restore in slice_spec: -:-");
}

/// As many elements as there are, but one row twice and one not at all.
TEST_F(Bundle, PartsUponOneAnotherAreNotTheWhole) {
  BundleWriter writer(prefix(), FileAccess::all());
  for (const int first : {0, 1}) {
    const SliceSpec spec = parse_slice_spec("4 3 " + std::to_string(first) + ",2:-");
    writer.add_slice("matrix", spec.full, spec.slice, part_of_matrix(first, first + 2));
  }
  writer.finish();
  const BundleReader reader(prefix(), FileAccess::all());
  EXPECT_EQ(reader.num_names(), 1);
  EXPECT_EQ(error_of([&] { reader.read("matrix"); }, Code::kInvalidArgument),
            "Does not have sufficient slices for partitioned tensor matrix to restore in slice_spec: -:-");
}

TEST_F(Bundle, IsReadFromSeveralShards) {
  const BundleReader reader(kGolden + "shards", FileAccess::all());
  EXPECT_THAT(reader.names(), ElementsAre("a", "b", "m"));
  EXPECT_EQ(reader.read("a"), array<int32_t>({1, 2}, {2}));
  EXPECT_EQ(reader.read("b"), array<float>({3.5f}, {1}));
  EXPECT_EQ(reader.read("m"), part_of_matrix(0, 4));
}

TEST_F(Bundle, IsMergedAsTensorFlowDoes) {
  for (const char* name : {"one", "two"}) {
    for (const char* ending : {".index", ".data-00000-of-00001"}) {
      std::filesystem::copy_file(kGolden + name + ending, prefix(name) + ending);
    }
  }
  EXPECT_THAT(
      error_of(
          [&] { merge_bundles({prefix("one"), prefix("none")}, prefix("all"), false, FileAccess::all()); },
          Code::kInvalidArgument),
      StartsWith("allow_missing_files was set to false and " + prefix("none") + " did not exist."));
  EXPECT_EQ(error_of([&] { merge_bundles({prefix("none")}, prefix("all"), true, FileAccess::all()); },
                     Code::kInvalidArgument),
            "At least one prefix checkpoint file must exist, but none existed.");
  EXPECT_EQ(
      error_of([&] { merge_bundles({prefix("one"), prefix("one")}, prefix("all"), true, FileAccess::all()); },
               Code::kInvalidArgument),
      "Duplicate tensor keyed by m encountered, when merging prefix: " + prefix("one"));
  merge_bundles({prefix("one"), prefix("two")}, prefix("all"), false, FileAccess::all());
  expect_same_files(prefix("all"), kGolden + "shards", 2);
  EXPECT_EQ(files_in(folder_.path()).size(), 3u) << "those that were merged are gone";
}

TEST_F(Bundle, RefusesATensorTwice) {
  BundleWriter writer(prefix(), FileAccess::all());
  writer.add("a", Array(1.f));
  EXPECT_EQ(error_of([&] { writer.add("a", Array(1.f)); }, Code::kInvalidArgument),
            "Adding duplicate key: a");
  const TensorSlice half{{{0, 2}}};
  EXPECT_THAT(error_of([&] { writer.add_slice("a", {4}, half, Array({1, 2})); }, Code::kInvalidArgument),
              StartsWith("Adding duplicate key: a"));
}

TEST_F(Bundle, IsNotThereBeforeItIsWhole) {
  {
    BundleWriter writer(prefix(), FileAccess::all());
    writer.add("a", Array(1.f));
    EXPECT_EQ(files_in(folder_.path()).size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(bundle_data_path(prefix(), 0, 1)));
  }
  EXPECT_THAT(files_in(folder_.path()), IsEmpty());
}

TEST_F(Bundle, ThatStoodBeforeStaysWhereTheNewOneFails) {
  BundleWriter first(prefix(), FileAccess::all());
  first.add("a", Array(1.f));
  first.finish();
  {
    BundleWriter second(prefix(), FileAccess::all());
    second.add("a", Array(2.f));
  }
  EXPECT_EQ(BundleReader(prefix(), FileAccess::all()).read("a"), Array(1.f));
  BundleWriter third(prefix(), FileAccess::all());
  third.add("a", Array(3.f));
  third.finish();
  EXPECT_EQ(BundleReader(prefix(), FileAccess::all()).read("a"), Array(3.f));
  EXPECT_EQ(files_in(folder_.path()).size(), 2u);
}

TEST_F(Bundle, MakesItsFolder) {
  const std::string deep = prefix("a/b/model");
  BundleWriter writer(deep, FileAccess::all());
  writer.add("x", Array(1.f));
  writer.finish();
  EXPECT_EQ(BundleReader(deep, FileAccess::all()).read("x"), Array(1.f));
  write_content(prefix("file"), "");
  EXPECT_THAT(
      error_of([&] { BundleWriter(prefix("file/model"), FileAccess::all()); }, Code::kFailedPrecondition),
      HasSubstr("; Not a directory"));
}

TEST_F(Bundle, SaysWhatIsNotThere) {
  EXPECT_THAT(
      error_of([&] { BundleReader{prefix("none"), FileAccess::all()}; }, Code::kNotFound),
      StartsWith("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " +
                 prefix("none")));
  const BundleReader reader(kGolden + "types", FileAccess::all());
  EXPECT_THAT(error_of([&] { reader.read("none"); }, Code::kNotFound),
              StartsWith("Key none not found in checkpoint\n"));
  EXPECT_THAT(error_of([&] { reader.find(""); }, Code::kNotFound),
              StartsWith("Key  not found in checkpoint\n"));
  std::filesystem::copy_file(kGolden + "types.index", prefix("alone.index"));
  EXPECT_EQ(
      error_of([&] { BundleReader(prefix("alone"), FileAccess::all()).read("float"); }, Code::kNotFound),
      prefix("alone.data-00000-of-00001") + "; No such file or directory");
}

/// A checkpoint with a float of 16 bytes, then strings: lengths, their checksum, characters.
void write_small(const std::string& prefix) {
  BundleWriter writer(prefix, FileAccess::all());
  writer.add("numbers", array<float>({1, 2, 3, 4}, {4}));
  writer.add("words", Array(std::vector<std::string>{"a", "", "longer"}));
  writer.finish();
}

/// Reads everything; the names of the tensors that were refused. A value that comes is right.
std::set<std::string> damaged_tensors(const std::string& prefix) {
  std::set<std::string> damaged;
  const auto read = [&](const std::string& name, const Array& expected) {
    try {
      EXPECT_EQ(BundleReader(prefix, FileAccess::all()).read(name), expected) << "damage was not seen";
    } catch (const errors::DataLossError&) {
      damaged.insert(name);
    } catch (const errors::NotFoundError&) {  // damage may be as if the name were another
      damaged.insert(name);
    } catch (const errors::UnimplementedError&) {
      damaged.insert(name);
    }
  };
  read("numbers", array<float>({1, 2, 3, 4}, {4}));
  read("words", Array(std::vector<std::string>{"a", "", "longer"}));
  return damaged;
}

TEST_F(Bundle, RefusesEveryWrongBitOfItsData) {
  write_small(prefix());
  const std::string path = bundle_data_path(prefix(), 0, 1);
  const std::string whole = content_of(path);
  ASSERT_EQ(whole.size(), 16u + 3 + 4 + 7);
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = whole;
      wrong[byte] = static_cast<char>(wrong[byte] ^ (1 << bit));
      write_content(path, wrong);
      EXPECT_THAT(damaged_tensors(prefix()), ElementsAre(byte < 16 ? "numbers" : "words")) << byte;
    }
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    write_content(path, whole.substr(0, size));
    EXPECT_EQ(damaged_tensors(prefix()).size(), size < 16 ? 2u : 1u) << size;
  }
}

TEST_F(Bundle, RefusesEveryWrongByteOfItsIndex) {
  write_small(prefix());
  const std::string whole = content_of(prefix() + ".index");
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    for (const int bits : {1, 0x80, 0xff}) {
      std::string wrong = whole;
      wrong[byte] = static_cast<char>(wrong[byte] ^ bits);
      write_content(prefix() + ".index", wrong);
      damaged_tensors(prefix());  // a byte that means nothing (padding) may change
    }
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    write_content(prefix() + ".index", whole.substr(0, size));
    EXPECT_EQ(damaged_tensors(prefix()).size(), 2u) << size;
  }
}

// LevelDB asks for as much memory as a block's place says before it reads. Found by a fuzzer in the footer,
// which says where the list of blocks is.
TEST_F(Bundle, RefusesAnIndexOfMoreBytesThanItsFileHas) {
  const std::string list_of_2_to_54_bytes =
      "\0\0\0"s + "\x80\x80\x80\x80\x80\x80\x80\x40"s + std::string(29, '\0');
  const std::string magic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb"s;
  // An entry: no part of a key, an empty key, a place of 9 bytes; one number, 0;
  // their number; type, checksum.
  std::string list = "\0\0\x09\0\x80\x80\x80\x80\x80\x80\x80\x40\0\0\0\0\x01\0\0\0\0"s;
  const uint32_t sum = masked(crc32c(list));
  list.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  const std::string place_of_list = "\0\0\0\x14"s + std::string(36, '\0');
  for (const std::string& bytes : {list_of_2_to_54_bytes + magic, list + place_of_list + magic}) {
    write_content(prefix() + ".index", bytes);
    EXPECT_EQ(error_of([&] { BundleReader(prefix(), FileAccess::all()); }, Code::kDataLoss),
              "truncated block read\n" + prefix() + ".index is not an index of a checkpoint.");
  }
}

TEST_F(Bundle, HasTruthValuesWhateverItsBytesAre) {
  Array wrong(DType::kBool, {3});
  std::memcpy(wrong.mutable_raw_data(), "\xff\x00\x02", 3);
  BundleWriter writer(prefix(), FileAccess::all());
  writer.add("b", wrong);
  writer.finish();
  const Array read = BundleReader(prefix(), FileAccess::all()).read("b");
  const auto* const bytes = static_cast<const unsigned char*>(read.raw_data());
  EXPECT_THAT(std::vector<int>(bytes, bytes + 3), ElementsAre(1, 0, 1));
}

TEST_F(Bundle, NamesTheTensorThatIsDamaged) {
  write_small(prefix());
  const std::string path = bundle_data_path(prefix(), 0, 1);
  std::string bytes = content_of(path);
  bytes[0] ^= 1;
  write_content(path, bytes);
  EXPECT_THAT(error_of([&] { BundleReader(prefix(), FileAccess::all()).read("numbers"); }, Code::kDataLoss),
              AllOf(StartsWith("TensorBundle at " + prefix() +
                               " shard 0 (16 bytes): Checksum does not match: stored "),
                    HasSubstr("\nTensor 'numbers' in " + path + " is damaged.")));
  write_content(prefix() + ".index", "");
  EXPECT_THAT(error_of([&] { BundleReader{prefix(), FileAccess::all()}; }, Code::kDataLoss),
              StartsWith("file is too short to be an sstable"));
}

TEST_F(Bundle, HasManyTensors) {
  BundleWriter writer(prefix(), FileAccess::all());
  for (int i = 0; i < 20000; ++i)
    writer.add(fmt::format("layer_{}/weights", i), Array(static_cast<float>(i)));
  writer.finish();
  const BundleReader reader(prefix(), FileAccess::all());
  EXPECT_EQ(reader.names().size(), 20000u);
  for (int i = 0; i < 20000; i += 777)
    EXPECT_EQ(reader.read(fmt::format("layer_{}/weights", i)), Array(static_cast<float>(i)));
}

// Reads ours, and compares with the recorded ones by TensorFlow's own reader.
constexpr const char* kReader = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
ours, golden = (tf.train.load_checkpoint(p) for p in sys.argv[1:3])
shapes = ours.get_variable_to_shape_map()
assert shapes == golden.get_variable_to_shape_map()
for name in shapes:
    a, b = ours.get_tensor(name), golden.get_tensor(name)
    assert np.array_equal(a, b) and a.dtype == b.dtype, name
print(len(shapes))
)";

TEST_F(Bundle, IsReadByTensorFlow) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  BundleWriter writer(prefix("types"), FileAccess::all());
  for (const auto& [name, value] : types()) writer.add(name, value);
  writer.finish();
  write_parts(prefix("parts"));
  for (const auto& [name, count] : {std::pair("types", "19\n"), std::pair("parts", "3\n")}) {
    flowray::testing::ChildProcess reader({python, "-c", kReader, prefix(name), kGolden + name});
    EXPECT_EQ(reader.wait(), 0) << reader.errors();
    EXPECT_EQ(reader.output(), count);
  }
}

// ---- slices

TEST(SliceSpec, IsReadLikeTensorFlows) {
  const SliceSpec spec = parse_slice_spec("5 2 0,3:-");
  EXPECT_EQ(spec.full, Shape({5, 2}));
  EXPECT_EQ(spec.shape, Shape({3, 2}));
  EXPECT_EQ(spec.slice.to_string(), "0,3:-");
}

TEST(SliceSpec, IsRefusedInTensorFlowsWords) {
  const auto error = [](const char* text, Code code) {
    return error_of([&] { parse_slice_spec(text); }, code);
  };
  constexpr Code kInvalid = Code::kInvalidArgument;
  EXPECT_EQ(error("x", kInvalid), "Need least two elements in shape_and_slice specification: x");
  EXPECT_EQ(error("4 a", kInvalid), "Expected a pair of numbers or '-' but got 'a': string = a");
  EXPECT_EQ(error("4 -1,2", kInvalid),
            "Expected non-negative start and positive length but got start = -1, length = 2: string = -1,2");
  EXPECT_EQ(error("4 0,0", kInvalid),
            "Expected non-negative start and positive length but got start = 0, length = 0: string = 0,0");
  EXPECT_EQ(error("4 0,9", Code::kInternal), "Extent in dimension 0 out of bounds: shape = [4], slice = 0,9");
  EXPECT_EQ(error("4 0,2:0,2", Code::kInternal), "Mismatching ranks: shape = [4], slice = 0,2:0,2");
}

// Keys sort as names and extents do; the bytes are those of TensorFlow's own index.
TEST(SliceKey, IsTensorFlows) {
  EXPECT_EQ(slice_key("part", {{{0, 3}, {0, 2}}}), "\0part\0\1\1\2\x80\x83\x80\x82"s);
  EXPECT_EQ(slice_key("v", {{{0, TensorSlice::kAll}}}), "\0v\0\1\1\1\x80\x7f"s);
}

}  // namespace
}  // namespace flowray::files
