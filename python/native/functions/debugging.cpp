/// tf.assert_*.

#include "native/convert/bind.h"

#include <flowray/tf/debugging.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::AssertOptions, data, summarize, message, name)
FLOWRAY_FIELDS(tf::AssertNearOptions, rtol, atol, data, summarize, message, name)
FLOWRAY_FIELDS(tf::CheckOptions, message, name)

namespace {

/// `second` is what Python calls the other operand.
template <class Function>
void bind_two(nb::module_& m, const char* name, const char* second, Function function) {
  bind(m, name, function, {"x", second, "data", {"summarize", nb::none()}, "message", "name"});
}

void bind_one(nb::module_& m, const char* name,
              tf::Operation (*function)(const tf::Input&, const tf::AssertOptions&)) {
  bind(m, name, function, {"x", "data", {"summarize", nb::none()}, "message", "name"});
}

}  // namespace

void bind_checks(nb::module_& m) {
  bind_two(m, "assert_equal", "y", &tf::assert_equal);
  bind_two(m, "assert_none_equal", "y", &tf::assert_none_equal);
  bind_two(m, "assert_less", "y", &tf::assert_less);
  bind_two(m, "assert_less_equal", "y", &tf::assert_less_equal);
  bind_two(m, "assert_greater", "y", &tf::assert_greater);
  bind_two(m, "assert_greater_equal", "y", &tf::assert_greater_equal);
  bind_two(m, "assert_rank", "rank", &tf::assert_rank);
  bind_two(m, "assert_rank_at_least", "rank", &tf::assert_rank_at_least);
  bind_two(m, "assert_rank_in", "ranks", &tf::assert_rank_in);
  bind_one(m, "assert_positive", &tf::assert_positive);
  bind_one(m, "assert_negative", &tf::assert_negative);
  bind_one(m, "assert_non_negative", &tf::assert_non_negative);
  bind_one(m, "assert_non_positive", &tf::assert_non_positive);
  bind(m, "assert_near", &tf::assert_near,
       {"x", "y", "rtol", "atol", "data", {"summarize", nb::none()}, "message", "name"});
  bind(m, "assert_scalar", &tf::assert_scalar, {"tensor", "name", "message"});
  bind(m, "assert_integer", &tf::assert_integer, {"x"});
  bind(m, "assert_type", &tf::assert_type, {"tensor", "tf_type"});
  bind(m, "assert_same_float_dtype", &tf::assert_same_float_dtype,
       {{"tensors", nb::none()}, {"dtype", nb::none()}});
}

}  // namespace flowray::python
