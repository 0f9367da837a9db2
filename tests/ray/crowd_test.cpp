// Many actors, and many tasks at a time.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

constexpr int kGuardMs = 120'000;
constexpr int kMany = kSanitized ? 2'000 : 10'000;

int crowd_plus_one(int n) { return n + 1; }
int crowd_sum(const std::vector<ray::ObjectRef<int>>& refs) {
  int sum = 0;
  for (const auto& ref : refs) sum += *ref.Get();
  return sum;
}
int crowd_sum_of_ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  return a + b + c + d + e + f + g + h + i + j;
}

class CrowdMember {
 public:
  static CrowdMember* Create(int number) { return new CrowdMember(number); }
  explicit CrowdMember(int number) : number_(number) {}
  int Count() { return ++count_; }
  int Number() const { return number_; }
  int Pid() const { return getpid(); }
  /// The next one's number, and so on around.
  int Relay(const std::vector<ray::ActorHandle<CrowdMember>>& others) const {
    return others.empty() ? number_
                          : number_ + *others.back()
                                           .Task(&CrowdMember::Relay)
                                           .Remote(std::vector(others.begin(), others.end() - 1))
                                           .Get();
  }
  /// Returns at once, or, if there is a path, when that exists.
  int AwaitFile(const std::string& path) const {
    while (!path.empty() && !std::filesystem::exists(path))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return number_;
  }
  int MakeFile(const std::string& path) const {
    if (!path.empty()) std::ofstream{path};
    return number_;
  }

 private:
  const int number_;
  int count_ = 0;
};

RAY_REMOTE(crowd_plus_one, crowd_sum, crowd_sum_of_ten, CrowdMember::Create, &CrowdMember::Count,
           &CrowdMember::Number, &CrowdMember::Pid, &CrowdMember::Relay, &CrowdMember::AwaitFile,
           &CrowdMember::MakeFile);

class Crowd : public ::testing::TestWithParam<int> {
 protected:
  Crowd() { ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100}); }
  ~Crowd() override { ray::Shutdown(); }
};

TEST_P(Crowd, OfActorsHasAProcessAndACountEach) {
  std::vector<ray::ActorHandle<CrowdMember>> members;
  for (int i = 0; i < GetParam(); ++i) members.push_back(ray::Actor(CrowdMember::Create).Remote(i));
  std::vector<ray::ObjectRef<int>> counts;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& member : members) counts.push_back(member.Task(&CrowdMember::Count).Remote());
  }
  const auto values = ray::Get(counts, kGuardMs);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(*values[i], static_cast<int>(i / members.size()) + 1);  // each one's calls in their order
  std::set<int> pids;
  for (const auto& member : members) pids.insert(*member.Task(&CrowdMember::Pid).Remote().Get(kGuardMs));
  EXPECT_EQ(pids.size(), members.size());
}

TEST_P(Crowd, OfActorsCallsEachOther) {
  std::vector<ray::ActorHandle<CrowdMember>> members;
  int sum = 0;
  for (int i = 0; i < GetParam(); ++i) {
    members.push_back(ray::Actor(CrowdMember::Create).Remote(i));
    sum += i;
  }
  const ray::ActorHandle<CrowdMember> first = members.back();
  members.pop_back();
  EXPECT_EQ(*first.Task(&CrowdMember::Relay).Remote(members).Get(kGuardMs), sum);
}

/// A path of which nothing exists yet.
std::string new_path() {
  static int count = 0;
  return ::testing::TempDir() + "crowd_" + std::to_string(getpid()) + "_" + std::to_string(++count);
}

// The driver is woken for several short answers at once, which this call holds up against all experience.
TEST_P(Crowd, OfActorsAnswersThoughTheNextCallTakesLong) {
  std::vector<ray::ActorHandle<CrowdMember>> members;
  for (int i = 0; i < GetParam(); ++i) members.push_back(ray::Actor(CrowdMember::Create).Remote(i));
  for (int round = 0; round < 20; ++round) {
    const std::string path = new_path();
    std::vector<ray::ObjectRef<int>> quick;
    for (int i = 0; i < 60 * GetParam(); ++i) {
      const auto& member = members[static_cast<size_t>(i % GetParam())];
      quick.push_back(member.Task(&CrowdMember::AwaitFile).Remote(std::string()));
    }
    std::vector<ray::ObjectRef<int>> slow;
    for (const auto& member : members) slow.push_back(member.Task(&CrowdMember::AwaitFile).Remote(path));
    for (size_t i = 0; i < quick.size(); ++i)
      ASSERT_EQ(*quick[i].Get(kGuardMs), static_cast<int>(i) % GetParam());
    std::ofstream{path};
    for (size_t i = 0; i < slow.size(); ++i) ASSERT_EQ(*slow[i].Get(kGuardMs), static_cast<int>(i));
    std::filesystem::remove(path);
  }
}

// A worker is woken for several messages at once, too.
TEST_P(Crowd, OfActorsWorksWhileTheProgramDoesNotComeBack) {
  std::vector<ray::ActorHandle<CrowdMember>> members;
  for (int i = 0; i < GetParam(); ++i) members.push_back(ray::Actor(CrowdMember::Create).Remote(i));
  for (int round = 0; round < 20; ++round) {
    const std::string path = new_path();
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < 10 * GetParam(); ++i) {
      const auto& member = members[static_cast<size_t>(i % GetParam())];
      refs.push_back(member.Task(&CrowdMember::MakeFile).Remote(std::string()));
    }
    refs.push_back(members.back().Task(&CrowdMember::MakeFile).Remote(path));
    while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::filesystem::remove(path);
    for (const auto& ref : refs) ref.Get(kGuardMs);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Crowd, ::testing::Values(1, 2, 4, 8, 16));

class CrowdOfTasks : public ::testing::Test {
 protected:
  CrowdOfTasks() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
  }
  ~CrowdOfTasks() override { ray::Shutdown(); }
};

TEST_F(CrowdOfTasks, ThatAreQueuedComeTogetherInOne) {
  std::vector<ray::ObjectRef<int>> queued;
  for (int i = 0; i < kMany; ++i) queued.push_back(ray::Task(crowd_plus_one).Remote(i));
  EXPECT_EQ(*ray::Task(crowd_sum).Remote(queued).Get(kGuardMs), kMany / 2 * (kMany - 1) + kMany);
}

TEST_F(CrowdOfTasks, ComeTogetherTenByTen) {
  std::vector<ray::ObjectRef<int>> level;
  for (int i = 0; i < kMany / 10 * 10; ++i) level.push_back(ray::Task(crowd_plus_one).Remote(1));
  const auto zero = ray::Put(0);
  while (level.size() > 1) {
    level.resize((level.size() + 9) / 10 * 10, zero);
    std::vector<ray::ObjectRef<int>> next;
    for (size_t i = 0; i < level.size(); i += 10) {
      next.push_back(ray::Task(crowd_sum_of_ten)
                         .Remote(level[i], level[i + 1], level[i + 2], level[i + 3], level[i + 4],
                                 level[i + 5], level[i + 6], level[i + 7], level[i + 8], level[i + 9]));
    }
    level = std::move(next);
  }
  EXPECT_EQ(*level[0].Get(kGuardMs), 2 * (kMany / 10 * 10));
}

TEST_F(CrowdOfTasks, WaitForOneThatEndsLast) {
  const auto gate = ray::Task(crowd_plus_one).Remote(0);
  ray::ObjectRef<int> chain = gate;
  for (int i = 0; i < kMany / 10; ++i) chain = ray::Task(crowd_plus_one).Remote(chain);
  EXPECT_EQ(*chain.Get(kGuardMs), kMany / 10 + 1);
}

}  // namespace
}  // namespace flowray
