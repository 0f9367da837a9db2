/// tf.keras.layers: what all layers have, and those of include/flowray/tf/keras/layers.h.

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include "native/keras/bound_layers.h"
#include "native/keras/layers_behind.h"
#include "tf/keras/layer_state.h"
#include "tf/keras/masks.h"

#include <fmt/format.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
FLOWRAY_FIELDS(layers::BatchNormalizationOptions, axis, momentum, epsilon, center, scale, beta_initializer,
               gamma_initializer, moving_mean_initializer, moving_variance_initializer, name)
FLOWRAY_FIELDS(layers::EmbeddingOptions, embeddings_initializer, input_length, mask_zero, name)
FLOWRAY_FIELDS(layers::MaskingOptions, mask_value, input_shape, name)
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
  for (const KerasTensor& tensor : tensors) {
    note_tensor_of_layer(tensor);
    list.append(nb::cast(tensor));
  }
  return list;
}

namespace {

/// Tensors that other functions have made of tensors of layers, as tensors of layers that
/// stand for those functions.
void set_layers_behind(std::vector<nb::object>& tensors) {
  if (keras::is_in_call()) return;
  for (nb::object& tensor : tensors) {
    if (!nb::isinstance<DerivedTensor>(tensor)) continue;
    tensor = python_object("flowray.tf.keras._operation_layers", "keras_tensor_of")(tensor);
  }
}

/// Calls a layer: KerasTensors give KerasTensors. The layer is held by its Python object.
nb::list apply_layer(nb::handle self, nb::handle inputs, nb::handle training, nb::handle arguments) {
  const auto layer = nb::cast<std::shared_ptr<Layer>>(self);
  std::vector<nb::object> given = given_tensors(inputs);
  set_layers_behind(given);
  const keras::CallArguments others = arguments_of(arguments);
  const tf::Input::Where here = tf::Input::Where();
  const bool are_keras_tensors = std::ranges::all_of(
      given, [](const nb::object& object) { return nb::isinstance<KerasTensor>(object); });
  if (are_keras_tensors && !given.empty()) {
    const std::optional<bool> mode = training.is_none() ? std::nullopt : std::optional(as_bool(training));
    return give_keras(layer->apply(keras_tensors_of(given), mode, here, others));
  }
  std::vector<tf::Tensor> tensors;
  for (const nb::object& object : given) tensors.push_back(tf::convert_to_tensor(as_input(object)));
  const bool trains = !training.is_none() && as_bool(training);
  return nb::list(give(layer->apply(tensors, trains, here, others)));
}

/// What only the language itself sees of a layer.
class MasksOfLayer : public Layer {
 public:
  static std::vector<tf::Tensor> of(const Layer& layer, const std::vector<tf::Tensor>& inputs,
                                    const std::vector<tf::Tensor>& masks) {
    return (const_cast<Layer&>(layer).*(&MasksOfLayer::compute_mask))(inputs, masks);
  }
};

/// The inputs of a call that is given a mask with them.
nb::object masked_inputs(nb::handle inputs, nb::handle mask, const std::string& name) {
  std::vector<nb::object> given = given_tensors(inputs);
  if (given.empty())
    throw ValueError("Layer '" + name + "' was called with a mask for inputs, but without inputs.");
  given[0] = nb::cast(
      keras::masked(tf::convert_to_tensor(as_input(given[0])), tf::convert_to_tensor(as_input(mask))));
  nb::list list;
  for (const nb::object& object : given) list.append(object);
  return one_or_list(std::move(list));
}

/// The same of a functional model, where the mask is a tensor of it, too.
nb::object apply_masked(nb::handle self, nb::handle inputs, nb::handle mask, nb::handle training,
                        const std::string& name) {
  std::vector<nb::object> given = given_tensors(inputs);
  std::vector<nb::object> masks = {nb::borrow(mask)};
  set_layers_behind(given);
  set_layers_behind(masks);
  if (!nb::isinstance<KerasTensor>(masks[0])) {
    const std::string words =
        "Layer '" + name + "': a mask must be a tensor of the functional model: give it an Input of its own";
    PyErr_SetString(PyExc_NotImplementedError, words.c_str());
    nb::raise_python_error();
  }
  const auto layer = nb::cast<std::shared_ptr<Layer>>(self);
  const std::optional<bool> mode = training.is_none() ? std::nullopt : std::optional(as_bool(training));
  return one_or_list(give_keras(layer->apply_masked(keras_tensors_of(given), nb::cast<KerasTensor>(masks[0]),
                                                    mode, tf::Input::Where())));
}

/// Whether a call is one of a functional model.
bool is_of_model(nb::handle inputs) {
  if (keras::is_in_call()) return false;
  const std::vector<nb::object> given = given_tensors(inputs);
  return !given.empty() && std::ranges::all_of(given, [](const nb::object& object) {
    return nb::isinstance<KerasTensor>(object) || nb::isinstance<DerivedTensor>(object);
  });
}

/// layer(inputs, training=None); a layer of the program's class takes what its call takes.
nb::object call_layer(nb::handle self, nb::args args, nb::kwargs options) {
  if (own_layer(nb::cast<Layer&>(self)) != nullptr) return self.attr("_call_own")(*args, **options);
  nb::object given[] = {nb::none(), nb::none(), nb::none()};
  bool has_inputs = false;
  const char* const names[] = {"inputs", "training", "mask"};
  for (size_t i = 0; i < 3; ++i) {
    if (i < args.size()) {
      given[i] = args[i];
    } else if (options.contains(names[i])) {
      given[i] = options[names[i]];
      nb::del(options[names[i]]);
    } else {
      continue;
    }
    has_inputs = has_inputs || i == 0;
  }
  const std::string name = nb::cast<Layer&>(self).name();
  if (!has_inputs) throw TypeError("Layer '" + name + "' was called without inputs.");
  if (args.size() > 3 || options.size() > 0) {
    throw TypeError("Layer '" + name + "' takes inputs, training and mask, and nothing else in a call.");
  }
  if (!given[2].is_none() && is_of_model(given[0]))
    return apply_masked(self, given[0], given[2], given[1], name);
  if (!given[2].is_none()) given[0] = masked_inputs(given[0], given[2], name);
  return one_or_list(apply_layer(self, given[0], given[1], nb::none()));
}

/// The masks that a layer says for its outputs; None where they have none.
nb::object mask_for(Layer& self, nb::handle inputs, nb::handle masks) {
  std::vector<tf::Tensor> given;
  for (const nb::object& object : given_tensors(inputs))
    given.push_back(tf::convert_to_tensor(as_input(object)));
  std::vector<tf::Tensor> given_masks(given.size());
  if (!masks.is_none()) {
    const std::vector<nb::object> objects = given_tensors(masks);
    for (size_t i = 0; i < std::min(objects.size(), given.size()); ++i) {
      if (!objects[i].is_none()) given_masks[i] = tf::convert_to_tensor(as_input(objects[i]));
    }
  }
  OwnLayer* const own = own_layer(self);
  const std::vector<tf::Tensor> made =
      own != nullptr ? own->mask_as_language(given, given_masks) : MasksOfLayer::of(self, given, given_masks);
  if (std::ranges::none_of(made, [](const tf::Tensor& mask) { return mask.has_value(); })) return nb::none();
  return one_or_list(give_or_none(made));
}

/// The layer that made it, which of the layer's calls that was and which of its outputs it is; the call's
/// inputs, `training` and other arguments.
nb::tuple history_of(const KerasTensor& tensor) {
  const keras::LayerCall& call = *tensor.call();
  return nb::make_tuple(nb::cast(call.layer), call.number, tensor.index(), give_keras(call.inputs),
                        call.training.has_value() ? nb::cast(*call.training) : nb::none(),
                        object_of(call.arguments), call.has_mask);
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
  if (calls.size() == 1 && !is_input) return one_or_list(give_keras(calls[0]));
  if (calls.size() == 1) {
    std::vector<KerasTensor> inputs = calls[0][0].call()->inputs;
    if (calls[0][0].call()->has_mask) inputs.pop_back();  // the mask is not an input to programs
    return one_or_list(give_keras(inputs));
  }
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

namespace {

/// What a program says of a layer before it is built.
void bind_rules(nb::class_<Layer, PythonLayer>& layer) {
  layer
      .def("_set_regularizer",
           [](Layer& self, const std::string& weight, nb::handle regularizer) {
             self.set_regularizer(weight, as_regularizer(regularizer));
           })
      .def("_set_constraint",
           [](Layer& self, const std::string& weight, nb::handle constraint) {
             self.set_constraint(weight, keras::Activation(activation_of(constraint)));
           })
      .def("_set_dtype", [](Layer& self, nb::handle dtype) { self.set_dtype(as_dtype(dtype)); })
      .def_prop_ro("_weights_dtype", [](const Layer& self) { return dtype_object(self.dtype()); })
      .def("_set_data_format",
           [](Layer& self, const std::string& data_format) { self.set_data_format(data_format); })
      .def("_set_activity_regularizer", [](Layer& self, nb::handle regularizer) {
        self.set_activity_regularizer(keras::Activation(activation_of(regularizer)));
      });
}

}  // namespace

void bind_layer_base(nb::module_& m) {
  m.def("_set_floatx", [](nb::handle dtype) { keras::backend::set_floatx(as_dtype(dtype)); });
  nb::class_<KerasTensor, tf::Tensor>(m, "KerasTensor").def_prop_ro("_history", &history_of);
  bind_layers_behind(m);
  m.def("_mask_of", [](const tf::Tensor& tensor) {
    const tf::Tensor mask = keras::mask_of(tensor);
    return mask.has_value() ? give(mask) : nb::none();
  });
  m.def(
      "Input",
      [](nb::handle shape, nb::handle batch_size, nb::handle name, nb::handle dtype) {
        const KerasTensor made = input(shape, batch_size, name, dtype);
        note_tensor_of_layer(made);
        return nb::cast(made);
      },
      "shape"_a, "batch_size"_a, "name"_a, "dtype"_a);
  nb::class_<Layer, PythonLayer> layer(m, "Layer", nb::dynamic_attr(), docstring_of("keras.Layer"));
  layer
      .def("__init__", [](nb::pointer_and_handle<Layer> self, nb::args args,
                          nb::kwargs options) { init_own_layer(self.p, self.h, args, options); })
      .def("__call__", &call_layer)
      .def("_apply", &apply_layer, "inputs"_a, "training"_a.none(), "arguments"_a.none())
      .def("_mask_of_language", &mask_for, "inputs"_a, "masks"_a.none())
      .def_prop_ro("name", &Layer::name)
      .def_prop_ro("_supports_masking", &Layer::supports_masking)
      .def_prop_ro("_calls",
                   [](const Layer& self) {
                     nb::list calls;
                     for (const auto& outputs : self.outputs_of_calls()) calls.append(give_keras(outputs));
                     return calls;
                   })
      .def_prop_rw("trainable", &Layer::trainable, &Layer::set_trainable)
      .def_prop_ro("_built", &Layer::built)
      .def_prop_ro("weights", [](const Layer& self) { return give_result(self.weights()); })
      .def_prop_ro("trainable_weights",
                   [](const Layer& self) { return give_result(self.trainable_weights()); })
      .def_prop_ro("non_trainable_weights",
                   [](const Layer& self) { return give_result(self.non_trainable_weights()); })
      .def("count_params", [](const Layer& self) { return self.count_params(); })
      .def_prop_ro("input", [](const Layer& self) { return of_only_call(self, /*is_input=*/true); })
      .def_prop_ro("output", [](const Layer& self) { return of_only_call(self, /*is_input=*/false); })
      .def_prop_ro("losses", [](const Layer& self) { return give(self.losses()); })
      .def_prop_ro("updates", [](const Layer& self) {
        nb::list updates;
        for (const tf::Operation& update : self.updates()) updates.append(give(update));
        return updates;
      });
  bind_rules(layer);
  bind_own_layers(layer);
  nb::class_<keras::InputLayer, Layer>(m, "InputLayer")
      .def_prop_ro("_batch_input_shape",
                   [](const keras::InputLayer& self) { return shape_object(self.batch_shape()); })
      .def_prop_ro("_input_dtype", [](const keras::InputLayer& self) { return dtype_object(self.dtype()); });
}

void bind_layer_classes(nb::module_& m) {
  bind_layer<layers::Dense, int64_t, layers::DenseOptions>(
      m, "Dense",
      {"units", "activation", "use_bias", initializer_argument("kernel_initializer"),
       initializer_argument("bias_initializer"), "input_shape", "name"});
  bind_layer<layers::Conv2D, int64_t, std::vector<int64_t>, layers::Conv2DOptions>(
      m, "Conv2D",
      {"filters", "kernel_size", "strides", "padding", "dilation_rate", "activation", "use_bias",
       initializer_argument("kernel_initializer"), initializer_argument("bias_initializer"), "input_shape",
       "name"});
  bind_layer<layers::MaxPooling2D, layers::Pooling2DOptions>(m, "MaxPooling2D",
                                                             {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::AveragePooling2D, layers::Pooling2DOptions>(m, "AveragePooling2D",
                                                                 {"pool_size", "strides", "padding", "name"});
  bind_layer<layers::Flatten, layers::ShapedOptions>(m, "Flatten", {"input_shape", "name"});
  bind_layer<layers::Reshape, std::vector<int64_t>, layers::ShapedOptions>(
      m, "Reshape", {"target_shape", "input_shape", "name"});
  bind_layer<layers::Activation, keras::Activation, layers::ShapedOptions>(
      m, "Activation", {"activation", "input_shape", "name"});
  bind_layer<layers::Dropout, double, layers::DropoutOptions>(m, "Dropout", {"rate", "seed", "name"});
  auto normalization = bind_layer<layers::BatchNormalization, layers::BatchNormalizationOptions>(
      m, "BatchNormalization",
      {"axis", "momentum", "epsilon", "center", "scale", initializer_argument("beta_initializer"),
       initializer_argument("gamma_initializer"), initializer_argument("moving_mean_initializer"),
       initializer_argument("moving_variance_initializer"), "name"});
  normalization.def_prop_ro("_axes", &layers::BatchNormalization::axes);
  bind_layer<layers::Embedding, int64_t, int64_t, layers::EmbeddingOptions>(
      m, "Embedding",
      {"input_dim", "output_dim", initializer_argument("embeddings_initializer"), "input_length", "mask_zero",
       "name"});
  bind_layer<layers::Masking, layers::MaskingOptions>(m, "Masking", {"mask_value", "input_shape", "name"});
}

}  // namespace flowray::python
