#include "cluster/grpc/server.h"

#include <system_error>
#include <thread>
#include <utility>

namespace flowray::cluster {

/// What comes off the queue: an event of a call.
struct GrpcListener::Tag {
  enum class Event { kAccepted, kRead, kWritten, kDone };
  Call* call;
  Event event;
};

/// A request from its acceptance to its end. Deleted when its last event has come.
class GrpcListener::Call {
 public:
  explicit Call(GrpcListener& listener) : listener_(listener) {
    context_.AsyncNotifyWhenDone(&done_);
    listener.service_.RequestCall(&context_, &stream_, listener.queue_.get(), listener.queue_.get(), &accepted_);
  }

  void on(Tag::Event event, bool ok) {
    switch (event) {
      case Tag::Event::kAccepted:
        if (!ok) {  // the listener ends; kDone does not come for a call that was never accepted
          delete this;
          return;
        }
        listener_.call_begins();
        new Call(listener_);
        stream_.Read(&buffer_, &read_);
        return;
      case Tag::Event::kRead:
        if (ok) {
          answer();
        } else {  // the client went before it had said what it wants
          stream_.Finish(grpc::Status(grpc::StatusCode::CANCELLED, "there was no request"), &written_);
        }
        return;
      case Tag::Event::kDone:
        if (context_.IsCancelled()) cancellation_.cancel();
        end_if_over();
        return;
      case Tag::Event::kWritten:
        end_if_over();
        return;
    }
  }

 private:
  void answer() {
    listener_.leave_queue();
    const OneRow request(buffer_);
    buffer_.Clear();
    const Response response = listener_.handler_({context_.method(), request.bytes, request.owner, cancellation_});
    const auto& [message, status] = response;
    if (status.ok()) {
      stream_.WriteAndFinish(to_byte_buffer(message), grpc::WriteOptions(), grpc::Status::OK, &written_);
    } else {
      stream_.Finish(grpc::Status(static_cast<grpc::StatusCode>(status.code), status.text), &written_);
    }
  }

  /// The two last events may be taken off the queue by two threads.
  void end_if_over() {
    if (events_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    GrpcListener& listener = listener_;
    delete this;
    listener.call_ends();
  }

  GrpcListener& listener_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  grpc::ByteBuffer buffer_;
  Cancellation cancellation_;
  std::atomic<int> events_left_{2};
  Tag accepted_{this, Tag::Event::kAccepted};
  Tag read_{this, Tag::Event::kRead};
  Tag written_{this, Tag::Event::kWritten};
  Tag done_{this, Tag::Event::kDone};
};

GrpcListener::GrpcListener(const std::string& address, Handler handler) : handler_(std::move(handler)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
  builder.RegisterAsyncGenericService(&service_);
  builder.SetMaxReceiveMessageSize(INT32_MAX);
  builder.SetMaxSendMessageSize(INT32_MAX);
  // Two servers at one port would each get some of the requests.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (!is_listening()) return;
  new Call(*this);
  start_thread();
}

GrpcListener::~GrpcListener() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());  // cancels what is under way
  {
    // It does not wait for handlers; a call that answers once the queue is shut down would end the process.
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return num_calls_ == 0; });
  }
  queue_->Shutdown();
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return num_threads_ == 0; });
  }
  void* tag = nullptr;
  for (bool ok = false; queue_->Next(&tag, &ok);) static_cast<Tag*>(tag)->call->on(static_cast<Tag*>(tag)->event, ok);
}

void GrpcListener::start_thread() {
  {
    const std::lock_guard lock(mutex_);
    ++num_threads_;
    ++num_waiting_;
  }
  try {
    std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // no more threads: those that there are go on
    const std::lock_guard lock(mutex_);
    --num_threads_;
    --num_waiting_;
  }
}

void GrpcListener::leave_queue() {
  bool is_last = false;
  {
    const std::lock_guard lock(mutex_);
    is_last = --num_waiting_ == 0;
  }
  if (is_last) start_thread();
}

void GrpcListener::call_begins() {
  const std::lock_guard lock(mutex_);
  ++num_calls_;
}

void GrpcListener::call_ends() {
  const std::lock_guard lock(mutex_);
  if (--num_calls_ == 0) ended_.notify_all();
}

void GrpcListener::serve() {
  constexpr int kMostWaiting = 4;
  void* tag = nullptr;
  bool ok = false;
  bool goes_on = true;
  while (goes_on && queue_->Next(&tag, &ok)) {
    auto [call, event] = *static_cast<Tag*>(tag);
    const bool leaves = event == Tag::Event::kRead && ok;
    call->on(event, ok);
    if (!leaves) continue;
    const std::lock_guard lock(mutex_);
    goes_on = ++num_waiting_ <= kMostWaiting;
  }
  const std::lock_guard lock(mutex_);
  --num_waiting_;
  if (--num_threads_ == 0) ended_.notify_all();
}

}  // namespace flowray::cluster
