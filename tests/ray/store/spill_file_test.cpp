#include "ray/store/spill_file.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace flowray::ray {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> pattern(size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 31 + seed) & 0xFF);
  return bytes;
}

class SpillFileTest : public ::testing::Test {
 protected:
  SpillFileTest() {
    char name[] = "/var/tmp/flowray-spill-test-XXXXXX";
    folder = mkdtemp(name);
  }
  ~SpillFileTest() override { fs::remove_all(folder); }
  static std::vector<std::byte> read(const SpillFile& file, const Spilled& value) {
    std::vector<std::byte> bytes(value.size_bytes);
    file.read(value, bytes);
    return bytes;
  }

  std::string folder;
};

TEST_F(SpillFileTest, ReadsWhatItWrote) {
  SpillFile file(folder);
  std::vector<Spilled> spilled;
  const std::vector<size_t> sizes{1, 63, 40'000, 1 << 20, 4097};
  for (size_t i = 0; i < sizes.size(); ++i)
    spilled.push_back(file.write(pattern(sizes[i], static_cast<unsigned>(i))));
  for (size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(read(file, spilled[i]), pattern(sizes[i], static_cast<unsigned>(i))) << i;
}

TEST_F(SpillFileTest, TakesTheRoomOfWhatWasRemoved) {
  SpillFile file(folder);
  const Spilled first = file.write(pattern(1 << 20, 1));
  const Spilled second = file.write(pattern(1 << 20, 2));
  file.remove(first);
  EXPECT_EQ(file.used_bytes(), uint64_t{1} << 20);
  const Spilled third = file.write(pattern(1 << 20, 3));
  EXPECT_EQ(third.offset, first.offset);
  EXPECT_EQ(read(file, second), pattern(1 << 20, 2));
  EXPECT_EQ(read(file, third), pattern(1 << 20, 3));
}

TEST_F(SpillFileTest, HasNoNameInItsFolder) {
  SpillFile file(folder);
  file.write(pattern(100, 1));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(SpillFileTest, FindsDamage) {
  SpillFile file(folder);
  Spilled value = file.write(pattern(1000, 1));
  value.crc ^= 1;
  EXPECT_THROW(read(file, value), errors::DataLossError);
  value.crc ^= 1;
  EXPECT_EQ(read(file, value), pattern(1000, 1));
  ASSERT_EQ(pwrite(file.descriptor(), "!", 1, static_cast<off_t>(value.offset) + 500), 1);
  EXPECT_THROW(read(file, value), errors::DataLossError);
  ASSERT_EQ(ftruncate(file.descriptor(), 10), 0);
  EXPECT_THROW(read(file, value), errors::DataLossError);
}

TEST_F(SpillFileTest, SaysWhatIsLacking) {
  SpillFile nowhere(folder + "/nowhere");
  try {
    nowhere.write(pattern(10, 1));
    FAIL() << "it was written";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_NE(error.message().find("No such file or directory; Init's object_spilling_directory"),
              std::string::npos)
        << error.message();
  }
}

TEST_F(SpillFileTest, HeedsTheLimitOfFiles) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    SpillFile file(folder);
    try {
      file.write(pattern(1 << 20, 1));
    } catch (const errors::ResourceExhaustedError&) {
      const Spilled small = file.write(pattern(1000, 2));
      _exit(read(file, small) == pattern(1000, 2) ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);  // SIGXFSZ would end it
}

TEST_F(SpillFileTest, DoesNotWriteIntoMemoryUnlessTold) {
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  setenv("TMPDIR", "/dev/shm", 1);
  SpillFile file;
  EXPECT_THROW(file.write(pattern(10, 1)), errors::ResourceExhaustedError);
  unsetenv("TMPDIR");
  SpillFile told("/dev/shm");
  EXPECT_EQ(read(told, told.write(pattern(10, 1))), pattern(10, 1));
}

}  // namespace
}  // namespace flowray::ray
