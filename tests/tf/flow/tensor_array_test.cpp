// tests/oracle/programs/tensor_array.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/tensor_array.h>

#include <string>

namespace flowray {
namespace {

using Values = std::vector<tf::Tensor>;
using Results = std::vector<tf::Input>;

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

GOLDEN_PROGRAM(tensor_array_by_element) {
  const auto x = floats({3}, "x");
  tf::TensorArray array(tf::float32, {.size = 3});
  array = array.write(0, x);
  array = array.write(1, x * 2.0);
  array.read(1);
  array = array.write(2, tf::zeros({3}), {.name = "last"});
  array.stack({.name = "rows"});
  array.size();
  array.close();
}

GOLDEN_PROGRAM(tensor_array_as_a_whole) {
  const auto x = floats({4, 2}, "x");
  tf::TensorArray array(tf::float32,
                        {.size = 4, .clear_after_read = false, .element_shape = {2}, .name = "rows"});
  array = array.unstack(x);
  array.gather({0, 2});
  array.concat();
  const auto same = array.identity();
  same.scatter({1, 3}, tf::ones({2, 2})).read(0, {.name = "first"});
  tf::TensorArray parts(tf::float32, {.size = 2, .dynamic_size = true, .infer_shape = false});
  parts = parts.split(x, {1, 3});
  parts.stack();
  parts.concat();
}

GOLDEN_PROGRAM(tensor_array_of_unknown_size) {
  const auto x = floats({tf::None, 5}, "x");
  const auto n = tf::shape(x)[0];
  const auto array = tf::TensorArray(tf::float32, {.size = n, .tensor_array_name = "rows"}).unstack(x);
  const auto scope = tf::name_scope("scope");
  array.stack();
}

GOLDEN_PROGRAM(tensor_array_in_a_loop) {
  const auto x = floats({2}, "x");
  const tf::TensorArray array(tf::float32, {.size = 5});
  const auto goes_on = [](const tf::Tensor& i, const tf::Tensor&, const tf::Tensor&) { return i < 5; };
  const auto body = [&](const tf::Tensor& i, const tf::Tensor& flow, const tf::Tensor& s) {
    const auto next = i + 1;
    const auto written = array.with_flow(flow).write(i, s);
    return Results{next, written.flow(), s * 2.0};
  };
  const auto last = tf::while_loop(goes_on, body, {0, array.flow(), x});
  tf::gradients({array.with_flow(last[1]).stack()}, {x});
}

GOLDEN_PROGRAM(map_fn_of_a_function) {
  tf::map_fn([](const Values& row) { return Results{row[0] * 2.0 + 1.0}; }, {floats({4, 2}, "x")});
}

GOLDEN_PROGRAM(map_fn_of_several) {
  const auto x = floats({tf::None, 2}, "x");
  const auto n = tf::placeholder(tf::int64, {tf::None}, {.name = "n"});
  tf::map_fn([](const Values& row) { return Results{row[0] * tf::to_float(row[1]), row[1]}; }, {x, n},
             {.dtypes = {tf::float32, tf::int64},
              .parallel_iterations = 3,
              .back_prop = false,
              .swap_memory = true,
              .name = "both"});
  tf::map_fn([](const Values& row) { return Results{tf::reduce_sum(row[0])}; }, {x}, {.infer_shape = false});
}

GOLDEN_PROGRAM(gradients_of_map_fn) {
  const auto x = floats({4, 2}, "x");
  const auto w = floats({2}, "w");
  const auto y = tf::map_fn([&](const Values& row) { return Results{row[0] * w}; }, {x});
  tf::gradients({y[0]}, {x, w});
}

GOLDEN_PROGRAM(foldl_and_foldr) {
  const auto x = floats({5}, "x");
  tf::foldl([](const Values& a, const Values& b) { return Results{a[0] + b[0]}; }, {x});
  tf::foldr([](const Values& a, const Values& b) { return Results{a[0] * b[0]}; }, {x},
            {.initializer = {2.0}, .name = "product"});
  tf::foldl([](const Values& a, const Values& b) { return Results{a[0] + b[0] * b[1]}; }, {x, x},
            {.initializer = {tf::constant(0.0)}, .back_prop = false});
}

GOLDEN_PROGRAM(scans) {
  const auto x = floats({5, 3}, "x");
  tf::scan([](const Values& a, const Values& b) { return Results{a[0] + b[0]}; }, {x});
  tf::scan([](const Values& a, const Values& b) { return Results{a[0] * b[0]}; }, {x},
           {.initializer = {tf::ones({3})}, .reverse = true, .name = "backwards"});
  tf::scan([](const Values& a, const Values&) { return Results{a[1], a[0] + a[1]}; }, {tf::zeros({6})},
           {.initializer = {0, 1}});
}

GOLDEN_PROGRAM(scan_of_unknown_length) {
  const auto x = floats({tf::None, 3}, "x");
  const auto h = floats({3}, "h");
  const auto y = tf::scan([](const Values& a, const Values& b) { return Results{tf::tanh(a[0] + b[0])}; },
                          {x}, {.initializer = {h}});
  tf::gradients({y[0]}, {h});
}

}  // namespace
}  // namespace flowray
