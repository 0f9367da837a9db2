#include "ray/transport/shared_region.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "core/sanitizers.h"

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;

size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

/// The exit status of `body` in a forked process.
int run_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Descriptor, IsClosedOnce) {
  const size_t before = open_descriptors();
  {
    Descriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
    Descriptor second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_TRUE(second);
    EXPECT_EQ(open_descriptors(), before + 1);
    Descriptor third = second.duplicate();
    EXPECT_NE(third.get(), second.get());
    EXPECT_EQ(fcntl(third.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    third = std::move(second);
    EXPECT_EQ(open_descriptors(), before + 1);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(SharedRegion, StartsAsZerosAndIsWrittenByOneProcessAndReadByAnother) {
  SharedRegion region = SharedRegion::create("numbers", 10000);
  ASSERT_EQ(region.size_bytes(), 10000u);
  for (std::byte value : region.bytes()) ASSERT_EQ(value, std::byte{0});
  region.data()[3] = std::byte{33};
  const int status = run_in_child([&] {
    region.data()[9999] = std::byte{99};
    return std::to_integer<int>(region.data()[3]);
  });
  EXPECT_EQ(status, 33);
  EXPECT_EQ(region.data()[9999], std::byte{99});
}

TEST(SharedRegion, IsMappedASecondTimeFromItsDescriptor) {
  SharedRegion region = SharedRegion::create("numbers", 5000);
  SharedRegion reader = SharedRegion::map(Descriptor(dup(region.fd())), 5000, SharedRegion::Access::kRead);
  EXPECT_NE(reader.data(), region.data());
  region.data()[4999] = std::byte{7};
  EXPECT_EQ(reader.data()[4999], std::byte{7});
  EXPECT_EQ(run_in_child([&] {
              std::signal(SIGSEGV, SIG_DFL);
              reader.data()[0] = std::byte{1};
              return 0;
            }),
            -SIGSEGV);
}

TEST(SharedRegion, OutlivesItsDescriptorAndLeavesNothing) {
  const size_t before = open_descriptors();
  {
    SharedRegion region = SharedRegion::create("numbers", 4096);
    EXPECT_EQ(open_descriptors(), before + 1);
    region.close_descriptor();
    EXPECT_EQ(open_descriptors(), before);
    region.data()[1] = std::byte{5};
    SharedRegion moved = std::move(region);
    EXPECT_EQ(moved.data()[1], std::byte{5});
    EXPECT_EQ(region.data(), nullptr);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(SharedRegion, CanNeitherShrinkNorGrow) {
  SharedRegion region = SharedRegion::create("numbers", 4096);
  EXPECT_EQ(ftruncate(region.fd(), 100), -1);
  EXPECT_EQ(ftruncate(region.fd(), 100000), -1);
}

TEST(SharedRegion, HasAllItsPagesAtOnce) {
  SharedRegion region = SharedRegion::create("numbers", size_t{64} * 4096);
  std::vector<unsigned char> present(64);
  ASSERT_EQ(mincore(region.data(), region.size_bytes(), present.data()), 0);
  for (unsigned char page : present) EXPECT_EQ(page & 1, 1);
}

TEST(SharedRegion, RefusesADescriptorThatIsNoRegionOfThatSize) {
  SharedRegion region = SharedRegion::create("numbers", 4096);
  const auto map = [](int fd, size_t bytes) {
    SharedRegion::map(Descriptor(fd), bytes, SharedRegion::Access::kRead);
  };
  EXPECT_THROW(map(dup(region.fd()), 4097), errors::DataLossError);
  EXPECT_THROW(map(dup(region.fd()), 0), errors::DataLossError);
  EXPECT_THROW(map(-1, 1), errors::DataLossError);
  EXPECT_THROW(map(open("/proc/self/exe", O_RDONLY), 1), errors::DataLossError);
  Descriptor unsealed(memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.get(), 4096), 0);
  EXPECT_THROW(map(dup(unsealed.get()), 4096), errors::DataLossError);
}

TEST(SharedRegion, SaysHowMuchMemoryIsLacking) {
  for (const size_t bytes : {size_t{1} << 50, ~size_t{0}}) {
    try {
      SharedRegion::create("store", bytes);
      FAIL() << "no error";
    } catch (const errors::ResourceExhaustedError& error) {
      EXPECT_THAT(error.message(), HasSubstr(std::to_string(bytes)));
      EXPECT_THAT(error.message(), HasSubstr("'store'"));
      EXPECT_THAT(error.message(), HasSubstr("available"));
    }
  }
  EXPECT_THROW(SharedRegion::create("store", 0), errors::InvalidArgumentError);
}

TEST(SharedRegion, SaysWhenDescriptorsAreLacking) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  if (kAddressSanitizer)
    GTEST_SKIP() << "UndefinedBehaviorSanitizer itself needs a descriptor to check an exception's class";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  try {
    SharedRegion::create("store", 4096);
  } catch (const errors::ResourceExhaustedError& error) {
    message = error.message();
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(message, HasSubstr("ulimit -n"));
}

/// From here on memfd_create fails with ENOSYS in this process.
void forbid_memfd() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(77);
  }
}

TEST(SharedRegion, SaysWhenTheSystemHasNoMemfd) {
  EXPECT_EQ(run_in_child([] {
              forbid_memfd();
              try {
                SharedRegion::create("store", 4096);
              } catch (const errors::ResourceExhaustedError& error) {
                return error.message().find("memfd_create") != std::string::npos ? 42 : 2;
              }
              return 1;
            }),
            42);
}

TEST(AvailableMemory, IsAboveZeroAndBelowAllThereIs) {
  const size_t available = available_memory_bytes();
  EXPECT_GT(available, size_t{1} << 20);
  EXPECT_LE(available,
            static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

class ControlGroup : public ::testing::Test {
 protected:
  ControlGroup() { std::filesystem::create_directories(folder_); }
  ~ControlGroup() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::optional<GroupMemory> memory() const { return group_memory(folder_.string()); }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("control_group_" + std::to_string(getpid()));
};

TEST_F(ControlGroup, DoesNotUsePagesOfFiles) {
  write("memory.max", "10000\n");
  write("memory.current", "9000\n");
  EXPECT_EQ(memory().value().used, 9000u) << "where the kernel does not say what it can drop";
  write("memory.stat",
        "anon 1000\nfile 700\nshmem 200\ninactive_anon 300\n"
        "active_anon 900\ninactive_file 40\nactive_file 460\n");
  EXPECT_EQ(memory().value().used, 8500u);
  EXPECT_EQ(memory().value().limit, 10000u);
}

TEST_F(ControlGroup, MayHaveNoLimit) {
  write("memory.current", "9000\n");
  EXPECT_FALSE(memory().has_value());
  write("memory.max", "max\n");
  EXPECT_FALSE(memory().has_value());
}

}  // namespace
}  // namespace flowray::ray
