#pragma once
// A worker that is called with messages, without a network.

#include "cluster/graph_messages.h"
#include "cluster/worker/worker.h"
#include "wire/worker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {

inline constexpr const char* kDevice = "/job:ps/replica:0/task:0/device:CPU:0";
inline constexpr const char* kMaster = "/job:worker/replica:0/task:0/device:CPU:0";

class WorkerTest : public ::testing::Test {
 protected:
  struct Pending {
    std::string path;
    std::shared_ptr<std::string> bytes;
    Cancellation cancellation;
    std::promise<Response> answer;
  };
  /// A call that may take its time.
  std::shared_ptr<Pending> begin(const std::string& method, const std::string& request) {
    auto pending = std::make_shared<Pending>();
    pending->path = "/tensorflow.WorkerService/" + method;
    pending->bytes = std::make_shared<std::string>(request);
    worker_.handle(
        {pending->path, std::as_bytes(std::span(*pending->bytes)), pending->bytes, pending->cancellation},
        [pending](Response response) { pending->answer.set_value(std::move(response)); });
    return pending;
  }
  Response ask(const std::string& method, const std::string& request) {
    return begin(method, request)->answer.get_future().get();
  }
  /// An answer in one piece, which is kept.
  template <class Answer>
  Answer read(const Response& response) {
    EXPECT_TRUE(response.status.ok()) << response.status.text;
    kept_.emplace_back();
    for (const Message::Piece& piece : response.message.pieces())
      kept_.back().append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    return wire::decode<Answer>(kept_.back());
  }

  std::string key(const char* from, const char* to, const char* name) const {
    return fmt::format("{};{:016x};{};{};0:0", from, task_.incarnation, to, name);
  }
  wire::NodeDef transfer(const char* node, const char* op, std::vector<wire::Text> inputs, const char* from,
                         const char* to, const char* name) const {
    wire::NodeDef made = without_attrs(node, op, std::move(inputs));
    made.device = kDevice;
    made.attr.add(std::string_view(op) == "_Send" ? "T" : "tensor_type").value = DType::kFloat32;
    made.attr.add("tensor_name").value = wire::Bytes(name);
    made.attr.add("send_device").value = wire::Bytes(from);
    made.attr.add("send_device_incarnation").value = static_cast<int64_t>(task_.incarnation);
    made.attr.add("recv_device").value = wire::Bytes(to);
    made.attr.add("client_terminated").value = false;
    return made;
  }
  /// Takes "in", sends its double as "out". The sender of "in" has the worker's incarnation, too, so that the
  /// test can leave it here.
  std::string register_doubling(const std::string& session = "") {
    wire::RegisterGraphRequest request;
    request.session_handle = session;
    wire::NodeDef sum = node("sum", "AddV2", {"got", "got"}, DType::kFloat32);
    sum.device = kDevice;
    request.graph_def.node = {transfer("got", "_Recv", {}, kDevice, kDevice, "in"), sum,
                              transfer("left", "_Send", {"sum"}, kDevice, kMaster, "out")};
    return read<wire::RegisterGraphResponse>(ask("RegisterGraph", wire::encode(request))).graph_handle.str();
  }
  wire::RunGraphRequest run_of(const std::string& graph, int64_t step, float fed) {
    wire::RunGraphRequest request;
    request.graph_handle = graph;
    request.step_id = step;
    auto& sent = request.send.emplace_back();
    sent.name = key(kDevice, kDevice, "in");
    sent.tensor = scalar(fed);
    return request;
  }
  std::string question(int64_t step, const std::string& of) {
    wire::RecvTensorRequest request;
    request.step_id = step;
    request.rendezvous_key = of;
    return wire::encode(request);
  }
  std::string cleanup(int64_t step) {
    wire::CleanupGraphRequest request;
    request.step_id = step;
    return wire::encode(request);
  }

  Task task_{{"ps", 0}, {}, {}, Security()};
  Worker worker_{task_};
  std::list<std::string> kept_;
};

}  // namespace flowray::cluster
