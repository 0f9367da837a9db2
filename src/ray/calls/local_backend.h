#pragma once

#include <flowray/ray/backend.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/function_ref.h"

namespace flowray::ray {

class ActorObject;
class LocalThreads;

/// RayConfig::local_mode: runs tasks and actors' methods at once in the thread that calls them. With
/// `local_threads` tasks run in threads, and a method whose arguments are not there, or whose actor is busy
/// in another thread, waits in its actor's line (local_later.cpp). Values are encoded and decoded as if they
/// travelled, so a program that works here sends nothing that cannot be sent. Restarts and retries have no
/// meaning: there is no process that could die. A generator goes on when its next value is asked for. Must
/// not be destroyed while it is the process's backend.
class LocalBackend final : public internal::Backend {
 public:
  /// `resources`: what there is, which nothing is taken of; as Backend::resources. `local_threads`: as
  /// RayConfig's.
  explicit LocalBackend(std::string ray_namespace = {}, std::string resources = {}, size_t local_threads = 0);
  ~LocalBackend() override;

  /// Begins no further task; those that wait get a RayException. Returns how many tasks still run after
  /// `patience`, which may use this as long as they do.
  size_t end(std::chrono::milliseconds patience);

  void submit(const internal::CallOptions& call, Encoder& arguments,
              std::span<internal::ObjectHandle*> returns) override;
  ActorId create_actor(const internal::CallOptions& call, Encoder& arguments) override;
  void kill_actor(ActorId actor, bool no_restart) override;
  ActorId find_actor(std::string_view name) override;
  internal::ObjectHandle* put(Encoder& value) override;
  std::optional<internal::ValueView> get(ObjectId object, internal::Deadline deadline) override;
  std::vector<bool> wait(std::span<const ObjectId> objects, int count, internal::Deadline deadline) override;
  internal::ObjectHandle* adopt(ObjectId object) override;
  internal::ObjectHandle* find_object(ObjectId object) override;
  void release(ObjectId object) noexcept override;
  std::unique_ptr<internal::LaterAnswer> answer_later() override;
  /// Waits for it, as get() does.
  std::optional<internal::ValueView> await(ObjectId object, internal::Awaiting& awaiting) override;
  /// Without local_threads every call is done when its reference is there, but for generators.
  void cancel(ObjectId object, bool force, bool recursive) override;
  bool is_cancelled() override;
  void fail_for_good() override;
  uint64_t pending_calls(ActorId actor) override;
  internal::CurrentActor current_actor() override;
  std::string ray_namespace() override { return ray_namespace_; }
  std::vector<std::string> gpu_ids() override { return {}; }
  std::string resources(internal::WhichResources) override { return resources_; }
  internal::CurrentCall current_call() override;
  ObjectId create_group(const internal::GroupSpec& group) override;
  void remove_group(ObjectId group) override;
  std::vector<internal::GroupSpec> groups() override;
  internal::NextItem next_item(ObjectId stream, internal::ObjectHandle** taken,
                               internal::Deadline deadline) override;
  void give_item(const internal::CurrentCall& call, uint64_t index, Encoder& value) override;
  void wait_to_give(const internal::CurrentCall&, uint64_t) override {}
  bool keep_values(std::unique_ptr<internal::GivenValues>& values) override;

  /// Each with a zero byte behind it.
  std::string actor_names() const;

  /// For tests: how many objects are held.
  size_t num_objects() const;

 private:
  struct State;
  struct Object;
  struct Stream;
  struct Actor;
  struct Call;
  struct Creation;
  struct Answer;
  struct RunningHere;
  struct Line;
  struct Job;
  struct Ran;
  struct Refusal;
  class Later;

  static Object object_of(const Encoder& value);
  internal::ObjectHandle* store(const Encoder& value);
  void store_results(std::span<Encoder> results, std::span<internal::ObjectHandle*> returns);
  Call take_arguments(Encoder& arguments);
  bool run_once(const internal::CallOptions& call, const Call& arguments, ActorObject& actor,
                RunningHere& here, std::span<Encoder> results);
  Ran run_to_end(const internal::CallOptions& call, const Call& arguments,
                 const std::shared_ptr<Actor>& actor, size_t num_returns, std::atomic<bool>* is_cancelled);
  void run(const internal::CallOptions& call, const std::shared_ptr<const Call>& arguments,
           const std::shared_ptr<Actor>& actor, std::span<internal::ObjectHandle*> returns);
  std::optional<Refusal> refusal_of(const internal::CallOptions& call, const Actor* actor);
  void refuse(const Refusal& refusal, std::span<internal::ObjectHandle*> returns);
  void call_now(const internal::CallOptions& call, const std::shared_ptr<const Call>& arguments,
                std::span<internal::ObjectHandle*> returns);
  std::shared_ptr<Actor> actor_of(ActorId id);
  int task_retries(const internal::CallOptions& call);
  static void hand_on_state(const Actor& from, Actor& to);
  static std::shared_ptr<Actor> make_actor(std::shared_ptr<const Creation> creation, int restarts_left,
                                           const internal::CurrentActor& self);

  // local_later.cpp
  bool submit_to_threads(const internal::CallOptions& call, Encoder& arguments,
                         std::span<internal::ObjectHandle*> returns);
  void submit_to_line(const Actor& actor, const internal::CallOptions& call, Encoder& arguments,
                      std::span<internal::ObjectHandle*> returns);
  std::shared_ptr<Job> job_of(const internal::CallOptions& call, Encoder& arguments,
                              std::span<internal::ObjectHandle*> returns);
  void post(std::shared_ptr<Job> job);
  void end_turn(const std::shared_ptr<Line>& line) noexcept;
  void run_line(const std::shared_ptr<Line>& line);
  void run_job(Job& job);
  Call arguments_of(const Job& job);
  void run_begun_job(Job& job, const Call& arguments);
  void cancel_job(ObjectId object);
  void fill(ObjectId id, const Encoder& value);
  void fill_all(const Job& job, const Ran& ran);
  void fill_with(const Job& job, const Refusal& refusal);
  bool is_made(ObjectId object) const;
  bool are_made(std::span<internal::ObjectHandle* const> objects) const;
  bool wait_until(FunctionRef<bool()> ready, internal::Deadline deadline);
  bool wait_for_value(ObjectId object, internal::Deadline deadline);

  // local_streams.cpp
  std::shared_ptr<Stream> stream_of_call(uint64_t call);
  std::shared_ptr<Stream> stream_of(ObjectId object);
  void end_stream(Stream& stream, Encoder& outcome);
  bool make_next(Stream& stream);
  bool make_value(Stream& stream);
  bool go_on(Stream& stream, Encoder& value);
  bool begin_again(Stream& stream);
  std::string death_of(const Stream& stream);
  bool make_all(ObjectId object, internal::Deadline deadline);
  void end_open_streams(Actor& actor);
  void forget_stream(ObjectId object) noexcept;

  std::string resolved(std::string_view name) const;

  std::unique_ptr<State> state_;
  const std::unique_ptr<LocalThreads> threads_;  // null: no local_threads
  const std::string ray_namespace_;
  const std::string resources_;
};

}  // namespace flowray::ray
