/// tf.keras.layers: what all layers have, and those of include/flowray/tf/keras/layers.h.

#include "native/keras/keras_arguments.h"
#include "tf/keras/layer_state.h"

#include <fmt/format.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace flowray::python {

namespace keras = tf::keras;
namespace layers = tf::keras::layers;
using keras::KerasTensor;
using keras::Layer;

FLOWRAY_FIELDS(layers::DenseOptions, activation, use_bias, kernel_initializer, bias_initializer, input_shape,
               name)
FLOWRAY_FIELDS(layers::Conv2DOptions, strides, padding, dilation_rate, activation, use_bias,
               kernel_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::Pooling2DOptions, pool_size, strides, padding, name)
FLOWRAY_FIELDS(layers::ShapedOptions, input_shape, name)
FLOWRAY_FIELDS(layers::DropoutOptions, seed, name)
FLOWRAY_FIELDS(layers::BatchNormalizationOptions, momentum, epsilon, center, scale, name)
FLOWRAY_FIELDS(layers::EmbeddingOptions, embeddings_initializer, input_length, name)
/// The tensors of a list or tuple, or the only one.
std::vector<nb::object> given_tensors(nb::handle inputs) {
  if (PyList_Check(inputs.ptr()) == 0 && PyTuple_Check(inputs.ptr()) == 0) return {nb::borrow(inputs)};
  std::vector<nb::object> tensors;
  for (nb::handle input : inputs) tensors.push_back(nb::borrow(input));
  return tensors;
}

std::vector<KerasTensor> keras_tensors_of(const std::vector<nb::object>& objects) {
  std::vector<KerasTensor> tensors;
  for (const nb::object& object : objects) tensors.push_back(nb::cast<KerasTensor>(object));
  return tensors;
}

nb::object one_or_list(nb::list list) {
  return list.size() == 1 ? nb::object(list[0]) : nb::object(std::move(list));
}
nb::list give_keras(const std::vector<KerasTensor>& tensors) {
  nb::list list;
  for (const KerasTensor& tensor : tensors) list.append(nb::cast(tensor));
  return list;
}

namespace {

/// Of KerasTensors a call gives KerasTensors. The layer is held by its Python object.
nb::object call_layer(nb::handle self, nb::handle inputs, nb::handle training) {
  const auto layer = nb::cast<std::shared_ptr<Layer>>(self);
  const std::vector<nb::object> given = given_tensors(inputs);
  const bool are_keras_tensors = std::ranges::all_of(
      given, [](const nb::object& object) { return nb::isinstance<KerasTensor>(object); });
  if (are_keras_tensors && !given.empty()) {
    const std::optional<bool> mode = training.is_none() ? std::nullopt : std::optional(as_bool(training));
    return one_or_list(give_keras(layer->apply(keras_tensors_of(given), mode)));
  }
  std::vector<tf::Tensor> tensors;
  for (const nb::object& object : given) tensors.push_back(tf::convert_to_tensor(as_input(object)));
  return one_or_list(give(layer->apply(tensors, !training.is_none() && as_bool(training))));
}

KerasTensor input(nb::handle shape, nb::handle batch_size, nb::handle name, nb::handle dtype) {
  keras::InputOptions options{.name = as_text(name)};
  if (!batch_size.is_none()) options.batch_size = as_int(batch_size);
  if (!dtype.is_none()) options.dtype = as_dtype(dtype);
  return keras::Input(as_shape(shape), options);
}

}  // namespace

namespace {

/// What goes into the layer's only call for a functional model, or comes out of it.
nb::object of_only_call(const Layer& layer, bool is_input) {
  const std::vector<std::vector<KerasTensor>> calls = layer.outputs_of_calls();
  const char* const what = is_input ? "input" : "output";
  if (calls.size() == 1) return one_or_list(give_keras(is_input ? calls[0][0].call()->inputs : calls[0]));
  const std::string words =
      calls.empty() ? fmt::format("Layer {} is not connected, no {} to return.", layer.name(), what)
                    : fmt::format(
                          "The layer \"{}\" has multiple inbound nodes, hence the notion of \"layer {}\" "
                          "is ill-defined.",
                          layer.name(), what);
  PyErr_SetString(PyExc_AttributeError, words.c_str());
  nb::raise_python_error();
}

}  // namespace

void bind_layer_base(nb::module_& m) {
  nb::class_<KerasTensor, tf::Tensor>(m, "KerasTensor");
  m.def(
      "Input",
      [](nb::handle shape, nb::handle batch_size, nb::handle name, nb::handle dtype) {
        return nb::cast(input(shape, batch_size, name, dtype));
      },
      "shape"_a, "batch_size"_a, "name"_a, "dtype"_a);
  nb::class_<Layer> layer(m, "Layer", nb::dynamic_attr(), docstring_of("keras.Layer"));
  layer.def("__call__", &call_layer, "inputs"_a, "training"_a = nb::none())
      .def_prop_ro("name", &Layer::name)
      .def_prop_rw("trainable", &Layer::trainable, &Layer::set_trainable)
      .def_prop_ro("built", &Layer::built)
      .def_prop_ro("weights", [](const Layer& self) { return give_result(self.weights()); })
      .def_prop_ro("trainable_weights",
                   [](const Layer& self) { return give_result(self.trainable_weights()); })
      .def_prop_ro("non_trainable_weights",
                   [](const Layer& self) { return give_result(self.non_trainable_weights()); })
      .def("count_params", [](const Layer& self) { return self.count_params(); })
      .def("_set_regularizer",
           [](Layer& self, const std::string& weight, nb::handle regularizer) {
             self.set_regularizer(weight, as_regularizer(regularizer));
           })
      .def("_set_constraint",
           [](Layer& self, const std::string& weight, nb::handle constraint) {
             self.set_constraint(weight, keras::Activation(activation_of(constraint)));
           })
      .def("_set_activity_regularizer",
           [](Layer& self, nb::handle regularizer) {
             self.set_activity_regularizer(keras::Activation(activation_of(regularizer)));
           })
      .def_prop_ro("input", [](const Layer& self) { return of_only_call(self, /*is_input=*/true); })
      .def_prop_ro("output", [](const Layer& self) { return of_only_call(self, /*is_input=*/false); })
      .def_prop_ro("losses", [](const Layer& self) { return give(self.losses()); });
}

void bind_layer_classes(nb::module_& m) {
  nb::class_<layers::Dense, Layer> dense(m, "Dense");
  bind_constructor_of<layers::Dense, int64_t, layers::DenseOptions>(
      dense, {"units", "activation", "use_bias", initializer_argument("kernel_initializer"),
              initializer_argument("bias_initializer"), "input_shape", "name"});
  nb::class_<layers::Conv2D, Layer> conv2d(m, "Conv2D");
  bind_constructor_of<layers::Conv2D, int64_t, std::vector<int64_t>, layers::Conv2DOptions>(
      conv2d, {"filters", "kernel_size", "strides", "padding", "dilation_rate", "activation", "use_bias",
               initializer_argument("kernel_initializer"), initializer_argument("bias_initializer"),
               "input_shape", "name"});
  nb::class_<layers::MaxPooling2D, Layer> max_pooling(m, "MaxPooling2D");
  bind_constructor_of<layers::MaxPooling2D, layers::Pooling2DOptions>(
      max_pooling, {"pool_size", "strides", "padding", "name"});
  nb::class_<layers::AveragePooling2D, Layer> average_pooling(m, "AveragePooling2D");
  bind_constructor_of<layers::AveragePooling2D, layers::Pooling2DOptions>(
      average_pooling, {"pool_size", "strides", "padding", "name"});
  nb::class_<layers::Flatten, Layer> flatten(m, "Flatten");
  bind_constructor_of<layers::Flatten, layers::ShapedOptions>(flatten, {"input_shape", "name"});
  nb::class_<layers::Reshape, Layer> reshape(m, "Reshape");
  bind_constructor_of<layers::Reshape, std::vector<int64_t>, layers::ShapedOptions>(
      reshape, {"target_shape", "input_shape", "name"});
  nb::class_<layers::Activation, Layer> activation(m, "Activation");
  bind_constructor_of<layers::Activation, keras::Activation, layers::ShapedOptions>(
      activation, {"activation", "input_shape", "name"});
  nb::class_<layers::Dropout, Layer> dropout(m, "Dropout");
  bind_constructor_of<layers::Dropout, double, layers::DropoutOptions>(dropout, {"rate", "seed", "name"});
  nb::class_<layers::BatchNormalization, Layer> normalization(m, "BatchNormalization");
  bind_constructor_of<layers::BatchNormalization, layers::BatchNormalizationOptions>(
      normalization, {"momentum", "epsilon", "center", "scale", "name"});
  nb::class_<layers::Embedding, Layer> embedding(m, "Embedding");
  bind_constructor_of<layers::Embedding, int64_t, int64_t, layers::EmbeddingOptions>(
      embedding,
      {"input_dim", "output_dim", initializer_argument("embeddings_initializer"), "input_length", "name"});
}

}  // namespace flowray::python
