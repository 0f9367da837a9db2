// The object store when it is full: values go to disk and come back, and a caller that needs room waits for
// it.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;

constexpr int kGuardMs = 60'000;
constexpr int64_t kMiB = int64_t{1} << 20;

Array spilled_mib(int mib, int value) {
  return Array::full(DType::kFloat32, {mib * kMiB / 4}, static_cast<float>(value));
}
bool is_all(const Array& array, int value) {
  const auto items = array.span<float>();
  return !items.empty() &&
         std::ranges::all_of(items, [&](float item) { return item == static_cast<float>(value); });
}
int spilled_first(const Array& array) { return static_cast<int>(array.span<float>()[0]); }
Array spilled_same(const Array& array) { return array; }
int spilled_sum(const Array& a, const Array& b) { return spilled_first(a) + spilled_first(b); }
Array spilled_shifted(const Array& array, int by) {
  return spilled_mib(static_cast<int>(array.size() * 4 / static_cast<size_t>(kMiB)),
                     spilled_first(array) + by);
}

class SpillHoarder {
 public:
  static SpillHoarder* Create() { return new SpillHoarder; }
  int Keep(const Array& array) {
    kept_.push_back(array);
    return static_cast<int>(kept_.size());
  }
  int Drop() {
    kept_.clear();
    return 0;
  }
  /// With what it keeps until then, as long as it runs.
  int First(const Array& array) const { return spilled_first(array); }
  int PutAndKeepRefs(int count, int mib) {
    for (int i = 0; i < count; ++i) refs_.push_back(ray::Put(spilled_mib(mib, i)));
    return count;
  }
  int CountRight() const {
    int right = 0;
    for (size_t i = 0; i < refs_.size(); ++i) right += is_all(*refs_[i].Get(), static_cast<int>(i)) ? 1 : 0;
    return right;
  }

 private:
  std::vector<Array> kept_;
  std::vector<ray::ObjectRef<Array>> refs_;
};

RAY_REMOTE(spilled_mib, spilled_first, spilled_same, spilled_sum, spilled_shifted, SpillHoarder::Create,
           &SpillHoarder::Keep, &SpillHoarder::Drop, &SpillHoarder::First, &SpillHoarder::PutAndKeepRefs,
           &SpillHoarder::CountRight);

class Spilling : public ::testing::Test {
 protected:
  Spilling() {
    char name[] = "/var/tmp/flowray-spilling-XXXXXX";
    folder_ = mkdtemp(name);
    start({});
  }
  ~Spilling() override {
    ray::Shutdown();
    std::filesystem::remove_all(folder_);
  }
  void start(ray::RayConfig config) {
    ray::Shutdown();
    config.num_cpus = 2;
    if (config.object_store_memory == 0) config.object_store_memory = 64 * kMiB;
    config.shutdown_timeout_ms = 100;
    if (config.object_spilling_directory.empty()) config.object_spilling_directory = folder_;
    ray::Init(config);
  }

  std::string folder_;
};

TEST_F(Spilling, HoldsMoreThanTheStoreHas) {
  std::vector<ray::ObjectRef<Array>> held;
  for (int i = 0; i < 40; ++i) held.push_back(ray::Put(spilled_mib(8, i)));  // 320 MiB
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(is_all(*held[static_cast<size_t>(i)].Get(kGuardMs), i)) << i;
  for (int i = 39; i >= 0; --i) EXPECT_TRUE(is_all(*held[static_cast<size_t>(i)].Get(kGuardMs), i)) << i;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));  // the file has no name
}

TEST_F(Spilling, WhatWasLetGoOfIsRoomForArguments) {
  ray::Task(spilled_first).Remote(spilled_mib(1, 1)).Get(kGuardMs);  // a worker is there, and idle
  for (int round = 0; round < 5; ++round) {
    const auto on_disk = ray::Put(spilled_mib(28, 3));
    const auto second = ray::Put(spilled_mib(28, 4));
    const auto third = ray::Put(spilled_mib(28, 5));
    second.Get(kGuardMs);
    third.Get(kGuardMs);
    EXPECT_EQ(*ray::Task(spilled_first).Remote(on_disk).Get(kGuardMs), 3);
  }
}

TEST_F(Spilling, TasksGetTheirArgumentsBack) {
  std::vector<ray::ObjectRef<Array>> values;
  for (int i = 0; i < 20; ++i) values.push_back(ray::Task(spilled_mib).Remote(8, i));
  std::vector<ray::ObjectRef<Array>> next;
  for (int i = 0; i < 20; ++i)
    next.push_back(ray::Task(spilled_shifted).Remote(values[static_cast<size_t>(i)], 100));
  for (int i = 0; i < 20; ++i) {
    const auto sum =
        ray::Task(spilled_sum).Remote(values[static_cast<size_t>(i)], next[static_cast<size_t>(19 - i)]);
    EXPECT_EQ(*sum.Get(kGuardMs), i + 19 - i + 100);
  }
}

TEST_F(Spilling, WorkersGetTheirValuesBack) {
  const auto hoarder = ray::Actor(SpillHoarder::Create).Remote();
  EXPECT_EQ(*hoarder.Task(&SpillHoarder::PutAndKeepRefs).Remote(20, 8).Get(kGuardMs), 20);
  EXPECT_EQ(*hoarder.Task(&SpillHoarder::CountRight).Remote().Get(kGuardMs), 20);
}

TEST_F(Spilling, LargeArgumentsByValueWaitOnDisk) {
  const auto hoarder = ray::Actor(SpillHoarder::Create).Remote();
  std::vector<ray::ObjectRef<int>> firsts;
  for (int i = 0; i < 20; ++i) firsts.push_back(hoarder.Task(&SpillHoarder::First).Remote(spilled_mib(8, i)));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*firsts[static_cast<size_t>(i)].Get(kGuardMs), i);
}

TEST_F(Spilling, WhatACallHasReadMayGoAsSoonAsItIsDone) {
  start({.object_store_memory = 8 * kMiB});
  const Array small = spilled_mib(3, 1);
  const Array large = spilled_mib(7, 2);
  for (int i = 0; i < 100; ++i) {
    const auto argument = ray::Put(small);
    EXPECT_EQ(*ray::Task(spilled_first).Remote(argument).Get(kGuardMs), 1);
    ray::Put(large);
    {
      const auto same = ray::Task(spilled_same).Remote(argument);
      ray::Wait(std::vector{same}, 1, kGuardMs);
    }
    ray::Put(large);
  }
}

TEST_F(Spilling, OthersGoOnWhileTheDiskTakesItsTime) {
  ray::Shutdown();
  testing::ChildProcess program({testing::built_program("test-ray-slow_disk"), folder_});
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.output(), "right\n");
}

TEST_F(Spilling, LeavesWhatIsReadWhereItIs) {
  const auto here = ray::Put(spilled_mib(30, 1)).Get();
  const auto there = ray::Put(spilled_mib(20, 2)).Get();
  // What is being read cannot go, and nobody who runs could let go of it.
  try {
    ray::Put(spilled_mib(30, 3));
    FAIL() << "there is room";
  } catch (const ray::ObjectStoreFullException& error) {
    EXPECT_THAT(error.what(), HasSubstr("arrays that the driver has read"));
  }
  EXPECT_TRUE(is_all(*here, 1));
  EXPECT_TRUE(is_all(*there, 2));
}

TEST_F(Spilling, SaysWhoReadsAndThatTheDiskIsOfNoUse) {
  std::vector<ray::ObjectRef<Array>> references;
  std::vector<std::shared_ptr<Array>> arrays;
  try {
    for (int i = 0; i < 8; ++i) {
      references.push_back(ray::Put(spilled_mib(14, i)));
      arrays.push_back(references.back().Get(kGuardMs));
    }
    FAIL() << "there is room";
  } catch (const ray::ObjectStoreFullException& error) {
    EXPECT_THAT(error.what(), HasSubstr("4 values: arrays that the driver has read and has ObjectRefs to\n"));
    EXPECT_THAT(error.what(), HasSubstr("no value can go to disk: what is in the store is being read"));
    EXPECT_THAT(error.what(), HasSubstr("Let go of ObjectRefs and arrays"));
  }
  arrays.clear();  // the references may stay
  EXPECT_NO_THROW(ray::Put(spilled_mib(14, 9)));
}

TEST_F(Spilling, AValueThatIsLargerThanTheStoreIsRefusedAtOnce) {
  const auto held = ray::Put(spilled_mib(30, 1));
  EXPECT_THROW(ray::Put(spilled_mib(70, 3)), ray::ObjectStoreFullException);
  EXPECT_TRUE(is_all(*held.Get(), 1));
}

TEST_F(Spilling, SubmittersWaitForRoomThatCallsHave) {
  const auto first = ray::Actor(SpillHoarder::Create).Remote();
  // Arrays of arguments are being read as long as their call runs; more calls than there is room for.
  std::vector<ray::ObjectRef<int>> firsts;
  for (int i = 0; i < 30; ++i) {
    firsts.push_back(first.Task(&SpillHoarder::First).Remote(spilled_mib(25, i)));
    firsts.push_back(ray::Task(spilled_first).Remote(spilled_mib(25, i)));
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(*firsts[static_cast<size_t>(2 * i)].Get(kGuardMs), i);
    EXPECT_EQ(*firsts[static_cast<size_t>(2 * i + 1)].Get(kGuardMs), i);
  }
}

TEST_F(Spilling, CallsWaitForRoomThatOthersHave) {
  std::vector<ray::ObjectRef<Array>> values;
  for (int i = 0; i < 12; ++i) values.push_back(ray::Task(spilled_mib).Remote(20, i));
  std::vector<ray::ObjectRef<Array>> sums;
  for (int i = 0; i < 12; ++i)
    sums.push_back(ray::Task(spilled_shifted).Remote(values[static_cast<size_t>(i)], 1));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(spilled_first(*sums[static_cast<size_t>(i)].Get(kGuardMs)), i + 1);
}

TEST_F(Spilling, MayBeSwitchedOff) {
  start({.object_spilling = false});
  const auto first = ray::Put(spilled_mib(40, 1));
  try {
    ray::Put(spilled_mib(40, 2));
    FAIL() << "there is room";
  } catch (const ray::ObjectStoreFullException& error) {
    EXPECT_THAT(error.what(), HasSubstr("ObjectRefs of the driver"));
    EXPECT_THAT(error.what(), HasSubstr("object_spilling"));
  }
}

TEST_F(Spilling, SaysWhyItCannot) {
  const std::string folder = folder_ + "/nowhere";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  start({.object_spilling_directory = folder});
  ASSERT_EQ(rmdir(folder.c_str()), 0);
  const auto first = ray::Put(spilled_mib(40, 1));
  try {
    ray::Put(spilled_mib(40, 2));
    FAIL() << "there is room";
  } catch (const ray::ObjectStoreFullException& error) {
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
  }
  EXPECT_TRUE(is_all(*first.Get(), 1));
}

TEST_F(Spilling, IsRefusedByInitWhereItCannotBe) {
  ray::Shutdown();
  const auto refusal_of = [](const ray::RayConfig& config) -> std::string {
    try {
      ray::Init(config);
      ray::Shutdown();
    } catch (const ValueError& error) {
      return error.message();
    }
    return "not refused";
  };
  EXPECT_THAT(refusal_of({.num_cpus = 1, .object_spilling_directory = folder_ + "/nowhere"}),
              ::testing::AllOf(HasSubstr("object_spilling_directory is '" + folder_ + "/nowhere'"),
                               HasSubstr("No such file or directory"), HasSubstr("this user may write")));
  EXPECT_THAT(refusal_of({.num_cpus = 1, .object_spilling_directory = "/dev/null"}),
              HasSubstr("'/dev/null': Not a directory"));
  EXPECT_EQ(refusal_of({.num_cpus = 1, .object_store_memory = 10}),
            "object_store_memory is 10; it is a number of bytes, at least 8388608 (8 MiB), or 0 for 30 % of "
            "the machine's memory.");
  EXPECT_THAT(refusal_of({.num_cpus = 1, .object_store_memory = 8 * kMiB - 1}), HasSubstr("8388607"));
  EXPECT_FALSE(ray::IsInitialized());
  EXPECT_EQ(
      refusal_of({.num_cpus = 1, .object_store_memory = 8 * kMiB, .object_spilling_directory = folder_}),
      "not refused");
}

}  // namespace
}  // namespace flowray
