#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/transport.h"

namespace flowray::cluster {

/// Requests of any method on one completion queue. The thread that takes a request off the queue answers it, so that no
/// thread has to be woken for it; another one waits at the queue meanwhile, a new one if need be. A request may thus take
/// as long as it likes.
class GrpcListener final : public Listener {
 public:
  GrpcListener(const std::string& address, Handler handler);
  ~GrpcListener() override;
  bool is_listening() const { return server_ != nullptr && port_ != 0; }
  int port() const override { return port_; }

 private:
  class Call;
  struct Tag;

  void start_thread();
  void serve();
  /// Before the calling thread does what may take long: somebody else waits at the queue.
  void leave_queue();
  void call_begins();
  void call_ends();

  const Handler handler_;
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;

  std::mutex mutex_;
  std::condition_variable ended_;  // a thread, or a call
  // Guarded by mutex_.
  int num_threads_ = 0;
  int num_waiting_ = 0;  // of the threads, at the queue
  int num_calls_ = 0;    // accepted and not yet over
};

/// A message as slices that lie where the message's pieces do, and back.
grpc::ByteBuffer to_byte_buffer(const Message& message);

/// The bytes of a buffer in one row; those of several slices are copied.
struct OneRow {
  explicit OneRow(const grpc::ByteBuffer& buffer);
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

}  // namespace flowray::cluster
