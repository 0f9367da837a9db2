/// Activations, noise and layer normalization of tf.keras.layers.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::PlainOptions, input_shape, name)
FLOWRAY_FIELDS(layers::ReLUOptions, max_value, negative_slope, threshold, input_shape, name)
FLOWRAY_FIELDS(layers::PReLUOptions, alpha_initializer, shared_axes, input_shape, name)
FLOWRAY_FIELDS(layers::LayerNormalizationOptions, axis, epsilon, center, scale, beta_initializer,
               gamma_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::NoiseOptions, seed, input_shape, name)

void bind_activation_layers(nb::module_& m) {
  using layers::NoiseOptions;
  using layers::PlainOptions;
  bind_layer<layers::LeakyReLU, double, PlainOptions>(m, "LeakyReLU", {"alpha", "input_shape", "name"});
  bind_layer<layers::ReLU, layers::ReLUOptions>(
      m, "ReLU", {"max_value", "negative_slope", "threshold", "input_shape", "name"});
  bind_layer<layers::ELU, double, PlainOptions>(m, "ELU", {"alpha", "input_shape", "name"});
  bind_layer<layers::ThresholdedReLU, double, PlainOptions>(m, "ThresholdedReLU",
                                                            {"theta", "input_shape", "name"});
  bind_layer<layers::PReLU, layers::PReLUOptions>(
      m, "PReLU", {initializer_argument("alpha_initializer"), "shared_axes", "input_shape", "name"});
  bind_layer<layers::Softmax, int64_t, PlainOptions>(m, "Softmax", {"axis", "input_shape", "name"});
  bind_layer<layers::LayerNormalization, layers::LayerNormalizationOptions>(
      m, "LayerNormalization",
      {"axis", "epsilon", "center", "scale", initializer_argument("beta_initializer"),
       initializer_argument("gamma_initializer"), "input_shape", "name"})
      .def_prop_ro("_axes", &layers::LayerNormalization::axes);
  bind_layer<layers::GaussianNoise, double, NoiseOptions>(m, "GaussianNoise",
                                                          {"stddev", "seed", "input_shape", "name"});
  bind_layer<layers::SpatialDropout1D, double, NoiseOptions>(m, "SpatialDropout1D",
                                                             {"rate", "seed", "input_shape", "name"});
  bind_layer<layers::SpatialDropout2D, double, NoiseOptions>(m, "SpatialDropout2D",
                                                             {"rate", "seed", "input_shape", "name"});
}

}  // namespace flowray::python
