// Functions that give their values one by one, in other processes.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

/// Where generators say how far they have come, and wait.
class Counted {
 public:
  static Counted* Create() { return new Counted; }
  int Add() { return ++count_; }
  int Count() const { return count_; }
  void Await(int count) const {
    while (count_ < count) std::this_thread::yield();
  }

 private:
  std::atomic<int> count_{0};
};
using CountedHandle = ray::ActorHandle<Counted>;

/// Tells of its end.
struct Leaving {
  CountedHandle counted;
  ~Leaving() { counted.Task(&Counted::Add).Remote(); }
};

ray::Generator<int> generated_squares(int n) {
  for (int i = 0; i < n; ++i) co_yield i* i;
}
ray::Generator<std::string> generated_words(const std::string& of, const std::vector<std::string>& more) {
  co_yield of;
  for (const std::string& word : more) co_yield word;
}
/// The value i is given when the count is i.
ray::Generator<int> give_as_counted(CountedHandle counted, int n) {
  for (int i = 0; i < n; ++i) {
    counted.Task(&Counted::Await).Remote(i).Get();
    co_yield i;
  }
}
ray::Generator<Array> endless_arrays(CountedHandle counted) {
  const Leaving leaving{counted};
  for (int i = 0;; ++i) co_yield Array(std::vector<float>(size_t{1} << 18, static_cast<float>(i)));
}
ray::Generator<int> endless_numbers(CountedHandle counted) {
  const Leaving leaving{counted};
  for (int i = 0;; ++i) co_yield i;
}
ray::Generator<int> throw_after(int n) {
  for (int i = 0; i < n; ++i) co_yield i;
  throw std::out_of_range("there are only " + std::to_string(n));
}
/// Dies before the value 2, as often as that.
ray::Generator<int> die_midway(CountedHandle counted, int times, int n) {
  for (int i = 0; i < n; ++i) {
    if (i == 2 && *counted.Task(&Counted::Add).Remote().Get() <= times) _exit(3);
    co_yield i;
  }
}
/// Throws before the value 2, as often as that.
ray::Generator<int> throw_midway(CountedHandle counted, int times, int n) {
  for (int i = 0; i < n; ++i) {
    if (i == 2 && *counted.Task(&Counted::Add).Remote().Get() <= times) throw std::runtime_error("midway");
    co_yield i;
  }
}
int take_one_and_die(CountedHandle counted) {
  const auto numbers = ray::Task(endless_numbers).SetGeneratorBackpressure(2).Remote(counted);
  numbers.Next().value().Get();
  _exit(3);
}
int sum_of_squares(int n) {
  int sum = 0;
  for (const auto& square : ray::Task(generated_squares).Remote(n)) sum += *square.Get();
  return sum;
}
int wait_for_count(CountedHandle counted, int count) {
  counted.Task(&Counted::Add).Remote();
  counted.Task(&Counted::Await).Remote(count).Get();
  return 1;
}

class Source {
 public:
  static Source* Create(int first) { return new Source(first); }
  ray::Generator<int> Give(int n) {
    for (int i = 0; i < n; ++i) co_yield next_++;
  }
  ray::Generator<int> GiveBetweenCalls(ray::ActorHandle<Source> self, int n) {
    for (int i = 0; i < n; ++i) {
      self.Task(&Source::Next).Remote().Get();
      co_yield next_++;
    }
  }
  ray::Generator<int> DieAfter(int n) const {
    for (int i = 0; i < n; ++i) co_yield i;
    _exit(3);
  }
  ray::Generator<int> GiveUntilLeft(CountedHandle counted) const { return endless_numbers(counted); }
  int Next() { return next_++; }

 private:
  explicit Source(int first) : next_(first) {}
  int next_;
};

RAY_REMOTE(Counted::Create, &Counted::Add, &Counted::Count, &Counted::Await, generated_squares,
           generated_words, give_as_counted, endless_arrays, endless_numbers, throw_after, die_midway,
           throw_midway, take_one_and_die, sum_of_squares, wait_for_count);
RAY_REMOTE(Source::Create, &Source::Give, &Source::GiveBetweenCalls, &Source::DieAfter,
           &Source::GiveUntilLeft, &Source::Next);

template <typename T>
std::vector<T> all_of(const ray::ObjectRefGenerator<T>& generator) {
  std::vector<T> values;
  while (const auto ref = generator.Next(kGuardMs)) values.push_back(*ref->Get(kGuardMs));
  return values;
}

class Generators : public ::testing::Test {
 protected:
  Generators() {
    ray::RayConfig config;
    config.num_cpus = 2;
    config.object_store_memory = size_t{48} << 20;
    config.object_spilling = false;
    config.shutdown_timeout_ms = 100;
    ray::Init(config);
    counted = ray::Actor(Counted::Create).SetMaxConcurrency(4).Remote();
  }
  ~Generators() override { ray::Shutdown(); }

  void await(int count) const { counted.Task(&Counted::Await).Remote(count).Get(kGuardMs); }

  CountedHandle counted;
};

TEST(GeneratorsHere, AreRead) {
  std::vector<int> squares;
  for (const int square : generated_squares(4)) squares.push_back(square);
  EXPECT_THAT(squares, ElementsAre(0, 1, 4, 9));
  auto throws = throw_after(1);
  EXPECT_EQ(*throws.Next(), 0);
  EXPECT_THROW(throws.Next(), std::out_of_range);
  EXPECT_EQ(throws.Next(), nullptr);
}

TEST_F(Generators, GiveReferencesOneByOne) {
  EXPECT_THAT(all_of(ray::Task(generated_squares).Remote(5)), ElementsAre(0, 1, 4, 9, 16));
  EXPECT_THAT(all_of(ray::Task(generated_squares).Remote(0)), ElementsAre());
  const auto words =
      ray::Task(generated_words).SetName("words").Remote("a", ray::Put(std::vector<std::string>{"b", "c"}));
  EXPECT_THAT(all_of(words), ElementsAre("a", "b", "c"));
  EXPECT_FALSE(words.Next().has_value()) << "it stays at its end";
}

TEST_F(Generators, GiveEachValueBeforeTheNext) {
  const auto values = ray::Task(give_as_counted).Remote(counted, 3);
  EXPECT_EQ(*values.Next(kGuardMs).value().Get(), 0);
  EXPECT_FALSE(values.NextReady());
  EXPECT_THROW(static_cast<void>(values.Next(0)), ray::RayTimeoutException);
  counted.Task(&Counted::Add).Remote();
  EXPECT_EQ(*values.Next(kGuardMs).value().Get(), 1);
  counted.Task(&Counted::Add).Remote();
  const ray::ObjectRef<int> last = values.Next(kGuardMs).value();
  EXPECT_EQ(*ray::Task(sum_of_squares).Remote(last).Get(kGuardMs), 1) << "an argument as others: 0 + 1";
  values.Completed().Get(kGuardMs);
  EXPECT_TRUE(values.NextReady());
  EXPECT_FALSE(values.Next().has_value());
}

TEST_F(Generators, WaitForWhoTakesTheirValues) {
  // Four times what the store holds.
  const auto arrays = ray::Task(endless_arrays).SetGeneratorBackpressure(3).Remote(counted);
  for (int i = 0; i < 200; ++i) {
    const auto array = arrays.Next(kGuardMs).value().Get(kGuardMs);
    ASSERT_EQ(array->size(), int64_t{1} << 18);
    ASSERT_EQ(array->data<float>()[1000], static_cast<float>(i));
  }
  EXPECT_THROW(static_cast<void>(ray::Task(endless_arrays).SetGeneratorBackpressure(0)), ray::RayException);
}

TEST_F(Generators, EndWithTheirReader) {
  for (const int most_ahead : {2, -1}) {
    const int before = *counted.Task(&Counted::Count).Remote().Get();
    auto numbers = ray::Task(endless_numbers).SetGeneratorBackpressure(most_ahead).Remote(counted);
    EXPECT_EQ(*numbers.Next(kGuardMs).value().Get(), 0);
    const ray::ObjectRef<int> second = numbers.Next(kGuardMs).value();
    auto copy = numbers;
    numbers = {};
    EXPECT_EQ(*copy.Next(kGuardMs).value().Get(), 2) << "somebody reads them still";
    copy = {};
    await(before + 1);
    EXPECT_EQ(*second.Get(), 1) << "what was taken stays";
  }
}

TEST_F(Generators, EndWithTheProcessThatReads) {
  const auto dead = ray::Task(take_one_and_die).SetMaxRetries(0).Remote(counted);
  EXPECT_THROW(dead.Get(kGuardMs), ray::RayWorkerException);
  await(1);
}

TEST_F(Generators, DoNotBeginWithoutAReader) {
  const auto one = ray::Task(wait_for_count).Remote(counted, 3);
  const auto other = ray::Task(wait_for_count).Remote(counted, 3);
  await(2);
  {
    const auto never_read = ray::Task(endless_numbers).Remote(counted);
  }
  counted.Task(&Counted::Add).Remote();
  EXPECT_EQ(*one.Get(kGuardMs) + *other.Get(kGuardMs), 2);
  EXPECT_EQ(*ray::Task(sum_of_squares).Remote(4).Get(kGuardMs), 14) << "in a worker, after it";
  EXPECT_EQ(*counted.Task(&Counted::Count).Remote().Get(), 3);
}

TEST_F(Generators, ThrowAfterTheirLastValue) {
  const auto values = ray::Task(throw_after).Remote(2);
  EXPECT_EQ(*values.Next().value().Get(kGuardMs), 0);
  EXPECT_EQ(*values.Next().value().Get(kGuardMs), 1);
  const auto error = values.Next().value();
  try {
    error.Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("'throw_after' failed in process"));
    EXPECT_THAT(thrown.what(), HasSubstr("there are only 2"));
    EXPECT_THROW(thrown.rethrow_cause(), std::out_of_range);
  }
  EXPECT_FALSE(values.Next().has_value());
  values.Completed().Get();
}

TEST_F(Generators, GoOnWhereTheirProcessDied) {
  EXPECT_THAT(all_of(ray::Task(die_midway).SetMaxRetries(2).Remote(counted, 2, 4)), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(*counted.Task(&Counted::Count).Remote().Get(), 3);

  const auto dies = ray::Task(die_midway).SetMaxRetries(0).Remote(counted, 100, 4);
  EXPECT_EQ(*dies.Next(kGuardMs).value().Get(), 0);
  EXPECT_EQ(*dies.Next(kGuardMs).value().Get(), 1);
  const auto error = dies.Next(kGuardMs).value();
  EXPECT_THROW(error.Get(kGuardMs), ray::RayWorkerException);
  EXPECT_FALSE(dies.Next().has_value());
}

TEST_F(Generators, AreCancelled) {
  const auto numbers = ray::Task(endless_numbers).SetGeneratorBackpressure(1).Remote(counted);
  EXPECT_EQ(*numbers.Next(kGuardMs).value().Get(), 0);
  ray::Cancel(numbers);
  await(1);
  bool was_cancelled = false;
  while (const auto ref = numbers.Next(kGuardMs)) {  // one may have come before
    try {
      ref->Get(kGuardMs);
    } catch (const ray::TaskCancelledException&) {
      was_cancelled = true;
    }
  }
  EXPECT_TRUE(was_cancelled);
}

TEST_F(Generators, AreMethodsOfActors) {
  const auto source = ray::Actor(Source::Create).Remote(10);
  const auto first = source.Task(&Source::Give).Remote(3);
  const auto then = source.Task(&Source::Next).Remote();
  EXPECT_THAT(all_of(first), ElementsAre(10, 11, 12));
  EXPECT_EQ(*then.Get(kGuardMs), 13);
  {
    const auto left = source.Task(&Source::GiveUntilLeft).SetGeneratorBackpressure(1).Remote(counted);
    EXPECT_EQ(*left.Next(kGuardMs).value().Get(), 0);
  }
  await(1);
  EXPECT_EQ(*source.Task(&Source::Next).Remote().Get(kGuardMs), 14) << "the actor lives on";
  const auto dies = source.Task(&Source::DieAfter).Remote(1);
  EXPECT_EQ(*dies.Next(kGuardMs).value().Get(), 0);
  const auto error = dies.Next(kGuardMs).value();
  EXPECT_THROW(error.Get(kGuardMs), ray::RayActorException);
  EXPECT_FALSE(dies.Next().has_value());
}

class GeneratorsInLocalMode : public ::testing::Test {
 protected:
  GeneratorsInLocalMode() { ray::Init({.local_mode = true}); }
  ~GeneratorsInLocalMode() override { ray::Shutdown(); }
};

TEST_F(GeneratorsInLocalMode, GoOnWhenTheirNextValueIsAskedFor) {
  CountedHandle counted = ray::Actor(Counted::Create).Remote();
  {
    const auto endless = ray::Task(endless_numbers).SetGeneratorBackpressure(1).Remote(counted);
    EXPECT_EQ(*endless.Next().value().Get(), 0);
    EXPECT_TRUE(endless.NextReady());
    EXPECT_EQ(*endless.Next().value().Get(), 1);
    EXPECT_EQ(*counted.Task(&Counted::Count).Remote().Get(), 0);
  }
  EXPECT_EQ(*counted.Task(&Counted::Count).Remote().Get(), 1) << "it has left with its reader";
  const auto completed = ray::Task(generated_squares).Remote(3).Completed();
  completed.Get();
  const auto squares = ray::Task(generated_squares).Remote(3);
  squares.Completed().Get();
  EXPECT_THAT(all_of(squares), ElementsAre(0, 1, 4));
}

TEST_F(GeneratorsInLocalMode, EndBeforeTheNextCallOfTheirActor) {
  const auto source = ray::Actor(Source::Create).Remote(1);
  const auto values = source.Task(&Source::Give).Remote(2);
  EXPECT_EQ(*source.Task(&Source::Next).Remote().Get(), 3);
  EXPECT_THAT(all_of(values), ElementsAre(1, 2));
  const auto others = source.Task(&Source::Give).Remote(2);
  EXPECT_EQ(*others.Next().value().Get(), 4);
  source.Kill();
  EXPECT_THROW(others.Next().value().Get(), ray::RayActorException);
  EXPECT_FALSE(others.Next().has_value());
}

TEST_F(GeneratorsInLocalMode, EndBeforeTheNextCallThoughTheyHaveCalledTheirActor) {
  const auto source = ray::Actor(Source::Create).Remote(1);
  const auto values = source.Task(&Source::GiveBetweenCalls).Remote(source, 3);
  EXPECT_EQ(*values.Next().value().Get(), 2);
  EXPECT_EQ(*source.Task(&Source::Next).Remote().Get(), 7);
  EXPECT_THAT(all_of(values), ElementsAre(4, 6));
}

TEST_F(GeneratorsInLocalMode, AreCancelled) {
  CountedHandle counted = ray::Actor(Counted::Create).Remote();
  const auto endless = ray::Task(endless_numbers).Remote(counted);
  EXPECT_EQ(*endless.Next().value().Get(), 0);
  ray::Cancel(endless);
  EXPECT_THROW(endless.Next().value().Get(), ray::TaskCancelledException);
  EXPECT_FALSE(endless.Next().has_value());
  EXPECT_EQ(*counted.Task(&Counted::Count).Remote().Get(), 1);
}

TEST_F(GeneratorsInLocalMode, AreRunAgain) {
  CountedHandle counted = ray::Actor(Counted::Create).Remote();
  const auto values = ray::Task(throw_midway).SetRetryExceptions(true).Remote(counted, 2, 4);
  EXPECT_THAT(all_of(values), ElementsAre(0, 1, 2, 3));
  const auto fails = ray::Task(throw_midway).SetRetryExceptions(true).SetMaxRetries(1).Remote(counted, 10, 4);
  EXPECT_EQ(*fails.Next().value().Get(), 0);
  EXPECT_EQ(*fails.Next().value().Get(), 1);
  EXPECT_THROW(fails.Next().value().Get(), ray::RayTaskException);
  EXPECT_FALSE(fails.Next().has_value());
}

TEST_F(GeneratorsInLocalMode, GiveWhatOthersGive) {
  EXPECT_THAT(all_of(ray::Task(generated_squares).Remote(3)), ElementsAre(0, 1, 4));
  const auto source = ray::Actor(Source::Create).Remote(1);
  EXPECT_THAT(all_of(source.Task(&Source::Give).Remote(2)), ElementsAre(1, 2));
  const auto throws = ray::Task(throw_after).Remote(1);
  EXPECT_EQ(*throws.Next().value().Get(), 0);
  EXPECT_THROW(throws.Next().value().Get(), ray::RayTaskException);
  EXPECT_FALSE(throws.Next().has_value());
}

}  // namespace
}  // namespace flowray
