// tests/oracle/misuses/running.py in C++: errors of sessions, of fetches and feeds, and of values in a step.
#include "support/recorded_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <exception>
#include <thread>
#include <vector>

namespace flowray {
namespace {

void run(const tf::Fetch& fetch, const tf::FeedDict& feeds = {}) {
  tf::Session session;
  session.run(fetch, feeds);
}

/// A placeholder of unknown shape, so that what is wrong shows only in the step.
tf::Tensor unknown(const char* name, DType dtype = tf::float32) {
  return tf::placeholder(dtype, tf::TensorShape::unknown_rank(), {.name = name});
}
Array zeros(const Shape& shape) { return Array(tf::float32, shape); }

// ---- fetches

RECORDED_ERROR(fetch_name_not_in_graph) {
  tf::constant(1.0);
  run("missing:0");
}
RECORDED_ERROR(fetch_operation_name_not_in_graph) {
  tf::constant(1.0);
  run("missing");
}
RECORDED_ERROR(fetch_bad_output_index) {
  tf::constant(1.0, {.name = "a"});
  run("a:1");
}
RECORDED_ERROR(fetch_tensor_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::constant(2.0);
  run(a);
}
RECORDED_ERROR(fetch_operation_of_another_graph) {
  auto a = tf::no_op("a");
  tf::Graph other;
  auto scope = other.as_default();
  tf::constant(2.0);
  run(a);
}
RECORDED_ERROR(run_in_empty_graph) {
  tf::Session session;
  session.run(std::vector<tf::Fetch>{});
}
RECORDED_ERROR(run_name_in_empty_graph) { run("a:0"); }
RECORDED_ERROR(run_in_a_new_thread) {
  tf::constant(1.0, {.name = "a"});
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      run("a:0");
    } catch (const RuntimeError&) {
      thrown = std::current_exception();
    }
  }).join();
  ASSERT_NE(thrown, nullptr);
  std::rethrow_exception(thrown);
}

tf::Tensor doubled_while_small() {
  return tf::while_loop([](tf::Tensor i) { return i < 3.0; }, [](tf::Tensor i) { return i * 2.0; }, {1.0})[0];
}

RECORDED_ERROR(fetch_inside_a_branch) {
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  tf::cond(p, [&] { return x * 3.0; }, [&] { return x; });
  run("cond/mul:0", {{x, 2.0F}, {p, true}});
}
RECORDED_ERROR(fetch_an_operation_inside_a_branch) {
  tf::cond(tf::constant(true), [] { return tf::no_op("nothing"); }, [] { return tf::no_op(); });
  run("cond/nothing");
}
RECORDED_ERROR(fetch_the_switch_of_branches) {
  tf::cond(tf::constant(true), [] { return tf::constant(1.0); }, [] { return tf::constant(2.0); });
  run("cond/Switch:1");
}
RECORDED_ERROR(fetch_what_comes_into_a_branch) {
  auto x = tf::constant(1.0, {.name = "x"});
  tf::cond(tf::constant(true), [&] { return x; }, [] { return tf::constant(2.0); });
  run("cond/Switch_1:1");
}
RECORDED_ERROR(fetch_inside_a_loop) {
  doubled_while_small();
  run("while/mul:0");
}
RECORDED_ERROR(fetch_exit_of_an_inner_loop) {
  tf::while_loop([](tf::Tensor i) { return i < 3.0; },
                 [](tf::Tensor i) {
                   return tf::while_loop([&](tf::Tensor j) { return j < i; },
                                         [](tf::Tensor j) { return j * 2.0; }, {i})[0];
                 },
                 {1.0});
  run("while/while/Exit:0");
}
RECORDED_ERROR(feed_inside_a_loop) {
  auto result = doubled_while_small();
  run(result, {{"while/mul:0", 1.0F}});
}
RECORDED_ERROR(feed_enter_of_a_loop) {
  auto result = doubled_while_small();
  run(result, {{"while/Enter:0", 1.0F}});
}
RECORDED_ERROR(feed_inside_a_branch) {
  auto x = tf::constant(1.0, {.name = "x"});
  run(tf::cond(tf::constant(true), [&] { return x * 3.0; }, [&] { return x; }), {{"cond/mul:0", 5.0F}});
}

// ---- feeds

RECORDED_ERROR(feed_shape) {
  auto x = tf::placeholder(tf::float32, {tf::None, 784}, {.name = "x"});
  run(tf::square(x), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(feed_scalar_shape) {
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  run(tf::square(x), {{x, Array({1.f})}});
}
RECORDED_ERROR(feed_fraction_as_int) {
  auto x = tf::placeholder(tf::int32, {}, {.name = "x"});
  run(tf::square(x), {{x, 1.5}});
}
RECORDED_ERROR(feed_int_too_large) {
  auto x = tf::placeholder(tf::int32, {}, {.name = "x"});
  run(tf::square(x), {{x, int64_t{1} << 40}});
}
RECORDED_ERROR(feed_int_too_large_for_unsigned) {
  auto x = tf::placeholder(tf::uint8, {}, {.name = "x"});
  run(tf::identity(x), {{x, 256}});
}
RECORDED_ERROR(feed_negative_int_as_unsigned) {
  auto x = tf::placeholder(tf::uint8, {}, {.name = "x"});
  run(tf::identity(x), {{x, -1}});
}
RECORDED_ERROR(feed_int_as_bool) {
  auto x = tf::placeholder(tf::boolean, {}, {.name = "x"});
  run(tf::identity(x), {{x, 2}});
}
RECORDED_ERROR(feed_ragged_list) {
  auto x = unknown("x");
  run(tf::square(x), {{x, Array({{1.0}, {1.0, 2.0}})}});
}
RECORDED_ERROR(feed_name_not_in_graph) { run(tf::constant(1.0), {{"missing:0", 1.0}}); }
RECORDED_ERROR(feed_tensor_of_another_graph) {
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  tf::Graph other;
  auto scope = other.as_default();
  run(tf::constant(1.0), {{x, 1.0}});
}
RECORDED_ERROR(placeholder_not_fed) {
  run(tf::square(tf::placeholder(tf::float32, {tf::None, 784}, {.name = "x"})));
}
RECORDED_ERROR(placeholder_not_fed_unknown_shape) { run(tf::square(unknown("x", tf::int32))); }
RECORDED_ERROR(placeholder_not_fed_scalar) {
  run(tf::square(tf::placeholder(tf::float64, {}, {.name = "x"})));
}

// ---- variables

RECORDED_ERROR(variable_not_initialized) { run(tf::Variable({1.0, 2.0}, {.name = "v"})); }
RECORDED_ERROR(variable_not_initialized_in_expression) { run(tf::Variable({1.0, 2.0}, {.name = "v"}) * 2.0); }
RECORDED_ERROR(variable_not_initialized_in_update) {
  run(tf::Variable({1.0, 2.0}, {.name = "v"}).assign_add({1.0, 1.0}));
}
RECORDED_ERROR(assign_shape_at_run_time) {
  tf::Variable v({1.0, 2.0}, {.name = "v"});
  auto x = unknown("x");
  run(v.assign(x), {{x, Array({1.f, 2.f, 3.f})}});
}
RECORDED_ERROR(assign_add_shape_at_run_time) {
  tf::Variable v({1.0, 2.0}, {.name = "v"});
  auto x = unknown("x");
  tf::Session session;
  session.run(v.initializer());
  session.run(v.assign_add(x), {{x, Array({1.f, 2.f, 3.f})}});
}

// ---- sessions

RECORDED_ERROR(closed_session) {
  auto x = tf::constant(1.0);
  tf::Session session;
  session.close();
  session.run(x);
}
RECORDED_ERROR(eval_without_session) { tf::constant(1.0).eval(); }
RECORDED_ERROR(operation_run_without_session) { tf::no_op().run(); }
RECORDED_ERROR(eval_in_session_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::constant(2.0, {.name = "b"});
  tf::Session session;
  a.eval({}, &session);
}
RECORDED_ERROR(eval_with_default_session_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::constant(1.0);
  tf::Session session;
  auto default_session = session.as_default();
  a.eval();
}
RECORDED_ERROR(callable_wrong_shape) {
  auto x = tf::placeholder(tf::float32, {2}, {.name = "x"});
  tf::Session session;
  session.make_callable(x * 2.0, {x})(zeros({3}));
}
RECORDED_ERROR(callable_wrong_dtype) {
  auto x = tf::placeholder(tf::float32, {2}, {.name = "x"});
  tf::Session session;
  session.make_callable(x * 2.0, {x})(Array(tf::int32, {2}));
}
RECORDED_ERROR(callable_int_too_large) {
  auto x = tf::placeholder(tf::int32, {}, {.name = "x"});
  tf::Session session;
  session.make_callable(tf::square(x), {x})(int64_t{3000000000});
}
RECORDED_ERROR(callable_fetch_of_another_graph) {
  auto a = tf::constant(1.0, {.name = "a"});
  tf::Graph other;
  auto scope = other.as_default();
  tf::constant(1.0);
  tf::Session session;
  session.make_callable(a);
}

// ---- values

RECORDED_ERROR(run_add_shapes) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::add(x, y), {{x, zeros({2, 3})}, {y, zeros({2, 4})}});
}
RECORDED_ERROR(run_matmul_shapes) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::matmul(x, y), {{x, zeros({2, 3})}, {y, zeros({4, 5})}});
}
RECORDED_ERROR(run_matmul_of_vectors) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::matmul(x, y), {{x, zeros({3})}, {y, zeros({3})}});
}
RECORDED_ERROR(run_reshape_size) {
  auto x = unknown("x");
  run(tf::reshape(x, {4, 2}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_reshape_not_divisible) {
  auto x = unknown("x");
  run(tf::reshape(x, {-1, 4}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_reshape_two_unknown) {
  auto x = unknown("x");
  run(tf::reshape(x, tf::placeholder_with_default({-1, -1}, {2})), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_concat_shapes) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::concat({x, y}, 0), {{x, zeros({2, 3})}, {y, zeros({2, 4})}});
}
RECORDED_ERROR(run_stack_shapes) {
  auto x = unknown("x"), y = unknown("y");
  run(tf::stack({x, y}), {{x, zeros({2})}, {y, zeros({3})}});
}
RECORDED_ERROR(run_gather_out_of_range) {
  auto x = tf::placeholder(tf::int32, {tf::None}, {.name = "x"});
  run(tf::gather(tf::constant({1.0, 2.0, 3.0}), x), {{x, Array({0, 3})}});
}
RECORDED_ERROR(run_gather_negative_index) {
  auto x = tf::placeholder(tf::int32, {tf::None}, {.name = "x"});
  run(tf::gather(tf::constant({{1.0}, {2.0}}), x), {{x, Array({-1})}});
}
RECORDED_ERROR(run_int_division_by_zero) {
  auto x = tf::placeholder(tf::int32, {2}, {.name = "x"});
  run(tf::floordiv(x, 0), {{x, Array({1, 2})}});
}
RECORDED_ERROR(run_int_division_by_zero_tensor) {
  auto x = unknown("x", tf::int32), y = unknown("y", tf::int32);
  run(tf::floordiv(x, y), {{x, Array({1, 2})}, {y, Array({1, 0})}});
}
RECORDED_ERROR(run_int_mod_by_zero) {
  auto x = unknown("x", tf::int32), y = unknown("y", tf::int32);
  run(x % y, {{x, Array({1, 2})}, {y, Array({1, 0})}});
}
RECORDED_ERROR(run_int_negative_power) {
  auto x = unknown("x", tf::int32), y = unknown("y", tf::int32);
  run(tf::pow(x, y), {{x, Array({1, 2})}, {y, Array({1, -1})}});
}
RECORDED_ERROR(run_argmax_axis) {
  auto x = unknown("x");
  run(tf::argmax(x, 2), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_several_bad_nodes) {
  auto x = unknown("x");
  auto bad = tf::reshape(x, {4, 2}, {.name = "bad"});
  auto good = tf::square(x);
  tf::Session session;
  session.run({bad, good}, {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_argmax_of_empty) {
  auto x = unknown("x");
  run(tf::argmax(x, 1), {{x, zeros({2, 0})}});
}
RECORDED_ERROR(run_reduce_axis) {
  auto x = unknown("x");
  run(tf::reduce_sum(x, 2), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_reduce_axis_twice) {
  auto x = unknown("x");
  run(tf::reduce_sum(x, {0, -2}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_transpose_permutation) {
  auto x = unknown("x");
  run(tf::transpose(x, {0, 0}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_slice_beyond) {
  auto x = unknown("x");
  run(tf::slice(x, {0, 2}, {2, 3}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_index_beyond) {
  auto x = unknown("x");
  run(x[2], {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_expand_dims_axis) {
  auto x = unknown("x");
  run(tf::expand_dims(x, 4), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_squeeze_axis) {
  auto x = unknown("x");
  run(tf::squeeze(x, {0}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_tile_multiples) {
  auto x = unknown("x");
  run(tf::tile(x, {2}), {{x, zeros({2, 3})}});
}
RECORDED_ERROR(run_split_not_divisible) {
  auto x = unknown("x");
  run(tf::split(x, 3)[0], {{x, zeros({5, 2})}});
}
RECORDED_ERROR(run_fill_negative) {
  auto x = tf::placeholder(tf::int32, {1}, {.name = "x"});
  run(tf::fill(x, 1.0), {{x, Array({-1})}});
}
RECORDED_ERROR(run_where_shapes) {
  auto condition = unknown("condition", tf::boolean);
  auto x = unknown("x"), y = unknown("y");
  const Array bools(std::vector<bool>{true, false, true});
  run(tf::where(condition, x, y), {{condition, bools}, {x, zeros({2})}, {y, zeros({2})}});
}
RECORDED_ERROR(run_random_uniform_int_empty_range) {
  run(tf::random_uniform({2}, 5, 5, {.dtype = tf::int32}));
}
RECORDED_ERROR(run_random_uniform_negative_shape) {
  auto x = tf::placeholder(tf::int32, {1}, {.name = "x"});
  run(tf::random_uniform(x), {{x, Array({-1})}});
}
RECORDED_ERROR(run_range_wrong_direction) {
  auto x = tf::placeholder(tf::int32, {}, {.name = "x"});
  run(tf::range(5, 0, x), {{x, 1}});
}

}  // namespace
}  // namespace flowray
