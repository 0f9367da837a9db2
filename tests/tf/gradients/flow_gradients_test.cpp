// The gradients of tests/oracle/programs/conditionals_and_loops.py in C++.
#include "tf/flow_programs.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/session.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

namespace flowray {
namespace {

const tf::TensorShape kAnyShape = tf::TensorShape::unknown_rank();

/// `times` iterations of `step` from `x`.
template <class Step>
tf::Tensor repeated(int times, const tf::Tensor& x, const Step& step) {
  return tf::while_loop([times](auto i, auto) { return i < times; },
                        [&](auto i, auto a) {
                          auto next = i + 1;
                          return Next{next, step(a)};
                        },
                        {0, x})[1];
}

GOLDEN_PROGRAM(gradients_of_cond) {
  auto x = floats({}, "x"), y = floats({}, "y");
  auto z = tf::cond(x < y, [&] { return x * y; }, [&] { return tf::square(y); });
  tf::gradients(z, {x, y});
}

GOLDEN_PROGRAM(gradients_of_cond_of_unknown_shapes) {
  auto x = floats({tf::None, 2}, "x"), y = floats(kAnyShape, "y");
  auto p = truth("p");
  auto z = tf::cond(p, tf::Branch([&] { return Values{x * 2.0, y}; }), tf::Branch([&] {
                      auto e = tf::exp(x);
                      return Values{e, y * y};
                    }));
  auto first = tf::reduce_sum(z[0]);
  auto sum = first + tf::reduce_sum(z[1]);
  tf::gradients(sum, {x, y});
}

GOLDEN_PROGRAM(gradients_of_cond_in_cond) {
  auto x = floats({3}, "x"), y = floats({3}, "y");
  auto p = truth("p"), q = truth("q");
  auto z =
      tf::cond(p, [&] { return tf::cond(q, [&] { return x * y; }, [&] { return y; }); }, [&] { return x; });
  tf::gradients(z, {x, y});
}

GOLDEN_PROGRAM(gradients_of_while) {
  auto x = floats({}, "x");
  tf::gradients(repeated(3, x, [](auto a) { return a * a; }), {x});
}

GOLDEN_PROGRAM(gradients_of_while_by_captured_tensors) {
  auto x = floats({2, 2}, "x"), w = floats({2, 2}, "w");
  tf::gradients(repeated(3, x, [&](auto a) { return tf::tanh(tf::matmul(a, w)); }), {x, w});
}

GOLDEN_PROGRAM(gradients_of_while_by_variables) {
  auto x = floats({tf::None, 2}, "x");
  auto w = tf::get_variable("w", {2, 2}, {.initializer = tf::ones_initializer()});
  auto b = tf::get_variable("b", {2}, {.initializer = tf::zeros_initializer()});
  auto n = tf::placeholder(tf::int32, {}, {.name = "n"});
  auto y = tf::while_loop([&](auto i, auto) { return i < n; },
                          [&](auto i, auto a) {
                            auto next = i + 1;
                            return Next{next, tf::nn::relu(tf::matmul(a, w) + b)};
                          },
                          {0, x})[1];
  auto loss = tf::reduce_mean(y);
  tf::train::GradientDescentOptimizer(0.1).minimize(loss);
}

GOLDEN_PROGRAM(gradients_of_while_of_several_variables) {
  auto x = floats({2}, "x"), y = floats({2}, "y");
  auto [total, last, same] = tf::while_loop([](auto a, auto, auto) { return tf::reduce_sum(a) < 10.0; },
                                            [](auto a, auto b, auto c) {
                                              auto sum = a + b;
                                              return Next{sum, b * c, c};
                                            },
                                            {x, y, y});
  tf::gradients(total, {x, y});
}

GOLDEN_PROGRAM(gradients_of_while_whose_variable_starts_anew) {
  auto x = floats({}, "x"), y = floats({}, "y");
  auto [count, anew_each_time, sum] = tf::while_loop([](auto i, auto, auto) { return i < 3; },
                                                     [&](auto i, auto a, auto b) {
                                                       auto next = i + 1;
                                                       auto anew = y * 2.0;
                                                       return Next{next, anew, b + a};
                                                     },
                                                     {0, x, y});
  tf::gradients(sum, {x, y});
}

GOLDEN_PROGRAM(gradients_of_while_of_unknown_shapes) {
  auto x = floats(kAnyShape, "x"), w = floats({tf::None}, "w");
  auto [count, anew_each_time, sum] =
      tf::while_loop([](auto i, auto, auto) { return i < 3; },
                     [&](auto i, auto a, auto b) {
                       auto next = i + 1;
                       auto product = a * w;
                       return Next{next, product, b + a};
                     },
                     {0, x, x}, {.shape_invariants = {tf::TensorShape(), kAnyShape, kAnyShape}});
  tf::gradients(sum, {x, w});
}

GOLDEN_PROGRAM(gradients_of_while_in_while) {
  auto x = floats({2}, "x"), w = floats({2}, "w");
  const auto body = [&](tf::Tensor i, tf::Tensor a) {
    auto [count, inner] = tf::while_loop([&](auto j, auto) { return j < i; },
                                         [&](auto j, auto b) {
                                           auto next = j + 1;
                                           return Next{next, b * w};
                                         },
                                         {0, a});
    auto next = i + 1;
    return Next{next, tf::sin(inner)};
  };
  auto y = tf::while_loop([](auto i, auto) { return i < 4; }, body, {0, x})[1];
  tf::gradients(y, {x, w});
}

GOLDEN_PROGRAM(gradients_of_while_in_while_of_unknown_shapes) {
  auto x = floats({tf::None}, "x"), w = floats({tf::None}, "w");
  const auto body = [&](tf::Tensor i, tf::Tensor a) {
    auto [count, inner, unused] = tf::while_loop([&](auto j, auto, auto) { return j < i; },
                                                 [&](auto j, auto b, auto c) {
                                                   auto next = j + 1;
                                                   auto product = b * w;
                                                   return Next{next, product, c * b};
                                                 },
                                                 {0, a, w});
    auto next = i + 1;
    return Next{next, tf::sin(inner)};
  };
  auto y = tf::while_loop([](auto i, auto) { return i < 4; }, body, {0, x})[1];
  tf::gradients(y, {x, w});
}

GOLDEN_PROGRAM(gradients_of_cond_in_while) {
  auto x = floats({}, "x");
  tf::Variable w(2.0, {.name = "w"});
  auto y = repeated(4, x, [&](auto a) {
    return tf::cond(
        a > 10.0, [&] { return a / w; },
        [&] {
          auto square = a * a;
          return square * x;
        });
  });
  tf::gradients(y, {x, w});
}

GOLDEN_PROGRAM(gradients_of_cond_in_while_of_unknown_shapes) {
  auto x = floats({tf::None}, "x"), w = floats({tf::None}, "w");
  auto y = repeated(4, x, [&](auto a) {
    return tf::cond(tf::reduce_sum(a) > 10.0, [&] { return a / w; }, [&] { return a * a; });
  });
  tf::gradients(y, {x, w});
}

GOLDEN_PROGRAM(gradients_of_while_in_cond) {
  auto x = floats({}, "x");
  const auto loop = [&] {
    return tf::while_loop([](auto i, auto) { return i < 4; },
                          [&](auto i, auto a) {
                            auto next = i + 1;
                            return Next{next, a * x};
                          },
                          {0, 1.0})[1];
  };
  auto y = tf::cond(x > 1.0, loop, [] { return tf::constant(0.0); });
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(gradients_of_while_with_one_iteration_at_a_time) {
  auto x = floats({2}, "x");
  auto [y] = tf::while_loop([](tf::Tensor a) { return tf::reduce_sum(a) < 10.0; },
                            [&](tf::Tensor a) { return a * a + x; }, {x}, {.parallel_iterations = 1});
  tf::gradients(y, {x}, {.grad_ys = {tf::ones({2})}, .name = "backwards"});
}

GOLDEN_PROGRAM(gradients_of_while_without_back_prop) {
  auto x = floats({}, "x");
  auto [y] = tf::while_loop([](tf::Tensor a) { return a < 10.0; }, [&](tf::Tensor a) { return a * x; }, {1.0},
                            {.back_prop = false});
  tf::gradients(y + x, {x});
}

/// What an update under which gradients are made reads comes from the loop that they go back through: an
/// average of an RNN's result, say. y = x^8.
class GradientsAfterAnUpdate : public ::testing::TestWithParam<bool> {};

TEST_P(GradientsAfterAnUpdate, GoThroughTheLoopThatItReads) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable x(1.1f);
  const tf::Variable average(0.f, {.trainable = false});
  const auto cubed = [&] { return repeated(3, x.value(), [](auto a) { return a * a; }); };
  const tf::Tensor pred = tf::placeholder(tf::boolean, {});
  const tf::Tensor y = GetParam() ? tf::cond(pred, cubed, [&] { return x.value(); }) : cubed();
  const tf::Tensor update = average.assign(y);
  tf::Tensor gradient;
  {
    const auto after = tf::control_dependencies({update});
    gradient = tf::gradients(y, {x})[0];
  }
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_NEAR(session.run(gradient, {{pred, true}}).item<float>(), 15.589737f, 1e-4f);  // 8 * 1.1^7
  EXPECT_NEAR(session.run(average).item<float>(), 2.1435888f, 1e-5f);
  if (!GetParam()) return;
  EXPECT_NEAR(session.run(gradient, {{pred, false}}).item<float>(), 1.f, 1e-6f);
}

INSTANTIATE_TEST_SUITE_P(, GradientsAfterAnUpdate, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "InABranch" : "Alone"; });

}  // namespace
}  // namespace flowray
