#include "cluster/grpc/shortcut.h"

#include <string>
#include <utility>

#include "cluster/network_only.h"

namespace flowray::cluster {
namespace {

constexpr int kPermissionDenied = 7;
constexpr int kUnimplemented = 12;
constexpr int kUnauthenticated = 16;
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::chrono::seconds kLookTime{5};

std::string text_of(const Message& message) {
  std::string text;
  for (const Message::Piece& piece : message.pieces())
    text.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  return text;
}

}  // namespace

Shortcut::Shortcut(Ask ask, Allocate allocate, int64_t most_answer_bytes, std::function<void()> is_ours)
    : ask_(std::move(ask)),
      allocate_(std::move(allocate)),
      most_answer_bytes_(static_cast<uint64_t>(most_answer_bytes)),
      is_ours_(std::move(is_ours)) {}

Shortcut::~Shortcut() {
  if (link_ != nullptr) link_->let_go();
}

/// The server's process has gone, and the one in its place has another socket name; where there was no
/// socket, the server is on another machine.
void Shortcut::forget() {
  state_ = std::exchange(has_had_link_, false) ? State::kUnknown : State::kNone;
  server_.reset();
  call_links_.reset();
  if (link_ != nullptr) std::exchange(link_, nullptr)->let_go();
}

std::optional<Response> Shortcut::call(std::string_view method, const Message& message,
                                       Channel::Deadline deadline, Cancellation* cancellation) {
  std::shared_ptr<CallLinks> links;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::kKnown && call_links_ == nullptr)
      call_links_ = std::make_shared<CallLinks>(*server_, allocate_, most_answer_bytes_);
    links = call_links_;
  }
  std::optional<Response> response;
  if (links != nullptr) {
    response = links->call(method, message, deadline, cancellation);
    const MutexLock lock(mutex_);
    has_had_link_ |= response.has_value();
    if (!response.has_value() && links->is_in_vain() && call_links_ == links) forget();
  }
  if (!response.has_value()) look_for_server();
  return response;
}

std::function<void()> Shortcut::start(std::string_view method, const Message& message,
                                      Channel::Deadline deadline, Channel::Done& done) {
  std::shared_ptr<LinkClient> link;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::kKnown && link_ == nullptr) {
      link_ = LinkClient::connect(*server_, allocate_, most_answer_bytes_);
      if (link_ == nullptr) forget();
    }
    link = link_;
  }
  std::function<void()> give_up;
  if (link != nullptr) {
    give_up = link->start(method, message, deadline, done);
    const MutexLock lock(mutex_);
    has_had_link_ |= give_up != nullptr;
    if (give_up == nullptr && link->state() == LinkClient::State::kOver && link_ == link) forget();
  }
  if (give_up == nullptr) look_for_server();
  return give_up;
}

/// Asks the server, if it is time to, and does not wait for the answer.
void Shortcut::look_for_server() {
  {
    const MutexLock lock(mutex_);
    if (state_ != State::kUnknown || Clock::now() < next_look_) return;
    state_ = State::kAsking;
  }
  ask_(kIntroduce, {.deadline = std::chrono::system_clock::now() + kLookTime},
       [weak = weak_from_this()](const Response& answer) {
         if (const auto self = weak.lock()) self->take_in(answer);
       });
}

void Shortcut::take_in(const Response& answer) {
  if (answer.status.ok()) is_ours_();
  const MutexLock lock(mutex_);
  if (answer.status.ok() && !uses_network_only()) server_ = Introduction::parse(text_of(answer.message));
  // All other errors are those of the way: the server is away, or a byte of the question has changed.
  const bool is_answer = answer.status.ok() || answer.status.code == kUnimplemented ||
                         answer.status.code == kUnauthenticated || answer.status.code == kPermissionDenied;
  state_ = server_.has_value() ? State::kKnown : is_answer ? State::kNone : State::kUnknown;
  next_look_ = Clock::now() + kBetweenLooks;
}

}  // namespace flowray::cluster
