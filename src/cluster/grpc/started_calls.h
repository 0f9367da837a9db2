#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/transport.h"

namespace flowray::cluster {

/// Calls of other servers that no thread waits for: the answers come off one queue, in a few threads, which
/// are there from the first call on and never end. Thread-safe.
class StartedCalls {
 public:
  StartedCalls();
  StartedCalls(const StartedCalls&) = delete;
  StartedCalls& operator=(const StartedCalls&) = delete;

  /// As Channel::Done; `parts`: as of to_response().
  using Done = std::function<void(Response, std::string parts)>;
  /// `prepare` makes the context ready, and says whether the answer is to have a checksum; see
  /// Channel::start().
  std::function<void()> start(grpc::GenericStub& stub, std::string_view method, const Message& message,
                              const std::function<bool(grpc::ClientContext&)>& prepare,
                              const Allocate& allocate, Done done);

 private:
  class Call;
  void serve();

  grpc::CompletionQueue queue_;
  std::vector<std::thread> threads_;
};

/// What an answer without a checksum is that is to have one: the server has been replaced, its sessions and
/// values are gone, and another session may go on, as after a restart.
Status other_server_status();
bool is_other_server(const Status& status);

/// What came of a call of `method`. `has_checksum`: whether the answer is to have one, without which it is
/// none. `is_given_up`: by its caller. `allocate` may be null. `parts`: what the metadata say of an answer
/// that is still to be fetched (message_parts.h).
Response to_response(const grpc::ClientContext& context, std::string_view method, const grpc::Status& status,
                     bool has_checksum, bool is_given_up, const grpc::ByteBuffer& reply,
                     const Allocate& allocate, std::string& parts);

Memory allocate_from_heap(size_t size_bytes);

}  // namespace flowray::cluster
