#include "ray/driver/template_process.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "core/sanitizers.h"
#include "support/child_process.h"

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What a worker does is told by its number.
[[maybe_unused]] constexpr uint32_t kPauses =
    0;                             // and up to 99: says hello through its first descriptor and stays
constexpr uint32_t kExits = 100;   // + its status
constexpr uint32_t kRaises = 400;  // + the signal
constexpr uint32_t kPrints = 500;  // "worker" without a line's end, into its first descriptor as its output
constexpr uint32_t kHasAChild = 501;     // that pauses and says hello; then as kPauses
constexpr uint32_t kHearsThrice = 502;   // of interrupts; then it exits with 3
constexpr uint32_t kExitsAtOnce = 1000;  // and above
constexpr int kGuardMs = 60000;

struct Hello {
  pid_t pid;
  pid_t parent;
  pid_t group;
  bool ignores_interrupt;
  bool ends_on_term;
  bool signals_are_free;
  bool input_is_null;
  bool holds_other_files;
};

bool is_null_device(int fd) {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failure) == "/dev/null";
}

bool holds_other_files(const std::vector<Descriptor>& given) {
  std::set<int> expected = {0, 1, 2};
  for (const Descriptor& descriptor : given) expected.insert(descriptor.get());
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    std::error_code failure;
    const auto target = std::filesystem::read_symlink(entry.path(), failure).string();
    const bool is_listing = target.starts_with("/proc/");
    if (!expected.contains(fd) && !is_null_device(fd) && !is_listing) return true;
  }
  return false;
}

void say_hello(const std::vector<Descriptor>& descriptors) {
  struct sigaction interrupt{};
  struct sigaction term{};
  sigaction(SIGINT, nullptr, &interrupt);
  sigaction(SIGTERM, nullptr, &term);
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  const Hello hello{
      .pid = getpid(),
      .parent = getppid(),
      .group = getpgrp(),
      .ignores_interrupt = interrupt.sa_handler == SIG_IGN,
      .ends_on_term = term.sa_handler == SIG_DFL,
      .signals_are_free = sigismember(&blocked, SIGCHLD) == 0 && sigismember(&blocked, SIGTERM) == 0,
      .input_is_null = is_null_device(STDIN_FILENO),
      .holds_other_files = holds_other_files(descriptors)};
  if (write(descriptors.at(0).get(), &hello, sizeof(hello)) != sizeof(hello)) _exit(99);
}

int hear_thrice(const std::vector<Descriptor>& descriptors) {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGURG);
  sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  say_hello(descriptors);
  int num_heard = 0;
  for (; num_heard < 3; ++num_heard) sigwaitinfo(&interrupt, nullptr);
  return num_heard;
}

int worker_main(uint32_t worker, std::vector<Descriptor> descriptors) {
  if (worker >= kExitsAtOnce) return 0;
  if (worker == kHearsThrice) return hear_thrice(descriptors);
  if (worker == kPrints) {
    dup2(descriptors.at(0).get(), STDOUT_FILENO);
    std::printf("worker");
    return 0;
  }
  if (worker >= kRaises && worker < kPrints) {
    std::signal(static_cast<int>(worker - kRaises), SIG_DFL);
    std::raise(static_cast<int>(worker - kRaises));
  }
  if (worker >= kExits && worker < kRaises) return static_cast<int>(worker - kExits);
  if (worker == kHasAChild && fork() == 0) {
    say_hello(descriptors);
    for (;;) pause();
  }
  say_hello(descriptors);
  for (;;) pause();
}

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
  }
  Descriptor reading;
  Descriptor writing;
};

Hello read_hello(const Descriptor& fd) {
  Hello hello{};
  EXPECT_EQ(read(fd.get(), &hello, sizeof(hello)), static_cast<ssize_t>(sizeof(hello)));
  return hello;
}

/// A process that is to end.
class Watch {
 public:
  explicit Watch(pid_t pid) : fd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
    EXPECT_TRUE(fd_) << pid;
  }
  bool ends() const {
    pollfd wait{fd_.get(), POLLIN, 0};
    return poll(&wait, 1, kGuardMs) == 1;
  }
  bool has_ended() const {
    pollfd wait{fd_.get(), POLLIN, 0};
    return poll(&wait, 1, 0) == 1;
  }

 private:
  Descriptor fd_;
};

TemplateProcess::Death await_death(TemplateProcess& host) {
  for (;;) {
    if (auto death = host.next_death()) return *death;
    pollfd wait{host.descriptor(), POLLIN, 0};
    if (poll(&wait, 1, kGuardMs) != 1) return {0, "no death came"};
  }
}

size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

/// The zygote is one.
std::vector<pid_t> children() {
  std::vector<pid_t> children;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

Hello start_pausing(TemplateProcess& host, uint32_t worker) {
  Pipe pipe;
  const int descriptors[] = {pipe.writing.get()};
  host.spawn(worker, descriptors);
  return read_hello(pipe.reading);
}

/// A second thread, for as long as it lives.
class Company {
 public:
  explicit Company(bool wanted) {
    if (!wanted) return;
    std::promise<void> begins;  // before that a sanitizer opens files for it, which tests count
    const auto has_begun = begins.get_future();
    thread_ = std::thread([this, begins = std::move(begins)]() mutable {
      begins.set_value();
      const std::scoped_lock until_the_end(running_);
    });
    has_begun.wait();
  }
  ~Company() {
    held_.unlock();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::mutex running_;
  std::unique_lock<std::mutex> held_{running_};
  std::thread thread_;
};

std::unique_ptr<TemplateProcess> start_template(bool from_zygote) {
  auto process = from_zygote ? TemplateProcess::start(worker_main) : TemplateProcess::fork_here(worker_main);
  process->await_ready(std::chrono::milliseconds(kGuardMs));
  return process;
}

// Each test with a template that is forked from the test, and, with a second thread running, with one from
// the zygote.
class Drivers : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    descriptors_before_ = open_descriptors();
    children_before_ = children();
  }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_before_);
    EXPECT_EQ(children(), children_before_);
  }

 private:
  size_t descriptors_before_ = 0;
  std::vector<pid_t> children_before_;
};

// The test is the driver.
class TemplateProcessTest : public Drivers {
 private:
  Company company_{GetParam()};
};

// The driver is forked from the test, so that it can die; only then does it start its second thread.
class ForkedDriverTest : public Drivers {};

constexpr auto kNameOfRun = [](const auto& run) { return run.param ? "FromZygote" : "Forked"; };
INSTANTIATE_TEST_SUITE_P(OneAndTwoThreads, TemplateProcessTest, ::testing::Bool(), kNameOfRun);
INSTANTIATE_TEST_SUITE_P(OneAndTwoThreads, ForkedDriverTest, ::testing::Bool(), kNameOfRun);

// An interpreter that is about to call into the system does not hear of the first one before that returns.
TEST_P(TemplateProcessTest, InterruptsAWorkerAgain) {
  auto host = start_template(GetParam());
  start_pausing(*host, kHearsThrice);
  start_pausing(*host, 7);
  host->interrupt(kHearsThrice);
  const TemplateProcess::Death death = await_death(*host);
  EXPECT_EQ(death.worker, kHearsThrice);
  EXPECT_EQ(death.reason, "exited with status 3");
}

TEST_P(TemplateProcessTest, RunsWorkersInASoundSurrounding) {
  Pipe secret;
  auto host = start_template(GetParam());
  const Hello hello = start_pausing(*host, 7);
  EXPECT_EQ(hello.parent, host->template_pid());
  EXPECT_EQ(hello.group, host->template_pid());
  EXPECT_NE(hello.group, getpgrp());
  EXPECT_TRUE(hello.ignores_interrupt);
  EXPECT_TRUE(hello.ends_on_term);
  EXPECT_TRUE(hello.signals_are_free);
  EXPECT_TRUE(hello.input_is_null);
  EXPECT_FALSE(hello.holds_other_files);
  std::string name;
  std::ifstream("/proc/" + std::to_string(hello.pid) + "/comm") >> name;
  EXPECT_EQ(name, "ray::worker7");
  // The worker may have said hello before the template tells that it was started.
  while (host->pid(7) == 0) {
    pollfd wait{host->descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&wait, 1, kGuardMs), 1);
    ASSERT_EQ(host->next_death(), std::nullopt);
  }
  EXPECT_EQ(host->pid(7), hello.pid);
}

TEST_P(TemplateProcessTest, ReportsHowWorkersEnd) {
  auto host = start_template(GetParam());
  const std::map<uint32_t, std::string> reasons = {{kExits, "exited with status 0"},
                                                   {kExits + 3, "exited with status 3"},
                                                   {kRaises + SIGKILL, "was killed by SIGKILL"},
                                                   {kRaises + SIGSEGV, "was killed by SIGSEGV"}};
  for (const auto& [worker, reason] : reasons) {
    host->spawn(worker, {});
    const auto death = await_death(*host);
    EXPECT_EQ(death.worker, worker);
    EXPECT_EQ(death.reason, reason);
    EXPECT_EQ(host->pid(worker), 0);
  }
}

TEST_P(TemplateProcessTest, KillsOneWorkerAndCanStartItAgain) {
  auto host = start_template(GetParam());
  const Watch first(start_pausing(*host, 1).pid);
  const Watch second(start_pausing(*host, 2).pid);
  EXPECT_THROW(host->spawn(1, {}), errors::InvalidArgumentError);
  host->kill(1);
  host->kill(3);  // never was
  const auto death = await_death(*host);
  EXPECT_EQ(death.worker, 1u);
  EXPECT_EQ(death.reason, "was killed by SIGKILL");
  EXPECT_TRUE(first.has_ended());
  EXPECT_FALSE(second.has_ended());
  host->kill(1);
  const Watch again(start_pausing(*host, 1).pid);
  EXPECT_FALSE(again.has_ended());
}

TEST_P(TemplateProcessTest, StopsAllWorkersAndWhatTheyStarted) {
  auto host = start_template(GetParam());
  Pipe pipe;
  const int descriptors[] = {pipe.writing.get()};
  host->spawn(kHasAChild, descriptors);
  const Watch one(read_hello(pipe.reading).pid);
  const Watch other(read_hello(pipe.reading).pid);
  const Watch worker(start_pausing(*host, 1).pid);
  host->stop();
  EXPECT_TRUE(worker.has_ended());
  EXPECT_TRUE(one.ends());
  EXPECT_TRUE(other.ends());
  EXPECT_EQ(host->descriptor(), -1);
  host->stop();
}

TEST_P(TemplateProcessTest, ReportsAllWorkersWhenTheTemplateDies) {
  auto host = start_template(GetParam());
  const Watch first(start_pausing(*host, 1).pid);
  const Watch second(start_pausing(*host, 2).pid);
  ::kill(host->template_pid(), SIGKILL);
  std::set<uint32_t> dead;
  for (int i = 0; i < 2; ++i) {
    const auto death = await_death(*host);
    EXPECT_THAT(death.reason, HasSubstr("killed by SIGKILL"));
    dead.insert(death.worker);
  }
  EXPECT_EQ(dead, (std::set<uint32_t>{1, 2}));
  EXPECT_TRUE(first.ends());
  EXPECT_TRUE(second.ends());
  EXPECT_EQ(host->next_death(), std::nullopt);
  EXPECT_EQ(host->descriptor(), -1);
  EXPECT_THROW(host->spawn(1, {}), errors::UnavailableError);
}

TEST_P(TemplateProcessTest, ReportsAWorkerThatWasAskedForAfterTheTemplateDied) {
  auto host = start_template(GetParam());
  const Watch ended(host->template_pid());
  ::kill(host->template_pid(), SIGKILL);
  ASSERT_TRUE(ended.ends());
  host->spawn(1, {});
  host->kill(1);
  EXPECT_EQ(await_death(*host).worker, 1u);
}

TEST_P(TemplateProcessTest, StartsAndLosesManyWorkersWhileNobodyListens) {
  auto host = start_template(GetParam());
  constexpr uint32_t kCount = 1000;
  for (uint32_t i = 0; i < kCount; ++i) host->spawn(kExitsAtOnce + i, {});
  std::set<uint32_t> dead;
  while (dead.size() < kCount) {
    const auto death = await_death(*host);
    ASSERT_EQ(death.reason, "exited with status 0");
    ASSERT_TRUE(dead.insert(death.worker).second);
  }
}

TEST_P(TemplateProcessTest, WorksSeveralTimesInAProgramAndTwiceAtOnce) {
  for (int i = 0; i < 3; ++i) {
    auto one = start_template(GetParam());
    auto other = start_template(GetParam());
    const Watch in_one(start_pausing(*one, 1).pid);
    const Watch in_other(start_pausing(*other, 1).pid);
    one->stop();
    EXPECT_TRUE(in_one.has_ended());
    EXPECT_FALSE(in_other.has_ended());
    other->kill(1);
    EXPECT_EQ(await_death(*other).worker, 1u);
  }
}

TEST_P(TemplateProcessTest, LeavesItsWorkersAloneInAForkedChildOfTheDriver) {
  auto host = start_template(GetParam());
  const Watch worker(start_pausing(*host, 1).pid);
  const pid_t child = fork();
  if (child == 0) {
    host.reset();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(worker.has_ended());
  host->kill(1);
  EXPECT_EQ(await_death(*host).reason, "was killed by SIGKILL");
}

/// A driver in a process of its own, with a template and three workers; it can be killed.
class ForkedDriver {
 public:
  /// `before_pausing` runs in the driver when all is there.
  explicit ForkedDriver(bool company, const std::function<void()>& before_pausing = [] {}) {
    pid_ = fork();
    if (pid_ == 0) {
      pipe_.reading.close();
      const Company threads(company);
      auto host = start_template(company);
      const int descriptors[] = {pipe_.writing.get()};
      for (uint32_t worker = 0; worker < 3; ++worker) host->spawn(worker, descriptors);
      before_pausing();
      for (;;) pause();
    }
    pipe_.writing.close();
    for (int i = 0; i < 3; ++i) hellos_.push_back(read_hello(pipe_.reading));
  }
  ~ForkedDriver() { kill_it(); }

  std::vector<Watch> watches() const {
    std::vector<Watch> watches;
    watches.emplace_back(hellos_[0].parent);
    for (const Hello& hello : hellos_) watches.emplace_back(hello.pid);
    return watches;
  }
  void kill_it() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  Pipe pipe_;
  std::vector<Hello> hellos_;
};

TEST_P(ForkedDriverTest, LeavesNoProcessWhenTheDriverIsKilled) {
  ForkedDriver driver(GetParam());
  const auto watches = driver.watches();
  for (const Watch& watch : watches) EXPECT_FALSE(watch.has_ended());
  driver.kill_it();
  for (const Watch& watch : watches) EXPECT_TRUE(watch.ends());
}

TEST_P(ForkedDriverTest, LeavesNoProcessThoughAForkedChildOutlivesTheDriver) {
  Pipe child_lives;
  ForkedDriver driver(GetParam(), [&] {
    if (fork() != 0) return;
    child_lives.writing.close();
    char end = 0;
    [[maybe_unused]] const auto got = read(child_lives.reading.get(), &end, 1);
    _exit(0);
  });
  const auto watches = driver.watches();
  driver.kill_it();
  for (const Watch& watch : watches) EXPECT_TRUE(watch.ends());
}

std::string read_to_end(const Descriptor& fd) {
  std::string text;
  char part[256];
  for (ssize_t got = 0; (got = read(fd.get(), part, sizeof(part))) > 0;)
    text.append(part, static_cast<size_t>(got));
  return text;
}

TEST_P(ForkedDriverTest, WritesWhatTheDriverAndItsWorkersPrintOnce) {
  Pipe output;
  const pid_t driver = fork();
  if (driver == 0) {
    dup2(output.writing.get(), STDOUT_FILENO);
    const Company threads(GetParam());
    std::printf("driver ");
    auto host = start_template(GetParam());
    std::fflush(stdout);  // the zygote has no copy of the buffer; then this is what prints
    const int descriptors[] = {output.writing.get()};
    host->spawn(kPrints, descriptors);
    await_death(*host);
    host->stop();
    std::fflush(stdout);
    _exit(0);
  }
  output.writing.close();
  EXPECT_EQ(read_to_end(output.reading), "driver worker");
  waitpid(driver, nullptr, 0);
}

TEST(TemplateProcess, SaysWhyAWorkerCouldNotBeForked) {
  if (getuid() != 0) GTEST_SKIP() << "needs to become a user without processes";
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer's own threads count as processes";
  Pipe result;
  const pid_t driver = fork();
  if (driver == 0) {
    // A user of whom there is no process but this one and the template, nor one that an earlier run of this
    // test is about to end.
    const auto nobody_else = static_cast<uid_t>(20'000 + getpid() % 40'000);
    const rlimit two{2, 2};
    if (setrlimit(RLIMIT_NPROC, &two) != 0 || setuid(nobody_else) != 0) _exit(1);
    auto host = TemplateProcess::start(worker_main);
    host->spawn(kExits, {});
    const std::string reason = await_death(*host).reason;
    _exit(write(result.writing.get(), reason.data(), reason.size()) > 0 ? 0 : 1);
  }
  result.writing.close();
  EXPECT_THAT(read_to_end(result.reading),
              StartsWith("could not be started: Resource temporarily unavailable"));
  int status = -1;
  waitpid(driver, &status, 0);
  EXPECT_EQ(status, 0);
}

// ---- a child that becomes a template when it likes, as an interpreter of Python's does

struct LateTemplate {
  /// It reads nothing until `may_go` is closed; never, if it is to become none.
  explicit LateTemplate(bool becomes_one,
                        std::chrono::milliseconds most = std::chrono::milliseconds(kGuardMs)) {
    Pipe go;
    auto [here, there] = DescriptorSocket::make_pair();
    const int room_bytes = 1;  // the least there is
    setsockopt(here.fd(), SOL_SOCKET, SO_SNDBUF, &room_bytes, sizeof room_bytes);
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      here.close();
      go.writing.close();
      char none = 0;
      while (!becomes_one) pause();
      (void)!read(go.reading.get(), &none, 1);
      serve_as_template(there.fd(), worker_main);
    }
    may_go = std::move(go.writing);
    host = TemplateProcess::of_child(std::move(here), child, {}, most,
                                     [](const std::string& how) { return "it " + how; });
  }

  Descriptor may_go;
  std::unique_ptr<TemplateProcess> host;
};

class LateTemplateTest : public Drivers {};
INSTANTIATE_TEST_SUITE_P(Forked, LateTemplateTest, ::testing::Values(false), kNameOfRun);

TEST_P(LateTemplateTest, GetsWhatItDidNotReadBefore) {
  LateTemplate late(true);
  constexpr uint32_t kCount = 100;
  Pipe pipe;
  const std::array descriptors = {pipe.writing.get()};
  for (uint32_t i = 0; i < kCount; ++i) late.host->spawn(kExits + i, descriptors);
  late.host->spawn(1, descriptors);
  late.host->kill(1);
  EXPECT_TRUE(late.host->has_unsent());
  late.may_go.close();
  std::map<uint32_t, std::string> ends;
  while (ends.size() < kCount + 1) {
    const auto death = await_death(*late.host);
    ASSERT_TRUE(ends.emplace(death.worker, death.reason).second) << death.reason;
  }
  EXPECT_FALSE(late.host->has_unsent());
  for (uint32_t i = 0; i < kCount; ++i)
    EXPECT_EQ(ends[kExits + i], "exited with status " + std::to_string(i));
  EXPECT_EQ(ends[1], "was killed by SIGKILL");
}

TEST_P(LateTemplateTest, LetsGoOfWhatItNeverRead) {
  LateTemplate late(false);
  Pipe pipe;
  const std::array descriptors = {pipe.writing.get()};
  for (uint32_t i = 0; i < 100; ++i) late.host->spawn(i, descriptors);
  late.host->stop();
  pipe.writing.close();
  char none = 0;
  EXPECT_EQ(read(pipe.reading.get(), &none, 1), 0);  // nobody holds it
}

TEST_P(LateTemplateTest, IsEndedWhenItTakesTooLong) {
  LateTemplate late(false, std::chrono::milliseconds(1));
  late.host->spawn(1, {});
  std::optional<TemplateProcess::Death> death;
  while (!(death = late.host->next_death())) late.host->end_if_late();
  const std::string why = "it was not ready after 1 ms (RayConfig::worker_startup_timeout_ms) and was killed";
  EXPECT_EQ(death->reason, "could not be started: " + why);
  EXPECT_TRUE(late.host->has_ended());
  EXPECT_FALSE(late.host->was_ready());
  EXPECT_EQ(late.host->latest_ready(), std::nullopt);
  try {
    late.host->spawn(2, {});
    FAIL() << "nothing was thrown";
  } catch (const errors::UnavailableError& error) {
    EXPECT_EQ(error.message(), why);
  }
}

TEST_P(LateTemplateTest, IsNotEndedWhenItHasSaidThatItIsReady) {
  LateTemplate late(true, std::chrono::milliseconds(0));
  late.may_go.close();
  pollfd said{late.host->descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&said, 1, kGuardMs), 1);
  late.host->end_if_late();
  late.host->end_if_not_ready();
  EXPECT_TRUE(late.host->was_ready());
  late.host->spawn(kExits + 3, {});
  EXPECT_EQ(await_death(*late.host).reason, "exited with status 3");
}

TEST_P(LateTemplateTest, IsNotAwaitedWithoutEnd) {
  set_template_starter([](int) {
    const pid_t child = fork();
    while (child == 0) pause();
    return child;
  });
  const auto host = TemplateProcess::start(worker_main);
  set_template_starter({});
  try {
    host->await_ready(std::chrono::milliseconds(1));
    FAIL() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.message(),
              "The process that starts workers was not ready after 1 ms "
              "(RayConfig::worker_startup_timeout_ms) and was killed.");
  }
}

TEST(TemplateProcess, TellsAProgramWithThreadsAndAnUnwrappedMainWhatToDo) {
  flowray::testing::ChildProcess program({flowray::testing::built_program("test-ray-unwrapped_threads")});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_THAT(program.output(), HasSubstr("call Init() first thing in main"));
  EXPECT_THAT(program.output(), HasSubstr("flowray::flowray"));
}

TEST(EndText, NamesStatusAndSignal) {
  EXPECT_EQ(end_text(3 << 8), "exited with status 3");  // as <sys/wait.h> lays them out on Linux
  EXPECT_EQ(end_text(SIGTERM), "was killed by SIGTERM");
  EXPECT_EQ(end_text(SIGSEGV | 0x80), "was killed by SIGSEGV");
}

}  // namespace
}  // namespace flowray::ray
