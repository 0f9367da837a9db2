#pragma once

#include <flowray/ray/backend.h>
#include <flowray/ray/testing.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "ray/functions/run_function.h"
#include "ray/simulation/fibers.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {

/// The runtime of a testing::Simulation. Each call that runs has a Fiber; where one waits, or makes a call,
/// the seed chooses what happens next: a call reaches its process, begins, goes on, or something goes wrong.
class SimulatedBackend : public internal::Backend {
 public:
  SimulatedBackend(uint64_t seed, const testing::Faults& faults);
  ~SimulatedBackend() override;

  void set_faults(const testing::Faults& faults) { faults_ = faults; }
  void crash_actor(ActorId actor);
  std::string trace() const;
  int num_crashes() const { return num_crashes_; }
  int num_lost() const { return num_lost_; }
  bool prints_trace = false;
  /// Ends all that runs, while this is the process's backend.
  void end_all();

  void submit(const internal::CallOptions& call, Encoder& arguments,
              std::span<internal::ObjectHandle*> returns) override;
  ActorId create_actor(const internal::CallOptions& call, Encoder& arguments) override;
  void kill_actor(ActorId actor, bool no_restart) override;
  ActorId find_actor(std::string_view name) override;
  uint64_t pending_calls(ActorId actor) override;
  internal::ObjectHandle* put(Encoder& value) override;
  std::optional<internal::ValueView> get(ObjectId object, internal::Deadline deadline) override;
  std::vector<bool> wait(std::span<const ObjectId> objects, int count, internal::Deadline deadline) override;
  internal::ObjectHandle* find_object(ObjectId object) override;
  internal::ObjectHandle* adopt(ObjectId object) override;
  void release(ObjectId object) noexcept override;
  std::unique_ptr<internal::LaterAnswer> answer_later() override;
  std::optional<internal::ValueView> await(ObjectId object, internal::Awaiting& awaiting) override;
  void cancel(ObjectId object, bool force, bool recursive) override;
  bool is_cancelled() override;
  void fail_for_good() override;
  internal::CurrentActor current_actor() override;
  std::string ray_namespace() override { return {}; }
  std::vector<std::string> gpu_ids() override { return {}; }
  std::string resources(internal::WhichResources) override { return resources_text({{"CPU", 4000}}); }
  internal::CurrentCall current_call() override;
  ObjectId create_group(const internal::GroupSpec& group) override;
  void remove_group(ObjectId group) override;
  std::vector<internal::GroupSpec> groups() override { return groups_; }
  internal::NextItem next_item(ObjectId stream, internal::ObjectHandle** taken,
                               internal::Deadline deadline) override;
  void give_item(const internal::CurrentCall& call, uint64_t index, Encoder& value) override;
  void wait_to_give(const internal::CurrentCall& call, uint64_t given) override;

 private:
  struct Object;
  struct Call;
  struct Stream;
  struct Process;
  struct Await;
  struct Actor;
  struct Waiting;
  class Later;
  /// Thrown through the function of a process that has died.
  struct ProcessEnded {};
  /// What may happen next.
  using Action = std::function<void()>;

  // simulated_backend.cpp
  void add_call(const internal::CallOptions& options, Encoder& arguments, CallMode mode, ActorId actor,
                std::span<internal::ObjectHandle*> returns);
  internal::ObjectHandle* store(const Encoder& value);
  void fill(ObjectId object, const Encoder& value);
  void fill_with_error(Call& call, ErrorKind kind, const std::string& text);
  bool is_ready(ObjectId object) const;
  internal::ValueView view_of(ObjectId object) const;
  Call* running_call() const;
  Call& require_call(const internal::CurrentCall& call);
  void trace(std::string line);
  static std::string await_cancelled_text(const Call& call);

  // simulated_schedule.cpp
  bool happens(double probability);
  size_t below(size_t count);
  bool block(const std::function<bool()>& is_over, bool has_deadline);
  bool should_go_on(const Waiting& waiting);
  Fibers::Fiber* next_fiber();
  void collect_arrivals(std::vector<Action>& actions, size_t most_tasks);
  void collect_begins(std::vector<Action>& actions);
  void collect_ends_of_time(std::vector<Action>& actions, Fibers::Fiber*& chosen);
  void go_on(const Await& await);
  bool is_deliverable(const Call& call) const;
  bool has_room(const Process& process, const Call& call) const;
  void start(const std::shared_ptr<Call>& call, std::function<void()> job);
  void arrive(const std::shared_ptr<Call>& call);
  void begin(const std::shared_ptr<Call>& call, const std::shared_ptr<Process>& process);
  void run(const std::shared_ptr<Call>& call);
  void run_function_of(const std::shared_ptr<Call>& call);
  void end(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded);
  void answer(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded);
  void keep_checkpoint(Call& call, std::span<Encoder> results, bool& succeeded);
  void made(const std::shared_ptr<Call>& call, std::span<Encoder> results, bool succeeded);
  void lose(const std::shared_ptr<Call>& call, const std::string& why, bool may_run_again);
  void die(const std::shared_ptr<Process>& process, const std::string& why, bool is_crash = true);
  void crash_if_it_happens(const char* where);
  void end_cancelled(const std::shared_ptr<Call>& call);
  void cancel(const std::shared_ptr<Call>& call, bool force, bool recursive);
  void pass_deadline(const std::shared_ptr<Call>& call);
  void end_actor(Actor& actor, const std::string& why);
  void make(Actor& actor);
  void check_alive();
  std::string text_of_waiting() const;

  std::mt19937_64 random_;
  testing::Faults faults_;
  Fibers fibers_;
  std::map<size_t, Waiting> waiting_;  // by the fibers' numbers
  std::map<Fibers::Fiber*, std::shared_ptr<Call>> running_;
  std::map<uint64_t, Object> objects_;
  std::map<uint64_t, std::shared_ptr<Actor>> actors_;
  std::map<std::string, ActorId, std::less<>> names_;
  std::map<uint64_t, std::shared_ptr<Stream>> streams_;  // by the calls' returns
  std::map<uint64_t, std::weak_ptr<Call>> calls_;        // by number
  std::deque<std::shared_ptr<Call>> on_their_way_;       // in the order in which they were made
  std::vector<std::shared_ptr<Process>> dead_;           // their objects stay until the end
  std::vector<internal::GroupSpec> groups_;
  std::deque<std::string> trace_;
  uint64_t last_call_ = 0;
  uint64_t last_process_ = 0;
  size_t num_tasks_running_ = 0;
  int num_crashes_ = 0;
  int num_lost_ = 0;
  bool is_stuck_ = false;
  bool is_ending_ = false;
};

}  // namespace flowray::ray
