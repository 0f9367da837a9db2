// What other tasks answer to a master and to a worker may be anything: the step ends,
// and later ones are well.
#include "cluster/in_process_cluster.h"

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <string>

namespace flowray::cluster {
namespace {

const Identity kWorker{"worker", 0};

class DamagedAnswers : public ::testing::TestWithParam<const char*> {
 protected:
  DamagedAnswers() {
    auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
    tf::Tensor there;
    {
      const auto ps = tf::device("/job:ps/task:0");
      there = tf::square(x);
    }
    const auto worker = tf::device("/job:worker/task:0");
    tf::add(there, 1.0f, {.name = "y"});
  }

  /// A session's first step, traced.
  Code code_of_step(Array* value = nullptr) {
    ClusterClient client(cluster_.member(kWorker));
    Code code = Code::kOk;
    try {
      client.create(graph::to_graph_def(*graph_.get()));
      wire::RunOptions options;
      options.trace_level = wire::RunOptions::TraceLevel::kFull;
      options.timeout_in_ms = 20'000;
      const auto values = client.run({"y:0"}, {{"x:0", Array(3.0f)}}, options);
      if (value != nullptr) *value = values.at(0);
    } catch (const errors::OpError& error) {
      code = error.code();
    }
    client.close();
    return code;
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
};

TEST_P(DamagedAnswers, EndTheStepAndNoLaterOne) {
  std::mt19937 random(5);
  std::atomic<int> num_damaged = 0;
  const std::function<void(std::string&)> kDamages[] = {
      [](std::string& answer) { answer = "\xff\xff\xff"; },
      [](std::string& answer) { answer.resize(answer.size() / 2); },
      [](std::string& answer) { answer.clear(); },
      [&random](std::string& answer) {
        if (!answer.empty()) answer[random() % answer.size()] ^= static_cast<char>(1 + random() % 255);
      }};
  for (int i = 0; i < 40; ++i) {
    cluster_.damage(GetParam(), [&, i](std::string& answer) {
      ++num_damaged;
      kDamages[i < 3 ? i : 3](answer);
    });
    EXPECT_NE(code_of_step(), Code::kDeadlineExceeded) << i;
    cluster_.damage(GetParam(), nullptr);
    Array value;
    EXPECT_EQ(code_of_step(&value), Code::kOk) << i;
    EXPECT_EQ(value, Array(10.0f)) << i;
  }
  EXPECT_GE(num_damaged, 40) << "the method is called in each";
}

INSTANTIATE_TEST_SUITE_P(Of, DamagedAnswers,
                         ::testing::Values("GetStatus", "CreateWorkerSession", "RegisterGraph", "RunGraph",
                                           "RecvTensor", "Logging", "CleanupGraph", "DeleteWorkerSession"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace flowray::cluster
