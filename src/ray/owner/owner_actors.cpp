// Actors: their making, the order of their calls, their death.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

constexpr const char* kForsaken = "it has ended, as all references to it were removed";

}  // namespace

void Owner::make_actor(const Submission& submission, Task& task) {
  const bool is_taken = !submission.name.empty() && find_actor(submission.name);
  Actor& actor = actors_[submission.actor];
  actor.id = submission.actor;
  actor.name = without_namespace(submission.name, limits_.ray_namespace);
  actor.maker = task.function;
  actor.restarts_left = submission.terms.max_retries;
  actor.task_retries = submission.terms.max_task_retries;
  actor.groups = read_groups(submission.concurrency_groups);
  actor.lane_sizes.push_back(submission.terms.max_concurrency);
  for (const ConcurrencyGroup& group : actor.groups) actor.lane_sizes.push_back(group.max_concurrency);
  actor.is_counted = submission.terms.is_counted != 0;
  // Others need what only the owner does: lanes, retries, handles that count, coroutines, threads' stamps.
  actor.may_be_linked = actor.groups.empty() && actor.task_retries == 0 && !actor.is_counted &&
                        submission.terms.is_in_thread == 0 &&
                        submission.terms.num_threads == submission.terms.max_concurrency;
  if (actor.is_counted) {
    Object& share = objects_[{actor.id.value}];
    share.is_actor = true;
    share.ready = true;
    share.value.bytes = empty_value();
    share.handles = 1;
    if (submission.caller) ++workers_.at(submission.caller.value).handles[{actor.id.value}];
  }
  if (!is_taken) return;
  actor.state = Actor::State::kDead;
  actor.death = fmt::format("it was not made, as the name '{}' is taken by another actor", actor.name);
}

void Owner::start_actor(Actor& actor, Task& task) {
  if (actor.state == Actor::State::kDead) {  // killed before it was made
    finish(task);
    forget_if_over(actor.id);
    return;
  }
  Worker* worker = nullptr;
  try {
    const bool is_in_thread = task.terms.is_in_thread != 0;
    worker =
        &start_worker(actor.maker->class_name, is_in_thread ? WorkerKind::kThread : actor.maker->runs_in);
  } catch (const Error& error) {
    actor_died(actor, fmt::format("no {} could be started for it: {}",
                                  task.terms.is_in_thread != 0 ? "thread" : "process", error.message()));
    finish(task);
    forget_if_over(actor.id);
    return;
  }
  worker->actor = actor.id;
  worker->max_concurrency = std::accumulate(actor.lane_sizes.begin(), actor.lane_sizes.end(), 0u);
  if (!actor.groups.empty()) worker->lanes.resize(actor.lane_sizes.size());
  actor.worker = worker->id;
  const std::span<const uint32_t> group_sizes = std::span(actor.lane_sizes).subspan(1);
  world_.send(worker->id, BecomeActor{actor.id, task.terms.max_concurrency, task.terms.num_threads,
                                      actor.restarts, group_sizes, actor.checkpoint});
  run(*worker, task);  // calls wait until it is done, as it may fail
}

/// done_values_: none, or the error that the constructor failed with.
void Owner::on_made(Task& task) {
  Actor& actor = actors_.at(task.actor);
  if (done_values_.empty()) {
    if (actor.state == Actor::State::kUnmade) actor.state = Actor::State::kAlive;
    if (actor.state != Actor::State::kDead && actor.restarts_left > 0) {
      keep_creation(actor, task);
    } else {
      finish(task);
    }
    return;
  }
  actor.cause = error_in_heap(done_values_[0].value);
  let_go(done_values_[0]);
  actor_died(actor, "its constructor failed");
  finish(task);
}

/// Keeps the call that made the actor, to make it again: it has ended as a call, but its arguments are held.
void Owner::keep_creation(Actor& actor, Task& task) {
  const TaskId id = task.id;
  actor.creation = std::make_unique<Task>(std::move(task));
  tasks_.erase(id);
}

void Owner::call_actor(Task& task, WorkerId caller, std::string_view group) {
  const auto found = actors_.find(task.actor);
  if (found == actors_.end()) {
    fail(task,
         actor_died_error(task.function->class_name, "", 0,
                          "there is no such actor in this runtime, or it has been dead for long", nullptr));
    return;
  }
  Actor& actor = found->second;
  if (num_wishes_ > 0 && caller) note_call_of_wisher(actor.id, caller);
  if (actor.state == Actor::State::kDead) {
    fail(task, error_of(actor));
    return;
  }
  const std::optional<uint32_t> lane = group_of_call(actor.groups, group, task.function->id);
  if (!lane) {
    fail(task, no_concurrency_group_error(task.function->name, group));
    return;
  }
  task.lane = *lane;
  if (const uint32_t own = task.terms.max_task_retries; own == 0) {
    task.retries_left = actor.task_retries;
  } else {
    task.retries_left = own == kForever ? own : own - 1;
  }
  line_of(actor, caller, *lane).calls.push_back(task.id);
  if (task.missing == 0) pump(actor);
}

Owner::Line& Owner::line_of(Actor& actor, WorkerId caller, uint32_t lane) {
  const auto is_its = [&](const Line& line) { return line.caller == caller && line.lane == lane; };
  auto line = std::ranges::find_if(actor.lines, is_its);
  if (line == actor.lines.end()) line = actor.lines.insert(line, Line{caller, lane, {}});
  return *line;
}

/// It is the first of its line: what was sent behind it runs before it all the same.
void Owner::call_again(Actor& actor, Task& task) {
  task.worker = {};
  line_of(actor, task.caller, task.lane).calls.push_front(task.id);
}

void Owner::pump(Actor& actor) {
  if (actor.state != Actor::State::kAlive) return end_if_forsaken(actor);
  Worker& worker = workers_.at(actor.worker.value);
  for (Line& line : actor.lines) {
    const size_t most = limits_.most_in_flight + size_t{actor.lane_sizes[line.lane]} - 1;
    const auto has_room = [&] {
      return (worker.lanes.empty() ? worker.in_flight.size() : worker.lanes[line.lane]) < most;
    };
    while (!line.calls.empty() && has_room()) {
      Task& task = tasks_.at(line.calls.front());
      if (task.missing > 0) break;
      const bool are_brought = bring_arguments(task);
      if (!are_brought && room_may_come()) {
        if (std::ranges::find(starved_actors_, actor.id) == starved_actors_.end())
          starved_actors_.push_back(actor.id);
        break;
      }
      line.calls.pop_front();
      if (const StoredValue* error = failed_argument(task)) {
        fail(task, error_in_heap(*error));
      } else if (!are_brought) {
        fail(task, no_room_to_read_error());
      } else {
        if (!worker.lanes.empty()) ++worker.lanes[line.lane];
        run(worker, task);
      }
    }
  }
  end_if_forsaken(actor);
}

/// Remembers the last dead actors only, for the errors of calls: why they died.
void Owner::forget_if_over(ActorId id) {
  constexpr size_t kRemembered = 1000;
  Actor& actor = actors_.at(id);
  if (actor.is_over || actor.state != Actor::State::kDead || actor.is_pausing) return;
  actor.is_over = true;
  drop_if_unused({id.value});
  over_.push_back(id);
  if (over_.size() <= kRemembered) return;
  actors_.erase(over_.front());
  over_.pop_front();
}

void Owner::kill_actor(ActorId id, bool may_restart) {
  const auto found = actors_.find(id);
  if (found == actors_.end() || found->second.state == Actor::State::kDead) return;
  Actor& actor = found->second;
  if (!may_restart || actor.restarts_left == 0) {
    actor_died(actor, "it was killed by Kill()");
    dispatch();
  } else if (workers_.contains(
                 actor.worker.value)) {  // else there is no process to end: it waits for an argument
    actor.state = Actor::State::kEnding;
    end_links_to(actor, error_of(actor, "it was killed by Kill(false)"));
    world_.kill_worker(actor.worker);
  }
}

/// A process gets on that answers a call, unless its oldest one is what the process before died with, too;
/// and one that was told to end.
void Owner::note_life(Actor& actor, const Worker& dead) {
  if (actor.state == Actor::State::kEnding) {
    actor.failed_lives = 0;
    return;
  }
  const TaskId oldest = dead.in_flight.empty() ? TaskId() : dead.in_flight.front();
  const bool is_same = oldest && oldest == std::exchange(actor.died_with, oldest);
  actor.failed_lives = dead.has_answered && !is_same ? 0 : actor.failed_lives + 1;
}

/// Its process is dead: the calls that were there fail, the others wait for the new one, if there is to
/// be one.
void Owner::lose_process(Actor& actor, const Worker& dead, std::string_view reason) {
  actor.pid = dead.pid;
  std::string death =
      actor.state == Actor::State::kEnding
          ? "it was killed by Kill(false)"
          : fmt::format("its {} {}", dead.kind == WorkerKind::kThread ? "thread" : "process", reason);
  note_life(actor, dead);
  const bool is_wanted = !is_forsaken(actor) || std::ranges::any_of(actor.lines, [](const Line& line) {
    return !line.calls.empty();
  });
  const bool is_made_again = actor.state != Actor::State::kDead && actor.restarts_left > 0 && is_wanted &&
                             (dead.came_up || !cannot_start_workers(dead.kind));
  if (is_made_again) {
    const std::string most =
        actor.restarts_left == kForever ? "" : fmt::format(" of {}", actor.restarts + actor.restarts_left);
    death += fmt::format(
        "; it is made again (restart {}{}), and calls that were not yet sent to it go to the new one",
        actor.restarts + 1, most);
  } else if (actor.state != Actor::State::kDead) {
    actor.state = Actor::State::kDead;
    actor.death = death;
  } else {
    death = actor.death;
  }
  end_links_to(actor, error_of(actor, death));
  const std::deque<TaskId> lost = is_made_again ? keep_calls(actor, dead) : dead.in_flight;
  for (const TaskId id : lost) {
    Task& task = tasks_.at(id);
    if (task.mode != CallMode::kMakeActor) {
      fail(task, error_of(actor, death));
    } else if (is_made_again) {
      keep_creation(actor, task);
    } else {
      finish(task);
    }
  }
  if (is_made_again) {
    restart(actor);
  } else {
    fail_calls(actor);
  }
}

/// The calls that the dead process had and that may be sent again stand in front of their lines, in their
/// order; the others.
std::deque<TaskId> Owner::keep_calls(Actor& actor, const Worker& dead) {
  std::deque<TaskId> lost;
  for (auto call = dead.in_flight.rbegin(); call != dead.in_flight.rend(); ++call) {
    Task& task = tasks_.at(*call);
    if (task.mode != CallMode::kActorCall || task.retries_left == 0 || task.is_cancelled) {
      lost.push_front(*call);
      continue;
    }
    if (task.retries_left != kForever) --task.retries_left;
    call_again(actor, task);
  }
  return lost;
}

void Owner::restart(Actor& actor) {
  if (actor.restarts_left != kForever) --actor.restarts_left;
  ++actor.restarts;
  const bool was_made = std::exchange(actor.state, Actor::State::kUnmade) != Actor::State::kUnmade;
  // One that was made may have met with an accident, for once. A constructor or a call that crashes does so
  // again, likely: 10 ms, twice as much each time, up to 5 s.
  const uint32_t pauses = actor.failed_lives - std::min(was_made ? 1u : 0u, actor.failed_lives);
  if (pauses == 0) {
    make_again(actor);
    return;
  }
  constexpr uint32_t kMostDoublings = 9;
  actor.is_pausing = true;
  world_.pause(actor.id, 10u << std::min(pauses - 1, kMostDoublings));
}

void Owner::on_pause_over(ActorId id) {
  const auto found = actors_.find(id);
  if (found == actors_.end()) return;
  Actor& actor = found->second;
  // It was told to end, and has not.
  if (actor.state == Actor::State::kDead && has_process(actor)) return world_.kill_worker(actor.worker);
  if (!actor.is_pausing) return;
  actor.is_pausing = false;
  if (actor.state == Actor::State::kDead) {
    forget_if_over(id);
    return;
  }
  make_again(actor);
  dispatch();
}

void Owner::make_again(Actor& actor) {
  const TaskId id{++last_id_};
  Task& task = tasks_[id] = std::move(*actor.creation);
  actor.creation.reset();
  task.id = id;
  if (task.terms.resources || !bring_arguments(task)) {
    wait_for_resources(task);
  } else {
    start_actor(actor, task);
  }
}

void Owner::actor_died(Actor& actor, std::string reason) {
  if (actor.state == Actor::State::kDead) return;
  actor.state = Actor::State::kDead;
  actor.death = std::move(reason);
  end_links_to(actor, error_of(actor));
  if (actor.worker) world_.kill_worker(actor.worker);
  fail_calls(actor);
}

/// It comes before the answer of the call after which it was made.
void Owner::keep_checkpoint(Worker& worker, const KeepCheckpoint& message) {
  if (message.parts.size() != 1 || message.parts[0].is_error || !worker.actor)
    throw errors::DataLossError("a damaged checkpoint");
  const ObjectId id = worker_object(worker, message.parts[0].object);
  Incoming value = take_value(worker.id, message.parts[0]);
  Actor& actor = actors_.at(worker.actor);
  const bool is_wanted = actor.state != Actor::State::kDead;
  objects_[id].pins = is_wanted ? 1 : 0;
  complete(id, std::move(value));  // and is freed at once, if it is unreachable
  if (!is_wanted) return;
  if (const ObjectId before = std::exchange(actor.checkpoint, id)) unpin(before);
}

void Owner::fail_calls(Actor& actor) {
  if (const ObjectId checkpoint = std::exchange(actor.checkpoint, {})) unpin(checkpoint);
  const std::vector<Line> lines = std::exchange(actor.lines, {});
  for (const Line& line : lines) {
    for (const TaskId call : line.calls) fail(tasks_.at(call), error_of(actor));
  }
  if (const auto creation = std::move(actor.creation)) finish(*creation);
}

bool Owner::has_process(const Actor& actor) const { return workers_.contains(actor.worker.value); }

/// While its process runs it may ask for a share in itself, and before that it is to be told of its end.
bool Owner::is_share_kept(ObjectId id) const {
  const auto found = actors_.find({id.value});
  return found != actors_.end() && (found->second.state != Actor::State::kDead || has_process(found->second));
}

/// There is no handle to it: in no process, and inside of no value that lives.
bool Owner::is_forsaken(const Actor& actor) const {
  if (!actor.is_counted || actor.state == Actor::State::kDead) return false;
  const auto share = objects_.find({actor.id.value});
  return share == objects_.end() ||
         (share->second.handles == 0 && share->second.pins == 0 && share->second.reads == 0);
}

bool Owner::has_ended_forsaken(ActorId actor) const {
  const auto found = actors_.find(actor);
  return found != actors_.end() && found->second.death == kForsaken;
}

void Owner::end_forsaken() {
  while (!forsaken_.empty()) {
    const auto found = actors_.find(forsaken_.front());
    forsaken_.pop_front();
    if (found != actors_.end()) end_if_forsaken(found->second);
  }
}

/// Ends an actor that nobody can call any more, after the calls made so far,
/// and its constructor if that has begun.
void Owner::end_if_forsaken(Actor& actor) {
  constexpr uint32_t kMostGoodbyeMs = 30'000;
  if (!is_forsaken(actor)) return;
  if (std::ranges::any_of(actor.lines, [](const Line& line) { return !line.calls.empty(); })) return;
  const auto worker = workers_.find(actor.worker.value);
  if (worker == workers_.end()) return actor_died(actor, kForsaken);  // it waits to be made
  if (actor.state != Actor::State::kAlive || !worker->second.in_flight.empty()) return;
  actor.state = Actor::State::kDead;
  actor.death = kForsaken;
  fail_calls(actor);
  world_.send(worker->second.id, Exit{});
  world_.pause(actor.id, kMostGoodbyeMs);
}

StoredValue Owner::error_of(const Actor& actor) const { return error_of(actor, actor.death); }

StoredValue Owner::error_of(const Actor& actor, std::string_view reason) const {
  const auto worker = workers_.find(actor.worker.value);
  const uint32_t pid = worker == workers_.end() ? actor.pid : worker->second.pid;
  return actor_died_error(actor.maker->class_name, actor.name, pid, reason, actor.cause.bytes.get());
}

std::vector<ActorId> Owner::living_actors() const {
  std::vector<ActorId> living;
  for (const auto& [id, actor] : actors_) {
    if (actor.state != Actor::State::kDead) living.push_back(id);
  }
  return living;
}

uint64_t Owner::pending_calls(ActorId id, WorkerId caller) const {
  const auto found = actors_.find(id);
  if (found == actors_.end()) return 0;
  uint64_t count = 0;
  for (const Line& line : found->second.lines) count += line.caller == caller ? line.calls.size() : 0;
  const auto worker = workers_.find(found->second.worker.value);
  if (worker == workers_.end()) return count;
  for (const TaskId id_of_call : worker->second.in_flight) {
    const Task& task = tasks_.at(id_of_call);
    count += task.mode == CallMode::kActorCall && task.caller == caller ? 1 : 0;
  }
  return count;
}

ActorId Owner::find_actor(std::string_view full_name) const {
  const std::string_view name = without_namespace(full_name, limits_.ray_namespace);
  if (name.empty()) return {};  // actors without a name have that one
  for (const auto& [id, actor] : actors_) {
    if (actor.name == name && actor.state != Actor::State::kDead) return id;
  }
  return {};
}

}  // namespace flowray::ray
