// Ray's names: a program of Ray's runs, and what belongs to a cluster is refused or told of.

#include <ray/api.h>
#include <ray/api/metric.h>
#include <ray/api/serializer.h>

#include <gtest/gtest.h>

#include <any>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace {

using flowray::testing::built_program;
using flowray::testing::ChildProcess;

/// Of Ray's: with the libraries that <ray/api.h> takes where they are installed, and without.
class RayProgram : public testing::TestWithParam<const char*> {};

TEST_P(RayProgram, Runs) {
  ChildProcess program({built_program("test-ray-ray_api" + std::string(GetParam()))});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "all as Ray's\n");
  EXPECT_NE(program.errors().find("WARNING ray_api.cpp:"), std::string::npos) << program.errors();
}

TEST_P(RayProgram, HasTheNamesThatRaysOwnTestsUse) {
  ChildProcess program({built_program("test-ray-ray_names" + std::string(GetParam()))});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "all names\n");
  EXPECT_NE(
      program.errors().find("One asks for {CPU: 10000}, and there are {CPU: 4, tape: 2} in all; it fails "
                            "after 10 s."),
      std::string::npos)
      << program.errors();
}

INSTANTIATE_TEST_SUITE_P(, RayProgram, testing::Values("", "-alone"),
                         [](const auto& run) { return *run.param == '\0' ? "AsInstalled" : "Alone"; });

/// Init with these behind the program's name; what it writes to stderr.
std::string init(const ray::RayConfig& config, std::vector<std::string> words) {
  std::vector<char*> arguments{words.emplace(words.begin(), "program")->data()};
  for (size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  testing::internal::CaptureStderr();
  try {
    ray::Init(config, static_cast<int>(arguments.size()), arguments.data());
  } catch (...) {
    testing::internal::GetCapturedStderr();
    throw;
  }
  return testing::internal::GetCapturedStderr();
}

ray::RayConfig in_local_mode() {
  ray::RayConfig config;
  config.local_mode = true;
  return config;
}

TEST(RayApi, RefusesTheAddressOfACluster) {
  ray::RayConfig config;
  config.address = "127.0.0.1:6379";
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
  for (const auto& flag : {std::vector<std::string>{"--ray_address=ray://head:10001"},
                           {"--ray_address", "head:1"},
                           {"-ray_address=head:1"},
                           {"-ray_address", "head:1"},
                           {"--ray_job_namespace", "--", "--ray_address=head:1"}}) {
    EXPECT_THROW(init(ray::RayConfig(), flag), ray::internal::RayException) << flag.back();
  }
  EXPECT_THROW(init(in_local_mode(), {"--ray_address"}), ray::internal::RayException) << "without a value";
  EXPECT_FALSE(ray::IsInitialized());
}

TEST(RayApi, AsksForNoClusterInLocalMode) {
  ray::RayConfig config = in_local_mode();
  config.address = "127.0.0.1:6379";
  ray::Init(config);
  EXPECT_TRUE(ray::IsInitialized());
  ray::Shutdown();
  setenv("RAY_ADDRESS", "head:1", 1);
  EXPECT_THROW(ray::Init(), ray::internal::RayException);
  EXPECT_EQ(init({}, {"--ray_local_mode"}), "");
  EXPECT_TRUE(ray::IsInitialized());
  ray::Shutdown();
  unsetenv("RAY_ADDRESS");
}

TEST(RayApi, LeavesWhatStandsBehindTwoDashesToTheProgram) {
  EXPECT_EQ(init(in_local_mode(), {"--", "--ray_job_namespace=space", "--ray_redis_password=secret"}), "");
  EXPECT_EQ(ray::GetNamespace(), "");
  ray::Shutdown();
}

TEST(RayApi, AddsTheHeadArgumentsOfTheCommandLine) {
  ray::RayConfig config = in_local_mode();
  config.head_args = {"--first", "1"};
  EXPECT_EQ(
      init(config, {"--ray_head_args=--second 2 --third=3"}),
      "flowray: head_args: --first, --second, --third: there is no `ray start` here that would take it.\n");
  ray::Shutdown();
}

TEST(RayApi, RefusesToHaveNoProcessors) {
  ray::RayConfig config = in_local_mode();
  config.head_args = {"--num-cpus", "0"};
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
}

TEST(RayApi, TellsOfFlagsOfAClusterAndOfActorsThatAreToOutliveIt) {
  EXPECT_EQ(init(in_local_mode(), {"--ray_redis_password", "secret", "--ray_logs_dir=/tmp"}),
            "flowray: --ray_redis_password, --ray_logs_dir: there is no cluster here that would take it; set "
            "RayConfig's fields.\n");
  ray::Shutdown();
  EXPECT_NE(init(in_local_mode(), {"--ray_default_actor_lifetime", "detached"}).find("is DETACHED"),
            std::string::npos);
  ray::Shutdown();
  EXPECT_EQ(init(in_local_mode(), {"--ray_default_actor_lifetime=NON_DETACHED"}), "");
  ray::Shutdown();
  EXPECT_THROW(init(in_local_mode(), {"--ray_default_actor_lifetime=long"}), ray::internal::RayException);
}

TEST(RayApi, TakesNilInAStdAny) {
#if FLOWRAY_HAS_MSGPACK
  ray::Init(in_local_mode());
  EXPECT_FALSE(ray::Put(std::any(msgpack::type::nil_t())).Get()->has_value());
  ray::Shutdown();
#else
  GTEST_SKIP() << "msgpack-cxx is not installed";
#endif
}

TEST(RayApi, TakesTheNamespaceFromTheCommandLine) {
  std::string program = "program";
  std::string space = "--ray_job_namespace=space";
  std::string mode = "--ray_local_mode";
  char* arguments[] = {program.data(), space.data(), mode.data()};
  ray::RayConfig config;
  ray::Init(config, 3, arguments);
  EXPECT_EQ(ray::GetNamespace(), "space");
  ray::Shutdown();
}

TEST(RayApi, TellsOfHeadArgumentsThatMeanNothingHere) {
  ray::RayConfig config;
  config.local_mode = true;
  config.head_args = {"--num-cpus=1", "--dashboard-port", "8265", "--object-store-memory", "100000000"};
  testing::internal::CaptureStderr();
  ray::Init(config);
  const std::string told = testing::internal::GetCapturedStderr();
  ray::Shutdown();
  EXPECT_EQ(told, "flowray: head_args: --dashboard-port: there is no `ray start` here that would take it.\n");
  config.head_args = {"--num-cpus", "many"};
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
}

int plain_function() { return 1; }
int another_function() { return 2; }

TEST(RayApi, IgnoresASecondInit) {
  ray::RayConfig config;
  config.local_mode = true;
  config.ray_namespace = "first";
  ray::Init(config);
  config.ray_namespace = "second";
  ray::Init(config);
  EXPECT_EQ(ray::GetNamespace(), "first");
  ray::Shutdown();
}

TEST(RayApi, TakesResourcesOfHeadArguments) {
  ray::RayConfig config;
  config.local_mode = true;
  config.head_args = {"--resources", R"({"tape": 2, "memory": 1000000000})", "--memory=5"};
  ray::Init(config);
  ray::Shutdown();
  config.head_args = {"--resources", "tape"};
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
  EXPECT_FALSE(ray::IsInitialized());
}

TEST(RayApi, RefusesOrTellsOfWhatIsRaysOwn) {
  ray::RayConfig config;
  config.local_mode = true;
  config.is_worker_ = true;
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
  config.is_worker_ = false;
  config.redis_password_ = "secret";
  config.runtime_env = ray::RuntimeEnv();
  testing::internal::CaptureStderr();
  ray::Init(config);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("there is no Redis here"), std::string::npos);
  ray::Shutdown();
}

TEST(RayApi, HasTheNamesOfRaysInside) {
  EXPECT_NO_THROW(ray::internal::CheckTaskOptions({{"CPU", 2}, {"tape", 0.5}}));
  EXPECT_THROW(ray::internal::CheckTaskOptions({{"CPU", 1.5}}), ray::internal::RayException);
  EXPECT_THROW(ray::internal::CheckTaskOptions({{"", 1}}), ray::internal::RayException);
  auto& manager = ray::internal::FunctionManager::Instance();
  EXPECT_EQ(manager.GetFunctionName(plain_function), "plain_function");
  EXPECT_NE(manager.GetFunction("plain_function"), nullptr);
  EXPECT_EQ(manager.GetFunctionName(another_function), "");
  EXPECT_EQ(manager.GetFunction("another_function"), nullptr);
  EXPECT_THROW(manager.RegisterRemoteFunction("plain_function", another_function),
               ray::internal::RayException);
  EXPECT_THROW(static_cast<void>(ray::Task(another_function)), ray::internal::RayFunctionNotFound);
}

TEST(RayApi, LogsWhatTheLevelAllows) {
  testing::internal::CaptureStderr();
  RAYLOG(DEBUG) << "not shown";
  RAYLOG(ERROR) << "two and " << 2;
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(told.starts_with("ERROR ray_api_test.cpp:")) << told;
  EXPECT_TRUE(told.ends_with("] two and 2\n")) << told;
}

RAY_REMOTE(plain_function)

}  // namespace
