// Sessions of the language on servers.

#include <flowray/errors.h>
#include <flowray/tf.h>
#include <flowray/tf/server.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "cluster/faulty_proxy.h"
#include "cluster/network_fixture.h"
#include "cluster/transport.h"
#include "wire/master.h"

namespace flowray::cluster {
namespace {

using tf::train::Server;

class RemoteSessionTest : public NetworkTest {
 protected:
  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
};

TEST_F(RemoteSessionTest, RunsStepsThere) {
  const Server server = Server::create_local_server();
  auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  tf::Variable v(tf::constant({1.0f, 2.0f}), {.name = "v"});
  auto sum = v + x;
  auto update = v.assign_add({10.0f, 20.0f});
  tf::Session session(server.target());
  session.run(v.initializer());
  EXPECT_EQ(session.run(sum, {{x, {0.5, 0.25}}}), Array({1.5f, 2.25f}));
  auto [none, both] = session.run({update.op(), sum}, {{x, {0.0, 0.0}}});
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(session.run("v/read:0"), Array({11.0f, 22.0f}));
  auto twice = sum * 2.0;  // new nodes are sent along
  EXPECT_EQ(session.run(twice, {{x, {1.0, 1.0}}}), Array({24.0f, 46.0f}));
  auto step = session.make_callable({twice, update.op()}, {x});
  EXPECT_EQ(step(Array({0.0f, 0.0f}))[0].shape(), Shape({2}));
  EXPECT_EQ(session.run(v), Array({21.0f, 42.0f}));
}

TEST_F(RemoteSessionTest, TellsWhatRanThereWhereItIsTraced) {
  const Server server({{"worker", {"localhost:0"}}});
  auto x = tf::placeholder(tf::float32, {2, 2}, {.name = "x"});
  auto product = tf::matmul(x, x, {.name = "product"});
  tf::Session session(server.target());
  const tf::FeedDict feeds = {{x, {{1.0, 2.0}, {3.0, 4.0}}}};
  tf::RunMetadata told;
  for (const auto level : {tf::RunOptions::FULL_TRACE, tf::RunOptions::HARDWARE_TRACE}) {
    told = {};
    const Array value = session.run(product, feeds, {.trace_level = level}, &told);
    EXPECT_EQ(value, Array({{7.0f, 10.0f}, {15.0f, 22.0f}}));
    ASSERT_EQ(told.step_stats.dev_stats.size(), 1U);
    EXPECT_EQ(told.step_stats.dev_stats[0].device, "/job:worker/replica:0/task:0/device:CPU:0");
    const auto& nodes = told.step_stats.dev_stats[0].node_stats;
    const auto is_product = [](const auto& node) { return node.node_name == "product"; };
    const auto found = std::ranges::find_if(nodes, is_product);
    ASSERT_NE(found, nodes.end());
    EXPECT_GT(found->all_start_micros, 0);
    EXPECT_GE(found->all_end_rel_micros, found->op_end_rel_micros);
  }
  session.run(product, feeds, {}, &told);
  EXPECT_TRUE(told.step_stats.dev_stats.empty());
  session.run(x, feeds, {.trace_level = tf::RunOptions::FULL_TRACE}, &told);  // nothing ran there
  EXPECT_TRUE(told.step_stats.dev_stats.empty());
}

bool has_node(const tf::GraphDef& graph, const std::string& name) {
  return graph.to_string().find("name: \"" + name + "\"") != std::string::npos;
}

TEST_F(RemoteSessionTest, TellsWhichNodesRanWhere) {
  const tf::train::ClusterSpec cluster{{"ps", {free_address()}}, {"worker", {free_address()}}};
  const Server ps(cluster, {.job_name = "ps"});
  const Server worker(cluster, {.job_name = "worker"});
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto there = [&] {
    const auto guard = tf::device("/job:ps/task:0");
    return tf::add(x, 1.0f, {.name = "there"});
  }();
  const auto here = [&] {
    const auto guard = tf::device("/job:worker/task:0");
    return tf::multiply(there, 2.0f, {.name = "here"});
  }();
  (void)tf::negative(x, {.name = "unused"});
  tf::Session session(worker.target());
  tf::RunMetadata told;
  EXPECT_EQ(session.run(here, {{x, 2.0f}}, {.output_partition_graphs = true}, &told), Array(6.0f));
  ASSERT_EQ(told.partition_graphs.size(), 2u);
  EXPECT_TRUE(told.step_stats.dev_stats.empty());
  EXPECT_TRUE(has_node(told.partition_graphs[0], "here"));
  EXPECT_FALSE(has_node(told.partition_graphs[0], "there"));
  EXPECT_TRUE(has_node(told.partition_graphs[1], "there"));
  EXPECT_FALSE(has_node(told.partition_graphs[1], "here"));
  for (const tf::GraphDef& graph : told.partition_graphs) EXPECT_FALSE(has_node(graph, "unused"));
  session.run(here, {{x, 2.0f}}, {}, &told);
  EXPECT_TRUE(told.partition_graphs.empty());
}

TEST_F(RemoteSessionTest, ExplainsWhatRunsThere) {
  const Server server = Server::create_local_server();
  const auto x = tf::placeholder(tf::float32, {2}, {.name = "x"});
  const auto y = tf::square(x) + 1.0f;
  const tf::FeedDict feeds = {{x, std::vector<float>{1, 2}}};
  tf::Session there(server.target());
  tf::Session here;
  EXPECT_EQ(there.explain(y, feeds), here.explain(y, feeds));
  EXPECT_NE(there.explain(y, feeds, 3).find(" us"), std::string::npos);  // measured
}

TEST_F(RemoteSessionTest, ExplainsThePartOfEachTask) {
  const tf::train::ClusterSpec cluster{{"ps", {free_address()}}, {"worker", {free_address()}}};
  const Server ps(cluster, {.job_name = "ps"});
  const Server worker(cluster, {.job_name = "worker"});
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto there = [&] {
    const auto guard = tf::device("/job:ps/task:0");
    return tf::exp(x, {.name = "there"});
  }();
  const auto here = tf::sin(there, {.name = "here"});
  tf::Session session(worker.target());
  const std::string text = session.explain(here, {{x, 2.0f}});
  const size_t of_worker = text.find("on /job:worker/replica:0/task:0\n");
  const size_t of_ps = text.find("on /job:ps/replica:0/task:0\n");
  ASSERT_NE(of_worker, std::string::npos) << text;
  ASSERT_NE(of_ps, std::string::npos) << text;
  ASSERT_LT(of_worker, of_ps);
  EXPECT_LT(text.find(" Sin"), of_ps);
  EXPECT_GT(text.find(" Exp"), of_ps);
  EXPECT_THROW(session.explain(here, {{x, 2.0f}}, 3), errors::UnimplementedError);
}

/// Of the step 1 + 2 is a constant, unless the session is told to fold none.
TEST_F(RemoteSessionTest, FoldsConstantsUnlessItsConfigurationSaysOtherwise) {
  const Server server = Server::create_local_server();
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto sum = tf::add(tf::constant(1.0f), tf::constant(2.0f), {.name = "sum"});
  const auto product = tf::multiply(x, sum, {.name = "product"});
  const auto runs_sum = [&](const std::string& target, const tf::SessionConfig& config) {
    tf::Session session(target, config);
    tf::RunMetadata told;
    const tf::RunOptions options{.trace_level = tf::RunOptions::FULL_TRACE};
    EXPECT_EQ(session.run(product, {{x, 2.0f}}, options, &told), Array(6.0f));
    const auto& nodes = told.step_stats.dev_stats.at(0).node_stats;
    return std::ranges::any_of(nodes, [](const auto& node) { return node.node_name == "sum"; });
  };
  for (const std::string& target : {std::string(), server.target()}) {
    EXPECT_FALSE(runs_sum(target, {}));
    EXPECT_TRUE(
        runs_sum(target, {.graph_options = {.optimizer_options = {.opt_level = tf::OptimizerOptions::L0}}}));
    EXPECT_FALSE(
        runs_sum(target, {.graph_options = {.optimizer_options = {.opt_level = tf::OptimizerOptions::L0,
                                                                  .do_constant_folding = true}}}));
    EXPECT_TRUE(runs_sum(
        target, {.graph_options = {.rewrite_options = {.constant_folding = tf::RewriterConfig::OFF}}}));
  }
  const tf::SessionConfig folds_none{
      .graph_options = {.rewrite_options = {.constant_folding = tf::RewriterConfig::OFF}}};
  const Server other({{"worker", {"localhost:0"}}}, {.config = folds_none});
  EXPECT_TRUE(runs_sum(other.target(), {}));
}

TEST_F(RemoteSessionTest, ThrowsWhatTheServerAnswers) {
  Server server = Server::create_local_server();
  tf::Variable v(1.0f, {.name = "v"});
  tf::Session session(server.target());
  try {
    session.run(v);
    FAIL() << "v was never initialised";
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_NE(error.message().find("Attempting to use uninitialized value v"), std::string::npos)
        << error.message();
    EXPECT_EQ(error.node_name(), "v");
  }
  server.stop();
  EXPECT_THROW(session.run(v), errors::UnavailableError);
  session.close();
  EXPECT_THROW(session.run(v), RuntimeError);
}

TEST_F(RemoteSessionTest, EndsAStepThatIsCancelled) {
  const Server server = Server::create_local_server();
  auto taken = tf::FIFOQueue(1, {tf::float32}, {.shapes = {{}}}).dequeue()[0];
  tf::Session there(server.target());
  tf::Session here;
  for (tf::Session* session : {&there, &here}) {
    const tf::RunOptions options{.cancellation = std::make_shared<tf::StepCancellation>()};
    std::thread canceller([&] { options.cancellation->cancel(); });
    EXPECT_THROW(session->run(taken, {}, options), errors::CancelledError);
    canceller.join();
  }
}

TEST_F(RemoteSessionTest, HasWhatTheServersConfigurationSays) {
  auto taken = tf::FIFOQueue(1, {tf::float32}, {.shapes = {{}}}).dequeue()[0];
  const tf::Variable v(1.0f, {.name = "v"});
  const Server server({{"local", {"localhost:0"}}}, {.config = {.operation_timeout_in_ms = 20,
                                                                .log_device_placement = true,
                                                                .isolate_session_state = true}});
  tf::Session session(server.target());
  ::testing::internal::CaptureStderr();
  session.run(v.initializer());
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "v: (VariableV2): /job:local/replica:0/task:0/device:CPU:0\n"),
            std::string::npos);
  tf::Session other(server.target());
  EXPECT_THROW(other.run(v), errors::FailedPreconditionError);  // its state is isolated
  EXPECT_THROW(session.run(taken), errors::DeadlineExceededError);
}

TEST_F(RemoteSessionTest, RefusesWhatIsNotThere) {
  EXPECT_THROW(Server({{"local", {"localhost:0"}}}, {.protocol = "grpc+verbs"}), errors::NotFoundError);
  EXPECT_THROW(Server({{"local", {"localhost:0"}}}, {.config = {.device_count = {{"CPU", 2}}}}),
               errors::UnimplementedError);
  EXPECT_THROW(tf::Session(tf::SessionConfig{.device_count = {{"CPU", 2}}}), errors::UnimplementedError);
  const tf::Session fine(tf::SessionConfig{.device_count = {{"CPU", 1}, {"GPU", 0}}});
}

TEST_F(RemoteSessionTest, TellsWhereNodesRun) {
  auto y = tf::add(tf::constant(1.0f, {.name = "a"}), 2.0f, {.name = "y"});
  tf::Session session(tf::SessionConfig{.log_device_placement = true});
  ::testing::internal::CaptureStdout();
  session.run(y);
  session.run(y);  // which says nothing more
  const std::string said = ::testing::internal::GetCapturedStdout();
  const std::string line = "y: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0\n";
  EXPECT_NE(said.find(line), std::string::npos) << said;
  EXPECT_EQ(said.find(line), said.rfind(line));
}

TEST_F(RemoteSessionTest, SaysWhichTaskItHasWaitedFor) {
  const std::string ps = "localhost:" + std::to_string(FaultyProxy::free_port());
  const std::string worker = "localhost:" + std::to_string(FaultyProxy::free_port());
  const Server server({{"ps", {ps}}, {"worker", {worker}}}, {.job_name = "worker"});
  const auto there = tf::device("/job:ps/task:0");
  const auto one = tf::constant(1.0f);
  tf::Session session(server.target(), tf::SessionConfig{.operation_timeout_in_ms = 300});
  try {
    session.run(one);
    ADD_FAILURE() << "ran without its ps";
  } catch (const errors::DeadlineExceededError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("CreateSession still waiting for response from worker: /job:ps/replica:0/task:0"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(ps), std::string::npos) << text;
  }
}

TEST_F(RemoteSessionTest, WaitsForAServerThatIsNotThereYet) {
  std::optional<Server> server(Server::create_local_server());
  const std::string target = server->target();
  const std::string address = target.substr(std::string("grpc://").size());
  server.reset();
  auto one = tf::constant(1.0f);
  tf::Session impatient(target, tf::SessionConfig{.operation_timeout_in_ms = 1});
  EXPECT_THROW(impatient.run(one), errors::DeadlineExceededError);
  tf::Session session(target);
  std::thread starter([&] { server.emplace(tf::train::ClusterSpec{{"local", {address}}}); });
  EXPECT_EQ(session.run(one), Array(1.0f));
  starter.join();
  // One that is closed does not wait any more.
  server.reset();
  tf::Session closed(target);
  std::thread closer([&] { closed.close(); });
  try {
    closed.run(one);
    ADD_FAILURE() << "there is no server";
  } catch (const errors::CancelledError& error) {  // it was closed meanwhile
    EXPECT_STREQ(error.what(), "Step was cancelled by an explicit call to `Session::Close()`.");
  } catch (const RuntimeError& error) {  // or before
    EXPECT_STREQ(error.what(), "Attempted to use a closed Session.");
  }
  closer.join();
}

TEST_F(RemoteSessionTest, RunsLoopsAndTheirGradientsThere) {
  const Server server = Server::create_local_server();
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto [y] = tf::while_loop([](tf::Tensor a) { return a < 100.0; }, [](tf::Tensor a) { return a * a; }, {x});
  auto gradient = tf::gradients(y, {x})[0];
  tf::Session session(server.target());
  EXPECT_EQ(session.run(y, {{x, 3.0}}), Array(6561.0f));          // 3^8
  EXPECT_EQ(session.run(gradient, {{x, 3.0}}), Array(17496.0f));  // 8 * 3^7
}

/// It takes connections and says nothing.
class SilentServer {
 public:
  SilentServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    target_ = "grpc://localhost:" + std::to_string(ntohs(address.sin_port));
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() {
    if (connection_ >= 0) ::close(connection_);
    ::close(listener_);
  }

  const std::string& target() const { return target_; }
  /// Waits until somebody wants something.
  void wait_for_client() { connection_ = ::accept(listener_, nullptr, nullptr); }

 private:
  int listener_;
  int connection_ = -1;
  std::string target_;
};

TEST_F(RemoteSessionTest, DoesNotWaitForEverForAServerThatIsSilent) {
  const SilentServer server;
  auto x = tf::constant(1.0f);
  tf::Session session(server.target(), tf::SessionConfig{.operation_timeout_in_ms = 300});
  EXPECT_THROW(session.run(x), errors::DeadlineExceededError);
}

TEST_F(RemoteSessionTest, CloseGivesUpTheGraphThatIsBeingSent) {
  SilentServer server;
  auto x = tf::constant(1.0f);
  tf::Session session(server.target());
  std::thread running([&] { EXPECT_THROW(session.run(x), errors::CancelledError); });
  server.wait_for_client();
  session.close();
  running.join();
  EXPECT_THROW(session.run(x), RuntimeError);
}

/// A master that runs nothing, and answers an extension of a session's graph when it is told to.
class HoldingMaster {
 public:
  HoldingMaster() {
    std::string error;
    listener_ = transport().listen(
        {.address = "localhost:0"},
        [this](const Request& request, const Reply& reply) { answer(request.method, reply); }, nullptr,
        error);
    EXPECT_NE(listener_, nullptr) << error;
  }
  std::string target() const { return "grpc://localhost:" + std::to_string(listener_->port()); }
  void wait_for_extension() { is_asked_.acquire(); }
  void answer_extension(const Response& response) { extension_(response); }
  static Response taken(int64_t version) {
    wire::ExtendSessionResponse told;
    told.new_graph_version = version;
    return {Message(wire::encode(told)), {}};
  }

 private:
  void answer(std::string_view method, const Reply& reply) {
    if (method.ends_with("/ExtendSession")) {
      extension_ = reply;
      return is_asked_.release();
    }
    wire::CreateSessionResponse made;
    made.session_handle = "one";
    made.graph_version = 1;
    reply({method.ends_with("/CreateSession") ? Message(wire::encode(made)) : Message(), {}});
  }

  std::counting_semaphore<> is_asked_{0};
  Reply extension_;
  std::unique_ptr<Listener> listener_;
};

/// Runs a step that another thread ends once `is_waiting` returns.
void expect_to_be_cancelled(tf::Session& session, const tf::Operation& op,
                            const std::function<void()>& is_waiting) {
  const tf::RunOptions options{.cancellation = std::make_shared<tf::StepCancellation>()};
  std::thread canceller([&] {
    is_waiting();
    options.cancellation->cancel();
  });
  EXPECT_THROW(session.run(op, {}, options), errors::CancelledError);
  canceller.join();
}

TEST_F(RemoteSessionTest, EndsAStepWhoseGraphIsBeingSent) {
  HoldingMaster master;
  const auto first = tf::no_op();
  tf::Session session(master.target());
  session.run(first);
  const auto second = tf::no_op();
  expect_to_be_cancelled(session, second, [&] { master.wait_for_extension(); });
  expect_to_be_cancelled(session, second, [] {});  // which waits for what the first has begun
  EXPECT_THROW(session.run(second, {}, {.timeout_in_ms = 1}), errors::DeadlineExceededError);
  const auto third = tf::no_op();
  // What they have left is not sent anew: the server has it.
  std::thread answering([&] {
    master.answer_extension(HoldingMaster::taken(2));
    master.wait_for_extension();
    master.answer_extension(HoldingMaster::taken(3));
  });
  session.run(third);
  answering.join();
  session.run(second);
}

TEST_F(RemoteSessionTest, TellsAllThatWaitWhyTheirGraphIsRefused) {
  HoldingMaster master;
  const auto first = tf::no_op();
  tf::Session session(master.target());
  session.run(first);
  const auto second = tf::no_op();
  const auto refused = [&] { EXPECT_THROW(session.run(second), errors::InvalidArgumentError); };
  std::thread running(refused);
  master.wait_for_extension();
  master.answer_extension({{}, {static_cast<int>(Code::kInvalidArgument), "no such op"}});
  running.join();
  running = std::thread([&] { session.run(second); });  // sends it again
  master.wait_for_extension();
  master.answer_extension(HoldingMaster::taken(2));
  running.join();
}

TEST_F(RemoteSessionTest, CloseGivesUpAnExtensionThatNobodyWaitsFor) {
  HoldingMaster master;
  const auto first = tf::no_op();
  std::optional<tf::Session> session(std::in_place, master.target());
  session->run(first);
  const auto second = tf::no_op();
  expect_to_be_cancelled(*session, second, [&] { master.wait_for_extension(); });
  session.reset();
  master.answer_extension(HoldingMaster::taken(2));
}

TEST_F(RemoteSessionTest, GivesWhatIsFedBack) {
  const Server server = Server::create_local_server();
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto y = x + 1.0;
  tf::Session session(server.target());
  EXPECT_EQ(session.run(x, {{x, 3.0}}), Array(3.0f));
  auto [first, sum, second, again] = session.run({x, y, x, y}, {{x, 3.0}});
  EXPECT_EQ(first, Array(3.0f));
  EXPECT_EQ(sum, Array(4.0f));
  EXPECT_EQ(second, Array(3.0f));
  EXPECT_EQ(again, Array(4.0f));
  auto step = session.make_callable({y, x}, {x});
  EXPECT_EQ(step(Array(5.0f))[0], Array(6.0f));
  EXPECT_EQ(step(Array(5.0f))[1], Array(5.0f));
}

TEST_F(RemoteSessionTest, RunsPartiallyThere) {
  const Server server = Server::create_local_server();
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto y = tf::placeholder(tf::float32, {}, {.name = "y"});
  const auto square = tf::square(x);
  const auto sum = square + y;
  tf::Session session(server.target());
  const std::string handle = session.partial_run_setup({square, sum}, {x, y});
  EXPECT_EQ(session.partial_run(handle, {square}, {{x, 3.0f}}).at(0), Array(9.0f));
  EXPECT_THROW(session.partial_run(handle, {sum}), errors::InvalidArgumentError);
  EXPECT_EQ(session.partial_run(handle, {sum}, {{y, 1.0f}}).at(0), Array(10.0f));
  EXPECT_THROW(session.partial_run(handle, {sum}), errors::InvalidArgumentError);
}

TEST_F(RemoteSessionTest, AsksForNothingWhereNothingIsFetched) {
  const SilentServer nobody;
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  tf::Session session(nobody.target(), tf::SessionConfig{.operation_timeout_in_ms = 300});
  EXPECT_EQ(session.run(std::vector<tf::Fetch>{}, {{x, 3.0}}).size(), 0U);
  EXPECT_EQ(session.run(x, {{x, 3.0}}), Array(3.0f));
}

TEST_F(RemoteSessionTest, RefusesWhatIsNoHostAndPort) {
  tf::constant(1.0f);
  for (const char* address :
       {"localhost", "", "localhost:", "localhost:abc", "localhost:-1", "localhost:2222/"}) {
    try {
      const tf::Session session(std::string("grpc://") + address);
      ADD_FAILURE() << address;
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_TRUE(error.message().starts_with("Could not interpret \"" + std::string(address) +
                                              "\" as a host-port pair."))
          << error.message();
    }
  }
  for (const char* target : {"http://localhost:2222", "GRPC://localhost:2222", "localhost:2222"}) {
    EXPECT_THROW(tf::Session{target}, errors::NotFoundError) << target;
  }
}

}  // namespace
}  // namespace flowray::cluster
