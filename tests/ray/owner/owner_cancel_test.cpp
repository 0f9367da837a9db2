// What becomes of a call that is cancelled, by how far it has come.

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

class OwnerCancels : public OwnerTest {
 protected:
  std::vector<uint32_t> kinds_sent_to(WorkerId worker) {
    std::vector<uint32_t> kinds;
    for (const SimulatedMessage& message : world.process(worker).to_worker) kinds.push_back(message.kind());
    return kinds;
  }
  /// A call that the worker's call `parent` makes.
  ObjectId submit_from(WorkerId worker, TaskId parent, uint64_t number) {
    Submit message;
    message.parent = parent;
    message.function = {1};
    message.function_name = "called";
    message.terms.resources.cpu_milli = 1000;
    message.first_return = object_of(worker, number);
    const ValuePart part = part_of(bytes);
    message.parts = {&part, 1};
    say(worker, message);
    return message.first_return;
  }

  const std::vector<std::byte> bytes = encode(SimulatedValue{});
};

TEST_F(OwnerCancels, ATaskThatWaitsForAProcessor) {
  const ObjectId running = submit_task();
  const ObjectId waiting = submit_task();
  const ObjectId behind = submit_task();
  owner.cancel_call(waiting, false, true);
  EXPECT_EQ(error_of(waiting)->kind, ErrorKind::kTaskCancelled);
  EXPECT_EQ(message_of(error_of(waiting)), "Task: called was cancelled. It had not begun.");
  done(kFirst, begin(kFirst));
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(running));
  EXPECT_TRUE(owner.is_ready(behind));
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerCancels, ManyWithoutATicketGivenTwice) {
  submit_task();
  const std::vector<std::byte> value = encode(SimulatedValue{});
  const ValuePart part = part_of(value);
  say(kFirst, Done{begin(kFirst), 100, {&part, 1}});  // a short function: several are sent at a time
  const ObjectId running = submit_task();
  const TaskId task = begin(kFirst);
  const ObjectId behind = submit_task();
  EXPECT_EQ(runs(kFirst).size(), 1u);
  for (uint32_t i = 0; i < 3 * SimulatedWorld::kTickets; ++i)
    owner.cancel_call(submit_task(), false, true);  // the world fails where a ticket is out
  done(kFirst, task);
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(running) && owner.is_ready(behind));
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerCancels, ATaskThatWaitsForAnArgument) {
  const ObjectId argument = submit_task();
  const ObjectId waiting = submit_task({argument});
  owner.cancel_call(waiting, false, true);
  EXPECT_EQ(error_of(waiting)->kind, ErrorKind::kTaskCancelled);
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(runs(kFirst).empty());
}

TEST_F(OwnerCancels, ATaskThatWasSentAndHasNotBegun) {
  const ObjectId sent = submit_task();
  owner.cancel_call(sent, false, true);
  EXPECT_EQ(error_of(sent)->kind, ErrorKind::kTaskCancelled);
  EXPECT_EQ(kinds_sent_to(kFirst), std::vector<uint32_t>{ray::Run::kKind}) << "its ticket is taken back";
  submit_task();
  EXPECT_EQ(owner.num_workers(), 1u) << "the worker is free";
}

TEST_F(OwnerCancels, ATaskThatRunsByTellingItOnce) {
  const ObjectId running = submit_task();
  const TaskId task = begin(kFirst);
  owner.cancel_call(running, false, true);
  owner.cancel_call(running, false, true);
  EXPECT_EQ(kinds_sent_to(kFirst), std::vector<uint32_t>{Interrupt::kKind});
  EXPECT_FALSE(owner.is_ready(running));
  done(kFirst, task);
  EXPECT_EQ(message_of(error_of(running)), "no error");
}

TEST_F(OwnerCancels, ATaskThatRunsByForceAndDoesNotRunItAgain) {
  Submission submission = call(CallMode::kTask);
  submission.terms.max_retries = kForever;
  const ObjectId running = submit(submission);
  begin(kFirst);
  owner.cancel_call(running, true, true);
  EXPECT_TRUE(world.process(kFirst).killed);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(message_of(error_of(running)), "Task: called was cancelled. Its process was ended.");
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerCancels, TheCallsThatItHasMadeAndNoOthers) {
  const ObjectId parent = submit_task();
  const TaskId task = begin(kFirst);
  const ObjectId child = submit_from(kFirst, task, 1);
  const ObjectId stranger = submit_from(kFirst, {}, 2);
  owner.cancel_call(parent, false, false);
  EXPECT_FALSE(owner.is_ready(child));
  owner.cancel_call(parent, false, true);
  EXPECT_EQ(error_of(child)->kind, ErrorKind::kTaskCancelled);
  EXPECT_FALSE(owner.is_ready(stranger));
}

TEST_F(OwnerCancels, AnActorsCallAndLetsTheNextOnesPass) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  const ObjectId never = submit_task();
  Submission submission = call(CallMode::kActorCall, {never});
  submission.actor = actor;
  const ObjectId waiting = submit(submission);
  const ObjectId behind = call_actor(actor);
  EXPECT_TRUE(runs(kFirst).empty());
  owner.cancel_call(waiting, false, true);
  EXPECT_EQ(error_of(waiting)->kind, ErrorKind::kTaskCancelled);
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(behind));
}

TEST_F(OwnerCancels, NoActorsCallByForce) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  const ObjectId running = call_actor(actor);
  const TaskId task = begin(kFirst);
  EXPECT_THROW(owner.cancel_call(running, true, true), RayException);
  EXPECT_TRUE(kinds_sent_to(kFirst).empty());
  owner.cancel_call(running, false, true);
  EXPECT_EQ(kinds_sent_to(kFirst), std::vector<uint32_t>{Interrupt::kKind});
  done(kFirst, task);
}

TEST_F(OwnerCancels, ACallWhoseDeadlineHasPassed) {
  Submission submission = call(CallMode::kTask);
  submission.terms.deadline_ms = 50;
  const ObjectId running = submit(submission);
  ASSERT_EQ(world.timers().size(), 1u);
  EXPECT_EQ(world.timers()[0].ms, 50u);
  submission = call(CallMode::kTask);
  submission.terms.deadline_ms = 70;
  const ObjectId waiting = submit(submission);
  const auto timers = world.timers();
  begin(kFirst);
  owner.on_timer(timers[1].task, Timer::kDeadline);
  EXPECT_EQ(message_of(error_of(waiting)),
            "Task: called was cancelled. Its deadline of 70 ms has passed: it had not begun.");
  owner.on_timer(timers[0].task, Timer::kDeadline);
  EXPECT_TRUE(world.process(kFirst).killed);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(message_of(error_of(running)),
            "Task: called was cancelled. Its deadline of 50 ms has passed: its process was ended.");
  EXPECT_TRUE(world.timers().empty()) << "they are stopped with their calls";
  owner.on_timer(timers[0].task, Timer::kDeadline);  // it may have been on its way
}

}  // namespace
}  // namespace flowray::ray
