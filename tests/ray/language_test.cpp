// Programs in the shape of users' programs, run by the backend of local mode.
#include <flowray/ray.h>

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "ray/local_runtime.h"

namespace ray = flowray::ray;
using flowray::Array;
using flowray::ray::LocalRuntime;
using Weights = std::map<std::string, Array>;

namespace {

// ---- tasks

int Plus(int a, int b) { return a + b; }
double Half(double x) { return x / 2; }
std::string Greet(const std::string& name) { return "hello " + name; }
int calls_of_nothing = 0;
void Nothing() { ++calls_of_nothing; }
int Quiet(int x) noexcept { return x + 1; }
std::tuple<Array, Array> GenerateFakeData(int count, int seed) {
  std::vector<float> x(static_cast<size_t>(count)), y(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i + static_cast<size_t>(seed));
    y[i] = x[i] * 0.1f + 0.3f;
  }
  return {Array(x), Array(y)};
}
std::array<int, 3> Three() { return {1, 2, 3}; }
std::pair<int, std::string> Both(int x) { return {x, std::to_string(x)}; }
float Sum(const Array& array) {
  float sum = 0;
  for (const float element : array.span<float>()) sum += element;
  return sum;
}
int Through(ray::ObjectRef<int> ref) { return *ref.Get() + 1; }
int SumOf(const std::vector<ray::ObjectRef<int>>& refs) {
  int sum = 0;
  for (const auto& ref : refs) sum += *ref.Get();
  return sum;
}
ray::ObjectRef<int> MakeRef(int x) { return ray::Put(x); }
int Fibonacci(int n);
int Append(std::string& text) {
  text += "!";
  return static_cast<int>(text.size());
}
int Take(std::unique_ptr<int> value) { return *value; }
bool HasValue(std::optional<int> value) { return value.has_value(); }
int Unregistered(int x) { return x; }
uint8_t Octet(uint8_t x) { return x; }
uint64_t Largest(uint64_t x) { return x; }
float Narrow(const float& x) { return x; }
bool Flag(bool x) { return x; }
double Product(const std::pair<int, float>& x) {
  return static_cast<double>(x.first) * static_cast<double>(x.second);
}
enum Amount { kFew = 1, kMany = 256 };

int Scale(int x) { return 2 * x; }
double Scale(double x) { return 3 * x; }
template <typename A, typename B>
std::string Sizes(A, B) {
  return std::to_string(sizeof(A)) + "," + std::to_string(sizeof(B));
}

RAY_REMOTE(Plus, Half, Greet, Nothing, Quiet, GenerateFakeData, Three, Both, Sum, Through, SumOf, MakeRef,
           Fibonacci, Append, Take, HasValue, Octet, Largest, Narrow, Flag, Product);
RAY_REMOTE(RAY_FUNC(Scale, int), RAY_FUNC(Scale, double), Sizes<int, char>);

int Fibonacci(int n) {
  if (n < 2) return n;
  auto a = ray::Task(Fibonacci).Remote(n - 1);
  auto b = ray::Task(Fibonacci).Remote(n - 2);
  return *a.Get() + *b.Get();
}

using Tasks = LocalRuntime;

TEST_F(Tasks, ReturnReferencesToTheirResults) {
  ray::ObjectRef<int> sum = ray::Task(Plus).Remote(1, 2);
  EXPECT_EQ(*sum.Get(), 3);
  EXPECT_EQ(*ray::Get(sum), 3);
  EXPECT_EQ(*ray::Task(Greet).Remote("you").Get(), "hello you");
  EXPECT_EQ(*ray::Task(Quiet).Remote(1).Get(), 2);
  EXPECT_EQ(*ray::Task(Fibonacci).Remote(10).Get(), 55);
}

TEST_F(Tasks, ConvertArgumentsAsCallsDo) {
  EXPECT_EQ(*ray::Task(Half).Remote(3).Get(), 1.5);
  EXPECT_EQ(*ray::Task(Plus).Remote(short{1}, 'a').Get(), 98);
  EXPECT_EQ(*ray::Task(Sum).Remote(std::vector<float>{1, 2}).Get(), 3);
  EXPECT_EQ(*ray::Task(Append).Remote("ab").Get(), 3);
  EXPECT_EQ(*ray::Task(Take).Remote(std::make_unique<int>(5)).Get(), 5);
  EXPECT_TRUE(*ray::Task(HasValue).Remote(1).Get());
  EXPECT_FALSE(*ray::Task(HasValue).Remote(std::nullopt).Get());
}

/// What Remote throws of the call.
std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const flowray::ValueError& error) {
    return error.message();
  }
  return "not refused";
}

TEST_F(Tasks, RefuseNumbersThatTheirParametersDoNotHold) {
  const auto plus = [](auto a, auto b) { return [=] { static_cast<void>(ray::Task(Plus).Remote(a, b)); }; };
  EXPECT_EQ(refusal_of(plus(3000000000, 2)),
            "Argument 1 of 2 for 'Plus' cannot be passed: the integer 3000000000 is not in "
            "[-2147483648, 2147483647], what the parameter's type, int, holds.");
  EXPECT_EQ(refusal_of(plus(2, ~uint64_t{0})),
            "Argument 2 of 2 for 'Plus' cannot be passed: the integer 18446744073709551615 is not in "
            "[-2147483648, 2147483647], what the parameter's type, int, holds.");
  EXPECT_EQ(refusal_of(plus(1, 1.7)),
            "Argument 2 of 2 for 'Plus' cannot be passed: 1.7 is not an integer, and the parameter's type is "
            "int.");
  EXPECT_EQ(refusal_of(plus(1, std::nanf(""))),
            "Argument 2 of 2 for 'Plus' cannot be passed: nan is not an integer, and the parameter's type is "
            "int.");
  EXPECT_EQ(refusal_of(plus(1, 1e10)),
            "Argument 2 of 2 for 'Plus' cannot be passed: the number 10000000000 is not in "
            "[-2147483648, 2147483647], what the parameter's type, int, holds.");
  EXPECT_EQ(refusal_of([] { static_cast<void>(ray::Task(Narrow).Remote(1e300)); }),
            "Argument 1 of 1 for 'Narrow' cannot be passed: the number 1e+300 is larger than what the "
            "parameter's type, float, holds.");
  const auto octet = [](auto x) {
    return refusal_of([=] { static_cast<void>(ray::Task(Octet).Remote(x)); });
  };
  EXPECT_THAT(octet(300), testing::HasSubstr("the integer 300 is not in [0, 255]"));
  EXPECT_THAT(octet(-1), testing::HasSubstr("the integer -1 is not in [0, 255]"));
  EXPECT_THAT(octet(kMany), testing::HasSubstr("the integer 256 is not in [0, 255]"));
  const auto largest = [](auto x) {
    return refusal_of([=] { static_cast<void>(ray::Task(Largest).Remote(x)); });
  };
  EXPECT_EQ(largest(18446744073709549568.0), "not refused");  // the last double below 2^64
  EXPECT_THAT(largest(18446744073709551616.0), testing::HasSubstr("is not in [0, 18446744073709551615]"));
  EXPECT_THAT(largest(-0.5f), testing::HasSubstr("-0.5 is not an integer"));
  EXPECT_THAT(refusal_of([] { static_cast<void>(ray::Task(Flag).Remote(2)); }),
              testing::HasSubstr("the integer 2 is not in [0, 1], what the parameter's type, bool, holds"));
}

TEST_F(Tasks, RefuseSuchNumbersInsideOfArguments) {
  EXPECT_THROW(static_cast<void>(ray::Task(HasValue).Remote(3000000000)), flowray::ValueError);
  EXPECT_THROW(static_cast<void>(ray::Task(HasValue).Remote(std::optional(1.5))), flowray::ValueError);
  EXPECT_THROW(static_cast<void>(ray::Task(Product).Remote(std::pair(3000000000, 1))), flowray::ValueError);
  EXPECT_THROW(static_cast<void>(ray::Task(Product).Remote(std::pair(1, 1e300))), flowray::ValueError);
  EXPECT_EQ(*ray::Task(Product).Remote(std::pair(int64_t{3}, 2)).Get(), 6);
  EXPECT_FALSE(*ray::Task(HasValue).Remote(std::optional<int64_t>()).Get());
}

TEST_F(Tasks, TakeNumbersOfOtherTypesThatTheirParametersHold) {
  EXPECT_EQ(*ray::Task(Plus).Remote(int64_t{2147483647}, uint64_t{0}).Get(), 2147483647);
  EXPECT_EQ(*ray::Task(Plus).Remote(-2147483648.0, 2.0f).Get(), -2147483646);
  EXPECT_EQ(*ray::Task(Plus).Remote(true, -0.0).Get(), 1);
  EXPECT_EQ(*ray::Task(Octet).Remote(255).Get(), 255);
  EXPECT_EQ(*ray::Task(Flag).Remote(1).Get(), true);
  EXPECT_EQ(*ray::Task(Narrow).Remote(0.1).Get(), 0.1f);  // rounded
  EXPECT_EQ(*ray::Task(Narrow).Remote(-std::numeric_limits<double>::infinity()).Get(),
            -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(*ray::Task(Narrow).Remote(std::nan("")).Get()));
  EXPECT_EQ(*ray::Task(Half).Remote(uint64_t{1} << 40).Get(), static_cast<double>(uint64_t{1} << 39));
}

TEST_F(Tasks, RefuseTheSameNumbersByReference) {
  const auto cause_of = [](const auto& ref) {
    return refusal_of([&] {
      try {
        ref.Get();
      } catch (const ray::RayTaskException& error) {
        error.rethrow_cause();
      }
    });
  };
  EXPECT_THAT(cause_of(ray::Task(Plus).Remote(ray::Put(int64_t{3000000000}), 2)),
              testing::HasSubstr("the integer 3000000000 is not in [-2147483648, 2147483647]"));
  EXPECT_THAT(cause_of(ray::Task(Octet).Remote(ray::Put(300))), testing::HasSubstr("is not in [0, 255]"));
  EXPECT_THAT(cause_of(ray::Task(Narrow).Remote(ray::Put(1e300))), testing::HasSubstr("float, holds"));
}

TEST_F(Tasks, TakeReferencesForTheirValues) {
  auto three = ray::Task(Plus).Remote(1, 2);
  EXPECT_EQ(*ray::Task(Plus).Remote(three, 4).Get(), 7);
  EXPECT_EQ(*ray::Task(Plus).Remote(three, three).Get(), 6);
  EXPECT_EQ(*ray::Task(Half).Remote(three).Get(), 1.5);
  EXPECT_EQ(*ray::Task(Plus).Remote(ray::Put(1), ray::Put(int8_t{2})).Get(), 3);
  EXPECT_TRUE(*ray::Task(HasValue).Remote(three).Get());
}

TEST_F(Tasks, KeepReferencesThatTheFunctionTakesAsSuch) {
  auto three = ray::Put(3);
  EXPECT_EQ(*ray::Task(Through).Remote(three).Get(), 4);
  EXPECT_EQ(*ray::Task(SumOf).Remote(std::vector{three, three, ray::Put(1)}).Get(), 7);
  ray::ObjectRef<ray::ObjectRef<int>> outer = ray::Task(MakeRef).Remote(9);
  EXPECT_EQ(*outer.Get()->Get(), 9);
}

TEST_F(Tasks, ReturnSeveralReferences) {
  auto [x, y] = ray::Task(GenerateFakeData).NumReturns<2>().Remote(4, 1);
  static_assert(std::is_same_v<decltype(x), ray::ObjectRef<Array>>);
  EXPECT_EQ(*x.Get(), Array(std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(*ray::Task(Sum).Remote(x).Get(), 10);
  auto [a, b, c] = ray::Task(Three).NumReturns<3>().Remote();
  EXPECT_EQ(*a.Get() + 10 * *b.Get() + 100 * *c.Get(), 321);
  auto [number, text] = ray::Task(Both).NumReturns<2>().Remote(7);
  EXPECT_EQ(*number.Get(), 7);
  EXPECT_EQ(*text.Get(), "7");
  EXPECT_EQ(*ray::Task(Both).Remote(7).Get(), (std::pair<int, std::string>(7, "7")));
  EXPECT_EQ(std::get<0>(*ray::Task(GenerateFakeData).Remote(4, 1).Get()).size(), 4);
}

TEST_F(Tasks, ThatReturnNothingCanBeWaitedFor) {
  calls_of_nothing = 0;
  ray::ObjectRef<void> done = ray::Task(Nothing).Remote();
  done.Get();
  ray::Get(done);
  ray::Get(std::vector<ray::ObjectRef<void>>{done}, 100);
  EXPECT_EQ(calls_of_nothing, 1);
}

TEST_F(Tasks, MayBeOverloadsAndTemplates) {
  EXPECT_EQ(*ray::Task(RAY_FUNC(Scale, int)).Remote(2).Get(), 4);
  EXPECT_EQ(*ray::Task(RAY_FUNC(Scale, double)).Remote(2).Get(), 6.0);
  EXPECT_EQ(*ray::Task(Sizes<int, char>).Remote(1, 'x').Get(), "4,1");
}

TEST_F(Tasks, ThatAreNotRegisteredAreRefused) {
  try {
    static_cast<void>(ray::Task(Unregistered).Remote(1));
    FAIL() << "the call was made";
  } catch (const ray::RayException& error) {
    EXPECT_NE(error.message().find("RAY_REMOTE"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("Unregistered(int)"), std::string::npos) << error.what();
  }
}

TEST_F(Tasks, CheckTheirResources) {
  EXPECT_EQ(*ray::Task(Plus).SetName("sum").SetResource("CPU", 0.5).SetMaxRetries(1).Remote(1, 2).Get(), 3);
  EXPECT_EQ(*ray::Task(Plus).SetResources({{"CPU", 2.0}}).Remote(1, 2).Get(), 3);
  auto task = ray::Task(Plus);
  EXPECT_THROW(task.SetResource("CPU", 0), ray::RayException);
  EXPECT_THROW(task.SetResource("", 1), ray::RayException);
  EXPECT_THROW(task.SetResource("CPU", 1.5), ray::RayException);
}

TEST(WithoutRuntime, CallsSayThatInitIsMissing) {
  try {
    static_cast<void>(ray::Task(Plus).Remote(1, 2));
    FAIL() << "the call was made";
  } catch (const ray::RayException& error) {
    EXPECT_NE(error.message().find("Init()"), std::string::npos) << error.what();
  }
}

// ---- objects

using Objects = LocalRuntime;

TEST_F(Objects, AreSharedByTheirReferences) {
  ray::ObjectRef<std::string> text = ray::Put("text");
  auto copy = text;
  EXPECT_TRUE(copy == text);
  EXPECT_EQ(copy.ID(), text.ID());
  EXPECT_EQ(text.ID().size(), 16u);
  EXPECT_FALSE(ray::Put(std::string("text")) == text);
  auto moved = std::move(text);
  EXPECT_FALSE(text.has_value());  // NOLINT(bugprone-use-after-move): what is left is part of the contract
  EXPECT_EQ(*moved.Get(), "text");
  EXPECT_EQ(backend_.num_objects(), 1u);
  moved = {};
  EXPECT_EQ(backend_.num_objects(), 1u);
  copy = {};
  EXPECT_EQ(backend_.num_objects(), 0u);
}

TEST_F(Objects, LiveWhileAValueRefersToThem) {
  auto inner = ray::Put(5);
  auto outer = ray::Put(std::map<std::string, ray::ObjectRef<int>>{{"five", inner}});
  inner = {};
  EXPECT_EQ(backend_.num_objects(), 2u);
  auto read = outer.Get();
  outer = {};
  EXPECT_EQ(*read->at("five").Get(), 5);
  read.reset();
  EXPECT_EQ(backend_.num_objects(), 0u);
}

TEST_F(Objects, HoldArraysInPlace) {
  const Weights weights{{"w", Array(std::vector<float>(1000, 0.5f))}, {"b", Array(1.f)}};
  auto ref = ray::Put(weights);
  const Weights first = *ref.Get(), second = *ref.Get();
  EXPECT_EQ(first, weights);
  EXPECT_EQ(first.at("w").raw_data(), second.at("w").raw_data());
  EXPECT_NE(first.at("w").raw_data(), weights.at("w").raw_data());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.at("b").raw_data()) % 64, 0u);
}

TEST_F(Objects, AreNeverChangedByWhoReadsThem) {
  auto ref = ray::Put(Array(std::vector<float>{1, 2}));
  Array mine = *ref.Get();
  mine.mutable_data<float>()[0] = 7;
  EXPECT_EQ(*ref.Get(), Array(std::vector<float>{1, 2}));
  Array last = *ref.Get();
  const void* before = last.raw_data();
  ref = {};
  last.mutable_data<float>()[0] = 7;  // the only one that is left, and still not its own memory
  EXPECT_NE(last.raw_data(), before);
}

TEST_F(Objects, AreWaitedForInOrder) {
  const std::vector refs{ray::Put(1), ray::Put(2), ray::Put(3)};
  const auto [ready, unready] = ray::Wait(refs, 2, 100);
  ASSERT_EQ(ready.size(), 2u);
  ASSERT_EQ(unready.size(), 1u);
  EXPECT_TRUE(ready[0] == refs[0]);
  EXPECT_TRUE(unready[0] == refs[2]);
  EXPECT_THROW(ray::Wait(refs, 0, 100), ray::RayException);
  EXPECT_THROW(ray::Wait(refs, 4, 100), ray::RayException);
  EXPECT_THROW(ray::Wait(refs, 1, -2), ray::RayException);
  const auto values = ray::Get(refs);
  EXPECT_EQ(*values[0] + *values[1] + *values[2], 6);
}

TEST_F(Objects, ThatAreNoneAreRefused) {
  const ray::ObjectRef<int> none;
  EXPECT_EQ(none.ID(), "");
  EXPECT_THROW(none.Get(), ray::RayException);
  EXPECT_THROW(static_cast<void>(ray::Task(Plus).Remote(none, 1)), ray::RayException);
  EXPECT_THROW(ray::Wait(std::vector{none}, 1, 0), ray::RayException);
  EXPECT_FALSE(ray::Put(none).Get()->has_value());
}

// ---- actors

class Named {
 public:
  virtual ~Named() = default;
  virtual std::string Name() const { return "named"; }
  int Base() const { return base_; }

 private:
  int base_ = 77;
};

struct Padding {
  virtual ~Padding() = default;
  double pad[3] = {1, 2, 3};
};

int living_counters = 0;

class Counter : public Padding, public Named {
 public:
  explicit Counter(int start) : value_(start) {
    if (start < 0) throw flowray::ValueError("a counter starts at 0 or above");
    ++living_counters;
  }
  ~Counter() override { --living_counters; }
  static Counter* Create(int start) { return new Counter(start); }

  int Add(int x) { return value_ += x; }
  int Get() const { return value_; }
  const std::string& Text() noexcept { return text_; }
  std::string Name() const override { return "counter"; }
  int AddThrough(ray::ActorHandle<Counter> other, int x) {
    return *other.Task(&Counter::Add).Remote(x).Get();
  }
  std::tuple<int, int> Split() const { return {value_ / 10, value_ % 10}; }
  int Twice(int x) { return 2 * x; }
  double Twice(double x) const { return 2 * x; }

 private:
  int value_;
  std::string text_ = "text";
};
Counter* CreateCounter() { return new Counter(100); }

class Sibling {
 public:
  int Get() const { return 1; }
};

RAY_REMOTE(Counter::Create, CreateCounter, &Counter::Add, &Counter::Get, &Counter::Text, &Counter::AddThrough,
           &Counter::Split, &Named::Name, &Named::Base, RAY_FUNC(&Counter::Twice, int),
           RAY_FUNC(&Counter::Twice, double), &Sibling::Get);

class Actors : public LocalRuntime {
 protected:
  Actors() { living_counters = 0; }
};

TEST_F(Actors, KeepTheirState) {
  ray::ActorHandle<Counter> counter = ray::Actor(Counter::Create).Remote(10);
  EXPECT_EQ(*counter.Task(&Counter::Add).Remote(1).Get(), 11);
  EXPECT_EQ(*counter.Task(&Counter::Add).Remote(ray::Put(2)).Get(), 13);
  EXPECT_EQ(*counter.Task(&Counter::Get).Remote().Get(), 13);
  EXPECT_EQ(*counter.Task(&Counter::Text).Remote().Get(), "text");
  auto [tens, ones] = counter.Task(&Counter::Split).NumReturns<2>().Remote();
  EXPECT_EQ(*tens.Get(), 1);
  EXPECT_EQ(*ones.Get(), 3);
  EXPECT_EQ(counter.ID().size(), 16u);
}

TEST_F(Actors, RefuseNumbersThatTheirParametersDoNotHold) {
  EXPECT_EQ(refusal_of([] { ray::Actor(Counter::Create).Remote(-3000000000); }),
            "Argument 1 of 1 for 'Counter::Create' cannot be passed: the integer -3000000000 is not in "
            "[-2147483648, 2147483647], what the parameter's type, int, holds.");
  EXPECT_EQ(living_counters, 0);
  auto counter = ray::Actor(Counter::Create).Remote(10.0);
  EXPECT_EQ(refusal_of([&] { static_cast<void>(counter.Task(&Counter::Add).Remote(0.5)); }),
            "Argument 1 of 1 for 'Counter::Add' cannot be passed: 0.5 is not an integer, and the parameter's "
            "type is int.");
  EXPECT_EQ(*counter.Task(&Counter::Add).Remote(int64_t{5}).Get(), 15);
}

TEST_F(Actors, HaveTheMethodsOfTheirBases) {
  auto counter = ray::Actor(Counter::Create).Remote(0);
  EXPECT_EQ(*counter.Task(&Named::Name).Remote().Get(), "counter");
  EXPECT_EQ(*counter.Task(&Counter::Base).Remote().Get(), 77);
  EXPECT_EQ(*counter.Task(RAY_FUNC(&Counter::Twice, int)).Remote(4).Get(), 8);
  EXPECT_EQ(*counter.Task(RAY_FUNC(&Counter::Twice, double)).Remote(0.5).Get(), 1.0);
}

TEST_F(Actors, MayBePassedToEachOther) {
  auto one = ray::Actor(Counter::Create).Remote(1);
  auto two = ray::Actor(CreateCounter).Remote();
  EXPECT_EQ(*one.Task(&Counter::AddThrough).Remote(two, 5).Get(), 105);
  EXPECT_EQ(*one.Task(&Counter::AddThrough).Remote(one, 5).Get(), 6);
  const auto read = ray::Put(two).Get();
  EXPECT_EQ(*read, two);
  EXPECT_NE(one, two);
}

TEST_F(Actors, AreFoundByName) {
  auto counter = ray::Actor(Counter::Create).SetName("count").SetMaxRestarts(2).Remote(3);
  auto found = ray::GetActor<Counter>("count");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, counter);
  EXPECT_FALSE(ray::GetActor<Counter>("other").has_value());
  EXPECT_FALSE(ray::GetActor<Counter>("").has_value());
  EXPECT_THROW(static_cast<void>(ray::Actor(Counter::Create).SetName("count").Remote(3)), ray::RayException);
  static_cast<void>(ray::Actor(Counter::Create).SetName("count", "space").Remote(4));
  EXPECT_EQ(*ray::GetActor<Counter>("count", "space")->Task(&Counter::Get).Remote().Get(), 4);
  counter.Kill();
  EXPECT_FALSE(ray::GetActor<Counter>("count").has_value());
}

TEST_F(Actors, AreMadeAgainByAKillThatLetsThem) {
  auto counter = ray::Actor(Counter::Create).SetName("count").SetMaxRestarts(1).Remote(3);
  EXPECT_EQ(*counter.Task(&Counter::Add).Remote(4).Get(), 7);
  counter.Kill(false);
  EXPECT_EQ(*counter.Task(&Counter::Add).Remote(1).Get(), 4);
  EXPECT_TRUE(ray::GetActor<Counter>("count").has_value());
  counter.Kill(false);
  EXPECT_THROW(counter.Task(&Counter::Add).Remote(1).Get(), ray::RayActorException);
}

TEST_F(Actors, RefuseOptionsThatThisRuntimeDoesNotHave) {
  EXPECT_THROW(static_cast<void>(ray::Actor(Counter::Create).SetMaxConcurrency(0).Remote(3)),
               ray::RayException);
  EXPECT_THROW(static_cast<void>(ray::Actor(Counter::Create).SetMaxRestarts(-2).Remote(3)),
               ray::RayException);
  EXPECT_THROW(ray::Task(Plus).SetMaxRetries(-2).Remote(1, 2), ray::RayException);
  EXPECT_EQ(*ray::Actor(Counter::Create).SetMaxConcurrency(1).Remote(3).Task(&Counter::Get).Remote().Get(),
            3);
}

TEST_F(Actors, AskedForAsAnotherClassAreRefused) {
  const auto counter = ray::Actor(Counter::Create).SetName("count").Remote(3);
  EXPECT_TRUE(counter.has_value());
  auto wrong = ray::GetActor<Sibling>("count");
  ASSERT_TRUE(wrong.has_value());
  EXPECT_THROW(wrong->Task(&Sibling::Get).Remote().Get(), ray::RayTaskException);
}

TEST_F(Actors, ThatAreKilledAreDeletedAndSaySo) {
  auto counter = ray::Actor(Counter::Create).Remote(3);
  EXPECT_EQ(living_counters, 1);
  counter.Kill();
  EXPECT_EQ(living_counters, 0);
  auto late = counter.Task(&Counter::Get).Remote();
  EXPECT_THROW(late.Get(), ray::RayActorException);
}

TEST_F(Actors, WhoseConstructorThrowsAreDead) {
  auto counter = ray::Actor(Counter::Create).Remote(-1);
  auto result = counter.Task(&Counter::Get).Remote();
  try {
    result.Get();
    FAIL() << "there is a value";
  } catch (const ray::RayActorException& error) {
    EXPECT_NE(error.message().find("a counter starts at 0 or above"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("Counter::Create"), std::string::npos) << error.what();
  }
}

TEST_F(Actors, ThatAreNoneAreRefused) {
  const ray::ActorHandle<Counter> none;
  EXPECT_EQ(none.ID(), "");
  EXPECT_THROW(static_cast<void>(none.Task(&Counter::Get)), ray::RayException);
  EXPECT_THROW(none.Kill(), ray::RayException);
}

TEST(ActorObjects, AreDeletedWithTheirRuntime) {
  living_counters = 0;
  {
    flowray::ray::LocalBackend backend;
    flowray::ray::internal::set_backend(&backend);
    static_cast<void>(ray::Actor(Counter::Create).Remote(1));
    EXPECT_EQ(living_counters, 1);
    flowray::ray::internal::set_backend(nullptr);
  }
  EXPECT_EQ(living_counters, 0);
}

// ---- the first program of the project: weights averaged over actors

class Network {
 public:
  Network(Array x, Array y) : x_(std::move(x)), y_(std::move(y)) {}
  static Network* Create(Array x, Array y) { return new Network(x, y); }
  Weights Step(const Weights& weights) {
    float w = weights.at("w").item<float>(), b = weights.at("b").item<float>(), dw = 0, db = 0;
    const auto n = static_cast<float>(x_.size());
    for (int64_t i = 0; i < x_.size(); ++i) {
      const float error = w * x_.data<float>()[i] + b - y_.data<float>()[i];
      dw += 2 * error * x_.data<float>()[i] / n;
      db += 2 * error / n;
    }
    weights_ = {{"w", Array(w - 0.5f * dw)}, {"b", Array(b - 0.5f * db)}};
    return weights_;
  }
  Weights GetWeights() { return weights_; }

 private:
  Array x_, y_;
  Weights weights_{{"w", Array(0.f)}, {"b", Array(0.f)}};
};
std::tuple<Array, Array> FakeLine(int count, int seed) {
  std::vector<float> x(static_cast<size_t>(count)), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>((i * 37 + static_cast<size_t>(seed) * 11) % 100) / 100;
    y[i] = x[i] * 0.1f + 0.3f;
  }
  return {Array(x), Array(y)};
}
RAY_REMOTE(FakeLine, Network::Create, &Network::Step, &Network::GetWeights);

Weights mean_of(const std::vector<std::shared_ptr<Weights>>& all) {
  Weights mean = *all[0];
  for (auto& [name, array] : mean) {
    float sum = 0;
    for (const auto& weights : all) sum += weights->at(name).item<float>();
    array = Array(sum / static_cast<float>(all.size()));
  }
  return mean;
}

TEST_F(LocalRuntime, RunsTheWeightAveragingProgram) {
  std::vector<ray::ActorHandle<Network>> actors;
  for (int i = 0; i < 2; ++i) {
    auto [x, y] = ray::Task(FakeLine).NumReturns<2>().Remote(100, i);
    actors.push_back(ray::Actor(Network::Create).Remote(x, y));
  }
  Weights weights = *actors[0].Task(&Network::GetWeights).Remote().Get();
  for (int iteration = 0; iteration <= 200; ++iteration) {
    auto weights_ref = ray::Put(weights);
    std::vector<ray::ObjectRef<Weights>> refs;
    for (auto& actor : actors) refs.push_back(actor.Task(&Network::Step).Remote(weights_ref));
    weights = mean_of(ray::Get(refs));
  }
  EXPECT_NEAR(weights.at("w").item<float>(), 0.1f, 1e-3);
  EXPECT_NEAR(weights.at("b").item<float>(), 0.3f, 1e-3);
}

// ---- errors

class Unusual {};
int Throw(int kind) {
  switch (kind) {
    case 0:
      throw flowray::ValueError("bad value\nuse another");
    case 1:
      throw flowray::errors::InvalidArgumentError("bad argument", "dense/MatMul");
    case 2:
      throw std::out_of_range("no such item");
    case 3:
      throw 42;
    case 4:
      throw Unusual();
    default:
      return kind;
  }
}
int ThrowThrough(int kind) { return *ray::Task(Throw).Remote(kind).Get(); }
RAY_REMOTE(Throw, ThrowThrough);

using Errors = LocalRuntime;

ray::RayTaskException error_of(const ray::ObjectRef<int>& ref) {
  try {
    ref.Get();
  } catch (const ray::RayTaskException& error) {
    return error;
  }
  throw std::logic_error("the task did not fail");
}

TEST_F(Errors, SayWhatFailedWhereAndHow) {
  const auto error = error_of(ray::Task(Throw).Remote(0));
  const std::string first = error.message().substr(0, error.message().find('\n'));
  EXPECT_EQ(first,
            "'Throw' failed in process " + std::to_string(getpid()) + " with flowray::ValueError: bad value");
  EXPECT_EQ(error.failure().class_name, "flowray::ValueError");
  EXPECT_EQ(error.failure().message, "bad value\nuse another");
  EXPECT_EQ(error.failure().function, "Throw");
  EXPECT_EQ(error.failure().pid, getpid());
  EXPECT_THROW(error.rethrow_cause(), flowray::ValueError);
}

TEST_F(Errors, KeepCodeAndNode) {
  try {
    error_of(ray::Task(Throw).Remote(1)).rethrow_cause();
  } catch (const flowray::errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), "bad argument");
    EXPECT_EQ(error.node_name(), "dense/MatMul");
    return;
  }
  FAIL() << "another class was thrown";
}

TEST_F(Errors, MayBeOfAnyClass) {
  EXPECT_THROW(error_of(ray::Task(Throw).Remote(2)).rethrow_cause(), std::out_of_range);
  EXPECT_EQ(error_of(ray::Task(Throw).Remote(3)).failure().class_name, "int");
  const auto unusual = error_of(ray::Task(Throw).Remote(4));
  EXPECT_EQ(unusual.failure().class_name, "(anonymous namespace)::Unusual");
  EXPECT_THROW(unusual.rethrow_cause(), ray::RayTaskException);
  EXPECT_EQ(*ray::Task(Throw).Remote(5).Get(), 5);
}

TEST_F(Errors, TravelThroughArgumentsAndTasks) {
  auto failed = ray::Task(Throw).Remote(1);
  EXPECT_EQ(error_of(ray::Task(Plus).Remote(failed, 1)).failure().function, "Throw");
  const auto through = error_of(ray::Task(ThrowThrough).Remote(0));
  EXPECT_EQ(through.failure().function, "Throw");
  EXPECT_NE(through.failure().stack.find("ThrowThrough"), std::string::npos);
  EXPECT_THROW(through.rethrow_cause(), flowray::ValueError);
  EXPECT_THROW(ray::Get(std::vector{ray::Put(1), failed}), ray::RayTaskException);
}

TEST_F(Errors, AreFoundUnderRaysNames) {
  EXPECT_THROW(ray::Task(Throw).Remote(0).Get(), ray::internal::RayTaskException);
  EXPECT_THROW(ray::Task(Throw).Remote(0).Get(), ray::internal::RayException);
  EXPECT_THROW(ray::Task(Throw).Remote(0).Get(), flowray::Error);
}

TEST_F(Errors, OfDamagedArgumentsAreThoseOfTheCall) {
  // What a caller that was built from another source sends: three arguments for two parameters.
  flowray::ray::Encoder arguments;
  encode(arguments, std::tuple(1, 2, 3));
  flowray::ray::internal::CallOptions call;
  ray::internal::fill_function(call, ray::internal::FunctionKey::of(Plus), typeid(Plus));
  ray::internal::ObjectHandle* handle = nullptr;
  backend_.submit(call, arguments, {&handle, 1});
  EXPECT_EQ(error_of(ray::ObjectRef<int>(handle)).failure().class_name, "flowray::TypeError");
}

}  // namespace
