// What a network does to a client, its master, and the workers: each call ends, with the right value or an
// error of the right kind, and what comes later is as before.
#include "cluster/faulty_proxy.h"
#include "cluster/network_client.h"
#include "cluster/network_fixture.h"
#include "cluster/server_process.h"
#include "core/sanitizers.h"
#include "graph/exchange/graph_export.h"

#include <flowray/tf.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <set>

namespace flowray::cluster {
namespace {

using Fault = FaultyProxy::Fault;

/// A server that goes over the network only, and asks silent ones as this process does.
class ClusterTask {
 public:
  ClusterTask(const std::string& job, int ps_port, int worker_port)
      : process_({"/usr/bin/env", "FLOWRAY_NETWORK_ONLY=1", testing::built_program("flowray"), "server",
                  "--cluster", fmt::format("ps=localhost:{}", ps_port),
                  fmt::format("worker=localhost:{}", worker_port), "--job", job}) {
    process_.await_output("\n");
  }

 private:
  testing::ChildProcess process_;
};

class NetworkFaults : public NetworkTest {
 protected:
  /// Silent ones are soon asked.
  static void SetUpTestSuite() { ::setenv("FLOWRAY_KEEPALIVE_MS", "1000", 1); }
  static void TearDownTestSuite() { ::unsetenv("FLOWRAY_KEEPALIVE_MS"); }

  void SetUp() override {
    NetworkTest::SetUp();
#ifndef FLOWRAY_TEST_COMMAND
    GTEST_SKIP() << "there is no flowray in this build";
#endif
    if (IsSkipped()) return;
    auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
    tf::Tensor twice;
    {
      auto ps = tf::device("/job:ps/task:0");
      twice = tf::multiply(x, 2.0f);
    }
    auto worker = tf::device("/job:worker/task:0");
    auto more = tf::add(twice, 1.0f);
    auto ps = tf::device("/job:ps/task:0");
    tf::square(more, {.name = "y"});
    begin();
  }

  /// A new session.
  void begin() { client_.create(graph::to_graph_def(*graph_.get())); }

  /// What a step gives: OK and right, or its error's code. Each ends within half a minute.
  int code_of_step() {
    std::vector<float> fed(1000);
    for (size_t i = 0; i < fed.size(); ++i)
      fed[i] = static_cast<float>(i % 50) + static_cast<float>(++num_steps_ % 7);
    const Array x(fed);
    auto running = std::async(std::launch::async, [&] {
      wire::RunStepRequest request;
      request.session_handle = client_.session();
      request.fetch = {"y:0"};
      request.options.timeout_in_ms = timeout_ms_;
      auto& feed = request.feed.emplace_back();
      feed.name = "x:0";
      feed.tensor = wire::to_tensor_proto(x, wire::TensorForm::kBorrowed);
      const auto answer = client_.ask<wire::RunStepResponse>("RunStep", request);
      if (!client_.status().ok()) return client_.status().code;
      for (auto& float_in : fed) float_in = (2 * float_in + 1) * (2 * float_in + 1);
      EXPECT_EQ(wire::to_array(answer.tensor.at(0).tensor), Array(fed));
      return 0;
    });
    if (running.wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
      ADD_FAILURE() << "a step hangs";
      proxies_[0]->set(Fault::kReset);  // ends it
      EXPECT_EQ(running.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    }
    return running.get();
  }

  /// As a client does that begins anew when a server was lost, `before_anew` each time before.
  void expect_that_all_is_well(const std::function<void()>& before_anew = [] {}) {
    for (FaultyProxy* proxy : proxies_) proxy->set(Fault::kNone);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    int code = code_of_step();
    while (code != 0 && std::chrono::steady_clock::now() < end) {
      before_anew();
      begin();
      code = client_.status().ok() ? code_of_step() : client_.status().code;
    }
    EXPECT_EQ(code, 0) << client_.status().text;
  }

  static constexpr int kAborted = 10;
  static constexpr int kUnavailable = 14;

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  const int ps_port_ = FaultyProxy::free_port();
  const int worker_port_ = FaultyProxy::free_port();
  FaultyProxy to_master_{worker_port_};  // from the client
  FaultyProxy to_ps_{ps_port_};          // from the master, which is the worker
  FaultyProxy to_worker_{worker_port_};  // from the ps
  const std::vector<FaultyProxy*> proxies_ = {&to_master_, &to_ps_, &to_worker_};
  ClusterTask ps_{"ps", ps_port_, to_worker_.port()};
  ClusterTask worker_{"worker", to_ps_.port(), worker_port_};
  NetworkClient client_{fmt::format("grpc://localhost:{}", to_master_.port())};
  int64_t timeout_ms_ = 0;
  int num_steps_ = 0;
};

TEST_F(NetworkFaults, ADelayChangesNothing) {
  for (FaultyProxy* proxy : proxies_) {
    proxy->set(Fault::kDelay);
    EXPECT_EQ(code_of_step(), 0) << client_.status().text;
  }
}

TEST_F(NetworkFaults, AConnectionThatBreaksIsUnavailable) {
  for (FaultyProxy* proxy : proxies_) {
    EXPECT_EQ(code_of_step(), 0);
    proxy->set(Fault::kReset);
    const int code = code_of_step();
    EXPECT_TRUE(code == kUnavailable || code == kAborted) << code << " " << client_.status().text;
    expect_that_all_is_well();
  }
}

/// Pings notice it.
TEST_F(NetworkFaults, ASilentServerIsUnavailable) {
  for (FaultyProxy* proxy : proxies_) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(code_of_step(), 0);
    proxy->set(Fault::kSilent);
    const int code = code_of_step();
    EXPECT_TRUE(code == kUnavailable || code == kAborted) << code << " " << client_.status().text;
    expect_that_all_is_well();
  }
}

/// A changed byte of HTTP/2's own can lose an answer without a trace, or spoil all that come after it on the
/// same connection: that is what the deadlines are for, and connections made anew.
TEST_F(NetworkFaults, AChangedByteNeverChangesAValue) {
  timeout_ms_ = 2000;
  client_.set_timeout(std::chrono::seconds(20));
  const bool is_nightly = std::getenv("FLOWRAY_NIGHTLY") != nullptr;
  const int rounds = is_nightly ? 100 : 9;
  std::map<int, std::multiset<std::string>> texts;
  std::chrono::duration<double> longest{0};
  for (int i = 0; i < rounds; ++i) {
    FaultyProxy& proxy = *proxies_[static_cast<size_t>(i) % proxies_.size()];
    expect_that_all_is_well([&] {
      for (FaultyProxy* one : proxies_) one->break_connections();
    });
    proxy.set(Fault::kChange);
    const auto begin = std::chrono::steady_clock::now();
    const int code = code_of_step();
    texts[code].insert(client_.status().text);
    longest = std::max<std::chrono::duration<double>>(longest, std::chrono::steady_clock::now() - begin);
  }
  RecordProperty("longest_seconds", std::to_string(longest.count()));
  // By day the machine may have other work.
  if (is_nightly && !kSanitized) {
    EXPECT_LT(longest.count(), 5);
  }
  // An error's code stands in one byte, too: that of success, changed, is an error that says nothing.
  const std::set<int> codes_of_transport = {0, 2, 4, 8, 10, 12, 13, 14, 15};
  for (const auto& [code, of_code] : texts) {
    for (const std::string& text : of_code) {
      const bool says_nothing = text.empty() || (text.starts_with("From ") && text.ends_with(":\n"));
      EXPECT_TRUE(codes_of_transport.contains(code) || says_nothing) << code << ": " << text;
    }
    RecordProperty("code_" + std::to_string(code), static_cast<int>(of_code.size()));
  }
}

/// As long as it takes where nobody has set the times.
class SilentByDefault : public NetworkFaults {
 protected:
  static void SetUpTestSuite() { ::unsetenv("FLOWRAY_KEEPALIVE_MS"); }

  void expect_no_answer_for_long() {
    const auto begin = std::chrono::steady_clock::now();
    const int code = code_of_step();
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(code == kUnavailable || code == kAborted) << code << " " << client_.status().text;
    longest_ = std::max(longest_, lasted);
  }
  std::chrono::duration<double> longest_{0};
};

/// Also where a connection has to be made: the second step.
TEST_F(SilentByDefault, AServerIsUnavailableWithinFiveSeconds) {
  const bool is_nightly = std::getenv("FLOWRAY_NIGHTLY") != nullptr;
  for (FaultyProxy* proxy : is_nightly ? proxies_ : std::vector<FaultyProxy*>{&to_ps_}) {
    expect_that_all_is_well();
    proxy->set(Fault::kSilent);
    expect_no_answer_for_long();
    expect_no_answer_for_long();
  }
  RecordProperty("longest_seconds", std::to_string(longest_.count()));
  // By day the machine may have other work.
  if (is_nightly && !kSanitized) {
    EXPECT_LT(longest_.count(), 5);
  }
}

class StuckConnections : public NetworkFaults {
 protected:
  /// Nobody asks a silent one.
  static void SetUpTestSuite() { ::setenv("FLOWRAY_KEEPALIVE_MS", "1000000", 1); }
};

/// A master that has had no answer for ten seconds asks over a new one.
TEST_F(StuckConnections, AreMadeAnew) {
  EXPECT_EQ(code_of_step(), 0);
  client_.set_timeout(std::chrono::seconds(60));
  to_ps_.set(Fault::kStuck);
  begin();
  EXPECT_TRUE(client_.status().ok()) << client_.status().text;
  EXPECT_EQ(code_of_step(), 0) << client_.status().text;
}

}  // namespace
}  // namespace flowray::cluster
