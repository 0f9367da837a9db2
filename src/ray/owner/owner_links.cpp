// Links: workers that call an actor without the driver in between. The owner makes a link when a worker asks
// for one, and ends it before the actor's process is; what calls by it return it hears of only where a
// reference leaves its caller, or the value does not fit.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"
#include "ray/transport/link.h"

namespace flowray::ray {
namespace {

/// Whether there was such a link: then a message about it has crossed the word of its end.
bool has_gone(const auto& links, uint32_t last_link, LinkId id) {
  return id.value > LinkId::kFirst && id.value <= last_link && !links.contains(id.value);
}

/// Of calls without an answer whose link has ended with that error, or without one as the callee let go.
StoredValue error_of_calls(const StoredValue& of_link) {
  if (of_link.bytes) return {of_link.bytes, {}, true};
  return lost_value_error("the link by which its actor was called has ended without an answer");
}

}  // namespace

/// Throws errors::DataLossError for one that is not the worker's.
Owner::LinkRecord& Owner::link_of(const Worker& worker, LinkId id) {
  const auto found = links_.find(id.value);
  if (found == links_.end() || (found->second.caller != worker.id && found->second.callee != worker.id)) {
    throw errors::DataLossError(
        fmt::format("worker {} names the link {}, which is not its own", worker.id.value, id.value));
  }
  return found->second;
}

bool Owner::may_link(const Worker& caller, const Actor& actor) const {
  // Each end sleeps on its own doorbell and one of each link.
  constexpr auto kMostLinks = static_cast<ptrdiff_t>(Doorbell::kMostAtOnce / 2 - 1);
  if (links_.size() >= limits_.most_links) return false;
  if (!actor.may_be_linked || actor.state != Actor::State::kAlive || actor.worker == caller.id) return false;
  const auto callee = workers_.find(actor.worker.value);
  if (callee == workers_.end() || callee->second.exiting) return false;
  if (caller.kind != WorkerKind::kProgram || callee->second.kind != WorkerKind::kProgram) return false;
  const auto num_links = [this](WorkerId worker) {
    return std::ranges::count_if(links_, [&](const auto& entry) {
      return entry.second.caller == worker || entry.second.callee == worker;
    });
  };
  return num_links(caller.id) < kMostLinks && num_links(actor.worker) < kMostLinks;
}

/// 0: the system has no memory or descriptor for it.
uint32_t Owner::make_link(Worker& caller, const Actor& actor) {
  const LinkId id{++last_link_};
  try {
    world_.create(id.region(), Link::size_bytes());
  } catch (const errors::ResourceExhaustedError&) {
    return 0;
  }
  LinkRecord& link = links_[id.value];
  link.id = id;
  link.caller = caller.id;
  link.callee = actor.worker;
  link.actor = actor.id;
  open_links_[{caller.id.value, actor.id.value}] = id.value;
  world_.share(id.region(), link.callee, true);
  world_.send(link.callee, Linked{id, 0, actor.id, caller.id, 0});
  return id.value;
}

/// The one by which further calls of that worker may go; null: none.
Owner::LinkRecord* Owner::open_link(WorkerId caller, ActorId actor) {
  const auto found = open_links_.find({caller.value, actor.value});
  return found == open_links_.end() ? nullptr : &links_.at(found->second);
}

void Owner::end_link(LinkRecord& link) {
  link.is_ended = true;
  const auto found = open_links_.find({link.caller.value, link.actor.value});
  if (found != open_links_.end() && found->second == link.id.value) open_links_.erase(found);
}

void Owner::on_ask_link(Worker& worker, const AskLink& message) {
  const auto actor = actors_.find(message.actor);
  LinkRecord* link = open_link(worker.id, message.actor);
  if (link == nullptr && actor != actors_.end() && may_link(worker, actor->second)) {
    const auto made = links_.find(make_link(worker, actor->second));
    if (made != links_.end()) link = &made->second;
  }
  if (link == nullptr) {
    world_.send(worker.id, Linked{{}, 1, message.actor, {}, message.num_calls});
    return;
  }
  link->num_calls = message.num_calls;
  link->num_left = num_calls_of(actor->second, worker.id);
  if (!std::exchange(link->is_wanted, true)) ++num_wishes_;
  offer_link(*link);
}

void Owner::on_link_made(Worker& worker, const LinkMade& message) {
  if (has_gone(links_, last_link_, message.link)) return;
  LinkRecord& link = link_of(worker, message.link);
  if (link.callee != worker.id || link.is_made) throw errors::DataLossError("a link is made a second time");
  if (message.is_refused != 0) {
    refuse(link);
    end_link(link);
    link.caller_is_done = link.callee_is_done = true;
    close_link(link.id.value);
    return;
  }
  link.is_made = true;
  offer_link(link);
}

/// A caller that waits for the link gets none.
void Owner::refuse(LinkRecord& link) {
  if (!std::exchange(link.is_wanted, false)) return;
  --num_wishes_;
  world_.send(link.caller, Linked{{}, 1, link.actor, {}, link.num_calls});
}

/// Calls of that worker that are not done.
size_t Owner::num_calls_of(const Actor& actor, WorkerId caller) const {
  size_t count = 0;
  for (const Line& line : actor.lines) count += line.caller == caller ? line.calls.size() : 0;
  const auto worker = workers_.find(actor.worker.value);
  if (worker == workers_.end()) return count;
  const auto is_its = [&](TaskId id) { return tasks_.at(id).caller == caller; };
  return count + static_cast<size_t>(std::ranges::count_if(worker->second.in_flight, is_its));
}

void Owner::note_call_of_wisher(ActorId actor, WorkerId caller) {
  LinkRecord* const link = open_link(caller, actor);
  if (link == nullptr || !link->is_wanted) return;
  ++link->num_calls;
  ++link->num_left;
}

/// Of a worker that waits for a link.
void Owner::note_end_of_call(const Task& task) {
  LinkRecord* const link = open_link(task.caller, task.actor);
  if (link == nullptr || !link->is_wanted) return;
  if (link->num_left > 0) --link->num_left;
  offer_link(*link);
}

/// If its caller waits for it and no call of that one would be overtaken by what comes by the link.
void Owner::offer_link(LinkRecord& link) {
  if (!link.is_wanted || !link.is_made || link.is_ended || link.num_left > 0) return;
  link.is_wanted = false;
  --num_wishes_;
  if (!std::exchange(link.is_shown, true)) world_.share(link.id.region(), link.caller, true);
  world_.send(link.caller, Linked{link.id, 1, link.actor, link.callee, link.num_calls});
}

void Owner::on_promise(Worker& worker, const Promise& message) {
  LinkRecord* const link =
      has_gone(links_, last_link_, message.link) ? nullptr : &link_of(worker, message.link);
  if (link != nullptr && link->caller != worker.id)
    throw errors::DataLossError("a promise of a link's callee");
  const ObjectId id = worker_object(worker, message.object);
  objects_[id].handles = 1;
  ++worker.handles[id];
  if (auto answer = link == nullptr ? LinkRecord::Unclaimed::node_type() : link->unclaimed.extract(id)) {
    complete(id, std::move(answer.mapped()));
  } else if (link == nullptr || link->callee_is_done) {
    complete(id, {error_of_calls(link == nullptr ? StoredValue{} : link->error), {}});
  } else {
    link->promised[id].parent = message.parent;
    if (cancels_promised(message.parent)) cancel_promised(id, false, true);
  }
}

/// The callee says what call it is, as the caller has told it: so a value that the owner was not promised
/// waits for its caller's promise, and does not count as an object until then.
void Owner::on_answer_for(Worker& worker, const AnswerFor& message) {
  LinkRecord* const link =
      has_gone(links_, last_link_, message.link) ? nullptr : &link_of(worker, message.link);
  if (message.parts.size() != 1 || (link != nullptr && link->callee != worker.id))
    throw errors::DataLossError("a damaged answer");
  const ValuePart& part = message.parts[0];
  const bool is_promised = link != nullptr && link->promised.contains(part.object);
  if (link != nullptr && !is_promised && !link->is_ended &&
      (part.object.value / kFirstWorkerId != link->caller.value ||
       part.object.value % kFirstWorkerId < kFirstLinkedId || link->unclaimed.contains(part.object))) {
    throw errors::DataLossError("an answer of a call that the worker does not have");
  }
  Incoming value = take_value(worker.id, part);
  if (part.extent && part.lender) worker.owes_read_end = true;
  worker.has_answered = true;
  if (is_promised) {
    link->promised.erase(part.object);
    complete(part.object, std::move(value));
  } else if (link == nullptr || link->is_ended ||
             link->caller_is_done) {  // its caller has an error, or is dead
    let_go(value);
  } else {
    link->unclaimed.emplace(part.object, std::move(value));
    world_.send(link->caller, Handed{link->id, part.object});
  }
}

void Owner::on_ran_linked(Worker& worker, const RanLinked& message) {
  constexpr size_t kNumbers = 4;
  if (message.calls.size() % kNumbers != 0 || !worker.actor)
    throw errors::DataLossError("calls by a link that cannot be");
  worker.has_answered = true;
  for (size_t i = 0; i < message.calls.size(); i += kNumbers) {
    const FunctionId id{message.calls[i + 1]};
    const uint64_t run_ns = message.calls[i + 3] >> 1;
    const bool has_thrown = (message.calls[i + 3] & 1) != 0;
    if (const auto function = functions_.find(id); function != functions_.end())
      ++(has_thrown ? function->second.num_failed : function->second.num_finished);
    history_.add({TaskId{message.calls[i]}, id, worker.id, worker.pid, CallMode::kActorCall, has_thrown,
                  message.calls[i + 2], run_ns});
  }
}

/// Whether the object is what a call by a link returns; its callee is told.
bool Owner::cancel_promised(ObjectId object, bool force, bool recursive) {
  if (std::ranges::none_of(links_, [&](const auto& entry) { return entry.second.promised.contains(object); }))
    return false;
  if (force) {
    throw RayException(
        "force=True is not supported for actor tasks.\n"
        "Cancel the call without force, or end its actor by Kill().");
  }
  cancel_all({object.value}, false, recursive);
  return true;
}

void Owner::interrupt_promised(ObjectId object, bool recursive) {
  for (auto& [id, link] : links_) {
    const auto promised = link.promised.find(object);
    if (promised == link.promised.end()) continue;
    promised->second.is_cancelled |= recursive;
    world_.send(link.callee, Interrupt{TaskId{object.value}, recursive ? 1u : 0u});
    world_.interrupt_worker(link.callee);
  }
}

/// Whether the call was cancelled with what it has called, and may not have known of all of that.
bool Owner::cancels_promised(TaskId parent) const {
  if (const auto task = tasks_.find(parent); task != tasks_.end()) return task->second.cancels_promised;
  return std::ranges::any_of(links_, [&](const auto& entry) {
    const auto found = entry.second.promised.find({parent.value});
    return found != entry.second.promised.end() && found->second.is_cancelled;
  });
}

/// No further call goes to the actor's process by them; those that are there and have no answer fail.
void Owner::end_links_to(const Actor& actor, const StoredValue& error) {
  for (auto& [id, link] : links_) {
    if (link.actor != actor.id || link.is_ended) continue;
    end_link(link);
    link.error = error_in_heap(error);
    refuse(link);
    if (!link.is_shown) link.caller_is_done = true;
    ValuePart part;
    part.is_error = true;
    part.bytes = {std::as_const(*link.error.bytes).data(), link.error.bytes->size_bytes()};
    if (link.is_shown) world_.send(link.caller, LinkEnded{link.id, {&part, 1}});
  }
}

void Owner::take_link_message(Worker& worker, std::span<const std::byte> bytes) {
  switch (message_kind(bytes)) {
    case AskLink::kKind:
      return on_ask_link(worker, read_message<AskLink>(bytes, read_parts_));
    case LinkMade::kKind:
      return on_link_made(worker, read_message<LinkMade>(bytes, read_parts_));
    case LinkClosed::kKind:
      return on_link_closed(worker, read_message<LinkClosed>(bytes, read_parts_));
    case Promise::kKind:
      return on_promise(worker, read_message<Promise>(bytes, read_parts_));
    case AnswerFor::kKind:
      return on_answer_for(worker, read_message<AnswerFor>(bytes, read_parts_));
    case RanLinked::kKind:
      return on_ran_linked(worker, read_message<RanLinked>(bytes, read_parts_));
    default:
      throw errors::DataLossError(fmt::format("worker {} sent a message of the unknown kind {}",
                                              worker.id.value, message_kind(bytes)));
  }
}

/// After everything that the dead worker had sent; those to its actor have ended.
void Owner::end_links_of_dead(WorkerId dead) {
  std::vector<uint32_t> ids;
  for (const auto& [id, link] : links_) {
    if (link.caller == dead || link.callee == dead) ids.push_back(id);
  }
  for (const uint32_t id : ids) {
    LinkRecord& link = links_.at(id);
    if (link.caller == dead) {
      open_links_.erase({dead.value, link.actor.value});
      link.caller_is_done = true;
      if (std::exchange(link.is_wanted, false)) --num_wishes_;
      for (auto& [object, value] : std::exchange(link.unclaimed, {})) let_go(value);
      if (!link.callee_is_done) world_.send(link.callee, LinkEnded{link.id, {}});
    } else {
      link.callee_is_done = true;
      for (const auto& [object, promised] : std::exchange(link.promised, {}))
        complete(object, {error_of_calls(link.error), {}});
    }
    close_link(id);
  }
}

void Owner::on_link_closed(const Worker& worker, const LinkClosed& message) {
  if (has_gone(links_, last_link_, message.link)) return;
  LinkRecord& link = link_of(worker, message.link);
  if (link.callee == worker.id && !link.is_ended && !link.caller_is_done)
    throw errors::DataLossError("a callee lets go of a link that has not ended");
  (link.caller == worker.id ? link.caller_is_done : link.callee_is_done) = true;
  if (link.caller == worker.id &&
      !link.is_ended) {  // it cannot map the region, or what came there is damaged
    end_link(link);
    refuse(link);
    world_.send(link.callee, LinkEnded{link.id, {}});
  }
  close_link(message.link.value);
}

/// If neither end uses it any more.
void Owner::close_link(uint32_t id) {
  const auto found = links_.find(id);
  if (found == links_.end() || !found->second.caller_is_done || !found->second.callee_is_done) return;
  LinkRecord gone = std::move(found->second);
  links_.erase(found);
  for (auto& [object, value] : gone.unclaimed) let_go(value);
  // Of a callee that has broken its link.
  for (const auto& [object, promised] : gone.promised) complete(object, {error_of_calls(gone.error), {}});
  world_.destroy(gone.id.region());
}

}  // namespace flowray::ray
