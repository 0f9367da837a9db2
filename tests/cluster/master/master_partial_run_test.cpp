// Partial runs, as the real server does them: texts and values were compared with TensorFlow 2.21's.

#include "cluster/master_fixture.h"

#include <chrono>
#include <future>

namespace flowray::cluster {
namespace {

class PartialRun : public MasterTest {
 protected:
  /// x, y and z are fed; sum = x + y, product = sum * z. count goes up by one whenever `counted` runs, before
  /// one and two, which are x and y.
  void SetUp() override {
    wire::GraphDef graph;
    graph.node = {
        node("x", "Placeholder", {}, DType::kFloat32), node("y", "Placeholder", {}, DType::kFloat32),
        node("z", "Placeholder", {}, DType::kFloat32), node("sum", "AddV2", {"x", "y"}, DType::kFloat32),
        node("product", "Mul", {"sum", "z"}, DType::kFloat32)};
    graph.node.push_back(variable("count"));
    graph.node.push_back(constant("step", 1));
    graph.node.push_back(node("init", "Assign", {"count", "step"}, DType::kFloat32));
    graph.node.push_back(node("counted", "AssignAdd", {"count", "step"}, DType::kFloat32));
    graph.node.push_back(node("one", "Identity", {"x", "^counted"}, DType::kFloat32));
    graph.node.push_back(node("two", "Identity", {"y", "^counted"}, DType::kFloat32));
    graph.node.push_back(node("late", "AddV2", {"counted", "y"}, DType::kFloat32));
    graph.node.push_back(node("bad", "MatMul", {"x", "y"}, DType::kFloat32));
    session_ = create(std::move(graph));
    wire::RunStepRequest init;
    init.session_handle = session_;
    init.target = {"init"};
    (void)ask<wire::RunStepResponse>("RunStep", init);
    ASSERT_EQ(status_.code, 0) << status_.text;
  }

  std::string begin(std::vector<wire::Text> feeds, std::vector<wire::Text> fetches,
                    std::vector<wire::Text> targets = {}) {
    wire::PartialRunSetupRequest request;
    request.session_handle = session_;
    request.feed = std::move(feeds);
    request.fetch = std::move(fetches);
    request.target = std::move(targets);
    return ask<wire::PartialRunSetupResponse>("PartialRunSetup", request).partial_run_handle.str();
  }

  using Feeds = std::vector<std::pair<const char*, float>>;
  /// The values that were fetched, in the order of their names.
  std::vector<float> run(const std::string& handle, std::vector<wire::Text> fetches, const Feeds& feeds) {
    wire::RunStepRequest request;
    request.session_handle = session_;
    request.partial_run_handle = handle;
    request.fetch = std::move(fetches);
    for (const auto& [name, value] : feeds) {
      auto& feed = request.feed.emplace_back();
      feed.name = name;
      feed.tensor = scalar(value);
    }
    std::vector<float> values;
    const auto answer = ask<wire::RunStepResponse>("RunStep", request);
    for (const auto& tensor : answer.tensor) values.push_back(wire::to_array(tensor.tensor).item<float>());
    return values;
  }
  float count() { return run("", {"count:0"}, {}).at(0); }

  using Values = std::vector<float>;
  static std::pair<Code, std::string> refused(const char* text) { return {Code::kInvalidArgument, text}; }
  const std::pair<Code, std::string> over_ =
      refused("Must run PartialRunSetup before performing partial runs");
  std::string session_;
};

TEST_F(PartialRun, FetchesWhatTheFeedsSoFarAreEnoughFor) {
  const std::string handle = begin({"x:0", "y:0", "z:0"}, {"sum:0", "product:0"});
  EXPECT_EQ(run(handle, {"sum:0"}, {{"x:0", 1}, {"y:0", 2}}), Values({3}));
  EXPECT_EQ(run(handle, {"product:0"}, {{"z:0", 17}}), Values({51}));
  run(handle, {}, {});
  EXPECT_EQ(status(), over_);
}

TEST_F(PartialRun, MayBeFedWithoutFetching) {
  const std::string handle = begin({"x:0", "y:0", "z:0"}, {"sum:0", "product:0"});
  run(handle, {}, {{"x:0", 1}});
  run(handle, {}, {{"y:0", 2}});
  EXPECT_EQ(status_.code, 0) << status_.text;
  EXPECT_EQ(run(handle, {"sum:0", "product:0"}, {{"z:0", 2}}), Values({6, 3}));
}

TEST_F(PartialRun, SaysWhatMayNotBeAskedFor) {
  const std::string handle = begin({"x:0", "y:0", "z:0"}, {"sum:0", "product:0"});
  run(handle, {"sum:0"}, {{"x:0", 1}});
  EXPECT_EQ(status(), refused("Fetch y:0 can't be computed from the feeds that have been fed so far."));
  EXPECT_EQ(run(handle, {"sum:0"}, {{"x:0", 1}, {"y:0", 2}}), Values({3}));  // what was refused was not fed
  run(handle, {}, {{"x:0", 1}, {"z:0", 3}});
  EXPECT_EQ(status(), refused("The feed x:0 has already been fed."));
  run(handle, {}, {{"z:0", 1}, {"z:0", 3}});
  EXPECT_EQ(status(), refused("Duplicated feeds: z:0"));
  run(handle, {}, {{"sum:0", 1}});
  EXPECT_EQ(status(), refused("The feed sum:0 was not specified in partial_run_setup."));
  run(handle, {"sum:0"}, {});
  EXPECT_EQ(status(), refused("The fetch sum:0 has already been fetched."));
  run(handle, {"one:0"}, {});
  EXPECT_EQ(status(), refused("The fetch one:0 was not specified in partial_run_setup."));
  run("77", {"sum:0"}, {});
  EXPECT_EQ(status(), over_);
  EXPECT_EQ(run(handle, {"product:0"}, {{"z:0", 3}}), Values({9}));
}

TEST_F(PartialRun, SaysWhatCannotBeSetUp) {
  begin({"nobody:0"}, {"sum:0"});
  EXPECT_EQ(status(),
            std::pair(Code::kNotFound, std::string("FeedInputs: unable to find feed output nobody:0")));
  begin({"x:0"}, {"nobody:0"});
  EXPECT_EQ(status(), std::pair(Code::kNotFound, std::string("FetchOutputs node nobody:0: not found")));
  begin({"x:0"}, {"x:0"});
  EXPECT_EQ(status(), refused("x:0 is both fed and fetched."));
  begin({"x:0"}, {});
  EXPECT_EQ(status(), refused("Must specify at least one target to fetch or execute."));
}

TEST_F(PartialRun, RunsAStatefulNodeOnceAndAsSoonAsItCan) {
  const std::string handle = begin({"x:0", "y:0"}, {"one:0", "two:0", "late:0"});
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(run(handle, {"one:0"}, {{"x:0", 5}}), Values({5}));
  EXPECT_EQ(count(), 2);
  // late reads the variable through what ran in the call before.
  EXPECT_EQ(run(handle, {"late:0", "two:0"}, {{"y:0", 6}}), Values({8, 6}));
  EXPECT_EQ(count(), 2);
}

TEST_F(PartialRun, RunsItsTargetsToo) {
  const std::string handle = begin({"x:0", "y:0"}, {"sum:0"}, {"counted"});
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(run(handle, {"sum:0"}, {{"x:0", 5}, {"y:0", 1}}), Values({6}));
  EXPECT_EQ(count(), 2);
}

TEST_F(PartialRun, IsOverWhenANodeFails) {
  const std::string handle = begin({"x:0", "y:0", "z:0"}, {"bad:0", "product:0"});
  run(handle, {"bad:0"}, {{"x:0", 1}, {"y:0", 2}});
  EXPECT_EQ(status_.code, static_cast<int>(Code::kInvalidArgument));
  EXPECT_NE(status_.text.find("[[{{node bad}}]]"), std::string::npos) << status_.text;
  run(handle, {"product:0"}, {{"z:0", 2}});
  EXPECT_EQ(status(), over_);
}

TEST_F(PartialRun, GoesOnBesideOthersOfTheSameNames) {
  const std::string one = begin({"x:0", "y:0"}, {"one:0", "sum:0"});
  const std::string two = begin({"x:0", "y:0"}, {"one:0", "sum:0"});
  EXPECT_NE(one, two);
  EXPECT_EQ(run(one, {"one:0"}, {{"x:0", 5}}), Values({5}));
  EXPECT_EQ(run(two, {"one:0"}, {{"x:0", 7}}), Values({7}));
  EXPECT_EQ(run(one, {"sum:0"}, {{"y:0", 1}}), Values({6}));
  EXPECT_EQ(run(two, {"sum:0"}, {{"y:0", 1}}), Values({8}));
}

/// A run one of whose calls waits at a queue.
class WaitingPartialRun : public PartialRun {
 protected:
  void SetUp() override {
    wire::GraphDef graph = waiting();
    graph.node.push_back(node("x", "Placeholder", {}, DType::kFloat32));
    graph.node.push_back(node("y", "Placeholder", {}, DType::kFloat32));
    graph.node.push_back(node("sum", "AddV2", {"taken", "x"}, DType::kFloat32));
    graph.node.push_back(node("negative", "Neg", {"y"}, DType::kFloat32));
    session_ = create(std::move(graph));
    run_target("init");
  }
  void run_target(const char* target) {
    wire::RunStepRequest request;
    request.session_handle = session_;
    request.target = {target};
    (void)ask<wire::RunStepResponse>("RunStep", request);
    ASSERT_EQ(status_.code, 0) << status_.text;
  }
  /// The answer of a call that feeds and fetches one value; does not wait for it.
  std::future<Response> start(const std::string& handle, const char* fetch, const char* feed, float value) {
    wire::RunStepRequest request;
    request.session_handle = session_;
    request.partial_run_handle = handle;
    request.fetch = {fetch};
    auto& fed = request.feed.emplace_back();
    fed.name = feed;
    fed.tensor = scalar(value);
    const auto bytes = std::make_shared<std::string>(wire::encode(request));
    const auto answer = std::make_shared<std::promise<Response>>();
    master_.handle(
        {"/tensorflow.MasterService/RunStep", std::as_bytes(std::span(*bytes)), bytes, cancellation_},
        [answer](Response response) { answer->set_value(std::move(response)); });
    return answer->get_future();
  }
  static bool has_come(const std::future<Response>& answer) {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  static float value_of(std::future<Response>& answer) {
    const Response response = answer.get();
    EXPECT_EQ(response.status.code, 0) << response.status.text;
    std::string bytes;
    for (const auto& piece : response.message.pieces()) {
      bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    }
    return wire::to_array(wire::decode<wire::RunStepResponse>(bytes).tensor.at(0).tensor).item<float>();
  }
};

TEST_F(WaitingPartialRun, HoldsNoThreadAndLetsItsOtherCallsWait) {
  const std::string handle = begin({"x:0", "y:0"}, {"sum:0", "negative:0"});
  auto sum = start(handle, "sum:0", "x:0", 10);
  auto negative = start(handle, "negative:0", "y:0", 3);
  EXPECT_FALSE(has_come(sum));
  EXPECT_FALSE(has_come(negative));
  run_target("put");
  EXPECT_EQ(value_of(sum), 11);
  EXPECT_EQ(value_of(negative), -3);
  EXPECT_TRUE(run(handle, {"sum:0"}, {}).empty());
  EXPECT_EQ(status().first, Code::kInvalidArgument);  // it is over
}

TEST_F(WaitingPartialRun, EndsWhenItsClientGoes) {
  const std::string handle = begin({"x:0", "y:0"}, {"sum:0", "negative:0"});
  auto sum = start(handle, "sum:0", "x:0", 10);
  auto negative = start(handle, "negative:0", "y:0", 3);
  cancellation_.cancel();
  EXPECT_EQ(sum.get().status.code, static_cast<int>(Code::kCancelled));
  EXPECT_EQ(negative.get().status.code, static_cast<int>(Code::kCancelled));
}

}  // namespace
}  // namespace flowray::cluster
