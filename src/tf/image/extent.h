#pragma once
/// Sizes that are numbers as far as shapes tell them, else tensors: arithmetic with them makes nodes only
/// where it must, as TensorFlow's own functions of images do.

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include <algorithm>
#include <string>
#include <vector>

namespace flowray::tf {

class Extent {
 public:
  Extent(int64_t number) : number_(number) {}  // NOLINT: implicit, all of these
  Extent(Tensor tensor) : tensor_(std::move(tensor)) {}
  /// A number that is written in the program, or a tensor.
  static Extent of(const Input& input) {
    if (input.tensor() != nullptr) return *input.tensor();
    const Array value = input.literal() != nullptr ? input.literal()->to_array()
                        : input.array() != nullptr ? *input.array()
                                                   : Array();
    if (!value.has_value() || value.rank() != 0 || !is_integer(value.dtype())) {
      throw TypeError("A size or an offset is an integer or a scalar tensor.");
    }
    return value.astype(DType::kInt64).item<int64_t>();
  }

  bool is_number() const { return !tensor_.has_value(); }
  int64_t number() const { return number_; }
  Input input() const { return is_number() ? Input(static_cast<int>(number_)) : Input(tensor_); }
  /// For shapes: -1 where it is not known.
  int64_t dim() const { return is_number() ? number_ : -1; }

  friend Extent operator+(const Extent& a, const Extent& b) {
    if (a.is_number() && b.is_number()) return a.number_ + b.number_;
    return a.input() + b.input();
  }
  friend Extent operator-(const Extent& a, const Extent& b) {
    if (a.is_number() && b.is_number()) return a.number_ - b.number_;
    return a.input() - b.input();
  }
  friend Extent operator-(const Extent& a) { return a.is_number() ? Extent(-a.number_) : Extent(-a.tensor_); }
  friend Extent operator*(const Extent& a, int64_t factor) {
    return a.is_number() ? Extent(a.number_ * factor) : Extent(a.tensor_ * static_cast<int>(factor));
  }
  /// Rounded down.
  Extent half() const {
    if (is_number()) return number_ >= 0 ? number_ / 2 : -((1 - number_) / 2);
    return floordiv(tensor_, 2);
  }
  friend Extent larger(const Extent& a, const Extent& b) {
    if (a.is_number() && b.is_number()) return std::max(a.number_, b.number_);
    return maximum(a.input(), b.input());
  }
  friend Extent smaller(const Extent& a, const Extent& b) {
    if (a.is_number() && b.is_number()) return std::min(a.number_, b.number_);
    return minimum(a.input(), b.input());
  }

 private:
  int64_t number_ = 0;
  Tensor tensor_;
};

/// What has to be true of extents: checked now where they are numbers, else by operations to wait for.
class ExtentChecks {
 public:
  void at_least(const Extent& a, const Extent& b, const char* message) {
    check(
        a, b, message, [](int64_t x, int64_t y) { return x >= y; },
        [](const Input& x, const Input& y) { return x >= y; });
  }
  void more_than(const Extent& a, const Extent& b, const char* message) {
    check(
        a, b, message, [](int64_t x, int64_t y) { return x > y; },
        [](const Input& x, const Input& y) { return x > y; });
  }
  void same(const Extent& a, const Extent& b, const char* message) {
    check(
        a, b, message, [](int64_t x, int64_t y) { return x == y; },
        [](const Input& x, const Input& y) { return equal(x, y); });
  }

  std::vector<Operation> operations;

 private:
  template <class Numbers, class Tensors>
  void check(const Extent& a, const Extent& b, const char* message, Numbers numbers, Tensors tensors) {
    if (a.is_number() && b.is_number()) {
      if (!numbers(a.number(), b.number())) throw ValueError(message);
      return;
    }
    operations.push_back(Assert(tensors(a.input(), b.input()), {message}));
  }
};

}  // namespace flowray::tf
