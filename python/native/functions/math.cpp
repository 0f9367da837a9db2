/// tf.math_ops and tf.random_ops: arithmetic, reductions, matrix products, casts, random numbers.

#include "native/convert/convert.h"

#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

namespace flowray::python {
namespace {

using Unary = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);
using Binary = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::NameOption&);
using Reduction = tf::Tensor (*)(const tf::Input&, const tf::ReduceOptions&);
using ArgFunction = tf::Tensor (*)(const tf::Input&, const tf::ArgMaxOptions&);
using Normal = tf::Tensor (*)(const tf::Input&, const tf::RandomNormalOptions&);

template <class T>
struct Named {
  const char* name;
  T function;
  const char* first = "x";
  const char* second = "y";
};

const Named<Unary> kUnary[] = {
    {"negative", &tf::negative},
    {"abs", &tf::abs},
    {"square", &tf::square},
    {"sqrt", &tf::sqrt},
    {"rsqrt", &tf::rsqrt},
    {"exp", &tf::exp},
    {"expm1", &tf::expm1},
    {"log", &tf::log},
    {"log1p", &tf::log1p},
    {"sin", &tf::sin},
    {"cos", &tf::cos},
    {"tanh", &tf::tanh},
    {"sigmoid", &tf::sigmoid},
    {"erf", &tf::erf},
    {"sign", &tf::sign},
    {"floor", &tf::floor},
    {"ceil", &tf::ceil},
    {"round", &tf::round},
    {"reciprocal", &tf::reciprocal},
    {"is_nan", &tf::is_nan},
    {"is_inf", &tf::is_inf},
    {"is_finite", &tf::is_finite},
    {"logical_not", &tf::logical_not},
    {"to_float", &tf::to_float},
    {"to_double", &tf::to_double},
    {"to_int32", &tf::to_int32},
    {"to_int64", &tf::to_int64},
};

const Named<Binary> kBinary[] = {
    {"add", &tf::add},
    {"subtract", &tf::subtract},
    {"multiply", &tf::multiply},
    {"divide", &tf::divide},
    {"truediv", &tf::truediv},
    {"div", &tf::div},
    {"floordiv", &tf::floordiv},
    {"floor_div", &tf::floor_div},
    {"realdiv", &tf::realdiv},
    {"truncatediv", &tf::truncatediv},
    {"div_no_nan", &tf::div_no_nan},
    {"mod", &tf::mod},
    {"floormod", &tf::floormod},
    {"truncatemod", &tf::truncatemod},
    {"maximum", &tf::maximum},
    {"minimum", &tf::minimum},
    {"pow", &tf::pow},
    {"squared_difference", &tf::squared_difference},
    {"equal", &tf::equal},
    {"not_equal", &tf::not_equal},
    {"less", &tf::less},
    {"less_equal", &tf::less_equal},
    {"greater", &tf::greater},
    {"greater_equal", &tf::greater_equal},
    {"logical_and", &tf::logical_and},
    {"logical_or", &tf::logical_or},
    {"logical_xor", &tf::logical_xor},
};

const Named<Reduction> kReductions[] = {
    {"reduce_sum", &tf::reduce_sum},   {"reduce_mean", &tf::reduce_mean},
    {"reduce_max", &tf::reduce_max},   {"reduce_min", &tf::reduce_min},
    {"reduce_prod", &tf::reduce_prod}, {"reduce_all", &tf::reduce_all},
    {"reduce_any", &tf::reduce_any},   {"reduce_logsumexp", &tf::reduce_logsumexp},
};

void bind_reductions(nb::module_& m) {
  for (const auto& row : kReductions) {
    const Reduction function = row.function;
    m.def(
        row.name,
        [function](nb::handle x, nb::handle axis, nb::handle keepdims, nb::handle name,
                   nb::handle reduction_indices, nb::handle keep_dims) {
          tf::ReduceOptions options;
          options.axis = as_optional_input(axis);
          options.keepdims = !keepdims.is_none() && as_bool(keepdims);
          options.name = as_text(name);
          options.reduction_indices = as_optional_input(reduction_indices);
          if (!keep_dims.is_none()) options.keep_dims = as_bool(keep_dims);
          return give(function(as_input(x), options));
        },
        nb::arg("input_tensor").none(), nb::arg("axis").none() = nb::none(),
        nb::arg("keepdims").none() = nb::none(), nb::arg("name").none() = nb::none(),
        nb::arg("reduction_indices").none() = nb::none(), nb::arg("keep_dims").none() = nb::none());
  }
  const auto arg = [&](const char* name, ArgFunction function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle axis, nb::handle node_name, nb::handle dimension,
                   nb::handle output_type) {
          tf::ArgMaxOptions options;
          options.axis = as_optional_input(axis);
          options.name = as_text(node_name);
          options.dimension = as_optional_input(dimension);
          if (!output_type.is_none()) options.output_type = as_dtype(output_type);
          return give(function(as_input(x), options));
        },
        nb::arg("input").none(), nb::arg("axis").none() = nb::none(), nb::arg("name").none() = nb::none(),
        nb::arg("dimension").none() = nb::none(), nb::arg("output_type").none() = nb::none());
  };
  arg("argmax", &tf::argmax);
  arg("argmin", &tf::argmin);
}

void bind_random(nb::module_& m) {
  m.def(
      "random_uniform",
      [](nb::handle shape, nb::handle minval, nb::handle maxval, nb::handle dtype, nb::handle seed,
         nb::handle name) {
        tf::RandomUniformOptions options;
        options.minval = as_input(minval);
        options.maxval = as_optional_input(maxval);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.seed = as_optional_int(seed);
        options.name = as_text(name);
        return give(tf::random_uniform(as_input(shape), options));
      },
      "shape"_a, nb::arg("minval").none() = 0, nb::arg("maxval").none() = nb::none(),
      nb::arg("dtype").none() = nb::none(), nb::arg("seed").none() = nb::none(),
      nb::arg("name").none() = nb::none());
  const auto normal = [&](const char* name, Normal function) {
    m.def(
        name,
        [function](nb::handle shape, nb::handle mean, nb::handle stddev, nb::handle dtype, nb::handle seed,
                   nb::handle node_name) {
          tf::RandomNormalOptions options;
          options.mean = as_input(mean);
          options.stddev = as_input(stddev);
          if (!dtype.is_none()) options.dtype = as_dtype(dtype);
          options.seed = as_optional_int(seed);
          options.name = as_text(node_name);
          return give(function(as_input(shape), options));
        },
        "shape"_a, "mean"_a = 0.0, "stddev"_a = 1.0, nb::arg("dtype").none() = nb::none(),
        nb::arg("seed").none() = nb::none(), nb::arg("name").none() = nb::none());
  };
  normal("random_normal", &tf::random_normal);
  normal("truncated_normal", &tf::truncated_normal);
  m.def(
      "random_shuffle",
      [](nb::handle value, nb::handle seed, nb::handle name) {
        return give(
            tf::random_shuffle(as_input(value), {.seed = as_optional_int(seed), .name = as_text(name)}));
      },
      "value"_a, nb::arg("seed").none() = nb::none(), nb::arg("name").none() = nb::none());
}

}  // namespace

void bind_math(nb::module_& m) {
  for (const auto& row : kUnary) {
    m.def(
        row.name,
        [f = row.function](nb::handle x, nb::handle name) { return give(f(as_input(x), {as_text(name)})); },
        nb::arg("x").none(), nb::arg("name").none() = nb::none());
  }
  for (const auto& row : kBinary) {
    m.def(
        row.name,
        [f = row.function](nb::handle x, nb::handle y, nb::handle name) {
          return give(f(as_input(x), as_input(y), {as_text(name)}));
        },
        nb::arg("x").none(), nb::arg("y").none(), nb::arg("name").none() = nb::none());
  }
  bind_reductions(m);
  bind_random(m);
  m.def(
      "add_n",
      [](nb::handle inputs, nb::handle name) { return give(tf::add_n(as_inputs(inputs), {as_text(name)})); },
      "inputs"_a, nb::arg("name").none() = nb::none());
  m.def(
      "clip_by_value",
      [](nb::handle t, nb::handle low, nb::handle high, nb::handle name) {
        return give(tf::clip_by_value(as_input(t), as_input(low), as_input(high), {as_text(name)}));
      },
      "t"_a, "clip_value_min"_a, "clip_value_max"_a, nb::arg("name").none() = nb::none());
  m.def(
      "cast",
      [](nb::handle x, nb::handle dtype, nb::handle name) {
        return give(tf::cast(as_input(x), base_dtype(as_dtype(dtype)), {as_text(name)}));
      },
      "x"_a, "dtype"_a, nb::arg("name").none() = nb::none());
  m.def(
      "range",
      [](nb::handle start, nb::handle limit, nb::handle delta, nb::handle dtype, nb::handle name) {
        tf::RangeOptions options;
        options.dtype = as_dtype(dtype);
        options.name = name.is_none() ? "range" : as_text(name);
        if (limit.is_none())
          return give(tf::range(tf::Input(0, {}), as_input(start), as_input(delta), options));
        return give(tf::range(as_input(start), as_input(limit), as_input(delta), options));
      },
      "start"_a, nb::arg("limit").none() = nb::none(), "delta"_a = 1, nb::arg("dtype").none() = nb::none(),
      nb::arg("name").none() = "range");
  m.def(
      "matmul",
      [](nb::handle a, nb::handle b, Flag transpose_a, Flag transpose_b, Flag adjoint_a, Flag adjoint_b,
         nb::handle, nb::handle, nb::handle name) {
        return give(tf::matmul(as_input(a), as_input(b),
                               {.transpose_a = transpose_a,
                                .transpose_b = transpose_b,
                                .adjoint_a = adjoint_a,
                                .adjoint_b = adjoint_b,
                                .name = as_text(name)}));
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "transpose_b"_a = false, "adjoint_a"_a = false,
      "adjoint_b"_a = false, "a_is_sparse"_a = false, "b_is_sparse"_a = false,
      nb::arg("name").none() = nb::none());
  m.def(
      "tensordot",
      [](nb::handle a, nb::handle b, nb::handle axes, nb::handle name) {
        if (is_one_integer(axes))
          return give(tf::tensordot(as_input(a), as_input(b), as_int(axes), {.name = as_text(name)}));
        if (PySequence_Check(axes.ptr()) == 0 || nb::len(axes) != 2)
          throw ValueError("`axes` must be an integer or have length 2.");
        const nb::object first = axes[0];
        const nb::object second = axes[1];
        return give(tf::tensordot(as_input(a), as_input(b), as_ints(first), as_ints(second),
                                  {.name = as_text(name)}));
      },
      "a"_a, "b"_a, "axes"_a, "name"_a = nb::none());
}

}  // namespace flowray::python
