#include "cluster/link/link_listener.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/link/frame_reader.h"
#include "cluster/link/frame_writer.h"
#include "cluster/link/link_pulse.h"
#include "cluster/network_only.h"
#include "cluster/status_text.h"

namespace flowray::cluster {

/// What the listener and its links share.
struct LinkListener::Served {
  Served(Handler answers, Allocate allocates, int64_t most_bytes)
      : handler(std::move(answers)),
        allocate(std::move(allocates)),
        most_message_bytes(static_cast<uint64_t>(most_bytes)),
        secret(random_word()) {}

  const Handler handler;
  const Allocate allocate;
  const uint64_t most_message_bytes;
  const std::string secret;

  Mutex mutex;
  CondVar ended;
  bool is_over FLOWRAY_GUARDED_BY(mutex) = false;
  size_t num_open FLOWRAY_GUARDED_BY(mutex) = 0;  // replies and returns of handlers that are still to come
  std::set<std::shared_ptr<Link>> links FLOWRAY_GUARDED_BY(mutex);

  /// False: no more requests are taken. Else end() is to be called twice.
  bool begin() {
    const MutexLock lock(mutex);
    if (is_over) return false;
    num_open += 2;
    return true;
  }
  void end() {
    const MutexLock lock(mutex);
    if (--num_open == 0) ended.notify_all();
  }
};

/// A request, from when it has come to its reply.
class LinkListener::Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<Served> served, std::shared_ptr<Link> link, Frame request)
      : served_(std::move(served)), link_(std::move(link)), request_(std::move(request)) {}
  void run();
  void cancel() { cancellation_.cancel(); }

 private:
  Response refusal() const;
  void reply(const Response& response);

  const std::shared_ptr<Served> served_;
  const std::shared_ptr<Link> link_;
  const Frame request_;
  Cancellation cancellation_;
};

/// The server's end of a link.
class LinkListener::Link final : public LinkLoop::Member, public std::enable_shared_from_this<Link> {
 public:
  Link(std::shared_ptr<Served> served, Descriptor socket)
      : served_(std::move(served)),
        socket_(std::move(socket)),
        reader_(served_->allocate, served_->most_message_bytes) {}

  int socket() const override { return socket_.number(); }

  LinkLoop::Found on_event(uint32_t events) override {
    if ((events & EPOLLOUT) != 0) writer_.go_on(socket());
    for (Frame frame;;) {
      switch (reader_.next(socket(), frame)) {
        case FrameReader::Outcome::kNothingYet:
          return {};
        case FrameReader::Outcome::kOver:
          return {.work = leave()};
        case FrameReader::Outcome::kFrame:
          break;
      }
      if (!is_welcome_) {
        if (frame.head.kind != FrameKind::kHello || frame.text != served_->secret) return {.work = leave()};
        is_welcome_ = true;
        writer_.send(socket(), {.kind = FrameKind::kWelcome}, {}, {}, {});
        continue;
      }
      if (frame.head.kind == FrameKind::kRequest) return begin_call(std::move(frame));
      if (LinkPulse::takes(frame.head.kind, socket(), writer_)) continue;
      if (frame.head.kind != FrameKind::kGiveUp) return {.work = leave()};
      if (auto call = find(frame.head.number)) return {[call] { call->cancel(); }, true};
    }
  }

  /// The client may have been stopped.
  Ticked on_tick() override {
    {
      const MutexLock lock(mutex_);
      if (!pulse_.is_due(!open_.empty())) return {};
    }
    if (!pulse_.look(socket(), reader_, writer_)) return {.work = leave()};
    return {.next_in = pulse_.next_look()};
  }

  /// The reply to it has been given.
  void forget(uint64_t number) {
    std::shared_ptr<Call> forgotten;  // ends outside of the lock
    const MutexLock lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end()) return;
    forgotten = std::move(found->second);
    open_.erase(found);
  }
  void send(const FrameHead& head, const std::string& text, const std::string& details, const Message& body) {
    writer_.send(socket(), head, text, details, body);
  }

  /// Ends the link; what it returns tells the handlers that still work on its requests.
  LinkLoop::Work leave() {
    LinkLoop::of_process().remove(*this);
    ::shutdown(socket(), SHUT_RDWR);
    std::map<uint64_t, std::shared_ptr<Call>> open;
    {
      const MutexLock lock(mutex_);
      open.swap(open_);
    }
    {
      const MutexLock lock(served_->mutex);
      served_->links.erase(shared_from_this());
    }
    return [open = std::move(open)] {
      for (const auto& [number, call] : open) call->cancel();
    };
  }

 private:
  LinkLoop::Found begin_call(Frame request) {
    const uint64_t number = request.head.number;
    const auto call = std::make_shared<Call>(served_, shared_from_this(), std::move(request));
    bool is_new = false;
    bool is_to_tick = false;
    {
      // Before it begins, so that an end of the listener from then on finds it.
      const MutexLock lock(mutex_);
      is_new = open_.emplace(number, call).second;
      is_to_tick = pulse_.begin_call();
    }
    if (!is_new || !served_->begin()) return {.work = leave()};
    if (is_to_tick) pulse_.expect_tick();
    return {[call] { call->run(); }, true};
  }

  std::shared_ptr<Call> find(uint64_t number) {
    const MutexLock lock(mutex_);
    const auto found = open_.find(number);
    return found == open_.end() ? nullptr : found->second;
  }

  const std::shared_ptr<Served> served_;
  const Descriptor socket_;
  FrameReader reader_;
  FrameWriter writer_{[this](bool wants) { LinkLoop::of_process().want_room(*this, wants); }};
  bool is_welcome_ = false;  // the reading thread's
  Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Call>> open_ FLOWRAY_GUARDED_BY(mutex_);
  LinkPulse pulse_{SilenceWatch::Of::kClient};
};

void LinkListener::Call::run() {
  if (request_.owner == nullptr) {
    reply(refusal());
  } else {
    served_->handler({request_.text, request_.body, request_.owner, cancellation_},
                     [self = shared_from_this()](const Response& response) { self->reply(response); });
  }
  served_->end();
}

Response LinkListener::Call::refusal() const {
  constexpr int kResourceExhausted = 8;
  const uint64_t size = request_.head.body_bytes;
  if (size <= served_->most_message_bytes)
    return {{}, {kResourceExhausted, "there is no memory for the request"}};
  return {{},
          {kResourceExhausted,
           too_large_text(static_cast<int64_t>(size), static_cast<int64_t>(served_->most_message_bytes))}};
}

void LinkListener::Call::reply(const Response& response) {
  const auto& [message, status, has_time] = response;
  const uint64_t number = request_.head.number;
  const FrameHead head{.kind = FrameKind::kResponse, .code = status.code, .number = number};
  link_->forget(number);
  if (status.ok()) {
    link_->send(head, {}, {}, message);
  } else {
    link_->send(head, fitted_into_status(status.text), status.details, {});
  }
  served_->end();
}

/// Waits for those that connect.
class LinkListener::Acceptor final : public LinkLoop::Member {
 public:
  Acceptor(std::shared_ptr<Served> served, Descriptor socket)
      : served_(std::move(served)), socket_(std::move(socket)) {}

  int socket() const override { return socket_.number(); }

  LinkLoop::Found on_event(uint32_t /*events*/) override {
    Descriptor accepted = accept_from(socket());
    if (!accepted) {
      // Where the process may open no more files, the pending connection would wake it again and again.
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) LinkLoop::of_process().remove(*this);
      return {};
    }
    const auto link = std::make_shared<Link>(served_, std::move(accepted));
    const MutexLock lock(served_->mutex);
    if (served_->is_over || served_->links.size() >= kMostLinks) return {};  // the link ends, and closes
    if (LinkLoop::of_process().add(link)) served_->links.insert(link);
    return {};
  }

 private:
  const std::shared_ptr<Served> served_;
  const Descriptor socket_;
};

LinkListener::LinkListener(Handler handler, Allocate allocate, int64_t most_message_bytes)
    : served_(std::make_shared<Served>(std::move(handler), std::move(allocate), most_message_bytes)) {
  const std::string word = random_word();
  if (word.empty() || served_->secret.empty() || uses_network_only()) return;
  const std::string name = "flowray-" + word;
  Descriptor socket = listen_at(name);
  if (!socket) return;
  acceptor_ = std::make_shared<Acceptor>(served_, std::move(socket));
  if (LinkLoop::of_process().add(acceptor_)) introduction_ = Introduction{name, served_->secret};
}

void LinkListener::begin_to_end() {
  std::set<std::shared_ptr<Link>> links;
  {
    const MutexLock lock(served_->mutex);
    served_->is_over = true;
    links = served_->links;
  }
  if (acceptor_ != nullptr) LinkLoop::of_process().remove(*acceptor_);
  for (const auto& link : links) link->leave()();
}

LinkListener::~LinkListener() {
  begin_to_end();
  const MutexLock lock(served_->mutex);
  served_->ended.wait(served_->mutex,
                      [this]() FLOWRAY_REQUIRES(served_->mutex) { return served_->num_open == 0; });
}

}  // namespace flowray::cluster
