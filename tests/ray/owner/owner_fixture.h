#pragma once
/// The owner, message by message: what a worker is sent for what another one said.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ray/owner/owner.h"
#include "ray/values/value.h"
#include "support/simulated_value.h"
#include "support/simulated_world.h"

namespace flowray::ray {

/// A driver and its workers, of which each does what the test says.
class OwnerTest : public ::testing::Test {
 protected:
  explicit OwnerTest(uint32_t num_cpus = 1) : OwnerTest(limits(num_cpus)) {}
  explicit OwnerTest(const Owner::Limits& limits) : world(limits.num_cpus), owner(world, limits) {}

  static Owner::Limits limits(uint32_t num_cpus) {
    Owner::Limits limits;
    limits.num_cpus = num_cpus;
    limits.store_bytes = uint64_t{64} << 20;
    limits.most_in_flight = SimulatedWorld::kTickets / 2;
    return limits;
  }

  // ---- the driver

  static StoredValue heap(const std::vector<std::byte>& bytes) {
    StoredValue value;
    value.bytes = Buffer::allocate(bytes.size());
    std::ranges::copy(bytes, value.bytes->data());
    return value;
  }
  /// A call without arguments but `refs`.
  Submission call(CallMode mode, std::vector<ObjectId> refs = {}) {
    refs_ = std::move(refs);
    Submission submission;
    submission.mode = mode;
    submission.function = {mode == CallMode::kTask ? 1u : 2u};
    submission.function_name = "called";
    submission.class_name = mode == CallMode::kTask ? "" : "Class";
    submission.terms.resources.cpu_milli = mode == CallMode::kTask ? 1000 : 0;
    submission.terms.num_returns = mode == CallMode::kMakeActor ? 0 : 1;
    if (mode != CallMode::kMakeActor) submission.first_return = owner.new_objects();
    submission.arguments = heap(encode(SimulatedValue{}));
    submission.refs = refs_;
    return submission;
  }
  ObjectId submit(const Submission& submission) {
    owner.submit(submission);
    return submission.first_return;
  }
  ObjectId submit_task(std::vector<ObjectId> refs = {}) {
    return submit(call(CallMode::kTask, std::move(refs)));
  }
  ActorId make_actor(std::string_view name = {}, uint32_t max_restarts = 0, std::vector<ObjectId> refs = {}) {
    Submission submission = call(CallMode::kMakeActor, std::move(refs));
    submission.actor = owner.new_actor();
    submission.name = name;
    submission.terms.max_retries = max_restarts;
    owner.submit(submission);
    return submission.actor;
  }
  ObjectId call_actor(ActorId actor) {
    Submission submission = call(CallMode::kActorCall);
    submission.actor = actor;
    return submit(submission);
  }
  /// What the error in the object's place says; nothing if it is not ready or no error.
  std::optional<DecodedError> error_of(ObjectId object) {
    if (!owner.is_ready(object)) return std::nullopt;
    const StoredValue value = owner.begin_read(object);
    if (value.extent) owner.read_ended(object);
    if (!value.is_error) return std::nullopt;
    internal::ValueView view;
    view.bytes = value.extent ? world.view(value.extent)
                              : std::span(std::as_const(*value.bytes).data(), value.bytes->size_bytes());
    return decode_error(view);
  }

  /// The actor waits no longer before it is made again.
  void end_pause(ActorId actor) {
    ASSERT_EQ(world.pauses().size(), 1u);
    world.pauses().clear();
    owner.on_pause_over(actor);
  }

  // ---- the workers

  /// The calls that the worker was sent and has not taken yet.
  std::vector<TaskId> runs(WorkerId worker) {
    std::vector<TaskId> tasks;
    std::vector<ValuePart> parts;
    auto& queue = world.process(worker).to_worker;
    for (const SimulatedMessage& message : queue) {
      if (message.kind() == ray::Run::kKind)
        tasks.push_back(read_message<ray::Run>(message.bytes(), parts).task);
    }
    return tasks;
  }
  /// The worker takes all of its messages and begins the first of its calls.
  TaskId begin(WorkerId worker) {
    if (owner.pid(worker) == 0) say(worker, Started{1000 + worker.value});
    std::vector<ValuePart> parts;
    auto& queue = world.process(worker).to_worker;
    std::optional<TaskId> first;
    for (const SimulatedMessage& message : queue) {
      if (message.kind() != ray::Run::kKind) continue;
      const ray::Run run = read_message<ray::Run>(message.bytes(), parts);
      if (!first && (run.mode != CallMode::kTask || world.begin(worker, run))) first = run.task;
    }
    queue.clear();
    EXPECT_TRUE(first.has_value()) << "worker " << worker.value << " has nothing to run";
    return first.value_or(TaskId{});
  }
  template <class Message>
  void say(WorkerId worker, const Message& message) {
    world.post(worker, message);
    world.deliver(owner, worker);
  }
  static ValuePart part_of(const std::vector<std::byte>& bytes, bool is_error = false) {
    ValuePart part;
    part.bytes = bytes;
    part.is_error = is_error;
    return part;
  }
  void done(WorkerId worker, TaskId task) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    const ValuePart part = part_of(bytes);
    say(worker, Done{task, kLongNs, {&part, 1}});
  }
  void made(WorkerId worker, TaskId task) { say(worker, Done{task, kLongNs, {}}); }
  /// Writes the value where the worker has a lease and says nothing of it yet.
  ValuePart in_store(WorkerId worker, const std::vector<std::byte>& bytes, bool is_error = false) {
    say(worker, Lease{99, bytes.size()});
    std::vector<ValuePart> parts;
    const SimulatedMessage answer = world.process(worker).to_worker.back();
    world.process(worker).to_worker.pop_back();
    ValuePart part;
    const auto leased = read_message<Leased>(answer.bytes(), parts);
    EXPECT_TRUE(world.add_value(worker, leased.lease));
    part.extent = {leased.slab, leased.offset, bytes.size()};
    part.is_error = is_error;
    std::ranges::copy(bytes, world.data(part.extent));
    return part;
  }
  static ObjectId object_of(WorkerId worker, uint64_t number) {
    return {(uint64_t{worker.value} << 40) + number};
  }

  /// A call that takes so long that no worker is sent two.
  static constexpr uint64_t kLongNs = 1'000'000'000;

  SimulatedWorld world;
  Owner owner;

 private:
  std::vector<ObjectId> refs_;
};

inline constexpr WorkerId kFirst{1};
inline constexpr WorkerId kSecond{2};

inline std::string message_of(const std::optional<DecodedError>& error) {
  return error ? error->failure.message : "no error";
}

class OwnerOfTwoProcessors : public OwnerTest {
 protected:
  OwnerOfTwoProcessors() : OwnerTest(2) {}
};

}  // namespace flowray::ray
