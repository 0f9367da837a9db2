// Actors that say what of them is to survive their processes.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

/// A sum that survives.
class Saved {
 public:
  static Saved* Create(int start) { return new Saved(start); }
  int Add(int number) {
    const std::lock_guard lock(mutex_);
    return total_ += number;
  }
  int AddAndDie(int number) {
    total_ += number;
    _exit(3);
  }
  int AddAndThrow(int number) {
    total_ += number;
    throw std::out_of_range("added all the same");
  }
  ray::Generator<int> AddOneByOne(int count) {
    for (int i = 0; i < count; ++i) co_yield ++total_;
  }
  int Total() const { return total_; }
  int NumRestored() const { return num_restored_; }
  void Die() const { _exit(3); }

  int checkpoint() const {
    const std::lock_guard lock(mutex_);
    if (total_ == 1313) throw std::logic_error("no state for this");
    return total_;
  }
  void restore(int total) {
    if (total == 666) throw std::runtime_error("no good state");
    total_ = total;
    ++num_restored_;
  }

 private:
  explicit Saved(int start) : total_(start) {}
  mutable std::mutex mutex_;
  int total_;
  int num_restored_ = 0;
};

/// Its state is large, and refers to other values.
struct LargeState {
  std::map<std::string, Array> weights;
  std::vector<ray::ObjectRef<int>> seen;
  FLOWRAY_FIELDS(weights, seen);
};
class Large {
 public:
  static Large* Create() { return new Large; }
  void Set(float value, const std::vector<ray::ObjectRef<int>>& seen) {
    state_.weights["w"] = Array(std::vector<float>(size_t{1} << 18, value));
    state_.seen = seen;
  }
  Array Weights() const { return state_.weights.at("w"); }
  int Seen() const { return *state_.seen.at(0).Get(); }
  void Die() const { _exit(3); }
  const LargeState& checkpoint() const { return state_; }
  void restore(const LargeState& state) { state_ = state; }

 private:
  LargeState state_;
};

class SavedCoroutines {
 public:
  static SavedCoroutines* Create() { return new SavedCoroutines; }
  ray::Async<int> Add(std::vector<ray::ObjectRef<int>> number) {
    total_ += *co_await number[0];
    co_return total_;
  }
  int Total() const { return total_; }
  void Die() const { _exit(3); }
  int checkpoint() const { return total_; }
  void restore(int total) { total_ = total; }

 private:
  int total_ = 0;
};

RAY_REMOTE(Saved::Create, &Saved::Add, &Saved::AddAndDie, &Saved::AddAndThrow, &Saved::AddOneByOne,
           &Saved::Total, &Saved::NumRestored, &Saved::Die);
RAY_REMOTE(Large::Create, &Large::Set, &Large::Weights, &Large::Seen, &Large::Die);
RAY_REMOTE(SavedCoroutines::Create, &SavedCoroutines::Add, &SavedCoroutines::Total, &SavedCoroutines::Die);

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoints() {
    ray::RayConfig config;
    config.num_cpus = 1;
    config.object_store_memory = size_t{32} << 20;
    config.object_spilling = false;
    config.shutdown_timeout_ms = 100;
    ray::Init(config);
  }
  ~Checkpoints() override { ray::Shutdown(); }

  static int total(const ray::ActorHandle<Saved>& saved) {
    return *saved.Task(&Saved::Total).Remote().Get(kGuardMs);
  }
};

TEST_F(Checkpoints, AreWhatTheNextProcessBeginsWith) {
  const auto saved = ray::Actor(Saved::Create).SetMaxRestarts(-1).Remote(100);
  EXPECT_THROW(saved.Task(&Saved::Die).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(total(saved), 100) << "it had changed nothing";
  EXPECT_EQ(*saved.Task(&Saved::NumRestored).Remote().Get(kGuardMs), 0);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(*saved.Task(&Saved::Add).Remote(10).Get(kGuardMs), 100 + 10 * i);
    EXPECT_THROW(saved.Task(&Saved::Die).Remote().Get(kGuardMs), ray::RayActorException);
    EXPECT_EQ(total(saved), 100 + 10 * i);
    EXPECT_EQ(*saved.Task(&Saved::NumRestored).Remote().Get(kGuardMs), 1) << "of this process";
  }
  saved.Kill(false);
  EXPECT_EQ(total(saved), 130);
}

TEST_F(Checkpoints, AreMadeAfterEachCallThatReturnsOrThrows) {
  const auto saved = ray::Actor(Saved::Create).SetMaxRestarts(-1).Remote(0);
  EXPECT_THROW(saved.Task(&Saved::AddAndThrow).Remote(5).Get(kGuardMs), ray::RayTaskException);
  EXPECT_THROW(saved.Task(&Saved::AddAndDie).Remote(100).Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(total(saved), 5) << "the call that died has left nothing";
  const auto generated = saved.Task(&Saved::AddOneByOne).Remote(3);
  generated.Completed().Get(kGuardMs);
  EXPECT_THROW(saved.Task(&Saved::Die).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(total(saved), 8);
}

TEST_F(Checkpoints, MayBeLargeAndReferToOtherValues) {
  const auto large = ray::Actor(Large::Create).SetMaxRestarts(-1).Remote();
  {
    const auto number = ray::Put(42);
    // Many times what the store holds: the one before goes.
    for (int i = 1; i <= 200; ++i)
      large.Task(&Large::Set).Remote(static_cast<float>(i), std::vector{number}).Get(kGuardMs);
  }
  for (int death = 0; death < 2; ++death) {
    EXPECT_THROW(large.Task(&Large::Die).Remote().Get(kGuardMs), ray::RayActorException);
    const auto weights = large.Task(&Large::Weights).Remote().Get(kGuardMs);
    EXPECT_EQ(*weights, Array(std::vector<float>(size_t{1} << 18, 200.f)));
    EXPECT_EQ(*large.Task(&Large::Seen).Remote().Get(kGuardMs), 42);
  }
}

TEST_F(Checkpoints, AreInTheOrderOfWhatThreadsHaveDone) {
  const auto saved = ray::Actor(Saved::Create).SetMaxConcurrency(4).SetMaxRestarts(-1).Remote(0);
  std::vector<ray::ObjectRef<int>> added;
  for (int i = 0; i < 200; ++i) added.push_back(saved.Task(&Saved::Add).Remote(1));
  ray::Get(added, kGuardMs);
  EXPECT_THROW(saved.Task(&Saved::Die).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(total(saved), 200);
}

TEST_F(Checkpoints, AreMadeWhenCoroutinesEnd) {
  const auto saved = ray::Actor(SavedCoroutines::Create).SetMaxRestarts(-1).Remote();
  EXPECT_EQ(*saved.Task(&SavedCoroutines::Add).Remote(std::vector{ray::Put(7)}).Get(kGuardMs), 7);
  EXPECT_THROW(saved.Task(&SavedCoroutines::Die).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(*saved.Task(&SavedCoroutines::Total).Remote().Get(kGuardMs), 7);
}

TEST_F(Checkpoints, TellWhyTheyCannotBeMadeOrTaken) {
  const auto saved = ray::Actor(Saved::Create).SetMaxRestarts(-1).Remote(1300);
  try {
    saved.Task(&Saved::Add).Remote(13).Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("'checkpoint' failed"));
    EXPECT_THAT(error.what(), HasSubstr("no state for this"));
  }
  EXPECT_EQ(*saved.Task(&Saved::Add).Remote(666 - 1313).Get(kGuardMs), 666);
  EXPECT_THROW(saved.Task(&Saved::Die).Remote().Get(kGuardMs), ray::RayActorException);
  try {
    total(saved);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayActorException& error) {
    EXPECT_THAT(error.what(), HasSubstr("its constructor failed"));
    EXPECT_THAT(error.what(), HasSubstr("no good state"));
  }
}

TEST(CheckpointsInLocalMode, GoToTheNextObject) {
  ray::Init({.local_mode = true});
  const auto saved = ray::Actor(Saved::Create).SetMaxRestarts(1).Remote(1);
  saved.Task(&Saved::Add).Remote(2);
  saved.Kill(false);
  EXPECT_EQ(*saved.Task(&Saved::Total).Remote().Get(), 3);
  EXPECT_EQ(*saved.Task(&Saved::NumRestored).Remote().Get(), 1);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
