// The object store when room is scarce: what workers have leased and do not use serves others.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int kGuardMs = 60'000;
constexpr int64_t kMiB = int64_t{1} << 20;

Array of_mib(int mib) { return Array::full(DType::kFloat32, {mib * kMiB / 4}, 0.0f); }

class Producer {
 public:
  static Producer* Create() { return new Producer; }
  Array Make(int mib) { return of_mib(mib); }
  /// Goes on until the file is there; nothing is heard or read meanwhile.
  int WaitFor(const std::string& path) {
    while (access(path.c_str(), F_OK) != 0) usleep(500);
    return 1;
  }
  void Keep(const std::vector<ray::ObjectRef<Array>>& refs) { kept_ = refs; }
  void PutAndKeep(int mib) { kept_.push_back(ray::Put(of_mib(mib))); }

 private:
  std::vector<ray::ObjectRef<Array>> kept_;
};
RAY_REMOTE(of_mib, Producer::Create, &Producer::Make, &Producer::WaitFor, &Producer::Keep,
           &Producer::PutAndKeep);

class StorePressure : public ::testing::Test {
 protected:
  StorePressure() {
    ray::Init({.num_cpus = 1,
               .object_store_memory = 64 * kMiB,
               .object_spilling = false,
               .shutdown_timeout_ms = 100});
    one_ = ray::Actor(Producer::Create).Remote();
    other_ = ray::Actor(Producer::Create).Remote();
  }
  ~StorePressure() override { ray::Shutdown(); }

  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  /// Waits for the value and lets go of it.
  void make(const ray::ActorHandle<Producer>& actor, int mib) {
    EXPECT_EQ(actor.Task(&Producer::Make).Remote(mib).Get(kGuardMs)->size(), mib * kMiB / 4);
  }

  ray::ActorHandle<Producer> one_;
  ray::ActorHandle<Producer> other_;
};

TEST_F(StorePressure, WhatAWorkerReturnedAndAllLetGoStarvesNobody) {
  {
    std::vector<ray::ObjectRef<Array>> values;
    for (int i = 0; i < 4; ++i) values.push_back(one_.Task(&Producer::Make).Remote(14));
    for (const auto& value : values) value.Get(kGuardMs);
  }
  make(other_, 40);
  EXPECT_EQ(ray::Put(of_mib(60)).Get()->size(), 60 * kMiB / 4);
  EXPECT_EQ(ray::Task(of_mib).Remote(60).Get(kGuardMs)->size(), 60 * kMiB / 4);
  make(one_, 60);
}

TEST_F(StorePressure, OneWorkersGrowingValuesFitUntilOneIsTooLarge) {
  for (int mib = 6; mib <= 60; mib += 6) make(one_, mib);
  EXPECT_THAT(error_of([&] { make(one_, 66); }),
              AllOf(HasSubstr("'Producer::Make' failed"), HasSubstr("object_store_memory")));
}

TEST_F(StorePressure, ABusyWorkersLeasesAreTakenBackWithoutIt) {
  {
    make(one_, 30);
  }
  const std::string path = ::testing::TempDir() + "store_pressure_" + std::to_string(getpid());
  const auto busy = one_.Task(&Producer::WaitFor).Remote(path);
  make(other_, 60);
  EXPECT_EQ(ray::Put(of_mib(60)).Get()->size(), 60 * kMiB / 4);
  fclose(fopen(path.c_str(), "w"));
  EXPECT_EQ(*busy.Get(kGuardMs), 1);
  make(one_, 60);
  unlink(path.c_str());
}

TEST_F(StorePressure, ASmallValueDoesNotTakeTheRoomOfALargeOne) {
  make(one_, 60);
  one_.Task(&Producer::PutAndKeep).Remote(1).Get(kGuardMs);
  EXPECT_EQ(ray::Put(of_mib(60)).Get()->size(), 60 * kMiB / 4);
  make(other_, 60);
}

TEST_F(StorePressure, ASmallValueGoesIntoALargeRoomWhereThereIsNoOther) {
  make(one_, 60);
  const auto rest = ray::Put(of_mib(3));
  for (int i = 0; i < 8; ++i) one_.Task(&Producer::PutAndKeep).Remote(4).Get(kGuardMs);
  EXPECT_EQ(rest.Get()->size(), 3 * kMiB / 4);
}

TEST_F(StorePressure, ValuesThatAreHeldStayRightWhereTheirRoomIsTakenBack) {
  std::vector<ray::ObjectRef<Array>> held;
  for (int i = 1; i <= 6; ++i) {
    held.push_back(ray::Put(Array::full(DType::kInt32, {100'000}, 1000 * i)));
    held.push_back(one_.Task(&Producer::Make).Remote(1));
    make(one_, 20);
    make(other_, 20);
  }
  for (size_t i = 0; i < held.size(); ++i) {
    const auto value = held[i].Get(kGuardMs);
    if (i % 2 == 0) {
      for (const int32_t item : value->span<int32_t>()) ASSERT_EQ(item, 1000 * static_cast<int>(i / 2 + 1));
    } else {
      for (const float item : value->span<float>()) ASSERT_EQ(item, 0.0f);
    }
  }
}

TEST_F(StorePressure, TheErrorNamesWhoHoldsWhat) {
  const auto drivers = ray::Put(of_mib(20));
  {
    const auto actors = ray::Put(of_mib(30));
    one_.Task(&Producer::Keep).Remote(std::vector{actors}).Get(kGuardMs);
  }
  const std::string here = error_of([] { ray::Put(of_mib(20)); });
  EXPECT_THAT(
      here, AllOf(HasSubstr("The object store is full"),
                  ContainsRegex(
                      "3145[0-9]+ bytes in 1 values: ObjectRefs or arrays of worker [0-9]+ \\(Producer, pid"),
                  ContainsRegex("2097[0-9]+ bytes in 1 values: ObjectRefs of the driver")));
  const std::string there = error_of([&] { make(other_, 20); });
  EXPECT_THAT(there, AllOf(HasSubstr("'Producer::Make' failed"), HasSubstr("The object store is full"),
                           HasSubstr("ObjectRefs of the driver")));
}

}  // namespace
}  // namespace flowray
