#include "core/thread_owned.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace flowray {
namespace {

/// Counts those that are there.
template <int kUse>
struct Counted {
  Counted() { ++living; }
  ~Counted() { --living; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int value = 0;
  static inline std::atomic<int> living{0};
};

TEST(ThreadOwned, IsOneForEachThreadAndEndsWithIt) {
  using Owned = Counted<0>;
  ThreadOwned<Owned>::get().value = 1;
  std::thread([] {
    EXPECT_EQ(ThreadOwned<Owned>::get().value, 0);
    ThreadOwned<Owned>::get().value = 2;
    EXPECT_EQ(ThreadOwned<Owned>::get().value, 2);
    EXPECT_EQ(Owned::living, 2);
  }).join();
  EXPECT_EQ(Owned::living, 1);
  EXPECT_EQ(ThreadOwned<Owned>::get().value, 1);
}

TEST(ThreadOwned, IsNotMadeBeforeItIsAskedFor) {
  using Owned = Counted<1>;
  std::thread([] {}).join();
  EXPECT_EQ(Owned::living, 0);
}

/// Asks for its neighbour as the thread ends.
struct AsksLate {
  ~AsksLate() { ThreadOwned<Counted<2>>::get().value = 1; }
};

TEST(ThreadOwned, IsThereForOthersThatEndLater) {
  std::thread([] {
    ThreadOwned<Counted<2>>::get().value = 1;  // its key is the first, and ends first
    ThreadOwned<AsksLate>::get();
  }).join();
  EXPECT_EQ(Counted<2>::living, 0);
}

}  // namespace
}  // namespace flowray
