#include "cluster/link/link_client.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/status_text.h"

namespace flowray::cluster {
namespace {

// With the codes and words of gRPC's own.
const Status kGivenUp{1, "CANCELLED"};
const Status kTooLate{4, "Deadline Exceeded"};
const Status kBroken{14, "Socket closed"};
const Status kSilent{14, kSilentText};
const Status kNoMemory{8, "there is no memory for the answer"};

}  // namespace

Response response_of(Frame frame, uint64_t most_bytes) {
  if (frame.head.code != 0) return {{}, {frame.head.code, std::move(frame.text), std::move(frame.details)}};
  if (frame.head.body_bytes > most_bytes) {
    return {{},
            {kNoMemory.code,
             too_large_text(static_cast<int64_t>(frame.head.body_bytes), static_cast<int64_t>(most_bytes))}};
  }
  if (frame.owner == nullptr) return {{}, kNoMemory};
  Response response;
  response.message.add({frame.body, std::move(frame.owner)});
  return response;
}

std::shared_ptr<LinkClient> LinkClient::connect(const Introduction& server, Allocate allocate,
                                                uint64_t most_answer_bytes) {
  Descriptor socket = connect_to(server.name);
  if (!socket) return nullptr;
  const auto made = std::make_shared<LinkClient>(std::move(socket), std::move(allocate), most_answer_bytes);
  if (!LinkLoop::of_process().add(made)) return nullptr;
  made->writer_.send(made->socket(), {.kind = FrameKind::kHello}, server.secret, {}, {});
  return made;
}

LinkClient::State LinkClient::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

std::function<void()> LinkClient::start(std::string_view method, const Message& message,
                                        Channel::Deadline deadline, Channel::Done& done) {
  if (method.size() > kMostTextBytes || message.size_bytes() > kMostBodyBytes) return nullptr;
  uint64_t number = 0;
  bool is_to_tick = false;
  {
    const MutexLock lock(mutex_);
    if (state_ != State::kUp) return nullptr;
    number = ++last_number_;
    calls_.emplace(number, Call{std::exchange(done, nullptr), deadline});
    is_to_tick = pulse_.begin_call();
  }
  if (deadline != Channel::Deadline::max()) {
    LinkLoop::of_process().expect_tick(LinkLoop::kTick);
  } else if (is_to_tick) {
    pulse_.expect_tick();
  }
  writer_.send(socket(), {.kind = FrameKind::kRequest, .number = number}, method, {}, message);
  return [weak = weak_from_this(), number] {
    if (const auto link = weak.lock()) link->give_up(number);
  };
}

bool LinkClient::take_out(uint64_t number, Call& call) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return false;
  call = std::move(found->second);
  calls_.erase(found);
  return true;
}

/// The caller may hold a lock that `done` takes.
void LinkClient::give_up(uint64_t number) {
  Call call;
  if (!take_out(number, call)) return;
  tell_server_to_give_up(number);
  LinkLoop::of_process().post([self = shared_from_this(), done = std::move(call.done)] {
    done({{}, kGivenUp});
    self->end_if_let_go();
  });
}

void LinkClient::tell_server_to_give_up(uint64_t number) {
  writer_.send(socket(), {.kind = FrameKind::kGiveUp, .number = number}, {}, {}, {});
}

void LinkClient::let_go() {
  {
    const MutexLock lock(mutex_);
    is_let_go_ = true;
  }
  end_if_let_go();
}

void LinkClient::end_if_let_go() {
  {
    const MutexLock lock(mutex_);
    if (!is_let_go_ || !calls_.empty() || state_ == State::kOver) return;
  }
  leave()();
}

LinkLoop::Found LinkClient::on_event(uint32_t events) {
  if ((events & EPOLLOUT) != 0) writer_.go_on(socket());
  while (true) {
    Frame frame;
    switch (reader_.next(socket(), frame)) {
      case FrameReader::Outcome::kNothingYet:
        return {};
      case FrameReader::Outcome::kOver:
        return {.work = leave()};
      case FrameReader::Outcome::kFrame:
        break;
    }
    if (frame.head.kind == FrameKind::kWelcome) {
      const MutexLock lock(mutex_);
      if (state_ == State::kConnecting) state_ = State::kUp;
      continue;
    }
    if (LinkPulse::takes(frame.head.kind, socket(), writer_)) continue;
    if (frame.head.kind != FrameKind::kResponse) return {.work = leave()};
    Call call;
    if (!take_out(frame.head.number, call)) continue;  // it was given up
    const auto arrived = std::make_shared<std::pair<Call, Response>>(
        std::move(call), response_of(std::move(frame), reader_.most_body_bytes()));
    arrived->second.thread_has_time = true;
    return {[self = shared_from_this(), arrived] {
              std::exchange(arrived->first.done, nullptr)(std::move(arrived->second));
              self->end_if_let_go();
            },
            true};
  }
}

LinkLoop::Work LinkClient::leave() { return leave(kBroken); }

/// Ends the link. What it returns gives their status to the calls that wait for answers.
LinkLoop::Work LinkClient::leave(const Status& why) {
  LinkLoop::of_process().remove(*this);
  ::shutdown(socket(), SHUT_RDWR);
  const auto calls = std::make_shared<Calls>();
  {
    const MutexLock lock(mutex_);
    state_ = State::kOver;
    calls->swap(calls_);
  }
  return [calls, why] {
    for (auto& [number, call] : *calls) std::exchange(call.done, nullptr)({{}, why});
  };
}

LinkLoop::Member::Ticked LinkClient::on_tick() {
  Ticked ticked = take_out_late();
  {
    const MutexLock lock(mutex_);
    if (!pulse_.is_due(!calls_.empty())) return ticked;
  }
  ticked.next_in = std::min(ticked.next_in, pulse_.next_look());
  if (pulse_.look(socket(), reader_, writer_)) return ticked;
  ticked.work = [late = std::move(ticked.work), all = leave(kSilent)] {
    if (late != nullptr) late();
    all();
  };
  return ticked;
}

/// The calls whose deadline has passed, as work.
LinkLoop::Member::Ticked LinkClient::take_out_late() {
  const auto now = std::chrono::system_clock::now();
  const auto late = std::make_shared<Calls>();
  Ticked ticked;
  {
    const MutexLock lock(mutex_);
    for (auto it = calls_.begin(); it != calls_.end();) {
      const auto here = it++;
      if (here->second.deadline == Channel::Deadline::max()) continue;
      if (now >= here->second.deadline) {
        late->insert(calls_.extract(here));
      } else {
        ticked.next_in = LinkLoop::kTick;
      }
    }
  }
  if (late->empty()) return ticked;
  for (const auto& [number, call] : *late) tell_server_to_give_up(number);
  ticked.work = [self = shared_from_this(), late] {
    for (auto& [number, call] : *late) std::exchange(call.done, nullptr)({{}, kTooLate});
    self->end_if_let_go();
  };
  return ticked;
}

}  // namespace flowray::cluster
