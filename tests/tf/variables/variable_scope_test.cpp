// Programs of tests/oracle/programs that change scopes in C++, custom getters, and scopes that are closed out
// of order.
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable_scope.h>

#include <string>
#include <vector>

namespace flowray {
namespace {

GOLDEN_PROGRAM(scopes_that_are_changed) {
  {
    auto guard = tf::variable_scope("net");
    tf::VariableScope scope = tf::get_variable_scope();
    scope.set_initializer(tf::zeros_initializer());
    tf::get_variable("zeros", {2});
    scope.set_dtype(tf::float64);
    tf::get_variable("wide", {2});
    scope.set_use_resource(true);
    tf::get_variable("resource", {2});
    scope.set_partitioner(tf::fixed_size_partitioner(2));
    tf::get_variable("cut", {2});
    scope.set_partitioner(nullptr);
    tf::get_variable_scope().reuse_variables();
    tf::get_variable("zeros", {2}, {.dtype = tf::float32});
  }
  auto other = tf::variable_scope("other");
  tf::get_variable_scope().set_caching_device("/cpu:0");
  tf::get_variable("v", {2});
}

GOLDEN_PROGRAM(variables_for_replicas) {
  using Synchronization = tf::VariableSynchronization;
  using Aggregation = tf::VariableAggregation;
  tf::Variable(1.0, {.name = "v", .synchronization = Synchronization::ON_READ});
  tf::Variable(1.0, {.name = "r", .use_resource = true, .aggregation = Aggregation::MEAN});
  tf::get_variable("w", {2}, {.synchronization = Synchronization::ON_READ, .aggregation = Aggregation::SUM});
  tf::get_variable("x", {2}, {.synchronization = Synchronization::ON_WRITE});
}

GOLDEN_PROGRAM(variables_by_their_scopes) {
  {
    auto a = tf::variable_scope("a");
    tf::get_variable("v", {});
    tf::get_variable("w", {}, {.collections = {tf::GraphKeys::LOCAL_VARIABLES}});
  }
  {
    auto b = tf::variable_scope("b");
    tf::get_variable("v", {});
  }
  tf::variables_initializer(tf::global_variables("a/"), "of_a");
  tf::variables_initializer(tf::trainable_variables(".*v"), "of_v");
  tf::variables_initializer(tf::local_variables("a"), "local");
}

GOLDEN_PROGRAM(variables_that_count) {
  tf::Variable(0, {.name = "v"}).count_up_to(5);
  tf::count_up_to(tf::Variable(0, {.name = "w"}), 3, {.name = "counted"});
  auto zero = tf::constant(0, {.dtype = tf::int64});
  tf::Variable(zero, {.name = "r", .use_resource = true}).count_up_to(5);
}

GOLDEN_PROGRAM(variable_count_up_to) {
  tf::Variable v(0, {.name = "v"});
  v.count_up_to(5);
}

TEST(Variable, CountsUpToALimit) {
  for (const bool use_resource : {false, true}) {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    tf::Variable v(3, {.use_resource = use_resource});
    auto count = v.count_up_to(5);
    tf::Session session;
    session.run(v.initializer());
    EXPECT_EQ(session.run(count), Array(3));
    EXPECT_EQ(session.run(count), Array(4));
    expect_error<errors::OutOfRangeError>([&] { session.run(count); }, "Reached limit of 5");
    EXPECT_EQ(v.eval(&session), Array(5));
  }
}

TEST(Variable, OfReplicasThatReadItTogetherIsNotTrained) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Variable v(1.0, {.synchronization = tf::VariableSynchronization::ON_READ});
  EXPECT_FALSE(v.trainable());
  EXPECT_EQ(v.synchronization(), tf::VariableSynchronization::ON_READ);
  EXPECT_EQ(v.aggregation(), tf::VariableAggregation::NONE);
  expect_error<tf::ValueError>(
      [] {
        tf::get_variable("w", {},
                         {.trainable = true, .synchronization = tf::VariableSynchronization::ON_READ});
      },
      "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable "
      "variables.");
}

// ---- custom getters

TEST(CustomGetter, ChangesWhatIsAskedForInTheScopesInside) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  std::vector<std::string> asked;
  const auto frozen = [&](const tf::VariableGetterFunction& getter, tf::GetVariableCall call) {
    asked.push_back("outer " + call.name);
    call.options.trainable = false;
    return getter(call);
  };
  const auto renamed = [&](const tf::VariableGetterFunction& getter, tf::GetVariableCall call) {
    asked.push_back("inner " + call.name);
    call.name += "_own";
    return getter(call);
  };
  {
    auto outer = tf::variable_scope("net", {.custom_getter = frozen});
    auto inner = tf::variable_scope("layer", {.custom_getter = renamed});
    EXPECT_EQ(tf::get_variable("w", {2}).name(), "net/layer/w_own:0");
  }
  tf::get_variable("after", {2});
  EXPECT_EQ(asked, (std::vector<std::string>{"inner net/layer/w", "outer net/layer/w_own"}));
  ASSERT_EQ(tf::trainable_variables().size(), 1U);
  EXPECT_EQ(tf::trainable_variables()[0].name(), "after:0");
}

TEST(CustomGetter, OfOneCallStandsForThatOfTheScope) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable own(1.f, {.name = "own"});
  const auto given = tf::get_variable(
      "w", {}, {.custom_getter = [&](const auto&, const tf::GetVariableCall&) { return own; }});
  EXPECT_EQ(given, own);
  EXPECT_EQ(tf::global_variables().size(), 1U);
}

TEST(CustomGetter, IsThatOfAScopeThatIsEnteredAgain) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::VariableScope entered;
  {
    auto net = tf::variable_scope(
        "net", {.custom_getter = [](const tf::VariableGetterFunction& getter, tf::GetVariableCall call) {
          call.options.use_resource = true;
          return getter(call);
        }});
    entered = net.scope();
  }
  EXPECT_FALSE(tf::get_variable("outside", {}).is_resource());
  auto again = tf::variable_scope(entered);
  EXPECT_TRUE(tf::get_variable("inside", {}).is_resource());
  tf::get_variable_scope().set_custom_getter(nullptr);
  EXPECT_FALSE(tf::get_variable("plain", {}).is_resource());
}

}  // namespace
}  // namespace flowray
