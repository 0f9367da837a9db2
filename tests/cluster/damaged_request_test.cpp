// Requests of every method, cut short and with bytes changed at random: an error that is the client's or
// another answer, and never a crash. FLOWRAY_NIGHTLY asks for more.

#include "cluster/bodies.h"
#include "cluster/damaged_answers.h"
#include "cluster/master_fixture.h"
#include "wire/worker.h"

#include <cstdlib>
#include <functional>
#include <random>

namespace flowray::cluster {
namespace {

int num_damages() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 100'000 : 3'000; }

class DamagedRequest : public MasterTest {
 protected:
  void SetUp() override { session_ = create(graph()); }

  static wire::GraphDef graph() {
    wire::GraphDef graph = doubling();
    graph.node.push_back(variable("v"));
    graph.node.push_back(constant("one", 1));
    graph.node.push_back(node("init", "Assign", {"v", "one"}, DType::kFloat32));
    graph.node.push_back(node("update", "AssignAdd", {"v", "one", "^init"}, DType::kFloat32));
    graph.node.push_back(node("z", "MatMul", {"x", "y"}, DType::kFloat32));
    graph.node.back().device = "/job:worker/task:3/cpu:0";
    return graph;
  }
  wire::RunStepRequest valid_step() const {
    static const Array kFed({{1.0f, 2.0f}, {3.0f, 4.0f}});
    wire::RunStepRequest request = step(session_, "y:0", kFed);
    request.fetch.emplace_back("z:0");
    request.target = {"update"};
    return request;
  }

  /// Changes a few bytes, takes some out, doubles some, or cuts the end off.
  static std::string damaged(std::string bytes, std::mt19937& random) {
    for (size_t n = 1 + random() % 4; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.erase(random() % bytes.size(), random() % 8);
    if (!bytes.empty() && random() % 8 == 0)
      bytes.insert(random() % bytes.size(), bytes.substr(random() % bytes.size(), 9));
    if (!bytes.empty() && random() % 8 == 0) bytes.resize(random() % bytes.size());
    return bytes;
  }

  /// `again` puts the session back to where the request was valid.
  template <class Request>
  void damage(const std::string& method, const std::function<Request()>& valid, uint32_t seed) {
    const std::string bytes = wire::encode(valid());
    for (size_t size = 0; size <= bytes.size(); ++size)
      ASSERT_NO_FATAL_FAILURE(expect(method, bytes.substr(0, size)));
    std::mt19937 random(seed);
    size_t num_refused = 0;
    for (int i = 0; i < num_damages(); ++i) {
      ASSERT_NO_FATAL_FAILURE(expect(method, damaged(wire::encode(valid()), random)));
      num_refused += status_.code == 0 ? 0 : 1;
      if (i % 100 == 99) call("Reset", "");
    }
    EXPECT_GT(num_refused, 0u);
    expect_service();
  }

  void expect(const std::string& method, const std::string& request) {
    call(method, request);
    expect_answer_or_fault_of_client(status_, request);
  }

  void expect_service() {
    session_ = create(graph());
    const auto answer = ask<wire::RunStepResponse>("RunStep", valid_step());
    ASSERT_EQ(status_.code, 0) << status_.text;
    ASSERT_EQ(answer.tensor.size(), 2u);
    EXPECT_EQ(wire::to_array(answer.tensor[1].tensor), Array({{14.0f, 20.0f}, {30.0f, 44.0f}}));
  }

  /// One that is there, made anew when a damaged Reset or Close has ended it.
  std::string session() {
    wire::ListDevicesRequest request;
    request.session_handle = session_;
    call("ListDevices", wire::encode(request));
    if (status_.code != 0) session_ = create(graph());
    return session_;
  }
  template <class Request>
  Request of_session() {
    Request request;
    request.session_handle = session();
    return request;
  }

  std::string session_;
};

/// A worker's, which asks for the sessions that are over.
TEST_F(DamagedRequest, WhichAreOver) {
  const auto valid = [] {
    wire::SessionHandles request;
    request.session_handle = {"0000000000000001", "another"};
    return request;
  };
  damage<wire::SessionHandles>(std::string(kWhichAreOver), valid, 12);
}

TEST_F(DamagedRequest, CreateSession) {
  const auto valid = [] {
    wire::CreateSessionRequest request;
    request.graph_def = graph();
    request.target = "grpc://localhost:2222";
    request.config.allow_soft_placement = true;
    request.config.cluster_def.emplace().job.emplace_back().name = "trainer";
    request.config.cluster_def->job[0].tasks.add(1, "localhost:2222");
    return request;
  };
  damage<wire::CreateSessionRequest>("CreateSession", valid, 1);
}

TEST_F(DamagedRequest, ExtendSession) {
  const auto valid = [this] {
    auto request = of_session<wire::ExtendSessionRequest>();
    request.graph_def.node = {constant("more", 2), node("negative", "Neg", {"y"}, DType::kFloat32)};
    return request;
  };
  damage<wire::ExtendSessionRequest>("ExtendSession", valid, 2);
}

TEST_F(DamagedRequest, RunStep) {
  const auto valid = [this] {
    session();
    return valid_step();
  };
  damage<wire::RunStepRequest>("RunStep", valid, 3);
}

TEST_F(DamagedRequest, Explain) {
  const auto valid = [this] {
    session();
    wire::ExplainRequest request;
    request.step = valid_step();
    request.measured_runs = 1;
    return request;
  };
  damage<wire::ExplainRequest>("/flowray.Master1/Explain", valid, 11);
}

TEST_F(DamagedRequest, PartialRun) {
  const auto setup = [this] {
    auto request = of_session<wire::PartialRunSetupRequest>();
    request.feed = {"x:0", "one:0"};
    request.fetch = {"y:0", "z:0"};
    request.target = {"update"};
    return request;
  };
  damage<wire::PartialRunSetupRequest>("PartialRunSetup", setup, 4);
  const auto valid = [&, this] {
    const auto begun = ask<wire::PartialRunSetupResponse>("PartialRunSetup", setup());
    wire::RunStepRequest request = valid_step();
    request.partial_run_handle = begun.partial_run_handle.str();
    return request;
  };
  damage<wire::RunStepRequest>("RunStep", valid, 5);
}

TEST_F(DamagedRequest, Callables) {
  const auto make = [this] {
    auto request = of_session<wire::MakeCallableRequest>();
    request.options.feed = {"x:0"};
    request.options.fetch = {"y:0"};
    request.options.target = {"update"};
    return request;
  };
  damage<wire::MakeCallableRequest>("MakeCallable", make, 6);
  const Array fed({1.0f, 2.0f});  // the message borrows its elements
  const auto run = [&, this] {
    wire::RunCallableRequest request;
    request.handle = ask<wire::MakeCallableResponse>("MakeCallable", make()).handle;
    request.session_handle = session_;
    request.feed = {wire::to_tensor_proto(fed, wire::TensorForm::kConstant)};
    return request;
  };
  damage<wire::RunCallableRequest>("RunCallable", run, 7);
  const auto release = [&, this] {
    wire::ReleaseCallableRequest request;
    request.handle = ask<wire::MakeCallableResponse>("MakeCallable", make()).handle;
    request.session_handle = session_;
    return request;
  };
  damage<wire::ReleaseCallableRequest>("ReleaseCallable", release, 8);
}

TEST_F(DamagedRequest, OfWhatHasNoGraph) {
  damage<wire::CloseSessionRequest>(
      "CloseSession", [this] { return of_session<wire::CloseSessionRequest>(); }, 9);
  damage<wire::ListDevicesRequest>(
      "ListDevices", [this] { return of_session<wire::ListDevicesRequest>(); }, 10);
  const auto reset = [] {
    wire::ResetRequest request;
    request.container = {"good", ""};
    request.device_filters = {"/job:ps"};
    return request;
  };
  damage<wire::ResetRequest>("Reset", reset, 11);
}

}  // namespace
}  // namespace flowray::cluster
