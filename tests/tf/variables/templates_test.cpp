// tests/oracle/programs/templates.py in C++, and what templates know and refuse.
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/templates.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace flowray {
namespace {

tf::Tensor scaled(const tf::Tensor& x, double by = 1.0) {
  auto w = tf::get_variable("w", {2});
  auto product = x * w;
  return product * by;
}

tf::Tensor two() { return tf::placeholder(tf::float32, {2}, {.name = "x"}); }

constexpr auto kScaled = [](const tf::Tensor& x) { return scaled(x); };

GOLDEN_PROGRAM(template_called_twice) {
  const auto times =
      tf::make_template("scaled", [](const tf::Tensor& of, double by) { return scaled(of, by); });
  auto x = two();
  times(x, 1.0);
  times(x, 2.0);
  tf::make_template("scaled", [](const tf::Tensor& of) { return scaled(of, 3.0); })(x);
}

GOLDEN_PROGRAM(template_whose_scope_is_made_at_once) {
  const auto first = tf::make_template("scaled", kScaled, {.create_scope_now = true});
  const auto other = tf::make_template("scaled", kScaled, {.create_scope_now = true});
  auto x = two();
  other(x);
  first(x);
  first(x);
}

GOLDEN_PROGRAM(template_with_a_unique_name) {
  auto x = two();
  const auto only = tf::make_template("ignored", kScaled, {.unique_name = "only"});
  {
    auto net = tf::variable_scope("net", {.use_resource = true});
    only(x);
  }
  auto elsewhere = tf::name_scope("elsewhere");
  only(x);
}

TEST(Template, KnowsItsVariables) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto net = tf::make_template("net", [](const tf::Tensor& x) {
    auto frozen = tf::get_variable("frozen", {2}, {.trainable = false});
    auto counted = tf::get_variable("counted", {}, {.trainable = false, .collections = {"local_variables"}});
    return x * tf::get_variable("w", {2}) + frozen + counted;
  });
  EXPECT_EQ(net.name(), "net");
  EXPECT_EQ(net.variable_scope_name(), "");
  EXPECT_TRUE(net.variables().empty());
  net(two());
  const auto names = [](const std::vector<tf::Variable>& variables) {
    std::vector<std::string> found;
    for (const tf::Variable& variable : variables) found.push_back(variable.name());
    return found;
  };
  EXPECT_EQ(net.variable_scope_name(), "net/");
  EXPECT_EQ(names(net.trainable_variables()), std::vector<std::string>{"net/w:0"});
  EXPECT_EQ(names(net.non_trainable_variables()), std::vector<std::string>{"net/frozen:0"});
  EXPECT_EQ(names(net.variables()), (std::vector<std::string>{"net/frozen:0", "net/w:0", "net/counted:0"}));
}

TEST(Template, MakesVariablesInItsFirstCallOnly) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto net = tf::make_template("net", [](const tf::Tensor& x) { return x * tf::Variable(1.f); });
  auto x = two();
  net(x);
  expect_error<tf::ValueError>([&] { net(x); },
                               "Trainable variable created when calling a template after the first time");
}

TEST(Template, BeginsAnewWhereItsFirstCallFails) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto net = tf::make_template("net", [](bool fails) {
    if (fails) throw std::runtime_error("not yet");
    return tf::get_variable("w", {2});
  });
  EXPECT_THROW(net(true), std::runtime_error);
  const tf::Variable w = net(false);
  EXPECT_EQ(w.name(), "net/w:0");
  EXPECT_EQ(net(false), w);
}

}  // namespace
}  // namespace flowray
