// Placement groups: resources that are set aside together.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {

void Owner::make_group(const MakeGroup& message) {
  Group& group = groups_[message.group.value];
  group.id = message.group;
  group.name = message.name;
  group.strategy = static_cast<GroupStrategy>(message.strategy);
  for (NamedResources& amounts : read_bundles(message.bundles))
    group.bundles.push_back({std::move(amounts), {}});
  Object& object = objects_[group.id];
  object.handles = 1;
  object.pins = 1;
  pending_groups_.push_back(group.id);
  dispatch();
}

void Owner::on_make_group(Worker& worker, const MakeGroup& message) {
  worker_object(worker, message.group);
  if (message.strategy > static_cast<uint32_t>(GroupStrategy::kStrictSpread) ||
      message.name.size() > kMostNameBytes || message.bundles.size() > kMostBundlesBytes ||
      groups_.contains(message.group.value) || read_bundles(message.bundles).empty()) {
    throw errors::DataLossError("a damaged placement group");
  }
  ++worker.handles[message.group];
  make_group(message);
}

/// In the order in which they were made those that fit now; on one machine a group that must be spread over
/// several never does.
void Owner::reserve_groups() {
  std::vector<ObjectId> made;
  std::erase_if(pending_groups_, [&](ObjectId id) {
    Group& group = groups_.at(id.value);
    const bool is_apart = group.strategy == GroupStrategy::kStrictSpread && group.bundles.size() > 1;
    if (group.state == GroupState::kPending && (is_apart || !reserve(group))) return false;
    if (group.state == GroupState::kCreated) made.push_back(id);
    return true;
  });
  for (const ObjectId id : made) complete(id, {{empty_value(), {}, false}, {}});
}

/// One bundle after the other, as each leaves less for the next.
bool Owner::reserve(Group& group) {
  std::vector<Group::Bundle> bundles = std::move(group.bundles);
  group.bundles.clear();
  group.state = GroupState::kCreated;  // what is in it is taken from the rest
  bool fits_all = true;
  for (Group::Bundle& bundle : bundles) {
    fits_all = fits_all && fits(bundle.amounts, {});
    if (fits_all) {
      const auto asked = bundle.amounts.find(std::string("GPU"));
      bundle.gpus = free_gpus(asked == bundle.amounts.end() ? 0 : asked->second, {}).value();
      group.bundles.push_back(bundle);
    } else {
      bundle.gpus.clear();
    }
  }
  if (!fits_all) {
    for (Group::Bundle& bundle : bundles) bundle.gpus.clear();
    group.state = GroupState::kPending;
  }
  group.bundles = std::move(bundles);
  return fits_all;
}

void Owner::remove_group(ObjectId id) {
  const auto found = groups_.find(id.value);
  if (found == groups_.end() || found->second.state == GroupState::kRemoved) return;
  Group& group = found->second;
  const bool was_pending = group.state == GroupState::kPending;
  group.state = GroupState::kRemoved;
  if (was_pending) complete(id, {group_removed_error(group.name), {}});
  std::vector<WorkerId> inside;
  for (const auto& [number, worker] : workers_) {
    if (worker.holds_resources() && group_of(worker.resources.others) == &group) inside.push_back(worker.id);
  }
  for (const WorkerId worker : inside) {
    const ActorId actor = workers_.at(worker.value).actor;
    if (actor) {
      actor_died(actors_.at(actor), "its placement group was removed");
    } else {
      world_.kill_worker(worker);
    }
  }
  removed_groups_.push_back(id);
  forget_removed_groups();
  dispatch();
}

/// Remembers of removed groups only the last ones, and those whose objects are waited for.
void Owner::forget_removed_groups() {
  constexpr size_t kRemembered = 1000;
  if (removed_groups_.size() <= kRemembered) return;
  const ObjectId id = removed_groups_.front();
  removed_groups_.pop_front();
  groups_.erase(id.value);
  unpin(id);
}

const Owner::Group* Owner::group_of(uint32_t others) const {
  const ObjectId id = other_resources_[others].group;
  const auto found = groups_.find(id.value);
  return found == groups_.end() ? nullptr : &found->second;
}

ToldGroup Owner::next_group(ObjectId after, std::string& bundles) const {
  const auto found = groups_.upper_bound(after.value);
  if (found == groups_.end()) return {};
  const Group& group = found->second;
  std::vector<NamedResources> amounts;
  for (const Group::Bundle& bundle : group.bundles) amounts.push_back(bundle.amounts);
  bundles = bundles_text(amounts);
  return {0,          group.id, static_cast<uint32_t>(group.strategy), static_cast<uint32_t>(group.state),
          group.name, bundles};
}

void Owner::on_ask_group(Worker& worker, const AskGroup& message) {
  std::string bundles;
  ToldGroup told = next_group(message.after, bundles);
  told.request = message.request;
  world_.send(worker.id, told);
}

}  // namespace flowray::ray
