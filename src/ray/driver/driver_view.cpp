// What people ask of a running driver (tools/flowray/driver.cpp).

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "core/step_log.h"
#include "ray/driver/driver_backend.h"
#include "ray/driver/view_text.h"

namespace flowray::ray {
namespace {

constexpr size_t kMostRows = 100;

/// The command line of this process.
std::string command_of_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace_if(text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
  return text;
}

/// "tasks 20": the word, and what stands behind it.
size_t take_limit(std::string_view& request) {
  const size_t space = request.rfind(' ');
  size_t most = kMostRows;
  if (space == std::string_view::npos) return most;
  const std::string_view word = request.substr(space + 1);
  const auto read = std::from_chars(word.data(), word.data() + word.size(), most);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return kMostRows;
  request = request.substr(0, space);
  return most;
}

}  // namespace

/// A copy of the books, under the lock; texts are made of it without.
RuntimeView DriverBackend::view() {
  RuntimeView view;
  view.pid = getpid();
  view.command = command_of_process();
  const MutexLock lock(mutex_);
  if (!is_running()) return view;
  settle_let_go();
  if (drain()) waiting_room_->wake_sleepers();  // their calls may be done by now
  if (!is_running()) return view;
  view.all = owner_->resources(internal::WhichResources::kAll);
  view.free = owner_->resources(internal::WhichResources::kFree);
  view.store_bytes = owner_->store().capacity_bytes();
  view.used_bytes = owner_->store().used_bytes();
  view.region_bytes = owner_->store().region_bytes();
  view.workers = owner_->worker_rows();
  view.actors = owner_->actor_rows();
  view.tasks = owner_->task_rows();
  view.objects = owner_->object_rows();
  view.demands = owner_->demand_rows();
  view.functions = owner_->function_rows();
  view.groups = groups_now();
  view.metrics = owner_->metrics().by_name();
  owner_->steps().each([&](const StepEvent& step) { view.steps.push_back(step); });
  for (const StepLog::Step& step : StepLog::of_process().steps())
    view.steps.push_back({{}, 0, step.begin_ns, step.run_ns});
  owner_->history().each([&](const TaskEvent& event) { view.events.push_back(event); });
  for (const TaskEvent& event : view.events) {
    std::string& name = view.function_names[event.function.value];
    if (name.empty()) name = owner_->function_name(event.function);
  }
  return view;
}

std::string DriverBackend::answer(std::string_view request) {
  const size_t most = take_limit(request);
  const RuntimeView view = this->view();
  if (request == "status") return status_text(view);
  if (request == "tasks") return tasks_text(view, most);
  if (request == "actors") return actors_text(view, most);
  if (request == "actor-names") return actor_names_text(view);
  if (request == "objects") return objects_text(view, most);
  if (request == "workers") return workers_text(view, most);
  if (request == "placement-groups") return placement_groups_text(view, most);
  if (request == "memory") return memory_text(view, most);
  if (request == "timeline") return timeline_text(view);
  if (request == "metrics") return metrics_text(view);
  if (request == "command") return view.command + "\n";
  return fmt::format("The driver does not know '{}'; is it of another version?\n", request);
}

std::vector<internal::GroupSpec> DriverBackend::groups() {
  const MutexLock lock(mutex_);
  enter();
  return groups_now();
}

std::vector<internal::GroupSpec> DriverBackend::groups_now() const {
  std::vector<internal::GroupSpec> groups;
  std::string bundles;
  for (ToldGroup told = owner_->next_group({}, bundles); told.group;
       told = owner_->next_group(told.group, bundles)) {
    groups.push_back(group_spec(told.group, told.strategy, told.state, told.name, told.bundles));
  }
  return groups;
}

}  // namespace flowray::ray
