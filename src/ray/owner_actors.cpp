// Actors: their making, the order of their calls, their death.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ray/error_value.h"
#include "ray/owner_state.h"

namespace flowray::ray {

void Owner::make_actor(const Submission& submission, Task& task) {
  const bool is_taken = !submission.name.empty() && find_actor(submission.name);
  Actor& actor = actors_[submission.actor];
  actor.id = submission.actor;
  actor.name = submission.name;
  actor.maker = task.function;
  if (!is_taken) return;
  actor.state = Actor::State::kDead;
  actor.death = fmt::format("it was not made, as the name '{}' is taken by another actor", actor.name);
}

void Owner::start_actor(Actor& actor, Task& task) {
  if (actor.state == Actor::State::kDead) {  // killed before it was made
    finish(task);
    return;
  }
  Worker* worker = nullptr;
  try {
    worker = &start_worker(actor.maker->class_name);
  } catch (const Error& error) {
    actor_died(actor, fmt::format("no process could be started for it: {}", error.message()));
    finish(task);
    return;
  }
  worker->actor = actor.id;
  actor.worker = worker->id;
  run(*worker, task);  // calls wait until it is done, as it may fail
}

/// done_values_: none, or the error that the constructor failed with.
void Owner::on_made(Worker& worker, Actor& actor) {
  if (done_values_.empty()) {
    if (actor.state == Actor::State::kUnmade) actor.state = Actor::State::kAlive;
    return;
  }
  const StoredValue error = std::move(done_values_[0].value);
  actor.cause = error_in_heap(error);
  if (error.extent && store_.free(error.extent)) world_.send(worker.id, Freed{error.extent});
  actor_died(actor, "its constructor failed");
}

void Owner::call_actor(Task& task, WorkerId caller) {
  const auto found = actors_.find(task.actor);
  if (found == actors_.end()) {
    fail(task, actor_died_error(task.function->name, "", 0, "there is no such actor in this runtime", nullptr));
    return;
  }
  Actor& actor = found->second;
  if (actor.state == Actor::State::kDead) {
    fail(task, error_of(actor));
    return;
  }
  auto line = std::ranges::find(actor.lines, caller, &Line::caller);
  if (line == actor.lines.end()) line = actor.lines.insert(line, Line{caller, {}});
  line->calls.push_back(task.id);
  if (task.missing == 0) pump(actor);
}

void Owner::pump(Actor& actor) {
  if (actor.state != Actor::State::kAlive) return;
  Worker& worker = workers_.at(actor.worker.value);
  for (Line& line : actor.lines) {
    while (!line.calls.empty() && worker.in_flight.size() < limits_.most_in_flight) {
      Task& task = tasks_.at(line.calls.front());
      if (task.missing > 0) break;
      line.calls.pop_front();
      if (const StoredValue* error = failed_argument(task)) {
        fail(task, error_in_heap(*error));
      } else {
        run(worker, task);
      }
    }
  }
}

void Owner::kill_actor(ActorId id) {
  const auto found = actors_.find(id);
  if (found == actors_.end() || found->second.state == Actor::State::kDead) return;
  actor_died(found->second, "it was killed by Kill()");
  dispatch();
}

void Owner::actor_died(Actor& actor, std::string reason) {
  if (actor.state == Actor::State::kDead) return;
  actor.state = Actor::State::kDead;
  actor.death = std::move(reason);
  if (actor.worker) world_.kill_worker(actor.worker);
  fail_calls(actor);
}

void Owner::fail_calls(Actor& actor) {
  const std::vector<Line> lines = std::exchange(actor.lines, {});
  for (const Line& line : lines) {
    for (const TaskId call : line.calls) fail(tasks_.at(call), error_of(actor));
  }
}

StoredValue Owner::error_of(const Actor& actor) const {
  const auto worker = workers_.find(actor.worker.value);
  const uint32_t pid = worker == workers_.end() ? actor.pid : worker->second.pid;
  return actor_died_error(actor.maker->class_name, actor.name, pid, actor.death, actor.cause.bytes.get());
}

ActorId Owner::find_actor(std::string_view name) const {
  for (const auto& [id, actor] : actors_) {
    if (actor.name == name && actor.state != Actor::State::kDead) return id;
  }
  return {};
}

}  // namespace flowray::ray
