// The golden bytes were written by TensorFlow 2.21's tf.io.TFRecordWriter.

#include "files/record.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <string>

namespace flowray::files {
namespace {

using std::string_literals::operator""s;

// write(b"hello"), write(b"")
const std::string kGolden = "\x05\0\0\0\0\0\0\0"s + "\xea\xb2\x04\x3e" + "hello" + "\xbb\x1f\x1c\x19" +  //
                            "\0\0\0\0\0\0\0\0"s + "\x29\x03\x98\x07" + "\xd8\xea\x82\xa2";

TEST(Record, IsWrittenAsTensorFlowWritesIt) {
  std::string file;
  append_record(file, "hello");
  append_record(file, "");
  EXPECT_EQ(file, kGolden);
}

TEST(Record, IsReadBackToTheEnd) {
  RecordReader reader(kGolden);
  EXPECT_EQ(reader.next(), "hello");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.next(), std::nullopt);
}

std::string error_of(std::string_view file) {
  RecordReader reader(file);
  try {
    while (reader.next().has_value()) {
    }
  } catch (const errors::DataLossError& error) {
    return error.message();
  }
  return "";
}

TEST(Record, SaysWhereAFileIsCutOff) {
  for (size_t size = 1; size < kGolden.size(); ++size) {
    const size_t whole = 5 + kRecordFrameBytes;
    const size_t head = 12;  // a file that ends there ends before the record
    const bool has_head = size >= head && size != whole && (size < whole || size >= whole + head);
    const std::string expected =
        has_head ? fmt::format("truncated record at {}' failed with Read less bytes than requested",
                               size < whole ? 0 : whole)
                 : "";
    EXPECT_EQ(error_of(kGolden.substr(0, size)), expected) << size;
  }
}

TEST(Record, FindsEveryWrongBit) {
  for (size_t byte = 0; byte < kGolden.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = kGolden;
      wrong[byte] = static_cast<char>(wrong[byte] ^ (1 << bit));
      const std::string expected = byte < 12   ? "corrupted record at 0 (Is this even a TFRecord file?)"
                                   : byte < 21 ? "corrupted record at 12"
                                   : byte < 33 ? "corrupted record at 21"
                                               : "corrupted record at 33";
      EXPECT_EQ(error_of(wrong), expected) << byte;
    }
  }
}

TEST(Record, RefusesALengthThatNoFileHas) {
  // A length of 2^64 - 1 with its right checksum.
  std::string file(8, '\xff');
  std::string framed;
  append_record(framed, file);  // the checksum of these bytes as data is the one they need as a length
  file += framed.substr(framed.size() - 4);
  EXPECT_EQ(error_of(file + "data"), "truncated record at 0' failed with Read less bytes than requested");
}

}  // namespace
}  // namespace flowray::files
