// SIGTERM, as it comes while `flowray server` computes what cannot be interrupted.

#include <flowray/errors.h>
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "support/child_process.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;

/// A server in one kernel that takes minutes: all singular values of a large matrix.
class BusyServer {
 public:
  BusyServer() : process_({testing::built_program("flowray"), "server", "--port", "0"}) {
    process_.await_output("\n");
    const std::string words = "Started server with target: ";
    const std::string target =
        process_.output().substr(words.size(), process_.output().find('\n') - words.size());
    const int64_t before = cpu_ticks();
    client_ = std::thread([target] {
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

  ChildProcess& process() { return process_; }

 private:
  int64_t cpu_ticks() const {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/stat");
    std::string word;
    for (int i = 0; i < 13; ++i) file >> word;
    int64_t user = 0;
    int64_t system = 0;
    file >> user >> system;
    return user + system;
  }

  ChildProcess process_;
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

}  // namespace
}  // namespace flowray
