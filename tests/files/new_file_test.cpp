// What stands under a file's name when the one that is written there is stopped,
// for all that write whole files.

#include "files/new_file.h"

#include <flowray/array.h>
#include <flowray/errors.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include "files/file_contents.h"
#include "files/npy.h"
#include "support/idx_files.h"
#include "support/interposed/file_calls.h"
#include "support/lost_power.h"

namespace flowray::files {
namespace {

namespace fs = std::filesystem;
using flowray::testing::DiskState;
using flowray::testing::FileCall;
using flowray::testing::FileCalls;
using flowray::testing::TestFolder;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

struct Writer {
  const char* name;
  std::function<void(const fs::path&, int value, const FileAccess&)> write;
  std::function<int(const fs::path&)> read;  // fails the test for a part
  bool is_confined = false;
};

std::ostream& operator<<(std::ostream& out, const Writer& writer) { return out << writer.name; }

/// More than what is gathered before it is written, and of one length for each value.
std::string text_of(int value) {
  return std::string(static_cast<size_t>(100'000 * value), static_cast<char>('0' + value));
}
Array array_of(int value) {
  return Array(std::vector<float>(static_cast<size_t>(20'000 * value), static_cast<float>(value)));
}

int value_of(const std::string& text) {
  for (const int value : {1, 2}) {
    if (text == text_of(value)) return value;
  }
  ADD_FAILURE() << text.size() << " bytes";
  return 0;
}

int value_of(const Array& array) {
  for (const int value : {1, 2}) {
    if (array == array_of(value)) return value;
  }
  ADD_FAILURE() << array.shape().to_string();
  return 0;
}

void write_text(const fs::path& path, int value, const FileAccess& access) {
  write_file(path, text_of(value), access);
}
int read_text(const fs::path& path) { return value_of(read_file(path, FileAccess::all())); }

class WholeFile : public ::testing::TestWithParam<Writer> {
 protected:
  fs::path folder() const { return folder_.path() / "files"; }
  fs::path path() const { return folder() / "file"; }

  void begin() const {
    fs::remove_all(folder());
    GetParam().write(path(), 1, FileAccess::all());
  }
  void write_new() const {
    const bool is_confined = GetParam().is_confined;
    const FileRules rules{.root = is_confined ? folder_.path().string() : "", .only_regular = true};
    GetParam().write(path(), 2, is_confined ? FileAccess(rules) : FileAccess::all());
  }
  int value() const { return GetParam().read(path()); }

  size_t count_calls() const {
    begin();
    const FileCalls calls(folder());
    write_new();
    return calls.count();
  }

  const flowray::testing::WithoutWaiting without_waiting_;
  const TestFolder folder_;
};

TEST_P(WholeFile, IsTheOldOrTheNewWhereverItIsKilled) {
  const size_t num_calls = count_calls();
  RecordProperty("stops", static_cast<int>(num_calls));
  EXPECT_GE(num_calls, 8u) << "open, write, sync, close, rename; open, sync, close of the folder";
  for (size_t number = 0; number < num_calls; ++number) {
    SCOPED_TRACE(number);
    begin();
    const pid_t child = ::fork();
    if (child == 0) {
      FileCalls calls(folder());
      calls.kill_at(number);
      write_new();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    EXPECT_THAT(value(), AnyOf(1, 2));
  }
}

TEST_P(WholeFile, IsTheOldOrTheNewWhateverFails) {
  const size_t num_calls = count_calls();
  RecordProperty("stops", static_cast<int>(2 * num_calls));
  for (const auto& [error_number, code] :
       {std::pair(ENOSPC, Code::kResourceExhausted), {EIO, Code::kUnknown}}) {
    for (size_t number = 0; number < num_calls; ++number) {
      begin();
      FileCalls calls(folder());
      calls.fail_at(number, error_number);
      bool is_refused = false;
      try {
        write_new();
      } catch (const errors::OpError& error) {
        is_refused = true;
        EXPECT_EQ(error.code(), code);
        EXPECT_THAT(error.message(),
                    AnyOf(StartsWith(path().string() + "; "), StartsWith(folder().string() + "; ")));
      }
      SCOPED_TRACE(::testing::Message() << "call " << number << ", " << name_of(calls.failed()));
      EXPECT_THAT(value(), AnyOf(1, 2));
      if (!is_refused) {
        EXPECT_EQ(value(), 2);
      }
      EXPECT_THAT(names_in(folder()), ElementsAre("file"));
    }
  }
}

TEST_P(WholeFile, IsTheOldOrTheNewWhenThePowerFails) {
  begin();
  const DiskState initial = flowray::testing::read_disk(folder());
  std::vector<FileCall> calls;
  {
    const FileCalls recorded(folder());
    write_new();
    calls = recorded.done();
  }
  const fs::path after = folder_.path() / "after";
  for (size_t i = 0; i <= calls.size(); ++i) {
    SCOPED_TRACE(i);
    for (const DiskState& state : states_after_power_loss(initial, calls, i)) {
      flowray::testing::write_disk(state, folder(), after);
      const int value = GetParam().read(after / "file");
      if (i == calls.size()) {
        EXPECT_EQ(value, 2) << "it was said to be there";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, WholeFile,
                         ::testing::Values(Writer{"Text", write_text, read_text},
                                           Writer{"TextConfined", write_text, read_text, true},
                                           Writer{"Npy",
                                                  [](const fs::path& path, int value, const FileAccess&) {
                                                    write_npy(path, array_of(value));
                                                  },
                                                  [](const fs::path& path) {
                                                    return value_of(read_npy(path));
                                                  }}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(NewFile, IsNotThereBeforeItIsPublished) {
  const TestFolder folder;
  {
    NewFile file(folder.path() / "file", FileAccess::all());
    file.append("text");
    file.finish();
    EXPECT_THAT(file.temporary().string(), StartsWith((folder.path() / "file.tempstate").string()));
    EXPECT_EQ(read_file(file.temporary(), FileAccess::all()), "text");
    EXPECT_THAT(names_in(folder.path()), ElementsAre(file.temporary().filename().string()));
  }
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(NewFile, MakesFoldersThatOutliveTheLossOfPower) {
  const TestFolder folder;
  const FileCalls calls(folder.path());
  write_file(folder.path() / "a" / "b" / "file", "text", FileAccess::all());
  std::vector<std::string> made_and_synchronised;
  for (const FileCall& call : calls.done()) {
    const std::string name = fs::path(call.path).lexically_relative(folder.path());
    if (call.kind == FileCall::Kind::kMkdir) made_and_synchronised.push_back("+" + name);
    if (call.kind == FileCall::Kind::kSync && !name.starts_with("a/b/"))
      made_and_synchronised.push_back(name);
  }
  EXPECT_THAT(made_and_synchronised, ElementsAre("+a", ".", "+a/b", "a", "a/b"));
}

TEST(NewFile, HasThePermissionsOfTheOldOne) {
  const TestFolder folder;
  const fs::path path = folder.path() / "file";
  write_file(path, "old", FileAccess::all());
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "new", FileAccess::all());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(NewFile, MayHaveTheLongestName) {
  const TestFolder folder;
  const fs::path path = folder.path() / std::string(255, 'x');
  write_file(path, "text", FileAccess::all());
  EXPECT_EQ(read_file(path, FileAccess::all()), "text");
}

// The file that such a name stands for to the system is there already: no new one could be made beside it.
TEST(NewFile, RefusesANameWithAZeroByte) {
  const TestFolder folder;
  const std::string path = folder.path() / "file";
  write_file(path, "old", FileAccess::all());
  const std::string with_zero_byte = path + std::string("\0tail", 5);
  try {
    write_file(with_zero_byte, "new", FileAccess::all());
    FAIL() << "no error";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_THAT(error.message(), StartsWith(with_zero_byte + "; Invalid argument\n"));
  }
  EXPECT_THROW((void)read_file(with_zero_byte, FileAccess::all()), errors::InvalidArgumentError);
  EXPECT_EQ(read_file(path, FileAccess::all()), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file"));
}

TEST(NewFileThrough, ALinkIsTheFileThatItNames) {
  const TestFolder folder;
  fs::create_directory(folder.path() / "far");
  const fs::path far = folder.path() / "far" / "file";
  const fs::path link = folder.path() / "link";
  write_file(far, "old", FileAccess::all());
  fs::create_symlink("far/file", link);
  write_file(link, "new", FileAccess::all());
  EXPECT_EQ(read_file(far, FileAccess::all()), "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("far", "link"));
}

TEST(NewFileThrough, APipeIsWrittenInto) {
  const TestFolder folder;
  const fs::path path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path, "text", FileAccess::all());
  char bytes[8];
  EXPECT_EQ(::read(reader, bytes, sizeof(bytes)), 4);
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(NewFileThrough, AFolderIsRefused) {
  const TestFolder folder;
  EXPECT_THROW(write_file(folder.path(), "text", FileAccess::all()), errors::FailedPreconditionError);
}

TEST(NewFileThrough, AFolderThatTakesNoFilesIsNoReasonToRefuseOneThatIsThere) {
  const TestFolder folder;
  const fs::path path = folder.path() / "file";
  write_file(path, "an older one", FileAccess::all());
  size_t first_open = 0;
  {
    const FileCalls recorded(folder.path());
    write_file(path, "an old one", FileAccess::all());
    const std::vector<FileCall> done = recorded.done();
    while (done.at(first_open).kind != FileCall::Kind::kOpen) ++first_open;
  }
  FileCalls calls(folder.path());
  calls.fail_at(first_open, EACCES);
  write_file(path, "new", FileAccess::all());
  EXPECT_EQ(calls.failed(), FileCall::Kind::kOpen);
  EXPECT_EQ(read_file(path, FileAccess::all()), "new");
}

}  // namespace
}  // namespace flowray::files
