#include "ray/driver/zygote.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "ray/driver/python_template.h"

namespace flowray::ray {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kEnough = 60s;

/// This program has remote functions, so that it has one.
pid_t zygote() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t pid = 0;
    std::string name, state;
    pid_t parent = 0;
    if (stat >> pid >> name >> state >> parent && parent == getpid() && name == "(ray::zygote)") return pid;
  }
  return -1;
}

/// Stopped, as by ^Z or a debugger.
class StoppedZygote {
 public:
  StoppedZygote() { kill(zygote(), SIGSTOP); }
  ~StoppedZygote() { kill(zygote(), SIGCONT); }
  StoppedZygote(const StoppedZygote&) = delete;
  StoppedZygote& operator=(const StoppedZygote&) = delete;
};

Zygote::Started start_true(std::chrono::milliseconds most) {
  auto [here, there] = DescriptorSocket::make_pair();
  const Descriptor complaint(memfd_create("complaint", MFD_CLOEXEC));
  return Zygote::start_program({.arguments = {"true"},
                                .socket = there.fd(),
                                .complaint = complaint.get(),
                                .advice = "",
                                .environment = "",
                                .most = most});
}

TEST(Zygote, ThatIsStoppedHoldsUpNobodyForEver) {
  ASSERT_EQ(Zygote::why_not(), "");
  ASSERT_GT(zygote(), 0);
  {
    const StoppedZygote stopped;
    EXPECT_EQ(start_true(1ms).pid, -ETIMEDOUT);
    EXPECT_EQ(start_true(1ms).pid, -ETIMEDOUT);
  }
  // Nor is what it owes taken for what it is asked then.
  const Zygote::Started started = start_true(kEnough);
  EXPECT_GT(started.pid, 0);
  int status = -1;
  EXPECT_EQ(read(started.status.get(), &status, sizeof status), static_cast<ssize_t>(sizeof status));
  EXPECT_EQ(status, 0);
}

TEST(Zygote, ThatIsStoppedIsToldOfByWhoNeedsAnInterpreter) {
  ASSERT_EQ(Zygote::why_not(), "");
  const StoppedZygote stopped;
  RayConfig config;
  config.python_interpreter = "python3";
  config.worker_startup_timeout_ms = 1;
  try {
    start_python_template(config, "session");
    FAIL() << "it was started";
  } catch (const errors::UnavailableError& error) {
    EXPECT_STREQ(error.what(),
                 "Python's functions cannot be called with the interpreter 'python3': it was not started "
                 "within 1 ms (RayConfig::worker_startup_timeout_ms).");
  }
}

TEST(Zygote, ThatIsStoppedHoldsUpNoShutdown) {
  Init({.num_cpus = 1});
  const StoppedZygote stopped;
  Shutdown();
}

}  // namespace
}  // namespace flowray::ray
