#pragma once
/// Operators between tensors, variables, arrays and numbers. At least one side is a Tensor or a Variable; a
/// number on the other side takes its dtype. Shapes broadcast.
///
///     Python                         C++
///     x + y, -, *, /, %, -x          the same; / of integers is float64, % has the divisor's sign
///     x // y, x ** y, abs(x), x @ y  tf::floordiv(x, y), tf::pow(x, y), tf::abs(x), tf::matmul(x, y)
///     x < y, <=, >, >=               the same, giving bools
///     x & y, x | y, x ^ y, ~x        the same, of bools
///     tf.logical_and(x, y), ...      x && y, x || y, !x
///     x == y                         tf::equal(x, y); whether two handles stand for one tensor: x.is(y)
///
/// Both sides of && and || are made and computed. A condition (`if (x)`, `x ? a : b`) does not compile, since
/// only a step knows what is in a tensor: write tf::cond or tf::where.
/// Whether there is a tensor at all is x.has_value().
///
/// C++ does not say which side of `f() + g()` is evaluated first. Where nodes made there must be numbered as
/// in Python (names in a checkpoint, seeds of random ops that have none of their own), put the sides into
/// variables, one after the other.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Node "add" (AddV2; Add for strings). Throws TypeError where dtypes differ, ValueError where shapes do not
/// broadcast, as all of these.
Tensor operator+(const Input& x, const Input& y);
/// Node "sub" (Sub).
Tensor operator-(const Input& x, const Input& y);
/// Node "mul" (Mul; of bools through int32).
Tensor operator*(const Input& x, const Input& y);
/// Node "truediv" (RealDiv); integers become float64 (8 and 16 bits: float32) first.
Tensor operator/(const Input& x, const Input& y);
/// Node "mod" (FloorMod).
Tensor operator%(const Input& x, const Input& y);
/// Node "Neg".
Tensor operator-(const Input& x);

/// Node "Less"; with a number on the left "Greater" with sides changed, as Python does it.
Tensor operator<(const Input& x, const Input& y);
/// Node "LessEqual"; with a number on the left "GreaterEqual" with sides changed.
Tensor operator<=(const Input& x, const Input& y);
/// Node "Greater"; with a number on the left "Less" with sides changed.
Tensor operator>(const Input& x, const Input& y);
/// Node "GreaterEqual"; with a number on the left "LessEqual" with sides changed.
Tensor operator>=(const Input& x, const Input& y);

/// Node "and" (LogicalAnd).
Tensor operator&(const Input& x, const Input& y);
/// Node "or" (LogicalOr).
Tensor operator|(const Input& x, const Input& y);
/// Node "xor", made of LogicalOr, LogicalAnd and LogicalNot.
Tensor operator^(const Input& x, const Input& y);
/// Node "LogicalNot".
Tensor operator~(const Input& x);

/// tf::logical_and: node "LogicalAnd". Throws TypeError for other dtypes than bool, as these three.
Tensor operator&&(const Input& x, const Input& y);
/// tf::logical_or: node "LogicalOr".
Tensor operator||(const Input& x, const Input& y);
/// tf::logical_not: node "LogicalNot".
Tensor operator!(const Input& x);

}  // namespace flowray::tf

#pragma GCC visibility pop
