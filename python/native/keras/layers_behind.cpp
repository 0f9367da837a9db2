#include "native/keras/layers_behind.h"

#include "native/convert/convert.h"

#include "core/mutex.h"
#include "graph/graph.h"
#include "tf/keras/layer_state.h"

#include <map>
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

std::shared_ptr<const Derivation> LayersOfGraph::derivation_of(const graph::Node& node) {
  if (others.contains(&node)) return nullptr;
  if (const auto known = derived.find(&node); known != derived.end()) {
    if (auto derivation = known->second.lock(); derivation != nullptr) return derivation;
  }
  auto made = std::make_shared<Derivation>();
  std::unordered_set<const graph::Node*> visited{&node};
  std::vector<const graph::Node*> waiting{&node};
  while (!waiting.empty()) {
    const graph::Node& next = *waiting.back();
    waiting.pop_back();
    for (const graph::Endpoint& input : next.inputs()) {
      if (Call call = call_of({input.node, input.index}); call != nullptr) {
        made->calls.push_back(std::move(call));
        continue;
      }
      if (others.contains(input.node) || !visited.insert(input.node).second) continue;
      const auto known = derived.find(input.node);
      std::shared_ptr<const Derivation> before = known == derived.end() ? nullptr : known->second.lock();
      if (before != nullptr) {
        made->others.push_back(std::move(before));
      } else {
        waiting.push_back(input.node);
      }
    }
  }
  if (made->calls.empty() && made->others.empty()) {
    others.insert(visited.begin(), visited.end());
    return nullptr;
  }
  derived[&node] = made;
  return made;
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
