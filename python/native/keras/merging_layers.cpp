/// Layers of tf.keras.layers that merge several tensors into one.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::MergeOptions, name)
FLOWRAY_FIELDS(layers::ConcatenateOptions, axis, name)
FLOWRAY_FIELDS(layers::DotOptions, normalize, name)

namespace {

template <class Merging>
void bind_merging(nb::module_& m, const char* name) {
  bind_layer<Merging, layers::MergeOptions>(m, name, {"name"});
}

}  // namespace

void bind_merging_layers(nb::module_& m) {
  bind_merging<layers::Add>(m, "Add");
  bind_merging<layers::Subtract>(m, "Subtract");
  bind_merging<layers::Multiply>(m, "Multiply");
  bind_merging<layers::Average>(m, "Average");
  bind_merging<layers::Maximum>(m, "Maximum");
  bind_merging<layers::Minimum>(m, "Minimum");
  bind_layer<layers::Concatenate, layers::ConcatenateOptions>(m, "Concatenate", {"axis", "name"});
  bind_layer<layers::Dot, std::vector<int64_t>, layers::DotOptions>(m, "Dot", {"axes", "normalize", "name"});
}

}  // namespace flowray::python
