// Requests of every method of the WorkerService, cut short and with bytes changed at random: an error that is
// the sender's or another answer, and never a crash or a wait without end. FLOWRAY_NIGHTLY asks for more.
#include "cluster/damaged_answers.h"
#include "cluster/worker_fixture.h"

#include <cstdlib>
#include <functional>
#include <random>

namespace flowray::cluster {
namespace {

int num_damages() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 100'000 : 3'000; }

class DamagedWorkerRequest : public WorkerTest {
 protected:
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

  /// What may wait for something that nobody sends is given up at once.
  void send(const std::string& method, const std::string& bytes) {
    const auto pending = begin(method, bytes);
    pending->cancellation.cancel();
    const Status status = pending->answer.get_future().get().status;
    expect_answer_or_fault_of_client(status, bytes);
    num_refused_ += status.ok() ? 0 : 1;
  }

  void damage(const std::string& method, const std::function<std::string()>& valid, uint32_t seed) {
    num_refused_ = 0;
    const std::string bytes = valid();
    for (size_t size = 0; size <= bytes.size(); ++size) {
      ASSERT_NO_FATAL_FAILURE(send(method, bytes.substr(0, size)));
    }
    std::mt19937 random(seed);
    for (int i = 0; i < num_damages(); ++i) {
      ASSERT_NO_FATAL_FAILURE(send(method, damaged(valid(), random)));
      task_.steps.end_all(Code::kAborted, "the next one");
    }
    EXPECT_GT(num_refused_, 0);
    // And it goes on as if nothing had been.
    wire::RunGraphRequest request = run_of(register_doubling(), ++step_, 1.5f);
    request.recv_key = {key(kDevice, kMaster, "out")};
    const auto answer = read<wire::RunGraphResponse>(ask("RunGraph", wire::encode(request)));
    ASSERT_EQ(answer.recv.size(), 1u);
    EXPECT_EQ(wire::to_array(answer.recv[0].tensor), Array(3.0f));
  }

  int num_refused_ = 0;
  int64_t step_ = 1'000'000;
};

TEST_F(DamagedWorkerRequest, RegisterGraph) {
  wire::RegisterGraphRequest request;
  request.graph_def.node = {transfer("got", "_Recv", {}, kDevice, kDevice, "in"), variable("v"),
                            node("sum", "AddV2", {"got", "v"}, DType::kFloat32),
                            transfer("left", "_Send", {"sum"}, kDevice, kMaster, "out")};
  request.graph_def.node[3].attr.add("_flowray_may_be_dead").value = true;
  const std::string bytes = wire::encode(request);
  damage("RegisterGraph", [&] { return bytes; }, 1);
}

TEST_F(DamagedWorkerRequest, RunGraphInParts) {
  const std::string graph = register_doubling();
  const auto valid = [&] {
    wire::RunGraphRequest request = run_of(graph, ++step_, 1.0f);
    request.is_partial = true;
    request.is_last_partial_run = step_ % 2 == 0;
    request.recv_key = {key(kDevice, kMaster, "out")};
    return wire::encode(request);
  };
  damage("RunGraph", valid, 7);
}

TEST_F(DamagedWorkerRequest, RunGraph) {
  const std::string graph = register_doubling();
  const auto valid = [&] {
    wire::RunGraphRequest request = run_of(graph, ++step_, 1.0f);
    request.recv_key = {key(kDevice, kMaster, "out")};
    request.exec_opts.emplace().record_timeline = true;
    return wire::encode(request);
  };
  damage("RunGraph", valid, 2);
}

TEST_F(DamagedWorkerRequest, RecvTensor) {
  damage("RecvTensor", [&] { return question(++step_, key(kDevice, kMaster, "out")); }, 3);
}

TEST_F(DamagedWorkerRequest, OfDirectReads) {
  const auto offered = [&] {
    wire::RecvTensorRequest request;
    request.step_id = ++step_;
    const std::string of = key(kDevice, kMaster, "out");
    request.rendezvous_key = of;
    request.request_id = 7;
    request.direct.emplace().host = "here";
    request.direct->nonce_low = 7;
    request.direct->nonce_high = 9;
    request.direct->has_failed = step_ % 2 == 0;
    return wire::encode(request);
  };
  damage("RecvTensor", offered, 9);
  const auto finished = [&] {
    wire::MarkRecvFinishedRequest request;
    request.request_id = 7;
    request.step_id = ++step_;
    return wire::encode(request);
  };
  damage("MarkRecvFinished", finished, 10);
}

TEST_F(DamagedWorkerRequest, OfSessions) {
  wire::CreateWorkerSessionRequest request;
  request.session_handle = "session";
  request.server_def.job_name = "ps";
  request.server_def.cluster.emplace().job.emplace_back().name = "ps";
  request.server_def.cluster->job[0].tasks.add(0, "localhost:2222");
  request.master_task = "/job:worker/replica:0/task:0";
  request.master_incarnation = 7;
  const std::string bytes = wire::encode(request);
  damage("CreateWorkerSession", [&] { return bytes; }, 4);
  for (const char* method : {"DeleteWorkerSession", "DeregisterGraph"})
    damage(method, [] { return std::string("\x0a\x07session\x12\x07session", 18); }, 5);
}

TEST_F(DamagedWorkerRequest, OfCleaningUp) {
  damage("CleanupGraph", [&] { return cleanup(++step_); }, 6);
  wire::CleanupAllRequest request;
  request.container = {"good", ""};
  const std::string bytes = wire::encode(request);
  damage("CleanupAll", [&] { return bytes; }, 7);
  damage("Logging", [] { return std::string("\x08\x01\x10\x01\x18\x07", 6); }, 8);
}

}  // namespace
}  // namespace flowray::cluster
