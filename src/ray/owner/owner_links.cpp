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
  world_.share(id.region(), link.callee, true);
  world_.send(link.callee, Linked{id, 0, actor.id, caller.id, 0});
  return id.value;
}

void Owner::on_ask_link(Worker& worker, const AskLink& message) {
  const auto actor = actors_.find(message.actor);
  auto found = std::ranges::find_if(links_, [&](const auto& entry) {
    const LinkRecord& link = entry.second;
    return link.caller == worker.id && link.actor == message.actor && !link.is_ended;
  });
  if (found == links_.end() && actor != actors_.end() && may_link(worker, actor->second))
    found = links_.find(make_link(worker, actor->second));
  if (found == links_.end()) {
    world_.send(worker.id, Linked{{}, 1, message.actor, {}, message.num_calls});
    return;
  }
  LinkRecord& link = found->second;
  link.num_calls = message.num_calls;
  if (!std::exchange(link.is_wanted, true)) ++num_wishes_;
  offer_link(link);
}

void Owner::on_link_made(Worker& worker, const LinkMade& message) {
  if (has_gone(links_, last_link_, message.link)) return;
  LinkRecord& link = link_of(worker, message.link);
  if (link.callee != worker.id || link.is_made) throw errors::DataLossError("a link is made a second time");
  if (message.is_refused != 0) {
    refuse(link);
    link.is_ended = link.caller_is_done = link.callee_is_done = true;
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

bool Owner::has_calls_of(const Actor& actor, WorkerId caller) const {
  if (std::ranges::any_of(actor.lines,
                          [&](const Line& line) { return line.caller == caller && !line.calls.empty(); }))
    return true;
  const auto worker = workers_.find(actor.worker.value);
  return worker != workers_.end() && std::ranges::any_of(worker->second.in_flight, [&](TaskId id) {
           return tasks_.at(id).caller == caller;
         });
}

void Owner::note_call_of_wisher(ActorId actor, WorkerId caller) {
  for (auto& [id, link] : links_) {
    if (link.is_wanted && link.actor == actor && link.caller == caller) ++link.num_calls;
  }
}

/// If its caller waits for it and no call of that one would be overtaken by what comes by the link.
void Owner::offer_link(LinkRecord& link) {
  if (!link.is_wanted || !link.is_made || link.is_ended) return;
  if (has_calls_of(actors_.at(link.actor), link.caller)) return;
  link.is_wanted = false;
  --num_wishes_;
  if (!std::exchange(link.is_shown, true)) world_.share(link.id.region(), link.caller, true);
  world_.send(link.caller, Linked{link.id, 1, link.actor, link.callee, link.num_calls});
}

/// After a call of that caller is done.
void Owner::offer_links(const Actor& actor, WorkerId caller) {
  for (auto& [id, link] : links_) {
    if (link.actor == actor.id && link.caller == caller) offer_link(link);
  }
}

void Owner::on_promise(Worker& worker, const Promise& message) {
  LinkRecord* const link =
      has_gone(links_, last_link_, message.link) ? nullptr : &link_of(worker, message.link);
  if (link != nullptr && link->caller != worker.id)
    throw errors::DataLossError("a promise of a link's callee");
  // The callee may have answered before.
  if (worker.handles.contains(message.object) && is_ready(message.object)) return;
  const ObjectId id = worker_object(worker, message.object);
  objects_[id].handles = 1;
  ++worker.handles[id];
  if (link == nullptr || link->callee_is_done) {
    complete(id, {error_of_calls(link == nullptr ? StoredValue{} : link->error), {}});
  } else {
    link->promised[id].parent = message.parent;
    if (cancels_promised(message.parent)) cancel_promised(id, false, true);
  }
}

void Owner::on_answer_for(Worker& worker, const AnswerFor& message) {
  LinkRecord& link = link_of(worker, message.link);
  if (link.callee != worker.id || message.parts.size() != 1) throw errors::DataLossError("a damaged answer");
  const ValuePart& part = message.parts[0];
  const bool is_promised = link.promised.contains(part.object);
  const bool is_callers = part.object.value / kFirstWorkerId == link.caller.value &&
                          part.object.value % kFirstWorkerId >= kFirstLinkedId;
  if (!is_promised && !link.is_ended && (!is_callers || objects_.contains(part.object)))
    throw errors::DataLossError("an answer of a call that the worker does not have");
  Incoming value = take_value(worker.id, part);
  if (part.extent && part.lender) worker.owes_read_end = true;
  worker.has_answered = true;
  const auto caller = workers_.find(link.caller.value);
  if (is_promised) {
    link.promised.erase(part.object);
    complete(part.object, std::move(value));
  } else if (caller == workers_.end() || link.is_ended) {  // its caller has an error, or is dead
    let_go(value);
  } else {
    objects_[part.object].handles = 1;
    ++caller->second.handles[part.object];
    complete(part.object, std::move(value));
    world_.send(link.caller, Handed{link.id, part.object});
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
  const auto found =
      std::ranges::find_if(links_, [&](const auto& entry) { return entry.second.promised.contains(object); });
  if (found == links_.end()) return false;
  if (force) {
    throw RayException(
        "force=True is not supported for actor tasks.\n"
        "Cancel the call without force, or end its actor by Kill().");
  }
  LinkRecord::Promised& promised = found->second.promised.at(object);
  promised.is_cancelled |= recursive;
  const WorkerId callee = found->second.callee;
  world_.send(callee, Interrupt{TaskId{object.value}, recursive ? 1u : 0u});
  world_.interrupt_worker(callee);
  std::vector<TaskId> children;
  for (const auto& [id, task] : tasks_) {
    if (recursive && task.parent.value == object.value) children.push_back(id);
  }
  for (const TaskId child : children) {
    if (tasks_.contains(child)) cancel_all(child, force, recursive);
  }
  if (recursive) cancel_promised_of({object.value});
  return true;
}

void Owner::cancel_promised_of(TaskId parent) {
  std::vector<ObjectId> children;
  for (const auto& [id, link] : links_) {
    for (const auto& [object, promised] : link.promised) {
      if (promised.parent == parent && !promised.is_cancelled) children.push_back(object);
    }
  }
  for (const ObjectId child : children) cancel_promised(child, false, true);
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
    link.is_ended = true;
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
      link.caller_is_done = true;
      if (std::exchange(link.is_wanted, false)) --num_wishes_;
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
  if (link.caller == worker.id && !std::exchange(link.is_ended, true)) {  // it cannot map the region
    refuse(link);
    world_.send(link.callee, LinkEnded{link.id, {}});
  }
  close_link(message.link.value);
}

/// If neither end uses it any more.
void Owner::close_link(uint32_t id) {
  const auto found = links_.find(id);
  if (found == links_.end() || !found->second.caller_is_done || !found->second.callee_is_done) return;
  const LinkRecord gone = std::move(found->second);
  links_.erase(found);
  // Of a callee that has broken its link.
  for (const auto& [object, promised] : gone.promised) complete(object, {error_of_calls(gone.error), {}});
  world_.destroy(gone.id.region());
}

}  // namespace flowray::ray
