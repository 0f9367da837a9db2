// Actors that run several calls at a time, in threads or answered later.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "ray/calls/local_backend.h"
#include "ray/values/value.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

int twice_of(int n) { return 2 * n; }

class Meeting {
 public:
  static Meeting* Create(int expected) { return new Meeting(expected); }
  explicit Meeting(int expected) : barrier_(expected) {}

  /// Returns when as many as were expected are here at a time; how many calls were here at most.
  int Meet(int n) {
    note(++here_);
    barrier_.arrive_and_wait();
    --here_;
    return n;
  }
  int MostAtATime() const { return most_; }
  bool IsMainThread() const { return gettid() == getpid(); }

  void WaitForOpening() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }
  int MeetWhenOpen() {
    WaitForOpening();
    return 1;
  }
  int Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
    return 7;
  }
  int AskTask(int n) const { return *ray::Task(twice_of).Remote(n).Get(); }
  int Fail(int n) const { throw std::out_of_range(std::to_string(n)); }
  std::string Long(int n) const { return std::string(100'000, static_cast<char>('a' + n % 26)); }

 private:
  void note(int here) {
    int before = most_;
    while (here > before && !most_.compare_exchange_weak(before, here)) {
    }
  }

  std::barrier<> barrier_;
  std::atomic<int> here_{0};
  std::atomic<int> most_{0};
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Its constructor leaves too few addresses for the stacks of many threads.
class Cramped {
 public:
  static Cramped* Create() {
    std::ifstream status("/proc/self/statm");
    rlim_t pages = 0;
    status >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(getpagesize()) + (rlim_t{64} << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    return new Cramped;
  }
  int One() const { return 1; }
};

/// Answers its calls when it is told to.
class Later {
 public:
  static Later* Create() { return new Later; }
  int Ask(int n) {
    answers_.push_back(ray::internal::backend().answer_later());
    numbers_.push_back(n);
    return -1;  // counts for nothing
  }
  int AskInVain(int) {
    const auto answer = ray::internal::backend().answer_later();
    throw std::logic_error("nor does this");
  }
  int AskTwice(int n) {
    const auto first = ray::internal::backend().answer_later();
    try {
      const auto second = ray::internal::backend().answer_later();
    } catch (const ray::RayException& error) {
      ray::encode(first->results()[0], n);
      first->send(true);
    }
    return 0;
  }
  /// The last one first, in another thread.
  int AnswerAll() {
    std::thread([this] {
      while (!answers_.empty()) {
        ray::encode(answers_.back()->results()[0], 10 * numbers_.back());
        answers_.back()->send(true);
        answers_.pop_back();
        numbers_.pop_back();
      }
    }).join();
    return 0;
  }
  int NumAsked() const { return static_cast<int>(numbers_.size()); }
  int AskAndAnswer(int n) {
    auto answer = ray::internal::backend().answer_later();
    std::thread([n, answer = std::move(answer)] {
      ray::encode(answer->results()[0], n);
      answer->send(true);
    }).detach();
    return 0;
  }
  /// Answers when the value is there, with the most calls that were unanswered at a time so far.
  int AskUntil(std::vector<ray::ObjectRef<int>> value) {
    auto answer = ray::internal::backend().answer_later();
    most_ = std::max<int>(most_, ++unanswered_);
    std::thread([this, value = std::move(value), answer = std::move(answer)]() mutable {
      value[0].Get();
      value.clear();
      --unanswered_;
      ray::encode(answer->results()[0], most_.load());
      answer->send(true);
    }).detach();
    return 0;
  }

 private:
  std::atomic<int> unanswered_{0};
  std::atomic<int> most_{0};  // written by the one thread that begins calls
  std::vector<std::unique_ptr<ray::internal::LaterAnswer>> answers_;
  std::vector<int> numbers_;
};

RAY_REMOTE(twice_of, Meeting::Create, &Meeting::Meet, &Meeting::MostAtATime, &Meeting::IsMainThread,
           &Meeting::WaitForOpening, &Meeting::MeetWhenOpen, &Meeting::Open, &Meeting::AskTask,
           &Meeting::Fail, &Meeting::Long);
RAY_REMOTE(Cramped::Create, &Cramped::One);
RAY_REMOTE(Later::Create, &Later::Ask, &Later::AskInVain, &Later::AskTwice, &Later::AnswerAll,
           &Later::NumAsked, &Later::AskAndAnswer, &Later::AskUntil);

/// An actor with one thread, which has up to `max_concurrency` calls without an answer.
ray::ActorHandle<Later> make_later(int max_concurrency) {
  ray::internal::CallOptions options;
  ray::internal::fill_function(options, ray::internal::FunctionKey::of(Later::Create), typeid(Later::Create));
  options.max_concurrency = max_concurrency;
  options.answers_later = true;
  ray::internal::EncoderLease arguments;
  (*arguments).begin_list(0);
  return ray::ActorHandle<Later>(ray::internal::create_actor(options, typeid(&Later::Create), *arguments));
}

class Concurrency : public ::testing::Test {
 protected:
  Concurrency() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20, .shutdown_timeout_ms = 100});
  }
  ~Concurrency() override { ray::Shutdown(); }
};

TEST_F(Concurrency, LetsMethodsOfAnActorMeet) {
  constexpr int kThreads = 3;
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(kThreads).Remote(kThreads);
  std::vector<ray::ObjectRef<int>> met;
  for (int i = 0; i < 5 * kThreads; ++i) met.push_back(meeting.Task(&Meeting::Meet).Remote(i));
  for (int i = 0; i < 5 * kThreads; ++i) EXPECT_EQ(*met[static_cast<size_t>(i)].Get(kGuardMs), i);
  EXPECT_EQ(*meeting.Task(&Meeting::MostAtATime).Remote().Get(kGuardMs), kThreads);
}

TEST_F(Concurrency, AnswersInAnyOrder) {
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(2).Remote(1);
  const auto waits = meeting.Task(&Meeting::WaitForOpening).Remote();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(*meeting.Task(&Meeting::Meet).Remote(i).Get(kGuardMs), i);
  EXPECT_THROW(waits.Get(0), ray::RayTimeoutException);
  EXPECT_EQ(*meeting.Task(&Meeting::Open).Remote().Get(kGuardMs), 7);
  waits.Get(kGuardMs);
}

TEST_F(Concurrency, RunsOneCallAtATimeInTheMainThreadUnlessAsked) {
  const auto meeting = ray::Actor(Meeting::Create).Remote(1);
  std::vector<ray::ObjectRef<int>> met;
  for (int i = 0; i < 20; ++i) met.push_back(meeting.Task(&Meeting::Meet).Remote(i));
  ray::Get(met, kGuardMs);
  EXPECT_EQ(*meeting.Task(&Meeting::MostAtATime).Remote().Get(), 1);
  EXPECT_TRUE(*meeting.Task(&Meeting::IsMainThread).Remote().Get());
}

TEST_F(Concurrency, KeepsErrorsAndLargeValuesOfCallsApart) {
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(4).Remote(1);
  std::vector<ray::ObjectRef<int>> failed;
  std::vector<ray::ObjectRef<int>> asked;
  std::vector<ray::ObjectRef<std::string>> large;
  for (int i = 0; i < 100; ++i) {
    failed.push_back(meeting.Task(&Meeting::Fail).Remote(i));
    asked.push_back(meeting.Task(&Meeting::AskTask).Remote(i));
    large.push_back(meeting.Task(&Meeting::Long).Remote(i));
  }
  for (int i = 0; i < 100; ++i) {
    const auto at = static_cast<size_t>(i);
    try {
      failed[at].Get(kGuardMs);
      FAIL() << i << " did not fail";
    } catch (const ray::RayTaskException& error) {
      EXPECT_EQ(error.failure().message, std::to_string(i));
    }
    EXPECT_EQ(*asked[at].Get(kGuardMs), 2 * i);
    EXPECT_EQ(*large[at].Get(kGuardMs), std::string(100'000, static_cast<char>('a' + i % 26)));
  }
}

TEST_F(Concurrency, OfManyThreadsCostsNothingThatHangs) {
  constexpr int kThreads = 200;
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(kThreads).Remote(kThreads);
  std::vector<ray::ObjectRef<int>> met;
  for (int i = 0; i < kThreads; ++i) met.push_back(meeting.Task(&Meeting::Meet).Remote(i));
  ray::Get(met, kGuardMs);
  EXPECT_EQ(*meeting.Task(&Meeting::MostAtATime).Remote().Get(kGuardMs), kThreads);
}

TEST_F(Concurrency, FailsTheActorThatCannotHaveItsThreads) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes more addresses than the limit leaves";
  const auto actor = ray::Actor(Cramped::Create).SetMaxConcurrency(1000).Remote();
  try {
    actor.Task(&Cramped::One).Remote().Get(kGuardMs);
    FAIL() << "it has its threads";
  } catch (const ray::RayActorException& error) {
    EXPECT_NE(std::string(error.what()).find("is to run 1000 calls at a time, and only"), std::string::npos)
        << error.what();
  }
}

TEST_F(Concurrency, OfLessThanOneIsRefused) {
  EXPECT_THROW(static_cast<void>(ray::Actor(Meeting::Create).SetMaxConcurrency(0).Remote(3)),
               ray::RayException);
}

TEST_F(Concurrency, OfAKilledActorEndsAllOfItsCalls) {
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(3).Remote(100);
  std::vector<ray::ObjectRef<int>> met;
  for (int i = 0; i < 10; ++i) met.push_back(meeting.Task(&Meeting::Meet).Remote(i));
  meeting.Kill();
  for (const auto& call : met) EXPECT_THROW(call.Get(kGuardMs), ray::RayActorException);
}

TEST_F(Concurrency, AnswersLaterInOneThread) {
  const auto later = make_later(100);
  std::vector<ray::ObjectRef<int>> asked;
  for (int i = 0; i < 20; ++i) asked.push_back(later.Task(&Later::Ask).Remote(i));
  EXPECT_EQ(*later.Task(&Later::NumAsked).Remote().Get(kGuardMs), 20);
  EXPECT_THROW(asked[0].Get(0), ray::RayTimeoutException);
  EXPECT_EQ(*later.Task(&Later::AnswerAll).Remote().Get(kGuardMs), 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*asked[static_cast<size_t>(i)].Get(kGuardMs), 10 * i);
}

TEST_F(Concurrency, BeginsNoMoreCallsThanMayGoUnanswered) {
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(2).Remote(1);
  const auto later = make_later(2);
  const std::vector<ray::ObjectRef<int>> opening{meeting.Task(&Meeting::MeetWhenOpen).Remote()};
  std::vector<ray::ObjectRef<int>> asked;
  for (int i = 0; i < 50; ++i) asked.push_back(later.Task(&Later::AskUntil).Remote(opening));
  EXPECT_EQ(*meeting.Task(&Meeting::Open).Remote().Get(kGuardMs), 7);
  for (const auto& call : asked) EXPECT_LE(*call.Get(kGuardMs), 2);
}

TEST_F(Concurrency, BeginsTheNextCallWhenOneIsAnswered) {
  const auto later = make_later(3);
  std::vector<ray::ObjectRef<int>> asked;
  for (int i = 0; i < 2; ++i) asked.push_back(later.Task(&Later::Ask).Remote(i));
  EXPECT_EQ(*later.Task(&Later::NumAsked).Remote().Get(kGuardMs), 2);
  EXPECT_EQ(*later.Task(&Later::AnswerAll).Remote().Get(kGuardMs), 0);
  // A place that is free again is seen at once, though nothing comes by the ring then.
  for (int i = 0; i < 200; ++i) asked.push_back(later.Task(&Later::AskAndAnswer).Remote(i));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(*asked[static_cast<size_t>(2 + i)].Get(kGuardMs), i);
  EXPECT_EQ(*asked[0].Get(kGuardMs), 0);
  EXPECT_EQ(*asked[1].Get(kGuardMs), 10);
}

TEST_F(Concurrency, TellsOfAnAnswerThatNeverComes) {
  const auto later = make_later(2);
  try {
    later.Task(&Later::AskInVain).Remote(1).Get(kGuardMs);
    FAIL() << "it has an answer";
  } catch (const ray::RayException& error) {
    EXPECT_STREQ(error.what(), "The call ended without an answer.");
  }
  EXPECT_EQ(*later.Task(&Later::AskTwice).Remote(5).Get(kGuardMs), 5);
  EXPECT_THROW(static_cast<void>(ray::internal::backend().answer_later()), ray::RayException);
}

TEST(LocalConcurrency, LetsMethodsOfAnActorMeet) {
  ray::Init({.local_mode = true});
  const auto meeting = ray::Actor(Meeting::Create).SetMaxConcurrency(2).Remote(2);
  std::thread other([&] { EXPECT_EQ(*meeting.Task(&Meeting::Meet).Remote(1).Get(), 1); });
  EXPECT_EQ(*meeting.Task(&Meeting::Meet).Remote(2).Get(), 2);
  other.join();
  EXPECT_EQ(*make_later(2).Task(&Later::AskAndAnswer).Remote(3).Get(), 3);
  EXPECT_THROW(make_later(2).Task(&Later::AskInVain).Remote(3).Get(), ray::RayException);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
