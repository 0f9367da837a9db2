#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "cluster/crew/crew.h"
#include "cluster/grpc/message_parts.h"
#include "cluster/grpc/message_size.h"
#include "cluster/link/link_listener.h"
#include "cluster/transport.h"
#include "core/mutex.h"

namespace flowray::cluster {

/// Requests of any method on one completion queue, answered by a Crew, or later by a thread that the handler
/// leaves that to. A request may take as long as it likes. Clients on this machine are told of links
/// (link/introduction.h) and then ask by these.
class GrpcListener final : public Listener {
 public:
  GrpcListener(const ListenOptions& options, Handler handler, Allocate allocate);
  ~GrpcListener() override;
  bool is_listening() const { return server_ != nullptr && port_ != 0; }
  int port() const override { return port_; }

 private:
  class Call;
  struct Tag;

  using Clock = std::chrono::steady_clock;

  void serve();
  bool next_event(Clock::time_point sleeps_at, void** tag, bool* ok);
  /// Waits for one more call, unless the listener ends.
  void accept_next();
  void call_ends();
  /// How clients on this machine go on without the network.
  Response introduce() const;

  const std::string token_;  // that requests must have; "": they need none
  const int64_t most_message_bytes_;
  const Handler handler_;
  const Allocate allocate_;
  const size_t most_bytes_at_once_ = most_bytes_at_once();
  MessageParts parts_;
  LinkListener links_;
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;

  Mutex mutex_;
  CondVar ended_;                                 // a call
  int num_calls_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // accepted and not yet over, and the one that is waited for
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;  // no more calls are waited for
  Crew crew_{[this] { serve(); }};
};

/// A message as slices that lie where the message's pieces do, and back.
grpc::ByteBuffer to_byte_buffer(const Message& message);

/// The bytes of a buffer in one row. Those of several slices are copied, so that their payload (payload.h) is
/// aligned to 64. Without an owner if there was no memory for them.
struct OneRow {
  OneRow(const grpc::ByteBuffer& buffer, const Allocate& allocate);
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

}  // namespace flowray::cluster
