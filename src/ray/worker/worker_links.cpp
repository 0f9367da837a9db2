// Links: how they come and go, and what this process does for those that call its actor by one. What it calls
// itself: worker_linked_calls.cpp. docs/runtime.md tells when a call goes by a link.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ray/values/value.h"
#include "ray/worker/executor.h"

namespace flowray::ray {

using internal::ValueView;

// ---- both ends

bool WorkerBackend::has_linked_messages() {
  const auto has_any = [](const auto& entry) {
    return !entry.second.is_broken && !entry.second.reader.empty();
  };
  return std::ranges::any_of(out_links_, has_any) || std::ranges::any_of(in_links_, has_any);
}

namespace {

/// Of a link's messages, in one turn: all that lay there when it began, and no end where the other process
/// writes as fast as this one reads.
class Turn {
 public:
  bool takes(std::span<const std::byte> message) {
    if (message.data() == nullptr || left_ == 0) return false;
    left_ -= std::min(left_, message.size());
    return true;
  }

 private:
  size_t left_ = Link::kRingBytes;
};

/// Whether it is a value that goes by a link: small, in the message, and without references.
bool is_plain(const ValuePart& part) {
  if (part.extent || part.bytes.size() > Link::kMostInline) return false;
  const ValueParts value = value_parts(part.bytes);
  return value.num_refs == 0 && value.is_error == part.is_error;
}

}  // namespace

/// Whether anything has come. What cannot be ends that link alone.
bool WorkerBackend::drain_links() {
  bool any = false;
  for (auto& [id, out] : out_links_) {
    if (!out.is_broken) any |= drain_link(out);
  }
  for (auto& [caller, in] : in_links_) {
    if (!in.is_broken) any |= drain_link(in);
  }
  return any;
}

bool WorkerBackend::drain_link(OutLink& out) {
  bool any = false;
  try {
    Turn turn;
    for (auto message = out.reader.peek(); turn.takes(message); message = out.reader.peek()) {
      linked_message_.assign(message.begin(), message.end());  // the other process may write there again
      const auto done = read_message<Done>(linked_message_, linked_parts_);
      if (done.parts.size() != 1 || !is_plain(done.parts[0])) throw errors::DataLossError("a damaged answer");
      take_answer(out, {done.task.value}, done.parts[0]);
      out.reader.pop();
      any = true;
    }
  } catch (const errors::DataLossError& error) {
    break_link(out, error.message());
    any = true;
  }
  return any;
}

/// Of a call that waits for it by that link. Others were promised meanwhile, or the callee answers what it
/// was not asked.
void WorkerBackend::take_answer(OutLink& out, ObjectId object, const ValuePart& value) {
  const auto found = linked_calls_.find(object);
  if (found == linked_calls_.end()) return;
  LinkedCall& call = found->second;
  if (call.link != out.id || call.is_answered || call.is_handed) return;
  // First: memory may be short, and the answer comes again then.
  call.value.assign(value.bytes.begin(), value.bytes.end());
  call.is_error = value.is_error;
  call.is_answered = true;
  out.end(call.ticket);
  wake_questions(call);
  if (call.is_released) linked_calls_.erase(found);
}

bool WorkerBackend::drain_link(InLink& in) {
  bool any = false;
  try {
    Turn turn;
    for (auto message = in.reader.peek(); turn.takes(message); message = in.reader.peek()) {
      std::vector<std::byte> copy;
      if (!spare_.empty()) {
        copy = std::move(spare_.back());
        spare_.pop_back();
      }
      copy.assign(message.begin(), message.end());
      const Run run = read_message<Run>(copy, linked_parts_);
      const uint64_t first_task = (uint64_t{in.caller.value} << 40) + kFirstLinkedId;
      if (run.mode != CallMode::kActorCall || run.task.value >> 40 != in.caller.value ||
          run.task.value < first_task || run.task.value <= in.last_task.value || run.lane != 0 ||
          run.num_returns != 1 || run.num_ahead != 0 || run.is_stream != 0 || run.parts.size() != 1 ||
          run.parts[0].is_error || !is_plain(run.parts[0])) {
        throw errors::DataLossError("a damaged call");
      }
      const TaskId task = run.task;
      lanes_[0].runs.push_back(std::move(copy));  // first: memory may be short, and it comes again
      in.last_task = task;
      ++in.num_unanswered;
      in.reader.pop();
      any = true;
    }
  } catch (const errors::DataLossError&) {
    in.is_broken = true;  // its caller harms itself
  }
  return any;
}

std::optional<Link> WorkerBackend::mapped(LinkId id) {
  try {
    return Link(region(id.region(), SharedRegion::Access::kReadWrite));
  } catch (const errors::ResourceExhaustedError&) {
    std::erase(lost_regions_, id.region());
    return std::nullopt;
  }
}

/// As memory may be short anywhere, and the message is read again then, what tells that the link is there
/// comes last.
void WorkerBackend::on_linked(const Linked& message) {
  if (message.is_caller == 0) {
    link_news_.emplace_back(LinkMade{message.link, take_in_link(message) ? 0u : 1u});
    return;
  }
  Route& route = routes_[message.actor];
  route.is_asked = false;
  if (!take_out_link(message)) {
    route.ask_at = 2 * route.num_calls + 16;
    return;
  }
  route.link = message.link;
  if (message.num_calls == route.num_calls) {
    route.is_drained = true;
    route.num_linked = 0;
    route.num_handed = 0;
  } else {
    route.ask_at = route.num_calls + 1;
  }
}

/// False: it cannot be mapped, or there are calls of that caller's by one that it has let go of.
bool WorkerBackend::take_in_link(const Linked& message) {
  if (const auto found = in_links_.find(message.peer.value); found != in_links_.end())
    return found->second.id == message.link;
  const std::optional<Link> link = mapped(message.link);
  if (!link) return false;
  waiting_room_.add(link->callee_doorbell());
  in_links_.emplace(message.peer.value, InLink{.id = message.link, .caller = message.peer, .link = *link});
  return true;
}

/// False: there is none, it cannot be mapped, or it is broken.
bool WorkerBackend::take_out_link(const Linked& message) {
  if (!message.link) return false;
  if (const auto found = out_links_.find(message.link.value); found != out_links_.end())
    return !found->second.is_broken;
  const std::optional<Link> link = mapped(message.link);
  if (!link) {
    link_news_.emplace_back(LinkClosed{message.link});
    return false;
  }
  waiting_room_.add(link->caller_doorbell());
  out_links_.emplace(message.link.value, OutLink{.id = message.link, .actor = message.actor, .link = *link});
  return true;
}

void WorkerBackend::on_link_ended(const LinkEnded& message) {
  const auto is_it = [&](const auto& entry) { return entry.second.id == message.link; };
  if (const auto found = std::ranges::find_if(in_links_, is_it); found != in_links_.end()) {
    InLink& in = found->second;
    if (!in.is_broken) drain_link(in);
    in.is_ended = true;
    waiting_room_.remove(in.link.callee_doorbell().get());
    close_if_done(in);
    return;
  }
  if (const auto found = out_links_.find(message.link.value); found != out_links_.end()) {
    OutLink& out = found->second;
    if (!out.is_broken) drain_link(out);
    if (message.parts.size() == 1) fail_pending(out.id, message.parts[0].bytes);
    waiting_room_.remove(out.link.caller_doorbell().get());
    if (Route& route = routes_[out.actor]; route.link == out.id) {
      route.link = {};
      route.is_drained = false;
      route.ask_at = route.num_calls + 4;
    }
    out_links_.erase(found);
  }
  link_news_.emplace_back(LinkClosed{message.link});
}

void WorkerBackend::close_if_done(InLink& in) {
  if (!in.is_ended || (in.num_unanswered > 0 && !in.is_broken)) return;
  link_news_.emplace_back(LinkClosed{in.id});
  in_links_.erase(in.caller.value);
}

/// In the order in which it came, but for what must be the owner's before a link is closed. What cannot be
/// told now, as memory is short, stays.
void WorkerBackend::tell_link_news() {
  if (is_telling_of_links_) return;  // another thread does, and waits for room
  struct Telling {
    bool& is_on;
    explicit Telling(bool& flag) : is_on(flag) { is_on = true; }
    ~Telling() { is_on = false; }
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;
  };
  const Telling telling(is_telling_of_links_);
  while (has_link_news()) {
    if (!handed_.empty()) {
      const ObjectId object = handed_.back();
      hand_over(object);
      std::erase(handed_, object);
    } else if (!to_cancel_.empty()) {
      const ObjectId object = to_cancel_.back();
      cancel_call_by_link(object);
      std::erase(to_cancel_, object);
    } else {
      tell(link_news_.front());
      link_news_.pop_front();
    }
  }
}

void WorkerBackend::tell(const LinkNews& news) {
  if (const auto* const ask = std::get_if<AskLink>(&news)) {
    // With the calls that were made since it was to be asked.
    const auto route = routes_.find(ask->actor);
    post(AskLink{ask->actor, route == routes_.end() ? 0 : route->second.num_calls});
    return;
  }
  std::visit([this](const auto& message) FLOWRAY_REQUIRES(mutex_) { post(message); }, news);
}

// ---- the callee

WorkerBackend::InLink* WorkerBackend::link_of(TaskId task) {
  const auto found = in_links_.find(static_cast<uint32_t>(task.value >> 40));
  return found == in_links_.end() ? nullptr : &found->second;
}

/// Whether the driver has been told something, and is to be woken.
bool WorkerBackend::answer_linked(const Run& run, const ValuePart& part, const Done& done) {
  constexpr size_t kManyCalls = 256;
  note_ran_linked(run, done);
  InLink* in = link_of(run.task);
  if (in == nullptr) return false;
  // What this process has made is there for whoever hears of it.
  bool goes = !in->is_ended && !part.extent && part.bytes.size() <= Link::kMostInline &&
              writer_.has_read(ordered_until_) && value_parts(part.bytes).num_refs == 0;
  const size_t bytes = goes ? message_size_bytes(done) : 0;
  std::byte* const room = goes ? in->writer.reserve(bytes) : nullptr;
  if (room != nullptr) write_message(done, room);
  goes = room != nullptr && in->link.answer(run.ticket);
  if (goes) {  // at once: the caller waits for it
    in->writer.commit(bytes);
    in->caller_doorbell->ring(-1);
  } else {
    ValuePart told = part;
    told.object = {run.task.value};
    const LinkId link = in->id;
    publish(AnswerFor{link, {&told, 1}});
    in = link_of(run.task);
    if (in == nullptr || in->id != link) return true;  // a broken one, which has ended meanwhile
  }
  if (in->num_unanswered > 0) --in->num_unanswered;  // it may be a call of a broken one before
  close_if_done(*in);
  if (ran_linked_.size() >= 4 * kManyCalls) {
    publish(RanLinked{std::exchange(ran_linked_, {})});
    return true;
  }
  return !goes;
}

void WorkerBackend::note_ran_linked(const Run& run, const Done& done) {
  ran_linked_.insert(ran_linked_.end(), {run.task.value, run.function.value, done.begin_ns,
                                         done.run_ns << 1 | (done.has_thrown != 0 ? 1u : 0u)});
}

void WorkerBackend::on_link_message(std::span<const std::byte> bytes) {
  switch (message_kind(bytes)) {
    case Linked::kKind:
      return on_linked(read_message<Linked>(bytes, parts_));
    case LinkEnded::kKind:
      return on_link_ended(read_message<LinkEnded>(bytes, parts_));
    case Handed::kKind:
      return on_handed(read_message<Handed>(bytes, parts_));
    default:
      throw errors::DataLossError("the driver sent a message of the unknown kind " +
                                  std::to_string(message_kind(bytes)));
  }
}

/// Before a sleep. The driver reads it when it reads: it is woken for many reports only.
void WorkerBackend::report_ran_linked() {
  constexpr uint32_t kManyReports = 64;
  if (ran_linked_.empty()) return;
  const RanLinked report{ran_linked_};
  const size_t bytes = message_size_bytes(report);
  if (std::byte* const room = writer_.reserve(bytes)) {
    write_message(report, room);
    writer_.commit(bytes);
    ran_linked_.clear();
    if (++num_quiet_ < kManyReports) return;
  }
  ring_driver();
}

}  // namespace flowray::ray
