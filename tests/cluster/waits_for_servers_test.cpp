// Who waits for a parameter server that is not there: it ends by its time, and by whoever asks for the end.
#include <flowray/tf.h>

#include <gmock/gmock.h>

#include <future>
#include <memory>
#include <string>
#include <thread>

#include "cluster/network_fixture.h"

namespace flowray::cluster {
namespace {

using ::testing::StartsWith;

class WaitsForServers : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
    const tf::train::ClusterSpec cluster{{"ps", {free_address()}}, {"worker", {free_address()}}};
    worker_.emplace(cluster, tf::train::ServerOptions{.job_name = "worker", .task_index = 0});
    const auto there = tf::device("/job:ps/task:0");
    w_ = tf::Variable(1.0f, {.name = "w"});
  }

  template <class Error>
  static std::string text_of(const std::function<void()>& wait) {
    try {
      wait();
    } catch (const Error& error) {
      return error.message();
    } catch (const std::exception& error) {
      return std::string("another error: ") + error.what();
    }
    return "no error";
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  std::optional<tf::train::Server> worker_;
  tf::Variable w_;
  static constexpr const char* kNotReady = "Session was not ready after waiting 0.3 secs.\n";
  static constexpr const char* kStopped = "The supervisor was stopped while it waited";
};

TEST_F(WaitsForServers, EndWithTheStepThatIsEnded) {
  tf::Session session(worker_->target());
  const auto ends = std::make_shared<tf::StepCancellation>();
  auto waiting = std::async(std::launch::async, [&] {
    return text_of<errors::CancelledError>([&] { session.run(w_, {}, {.cancellation = ends}); });
  });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  ends->cancel();
  EXPECT_THAT(waiting.get(), StartsWith("Step was cancelled"));
}

class WaitsOfChiefsAndOthers : public WaitsForServers, public ::testing::WithParamInterface<bool> {};

TEST_P(WaitsOfChiefsAndOthers, EndWhenTheTimeOfAMonitoredSessionIsOver) {
  EXPECT_THAT(text_of<errors::DeadlineExceededError>([&] {
                tf::train::MonitoredTrainingSession(
                    {.master = worker_->target(), .is_chief = GetParam(), .max_wait_secs = 0.3});
              }),
              StartsWith(kNotReady));
}

TEST_P(WaitsOfChiefsAndOthers, EndWhenTheTimeOfASupervisorIsOver) {
  tf::train::Supervisor supervisor({.is_chief = GetParam()});
  EXPECT_THAT(text_of<errors::DeadlineExceededError>(
                  [&] { supervisor.prepare_or_wait_for_session(worker_->target(), {}, 0.3); }),
              StartsWith(kNotReady));
  tf::Session session(worker_->target());
  EXPECT_THAT(text_of<errors::DeadlineExceededError>([&] { supervisor.prepare(session, 0.3); }),
              StartsWith(kNotReady));
}

TEST_P(WaitsOfChiefsAndOthers, EndWithTheirSupervisor) {
  tf::train::Supervisor supervisor({.is_chief = GetParam()});
  tf::Session session(worker_->target());
  const std::function<void()> kWays[] = {[&] { supervisor.prepare_or_wait_for_session(worker_->target()); },
                                         [&] { supervisor.prepare(session); }};
  for (const auto& way : kWays) {
    auto waiting = std::async(std::launch::async, [&] { return text_of<errors::CancelledError>(way); });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
    supervisor.request_stop();
    EXPECT_THAT(waiting.get(), StartsWith(kStopped));
    supervisor.stop();  // so that it may begin again
  }
}

INSTANTIATE_TEST_SUITE_P(Of, WaitsOfChiefsAndOthers, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "chief" : "other"; });

}  // namespace
}  // namespace flowray::cluster
