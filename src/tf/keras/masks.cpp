#include "tf/keras/masks.h"

#include <flowray/tf/keras/layer.h>

#include "core/mutex.h"
#include "graph/graph.h"
#include "tf/keras/layer_state.h"

#include <algorithm>
#include <map>
#include <utility>

namespace flowray::tf::keras {
namespace {

using Endpoint = std::pair<graph::Node*, int>;

/// The masks of outputs of the graph's nodes.
struct Masks {
  Mutex mutex;
  std::map<Endpoint, Endpoint> of_outputs FLOWRAY_GUARDED_BY(mutex);
};

Masks& masks_of(graph::Graph& graph) { return graph.attachment<Masks>("keras_masks"); }

}  // namespace

void set_mask(const Tensor& output, const Tensor& mask) {
  graph::Graph& graph = output.node()->graph();
  if (graph.is_eager()) {
    throw errors::UnimplementedError(
        "Masks of values are not there yet.\nCall layers that make masks (Masking, Embedding with mask_zero) "
        "in a graph.");
  }
  Masks& masks = masks_of(graph);
  const MutexLock lock(masks.mutex);
  masks.of_outputs[{output.node(), output.value_index()}] = {mask.node(), mask.value_index()};
}

Tensor mask_of(const Tensor& output) {
  if (!output.has_value() || output.node()->graph().is_eager()) return {};
  Masks& masks = masks_of(output.node()->graph());
  const MutexLock lock(masks.mutex);
  const auto found = masks.of_outputs.find({output.node(), output.value_index()});
  return found == masks.of_outputs.end() ? Tensor() : Tensor(found->second.first, found->second.second);
}

std::vector<Tensor> Layer::compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>& masks) {
  return state_->supports_masking ? masks : std::vector<Tensor>();
}

/// What layers inside have said of an output stays.
void Layer::mask_outputs(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                         const std::vector<Tensor>& outputs) {
  bool are_there = true;
  for (const Tensor& output : outputs) are_there = are_there && mask_of(output).has_value();
  if (are_there) return;
  const std::vector<Tensor> made = compute_mask(inputs, masks);
  for (size_t i = 0; i < std::min(made.size(), outputs.size()); ++i) {
    if (made[i].has_value()) set_mask(outputs[i], made[i]);
  }
}

}  // namespace flowray::tf::keras
