#include "files/lock_file.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

#include <cerrno>

#include "files/file_contents.h"
#include "support/idx_files.h"
#include "support/interposed/file_calls.h"

namespace flowray::files {
namespace {

using flowray::testing::FileCalls;
using flowray::testing::TestFolder;

TEST(LockFile, IsThereAsLongAsTheObject) {
  const TestFolder folder;
  const auto path = folder.path() / "lock";
  {
    const LockFile lock(path, "whose", FileAccess::all());
    EXPECT_EQ(read_file(path, FileAccess::all()), "whose");
    EXPECT_THROW(LockFile(path, "another's", FileAccess::all()), errors::AlreadyExistsError);
    EXPECT_EQ(read_file(path, FileAccess::all()), "whose") << "who was refused leaves it as it is";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(LockFile, IsNotLeftBehindWhereItCannotBeWritten) {
  const TestFolder folder;
  const auto path = folder.path() / "lock";
  FileCalls calls(folder.path());
  calls.fail_at(1, ENOSPC);  // the write
  EXPECT_THROW(LockFile(path, "whose", FileAccess::all()), errors::ResourceExhaustedError);
  calls.relent();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(LockFile, IsMadeByTheRulesOfItsSession) {
  const TestFolder folder;
  EXPECT_THROW(LockFile(folder.path() / "lock", "", FileAccess({.no_files = true})),
               errors::PermissionDeniedError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "lock"));
}

}  // namespace
}  // namespace flowray::files
