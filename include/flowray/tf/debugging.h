#pragma once
/// tf.debugging: operations that fail where a tensor is not what it should be, and operations that print.
/// What is known when the graph is made is found out then; the rest by an Assert when the operation runs, so
/// something must wait for it:
///
///     auto check = tf::assert_positive(x);
///     auto wait = tf::control_dependencies({check});
///     auto y = tf::sqrt(x);

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.Assert: an error of the step, with the first `summarize` elements of each of `data`, if `condition`
/// is false.
Operation Assert(const Input& condition, const List<Input>& data, int64_t summarize = 3,
                 const NameOption& options = {});

struct AssertOptions {
  /// What is shown when it fails; left out: a sentence and the first elements of the tensors.
  std::optional<std::vector<Input>> data = std::nullopt;
  /// How many elements of each of `data` are shown.
  int64_t summarize = 3;
  /// Text in front of the error's own.
  std::string message = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

// ---- element by element; shapes broadcast, and nothing is wrong with no elements. Throw
// InvalidArgumentError "Condition x == y did not hold element-wise: ..." where both are known.

/// Fails unless x == y for all elements.
Operation assert_equal(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails if x == y for any element.
Operation assert_none_equal(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails unless x < y for all elements.
Operation assert_less(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails unless x <= y for all elements.
Operation assert_less_equal(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails unless x > y for all elements.
Operation assert_greater(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails unless x >= y for all elements.
Operation assert_greater_equal(const Input& x, const Input& y, const AssertOptions& options = {});
/// Fails unless x > 0 for all elements.
Operation assert_positive(const Input& x, const AssertOptions& options = {});
/// Fails unless x < 0 for all elements.
Operation assert_negative(const Input& x, const AssertOptions& options = {});
/// Fails unless x >= 0 for all elements.
Operation assert_non_negative(const Input& x, const AssertOptions& options = {});
/// Fails unless x <= 0 for all elements.
Operation assert_non_positive(const Input& x, const AssertOptions& options = {});

/// |x - y| < atol + rtol * |y|; both are ten times the dtype's precision where they are left out.
struct AssertNearOptions {
  /// How far they may be apart as a part of |y|; left out: ten times the precision of x's dtype.
  OptionalInput rtol = {};
  /// How far they may be apart besides; left out: ten times the precision of x's dtype.
  OptionalInput atol = {};
  /// What is shown when it fails; left out: a sentence and the first elements of the tensors.
  std::optional<std::vector<Input>> data = std::nullopt;
  /// How many elements of each tensor are shown.
  int64_t summarize = 3;
  /// Text in front of the error's own.
  std::string message = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Fails unless x and y are near each other for all elements: |x - y| < atol + rtol * |y|.
Operation assert_near(const Input& x, const Input& y, const AssertNearOptions& options = {});

// ---- shapes: ValueError "Tensor ... must have rank 2. Received rank 1, shape (3,)" where the rank is known

/// Fails unless x has `rank` dimensions, an int32 scalar.
Operation assert_rank(const Input& x, const Input& rank, const AssertOptions& options = {});
/// Fails for tensors of fewer dimensions than `rank`, an int32 scalar.
Operation assert_rank_at_least(const Input& x, const Input& rank, const AssertOptions& options = {});
/// Fails for tensors whose number of dimensions is not among `ranks`, int32 scalars.
Operation assert_rank_in(const Input& x, const List<Input>& ranks, const AssertOptions& options = {});

struct CheckOptions {
  /// Text in front of the error's own.
  std::string message = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The tensor; ValueError where it is not known to be a scalar.
Tensor assert_scalar(const Input& tensor, const CheckOptions& options = {});

// ---- dtypes, which are always known: TypeError

/// Throws TypeError unless x has an integer dtype; gives a NoOp.
Operation assert_integer(const Input& x, const CheckOptions& options = {});
/// Throws TypeError unless the tensor has this dtype; gives a NoOp.
Operation assert_type(const Input& tensor, DType tf_type, const CheckOptions& options = {});
/// The dtype of all `tensors`, and `dtype` if it is given; float32 if there is none. Throws ValueError where
/// they differ or are not floating-point.
DType assert_same_float_dtype(const List<Tensor>& tensors = {}, DType dtype = DType::kInvalid);

// ---- numbers

/// x, which a step refuses with InvalidArgumentError and `message` where NaN or infinity is in it.
Tensor verify_tensor_all_finite(const Input& x, const std::string& message, const NameOption& options = {});

// ---- printing

struct PrintOptions {
  /// "stderr", "stdout", "log(info)" and its siblings, or "file://PATH", which is appended to.
  std::string output_stream = "stderr";
  /// How many elements at each end of a dimension are shown; -1: all.
  int64_t summarize = 3;
  /// Between two items, and behind the last one.
  std::string sep = " ";
  /// What is written behind the last item.
  std::string end = "\n";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// An operation that prints texts and tensors in a line: tf::print({"loss:", loss}). Something must wait
/// for it.
Operation print(const List<Input>& inputs, const PrintOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
