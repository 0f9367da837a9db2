/// Layers of tf.keras.layers that merge several tensors into one.

#include "native/keras/keras_arguments.h"

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::MergeOptions, name)
FLOWRAY_FIELDS(layers::ConcatenateOptions, axis, name)
FLOWRAY_FIELDS(layers::DotOptions, normalize, name)

namespace {

template <class Merging>
void bind_merging(nb::module_& m, const char* name) {
  nb::class_<Merging, tf::keras::Layer> merging(m, name);
  bind_constructor_of<Merging, layers::MergeOptions>(merging, {"name"});
}

}  // namespace

void bind_merging_layers(nb::module_& m) {
  bind_merging<layers::Add>(m, "Add");
  bind_merging<layers::Subtract>(m, "Subtract");
  bind_merging<layers::Multiply>(m, "Multiply");
  bind_merging<layers::Average>(m, "Average");
  bind_merging<layers::Maximum>(m, "Maximum");
  bind_merging<layers::Minimum>(m, "Minimum");
  nb::class_<layers::Concatenate, tf::keras::Layer> concatenate(m, "Concatenate");
  bind_constructor_of<layers::Concatenate, layers::ConcatenateOptions>(concatenate, {"axis", "name"});
  nb::class_<layers::Dot, tf::keras::Layer> dot(m, "Dot");
  bind_constructor_of<layers::Dot, std::vector<int64_t>, layers::DotOptions>(dot,
                                                                             {"axes", "normalize", "name"});
}

}  // namespace flowray::python
