#include "native/keras/layers_behind.h"

#include "native/convert/convert.h"

#include "core/mutex.h"
#include "graph/graph.h"
#include "tf/keras/layer_state.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace flowray::python {

namespace keras = tf::keras;

std::atomic<bool> layers_are_known = false;

namespace {

using Output = std::pair<const graph::Node*, int>;
using Call = std::shared_ptr<const keras::LayerCall>;

/// Of a graph. What it knows ends when Python has no object any more of what comes behind a layer.
struct LayersOfGraph {
  Mutex mutex;
  std::map<Output, std::weak_ptr<const keras::LayerCall>> calls FLOWRAY_GUARDED_BY(mutex);
  std::map<Output, size_t> indices FLOWRAY_GUARDED_BY(mutex);
  std::map<const graph::Node*, std::weak_ptr<const Derivation>> derived FLOWRAY_GUARDED_BY(mutex);
  /// Nodes that no layer is behind, to be walked over once.
  std::unordered_set<const graph::Node*> others FLOWRAY_GUARDED_BY(mutex);

  Call call_of(const Output& output) FLOWRAY_REQUIRES(mutex) {
    const auto found = calls.find(output);
    return found == calls.end() ? nullptr : found->second.lock();
  }
  std::shared_ptr<const Derivation> derivation_of(const graph::Node& node) FLOWRAY_REQUIRES(mutex);
};

LayersOfGraph& layers_of(graph::Graph& graph) {
  return graph.attachment<LayersOfGraph>("python_keras_layers");
}

/// All nodes on the way learn it, too, and share what is found behind the first of them: asked of each
/// gradient of a deep graph, each node is walked over once.
std::shared_ptr<const Derivation> LayersOfGraph::derivation_of(const graph::Node& node) {
  if (others.contains(&node)) return nullptr;
  if (const auto known = derived.find(&node); known != derived.end()) {
    if (auto derivation = known->second.lock(); derivation != nullptr) return derivation;
  }
  auto made = std::make_shared<Derivation>();
  std::unordered_map<const graph::Node*, std::vector<const graph::Node*>> users{{&node, {}}};  // on the way
  std::vector<const graph::Node*> waiting{&node};
  std::vector<const graph::Node*> behind;  // a layer, all of these
  while (!waiting.empty()) {
    const graph::Node& next = *waiting.back();
    waiting.pop_back();
    for (const graph::Endpoint& input : next.inputs()) {
      if (Call call = call_of({input.node, input.index}); call != nullptr) {
        made->calls.push_back(std::move(call));
        behind.push_back(&next);
        continue;
      }
      if (others.contains(input.node)) continue;
      if (const auto seen = users.find(input.node); seen != users.end()) {
        seen->second.push_back(&next);
        continue;
      }
      const auto known = derived.find(input.node);
      if (auto before = known == derived.end() ? nullptr : known->second.lock(); before != nullptr) {
        if (made->others.empty() || made->others.back() != before) made->others.push_back(std::move(before));
        behind.push_back(&next);
      } else {
        users[input.node].push_back(&next);
        waiting.push_back(input.node);
      }
    }
  }
  std::unordered_set<const graph::Node*> derives(behind.begin(), behind.end());
  while (!behind.empty()) {
    const graph::Node* const next = behind.back();
    behind.pop_back();
    for (const graph::Node* user : users[next])
      if (derives.insert(user).second) behind.push_back(user);
  }
  for (const auto& [seen, of] : users) {
    if (derives.contains(seen)) {
      derived[seen] = made;
    } else {
      others.insert(seen);
    }
  }
  return derives.contains(&node) ? made : nullptr;
}

}  // namespace

void note_tensor_of_layer(const keras::KerasTensor& tensor) {
  graph::Graph& graph = tensor.node()->graph();
  if (graph.is_eager() || tensor.call() == nullptr) return;
  layers_are_known = true;
  LayersOfGraph& layers = layers_of(graph);
  const Output output(tensor.node(), tensor.value_index());
  const MutexLock lock(layers.mutex);
  layers.calls[output] = tensor.call();
  layers.indices[output] = tensor.index();
}

nb::object give_with_layers_behind(const tf::Tensor& tensor) {
  graph::Graph& graph = tensor.node()->graph();
  if (graph.is_eager() || keras::is_in_call()) return nb::cast(tensor);
  LayersOfGraph& layers = layers_of(graph);
  const Output output(tensor.node(), tensor.value_index());
  Call call;
  std::shared_ptr<const Derivation> derivation;
  size_t index = 0;
  {
    const MutexLock lock(layers.mutex);
    if (layers.calls.empty()) return nb::cast(tensor);
    call = layers.call_of(output);
    if (call != nullptr) {
      index = layers.indices[output];
    } else {
      derivation = layers.derivation_of(*tensor.node());
    }
  }
  if (call != nullptr) return nb::cast(keras::KerasTensor(tensor, std::move(call), index));
  if (derivation != nullptr) return nb::cast(DerivedTensor(tensor, std::move(derivation)));
  return nb::cast(tensor);
}

void bind_layers_behind(nb::module_& m) {
  nb::class_<DerivedTensor, tf::Tensor>(m, "DerivedTensor");
  m.def("_is_in_call", &keras::is_in_call);
}

}  // namespace flowray::python
