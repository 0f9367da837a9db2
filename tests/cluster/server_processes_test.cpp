// A cluster of processes: killed and started anew in the middle of steps, and with many sessions one after
// another. FLOWRAY_NIGHTLY asks for more.

#include <flowray/errors.h>
#include <flowray/tf.h>
#include <flowray/tf/server.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "cluster/bodies.h"
#include "cluster/network_client.h"
#include "cluster/network_fixture.h"
#include "cluster/server_process.h"
#include "core/sanitizers.h"
#include "graph/exchange/graph_export.h"
#include "support/idx_files.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

bool is_nightly() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr; }

/// w on the ps, whose gradients are the worker's: a step halves it.
struct Training {
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  tf::Variable w;
  tf::Operation train;
  tf::Operation init;

  Training() {
    {
      const auto ps = tf::device("/job:ps/task:0");
      w = tf::Variable(tf::fill({1000}, 1.0f), {.name = "w"});
    }
    const auto worker = tf::device("/job:worker/task:0");
    train = tf::train::GradientDescentOptimizer(0.25f).minimize(tf::reduce_sum(tf::square(w)));
    init = tf::global_variables_initializer();
  }
};

class ServerProcesses : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
#ifndef FLOWRAY_TEST_COMMAND
    GTEST_SKIP() << "the command is not built";
#else
    for (const char* job : {"ps", "worker"}) addresses_[job] = free_address();
    for (const char* job : {"ps", "worker"}) start(job);
#endif
  }

  void start(const std::string& job) {
    std::vector<std::string> options = {"--cluster", "ps=" + addresses_["ps"],
                                        "worker=" + addresses_["worker"], "--job", job};
    options.insert(options.end(), more_options_.begin(), more_options_.end());
    servers_[job] = std::make_unique<ServerProcess>(options);
  }
  void restart(const std::string& job) {
    killed_at_ = Clock::now();
    servers_[job]->process().send_signal(SIGKILL);
    EXPECT_EQ(servers_[job]->process().wait(), -SIGKILL);
    start(job);
  }
  std::string target() const { return "grpc://" + addresses_.at("worker"); }
  std::unique_ptr<tf::Session> session_after_its_first_step(const Training& training);

  std::vector<std::string> more_options_;  // of servers that are started from now on
  std::map<std::string, std::string> addresses_;
  std::map<std::string, std::unique_ptr<ServerProcess>> servers_;
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::time_point> killed_at_;
};

/// Null where a server heard only now that the one that it was connected to is gone: whoever asks again finds
/// the new one.
std::unique_ptr<tf::Session> ServerProcesses::session_after_its_first_step(const Training& training) {
  try {
    // A client that does not hear of the end of a server hears of a deadline, which is not the right answer.
    auto session = std::make_unique<tf::Session>(target(), training.graph,
                                                 tf::SessionConfig{.operation_timeout_in_ms = 60'000});
    session->run(training.init);
    session->run(training.train);
    return session;
  } catch (const errors::UnavailableError&) {
    return nullptr;
  }
}

/// Ten seconds after the last of them.
TEST_F(ServerProcesses, ThatAreToEndWithTheirWorkersDo) {
  more_options_ = {"--exit-with-workers"};
  restart("ps");
  const Training training;
  while (session_after_its_first_step(training) == nullptr) std::this_thread::yield();
  servers_["worker"]->process().send_signal(SIGKILL);
  EXPECT_EQ(servers_["worker"]->process().wait(), -SIGKILL);
  EXPECT_EQ(servers_["ps"]->process().wait(), 0) << servers_["ps"]->process().errors();
}

TEST_F(ServerProcesses, ThatAreKilledInAStepEndItAndServeNewSessions) {
  const int rounds = is_nightly() ? 200 : 10;
  const Training training;
  std::mt19937 random(11);
  double longest = 0;  // that a client waited for its error, in seconds
  for (int round = 0; round < rounds; ++round) {
    std::unique_ptr<tf::Session> opened;
    while (opened == nullptr) opened = session_after_its_first_step(training);
    tf::Session& session = *opened;
    EXPECT_EQ(session.run(training.w), Array::full(DType::kFloat32, {1000}, 0.5f)) << "round " << round;
    const int killed_at = static_cast<int>(random() % 8);
    const std::string job = random() % 2 == 0 ? "ps" : "worker";
    std::atomic<int> steps = 0;
    std::thread killer([&] {
      while (steps < killed_at) std::this_thread::yield();
      restart(job);
    });
    Code code = Code::kOk;
    std::string text;
    try {
      for (;; ++steps) session.run(training.train);
    } catch (const errors::OpError& error) {
      code = error.code();
      text = error.message();
      steps = killed_at;  // or it would wait for more of them
    }
    const auto ended_at = Clock::now();
    killer.join();
    const std::chrono::duration<double> heard_after = ended_at - killed_at_.load();
    longest = std::max(longest, heard_after.count());
    // By day the machine may have other work.
    if (is_nightly() && !kSanitized) {
      EXPECT_LT(heard_after.count(), 5) << "round " << round << ", " << job;
    }
    EXPECT_TRUE(code == Code::kAborted || code == Code::kUnavailable)
        << "round " << round << ", " << job << ": " << code_name(code) << ": " << text;
  }
  RecordProperty("longest_seconds", std::to_string(longest));
}

/// A step adds 1 to the global step and 2 to w, both on the ps: a checkpoint that was made in its middle, or
/// half of a step beside one, would show.
TEST_F(ServerProcesses, ThatAreKilledLetAMonitoredTrainingGoOnFromItsCheckpoint) {
  const int rounds = is_nightly() ? 20 : 3;
  const testing::TestFolder folder;
  tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Variable step;
  tf::Variable w;
  tf::Operation train;
  {
    const auto ps = tf::device("/job:ps/task:0");
    step = tf::train::get_or_create_global_step();
    w = tf::Variable(1.0f, {.name = "w"});
    train = tf::group({tf::assign_add(step, int64_t{1}).op(), tf::assign_add(w, 2.0f).op()});
  }
  auto session = tf::train::MonitoredTrainingSession({.master = target(),
                                                      .checkpoint_dir = folder.path(),
                                                      .save_checkpoint_steps = 3,
                                                      .config = {.operation_timeout_in_ms = 60'000},
                                                      .log_step_count_steps = 0});
  std::mt19937 random(12);
  int64_t last = 0;
  for (int round = 0; round < rounds; ++round) {
    const int killed_at = 4 + static_cast<int>(random() % 8);
    const std::string job = random() % 2 == 0 ? "ps" : "worker";
    std::atomic<int> steps = 0;
    std::atomic<bool> is_back = false;
    std::thread killer([&] {
      while (steps < killed_at) std::this_thread::yield();
      restart(job);
      is_back = true;
    });
    for (; !is_back; ++steps) session.run(train);
    killer.join();
    session.run(train);
    const auto steps_made = session.run(step).item<int64_t>();
    EXPECT_EQ(session.run(w).item<float>(), 1 + 2 * static_cast<float>(steps_made)) << round << " " << job;
    EXPECT_GT(steps_made, last) << "a checkpoint was made since the last kill";
    last = steps_made;
  }
  session.close();
  tf::summary::FileWriterCache::clear();
}

/// A stopped process keeps its sockets, so nobody says that it has gone.
TEST_F(ServerProcesses, ThatAreStoppedInAStepEndIt) {
  const Training training;
  for (const std::string job : {"ps", "worker"}) {
    std::unique_ptr<tf::Session> opened;
    while (opened == nullptr) opened = session_after_its_first_step(training);
    tf::Session& session = *opened;
    for (int i = 0; i < 3; ++i) session.run(training.train);
    servers_[job]->process().send_signal(SIGSTOP);
    const auto stopped_at = Clock::now();
    Code code = Code::kOk;
    std::string text;
    try {
      // The system stops it some time after it was told to: a step may still be made.
      while (Clock::now() - stopped_at < std::chrono::seconds(15)) session.run(training.train);
    } catch (const errors::OpError& error) {
      code = error.code();
      text = error.message();
    }
    const std::chrono::duration<double> heard_after = Clock::now() - stopped_at;
    EXPECT_TRUE(code == Code::kUnavailable || code == Code::kAborted) << job << ": " << text;
    EXPECT_LT(heard_after.count(), 15) << job;  // 5, and what a loaded machine adds
    if (is_nightly() && !kSanitized) {
      EXPECT_LT(heard_after.count(), 5.5) << job;
    }
    servers_[job]->process().send_signal(SIGCONT);
    restart(job);
  }
}

TEST_F(ServerProcesses, KeepNothingOfSessionsThatAreOver) {
  const Training training;
  const auto open_and_close = [&](int sessions) {
    for (int i = 0; i < sessions; ++i) {
      tf::Session session(target(), training.graph);
      session.run(training.init);
      session.run(training.train);
      if (i % 2 == 0) session.close();  // or it goes out of scope
    }
  };
  open_and_close(is_nightly() ? 200 : 50);  // what is kept for good is there then
  std::map<std::string, int64_t> threads;
  std::map<std::string, int64_t> memory_kib;
  for (const auto& [job, server] : servers_) {
    threads[job] = server->status("Threads");
    memory_kib[job] = server->status("VmRSS");
  }
  open_and_close(is_nightly() ? 1'000 : 50);
  for (const auto& [job, server] : servers_) {
    EXPECT_LE(server->status("Threads"), threads[job] + 4) << job;  // gRPC's come and go
    if (!kSanitized) {
      EXPECT_LE(server->status("VmRSS"), memory_kib[job] + 4096) << job;
    }
  }
}

/// Sessions whose clients go without a word end by themselves, on all tasks.
TEST_F(ServerProcesses, KeepNothingOfSessionsThatWereLeft) {
  more_options_ = {"--idle-timeout", "1"};
  for (const char* job : {"ps", "worker"}) restart(job);
  const Training training;
  const wire::GraphDef graph = graph::to_graph_def(*training.graph.get());
  const auto channel = transport().connect(addresses_["worker"]);
  const auto open_and_leave = [&](int count) {
    std::vector<std::string> handles;
    for (int i = 0; i < count; ++i) {
      NetworkClient client(target());
      ASSERT_TRUE(client.create(graph)) << client.status().text;
      client.run(training.init.name().c_str());
      client.run(training.train.name().c_str());
      ASSERT_TRUE(client.status().ok()) << client.status().text;
      handles.push_back(client.session());
    }
    wire::SessionHandles left;
    left.session_handle.assign(handles.begin(), handles.end());
    const Message question(wire::encode(left));
    const auto end = Clock::now() + std::chrono::minutes(1);
    for (size_t num_over = 0; num_over < handles.size();) {
      ASSERT_LT(Clock::now(), end) << num_over << " are over";
      const Response response = channel->call(kWhichAreOver, question, Channel::Deadline::max(), nullptr);
      ASSERT_TRUE(response.status.ok()) << response.status.text;
      num_over = body_of<wire::SessionHandles>(response.message).session_handle.size();
    }
  };
  open_and_leave(is_nightly() ? 200 : 30);
  std::map<std::string, int64_t> memory_kib;
  for (const auto& [job, server] : servers_) memory_kib[job] = server->status("VmRSS");
  open_and_leave(is_nightly() ? 1'000 : 30);
  for (const auto& [job, server] : servers_) {
    const int64_t more_kib = server->status("VmRSS") - memory_kib[job];
    RecordProperty(job + "_more_kib", static_cast<int>(more_kib));
    if (!kSanitized) {
      EXPECT_LE(more_kib, 16'384) << job;
    }
  }
}

}  // namespace
}  // namespace flowray::cluster
