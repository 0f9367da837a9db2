// A client that waits for a parameter server that is not there: it ends by its time, and by whoever asks for
// the end.
#include <flowray/tf.h>

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/network_fixture.h"
#include "support/idx_files.h"

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

/// Its services wait for a summary, and fail.
TEST_F(WaitsForServers, EndWithAServiceThatFails) {
  const testing::TestFolder folder;
  const tf::FIFOQueue summaries(1, {tf::string}, {.shapes = {{}}});
  const auto close = summaries.close();
  tf::train::Supervisor supervisor(
      {.logdir = folder.path(), .summary_op = tf::Tensor(summaries.dequeue()), .saver = nullptr});
  tf::Session here;
  supervisor.start_standard_services(here);
  auto waiting = std::async(std::launch::async, [&] {
    return text_of<errors::CancelledError>(
        [&] { supervisor.session_manager()->prepare_session(worker_->target(), {.init_op = w_.op()}); });
  });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  here.run(close);
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_TRUE(supervisor.should_stop());
  supervisor.request_stop();  // for the test's own end
  EXPECT_THAT(waiting.get(), StartsWith(kStopped));
  EXPECT_THROW(supervisor.stop(), errors::OutOfRangeError);
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

TEST_P(WaitsOfChiefsAndOthers, EndWithoutAReadyOp) {
  tf::train::SessionManager manager;
  for (const std::string& master : {worker_->target(), "grpc://" + free_address()}) {
    EXPECT_THAT(text_of<errors::DeadlineExceededError>([&] {
                  if (!GetParam()) manager.wait_for_session(master, {}, 0.3);
                  manager.prepare_session(master,
                                          {.recover = {.max_wait_secs = 0.3}, .init_op = w_.initializer()});
                }),
                StartsWith(kNotReady));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, WaitsOfChiefsAndOthers, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "chief" : "other"; });

/// Begins its waits late, and ends those for a checkpoint.
class LateManager : public tf::train::SessionManager {
 public:
  using SessionManager::SessionManager;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> begin;
  Clock::time_point rests_until;

 protected:
  void begin_wait(const std::shared_ptr<tf::StepCancellation>&) override {
    begin = Clock::now();
    while (Clock::now() < *begin + std::chrono::milliseconds(20)) std::this_thread::yield();
  }
  void rest_until(Clock::time_point time) override {
    rests_until = time;
    throw errors::CancelledError("enough");
  }
};

class SessionsOfManagers : public NetworkTest {
 protected:
  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  tf::Variable w_{1.0f, {.name = "w"}};
};

TEST_F(SessionsOfManagers, WaitForServersAndACheckpointOnce) {
  const auto server = tf::train::Server::create_local_server();
  const auto saver = std::make_shared<tf::train::Saver>();
  const testing::TestFolder folder;
  LateManager manager({.recovery_wait_secs = 1000});
  EXPECT_THROW(
      manager.recover_session(
          server.target(),
          {.saver = saver, .checkpoint_dir = folder.path(), .wait_for_checkpoint = true, .max_wait_secs = 5}),
      errors::CancelledError);
  ASSERT_TRUE(manager.begin.has_value());
  EXPECT_LE(manager.rests_until, *manager.begin + std::chrono::seconds(5));
}

/// As TensorFlow's: before init_op nothing of the program's runs.
TEST_F(SessionsOfManagers, AskTheReadyOpOnce) {
  const auto server = tf::train::Server::create_local_server();
  const tf::FIFOQueue answers(2, {tf::string}, {.shapes = {{0}}, .shared_name = "answers"});
  const auto fill = answers.enqueue({tf::constant(std::vector<std::string>())});
  const auto left = answers.size();
  tf::train::SessionManager manager({.ready_op = answers.dequeue()[0]});
  tf::Session session(server.target());
  for (int i = 0; i < 2; ++i) session.run(fill);
  const auto made = manager.prepare_session(server.target(), {.init_op = w_.initializer()});
  EXPECT_EQ(made->run(left), Array(1));
}

}  // namespace
}  // namespace flowray::cluster
