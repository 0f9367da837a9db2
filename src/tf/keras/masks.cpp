#include "tf/keras/masks.h"

#include <flowray/tf/array.h>
#include <flowray/tf/keras/layer.h>

#include "core/mutex.h"
#include "graph/graph.h"
#include "graph/value_node.h"
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

/// The masks of a value's outputs, by their numbers. They stand beside it.
using MasksOfValue = std::map<int, Tensor>;

void set_mask_of_value(const Tensor& output, const Tensor& mask) {
  auto& node = static_cast<graph::ValueNode&>(*output.node());
  auto masks = std::make_shared<MasksOfValue>();
  if (node.beside() != nullptr) *masks = *static_cast<const MasksOfValue*>(node.beside().get());
  // A value that kept itself would never end.
  (*masks)[output.value_index()] = mask.node() == output.node() ? identity(mask) : mask;
  node.set_beside(std::move(masks));
}

Tensor mask_of_value(const Tensor& output) {
  const auto& node = static_cast<const graph::ValueNode&>(*output.node());
  if (node.beside() == nullptr) return {};
  const auto& masks = *static_cast<const MasksOfValue*>(node.beside().get());
  const auto found = masks.find(output.value_index());
  return found == masks.end() ? Tensor() : found->second;
}

}  // namespace

void set_mask(const Tensor& output, const Tensor& mask) {
  graph::Graph& graph = output.node()->graph();
  if (graph.is_eager()) return set_mask_of_value(output, mask);
  Masks& masks = masks_of(graph);
  const MutexLock lock(masks.mutex);
  masks.of_outputs[{output.node(), output.value_index()}] = {mask.node(), mask.value_index()};
}

Tensor mask_of(const Tensor& output) {
  if (!output.has_value()) return {};
  if (output.node()->graph().is_eager()) return mask_of_value(output);
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
