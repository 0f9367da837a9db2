// Iterators, and the functions that they call: what ends them, and what they leave behind.

#include "engine/run/started_fixture.h"
#include "graph/exchange/graph_import.h"
#include "wire/graph_def.h"

#include <optional>

namespace flowray::engine {
namespace {

/// Elements 0, 1, 2, ... of which a function makes what comes out of a queue.
constexpr const char* kTaking = R"(
  node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
         attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 0 } } } }
  node { name: 'many' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
         attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 1000000 } } } }
  node { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
         attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 1 } } } }
  node { name: 'range' op: 'RangeDataset' input: 'zero' input: 'many' input: 'one'
         attr { key: 'output_types' value { list { type: DT_INT64 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'q' op: 'FIFOQueueV2' attr { key: 'component_types' value { list { type: DT_INT32 } } }
         attr { key: 'shapes' value { list { shape { } } } } attr { key: 'capacity' value { i: 10 } } }
  node { name: 'map' op: 'MapDataset' input: 'range' input: 'q'
         attr { key: 'f' value { func { name: 'Take' } } }
         attr { key: 'Targuments' value { list { type: DT_RESOURCE } } }
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'iterator' op: 'IteratorV2'
         attr { key: 'shared_name' value { s: '' } } attr { key: 'container' value { s: '' } }
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'make' op: 'MakeIterator' input: 'map' input: 'iterator' }
  node { name: 'next' op: 'IteratorGetNext' input: 'iterator'
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  library {
    function {
      signature { name: 'Take' input_arg { name: 'i' type: DT_INT64 }
        input_arg { name: 'q' type: DT_RESOURCE }
                  output_arg { name: 'y' type: DT_INT32 } is_stateful: true }
      node_def { name: 'get' op: 'QueueDequeueV2' input: 'q'
                 attr { key: 'component_types' value { list { type: DT_INT32 } } } }
      node_def { name: 'two' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT32
                    tensor_shape { dim { size: 1 } } int_val: 2 } } } }
      node_def { name: 'noise' op: 'RandomUniform' input: 'two:output:0'
                 attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'T' value { type: DT_INT32 } } }
      ret { key: 'y' value: 'get:components:0' } } })";

class DatasetLifetimes : public StartedSteps {
 protected:
  void SetUp() override {
    graph::import_graph_def(wire::from_text_format<wire::GraphDef>(kTaking), graph);
    run_targets({graph.find("make")});
  }
  graph::Endpoint at(const std::string& name) { return graph.find(name)->output(0); }
  graph::Node* put(int32_t value) { return enqueue(at("q"), builder.constant(value)); }
  /// Runs in a thread of its own, in the function or on the way there.
  std::future<Array> next_aside(const RunContext& context) { return run_aside(at("next"), context); }
  static RunContext within(int milliseconds) {
    return {.deadline = RunContext::Clock::now() + std::chrono::milliseconds(milliseconds)};
  }

  /// What `session` gives of the iterator of that handle, once something is in the queue `start`.
  graph::Endpoint taken_over(graph::Endpoint handle, graph::Endpoint start) {
    const auto found = builder.op("IteratorFromStringHandleV2", {handle});
    const auto element = builder.node("IteratorGetNext", {found},
                                      {{"output_types", std::vector<DType>{DType::kInt32}},
                                       {"output_shapes", std::vector<Shape>{Shape()}}});
    const auto begun = dequeue(start, "begun");
    begun.node->add_control_input(found.node);
    element->add_control_input(begun.node);
    return element->output(0);
  }
};

TEST_F(DatasetLifetimes, GiveWhatTheFunctionTakes) {
  run_targets({put(7)});
  EXPECT_EQ(run({at("next")})[0], Array(7));
}

TEST_F(DatasetLifetimes, EndAFunctionThatWaitsAtTheDeadlineOfWhoAsks) {
  Array result;
  const std::vector<graph::Endpoint> fetches{at("next")};
  Step& step = session.step({{}, fetches, {}});
  EXPECT_THROW(step.run({}, {&result, 1}, within(10)), errors::DeadlineExceededError);
  run_targets({put(8)});
  step.run({}, {&result, 1});
  EXPECT_EQ(result, Array(8));
}

TEST_F(DatasetLifetimes, EndAFunctionThatWaitsWhenWhoAsksIsCancelled) {
  Cancellation cancellation;
  std::future<Array> waiting = next_aside({.cancellation = &cancellation});
  cancellation.cancel();  // before, while or after the function begins to wait
  EXPECT_THROW((void)waiting.get(), errors::CancelledError);
}

TEST_F(DatasetLifetimes, EndThoseThatStandInLineBehindAnother) {
  Cancellation first_wish, third_wish;
  std::future<Array> first = next_aside({.cancellation = &first_wish});
  std::future<Array> second = next_aside(within(20));
  std::future<Array> third = next_aside({.cancellation = &third_wish});
  EXPECT_THROW((void)second.get(), errors::DeadlineExceededError);  // whoever is served
  third_wish.cancel();
  EXPECT_THROW((void)third.get(), errors::CancelledError);
  EXPECT_EQ(first.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  first_wish.cancel();
  EXPECT_THROW((void)first.get(), errors::CancelledError);
}

TEST_F(DatasetLifetimes, EndAWalkThatFindsNoElementAtTheDeadlineOfWhoAsks) {
  const std::vector<DType> types{DType::kInt64};
  const auto over = [&](const char* op, graph::Endpoint input, int64_t number) {
    return builder
        .node(op, {input, builder.constant(number)},
              {{"output_types", types}, {"output_shapes", std::vector<Shape>{Shape()}}})
        ->output(0);
  };
  const auto range = [&](int64_t count) {
    return builder
        .node("RangeDataset",
              {builder.constant(int64_t{0}), builder.constant(count), builder.constant(int64_t{1})},
              {{"output_types", types}, {"output_shapes", std::vector<Shape>{Shape()}}})
        ->output(0);
  };
  for (const auto dataset : {over("SkipDataset", over("RepeatDataset", range(3), -1), INT64_MAX),
                             over("SkipDataset", range(INT64_MAX), INT64_MAX - 1)}) {
    const auto iterator = builder.node("IteratorV2", {},
                                       {{"shared_name", std::string()},
                                        {"container", std::string()},
                                        {"output_types", types},
                                        {"output_shapes", std::vector<Shape>{Shape()}}});
    run_targets({builder.node("MakeIterator", {dataset, iterator->output(0)}, {})});
    const std::vector<graph::Endpoint> fetches{
        builder
            .node("IteratorGetNext", {iterator->output(0)},
                  {{"output_types", types}, {"output_shapes", std::vector<Shape>{Shape()}}})
            ->output(0)};
    Array result;
    Step& step = session.step({{}, fetches, {}});
    EXPECT_THROW(step.run({}, {&result, 1}, within(10)), errors::DeadlineExceededError);
    Cancellation cancellation;
    std::future<Array> waiting = run_aside(fetches[0], {.cancellation = &cancellation});
    cancellation.cancel();
    EXPECT_THROW((void)waiting.get(), errors::CancelledError);
  }
}

TEST_F(DatasetLifetimes, LeaveNoStatesOfTheirFunctionsBehind) {
  run_targets({put(1)});
  (void)run({at("next")});
  const size_t states = session.num_states();
  for (int i = 0; i < 20; ++i) {
    run_targets({graph.find("make"), put(i)});
    (void)run({at("next")});
    EXPECT_EQ(session.num_states(), states);
  }
}

TEST_F(DatasetLifetimes, MayBeOutlivedByWhoHasTakenAnIteratorOver) {
  const auto begin = queue("begin", 1);
  const auto handle = placeholder(DType::kString, {});
  const std::vector<graph::Endpoint> feeds{handle}, fetches{taken_over(handle, begin)};
  const std::vector<graph::Endpoint> handles{builder.op("IteratorToStringHandle", {at("iterator")})};
  const std::vector<graph::Node*> make{graph.find("make")};
  std::optional<Session> other(std::in_place);
  other->step({{}, {}, make}).run({}, {});
  Array name;
  other->step({{}, handles, {}}).run({}, {&name, 1});
  End end;
  session.step({feeds, fetches, {}}).start({name}, {}, end.done());
  other.reset();
  run_targets({enqueue(begin, builder.constant(1))});
  EXPECT_EQ(error_of<errors::CancelledError>(end),
            "The session of the iterator has ended\n\t [[{{node IteratorGetNext}}]]");
}

TEST_F(DatasetLifetimes, EndTheirFunctionsInOtherSessionsToo) {
  const auto begin = queue("begin", 1);
  const auto handle = placeholder(DType::kString, {});
  const std::vector<graph::Endpoint> feeds{handle}, fetches{taken_over(handle, begin)};
  const std::vector<graph::Endpoint> handles{builder.op("IteratorToStringHandle", {at("iterator")})};
  const std::vector<graph::Node*> make{graph.find("make")};
  std::optional<Session> other(std::in_place);
  other->step({{}, {}, make}).run({}, {});
  Array name;
  other->step({{}, handles, {}}).run({}, {&name, 1});
  run_targets({enqueue(begin, builder.constant(1))});
  Step& step = session.step({feeds, fetches, {}});
  std::future<Array> waiting = std::async(std::launch::async, [&] {
    Array result;
    const Array* fed[] = {&name};
    step.run(fed, {&result, 1});
    return result;
  });
  while (size_of(begin) != 0) std::this_thread::yield();
  other.reset();  // before, while or after its function begins to wait
  EXPECT_THROW((void)waiting.get(), errors::CancelledError);
}

}  // namespace
}  // namespace flowray::engine
