#pragma once
/// Placement groups: resources that are set aside together, for tasks and actors that name the group.
///
///     ray::PlacementGroup group = ray::CreatePlacementGroup({"pair", {{{"CPU", 1}}, {{"CPU", 1}}}});
///     if (group.Wait(10)) ray::Task(f).SetPlacementGroup(group, 0).Remote();

#include <flowray/ray/backend.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// How bundles are to lie on machines. Here there is one: what must lie apart is never there.
enum class PlacementStrategy { PACK = 0, SPREAD = 1, STRICT_PACK = 2, STRICT_SPREAD = 3, UNRECOGNIZED = -1 };

/// Where a group stands, with Ray's names and numbers: PENDING until its bundles are free, CREATED from then
/// on, REMOVED after RemovePlacementGroup. The others are Ray's, of several machines.
enum PlacementGroupState {
  PENDING = 0,
  PREPARED = 1,
  CREATED = 2,
  REMOVED = 3,
  RESCHEDULING = 4,
  UNRECOGNIZED = -1,
};

struct PlacementGroupCreationOptions {
  /// The name by which GetPlacementGroup finds the group; may be empty.
  std::string name;
  /// The amounts that each bundle sets aside, by name.
  std::vector<std::unordered_map<std::string, double>> bundles;
  /// How the bundles lie on machines; see PlacementStrategy.
  PlacementStrategy strategy = PlacementStrategy::PACK;
};

/// A group as it was when it was asked for; a default one is empty.
class PlacementGroup {
 public:
  /// An empty group, which stands for none.
  PlacementGroup() = default;
  /// For Flowray itself.
  PlacementGroup(ObjectId id, PlacementGroupCreationOptions options, PlacementGroupState state)
      : id_(id), options_(std::move(options)), state_(state) {}

  /// A text that names the group, for RemovePlacementGroup and GetPlacementGroupById; Empty() says whether
  /// there is one.
  std::string GetID() const;
  /// The name that it was made with.
  std::string GetName() const { return options_.name; }
  /// The amounts that each bundle sets aside, as they were asked for.
  std::vector<std::unordered_map<std::string, double>> GetBundles() const { return options_.bundles; }
  /// The state when the group was asked for: it does not follow what happens later.
  PlacementGroupState GetState() const { return state_; }
  /// The strategy that it was made with.
  PlacementStrategy GetStrategy() const { return options_.strategy; }
  /// Waits until the resources are set aside, at most so long (-1: without end); whether they are.
  bool Wait(int timeout_seconds) const;
  /// Whether this stands for no group.
  bool Empty() const { return !id_; }
  /// For Flowray itself.
  ObjectId id() const { return id_; }

 private:
  ObjectId id_;
  PlacementGroupCreationOptions options_;
  PlacementGroupState state_ = PlacementGroupState::UNRECOGNIZED;
};

/// Returns at once; the group is there when its bundles are free. It is set aside until RemovePlacementGroup
/// or the end of the driver. Throws RayException for no bundles, for one of nothing, and for a name that
/// another group has.
PlacementGroup CreatePlacementGroup(const PlacementGroupCreationOptions& options);
/// Its tasks that run and its actors end, calls that were to run in it fail.
/// Does nothing for one that is removed.
void RemovePlacementGroup(const std::string& placement_group_id);
/// The last 1,000 that were removed, too.
std::vector<PlacementGroup> GetAllPlacementGroups();
/// An empty one if there is none.
PlacementGroup GetPlacementGroupById(const std::string& id);
/// Finds a group that is not removed; an empty one if there is none of that name.
PlacementGroup GetPlacementGroup(const std::string& name);

}  // namespace flowray::ray

#pragma GCC visibility pop
