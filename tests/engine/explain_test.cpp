#include "engine/explain.h"

#include "core/buffer_watch.h"
#include "engine/engine_fixture.h"

#include <gmock/gmock.h>

namespace flowray::engine {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Explain = EngineTest;

TEST_F(Explain, BeginsWithWhatTheStepNeeds) {
  const auto x = placeholder(DType::kFloat32, {10, 100});
  const auto y = builder.op("Softmax", {x});
  const auto z = builder.op("Transpose", {y, builder.constant(Array({1, 0}))});
  const Array values(DType::kFloat32, {10, 100});
  const Array* const feeds[] = {&values};
  const std::string text = session.step({{&x, 1}, {&z, 1}, {}}).explain(feeds);
  // Softmax, the permutation and Transpose. y's 4,000 bytes lie in the arena; z's are handed out. The
  // permutation, 2 * 4 bytes, is taken in when the transposition is prepared.
  EXPECT_THAT(
      text, StartsWith(
                "1 feed, 1 fetch, 3 nodes of the graph\n"
                "2 instructions in 1 segment\n"
                "memory of a run: 8000 bytes (values 4000 bytes, workspaces 0 bytes, handed out 4000 bytes); "
                "constants 8 bytes\n"
                "\narena 4000 bytes\n"
                "run Softmax Softmax("));
}

TEST_F(Explain, CountsAsPeopleDo) {
  const auto one = builder.constant(1.0f);
  const auto two = builder.constant(2.0f);
  const std::vector<graph::Endpoint> both = {one, two};
  EXPECT_THAT(session.step({{}, both, {}}).explain({}),
              StartsWith("0 feeds, 2 fetches, 2 nodes of the graph\n"));
}

/// Two nodes of a step as if two runs had been measured, and a third that a neighbour disturbed.
TEST_F(Explain, TellsTheMedianAndTheShareOfEachInstruction) {
  const auto x = placeholder(DType::kFloat32, {2, 2});
  const auto y = builder.op("MatMul", {x, x}, {}, "y");
  const auto z = builder.op("MatMul", {y, x}, {}, "z");
  const StepGraph step = make_step_graph({{&x, 1}, {&z, 1}, {}});
  const Shape shape{2, 2};
  const auto program =
      plan({.step = step, .facts = specialise(step, {&shape, 1}, session.resources())}, session.resources());
  std::vector<MeasuredRun> runs(3);
  for (int i = 0; i < 3; ++i) {
    const int64_t y_ns = i == 1 ? 90'000 : 1'000 + i;  // 1000, 90000, 1002
    runs[static_cast<size_t>(i)].total_ns = 4'500 + y_ns;
    runs[static_cast<size_t>(i)].trace.add({y.node, 0, y_ns, 0, {}});
    runs[static_cast<size_t>(i)].trace.add({z.node, y_ns, y_ns + 3'000, 0, {}});
  }
  const std::string text = explain(step, *program, runs);
  EXPECT_THAT(text, HasSubstr("a run takes 5.502 us (median of 3)\n"));
  EXPECT_THAT(text, HasSubstr("     1.002 us  25.0%        run MatMul y("));
  EXPECT_THAT(text, HasSubstr("     3.000 us  75.0%        run MatMul z("));
}

/// i = 0; while i < limit: i = i + 1
TEST_F(Explain, TellsHowOftenWhatIsInALoopRan) {
  const graph::Attrs frame = {{"frame_name", std::string("loop")}};
  const graph::Attrs invariant = {{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto limit = placeholder(DType::kInt32, {});
  const auto first = builder.op("Enter", {builder.constant(0)}, frame);
  graph::Node* const i = builder.node("Merge", {first, first});
  const auto less = builder.op("Less", {i->output(0), builder.op("Enter", {limit}, invariant)}, {}, "less");
  graph::Node* const gate = builder.node("Switch", {i->output(0), builder.op("LoopCond", {less})});
  const auto one = builder.op("Enter", {builder.constant(1)}, invariant);
  const auto next = builder.op("AddV2", {gate->output(1), one}, {}, "next");
  i->close_loop(1, builder.op("NextIteration", {next}));
  const auto last = builder.op("Exit", {gate->output(0)});

  const Array five(5);
  const Array* const feeds[] = {&five};
  const std::string text = session.step({{&limit, 1}, {&last, 1}, {}}).explain(feeds, 1);
  EXPECT_THAT(text, ContainsRegex(R"( us +[0-9.]+% x6 +run Less less\()")) << text;
  EXPECT_THAT(text, ContainsRegex(R"( us +[0-9.]+% x5 +run AddV2 next\()")) << text;
  EXPECT_THAT(text, ContainsRegex(R"([0-9.]+ us +while )")) << text;  // its time is that of the lines below
  EXPECT_THAT(text, HasSubstr("3 instructions in 3 segments\n"));
}

TEST_F(Explain, DoesWithoutTheCountOfBytesWhileAnotherOneIsUnderWay) {
  const auto x = placeholder(DType::kFloat32, {});
  const std::vector<graph::Endpoint> feeds{x};
  const std::vector<graph::Endpoint> fetches{builder.op("Neg", {x})};
  const Array one(1.0f);
  const Array* fed[] = {&one};
  Step& step = session.step({feeds, fetches, {}});
  {
    const BufferWatch other;
    EXPECT_THAT(step.explain(fed, 3), HasSubstr("was not counted: another count was under way"));
  }
  EXPECT_THAT(step.explain(fed, 3), HasSubstr("were in use at once"));
}

}  // namespace
}  // namespace flowray::engine
