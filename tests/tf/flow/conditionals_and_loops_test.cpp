// tests/oracle/programs/conditionals_and_loops.py in C++, but for its gradients.
#include "tf/flow_programs.h"

#include <flowray/tf/debugging.h>
#include <flowray/tf/variable.h>

namespace flowray {
namespace {

// ---- conditionals

GOLDEN_PROGRAM(cond_of_captured_tensors) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::cond(x < y, [&] { return x + y; }, [&] { return tf::square(y); });
}

GOLDEN_PROGRAM(cond_of_several_values) {
  auto x = floats({2}, "x");
  auto p = truth("p");
  tf::cond(p, tf::Branch([&] {
             auto one = tf::constant(1.0);
             return Values{x, one, 2.0};
           }),
           tf::Branch([&] {
             auto zeros = tf::zeros({2});
             auto first = x[0];
             return Values{zeros, first, 3.0};
           }),
           {.name = "choice"});
}

GOLDEN_PROGRAM(cond_of_operations) {
  tf::Variable v(1.0, {.name = "v"});
  auto p = truth("p");
  tf::cond(p, [&] { return v.assign_add(1.0); }, [&] { return v.assign(0.0); });
  tf::cond(p, [&] { return tf::group({v.assign_sub(1.0)}); }, [] { return tf::no_op(); });
  tf::cond(p, [&] { return tf::Input(v); }, [&] { return v + 1.0; });
}

GOLDEN_PROGRAM(cond_in_cond) {
  auto x = floats({3}, "x"), y = floats({3}, "y");
  auto p = truth("p"), q = truth("q");
  tf::cond(
      p, [&] { return tf::cond(q, [&] { return x * y; }, [&] { return y; }); },
      [&] { return tf::cond(p, [&] { return x; }, [&] { return -x; }); });
}

GOLDEN_PROGRAM(cond_under_control_dependencies) {
  auto x = floats({}, "x");
  auto a = tf::constant(1.0, {.name = "a"});
  {
    auto wait = tf::control_dependencies({a});
    tf::cond(x > 0.0, [] { return tf::constant(2.0); }, [&] { return tf::sqrt(x); });
  }
  tf::Tensor b;
  {
    auto scope = tf::name_scope("scope");
    b = tf::cond(x > 1.0, [] { return tf::ones(tf::TensorShape{}); }, [&] { return x; });
  }
  auto wait = tf::control_dependencies({b});
  tf::identity(x);
}

GOLDEN_PROGRAM(cases) {
  auto x = floats({}, "x");
  const auto give = [](auto make) { return tf::Branch([make] { return Values{make()}; }); };
  auto small = x < 1.0;
  auto middle = x < 2.0;
  tf::case_({{small, give([&] { return x; })}, {middle, give([&] { return tf::square(x); })}},
            {.default_fn = give([] { return tf::constant(3.0); })});
  auto few = x < 1.0;
  auto many = x > 2.0;
  tf::case_({{few, give([&] { return x; })}, {many, give([&] { return -x; })}},
            {.default_fn = give([&] { return x + 1.0; }), .exclusive = true, .name = "one"});
  auto low = x < 1.0;
  auto high = x > 2.0;
  tf::case_({{low, give([&] { return x; })}, {high, give([&] { return -x; })}});
}

GOLDEN_PROGRAM(cases_of_one_pair) {
  auto x = floats({}, "x");
  tf::case_({{x < 1.0, tf::Branch([&] { return Values{x * 2.0}; })}});
  tf::case_({{x < 1.0, tf::Branch([&] { return Values{tf::square(x)}; })}},
            {.exclusive = true, .name = "one"});
}

GOLDEN_PROGRAM(asserts) {
  auto x = floats({}, "x"), n = tf::placeholder(tf::int32, {}, {.name = "n"});
  tf::Assert(n > 0, {"n is", n});
  tf::Assert(x > 0.0, {"x is", x}, 5, {.name = "positive"});
}

// ---- loops

GOLDEN_PROGRAM(while_counts) {
  tf::while_loop([](tf::Tensor i) { return i < 10; }, [](tf::Tensor i) { return i + 1; }, {0});
  tf::while_loop([](tf::Tensor i) { return tf::less(i, 10.0); },
                 [](tf::Tensor i) { return tf::multiply(i, 2.0); }, {tf::constant(1.0)},
                 {.parallel_iterations = 3, .back_prop = false, .swap_memory = true, .name = "double"});
}

GOLDEN_PROGRAM(while_of_several_variables) {
  auto x = floats({2}, "x");
  auto ones = tf::ones({2});
  tf::while_loop([](auto i, auto, auto) { return i < 5; },
                 [](auto i, auto a, auto b) {
                   auto next = i + 1;
                   return Next{next, b, a + b};
                 },
                 {0, x, ones});
}

GOLDEN_PROGRAM(while_takes_values_from_outside) {
  auto x = floats({2, 2}, "x");
  tf::Variable v(tf::ones({2, 2}), {.name = "v"});
  auto n = tf::placeholder(tf::int32, {}, {.name = "n"});
  const auto body = [&](tf::Tensor i, tf::Tensor a) {
    auto c = tf::constant(2.0);
    auto s = tf::shape(x);
    auto next = i + 1;
    auto product = tf::matmul(a, v) * c;
    auto sum = product + x;
    auto shaped = tf::reshape(sum, s);
    return Next{next, shaped + tf::square(x)};
  };
  tf::while_loop([&](tf::Tensor i, tf::Tensor) { return i < n; }, body, {0, x});
}

GOLDEN_PROGRAM(while_with_shape_invariants) {
  auto m = tf::ones({2, 2});
  tf::while_loop([](auto i, auto) { return i < 3; },
                 [](auto i, auto a) {
                   auto next = i + 1;
                   return Next{next, tf::concat({a, a}, 0)};
                 },
                 {0, m}, {.shape_invariants = {tf::TensorShape(), {tf::None, 2}}});
}

GOLDEN_PROGRAM(while_with_maximum_iterations) {
  auto n = tf::placeholder(tf::int64, {}, {.name = "n"});
  auto x = floats({}, "x");
  tf::while_loop([](tf::Tensor a) { return a < 100.0; }, [](tf::Tensor a) { return a * 2.0; }, {x},
                 {.maximum_iterations = 5});
  auto y = floats({}, "y");
  tf::while_loop([](auto a, auto b) { return a < b; }, [](auto a, auto b) { return Next{a * 2.0, b}; },
                 {y, 7.0}, {.maximum_iterations = n});
}

GOLDEN_PROGRAM(while_in_while) {
  auto x = floats({3}, "x");
  const auto body = [&](tf::Tensor i, tf::Tensor a) {
    auto [count, inner] = tf::while_loop([&](auto j, auto) { return j < i; },
                                         [&](auto j, auto b) {
                                           auto next = j + 1;
                                           return Next{next, b + x};
                                         },
                                         {0, a});
    auto next = i + 1;
    return Next{next, inner * 2.0};
  };
  tf::while_loop([](auto i, auto) { return i < 4; }, body, {0, x});
}

GOLDEN_PROGRAM(cond_in_while) {
  auto x = floats({}, "x");
  const auto body = [&](tf::Tensor i, tf::Tensor a) {
    auto next = i + 1;
    auto chosen = tf::cond(a > 10.0, [&] { return a / 2.0; }, [&] { return a * x; });
    return Next{next, chosen};
  };
  tf::while_loop([](auto i, auto) { return i < 4; }, body, {0, x});
}

GOLDEN_PROGRAM(while_in_cond) {
  auto x = floats({}, "x");
  const auto loop = [&] {
    return tf::while_loop([](auto i, auto) { return i < 4; },
                          [&](auto i, auto a) {
                            auto next = i + 1;
                            return Next{next, a * x};
                          },
                          {0, 1.0})[1];
  };
  tf::cond(x > 1.0, loop, [] { return tf::constant(0.0); });
}

GOLDEN_PROGRAM(while_under_control_dependencies) {
  tf::Variable v(0.0, {.name = "v"});
  auto a = tf::constant(1.0, {.name = "a"});
  const auto body = [&](tf::Tensor i) {
    auto wait = tf::control_dependencies({v.assign_add(1.0)});
    return i + 1;
  };
  tf::Tensor result;
  {
    auto wait = tf::control_dependencies({a});
    result = tf::while_loop([](tf::Tensor i) { return i < 3; }, body, {0})[0];
  }
  auto wait = tf::control_dependencies({result});
  tf::identity(v);
}

}  // namespace
}  // namespace flowray
