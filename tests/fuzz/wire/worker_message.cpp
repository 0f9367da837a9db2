// The requests and responses of WorkerService, which come from masters and tasks of anybody, and ServerDef.

#include "wire/worker.h"

#include <array>

#include "fuzz/target.h"
#include "fuzz/wire/read_again.h"
#include "wire/graph_def.h"

namespace flowray::fuzz {
namespace {

constexpr std::array kReaders = {
    read_again<wire::CreateWorkerSessionRequest>,
    read_again<wire::DeleteWorkerSessionRequest>,
    read_again<wire::RegisterGraphRequest>,
    read_again<wire::DeregisterGraphRequest>,
    read_again<wire::RunGraphRequest>,
    read_again<wire::CleanupGraphRequest>,
    read_again<wire::CleanupAllRequest>,
    read_again<wire::MarkRecvFinishedRequest>,
    read_again<wire::RecvTensorRequest>,
    read_again<wire::LoggingRequest>,
    read_again<wire::GetStatusResponse>,
    read_again<wire::RegisterGraphResponse>,
    read_again<wire::RunGraphResponse>,
    read_again<wire::RecvTensorResponse>,
    read_again<wire::ServerDef>,
    read_again<wire::SessionHandles>,
    read_again<wire::LoggingResponse>,
};

wire::NamedTensorProto named_tensor() {
  wire::NamedTensorProto named;
  named.name =
      "/job:ps/replica:0/task:0/cpu:0;0000000000000001;/job:worker/replica:0/task:0/cpu:0;edge_1_w;0:0";
  named.tensor = wire::from_text_format<wire::TensorProto>(
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "
      "\"\\000\\000\\200?\\000\\000\\000@\"");
  return named;
}

wire::ServerDef server() {
  wire::ServerDef def;
  wire::ClusterDef::Job& job = def.cluster.emplace().job.emplace_back();
  job.name = "ps";
  job.tasks.add(0) = "localhost:2222";
  def.job_name = "ps";
  def.default_session_config.emplace().isolate_session_state = true;
  def.protocol = "grpc";
  return def;
}

wire::CreateWorkerSessionRequest new_session() {
  wire::CreateWorkerSessionRequest request;
  request.session_handle = "s";
  request.server_def = server();
  request.master_task = "/job:worker/replica:0/task:0";
  request.master_incarnation = -5;
  request.cluster_device_attributes.emplace_back().name = "/job:ps/replica:0/task:0/device:CPU:0";
  return request;
}

wire::RegisterGraphRequest graph() {
  wire::RegisterGraphRequest request;
  request.session_handle = "s";
  request.graph_def = wire::from_text_format<wire::GraphDef>(
      "node { name: \"r\" op: \"_Recv\" device: \"/job:ps/task:0\" attr { key: \"tensor_name\" value { s: "
      "\"edge\" } } "
      "attr { key: \"send_device_incarnation\" value { i: -7 } } }");
  request.graph_options.emplace().optimizer_options.emplace();
  request.create_worker_session_called = true;
  return request;
}

wire::RunGraphRequest step() {
  wire::RunGraphRequest request;
  request.graph_handle = "0000000000000001";
  request.step_id = 1;
  request.send.push_back(named_tensor());
  request.recv_key.emplace_back("key");
  request.exec_opts.emplace().record_timeline = true;
  request.request_id = -1;
  return request;
}

wire::RunGraphResponse step_answer() {
  wire::RunGraphResponse response;
  response.recv.push_back(named_tensor());
  response.status_code = 3;
  response.status_error_message = "no";
  response.step_stats.emplace().dev_stats.emplace_back().node_stats.emplace_back();
  return response;
}

wire::RecvTensorRequest question() {
  wire::RecvTensorRequest request;
  request.step_id = 1;
  request.rendezvous_key = "key";
  request.direct.emplace().host = "host";
  request.direct->nonce_low = 7;
  return request;
}

wire::RecvTensorResponse tensor() {
  wire::RecvTensorResponse response;
  response.tensor = named_tensor().tensor;
  response.require_ack = true;
  response.direct.emplace().size_bytes = 8;
  return response;
}

}  // namespace

// The first byte says which message.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  kReaders[static_cast<unsigned char>(bytes.front()) % kReaders.size()](bytes.substr(1));
}

std::vector<std::string> seeds() {
  std::vector<std::string> found;
  const auto add = [&](size_t reader, const auto& message) {
    found.push_back(static_cast<char>(reader) + wire::encode(message));
  };
  add(0, new_session());
  add(2, graph());
  add(4, step());
  add(8, question());
  add(12, step_answer());
  add(13, tensor());
  add(14, server());
  // {"session_handle": "s"}, a graph's handle, a step, a container, a request, steps to log.
  constexpr std::pair<size_t, std::string_view> kSmall[] = {
      {1, "0a0173"}, {3, "0a0130120173"}, {5, "0801"},        {6, "0a0163"},
      {7, "0805"},   {9, "1a020102"},     {15, "0a01730a00"}, {16, "0a0408051200"}};
  for (const auto& [reader, digits] : kSmall)
    found.push_back(static_cast<char>(reader) + from_hexadecimal(digits));
  return found;
}

}  // namespace flowray::fuzz
