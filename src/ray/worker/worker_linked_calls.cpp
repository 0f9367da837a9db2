// Calls of this process to an actor by a link, without the driver in between, and what they return.
// docs/runtime.md tells when a call goes by one.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"

namespace flowray::ray {

using internal::Deadline;
using internal::ObjectHandle;
using internal::ValueView;
using Clock = std::chrono::steady_clock;

/// Others need the owner: for arguments to wait for, times, retries, lanes, room in the store.
bool WorkerBackend::may_go_by_link(const Submit& call, const Encoder& arguments, const Outgoing& blob) const {
  const CallTerms& terms = call.terms;
  return may_link_ && call.mode == CallMode::kActorCall && call.refs.empty() &&
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
  Route& route = found->second;  // it stays, others may be added
  // Whoever made this process call may have ended the actor's process before: then that is to be read here.
  if (!reader_.empty()) drain_for_all();
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
  if (out.num_pending >= Link::kTickets || last_linked_ + 1 >= kFirstLinkedId) return {};
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

/// Before a call of the actor goes through the owner: what note_call_by_owner needs is there then.
void WorkerBackend::expect_call_by_owner(ActorId actor) {
  constexpr size_t kMostRoutes = 1000;
  if (!may_link_) return;
  if (routes_.size() >= kMostRoutes)
    std::erase_if(routes_, [](const auto& entry) { return !entry.second.is_asked && !entry.second.link; });
  routes_.try_emplace(actor);
}

/// Calls go through the owner for a while.
void WorkerBackend::back_off(Route& route) noexcept {
  constexpr uint64_t kMostBackoff = 1024;
  route.is_drained = false;
  route.backoff = std::min(2 * route.backoff, kMostBackoff);
  route.ask_at = route.num_calls + route.backoff - 1;
}

/// A call went through the owner: those that go by the link from now on could overtake it. Throws nothing, as
/// the call has been made.
void WorkerBackend::note_call_by_owner(ActorId actor, bool may_go_by_link) noexcept {
  constexpr uint64_t kWorthwhile = 8;  // calls by a link, for the two messages of asking
  const auto found = routes_.find(actor);
  if (found == routes_.end()) return;  // another thread had too many
  Route& route = found->second;
  ++route.num_calls;
  if (route.is_drained && route.num_linked >= kWorthwhile) {
    route.is_drained = false;
    route.backoff = 1;
    route.ask_at = route.num_calls;
  } else if (route.is_drained) {
    back_off(route);
  }
  if (!may_go_by_link || route.is_asked || route.num_calls < route.ask_at) return;
  try {
    link_news_.emplace_back(AskLink{actor, 0});
    route.is_asked = true;
  } catch (const std::bad_alloc&) {  // the next call asks
  }
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
    // However the wait ends: one that asks again and again for a moment would leave an id each time.
    struct Asked {
      ~Asked() {
        const auto call = calls.find(object);
        if (call != calls.end()) std::erase(call->second.questions, id);
      }
      decltype(linked_calls_)& calls;
      ObjectId object;
      decltype(question.id) id;
    };
    const Asked asked{linked_calls_, object, question.id};
    const auto soon = Clock::now() + kUnknownToOwner;
    const bool is_over_soon = deadline && *deadline <= soon;
    const bool is_answered = answered_unless_cancelled(question, is_over_soon ? *deadline : soon);
    if (!is_answered && is_over_soon) return true;
    found = linked_calls_.find(object);
    if (found != linked_calls_.end() && !found->second.is_answered) hand_over(object);
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

/// The same, or the call is answered. Of a call that was handed over by its callee the owner has the value.
bool WorkerBackend::promise(ObjectId object, const LinkedCall& call) {
  const Promise message{call.link, object, call.parent};
  if (!has_room_at_once(message_size_bytes(message))) return false;
  if (!call.is_handed) {
    OutLink& out = out_links_.at(call.link.value);
    if (!out.link.redirect(call.ticket)) {
      await_answer(object, out.id, call.ticket);
      return false;
    }
    out.end(call.ticket);
  }
  post(message);
  return true;
}

/// Of a call whose ticket the callee has changed: the answer lies in the ring, or is about to. If it does not
/// come, the link is of no use.
void WorkerBackend::await_answer(ObjectId object, LinkId link, uint64_t ticket) {
  constexpr auto kLongestToWrite = std::chrono::seconds(5);  // it has a word to write
  const auto is_answered = [&]() FLOWRAY_REQUIRES(mutex_) {
    const auto found = linked_calls_.find(object);
    return found == linked_calls_.end() || found->second.is_answered || found->second.is_handed;
  };
  const bool may_come = out_links_.at(link.value).link.is_answered(ticket);
  if (may_come && wait_until(Clock::now() + kLongestToWrite, is_answered)) return;
  if (const auto out = out_links_.find(link.value); out != out_links_.end())
    break_link(out->second, "a ticket of no answer");
}

/// False: it was waited for, and other threads have had their turns.
bool WorkerBackend::has_room_at_once(size_t bytes) {
  if (writer_.reserve(bytes) != nullptr) return true;
  wait_for_room(bytes);
  return false;
}

void WorkerBackend::hand_over(std::span<ObjectHandle* const> handles) {
  if (handles.empty() || !may_link_) return;
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

/// Of a call whose value went to the owner, which keeps it until it is promised: as soon as the owner may be
/// told, or when somebody asks for it before.
void WorkerBackend::on_handed(const Handed& message) {
  const auto found = linked_calls_.find(message.object);
  // It was promised meanwhile, or the callee answers what it was not asked.
  if (found == linked_calls_.end() || found->second.link != message.link || found->second.is_answered ||
      found->second.is_handed)
    return;
  handed_.push_back(message.object);
  found->second.is_handed = true;
  if (const auto out = out_links_.find(message.link.value); out != out_links_.end()) {
    out->second.end(found->second.ticket);
    note_handed(out->second);
  }
  wake_questions(found->second);
}

/// A call whose value goes to the owner takes more messages by a link than through the owner: where most do,
/// calls go there.
void WorkerBackend::note_handed(const OutLink& out) noexcept {
  constexpr uint64_t kSome = 4;
  const auto found = routes_.find(out.actor);
  if (found == routes_.end() || found->second.link != out.id || !found->second.is_drained) return;
  Route& route = found->second;
  if (++route.num_handed >= kSome && 2 * route.num_handed > route.num_linked) back_off(route);
}

/// Those calls that are answered by the link and have not been.
void WorkerBackend::fail_pending(LinkId link, std::span<const std::byte> error) {
  for (auto entry = linked_calls_.begin(); entry != linked_calls_.end();) {
    LinkedCall& call = entry->second;
    if (call.link != link || call.is_answered || call.is_handed) {
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

/// What came there cannot be: nothing more is read, and no call goes by it.
void WorkerBackend::break_link(OutLink& out, const std::string& what) {
  const ValueView told = error_view(ErrorKind::kOther, "The actor's process sent what cannot be: " + what);
  fail_pending(out.id, told.bytes);
  out.is_broken = true;
  out.num_pending = 0;
  out.taken.reset();
  waiting_room_.wake_all();
}

/// After a Kill(): whoever hears of it by a link has to find the actor's own links ended.
void WorkerBackend::await_end_of_links(ActorId actor) {
  ordered_until_ = writer_.position();
  if (out_links_.empty() && in_links_.empty()) return;
  const Question question(*this);
  post(AskPendingCalls{question.id, actor});
  answered(question, {});
}

/// What that call has made by links is cancelled as soon as the owner may be told.
void WorkerBackend::cancel_linked(TaskId parent) {
  for (const auto& [id, call] : linked_calls_) {
    if (call.parent == parent && !call.is_answered) to_cancel_.push_back(id);
  }
}

void WorkerBackend::cancel_call_by_link(ObjectId object) {
  const auto call = linked_calls_.find(object);
  if (call == linked_calls_.end() || call->second.is_answered) return;
  hand_over(object);
  post(CancelCall{.object = object, .recursive = 1});  // nobody waits for its answer
}

}  // namespace flowray::ray
