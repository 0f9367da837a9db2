// tests/oracle/misuses/building.py in C++: errors of shapes, dtypes, names and graphs while a graph is built.
#include "support/recorded_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/data.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable.h>

#include <functional>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor of(DType dtype, const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(dtype, shape, {.name = name});
}

// ---- shapes

RECORDED_ERROR(matmul_inner_dimensions) { tf::matmul(floats({2, 3}, "a"), floats({4, 5}, "b")); }
RECORDED_ERROR(matmul_inner_dimensions_named) {
  auto a = floats({32, 64}, "a");
  tf::matmul(a, floats({10, 64}, "b"), {.name = "dense/MatMul"});
}
RECORDED_ERROR(matmul_of_vectors) { tf::matmul(floats({3}, "a"), floats({3}, "b")); }
RECORDED_ERROR(matmul_batch_dimensions) { tf::matmul(floats({2, 3, 4}, "a"), floats({5, 4, 3}, "b")); }
RECORDED_ERROR(matmul_inner_dimensions_with_array) {
  tf::matmul(floats({2, 3}, "a"), Array(tf::float32, {4, 5}));
}
RECORDED_ERROR(add_shapes) { floats({2, 3}, "a") + floats({2, 4}, "b"); }
RECORDED_ERROR(multiply_shapes_of_function) { tf::multiply(floats({3}, "a"), floats({4}, "b")); }
RECORDED_ERROR(equal_shapes) { tf::equal(floats({3}, "a"), floats({4}, "b")); }
RECORDED_ERROR(reshape_size) { tf::reshape(floats({2, 3}), {4, 2}); }
RECORDED_ERROR(reshape_two_unknown) { tf::reshape(floats({2, 3}), {-1, -1}); }
RECORDED_ERROR(reshape_not_divisible) { tf::reshape(floats({2, 3}), {-1, 4}); }
RECORDED_ERROR(reshape_negative) { tf::reshape(floats({2, 3}), {-2, 3}); }
RECORDED_ERROR(concat_shapes) { tf::concat({floats({2, 3}, "a"), floats({2, 4}, "b")}, 0); }
RECORDED_ERROR(concat_ranks) { tf::concat({floats({2, 3}, "a"), floats({2}, "b")}, 0); }
RECORDED_ERROR(concat_axis) { tf::concat({floats({2, 3}, "a"), floats({2, 3}, "b")}, 2); }
RECORDED_ERROR(stack_shapes) { tf::stack({floats({2}, "a"), floats({3}, "b")}); }
RECORDED_ERROR(assign_shape) { tf::Variable({1.0, 2.0}, {.name = "v"}).assign({1.0, 2.0, 3.0}); }
RECORDED_ERROR(assign_dtype) { tf::Variable({1.0, 2.0}, {.name = "v"}).assign(tf::constant({1, 2})); }
RECORDED_ERROR(transpose_permutation_length) { tf::transpose(floats({2, 3}), {0, 1, 2}); }
RECORDED_ERROR(reduce_axis) { tf::reduce_sum(floats({2, 3}), 2); }
RECORDED_ERROR(argmax_axis) { tf::argmax(floats({2, 3}), 2); }
RECORDED_ERROR(gather_axis) { tf::gather(floats({2, 3}), {0}, {.axis = 2}); }
RECORDED_ERROR(slice_beyond) { tf::slice(floats({2, 3}), {0, 2}, {2, 3}); }
RECORDED_ERROR(index_beyond) { floats({2, 3})[2]; }
RECORDED_ERROR(too_many_indices) { floats({2, 3})[{0, 0, 0}]; }
RECORDED_ERROR(expand_dims_axis) { tf::expand_dims(floats({2, 3}), 4); }
RECORDED_ERROR(squeeze_axis_not_one) { tf::squeeze(floats({2, 3}), {0}); }
RECORDED_ERROR(tile_multiples_length) { tf::tile(floats({2, 3}), {2}); }
RECORDED_ERROR(split_not_divisible) { tf::split(floats({5, 2}), 3); }
RECORDED_ERROR(split_unknown_number) { tf::unstack(floats({tf::None, 2})); }
RECORDED_ERROR(where_shapes) {
  auto condition = tf::placeholder(tf::boolean, {3});
  auto a = floats({2}, "a");
  tf::where(condition, a, floats({2}, "b"));
}
RECORDED_ERROR(constant_shape_too_few_values) { tf::constant({1, 2, 3}, {.shape = tf::TensorShape{2, 2}}); }
RECORDED_ERROR(constant_ragged_list) { tf::constant({{1, 2}, {3}}); }
RECORDED_ERROR(constant_mixed_types) { tf::constant({1, "a"}); }
RECORDED_ERROR(constant_wrong_dtype) { tf::constant(1.5, tf::int32); }
RECORDED_ERROR(constant_text_as_float) { tf::constant("a", tf::float32); }
RECORDED_ERROR(set_shape_incompatible) { floats({2, 3}).set_shape({3, 3}); }

// ---- gradients, branches and loops

RECORDED_ERROR(gradients_of_complex_numbers) {
  auto x = of(tf::complex64, {2}, "x");
  tf::gradients(x, {x});
}
RECORDED_ERROR(gradients_of_text) { tf::gradients(tf::constant("a"), {floats({2})}); }
RECORDED_ERROR(while_maximum_iterations_of_unknown_rank) {
  auto most = of(tf::int32, tf::TensorShape::unknown_rank(), "most");
  tf::while_loop([](tf::Tensor i) { return i < 3.0; }, [](tf::Tensor i) { return i * 2.0; }, {1.0},
                 {.maximum_iterations = most});
}
RECORDED_ERROR(while_maximum_iterations_in_a_list) {
  tf::while_loop([](tf::Tensor i) { return i < 3.0; }, [](tf::Tensor i) { return i * 2.0; }, {1.0},
                 {.maximum_iterations = tf::Input({3, 4})});
}

// ---- dtypes

RECORDED_ERROR(add_float_and_int_tensors) {
  auto a = floats({2}, "a");
  a + of(tf::int32, {2}, "b");
}
RECORDED_ERROR(add_function_float_and_int_tensors) {
  auto a = floats({2}, "a");
  tf::add(a, of(tf::int32, {2}, "b"));
}
RECORDED_ERROR(add_int_and_fraction) { of(tf::int32, {2}, "a") + 1.5; }
RECORDED_ERROR(multiply_float_and_double) {
  auto a = floats({2}, "a");
  a* of(tf::float64, {2}, "b");
}
RECORDED_ERROR(divide_float_and_int_tensors) {
  auto a = floats({2}, "a");
  a / of(tf::int32, {2}, "b");
}
RECORDED_ERROR(subtract_function_number_first) { tf::subtract(1, floats({2})); }
RECORDED_ERROR(matmul_float_and_double) {
  auto a = floats({2, 2}, "a");
  tf::matmul(a, of(tf::float64, {2, 2}, "b"));
}
RECORDED_ERROR(matmul_of_bools) {
  auto a = of(tf::boolean, {2, 2}, "a");
  tf::matmul(a, of(tf::boolean, {2, 2}, "b"));
}
RECORDED_ERROR(less_of_bools) {
  auto a = of(tf::boolean, {2}, "a");
  static_cast<void>(a < of(tf::boolean, {2}, "b"));
}
RECORDED_ERROR(add_text) { floats({2}) + "a"; }
RECORDED_ERROR(add_none) { floats({2}) + tf::Tensor(); }
RECORDED_ERROR(sqrt_of_ints) { tf::sqrt(tf::placeholder(tf::int32, {2})); }
RECORDED_ERROR(mean_of_bools) { tf::reduce_mean(tf::placeholder(tf::boolean, {2})); }
RECORDED_ERROR(logical_and_of_floats) { tf::logical_and(floats({2}, "a"), floats({2}, "b")); }
RECORDED_ERROR(concat_dtypes) {
  auto a = floats({2}, "a");
  tf::concat({a, of(tf::int32, {2}, "b")}, 0);
}
RECORDED_ERROR(cast_to_unknown_dtype) { tf::cast(floats({2}), tf::as_dtype("float31")); }
RECORDED_ERROR(where_dtypes) {
  auto condition = tf::placeholder(tf::boolean, {2});
  auto a = floats({2}, "a");
  tf::where(condition, a, of(tf::int32, {2}, "b"));
}
RECORDED_ERROR(gather_with_float_indices) { tf::gather(floats({2, 3}), {0.5}); }
RECORDED_ERROR(add_n_of_nothing) { tf::add_n({}); }

// ---- names and graphs

RECORDED_ERROR(name_with_leading_space) { tf::constant(1.0, {.name = " biases"}); }
RECORDED_ERROR(variable_name_with_leading_space) { tf::Variable(tf::zeros({1}), {.name = " biases"}); }
RECORDED_ERROR(name_with_space) { tf::constant(1.0, {.name = "a b"}); }
RECORDED_ERROR(name_with_star) { tf::constant(1.0, {.name = "1*"}); }
RECORDED_ERROR(name_with_colon) { tf::constant(1.0, {.name = "a:0"}); }
RECORDED_ERROR(name_that_starts_with_underscore) { tf::constant(1.0, {.name = "_a"}); }
RECORDED_ERROR(name_in_scope_with_space) {
  auto scope = tf::name_scope("s");
  tf::constant(1.0, {.name = "a b"});
}
RECORDED_ERROR(name_scope_with_space) { auto scope = tf::name_scope("a b"); }
RECORDED_ERROR(name_scope_with_leading_dash) { auto scope = tf::name_scope("-a"); }
RECORDED_ERROR(name_scope_inner_with_star) {
  auto outer = tf::name_scope("a");
  auto inner = tf::name_scope("b*");
}
RECORDED_ERROR(name_with_final_slash_twice) {
  tf::constant(1, {.name = "a/"});
  tf::constant(2, {.name = "a"});
}
RECORDED_ERROR(operands_of_two_graphs) {
  tf::Graph first, second;
  tf::Tensor a;
  {
    auto scope = first.as_default();
    a = tf::constant(1.0, {.name = "a"});
  }
  auto scope = second.as_default();
  a + tf::constant(2.0, {.name = "b"});
}
RECORDED_ERROR(operand_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::square(a);
}
RECORDED_ERROR(control_dependency_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  auto wait = tf::control_dependencies({a});
  tf::constant(2.0);
}
RECORDED_ERROR(finalized_graph) {
  tf::constant(1.0);
  tf::get_default_graph().finalize();
  tf::constant(2.0);
}
RECORDED_ERROR(tensor_name_not_in_graph) { tf::get_default_graph().get_tensor_by_name("missing:0"); }
RECORDED_ERROR(tensor_name_without_output) {
  tf::constant(1.0, {.name = "a"});
  tf::get_default_graph().get_tensor_by_name("a");
}
RECORDED_ERROR(tensor_name_with_output_too_high) {
  tf::constant(1.0, {.name = "a"});
  tf::get_default_graph().get_tensor_by_name("a:1");
}
RECORDED_ERROR(operation_name_not_in_graph) { tf::get_default_graph().get_operation_by_name("missing"); }
RECORDED_ERROR(operation_name_of_a_tensor) {
  tf::constant(1.0, {.name = "a"});
  tf::get_default_graph().get_operation_by_name("a:0");
}
RECORDED_ERROR(reset_default_graph_inside_graph) {
  tf::Graph graph;
  auto scope = graph.as_default();
  tf::reset_default_graph();
}

// ---- what is left out

using Function = std::function<tf::Tensor(tf::Tensor)>;
tf::Tensor boolean() { return tf::placeholder(tf::boolean, {}); }

RECORDED_ERROR(cond_without_true_fn) {
  tf::cond(boolean(), std::function<int()>(), [] { return 1; });
}
RECORDED_ERROR(cond_without_false_fn) {
  tf::cond(boolean(), [] { return 1; }, std::function<int()>());
}
RECORDED_ERROR(while_loop_without_cond) {
  tf::while_loop(Function(), [](auto i) { return i + 1; }, 0);
}
RECORDED_ERROR(while_loop_without_body) {
  tf::while_loop([](auto i) { return i < 3; }, Function(), 0);
}
RECORDED_ERROR(dataset_map_without_function) { (void)tf::data::Dataset::range(3).map(Function()); }
RECORDED_ERROR(dataset_filter_without_function) { (void)tf::data::Dataset::range(3).filter(Function()); }
RECORDED_ERROR(dataset_flat_map_without_function) {
  (void)tf::data::Dataset::range(3).flat_map(std::function<tf::data::Dataset(tf::Tensor)>());
}
RECORDED_ERROR(dataset_slices_of_a_number) { tf::data::Dataset::from_tensor_slices(3); }
RECORDED_ERROR(cast_without_dtype) { tf::cast(floats({2}), DType::kInvalid); }
RECORDED_ERROR(zeros_without_dtype) { tf::zeros({2}, DType::kInvalid); }
RECORDED_ERROR(placeholder_without_dtype) { tf::placeholder(DType::kInvalid); }

}  // namespace
}  // namespace flowray
