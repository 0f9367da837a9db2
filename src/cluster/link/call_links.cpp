#include "cluster/link/call_links.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "cluster/link/frame_writer.h"
#include "cluster/link/link_client.h"
#include "cluster/link/silence_watch.h"

namespace flowray::cluster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostOfProcess = 64;  // further calls go over the network
constexpr size_t kMostIdle = 4;     // of one server
constexpr std::chrono::seconds kWelcomeTime{2};

std::atomic<int>& num_links() {
  static std::atomic<int> number{0};
  return number;
}

}  // namespace

class CallLinks::Link {
 public:
  Link(Descriptor socket, const Allocate& allocate, uint64_t most_answer_bytes)
      : socket_(std::move(socket)),
        given_up_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        reader_(allocate, most_answer_bytes),
        window_(std::thread::hardware_concurrency()) {
    num_links().fetch_add(1);
  }
  ~Link() { num_links().fetch_sub(1); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool begin(const std::string& secret) {
    if (!given_up_) return false;
    writer_.send(socket_.number(), {.kind = FrameKind::kHello}, secret, {}, {});
    Frame frame;
    return wait_for(frame, Channel::Deadline::clock::now() + kWelcomeTime, nullptr) == End::kFrame &&
           frame.head.kind == FrameKind::kWelcome;
  }

  /// Whether there is nothing to read, as it should be between calls.
  bool is_quiet() const {
    char byte = 0;
    return ::recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  /// `is_usable`: whether another call may follow.
  Response call(std::string_view method, const Message& message, Channel::Deadline deadline,
                Cancellation* cancellation, bool& is_usable) {
    std::optional<Cancellation::Listening> listening;
    if (cancellation != nullptr) {
      listening.emplace(*cancellation, [this] {
        const uint64_t one = 1;
        (void)!::write(given_up_.number(), &one, sizeof(one));
      });
    }
    writer_.send(socket_.number(), {.kind = FrameKind::kRequest, .number = ++last_number_}, method, {},
                 message);
    Frame frame;
    const End end = wait_for(frame, deadline, cancellation);
    is_usable = false;  // else the closed link cancels the call on the server
    if (end == End::kGivenUp) return {{}, {1, "CANCELLED"}};
    if (end == End::kTooLate) return {{}, {4, "Deadline Exceeded"}};
    if (end == End::kSilent) return {{}, {14, kSilentText}};
    const bool is_answer =
        end == End::kFrame && frame.head.kind == FrameKind::kResponse && frame.head.number == last_number_;
    if (!is_answer) return {{}, {14, "Socket closed"}};
    listening.reset();
    is_usable = cancellation == nullptr || !cancellation->is_cancelled();
    return response_of(std::move(frame), reader_.most_body_bytes());
  }

 private:
  enum class End { kFrame, kBroken, kGivenUp, kTooLate, kSilent };

  /// The other side is likely to answer soon, so for some time it is looked for without sleeping.
  End wait_for(Frame& frame, Channel::Deadline deadline, const Cancellation* cancellation) {
    const auto begin = Clock::now();
    const auto sleeps_at = begin + window_.length();
    watch_.rest();
    while (true) {
      if (wants_room_) writer_.go_on(socket_.number());
      const auto outcome = reader_.next(socket_.number(), frame);
      if (outcome == FrameReader::Outcome::kOver) return End::kBroken;
      const bool is_ping = outcome == FrameReader::Outcome::kFrame && frame.head.kind == FrameKind::kPing;
      if (is_ping) writer_.send(socket_.number(), {.kind = FrameKind::kPong}, {}, {}, {});
      if (is_ping || (outcome == FrameReader::Outcome::kFrame && frame.head.kind == FrameKind::kPong))
        continue;
      if (outcome == FrameReader::Outcome::kFrame) {
        window_.request_came(Clock::now() - begin);
        return End::kFrame;
      }
      if (cancellation != nullptr && cancellation->is_cancelled()) return End::kGivenUp;
      const auto now = Channel::Deadline::clock::now();
      if (now >= deadline) return End::kTooLate;
      if (Clock::now() < sleeps_at) {
        std::this_thread::yield();
      } else {
        sleep(deadline, now);
        if (!is_well()) return End::kSilent;
      }
    }
  }

  /// Whether the server is at work, as far as it is known.
  bool is_well() {
    const uint64_t signs = reader_.received_bytes() + writer_.bytes_after_waiting();
    const auto verdict = watch_.look(Clock::now(), signs);
    if (verdict == SilenceWatch::Verdict::kAsk)
      writer_.send(socket_.number(), {.kind = FrameKind::kPing}, {}, {}, {});
    return verdict != SilenceWatch::Verdict::kGone;
  }

  /// Sleeps until something comes, the deadline has passed, or it is time to look after the server.
  void sleep(Channel::Deadline deadline, Channel::Deadline now) const {
    const auto longest = watch_.next_look();
    const auto left = deadline == Channel::Deadline::max()
                          ? longest
                          : std::min(longest, std::chrono::ceil<std::chrono::milliseconds>(deadline - now));
    const auto events = static_cast<short>(wants_room_ ? POLLIN | POLLOUT : POLLIN);
    std::array<pollfd, 2> watched = {{{socket_.number(), events, 0}, {given_up_.number(), POLLIN, 0}}};
    (void)::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
  }

  const Descriptor socket_;
  const Descriptor given_up_;
  bool wants_room_ = false;
  FrameReader reader_;
  FrameWriter writer_{[this](bool wants) { wants_room_ = wants; }};
  PollWindow window_;
  SilenceWatch watch_{SilenceWatch::Of::kServer};
  uint64_t last_number_ = 0;
};

CallLinks::CallLinks(Introduction server, Allocate allocate, uint64_t most_answer_bytes)
    : server_(std::move(server)), allocate_(std::move(allocate)), most_answer_bytes_(most_answer_bytes) {}

CallLinks::~CallLinks() = default;

bool CallLinks::is_in_vain() const {
  const MutexLock lock(mutex_);
  return is_in_vain_;
}

std::unique_ptr<CallLinks::Link> CallLinks::take() {
  {
    const MutexLock lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<Link> taken = std::move(idle_.back());
      idle_.pop_back();
      if (taken->is_quiet()) return taken;
    }
    if (is_in_vain_ || num_links().load() >= kMostOfProcess) return nullptr;
  }
  Descriptor socket = connect_to(server_.name);
  std::unique_ptr<Link> made;
  if (socket) made = std::make_unique<Link>(std::move(socket), allocate_, most_answer_bytes_);
  if (made != nullptr && made->begin(server_.secret)) return made;
  const MutexLock lock(mutex_);
  is_in_vain_ = true;
  return nullptr;
}

std::optional<Response> CallLinks::call(std::string_view method, const Message& message,
                                        Channel::Deadline deadline, Cancellation* cancellation) {
  if (method.size() > kMostTextBytes || message.size_bytes() > kMostBodyBytes) return std::nullopt;
  std::unique_ptr<Link> link = take();
  if (link == nullptr) return std::nullopt;
  bool is_usable = false;
  Response response = link->call(method, message, deadline, cancellation, is_usable);
  if (!is_usable) return response;
  const MutexLock lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(link));
  return response;
}

}  // namespace flowray::cluster
