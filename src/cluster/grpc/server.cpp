#include "cluster/grpc/server.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "cluster/crew/poll_window.h"
#include "cluster/grpc/checksum.h"
#include "cluster/grpc/keep_alive.h"
#include "cluster/grpc/token.h"
#include "cluster/link/introduction.h"
#include "cluster/status_text.h"

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
    listener.service_.RequestCall(&context_, &stream_, listener.queue_.get(), listener.queue_.get(),
                                  &accepted_);
  }

  void on(Tag::Event event, bool ok) {
    switch (event) {
      case Tag::Event::kAccepted:
        if (!ok) {  // the listener ends; kDone does not come for a call that was never accepted
          end();
          return;
        }
        listener_.accept_next();
        if (is_known()) {
          stream_.Read(&buffer_, &read_);
        } else {
          stream_.Finish(
              grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                           "This server asks for a token, and the request has another one or none\n"
                           "Flowray's clients give it in the target: "
                           "grpc://host:port?token_file=FILE."),
              &written_);
        }
        return;
      case Tag::Event::kRead:
        if (ok) {
          answer();
        } else {  // the client went before it had said what it wants, or that was lost
          stream_.Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "The request was lost on its way"),
                         &written_);
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
  bool is_known() const {
    if (listener_.token_.empty()) return true;
    const auto shown = context_.client_metadata().equal_range(kTokenKey);
    return std::any_of(shown.first, shown.second, [this](const auto& entry) {
      return shows_token({entry.second.data(), entry.second.size()}, listener_.token_);
    });
  }

  /// As far as the client has said what that was; then it is told so, too, of the answer.
  bool is_as_it_was_sent(std::span<const std::byte> bytes) {
    const auto& metadata = context_.client_metadata();
    const auto found = metadata.find(kChecksumKey);
    wants_checksum_ = found != metadata.end();
    return !wants_checksum_ || has_checksum(bytes, context_.method(), name_of_parts(),
                                            {found->second.data(), found->second.size()});
  }

  /// The reply may be given, and this deleted, before it returns.
  void answer() {
    listener_.crew_.leave_queue();
    if (const auto size = static_cast<int64_t>(buffer_.Length()); size > listener_.most_message_bytes_) {
      reply(
          {{}, {grpc::StatusCode::RESOURCE_EXHAUSTED, too_large_text(size, listener_.most_message_bytes_)}});
      return;
    }
    const OneRow request(buffer_, listener_.allocate_);
    buffer_.Clear();
    if (request.owner == nullptr) {
      reply({{}, {grpc::StatusCode::RESOURCE_EXHAUSTED, "there is no memory for the request"}});
      return;
    }
    if (!is_as_it_was_sent(request.bytes)) {
      reply({{},
             {grpc::StatusCode::UNAVAILABLE,
              "The request came otherwise than it was sent: its checksum differs"}});
      return;
    }
    if (context_.method() == kIntroduce) return reply(listener_.introduce());
    if (context_.method() == kPutPart) return reply(listener_.parts_.put(request.bytes));
    if (context_.method() == kTakePart) return reply(listener_.parts_.take(request.bytes));
    const std::string_view parts = name_of_parts();
    if (parts.empty() || parts == kTakesParts) return handle(request.bytes, request.owner);
    const auto whole = listener_.parts_.whole(parts);
    if (whole != nullptr) return handle(whole->bytes, whole->owner);
    reply(
        {{}, {grpc::StatusCode::ABORTED, "The parts of the request have not come, or have been let go of"}});
  }

  /// The name of the parts that a request came in;
  /// kTakesParts for other requests of Flowray's clients, else "".
  std::string_view name_of_parts() const {
    const auto& metadata = context_.client_metadata();
    const auto found = metadata.find(kPartsKey);
    return found == metadata.end() ? std::string_view()
                                   : std::string_view(found->second.data(), found->second.size());
  }

  void handle(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner) {
    listener_.handler_({context_.method(), bytes, owner, cancellation_},
                       [this](Response response) { reply(response); });
  }

  /// `parts`: the name under which the answer's are kept, where it is too large for one message.
  void reply(const Response& response, const std::string& parts = {}) {
    const auto& [message, status, has_time] = response;
    if (status.ok() && message.size_bytes() > listener_.most_bytes_at_once_) {
      reply_in_parts(message);
    } else if (status.ok()) {
      if (wants_checksum_)
        context_.AddInitialMetadata(kChecksumKey, checksum_of(message, context_.method(), parts));
      stream_.WriteAndFinish(to_byte_buffer(message), grpc::WriteOptions(), grpc::Status::OK, &written_);
    } else {
      stream_.Finish(grpc::Status(static_cast<grpc::StatusCode>(status.code), fitted_into_status(status.text),
                                  status.details),
                     &written_);
    }
  }

  void reply_in_parts(const Message& message) {
    const bool is_ours = !name_of_parts().empty();
    const std::string parts = is_ours ? listener_.parts_.keep(message) : std::string();
    if (parts.empty()) {
      reply({{},
             {grpc::StatusCode::RESOURCE_EXHAUSTED,
              is_ours ? "Too many large answers are fetched in parts at once"
                      : too_large_to_send_text(message.size_bytes(), listener_.most_bytes_at_once_)}});
      return;
    }
    context_.AddInitialMetadata(kPartsKey, parts);
    reply({}, parts);
  }

  /// The two last events may be taken off the queue by two threads.
  void end_if_over() {
    if (events_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
  }

  void end() {
    GrpcListener& listener = listener_;
    delete this;
    listener.call_ends();
  }

  GrpcListener& listener_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  grpc::ByteBuffer buffer_;
  bool wants_checksum_ = false;
  Cancellation cancellation_;
  std::atomic<int> events_left_{2};
  Tag accepted_{this, Tag::Event::kAccepted};
  Tag read_{this, Tag::Event::kRead};
  Tag written_{this, Tag::Event::kWritten};
  Tag done_{this, Tag::Event::kDone};
};

namespace {

std::shared_ptr<grpc::ServerCredentials> credentials_of(const Security& security) {
  if (!security.has_tls()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = security.authority;
  options.pem_key_cert_pairs.push_back({security.key, security.certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

GrpcListener::GrpcListener(const ListenOptions& options, Handler handler, Allocate allocate)
    : token_(options.security.token),
      most_message_bytes_(options.most_message_bytes),
      handler_(std::move(handler)),
      allocate_(std::move(allocate)),
      parts_(allocate_, options.most_message_bytes),
      links_(handler_, allocate_, options.most_message_bytes) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.address, credentials_of(options.security), &port_);
  builder.RegisterAsyncGenericService(&service_);
  // gRPC, too, would look at the size only when all of a message is there, and give no advice.
  builder.SetMaxReceiveMessageSize(INT32_MAX);
  builder.SetMaxSendMessageSize(INT32_MAX);
  answer_and_send_pings(builder);
  // Two servers at one port would each get some of the requests.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (!is_listening()) return;
  accept_next();
  crew_.start();
}

GrpcListener::~GrpcListener() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  links_.begin_to_end();
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());  // cancels what is under way
  {
    // It does not wait for handlers; a call that answers once the queue is shut down would end the process.
    // The acceptance that nothing came for ends like a call. The crew takes it off the queue: where none of
    // it is there, the watch sends a thread.
    const MutexLock lock(mutex_);
    ended_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return num_calls_ == 0; });
  }
  queue_->Shutdown();
  crew_.end();
  void* tag = nullptr;
  for (bool ok = false; queue_->Next(&tag, &ok);) {
    // Nothing comes, as there are no calls; but gRPC wants the end of the queue to be seen.
  }
}

Response GrpcListener::introduce() const {
  if (!links_.introduction().has_value()) return {};
  return {Message(links_.introduction()->text()), {}};
}

void GrpcListener::accept_next() {
  // With the lock held to the end: what is asked of a server that shuts down at that moment may never come
  // back, and of a queue that is shut down it ends the process.
  const MutexLock lock(mutex_);
  if (is_over_) return;
  ++num_calls_;
  new Call(*this);
}

void GrpcListener::call_ends() {
  const MutexLock lock(mutex_);
  if (--num_calls_ == 0) ended_.notify_all();
}

void GrpcListener::serve() {
  PollWindow window(std::thread::hardware_concurrency());
  void* tag = nullptr;
  bool ok = false;
  for (bool goes_on = true; goes_on;) {
    const auto begin = Clock::now();
    if (!next_event(begin + window.length(), &tag, &ok)) return;
    const auto waited = Clock::now() - begin;
    crew_.has_waited(waited);
    auto [call, event] = *static_cast<Tag*>(tag);
    if (event == Tag::Event::kAccepted) window.request_came(waited);
    const bool leaves = event == Tag::Event::kRead && ok;
    call->on(event, ok);
    if (leaves) goes_on = crew_.come_back();
  }
}

/// Looks for an event until `sleeps_at`, then sleeps until there is one. False: the queue is shut down.
bool GrpcListener::next_event(Clock::time_point sleeps_at, void** tag, bool* ok) {
  const gpr_timespec at_once = gpr_time_0(GPR_CLOCK_MONOTONIC);
  while (Clock::now() < sleeps_at) {
    const auto status = queue_->AsyncNext(tag, ok, at_once);
    if (status != grpc::CompletionQueue::TIMEOUT) return status == grpc::CompletionQueue::GOT_EVENT;
    std::this_thread::yield();  // lets other threads have this core
  }
  return queue_->Next(tag, ok);
}

}  // namespace flowray::cluster
