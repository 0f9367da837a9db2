#pragma once

#include <flowray/ray/backend.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ray {

class ActorObject;

/// RayConfig::local_mode: runs tasks and actors' methods at once in the thread that calls them. Values are
/// encoded and decoded as if they travelled, so a program that works here sends nothing that cannot be sent.
/// Restarts and retries have no meaning: there is no process that could die. A generator goes on when
/// its next value is asked for. Must not be destroyed while it is the process's backend.
class LocalBackend final : public internal::Backend {
 public:
  /// `resources`: what there is, which nothing is taken of; as Backend::resources.
  explicit LocalBackend(std::string ray_namespace = {}, std::string resources = {});
  ~LocalBackend() override;

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
  /// It is there, as every value.
  std::optional<internal::ValueView> await(ObjectId object, internal::Awaiting& awaiting) override;
  /// Every call is done when its reference is there, but for generators.
  void cancel(ObjectId object, bool force, bool recursive) override;
  bool is_cancelled() override;
  void fail_for_good() override;
  uint64_t pending_calls(ActorId /*actor*/) override { return 0; }
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
  class Later;

  internal::ObjectHandle* store(const Encoder& value);
  void store_results(std::span<Encoder> results, std::span<internal::ObjectHandle*> returns);
  Call take_arguments(Encoder& arguments);
  bool run_once(const internal::CallOptions& call, const Call& arguments, ActorObject& actor,
                RunningHere& here, std::span<Encoder> results);
  void run(const internal::CallOptions& call, const std::shared_ptr<const Call>& arguments,
           const std::shared_ptr<Actor>& actor, std::span<internal::ObjectHandle*> returns);
  std::shared_ptr<Actor> actor_of(ActorId id);
  int task_retries(const internal::CallOptions& call);
  static void hand_on_state(const Actor& from, Actor& to);
  static std::shared_ptr<Actor> make_actor(std::shared_ptr<const Creation> creation, int restarts_left,
                                           const internal::CurrentActor& self);

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
  const std::string ray_namespace_;
  const std::string resources_;
};

}  // namespace flowray::ray
