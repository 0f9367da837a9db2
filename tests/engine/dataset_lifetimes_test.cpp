// Iterators, and the functions that they call: what ends them, and what they leave behind.

#include "engine/run/started_fixture.h"
#include "graph/exchange/graph_import.h"
#include "wire/graph_def.h"

#include <memory>
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

/// "tens" gives 0, 10, 20, ... by a function without a handle, "taken" what a queue of the session has.
/// Sessions share both.
constexpr const char* kShared = R"(
  node { name: 'tenfold' op: 'MapDataset' input: 'range'
         attr { key: 'f' value { func { name: 'Tenfold' } } }
         attr { key: 'Targuments' value { list { } } }
         attr { key: 'output_types' value { list { type: DT_INT64 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'tenfold_32' op: 'MapDataset' input: 'range'
         attr { key: 'f' value { func { name: 'Tenfold32' } } }
         attr { key: 'Targuments' value { list { } } }
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'tens' op: 'IteratorV2'
         attr { key: 'shared_name' value { s: 'tens' } } attr { key: 'container' value { s: '' } }
         attr { key: 'output_types' value { list { type: DT_INT64 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'make_tens' op: 'MakeIterator' input: 'tenfold' input: 'tens' }
  node { name: 'next_ten' op: 'IteratorGetNext' input: 'tens'
         attr { key: 'output_types' value { list { type: DT_INT64 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'taken' op: 'IteratorV2'
         attr { key: 'shared_name' value { s: 'taken' } } attr { key: 'container' value { s: '' } }
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  node { name: 'make_taken' op: 'MakeIterator' input: 'map' input: 'taken' }
  node { name: 'make_taken_of_tens' op: 'MakeIterator' input: 'tenfold_32' input: 'taken' }
  node { name: 'next_taken' op: 'IteratorGetNext' input: 'taken'
         attr { key: 'output_types' value { list { type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } } } } }
  library {
    function {
      signature { name: 'Tenfold' input_arg { name: 'i' type: DT_INT64 }
                  output_arg { name: 'y' type: DT_INT64 } }
      node_def { name: 'ten' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 10 } } } }
      node_def { name: 'times' op: 'Mul' input: 'i' input: 'ten:output:0'
                 attr { key: 'T' value { type: DT_INT64 } } }
      ret { key: 'y' value: 'times:z:0' } }
    function {
      signature { name: 'Tenfold32' input_arg { name: 'i' type: DT_INT64 }
                  output_arg { name: 'y' type: DT_INT32 } }
      node_def { name: 'small' op: 'Cast' input: 'i' attr { key: 'SrcT' value { type: DT_INT64 } }
                 attr { key: 'DstT' value { type: DT_INT32 } } }
      node_def { name: 'ten' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 10 } } } }
      node_def { name: 'times' op: 'Mul' input: 'small:y:0' input: 'ten:output:0'
                 attr { key: 'T' value { type: DT_INT32 } } }
      ret { key: 'y' value: 'times:z:0' } } })";

/// Two sessions of one process.
class SharedIterators : public DatasetLifetimes {
 protected:
  void SetUp() override {
    DatasetLifetimes::SetUp();
    wire::GraphDef shared = wire::from_text_format<wire::GraphDef>(kShared);
    graph::ImportOptions options;
    for (const char* name : {"range", "map"}) options.input_map[std::string(name) + ":0"] = at(name);
    graph::import_graph_def(shared, graph, options);
    for (auto& one : sessions_) one = std::make_unique<Session>(SessionOptions(), containers_);
  }
  void run_in(int number, graph::Node* target) {
    const std::vector<graph::Node*> targets{target};
    sessions_[number]->step({{}, {}, targets}).run({}, {});
  }
  Array next_of(int number, const std::string& name) {
    const std::vector<graph::Endpoint> fetches{at(name)};
    Array result;
    sessions_[number]->step({{}, fetches, {}}).run({}, {&result, 1});
    return result;
  }

  std::shared_ptr<graph::ResourceContainers> containers_ = std::make_shared<graph::ResourceContainers>();
  std::unique_ptr<Session> sessions_[2];
};

TEST_F(SharedIterators, GiveEachElementToOneSession) {
  EXPECT_THROW((void)next_of(1, "next_ten"), errors::FailedPreconditionError);
  run_in(0, graph.find("make_tens"));
  EXPECT_EQ(next_of(1, "next_ten"), Array(int64_t{0}));
  EXPECT_EQ(next_of(0, "next_ten"), Array(int64_t{10}));
  EXPECT_EQ(next_of(1, "next_ten"), Array(int64_t{20}));
  run_in(1, graph.find("make_tens"));
  EXPECT_EQ(next_of(0, "next_ten"), Array(int64_t{0}));
}

TEST_F(SharedIterators, GoOnWithoutTheSessionThatBeganThem) {
  run_in(0, graph.find("make_tens"));
  EXPECT_EQ(next_of(0, "next_ten"), Array(int64_t{0}));
  EXPECT_EQ(next_of(1, "next_ten"), Array(int64_t{10}));
  sessions_[0] = nullptr;
  EXPECT_EQ(next_of(1, "next_ten"), Array(int64_t{20}));
  run_in(1, graph.find("make_tens"));
  EXPECT_EQ(next_of(1, "next_ten"), Array(int64_t{0}));
}

TEST_F(SharedIterators, EndWithTheSessionWhoseHandlesTheirFunctionsNeed) {
  run_in(0, graph.find("make_taken"));
  run_in(0, put(7));
  EXPECT_EQ(next_of(1, "next_taken"), Array(7));
  sessions_[0] = nullptr;
  EXPECT_THROW((void)next_of(1, "next_taken"), errors::CancelledError);
  run_in(1, graph.find("make_taken"));
  run_in(1, put(8));
  EXPECT_EQ(next_of(1, "next_taken"), Array(8));
}

TEST_F(SharedIterators, EndAFunctionThatWaitsInASessionThatEnds) {
  run_in(0, graph.find("make_taken"));
  std::future<Array> waiting = std::async(std::launch::async, [this] { return next_of(1, "next_taken"); });
  sessions_[0] = nullptr;  // before, while or after its function begins to wait
  EXPECT_THROW((void)waiting.get(), errors::CancelledError);
}

TEST_F(SharedIterators, AreInitializedAgainThoughAFunctionWaitsForAnotherSession) {
  for (int i = 0; i < 20; ++i) {
    run_in(0, graph.find("make_taken"));
    std::future<Array> waiting = std::async(std::launch::async, [this] { return next_of(0, "next_taken"); });
    run_in(1, graph.find("make_taken"));  // before, while or after it begins to wait
    run_in(1, put(9));
    try {
      EXPECT_EQ(waiting.get(), Array(9)) << "it asked late";
    } catch (const errors::CancelledError&) {
      EXPECT_EQ(next_of(1, "next_taken"), Array(9));
    }
  }
}

/// Where the other session replaces the walk that a session begins anew, that one makes another.
TEST_F(SharedIterators, AreInitializedByTwoSessionsAtOnce) {
  graph::Node* const make = graph.find("make_taken");
  graph::Node* const nine = put(9);
  for (int i = 0; i < 20; ++i) {
    for (auto& one : sessions_) one = std::make_unique<Session>(SessionOptions(), containers_);
    run_in(0, make);
    std::future<Array> waiting = std::async(std::launch::async, [this] { return next_of(0, "next_taken"); });
    std::future<void> again = std::async(std::launch::async, [this, make] { run_in(0, make); });
    run_in(1, make);  // before, while or after the other one waits for the walk
    EXPECT_NO_THROW(again.get());
    for (const int number : {0, 1}) run_in(number, nine);
    EXPECT_EQ(waiting.get(), Array(9));
  }
}

TEST_F(SharedIterators, GoOnWithoutASessionWhoseHandleOnlyAnEarlierDatasetNeeded) {
  run_in(0, graph.find("make_taken"));
  run_in(0, graph.find("make_taken_of_tens"));
  sessions_[0] = nullptr;
  EXPECT_EQ(next_of(1, "next_taken"), Array(0));
}

}  // namespace
}  // namespace flowray::engine
