// Each kind of damage is found; that nothing is found in what the passes make, every other test here checks.
#include "engine/step/verify_graph.h"

#include "engine/engine_fixture.h"
#include "engine/raise/raise.h"
#include "engine/verify_complaint.h"

namespace flowray::engine {
namespace {

class VerifyGraph : public EngineTest {
 protected:
  /// n = Neg(x), e = Exp(n), fetched.
  StepGraph chain() {
    const auto x = placeholder(DType::kFloat32, {2});
    const auto n = builder.op("Neg", {x}, {}, "n");
    const auto e = builder.op("Exp", {n}, {}, "e");
    const std::vector<graph::Endpoint> feeds{x};
    const std::vector<graph::Endpoint> fetches{e};
    return prune({feeds, fetches, {}});
  }
  static void expect_complaint(const StepGraph& step, const std::string& words) {
    const std::string found = complaint([&] { verify(step); });
    EXPECT_NE(found.find(words), std::string::npos) << found;
  }
};

TEST_F(VerifyGraph, FindsNothingInASoundOne) {
  EXPECT_EQ(complaint([&] { verify(chain()); }), "");
}

TEST_F(VerifyGraph, FindsAValueThatIsReadBeforeItIsMade) {
  StepGraph step = chain();
  std::swap(step.nodes[0], step.nodes[1]);
  std::swap(step.values[step.nodes[0].outputs[0]].producer, step.values[step.nodes[1].outputs[0]].producer);
  expect_complaint(step, "node e: input n:0 is read before it is made");
}

TEST_F(VerifyGraph, FindsNumbersOutOfRange) {
  StepGraph step = chain();
  step.nodes[1].inputs[0] = 99;
  expect_complaint(step, "node e: an input is out of range");
  step = chain();
  step.fetches[0] = 99;
  expect_complaint(step, "a fetch is value 99 of 3");
}

TEST_F(VerifyGraph, FindsAValueOfTwoMakers) {
  StepGraph step = chain();
  step.nodes[1].outputs = step.nodes[0].outputs;
  expect_complaint(step, "node e: an output has another producer");
  step = chain();
  step.nodes[1].outputs.push_back(step.nodes[1].outputs[0]);
  expect_complaint(step, "it is made twice");
}

TEST_F(VerifyGraph, FindsAControlInputThatComesLater) {
  StepGraph step = chain();
  step.nodes[0].controls = {1};
  expect_complaint(step, "node n: it waits for a node that comes later");
}

TEST_F(VerifyGraph, FindsAFetchThatNobodyMakes) {
  StepGraph step = chain();
  step.nodes.pop_back();
  step.values.back().producer = -1;
  expect_complaint(step, "it is fetched and nobody makes it");
}

TEST_F(VerifyGraph, FindsAPredicateThatIsAVariable) {
  const auto v = builder.op("VariableV2", {}, {{"dtype", DType::kBool}, {"shape", Shape()}}, "v");
  const auto p = placeholder(DType::kBool, {});
  graph::Node* data = builder.node("Switch", {placeholder(DType::kFloat32, {}), p});
  const auto merged = builder.op("Merge", {data->output(0), builder.op("Neg", {data->output(1)})}, {}, "m");
  const auto x = data->input(0);
  const std::vector<graph::Endpoint> feeds{p, x};
  const std::vector<graph::Endpoint> fetches{merged};
  StepGraph step = raise_control_flow(prune({feeds, fetches, {}}));
  EXPECT_EQ(complaint([&] { verify(step); }), "");
  step.values[step.nodes[0].inputs[0]].endpoint = v;
  expect_complaint(step, "node m: its predicate is not a boolean");
  step.values[step.nodes[0].inputs[0]].endpoint = x;
  expect_complaint(step, "node m: its predicate is not a boolean");
}

}  // namespace
}  // namespace flowray::engine
