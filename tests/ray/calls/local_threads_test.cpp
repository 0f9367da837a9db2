// Local mode with threads of its own, as programs of Ray's have it: tasks that wait for what later ones do.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ray/calls/local_backend.h"

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Of the test that runs: what its tasks wait for, and what they have come to.
struct ThreadGates {
  std::promise<int> opened;
  std::shared_future<int> number = opened.get_future().share();
  std::promise<void> begun;
  std::promise<void> ended;
};
std::shared_ptr<ThreadGates> thread_gates;

int wait_at_gate() {
  const auto gates = thread_gates;  // which the test may let go of before this returns
  gates->begun.set_value();
  const int number = gates->number.get();
  gates->ended.set_value();
  return number;
}
int wait_quietly() { return thread_gates->number.get(); }
/// Opens the gate for the task that makes the value.
int open_for(ray::ObjectRef<int> waiting) {
  const bool is_early = ray::Wait(std::vector<ray::ObjectRef<int>>{waiting}, 1, 10).ready.empty();
  thread_gates->opened.set_value(is_early ? 5 : 0);
  return *waiting.Get();
}
int twice_in_thread(int x) { return 2 * x; }
/// Each level is a task that waits for the next one.
int depth_below(int levels) { return levels == 0 ? 0 : 1 + *ray::Task(depth_below).Remote(levels - 1).Get(); }
int fail_in_thread(int x) { throw std::out_of_range("no " + std::to_string(x)); }
int until_cancelled() {
  thread_gates->begun.set_value();
  while (!ray::IsCancelled()) {
  }
  return 7;
}
int wait_until_cancelled(std::vector<ray::ObjectRef<int>> never) {
  thread_gates->begun.set_value();
  return *never[0].Get();
}

class ThreadNotes {
 public:
  static ThreadNotes* Create() { return new ThreadNotes; }
  int Add(int number) {
    numbers_.push_back(number);
    return static_cast<int>(numbers_.size());
  }
  std::vector<int> Numbers() const { return numbers_; }
  int AddTwiceOfOwn(ray::ActorHandle<ThreadNotes> self) {
    return *self.Task(&ThreadNotes::Add).Remote(1).Get();
  }

 private:
  std::vector<int> numbers_;
};

RAY_REMOTE(wait_at_gate, wait_quietly, open_for, twice_in_thread, depth_below, fail_in_thread,
           until_cancelled, wait_until_cancelled, ThreadNotes::Create, &ThreadNotes::Add,
           &ThreadNotes::Numbers, &ThreadNotes::AddTwiceOfOwn);

class LocalThreads : public testing::Test {
 protected:
  LocalThreads() { start(10); }
  ~LocalThreads() override {
    ray::Shutdown();
    thread_gates.reset();
  }
  static void start(int threads) {
    ray::Shutdown();
    thread_gates = std::make_shared<ThreadGates>();
    ray::RayConfig config;
    config.local_mode = true;
    config.local_threads = threads;
    ray::Init(config);
  }
};

TEST_F(LocalThreads, LetATaskWaitForWhatALaterOneDoes) {
  const auto waiting = ray::Task(wait_quietly).Remote();
  EXPECT_EQ(*ray::Task(open_for).Remote(waiting).Get(), 5);
  EXPECT_EQ(*waiting.Get(), 5);
}

TEST_F(LocalThreads, LetRemoteReturnBeforeAnArgumentIsThere) {
  const auto waiting = ray::Task(wait_quietly).Remote();
  const auto doubled = ray::Task(twice_in_thread).Remote(ray::Task(twice_in_thread).Remote(waiting));
  EXPECT_THROW(doubled.Get(0), ray::RayTimeoutException);
  thread_gates->opened.set_value(3);
  EXPECT_EQ(*doubled.Get(), 12);
}

TEST_F(LocalThreads, AreMoreThanAskedForWhereTasksWaitForTasks) {
  start(1);
  EXPECT_EQ(*ray::Task(depth_below).Remote(100).Get(), 100);
}

TEST_F(LocalThreads, KeepTheOrderOfAnActorsCalls) {
  const auto notes = ray::Actor(ThreadNotes::Create).Remote();
  EXPECT_EQ(*notes.Task(&ThreadNotes::Add).Remote(1).Get(), 1);
  const auto held_up = notes.Task(&ThreadNotes::Add).Remote(ray::Task(wait_quietly).Remote());
  const auto behind = notes.Task(&ThreadNotes::Add).Remote(3);
  const auto numbers = notes.Task(&ThreadNotes::Numbers).Remote();
  EXPECT_THROW(behind.Get(0), ray::RayTimeoutException);
  thread_gates->opened.set_value(2);
  EXPECT_EQ(*held_up.Get(), 2);
  EXPECT_EQ(*behind.Get(), 3);
  EXPECT_THAT(*numbers.Get(), ElementsAre(1, 2, 3));
  EXPECT_EQ(*notes.Task(&ThreadNotes::Add).Remote(4).Get(), 4);
}

TEST_F(LocalThreads, LetAMethodCallItsOwnActor) {
  const auto notes = ray::Actor(ThreadNotes::Create).Remote();
  EXPECT_EQ(*notes.Task(&ThreadNotes::AddTwiceOfOwn).Remote(notes).Get(), 1);
}

TEST_F(LocalThreads, FailTheCallsThatWaitForAnActorThatIsKilled) {
  const auto notes = ray::Actor(ThreadNotes::Create).Remote();
  const auto held_up = notes.Task(&ThreadNotes::Add).Remote(ray::Task(wait_quietly).Remote());
  notes.Kill();
  thread_gates->opened.set_value(2);
  EXPECT_THROW(held_up.Get(), ray::RayActorException);
}

TEST_F(LocalThreads, HandErrorsToGet) {
  const auto failed = ray::Task(fail_in_thread).Remote(4);
  const auto after = ray::Task(twice_in_thread).Remote(failed);
  try {
    after.Get();
    FAIL();
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("'fail_in_thread' failed"));
    EXPECT_THAT(error.what(), HasSubstr("no 4"));
  }
}

TEST_F(LocalThreads, DoNotBeginWhatIsCancelled) {
  start(1);
  const auto running = ray::Task(wait_quietly).Remote();
  const auto queued = ray::Task(twice_in_thread).Remote(1);
  ray::Cancel(queued);
  EXPECT_THROW(queued.Get(), ray::TaskCancelledException);
  thread_gates->opened.set_value(1);
  EXPECT_EQ(*running.Get(), 1);
}

TEST_F(LocalThreads, TellATaskThatItIsCancelled) {
  const auto running = ray::Task(until_cancelled).Remote();
  thread_gates->begun.get_future().wait();
  ray::Cancel(running);
  EXPECT_EQ(*running.Get(), 7);
}

TEST_F(LocalThreads, EndTheWaitOfATaskThatIsCancelled) {
  const auto never = ray::Task(wait_quietly).Remote();
  const auto waiting = ray::Task(wait_until_cancelled).Remote(std::vector<ray::ObjectRef<int>>{never});
  thread_gates->begun.get_future().wait();
  ray::Cancel(waiting);
  EXPECT_THROW(waiting.Get(), ray::TaskCancelledException);
  thread_gates->opened.set_value(0);
}

TEST_F(LocalThreads, AreLeftWhereATaskDoesNotReturn) {
  ray::RayConfig config;
  config.local_mode = true;
  config.local_threads = 1;
  config.shutdown_timeout_ms = 0;
  ray::Shutdown();
  ray::Init(config);
  const auto running = ray::Task(wait_at_gate).Remote();
  thread_gates->begun.get_future().wait();
  testing::internal::CaptureStderr();
  ray::Shutdown();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 thread(s) of local_mode run tasks"));
  thread_gates->opened.set_value(1);
  thread_gates->ended.get_future().wait();
}

TEST_F(LocalThreads, RefuseANegativeNumber) {
  ray::Shutdown();
  ray::RayConfig config;
  config.local_threads = -1;
  EXPECT_THROW(ray::Init(config), ray::RayException);
}

TEST(LocalBackendWithThreads, HoldsNothingWhenReferencesAreGone) {
  thread_gates = std::make_shared<ThreadGates>();
  ray::LocalBackend backend({}, {}, 2);
  ray::internal::set_backend(&backend);
  {
    const auto argument = ray::Task(wait_quietly).Remote();
    const auto doubled = ray::Task(twice_in_thread).Remote(argument);
    (void)ray::Task(open_for).Remote(argument).Get();
    EXPECT_EQ(*doubled.Get(), 10);
  }
  EXPECT_EQ(backend.end(std::chrono::minutes(1)), 0U);
  EXPECT_EQ(backend.num_objects(), 0U);
  ray::internal::set_backend(nullptr);
  thread_gates.reset();
}

}  // namespace
}  // namespace flowray
