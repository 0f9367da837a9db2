// tests/oracle/programs/control_flow.py, and the name scopes of variable_scope.py, in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/variable.h>
#include <flowray/tf/variable_scope.h>

#include <utility>

namespace flowray {
namespace {

std::pair<tf::Tensor, tf::Tensor> two_constants() {
  auto a = tf::constant(1, {.name = "a"});
  auto b = tf::constant(2, {.name = "b"});
  return {a, b};
}

GOLDEN_PROGRAM(collections) {
  auto x = tf::constant(1.0f, {.name = "x"});
  tf::add_to_collection("mine", x);
  tf::add_to_collection("mine", x.op());
  tf::add_to_collection(tf::GraphKeys::LOSSES, x);
  tf::Variable(1.0f, {.collections = {"mine", tf::GraphKeys::GLOBAL_VARIABLES}, .name = "v"});
  tf::get_variable("w", {1}, {.collections = {"mine"}});
}

GOLDEN_PROGRAM(groups) {
  auto [a, b] = two_constants();
  tf::group({a, b});
  tf::group(a, "named");
  tf::group({a, b});
  tf::group({});
  tf::no_op();
  tf::no_op("nothing");
}

GOLDEN_PROGRAM_WITHOUT(tuples, "NoOp", "tuple_1/") {
  auto [a, b] = two_constants();
  EXPECT_EQ(tf::tuple({a, b}).size(), 2u);
  auto pair = tf::tuple({a, tf::Tensor(), b}, "pair");
  EXPECT_FALSE(pair[1].has_value());
}

GOLDEN_PROGRAM(control_dependencies) {
  auto [a, b] = two_constants();
  {
    auto wait = tf::control_dependencies({a, b});
    tf::constant(3);
    a + b;
    {
      auto inner = tf::control_dependencies({tf::no_op()});
      tf::identity(a);
    }
    auto free = tf::no_control_dependencies();
    tf::identity(b);
  }
  tf::identity(a);
}

GOLDEN_PROGRAM(control_dependencies_already_met) {
  auto a = tf::constant(1, {.name = "a"});
  auto wait = tf::control_dependencies({a});
  auto b = tf::identity(a, {.name = "b"});
  tf::negative(b, {.name = "c"});
  tf::constant(0, {.name = "d"});
}

GOLDEN_PROGRAM(control_dependencies_on_assign) {
  tf::Variable v(1.0, {.name = "v"});
  auto update = v.assign_add(1.0);
  auto wait = tf::control_dependencies({update});
  v.read_value();
  tf::identity(v);
  tf::group({update});
}

GOLDEN_PROGRAM(colocation) {
  auto a = tf::constant(1, {.name = "a"});
  tf::Tensor b;
  {
    auto with = tf::colocate_with(a.op());
    b = tf::negative(a);
  }
  auto with = tf::colocate_with(b.op());
  tf::negative(b);
}

GOLDEN_PROGRAM(assign_functions) {
  tf::Variable v(1, {.name = "v"});
  tf::assign(v, 2);
  tf::assign_add(v, 1);
  tf::assign_sub(v, 1, {.name = "less"});
  tf::assign(v, 3, {.use_locking = false, .name = "set"});
}

GOLDEN_PROGRAM(name_scope_nesting) {
  {
    auto outer = tf::name_scope("outer");
    tf::constant(1);
    {
      auto inner = tf::name_scope("inner");
      tf::constant(2);
      tf::constant(3);
    }
    auto inner = tf::name_scope("inner");
    tf::constant(4);
  }
  {
    auto outer = tf::name_scope("outer");
    tf::constant(5);
  }
  tf::constant(6, {.name = "outer"});
}

void constant_in(std::string_view scope_name, int value) {
  auto scope = tf::name_scope(scope_name);
  tf::constant(value);
}

GOLDEN_PROGRAM(name_scope_reentered) {
  std::string path;
  {
    auto scope = tf::name_scope("a");
    path = scope.path();
    tf::constant(1);
  }
  constant_in(path, 2);
  constant_in("a/", 3);
  constant_in("", 4);
  auto b = tf::name_scope("b");
  constant_in("", 5);
  constant_in("a/", 6);
  constant_in("", 7);
}

GOLDEN_PROGRAM(name_scope_collisions) {
  tf::constant(0, {.name = "a"});
  constant_in("a", 1);
  tf::constant(0, {.name = "a_1"});
  constant_in("a", 2);
  constant_in("a_1", 3);
  tf::constant(0, {.name = "a"});
}

GOLDEN_PROGRAM(name_scope_with_default_and_values) {
  auto x = tf::constant(1.0, {.name = "x"});
  for (const char* name : {"default_name", "given", "default_name"}) {
    auto scope = tf::name_scope(name);
    x + 1.0;
  }
}

GOLDEN_PROGRAM(graph_name_scope) {
  auto graph = tf::get_default_graph();
  {
    auto scope = tf::name_scope("g");
    tf::constant(1);
    constant_in("g", 2);
  }
  constant_in("g", 3);
  EXPECT_EQ(graph.unique_name("g"), "g_2");
  tf::constant(1, {.name = "g"});
}

}  // namespace
}  // namespace flowray
