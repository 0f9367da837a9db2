#include "cluster/grpc/channel.h"

#include <optional>

#include "cluster/grpc/server.h"
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
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(address, credentials_of(security), arguments);
}

}  // namespace

GrpcChannel::GrpcChannel(const std::string& address, const Security& security)
    : token_(security.token), stub_(make_channel(address, security)) {}

Response GrpcChannel::call(std::string_view method, const Message& message, Deadline deadline,
                           Cancellation* cancellation) {
  grpc::ClientContext context;
  if (deadline != Deadline::max()) context.set_deadline(deadline);
  if (!token_.empty()) context.AddMetadata(kTokenKey, std::string(kTokenScheme) + token_);
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

  Response response;
  response.status = {static_cast<int>(status.error_code()), status.error_message()};
  if (status.ok()) {
    const auto allocate = [](size_t size_bytes) {
      auto owner = std::shared_ptr<std::byte[]>(new std::byte[size_bytes]);
      return Memory{owner.get(), owner};
    };
    OneRow row(reply, allocate);
    response.message.add({row.bytes, std::move(row.owner)});
  }
  return response;
}

}  // namespace flowray::cluster
