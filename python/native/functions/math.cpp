/// tf.math_ops and tf.random_ops: arithmetic, reductions, matrix products, casts, random numbers.

#include "native/convert/bind.h"

#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::ReduceOptions, axis, keepdims, name, reduction_indices, keep_dims)
FLOWRAY_FIELDS(tf::ArgMaxOptions, axis, name, dimension, output_type)
FLOWRAY_FIELDS(tf::RandomUniformOptions, minval, maxval, dtype, seed, name)
FLOWRAY_FIELDS(tf::RandomNormalOptions, mean, stddev, dtype, seed, name)
FLOWRAY_FIELDS(tf::RandomShuffleOptions, seed, name)
FLOWRAY_FIELDS(tf::RangeOptions, dtype, name)
FLOWRAY_FIELDS(tf::MatMulOptions, transpose_a, transpose_b, adjoint_a, adjoint_b, name)
FLOWRAY_FIELDS(tf::TensordotOptions, name)

namespace {

template <class Function>
struct Named {
  const char* name;
  Function function;
};

const Named<tf::Tensor (*)(const tf::Input&, const tf::NameOption&)> kUnary[] = {
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

const Named<tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::NameOption&)> kBinary[] = {
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

const Named<tf::Tensor (*)(const tf::Input&, const tf::ReduceOptions&)> kReductions[] = {
    {"reduce_sum", &tf::reduce_sum},   {"reduce_mean", &tf::reduce_mean},
    {"reduce_max", &tf::reduce_max},   {"reduce_min", &tf::reduce_min},
    {"reduce_prod", &tf::reduce_prod}, {"reduce_all", &tf::reduce_all},
    {"reduce_any", &tf::reduce_any},   {"reduce_logsumexp", &tf::reduce_logsumexp},
};

tf::Tensor range(const tf::Input& start, const tf::OptionalInput& limit, const tf::Input& delta,
                 const tf::RangeOptions& options) {
  if (!limit.has_value()) return tf::range(tf::Input(0, {}), start, delta, options);
  return tf::range(start, *limit, delta, options);
}

tf::Tensor tensordot(const tf::Input& a, const tf::Input& b, nb::handle axes,
                     const tf::TensordotOptions& options) {
  if (is_one_integer(axes)) return tf::tensordot(a, b, as_int(axes), options);
  if (PySequence_Check(axes.ptr()) == 0 || nb::len(axes) != 2)
    throw ValueError("`axes` must be an integer or have length 2.");
  const nb::object first = axes[0];
  const nb::object second = axes[1];
  return tf::tensordot(a, b, as_ints(first), as_ints(second), {.name = options.name});
}

void bind_random(nb::module_& m) {
  using Uniform = tf::Tensor (*)(const tf::Input&, const tf::RandomUniformOptions&);
  using Normal = tf::Tensor (*)(const tf::Input&, const tf::RandomNormalOptions&);
  bind<Uniform>(m, "random_uniform", &tf::random_uniform, {"shape"});
  bind<Normal>(m, "random_normal", &tf::random_normal, {"shape"});
  bind<Normal>(m, "truncated_normal", &tf::truncated_normal, {"shape"});
  bind(m, "random_shuffle", &tf::random_shuffle, {"value"});
}

}  // namespace

void bind_math(nb::module_& m) {
  for (const auto& row : kUnary) bind(m, row.name, row.function, {"x"});
  for (const auto& row : kBinary) bind(m, row.name, row.function, {"x", "y"});
  for (const auto& row : kReductions) {
    bind(m, row.name, row.function,
         {"input_tensor", "axis", {"keepdims", nb::none()}, "name", "reduction_indices", "keep_dims"});
  }
  using ArgFunction = tf::Tensor (*)(const tf::Input&, const tf::ArgMaxOptions&);
  bind<ArgFunction>(m, "argmax", &tf::argmax, {"input"});
  bind<ArgFunction>(m, "argmin", &tf::argmin, {"input"});
  bind_random(m);
  bind(m, "add_n", &tf::add_n, {"inputs"});
  bind(m, "clip_by_value", &tf::clip_by_value, {"t", "clip_value_min", "clip_value_max"});
  bind(m, "cast",
       [](const tf::Input& x, DType dtype, const tf::NameOption& options) {
         return tf::cast(x, base_dtype(dtype), options);
       },
       {"x", "dtype"});
  bind(m, "range", &range, {"start", {"limit", nb::none()}, {"delta", 1}, "dtype", or_none("name")});
  bind(m, "matmul", &tf::matmul,
       {"a", "b", "transpose_a", "transpose_b", "adjoint_a", "adjoint_b", ignored("a_is_sparse", false),
        ignored("b_is_sparse", false), "name"});
  bind(m, "tensordot", &tensordot, {"a", "b", "axes"});
}

}  // namespace flowray::python
