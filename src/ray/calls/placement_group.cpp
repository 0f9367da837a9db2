#include <flowray/ray/placement_group.h>

#include <flowray/ray/errors.h>
#include <flowray/ray/object_ref.h>

#include <algorithm>

namespace flowray::ray {
namespace {

PlacementGroup group_of_spec(const internal::GroupSpec& spec) {
  PlacementGroupCreationOptions options;
  options.name = spec.name;
  options.strategy = static_cast<PlacementStrategy>(spec.strategy);
  for (const auto& bundle : spec.bundles) options.bundles.emplace_back(bundle.begin(), bundle.end());
  return {spec.id, std::move(options), static_cast<PlacementGroupState>(spec.state)};
}

template <class Is>
PlacementGroup find_group(const Is& is) {
  const std::vector<internal::GroupSpec> groups = internal::backend().groups();
  const auto found = std::ranges::find_if(groups, is);
  return found == groups.end() ? PlacementGroup() : group_of_spec(*found);
}

}  // namespace

std::string PlacementGroup::GetID() const { return internal::id_text(id_.value); }

bool PlacementGroup::Wait(int timeout_seconds) const {
  if (Empty()) throw RayException("The PlacementGroup is empty: there is none to wait for.");
  const int timeout_ms = timeout_seconds < 0 ? -1 : timeout_seconds * 1000;
  const ObjectId id = id_;
  if (!internal::backend().wait({&id, 1}, 1, internal::deadline_after(timeout_ms))[0]) return false;
  return find_group([&](const internal::GroupSpec& spec) { return spec.id == id_; }).GetState() ==
         PlacementGroupState::CREATED;
}

PlacementGroup CreatePlacementGroup(const PlacementGroupCreationOptions& options) {
  if (options.strategy == PlacementStrategy::UNRECOGNIZED)
    throw RayException("CreatePlacementGroup: the strategy is UNRECOGNIZED; give one of the others.");
  if (!GetPlacementGroup(options.name).Empty()) {
    throw RayException("CreatePlacementGroup: there is a placement group '" + options.name +
                       "'. Remove it first, or give this one another name.");
  }
  internal::GroupSpec spec;
  spec.strategy = static_cast<uint32_t>(options.strategy);
  spec.name = options.name;
  for (const auto& bundle : options.bundles) spec.bundles.emplace_back(bundle.begin(), bundle.end());
  return {internal::backend().create_group(spec), options, PlacementGroupState::PENDING};
}

void RemovePlacementGroup(const std::string& placement_group_id) {
  const PlacementGroup group = GetPlacementGroupById(placement_group_id);
  if (!group.Empty()) internal::backend().remove_group(group.id());
}

std::vector<PlacementGroup> GetAllPlacementGroups() {
  std::vector<PlacementGroup> groups;
  for (const internal::GroupSpec& spec : internal::backend().groups()) groups.push_back(group_of_spec(spec));
  return groups;
}

PlacementGroup GetPlacementGroupById(const std::string& id) {
  return find_group([&](const internal::GroupSpec& spec) { return internal::id_text(spec.id.value) == id; });
}

PlacementGroup GetPlacementGroup(const std::string& name) {
  if (name.empty()) return {};
  return find_group([&](const internal::GroupSpec& spec) {
    return spec.name == name && spec.state != static_cast<uint32_t>(PlacementGroupState::REMOVED);
  });
}

}  // namespace flowray::ray
