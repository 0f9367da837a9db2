// Events on a full disk: what is kept, what is dropped, and what is said.

#include "files/event_file.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>

#include "support/idx_files.h"
#include "support/interposed/file_calls.h"

namespace flowray::files {
namespace {

using flowray::testing::FileCalls;
using flowray::testing::TestFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kMiB = 1 << 20;
constexpr size_t kFrameBytes = 16;  // a record's length, and two checksums

class EventFileOnAFullDisk : public ::testing::Test {
 protected:
  EventFileOnAFullDisk() : calls_(folder_.path()), file_(std::in_place, folder_.path(), "", kNever) {
    begin_bytes_ = bytes();
    ::testing::internal::CaptureStderr();
  }
  ~EventFileOnAFullDisk() override {
    if (file_) (void)end();
  }
  size_t bytes() const { return std::filesystem::file_size(file_->path()); }
  void fill_disk() { calls_.fail_from(calls_.count(), ENOSPC); }
  /// What was said until the file has ended.
  std::string end() {
    file_.reset();
    return ::testing::internal::GetCapturedStderr();
  }

  static constexpr std::chrono::hours kNever{1};
  const TestFolder folder_;
  FileCalls calls_;
  std::optional<EventFile> file_;
  size_t begin_bytes_ = 0;
};

TEST_F(EventFileOnAFullDisk, KeepsWhatThereIsRoomFor) {
  fill_disk();
  file_->add(std::string(10 * kMiB, 'a'));
  calls_.relent();
  file_->flush();
  EXPECT_EQ(bytes(), begin_bytes_ + kFrameBytes + 10 * kMiB);
}

TEST_F(EventFileOnAFullDisk, DropsAnEventThatAloneIsTooLong) {
  fill_disk();
  file_->add("before");
  file_->add(std::string(17 * kMiB, 'a'));
  calls_.relent();
  file_->flush();
  EXPECT_EQ(bytes(), begin_bytes_ + kFrameBytes + 6);
  EXPECT_THAT(end(), HasSubstr("is written again, 1 events were dropped"));
}

TEST_F(EventFileOnAFullDisk, SaysAtItsEndHowManyWereDropped) {
  fill_disk();
  file_->add(std::string(15 * kMiB, 'a'));
  for (int i = 0; i < 3; ++i) file_->add(std::string(2 * kMiB, 'b'));
  calls_.relent();
  EXPECT_THAT(end(), HasSubstr("could not be written for a while, 3 events were dropped"));
}

TEST_F(EventFileOnAFullDisk, SaysNothingWhereNothingIsLost) {
  file_->add(std::string(17 * kMiB, 'a'));
  file_->flush();
  EXPECT_EQ(bytes(), begin_bytes_ + kFrameBytes + 17 * kMiB);
  EXPECT_THAT(end(), IsEmpty());
}

}  // namespace
}  // namespace flowray::files
