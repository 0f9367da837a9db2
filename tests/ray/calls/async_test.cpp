// Coroutines: methods and tasks that wait for values without a thread, and the driver's.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

int next_number(int n) { return n + 1; }
int refuse_number(int n) { throw std::out_of_range("not " + std::to_string(n)); }

/// Gives its value when it is told to.
class ClosedGate {
 public:
  static ClosedGate* Create() { return new ClosedGate; }
  int WaitUntilOpen() const {
    pause();
    return 0;
  }
};

using Refs = std::vector<ray::ObjectRef<int>>;

ray::Async<int> twice_plus_one(int n) {
  const std::shared_ptr<int> more = co_await ray::Task(next_number).Remote(n);
  co_return 2 * *more;
}

/// Awaits all, in their order.
ray::Async<int> awaited_sum(Refs refs) {
  int sum = 0;
  for (const auto& ref : refs) sum += *co_await ref;
  co_return sum;
}

class Weaver {
 public:
  static Weaver* Create() { return new Weaver; }

  /// Waits for the value; how many calls were in the method then at most.
  ray::Async<int> AwaitAnd(Refs value) {
    threads_ += gettid() == getpid() ? 0 : 1;
    most_ = std::max(most_, ++here_);
    co_await value[0];
    threads_ += gettid() == getpid() ? 0 : 1;
    --here_;
    co_return most_;
  }
  /// An ordinary method of the same actor: it runs between the others' waiting.
  int Here() const { return here_; }
  int OtherThreads() const { return threads_; }

  ray::Async<std::string> ByReference(const std::string& text, const Refs& value) {
    const std::shared_ptr<int> number = co_await value[0];
    co_return text + std::to_string(*number);
  }
  ray::Async<int> Nested(int n) {
    const int inner = co_await Inner(n);
    co_return inner + 1000;
  }
  ray::Async<> Nothing(Refs value) {
    co_await value[0];
    ++nothings_;
  }
  int Nothings() const { return nothings_; }
  ray::Async<int> Fails(int n) {
    co_await ray::Task(next_number).Remote(n);
    throw std::out_of_range("after " + std::to_string(n));
  }
  ray::Async<int> FailsAtOnce(int n) {
    if (n > 0) throw std::out_of_range("before " + std::to_string(n));
    co_return n;
  }
  ray::Async<std::string> Catches(int n) {
    std::string what;
    try {
      co_await ray::Task(refuse_number).Remote(n);
    } catch (const ray::RayTaskException& error) {
      what = error.failure().message;
    }
    co_return what;
  }
  ray::Async<std::string> IsCancelledWhileItWaits(Refs never) {
    std::string what;
    try {
      co_await never[0];
    } catch (const ray::TaskCancelledException& error) {
      what = ray::IsCancelled() ? "told" : "not told";
    }
    co_await ray::Task(next_number).Remote(1);  // once is enough
    co_return what;
  }
  ray::Async<int> Exits(Refs value) {
    co_await value[0];
    ray::ExitActor();
    co_return 0;
  }
  ray::Async<std::tuple<int, std::string>> Both(int n) {
    const std::shared_ptr<int> more = co_await ray::Task(next_number).Remote(n);
    co_return std::tuple(*more, std::to_string(*more));
  }
  ray::Async<std::string> Long(int n) {
    const std::shared_ptr<int> more = co_await ray::Task(next_number).Remote(n);
    co_return std::string(100'000, static_cast<char>('a' + *more % 26));
  }
  /// Blocks, as any method may.
  int SumByGet(Refs refs) { return awaited_sum(std::move(refs)).Get(); }

 private:
  ray::Async<int> Inner(int n) {
    const std::shared_ptr<int> more = co_await ray::Task(next_number).Remote(n);
    co_return *more;
  }

  int here_ = 0;
  int most_ = 0;
  int threads_ = 0;
  int nothings_ = 0;
};

RAY_REMOTE(next_number, refuse_number, twice_plus_one, awaited_sum, ClosedGate::Create,
           &ClosedGate::WaitUntilOpen);
RAY_REMOTE(Weaver::Create, &Weaver::AwaitAnd, &Weaver::Here, &Weaver::OtherThreads, &Weaver::ByReference,
           &Weaver::Nested, &Weaver::Nothing, &Weaver::Nothings, &Weaver::Fails, &Weaver::FailsAtOnce,
           &Weaver::Catches, &Weaver::IsCancelledWhileItWaits, &Weaver::Exits, &Weaver::Both, &Weaver::Long,
           &Weaver::SumByGet);

class AsyncActors : public ::testing::Test {
 protected:
  AsyncActors() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20, .shutdown_timeout_ms = 100});
    weaver = ray::Actor(Weaver::Create).Remote();
  }
  ~AsyncActors() override { ray::Shutdown(); }

  /// A value that is not there until open().
  ray::ObjectRef<int> closed() {
    gate = ray::Actor(ClosedGate::Create).Remote();
    return gate.Task(&ClosedGate::WaitUntilOpen).Remote();
  }

  ray::ActorHandle<Weaver> weaver;
  ray::ActorHandle<ClosedGate> gate;
};

TEST_F(AsyncActors, RunManyCallsInOneThread) {
  constexpr int kCalls = 500;
  const Refs never{closed()};
  std::vector<ray::ObjectRef<int>> waiting;
  for (int i = 0; i < kCalls; ++i) waiting.push_back(weaver.Task(&Weaver::AwaitAnd).Remote(never));
  // They have all begun, one after the other, when this call comes to its turn.
  EXPECT_EQ(*weaver.Task(&Weaver::Here).Remote().Get(kGuardMs), kCalls);
  EXPECT_THROW(waiting[0].Get(0), ray::RayTimeoutException);
  gate.Kill();  // an error comes in place of the value
  for (const auto& call : waiting) EXPECT_THROW(call.Get(kGuardMs), ray::RayException);
  EXPECT_EQ(*weaver.Task(&Weaver::OtherThreads).Remote().Get(kGuardMs), 0);
}

TEST_F(AsyncActors, GoOnWhenTheValueIsThere) {
  std::vector<ray::ObjectRef<int>> calls;
  for (int i = 0; i < 300; ++i) {
    const Refs value{ray::Task(next_number).Remote(i)};
    calls.push_back(weaver.Task(&Weaver::AwaitAnd).Remote(value));
  }
  for (const auto& call : calls) EXPECT_GE(*call.Get(kGuardMs), 1);
  EXPECT_EQ(*weaver.Task(&Weaver::Here).Remote().Get(kGuardMs), 0);
  EXPECT_EQ(*weaver.Task(&Weaver::OtherThreads).Remote().Get(kGuardMs), 0);
}

TEST_F(AsyncActors, BeginNoMoreThanTheirMaxConcurrency) {
  const auto narrow = ray::Actor(Weaver::Create).SetMaxConcurrency(3).Remote();
  std::vector<ray::ObjectRef<int>> calls;
  for (int i = 0; i < 50; ++i) {
    const Refs value{ray::Task(next_number).Remote(i)};
    calls.push_back(narrow.Task(&Weaver::AwaitAnd).Remote(value));
  }
  for (const auto& call : calls) EXPECT_LE(*call.Get(kGuardMs), 3);
}

TEST_F(AsyncActors, KeepArgumentsThatAreTakenByReference) {
  std::vector<ray::ObjectRef<std::string>> texts;
  for (int i = 0; i < 50; ++i) {
    const Refs value{ray::Task(next_number).Remote(i)};
    texts.push_back(weaver.Task(&Weaver::ByReference).Remote(std::string(50, 'x'), value));
  }
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(*texts[static_cast<size_t>(i)].Get(kGuardMs), std::string(50, 'x') + std::to_string(i + 1));
}

TEST_F(AsyncActors, AwaitOtherCoroutines) {
  EXPECT_EQ(*weaver.Task(&Weaver::Nested).Remote(1).Get(kGuardMs), 1002);
}

TEST_F(AsyncActors, ReturnNothing) {
  const Refs value{ray::Task(next_number).Remote(1)};
  const ray::ObjectRef<void> done = weaver.Task(&Weaver::Nothing).Remote(value);
  done.Get(kGuardMs);
  EXPECT_EQ(*weaver.Task(&Weaver::Nothings).Remote().Get(kGuardMs), 1);
}

TEST_F(AsyncActors, ReturnSeveralValuesAndLargeOnes) {
  const auto [number, text] = weaver.Task(&Weaver::Both).NumReturns<2>().Remote(4);
  EXPECT_EQ(*number.Get(kGuardMs), 5);
  EXPECT_EQ(*text.Get(kGuardMs), "5");
  EXPECT_EQ(*weaver.Task(&Weaver::Long).Remote(1).Get(kGuardMs), std::string(100'000, 'c'));
}

TEST_F(AsyncActors, FailWithWhatTheyThrow) {
  try {
    weaver.Task(&Weaver::Fails).Remote(7).Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayTaskException& error) {
    EXPECT_EQ(error.failure().message, "after 7");
    EXPECT_EQ(error.failure().function, "Weaver::Fails");
    EXPECT_THROW(error.rethrow_cause(), std::out_of_range);
  }
  try {
    weaver.Task(&Weaver::FailsAtOnce).Remote(8).Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayTaskException& error) {
    EXPECT_EQ(error.failure().message, "before 8");
  }
  EXPECT_EQ(*weaver.Task(&Weaver::Catches).Remote(9).Get(kGuardMs), "not 9");
}

TEST_F(AsyncActors, AreToldOfACancelWhereTheyWait) {
  const Refs never{closed()};
  const auto call = weaver.Task(&Weaver::IsCancelledWhileItWaits).Remote(never);
  EXPECT_EQ(*weaver.Task(&Weaver::Here).Remote().Get(kGuardMs), 0);  // it has begun
  ray::Cancel(call);
  EXPECT_EQ(*call.Get(kGuardMs), "told");
}

TEST_F(AsyncActors, MayEndTheirActor) {
  const Refs value{ray::Task(next_number).Remote(1)};
  try {
    weaver.Task(&Weaver::Exits).Remote(value).Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayActorException& error) {
    EXPECT_NE(std::string(error.what()).find("ExitActor"), std::string::npos) << error.what();
  }
}

TEST_F(AsyncActors, AreTasksToo) {
  std::vector<ray::ObjectRef<int>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(ray::Task(twice_plus_one).Remote(i));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*calls[static_cast<size_t>(i)].Get(kGuardMs), 2 * (i + 1));
}

TEST_F(AsyncActors, MethodsMayRunCoroutinesByGet) {
  Refs refs;
  for (int i = 0; i < 10; ++i) refs.push_back(ray::Task(next_number).Remote(i));
  EXPECT_EQ(*weaver.Task(&Weaver::SumByGet).Remote(refs).Get(kGuardMs), 55);
}

TEST_F(AsyncActors, RunInTheDriver) {
  EXPECT_EQ(twice_plus_one(3).Get(), 8);
  EXPECT_EQ(ray::Get(twice_plus_one(4)), 10);
  std::vector<ray::Async<int>> several;
  for (int i = 0; i < 100; ++i) several.push_back(twice_plus_one(i));
  const std::vector<int> values = ray::Get(std::move(several));
  ASSERT_EQ(values.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], 2 * (i + 1));
}

ray::Async<int> awaits_error() { co_return *co_await ray::Task(refuse_number).Remote(2); }
ray::Async<> awaits_foreign() { co_await std::suspend_always(); }

TEST_F(AsyncActors, ThrowInTheDriver) {
  EXPECT_THROW(awaits_error().Get(), ray::RayTaskException);
  EXPECT_THROW(awaits_foreign().Get(), ray::RayException);
  ray::Async<int> once = twice_plus_one(3);
  EXPECT_EQ(once.Get(), 8);
  EXPECT_THROW(once.Get(), ray::RayException);
  ray::Async<int> moved = std::move(once);
  EXPECT_THROW(once.Get(), ray::RayException);  // NOLINT: moved from
}

ray::Async<int> sum_of_coroutines() {
  std::vector<ray::Async<int>> parts;
  for (int i = 0; i < 5; ++i) parts.push_back(twice_plus_one(i));
  int sum = 0;
  for (auto& part : parts) sum += co_await part;
  co_return sum;
}

TEST_F(AsyncActors, AwaitCoroutinesInAContainer) { EXPECT_EQ(sum_of_coroutines().Get(), 30); }

TEST(LocalAsync, IsThereAtOnce) {
  ray::Init({.local_mode = true});
  const auto weaver = ray::Actor(Weaver::Create).Remote();
  EXPECT_EQ(*weaver.Task(&Weaver::Nested).Remote(1).Get(), 1002);
  EXPECT_EQ(*ray::Task(twice_plus_one).Remote(1).Get(), 4);
  EXPECT_EQ(twice_plus_one(3).Get(), 8);
  EXPECT_THROW(weaver.Task(&Weaver::Fails).Remote(7).Get(), ray::RayTaskException);
  const Refs value{ray::Task(next_number).Remote(1)};
  EXPECT_THROW(weaver.Task(&Weaver::Exits).Remote(value).Get(), ray::RayActorException);
  EXPECT_THROW(weaver.Task(&Weaver::Nested).Remote(1).Get(), ray::RayActorException);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
