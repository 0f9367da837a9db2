#include "core/guarded.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace flowray {
namespace {

TEST(Guarded, LetsOneThreadAtATimeAtTheData) {
  Guarded<std::vector<int>> numbers;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) numbers.lock()->push_back(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(numbers.lock()->size(), 4000u);
}

TEST(Guarded, MakesItsDataFromTheArgumentsAndShowsItToConst) {
  const Guarded<std::vector<int>> numbers(std::vector<int>{1, 2, 3});
  EXPECT_EQ((*numbers.lock())[2], 3);
}

TEST(Guarded, WaitsForACondition) {
  Guarded<int> value(0);
  CondVar changed;
  std::thread setter([&] {
    *value.lock() = 5;
    changed.notify_one();
  });
  auto locked = value.lock();
  locked.wait(changed, [&] { return *locked == 5; });
  EXPECT_EQ(*locked, 5);
  locked.unlock();
  EXPECT_EQ(*value.lock(), 5);  // would never return if unlock() had not let go
  setter.join();
}

}  // namespace
}  // namespace flowray
