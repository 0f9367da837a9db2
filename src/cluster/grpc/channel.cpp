#include "cluster/grpc/channel.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cluster/grpc/checksum.h"
#include "cluster/grpc/keep_alive.h"
#include "cluster/grpc/message_parts.h"
#include "cluster/grpc/message_size.h"
#include "cluster/grpc/server.h"
#include "cluster/grpc/started_calls.h"
#include "cluster/grpc/token.h"
#include "cluster/link/watched_calls.h"
#include "cluster/status_text.h"

namespace flowray::cluster {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const Security& security) {
  if (!security.has_tls()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({security.authority, security.key, security.certificate});
}

/// With pings to a server that is ours. Stubs of one `generation` share a connection.
std::shared_ptr<grpc::GenericStub> make_stub(const std::string& address, const Security& security,
                                             int64_t most_answer_bytes, bool is_ours, int generation) {
  grpc::ChannelArguments arguments;
  arguments.SetInt("flowray.generation", generation);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(most_answer_bytes, INT32_MAX)));
  arguments.SetMaxSendMessageSize(INT32_MAX);
  // As TensorFlow: a server that comes back is found within a second, not minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // A connection that is not there in this time is UNAVAILABLE, as one is that has fallen silent.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, silent_after_ms() + gone_after_ms());
  if (is_ours) send_pings(arguments);
  return std::make_shared<grpc::GenericStub>(
      grpc::CreateCustomChannel(address, credentials_of(security), arguments));
}

/// Never freed: as gRPC's, its threads may outlive main.
StartedCalls& started_calls() {
  static auto* const kCalls = new StartedCalls;
  return *kCalls;
}

/// Which connection to an address is the newest in this process: how many were left before it. Thread-safe.
class Generations {
 public:
  int newest(const std::string& address) const {
    const MutexLock lock(mutex_);
    const auto found = newest_.find(address);
    return found == newest_.end() ? 0 : found->second;
  }
  /// The generation for all calls that leave `generation`, or one before it.
  int after(const std::string& address, int generation) {
    const MutexLock lock(mutex_);
    int& newest = newest_[address];
    newest = std::max(newest, generation + 1);
    return newest;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, int> newest_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Never freed, for the same reason.
Generations& generations() {
  static auto* const kGenerations = new Generations;
  return *kGenerations;
}

/// How what is under way is given up, while one call follows the other. Thread-safe.
class OpenCalls {
 public:
  /// The number of the next call.
  uint64_t next() {
    const MutexLock lock(mutex_);
    return ++last_;
  }
  void set_stop(uint64_t number, const std::function<void()>& stop) {
    {
      const MutexLock lock(mutex_);
      if (number != last_) return;  // it has ended, and another one has begun
      stop_ = stop;
      if (!is_stopped_) return;
    }
    stop();
  }
  void stop() {
    std::function<void()> stop;
    {
      const MutexLock lock(mutex_);
      is_stopped_ = true;
      stop = stop_;
    }
    if (stop != nullptr) stop();
  }

 private:
  Mutex mutex_;
  bool is_stopped_ FLOWRAY_GUARDED_BY(mutex_) = false;
  uint64_t last_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::function<void()> stop_ FLOWRAY_GUARDED_BY(mutex_);
};
using Open = std::shared_ptr<OpenCalls>;

/// Waits for what `begin` starts.
template <class Begin>
Response wait_for(Cancellation* cancellation, Begin begin) {
  const auto open = std::make_shared<OpenCalls>();
  const auto answer = std::make_shared<std::promise<Response>>();
  begin(open, [answer](Response response) { answer->set_value(std::move(response)); });
  std::optional<Cancellation::Listening> listening;
  if (cancellation != nullptr) listening.emplace(*cancellation, [open] { open->stop(); });
  return answer->get_future().get();
}

}  // namespace

/// The way to the server over the network. Thread-safe; made as a shared object, which calls keep.
class GrpcChannel::Network : public std::enable_shared_from_this<Network> {
 public:
  Network(std::string address, Security security, Allocate allocate, int64_t most_answer_bytes)
      : address_(std::move(address)),
        security_(std::move(security)),
        allocate_(std::move(allocate)),
        most_answer_bytes_(most_answer_bytes),
        generation_(generations().newest(address_)),
        stub_(make_stub(address_, security_, most_answer_bytes_, /*is_ours=*/false, generation_)) {}

  /// From now on with what TensorFlow's servers do not know, pings and checksums of answers.
  void server_is_ours() {
    const MutexLock lock(mutex_);
    if (std::exchange(is_ours_, true)) return;
    stub_ = make_stub(address_, security_, most_answer_bytes_, is_ours_, generation_);
  }

  /// The one that answers now, which is another than before.
  void server_is_not_ours() {
    const MutexLock lock(mutex_);
    if (!std::exchange(is_ours_, false)) return;
    stub_ = make_stub(address_, security_, most_answer_bytes_, is_ours_, generation_);
  }

  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation);
  std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                              Done done) {
    const auto open = std::make_shared<OpenCalls>();
    begin(method, message, limits, open, std::move(done));
    return [open] { open->stop(); };
  }

 private:
  /// A request that goes in parts.
  struct Sending {
    std::string method;
    Message message;
    size_t size_bytes;
    PartHead next;
    Limits limits;
    Open open;
    Done done;
  };
  /// An answer that comes in parts.
  struct Taking {
    PartHead next;
    size_t size_bytes;
    std::unique_ptr<WholeMessage> message;
    Limits limits;
    Open open;
    Done done;
  };

  /// What watches the calls of a server that takes no pings; null for one of ours.
  std::shared_ptr<WatchedCalls> watched() {
    const MutexLock lock(mutex_);
    if (is_ours_) return nullptr;
    if (watched_ == nullptr) {
      watched_ = std::make_shared<WatchedCalls>(
          [weak = weak_from_this()](Deadline until, Done done) {
            if (const auto self = weak.lock()) return self->ask_whether_there(until, std::move(done));
            done({});
          },
          [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->leave_connection(self->stub());
          });
    }
    return watched_;
  }
  void ask_whether_there(Deadline until, Done done) {
    const Limits limits{.deadline = until};
    const Message nothing;
    (void)started_calls().start(
        *stub(), kNobodysMethod, nothing,
        [&](grpc::ClientContext& context) { return prepare(context, kNobodysMethod, limits, nothing, {}); },
        allocate_,
        [done = std::move(done)](Response response, const std::string&) { done(std::move(response)); });
  }
  static constexpr std::string_view kNobodysMethod = "/flowray.Nobody/AreYouThere";
  static Status silent_status() {
    return {grpc::StatusCode::UNAVAILABLE, "The server has been silent for some seconds"};
  }

  void begin(std::string_view method, const Message& message, const Limits& limits, const Open& open,
             Done done);
  void ask(std::string_view method, const Message& message, const std::string& parts, const Limits& limits,
           const Open& open, StartedCalls::Done done);
  StartedCalls::Done leaving_stuck_connection(const std::shared_ptr<grpc::GenericStub>& stub,
                                              const Limits& limits, StartedCalls::Done done);
  void ask_and_take(std::string_view method, const Message& message, const std::string& parts,
                    const Limits& limits, const Open& open, Done done);
  void send_next(const std::shared_ptr<Sending>& sending);
  void begin_to_take(const std::string& parts, const Limits& limits, const Open& open, Done done);
  void take_next(const std::shared_ptr<Taking>& taking);
  void take_in(const std::shared_ptr<Taking>& taking, Response response);

  std::shared_ptr<grpc::GenericStub> stub() const {
    const MutexLock lock(mutex_);
    return stub_;
  }
  /// Next calls, and those of channels to the address that are made from now on, go over a newer connection,
  /// unless others have done that: `stuck` brought no answer in all the time that a server was waited for,
  /// whether it is not there, has gone without a word, or a changed byte of HTTP/2's has stopped what the
  /// connection carries.
  void leave_connection(const std::shared_ptr<grpc::GenericStub>& stuck) {
    const MutexLock lock(mutex_);
    if (stub_ != stuck) return;
    generation_ = generations().after(address_, generation_);
    stub_ = make_stub(address_, security_, most_answer_bytes_, is_ours_, generation_);
  }
  /// gRPC fails calls for up to a second after such a failure without looking again. A server that was
  /// started meanwhile is found where the next call has a connection of its own.
  static bool was_nobody_there(int code, const std::string& text) {
    return code == grpc::StatusCode::UNAVAILABLE && text.starts_with("failed to connect");
  }
  /// Whether the answer is to have a checksum: a server of ours gives one to a request that has one. The
  /// first requests have one, too, before the server is known: TensorFlow's servers pass over it.
  bool prepare(grpc::ClientContext& context, std::string_view method, const Limits& limits,
               const Message& message, const std::string& parts) const {
    if (limits.deadline != Deadline::max()) context.set_deadline(limits.deadline);
    if (limits.waits_for_server) context.set_wait_for_ready(true);
    if (!security_.token.empty()) context.AddMetadata(kTokenKey, std::string(kTokenScheme) + security_.token);
    if (!parts.empty()) context.AddMetadata(kPartsKey, parts);
    context.AddMetadata(kChecksumKey, checksum_of(message, method, parts));
    const MutexLock lock(mutex_);
    return is_ours_;
  }

  const std::string address_;
  const Security security_;
  const Allocate allocate_;
  const int64_t most_answer_bytes_;
  const size_t most_bytes_at_once_ = most_bytes_at_once();
  mutable Mutex mutex_;
  bool is_ours_ FLOWRAY_GUARDED_BY(mutex_) = false;
  int generation_ FLOWRAY_GUARDED_BY(mutex_);
  std::shared_ptr<grpc::GenericStub> stub_ FLOWRAY_GUARDED_BY(mutex_);
  std::shared_ptr<WatchedCalls> watched_ FLOWRAY_GUARDED_BY(mutex_);
};

GrpcChannel::GrpcChannel(const std::string& address, const Security& security, Allocate allocate,
                         int64_t most_answer_bytes)
    : most_answer_bytes_(most_answer_bytes),
      network_(std::make_shared<Network>(address, security, allocate, most_answer_bytes)),
      shortcut_(std::make_shared<Shortcut>(
          [network = network_](std::string_view method, const Limits& limits, Done done) {
            (void)network->start(method, Message(), limits, std::move(done));
          },
          std::move(allocate), most_answer_bytes, [network = network_] { network->server_is_ours(); })) {}

Response GrpcChannel::Network::call(std::string_view method, const Message& message, Deadline deadline,
                                    Cancellation* cancellation) {
  const Limits limits{.deadline = deadline};
  if (message.size_bytes() > most_bytes_at_once_) {
    return wait_for(cancellation, [&](const Open& open, Done done) {
      begin(method, message, limits, open, std::move(done));
    });
  }
  grpc::ClientContext context;
  const bool has_checksum = prepare(context, method, limits, message, kTakesParts);
  std::optional<Cancellation::Listening> listening;
  if (cancellation != nullptr) listening.emplace(*cancellation, [&context] { context.TryCancel(); });

  grpc::CompletionQueue queue;
  std::shared_ptr<grpc::GenericStub> stub;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> call;
  grpc::ByteBuffer reply;
  grpc::Status status;
  void* tag = nullptr;
  bool ok = false;
  // What may throw comes first: once it has started, gRPC writes to what is here until the queue says so. It
  // is watched before its connection is chosen, which calls that find the server silent leave.
  const std::shared_ptr<WatchedCalls> watched = this->watched();
  const uint64_t number = watched == nullptr ? 0 : watched->begin([&context] { context.TryCancel(); });
  try {
    stub = this->stub();
    call = stub->PrepareUnaryCall(&context, std::string(method), to_byte_buffer(message), &queue);
  } catch (...) {
    if (watched != nullptr) (void)watched->end(number, grpc::StatusCode::CANCELLED);
    throw;
  }
  call->StartCall();
  call->Finish(&reply, &status, nullptr);
  queue.Next(&tag, &ok);
  if (watched != nullptr && watched->end(number, status.error_code()) && !status.ok())
    return {{}, silent_status()};
  if (was_nobody_there(status.error_code(), status.error_message())) leave_connection(stub);
  std::string parts;
  const bool is_given_up = cancellation != nullptr && cancellation->is_cancelled();
  Response response =
      to_response(context, method, status, has_checksum, is_given_up, reply, allocate_, parts);
  if (is_other_server(response.status)) server_is_not_ours();
  if (parts.empty()) return response;
  return wait_for(cancellation,
                  [&](const Open& open, Done done) { begin_to_take(parts, limits, open, std::move(done)); });
}

void GrpcChannel::Network::begin(std::string_view method, const Message& message, const Limits& limits,
                                 const Open& open, Done done) {
  const size_t size = message.size_bytes();
  if (size <= most_bytes_at_once_) return ask_and_take(method, message, {}, limits, open, std::move(done));
  send_next(std::make_shared<Sending>(Sending{std::string(method),
                                              message,
                                              size,
                                              {.name = random_part_name(), .size_bytes = size},
                                              limits,
                                              open,
                                              std::move(done)}));
}

/// `done`, after which next calls go over another connection where this one has brought no answer.
StartedCalls::Done GrpcChannel::Network::leaving_stuck_connection(
    const std::shared_ptr<grpc::GenericStub>& stub, const Limits& limits, StartedCalls::Done done) {
  return [self = shared_from_this(), weak = std::weak_ptr(stub), waited = limits.waits_for_server,
          done = std::move(done)](Response response, const std::string& left) {
    const auto used = weak.lock();
    const bool is_stuck = (waited && response.status.code == grpc::StatusCode::DEADLINE_EXCEEDED) ||
                          was_nobody_there(response.status.code, response.status.text);
    if (used != nullptr && is_stuck) self->leave_connection(used);
    if (is_other_server(response.status)) self->server_is_not_ours();
    done(std::move(response), left);
  };
}

void GrpcChannel::Network::ask(std::string_view method, const Message& message, const std::string& parts,
                               const Limits& limits, const Open& open, StartedCalls::Done done) {
  const uint64_t number = open->next();
  // One that is not there yet is waited for until the deadline. The connection is chosen when it is watched.
  const std::shared_ptr<WatchedCalls> watched = limits.waits_for_server ? nullptr : this->watched();
  const uint64_t watched_number = watched == nullptr ? 0 : watched->begin(nullptr);
  std::function<void()> stop;
  try {
    const std::shared_ptr<grpc::GenericStub> stub = this->stub();
    done = leaving_stuck_connection(stub, limits, std::move(done));
    if (watched != nullptr) {
      done = [watched, watched_number, done = std::move(done)](Response response, const std::string& left) {
        const bool was_silent = watched->end(watched_number, response.status.code);
        if (was_silent && !response.status.ok()) return done({{}, silent_status()}, {});
        done(std::move(response), left);
      };
    }
    stop = started_calls().start(
        *stub, method, message,
        [&](grpc::ClientContext& context) {
          return prepare(context, method, limits, message, parts.empty() ? kTakesParts : parts);
        },
        allocate_, std::move(done));
  } catch (...) {
    if (watched != nullptr) (void)watched->end(watched_number, grpc::StatusCode::CANCELLED);
    throw;
  }
  if (watched != nullptr) watched->set_give_up(watched_number, stop);
  open->set_stop(number, stop);
}

void GrpcChannel::Network::ask_and_take(std::string_view method, const Message& message,
                                        const std::string& parts, const Limits& limits, const Open& open,
                                        Done done) {
  ask(method, message, parts, limits, open,
      [self = shared_from_this(), limits, open, done = std::move(done)](Response response,
                                                                        const std::string& left) {
        if (left.empty()) return done(std::move(response));
        self->begin_to_take(left, limits, open, done);
      });
}

void GrpcChannel::Network::send_next(const std::shared_ptr<Sending>& sending) {
  const size_t offset = sending->next.offset;
  if (offset == sending->size_bytes) {
    return ask_and_take(sending->method, Message(), text_of_name(sending->next.name), sending->limits,
                        sending->open, std::move(sending->done));
  }
  Message part(std::string(reinterpret_cast<const char*>(&sending->next), sizeof(PartHead)));
  const Message bytes = part_of(sending->message, offset, part_bytes());
  for (const Message::Piece& piece : bytes.pieces()) part.add(piece);
  sending->next.offset += bytes.size_bytes();
  ask(kPutPart, part, {}, sending->limits, sending->open,
      [self = shared_from_this(), sending](Response response, const std::string&) {
        if (response.status.ok()) return self->send_next(sending);
        if (response.status.code == grpc::StatusCode::UNIMPLEMENTED) {
          response.status = {grpc::StatusCode::RESOURCE_EXHAUSTED,
                             too_large_to_send_text(sending->size_bytes, self->most_bytes_at_once_)};
        }
        std::exchange(sending->done, nullptr)(std::move(response));
      });
}

/// `parts`: the name of the message, a space, and its size.
void GrpcChannel::Network::begin_to_take(const std::string& parts, const Limits& limits, const Open& open,
                                         Done done) {
  const size_t space = parts.find(' ');
  const auto name = name_of_text(parts.substr(0, space));
  const int64_t size =
      space == std::string::npos ? 0 : std::atoll(parts.c_str() + space + 1);  // NOLINT: 0 is refused
  if (!name.has_value() || size <= 0)
    return done({{}, {grpc::StatusCode::UNAVAILABLE, "The answer comes in parts that have no name"}});
  if (size > most_answer_bytes_)
    return done({{}, {grpc::StatusCode::RESOURCE_EXHAUSTED, too_large_text(size, most_answer_bytes_)}});
  take_next(std::make_shared<Taking>(Taking{{.name = *name, .size_bytes = part_bytes()},
                                            static_cast<size_t>(size),
                                            nullptr,
                                            limits,
                                            open,
                                            std::move(done)}));
}

void GrpcChannel::Network::take_next(const std::shared_ptr<Taking>& taking) {
  const Message request(std::string(reinterpret_cast<const char*>(&taking->next), sizeof(PartHead)));
  ask(kTakePart, request, {}, taking->limits, taking->open,
      [self = shared_from_this(), taking](Response response, const std::string&) {
        self->take_in(taking, std::move(response));
      });
}

void GrpcChannel::Network::take_in(const std::shared_ptr<Taking>& taking, Response response) {
  const auto end = [&taking](Response last) { std::exchange(taking->done, nullptr)(std::move(last)); };
  if (!response.status.ok()) return end(std::move(response));
  const auto pieces = response.message.pieces();
  const auto bytes = pieces.empty() ? std::span<const std::byte>() : pieces[0].bytes;
  if (taking->message == nullptr) {
    taking->message =
        WholeMessage::begin(bytes, taking->size_bytes, allocate_ != nullptr ? allocate_ : allocate_from_heap);
  }
  if (taking->message == nullptr)
    return end({{}, {grpc::StatusCode::RESOURCE_EXHAUSTED, "there is no memory for the answer"}});
  if (bytes.empty() || !taking->message->add(bytes))
    return end({{}, {grpc::StatusCode::UNAVAILABLE, "The answer has another size than was said"}});
  taking->next.offset = taking->message->filled;
  if (taking->next.offset < taking->size_bytes) return take_next(taking);
  Response whole;
  whole.message.add({taking->message->bytes, taking->message->owner});
  end(std::move(whole));
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
