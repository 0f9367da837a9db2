// Links: calls of this process to an actor, and of others to this one's, without the driver in between.
// docs/runtime.md tells when a call goes by one.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"

namespace flowray::ray {

using internal::Deadline;
using internal::ObjectHandle;
using internal::ValueView;
using Clock = std::chrono::steady_clock;

namespace {

/// FLOWRAY_LINKS=1 in the environment; read once, at this process's first call of an actor.
bool are_links_wanted() {
  static const bool are_wanted = [] {
    const char* const value = std::getenv("FLOWRAY_LINKS");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return are_wanted;
}

}  // namespace

// ---- the caller

/// Others need the owner: for arguments to wait for, times, retries, lanes, room in the store.
bool WorkerBackend::may_go_by_link(const Submit& call, const Encoder& arguments, const Outgoing& blob) {
  const CallTerms& terms = call.terms;
  return are_links_wanted() && call.mode == CallMode::kActorCall && call.refs.empty() &&
         arguments.nested_refs().empty() && !blob.extent && blob.bytes.size() <= Link::kMostInline &&
         terms.num_returns == 1 && terms.is_stream == 0 && terms.deadline_ms == 0 &&
         terms.max_task_retries == 0 && terms.retry_exceptions == 0 && call.concurrency_groups.empty() &&
         call.environment.empty();
}

/// What the call returns; none: it goes through the owner.
ObjectId WorkerBackend::submit_by_link(const Submit& message, std::span<const std::byte> arguments) {
  const MutexLock lock(mutex_);
  const auto found = routes_.find(message.actor);
  if (found == routes_.end() || (!found->second.is_asked && !found->second.link)) return {};
  // Whoever made this process call may have ended the actor's process before: then that is to be read here.
  if (!reader_.empty()) drain_for_all();
  Route& route = found->second;
  const auto out = out_links_.find(route.link.value);
  if (!route.is_drained || out == out_links_.end() || out->second.is_broken) return {};
  if (!writer_.has_read(ordered_until_)) return {};
  const ObjectId returned = send_by_link(out->second, message, arguments);
  if (returned) ++route.num_linked;
  return returned;
}

/// None: there is no room.
ObjectId WorkerBackend::send_by_link(OutLink& out, const Submit& message,
                                     std::span<const std::byte> arguments) {
  if (out.num_pending >= Link::kTickets) return {};
  ValuePart blob;
  blob.bytes = arguments;
  const ObjectId returned{(uint64_t{id_.value} << 40) + kFirstLinkedId + last_linked_ + 1};
  Run run;
  run.task = {returned.value};
  run.mode = CallMode::kActorCall;
  run.ticket = out.next_ticket();
  run.function = message.function;
  run.parts = {&blob, 1};
  const size_t bytes = message_size_bytes(run);
  std::byte* const room = out.writer.reserve(bytes);
  if (room == nullptr) return {};
  LinkedCall& call = linked_calls_[returned];
  call.link = out.id;
  call.ticket = run.ticket;
  call.parent = message.parent;
  ++last_linked_;
  out.begin(run.ticket);
  write_message(run, room);
  out.writer.commit(bytes);
  out.callee_doorbell->ring(-1);
  return returned;
}

/// A call went through the owner: those that go by the link from now on could overtake it.
void WorkerBackend::note_call_by_owner(ActorId actor, bool may_go_by_link) {
  constexpr size_t kMostRoutes = 1000;
  constexpr uint64_t kMostBackoff = 1024;
  constexpr uint64_t kWorthwhile = 8;  // calls by a link, for the two messages of asking
  if (keeper_ != nullptr || !are_links_wanted() || !Doorbell::can_sleep_on_several()) return;
  if (routes_.size() >= kMostRoutes)
    std::erase_if(routes_, [](const auto& entry) { return !entry.second.is_asked && !entry.second.link; });
  Route& route = routes_[actor];
  ++route.num_calls;
  if (std::exchange(route.is_drained, false)) {
    route.backoff = route.num_linked >= kWorthwhile ? 1 : std::min(2 * route.backoff, kMostBackoff);
    route.ask_at = route.num_calls + route.backoff - 1;
  }
  if (!may_go_by_link || route.is_asked || route.num_calls < route.ask_at) return;
  route.is_asked = true;
  tell_link_news();  // of a link that could not be mapped first: else the owner offers that one again
  post(AskLink{actor, route.num_calls});
}

/// Whether a call by a link returns it that the owner does not know of; then it is the value, or there is
/// none, as the deadline has passed.
bool WorkerBackend::take_linked(ObjectId object, Deadline deadline, std::optional<ValueView>& value) {
  // From then on the owner knows that this process waits: others get its processor, and room in the store.
  constexpr auto kUnknownToOwner = std::chrono::milliseconds(10);
  if (linked_calls_.empty()) return false;
  auto found = linked_calls_.find(object);
  if (found == linked_calls_.end()) return false;
  if (!found->second.is_answered) {
    Question question(*this);
    found->second.questions.push_back(question.id);
    const auto soon = Clock::now() + kUnknownToOwner;
    const bool is_over_soon = deadline && *deadline <= soon;
    const bool is_answered = answered_unless_cancelled(question, is_over_soon ? *deadline : soon);
    if (!is_answered && is_over_soon) return true;
    if (!is_answered) hand_over(object);
    found = linked_calls_.find(object);
    if (found == linked_calls_.end() || !found->second.is_answered) return false;
  }
  ValuePart part;
  part.bytes = found->second.value;
  part.is_error = found->second.is_error;
  value = view_of(part);
  return true;
}

/// A reference leaves this process, or the owner has to know who waits for it: it is the owner's object now.
/// Until there is room to tell the owner nothing changes; meanwhile the call may be answered, or handed over
/// by another thread or the callee.
void WorkerBackend::hand_over(ObjectId object) {
  for (auto found = linked_calls_.find(object); found != linked_calls_.end();
       found = linked_calls_.find(object)) {
    const LinkedCall& call = found->second;
    if (call.is_answered ? put_answered(object, call) : promise(object, call)) return leave(object);
  }
}

/// False: other threads have had their turns.
bool WorkerBackend::put_answered(ObjectId object, const LinkedCall& call) {
  ValuePart part;
  part.object = object;
  part.bytes = call.value;
  part.is_error = call.is_error;
  const PutValue message{{&part, 1}};
  if (!has_room_at_once(message_size_bytes(message))) return false;
  post(message);
  return true;
}

/// The same, or the call is answered.
bool WorkerBackend::promise(ObjectId object, const LinkedCall& call) {
  const Promise message{call.link, object, call.parent};
  if (!has_room_at_once(message_size_bytes(message))) return false;
  OutLink& out = out_links_.at(call.link.value);
  if (!out.link.redirect(call.ticket)) {  // the answer lies in the ring, or is about to
    wait_until({}, [&]() FLOWRAY_REQUIRES(mutex_) {
      const auto found = linked_calls_.find(object);
      return found == linked_calls_.end() || found->second.is_answered;
    });
    return false;
  }
  out.end(call.ticket);
  post(message);
  return true;
}

/// False: it was waited for, and other threads have had their turns.
bool WorkerBackend::has_room_at_once(size_t bytes) {
  if (writer_.reserve(bytes) != nullptr) return true;
  wait_for_room(bytes);
  return false;
}

void WorkerBackend::hand_over(std::span<ObjectHandle* const> handles) {
  if (handles.empty() || !are_links_wanted()) return;
  const MutexLock lock(mutex_);
  for (const ObjectHandle* handle : handles) hand_over(handle->id());
}

/// The owner knows of it.
void WorkerBackend::leave(ObjectId object) {
  const auto found = linked_calls_.find(object);
  wake_questions(found->second);
  const bool is_released = found->second.is_released;
  linked_calls_.erase(found);
  if (is_released) let_go_->release(object);
  waiting_room_.wake_all();
}

void WorkerBackend::wake_questions(LinkedCall& call) {
  for (const uint64_t id : std::exchange(call.questions, {})) {
    if (const auto question = questions_.find(id); question != questions_.end())
      question->second->is_answered = true;
  }
}

/// The last handle is gone. False: the owner has to be told.
bool WorkerBackend::forget_linked(ObjectId object) {
  const auto found = linked_calls_.find(object);
  if (found == linked_calls_.end()) return false;
  if (found->second.is_answered) {
    linked_calls_.erase(found);
  } else {
    found->second.is_released = true;
  }
  return true;
}

/// Of a call whose value went to the owner.
void WorkerBackend::on_handed(const Handed& message) {
  const auto found = linked_calls_.find(message.object);
  if (found == linked_calls_.end() || found->second.link != message.link)
    return;  // it was promised meanwhile
  if (const auto out = out_links_.find(message.link.value); out != out_links_.end())
    out->second.end(found->second.ticket);
  leave(message.object);
}

/// Those calls that are answered by the link and have not been.
void WorkerBackend::fail_pending(LinkId link, std::span<const std::byte> error) {
  for (auto entry = linked_calls_.begin(); entry != linked_calls_.end();) {
    LinkedCall& call = entry->second;
    if (call.link != link || call.is_answered) {
      ++entry;
      continue;
    }
    call.value.assign(error.begin(), error.end());
    call.is_error = true;
    call.is_answered = true;
    wake_questions(call);
    entry = call.is_released ? linked_calls_.erase(entry) : std::next(entry);
  }
}

/// After a Kill(): whoever hears of it by a link has to find the actor's own links ended.
void WorkerBackend::await_end_of_links(ActorId actor) {
  ordered_until_ = writer_.position();
  if (out_links_.empty() && in_links_.empty()) return;
  const Question question(*this);
  post(AskPendingCalls{question.id, actor});
  answered(question, {});
}

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

/// Whether it is the value of one part in a message, without references.
bool is_plain(const ValuePart& part) {
  if (part.extent) return false;
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
      const auto found = linked_calls_.find({done.task.value});
      if (found != linked_calls_.end() && found->second.link == out.id && !found->second.is_answered) {
        LinkedCall& call = found->second;
        out.end(call.ticket);
        call.value.assign(done.parts[0].bytes.begin(), done.parts[0].bytes.end());
        call.is_error = done.parts[0].is_error;
        call.is_answered = true;
        wake_questions(call);
        if (call.is_released) linked_calls_.erase(found);
      }
      out.reader.pop();
      any = true;
    }
  } catch (const errors::DataLossError& error) {
    out.is_broken = true;
    const ValueView told =
        error_view(ErrorKind::kOther, "The actor's process sent what cannot be: " + error.message());
    fail_pending(out.id, told.bytes);
    any = true;
  }
  return any;
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
      in.last_task = run.task;
      lanes_[0].runs.push_back(std::move(copy));
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
    const std::optional<Link> link = mapped(message.link);
    if (link) {
      waiting_room_.add(link->callee_doorbell());
      in_links_.emplace(message.peer.value,
                        InLink{.id = message.link, .caller = message.peer, .link = *link});
    }
    link_news_.emplace_back(LinkMade{message.link, link ? 0u : 1u});
    return;
  }
  Route& route = routes_[message.actor];
  route.is_asked = false;
  const bool is_new = message.link && !out_links_.contains(message.link.value);
  const std::optional<Link> link = is_new ? mapped(message.link) : std::nullopt;
  if (!message.link || (is_new && !link)) {
    if (message.link) link_news_.emplace_back(LinkClosed{message.link});
    route.ask_at = 2 * route.num_calls + 16;
    return;
  }
  if (is_new) {
    waiting_room_.add(link->caller_doorbell());
    out_links_.emplace(message.link.value,
                       OutLink{.id = message.link, .actor = message.actor, .link = *link});
  }
  route.link = message.link;
  if (message.num_calls == route.num_calls) {
    route.is_drained = true;
    route.num_linked = 0;
  } else {
    route.ask_at = route.num_calls + 1;
  }
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

/// What that call has made by links is cancelled as soon as the owner may be told.
void WorkerBackend::cancel_linked(TaskId parent) {
  for (const auto& [id, call] : linked_calls_) {
    if (call.parent == parent && !call.is_answered) to_cancel_.push_back(id);
  }
}

void WorkerBackend::tell_link_news() {
  while (!to_cancel_.empty()) {
    const ObjectId object = to_cancel_.back();
    to_cancel_.pop_back();
    const auto call = linked_calls_.find(object);
    if (call == linked_calls_.end() || call->second.is_answered) continue;
    hand_over(object);
    post(CancelCall{.object = object, .recursive = 1});  // nobody waits for its answer
  }
  while (!link_news_.empty()) {
    const auto news = link_news_.front();
    link_news_.erase(link_news_.begin());
    std::visit([this](const auto& message) FLOWRAY_REQUIRES(mutex_) { post(message); }, news);
  }
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
  goes = room != nullptr && in->link.answer(run.ticket);
  if (goes) {
    write_message(done, room);
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
  --in->num_unanswered;
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
