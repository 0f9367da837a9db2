// What an actor knows of itself and does to itself: ExitActor, its restarts, its namespace.

#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <string>

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

class Selfish {
 public:
  static Selfish* Create() { return new Selfish; }
  static Selfish* CreateAndExit() { ray::ExitActor(); }
  Selfish() : was_restarted_(ray::WasCurrentActorRestarted()) {}
  int Exit() const { ray::ExitActor(); }
  bool WasRestarted() const { return was_restarted_ && ray::WasCurrentActorRestarted(); }
  std::string Namespace() const { return ray::GetNamespace(); }
  bool Finds(const std::string& name) const { return ray::GetActor<Selfish>(name).has_value(); }

 private:
  bool was_restarted_;
};

int exit_in_a_task() { ray::ExitActor(); }
bool restarted_task() { return ray::WasCurrentActorRestarted(); }
std::string namespace_of_task() { return ray::GetNamespace(); }

RAY_REMOTE(Selfish::Create, Selfish::CreateAndExit, &Selfish::Exit, &Selfish::WasRestarted,
           &Selfish::Namespace, &Selfish::Finds, exit_in_a_task, restarted_task, namespace_of_task);

/// In workers, and in local mode.
class ActorItself : public ::testing::TestWithParam<bool> {
 protected:
  ActorItself() {
    ray::Init({.num_cpus = 1,
               .object_store_memory = size_t{256} << 20,
               .ray_namespace = "home",
               .local_mode = GetParam(),
               .shutdown_timeout_ms = 100});
  }
  ~ActorItself() override { ray::Shutdown(); }

  template <typename T>
  static std::string death_of(const ray::ObjectRef<T>& call) {
    try {
      call.Get(kGuardMs);
    } catch (const ray::RayActorException& error) {
      return error.what();
    }
    return "a value";
  }
};

TEST_P(ActorItself, EndsForGoodByExitActor) {
  const auto actor = ray::Actor(Selfish::Create).SetName("selfish").SetMaxRestarts(-1).Remote();
  EXPECT_FALSE(*actor.Task(&Selfish::WasRestarted).Remote().Get(kGuardMs));
  const auto exits = actor.Task(&Selfish::Exit).Remote();
  const auto after = actor.Task(&Selfish::WasRestarted).Remote();
  EXPECT_NE(death_of(exits).find("is dead: it ended itself by ExitActor()."), std::string::npos)
      << death_of(exits);
  EXPECT_NE(death_of(after).find("is dead"), std::string::npos);
  EXPECT_FALSE(ray::GetActor<Selfish>("selfish").has_value());
}

TEST_P(ActorItself, EndsNobodyElseByExitActor) {
  try {
    ray::Task(exit_in_a_task).Remote().Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayTaskException& error) {
    EXPECT_NE(std::string(error.what()).find("in a process that is not an actor's"), std::string::npos);
  }
  EXPECT_THROW(ray::ExitActor(), ray::RayException);
}

TEST_P(ActorItself, KnowsThatItWasMadeAgain) {
  const auto actor = ray::Actor(Selfish::Create).SetMaxRestarts(1).Remote();
  EXPECT_FALSE(*actor.Task(&Selfish::WasRestarted).Remote().Get(kGuardMs));
  actor.Kill(false);
  EXPECT_TRUE(*actor.Task(&Selfish::WasRestarted).Remote().Get(kGuardMs));
  EXPECT_FALSE(*ray::Task(restarted_task).Remote().Get(kGuardMs));
  EXPECT_FALSE(ray::WasCurrentActorRestarted());
}

TEST_P(ActorItself, HasItsNameInTheRuntimesNamespace) {
  EXPECT_EQ(ray::GetNamespace(), "home");
  EXPECT_EQ(*ray::Task(namespace_of_task).Remote().Get(kGuardMs), "home");
  const auto here = ray::Actor(Selfish::Create).SetName("one").Remote();
  const auto there = ray::Actor(Selfish::Create).SetName("one", "away").Remote();
  EXPECT_EQ(*here.Task(&Selfish::Namespace).Remote().Get(kGuardMs), "home");
  EXPECT_EQ(ray::GetActor<Selfish>("one"), here);
  EXPECT_EQ(ray::GetActor<Selfish>("one", "home"), here);
  EXPECT_EQ(ray::GetActor<Selfish>("one", "away"), there);
  EXPECT_THROW(static_cast<void>(ray::Actor(Selfish::Create).SetName("one", "home").Remote()),
               ray::RayException);
  EXPECT_TRUE(*here.Task(&Selfish::Finds).Remote("one").Get(kGuardMs));
  EXPECT_FALSE(*here.Task(&Selfish::Finds).Remote("two").Get(kGuardMs));
}

INSTANTIATE_TEST_SUITE_P(In, ActorItself, ::testing::Bool(),
                         [](const auto& mode) { return mode.param ? "LocalMode" : "Workers"; });

TEST(ActorInWorkers, MayExitInItsConstructor) {
  ray::Init({.num_cpus = 1, .shutdown_timeout_ms = 100});
  const auto actor = ray::Actor(Selfish::CreateAndExit).Remote();
  EXPECT_THROW(actor.Task(&Selfish::Namespace).Remote().Get(kGuardMs), ray::RayActorException);
  ray::Shutdown();
  EXPECT_EQ(ray::RayConfig().ray_namespace, "");
  EXPECT_THROW(ray::Init({.ray_namespace = std::string(256, 'n')}), ray::RayException);
  EXPECT_THROW(static_cast<void>(ray::GetNamespace()), ray::RayException);
}

}  // namespace
}  // namespace flowray
