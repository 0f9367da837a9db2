#pragma once
/// A simulation of crashes, delays and lost messages for a program's own tasks and actors: the program runs
/// in one process, one thing at a time, in an order that a seed chooses, and so does what goes wrong. What
/// fails once fails again with its seed.
///
///     TEST(Bank, LosesNoMoney) {
///       ray::testing::Explore(1000, {.crash = 0.02, .lost_answer = 0.02}, [](ray::testing::Simulation&) {
///         auto bank = ray::Actor(Bank::Create).SetMaxRestarts(-1).SetMaxTaskRetries(-1).Remote();
///         transfer(bank);                                  // Task, Actor, Get, Wait, ... as ever
///         ASSERT_EQ(*bank.Task(&Bank::Sum).Remote().Get(), 100);
///       });
///     }

#include <flowray/ray/actor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::ray::testing {

/// How often something goes wrong: probabilities from 0 to 1, at each place where it may.
struct Faults {
  /// A process dies: before it begins a call, where the call waits or makes another one, before it answers.
  double crash = 0;
  /// A call does not reach its process: its caller finds that the process has died with it.
  /// The actor lives on.
  double lost_call = 0;
  /// The answer of a call that has run does not come back; what its caller finds is the same.
  double lost_answer = 0;
  /// The time of a Get or Wait that has a timeout_ms is over before what it waits for is there.
  double delay = 0;
};

/// While it lives it is the runtime of this process, in place of Init and Shutdown. All calls are made by the
/// thread that has made it.
class Simulation {
 public:
  /// Throws RayException if a runtime runs, and for a probability outside of [0, 1].
  explicit Simulation(uint64_t seed, const Faults& faults = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Sets what goes wrong from now on; {}: nothing.
  void SetFaults(const Faults& faults);
  /// The actor's process dies, wherever it is; it is made again if it has restarts left.
  template <typename T>
  void Crash(const ActorHandle<T>& actor) {
    Crash(internal::require_actor(actor.id()));
  }
  /// The same of an actor by its id.
  void Crash(ActorId actor);
  /// What has happened, in its order, a line each: the last 1,000.
  std::string Trace() const;
  /// How many processes have died.
  int NumCrashes() const;
  /// How many calls and answers were lost.
  int NumLost() const;

 private:
  class Backend;
  std::unique_ptr<Backend> backend_;
};

/// Runs `program` in a simulation for each of `num_seeds` seeds, from 1 on; with FLOWRAY_SIMULATION_SEED=N of
/// the environment for that seed alone, and prints what happens. Throws RayException, with the seed, the
/// error and the end of the trace, for the first one that throws.
void Explore(int num_seeds, const Faults& faults, const std::function<void(Simulation&)>& program);

}  // namespace flowray::ray::testing

#pragma GCC visibility pop
