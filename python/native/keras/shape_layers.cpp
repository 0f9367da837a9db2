/// Layers of tf.keras.layers that move, repeat, pad and crop.

#include "native/keras/bound_layers.h"

#include <nanobind/stl/string.h>

namespace flowray::python {

namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::MovedOptions, input_shape, name)
FLOWRAY_FIELDS(layers::UpSampling2DOptions, interpolation, input_shape, name)

template <>
inline constexpr auto kFrom<layers::Ends> = +[](nb::handle object) {
  return layers::Ends(as_int(nb::object(object[0])), as_int(nb::object(object[1])));
};

void bind_shape_layers(nb::module_& m) {
  using layers::Ends;
  using layers::MovedOptions;
  bind_layer<layers::Permute, std::vector<int64_t>, MovedOptions>(m, "Permute",
                                                                  {"dims", "input_shape", "name"});
  bind_layer<layers::RepeatVector, int64_t, MovedOptions>(m, "RepeatVector", {"n", "input_shape", "name"});
  bind_layer<layers::ZeroPadding1D, Ends, MovedOptions>(m, "ZeroPadding1D",
                                                        {"padding", "input_shape", "name"});
  bind_layer<layers::ZeroPadding2D, Ends, Ends, MovedOptions>(m, "ZeroPadding2D",
                                                              {"rows", "columns", "input_shape", "name"});
  bind_layer<layers::Cropping1D, Ends, MovedOptions>(m, "Cropping1D", {"cropping", "input_shape", "name"});
  bind_layer<layers::Cropping2D, Ends, Ends, MovedOptions>(m, "Cropping2D",
                                                           {"rows", "columns", "input_shape", "name"});
  bind_layer<layers::UpSampling1D, int64_t, MovedOptions>(m, "UpSampling1D", {"size", "input_shape", "name"});
  bind_layer<layers::UpSampling2D, std::vector<int64_t>, layers::UpSampling2DOptions>(
      m, "UpSampling2D", {"size", "interpolation", "input_shape", "name"});
}

}  // namespace flowray::python
