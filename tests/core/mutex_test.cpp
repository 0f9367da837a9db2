#include "core/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace flowray {
namespace {

class Counter {
 public:
  void add() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [&]() FLOWRAY_REQUIRES(mutex_) { return count_ >= count; });
  }
  /// Whether it got so far.
  bool wait_until(int count, std::chrono::steady_clock::time_point time) {
    const MutexLock lock(mutex_);
    return changed_.wait_until(mutex_, time, [&]() FLOWRAY_REQUIRES(mutex_) { return count_ >= count; });
  }
  void throw_from_ready() {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, []() -> bool { throw std::runtime_error("ready"); });
  }
  int count() {
    const MutexLock lock(mutex_);
    return count_;
  }
  bool try_add() {
    if (!mutex_.try_lock()) return false;
    ++count_;
    mutex_.unlock();
    return true;
  }
  /// Whether another thread can add between the two halves of a lock that was let go and taken again.
  bool lets_others_in() {
    MutexLock lock(mutex_);
    const int before = count_;
    lock.unlock();
    std::thread([this] { add(); }).join();
    lock.lock();
    return count_ == before + 1;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int count_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, LetsOneThreadAtATimeIn) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) counter.add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.count(), 4000);
}

TEST(Mutex, IsTriedWithoutWaiting) {
  Counter counter;
  EXPECT_TRUE(counter.try_add());
  EXPECT_EQ(counter.count(), 1);
}

TEST(MutexLock, CanBeLetGoAndTakenAgain) {
  Counter counter;
  EXPECT_TRUE(counter.lets_others_in());
  EXPECT_TRUE(counter.try_add());  // it is free after the end of the lock
}

TEST(CondVar, WaitsUntilTheConditionHolds) {
  Counter counter;
  std::thread adder([&] {
    for (int i = 0; i < 3; ++i) counter.add();
  });
  counter.wait_for(3);
  EXPECT_EQ(counter.count(), 3);
  adder.join();
}

TEST(CondVar, TellsAtTheDeadlineWhetherTheConditionHolds) {
  Counter counter;
  const auto past = std::chrono::steady_clock::now();
  EXPECT_FALSE(counter.wait_until(1, past));
  counter.add();
  EXPECT_TRUE(counter.wait_until(1, past));
}

TEST(CondVar, LeavesTheMutexToItsOwnerWhenTheConditionThrows) {
  Counter counter;
  EXPECT_THROW(counter.throw_from_ready(), std::runtime_error);
  EXPECT_TRUE(counter.try_add());  // let go of, once
}

struct Shared {
  SharedMutex mutex;
  int value FLOWRAY_GUARDED_BY(mutex) = 0;
};

TEST(SharedMutex, IsSharedByReadersAndHeldAloneByAWriter) {
  Shared shared;
  {
    const WriterLock lock(shared.mutex);
    shared.value = 7;
  }
  int read = 0;
  {
    const ReaderLock lock(shared.mutex);
    std::thread([&] {  // would never end if the two did not share it
      const ReaderLock other(shared.mutex);
      read = shared.value;
    })
        .join();
    EXPECT_EQ(shared.value, 7);
  }
  EXPECT_EQ(read, 7);
}

class Tree {
 public:
  int depth(int levels) {
    const RecursiveLock lock(mutex_);
    ++visits_;
    return levels == 0 ? visits_ : depth(levels - 1);
  }

 private:
  RecursiveMutex mutex_;
  int visits_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

TEST(RecursiveMutex, IsLockedAgainByTheThreadThatHoldsIt) { EXPECT_EQ(Tree().depth(3), 4); }

}  // namespace
}  // namespace flowray
