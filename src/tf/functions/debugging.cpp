#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/constant_value.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"
#include "tf/build/with_dependencies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfloat>

namespace flowray::tf {
namespace {

using Data = std::vector<Input>;

/// The data that a failed check shows, where the program gives some.
template <class Options>
Argument data_of(const Options& options) {
  static const Data kNone;
  return {"data", options.data ? *options.data : kNone};
}

std::string prefix(const std::string& message) { return message.empty() ? "" : message + ".  "; }

/// A value as it is shown in an error of what is known while the graph is made.
std::string shown(const Input& input) {
  Array value;
  if (const Tensor* tensor = input.tensor()) {
    value = graph::constant_value(endpoint_of(*tensor));
    if (!value.has_value()) return tensor_text(*tensor);
  } else if (input.list() == nullptr) {
    value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  }
  if (!value.has_value()) return "...";
  return value.dtype() == DType::kString && value.rank() == 0 ? value.item<std::string>() : value.to_string();
}

/// One kind of comparison.
struct Comparison {
  const char* sign;
  const char* name;
  Tensor (*compare)(const Input&, const Input&, const NameOption&);
};
constexpr Comparison kEqual = {"==", "assert_equal", &equal};
constexpr Comparison kNoneEqual = {"!=", "assert_none_equal", &not_equal};
constexpr Comparison kLess = {"<", "assert_less", &less};
constexpr Comparison kLessEqual = {"<=", "assert_less_equal", &less_equal};
constexpr Comparison kGreater = {">", "assert_greater", &greater};
constexpr Comparison kGreaterEqual = {">=", "assert_greater_equal", &greater_equal};

Operation assert_that(const Comparison& comparison, const Input& x, const Input& y,
                      const AssertOptions& options) {
  Composite scope({{"x", x}, {"y", y}, data_of(options)}, options.name, comparison.name, x.where());
  const Tensor left = scope.convert(x, "x");
  const Tensor right = scope.convert(y, "y");
  Data data = options.data ? *options.data
                           : Data{fmt::format("Condition x {} y did not hold element-wise:", comparison.sign),
                                  fmt::format("x ({}) = ", left.name()), left,
                                  fmt::format("y ({}) = ", right.name()), right};
  if (!options.message.empty()) data.insert(data.begin(), options.message);
  const Tensor holds = reduce_all(comparison.compare(left, right, {}));
  const Array known = graph::constant_value(endpoint_of(holds));
  if (known.has_value() && !known.item<bool>()) {
    std::vector<std::string> lines;
    for (const Input& item : data) lines.push_back(shown(item));
    throw errors::InvalidArgumentError(fmt::format("{}", fmt::join(lines, "\n")));
  }
  return Assert(holds, data, options.summarize);
}

/// Compares x with 0; `zero_first`: with 0 on the left.
Operation assert_sign(const char* name, const char* condition, const Comparison& comparison, bool zero_first,
                      const Input& x, const AssertOptions& options) {
  Composite scope({{"x", x}, data_of(options)}, options.name, name, x.where());
  const Tensor values = scope.convert(x, "x");
  const Data data = options.data ? *options.data
                                 : Data{prefix(options.message),
                                        fmt::format("Condition x {} did not hold element-wise:", condition),
                                        fmt::format("x ({}) = ", values.name()), values};
  const Tensor zero = constant(0, base_dtype(values.dtype()));
  const AssertOptions of_both = {.data = data, .summarize = options.summarize};
  return zero_first ? assert_that(comparison, zero, values, of_both)
                    : assert_that(comparison, values, zero, of_both);
}

}  // namespace

Operation assert_equal(const Input& x, const Input& y, const AssertOptions& options) {
  {
    const Composite scope({{"x", x}, {"y", y}, data_of(options)}, options.name, "assert_equal", x.where());
    const bool same = x.tensor() != nullptr && y.tensor() != nullptr && x.tensor()->is(*y.tensor());
    if (same) return no_op("NoOp", x.where());
  }
  return assert_that(kEqual, x, y, options);
}
Operation assert_none_equal(const Input& x, const Input& y, const AssertOptions& options) {
  return assert_that(kNoneEqual, x, y, options);
}
Operation assert_less(const Input& x, const Input& y, const AssertOptions& options) {
  return assert_that(kLess, x, y, options);
}
Operation assert_less_equal(const Input& x, const Input& y, const AssertOptions& options) {
  return assert_that(kLessEqual, x, y, options);
}
Operation assert_greater(const Input& x, const Input& y, const AssertOptions& options) {
  return assert_that(kGreater, x, y, options);
}
Operation assert_greater_equal(const Input& x, const Input& y, const AssertOptions& options) {
  return assert_that(kGreaterEqual, x, y, options);
}

Operation assert_positive(const Input& x, const AssertOptions& options) {
  return assert_sign("assert_positive", "> 0", kLess, /*zero_first=*/true, x, options);
}
Operation assert_negative(const Input& x, const AssertOptions& options) {
  return assert_sign("assert_negative", "< 0", kLess, /*zero_first=*/false, x, options);
}
Operation assert_non_negative(const Input& x, const AssertOptions& options) {
  return assert_sign("assert_non_negative", ">= 0", kLessEqual, /*zero_first=*/true, x, options);
}
Operation assert_non_positive(const Input& x, const AssertOptions& options) {
  return assert_sign("assert_non_positive", "<= 0", kLessEqual, /*zero_first=*/false, x, options);
}

namespace {

/// The distance from 1 to the next number.
double precision_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return DBL_EPSILON;
    case DType::kFloat32:
    case DType::kComplex64:
      return FLT_EPSILON;
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBfloat16:
      return 0x1p-7;
    default:
      throw ValueError(fmt::format("data type <dtype: '{}'> not inexact", dtype_name(dtype)));
  }
}

DType real_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

}  // namespace

Operation assert_near(const Input& x, const Input& y, const AssertNearOptions& options) {
  Composite scope({{"x", x}, {"y", y}, {"rtol", options.rtol}, {"atol", options.atol}, data_of(options)},
                  options.name, "assert_near", x.where());
  const Tensor left = scope.convert(x, "x");
  const DType dtype = base_dtype(left.dtype());
  const Tensor right = scope.convert(y, "y", dtype);
  const double eps = precision_of(dtype);
  const auto tolerance = [&](const OptionalInput& given, const char* name) {
    return scope.convert(given.has_value() ? *given : Input(10 * eps), name, real_dtype(dtype));
  };
  const Tensor rtol = tolerance(options.rtol, "rtol");
  const Tensor atol = tolerance(options.atol, "atol");
  const Data data = options.data ? *options.data
                                 : Data{prefix(options.message),
                                        fmt::format("x and y not equal to tolerance rtol = {}, atol = {}",
                                                    tensor_text(rtol), tensor_text(atol)),
                                        fmt::format("x ({}) = ", left.name()),
                                        left,
                                        fmt::format("y ({}) = ", right.name()),
                                        right};
  const Tensor most = atol + rtol * abs(right);
  const Tensor distance = abs(left - right);
  return Assert(reduce_all(less(distance, most)), data, options.summarize);
}

namespace {

struct RankCheck {
  const char* name;
  const char* words;  // "Tensor x:0 must have rank ..."
  /// Whether the rank is one of those that are wanted.
  bool (*holds)(int64_t rank, const std::vector<int64_t>& wanted);
  Tensor (*compare)(const Tensor& rank, const std::vector<Tensor>& wanted);
};

constexpr RankCheck kRank = {
    "assert_rank", "rank",
    [](int64_t rank, const std::vector<int64_t>& wanted) { return rank == wanted.at(0); },
    [](const Tensor& rank, const std::vector<Tensor>& wanted) { return equal(rank, wanted.at(0)); }};
constexpr RankCheck kRankAtLeast = {
    "assert_rank_at_least", "rank at least",
    [](int64_t rank, const std::vector<int64_t>& wanted) { return rank >= wanted.at(0); },
    [](const Tensor& rank, const std::vector<Tensor>& wanted) { return greater_equal(rank, wanted.at(0)); }};
constexpr RankCheck kRankIn = {"assert_rank_in", "rank in",
                               [](int64_t rank, const std::vector<int64_t>& wanted) {
                                 return std::find(wanted.begin(), wanted.end(), rank) != wanted.end();
                               },
                               [](const Tensor& rank, const std::vector<Tensor>& wanted) {
                                 if (wanted.empty()) return constant(false);
                                 Tensor any = equal(wanted[0], rank);
                                 for (size_t i = 1; i < wanted.size(); ++i) {
                                   const Tensor one = equal(wanted[i], rank);
                                   any = logical_or(any, one);
                                 }
                                 return any;
                               }};

/// (1, 2), as Python writes a tuple.
std::string tuple_text(const std::vector<int64_t>& numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}

Operation assert_ranks(const RankCheck& check, const Input& x, const Argument& ranks,
                       const AssertOptions& options) {
  Composite scope({{"x", x}, ranks, data_of(options)}, options.name, check.name, x.where());
  const Tensor values = scope.convert(x, "x");
  std::vector<Tensor> wanted;
  for (const Input& input : ranks.inputs()) wanted.push_back(scope.convert(input, "rank"));
  Data data;
  if (options.data) {
    data = *options.data;
  } else {
    data = {prefix(options.message), fmt::format("Tensor {} must have {}", values.name(), check.words)};
    data.insert(data.end(), wanted.begin(), wanted.end());
    data.emplace_back("Received shape: ");
    data.emplace_back(tensor_of(ops::python_shape(scope.builder(), endpoint_of(values))));
  }
  for (const Tensor& rank : wanted) assert_type(rank, DType::kInt32);
  std::vector<int64_t> known;
  for (const Tensor& rank : wanted) {
    const Array value = graph::constant_value(endpoint_of(rank));
    if (!value.has_value()) continue;
    if (value.rank() != 0) throw ValueError("Rank must be a scalar.");
    known.push_back(value.item<int32_t>());
  }
  if (known.size() == wanted.size() && values.shape().has_rank()) {
    const int rank = values.shape().rank();
    if (check.holds(rank, known)) return no_op("static_checks_determined_all_ok", x.where());
    const std::string numbers = &check == &kRankIn ? tuple_text(known) : std::to_string(known.at(0));
    throw ValueError(fmt::format("{}Tensor {} must have {} {}.  Received rank {}, shape {}",
                                 prefix(options.message), values.name(), check.words, numbers, rank,
                                 values.shape().to_tuple_string()));
  }
  Tensor holds = check.compare(rank(values), wanted);
  for (const Tensor& rank : wanted) {
    if (graph::constant_value(endpoint_of(rank)).has_value()) continue;
    const Operation scalar =
        assert_rank(rank, 0, {.data = Data{"Rank must be a scalar. Received rank: ", rank}});
    holds = with_dependencies({scalar}, holds);
  }
  return Assert(holds, data, options.summarize);
}

}  // namespace

Operation assert_rank(const Input& x, const Input& rank, const AssertOptions& options) {
  return assert_ranks(kRank, x, {"rank", rank}, options);
}
Operation assert_rank_at_least(const Input& x, const Input& rank, const AssertOptions& options) {
  return assert_ranks(kRankAtLeast, x, {"rank", rank}, options);
}
Operation assert_rank_in(const Input& x, const List<Input>& ranks, const AssertOptions& options) {
  return assert_ranks(kRankIn, x, {"ranks", ranks}, options);
}

Tensor assert_scalar(const Input& tensor, const CheckOptions& options) {
  Composite scope({{"tensor", tensor}}, options.name, "assert_scalar", tensor.where());
  const Tensor value = scope.convert(tensor, scope.result_name());
  if (value.shape().rank() != 0) {
    throw ValueError(fmt::format("{}Expected scalar shape for {}, saw shape: {}.", prefix(options.message),
                                 value.name(), value.shape().to_tuple_string()));
  }
  return value;
}

Operation assert_integer(const Input& x, const CheckOptions& options) {
  Composite scope({{"x", x}}, options.name, "assert_integer", x.where());
  const Tensor value = scope.convert(x, "x");
  if (!is_integer(base_dtype(value.dtype()))) {
    throw TypeError(fmt::format("{}Expected \"x\" to be integer type.  Found: {} of dtype <dtype: '{}'>",
                                prefix(options.message), value.name(), dtype_name(value.dtype())));
  }
  return no_op("statically_determined_was_integer", x.where());
}

Operation assert_type(const Input& tensor, DType tf_type, const CheckOptions& options) {
  Composite scope({{"tensor", tensor}}, options.name, "assert_type", tensor.where());
  const Tensor value = scope.convert(tensor, "tensor");
  if (value.dtype() != tf_type) {
    throw TypeError(fmt::format("{}{} must be of type tf.{}; got tf.{}", prefix(options.message),
                                value.name(), dtype_name(tf_type), dtype_name(value.dtype())));
  }
  return no_op("statically_determined_correct_type", tensor.where());
}

DType assert_same_float_dtype(const List<Tensor>& tensors, DType dtype) {
  const ErrorLine errors(tensors.where());
  const Tensor* first = nullptr;
  for (const Tensor& tensor : tensors) {
    if (!tensor.has_value()) continue;
    const DType own = base_dtype(tensor.dtype());
    if (dtype == DType::kInvalid) {
      dtype = own;
      first = &tensor;
    } else if (dtype != own) {
      throw ValueError(fmt::format("{}, type=<dtype: '{}'>, must be of the same type (<dtype: '{}'>){}.",
                                   tensor.name(), dtype_name(own), dtype_name(dtype),
                                   first == nullptr ? "" : " as " + first->name()));
    }
  }
  if (dtype == DType::kInvalid) return DType::kFloat32;
  if (!is_floating(dtype)) {
    throw ValueError(fmt::format("Expected floating point type, got <dtype: '{}'>.", dtype_name(dtype)));
  }
  return dtype;
}

}  // namespace flowray::tf
