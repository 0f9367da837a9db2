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

}  // namespace
}  // namespace flowray::cluster
