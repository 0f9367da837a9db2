// The runtime in programs and on machines as they are: with threads before Init, beside another runtime, and
// where descriptors, processes, memory or /dev/shm are scarce.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

using testing::built_program;
using testing::ChildProcess;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::OwnProcesses;
using ::testing::StartsWith;

// ---- programs that had threads before

class BeforeInit : public ::testing::TestWithParam<const char*> {};

TEST_P(BeforeInit, ThereMayHaveBeenAnything) {
  const std::string what = GetParam();
  if (kSanitized && (what == "openmp" || what == "grpc"))
    GTEST_SKIP() << "its library is not made for sanitizers";
  const OwnProcesses processes;
  const std::string diary = ::testing::TempDir() + "before_init_" + std::to_string(getpid());
  setenv("FLOWRAY_TEST_DIARY", diary.c_str(), 1);
  ChildProcess program({built_program("test-ray-before_init"), what});
  unsetenv("FLOWRAY_TEST_DIARY");
  EXPECT_EQ(program.wait(), 0) << program.output() << program.errors();
  EXPECT_TRUE(processes.all_end());
  std::ifstream file(diary);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  unlink(diary.c_str());
  if (program.output().find("left out") != std::string::npos)
    GTEST_SKIP() << what << " was not found when this was built";
  EXPECT_EQ(program.output(), "main begins\nright\n");
  EXPECT_EQ(written, "statics\nbefore Init\nafter Shutdown\n");
}

INSTANTIATE_TEST_SUITE_P(Of, BeforeInit,
                         ::testing::Values("nothing", "step", "openmp", "threads", "loop", "grpc"),
                         [](const auto& run) { return std::string(run.param); });

// ---- two at once

TEST(TwoRuntimes, KnowNothingOfEachOther) {
  const OwnProcesses processes;
  ChildProcess one({built_program("test-ray-at_work")});
  ChildProcess other({built_program("test-ray-at_work")});
  one.await_output("ready");
  other.await_output("ready");
  one.send_signal(SIGKILL);
  EXPECT_EQ(one.wait(), -SIGKILL);
  other.send_signal(SIGTERM);
  EXPECT_EQ(other.wait(), 0) << other.errors();
  EXPECT_EQ(other.output(), "ready\nright\n");
  EXPECT_TRUE(processes.all_end());
}

// ---- what there is little of

int triple(int n) { return 3 * n; }
Array as_large_as(int64_t count) { return Array(std::vector<float>(static_cast<size_t>(count), 1.0f)); }

class Idler {
 public:
  static Idler* Create() { return new Idler; }
  int Answer(int n) const { return n; }
  int Pid() const { return getpid(); }
  int SizeOf(const Array& values) const { return static_cast<int>(values.size()); }
  static Idler* CreateWith(const Array& /*values*/) { return new Idler; }
  /// Reads the value while no further file can be opened, says what that gives, and reads it again.
  std::string ReadWithoutDescriptors(const std::vector<ray::ObjectRef<Array>>& refs) const {
    std::vector<int> files;
    for (int fd = 0; (fd = dup(0)) >= 0;) files.push_back(fd);
    std::string told;
    for (int i = 0; i < 2; ++i) {
      try {
        told += std::to_string(refs[0].Get(60'000)->size());
      } catch (const ray::RayException& error) {
        told += error.what();
      }
    }
    for (const int fd : files) close(fd);
    return told + std::to_string(refs[0].Get(60'000)->size());
  }
};

RAY_REMOTE(triple, as_large_as, Idler::Create, Idler::CreateWith, &Idler::Answer, &Idler::Pid, &Idler::SizeOf,
           &Idler::ReadWithoutDescriptors);

/// Some work; what went wrong, each error once.
std::string errors_of_work() {
  std::string errors;
  const auto collect = [&](const auto& ref, int expected) {
    try {
      if (*ref.Get() != expected) errors += "a wrong value\n";
    } catch (const Error& error) {
      if (errors.find(error.what()) == std::string::npos) errors += std::string(error.what()) + "\n";
    }
  };
  try {
    std::vector<ray::ObjectRef<int>> refs;
    std::vector<ray::ActorHandle<Idler>> actors;
    for (int i = 0; i < 8; ++i) {
      refs.push_back(ray::Task(triple).Remote(i));
      actors.push_back(ray::Actor(Idler::Create).Remote());
    }
    for (int i = 0; i < 8; ++i) collect(refs[static_cast<size_t>(i)], 3 * i);
    for (int i = 0; i < 8; ++i) collect(actors[static_cast<size_t>(i)].Task(&Idler::Answer).Remote(i), i);
  } catch (const Error& error) {
    errors += std::string(error.what()) + "\n";
  }
  return errors;
}

struct Outcome {
  int status = -1;
  std::string text;
};

/// What `work` says in a process of its own, which ends by SIGALRM if it hangs.
Outcome in_a_process(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    std::string said;
    try {
      said = work();
    } catch (const Error& error) {
      said = std::string("error: ") + error.what();
    } catch (const std::exception& error) {
      said = std::string("foreign error: ") + error.what();
    }
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    outcome.text.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return outcome;
}

std::string work_and_shut_down(const ray::RayConfig& config = {.num_cpus = 2,
                                                               .object_store_memory = size_t{64} << 20}) {
  ray::Init(config);
  const std::string errors = errors_of_work();
  ray::Shutdown();
  return errors;
}

TEST(Scarce, DescriptorsAreToldOf) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need descriptors themselves";
  int worked = 0;
  int refused = 0;
  for (rlim_t most = 4; most < 120; most += most < 60 ? 1 : 10) {
    SCOPED_TRACE(most);
    const OwnProcesses processes;
    const Outcome outcome = in_a_process([&] {
      const rlimit limit{most, most};
      setrlimit(RLIMIT_NOFILE, &limit);
      return work_and_shut_down();
    });
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    if (outcome.text.empty()) {
      ++worked;
    } else {
      ++refused;
      EXPECT_THAT(outcome.text, ContainsRegex("open files|ulimit -n|files open|Too many open"))
          << outcome.text;
      EXPECT_THAT(outcome.text, Not(HasSubstr("foreign"))) << outcome.text;
      EXPECT_THAT(outcome.text, Not(HasSubstr("wrong"))) << outcome.text;
    }
  }
  EXPECT_GT(worked, 0);
  EXPECT_GT(refused, 0);
}

/// From now on this process's calls of that kind fail as on a system that does not know it.
bool forget_system_call(long number) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Scarce, ASystemWithoutDescriptorsOfProcessesIsToldOf) {
  const Outcome outcome = in_a_process([] {
    if (!forget_system_call(SYS_pidfd_open)) return std::string("no filter");
    return work_and_shut_down();
  });
  EXPECT_EQ(outcome.status, 0);
  if (outcome.text == "no filter") GTEST_SKIP() << "the system lets no calls be filtered";
  EXPECT_THAT(outcome.text, StartsWith("error: Cannot start the process that starts workers: pidfd_open: "
                                       "Function not implemented (ENOSYS)."));
  EXPECT_THAT(outcome.text, Not(HasSubstr("ulimit")));
}

TEST(Scarce, ProcessesAreToldOf) {
  if (getuid() != 0) GTEST_SKIP() << "needs to become a user without processes";
  if (kSanitized) GTEST_SKIP() << "sanitizers' threads count as processes";
  int worked = 0;
  int refused = 0;
  for (rlim_t most = 1; most <= 16; ++most) {
    SCOPED_TRACE(most);
    const Outcome outcome = in_a_process([&] {
      const auto nobody_else = static_cast<uid_t>(20'000 + getpid() % 40'000);
      const rlimit limit{most, most};
      if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(nobody_else) != 0) return std::string("wrong user");
      prctl(PR_SET_DUMPABLE, 1);  // or /proc/self would be root's
      return work_and_shut_down();
    });
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    if (outcome.text.empty()) {
      ++worked;
    } else {
      ++refused;
      EXPECT_THAT(outcome.text, ContainsRegex("ulimit -u|Resource temporarily unavailable")) << outcome.text;
      EXPECT_THAT(outcome.text, Not(HasSubstr("foreign"))) << outcome.text;
      EXPECT_THAT(outcome.text, Not(HasSubstr("wrong"))) << outcome.text;
    }
  }
  EXPECT_GT(worked, 0);
  EXPECT_GT(refused, 0);
}

TEST(Scarce, DescriptorsUnderWayAreWaitedFor) {
  if (kSanitized) GTEST_SKIP() << "sanitizers look at objects through a pipe of their own";
  const Outcome outcome = in_a_process([]() -> std::string {
    // The superuser may have any number under way.
    if (getuid() == 0 && setuid(static_cast<uid_t>(20'000 + getpid() % 40'000)) != 0) return "wrong user";
    prctl(PR_SET_DUMPABLE, 1);
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{512} << 20});
    const auto actor = ray::Actor(Idler::Create).Remote();
    const pid_t pid = *actor.Task(&Idler::Pid).Remote().Get();
    std::vector<ray::ObjectRef<Array>> values;  // each has a region of its own
    for (int i = 0; i < 20; ++i) values.push_back(ray::Put(as_large_as(5 << 18)));
    kill(pid, SIGSTOP);
    const rlimit limit{5, 5};
    setrlimit(RLIMIT_NOFILE, &limit);
    std::vector<ray::ObjectRef<int>> sizes;
    for (const auto& value : values) sizes.push_back(actor.Task(&Idler::SizeOf).Remote(value));
    kill(pid, SIGCONT);
    for (const auto& size : sizes) {
      if (*size.Get() != 5 << 18) return "wrong";
    }
    ray::Shutdown();
    return "right";
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.text, "right");
}

TEST(Scarce, RegionsThatCouldNotBeTakenAreAskedForAgain) {
  if (kSanitized) GTEST_SKIP() << "sanitizers look at objects through a pipe of their own";
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
  const auto actor = ray::Actor(Idler::Create).Remote();
  const auto value = ray::Put(as_large_as(100'000));
  const auto told = actor.Task(&Idler::ReadWithoutDescriptors).Remote(std::vector{value}).Get(60'000);
  EXPECT_THAT(*told, ContainsRegex("too many files open.*too many files open.*100000$"));
  EXPECT_EQ(*actor.Task(&Idler::SizeOf).Remote(value).Get(60'000), 100'000);
  ray::Shutdown();
}

TEST(Scarce, RoomInTheStoreIsNotLostToActorsWhoseNameIsTaken) {
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{32} << 20});
  const auto actor = ray::Actor(Idler::Create).SetName("taken").Remote();
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(ray::Actor(Idler::CreateWith).SetName("taken").Remote(as_large_as(1 << 20)),
                 ray::RayException);
  }
  EXPECT_EQ(ray::Put(as_large_as(5 << 20)).Get()->size(), 5 << 20);
  EXPECT_EQ(*actor.Task(&Idler::Answer).Remote(1).Get(), 1);
  ray::Shutdown();
}

TEST(Scarce, SizeOfFilesIsToldOf) {
  const Outcome outcome = in_a_process([] {
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{256} << 20});
    const rlimit limit{size_t{16} << 20, size_t{16} << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string told = "nothing";
    try {
      ray::Put(as_large_as(8 << 20));
    } catch (const ray::ObjectStoreFullException& error) {
      told = error.what();
    }
    if (*ray::Task(triple).Remote(2).Get() != 6) told = "wrong";
    ray::Shutdown();
    return told;
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("ulimit -f"));
}

TEST(Scarce, AddressesAreToldOf) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take all addresses";
  const Outcome outcome = in_a_process([] {
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{1} << 30});
    const Array large = as_large_as(16 << 20);  // 64 MB
    if (*ray::Task(triple).Remote(1).Get() != 3) return std::string("wrong");
    std::ifstream statm("/proc/self/statm");
    size_t pages = 0;
    statm >> pages;
    const size_t most = pages * static_cast<size_t>(getpagesize()) + (size_t{32} << 20);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    const auto before = testing::holdings();
    std::string told = "nothing";
    try {
      ray::Put(large);
    } catch (const ray::ObjectStoreFullException& error) {
      told = error.what();
    }
    if (*ray::Task(triple).Remote(2).Get() != 6 || testing::holdings() != before) told = "wrong";
    ray::Shutdown();
    return told;
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, ContainsRegex("Cannot allocate memory.*fewer or smaller values"));
}

TEST(Scarce, RoomInTheStoreIsToldOfByWorkersToo) {
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{32} << 20});
  try {
    ray::Task(as_large_as).Remote(int64_t{16} << 20).Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayException& error) {
    EXPECT_THAT(error.what(), HasSubstr("object store"));
    EXPECT_THAT(error.what(), HasSubstr("object_store_memory"));
  }
  EXPECT_EQ(ray::Task(as_large_as).Remote(int64_t{1} << 20).Get()->size(), 1 << 20);
  ray::Shutdown();
}

TEST(Missing, FileSystemOfSharedMemoryIsNotMissed) {
  const Outcome outcome = in_a_process([]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0) return "may not";
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "may not";
    umount2("/dev/shm", MNT_DETACH);
    mount("none", "/dev/shm", "tmpfs", MS_RDONLY, "size=4k");
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20});
    const bool right =
        *ray::Task(triple).Remote(2).Get() == 6 && ray::Put(as_large_as(1 << 20)).Get()->size() == 1 << 20;
    ray::Shutdown();
    return right ? "right" : "wrong";
  });
  if (outcome.text == "may not") GTEST_SKIP() << "a mount namespace of its own is not allowed here";
  EXPECT_EQ(outcome.text, "right");
}

}  // namespace
}  // namespace flowray
