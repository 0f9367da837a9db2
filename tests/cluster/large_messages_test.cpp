// Tensors and graphs that are larger than gRPC's messages may be, between a client and servers of ours that
// have only the network: they go in parts. By day gRPC's limit is made small; FLOWRAY_NIGHTLY takes the real
// one, where there is memory for it.

#include "cluster/network_fixture.h"
#include "cluster/server_process.h"

#include <flowray/tf.h>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace flowray::cluster {
namespace {

constexpr int64_t kLeastGib = 14;  // 11 were in use at a time: several processes have it, some of them twice

int64_t available_gib() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:")) return std::atoll(line.c_str() + line.find(':') + 1) >> 20;
  }
  return 0;
}

class LargeMessagesOfServers : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
#ifndef FLOWRAY_TEST_COMMAND
    GTEST_SKIP() << "the command is not built";
#else
    is_nightly_ = std::getenv("FLOWRAY_NIGHTLY") != nullptr && available_gib() >= kLeastGib;
    ::setenv("FLOWRAY_NETWORK_ONLY", "1", 1);
    if (!is_nightly_) ::setenv("FLOWRAY_MESSAGE_BYTES", "100000", 1);
    const std::string ps = free_address();
    const std::string worker = free_address();
    for (const char* job : {"ps", "worker"}) {
      servers_.push_back(std::make_unique<ServerProcess>(
          std::vector<std::string>{"--cluster", "ps=" + ps, "worker=" + worker, "--job", job}));
    }
    target_ = "grpc://" + worker;
    num_elements_ = is_nightly_ ? (int64_t{2200} << 20) / 4 : 300'000;
#endif
  }
  void TearDown() override {
    ::unsetenv("FLOWRAY_NETWORK_ONLY");
    ::unsetenv("FLOWRAY_MESSAGE_BYTES");
  }

  Array rising() const {
    Array array(DType::kFloat32, {num_elements_});
    auto* const elements = array.mutable_data<float>();
    for (int64_t i = 0; i < num_elements_; ++i) elements[i] = static_cast<float>(i % 8191);
    return array;
  }

  bool is_nightly_ = false;
  int64_t num_elements_ = 0;
  std::string target_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
};

TEST_F(LargeMessagesOfServers, HaveTensorsThatAreFedSentAndFetched) {
  const auto x = tf::placeholder(tf::float32, {tf::None});
  tf::Tensor there;
  {
    const auto ps = tf::device("/job:ps/task:0");
    there = tf::negative(x);
  }
  tf::Session session(target_);
  const Array sent = rising();
  const Array got = session.run(there, {{x, sent}});
  ASSERT_EQ(got.size(), num_elements_);
  const float* const from = sent.data<float>();
  const float* const to = got.data<float>();
  int64_t num_wrong = 0;
  for (int64_t i = 0; i < num_elements_; ++i) num_wrong += to[i] == -from[i] ? 0 : 1;
  EXPECT_EQ(num_wrong, 0);
}

TEST_F(LargeMessagesOfServers, HaveConstantsOfGraphs) {
  const Array value = rising();
  const auto of_step = [&] {
    const auto ps = tf::device("/job:ps/task:0");
    return tf::reduce_max(tf::constant(value) + tf::placeholder_with_default(1.0f, {}));
  }();
  tf::Session session(target_);
  EXPECT_EQ(session.run(of_step), Array(8191.0f));
}

/// A worker that takes 200,000 bytes, and whose ps sends it more: whichever way that goes.
class LimitedWorker : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
#ifndef FLOWRAY_TEST_COMMAND
    GTEST_SKIP() << "the command is not built";
#endif
  }
  void TearDown() override {
    ::unsetenv("FLOWRAY_NETWORK_ONLY");
    ::unsetenv("FLOWRAY_MESSAGE_BYTES");
  }

  static void expect_that_it_keeps_to_its_limit(int32_t too_many_elements) {
    const std::string ps = free_address();
    const std::string worker = free_address();
    const std::vector<std::string> cluster = {"--cluster", "ps=" + ps, "worker=" + worker};
    const auto start = [&](std::vector<std::string> more) {
      more.insert(more.begin(), cluster.begin(), cluster.end());
      return std::make_unique<ServerProcess>(more);
    };
    const auto of_ps = start({"--job", "ps"});
    const auto of_worker = start({"--job", "worker", "--max-message-bytes", "200000"});

    tf::Graph graph;
    const auto scope = graph.as_default();
    const auto size = tf::placeholder(tf::int32, {});
    tf::Tensor sum;
    {
      const auto on_ps = tf::device("/job:ps/task:0");
      const auto value = tf::fill(tf::stack({size}), tf::placeholder_with_default(2.0f, {}));
      const auto on_worker = tf::device("/job:worker/task:0");
      sum = tf::reduce_sum(value);
    }
    tf::Session session("grpc://" + worker);
    // Several times: a connection finds its shorter way with the first calls.
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(session.run(sum, {{size, Array(int32_t{40'000})}}), Array(80'000.0f));
      try {
        (void)session.run(sum, {{size, Array(too_many_elements)}});
        ADD_FAILURE() << "it has taken " << too_many_elements << " elements";
      } catch (const errors::ResourceExhaustedError& error) {
        EXPECT_NE(error.message().find("Received message larger than max ("), std::string::npos)
            << error.what();
        EXPECT_NE(error.message().find("vs. 200000)\nSend less at once, or start the server with a higher "
                                       "--max-message-bytes."),
                  std::string::npos)
            << error.what();
      }
    }
  }
};

TEST_F(LimitedWorker, TakesNoMoreByALink) { expect_that_it_keeps_to_its_limit(51'000); }

TEST_F(LimitedWorker, ReadsNoMoreWhereItIs) { expect_that_it_keeps_to_its_limit(1'000'000); }

TEST_F(LimitedWorker, TakesNoMoreOverTheNetwork) {
  ::setenv("FLOWRAY_NETWORK_ONLY", "1", 1);
  expect_that_it_keeps_to_its_limit(1'000'000);
}

TEST_F(LimitedWorker, TakesNoMoreInParts) {
  ::setenv("FLOWRAY_NETWORK_ONLY", "1", 1);
  ::setenv("FLOWRAY_MESSAGE_BYTES", "100000", 1);
  expect_that_it_keeps_to_its_limit(1'000'000);
}

}  // namespace
}  // namespace flowray::cluster
