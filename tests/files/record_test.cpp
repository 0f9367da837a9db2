// The golden bytes were written by TensorFlow 2.21's tf.io.TFRecordWriter.

#include "files/record.h"

#include <flowray/errors.h>

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
    const std::string expected = size == whole  ? ""
                                 : size < whole ? "truncated record at 0"
                                                : "truncated record at 21";
    EXPECT_EQ(error_of(kGolden.substr(0, size)), expected) << size;
  }
}

TEST(Record, FindsEveryWrongBit) {
  for (size_t byte = 0; byte < kGolden.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = kGolden;
      wrong[byte] = static_cast<char>(wrong[byte] ^ (1 << bit));
      EXPECT_EQ(error_of(wrong), byte < 21 ? "corrupted record at 0" : "corrupted record at 21") << byte;
    }
  }
}

TEST(Record, RefusesALengthThatNoFileHas) {
  // A length of 2^64 - 1 with its right checksum.
  std::string file(8, '\xff');
  std::string framed;
  append_record(framed, file);  // the checksum of these bytes as data is the one they need as a length
  file += framed.substr(framed.size() - 4);
  EXPECT_EQ(error_of(file + "data"), "truncated record at 0");
}

}  // namespace
}  // namespace flowray::files
