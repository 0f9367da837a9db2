/// tf.assert_*.

#include "native/convert/convert.h"

#include <flowray/tf/debugging.h>

namespace flowray::python {
namespace {

using OfTwo = tf::Operation (*)(const tf::Input&, const tf::Input&, const tf::AssertOptions&);
using OfOne = tf::Operation (*)(const tf::Input&, const tf::AssertOptions&);

template <class Options>
Options assert_options(nb::handle data, nb::handle summarize, nb::handle message, nb::handle name) {
  Options options;
  if (!data.is_none()) options.data = as_inputs(data);
  if (!summarize.is_none()) options.summarize = as_int(summarize);
  options.message = as_text(message);
  options.name = as_text(name);
  return options;
}

/// `second` is what Python calls the other operand.
void bind_two(nb::module_& m, const char* name, const char* second, OfTwo function) {
  m.def(
      name,
      [function](nb::handle x, nb::handle y, nb::handle data, nb::handle summarize, nb::handle message,
                 nb::handle node_name) {
        return give(function(as_input(x), as_input(y),
                             assert_options<tf::AssertOptions>(data, summarize, message, node_name)));
      },
      "x"_a, nb::arg(second).none(), "data"_a = nb::none(), "summarize"_a = nb::none(),
      "message"_a = nb::none(), "name"_a = nb::none());
}

void bind_one(nb::module_& m, const char* name, OfOne function) {
  m.def(
      name,
      [function](nb::handle x, nb::handle data, nb::handle summarize, nb::handle message,
                 nb::handle node_name) {
        return give(
            function(as_input(x), assert_options<tf::AssertOptions>(data, summarize, message, node_name)));
      },
      "x"_a, "data"_a = nb::none(), "summarize"_a = nb::none(), "message"_a = nb::none(),
      "name"_a = nb::none());
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
  bind_one(m, "assert_positive", &tf::assert_positive);
  bind_one(m, "assert_negative", &tf::assert_negative);
  bind_one(m, "assert_non_negative", &tf::assert_non_negative);
  bind_one(m, "assert_non_positive", &tf::assert_non_positive);
  m.def(
      "assert_near",
      [](nb::handle x, nb::handle y, nb::handle rtol, nb::handle atol, nb::handle data, nb::handle summarize,
         nb::handle message, nb::handle name) {
        auto options = assert_options<tf::AssertNearOptions>(data, summarize, message, name);
        options.rtol = as_optional_input(rtol);
        options.atol = as_optional_input(atol);
        return give(tf::assert_near(as_input(x), as_input(y), options));
      },
      "x"_a, "y"_a, "rtol"_a = nb::none(), "atol"_a = nb::none(), "data"_a = nb::none(),
      "summarize"_a = nb::none(), "message"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "assert_rank_in",
      [](nb::handle x, nb::handle ranks, nb::handle data, nb::handle summarize, nb::handle message,
         nb::handle name) {
        return give(tf::assert_rank_in(as_input(x), as_inputs(ranks),
                                       assert_options<tf::AssertOptions>(data, summarize, message, name)));
      },
      "x"_a, "ranks"_a, "data"_a = nb::none(), "summarize"_a = nb::none(), "message"_a = nb::none(),
      "name"_a = nb::none());
  m.def(
      "assert_scalar",
      [](nb::handle tensor, nb::handle name, nb::handle message) {
        return give(tf::assert_scalar(as_input(tensor), {as_text(message), as_text(name)}));
      },
      "tensor"_a, "name"_a = nb::none(), "message"_a = nb::none());
  m.def(
      "assert_integer",
      [](nb::handle x, nb::handle message, nb::handle name) {
        return give(tf::assert_integer(as_input(x), {as_text(message), as_text(name)}));
      },
      "x"_a, "message"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "assert_type",
      [](nb::handle tensor, nb::handle tf_type, nb::handle message, nb::handle name) {
        return give(tf::assert_type(as_input(tensor), as_dtype(tf_type), {as_text(message), as_text(name)}));
      },
      "tensor"_a, "tf_type"_a, "message"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "assert_same_float_dtype",
      [](nb::handle tensors, nb::handle dtype) {
        return dtype_object(tf::assert_same_float_dtype(
            tensors.is_none() ? std::vector<tf::Tensor>() : as_tensors(tensors), as_dtype(dtype)));
      },
      "tensors"_a = nb::none(), "dtype"_a = nb::none());
}

}  // namespace flowray::python
