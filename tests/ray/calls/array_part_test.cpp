// Rows of arrays that lie in the store: tasks are sent a reference and which rows, and read them in place.

#include <flowray/errors.h>
#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace flowray {
namespace {

/// [[0 1 2] [3 4 5] ...]
Array counted(int64_t rows) {
  Array array = Array::uninitialized(DType::kFloat32, Shape{rows, 3});
  std::iota(array.mutable_data<float>(), array.mutable_data<float>() + 3 * rows, 0.0F);
  return array;
}

struct Seen {
  std::vector<int64_t> shape;
  double first = 0;
  double sum = 0;
  FLOWRAY_FIELDS(shape, first, sum);
};

Seen seen_in(const ray::ArrayPart& part) {
  const Array rows = part.Get();
  const auto values = rows.span<float>();
  return {{rows.dim(0), rows.dim(1)},
          values.empty() ? -1.0 : values[0],
          std::accumulate(values.begin(), values.end(), 0.0)};
}

int64_t rows_of_all(const std::vector<ray::ArrayPart>& parts) {
  int64_t rows = 0;
  for (const ray::ArrayPart& part : parts) rows += part.Get().dim(0);
  return rows;
}

Array counted_there(int64_t rows) { return counted(rows); }

RAY_REMOTE(seen_in, rows_of_all, counted_there);

class ArrayParts : public testing::Test {
 protected:
  static void SetUpTestSuite() { ray::Init({.num_cpus = 2}); }
  static void TearDownTestSuite() { ray::Shutdown(); }
};

TEST_F(ArrayParts, AreReadByTasks) {
  const ray::ObjectRef<Array> whole = ray::Put(counted(10));
  const Seen middle = *ray::Task(seen_in).Remote(ray::ArrayPart(whole, 2, 5)).Get();
  EXPECT_EQ(middle.shape, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(middle.first, 6.0);
  EXPECT_EQ(middle.sum, 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14);
  EXPECT_EQ(ray::Task(seen_in).Remote(ray::ArrayPart(whole, 4, 4)).Get()->shape,
            (std::vector<int64_t>{0, 3}));
}

/// Of one that lies in the store: small ones are copied.
TEST_F(ArrayParts, AreRowsOfTheOneArray) {
  const ray::ObjectRef<Array> whole = ray::Put(counted(100'000));
  const auto array = whole.Get();
  EXPECT_EQ(ray::ArrayPart(whole, 100, 200).Get().data<float>(), array->data<float>() + 300);
  EXPECT_EQ(ray::ArrayPart::Shard(whole, 3, 4).Get().data<float>(), array->data<float>() + 225'000);
}

TEST_F(ArrayParts, OfEqualSizesMakeTheWhole) {
  const ray::ObjectRef<Array> whole = ray::Put(counted(10));
  std::vector<ray::ArrayPart> parts;
  std::vector<int64_t> sizes;
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    parts.push_back(ray::ArrayPart::Shard(whole, i, 4));
    const Seen seen = *ray::Task(seen_in).Remote(parts.back()).Get();
    sizes.push_back(seen.shape[0]);
    sum += seen.sum;
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(sum, 29 * 30 / 2);
  EXPECT_EQ(*ray::Task(rows_of_all).Remote(parts).Get(), 10);
}

TEST_F(ArrayParts, OfFewerRowsThanPartsAreEmpty) {
  const ray::ObjectRef<Array> whole = ray::Put(counted(2));
  EXPECT_EQ(ray::ArrayPart::Shard(whole, 1, 3).Get().dim(0), 1);
  EXPECT_EQ(ray::ArrayPart::Shard(whole, 2, 3).Get().dim(0), 0);
}

TEST_F(ArrayParts, WaitForAnArrayThatATaskMakes) {
  const ray::ObjectRef<Array> whole = ray::Task(counted_there).Remote(int64_t{6});
  EXPECT_EQ(ray::Task(seen_in).Remote(ray::ArrayPart::Shard(whole, 1, 2)).Get()->first, 9.0);
}

/// The array is there as long as a part refers to it.
TEST_F(ArrayParts, KeepTheArray) {
  ray::ArrayPart part;
  {
    const ray::ObjectRef<Array> whole = ray::Put(counted(8));
    part = ray::ArrayPart(whole, 7, 8);
  }
  EXPECT_EQ(part.Get().data<float>()[0], 21.0F);
}

TEST_F(ArrayParts, ThatAreNotThereAreErrors) {
  const ray::ObjectRef<Array> whole = ray::Put(counted(4));
  EXPECT_THROW((void)ray::ArrayPart(whole, 2, 5).Get(), IndexError);
  EXPECT_THROW((void)ray::ArrayPart(whole, -1, 2).Get(), IndexError);
  EXPECT_THROW((void)ray::ArrayPart(whole, 3, 2).Get(), IndexError);
  EXPECT_THROW((void)ray::Task(seen_in).Remote(ray::ArrayPart(whole, 2, 5)).Get(), ray::RayTaskException);
  EXPECT_THROW((void)ray::ArrayPart::Shard(whole, 4, 4), ValueError);
  EXPECT_THROW((void)ray::ArrayPart::Shard(whole, -1, 4), ValueError);
  EXPECT_THROW((void)ray::ArrayPart::Shard(whole, 0, 0), ValueError);
  EXPECT_THROW((void)ray::ArrayPart::Shard(ray::Put(Array(3.0F)), 0, 1).Get(), IndexError);
  EXPECT_THROW((void)ray::ArrayPart().Get(), ray::RayException);
}

}  // namespace
}  // namespace flowray
