#include "engine/step/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace flowray::engine {
namespace {

using errors::InvalidArgumentError;
using graph::DeviceName;

class Placer {
 public:
  Placer(const StepGraph& step, const DeviceSet& set, std::span<const std::string> asked)
      : step_(step), set_(set), asked_(asked), leader_(step.nodes.size()), wishes_(step.nodes.size()) {
    std::iota(leader_.begin(), leader_.end(), 0u);
  }

  std::vector<uint32_t> place() {
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) wishes_[n] = wish(n);
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) join_with_resources(n);
    join_classes();
    std::vector<uint32_t> devices(step_.nodes.size());
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) devices[n] = device_of(n);
    return devices;
  }

 private:
  const graph::Node& node(uint32_t n) const { return *step_.nodes[n].node; }

  DeviceName wish(uint32_t n) const {
    const std::string& asked = asked_.empty() ? node(n).device() : asked_[n];
    if (asked.empty()) return {};
    const auto name = DeviceName::parse(asked);
    if (name.has_value()) return *name;
    throw InvalidArgumentError(
        fmt::format("Malformed device specification '{}' in node: {{{{node {}}}}}\n\t [[{}]]", asked,
                    node(n).name(), node(n).name()),
        node(n).name());
  }

  /// The representative of the nodes that are placed together.
  uint32_t leader(uint32_t n) {
    while (leader_[n] != n) n = leader_[n] = leader_[leader_[n]];
    return n;
  }

  /// An operation that works on a variable, or on what a handle stands for, is where that is, even where it
  /// asks for another device.
  void join_with_resources(uint32_t n) {
    for (const ValueId id : step_.nodes[n].inputs) {
      if (id == kNoValue || step_.values[id].producer < 0) continue;
      const DType dtype = step_.values[id].dtype();
      if (!is_ref(dtype) && dtype != DType::kResource) continue;
      const auto producer = static_cast<uint32_t>(step_.values[id].producer);
      if (leader(n) == n && wishes_[leader(producer)].conflict_with(wishes_[n])) wishes_[n] = {};
      join(n, producer);
    }
  }

  void join_classes() {
    constexpr std::string_view kPrefix = "loc:@";
    std::unordered_map<std::string_view, uint32_t>
        first_of;  // those that name a class, and the node of that name
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) first_of.emplace(node(n).name(), n);
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) {
      const graph::AttrValue* value = node(n).attrs().find("_class");
      const auto* classes = value == nullptr ? nullptr : value->get_if<std::vector<std::string>>();
      if (classes == nullptr) continue;
      for (const std::string& name : *classes) {
        if (!name.starts_with(kPrefix)) continue;
        const auto [found, is_new] = first_of.emplace(std::string_view(name).substr(kPrefix.size()), n);
        if (!is_new) join(n, found->second);
      }
    }
  }

  void join(uint32_t a, uint32_t b) {
    const uint32_t into = leader(b);
    const uint32_t from = leader(a);
    if (into == from) return;
    DeviceName& wish = wishes_[into];
    const auto conflict = wish.conflict_with(wishes_[from]);
    const bool is_other_device = conflict == "types" || conflict == "ids";
    if (conflict.has_value() && !(set_.soft && is_other_device)) {
      throw InvalidArgumentError(
          fmt::format(
              "Cannot colocate nodes {{{{colocation_node {}}}}} and {{{{colocation_node {}}}}}: Cannot merge "
              "devices with incompatible {}: '{}' and '{}'\n\t [[{{{{node {}}}}}]]",
              node(a).name(), node(b).name(), *conflict, wishes_[from].to_string(), wish.to_string(),
              node(a).name()),
          node(a).name());
    }
    wish.fill_in(wishes_[from]);
    leader_[from] = into;
  }

  uint32_t device_of(uint32_t n) {
    const DeviceName& wish = wishes_[leader(n)];
    const auto find = [&](auto&& fits) -> std::optional<uint32_t> {
      const auto found = std::ranges::find_if(set_.devices, fits);
      if (found == set_.devices.end()) return std::nullopt;
      return static_cast<uint32_t>(found - set_.devices.begin());
    };
    if (const auto exact = find([&](const DeviceName& device) { return wish.includes(device); }))
      return *exact;
    const auto near = find([&](const DeviceName& device) { return wish.includes_task_of(device); });
    if (set_.soft && near.has_value()) return *near;
    std::string available;
    for (const DeviceName& device : set_.devices)
      available += (available.empty() ? "" : ", ") + device.to_string();
    throw InvalidArgumentError(
        fmt::format(
            "Cannot assign a device for operation {}: {{{{node {}}}}} was explicitly assigned to {} but "
            "available devices are [ {} ]. Make sure the device specification refers to a valid "
            "device.{}\n\t "
            "[[{}]]",
            node(n).name(), node(n).name(), wish.to_string(), available,
            wish.type == "GPU" ? " The requested device appears to be a GPU, but CUDA is not enabled." : "",
            node(n).name()),
        node(n).name());
  }

  const StepGraph& step_;
  const DeviceSet& set_;
  const std::span<const std::string> asked_;  // by node; empty: its own device
  std::vector<uint32_t> leader_;
  std::vector<DeviceName> wishes_;  // by leader
};

/// Whether no node names a device and there is only one.
bool is_trivial(const StepGraph& step, const DeviceSet& set) {
  return set.devices.size() == 1 &&
         std::ranges::all_of(step.nodes, [](const StepNode& item) { return item.node->device().empty(); });
}

}  // namespace

std::vector<uint32_t> place(const StepGraph& step, const DeviceSet& set,
                            std::span<const std::string> wishes) {
  if (wishes.empty() && is_trivial(step, set)) return std::vector<uint32_t>(step.nodes.size(), 0);
  return Placer(step, set, wishes).place();
}

}  // namespace flowray::engine
