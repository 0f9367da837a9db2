// Records of CSV and idx files. What RFC 4180 leaves open is expected as in TensorFlow 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray::tf {
namespace {

using data::csv_dataset;
using data::Dataset;
using data::idx_dataset;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class FileDatasets : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::filesystem::path path = folder_.path() / std::to_string(num_files_++);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// Each element, or what is wrong with it, as a text.
  std::vector<std::string> texts_of(const Dataset& dataset, size_t most = 10) {
    const data::Iterator iterator = dataset.make_initializable_iterator();
    const std::vector<Tensor> next = iterator.get_next();
    Session session;
    session.run(iterator.initializer());
    std::vector<std::string> texts;
    while (texts.size() < most) {
      try {
        std::string text;
        for (const Array& value : session.run(next)) text += (text.empty() ? "" : "|") + text_of(value);
        texts.push_back(text);
      } catch (const errors::OutOfRangeError&) {
        break;
      } catch (const Error& error) {
        texts.push_back(testing::without_line(error));
      }
    }
    for (std::string& text : texts) text = text.substr(0, text.find("\n\t"));
    return texts;
  }

  static std::string text_of(const Array& value) {
    if (value.dtype() == DType::kString) return value.item<std::string>();
    std::ostringstream text;
    text << value.astype(DType::kFloat64).item<double>();
    return text.str();
  }

  const testing::TestFolder folder_;
  int num_files_ = 0;
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(FileDatasets, ReadRecordsOfTheirColumnsDtypes) {
  const Dataset d = csv_dataset(file("1,2.5,a\n-3,,b"), {int32, 9.5f, string});
  EXPECT_THAT(d.output_types(), ElementsAre(int32, float32, string));
  EXPECT_THAT(texts_of(d), ElementsAre("1|2.5|a", "-3|9.5|b"));
  EXPECT_THAT(texts_of(csv_dataset(file("99999999999, 1.5e3 \r\n+5,-inf\r\n"), {int64, float64})),
              ElementsAre("1e+11|1500", "5|-inf"));
}

TEST_F(FileDatasets, HaveQuotedFieldsWithEverythingInThem) {
  EXPECT_THAT(
      texts_of(csv_dataset(file("1,\"a,b\"\n2,\"c\n\r\nd\"\n3,\"e\"\"f\"\n4,\"\"\r\n5,\"x\""), {int32, "-"})),
      ElementsAre("1|a,b", "2|c\n\r\nd", "3|e\"f", "4|-", "5|x"));
  EXPECT_THAT(texts_of(csv_dataset(file("1,a\"b\n2,\"c\"\n"), {int32, string}, {.use_quote_delim = false})),
              ElementsAre("1|a\"b", "2|\"c\""));
}

TEST_F(FileDatasets, GoOnBehindARecordThatIsWrong) {
  EXPECT_THAT(
      texts_of(csv_dataset(file("1\n2,b\n3,c,d\nx,e\n,f\n5,a\"b\n6,g\n"), {int32, string})),
      ElementsAre("Expect 2 fields but have 1 in record", "2|b", "Expect 2 fields but have more in record",
                  "Field 0 in record is not a valid int32: x", "Field 0 is required but missing in record!",
                  "Unquoted fields cannot have quotes inside", "6|g"));
  EXPECT_THAT(texts_of(csv_dataset(file("1,\"c\"d\"\n2,b\n"), {int32, string})),
              ElementsAre("Quote inside a string has to be escaped by another quote", "2|b"));
  EXPECT_THAT(texts_of(csv_dataset({file("1,\"c\"d\n2,x\n"), file("3,e")}, {int32, string})),
              ElementsAre("Reached end of file without closing quoted field in record", "3|e"));
  EXPECT_THAT(texts_of(csv_dataset(file("1,a\nx,b\n\n2,c\n"), {int32, string}).ignore_errors()),
              ElementsAre("1|a", "2|c"));
}

TEST_F(FileDatasets, HaveRecordsThatEndAsLinesDo) {
  EXPECT_THAT(texts_of(csv_dataset(file("1,a\r2,\n3,b\r\n4,"), {int32, "-"})),
              ElementsAre("1|a", "2|-", "3|b", "4|-"));
  EXPECT_THAT(texts_of(csv_dataset(file("1\n\n2\n\n"), {7})), ElementsAre("1", "7", "2", "7"));
  EXPECT_THAT(texts_of(csv_dataset(file(""), {7})), ElementsAre());
}

TEST_F(FileDatasets, MayBeginWithAHeader) {
  EXPECT_THAT(texts_of(csv_dataset({file("h,k\n1,b\n"), file("h,k\n"), file("h\n2,c")}, {int32, string},
                                   {.header = true})),
              ElementsAre("1|b", "2|c"));
  EXPECT_THAT(texts_of(csv_dataset({file(""), file("\"h\n1,2"), file("h,k\n3,d")}, {int32, string},
                                   {.header = true})),
              ElementsAre("Can't read header of file", "Can't read header of file", "3|d"));
}

TEST_F(FileDatasets, TakeSomeColumnsOfManyKindsOfFiles) {
  EXPECT_THAT(texts_of(csv_dataset(file("1;NA;3;4\n5;6;7;8\n"), {0, int32},
                                   {.field_delim = ";", .na_value = "NA", .select_cols = {1, 3}})),
              ElementsAre("0|4", "6|8"));
  const std::string packed = folder_.path() / "packed";
  testing::write_file(packed, testing::gzipped({'1', ',', 'a', '\n'}));
  EXPECT_THAT(texts_of(csv_dataset(packed, {int32, string}, {.compression_type = "GZIP"})),
              ElementsAre("1|a"));
}

TEST_F(FileDatasets, SayWhichArgumentsAreWrong) {
  const auto error_of = [&](const data::CsvOptions& options) {
    try {
      (void)texts_of(csv_dataset(file("1,2\n"), {int32, int32}, options));
    } catch (const errors::InvalidArgumentError& error) {
      return testing::without_line(error);
    }
    return std::string("nothing");
  };
  EXPECT_THAT(error_of({.buffer_size = 0}), StartsWith("buffer_size should be positive"));
  EXPECT_THAT(error_of({.field_delim = ";;"}), StartsWith("field_delim should be only 1 char"));
  EXPECT_THAT(error_of({.compression_type = "LZ"}), StartsWith("Unsupported compression_type: LZ."));
  EXPECT_THAT(error_of({.select_cols = {1}}), StartsWith("select_cols should match output size"));
  EXPECT_THAT(error_of({.select_cols = {1, 0}}),
              StartsWith("select_cols should be strictly increasing indices"));
  EXPECT_THAT(error_of({.select_cols = {-1, 0}}), StartsWith("select_cols should be non-negative indices"));
  EXPECT_EQ(error_of({}), "nothing");
}

TEST_F(FileDatasets, EndWithTheirZlibStream) {
  using namespace std::string_literals;
  const std::string compressed = "\x78\x9c\x4b\xe4\x4a\xe2\x02\x00\x02\x74\x00\xd8"s;  // "a\nb\n"
  const auto lines_of = [&](const std::string& bytes) {
    return texts_of(data::text_line_dataset(file(bytes), {.compression_type = "ZLIB"}), 3);
  };
  EXPECT_THAT(lines_of(compressed), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(compressed + "more"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(compressed + compressed), ElementsAre("a", "b"));
}

TEST_F(FileDatasets, OfRecordsGoOnBehindAFileThatIsNotCompressed) {
  const std::string plain = file("abcdefghijklmnop");
  const Dataset records =
      data::tf_record_dataset(std::vector<std::string>{plain, plain}, {.compression_type = "ZLIB"});
  const std::string damaged = "inflate() failed with error -3: incorrect header check";
  EXPECT_THAT(texts_of(records), ElementsAre(damaged, damaged));
}

TEST_F(FileDatasets, ReadImagesWithTheirLabels) {
  const auto images = folder_.path() / "images";
  testing::write_file(images,
                      testing::idx_bytes({2, 2, 3}, {1, 2, 3, 4, 5, 6, 250, 251, 252, 253, 254, 255}));
  testing::write_file(folder_.path() / "labels", testing::idx_bytes({2}, {7, 9}));
  const Dataset d =
      idx_dataset(images.string(), (folder_.path() / "labels").string(), {.rows = 2, .columns = 3});
  EXPECT_THAT(d.output_shapes(), ElementsAre(TensorShape({2, 3}), TensorShape()));
  std::vector<std::vector<Array>> seen;
  for (const std::vector<Array>& element : d) seen.push_back(element);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0][0], Array({{1, 2, 3}, {4, 5, 6}}).astype(DType::kUint8));
  EXPECT_EQ(seen[1][0], Array({{250, 251, 252}, {253, 254, 255}}).astype(DType::kUint8));
  EXPECT_EQ(seen[0][1], Array(uint8_t{7}));
  EXPECT_EQ(seen[1][1], Array(uint8_t{9}));
  const Dataset larger = idx_dataset(images.string(), (folder_.path() / "labels").string());
  EXPECT_THAT(texts_of(larger, 1)[0], StartsWith("Excluding the header (16 bytes) and footer (0 bytes)"));
}

}  // namespace
}  // namespace flowray::tf
