// exp, log, tanh and the logistic function of float32, a vector at a time, within 2 units in the last place.
// The polynomials are those of S. L. Moshier's Cephes library (expf, logf, tanhf).

#include <cstdint>
#include <cstring>

#include "ops/loops/loop_hints.h"
#include "ops/loops/portable_level.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

typedef float VectorF __attribute__((vector_size(FLOWRAY_VECTOR_BYTES)));
typedef int32_t VectorI __attribute__((vector_size(FLOWRAY_VECTOR_BYTES)));
typedef uint32_t VectorU __attribute__((vector_size(FLOWRAY_VECTOR_BYTES)));
constexpr int64_t kVectorWidth = FLOWRAY_VECTOR_BYTES / sizeof(float);

FLOWRAY_ALWAYS_INLINE VectorI bits_of(VectorF x) {
  VectorI bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

FLOWRAY_ALWAYS_INLINE VectorF from_bits(VectorI bits) {
  VectorF x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// a - b that wraps around: bits of negative floats are large negative integers.
FLOWRAY_ALWAYS_INLINE VectorI wrapping_minus(VectorI a, VectorI b) {
  return reinterpret_cast<VectorI>(reinterpret_cast<VectorU>(a) - reinterpret_cast<VectorU>(b));
}

FLOWRAY_ALWAYS_INLINE VectorF all(float x) { return x - VectorF{}; }

FLOWRAY_ALWAYS_INLINE VectorF magnitude(VectorF x) { return from_bits(bits_of(x) & 0x7fffffff); }

/// 2^n for -126 <= n <= 127.
FLOWRAY_ALWAYS_INLINE VectorF power_of_two(VectorI n) { return from_bits((n + 127) << 23); }

FLOWRAY_ALWAYS_INLINE VectorF vector_exp(VectorF x) {
  // Beyond these exp is infinite or 0; NaN passes both comparisons.
  x = x > 89.f ? all(89.f) : x;
  x = x < -104.f ? all(-104.f) : x;
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
  constexpr float kShift = 12582912.f;
  const VectorF shifted = x * 1.44269504088896341f + kShift;
  const VectorI n = bits_of(shifted) - 0x4b400000;
  const VectorF whole = shifted - kShift;
  const VectorF r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  VectorF p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const VectorF y = p * (r * r) + r + 1.f;
  // In two steps, because 2^n alone may be out of range: n reaches from -150 to 128.
  const VectorI half = n >> 1;
  return y * power_of_two(half) * power_of_two(n - half);
}

FLOWRAY_ALWAYS_INLINE VectorF vector_log(VectorF x) {
  const VectorF given = x;
  const VectorI tiny = x < 1.17549435e-38f;
  x = tiny ? x * 8388608.f : x;
  // x = m * 2^e with m from sqrt(1/2) to sqrt(2).
  const VectorI bits = bits_of(x);
  const VectorI exponent = wrapping_minus(bits, VectorI{} + 0x3f3504f3) >> 23;
  const VectorF f = from_bits(wrapping_minus(bits, exponent << 23)) - 1.f;
  const VectorF e = __builtin_convertvector(exponent, VectorF) - (tiny ? all(23.f) : all(0.f));
  VectorF p = f * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  const VectorF square = f * f;
  VectorF y = p * f * square - e * 2.12194440e-4f;
  y = y - 0.5f * square;
  VectorF result = (f + y) + e * 0.693359375f;
  constexpr float kInfinity = __builtin_inff();
  result = given == 0.f ? all(-kInfinity) : result;
  result = given < 0.f ? all(__builtin_nanf("")) : result;
  // What is neither below infinity nor a number below 0: infinity and NaN give themselves.
  return given < kInfinity ? result : given;
}

FLOWRAY_ALWAYS_INLINE VectorF vector_tanh(VectorF x) {
  const VectorF size = magnitude(x);
  const VectorF square = x * x;
  VectorF p = square * -5.70498872745e-3f + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const VectorF near_zero = p * square * x + x;
  const VectorF far = 1.f - 2.f / (vector_exp(size + size) + 1.f);
  const VectorF with_sign = from_bits(bits_of(far) | (bits_of(x) & static_cast<int32_t>(0x80000000)));
  return size < 0.625f ? near_zero : with_sign;
}

/// exp of a negative number only, so that nothing overflows on the way to a tiny result.
FLOWRAY_ALWAYS_INLINE VectorF vector_sigmoid(VectorF x) {
  const VectorF e = vector_exp(-magnitude(x));
  return (x < 0.f ? e : all(1.f)) / (1.f + e);
}

template <class F>
void vector_loop(const void* x, void* y, int64_t count) {
  const float* in = static_cast<const float*>(x);
  float* out = static_cast<float*>(y);
  VectorF v;
  int64_t i = 0;
  for (; i + kVectorWidth <= count; i += kVectorWidth) {
    std::memcpy(&v, in + i, sizeof v);
    v = F::apply(v);
    std::memcpy(out + i, &v, sizeof v);
  }
  if (i == count) return;
  v = VectorF{};
  std::memcpy(&v, in + i, static_cast<size_t>(count - i) * sizeof(float));
  v = F::apply(v);
  std::memcpy(out + i, &v, static_cast<size_t>(count - i) * sizeof(float));
}

}  // namespace
}  // namespace flowray::ops::FLOWRAY_LEVEL
