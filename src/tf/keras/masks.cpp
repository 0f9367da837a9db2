#include "tf/keras/masks.h"

#include <flowray/tf/array.h>
#include <flowray/tf/keras/layer.h>
#include <flowray/tf/math.h>

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

/// Of what stands beside values: layers that share an input in several threads all see to its mask.
struct BesideValues {
  Mutex mutex;
  std::shared_ptr<const MasksOfValue> of(const graph::ValueNode& node) FLOWRAY_REQUIRES(mutex) {
    return std::static_pointer_cast<const MasksOfValue>(node.beside());
  }
};

BesideValues& beside_values() {
  static auto* const values = new BesideValues;
  return *values;
}

Tensor mask_of_value(const Tensor& output) {
  BesideValues& values = beside_values();
  const MutexLock lock(values.mutex);
  const auto masks = values.of(static_cast<const graph::ValueNode&>(*output.node()));
  if (masks == nullptr) return {};
  const auto found = masks->find(output.value_index());
  return found == masks->end() ? Tensor() : found->second;
}

void set_mask_of_value(const Tensor& output, const Tensor& mask) {
  // A value that kept itself would never end.
  const Tensor kept = mask.node() == output.node() ? identity(mask) : mask;
  auto& node = static_cast<graph::ValueNode&>(*output.node());
  BesideValues& values = beside_values();
  std::shared_ptr<const MasksOfValue> before;  // ends behind the lock: masks may be the last to hold others
  const MutexLock lock(values.mutex);
  before = values.of(node);
  auto masks = before == nullptr ? std::make_shared<MasksOfValue>() : std::make_shared<MasksOfValue>(*before);
  Tensor& of_output = (*masks)[output.value_index()];
  if (of_output.has_value() && of_output.node() == kept.node() &&
      of_output.value_index() == kept.value_index())
    return;
  of_output = kept;
  node.set_beside(std::move(masks));
}

}  // namespace

void set_mask(const Tensor& output, const Tensor& mask) {
  graph::Graph& graph = output.node()->graph();
  if (graph.is_eager()) return set_mask_of_value(output, mask);
  Masks& masks = masks_of(graph);
  const MutexLock lock(masks.mutex);
  masks.of_outputs[{output.node(), output.value_index()}] = {mask.node(), mask.value_index()};
}

Tensor masked(const Tensor& values, const Tensor& mask) {
  const Tensor made = identity(values);
  set_mask(made, cast(mask, DType::kBool));
  return made;
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
