// What tasks and actors share and ask for: processors, and what has a name.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/bytes_text.h"
#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

constexpr std::string_view kGpu = "GPU";
constexpr const char* kCpu = "CPU";
constexpr uint64_t kWhole = 1000;  // thousandths

/// A task that asks for nothing is counted as if it asked for the least: so it never makes another one wait.
bool is_nothing(const std::pair<const std::string, uint64_t>& resource) {
  return resource.first == kCpu && resource.second <= 1;
}

/// "2" for 2000, "0.5" for 500; of memory the bytes, and for people "2147483648 (2.00GiB)".
std::string amount_text(const std::string& name, uint64_t milli) {
  if (name == "memory" && milli >= 1024 * kWhole)
    return fmt::format("{} ({})", milli / kWhole, bytes_text(milli / kWhole));
  return fmt::format("{}", static_cast<double>(milli) / 1000);
}

}  // namespace

/// The number of what the call asks for beside processors. Throws errors::DataLossError.
uint32_t Owner::other_resources(const Submission& submission) {
  const ObjectId group = submission.terms.group;
  const std::string_view environment = submission.environment;
  if (submission.resources.empty() && !group && environment.empty()) return 0;
  NamedResources asked = read_resources(submission.resources);
  if (limits_.grants_gpus && asked.erase(std::string(kGpu)) > 0 && !warned_of_gpus_) {
    warned_of_gpus_ = true;
    world_.warn(
        fmt::format("'{}' asks for a GPU, and this machine has none: it is granted and not counted, as are "
                    "all further ones. "
                    "Init's num_gpus says how many there are.",
                    submission.function_name));
  }
  if (asked.empty() && !group && environment.empty()) return 0;
  std::string key = resources_text(asked);
  if (group) key += fmt::format("{}{} {}", '\0', group.value, submission.terms.bundle);
  if (!environment.empty()) key += fmt::format("{}environment{}{}", '\0', '\0', environment);
  if (const auto found = numbers_of_resources_.find(key); found != numbers_of_resources_.end())
    return found->second;
  if (numbers_of_resources_.size() >= most_other_resources_ && !dispatching_) forget_other_resources();
  Others others{std::move(asked), group, submission.terms.bundle, std::string(environment)};
  if (free_numbers_.empty()) {
    other_resources_.emplace_back();
    free_numbers_.push_back(static_cast<uint32_t>(other_resources_.size() - 1));
  }
  const uint32_t number = free_numbers_.back();
  numbers_of_resources_.emplace(std::move(key), number);
  free_numbers_.pop_back();
  other_resources_[number] = std::move(others);
  return number;
}

void Owner::forget_other_resources() {
  std::unordered_set<uint32_t> used;
  for (const auto& [id, task] : tasks_) used.insert(task.terms.resources.others);
  for (const auto& [id, actor] : actors_) {
    if (actor.creation != nullptr) used.insert(actor.creation->terms.resources.others);
  }
  for (const auto& [id, worker] : workers_) used.insert(worker.resources.others);
  std::erase_if(waiting_, [](const auto& entry) { return entry.second.empty(); });
  for (const auto& [resources, queue] : waiting_) used.insert(resources.others);  // of cancelled calls, too
  std::erase_if(numbers_of_resources_, [&](const auto& entry) {
    if (used.contains(entry.second)) return false;
    free_numbers_.push_back(entry.second);
    other_resources_[entry.second] = {};
    return true;
  });
  most_other_resources_ = std::max(kOtherResources, 2 * numbers_of_resources_.size());
}

size_t Owner::num_resource_kinds() const { return other_resources_.size() + waiting_.size(); }

uint64_t Owner::all_cpu_milli() const { return uint64_t{1000} * std::max(limits_.num_cpus, 1u); }

/// All resources of a space, taken or not.
NamedResources Owner::all_in(const Space& space) const {
  if (space.group != nullptr) return space.group->bundles[space.bundle].amounts;
  NamedResources all = limits_.resources;
  all[kCpu] = all_cpu_milli();
  if (limits_.memory_bytes > 0) all.emplace("memory", 1000 * limits_.memory_bytes);
  return all;
}

bool Owner::can_ever_fit(const Resources& asked) const {
  if (asked.others == 0) return asked.cpu_milli <= all_cpu_milli();
  NamedResources amounts = other_resources_[asked.others].named;
  if (asked.cpu_milli > 0) amounts[kCpu] = asked.cpu_milli;
  const auto has_all = [&](const Space& space) {
    const NamedResources all = all_in(space);
    return std::ranges::all_of(amounts, [&](const auto& resource) {
      const auto found = all.find(resource.first);
      return (found != all.end() && resource.second <= found->second) || is_nothing(resource);
    });
  };
  if (!other_resources_[asked.others].group) return has_all({});
  const Group* const group = group_of(asked.others);
  if (group == nullptr || group->state == GroupState::kRemoved) return false;
  const uint32_t bundle = other_resources_[asked.others].bundle;
  for (uint32_t i = 0; i < group->bundles.size(); ++i) {
    if ((bundle == kAnyBundle || bundle == i) && has_all({group, i})) return true;
  }
  return false;
}

bool Owner::fit_now(const Resources& asked) const {
  if (asked.others != 0 || !groups_.empty()) return free_space(asked).has_value();
  uint64_t used_milli = 0;  // most programs have neither, and ask often
  for (const auto& [id, worker] : workers_) {
    if (worker.is_computing()) used_milli += worker.resources.cpu_milli;
  }
  const uint64_t all_milli = all_cpu_milli();
  return used_milli <= all_milli && asked.cpu_milli <= all_milli - used_milli;
}

/// A space in which the resources are free now; nothing if there is none.
std::optional<Owner::Space> Owner::free_space(const Resources& asked) const {
  const Others& others = other_resources_[asked.others];
  NamedResources amounts = others.named;
  if (asked.cpu_milli > 0) amounts[kCpu] = asked.cpu_milli;
  if (!others.group) return fits(amounts, {}) ? std::optional(Space()) : std::nullopt;
  const Group* const group = group_of(asked.others);
  if (group == nullptr || group->state != GroupState::kCreated) return std::nullopt;
  for (uint32_t i = 0; i < group->bundles.size(); ++i) {
    if ((others.bundle == kAnyBundle || others.bundle == i) && fits(amounts, {group, i}))
      return Space{group, i};
  }
  return std::nullopt;
}

/// Whether the worker takes its resources from the space. Those of a removed group belong to no group any
/// more, even while its processes are ending.
bool Owner::is_in(const Worker& worker, const Space& space) const {
  const Group* group = group_of(worker.resources.others);
  if (group != nullptr && group->state == GroupState::kRemoved) group = nullptr;
  return group == space.group && (group == nullptr || worker.bundle == space.bundle);
}

/// A call that waits in Get keeps everything but processors: what lies in a GPU's memory stays there.
NamedResources Owner::left_in(const Space& space) const {
  NamedResources left = all_in(space);
  const auto take = [&](std::string_view name, uint64_t milli) {
    if (const auto all = left.find(name); all != left.end()) all->second -= std::min(all->second, milli);
  };
  for (const auto& [id, worker] : workers_) {
    if (!is_in(worker, space)) continue;
    const Others& others = other_resources_[worker.resources.others];
    if (worker.is_computing()) take(kCpu, worker.resources.cpu_milli);
    if (!worker.holds_resources()) continue;
    for (const auto& [name, milli] : others.named) take(name, milli);
  }
  if (space.group != nullptr) return left;
  for (const auto& [id, group] : groups_) {
    if (group.state != GroupState::kCreated) continue;
    for (const Group::Bundle& bundle : group.bundles) {
      for (const auto& [name, milli] : bundle.amounts) take(name, milli);
    }
  }
  return left;
}

bool Owner::fits(const NamedResources& asked, const Space& space) const {
  const NamedResources left = left_in(space);
  return std::ranges::all_of(asked, [&](const auto& resource) {
    if (resource.first == kGpu) return free_gpus(resource.second, space).has_value();
    const auto found = left.find(resource.first);
    return (found != left.end() && resource.second <= found->second) || is_nothing(resource);
  });
}

NamedResources Owner::resources(internal::WhichResources which) const {
  NamedResources amounts = all_in({});
  amounts["object_store_memory"] = 1000 * store_.capacity_bytes();
  if (which == internal::WhichResources::kAll) return amounts;
  const auto take = [&](const std::string& name, uint64_t milli) {
    uint64_t& left = amounts[name];
    left -= std::min(left, milli);
  };
  take("object_store_memory", 1000 * store_.used_bytes());
  for (const auto& [name, milli] : left_in({})) amounts[name] = milli;
  return amounts;
}

uint64_t Owner::gpu_milli(uint32_t others) const {
  const NamedResources& named = other_resources_[others].named;
  const auto asked = named.find(kGpu);
  return asked == named.end() ? 0 : asked->second;
}

/// The free thousandths of each GPU that a space has.
std::map<uint32_t, uint64_t> Owner::left_of_gpus(const Space& space) const {
  std::map<uint32_t, uint64_t> left;
  const auto share_of = [](const NamedResources& amounts) {
    const auto found = amounts.find(kGpu);
    return found == amounts.end() ? 0 : std::min(found->second, kWhole);
  };
  if (space.group != nullptr) {
    const Group::Bundle& bundle = space.group->bundles[space.bundle];
    for (const uint32_t gpu : bundle.gpus) left[gpu] = share_of(bundle.amounts);
  } else {
    const auto all = limits_.resources.find(kGpu);
    const uint64_t num_gpus = all == limits_.resources.end() ? 0 : all->second / kWhole;
    for (uint32_t gpu = 0; gpu < num_gpus; ++gpu) left[gpu] = kWhole;
  }
  const auto take = [&](std::span<const uint32_t> gpus, uint64_t share) {
    for (const uint32_t gpu : gpus) {
      if (const auto found = left.find(gpu); found != left.end())
        found->second -= std::min(found->second, share);
    }
  };
  for (const auto& [id, worker] : workers_) {
    if (worker.holds_resources() && is_in(worker, space))
      take(worker.gpus, share_of(other_resources_[worker.resources.others].named));
  }
  if (space.group != nullptr) return left;
  for (const auto& [id, group] : groups_) {
    if (group.state != GroupState::kCreated) continue;
    for (const Group::Bundle& bundle : group.bundles) take(bundle.gpus, share_of(bundle.amounts));
  }
  return left;
}

/// The GPUs for a call that asks for so many thousandths: whole ones that are entirely free,
/// or a part of the one that has least left. Nothing if there are none now: what is left in
/// all may be parts of several.
std::optional<std::vector<uint32_t>> Owner::free_gpus(uint64_t milli, const Space& space) const {
  std::vector<uint32_t> taken;
  if (milli == 0) return taken;
  const std::map<uint32_t, uint64_t> left = left_of_gpus(space);
  if (milli < kWhole) {
    std::optional<uint32_t> fullest;
    for (const auto& [gpu, share] : left) {
      if (share >= milli && (!fullest || share < left.at(*fullest))) fullest = gpu;
    }
    if (!fullest) return std::nullopt;
    return std::vector<uint32_t>{*fullest};
  }
  const uint64_t wanted = milli / kWhole + (milli % kWhole == 0 ? 0 : 1);
  for (const auto& [gpu, share] : left) {
    if (share == kWhole && taken.size() < wanted) taken.push_back(gpu);
  }
  if (taken.size() < wanted) return std::nullopt;
  return taken;
}

std::string Owner::text_of(const Resources& resources) const {
  std::string text;
  if (resources.cpu_milli > 0) text = "CPU: " + amount_text(kCpu, resources.cpu_milli);
  for (const auto& [name, milli] : other_resources_[resources.others].named)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, amount_text(name, milli));
  return "{" + text + "}";
}

std::string Owner::text_of_all() const {
  std::string text = fmt::format("{{CPU: {}", std::max(limits_.num_cpus, 1u));
  for (const auto& [name, milli] : limits_.resources)
    text += fmt::format(", {}: {}", name, amount_text(name, milli));
  return text + "}";
}

bool Owner::is_group_removed(const Resources& asked) const {
  const Group* const group = group_of(asked.others);
  return group == nullptr || group->state == GroupState::kRemoved;
}

/// For a call whose resources the machine does not have: whether it waits for a while before it fails, as
/// programs written for Ray expect.
bool Owner::may_wait_for_resources(Task& task) {
  if (limits_.unschedulable_ms == 0 || task.waits_for_what_is_not) return false;
  if (task.terms.group && is_group_removed(task.terms.resources)) return false;
  task.waits_for_what_is_not = task.has_timers = true;
  world_.start_timer(task.id, Timer::kUnschedulable, limits_.unschedulable_ms);
  world_.warn(fmt::format("{} asks for {}, and there are {} in all; it fails after {} s.",
                          task.function->name, text_of(task.terms.resources), text_of_all(),
                          static_cast<double>(limits_.unschedulable_ms) / 1000));
  return true;
}

/// Why a call that can never run fails.
StoredValue Owner::never_fits_error(const Task& task) const {
  const Resources& asked = task.terms.resources;
  if (!other_resources_[asked.others].group)
    return too_few_resources_error(task.function->name, text_of(asked), text_of_all());
  const Group* const group = group_of(asked.others);
  if (group == nullptr || group->state == GroupState::kRemoved)
    return group_removed_error(group == nullptr ? "" : group->name);
  return group_too_small_error(task.function->name, text_of(asked), group->name);
}

}  // namespace flowray::ray
