// Concurrency groups: calls of one actor that run beside each other, group by group.

#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ray/transport/call_spec.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

class Office {
 public:
  static Office* Create() { return new Office; }

  /// Holds its place until Open; how many calls of that kind were here at most.
  int Read() { return hold("read"); }
  int Write() { return hold("write"); }
  int Other() { return hold("other"); }
  int Here(const std::string& kind) {
    const std::lock_guard lock(mutex_);
    return here_[kind];
  }
  void WaitForThem(const std::string& kind, int expected) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return here_[kind] >= expected; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  int hold(const std::string& kind) {
    std::unique_lock lock(mutex_);
    most_[kind] = std::max(most_[kind], ++here_[kind]);
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    --here_[kind];
    return most_[kind];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> here_;
  std::map<std::string, int> most_;
  bool is_open_ = false;
};

int group_answer() { return 42; }

/// Its coroutines share one thread, and are counted by group all the same.
class GroupStream {
 public:
  static GroupStream* Create() { return new GroupStream; }
  ray::Async<int> Pull(std::vector<ray::ObjectRef<int>> value) {
    most_ = std::max(most_, ++here_);
    co_await value[0];
    --here_;
    co_return most_;
  }
  int One() const { return 1; }

 private:
  int here_ = 0;
  int most_ = 0;
};

/// Not in RAY_REMOTE.
class Unknown : public Office {
 public:
  int Nothing() { return 0; }
};

RAY_REMOTE(Office::Create, &Office::Read, &Office::Write, &Office::Other, &Office::Here, &Office::WaitForThem,
           &Office::Open, group_answer, GroupStream::Create, &GroupStream::Pull, &GroupStream::One);

class ConcurrencyGroups : public ::testing::Test {
 protected:
  ConcurrencyGroups() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
  }
  ~ConcurrencyGroups() override { ray::Shutdown(); }

  static auto office() {
    return ray::Actor(Office::Create)
        .SetConcurrencyGroup("io", 2, &Office::Read)
        .SetConcurrencyGroup("compute", 3, &Office::Write)
        .SetConcurrencyGroup("door", 1, &Office::Open, &Office::Here, &Office::WaitForThem);
  }
};

TEST_F(ConcurrencyGroups, RunSoManyCallsOfTheirMethodsAtATime) {
  const auto actor = office().Remote();
  std::vector<ray::ObjectRef<int>> reads;
  std::vector<ray::ObjectRef<int>> writes;
  std::vector<ray::ObjectRef<int>> others;
  for (int i = 0; i < 9; ++i) {
    reads.push_back(actor.Task(&Office::Read).Remote());
    writes.push_back(actor.Task(&Office::Write).Remote());
    others.push_back(actor.Task(&Office::Other).Remote());
  }
  actor.Task(&Office::WaitForThem).Remote("read", 2).Get(kGuardMs);
  actor.Task(&Office::WaitForThem).Remote("write", 3).Get(kGuardMs);
  actor.Task(&Office::WaitForThem).Remote("other", 1).Get(kGuardMs);
  actor.Task(&Office::Open).Remote().Get(kGuardMs);
  for (const auto& call : reads) EXPECT_LE(*call.Get(kGuardMs), 2);
  for (const auto& call : writes) EXPECT_LE(*call.Get(kGuardMs), 3);
  for (const auto& call : others) EXPECT_EQ(*call.Get(kGuardMs), 1);
}

TEST_F(ConcurrencyGroups, AreChosenByTheCall) {
  const auto actor = office().SetMaxConcurrency(1).Remote();
  std::vector<ray::ObjectRef<int>> calls;
  for (int i = 0; i < 5; ++i)
    calls.push_back(actor.Task(&Office::Other).SetConcurrencyGroup("compute").Remote());
  const auto alone = actor.Task(&Office::Other).Remote();
  actor.Task(&Office::WaitForThem).Remote("other", 4).Get(kGuardMs);  // three and one
  actor.Task(&Office::Open).Remote().Get(kGuardMs);
  for (const auto& call : calls) EXPECT_LE(*call.Get(kGuardMs), 4);
  EXPECT_LE(*alone.Get(kGuardMs), 4);
}

TEST_F(ConcurrencyGroups, DoNotHoldUpEachOther) {
  const auto actor = office().Remote();
  // More than are sent to a process at once.
  std::vector<ray::ObjectRef<int>> reads;
  for (int i = 0; i < 2000; ++i) reads.push_back(actor.Task(&Office::Read).Remote());
  const auto write = actor.Task(&Office::Write).Remote();
  actor.Task(&Office::WaitForThem).Remote("write", 1).Get(kGuardMs);
  EXPECT_LE(*actor.Task(&Office::Here).Remote("read").Get(kGuardMs), 2);
  actor.Task(&Office::Open).Remote().Get(kGuardMs);
  for (const auto& call : reads) EXPECT_LE(*call.Get(kGuardMs), 2);
  write.Get(kGuardMs);
}

TEST_F(ConcurrencyGroups, OfAnotherActorAreAnErrorOfTheCall) {
  const auto plain = ray::Actor(Office::Create).Remote();
  const auto call = plain.Task(&Office::Other).SetConcurrencyGroup("io").Remote();
  try {
    call.Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayException& error) {
    EXPECT_NE(std::string(error.what()).find("concurrency group 'io', which its actor does not have"),
              std::string::npos)
        << error.what();
  }
  plain.Task(&Office::Open).Remote().Get(kGuardMs);
}

TEST_F(ConcurrencyGroups, ThatCannotBeAreRefused) {
  auto actor = ray::Actor(Office::Create);
  EXPECT_THROW(actor.SetConcurrencyGroup("io", 0), ray::RayException);
  EXPECT_THROW(actor.SetConcurrencyGroup("", 1), ray::RayException);
  EXPECT_THROW(actor.SetConcurrencyGroup(std::string(1000, 'x'), 1), ray::RayException);
  actor.SetConcurrencyGroup("io", 1, &Office::Read);
  EXPECT_THROW(actor.SetConcurrencyGroup("io", 2), ray::RayException);
  EXPECT_THROW(actor.SetConcurrencyGroup("other", 2, &Office::Read), ray::RayException);
  EXPECT_THROW(actor.SetConcurrencyGroup("other", 2, &Unknown::Nothing), ray::RayFunctionNotFound);
  EXPECT_THROW(static_cast<void>(actor.Remote().Task(&Office::Read).SetConcurrencyGroup("")),
               ray::RayException);
}

TEST_F(ConcurrencyGroups, OutliveTheActorsProcess) {
  const auto actor = office().SetMaxRestarts(1).Remote();
  const auto lost = actor.Task(&Office::Read).Remote();
  actor.Task(&Office::WaitForThem).Remote("read", 1).Get(kGuardMs);
  actor.Kill(false);
  EXPECT_THROW(lost.Get(kGuardMs), ray::RayActorException);
  std::vector<ray::ObjectRef<int>> reads;
  for (int i = 0; i < 4; ++i) reads.push_back(actor.Task(&Office::Read).Remote());
  actor.Task(&Office::WaitForThem).Remote("read", 2).Get(kGuardMs);
  actor.Task(&Office::Open).Remote().Get(kGuardMs);
  for (const auto& call : reads) EXPECT_LE(*call.Get(kGuardMs), 2);
}

TEST_F(ConcurrencyGroups, HoldForCoroutines) {
  const auto stream =
      ray::Actor(GroupStream::Create).SetConcurrencyGroup("pull", 2, &GroupStream::Pull).Remote();
  std::vector<ray::ObjectRef<int>> pulls;
  for (int i = 0; i < 40; ++i) {
    const std::vector<ray::ObjectRef<int>> value{ray::Task(group_answer).Remote()};
    pulls.push_back(stream.Task(&GroupStream::Pull).Remote(value));
    EXPECT_EQ(*stream.Task(&GroupStream::One).Remote().Get(kGuardMs), 1);
  }
  for (const auto& pull : pulls) EXPECT_LE(*pull.Get(kGuardMs), 2);
}

TEST(LocalConcurrencyGroups, AreKnown) {
  ray::Init({.local_mode = true});
  const auto actor = ray::Actor(Office::Create).SetConcurrencyGroup("io", 2, &Office::Read).Remote();
  actor.Task(&Office::Open).Remote().Get();
  EXPECT_EQ(*actor.Task(&Office::Other).SetConcurrencyGroup("io").Remote().Get(), 1);
  EXPECT_THROW(actor.Task(&Office::Other).SetConcurrencyGroup("none").Remote().Get(), ray::RayException);
  ray::Shutdown();
}

TEST(GroupsText, IsReadAsItWasWritten) {
  const std::vector<ray::ConcurrencyGroup> groups{{"io", 2, {{7}, {~uint64_t{0}}}}, {"a b", 1, {}}};
  const auto read = ray::read_groups(ray::groups_text(groups));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, "io");
  EXPECT_EQ(read[0].max_concurrency, 2u);
  EXPECT_EQ(read[0].methods, (std::vector<ray::FunctionId>{{7}, {~uint64_t{0}}}));
  EXPECT_EQ(read[1].name, "a b");
  EXPECT_TRUE(read[1].methods.empty());
  const std::string whole = ray::groups_text(groups);
  EXPECT_THROW(ray::read_groups(whole.substr(0, 3)), errors::DataLossError);
  EXPECT_THROW(ray::read_groups(whole.substr(0, whole.size() - 1)), errors::DataLossError);
  EXPECT_THROW(ray::read_groups(std::string("io\0x\0\0", 6)), errors::DataLossError);
}

}  // namespace
}  // namespace flowray
