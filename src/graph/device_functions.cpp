#include "graph/device_functions.h"

#include <algorithm>
#include <iterator>

#include "core/thread_owned.h"
#include "graph/device_name.h"

#include <optional>
#include <string_view>

namespace flowray::graph {

std::vector<DeviceFunctionFrame>& device_function_frames() {
  struct Frames {
    std::vector<DeviceFunctionFrame> frames;
  };
  return ThreadOwned<Frames>::get().frames;
}

void leave_device_function(const Graph& graph) {
  auto& frames = device_function_frames();
  const auto own = std::find_if(frames.rbegin(), frames.rend(),
                                [&](const DeviceFunctionFrame& frame) { return frame.graph == &graph; });
  if (own != frames.rend()) frames.erase(std::next(own).base());
}

std::string device_of_colocation(const Graph& graph, const Scopes& scopes) {
  constexpr std::string_view kNode = "loc:@";
  std::string device;
  for (auto frame = scopes.colocation.rbegin(); frame != scopes.colocation.rend(); ++frame) {
    for (const std::string& group : *frame) {
      if (!group.starts_with(kNode)) continue;
      const Node* const other = graph.find(std::string_view(group).substr(kNode.size()));
      if (other == nullptr) continue;
      if (device.empty()) device = other->device();
    }
  }
  return device;
}

std::string filled_in_device(const std::string& device, const std::string& outer) {
  std::optional<DeviceName> name = DeviceName::parse(device);
  const std::optional<DeviceName> around = DeviceName::parse(outer);
  if (!name.has_value() || !around.has_value()) return device.empty() ? outer : device;
  name->fill_in(*around);
  return name->to_string();
}

}  // namespace flowray::graph
