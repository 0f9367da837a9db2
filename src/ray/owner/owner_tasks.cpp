// Tasks: from runnable to done, and which worker runs them.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"
#include "ray/values/value.h"

namespace flowray::ray {

/// A value of the driver's, checked: a reference may have been left in some variable by an earlier runtime of
/// the program.
Owner::Incoming Owner::take_value(StoredValue value, std::span<const ObjectId> refs) {
  Incoming taken{std::move(value), {}};
  try {
    require_known(refs);
    pin_nested(taken, nested_object_ids(bytes_of(taken.value)));
  } catch (const errors::DataLossError& error) {
    give_up(taken);
    throw RayException(fmt::format(
        "An ObjectRef is not of this runtime; was it made before a Shutdown()? ({})", error.message()));
  }
  return taken;
}

void Owner::submit(const Submission& submission) {
  submit(submission, take_value(submission.arguments, submission.refs));
}

void Owner::note_parent(Task& task, const Submission& submission) {
  if (const auto parent = submission.parent ? tasks_.find(submission.parent) : tasks_.end();
      parent != tasks_.end() && parent->second.worker == submission.caller &&
      task.mode != CallMode::kMakeActor) {
    task.parent = parent->first;
    ++parent->second.num_children;
  } else if (submission.parent.value >= kFirstWorkerId) {
    task.parent = submission.parent;  // a call that came by a link
  }
}

void Owner::submit(const Submission& submission, Incoming arguments) {
  const uint32_t other_resources = this->other_resources(submission);
  const TaskId id{++last_id_};
  Task& task = tasks_[id];
  task.id = id;
  task.mode = submission.mode;
  task.function = &function(submission.function, submission.function_name, submission.class_name);
  if (task.mode == CallMode::kTask) {
    ++num_tasks_;
  } else {
    task.actor = submission.actor;
  }
  if (task.mode == CallMode::kActorCall) task.caller = submission.caller;
  task.first_return = submission.first_return;
  task.terms = submission.terms;
  task.terms.resources.others = other_resources;
  if (task.mode == CallMode::kMakeActor) task.terms.num_returns = 0;
  // A task that asks for nothing would never make another one wait.
  if (task.mode == CallMode::kTask && !task.terms.resources) task.terms.resources.cpu_milli = 1;
  task.retries_left = submission.terms.max_retries;
  note_parent(task, submission);
  for (uint32_t i = 0; i < task.terms.num_returns; ++i) {
    const ObjectId returned{task.first_return.value + i};
    Object& entry = objects_[returned];
    entry.handles = 1;
    entry.maker = id;
    if (task.terms.is_stream != 0) {
      entry.stream = std::make_unique<Stream>();
      entry.stream->most_ahead = task.terms.most_ahead;
    }
    if (submission.caller) ++workers_.at(submission.caller.value).handles[returned];
  }

  if (task.terms.deadline_ms > 0 && task.mode != CallMode::kMakeActor) {
    task.has_timers = true;
    world_.start_timer(id, Timer::kDeadline, task.terms.deadline_ms);
  }
  take_arguments(task, std::move(arguments));
  if (!submission.refs.empty()) task.refs.assign(submission.refs.begin(), submission.refs.end());
  for (const ObjectId ref : task.refs) {
    Object& entry = object(ref);
    ++entry.pins;
    if (entry.ready) continue;
    ++task.missing;
    entry.interested().dependents.push_back(id);
  }
  switch (task.mode) {
    case CallMode::kTask:
      if (task.missing == 0) runnable_.push_back(id);
      break;
    case CallMode::kMakeActor:
      make_actor(submission, task);
      if (task.missing == 0) runnable_.push_back(id);
      break;
    case CallMode::kActorCall:
      call_actor(task, submission.caller, submission.concurrency_groups);
      break;
  }
  dispatch();
}

void Owner::take_arguments(Task& task, Incoming arguments) {
  if (arguments.value.extent) {
    task.arguments_object = {++last_id_};
    objects_[task.arguments_object].pins = 1;
    complete(task.arguments_object, std::move(arguments));
    return;
  }
  task.arguments = std::move(arguments.value.bytes);
  task.nested = std::move(arguments.nested);
}

void Owner::dispatch() {
  // What fails here makes further tasks runnable: a loop instead of recursion.
  if (dispatching_) return;
  struct Dispatching {
    bool& is_on;
    explicit Dispatching(bool& flag) : is_on(flag) { is_on = true; }
    ~Dispatching() { is_on = false; }
  };
  const Dispatching dispatching(dispatching_);
  do {
    if (has_forsaken()) {
      end_forsaken();
      end_unread();
    }
    if (!pending_groups_.empty()) reserve_groups();
    while (!runnable_.empty()) {
      const TaskId id = runnable_.front();
      runnable_.pop_front();
      if (const auto found = tasks_.find(id); found != tasks_.end()) proceed(found->second);
    }
    if (!starved_.empty() || !starved_actors_.empty()) feed_starved();
  } while (dispatch_next() || has_forsaken());
  if (num_tasks_ < 2 || is_waiting_for_resources()) return;  // of one there is nothing to steal
  steal_for_idle(WorkerKind::kProgram);
  if (limits_.keeps_python_apart) steal_for_idle(WorkerKind::kPython);
}

void Owner::wait_for_resources(Task& task) { waiting_[task.terms.resources].push_back(task.id); }

bool Owner::is_waiting_for_resources() const {
  return std::ranges::any_of(waiting_, [](const auto& queue) { return !queue.second.empty(); });
}

/// The next call that waits for resources; whether there was one and it is sent or has failed.
bool Owner::dispatch_next() {
  constexpr size_t kMostEmpty = 64;  // a program may ask for ever new amounts
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    std::deque<TaskId>& queue = entry->second;
    if (queue.empty()) {
      entry = waiting_.size() > kMostEmpty ? waiting_.erase(entry) : std::next(entry);
      continue;
    }
    const TaskId id = queue.front();
    queue.pop_front();
    const auto task = tasks_.find(id);
    if (task == tasks_.end() || dispatch_one(task->second)) return true;  // cancelled, or sent
    queue.push_front(id);
    ++entry;
  }
  return false;
}

bool Owner::dispatch_one(Task& task) {
  if (task.terms.group && is_group_removed(task.terms.resources)) {  // meanwhile
    fail(task, never_fits_error(task));
    return true;
  }
  if (task.mode == CallMode::kMakeActor) {
    Actor& actor = actors_.at(task.actor);
    const bool is_dead = actor.state == Actor::State::kDead;
    if (!is_dead && !fit_now(task.terms.resources)) return false;
    if (!is_dead && !bring_arguments(task) && room_may_come()) return false;
    start_actor(actor, task);
    return true;
  }
  Worker* worker = nullptr;
  try {
    worker = worker_for_task(task);
  } catch (const Error& error) {  // no process, and none that will be free
    fail(task, worker_not_started_error(task.function->name, error.message()));
    return true;
  }
  if (worker == nullptr) return false;
  if (!bring_arguments(task)) {
    if (room_may_come()) return false;
    fail(task, no_room_to_read_error());
    return true;
  }
  run(*worker, task);
  return true;
}

void Owner::proceed(Task& task) {
  if (task.mode == CallMode::kActorCall) {
    pump(actors_.at(task.actor));
    return;
  }
  if (const StoredValue* error = failed_argument(task)) {
    fail(task, error_in_heap(*error));
  } else if (const Resources& asked = task.terms.resources;
             !can_ever_fit(asked) && !may_wait_for_resources(task)) {
    fail(task, never_fits_error(task));
  } else if (asked || !bring_arguments(task)) {
    wait_for_resources(task);
  } else {
    start_actor(actors_.at(task.actor), task);
  }
}

const StoredValue* Owner::failed_argument(const Task& task) {
  for (const ObjectId ref : task.refs) {
    if (const Object& entry = object(ref); entry.value.is_error) return &entry.value;
  }
  return nullptr;
}

Owner::Worker* Owner::worker_for_task(const Task& task) {
  const WorkerKind kind = task.function->runs_in;
  uint32_t num_busy = 0;
  Worker* idle = nullptr;
  Worker* least_busy = nullptr;  // of those whose calls ask for the same
  for (auto& [id, worker] : workers_) {
    if (worker.kind != kind || !worker.runs_tasks() || worker.is_blocked()) continue;
    if (worker.in_flight.empty()) {
      idle = &worker;
      continue;
    }
    ++num_busy;
    if (worker.resources != task.terms.resources) continue;
    if (least_busy == nullptr || worker.in_flight.size() < least_busy->in_flight.size()) least_busy = &worker;
  }
  const uint32_t depth = task.function->depth(limits_.most_in_flight);
  const bool may_queue = least_busy != nullptr && least_busy->in_flight.size() < depth;
  if (may_queue && task.function->is_tiny() && is_best_behind(*least_busy, num_busy) &&
      has_ticket_for_another(*least_busy))
    return least_busy;
  // There may be idle workers although all processors are taken: others stood in for those that waited and go
  // on now.
  if (fit_now(task.terms.resources)) {
    if (idle != nullptr) return idle;
    try {
      if (!cannot_start_workers(kind) || num_busy == 0) return &start_worker({}, kind);
    } catch (const Error&) {
      if (num_busy == 0) throw;  // else it goes on with the processes there are
    }
  }
  return may_queue && has_ticket_for_another(*least_busy) ? least_busy : nullptr;
}

/// Whether short calls come to their end earlier behind those that the worker has than in an idle one: the
/// program itself needs a processor to keep workers supplied with them, and wakes no idle one then. Calls of
/// functions that took no time so far may take long all the same: look_for_stuck finds these.
bool Owner::is_best_behind(const Worker& busy, uint32_t num_busy) const {
  return num_busy + 1 >= limits_.num_cpus && !busy.is_stuck &&
         tasks_.at(busy.in_flight.front()).function->is_tiny();
}

void Owner::look_for_stuck() {
  std::vector<Worker*> stuck;
  for (auto& [id, worker] : workers_) {
    if (!worker.runs_tasks() || worker.is_blocked() || worker.in_flight.size() < 2) continue;
    const TaskId first = worker.in_flight.front();
    worker.is_stuck = worker.first_seen == first;
    worker.first_seen = first;
    if (worker.is_stuck && fit_now(worker.resources)) stuck.push_back(&worker);
  }
  for (Worker* const worker : stuck) take_back_unbegun(*worker);
  if (!stuck.empty()) dispatch();
}

bool Owner::has_calls_behind_others() const {
  return std::ranges::any_of(workers_, [&](const auto& item) {
    const Worker& worker = item.second;
    return worker.runs_tasks() && !worker.is_blocked() && worker.in_flight.size() > 1 &&
           fit_now(worker.resources);
  });
}

/// Calls that are taken back use up tickets while one that was sent before them is not done.
bool Owner::has_ticket_for_another(const Worker& worker) const {
  const uint64_t oldest = tasks_.at(worker.in_flight.front()).ticket;
  return worker.last_ticket + 1 - oldest < 2 * uint64_t{limits_.most_in_flight};
}

/// Collects the parts of the task's Run in run_parts_.
void Owner::collect_parts(Worker& worker, Task& task) {
  run_parts_.clear();
  if (task.arguments_object) {
    run_parts_.push_back(part_for(worker.id, task.arguments_object, object(task.arguments_object)));
  } else {
    run_parts_.emplace_back().bytes = {task.arguments->data(), task.arguments->size_bytes()};
  }
  for (const ObjectId ref : task.refs) run_parts_.push_back(part_for(worker.id, ref, object(ref)));
}

/// The values that would make the Run too long, in messages of their own; how many.
size_t Owner::send_ahead(Worker& worker, const Task& task) {
  size_t bytes = 0;
  for (const ValuePart& part : run_parts_) bytes += part_size_bytes(part);
  if (bytes <= limits_.run_message_bytes) return 0;
  std::span<const ValuePart> left = run_parts_;
  while (!left.empty()) {
    size_t count = 1;
    size_t together = part_size_bytes(left[0]);
    while (count < left.size() && (together += part_size_bytes(left[count])) <= limits_.run_message_bytes) {
      ++count;
    }
    world_.send(worker.id, RunArguments{task.id, left.first(count)});
    left = left.subspan(count);
  }
  return run_parts_.size();
}

void Owner::take_resources(Worker& worker, const Resources& asked) {
  worker.gpus.clear();
  worker.bundle = 0;
  if (asked.others != 0) {
    const Space space = free_space(asked).value_or(Space());
    worker.bundle = space.bundle;
    worker.gpus = free_gpus(gpu_milli(asked.others), space).value_or(std::vector<uint32_t>());
  }
  worker.resources = asked;
}

void Owner::run(Worker& worker, Task& task) {
  task.worker = worker.id;
  const bool takes_resources = worker.in_flight.empty() && task.mode != CallMode::kActorCall;
  if (takes_resources) take_resources(worker, task.terms.resources);
  if (task.mode == CallMode::kTask) {
    task.ticket = ++worker.last_ticket;
    task.is_workers = worker.in_flight.empty() && worker.came_up;
    if (!task.is_workers) world_.issue(worker.id, task.ticket);
  }
  worker.in_flight.push_back(task.id);
  collect_parts(worker, task);
  const size_t ahead = send_ahead(worker, task);
  const std::span<const uint32_t> gpus =
      task.mode == CallMode::kActorCall ? std::span<const uint32_t>() : worker.gpus;
  std::string_view environment;
  if (task.mode != CallMode::kActorCall)
    environment = other_resources_[task.terms.resources.others].environment;
  world_.send(worker.id, Run{task.id, task.mode, task.ticket, task.function->id, task.terms.num_returns,
                             static_cast<uint32_t>(ahead), task.terms.is_stream, task.terms.most_ahead,
                             task.terms.group, gpus, std::span(run_parts_).subspan(ahead), task.lane,
                             environment, task.mode == CallMode::kTask && task.is_workers ? 1u : 0u});
}

void Owner::note_run(const Worker& worker, const Task& task, const Done& message) {
  Function& function = *task.function;
  const auto run_ns = static_cast<double>(message.run_ns);
  if (run_ns > 0)  // else it has not run, as it was cancelled before
    function.mean_run_ns = function.mean_run_ns == 0 ? run_ns : 0.9 * function.mean_run_ns + 0.1 * run_ns;
  ++(message.has_thrown != 0 ? function.num_failed : function.num_finished);
  history_.add({task.id, function.id, worker.id, worker.pid, task.mode, message.has_thrown != 0,
                message.begin_ns, message.run_ns});
}

void Owner::on_done(Worker& worker, const Done& message) {
  const auto found = tasks_.find(message.task);
  if (found == tasks_.end() || found->second.worker != worker.id) {
    throw errors::DataLossError(fmt::format("worker {} says that task {} is done, which it does not have",
                                            worker.id.value, message.task.value));
  }
  Task& task = found->second;
  const bool made_actor = task.mode == CallMode::kMakeActor;
  if (made_actor ? message.parts.size() > 1 : message.parts.size() != task.terms.num_returns) {
    throw errors::DataLossError(fmt::format("worker {} returned {} values of {}", worker.id.value,
                                            message.parts.size(), task.terms.num_returns));
  }
  if (made_actor && message.parts.size() == 1 && !message.parts[0].is_error) {
    throw errors::DataLossError(fmt::format("worker {} returned a value of a constructor", worker.id.value));
  }
  take_values(worker.id, message.parts, done_values_);
  if (std::ranges::any_of(message.parts, [](const ValuePart& part) { return part.extent && part.lender; }))
    worker.owes_read_end = true;
  came_up(worker);
  // As a rule it is the first one, of hundreds. An actor that has several calls at a time is done with them
  // in any order; of others only a broken worker says that.
  if (worker.in_flight.front() == task.id) {
    worker.in_flight.pop_front();
    worker.is_stuck = false;
  } else {
    worker.in_flight.erase(std::ranges::find(worker.in_flight, task.id));
  }
  note_run(worker, task, message);
  if (made_actor) {
    on_made(task);
    return;
  }
  worker.has_answered = true;
  if (!worker.lanes.empty()) --worker.lanes[task.lane];
  if (message.has_thrown != 0 && message.is_final == 0 && may_run_again(task)) {
    for (Incoming& value : done_values_) let_go(value);
    run_again(task);
    return;
  }
  // Before its answer: the caller finds both.
  if (num_wishes_ > 0 && task.mode == CallMode::kActorCall) note_end_of_call(task);
  for (uint32_t i = 0; i < task.terms.num_returns; ++i) {
    complete({task.first_return.value + i}, std::move(done_values_[i]));
  }
  finish(task);
}

void Owner::fail(Task& task, const StoredValue& error) {
  const bool makes_actor = task.mode == CallMode::kMakeActor;
  const ActorId made = task.actor;
  if (makes_actor) {
    Actor& actor = actors_.at(task.actor);
    actor.cause = StoredValue{error.bytes, {}, true};
    actor_died(actor, "it cannot be made");
  }
  ++task.function->num_failed;
  history_.add({task.id, task.function->id, task.worker, pid(task.worker), task.mode, true, 0, 0});
  if (num_wishes_ > 0 && task.mode == CallMode::kActorCall) note_end_of_call(task);
  // Errors are small and lie in the heap: their bytes are shared by all that fail with them.
  for (uint32_t i = 0; i < task.terms.num_returns; ++i) {
    complete({task.first_return.value + i}, {StoredValue{error.bytes, {}, true}, {}});
  }
  finish(task);
  if (makes_actor) forget_if_over(made);
}

/// What a dead worker had begun is begun again, if it may be.
void Owner::lose_tasks(const Worker& dead, std::string_view reason) {
  for (const TaskId id : dead.in_flight) {
    Task& task = tasks_.at(id);
    if (!dead.came_up && cannot_start_workers(dead.kind)) {  // else they would have been taken back
      fail(task,
           worker_not_started_error(task.function->name,
                                    fmt::format("the last {} died before they came up; this one {}.",
                                                failed_starts_[static_cast<size_t>(dead.kind)], reason)));
      continue;
    }
    if (task.is_cancelled) {
      fail(task, cancelled_error(task.function->name,
                                 task.is_late ? deadline_text(task.terms.deadline_ms, "its process was ended")
                                              : "Its process was ended."));
      continue;
    }
    if (task.retries_left == 0) {
      fail(task, worker_died_error(task.function->name, dead.pid, reason));
      continue;
    }
    run_again(task);
  }
}

/// After an exception.
bool Owner::may_run_again(const Task& task) const {
  if (task.terms.retry_exceptions == 0 || task.retries_left == 0 || task.is_cancelled) return false;
  return task.mode == CallMode::kTask ||
         (task.mode == CallMode::kActorCall && actors_.at(task.actor).state != Actor::State::kDead);
}

void Owner::run_again(Task& task) {
  if (task.retries_left != kForever) --task.retries_left;
  if (task.mode == CallMode::kActorCall) return call_again(actors_.at(task.actor), task);
  task.worker = {};
  wait_for_resources(task);
}

void Owner::finish(Task& task) {
  if (task.has_timers) world_.stop_timers(task.id);
  leave_parent(task);
  const ObjectId arguments = task.arguments_object;
  const std::vector<ObjectId> refs = std::move(task.refs);
  const std::vector<ObjectId> nested = std::move(task.nested);
  if (task.mode == CallMode::kTask) --num_tasks_;
  tasks_.erase(task.id);
  if (arguments) unpin(arguments);
  for (const ObjectId ref : refs) unpin(ref);
  for (const ObjectId inner : nested) unpin(inner);
}

/// Whether the worker has not begun it, and will not. What was cancelled ends with the worker that was told.
bool Owner::take_back(const Worker& worker, const Task& task) {
  if (!task.is_workers) return world_.revoke(worker.id, task.ticket);
  return worker.is_dead && !task.is_cancelled && !world_.has_begun(worker.id, task.ticket);
}

void Owner::take_back_unbegun(Worker& worker) {
  if (worker.actor) return;
  // The last ones first, as the worker begins with the first ones.
  std::vector<TaskId> taken;
  while (!worker.in_flight.empty()) {
    Task& task = tasks_.at(worker.in_flight.back());
    if (!take_back(worker, task)) break;
    task.worker = {};
    taken.push_back(task.id);
    worker.in_flight.pop_back();
  }
  for (const TaskId task : taken) waiting_[worker.resources].push_front(task);
}

void Owner::steal_for_idle(WorkerKind kind) {
  Worker* idle = nullptr;
  Worker* busiest = nullptr;
  uint32_t num_busy = 0;
  for (auto& [id, worker] : workers_) {
    if (worker.kind != kind || !worker.runs_tasks() || worker.is_blocked()) continue;
    if (worker.in_flight.empty()) {
      idle = &worker;
      continue;
    }
    ++num_busy;
  }
  if (idle == nullptr) return;
  for (auto& [id, worker] : workers_) {
    if (worker.kind != kind || !worker.runs_tasks() || worker.is_blocked()) continue;
    if (worker.in_flight.size() < 2 || is_best_behind(worker, num_busy)) continue;
    if (busiest == nullptr || worker.in_flight.size() > busiest->in_flight.size()) busiest = &worker;
  }
  if (busiest == nullptr || !fit_now(busiest->resources)) return;
  Task& task = tasks_.at(busiest->in_flight.back());
  if (!take_back(*busiest, task)) return;
  busiest->in_flight.pop_back();
  run(*idle, task);
}

}  // namespace flowray::ray
