#include "core/checked_size.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray {

void CheckedSize::throw_sum(int64_t a, int64_t b) {
  throw errors::InvalidArgumentError(fmt::format("Dimension size overflow from adding {} and {}", a, b));
}

void CheckedSize::throw_difference(int64_t a, int64_t b) {
  throw errors::InvalidArgumentError(
      fmt::format("Dimension size overflow from subtracting {} from {}", b, a));
}

void CheckedSize::throw_product(int64_t a, int64_t b) {
  throw errors::InvalidArgumentError(
      fmt::format("Negative dimension size caused by overflow when multiplying {} and {}", a, b));
}

void CheckedSize::throw_quotient(int64_t a, int64_t b) {
  throw errors::InvalidArgumentError(
      b == 0 ? fmt::format("Dimension size {} divided by 0", a)
             : fmt::format("Dimension size overflow from dividing {} by {}", a, b));
}

int64_t checked_count(std::string_view what, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 25;
  if (count > kMost) {
    throw errors::ResourceExhaustedError(
        fmt::format("OOM when making {} {}\nThere may be at most {} of them.", count, what, kMost));
  }
  return count;
}

int checked_int32(std::string_view what, int64_t value) {
  if (value < INT32_MIN || value > INT32_MAX)
    throw errors::InvalidArgumentError(fmt::format("{} has value {} out of range for an int32", what, value));
  return static_cast<int>(value);
}

}  // namespace flowray
