#include "cluster/grpc/channel.h"

#include <optional>
#include <utility>

#include "cluster/grpc/server.h"
#include "cluster/grpc/started_calls.h"
#include "cluster/grpc/token.h"

namespace flowray::cluster {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const Security& security) {
  if (!security.has_tls()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({security.authority, security.key, security.certificate});
}

std::shared_ptr<grpc::Channel> make_channel(const std::string& address, const Security& security) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(INT32_MAX);
  arguments.SetMaxSendMessageSize(INT32_MAX);
  // As TensorFlow: a server that comes back is found within a second, not minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(address, credentials_of(security), arguments);
}

/// Never freed: as gRPC's, its threads may outlive main.
StartedCalls& started_calls() {
  static auto* const kCalls = new StartedCalls;
  return *kCalls;
}

}  // namespace

GrpcChannel::GrpcChannel(const std::string& address, const Security& security, Allocate allocate)
    : token_(security.token),
      allocate_(std::move(allocate)),
      stub_(make_channel(address, security)),
      shortcut_(std::make_shared<Shortcut>(
          [this](std::string_view method, const Limits& limits, Done done) {
            (void)start_on_network(method, Message(), limits, std::move(done));
          },
          allocate_)) {}

void GrpcChannel::prepare(grpc::ClientContext& context, const Limits& limits) const {
  if (limits.deadline != Deadline::max()) context.set_deadline(limits.deadline);
  if (limits.waits_for_server) context.set_wait_for_ready(true);
  if (!token_.empty()) context.AddMetadata(kTokenKey, std::string(kTokenScheme) + token_);
}

Response GrpcChannel::call(std::string_view method, const Message& message, Deadline deadline,
                           Cancellation* cancellation) {
  if (auto response = shortcut_->call(method, message, deadline, cancellation)) return *std::move(response);
  grpc::ClientContext context;
  prepare(context, {.deadline = deadline});
  std::optional<Cancellation::Listening> listening;
  if (cancellation != nullptr) listening.emplace(*cancellation, [&context] { context.TryCancel(); });

  grpc::CompletionQueue queue;
  const auto call = stub_.PrepareUnaryCall(&context, std::string(method), to_byte_buffer(message), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return to_response(status, reply, allocate_);
}

std::function<void()> GrpcChannel::start(std::string_view method, const Message& message,
                                         const Limits& limits, Done done) {
  if (auto give_up = shortcut_->start(method, message, limits.deadline, done)) return give_up;
  return start_on_network(method, message, limits, std::move(done));
}

std::function<void()> GrpcChannel::start_on_network(std::string_view method, const Message& message,
                                                    const Limits& limits, Done done) {
  return started_calls().start(
      stub_, method, message, [&](grpc::ClientContext& context) { prepare(context, limits); }, allocate_,
      std::move(done));
}

}  // namespace flowray::cluster
