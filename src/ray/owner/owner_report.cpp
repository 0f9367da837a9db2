// Reports of the owner's state, for people.

#include <algorithm>
#include <utility>

#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

const char* type_text(CallMode mode) {
  switch (mode) {
    case CallMode::kMakeActor:
      return "ACTOR_CREATION_TASK";
    case CallMode::kActorCall:
      return "ACTOR_TASK";
    default:
      return "NORMAL_TASK";
  }
}

}  // namespace

const char* Owner::state_of(const Task& task) const {
  if (task.missing > 0) return "PENDING_ARGS_AVAIL";
  const auto worker = workers_.find(task.worker.value);
  if (worker == workers_.end()) return "PENDING_NODE_ASSIGNMENT";
  // Those that were sent ahead wait in the worker's process.
  const auto& in_flight = worker->second.in_flight;
  const size_t most = std::min<size_t>(in_flight.size(), worker->second.max_concurrency);
  const auto running_end = in_flight.begin() + static_cast<ptrdiff_t>(most);
  return std::find(in_flight.begin(), running_end, task.id) == running_end ? "SUBMITTED_TO_WORKER"
                                                                           : "RUNNING";
}

std::vector<TaskRow> Owner::task_rows() const {
  std::vector<TaskRow> rows;
  rows.reserve(history_.size() + tasks_.size());
  history_.each([&](const TaskEvent& event) {
    // One that is to be run again has ended before.
    if (tasks_.contains(event.task)) return;
    rows.push_back({event.task,
                    function_name(event.function),
                    event.has_failed ? "FAILED" : "FINISHED",
                    type_text(event.mode),
                    {},
                    event.worker,
                    event.pid});
  });
  std::vector<TaskRow> living;
  for (const auto& [id, task] : tasks_) {
    living.push_back({id, task.function->name, state_of(task), type_text(task.mode), task.actor, task.worker,
                      pid(task.worker)});
  }
  std::ranges::sort(living, {}, [](const TaskRow& row) { return row.id.value; });
  rows.insert(rows.end(), std::make_move_iterator(living.begin()), std::make_move_iterator(living.end()));
  return rows;
}

std::vector<ActorRow> Owner::actor_rows() const {
  std::vector<ActorRow> rows;
  for (const auto& [id, actor] : actors_) {
    ActorRow row{id, actor.maker->class_name, actor.name, "", pid(actor.worker), actor.restarts, 0, {}};
    switch (actor.state) {
      case Actor::State::kDead:
        row.state = "DEAD";
        row.pid = actor.pid != 0 ? actor.pid : row.pid;
        row.death = actor.death;
        break;
      case Actor::State::kUnmade:
        row.state = actor.restarts > 0 ? "RESTARTING" : "PENDING_CREATION";
        break;
      case Actor::State::kEnding:
        row.state = "RESTARTING";
        break;
      case Actor::State::kAlive:
        row.state = "ALIVE";
    }
    for (const Line& line : actor.lines) row.waiting_calls += line.calls.size();
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, {}, [](const ActorRow& row) { return row.id.value; });
  return rows;
}

std::vector<ObjectRow> Owner::object_rows() const {
  std::unordered_map<ObjectId, uint64_t> of_workers;
  std::unordered_map<ObjectId, const Worker*> holder;
  for (const auto& [number, worker] : workers_) {
    for (const auto& [id, count] : worker.handles) {
      of_workers[id] += count;
      holder.try_emplace(id, &worker);
    }
    for (const auto& [id, count] : worker.reads) holder.try_emplace(id, &worker);
  }
  std::vector<ObjectRow> rows;
  for (const auto& [id, object] : objects_) {
    if (object.is_actor || groups_.contains(id.value)) continue;
    ObjectRow row{id, 0, "pending", object.handles, object.pins, object.reads, object.value.is_error, {}};
    if (object.value.extent) {
      row.size_bytes = object.value.extent.size_bytes;
      row.place = object.value.lender ? "shared" : "store";
    } else if (object.spilled != nullptr) {
      row.size_bytes = object.spilled->size_bytes;
      row.place = "disk";
    } else if (object.value.bytes.get() != nullptr) {
      row.size_bytes = object.value.bytes->size_bytes();
      row.place = "heap";
    }
    const auto theirs = of_workers.find(id);
    const auto worker = holder.find(id);
    if (object.handles > (theirs == of_workers.end() ? 0 : theirs->second)) {
      row.holder = "driver";
    } else if (worker != holder.end()) {
      row.holder = "worker " + std::to_string(worker->second->pid);
    }
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, [](const ObjectRow& a, const ObjectRow& b) {
    return std::pair(b.size_bytes, a.id.value) < std::pair(a.size_bytes, b.id.value);
  });
  return rows;
}

std::vector<WorkerRow> Owner::worker_rows() const {
  std::vector<WorkerRow> rows;
  for (const auto& [number, worker] : workers_)
    rows.push_back({worker.id, worker.pid, worker.label, worker.in_flight.size(), worker.is_blocked()});
  std::ranges::sort(rows, {}, [](const WorkerRow& row) { return row.id.value; });
  return rows;
}

std::vector<DemandRow> Owner::demand_rows() const {
  std::vector<DemandRow> rows;
  for (const auto& [resources, queue] : waiting_) {
    if (!queue.empty()) rows.push_back({text_of(resources), queue.size()});
  }
  return rows;
}

std::vector<FunctionRow> Owner::function_rows() const {
  std::vector<FunctionRow> rows;
  for (const auto& [id, function] : functions_)
    rows.push_back({function.name, function.num_finished, function.num_failed});
  std::ranges::sort(rows, {}, &FunctionRow::name);
  return rows;
}

std::string Owner::function_name(FunctionId id) const {
  const auto found = functions_.find(id);
  if (found != functions_.end()) return found->second.name;
  const auto forgotten = forgotten_names_.find(id);
  return forgotten == forgotten_names_.end() ? "" : forgotten->second;
}

}  // namespace flowray::ray
