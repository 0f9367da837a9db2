// Resources that have names, in real processes.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;

constexpr int kGuardMs = 60'000;

int process() { return getpid(); }
int process_with_gpu() { return *ray::Task(process).SetResource("GPU", 1).Remote().Get(kGuardMs); }

class Renderer {
 public:
  static Renderer* Create() { return new Renderer; }
  int Process() const { return getpid(); }
  std::pair<std::vector<std::string>, std::string> Gpus() const {
    const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
    return {ray::GetGpuIds(), text == nullptr ? "none" : text};
  }
};
/// Of the process's environment; "none" where it is not set.
std::string visible() {
  const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text == nullptr ? "none" : text;
}
using Seen = std::pair<std::vector<std::string>, std::string>;
Seen see() { return {ray::GetGpuIds(), visible()}; }
/// Leaves the worker with another environment.
Seen spoil() {
  setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  return see();
}
RAY_REMOTE(process, process_with_gpu, see, spoil, Renderer::Create, &Renderer::Process, &Renderer::Gpus);

/// Stops the runtime in any case.
struct Runtime {
  explicit Runtime(const ray::RayConfig& config) { ray::Init(config); }
  ~Runtime() { ray::Shutdown(); }
};

std::string error_of(const ray::ObjectRef<int>& ref) {
  try {
    ref.Get(kGuardMs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(NamedResources, AreCounted) {
  const Runtime runtime({.num_cpus = 2, .num_gpus = 1, .resources = {{"stamp", 2.0}}});
  const auto renderer = ray::Actor(Renderer::Create).SetResource("GPU", 0.5).SetResource("stamp", 2).Remote();
  EXPECT_GT(*renderer.Task(&Renderer::Process).Remote().Get(kGuardMs), 0);
  EXPECT_GT(*ray::Task(process).SetResource("GPU", 0.5).Remote().Get(kGuardMs), 0);
  const auto waits = ray::Task(process).SetResource("stamp", 1).Remote();
  EXPECT_GT(*ray::Task(process).Remote().Get(kGuardMs), 0);
  EXPECT_THROW(waits.Get(0), ray::RayTimeoutException);
  renderer.Kill();
  EXPECT_GT(*waits.Get(kGuardMs), 0);
}

TEST(NamedResources, ThatAreNotThereAreToldWithWhatThereIs) {
  const Runtime runtime({.num_cpus = 2, .num_gpus = 0, .resources = {{"stamp", 2.0}}});
  EXPECT_THAT(
      error_of(ray::Task(process).SetResource("GPU", 1).Remote()),
      HasSubstr(
          "process asks for {CPU: 1, GPU: 1} of the runtime's resources, and there are {CPU: 2, GPU: 0, "
          "stamp: 2} in all"));
  const auto renderer = ray::Actor(Renderer::Create).SetResource("stomp", 1).Remote();
  EXPECT_THAT(error_of(renderer.Task(&Renderer::Process).Remote()), HasSubstr("asks for {stomp: 1}"));
  EXPECT_THAT(error_of(ray::Task(process_with_gpu).Remote()), HasSubstr("GPU: 0")) << "asked for by a worker";
}

TEST(NamedResources, OfMemoryAreToldInBytesAndForPeople) {
  const Runtime runtime({.num_cpus = 1, .resources = {{"memory", 2147483648.0}}});
  const std::string told = error_of(ray::Task(process).SetResource("memory", 4831838208.0).Remote());
  EXPECT_THAT(told, HasSubstr("process asks for {CPU: 1, memory: 4831838208 (4.50GiB)}"));
  EXPECT_THAT(told, HasSubstr("memory: 2147483648 (2.00GiB)"));
}

TEST(NamedResources, OfAGpuAreGrantedWhereNobodySaidThatThereIsNone) {
  if (access("/dev/nvidia0", F_OK) == 0) GTEST_SKIP() << "this machine has a GPU";
  ::testing::internal::CaptureStderr();
  {
    const Runtime runtime({.num_cpus = 2});
    const auto renderer = ray::Actor(Renderer::Create).SetResource("GPU", 1).Remote();
    const auto other = ray::Actor(Renderer::Create).SetResource("GPU", 4).Remote();
    EXPECT_NE(*renderer.Task(&Renderer::Process).Remote().Get(kGuardMs),
              *other.Task(&Renderer::Process).Remote().Get(kGuardMs));
  }
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("'Renderer::Create' asks for a GPU, and this machine has none"));
  EXPECT_EQ(told.find("asks for a GPU"), told.rfind("asks for a GPU")) << "said once";
}

/// Sets a variable of the environment for a test; null: unsets it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

// What Ray 2.60 answers.
TEST(Gpus, AreToldToTheCallsThatAskForThem) {
  const Variable unset("CUDA_VISIBLE_DEVICES", nullptr);
  const Runtime runtime({.num_cpus = 1, .num_gpus = 3});
  const Seen none{{}, "none"};
  EXPECT_EQ(*ray::Task(see).Remote().Get(kGuardMs), none);
  EXPECT_EQ(*ray::Task(see).SetResource("GPU", 2).Remote().Get(kGuardMs), (Seen{{"0", "1"}, "0,1"}));
  EXPECT_EQ(*ray::Task(see).Remote().Get(kGuardMs), none) << "in the same process";
  EXPECT_EQ(*ray::Task(spoil).SetResource("GPU", 1).Remote().Get(kGuardMs), (Seen{{"0"}, "7"}));
  EXPECT_EQ(*ray::Task(see).SetResource("GPU", 1).Remote().Get(kGuardMs), (Seen{{"0"}, "0"}));
  const auto half = ray::Actor(Renderer::Create).SetResource("GPU", 0.5).Remote();
  const auto whole = ray::Actor(Renderer::Create).SetResource("GPU", 1).Remote();
  const auto other = ray::Actor(Renderer::Create).SetResource("GPU", 0.5).Remote();
  EXPECT_EQ(*half.Task(&Renderer::Gpus).Remote().Get(kGuardMs), (Seen{{"0"}, "0"}));
  EXPECT_EQ(*whole.Task(&Renderer::Gpus).Remote().Get(kGuardMs), (Seen{{"1"}, "1"}));
  EXPECT_EQ(*other.Task(&Renderer::Gpus).Remote().Get(kGuardMs), (Seen{{"0"}, "0"}));
  EXPECT_TRUE(ray::GetGpuIds().empty()) << "the driver has none";
}

TEST(Gpus, AreThoseThatTheDriverSees) {
  const Variable visible("CUDA_VISIBLE_DEVICES", "3,GPU-5f,7");
  {
    const Runtime runtime({.num_cpus = 1, .num_gpus = 2});
    EXPECT_EQ(*ray::Task(see).SetResource("GPU", 2).Remote().Get(kGuardMs),
              (Seen{{"3", "GPU-5f"}, "3,GPU-5f"}));
    EXPECT_EQ(*ray::Task(see).Remote().Get(kGuardMs), (Seen{{}, "3,GPU-5f,7"}));
  }
  EXPECT_THROW(ray::Init({.num_gpus = 4}), ValueError);
  EXPECT_FALSE(ray::IsInitialized());
}

TEST(Gpus, AreHiddenOrLeftAloneWhereTheEnvironmentSaysSo) {
  const Variable unset("CUDA_VISIBLE_DEVICES", nullptr);
  {
    const Variable hides("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "1");
    const Runtime runtime({.num_cpus = 1, .num_gpus = 1});
    EXPECT_EQ(*ray::Task(see).Remote().Get(kGuardMs), (Seen{{}, ""}));
  }
  const Variable leaves("RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES", "1");
  const Runtime runtime({.num_cpus = 1, .num_gpus = 1});
  EXPECT_EQ(*ray::Task(see).SetResource("GPU", 1).Remote().Get(kGuardMs), (Seen{{"0"}, "none"}));
}

TEST(NamedResources, OfInitAreChecked) {
  EXPECT_THROW(ray::Init({.num_gpus = 1025}), ray::RayException);
  EXPECT_THROW(ray::Init({.num_gpus = -2}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"CPU", 2.0}}}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"", 2.0}}}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"stamp", -1.0}}}), ray::RayException);
  EXPECT_FALSE(ray::IsInitialized());
}

}  // namespace
}  // namespace flowray
