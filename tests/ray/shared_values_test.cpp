// Large values lie in memory once, however many processes read them.

#include <flowray/ray.h>
#include <flowray/weights.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

constexpr int64_t kMegabyte = 1'000'000;
constexpr int64_t kCount = 25 * kMegabyte;  // floats: 100 MB
constexpr int kReaders = 4;

/// Whether the bytes lie in one mapping of the object store, and may only be read there.
struct Place {
  bool in_store = false;
  bool writable = false;
  FLOWRAY_FIELDS(in_store, writable);
};

Place place_of(const Array& array) {
  std::ifstream maps("/proc/self/maps");
  const auto first = reinterpret_cast<uintptr_t>(array.raw_data());
  const uintptr_t last = first + array.size_bytes() - 1;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || first < begin || last >= end)
      continue;
    return {line.find("/memfd:flowray-objects") != std::string::npos, rights[1] == 'w'};
  }
  return {};
}

class Reader {
 public:
  static Reader* Create() { return new Reader; }
  int Pid() const { return getpid(); }
  double Read(Array values) {
    values_ = std::move(values);
    const auto span = values_.span<float>();
    return std::accumulate(span.begin(), span.end(), 0.0);
  }
  double ReadInside(const std::vector<ray::ObjectRef<Array>>& refs) { return Read(*refs.at(0).Get()); }
  Place PlaceOfRead() const { return place_of(values_); }
  std::vector<Place> PlacesOf(const Weights& weights) const {
    std::vector<Place> places;
    for (const auto& [name, array] : weights) places.push_back(place_of(array));
    return places;
  }
  void Copy() { values_.mutable_data<float>()[0] = 1.0f; }

 private:
  Array values_;
};

RAY_REMOTE(Reader::Create, &Reader::Pid, &Reader::Read, &Reader::ReadInside, &Reader::PlaceOfRead,
           &Reader::PlacesOf, &Reader::Copy);

/// What the processes take of the machine's memory in bytes: pages that n of them share count 1/n for each.
struct Memory {
  int64_t all = 0;
  int64_t shared = 0;  ///< memory that is made to be shared: the regions
};

Memory memory_of(const std::vector<int>& pids) {
  Memory memory;
  for (const int pid : pids) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
    for (std::string word; file >> word;) {
      int64_t kib = 0;
      if (word == "Pss:" && file >> kib) memory.all += kib * 1024;
      if (word == "Pss_Shmem:" && file >> kib) memory.shared += kib * 1024;
    }
  }
  return memory;
}

class SharedValues : public ::testing::Test {
 protected:
  SharedValues() {
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{256} << 20});
    for (int i = 0; i < kReaders; ++i) {
      readers_.push_back(ray::Actor(Reader::Create).Remote());
      pids_.push_back(*readers_.back().Task(&Reader::Pid).Remote().Get());
    }
    pids_.push_back(getpid());
  }
  ~SharedValues() override { ray::Shutdown(); }

  std::vector<ray::ActorHandle<Reader>> readers_;
  std::vector<int> pids_;
};

TEST_F(SharedValues, OfAHundredMegabytesAddNothingForFourReaders) {
  const auto ref = ray::Put(Array(std::vector<float>(kCount, 1.0f)));
  const Memory before = memory_of(pids_);
  ASSERT_GT(before.shared, 100 * kMegabyte);
  for (const auto& reader : readers_) {
    EXPECT_EQ(*reader.Task(&Reader::Read).Remote(ref).Get(), static_cast<double>(kCount));
    const Place place = *reader.Task(&Reader::PlaceOfRead).Remote().Get();
    EXPECT_TRUE(place.in_store);
    EXPECT_FALSE(place.writable);
  }
  const auto mine = ref.Get();
  EXPECT_TRUE(place_of(*mine).in_store);
  const Memory after = memory_of(pids_);
  // What they need to map it: page tables are not counted, some stack and heap are.
  EXPECT_LT(after.shared - before.shared, 4 * kMegabyte);
  if (kSanitized) return;  // that has memory beside each byte
  EXPECT_LT(after.all - before.all, 8 * kMegabyte);
  readers_[0].Task(&Reader::Copy).Remote().Get();  // a copy would have been seen
  EXPECT_GT(memory_of(pids_).all - after.all, 90 * kMegabyte);
}

TEST_F(SharedValues, AreFoundThroughReferencesInsideOfValues) {
  const std::vector<ray::ObjectRef<Array>> refs{ray::Put(Array(std::vector<float>(kMegabyte, 2.0f)))};
  for (const auto& reader : readers_) {
    EXPECT_EQ(*reader.Task(&Reader::ReadInside).Remote(refs).Get(), 2.0 * kMegabyte);
    EXPECT_TRUE(reader.Task(&Reader::PlaceOfRead).Remote().Get()->in_store);
  }
}

TEST_F(SharedValues, AreReadInPlaceInsideOfWeights) {
  Weights weights;
  for (const char* name : {"a", "b", "c"}) weights[name] = Array(std::vector<float>(20'000, 1.0f));
  const auto ref = ray::Put(weights);
  const auto got = ref.Get();
  for (const auto& [name, array] : *got) EXPECT_TRUE(place_of(array).in_store) << name;
  const auto places =
      readers_[0].Task(&Reader::PlacesOf).Remote(ref).Get();  // a loop over *...Get() would outlive it
  for (const Place& place : *places) EXPECT_TRUE(place.in_store);
}

}  // namespace
}  // namespace flowray
