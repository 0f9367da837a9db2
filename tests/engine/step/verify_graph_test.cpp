// Each kind of damage is found; that nothing is found in what the passes make, every other test here checks.
#include "engine/step/verify_graph.h"

#include "engine/engine_fixture.h"
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

}  // namespace
}  // namespace flowray::engine
