// Ray's names: a program of Ray's runs, and what belongs to a cluster is refused or told of.

#include <ray/api.h>
#include <ray/api/metric.h>
#include <ray/api/serializer.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/child_process.h"

namespace {

using flowray::testing::built_program;
using flowray::testing::ChildProcess;

TEST(RayApi, RunsAProgramOfRays) {
  ChildProcess program({built_program("test-ray-ray_api")});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "all as Ray's\n");
  EXPECT_NE(program.errors().find("WARNING ray_api.cpp:"), std::string::npos) << program.errors();
}

TEST(RayApi, HasTheNamesThatRaysOwnTestsUse) {
  ChildProcess program({built_program("test-ray-ray_names")});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "all names\n");
  EXPECT_NE(
      program.errors().find("One asks for {CPU: 10000}, and there are {CPU: 4, tape: 2} in all; it fails "
                            "after 10 s."),
      std::string::npos)
      << program.errors();
}

TEST(RayApi, RefusesTheAddressOfACluster) {
  ray::RayConfig config;
  config.local_mode = true;
  config.address = "127.0.0.1:6379";
  EXPECT_THROW(ray::Init(config), ray::internal::RayException);
  std::string flag = "--ray_address=ray://head:10001";
  std::string program = "program";
  char* arguments[] = {program.data(), flag.data()};
  EXPECT_THROW(ray::Init(ray::RayConfig(), 2, arguments), ray::internal::RayException);
  EXPECT_FALSE(ray::IsInitialized());
  config.address = "local";
  ray::Init(config);
  EXPECT_TRUE(ray::IsInitialized());
  ray::Shutdown();
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
