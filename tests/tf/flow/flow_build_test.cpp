// Which branch or loop is being built. What is expected is worked out by hand.
#include "tf/flow/flow_build.h"

#include <gtest/gtest.h>

#include <flowray/tf/array.h>
#include <flowray/tf/errors.h>

#include "tf/build/apply_op.h"

namespace flowray::tf {
namespace {

class Place : public BuildContext {
 public:
  using BuildContext::BuildContext;
  bool is_loop() const override { return false; }
  graph::Endpoint bring_in(graph::Endpoint value) override { return value; }
  void node_made(graph::Node&, const std::vector<graph::Node*>&) override {}
};

class FlowBuild : public ::testing::Test {
 protected:
  FlowBuild() : scope_(graph_.as_default()) {}
  Place& place(BuildContext* outer) {
    return graph::FlowContexts::of(*graph_.get()).keep(std::make_unique<Place>(*graph_.get(), outer));
  }
  BuildContext* current() { return current_context(*graph_.get()); }

  Graph graph_;
  GraphScope scope_;
};

TEST_F(FlowBuild, OutsideOfLeavesTheContextThatItIsGivenWhateverWasEnteredInIt) {
  Place& around = place(nullptr);
  Place& left = place(&around);
  Place& inner = place(&left);
  const InsideOf in_around(&around);
  {
    const InsideOf in_left(&left);
    const InsideOf in_inner(&inner);
    {
      const OutsideOf outside(left);
      EXPECT_EQ(current(), &around);
      const InsideOf again(&inner);
      EXPECT_EQ(current(), &inner);
    }
    EXPECT_EQ(current(), &inner);
  }
  EXPECT_EQ(current(), &around);
}

TEST_F(FlowBuild, OutsideOfRestoresWhatAScopeWithoutControlDependenciesForgets) {
  Place& left = place(nullptr);
  const InsideOf in_left(&left);
  {
    const WithoutScopes free(*graph_.get());
    EXPECT_EQ(current(), nullptr);
    {
      const OutsideOf outside(left);
    }
    EXPECT_EQ(current(), nullptr);
  }
  EXPECT_EQ(current(), &left);
}

TEST_F(FlowBuild, OutsideOfRefusesAContextThatIsNotEntered) {
  Place& entered = place(nullptr);
  Place& other = place(nullptr);
  const InsideOf inside(&entered);
  EXPECT_THROW(OutsideOf outside(other), errors::InternalError);
  EXPECT_EQ(current(), &entered);
}

TEST_F(FlowBuild, ReadersOfASwitchAreThoseInContexts) {
  graph::Builder builder(*graph_.get());
  const graph::Endpoint predicate = endpoint_of(placeholder(DType::kBool, {}));
  const graph::Endpoint yes = switch_node(builder, predicate, predicate).second;
  auto& contexts = graph::FlowContexts::of(*graph_.get());
  EXPECT_TRUE(contexts.readers_of_switch(*yes.node).empty());
  Place& inside = place(nullptr);
  graph::Node* reader = nullptr;
  {
    const InsideOf in(&inside);
    reader = pass_on(builder, "Identity", yes).node;
    builder.node("LogicalNot", {predicate});
  }
  EXPECT_EQ(contexts.readers_of_switch(*yes.node), std::vector<const graph::Node*>{reader});
  contexts.set(*reader, nullptr);
  EXPECT_EQ(contexts.readers_of_switch(*yes.node).size(), 1U);
  EXPECT_TRUE(contexts.readers_of_switch(*predicate.node).empty());
}

}  // namespace
}  // namespace flowray::tf
