#pragma once
/// What stands between the brackets of x[...]: Python's slices for tensors.
///
///     Python               C++
///     x[1], x[-1], x[i]    x[1], x[-1], x[i]
///     x[1, 2]              x[{1, 2}]
///     x[1:3], x[2:]        x[tf::Slice{1, 3}], x[tf::Slice{.start = 2}]
///     x[::-1], x[:]        x[tf::Slice{.step = -1}], x[tf::Slice{}]
///     x[..., tf.newaxis]   x[{tf::ellipsis, tf::newaxis}]
///     x[:, 0]              x[{tf::Slice{}, 0}]

#include <flowray/tf/input.h>

#include <optional>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// start:stop:step. Each is a number or an integer tensor, and may be left out.
struct Slice {
  /// The first element; left out: the dimension's first one, or its last for a negative step.
  OptionalInput start = {};
  /// The element that is not taken any more; left out: as far as the dimension goes.
  OptionalInput stop = {};
  /// How far apart the elements are, negative: backwards, not 0; left out: 1.
  OptionalInput step = {};
};

/// Python's `...`: all dimensions that the other items leave.
struct Ellipsis {};
/// x[{tf::ellipsis, 0}], as Python's x[..., 0].
inline constexpr Ellipsis ellipsis{};

/// A new dimension of size 1.
struct NewAxis {};
/// x[{tf::newaxis, 0}], as Python's x[tf.newaxis, 0].
inline constexpr NewAxis newaxis{};

/// One item between the brackets. A number or a scalar integer tensor takes one element and drops
/// the dimension.
class Index {
 public:
  using Where = Input::Where;

  template <InputLike T>
  Index(const T& number, Where where = Where::current())
      : item_(Input(number, where)), where_(where) {}  // NOLINT: implicit
  Index(const Slice& slice, Where where = Where::current()) : item_(slice), where_(where) {}  // NOLINT
  Index(Ellipsis item, Where where = Where::current()) : item_(item), where_(where) {}        // NOLINT
  Index(NewAxis item, Where where = Where::current()) : item_(item), where_(where) {}         // NOLINT
  Index(NoneType, Where where = Where::current()) : item_(NewAxis()), where_(where) {}        // NOLINT

  /// What stands between the brackets.
  const std::variant<Input, Slice, Ellipsis, NewAxis>& item() const { return item_; }
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  std::variant<Input, Slice, Ellipsis, NewAxis> item_;
  Where where_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
