#include "ray/owner/owner.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ray/functions/python_functions.h"
#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

constexpr uint32_t kLastWorker = (uint32_t{1} << 24) - 1;

}  // namespace

Owner::Owner(World& world, const Limits& limits)
    : world_(world), limits_(limits), store_(world, limits.store_bytes), objects_(&nodes_), tasks_(&nodes_) {
  last_id_ = limits.last_id;
  last_worker_ = limits.last_worker;
  other_resources_.resize(1);
}
Owner::~Owner() = default;

ObjectId Owner::new_objects(uint32_t count) {
  const ObjectId first{last_id_ + 1};
  last_id_ += count;
  return first;
}

Owner::Worker& Owner::start_worker(std::string_view label, WorkerKind kind) {
  // Ids of further workers' objects would be those of others.
  if (last_worker_ >= kLastWorker) {
    throw errors::ResourceExhaustedError(fmt::format(
        "this program has started {} worker processes, more than it has numbers for; start it again",
        last_worker_));
  }
  const WorkerId id{++last_worker_};
  world_.start_worker(id, label, kind);  // may throw: then there is no such worker
  Worker& worker = workers_[id.value];
  worker.id = id;
  worker.kind = kind;
  worker.label = label;
  return worker;
}

Owner::Function& Owner::function(FunctionId id, std::string_view name, std::string_view class_name) {
  if (const auto found = functions_.find(id); found != functions_.end()) return found->second;
  if (function_bytes_ > function_bytes_limit_) forget_functions();
  Function made{id, std::string(name), std::string(class_name)};
  if (limits_.keeps_python_apart && python_call_of(id)) made.runs_in = WorkerKind::kPython;
  Function& function = functions_.emplace(id, std::move(made)).first->second;
  function_bytes_ += function.size_bytes();
  return function;
}

namespace {

std::string shortened(std::string_view name) {
  constexpr size_t kMostBytes = 120;
  if (name.size() <= kMostBytes) return std::string(name);
  size_t kept = kMostBytes;
  while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) --kept;  // within a letter
  return std::string(name.substr(0, kept)) + "...";
}

}  // namespace

void Owner::forget_functions() {
  std::unordered_set<FunctionId> used;
  for (const auto& [id, task] : tasks_) {
    if (task.function != nullptr) used.insert(task.function->id);
  }
  for (const auto& [id, actor] : actors_) {
    if (actor.maker != nullptr) used.insert(actor.maker->id);
  }
  std::unordered_set<FunctionId> told;
  history_.each([&](const TaskEvent& event) { told.insert(event.function); });
  std::erase_if(forgotten_names_, [&](const auto& entry) { return !told.contains(entry.first); });
  function_bytes_ = 0;
  for (auto entry = functions_.begin(); entry != functions_.end();) {
    if (used.contains(entry->first)) {
      function_bytes_ += entry++->second.size_bytes();
    } else {
      if (told.contains(entry->first)) forgotten_names_[entry->first] = shortened(entry->second.name);
      entry = functions_.erase(entry);
    }
  }
  function_bytes_limit_ = std::max(kFunctionBytes, 2 * function_bytes_);
}

bool Owner::is_known(ObjectId object) const { return objects_.contains(object); }
size_t Owner::num_objects() const {
  return static_cast<size_t>(std::ranges::count_if(objects_, [this](const auto& entry) {
    return !entry.second.is_actor && !groups_.contains(entry.first.value);
  }));
}
size_t Owner::num_tasks() const { return tasks_.size(); }
size_t Owner::num_workers() const { return workers_.size(); }
size_t Owner::num_actors() const { return actors_.size(); }

size_t Owner::num_interests() const {
  size_t count = 0;
  for (const auto& [id, object] : objects_) {
    if (object.interest != nullptr) count += object.interest->gets.size() + object.interest->waits.size();
  }
  return count;
}

bool Owner::is_idle(WorkerId worker) const {
  const auto found = workers_.find(worker.value);
  return found == workers_.end() || found->second.in_flight.empty();
}

uint32_t Owner::pid(WorkerId worker) const {
  const auto found = workers_.find(worker.value);
  return found == workers_.end() ? 0 : found->second.pid;
}

void Owner::on_message(WorkerId worker_id, std::span<const std::byte> bytes) {
  const auto found = workers_.find(worker_id.value);
  if (found == workers_.end() || found->second.exiting) return;
  Worker& worker = found->second;
  try {
    take_message(worker, bytes);
  } catch (const errors::DataLossError& error) {
    // It may go on for a while until it is killed: messages of it are ignored, and none are sent to it.
    worker.exiting = true;
    worker.fault = error.message();
    throw;
  }
  dispatch();
}

/// Checks the whole message before it changes anything.
void Owner::take_message(Worker& worker, std::span<const std::byte> bytes) {
  auto& parts = read_parts_;
  switch (message_kind(bytes)) {
    case Done::kKind: {
      on_done(worker, read_message<Done>(bytes, parts));
      if (worker.actor) pump(actors_.at(worker.actor));
      break;
    }
    case Release::kKind:
      for (const ObjectId id : read_message<Release>(bytes, parts).objects) drop_handle(worker, id);
      break;
    case ReadEnded::kKind:
      if (std::exchange(worker.owes_read_end, false)) ++num_room_events_;
      for (const ObjectId id : read_message<ReadEnded>(bytes, parts).objects) drop_read(worker, id);
      break;
    case Submit::kKind:
      on_submit(worker, read_message<Submit>(bytes, parts));
      break;
    case PutValue::kKind:
      put(worker, read_message<PutValue>(bytes, parts));
      break;
    case KeepCheckpoint::kKind:
      keep_checkpoint(worker, read_message<KeepCheckpoint>(bytes, parts));
      break;
    case GetValues::kKind:
      start_get(worker, read_message<GetValues>(bytes, parts));
      break;
    case WaitFor::kKind:
      start_wait(worker, read_message<WaitFor>(bytes, parts));
      break;
    case Cancel::kKind:
      cancel(worker, read_message<Cancel>(bytes, parts).request);
      break;
    case Adopt::kKind: {
      const ObjectId id = read_message<Adopt>(bytes, parts).object;
      if (id.value == worker.actor.value && !is_known(id)) break;  // its actor has been ended meanwhile
      adopt(id);
      ++worker.handles[id];
      break;
    }
    case Lease::kKind:
      on_lease(worker, read_message<Lease>(bytes, parts));
      break;
    case KillActor::kKind: {
      const auto message = read_message<KillActor>(bytes, parts);
      kill_actor(message.actor, message.may_restart != 0);
      break;
    }
    case FindActor::kKind: {
      const auto message = read_message<FindActor>(bytes, parts);
      world_.send(worker.id, FoundActor{message.request, find_actor(message.name)});
      break;
    }
    case AskResources::kKind: {
      const auto message = read_message<AskResources>(bytes, parts);
      world_.send(worker.id, ToldResources{message.request, resources_text(resources(message.which))});
      break;
    }
    case AskPendingCalls::kKind: {
      const auto message = read_message<AskPendingCalls>(bytes, parts);
      world_.send(worker.id, ToldPendingCalls{message.request, pending_calls(message.actor, worker.id)});
      break;
    }
    case Measured::kKind:
      metrics_.record(read_measurement(read_message<Measured>(bytes, parts)));
      break;
    case RanSteps::kKind:
      on_ran_steps(worker, read_message<RanSteps>(bytes, parts));
      break;
    case Give::kKind:
      on_give(worker, read_message<Give>(bytes, parts));
      break;
    case AskNext::kKind:
      on_ask_next(worker, read_message<AskNext>(bytes, parts));
      break;
    case MakeGroup::kKind:
      on_make_group(worker, read_message<MakeGroup>(bytes, parts));
      break;
    case RemoveGroup::kKind:
      remove_group(read_message<RemoveGroup>(bytes, parts).group);
      break;
    case AskGroup::kKind:
      on_ask_group(worker, read_message<AskGroup>(bytes, parts));
      break;
    case ExitActorCall::kKind:
      read_message<ExitActorCall>(bytes, parts);
      if (!worker.actor) throw errors::DataLossError("a process that is not an actor's ends its actor");
      actor_died(actors_.at(worker.actor), "it ended itself by ExitActor()");
      break;
    case CancelCall::kKind:
      on_cancel(worker, read_message<CancelCall>(bytes, parts));
      break;
    case WantRegion::kKind:
      store_.share_again(read_message<WantRegion>(bytes, parts).slab, worker.id);
      break;
    case Started::kKind:
      worker.pid = read_message<Started>(bytes, parts).pid;
      came_up(worker);
      break;
    default:
      take_link_message(worker, bytes);
  }
}

ObjectId Owner::worker_object(const Worker& worker, ObjectId id) const {
  // An id outside of its range could be another worker's object.
  if (id.value / kFirstWorkerId != worker.id.value || objects_.contains(id)) {
    throw errors::DataLossError(
        fmt::format("worker {} gave a value the id {}, which is not its to give", worker.id.value, id.value));
  }
  return id;
}

void Owner::drop_handle(Worker& worker, ObjectId id) {
  const auto held = worker.handles.find(id);
  if (held == worker.handles.end()) return;
  if (--held->second == 0) worker.handles.erase(held);
  release_handle(id);
}

void Owner::drop_read(Worker& worker, ObjectId id) {
  const auto read = worker.reads.find(id);
  if (read == worker.reads.end()) return;
  if (--read->second == 0) worker.reads.erase(read);
  end_read(id);
}

namespace {

void require_sound_groups(const CallSpec& call) {
  const bool makes_actor = call.mode == CallMode::kMakeActor;
  if (call.concurrency_groups.size() > (makes_actor ? kMostGroupsBytes : kMostGroupNameBytes))
    throw errors::DataLossError("concurrency groups that are too long");
  if (makes_actor) read_groups(call.concurrency_groups);
}

}  // namespace

void Owner::on_submit(Worker& worker, const Submit& message) {
  if (message.parts.size() != 1 || message.parts[0].is_error || message.terms.num_returns > kMostReturns ||
      message.name.size() > kMostNameBytes || message.mode > CallMode::kActorCall ||
      message.terms.max_concurrency < 1 || message.environment.size() > kMostEnvironmentBytes ||
      message.terms.is_stream > kStreamOfReader || message.terms.is_in_thread > 1 ||
      (message.terms.is_stream != 0 &&
       (message.terms.num_returns != 1 || message.mode == CallMode::kMakeActor))) {
    throw errors::DataLossError("a damaged submission");
  }
  if (message.mode == CallMode::kMakeActor) {
    worker_object(worker, {message.actor.value});
    if (actors_.contains(message.actor)) throw errors::DataLossError("an actor is made a second time");
  } else {
    for (uint32_t i = 0; i < message.terms.num_returns; ++i)
      worker_object(worker, {message.first_return.value + i});
  }
  require_known(message.refs);
  read_resources(message.resources);
  require_sound_groups(message);
  Submission submission{message, {}, worker.id, message.parent};
  const std::vector<ObjectId> refs(message.refs.begin(), message.refs.end());
  submission.refs = refs;
  submit(submission, take_value(worker.id, message.parts[0]));
}

void Owner::on_lease(Worker& worker, const Lease& message) {
  if (message.only_if_free != 0) return lease_if_free(worker, message);
  ++worker.num_starved;  // it does not compute meanwhile
  const bool is_answered = lease(worker, message.request, message.size_bytes, room_may_come());
  --worker.num_starved;
  if (!is_answered) wait_for_room({worker.id, message.request, message.size_bytes, {}, 0});
}

/// For an array that may never be sent: values have half of the store for themselves.
void Owner::lease_if_free(const Worker& worker, const Lease& message) {
  LeasedRoom room;
  const uint64_t half = store_.capacity_bytes() / 2;
  const uint64_t taken = store_.used_bytes() + store_.leased_bytes();
  if (taken <= half && message.size_bytes <= half - taken) {
    try {
      room = store_.lease(worker.id, message.size_bytes);
    } catch (const errors::ResourceExhaustedError&) {  // StoreFullError is one
    }
  }
  world_.send(worker.id, Leased{message.request, room.slab, room.lease, room.offset, room.size_bytes,
                                "no room is free"});
}

void Owner::on_ran_steps(const Worker& worker, const RanSteps& message) {
  if (message.times.size() % 2 != 0) throw errors::DataLossError("a step that has no end");
  for (size_t i = 0; i < message.times.size(); i += 2)
    steps_.add({worker.id, worker.pid, message.times[i], message.times[i + 1]});
}

/// False: there is no room now, and it may wait, for others or for the disk.
bool Owner::lease(Worker& worker, uint64_t request, uint64_t bytes, bool may_wait) {
  LeasedRoom room;
  std::string refusal;
  try {
    with_room(bytes, [&] { room = store_.lease(worker.id, bytes); });
  } catch (const StoreFullError& error) {
    if ((may_wait || num_leaving_ > 0) && bytes <= store_.capacity_bytes()) return false;
    refusal = error.message();
  } catch (const errors::ResourceExhaustedError& error) {
    refusal = error.message();
  }
  world_.send(worker.id, Leased{request, room.slab, room.lease, room.offset, room.size_bytes, refusal});
  return true;
}

void Owner::came_up(Worker& worker) {
  worker.came_up = true;
  failed_starts_[static_cast<size_t>(worker.kind)] = 0;
}

/// The system starts no more processes, or they all die before they come up: what waits for one would wait
/// without end.
bool Owner::cannot_start_workers(WorkerKind kind) const {
  constexpr uint32_t kEnough = 3;
  return failed_starts_[static_cast<size_t>(kind)] >= kEnough;
}

bool Owner::others_compute(const Worker& dead) const {
  return std::ranges::any_of(workers_, [&](const auto& entry) {
    const Worker& worker = entry.second;
    return worker.id != dead.id && worker.kind == dead.kind && worker.runs_tasks() && worker.came_up &&
           !worker.is_blocked();
  });
}

std::vector<std::pair<WorkerId, uint32_t>> Owner::retriable_processes() const {
  std::vector<std::pair<WorkerId, uint32_t>> processes;
  for (const auto& [id, worker] : workers_) {
    if (!worker.end.empty()) return {};
    if (!worker.runs_tasks() || worker.in_flight.empty() || worker.pid == 0) continue;
    const Task& task = tasks_.at(worker.in_flight.front());
    if (task.terms.max_retries > 0 && !task.is_cancelled) processes.emplace_back(worker.id, worker.pid);
  }
  return processes;
}

void Owner::end_worker(WorkerId id, std::string why) {
  const auto found = workers_.find(id.value);
  if (found == workers_.end() || !found->second.end.empty()) return;
  found->second.end = std::move(why);
  world_.kill_worker(id);
}

namespace {

/// Of those that the dead worker held.
uint64_t num_lost(const std::unordered_map<ObjectId, uint64_t>& kept, ObjectId object, uint64_t count) {
  const auto found = kept.find(object);
  return found == kept.end() ? count : count - std::min(count, found->second);
}

}  // namespace

void Owner::on_worker_death(WorkerId worker_id, std::string_view reason_of_system, const LetGo::Held& kept) {
  const auto found = workers_.find(worker_id.value);
  if (found == workers_.end()) return;
  Worker& worker = found->second;
  const std::string reason = !worker.fault.empty() ? "was ended, as it sent what cannot be: " + worker.fault
                             : !worker.end.empty() ? worker.end
                                                   : std::string(reason_of_system);
  worker.exiting = true;  // nothing more is sent to it
  worker.is_dead = true;
  const bool was_wanted = !worker.actor || actors_.at(worker.actor).state < Actor::State::kEnding;
  if (!worker.came_up && was_wanted) ++failed_starts_[static_cast<size_t>(worker.kind)];
  if (!cannot_start_workers(worker.kind) || others_compute(worker)) take_back_unbegun(worker);
  while (!worker.requests.empty()) end_request(worker, worker.requests.begin()->first);
  const Worker dead = std::move(worker);
  workers_.erase(found);
  store_.take_back(worker_id);
  for (auto& [id, actor] : actors_) {
    std::erase_if(actor.lines,
                  [&](const Line& line) { return line.caller == worker_id && line.calls.empty(); });
  }

  if (dead.actor) {
    lose_process(actors_.at(dead.actor), dead, reason);
    drop_if_unused({dead.actor.value});
    forget_if_over(dead.actor);
  } else {
    lose_tasks(dead, reason);
  }
  end_links_of_dead(worker_id);
  for (const auto& [id, count] : dead.handles) {
    for (uint64_t lost = num_lost(kept.handles, id, count); lost > 0; --lost) release_handle(id);
  }
  for (const auto& [id, count] : dead.reads) {
    for (uint64_t lost = num_lost(kept.reads, id, count); lost > 0; --lost) end_read(id);
  }
  dispatch();
}

}  // namespace flowray::ray
