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

  /// `prepare` makes the context ready; see Channel::start().
  std::function<void()> start(grpc::GenericStub& stub, std::string_view method, const Message& message,
                              const std::function<void(grpc::ClientContext&)>& prepare,
                              const Allocate& allocate, Channel::Done done);

 private:
  class Call;
  void serve();

  grpc::CompletionQueue queue_;
  std::vector<std::thread> threads_;
};

/// What came of a call. `allocate` may be null.
Response to_response(const grpc::ClientContext& context, const grpc::Status& status,
                     const grpc::ByteBuffer& reply, const Allocate& allocate);

}  // namespace flowray::cluster
