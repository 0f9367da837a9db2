#include "cluster/grpc/started_calls.h"

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "cluster/grpc/checksum.h"
#include "cluster/grpc/message_parts.h"
#include "cluster/grpc/server.h"
#include "cluster/status_text.h"

namespace flowray::cluster {
namespace {

/// One takes in what is large while the other goes on with what is small.
constexpr int kThreads = 2;

}  // namespace

Memory allocate_from_heap(size_t size_bytes) {
  auto owner = std::shared_ptr<std::byte[]>(new (std::nothrow) std::byte[size_bytes]);
  return {owner.get(), owner};
}

/// Keeps itself alive until its answer has come; so do holders that may cancel it.
class StartedCalls::Call {
 public:
  Call(Allocate allocate, Done done) : allocate_(std::move(allocate)), done_(std::move(done)) {}

  void start(const std::shared_ptr<Call>& self, grpc::GenericStub& stub, std::string_view method,
             const Message& message, grpc::CompletionQueue& queue) {
    self_ = self;
    method_ = method;
    reader_ = stub.PrepareUnaryCall(&context_, method_, to_byte_buffer(message), &queue);
    reader_->StartCall();
    reader_->Finish(&reply_, &status_, this);
  }
  void end() {
    const std::shared_ptr<Call> self = std::move(self_);
    std::string parts;
    Response response = to_response(context_, method_, status_, has_checksum_,
                                    is_given_up_.load(std::memory_order_acquire), reply_, allocate_, parts);
    reply_.Clear();
    std::exchange(done_, nullptr)(std::move(response), std::move(parts));
  }
  void give_up() {
    is_given_up_.store(true, std::memory_order_release);
    context_.TryCancel();
  }
  void prepare(const std::function<bool(grpc::ClientContext&)>& prepare) {
    has_checksum_ = prepare(context_);
  }

 private:
  const Allocate allocate_;
  Done done_;
  grpc::ClientContext context_;
  std::string method_;
  bool has_checksum_ = false;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  std::atomic<bool> is_given_up_{false};
  std::shared_ptr<Call> self_;
};

StartedCalls::StartedCalls() {
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve(); });
}

std::function<void()> StartedCalls::start(grpc::GenericStub& stub, std::string_view method,
                                          const Message& message,
                                          const std::function<bool(grpc::ClientContext&)>& prepare,
                                          const Allocate& allocate, Done done) {
  auto call = std::make_shared<Call>(allocate, std::move(done));
  call->prepare(prepare);
  call->start(call, stub, method, message, queue_);
  return [call] { call->give_up(); };
}

void StartedCalls::serve() {
  void* tag = nullptr;
  for (bool ok = false; queue_.Next(&tag, &ok);) static_cast<Call*>(tag)->end();
}

namespace {

/// gRPC's own word, as a server that stops gives it to requests that it has not looked at: no server has
/// cancelled what they ask for.
bool is_of_ending_server(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::CANCELLED && status.error_message() == "CANCELLED";
}

constexpr std::string_view kOtherServer =
    "The server has been replaced\nIt was one of Flowray's, and the server at its address now is not: "
    "begin a new session.";

}  // namespace

Status other_server_status() { return {grpc::StatusCode::ABORTED, std::string(kOtherServer)}; }
bool is_other_server(const Status& status) {
  return status.code == grpc::StatusCode::ABORTED && status.text == kOtherServer;
}

Response to_response(const grpc::ClientContext& context, std::string_view method, const grpc::Status& status,
                     bool has_checksum, bool is_given_up, const grpc::ByteBuffer& reply,
                     const Allocate& allocate, std::string& parts) {
  Response response;
  if (!is_given_up && is_of_ending_server(status)) {
    response.status = {grpc::StatusCode::UNAVAILABLE,
                       "The server has stopped before it looked at the request"};
    return response;
  }
  response.status = {static_cast<int>(status.error_code()), status.error_message(), status.error_details()};
  if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
    // gRPC's own refusal of an answer for its size comes without advice and begins with the side that speaks.
    std::string& text = response.status.text;
    const size_t begin = text.find(kTooLargeBegin);
    if (begin != std::string::npos && text.find('\n') == std::string::npos)
      text = text.substr(begin) + std::string(kTooLargeAdvice);
  }
  if (!status.ok()) return response;
  OneRow row(reply, allocate != nullptr ? allocate : allocate_from_heap);
  if (row.owner == nullptr) {
    response.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "there is no memory for the answer"};
    return response;
  }
  const auto& metadata = context.GetServerInitialMetadata();
  const auto found = metadata.find(kChecksumKey);
  if (found == metadata.end() && has_checksum) {
    response.status = other_server_status();
    return response;
  }
  if (const auto left = metadata.find(kPartsKey); left != metadata.end())
    parts.assign(left->second.data(), left->second.size());
  if (found != metadata.end() &&
      !cluster::has_checksum(row.bytes, method, parts, {found->second.data(), found->second.size()})) {
    parts.clear();
    response.status = {grpc::StatusCode::UNAVAILABLE,
                       "The answer came otherwise than it was sent: its checksum differs"};
    return response;
  }
  response.message.add({row.bytes, std::move(row.owner)});
  return response;
}

}  // namespace flowray::cluster
