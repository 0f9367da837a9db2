#include "ray/owner/owner_fixture.h"

#include <vector>

#include "ray/functions/python_functions.h"

namespace flowray::ray {
namespace {

class OwnerTasks : public OwnerTest {};

TEST_F(OwnerTasks, WithThousandsOfReferencesAreSentInMessagesThatFit) {
  std::vector<ObjectId> refs;
  SimulatedValue value;
  value.padding_bytes = 100;
  for (int i = 0; i < 5000; ++i) {
    refs.push_back(owner.new_objects());
    value.number = refs.back().value;
    owner.put(refs.back(), heap(encode(value)));
  }
  submit_task(refs);  // the world knows how long a message may be
  std::vector<uint64_t> numbers;
  std::vector<ValuePart> parts;
  const auto& sent = world.process(kFirst).to_worker;
  for (size_t i = 0; i + 1 < sent.size(); ++i) {
    ASSERT_EQ(sent[i].kind(), RunArguments::kKind);
    read_message<RunArguments>(sent[i].bytes(), parts);
    for (const ValuePart& part : parts) numbers.push_back(decode(part.bytes).number);
  }
  const auto run = read_message<ray::Run>(sent.back().bytes(), parts);
  EXPECT_EQ(run.num_ahead, 5001u);
  EXPECT_TRUE(run.parts.empty());
  ASSERT_EQ(numbers.size(), 5001u);
  for (size_t i = 0; i < refs.size(); ++i) ASSERT_EQ(numbers[i + 1], refs[i].value);
}

TEST_F(OwnerTasks, MayReturnAValueThatRefersToAnotherOfItsReturns) {
  Submission submission = call(CallMode::kTask);
  submission.terms.num_returns = 2;
  const ObjectId one = submission.first_return = owner.new_objects(2);
  const ObjectId two{one.value + 1};
  submit(submission);
  const TaskId task = begin(kFirst);
  owner.release(one);
  SimulatedValue refers;
  refers.refs = {one};
  const std::vector<std::byte> first = encode(SimulatedValue{});
  const std::vector<std::byte> second = encode(refers);
  const std::vector<ValuePart> parts{part_of(first), part_of(second)};
  say(kFirst, Done{task, kLongNs, parts});
  EXPECT_TRUE(owner.is_ready(one));
  EXPECT_TRUE(owner.is_ready(two));
  owner.release(two);
  EXPECT_EQ(owner.num_objects(), 0u);
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerTasks, AreRunAgainForWhatTheyThrowUnlessThatIsFinal) {
  Submission submission = call(CallMode::kTask);
  submission.terms.max_retries = 5;
  submission.terms.retry_exceptions = 1;
  const ObjectId object = submit(submission);
  const std::vector<std::byte> bytes = encode_failure("no");
  const ValuePart part = part_of(bytes, true);
  say(kFirst, Done{begin(kFirst), kLongNs, {&part, 1}, 1});
  EXPECT_FALSE(owner.is_ready(object));
  say(kFirst, Done{begin(kFirst), kLongNs, {&part, 1}, 1, 0, 1});
  EXPECT_TRUE(error_of(object).has_value());
}

/// The driver is no Python program: its own workers cannot run Python's functions.
class OwnerWithPythonApart : public OwnerTest {
 protected:
  OwnerWithPythonApart() : OwnerTest(with_python_apart()) {}
  static Owner::Limits with_python_apart() {
    Owner::Limits limits = OwnerTest::limits(2);
    limits.keeps_python_apart = true;
    return limits;
  }
  ObjectId submit_python() {
    Submission submission = call(CallMode::kTask);
    submission.function = python_function_id(internal::PythonCall::kTask, 1);
    return submit(submission);
  }
  WorkerKind kind(WorkerId worker) { return world.process(worker).kind; }
};

TEST_F(OwnerWithPythonApart, RunsEachCallInAWorkerOfItsKind) {
  submit_task();
  const ObjectId python = submit_python();
  EXPECT_EQ(kind(kFirst), WorkerKind::kProgram);
  EXPECT_EQ(kind(kSecond), WorkerKind::kPython);
  done(kFirst, begin(kFirst));  // idle, and not for Python's
  submit_python();
  EXPECT_TRUE(runs(kFirst).empty());
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(python));
}

TEST_F(OwnerWithPythonApart, MakesActorsInAWorkerOfTheirKind) {
  Submission submission = call(CallMode::kMakeActor);
  submission.function = python_function_id(internal::PythonCall::kMakeActor, 1);
  submission.actor = owner.new_actor();
  owner.submit(submission);
  EXPECT_EQ(kind(kFirst), WorkerKind::kPython);
  make_actor();
  EXPECT_EQ(kind(kSecond), WorkerKind::kProgram);
}

TEST_F(OwnerWithPythonApart, FailsCallsOfTheKindThatCannotStartOnly) {
  const ObjectId python = submit_python();
  for (uint32_t worker = 1; !owner.is_ready(python); ++worker) {
    ASSERT_LE(worker, 3u);
    world.die(owner, {worker}, "has no interpreter");
  }
  EXPECT_NE(message_of(error_of(python)).find("has no interpreter"), std::string::npos);
  const ObjectId task = submit_task();
  ASSERT_EQ(world.started().size(), 1u);
  const WorkerId worker = world.started()[0];
  world.die(owner, worker, "died");  // once is not three times
  EXPECT_FALSE(owner.is_ready(task));
}

TEST(OwnerOfManyWorkers, StartsNoneWhoseIdsWouldBeOthers) {
  SimulatedWorld world(1);
  Owner owner(world, {.num_cpus = 1, .store_bytes = 1 << 24, .last_worker = (1u << 24) - 2});
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  const auto submit = [&] {
    Submission submission;
    submission.function = {1};
    submission.function_name = "called";
    submission.terms.num_returns = 1;
    submission.terms.resources.cpu_milli = 1000;
    submission.first_return = owner.new_objects();
    submission.arguments.bytes = Buffer::allocate(bytes.size());
    std::ranges::copy(bytes, submission.arguments.bytes->data());
    owner.submit(submission);
    return submission.first_return;
  };
  const ObjectId first = submit();
  ASSERT_EQ(world.started().size(), 1u);
  EXPECT_FALSE(owner.is_ready(first));
  world.die(owner, world.started()[0], "died");
  EXPECT_TRUE(world.started().empty());
  EXPECT_TRUE(owner.is_ready(first));
  EXPECT_TRUE(owner.begin_read(first).is_error);
}

/// A program may name ever new functions; those that are called, and those that made actors, stay.
TEST_F(OwnerOfTwoProcessors, ForgetsFunctionsThatNobodyCalls) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  std::string name(32'000, 'x');
  for (uint64_t i = 0; i < 1000; ++i) {
    Submission submission = call(CallMode::kTask);
    submission.function = {1000 + i};
    name.replace(0, 4, std::to_string(1000 + i));
    submission.function_name = name;
    const ObjectId result = submit(submission);
    done(kSecond, begin(kSecond));
    owner.release(result);
  }
  EXPECT_LT(owner.function_rows().size(), 300u);
  EXPECT_EQ(owner.function_name({1999}), name);
  const std::vector<TaskRow> rows = owner.task_rows();
  ASSERT_EQ(rows.size(), 1001u);
  EXPECT_EQ(rows[1].name, "1000" + std::string(116, 'x') + "...");
  EXPECT_EQ(rows[1000].name, name);
  ASSERT_EQ(owner.actor_rows().size(), 1u);
  EXPECT_EQ(owner.actor_rows()[0].class_name, "Class");
  const ObjectId called = call_actor(actor);
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(called));
}

TEST_F(OwnerOfTwoProcessors, NamesNoneToEndWhileOneThatWasToldToIsDying) {
  for (int i = 0; i < 2; ++i) {
    Submission submission = call(CallMode::kTask);
    submission.terms.max_retries = 3;
    submit(submission);
  }
  begin(kFirst);
  begin(kSecond);
  EXPECT_EQ(owner.retriable_processes().size(), 2u);
  owner.end_worker(kFirst, "was the largest");
  EXPECT_TRUE(owner.retriable_processes().empty()) << "its memory gets less until it is dead";
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_EQ(owner.retriable_processes().size(), 1u);
}

class OwnerOfShortTasks : public OwnerTest {
 protected:
  explicit OwnerOfShortTasks(uint32_t num_cpus = 2) : OwnerTest(num_cpus) {
    submit_task();
    finish(kFirst, begin(kFirst));
  }
  /// It took no time to speak of.
  void finish(WorkerId worker, TaskId task) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    const ValuePart part = part_of(bytes);
    say(worker, Done{task, 100, {&part, 1}});
  }
};

TEST_F(OwnerOfShortTasks, KeepsAProcessorForTheProgram) {
  for (int i = 0; i < 5; ++i) submit_task();
  EXPECT_EQ(owner.num_workers(), 1u);
  EXPECT_EQ(runs(kFirst).size(), 5u);
  EXPECT_TRUE(owner.has_calls_behind_others());
  owner.look_for_stuck();
  EXPECT_EQ(owner.num_workers(), 1u) << "the first one was not there when somebody looked before";
}

TEST_F(OwnerOfShortTasks, GivesThoseToOthersThatWaitBehindALongOne) {
  std::vector<ObjectId> results;
  for (int i = 0; i < 5; ++i) results.push_back(submit_task());
  const TaskId task = begin(kFirst);
  owner.look_for_stuck();
  owner.look_for_stuck();
  EXPECT_EQ(owner.num_workers(), 2u);
  finish(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(results[1]) || owner.is_ready(results[4]));
  submit_task();  // the first one still does the same
  EXPECT_GE(runs(kSecond).size(), 1u);
  EXPECT_FALSE(owner.is_ready(results[0]));
  done(kFirst, task);
  EXPECT_TRUE(owner.is_ready(results[0]));
}

class OwnerOfShortTasksOfFour : public OwnerOfShortTasks {
 protected:
  OwnerOfShortTasksOfFour() : OwnerOfShortTasks(4) {}
};

TEST_F(OwnerOfShortTasksOfFour, UsesAllOtherProcessors) {
  for (int i = 0; i < 12; ++i) submit_task();
  EXPECT_EQ(owner.num_workers(), 3u);
}

// ---- tasks that a worker gets which has nothing else to do

TEST_F(OwnerTasks, ThatAWorkerHadNotBegunAreRunElsewhereThoughNobodyCouldTakeThemBack) {
  submit_task();
  done(kFirst, begin(kFirst));
  Submission once = call(CallMode::kTask);
  once.terms.max_retries = 0;
  const ObjectId result = submit(once);
  ASSERT_EQ(runs(kFirst).size(), 1u);
  world.die(owner, kFirst, "was killed");
  EXPECT_FALSE(owner.is_ready(result));
  done(kSecond, begin(kSecond));
  EXPECT_EQ(message_of(error_of(result)), "no error");
}

TEST_F(OwnerTasks, ThatAWorkerHadBegunCount) {
  submit_task();
  done(kFirst, begin(kFirst));
  Submission once = call(CallMode::kTask);
  once.terms.max_retries = 0;
  const ObjectId result = submit(once);
  begin(kFirst);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(error_of(result)->kind, ErrorKind::kWorker);
}

TEST_F(OwnerTasks, ThatAWorkerHasNotBegunAreCancelledByTellingIt) {
  submit_task();
  done(kFirst, begin(kFirst));
  const ObjectId result = submit_task();
  owner.cancel_call(result, false, true);
  EXPECT_FALSE(owner.is_ready(result)) << "it may have begun by now";
  EXPECT_EQ(world.process(kFirst).to_worker.back().kind(), Interrupt::kKind);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(error_of(result)->kind, ErrorKind::kTaskCancelled);
  EXPECT_EQ(owner.num_tasks(), 0u) << "it is not run elsewhere";
}

TEST_F(OwnerTasks, ThatAWorkerHasNotBegunEndWithItWhereTheyAreCancelledByForce) {
  submit_task();
  done(kFirst, begin(kFirst));
  const ObjectId result = submit_task();
  owner.cancel_call(result, true, true);
  EXPECT_TRUE(world.process(kFirst).killed);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(error_of(result)->kind, ErrorKind::kTaskCancelled);
  EXPECT_EQ(owner.num_tasks(), 0u) << "it is not run elsewhere";
}

TEST_F(OwnerTasks, ThatAWorkerHasNotBegunEndWithItAfterTheirDeadline) {
  submit_task();
  done(kFirst, begin(kFirst));
  Submission submission = call(CallMode::kTask);
  submission.terms.deadline_ms = 50;
  const ObjectId result = submit(submission);
  owner.on_timer(world.timers()[0].task, Timer::kDeadline);
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(error_of(result)->kind, ErrorKind::kTaskCancelled);
  EXPECT_EQ(owner.num_tasks(), 0u) << "it is not run elsewhere";
}

TEST_F(OwnerTasks, ThatWereCancelledBeforeTheyBeganSayNothingOfHowLongOthersTake) {
  const std::vector<std::byte> bytes = encode_failure("cancelled");
  const ValuePart part = part_of(bytes, /*is_error=*/true);
  submit_task();
  say(kFirst, Done{.task = begin(kFirst), .parts = {&part, 1}, .has_thrown = 1, .is_final = 1});
  for (int i = 0; i < 2; ++i) submit_task();
  EXPECT_EQ(runs(kFirst).size(), 1u) << "calls of a function that may take long are not behind each other";
}

}  // namespace
}  // namespace flowray::ray
