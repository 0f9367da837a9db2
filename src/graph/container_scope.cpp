#include "graph/container_scope.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/thread_owned.h"

namespace flowray::graph {
namespace {

using ContainerFrame = std::pair<const Graph*, std::string>;

std::vector<ContainerFrame>& container_frames() {
  struct Frames {
    std::vector<ContainerFrame> frames;
  };
  return ThreadOwned<Frames>::get().frames;
}

}  // namespace

ContainerScope::ContainerScope(const Graph& graph, std::string container) {
  container_frames().emplace_back(&graph, std::move(container));
}
ContainerScope::~ContainerScope() { container_frames().pop_back(); }

const std::string& container_of(const Graph& graph) {
  static const std::string kDefault;
  const std::vector<ContainerFrame>& frames = container_frames();
  const auto innermost = std::find_if(frames.rbegin(), frames.rend(),
                                      [&](const ContainerFrame& frame) { return frame.first == &graph; });
  return innermost == frames.rend() ? kDefault : innermost->second;
}

}  // namespace flowray::graph
