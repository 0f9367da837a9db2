// Arrays that sessions fetch and programs put: where they lie.

#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

double fetched_sum(const Array& array) {
  const auto span = array.span<float>();
  return std::accumulate(span.begin(), span.end(), 0.0);
}
RAY_REMOTE(fetched_sum);

constexpr size_t kStoreBytes = size_t{64} << 20;
constexpr int kSize = 1 << 20;  // of 4 MB

class FetchedValues : public ::testing::Test {
 protected:
  FetchedValues() {
    ray::Init({.num_cpus = 1, .object_store_memory = kStoreBytes, .object_spilling = false});
    const auto scope = graph_.as_default();
    x_ = tf::placeholder(tf::float32, {kSize});
    plus_one_ = x_ + 1.0f;
    session_.emplace(graph_);
  }
  ~FetchedValues() override {
    session_.reset();
    ray::Shutdown();
  }
  Array fetch(float x) { return session_->run(plus_one_, {{x_, Array::full(DType::kFloat32, {kSize}, x)}}); }

  tf::Graph graph_;
  tf::Tensor x_, plus_one_;
  std::optional<tf::Session> session_;
};

TEST_F(FetchedValues, AreCopiedOnceAndThenLieInTheStore) {
  const Array first = fetch(1);
  const auto copied = ray::Put(first);
  EXPECT_NE(copied.Get()->raw_data(), first.raw_data());
  const Array second = fetch(2);
  const auto in_place = ray::Put(second);
  EXPECT_EQ(in_place.Get()->raw_data(), second.raw_data());
  EXPECT_EQ(*ray::Task(fetched_sum).Remote(copied).Get(), 2.0 * kSize);
  EXPECT_EQ(*ray::Task(fetched_sum).Remote(in_place).Get(), 3.0 * kSize);
  EXPECT_EQ(in_place.Get()->shape(), second.shape());
}

TEST_F(FetchedValues, DoNotChangeWithTheArrayThatWasPut) {
  ray::Put(fetch(1));
  Array array = fetch(2);
  const auto ref = ray::Put(array);
  array.mutable_data<float>()[7] = 100;
  EXPECT_EQ(ref.Get()->data<float>()[7], 3.0f);
  EXPECT_EQ(array.data<float>()[7], 100.0f);
  const Array next = fetch(5);
  EXPECT_EQ(ref.Get()->data<float>()[8], 3.0f);
  EXPECT_EQ(next.data<float>()[8], 6.0f);
}

TEST_F(FetchedValues, MayBePutTwice) {
  ray::Put(fetch(1));
  const Array array = fetch(2);
  const auto one = ray::Put(array);
  const auto two = ray::Put(array);
  EXPECT_EQ(one.Get()->data<float>()[0], 3.0f);
  EXPECT_EQ(two.Get()->data<float>()[kSize - 1], 3.0f);
}

TEST_F(FetchedValues, LeaveTheirRoomToOthers) {
  ray::Put(fetch(1));
  for (int i = 0; i < 100; ++i) {  // 400 MB, of which some are put
    const Array array = fetch(static_cast<float>(i));
    if (i % 3 == 0) {
      EXPECT_EQ(*ray::Task(fetched_sum).Remote(ray::Put(array)).Get(), (i + 1.0) * kSize);
    }
  }
  EXPECT_NO_THROW(ray::Put(Array(std::vector<float>(kStoreBytes / 4 / 8 * 7, 1.0f))));
}

TEST_F(FetchedValues, LieInTheHeapWhereTheStoreHasNoRoom) {
  std::vector<Array> arrays;
  std::vector<ray::ObjectRef<Array>> refs;
  for (int i = 0; i < 5; ++i) {
    arrays.push_back(fetch(static_cast<float>(i)));
    refs.push_back(ray::Put(arrays.back()));
  }
  for (int i = 5; i < 40; ++i) arrays.push_back(fetch(static_cast<float>(i)));
  for (size_t i = 0; i < arrays.size(); ++i) EXPECT_EQ(arrays[i].data<float>()[i], static_cast<float>(i + 1));
  for (size_t i = 0; i < refs.size(); ++i)
    EXPECT_EQ(refs[i].Get()->data<float>()[i], static_cast<float>(i + 1));
}

TEST_F(FetchedValues, ThatTheProgramKeepsLeaveRoomForTheNextPut) {
  std::vector<Array> history;
  for (int i = 0; i < 40; ++i) {  // 160 MB of a store of 64
    history.push_back(fetch(static_cast<float>(i)));
    ASSERT_NO_THROW(ray::Put(history.back())) << i;
  }
  for (size_t i = 0; i < history.size(); ++i)
    EXPECT_EQ(history[i].data<float>()[i], static_cast<float>(i + 1));
}

TEST_F(FetchedValues, OfAChildProcessLieInItsOwnMemory) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer allows no threads in a process that one with threads has forked";
  ray::Put(fetch(1));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const Array array = fetch(2);
    _exit(array.data<float>()[7] == 3.0f ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const Array zeros = fetch(-1);
  const auto ref = ray::Put(zeros);
  EXPECT_EQ(ref.Get()->data<float>()[7], 0.0f);
}

TEST_F(FetchedValues, OutliveTheRuntime) {
  ray::Put(fetch(1));
  const Array put = fetch(2);
  const Array unput = fetch(3);
  const auto ref = ray::Put(put);
  ray::Shutdown();
  EXPECT_EQ(put.data<float>()[9], 3.0f);
  EXPECT_EQ(unput.data<float>()[9], 4.0f);
  EXPECT_EQ(fetch(4).data<float>()[9], 5.0f);
  ray::Init({.num_cpus = 1, .object_store_memory = kStoreBytes});
  EXPECT_EQ(ray::Put(put).Get()->data<float>()[9], 3.0f);
}

}  // namespace
}  // namespace flowray
