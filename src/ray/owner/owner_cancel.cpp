// Calls that are wanted no more.

#include <flowray/ray/errors.h>

#include <algorithm>
#include <unordered_set>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {

void Owner::on_cancel(Worker& worker, const CancelCall& message) {
  // A worker that asks for nobody's sake may have let go of it.
  if (message.request == 0 && !is_known(message.object)) return;
  require_known({&message.object, 1});
  try {
    cancel_call(message.object, message.force != 0, message.recursive != 0);
    world_.send(worker.id, Cancelled{message.request, {}});
  } catch (const RayException& refused) {
    world_.send(worker.id, Cancelled{message.request, refused.message()});
  }
}

void Owner::cancel_call(ObjectId id, bool force, bool recursive) {
  const auto found = tasks_.find(object(id).maker);
  if (found == tasks_.end()) {  // done before, or put
    if (cancel_promised(id, force, recursive)) dispatch();
    return;
  }
  if (force && found->second.mode == CallMode::kActorCall) {
    throw RayException(
        "force=True is not supported for actor tasks.\n"
        "Cancel the call without force, or end its actor by Kill().");
  }
  cancel_all(found->first, force, recursive);
  dispatch();
}

void Owner::cancel_all(TaskId first, bool force, bool recursive) {
  std::vector<TaskId> cancelled{first};
  if (recursive) std::ranges::copy(descendants(first), std::back_inserter(cancelled));
  for (const TaskId task : cancelled) {
    const auto at = tasks_.find(task);
    if (at != tasks_.end()) cancel(at->second, force && at->second.mode == CallMode::kTask, recursive);
    if (recursive && !links_.empty()) cancel_promised_of(task);
  }
}

void Owner::on_timer(TaskId id, Timer timer) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return;
  Task& task = found->second;
  if (timer == Timer::kDeadline) {
    task.is_late = true;
    cancel_all(id, true, true);
  } else if (!task.worker && !can_ever_fit(task.terms.resources)) {
    fail(task, never_fits_error(task));
  }
  dispatch();
}

/// Parents before their children.
std::vector<TaskId> Owner::descendants(TaskId of) const {
  std::vector<TaskId> all;
  if (tasks_.at(of).num_children == 0) return all;
  std::unordered_map<TaskId, std::vector<TaskId>> children;
  for (const auto& [id, task] : tasks_) {
    if (task.parent) children[task.parent].push_back(id);
  }
  for (size_t next = 0; of; of = next < all.size() ? all[next++] : TaskId{}) {
    if (const auto found = children.find(of); found != children.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
  }
  return all;
}

void Owner::leave_parent(const Task& task) {
  if (!task.parent) return;
  if (const auto parent = tasks_.find(task.parent); parent != tasks_.end()) --parent->second.num_children;
}

void Owner::cancel(Task& task, bool force, bool recursive) {
  const bool was_told = std::exchange(task.is_cancelled, true);
  task.cancels_promised |= recursive;
  const auto found = workers_.find(task.worker.value);
  const bool is_sent = found != workers_.end();
  if (is_sent && (task.mode == CallMode::kActorCall || !take_back(found->second, task))) {
    if (force) {
      world_.kill_worker(task.worker);
    } else if (!was_told && !found->second.exiting) {
      world_.send(task.worker, Interrupt{task.id, recursive ? 1u : 0u});
      world_.interrupt_worker(task.worker);
    }
    return;
  }
  if (is_sent) std::erase(found->second.in_flight, task.id);
  const ActorId actor = task.actor;
  if (task.mode == CallMode::kActorCall) {
    for (Line& line : actors_.at(actor).lines) std::erase(line.calls, task.id);
  }
  fail(task, cancelled_error(task.function->name,
                             task.is_late ? deadline_text(task.terms.deadline_ms, "it had not begun")
                                          : "It had not begun."));
  if (actor) pump(actors_.at(actor));  // what stood behind it
}

}  // namespace flowray::ray
