// Resources that have names, in real processes.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

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
};
RAY_REMOTE(process, process_with_gpu, Renderer::Create, &Renderer::Process);

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

TEST(NamedResources, OfInitAreChecked) {
  EXPECT_THROW(ray::Init({.num_gpus = -2}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"CPU", 2.0}}}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"", 2.0}}}), ray::RayException);
  EXPECT_THROW(ray::Init({.resources = {{"stamp", -1.0}}}), ray::RayException);
  EXPECT_FALSE(ray::IsInitialized());
}

}  // namespace
}  // namespace flowray
