#include "cluster/grpc/channel.h"

#include <optional>
#include <utility>

#include "cluster/grpc/checksum.h"
#include "cluster/grpc/keep_alive.h"
#include "cluster/grpc/server.h"
#include "cluster/grpc/started_calls.h"
#include "cluster/grpc/token.h"

namespace flowray::cluster {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const Security& security) {
  if (!security.has_tls()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({security.authority, security.key, security.certificate});
}

/// With pings to a server that is ours.
std::shared_ptr<grpc::GenericStub> make_stub(const std::string& address, const Security& security,
                                             bool is_ours) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(INT32_MAX);
  arguments.SetMaxSendMessageSize(INT32_MAX);
  // As TensorFlow: a server that comes back is found within a second, not minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  if (is_ours) send_pings(arguments);
  return std::make_shared<grpc::GenericStub>(
      grpc::CreateCustomChannel(address, credentials_of(security), arguments));
}

/// Never freed: as gRPC's, its threads may outlive main.
StartedCalls& started_calls() {
  static auto* const kCalls = new StartedCalls;
  return *kCalls;
}

}  // namespace

/// The way to the server over the network. Thread-safe.
class GrpcChannel::Network {
 public:
  Network(std::string address, Security security, Allocate allocate)
      : address_(std::move(address)),
        security_(std::move(security)),
        allocate_(std::move(allocate)),
        stub_(make_stub(address_, security_, false)) {}

  /// From now on with what TensorFlow's servers do not know, pings and checksums.
  void server_is_ours() {
    auto stub = make_stub(address_, security_, true);
    const MutexLock lock(mutex_);
    if (!std::exchange(is_ours_, true)) stub_ = std::move(stub);
  }

  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation);
  std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                              Done done) {
    const std::shared_ptr<grpc::GenericStub> stub = this->stub();
    return started_calls().start(
        *stub, method, message, [&](grpc::ClientContext& context) { prepare(context, limits, message); },
        allocate_, std::move(done));
  }

 private:
  std::shared_ptr<grpc::GenericStub> stub() const {
    const MutexLock lock(mutex_);
    return stub_;
  }
  void prepare(grpc::ClientContext& context, const Limits& limits, const Message& message) const {
    if (limits.deadline != Deadline::max()) context.set_deadline(limits.deadline);
    if (limits.waits_for_server) context.set_wait_for_ready(true);
    if (!security_.token.empty()) context.AddMetadata(kTokenKey, std::string(kTokenScheme) + security_.token);
    bool is_ours = false;
    {
      const MutexLock lock(mutex_);
      is_ours = is_ours_;
    }
    if (is_ours) context.AddMetadata(kChecksumKey, checksum_of(message));
  }

  const std::string address_;
  const Security security_;
  const Allocate allocate_;
  mutable Mutex mutex_;
  bool is_ours_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::shared_ptr<grpc::GenericStub> stub_ FLOWRAY_GUARDED_BY(mutex_);
};

GrpcChannel::GrpcChannel(const std::string& address, const Security& security, Allocate allocate)
    : network_(std::make_shared<Network>(address, security, allocate)),
      shortcut_(std::make_shared<Shortcut>(
          [network = network_](std::string_view method, const Limits& limits, Done done) {
            (void)network->start(method, Message(), limits, std::move(done));
          },
          allocate, [network = network_] { network->server_is_ours(); })) {}

Response GrpcChannel::Network::call(std::string_view method, const Message& message, Deadline deadline,
                                    Cancellation* cancellation) {
  grpc::ClientContext context;
  prepare(context, {.deadline = deadline}, message);
  std::optional<Cancellation::Listening> listening;
  if (cancellation != nullptr) listening.emplace(*cancellation, [&context] { context.TryCancel(); });

  grpc::CompletionQueue queue;
  const std::shared_ptr<grpc::GenericStub> stub = this->stub();
  const auto call = stub->PrepareUnaryCall(&context, std::string(method), to_byte_buffer(message), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return to_response(context, status, reply, allocate_);
}

Response GrpcChannel::call(std::string_view method, const Message& message, Deadline deadline,
                           Cancellation* cancellation) {
  if (auto response = shortcut_->call(method, message, deadline, cancellation)) return *std::move(response);
  return network_->call(method, message, deadline, cancellation);
}

std::function<void()> GrpcChannel::start(std::string_view method, const Message& message,
                                         const Limits& limits, Done done) {
  if (auto give_up = shortcut_->start(method, message, limits.deadline, done)) return give_up;
  return network_->start(method, message, limits, std::move(done));
}

}  // namespace flowray::cluster
