// tests/oracle/programs/graph_def.py in C++.
#include "tf/flow_programs.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>

#include <string>

namespace flowray {
namespace {

template <class Build>
tf::GraphDef message_of(const Build& build) {
  tf::Graph graph;
  auto scope = graph.as_default();
  build();
  return graph.as_graph_def();
}

/// y = x + 2, z = -y after the 2, and a node of no inputs that nobody takes.
tf::GraphDef line() {
  return message_of([] {
    auto x = floats({}, "x");
    auto two = tf::constant(2.0, {.name = "two"});
    auto y = tf::add(x, two, {.name = "y"});
    {
      auto wait = tf::control_dependencies({two});
      tf::negative(y, {.name = "z"});
    }
    tf::no_op("idle");
  });
}

tf::Tensor z_of(const tf::GraphDef& message, const tf::Tensor& x, const std::string& name = "import") {
  return tf::import_graph_def(message,
                              {.input_map = {{"x:0", x}}, .return_elements = {"z:0"}, .name = name})[0]
      .tensor();
}
/// What comes of `x` by the nodes of line().
tf::Tensor imported(const tf::Tensor& x, const std::string& name = "import") { return z_of(line(), x, name); }

// ---- control dependencies

GOLDEN_PROGRAM(import_under_control_dependencies) {
  auto a = floats({}, "a"), b = floats({}, "b");
  auto after_a = tf::control_dependencies({a});
  tf::import_graph_def(line(), {.name = "all"});
  imported(b, "of_b");
  imported(a, "of_a");
  auto inside = tf::identity(b, {.name = "inside"});
  auto after_b = tf::control_dependencies({b});
  auto z = imported(inside, "of_inside");
  tf::negative(z, {.name = "after"});
  auto free = tf::no_control_dependencies();
  imported(inside, "free");
}

GOLDEN_PROGRAM(import_with_a_mapped_control_input) {
  auto a = floats({}, "a");
  auto first = tf::identity(a, {.name = "first"});
  tf::import_graph_def(line(), {.input_map = {{"^two", first}, {"x", a}}});
}

// ---- branches

GOLDEN_PROGRAM(import_in_cond) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::cond(
      x < y, [&] { return imported(x); },
      [&] {
        auto square = tf::square(y);
        return imported(square, "other");
      });
}

GOLDEN_PROGRAM(import_in_cond_in_cond) {
  auto x = floats({}, "x"), y = floats({}, "y");
  auto p = truth("p");
  auto z = tf::cond(
      x < y, [&] { return tf::cond(p, [&] { return imported(x); }, [&] { return y; }); }, [&] { return y; });
  tf::gradients(z, {x, y});
}

GOLDEN_PROGRAM(import_in_cond_under_control_dependencies) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::cond(
      x < y,
      [&] {
        auto a = tf::identity(y, {.name = "a"});
        auto wait = tf::control_dependencies({a, x});
        return imported(x);
      },
      [&] { return y; });
}

tf::GraphDef choosing() {
  return message_of([] {
    auto x = floats({}, "x");
    auto z = tf::cond(x < 1.0, [&] { return x * 2.0; }, [] { return tf::constant(3.0); });
    tf::identity(z, {.name = "z"});
  });
}

GOLDEN_PROGRAM(import_of_cond_in_cond) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::cond(x < y, [&] { return z_of(choosing(), y); }, [&] { return x; });
}

/// z = 4 x by a loop; at its end, what waits for its exit.
tf::GraphDef counting() {
  return message_of([] {
    auto x = floats({}, "x");
    auto z = tf::while_loop([](auto i, auto) { return i < 3; },
                            [&](auto i, auto a) {
                              auto next = i + 1;
                              auto sum = a + x;
                              return Next{next, sum};
                            },
                            {0, x});
    tf::identity(z[1], {.name = "z"});
    auto wait = tf::control_dependencies({z[0]});
    tf::no_op("end");
  });
}

GOLDEN_PROGRAM(import_of_while_in_cond) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::cond(x < y, [&] { return z_of(counting(), y); }, [&] { return x; });
}

// ---- loops

GOLDEN_PROGRAM(import_in_while) {
  auto x = floats({}, "x");
  tf::while_loop([](auto i, auto) { return i < 3; },
                 [&](auto i, auto a) {
                   tf::Tensor z, w;
                   {
                     auto scope = tf::name_scope("scope");
                     z = imported(a);
                     w = imported(x);
                   }
                   auto next = i + 1;
                   auto sum = z + w;
                   return Next{next, sum};
                 },
                 {0, x});
}

GOLDEN_PROGRAM(import_in_the_condition_of_while) {
  auto x = floats({}, "x");
  tf::while_loop([&](tf::Tensor a) { return imported(a) < x; }, [](tf::Tensor a) { return a + 1.0; }, {x});
}

GOLDEN_PROGRAM(import_in_while_under_control_dependencies) {
  auto x = floats({}, "x"), y = floats({}, "y");
  auto nothing = tf::no_op("nothing");
  auto after_y = tf::control_dependencies({y, nothing});
  tf::while_loop([](tf::Tensor a) { return a < 3.0; },
                 [&](tf::Tensor a) {
                   auto b = tf::identity(a, {.name = "b"});
                   tf::Tensor z;
                   {
                     auto wait = tf::control_dependencies({b});
                     z = imported(x);
                   }
                   auto free = tf::no_control_dependencies();
                   imported(y, "free");
                   return z;
                 },
                 {x});
}

GOLDEN_PROGRAM(import_in_cond_in_while) {
  auto x = floats({}, "x"), y = floats({}, "y");
  auto z = tf::while_loop([](auto i, auto) { return i < 3; },
                          [&](auto i, auto a) {
                            tf::Tensor b;
                            {
                              auto wait = tf::control_dependencies({y});
                              b = tf::cond(a < x, [&] { return imported(x); }, [&] { return imported(a); });
                            }
                            auto next = i + 1;
                            return Next{next, b};
                          },
                          {0, x});
  tf::gradients(z[1], {x});
}

GOLDEN_PROGRAM(import_in_while_in_while) {
  auto x = floats({}, "x");
  const auto inner = [&](tf::Tensor a) {
    return tf::while_loop([](tf::Tensor b) { return b < 9.0; },
                          [&](tf::Tensor b) {
                            auto of_x = imported(x);
                            auto sum = b + of_x;
                            auto of_a = imported(a);
                            return sum + of_a;
                          },
                          {a})[0];
  };
  tf::while_loop([](tf::Tensor a) { return a < 100.0; }, inner, {x});
}

GOLDEN_PROGRAM(import_of_while_in_while) {
  auto x = floats({}, "x"), y = floats({}, "y");
  tf::while_loop([](tf::Tensor a) { return a < 3.0; },
                 [&](tf::Tensor a) {
                   auto wait = tf::control_dependencies({a});
                   return z_of(counting(), y);
                 },
                 {x}, {.shape_invariants = {tf::TensorShape::unknown_rank()}});
}

GOLDEN_PROGRAM(gradients_of_import_in_while) {
  auto x = floats({}, "x"), w = floats({}, "w");
  auto z = tf::while_loop([](auto i, auto) { return i < 3; },
                          [&](auto i, auto a) {
                            auto of_a = imported(a);
                            auto next = i + 1;
                            auto of_w = imported(w);
                            return Next{next, tf::tanh(of_a * of_w)};
                          },
                          {0, x});
  tf::gradients(z[1], {x, w});
}

}  // namespace
}  // namespace flowray
