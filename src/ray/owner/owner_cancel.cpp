// Calls that are wanted no more.

#include <flowray/ray/errors.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {

void Owner::on_cancel(Worker& worker, const CancelCall& message) {
  // A worker that cancels on its own, without a call that waits for an answer, may have released the object.
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

/// Of a task, or of a call by a link that is promised.
void Owner::cancel_all(TaskId first, bool force, bool recursive) {
  const std::vector<Called> cancelled = recursive ? called_by(first) : std::vector<Called>{{first, false}};
  for (const Called& call : cancelled) {
    if (const auto task = tasks_.find(call.id); task != tasks_.end()) {
      cancel(task->second, force && !call.is_by_link && task->second.mode == CallMode::kTask, recursive);
    } else if (!links_.empty()) {
      interrupt_promised({call.id.value}, recursive);
    }
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

/// The call and all that were made in it, parents before their children. Of those by links the ones that are
/// promised and not told so far.
std::vector<Owner::Called> Owner::called_by(TaskId first) const {
  std::unordered_map<TaskId, std::vector<TaskId>> children;
  for (const auto& [link_id, link] : links_) {
    for (const auto& [object, promised] : link.promised) {
      if (promised.parent && !promised.is_cancelled) children[promised.parent].push_back({object.value});
    }
  }
  const auto known = tasks_.find(first);
  if (known == tasks_.end() || known->second.num_children > 0 || !children.empty()) {
    for (const auto& [id, task] : tasks_) {
      if (task.parent) children[task.parent].push_back(id);
    }
  }
  // A list, not recursion, and no circle: workers say in which call they have made one by a link.
  std::vector<Called> all{{first, !tasks_.contains(first)}};
  for (size_t next = 0; next < all.size(); ++next) {
    const auto found = children.find(all[next].id);
    if (found == children.end()) continue;
    for (const TaskId child : found->second) {
      if (child != first) all.push_back({child, all[next].is_by_link || !tasks_.contains(child)});
    }
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
