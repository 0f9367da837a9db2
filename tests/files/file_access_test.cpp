#include "files/file_access.h"

#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "files/file_contents.h"
#include "support/idx_files.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace flowray::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFolder;

void write_content(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder that may be used, with "a.txt" and "deep/b.txt" in it, and beside it one that may not, with
/// "secret". Once with the kernel's help, once without.
class Confined : public ::testing::TestWithParam<bool> {
 protected:
  Confined() {
    write_content(root() / "a.txt", "a");
    write_content(root() / "deep" / "b.txt", "b");
    write_content(outside() / "secret", "s");
  }
  std::filesystem::path root() const { return folder_.path() / "root"; }
  std::filesystem::path outside() const { return folder_.path() / "outside"; }
  FileAccess access() const { return FileAccess({.root = root(), .without_openat2 = GetParam()}); }
  std::string read(const std::filesystem::path& path) const { return read_file(path.string(), access()); }

  const TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Kernels, Confined, ::testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "WithoutOpenat2" : "WithOpenat2"; });

TEST_P(Confined, ReadsWhatIsBelow) {
  EXPECT_EQ(read("a.txt"), "a");
  EXPECT_EQ(read(root() / "a.txt"), "a");
  EXPECT_EQ(read("./deep//b.txt"), "b");
  EXPECT_EQ(read_file("file://" + (root() / "deep" / "b.txt").string(), access()), "b");
  EXPECT_THROW(read("none.txt"), errors::NotFoundError);
  EXPECT_THROW(read("deep"), errors::FailedPreconditionError);
}

TEST_P(Confined, ReadsNothingElse) {
  std::filesystem::create_symlink(outside(), root() / "link");
  std::filesystem::create_symlink("../outside/secret", root() / "file_link");
  std::filesystem::create_symlink("/", root() / "everything");
  for (const std::filesystem::path& path :
       {outside() / "secret", std::filesystem::path("../outside/secret"),
        root() / ".." / "outside" / "secret", std::filesystem::path("deep/../../outside/secret"),
        std::filesystem::path("link/secret"), std::filesystem::path("file_link"),
        std::filesystem::path("everything/etc/passwd"), std::filesystem::path("/etc/passwd"),
        std::filesystem::path("/proc/self/root/etc/passwd"),
        std::filesystem::path(root().string() + "/../outside/secret"),
        // The same letters at the beginning make no folder.
        std::filesystem::path(root().string() + "_too"), std::filesystem::path("..")}) {
    try {
      (void)read(path);
      FAIL() << path << " is outside";
    } catch (const errors::PermissionDeniedError& error) {
      EXPECT_THAT(error.message(), HasSubstr(path.string() + "; Permission denied\n"));
      EXPECT_THAT(error.message(), HasSubstr(root().string())) << "the folder that may be used is named";
    }
  }
  EXPECT_THROW(read(std::string("a.txt\0/../../outside/secret", 27)), errors::InvalidArgumentError);
  // Whether something is there is not told either.
  EXPECT_THROW(read(outside() / "none"), errors::PermissionDeniedError);
  EXPECT_THROW((void)access().exists(outside()), errors::PermissionDeniedError);
}

TEST_P(Confined, WritesNothingElse) {
  std::filesystem::create_directory_symlink(outside(), root() / "link");
  std::filesystem::create_symlink("../outside/new", root() / "new");  // of a file that is not there
  for (const std::string path : {"../outside/x", "link/x", "link/deep/x", "new", "../x"}) {
    EXPECT_THROW(write_file(path, "x", access()), errors::PermissionDeniedError) << path;
  }
  EXPECT_THROW(write_file("", "x", access()), errors::NotFoundError);
  EXPECT_THROW(write_file(outside() / "secret", "x", access()), errors::PermissionDeniedError);
  EXPECT_THROW(append_to_file(outside() / "secret", "x", access()), errors::PermissionDeniedError);
  EXPECT_THROW(access().remove_file(outside() / "secret"), errors::PermissionDeniedError);
  EXPECT_THROW(access().remove_file("link/secret"), errors::PermissionDeniedError);
  EXPECT_THROW(access().rename("a.txt", outside() / "a.txt"), errors::PermissionDeniedError);
  EXPECT_THROW(access().rename(outside() / "secret", "mine"), errors::PermissionDeniedError);
  EXPECT_THROW(access().rename("a.txt", "link/a.txt"), errors::PermissionDeniedError);
  EXPECT_THROW(access().make_folders("../outside/more", "../outside/more"), errors::PermissionDeniedError);
  EXPECT_THROW(access().make_folders("link/more", "link/more"), errors::PermissionDeniedError);
  access().remove_empty_folder("../outside");
  EXPECT_EQ(content_of(outside() / "secret"), "s");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside()), {}), 1);
}

TEST_P(Confined, WritesBelow) {
  write_file("new/folder/c.txt", "c", access());
  EXPECT_EQ(content_of(root() / "new" / "folder" / "c.txt"), "c");
  append_to_file("new/folder/c.txt", "d", access());
  EXPECT_EQ(content_of(root() / "new" / "folder" / "c.txt"), "cd");
  write_file((root() / "a.txt").string(), "", access());
  EXPECT_EQ(content_of(root() / "a.txt"), "");
  access().rename("new/folder/c.txt", "c.txt");
  EXPECT_EQ(content_of(root() / "c.txt"), "cd");
  access().remove_empty_folder("new/folder");
  access().remove_empty_folder("deep");  // is not
  EXPECT_FALSE(std::filesystem::exists(root() / "new" / "folder"));
  EXPECT_TRUE(std::filesystem::exists(root() / "deep" / "b.txt"));
  access().remove_file("c.txt");
  access().remove_file("c.txt");
  access().remove_file("never/there");
  EXPECT_FALSE(std::filesystem::exists(root() / "c.txt"));
}

TEST_P(Confined, FindsWhatIsBelow) {
  std::filesystem::create_directory_symlink(outside(), root() / "link");
  EXPECT_THAT(matching_files("*.txt", access()), ElementsAre("./a.txt"));
  EXPECT_THAT(matching_files((root() / "*" / "*").string(), access()),
              ElementsAre((root() / "deep" / "b.txt").string()));
  EXPECT_THAT(matching_files("a.txt", access()), ElementsAre("a.txt"));
  EXPECT_THROW(matching_files(outside() / "*", access()), errors::PermissionDeniedError);
  EXPECT_THROW(matching_files(outside() / "secret", access()), errors::PermissionDeniedError);
  EXPECT_THROW(matching_files("../*/secret", access()), errors::PermissionDeniedError);
}

TEST_P(Confined, KeepsCheckpointsBelow) {
  BundleWriter writer("run/model", access());
  writer.add("x", Array(1.f));
  writer.finish();
  EXPECT_EQ(BundleReader((root() / "run" / "model").string(), access()).read("x"), Array(1.f));
  EXPECT_THROW(BundleWriter("../outside/model", access()), errors::PermissionDeniedError);
  EXPECT_THROW(BundleReader("../outside/model", access()), errors::PermissionDeniedError);
  merge_bundles({"run/model"}, "all", false, access());
  EXPECT_EQ(BundleReader("all", access()).read("x"), Array(1.f));
  EXPECT_THROW(merge_bundles({"all"}, outside() / "all", false, access()), errors::PermissionDeniedError);
  EXPECT_TRUE(std::filesystem::exists(root() / "all.index"));
}

TEST(FileAccess, FollowsLinksThatStayBelow) {
  const TestFolder folder;
  write_content(folder.path() / "a" / "x", "x");
  std::filesystem::create_symlink("a", folder.path() / "link");
  const FileAccess access({.root = folder.path()});
  EXPECT_EQ(read_file("link/x", access), "x");
}

TEST(FileAccess, KnowsItsRootByEachOfItsNames) {
  const TestFolder folder;
  write_content(folder.path() / "real" / "x", "x");
  std::filesystem::create_directory_symlink("real", folder.path() / "named");
  const FileAccess access({.root = folder.path() / "named"});
  EXPECT_EQ(read_file(folder.path() / "named" / "x", access), "x");
  EXPECT_EQ(read_file(folder.path() / "real" / "x", access), "x");
}

TEST(FileAccess, MayBeTheWholeSystem) {
  const TestFolder folder;
  write_content(folder.path() / "x", "x");
  EXPECT_EQ(read_file(std::filesystem::absolute(folder.path() / "x").string(), FileAccess({.root = "/"})),
            "x");
}

TEST(FileAccess, NeedsARootThatIsAFolder) {
  const TestFolder folder;
  write_content(folder.path() / "file", "");
  EXPECT_THROW(FileAccess({.root = folder.path() / "none"}), errors::NotFoundError);
  EXPECT_THROW(FileAccess({.root = folder.path() / "file"}), errors::FailedPreconditionError);
}

TEST(FileAccess, MayBeToNothing) {
  const TestFolder folder;
  write_content(folder.path() / "x", "x");
  const std::string path = folder.path() / "x";
  const FileAccess access({.no_files = true});
  EXPECT_THROW(read_file(path, access), errors::PermissionDeniedError);
  EXPECT_THROW(write_file(path, "y", access), errors::PermissionDeniedError);
  EXPECT_THROW(write_file(folder.path() / "new" / "y", "y", access), errors::PermissionDeniedError);
  EXPECT_THROW(matching_files(path, access), errors::PermissionDeniedError);
  EXPECT_THROW(matching_files(folder.path() / "*", access), errors::PermissionDeniedError);
  EXPECT_THROW(BundleReader(path, access), errors::PermissionDeniedError);
  EXPECT_THROW(BundleWriter(path, access), errors::PermissionDeniedError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "new"));
  EXPECT_EQ(content_of(path), "x");
}

TEST(FileAccess, MayBeToRegularFilesOnly) {
  const TestFolder folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const FileAccess access({.only_regular = true, .most_read_bytes = 1 << 20});  // or a fault reads for ever
  EXPECT_THROW(read_file(pipe, access), errors::FailedPreconditionError);  // and does not wait for a writer
  EXPECT_THROW(write_file(pipe, "x", access), errors::FailedPreconditionError);
  EXPECT_THROW(append_to_file(pipe, "x", access), errors::FailedPreconditionError);
  EXPECT_THROW(read_file("/dev/zero", access), errors::FailedPreconditionError);
  EXPECT_THROW(StoredFile("/dev/zero", access), errors::FailedPreconditionError);
  try {
    (void)read_file("/dev/zero", access);
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_THAT(error.message(), HasSubstr("/dev/zero; Not a regular file\n"));
  }
  write_file(folder.path() / "x", "long", access);
  write_file(folder.path() / "x", "x", access);
  EXPECT_EQ(read_file(folder.path() / "x", access), "x");
}

TEST(FileAccess, ReadsNoMoreThanItIsAllowed) {
  const TestFolder folder;
  write_content(folder.path() / "x", "12345");
  EXPECT_EQ(read_file(folder.path() / "x", FileAccess({.most_read_bytes = 5})), "12345");
  EXPECT_THROW(read_file(folder.path() / "x", FileAccess({.most_read_bytes = 4})),
               errors::ResourceExhaustedError);
  // A file of a size that nobody has in memory, and one that does not say its size.
  ASSERT_EQ(::truncate((folder.path() / "x").c_str(), off_t{1} << 40), 0);
  EXPECT_THROW(read_file(folder.path() / "x", FileAccess({.most_read_bytes = 1 << 20})),
               errors::ResourceExhaustedError);
  EXPECT_THROW(read_file("/dev/zero", FileAccess({.most_read_bytes = 1 << 20})),
               errors::ResourceExhaustedError);
}

}  // namespace
}  // namespace flowray::files
