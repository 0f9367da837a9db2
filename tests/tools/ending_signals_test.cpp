// SIGTERM, as it comes while `flowray server` computes what cannot be interrupted, or while
// many steps wait in it; and what else could keep it from its work.

#include <flowray/errors.h>
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"
#include "wire/graph_def.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;

/// `flowray server`, which listens.
class RunningServer {
 public:
  RunningServer() : RunningServer({testing::built_program("flowray"), "server", "--port", "0"}) {}
  explicit RunningServer(const std::vector<std::string>& command) : process_(command) {
    process_.await_output("\n");
    const std::string words = "Started server with target: ";
    target_ = process_.output().substr(words.size(), process_.output().find('\n') - words.size());
  }
  ChildProcess& process() { return process_; }
  const ChildProcess& process() const { return process_; }
  const std::string& target() const { return target_; }

 private:
  ChildProcess process_;
  std::string target_;
};

/// A server in one kernel that takes minutes: all singular values of a large matrix.
class BusyServer {
 public:
  BusyServer() {
    const int64_t before = cpu_ticks();
    client_ = std::thread([target = server_.target()] {
      const tf::Graph graph;
      const tf::GraphScope scope = graph.as_default();
      const auto values =
          tf::svd(tf::random_normal({4000, 4000}, {.dtype = tf::float64}), {.compute_uv = false})[0];
      try {
        tf::Session(target).run(values);
      } catch (const Error&) {  // the server is gone
      }
    });
    // The matrix is made in less.
    while (cpu_ticks() - before < 3 * sysconf(_SC_CLK_TCK)) std::this_thread::yield();
  }
  ~BusyServer() { client_.join(); }

  ChildProcess& process() { return server_.process(); }

 private:
  int64_t cpu_ticks() const {
    std::ifstream file("/proc/" + std::to_string(server_.process().pid()) + "/stat");
    std::string word;
    for (int i = 0; i < 13; ++i) file >> word;
    int64_t user = 0;
    int64_t system = 0;
    file >> user >> system;
    return user + system;
  }

  RunningServer server_;
  std::thread client_;
};

TEST(EndingSignals, EndAServerThatComputes) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  BusyServer server;
  server.process().send_signal(SIGTERM);
  EXPECT_EQ(server.process().wait(), 128 + SIGTERM);
  EXPECT_THAT(server.process().errors(), HasSubstr("what runs did not end within 4.5 s: ended without it"));
}

TEST(EndingSignals, EndItAtOnceWhenTheyComeTwice) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  BusyServer server;
  // Two kinds: one alone may come once, when it is still pending.
  server.process().send_signal(SIGTERM);
  server.process().send_signal(SIGINT);
  EXPECT_THAT(server.process().wait(), ::testing::AnyOf(128 + SIGTERM, 128 + SIGINT));
  EXPECT_EQ(server.process().errors(), "");
}

TEST(EndingSignals, EndAServerInWhichManyStepsWait) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  constexpr int kSteps = 50;
  RunningServer server;
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  tf::FIFOQueue arrived(kSteps, {tf::float32}, {.shapes = {{}}});
  tf::FIFOQueue empty(1, {tf::float32}, {.shapes = {{}}});
  const auto arrive = arrived.enqueue({1.0f});
  const auto arrival = arrived.dequeue()[0];
  const auto one = [&] {
    const auto after = tf::control_dependencies({arrive});
    return empty.dequeue()[0];
  }();
  tf::Session session(server.target());
  std::atomic<int> ended{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kSteps; ++i) {
    clients.emplace_back([&] {
      try {
        session.run(one);
      } catch (const Error&) {
        ++ended;
      }
    });
  }
  for (int i = 0; i < kSteps; ++i) session.run(arrival);
  server.process().send_signal(SIGTERM);
  EXPECT_EQ(server.process().wait(), 0);
  EXPECT_THAT(server.process().errors(), ::testing::Not(HasSubstr("did not end within")));
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(ended, kSteps);
}

/// What it prints goes to somebody who does not read it: the step that prints waits, and has stderr's lock.
TEST(EndingSignals, EndAServerWhoseErrorsNobodyReads) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  const std::string flowray = testing::built_program("flowray").string();
  RunningServer server({"/bin/sh", "-c", "exec \"$0\" server --port 0 2>&1", flowray});
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Operation printed =
      tf::print({"printed", std::string(1 << 20, 'x')}, {.output_stream = "stderr", .summarize = -1});
  tf::Session session(server.target());
  std::thread client([&] { EXPECT_THROW(session.run(printed), Error); });
  server.process().await_output("printed");
  server.process().send_signal(SIGTERM);
  siginfo_t end{};
  // Without reading what is left of its output, as wait() does.
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(server.process().pid()), &end, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(end.si_code, CLD_EXITED);
  EXPECT_EQ(end.si_status, 128 + SIGTERM);
  client.join();
}

/// Steps that write a checkpoint of 10 MB over the one before, one after the other.
TEST(EndingSignals, LeaveACheckpointWhole) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  constexpr int64_t kElements = 2'500'000;
  const testing::TestFolder folder;
  const std::string prefix = (folder.path() / "model").string();
  RunningServer server;
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Variable v(tf::zeros({kElements}), {.name = "v"});
  const auto grow = v.assign_add(tf::ones({kElements}));
  tf::train::Saver saver;
  tf::Session session(server.target());
  session.run(v.initializer());
  saver.save(session, prefix);
  std::latch saves_again{1};
  std::thread client([&] {
    try {
      session.run(grow);
      saves_again.count_down();
      while (true) {
        saver.save(session, prefix);
        session.run(grow);
      }
    } catch (const Error&) {  // the server is gone
    }
  });
  saves_again.wait();
  server.process().send_signal(SIGTERM);
  EXPECT_THAT(server.process().wait(), ::testing::AnyOf(0, 128 + SIGTERM));
  client.join();
  tf::Session here;
  saver.restore(here, prefix);
  const Array value = here.run(v);
  const float first = value.data<float>()[0];
  EXPECT_EQ(std::ranges::count(value.span<float>(), first), kElements);
}

TEST(RunningServer, NeitherWaitsForAPipeNorReadsADeviceWithoutEnd) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  const testing::TestFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const RunningServer server;
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const auto name = tf::placeholder(tf::string, {});
  const wire::GraphDef message = wire::from_text_format<wire::GraphDef>(
      "node { name: 'name' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } } "
      "node { name: 'text' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } } "
      "node { name: 'read' op: 'ReadFile' input: 'name' } "
      "node { name: 'write' op: 'WriteFile' input: 'name' input: 'text' }");
  const auto made = tf::import_graph_def(tf::GraphDef::from_string(wire::encode(message)),
                                         {.input_map = {{"name", name}, {"text", tf::constant("text")}},
                                          .return_elements = {"read:0", "write"}});
  const tf::Tensor contents = made[0].tensor();
  const tf::Operation written = made[1].operation;
  tf::Session session(server.target());
  const tf::RunOptions options{.timeout_in_ms = 60'000};
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/full")}) {
    EXPECT_THROW(session.run(contents, {{name, path}}, options), errors::FailedPreconditionError) << path;
    EXPECT_THROW(session.run(written, {{name, path}}, options), errors::FailedPreconditionError) << path;
  }
  const std::string file = (folder.path() / "file").string();
  session.run(written, {{name, file}}, options);
  EXPECT_EQ(session.run(contents, {{name, file}}, options), Array("text"));
}

}  // namespace
}  // namespace flowray
