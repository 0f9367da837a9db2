/// Pooling layers of tf.keras.layers of one dimension, and of all of an image.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::Pooling1DOptions, pool_size, strides, padding, name)
FLOWRAY_FIELDS(layers::GlobalPoolingOptions, keepdims, name)

void bind_pooling_layers(nb::module_& m) {
  using layers::GlobalPoolingOptions;
  bind_layer<layers::MaxPooling1D, layers::Pooling1DOptions>(m, "MaxPooling1D",
                                                             {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::AveragePooling1D, layers::Pooling1DOptions>(m, "AveragePooling1D",
                                                                 {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::GlobalMaxPooling1D, GlobalPoolingOptions>(m, "GlobalMaxPooling1D", {"keepdims", "name"});
  bind_layer<layers::GlobalAveragePooling1D, GlobalPoolingOptions>(m, "GlobalAveragePooling1D",
                                                                   {"keepdims", "name"});
  bind_layer<layers::GlobalMaxPooling2D, GlobalPoolingOptions>(m, "GlobalMaxPooling2D", {"keepdims", "name"});
  bind_layer<layers::GlobalAveragePooling2D, GlobalPoolingOptions>(m, "GlobalAveragePooling2D",
                                                                   {"keepdims", "name"});
}

}  // namespace flowray::python
