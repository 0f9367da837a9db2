#include "graph/gradient_overrides.h"

#include "core/thread_owned.h"
#include "graph/attributes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace flowray::graph {
namespace {

std::vector<const GradientOverrides*>& open_overrides() {
  struct Open {
    std::vector<const GradientOverrides*> all;
  };
  return ThreadOwned<Open>::get().all;
}

}  // namespace

GradientOverrides::GradientOverrides(const Graph& graph, std::map<std::string, std::string> ops)
    : graph_(&graph), ops_(std::move(ops)) {
  open_overrides().push_back(this);
}
GradientOverrides::~GradientOverrides() { std::erase(open_overrides(), this); }

void override_gradient(const Graph& graph, std::string_view op, Attrs& attrs) {
  const auto& open = open_overrides();
  for (auto overrides = open.rbegin(); overrides != open.rend(); ++overrides) {
    if ((*overrides)->graph_ != &graph) continue;
    const auto found = (*overrides)->ops_.find(std::string(op));
    if (found == (*overrides)->ops_.end()) continue;
    attrs.set(kGradientOp, found->second);
    return;
  }
}

}  // namespace flowray::graph
