// Steps whose nodes are on several tasks: masters and workers in one process, without a network.
#include "cluster/in_process_cluster.h"

#include <flowray/tf.h>
#include <gmock/gmock.h>

#include <cmath>
#include <thread>

namespace flowray::cluster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const Identity kPs{"ps", 0};
const Identity kWorker{"worker", 0};

class StepsOverTasks : public ::testing::Test {
 protected:
  wire::GraphDef graph() { return graph::to_graph_def(*graph_.get()); }
  /// What a client of worker 0 hears of an error.
  template <class Error>
  std::string error_of(const std::vector<std::string>& fetches) {
    try {
      (void)client_.run(fetches);
    } catch (const Error& error) {
      return error.message();
    } catch (const std::exception& error) {
      return std::string("another error: ") + error.what();
    }
    return "no error";
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  InProcessCluster cluster_{{{"ps", 2}, {"worker", 2}}};
  ClusterClient client_{cluster_.member(kWorker)};
};

TEST_F(StepsOverTasks, HandValuesToEachOther) {
  auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  {
    auto ps = tf::device("/job:ps/task:1");
    auto twice = tf::multiply(x, 2.0f, {.name = "twice"});
    auto worker = tf::device("/job:worker/task:1");
    tf::add(twice, x, {.name = "thrice"});
  }
  auto word = tf::placeholder(tf::string, {}, {.name = "word"});
  {
    auto ps = tf::device("/job:ps/task:1");
    auto there = tf::identity(word);
    auto worker = tf::device("/job:worker/task:1");
    tf::identity(there, {.name = "same"});
  }
  client_.create(graph());
  const auto values = client_.run({"thrice:0", "twice:0", "same:0"},
                                  {{"x:0", Array({1.5f, -2.0f})}, {"word:0", Array("a word")}});
  EXPECT_EQ(values.at(0), Array({4.5f, -6.0f}));
  EXPECT_EQ(values.at(1), Array({3.0f, -4.0f}));
  EXPECT_EQ(values.at(2), Array("a word"));
  EXPECT_EQ(cluster_.member(kWorker).task.steps.size(), 0u);
}

TEST_F(StepsOverTasks, TrainVariablesThatLieElsewhere) {
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable w(1.0f, {.name = "w"});
    auto worker = tf::device("/job:worker/task:0");
    auto loss = tf::square(w, {.name = "loss"});
    tf::train::AdagradOptimizer(0.1f).minimize(loss, {.name = "train"});
  }
  tf::global_variables_initializer();
  client_.create(graph());
  client_.run({"init"});
  double w = 1;
  double accumulated = 0.1;
  for (int i = 0; i < 5; ++i) {
    const double gradient = 2 * w;
    accumulated += gradient * gradient;
    w -= 0.1 * gradient / std::sqrt(accumulated);
    client_.run({"train"});
    EXPECT_NEAR(client_.run({"w:0"}).at(0).item<float>(), w, 1e-6);
  }
  // Another worker's clients see the same variable.
  ClusterClient other(cluster_.member({"worker", 1}));
  other.create(graph());
  EXPECT_NEAR(other.run({"w:0"}).at(0).item<float>(), w, 1e-6);
}

TEST_F(StepsOverTasks, TakeBranchesAndLoopsAlong) {
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto [y] = tf::while_loop([](tf::Tensor a) { return a < 100.0f; },
                            [](tf::Tensor a) {
                              auto ps = tf::device("/job:ps/task:0");
                              return tf::multiply(a, a);
                            },
                            {x});
  tf::identity(y, {.name = "power"});
  auto branch = tf::cond(
      x > 3.0f,
      [&] {
        auto ps = tf::device("/job:ps/task:1");
        return tf::multiply(x, 10.0f);
      },
      [&] { return tf::negative(x); });
  tf::identity(branch, {.name = "chosen"});
  client_.create(graph());
  for (const auto& [fed, power, chosen] : {std::tuple(2.0f, 256.0f, -2.0f), {4.0f, 256.0f, 40.0f}}) {
    const auto values = client_.run({"power:0", "chosen:0"}, {{"x:0", Array(fed)}});
    EXPECT_EQ(values.at(0), Array(power));
    EXPECT_EQ(values.at(1), Array(chosen));
  }
}

TEST_F(StepsOverTasks, TellWhichTaskFailedAndWhere) {
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable w(tf::constant({1.0f, 2.0f}), {.name = "w"});
    auto bad = tf::gather(w, 5, {.name = "bad"});
    auto worker = tf::device("/job:worker/task:0");
    tf::square(bad, {.name = "y"});
  }
  client_.create(graph());
  const std::string uninitialised = error_of<errors::FailedPreconditionError>({"y:0"});
  EXPECT_THAT(uninitialised, HasSubstr("From /job:ps/replica:0/task:0:\nAttempting to use uninitialized"));
  client_.run({"w/Assign"});
  const std::string text = error_of<errors::InvalidArgumentError>({"y:0"});
  EXPECT_THAT(text, HasSubstr("From /job:ps/replica:0/task:0:\nindices = 5 is not in [0, 2)"));
  EXPECT_THAT(text, HasSubstr("{{node bad}}"));
  EXPECT_EQ(cluster_.member(kWorker).task.steps.size(), 0u);
}

/// "taken:0" waits at a queue of the ps.
void make_waiting_graph() {
  auto ps = tf::device("/job:ps/task:0");
  tf::FIFOQueue queue(10, {tf::float32}, {.shapes = {{}}, .shared_name = "q", .name = "q"});
  queue.enqueue({tf::constant(7.0f)}, {.name = "put"});
  auto taken = queue.dequeue({.name = "take"})[0];
  auto worker = tf::device("/job:worker/task:0");
  tf::identity(taken, {.name = "taken"});
}

TEST_F(StepsOverTasks, UseQueuesOfOtherTasks) {
  make_waiting_graph();
  client_.create(graph());
  Array taken;
  std::thread waiting([&] { taken = client_.run({"taken:0"}).at(0); });
  ClusterClient other(cluster_.member({"worker", 1}));
  other.create(graph());
  other.run({"put"});
  waiting.join();
  EXPECT_EQ(taken, Array(7.0f));
}

TEST_F(StepsOverTasks, EndWithTheirClient) {
  make_waiting_graph();
  client_.create(graph());
  std::string text;
  std::thread waiting([&] { text = error_of<errors::CancelledError>({"taken:0"}); });
  client_.cancellation.cancel();
  waiting.join();
  EXPECT_THAT(text, HasSubstr("its client has gone"));
}

TEST_F(StepsOverTasks, EndWithTheirSession) {
  make_waiting_graph();
  client_.create(graph());
  std::string text;
  std::thread waiting([&] { text = error_of<errors::CancelledError>({"taken:0"}); });
  while (cluster_.calls_of("RunGraph") == 0) std::this_thread::yield();
  client_.close();
  waiting.join();
  EXPECT_THAT(text, HasSubstr("Session::Close()"));
}

TEST_F(StepsOverTasks, EndAtTheirDeadline) {
  make_waiting_graph();
  client_.create(graph());
  wire::RunOptions options;
  options.timeout_in_ms = 20;
  EXPECT_THROW((void)client_.run({"taken:0"}, {}, options), errors::DeadlineExceededError);
}

TEST_F(StepsOverTasks, EndWhenATaskDies) {
  make_waiting_graph();
  client_.create(graph());
  std::string text;
  std::thread waiting([&] { text = error_of<errors::UnavailableError>({"taken:0"}); });
  while (cluster_.calls_of("RunGraph") == 0) std::this_thread::yield();
  cluster_.kill(kPs.name());
  waiting.join();
  EXPECT_THAT(text, HasSubstr("From /job:ps/replica:0/task:0:\n"));
  EXPECT_THAT(error_of<errors::UnavailableError>({"taken:0"}), HasSubstr("failed to connect"));
  // The server that is there after that knows nothing of the session; a new one finds it.
  cluster_.start(kPs);
  EXPECT_THAT(error_of<errors::AbortedError>({"taken:0"}), HasSubstr("Session handle is not found"));
  client_.create(graph());
  client_.run({"put"});
  EXPECT_EQ(client_.run({"taken:0"}).at(0), Array(7.0f));
}

TEST_F(StepsOverTasks, AreRefusedWhereTheirTasksAreFilteredOut) {
  make_waiting_graph();
  wire::ConfigProto config;
  config.device_filters = {"/job:ps/task:1", "/job:worker"};
  try {
    client_.create(graph(), config);
    FAIL() << "ps 0 is not there for this session";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_THAT(error.message(),
                HasSubstr("was explicitly assigned to /job:ps/task:0 but available devices"));
  }
}

TEST_F(StepsOverTasks, WaitForTasksNoLongerThanTheyMay) {
  make_waiting_graph();
  cluster_.kill(kPs.name());
  wire::ConfigProto config;
  config.operation_timeout_in_ms = 1;
  EXPECT_THROW(client_.create(graph(), config), errors::DeadlineExceededError);
  // A step that wants nothing of it does not wait.
  ClusterClient other(cluster_.member(kWorker));
  tf::Graph small;
  auto scope = small.as_default();
  tf::constant(1.0f, {.name = "one"});
  other.create(graph::to_graph_def(*small.get()));
  EXPECT_EQ(other.run({"one:0"}).at(0), Array(1.0f));
}

TEST_F(StepsOverTasks, ListTheDevicesOfAllTasks) {
  client_.create(graph());
  wire::ListDevicesRequest request;
  request.session_handle = client_.session;
  std::vector<std::string> names;
  for (const auto& device : client_.ask<wire::ListDevicesResponse>("ListDevices", request).local_device)
    names.push_back(device.name.str());
  EXPECT_EQ(names.at(0), "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_THAT(names, UnorderedElementsAre("/job:worker/replica:0/task:0/device:CPU:0",
                                          "/job:worker/replica:0/task:1/device:CPU:0",
                                          "/job:ps/replica:0/task:0/device:CPU:0",
                                          "/job:ps/replica:0/task:1/device:CPU:0"));
}

/// A task that was needed earlier than others of its job is not preferred to them.
TEST_F(StepsOverTasks, RunOnTheFirstTaskThatFitsHoweverItWasFound) {
  {
    const auto ps = tf::device("/job:ps/task:1");
    tf::constant(1.0f, {.name = "one"});
  }
  client_.create(graph());
  EXPECT_EQ(client_.run({"one:0"}).at(0), Array(1.0f));
  tf::Graph later;
  const auto scope = later.as_default();
  {
    const auto any = tf::device("/job:ps");
    tf::square(tf::placeholder(tf::float32, {}, {.name = "x"}), {.name = "y"});
  }
  const wire::GraphDef def = graph::to_graph_def(*later.get());
  wire::ExtendSessionRequest request;
  request.session_handle = client_.session;
  request.graph_def = def;
  client_.ask<wire::ExtendSessionResponse>("ExtendSession", request);
  wire::RunOptions options;
  options.trace_level = wire::RunOptions::TraceLevel::kFull;
  EXPECT_EQ(client_.run({"y:0"}, {{"x:0", Array(3.0f)}}, options).at(0), Array(9.0f));
  std::vector<std::string> places;
  for (const auto& device : client_.metadata.step_stats->dev_stats) {
    for (const auto& node : device.node_stats) {
      if (node.node_name == "y") places.push_back(device.device.str());
    }
  }
  EXPECT_THAT(places, ElementsAre("/job:ps/replica:0/task:0/device:CPU:0"));
  wire::ListDevicesRequest all;
  all.session_handle = client_.session;
  std::vector<std::string> names;
  for (const auto& device : client_.ask<wire::ListDevicesResponse>("ListDevices", all).local_device)
    names.push_back(device.name.str());
  EXPECT_THAT(
      names,
      ElementsAre("/job:worker/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:0",
                  "/job:ps/replica:0/task:1/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"));
}

TEST_F(StepsOverTasks, LoseTheirVariablesByAReset) {
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable w(1.0f, {.name = "w"});
  }
  client_.create(graph());
  client_.run({"w/Assign"});
  EXPECT_EQ(client_.run({"w:0"}).at(0), Array(1.0f));
  client_.ask<wire::ResetRequest>("Reset", wire::ResetRequest());
  EXPECT_THAT(error_of<errors::AbortedError>({"w:0"}), HasSubstr("is not found"));
  client_.create(graph());
  EXPECT_THAT(error_of<errors::FailedPreconditionError>({"w:0"}), HasSubstr("uninitialized value w"));
}

TEST_F(StepsOverTasks, KeepVariablesOfIsolatedSessionsApart) {
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable w(1.0f, {.name = "w"});
  }
  wire::ConfigProto config;
  config.isolate_session_state = true;
  client_.create(graph(), config);
  client_.run({"w/Assign"});
  ClusterClient other(cluster_.member(kWorker));
  other.create(graph());
  EXPECT_THROW((void)other.run({"w:0"}), errors::FailedPreconditionError);
  EXPECT_EQ(client_.run({"w:0"}).at(0), Array(1.0f));
}

/// What is folded does not run, and is in no trace.
TEST_F(StepsOverTasks, AreCompiledOnAllTasksAsTheClientWantsIt) {
  {
    auto ps = tf::device("/job:ps/task:0");
    auto sum = tf::add(tf::constant(1.0f), tf::constant(2.0f), {.name = "sum"});
    auto worker = tf::device("/job:worker/task:0");
    tf::square(sum, {.name = "y"});
  }
  wire::ConfigProto plain;
  plain.graph_options.emplace().optimizer_options.emplace().opt_level = wire::OptimizerOptions::Level::kL0;
  for (const bool folds : {true, false}) {
    client_.create(graph(), folds ? wire::ConfigProto() : plain);
    wire::RunOptions options;
    options.trace_level = wire::RunOptions::TraceLevel::kFull;
    EXPECT_EQ(client_.run({"y:0"}, {}, options).at(0), Array(9.0f));
    bool has_run = false;
    for (const auto& device : client_.metadata.step_stats->dev_stats) {
      for (const auto& node : device.node_stats) has_run |= node.node_name == "sum";
    }
    EXPECT_EQ(has_run, !folds);
    client_.close();
  }
}

TEST_F(StepsOverTasks, AreTracedOnAllTasks) {
  {
    auto ps = tf::device("/job:ps/task:0");
    tf::Variable w(2.0f, {.name = "w"});
    auto worker = tf::device("/job:worker/task:0");
    tf::square(w, {.name = "y"});
  }
  client_.create(graph());
  client_.run({"w/Assign"});
  wire::RunOptions options;
  options.trace_level = wire::RunOptions::TraceLevel::kFull;
  options.output_partition_graphs = true;
  EXPECT_EQ(client_.run({"y:0"}, {}, options).at(0), Array(4.0f));
  std::vector<std::string> devices;
  for (const auto& device : client_.metadata.step_stats->dev_stats) devices.push_back(device.device.str());
  EXPECT_THAT(
      devices,
      ElementsAre("/job:worker/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/receives",
                  "/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/calls"));
  const auto& stats = client_.metadata.step_stats->dev_stats;
  const auto& received = stats[1].node_stats.at(0);
  EXPECT_EQ(received.node_name, "RecvTensor");
  EXPECT_THAT(received.timeline_label.str(),
              ::testing::HasSubstr(" = RecvTensor(4 bytes, from /job:ps/replica:0/task:0/device:CPU:0, to "
                                   "/job:worker/replica:0/task:0/device:CPU:0)"));
  const auto& call = stats[3].node_stats.at(0);
  EXPECT_EQ(call.node_name, "RunGraph /job:ps/replica:0/task:0");
  for (const auto& node : stats[2].node_stats) {
    EXPECT_GE(node.all_start_nanos, call.all_start_nanos);
    EXPECT_LE(node.all_start_nanos + node.all_end_rel_nanos, call.all_start_nanos + call.all_end_rel_nanos);
  }
  EXPECT_EQ(client_.metadata.partition_graphs.size(), 2u);
  EXPECT_EQ(cluster_.calls_while_answering("RunGraph"), 0) << "parts take long to begin";
}

TEST_F(StepsOverTasks, LeaveNothingOfSessionsThatAreClosed) {
  make_waiting_graph();
  for (int i = 0; i < 20; ++i) {
    client_.create(graph());
    client_.run({"put"});
    EXPECT_EQ(client_.run({"taken:0"}).at(0), Array(7.0f));
    client_.close();
  }
  while (cluster_.calls_of("DeleteWorkerSession") < 20) std::this_thread::yield();
  while (cluster_.member(kPs).worker.num_sessions() > 0) std::this_thread::yield();
  while (cluster_.member(kPs).task.steps.size() > 0) std::this_thread::yield();
}

/// What a call makes is not made again in a later one, and what that needs of it comes from the master.
TEST_F(StepsOverTasks, MayBeFedAndFetchedInParts) {
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto y = tf::placeholder(tf::float32, {}, {.name = "y"});
  const auto ps = tf::device("/job:ps/task:1");
  const tf::Variable count(0.0f, {.name = "count"});
  const tf::Operation counted = count.assign_add(1.0f).op();
  tf::Tensor sum;
  {
    const auto once = tf::control_dependencies({counted});
    sum = tf::add(x, 1.0f, {.name = "sum"});
  }
  {
    const auto worker = tf::device("/job:worker/task:1");
    tf::multiply(sum, y, {.name = "product"});
  }
  const tf::Operation init = tf::global_variables_initializer();
  client_.create(graph());
  client_.run({init.name()});
  wire::PartialRunSetupRequest setup;
  setup.session_handle = client_.session;
  setup.feed = {"x:0", "y:0"};
  setup.fetch = {"sum:0", "product:0"};
  const std::string handle =
      client_.ask<wire::PartialRunSetupResponse>("PartialRunSetup", setup).partial_run_handle.str();
  const auto part = [&](const char* fetch, const char* fed, float value) {
    wire::RunStepRequest request;
    request.session_handle = client_.session;
    request.partial_run_handle = handle;
    request.fetch = {fetch};
    auto& feed = request.feed.emplace_back();
    feed.name = fed;
    feed.tensor = wire::to_tensor_proto(Array(value), wire::TensorForm::kConstant);
    return wire::to_array(client_.ask<wire::RunStepResponse>("RunStep", request).tensor.at(0).tensor);
  };
  EXPECT_EQ(part("sum:0", "x:0", 2.0f), Array(3.0f));
  EXPECT_EQ(part("product:0", "y:0", 5.0f), Array(15.0f));
  EXPECT_EQ(client_.run({"count:0"}).at(0), Array(1.0f));
}

}  // namespace
}  // namespace flowray::cluster
