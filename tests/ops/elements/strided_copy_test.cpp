#include "ops/elements/strided_copy.h"

#include "core/thread_pool.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace flowray::ops {
namespace {

/// Splits every range into as many pieces as it may, and runs the last one first.
class Splitting final : public Parallel {
 public:
  int workers() const override { return 3; }
  void for_range(int64_t count, int64_t min_per_worker,
                 const FunctionRef<void(int64_t, int64_t, int)>& body) override {
    const int64_t piece = std::max<int64_t>(1, min_per_worker);
    ++calls;
    for (int64_t end = count; end > 0; end -= piece) body(std::max<int64_t>(0, end - piece), end, 0);
  }
  int calls = 0;
};

/// Element by element, by the definition.
template <class T>
void copy_naively(std::span<const StridedCopy::Dim> dims, const T* in, T* out) {
  if (dims.empty()) {
    *out = *in;
    return;
  }
  for (int64_t i = 0; i < dims[0].size; ++i) {
    copy_naively(dims.subspan(1), in + i * dims[0].in_stride, out + i * dims[0].out_stride);
  }
}

template <class T>
std::vector<T> numbered(int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      values[static_cast<size_t>(i)] = "element number " + std::to_string(i);
    } else {
      values[static_cast<size_t>(i)] = static_cast<T>(static_cast<float>(i % 251));
    }
  }
  return values;
}

template <class T>
void expect_as_naive(const std::vector<StridedCopy::Dim>& dims, int64_t elements) {
  const std::vector<T> in = numbered<T>(elements);
  std::vector<T> expected(static_cast<size_t>(elements));
  std::vector<T> actual(static_cast<size_t>(elements));
  copy_naively<T>(dims, in.data(), expected.data());
  Splitting splitting;
  StridedCopy(kDTypeOf<T>, dims).run(in.data(), actual.data(), splitting);
  EXPECT_EQ(actual, expected);
}

/// The loops of a transposition of `shape`.
std::vector<StridedCopy::Dim> transposition(const std::vector<int64_t>& shape, const std::vector<int>& perm) {
  const size_t rank = shape.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<StridedCopy::Dim> dims(rank);
  int64_t out_stride = 1;
  for (size_t i = rank; i-- > 0;) {
    const auto axis = static_cast<size_t>(perm[i]);
    dims[i] = {shape[axis], strides[axis], out_stride};
    out_stride *= shape[axis];
  }
  return dims;
}

TEST(StridedCopy, AgreesWithTheDefinitionForEveryPermutationAndWidth) {
  const std::vector<std::vector<int64_t>> shapes = {{7},        {5, 7},       {1, 9},       {33, 17},
                                                    {40, 3},    {3, 4, 5},    {17, 2, 33},  {2, 18, 19},
                                                    {1, 20, 1}, {2, 3, 4, 5}, {3, 8, 8, 6}, {2, 2, 3, 2, 3}};
  for (const std::vector<int64_t>& shape : shapes) {
    std::vector<int> perm(shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    do {
      SCOPED_TRACE(::testing::PrintToString(shape) + " " + ::testing::PrintToString(perm));
      const std::vector<StridedCopy::Dim> dims = transposition(shape, perm);
      expect_as_naive<float>(dims, count);
      expect_as_naive<double>(dims, count);
      expect_as_naive<uint8_t>(dims, count);
      expect_as_naive<float16>(dims, count);
      expect_as_naive<std::complex<double>>(dims, count);
      expect_as_naive<std::string>(dims, count);
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST(StridedCopy, SplitsLargeWorkWithoutMissingAPiece) {
  for (const std::vector<int>& perm : {std::vector<int>{0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}}) {
    const std::vector<int64_t> shape = {37, 71, 45};
    SCOPED_TRACE(::testing::PrintToString(perm));
    const std::vector<StridedCopy::Dim> dims = transposition(shape, perm);
    const std::vector<int32_t> in = [] {
      std::vector<int32_t> values(37 * 71 * 45);
      std::iota(values.begin(), values.end(), 0);
      return values;
    }();
    std::vector<int32_t> expected(in.size());
    std::vector<int32_t> actual(in.size(), -1);
    copy_naively<int32_t>(dims, in.data(), expected.data());
    Splitting splitting;
    StridedCopy(DType::kInt32, dims).run(in.data(), actual.data(), splitting);
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(splitting.calls, 1);
  }
}

TEST(StridedCopy, JoinsLoopsThatAreOneWalk) {
  // A [4,5,6] array copied as it is; then with its rows in another array twice as wide.
  EXPECT_EQ(
      StridedCopy(DType::kFloat32, std::vector<StridedCopy::Dim>{{4, 30, 30}, {5, 6, 6}, {6, 1, 1}}).rank(),
      1);
  const StridedCopy wide(DType::kFloat32, std::vector<StridedCopy::Dim>{{4, 30, 60}, {5, 6, 12}, {6, 1, 1}});
  ASSERT_EQ(wide.rank(), 2);
  EXPECT_EQ(wide.dim(0).size, 20);
  EXPECT_EQ(wide.dim(0).out_stride, 12);
}

TEST(StridedCopy, GoesBackwardsAndRepeats) {
  const std::vector<int32_t> in = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> out(6);
  Serial serial;
  const StridedCopy::Dim backwards[] = {{2, -3, 3}, {3, -1, 1}};
  StridedCopy(DType::kInt32, backwards, 5).run(in.data(), out.data(), serial);
  EXPECT_EQ(out, (std::vector<int32_t>{6, 5, 4, 3, 2, 1}));
  const StridedCopy::Dim repeated[] = {{3, 0, 2}, {2, 1, 1}};
  StridedCopy(DType::kInt32, repeated, 4).run(in.data(), out.data(), serial);
  EXPECT_EQ(out, (std::vector<int32_t>{5, 6, 5, 6, 5, 6}));
}

TEST(StridedCopy, OfNothingWritesNothing) {
  int32_t untouched = 7;
  const StridedCopy::Dim dims[] = {{3, 1, 1}, {0, 1, 1}};
  Serial serial;
  StridedCopy(DType::kInt32, dims).run(nullptr, &untouched, serial);
  StridedCopy().run(nullptr, &untouched, serial);
  EXPECT_EQ(untouched, 7);
}

TEST(StridedCopy, RefusesWhatItCannotDo) {
  EXPECT_THROW(StridedCopy(DType::kResource, {}), errors::UnimplementedError);
  const std::vector<StridedCopy::Dim> many(StridedCopy::kMaxRank + 1, {2, 1, 1});
  EXPECT_THROW(StridedCopy(DType::kInt32, many), errors::UnimplementedError);
}

}  // namespace
}  // namespace flowray::ops
