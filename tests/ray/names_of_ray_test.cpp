// What Ray's C++ API has beside tasks and actors themselves, in real processes: environments, metrics, calls
// that are sent again, identities as texts.

#include <flowray/ray.h>
#include <flowray/ray/metric.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "ray/driver/driver_backend.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;

std::string variable_of_worker(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "none" : value;
}
int never_registered() { return 1; }
int counted_in_worker() {
  ray::Counter("rounds", "Rounds of work.", "1", {"who"}).Inc(2, {{"who", "worker"}});
  return 1;
}

class Fragile {
 public:
  static Fragile* Create() { return new Fragile; }
  /// Dies as long as the actor is the first one.
  int DieOnce(int x) {
    if (!ray::WasCurrentActorRestarted()) _exit(3);
    return x;
  }
  int Echo(int x) { return x; }
  std::string Variable(const std::string& name) { return variable_of_worker(name); }
};

std::map<std::string, std::string> variables(const std::string& value) {
  return {{"FLOWRAY_TEST_VARIABLE", value}};
}
ray::RuntimeEnv environment(const std::string& value) {
  ray::RuntimeEnv env;
  env.Set("env_vars", variables(value));
  return env;
}

class NamesOfRay : public testing::Test {
 protected:
  void SetUp() override {
    ray::RayConfig config;
    config.num_cpus = 1;
    config.runtime_env = environment("of all");
    ray::Init(config);
  }
  void TearDown() override { ray::Shutdown(); }
  static std::string seen(const ray::RuntimeEnv& env) {
    return *ray::Task(variable_of_worker).SetRuntimeEnv(env).Remote("FLOWRAY_TEST_VARIABLE").Get();
  }
};

TEST_F(NamesOfRay, EnvironmentsReachTasksAndLeaveNothing) {
  EXPECT_EQ(seen({}), "of all");
  EXPECT_EQ(seen(environment("one")), "one");
  EXPECT_EQ(seen(environment("two")), "two");
  EXPECT_EQ(seen({}), "of all");  // one processor, so that it is the same process
  EXPECT_EQ(variable_of_worker("FLOWRAY_TEST_VARIABLE"), "none");
}

TEST_F(NamesOfRay, EnvironmentsOfActorsStay) {
  const auto actor =
      ray::Actor(Fragile::Create).SetMaxRestarts(1).SetRuntimeEnv(environment("mine")).Remote();
  EXPECT_EQ(*actor.Task(&Fragile::Variable).Remote("FLOWRAY_TEST_VARIABLE").Get(), "mine");
  EXPECT_THROW(actor.Task(&Fragile::DieOnce).Remote(1).Get(), ray::RayActorException);
  EXPECT_EQ(*actor.Task(&Fragile::Variable).Remote("FLOWRAY_TEST_VARIABLE").Get(), "mine");
  EXPECT_EQ(seen({}), "of all");
}

TEST_F(NamesOfRay, CallsOfActorsAreSentAgain) {
  const auto actor = ray::Actor(Fragile::Create).SetMaxRestarts(2).SetMaxTaskRetries(1).Remote();
  const auto first = actor.Task(&Fragile::DieOnce).Remote(7);
  const auto second = actor.Task(&Fragile::Echo).Remote(8);
  EXPECT_EQ(*first.Get(), 7);
  EXPECT_EQ(*second.Get(), 8);
  EXPECT_THROW(ray::Actor(Fragile::Create).SetMaxTaskRetries(-2).Remote(), ray::RayException);
}

TEST_F(NamesOfRay, IdentitiesNameObjectsAndActors) {
  const auto value = ray::Put(5);
  EXPECT_EQ(*ray::ObjectRef<int>(value.ID()).Get(), 5);
  EXPECT_THROW(ray::ObjectRef<int>("0000000000ffffff"), ray::RayException);
  EXPECT_THROW(ray::ObjectRef<int>("5"), ray::RayException);
  const auto actor = ray::Actor(Fragile::Create).Remote();
  EXPECT_EQ(*ray::ActorHandle<Fragile>(actor.ID()).Task(&Fragile::Echo).Remote(3).Get(), 3);
  EXPECT_THROW(ray::ActorHandle<Fragile>("0000000000ffffff").Task(&Fragile::Echo).Remote(3).Get(),
               ray::RayActorException);
}

TEST_F(NamesOfRay, FunctionsThatAreNotRegisteredAreRefusedAtOnce) {
  EXPECT_THROW(static_cast<void>(ray::Task(never_registered)), ray::RayFunctionNotFound);
}

TEST_F(NamesOfRay, LambdasWithoutCapturesAreTasks) {
  const auto product = ray::Task([](int a, int b) { return a * b; }).Remote(6, 7);
  constexpr auto text = [](const std::string& of) { return of + "!"; };
  EXPECT_EQ(*ray::Task(text).Remote("lambda").Get(), "lambda!");
  EXPECT_EQ(*ray::Task(text).SetName("again").Remote("once more").Get(), "once more!");
  EXPECT_EQ(*product.Get(), 42);
  const auto failed = ray::Task([](int x) -> int { throw std::out_of_range(std::to_string(x)); }).Remote(5);
  try {
    failed.Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("TestBody()::"));
    EXPECT_THROW(error.rethrow_cause(), std::out_of_range);
  }
}

TEST_F(NamesOfRay, CallsOfActorsTakeNoResources) {
  const auto actor = ray::Actor(Fragile::Create).Remote();
  testing::internal::CaptureStderr();
  EXPECT_EQ(*actor.Task(&Fragile::Echo).SetResource("tape", 1).Remote(3).Get(), 3);
  EXPECT_EQ(*actor.Task(&Fragile::Echo).SetResources({{"tape", 1}}).Remote(4).Get(), 4);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("SetResource('tape') of an actor's call: it takes nothing"));
  EXPECT_EQ(told.find("flowray:", 9), std::string::npos) << told;  // once
  EXPECT_THROW(actor.Task(&Fragile::Echo).SetResource("tape", 1.5), ray::RayException);
}

TEST_F(NamesOfRay, MemoryIsAResource) {
  EXPECT_EQ(*ray::Task(counted_in_worker).SetResource("memory", 1 << 20).Remote().Get(), 1);
  EXPECT_THROW(ray::Task(counted_in_worker).SetResource("memory", 1e15).Remote().Get(), ray::RayException);
}

TEST_F(NamesOfRay, JavaIsRefused) {
  EXPECT_THROW(ray::Task(ray::JavaFunction<int>{"io.ray.Test", "f"}).Remote(1), ray::RayException);
  EXPECT_THROW(ray::Actor(ray::JavaActorClass{"io.ray.Test"}).Remote(1), ray::RayException);
  const ray::ActorHandle<void, true> handle;
  EXPECT_THROW(handle.Task(ray::JavaActorMethod<int>{"f"}).Remote(1), ray::RayException);
}

TEST_F(NamesOfRay, PlacementGroupsHaveNamesOfTheirOwn) {
  const auto group = ray::CreatePlacementGroup({"pair", {{{"CPU", 1}}}});
  EXPECT_THROW(ray::CreatePlacementGroup({"pair", {{{"CPU", 1}}}}), ray::RayException);
  ray::RemovePlacementGroup(group.GetID());
  const auto next = ray::CreatePlacementGroup({"pair", {{{"CPU", 1}}}});
  EXPECT_TRUE(next.Wait(60));
}

TEST_F(NamesOfRay, RemovedPlacementGroupsAreForgotten) {
  for (int i = 0; i < 1100; ++i)
    ray::RemovePlacementGroup(ray::CreatePlacementGroup({"", {{{"CPU", 1}}}}).GetID());
  EXPECT_EQ(ray::GetAllPlacementGroups().size(), 1000u);
}

TEST_F(NamesOfRay, MetricsOfTheDriverAndOfWorkersAreShown) {
  ray::Gauge gauge("level", "How high it is.", "m");
  gauge.Set(1, {});
  gauge.Set(2.5, {});
  ray::Histogram histogram("sizes", "How large.", "", {1, 10}, {});
  for (const double size : {0.5, 5.0, 50.0}) histogram.Observe(size, {});
  ray::Sum("all", "All.", "").Record(3, {});
  EXPECT_EQ(*ray::Task(counted_in_worker).Remote().Get(), 1);
  EXPECT_EQ(*ray::Task(counted_in_worker).Remote().Get(), 1);
  EXPECT_EQ(gauge.GetName(), "level");
  EXPECT_THROW(ray::Counter("c", "", "").Inc(-1, {}), ray::RayException);
  EXPECT_THROW(ray::Gauge("no name", "", ""), ray::RayException);
  EXPECT_THROW(ray::Histogram("h", "", "", {2, 1}), ray::RayException);
  EXPECT_THROW(gauge.Set(1, {{"a b", "c"}}), ray::RayException);
  const std::string text = dynamic_cast<ray::DriverBackend&>(ray::internal::backend()).answer("metrics");
  EXPECT_THAT(text,
              HasSubstr("# HELP ray_level How high it is. (m)\n# TYPE ray_level gauge\nray_level 2.5\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE ray_rounds counter\nray_rounds{who=\"worker\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("ray_sizes_bucket{le=\"1\"} 1\nray_sizes_bucket{le=\"10\"} 2\n"
                              "ray_sizes_bucket{le=\"+Inf\"} 3\nray_sizes_sum 55.5\nray_sizes_count 3\n"));
  EXPECT_THAT(text, HasSubstr("ray_all 3\n"));
}

}  // namespace

RAY_REMOTE(variable_of_worker, counted_in_worker, Fragile::Create, &Fragile::DieOnce, &Fragile::Echo,
           &Fragile::Variable);

}  // namespace flowray
