#include <flowray/errors.h>
#include <flowray/tf/example.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace flowray {
namespace {

/// Of this process alone; goes with the test.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("flowray_example_test" + std::to_string(::getpid()));
};

using tf::train::Example;
using tf::train::Feature;

/// The bytes that TensorFlow writes: Example(features=Features(feature={"a": int64_list [1, 300], "b":
/// float_list [0.5], "c": bytes_list [b"xy"]})).
TEST(Example, IsWrittenAsProtobufWritesIt) {
  const Example example{{{"a", {1, 300}}, {"b", {0.5}}, {"c", {"xy"}}}};
  const std::string bytes = example.serialize_to_string();
  const std::string expected(
      "\x0a\x2a"
      "\x0a\x0c\x0a\x01"
      "a\x12\x07\x1a\x05\x0a\x03\x01\xac\x02"
      "\x0a\x0d\x0a\x01"
      "b\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x3f"
      "\x0a\x0b\x0a\x01"
      "c\x12\x06\x0a\x04\x0a\x02xy",
      44);
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(Example::from_string(bytes), example);
}

TEST(Example, KeepsWhichListItHas) {
  EXPECT_EQ(*Feature(3).int64_list(), std::vector<int64_t>{3});
  EXPECT_EQ(*Feature(0.5f).float_list(), std::vector<float>{0.5f});
  EXPECT_EQ(*Feature("text").bytes_list(), std::vector<std::string>{"text"});
  EXPECT_EQ(*Feature(std::string("\0a", 2)).bytes_list(), std::vector<std::string>{std::string("\0a", 2)});
  EXPECT_EQ(Feature(3).float_list(), nullptr);
  EXPECT_FALSE(Feature().has_value());
  const Example nothing{{{"empty", Feature(Feature::FloatList())}, {"none", Feature()}}};
  EXPECT_EQ(Example::from_string(nothing.serialize_to_string()), nothing);
}

TEST(Example, RefusesDamagedBytes) {
  EXPECT_THROW((void)Example::from_string("\x0a\x7f"), errors::DataLossError);
  EXPECT_EQ(Example::from_string(""), Example());
}

TEST(TFRecords, AreReadAsTheyWereWritten) {
  const Folder folder;
  const auto path = folder / "records";
  const std::vector<std::string> records{"first", "", std::string("\0x", 2)};
  {
    tf::io::TFRecordWriter writer(path);
    for (const std::string& record : records) writer.write(record);
    writer.flush();
    EXPECT_EQ(tf::io::tf_records(path), records);
    writer.close();
    writer.close();
    EXPECT_THROW(writer.write("late"), errors::FailedPreconditionError);
  }
  EXPECT_EQ(tf::io::tf_records(path), records);
}

TEST(TFRecords, SayWhatIsWrongWithAFile) {
  const Folder folder;
  EXPECT_THROW((void)tf::io::tf_records(folder / "none"), errors::NotFoundError);
  EXPECT_THROW(tf::io::TFRecordWriter(folder / "none" / "file"), errors::NotFoundError);
  const auto path = folder / "damaged";
  tf::io::TFRecordWriter writer(path);
  writer.write("record");
  writer.close();
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(13);
  file.put('X');
  file.close();
  EXPECT_THROW((void)tf::io::tf_records(path), errors::DataLossError);
}

}  // namespace
}  // namespace flowray
