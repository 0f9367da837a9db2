#pragma once
/// The loops of Softmax, LogSoftmax and the cross entropies over rows of classes, for float and double.

#include "ops/loops/compiled_loop.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace flowray::ops {

/// exp(x) for x <= 0 or NaN, within 2 units in the last place, as arithmetic alone so that loops around it
/// vectorise. What would be subnormal is 0. The polynomial is that of the Cephes library.
FLOWRAY_ALWAYS_INLINE float exp_of_nonpositive(float x) {
  constexpr float kLeast = -87.3f;  // exp of it is just above the least normal number
  constexpr float kToInteger =
      12582912.0f;  // 1.5 * 2^23: adding it leaves a number's nearest integer in the low bits
  const float rounded = x * 1.44269504088896341f + kToInteger;
  const float power = rounded - kToInteger;
  const float r = (x - power * 0.693359375f) - power * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = (p * r) * r + r + 1.0f;
  const uint32_t exponent = std::bit_cast<uint32_t>(rounded) - std::bit_cast<uint32_t>(kToInteger) + 127u;
  const float result = p * std::bit_cast<float>(exponent << 23);
  return x < kLeast ? 0.0f : result;
}
FLOWRAY_ALWAYS_INLINE double exp_of_nonpositive(double x) { return std::exp(x); }

/// The greatest of `max` and x[0, count), kLanes at a time with a partial result for each, so that it
/// vectorises. Returns how many elements were looked at: all but the last few.
template <int64_t kLanes, class T>
FLOWRAY_ALWAYS_INLINE int64_t max_in_lanes(const T* x, int64_t count, T& max) {
  if (count < kLanes) return 0;
  T lanes[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = x[lane];
  int64_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  }
  for (int64_t lane = 0; lane < kLanes; ++lane) max = lanes[lane] > max ? lanes[lane] : max;
  return i;
}

template <class T>
FLOWRAY_ALWAYS_INLINE T max_of(const T* x, int64_t count) {
  T max = -std::numeric_limits<T>::infinity();
  int64_t i = max_in_lanes<16>(x, count, max);
  i += max_in_lanes<4>(x + i, count - i, max);
  for (; i < count; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

/// The same for sums.
template <int64_t kLanes, class T>
FLOWRAY_ALWAYS_INLINE int64_t sum_in_lanes(const T* x, int64_t count, T& sum) {
  if (count < kLanes) return 0;
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  }
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  sum += lanes[0];
  return i;
}

template <class T>
FLOWRAY_ALWAYS_INLINE T sum_of(const T* x, int64_t count) {
  T sum{0};
  int64_t i = sum_in_lanes<16>(x, count, sum);
  i += sum_in_lanes<4>(x + i, count - i, sum);
  for (; i < count; ++i) sum += x[i];
  return sum;
}

/// out = logits less the greatest of their row, which may be kept in `maxima`. out may be logits.
template <class T>
FLOWRAY_ALWAYS_INLINE void subtract_row_maximum(const T* logits, T* out, int64_t rows, int64_t classes,
                                                T* maxima = nullptr) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = logits + r * classes;
    const T max = max_of(row, classes);
    if (maxima != nullptr) maxima[r] = max;
    FLOWRAY_INDEPENDENT
    for (int64_t c = 0; c < classes; ++c) out[r * classes + c] = row[c] - max;
  }
}

template <class T>
FLOWRAY_ALWAYS_INLINE void exponentiate(T* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = exp_of_nonpositive(x[i]);
}

/// Rows are worked on in blocks that stay in the nearest cache, so that each pass over a block is one long
/// loop even where rows are short.
inline constexpr int64_t kBlockElements = 2048;

constexpr int64_t rows_in_block(int64_t classes) {
  return std::max<int64_t>(1, kBlockElements / std::max<int64_t>(1, classes));
}

/// out may be logits.
template <class T>
struct SoftmaxRows {
  FLOWRAY_ALWAYS_INLINE static void run(const T* logits, T* out, int64_t rows, int64_t classes) {
    subtract_row_maximum(logits, out, rows, classes);
    exponentiate(out, rows * classes);
    for (int64_t r = 0; r < rows; ++r) {
      T* row = out + r * classes;
      const T scale = T(1) / sum_of(row, classes);
      for (int64_t c = 0; c < classes; ++c) row[c] *= scale;
    }
  }
};

/// log of the sum of exp(x).
template <class T>
FLOWRAY_ALWAYS_INLINE T log_sum_of_exp(const T* x, int64_t count) {
  T sum{0};
  T powers[64];
  for (int64_t i = 0; i < count; i += 64) {
    const int64_t size = count - i < 64 ? count - i : 64;
    for (int64_t j = 0; j < size; ++j) powers[j] = exp_of_nonpositive(x[i + j]);
    sum += sum_of(powers, size);
  }
  return std::log(sum);
}

/// out may be logits.
template <class T>
struct LogSoftmaxRows {
  FLOWRAY_ALWAYS_INLINE static void run(const T* logits, T* out, int64_t rows, int64_t classes) {
    subtract_row_maximum(logits, out, rows, classes);
    for (int64_t r = 0; r < rows; ++r) {
      T* row = out + r * classes;
      const T log_sum = log_sum_of_exp(row, classes);
      for (int64_t c = 0; c < classes; ++c) row[c] -= log_sum;
    }
  }
};

/// loss = sum over the classes of labels * (log of the sum of exp(logits) - logits), backprop = softmax
/// - labels.
template <class T>
struct CrossEntropyRows {
  FLOWRAY_ALWAYS_INLINE static void run(const T* logits, const T* labels, T* loss, T* __restrict backprop,
                                        int64_t rows, int64_t classes) {
    subtract_row_maximum(logits, backprop, rows, classes, loss);
    exponentiate(backprop, rows * classes);
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = logits + r * classes;
      const T* label = labels + r * classes;
      T* row = backprop + r * classes;
      const T sum = sum_of(row, classes);
      const T scale = T(1) / sum;
      const T log_sum = std::log(sum);
      const T max = loss[r];
      T row_loss{0};
      T terms[64];
      for (int64_t c = 0; c < classes; c += 64) {
        const int64_t size = classes - c < 64 ? classes - c : 64;
        for (int64_t j = 0; j < size; ++j) {
          terms[j] = label[c + j] * (log_sum - (x[c + j] - max));
          row[c + j] = row[c + j] * scale - label[c + j];
        }
        row_loss += sum_of(terms, size);
      }
      loss[r] = row_loss;
    }
  }
};

/// The same for one label a row, given as its class; all are in [0, classes).
template <class T, class Index>
struct SparseCrossEntropyRows {
  FLOWRAY_ALWAYS_INLINE static void run(const T* logits, const Index* labels, T* loss, T* __restrict backprop,
                                        int64_t rows, int64_t classes) {
    subtract_row_maximum(logits, backprop, rows, classes);
    for (int64_t r = 0; r < rows; ++r) loss[r] = -backprop[r * classes + labels[r]];
    exponentiate(backprop, rows * classes);
    for (int64_t r = 0; r < rows; ++r) {
      T* row = backprop + r * classes;
      const T sum = sum_of(row, classes);
      const T scale = T(1) / sum;
      loss[r] += std::log(sum);
      for (int64_t c = 0; c < classes; ++c) row[c] *= scale;
      row[labels[r]] -= T(1);
    }
  }
};

}  // namespace flowray::ops
