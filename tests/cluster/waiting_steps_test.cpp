// A thousand steps that wait on one server, and what lets them go: none of them has a thread there.

#include <flowray/errors.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cluster/graph_messages.h"
#include "cluster/network_client.h"
#include "cluster/network_fixture.h"
#include "cluster/server_process.h"
#include "core/job_queue.h"
#include "core/sanitizers.h"

namespace flowray::cluster {
namespace {

constexpr int kSteps = kSanitized ? 100 : 1000;

/// Requests under way, each in a thread of this process.
class Requests {
 public:
  Requests(const std::string& target, std::string method, std::string bytes,
           Cancellation* cancellation = nullptr)
      : channel_(transport().connect(target.substr(std::string_view("grpc://").size()))) {
    for (int i = 0; i < kSteps; ++i) {
      threads_.emplace_back([this, i, path = "/tensorflow.MasterService/" + method, bytes, cancellation] {
        ended_[static_cast<size_t>(i)] =
            channel_->call(path, Message(bytes), Channel::Deadline::max(), cancellation).status;
      });
    }
  }
  ~Requests() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  /// How many ended with each code, when all have.
  std::map<Code, int> ends() {
    for (std::thread& thread : threads_) thread.join();
    std::map<Code, int> counts;
    for (const Status& status : ended_) ++counts[static_cast<Code>(status.code)];
    return counts;
  }
  const std::vector<Status>& statuses() const { return ended_; }

 private:
  const std::unique_ptr<Channel> channel_;
  std::vector<Status> ended_{static_cast<size_t>(kSteps)};
  std::vector<std::thread> threads_;
};

class WaitingSteps : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (IsSkipped()) return;
#ifndef FLOWRAY_TEST_COMMAND
    GTEST_SKIP() << "the command is not built";
#else
    server_ = std::make_unique<ServerProcess>();
    client_ = std::make_unique<NetworkClient>(server_->target());
    ASSERT_TRUE(client_->create(waiting())) << client_->status().text;
    (void)client_->run("init");
    (void)client_->run("put");
    ASSERT_EQ(client_->run("taken:0"), Array(1.0f)) << client_->status().text;
    (void)client_->run("init");
    threads_ = server_->status("Threads");
#endif
  }

  wire::RunStepRequest step() const {
    wire::RunStepRequest request;
    request.session_handle = client_->session();
    request.fetch = {"taken:0"};
    return request;
  }
  /// Each of them has counted, and waits or is about to. More threads than before are at most those that go
  /// on with steps that waited, the timer's and a few of gRPC's and of the crew's.
  void await_all_without_threads() {
    NetworkClient observer(server_->target());
    ASSERT_TRUE(observer.create(waiting()));
    while (observer.run("v:0").item<float>() < static_cast<float>(kSteps))
      ASSERT_TRUE(observer.status().ok());
    EXPECT_LE(server_->status("Threads"), threads_ + static_cast<int64_t>(JobQueue::kMostThreads) + 8);
  }

  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<NetworkClient> client_;
  int64_t threads_ = 0;
};

TEST_F(WaitingSteps, GoOnWhenOthersPutIn) {
  Requests requests(server_->target(), "RunStep", wire::encode(step()));
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  for (int i = 0; i < kSteps; ++i) (void)client_->run("put");
  EXPECT_EQ(requests.ends(), (std::map<Code, int>{{Code::kOk, kSteps}}));
  EXPECT_EQ(client_->run("size:0"), Array(0));
}

TEST_F(WaitingSteps, EndWithTheirSession) {
  Requests requests(server_->target(), "RunStep", wire::encode(step()));
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  EXPECT_TRUE(client_->close());
  EXPECT_EQ(requests.ends(), (std::map<Code, int>{{Code::kCancelled, kSteps}}));
  EXPECT_EQ(requests.statuses()[0].text, "Step was cancelled by an explicit call to `Session::Close()`.");
}

TEST_F(WaitingSteps, EndWhenTheirClientGivesUp) {
  Cancellation cancellation;
  // One step more takes an element and waits for a second, and puts it back when it is given up.
  auto both = step();
  both.fetch = {"both:0"};
  Requests requests(server_->target(), "RunStep", wire::encode(both), &cancellation);
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  (void)client_->run("put");
  cancellation.cancel();
  EXPECT_EQ(requests.ends(), (std::map<Code, int>{{Code::kCancelled, kSteps}}));
  // One that went on to wait would keep it, and this would have no end.
  while (client_->run("size:0") != Array(1)) ASSERT_TRUE(client_->status().ok());
}

TEST_F(WaitingSteps, EndAtTheirTimeout) {
  auto request = step();
  request.options.timeout_in_ms = 300;
  Requests requests(server_->target(), "RunStep", wire::encode(request));
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  EXPECT_EQ(requests.ends(), (std::map<Code, int>{{Code::kDeadlineExceeded, kSteps}}));
  (void)client_->run("put");
  EXPECT_EQ(client_->run("size:0"), Array(1));
}

TEST_F(WaitingSteps, EndWithTheServer) {
  Requests requests(server_->target(), "RunStep", wire::encode(step()));
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  server_->process().send_signal(SIGTERM);
  EXPECT_EQ(server_->process().wait(), 0) << server_->process().errors();
  EXPECT_FALSE(requests.ends().contains(Code::kOk));
}

TEST_F(WaitingSteps, AreRunByCallablesToo) {
  wire::MakeCallableRequest make;
  make.session_handle = client_->session();
  make.options.fetch = {"taken:0"};
  wire::RunCallableRequest run;
  run.session_handle = client_->session();
  run.handle = client_->ask<wire::MakeCallableResponse>("MakeCallable", make).handle;
  Requests requests(server_->target(), "RunCallable", wire::encode(run));
  ASSERT_NO_FATAL_FAILURE(await_all_without_threads());
  for (int i = 0; i < kSteps; ++i) (void)client_->run("put");
  EXPECT_EQ(requests.ends(), (std::map<Code, int>{{Code::kOk, kSteps}}));
}

}  // namespace
}  // namespace flowray::cluster
