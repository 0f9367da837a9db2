// A vector of references, got in workers.

#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace flowray {
namespace {

constexpr int kGuardMs = 60'000;

using Ints = std::vector<ray::ObjectRef<int>>;

int several_squared(int x) {
  if (x < 0) throw std::domain_error("a negative number");
  return x * x;
}
/// Gives a value when it is opened.
class SeveralGate {
 public:
  static SeveralGate* Create() { return new SeveralGate; }
  int Wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
    return 1;
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};
/// Of all of them.
int several_sum(const Ints& refs) {
  const auto values = ray::Get(refs);
  return std::accumulate(values.begin(), values.end(), 0, [](int sum, const auto& x) { return sum + *x; });
}
int several_sum_of_own(int count) {
  Ints refs;
  for (int i = 0; i < count; ++i) refs.push_back(ray::Task(several_squared).Remote(i));
  return several_sum(refs);
}
/// What is got after an error, and what after a time that was too short.
int several_after_failures(const Ints& with_error, const Ints& later) {
  int caught = 0;
  try {
    ray::Get(with_error);
  } catch (const ray::RayTaskException&) {
    ++caught;
  }
  try {
    ray::Get(Ints{with_error[0], later[0], with_error[0]}, 1);
  } catch (const ray::RayTimeoutException&) {
    caught += 10;
  }
  return caught + 100 * *with_error[0].Get() + 1000 * several_sum({with_error[0], with_error[0]});
}
/// Large ones among small ones.
double several_mixed(const std::vector<ray::ObjectRef<std::vector<float>>>& refs) {
  double sum = 0;
  for (const auto& values : ray::Get(refs)) sum += std::accumulate(values->begin(), values->end(), 0.0);
  return sum;
}
RAY_REMOTE(SeveralGate::Create, &SeveralGate::Wait, &SeveralGate::Open, several_squared, several_sum,
           several_sum_of_own, several_after_failures, several_mixed);

class SeveralValues : public ::testing::Test {
 protected:
  SeveralValues() {
    ray::Init(
        {.num_cpus = 2, .object_store_memory = size_t{32} << 20, .object_spilling_directory = "/var/tmp"});
  }
  ~SeveralValues() override { ray::Shutdown(); }
};

TEST_F(SeveralValues, ComeInTheirOrder) {
  for (const int count : {0, 1, 2, 63, 64, 65, 500}) {
    Ints refs;
    for (int i = 0; i < count; ++i) refs.push_back(ray::Put(i));
    EXPECT_EQ(*ray::Task(several_sum).Remote(refs).Get(kGuardMs), count * (count - 1) / 2) << count;
  }
  const ray::ObjectRef<int> one = ray::Put(3);
  EXPECT_EQ(*ray::Task(several_sum).Remote(Ints(100, one)).Get(kGuardMs), 300);
}

TEST_F(SeveralValues, ThatAreMadeMeanwhileAreWaitedFor) {
  // 0 + 1 + 4 + ... + 99^2
  EXPECT_EQ(*ray::Task(several_sum_of_own).Remote(100).Get(kGuardMs), 328'350);
}

TEST_F(SeveralValues, AreGotAfterErrorsAndTimesThatAreOver) {
  Ints refs;
  for (int i = 2; i < 100; ++i) refs.push_back(ray::Task(several_squared).Remote(i == 50 ? -1 : i));
  const auto gate = ray::Actor(SeveralGate::Create).SetMaxConcurrency(2).Remote();
  const auto later = gate.Task(&SeveralGate::Wait).Remote();
  // 4 is the first one: 1 + 10 + 400 + 8000
  EXPECT_EQ(*ray::Task(several_after_failures).Remote(refs, std::vector{later}).Get(kGuardMs), 8411);
  gate.Task(&SeveralGate::Open).Remote().Get(kGuardMs);
}

TEST_F(SeveralValues, LargeAndSmallComeTogether) {
  std::vector<ray::ObjectRef<std::vector<float>>> refs;
  double expected = 0;
  for (int i = 0; i < 60; ++i) {
    const size_t count = i % 3 == 0 ? 500'000 : i % 3 == 1 ? 5 : 200;  // 2 MB: more in all than the store has
    refs.push_back(ray::Put(std::vector<float>(count, static_cast<float>(i))));
    expected += static_cast<double>(count) * i;
  }
  EXPECT_EQ(*ray::Task(several_mixed).Remote(refs).Get(kGuardMs), expected);
}

}  // namespace
}  // namespace flowray
