// Event files, read back by our own reader of records and by real TensorFlow where FLOWRAY_ORACLE_PYTHON
// names a Python that has it (the bytes of records and events are TensorFlow's by tests/files/record_test.cpp
// and tests/wire/event_test.cpp).

#include <flowray/tf/summary.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <thread>

#include "files/record.h"
#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestFolder;
using tf::summary::FileWriter;

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found.insert(entry.path());
  return {found.begin(), found.end()};
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The messages of the only file in `folder`.
std::vector<std::string> events_in(const std::filesystem::path& folder) {
  const auto files = files_in(folder);
  EXPECT_EQ(files.size(), 1u);
  const std::string bytes = bytes_of(files.at(0));
  files::RecordReader reader(bytes);
  std::vector<std::string> events;
  for (auto event = reader.next(); event.has_value(); event = reader.next()) events.emplace_back(*event);
  return events;
}

TEST(FileWriter, MakesAFileThatTensorBoardFindsInFoldersThatItMakes) {
  const TestFolder folder;
  const auto logdir = folder.path() / "a" / "b";
  const FileWriter writer(logdir, {.filename_suffix = ".train"});
  const auto files = files_in(logdir);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(std::regex_match(files[0].filename().string(),
                               std::regex("events\\.out\\.tfevents\\.[0-9]{10}\\.[^/]+\\.train")))
      << files[0];
  ASSERT_EQ(events_in(logdir).size(), 1u);
  EXPECT_THAT(events_in(logdir)[0], EndsWith("brain.Event:2"));
}

TEST(FileWriter, KeepsEventsUntilTheyAreFlushed) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  writer.add_summary({{"loss", 0.5}}, 1);
  EXPECT_EQ(events_in(folder.path()).size(), 1u);
  writer.flush();
  EXPECT_EQ(events_in(folder.path()).size(), 2u);
  EXPECT_THAT(events_in(folder.path())[1], HasSubstr("loss"));
}

TEST(FileWriter, LosesNothingWhenItCloses) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  writer.add_summary({{"loss", 0.5}}, 1);
  writer.close();
  EXPECT_EQ(events_in(folder.path()).size(), 2u);
  writer.close();
  writer.flush();
  EXPECT_EQ(events_in(folder.path()).size(), 2u);
}

TEST(FileWriter, LosesNothingWhenItGoes) {
  const TestFolder folder;
  {
    FileWriter first(folder.path());
    first.add_summary({{"loss", 0.5}}, 1);
    FileWriter second = std::move(first);
    second.add_summary({{"loss", 0.25}}, 2);
  }
  EXPECT_EQ(events_in(folder.path()).size(), 3u);
}

TEST(FileWriter, WritesAtOnceWithoutAFlushInterval) {
  const TestFolder folder;
  FileWriter writer(folder.path(), {.flush_secs = 0});
  writer.add_summary({{"loss", 0.5}}, 1);
  EXPECT_EQ(events_in(folder.path()).size(), 2u);
}

TEST(FileWriter, WritesWhenManyEventsHaveGathered) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  for (int i = 0; i < 3000; ++i) writer.add_summary({{"loss", 0.5}}, i);
  EXPECT_GT(events_in(folder.path()).size(), 1000u);
}

TEST(FileWriter, RefusesWorkOnceItIsClosedUntilItIsReopened) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  writer.close();
  EXPECT_THROW(writer.add_summary({{"loss", 0.5}}, 1), RuntimeError);
  writer.reopen();
  writer.add_summary({{"loss", 0.5}}, 1);
  writer.close();
  EXPECT_EQ(files_in(folder.path()).size(), 2u);
}

TEST(FileWriter, LeavesFilesOfOthersAloneThatBeganInTheSameSecond) {
  const TestFolder folder;
  std::vector<FileWriter> writers;
  for (int i = 0; i < 5; ++i) writers.emplace_back(folder.path());
  for (FileWriter& writer : writers) writer.close();
  EXPECT_EQ(files_in(folder.path()).size(), 5u);
  for (const auto& file : files_in(folder.path())) EXPECT_THAT(bytes_of(file), HasSubstr("brain.Event:2"));
}

TEST(FileWriter, TakesEventsFromSeveralThreads) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&writer, thread] {
        for (int i = 0; i < 500; ++i) writer.add_summary({{"thread" + std::to_string(thread), 1.0}}, i);
      });
    }
  }
  writer.close();
  EXPECT_EQ(events_in(folder.path()).size(), 2001u);
}

TEST(FileWriter, SaysWhyAFolderCannotBeUsed) {
  const TestFolder folder;
  std::ofstream(folder.path() / "file") << "text";
  try {
    const FileWriter writer(folder.path() / "file" / "logs");
    FAIL() << "nothing was thrown";
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_THAT(error.message(), AllOf(HasSubstr("file"), HasSubstr("; Not a directory\n")));
  }
  EXPECT_THROW(FileWriter("/proc/nothing-is-made-here"), Error);
  EXPECT_THROW(FileWriter(folder.path(), {.flush_secs = -1}), ValueError);
}

TEST(FileWriter, SaysThatItMayNotWrite) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TestFolder folder;
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(FileWriter(folder.path()), errors::PermissionDeniedError);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

/// Files of this process cannot grow beyond so many bytes while it lives: what a full disk looks like.
class LimitedFiles {
 public:
  explicit LimitedFiles(size_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~LimitedFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(FileWriter, GoesOnWhereItStoppedWhenTheDiskWasFull) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  for (int i = 0; i < 10; ++i) writer.add_summary({{"loss", 0.5}}, i);
  {
    const LimitedFiles limited(100);  // in the midst of a record
    EXPECT_THROW(writer.flush(), errors::ResourceExhaustedError);
    EXPECT_THROW(writer.close(), errors::ResourceExhaustedError);
    writer.add_summary({{"loss", 0.5}}, 10);
  }
  writer.close();
  EXPECT_EQ(events_in(folder.path()).size(), 12u);
}

TEST(FileWriter, DropsEventsWhereTheDiskStaysFullAndSaysHowMany) {
  const TestFolder folder;
  const std::string large(1'100'000, 'x');
  FileWriter writer(folder.path());
  ::testing::internal::CaptureStderr();
  {
    const LimitedFiles limited(1000);  // of what is captured, too
    for (int i = 0; i < 40; ++i) writer.add_event(large);
    EXPECT_THROW(writer.flush(), errors::ResourceExhaustedError);
  }
  const std::string path = files_in(folder.path()).at(0);
  const std::string stuck = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(stuck, StartsWith("flowray: " + path + "; File too large: events are kept in memory"));
  EXPECT_EQ(std::ranges::count(stuck, '\n'), 1) << "it is said once";
  ::testing::internal::CaptureStderr();
  writer.flush();
  // In 16 MiB there is room for 15.
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "flowray: " + path + " is written again, 25 events were dropped\n");
  writer.add_summary({{"loss", 0.5}}, 40);
  writer.close();
  const std::vector<std::string> events = events_in(folder.path());
  ASSERT_EQ(events.size(), 1u + 15 + 1);
  EXPECT_THAT(events[15], HasSubstr(large));
  EXPECT_THAT(events[16], HasSubstr("loss"));
}

TEST(FileWriter, RefusesWhatIsNotASummary) {
  const TestFolder folder;
  FileWriter writer(folder.path());
  EXPECT_THROW(writer.add_serialized_summary("garbage", 1), ValueError);
  writer.add_serialized_summary("", 2);
  writer.close();
  EXPECT_EQ(events_in(folder.path()).size(), 2u);
}

// Prints what TensorFlow reads: step, tag, value.
constexpr const char* kReader = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
for event in tf.train.summary_iterator(sys.argv[1]):
    for value in event.summary.value:
        print(event.step, value.tag, value.simple_value, 0 < event.wall_time)
    if event.file_version:
        print(event.file_version)
)";

TEST(FileWriter, IsReadByTensorFlow) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  const TestFolder folder;
  FileWriter writer(folder.path());
  tf::Summary summary({{"loss", 0.25}});
  summary.add_value("images/s", -3);
  writer.add_summary(summary, 7);
  writer.add_summary({{"accuracy", 0}}, int64_t{1} << 40);
  writer.close();
  testing::ChildProcess process({python, "-c", kReader, files_in(folder.path()).at(0)});
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(process.output(),
            "brain.Event:2\n7 loss 0.25 True\n7 images/s -3.0 True\n1099511627776 accuracy 0.0 True\n");
}

}  // namespace
}  // namespace flowray
