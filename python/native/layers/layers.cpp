/// tf.layers.

#include "native/convert/kept_object.h"
#include "native/graph/variable_arguments.h"
#include "native/layers/layer_arguments.h"

#include <fmt/format.h>

#include <string>

namespace flowray::python {

namespace layers = tf::layers;

namespace {

layers::RenormClipping clipping_of(nb::handle object) {
  layers::RenormClipping clipping;
  if (object.is_none()) return clipping;
  for (nb::handle item : nb::cast<nb::dict>(object).items()) {
    const std::string key = as_text(item[0]);
    std::optional<double>* const limit = key == "rmax"   ? &clipping.rmax
                                         : key == "rmin" ? &clipping.rmin
                                         : key == "dmax" ? &clipping.dmax
                                                         : nullptr;
    if (limit == nullptr) {
      throw ValueError(
          fmt::format("Received invalid keys for `renorm_clipping` argument: {}. Supported values: ['rmax', "
                      "'rmin', 'dmax'].",
                      nb::str(object).c_str()));
    }
    if (const nb::object value = item[1]; !value.is_none()) *limit = as_float(value);
  }
  return clipping;
}

}  // namespace

template <>
inline constexpr auto kFrom<layers::RenormClipping> = &clipping_of;

FLOWRAY_FIELDS(layers::DenseOptions, activation, use_bias, kernel_initializer, bias_initializer,
               kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
               trainable, name, reuse)
FLOWRAY_FIELDS(layers::ConvolutionOptions, strides, padding, data_format, dilation_rate, activation, use_bias,
               kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
               activity_regularizer, kernel_constraint, bias_constraint, trainable, name, reuse)
FLOWRAY_FIELDS(layers::ConvolutionTransposeOptions, strides, padding, data_format, activation, use_bias,
               kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
               activity_regularizer, kernel_constraint, bias_constraint, trainable, name, reuse)
FLOWRAY_FIELDS(layers::SeparableConvolutionOptions, strides, padding, data_format, dilation_rate,
               depth_multiplier, activation, use_bias, depthwise_initializer, pointwise_initializer,
               bias_initializer, depthwise_regularizer, pointwise_regularizer, bias_regularizer,
               activity_regularizer, depthwise_constraint, pointwise_constraint, bias_constraint, trainable,
               name, reuse)
FLOWRAY_FIELDS(layers::BatchNormalizationOptions, axis, momentum, epsilon, center, scale, beta_initializer,
               gamma_initializer, moving_mean_initializer, moving_variance_initializer, beta_regularizer,
               gamma_regularizer, beta_constraint, gamma_constraint, training, trainable, name, reuse, renorm,
               renorm_clipping, renorm_momentum, fused, virtual_batch_size)
FLOWRAY_FIELDS(layers::Pooling2dOptions, padding, data_format, name)
FLOWRAY_FIELDS(layers::DropoutOptions, rate, noise_shape, seed, training, name)
FLOWRAY_FIELDS(layers::FlattenOptions, name, data_format)

namespace {

std::string shown(nb::handle object) { return nb::str(object).c_str(); }

/// One number for all dimensions, or one for each.
std::vector<int64_t> sizes_of(nb::handle object, const char* argument, size_t dimensions) {
  const auto refuse_it = [&] {
    throw ValueError(fmt::format("The `{}` argument must be a tuple of {} integers. Received: {}", argument,
                                 dimensions, shown(object)));
  };
  if (is_one_integer(object)) return {as_int(object)};
  std::vector<int64_t> sizes;
  if (PyUnicode_Check(object.ptr()) != 0 || PySequence_Check(object.ptr()) == 0) refuse_it();
  for (nb::handle item : object) {
    if (!is_one_integer(item)) refuse_it();
    sizes.push_back(as_int(item));
  }
  if (sizes.size() != dimensions) refuse_it();
  return sizes;
}

/// What Python's int() makes of it.
int64_t whole_number(nb::handle object) {
  const nb::object number = nb::steal(PyNumber_Long(object.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  return as_int(number);
}

std::string layer_name(nb::handle name) {
  if (name.is_none() || PyUnicode_Check(name.ptr()) != 0) return as_text(name);
  throw TypeError("VariableScope: name_or_scope must be a string or VariableScope.");
}

/// The one tensor that a layer takes, maybe in a list.
tf::Input layer_input(nb::handle inputs, const char* layer) {
  if (PyList_Check(inputs.ptr()) != 0 || PyTuple_Check(inputs.ptr()) != 0) {
    const nb::object flatten = python_object("flowray.tf._nest", "flatten");
    const nb::list all(flatten(inputs));
    if (nb::len(all) == 1) return layer_input(all[0], layer);
    throw ValueError(
        fmt::format("Layer \"{}\" expects 1 input(s), but it received {} input tensors. Inputs received: {}",
                    layer, nb::len(all), nb::repr(inputs).c_str()));
  }
  const bool is_text = PyUnicode_Check(inputs.ptr()) != 0 || PyBytes_Check(inputs.ptr()) != 0;
  if (inputs.is_none() || is_text) {
    throw TypeError(
        fmt::format("Inputs to a layer should be tensors. Got '{}' (of type {}) as input for layer '{}'.",
                    shown(inputs), nb::repr(inputs.type()).c_str(), layer));
  }
  return as_input(inputs);
}

tf::Input rate_of(nb::handle rate) {
  const bool is_text = PyUnicode_Check(rate.ptr()) != 0;
  if (!rate.is_none() && !is_text) return as_input(rate);
  throw ValueError(fmt::format("`rate` must be a scalar or scalar tensor. Received: rate={}", shown(rate)));
}

// ---- arguments that several layers have

Argument inputs(const char* layer) {
  return converted("inputs", [layer](nb::handle object) { return layer_input(object, layer); });
}

Argument filters() {
  return converted("filters", [](nb::handle number) {
    return PyFloat_Check(number.ptr()) != 0 ? whole_number(number) : as_int(number);
  });
}

Argument sizes(const Argument& argument, size_t dimensions) {
  return converted(argument, [name = argument.name, dimensions](nb::handle object) {
    return sizes_of(object, name, dimensions);
  });
}

/// An initializer, which may be a word.
Argument initializer(const Argument& argument) { return converted(argument, &layer_initializer); }

/// None is not zeros here: the variable gets what get_variable takes where it is told nothing.
Argument bias_initializer() {
  return converted({"bias_initializer", "zeros"}, [](nb::handle object) {
    return object.is_none() ? tf::glorot_uniform_initializer() : layer_initializer(object);
  });
}

Argument name() { return converted("name", &layer_name); }

Argument constraint(const char* argument) { return converted(argument, &as_constraint); }

/// The one dimension of the channels, maybe in a list.
int64_t axis_of(nb::handle axis) {
  if (is_one_integer(axis)) return as_int(axis);
  const bool is_list = PyList_Check(axis.ptr()) != 0 || PyTuple_Check(axis.ptr()) != 0;
  if (!is_list) {
    throw TypeError(
        fmt::format("Expected an int or a list/tuple of ints for the argument 'axis', but received: {}",
                    nb::repr(axis).c_str()));
  }
  if (nb::len(axis) != 1) {
    throw errors::UnimplementedError(
        fmt::format("tf.layers.batch_normalization normalizes along one axis, not along axis={}\nTranspose "
                    "and reshape the "
                    "inputs so that the channels are one dimension.",
                    shown(axis)));
  }
  return as_int(axis[0]);
}

/// None: the fused op where it takes the inputs.
bool fused_of(nb::handle fused) { return fused.is_none() || as_bool(fused); }

// ---- layers

/// `ones`: strides as they are by default.
template <class Default>
void bind_convolution(nb::module_& m, const char* layer, size_t dimensions, const Default& ones,
                      tf::Tensor (*make)(const tf::Input&, int64_t, const std::vector<int64_t>&,
                                         const layers::ConvolutionOptions&)) {
  bind(m, layer, make,
       {inputs(layer), filters(), sizes("kernel_size", dimensions), sizes({"strides", ones}, dimensions),
        "padding", or_none("data_format"), sizes({"dilation_rate", ones}, dimensions), "activation",
        "use_bias", initializer("kernel_initializer"), bias_initializer(), "kernel_regularizer",
        "bias_regularizer", "activity_regularizer", constraint("kernel_constraint"),
        constraint("bias_constraint"), "trainable", name(), "reuse"});
}

void bind_layers_with_variables(nb::module_& m) {
  const nb::tuple one_one = nb::make_tuple(1, 1);
  bind(m, "dense", &layers::dense,
       {inputs("dense"), converted("units", &whole_number), "activation", "use_bias",
        initializer("kernel_initializer"), bias_initializer(), "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", constraint("kernel_constraint"), constraint("bias_constraint"), "trainable",
        name(), "reuse"});
  bind_convolution(m, "conv1d", 1, 1, &layers::conv1d);
  bind_convolution(m, "conv2d", 2, one_one, &layers::conv2d);
  bind_convolution(m, "conv3d", 3, nb::make_tuple(1, 1, 1), &layers::conv3d);
  const auto transpose = [&](const char* layer, size_t dimensions, const nb::tuple& ones, auto make) {
    bind(m, layer, make,
         {inputs(layer), converted("filters", &whole_number), sizes("kernel_size", dimensions),
          sizes({"strides", ones}, dimensions), "padding", or_none("data_format"), "activation", "use_bias",
          initializer("kernel_initializer"), bias_initializer(), "kernel_regularizer", "bias_regularizer",
          "activity_regularizer", constraint("kernel_constraint"), constraint("bias_constraint"), "trainable",
          name(), "reuse"});
  };
  transpose("conv2d_transpose", 2, one_one, &layers::conv2d_transpose);
  transpose("conv3d_transpose", 3, nb::make_tuple(1, 1, 1), &layers::conv3d_transpose);
}

void bind_separable_convolutions(nb::module_& m) {
  const auto separable = [&](const char* layer, size_t dimensions, const auto& ones, auto make) {
    bind(m, layer, make,
         {inputs(layer),
          "filters",
          sizes("kernel_size", dimensions),
          sizes({"strides", ones}, dimensions),
          "padding",
          or_none("data_format"),
          sizes({"dilation_rate", ones}, dimensions),
          "depth_multiplier",
          "activation",
          "use_bias",
          initializer("depthwise_initializer"),
          initializer("pointwise_initializer"),
          bias_initializer(),
          "depthwise_regularizer",
          "pointwise_regularizer",
          "bias_regularizer",
          "activity_regularizer",
          constraint("depthwise_constraint"),
          constraint("pointwise_constraint"),
          constraint("bias_constraint"),
          "trainable",
          name(),
          "reuse"});
  };
  separable("separable_conv1d", 1, 1, &layers::separable_conv1d);
  separable("separable_conv2d", 2, nb::make_tuple(1, 1), &layers::separable_conv2d);
}

void bind_batch_normalization(nb::module_& m) {
  bind(m, "batch_normalization", &layers::batch_normalization,
       {inputs("batch_normalization"),
        converted("axis", &axis_of),
        "momentum",
        "epsilon",
        "center",
        "scale",
        initializer({"beta_initializer", "zeros"}),
        initializer({"gamma_initializer", "ones"}),
        initializer({"moving_mean_initializer", "zeros"}),
        initializer({"moving_variance_initializer", "ones"}),
        "beta_regularizer",
        "gamma_regularizer",
        constraint("beta_constraint"),
        constraint("gamma_constraint"),
        converted("training", &training_of),
        "trainable",
        name(),
        "reuse",
        "renorm",
        "renorm_clipping",
        "renorm_momentum",
        converted({"fused", nb::none()}, &fused_of),
        "virtual_batch_size",
        refused("adjustment")});
}

void bind_layers_without_variables(nb::module_& m) {
  const auto pool = [&](const char* layer, size_t dimensions, auto make) {
    const auto strides_of = [dimensions](nb::handle strides) {
      if (strides.is_none()) throw ValueError("Argument `strides` must not be None.");
      return sizes_of(strides, "strides", dimensions);
    };
    bind(m, layer, make,
         {inputs(layer), sizes("pool_size", dimensions), converted("strides", strides_of), "padding",
          or_none("data_format"), name()});
  };
  pool("max_pooling1d", 1, &layers::max_pooling1d);
  pool("average_pooling1d", 1, &layers::average_pooling1d);
  pool("max_pooling2d", 2, &layers::max_pooling2d);
  pool("average_pooling2d", 2, &layers::average_pooling2d);
  pool("max_pooling3d", 3, &layers::max_pooling3d);
  pool("average_pooling3d", 3, &layers::average_pooling3d);
  bind(m, "dropout", &layers::dropout,
       {"inputs", converted("rate", &rate_of), "noise_shape", "seed", converted("training", &training_of),
        name()});
  bind(m, "flatten", &layers::flatten, {inputs("flatten"), name(), or_none("data_format")});
}

}  // namespace

tf::Reuse reuse_of(nb::handle reuse) {
  if (PyUnicode_Check(reuse.ptr()) != 0) return tf::AUTO_REUSE;
  return !reuse.is_none() && as_bool(reuse) ? tf::Reuse(true) : tf::Reuse(tf::Reuse::Mode::kInherit);
}

/// True, False, 1, 0 or a tensor.
tf::Input training_of(nb::handle training) {
  if (training.is_none()) {
    throw errors::UnimplementedError(
        "Flowray does not support `training=None` (Keras' learning phase) today: pass True, False "
        "or a tensor");
  }
  if (nb::isinstance<tf::Tensor>(training) || nb::isinstance<tf::Variable>(training))
    return as_input(training);
  if (PyBool_Check(training.ptr()) != 0) return as_input(training);
  const bool is_number = PyLong_Check(training.ptr()) != 0;
  if (is_number && (as_int(training) == 0 || as_int(training) == 1))
    return tf::Input(as_bool(training), tf::Input::Where());
  throw TypeError(fmt::format(
      "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={} of type {}",
      shown(training), nb::type_name(training.type()).c_str()));
}

tf::Regularizer as_regularizer(nb::handle object) {
  if (object.is_none()) return {};
  if (PyCallable_Check(object.ptr()) == 0)
    throw ValueError("Could not interpret regularizer identifier: " + shown(object));
  return [object = KeptObject(object)](const tf::Variable& variable) {
    const nb::object loss = object(nb::cast(variable));
    return loss.is_none() ? tf::Tensor() : tf::convert_to_tensor(as_input(loss));
  };
}

tf::layers::Activation activation_of(nb::handle object) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) != 0) return tf::layers::activation(as_text(object));
  if (PyCallable_Check(object.ptr()) == 0)
    throw TypeError("Could not interpret activation function identifier: " + shown(object));
  return [object = KeptObject(object)](const tf::Tensor& x) {
    return tf::convert_to_tensor(as_input(nb::object(object(give(x)))));
  };
}

tf::Initializer layer_initializer(nb::handle object) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) != 0) return tf::initializers::get(as_text(object));
  if (!nb::isinstance<tf::Initializer>(object) && PyCallable_Check(object.ptr()) == 0)
    throw ValueError("Could not interpret initializer identifier: " + shown(object));
  return as_initializer(object);
}

namespace {

/// What Python's classes of layers are made of: calls of functions that share their scope.
void bind_shared_layers(nb::module_& m) {
  nb::class_<layers::Shared>(m, "_Shared")
      .def(nb::init<>())
      .def("call",
           [](const layers::Shared& self, nb::handle function) {
             const layers::Shared::Call call(self);
             return nb::object(function());
           })
      .def(
          "call_in_scope",
          [](const layers::Shared& self, nb::handle name, nb::handle default_name, nb::handle reuse,
             nb::handle function) {
            layers::Shared::Call call(self);
            call.open(layer_name(name), as_text(default_name), reuse_of(reuse));
            return nb::object(function());
          },
          nb::arg("name").none(), "default_name"_a, nb::arg("reuse").none(), "function"_a)
      .def_prop_ro("variables",
                   [](const layers::Shared& self) {
                     nb::list list;
                     for (const tf::Variable& variable : self.variables()) list.append(nb::cast(variable));
                     return list;
                   })
      .def_prop_ro("scope_name",
                   [](const layers::Shared& self) { return nb::str(self.scope_name().c_str()); })
      .def_prop_ro("built", &layers::Shared::built);
}

}  // namespace

void bind_layers(nb::module_& m) {
  nb::module_ layers_module = m.def_submodule("layers");
  bind_shared_layers(layers_module);
  bind_layers_with_variables(layers_module);
  bind_separable_convolutions(layers_module);
  bind_batch_normalization(layers_module);
  bind_layers_without_variables(layers_module);
}

}  // namespace flowray::python
