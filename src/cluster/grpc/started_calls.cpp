#include "cluster/grpc/started_calls.h"

#include <cstddef>
#include <utility>

#include "cluster/grpc/checksum.h"
#include "cluster/grpc/server.h"

namespace flowray::cluster {
namespace {

/// One takes in what is large while the other goes on with what is small.
constexpr int kThreads = 2;

Memory allocate_from_heap(size_t size_bytes) {
  auto owner = std::shared_ptr<std::byte[]>(new std::byte[size_bytes]);
  return {owner.get(), owner};
}

}  // namespace

/// Kept by itself until its answer has come, and by whoever may give it up.
class StartedCalls::Call {
 public:
  Call(Allocate allocate, Channel::Done done) : allocate_(std::move(allocate)), done_(std::move(done)) {}

  void start(const std::shared_ptr<Call>& self, grpc::GenericStub& stub, std::string_view method,
             const Message& message, grpc::CompletionQueue& queue) {
    self_ = self;
    reader_ = stub.PrepareUnaryCall(&context_, std::string(method), to_byte_buffer(message), &queue);
    reader_->StartCall();
    reader_->Finish(&reply_, &status_, this);
  }
  void end() {
    const std::shared_ptr<Call> self = std::move(self_);
    Response response = to_response(context_, status_, reply_, allocate_);
    reply_.Clear();
    std::exchange(done_, nullptr)(std::move(response));
  }
  grpc::ClientContext& context() { return context_; }

 private:
  const Allocate allocate_;
  Channel::Done done_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  std::shared_ptr<Call> self_;
};

StartedCalls::StartedCalls() {
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve(); });
}

std::function<void()> StartedCalls::start(grpc::GenericStub& stub, std::string_view method,
                                          const Message& message,
                                          const std::function<void(grpc::ClientContext&)>& prepare,
                                          const Allocate& allocate, Channel::Done done) {
  auto call = std::make_shared<Call>(allocate, std::move(done));
  prepare(call->context());
  call->start(call, stub, method, message, queue_);
  return [call] { call->context().TryCancel(); };
}

void StartedCalls::serve() {
  void* tag = nullptr;
  for (bool ok = false; queue_.Next(&tag, &ok);) static_cast<Call*>(tag)->end();
}

Response to_response(const grpc::ClientContext& context, const grpc::Status& status,
                     const grpc::ByteBuffer& reply, const Allocate& allocate) {
  Response response;
  response.status = {static_cast<int>(status.error_code()), status.error_message(), status.error_details()};
  if (!status.ok()) return response;
  OneRow row(reply, allocate != nullptr ? allocate : allocate_from_heap);
  if (row.owner == nullptr) {
    response.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "there is no memory for the answer"};
    return response;
  }
  const auto& metadata = context.GetServerInitialMetadata();
  const auto found = metadata.find(kChecksumKey);
  if (found != metadata.end() && !has_checksum(row.bytes, {found->second.data(), found->second.size()})) {
    response.status = {grpc::StatusCode::DATA_LOSS,
                       "The answer came otherwise than it was sent: its checksum differs"};
    return response;
  }
  response.message.add({row.bytes, std::move(row.owner)});
  return response;
}

}  // namespace flowray::cluster
