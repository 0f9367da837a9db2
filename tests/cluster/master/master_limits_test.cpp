// What a master refuses because it is too much, or because its options forbid it.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "cluster/master_fixture.h"
#include "cluster/worker/worker.h"
#include "core/sanitizers.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kIdleSeconds = 3600;

class MasterLimits : public MasterTest {
 protected:
  MasterLimits()
      : MasterTest(
            {.files = {.no_files = true},
             .limits = {.sessions = 2, .callables = 2, .partial_runs = 2, .idle_seconds = kIdleSeconds}}) {}

  void close(const std::string& session) {
    wire::CloseSessionRequest request;
    request.session_handle = session;
    call("CloseSession", wire::encode(request));
    EXPECT_EQ(status().first, Code::kOk) << status().second;
  }
  void expect_too_many(const std::string& what, const std::string& option) {
    EXPECT_EQ(status().first, Code::kResourceExhausted) << status().second;
    EXPECT_THAT(status().second, StartsWith("Too many " + what + ": "));
    EXPECT_THAT(status().second, HasSubstr(option + ".")) << "and the option that allows more";
  }
  bool answers(const std::string& session) {
    call("RunStep", wire::encode(step(session, "y:0", Array(1.f))));
    return status_.ok();
  }
  static Master::Clock::time_point in(int64_t time) { return Master::Clock::now() + seconds(time); }
};

TEST_F(MasterLimits, HoldForSessions) {
  const std::string first = create(doubling());
  const std::string second = create(doubling());
  call("CreateSession", wire::encode(wire::CreateSessionRequest()));
  expect_too_many("sessions", "--max-sessions");
  EXPECT_TRUE(answers(first)) << "those that there are go on";
  close(first);
  const std::string third = create(doubling());
  EXPECT_TRUE(answers(third));
}

TEST_F(MasterLimits, HoldForCallables) {
  const std::string session = create(doubling());
  wire::MakeCallableRequest make;
  make.session_handle = session;
  make.options.feed = {"x:0"};
  make.options.fetch = {"y:0"};
  const auto handle = ask<wire::MakeCallableResponse>("MakeCallable", make).handle;
  ask<wire::MakeCallableResponse>("MakeCallable", make);
  EXPECT_TRUE(status_.ok()) << status_.text;
  call("MakeCallable", wire::encode(make));
  expect_too_many("callables", "--max-callables");
  wire::ReleaseCallableRequest release;
  release.session_handle = session;
  release.handle = handle;
  call("ReleaseCallable", wire::encode(release));
  call("MakeCallable", wire::encode(make));
  EXPECT_TRUE(status_.ok()) << status_.text;
}

TEST_F(MasterLimits, HoldForPartialRuns) {
  const std::string session = create(doubling());
  wire::PartialRunSetupRequest setup;
  setup.session_handle = session;
  setup.feed = {"x:0"};
  setup.fetch = {"y:0"};
  const std::string first =
      ask<wire::PartialRunSetupResponse>("PartialRunSetup", setup).partial_run_handle.str();
  ask<wire::PartialRunSetupResponse>("PartialRunSetup", setup);
  EXPECT_TRUE(status_.ok()) << status_.text;
  call("PartialRunSetup", wire::encode(setup));
  expect_too_many("partial runs", "--max-partial-runs");
  const Array fed(1.f);  // the request borrows it
  wire::RunStepRequest rest = step(session, "y:0", fed);
  rest.partial_run_handle = first;
  call("RunStep", wire::encode(rest));
  EXPECT_TRUE(status_.ok()) << status_.text;
  call("PartialRunSetup", wire::encode(setup));
  EXPECT_TRUE(status_.ok()) << "one is over: " << status_.text;
}

TEST_F(MasterLimits, EndSessionsThatNobodyCalls) {
  const std::string session = create(doubling());
  EXPECT_EQ(master_.end_idle_sessions(in(kIdleSeconds - 60)), 0u);
  EXPECT_TRUE(answers(session));
  EXPECT_EQ(master_.end_idle_sessions(in(kIdleSeconds + 60)), 1u);
  EXPECT_FALSE(answers(session));
  EXPECT_EQ(status(), std::pair(Code::kAborted, "Session " + session + " is not found."));
}

TEST_F(MasterLimits, EndNoSessionWithAStepUnderWay) {
  const std::string session = create(waiting());
  wire::RunStepRequest request;
  request.session_handle = session;
  request.target = {"init"};
  call("RunStep", wire::encode(request));
  ASSERT_TRUE(status_.ok()) << status_.text;
  request.target = {};
  request.fetch = {"taken:0"};
  const auto bytes = std::make_shared<std::string>(wire::encode(request));
  const auto answer = std::make_shared<std::promise<Response>>();
  master_.handle(
      {"/tensorflow.MasterService/RunStep", std::as_bytes(std::span(*bytes)), bytes, cancellation_},
      [answer](Response response) { answer->set_value(std::move(response)); });
  EXPECT_EQ(master_.end_idle_sessions(in(1000 * kIdleSeconds)), 0u);
  request.fetch = {};
  request.target = {"put"};
  call("RunStep", wire::encode(request));
  EXPECT_TRUE(answer->get_future().get().status.ok());
}

class SparedSessions : public MasterTest {
 protected:
  /// Memory is always short.
  SparedSessions() : MasterTest({.limits = {.sessions = 3, .spare_seconds = 0, .memory_bytes = 1}}) {}
  bool answers(const std::string& session) {
    call("RunStep", wire::encode(step(session, "y:0", Array(1.f))));
    return status_.ok();
  }
};

TEST_F(SparedSessions, EndForNewOnes) {
  const std::string first = create(doubling());
  const std::string second = create(doubling());
  const std::string third = create(doubling());
  EXPECT_TRUE(answers(first)) << "the second is unused for longest then";
  const std::string fourth = create(doubling());
  EXPECT_FALSE(answers(second));
  EXPECT_EQ(status(), std::pair(Code::kAborted, "Session " + second + " is not found."));
  for (const std::string& left : {first, third, fourth}) EXPECT_TRUE(answers(left));
}

TEST_F(SparedSessions, EndWhereMemoryIsShort) {
  if (kSanitized) GTEST_SKIP() << "the memory of a sanitizer is not limited";
  const std::string first = create(doubling());
  const std::string second = create(doubling());
  EXPECT_EQ(master_.end_idle_sessions(Master::Clock::now()), 1u) << "of two that may go";
  EXPECT_FALSE(answers(first));
  EXPECT_TRUE(answers(second));
}

/// A ps of which nobody can take leave: there is no memory for that.
class UnleavableChannel final : public Channel {
 public:
  explicit UnleavableChannel(std::atomic<int>& num_farewells) : num_farewells_(num_farewells) {}
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view method, const Message&, const Limits&, Done done) override {
    if (method.ends_with("/DeleteWorkerSession")) {
      ++num_farewells_;
      throw std::bad_alloc();
    }
    Response response;
    if (method.ends_with("/GetStatus")) {
      wire::GetStatusResponse status;
      status.device_attributes.push_back(device_attributes("/job:ps/replica:0/task:0/device:CPU:0", 5));
      response.message = Message(wire::encode(status));
    }
    done(std::move(response));
    return [] {};
  }

 private:
  std::atomic<int>& num_farewells_;
};

TEST(WatchOfIdleSessions, GoesOnAfterAFailureOfItsOwn) {
  if (kSanitized) GTEST_SKIP() << "the memory of a sanitizer is not limited";
  std::atomic<int> num_farewells = 0;
  const engine::ServerOptions always_short{.limits = {.spare_seconds = 0, .memory_bytes = 1}};
  Task task({"worker", 0}, {{"ps", {{0, "ps"}}}, {"worker", {{0, "worker"}}}}, always_short,
            [&](const std::string&) { return std::make_shared<UnleavableChannel>(num_farewells); });
  Master master(task, std::chrono::milliseconds(1));
  wire::CreateSessionRequest request;
  request.graph_def = doubling();
  for (wire::NodeDef& node : request.graph_def.node) node.device = "/job:ps/task:0";
  const auto bytes = std::make_shared<std::string>(wire::encode(request));
  for (int ended = 1; ended <= 2; ++ended) {
    Cancellation cancellation;
    const Response made = answer_of(master, {"/tensorflow.MasterService/CreateSession",
                                             std::as_bytes(std::span(*bytes)), bytes, cancellation});
    ASSERT_TRUE(made.status.ok()) << made.status.text;
    while (num_farewells < ended) std::this_thread::yield();
  }
}

TEST_F(MasterLimits, HoldForFiles) {
  const Array path(std::string("/etc/hostname"));  // the graph borrows it
  wire::NodeDef name = without_attrs("name", "Const");
  name.attr.add("dtype").value = DType::kString;
  name.attr.add("value").value =
      wire::Box<wire::TensorProto>(wire::to_tensor_proto(path, wire::TensorForm::kConstant));
  wire::GraphDef graph;
  graph.node = {name, without_attrs("content", "ReadFile", {"name"})};
  wire::RunStepRequest request;
  const std::string session = create(std::move(graph));
  request.session_handle = session;
  request.fetch = {"content:0"};
  call("RunStep", wire::encode(request));
  EXPECT_EQ(status().first, Code::kPermissionDenied) << status().second;
  EXPECT_THAT(status().second,
              HasSubstr("/etc/hostname; Permission denied\nGraphs use no files on this server."));
}

}  // namespace
}  // namespace flowray::cluster
