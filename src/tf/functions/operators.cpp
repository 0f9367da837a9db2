#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/value_node.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// Python asks the left side, or the right one of a number: a variable that is asked reads its value before
/// the call's scope is opened.
const Input& read_first(const Input& x, const Input& y) {
  if (x.tensor() == nullptr) (void)y.tensor();
  return x;
}

/// The call of one operator: both sides as Python has them when it calls the function behind it.
class BinaryCall {
 public:
  BinaryCall(const Input& x, const Input& y, std::string_view name)
      : x_(read_first(x, y)), y_(y), scope_({{"x", x}, {"y", y}}, {}, name, x.where()) {
    if (x.tensor() == nullptr && y.tensor() != nullptr) {
      // Python asks the right side (__radd__), which gives the left one its own dtype.
      left_ = scope_.convert(x, "x", base_dtype(y.tensor()->dtype()));
      x_ = tensor_of(left_);
    }
  }

  Composite& scope() { return scope_; }
  const Input& x() const { return x_; }
  const Input& y() const { return y_; }
  Endpoint left() { return left_ ? left_ : left_ = scope_.convert(x_, "x"); }
  /// The right side, of the left one's dtype if it can have it.
  Endpoint right() { return scope_.convert_like(y_, left(), "y"); }
  /// The whole call is one node.
  Tensor node(std::string_view op) {
    return apply_op({.op = op, .name = scope_.result_name(), .args = {x_, y_}});
  }
  bool has(DType dtype) const { return is(x_, dtype) || is(y_, dtype); }

 private:
  static bool is(const Input& input, DType dtype) {
    return input.tensor() != nullptr && base_dtype(input.tensor()->dtype()) == dtype;
  }

  Input x_;
  const Input& y_;
  Composite scope_;
  Endpoint left_ = {};
};

/// Whether both sides are values of one dtype, so that the call is one op that runs at once.
bool are_values(const Input& x, const Input& y) {
  const Tensor* const left = x.tensor();
  if (left == nullptr || !left->is_eager() || !default_graph().is_eager()) return false;
  const Tensor* const right = y.tensor();
  if (right == nullptr || !right->is_eager()) return false;
  const DType dtype = endpoint_of(*left).dtype();
  return dtype == endpoint_of(*right).dtype() && dtype != DType::kString && dtype != DType::kBool;
}

Tensor of_values(std::string_view op, const Input& x, const Input& y) {
  const ErrorLine errors(x.where());
  const graph::ValuePool::Call call;
  return {default_graph().add(
              {.op = op, .name = {}, .inputs = {endpoint_of(*x.tensor()), endpoint_of(*y.tensor())}}),
          0};
}

/// `op` with the sides as they are, or `turned` with a number on the left gone to the right.
Tensor compare(std::string_view op, std::string_view turned, const Input& x, const Input& y) {
  (void)graph_of({{"x", x}, {"y", y}});
  (void)read_first(x, y);
  if (x.tensor() == nullptr && y.tensor() != nullptr) return apply_op({.op = turned, .args = {y, x}});
  return apply_op({.op = op, .args = {x, y}});
}

}  // namespace

Tensor operator+(const Input& x, const Input& y) {
  if (are_values(x, y)) return of_values("AddV2", x, y);
  BinaryCall call(x, y, "add");
  const bool text = base_dtype(call.left().dtype()) == DType::kString;
  const Endpoint right = call.right();
  return call.scope().result(text ? "Add" : "AddV2", {call.left(), right});
}

Tensor operator-(const Input& x, const Input& y) {
  if (are_values(x, y)) return of_values("Sub", x, y);
  return BinaryCall(x, y, "sub").node("Sub");
}

Tensor operator*(const Input& x, const Input& y) {
  if (are_values(x, y)) return of_values("Mul", x, y);
  BinaryCall call(x, y, "mul");
  if (!call.has(DType::kBool)) return call.node("Mul");
  const auto as_int = [](const Input& input) {
    return endpoint_of(apply_op({.op = "Cast", .args = {input}, .attrs = {{"DstT", DType::kInt32}}}));
  };
  const Endpoint left = as_int(call.x());
  const Endpoint right = as_int(call.y());
  const Tensor product = call.scope().result("Mul", {left, right});
  return tensor_of(call.scope().op("Cast", {endpoint_of(product)}, {{"DstT", DType::kBool}}));
}

Tensor operator/(const Input& x, const Input& y) {
  BinaryCall call(x, y, "truediv");
  return truediv(call.x(), y, {.name = call.scope().result_name()});
}

Tensor operator%(const Input& x, const Input& y) { return BinaryCall(x, y, "mod").node("FloorMod"); }
Tensor operator-(const Input& x) { return negative(read_first(x, x)); }

Tensor operator<(const Input& x, const Input& y) { return compare("Less", "Greater", x, y); }
Tensor operator<=(const Input& x, const Input& y) { return compare("LessEqual", "GreaterEqual", x, y); }
Tensor operator>(const Input& x, const Input& y) { return compare("Greater", "Less", x, y); }
Tensor operator>=(const Input& x, const Input& y) { return compare("GreaterEqual", "LessEqual", x, y); }

Tensor operator&(const Input& x, const Input& y) { return BinaryCall(x, y, "and").node("LogicalAnd"); }
Tensor operator|(const Input& x, const Input& y) { return BinaryCall(x, y, "or").node("LogicalOr"); }
Tensor operator^(const Input& x, const Input& y) {
  BinaryCall call(x, y, "xor");
  return logical_xor(call.x(), y, {.name = call.scope().result_name()});
}
Tensor operator~(const Input& x) { return logical_not(x); }

Tensor operator&&(const Input& x, const Input& y) { return logical_and(x, y); }
Tensor operator||(const Input& x, const Input& y) { return logical_or(x, y); }
Tensor operator!(const Input& x) { return logical_not(x); }

}  // namespace flowray::tf
