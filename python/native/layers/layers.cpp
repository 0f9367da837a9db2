/// tf.layers.

#include "native/convert/convert.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/layers.h>

#include <fmt/format.h>

#include <string>

namespace flowray::python {
namespace {

namespace layers = tf::layers;

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

std::vector<int64_t> pair(nb::handle object, const char* argument) { return sizes_of(object, argument, 2); }

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

/// What layers with variables have in common; constraints are not there yet.
template <class Options>
Options layer_options(const char* layer, const nb::dict& given) {
  Options options;
  for (auto [key, value] : given) {
    const std::string name = as_text(key);
    if (name == "activation") {
      options.activation = activation_of(value);
    } else if (name == "use_bias") {
      options.use_bias = as_bool(value);
    } else if (name == "kernel_initializer") {
      options.kernel_initializer = layer_initializer(value);
    } else if (name == "bias_initializer") {
      // None is not zeros here: the variable gets what get_variable takes where it is told nothing.
      options.bias_initializer =
          value.is_none() ? tf::glorot_uniform_initializer() : layer_initializer(value);
    } else if (name == "kernel_regularizer") {
      options.kernel_regularizer = as_regularizer(value);
    } else if (name == "bias_regularizer") {
      options.bias_regularizer = as_regularizer(value);
    } else if (name == "activity_regularizer") {
      options.activity_regularizer = activation_of(value);
    } else if (name == "trainable") {
      options.trainable = as_bool(value);
    } else if (name == "name") {
      options.name = layer_name(value);
    } else if (name == "reuse") {
      options.reuse = reuse_of(value);
    } else {
      refuse(value, layer, name.c_str());
    }
  }
  return options;
}

template <class Options>
void bind_convolution(nb::module_& m, const char* name, size_t dimensions,
                      tf::Tensor (*make)(const tf::Input&, int64_t, const std::vector<int64_t>&,
                                         const Options&)) {
  m.def((std::string("_") + name).c_str(),
        [=](nb::handle inputs, nb::handle filters, nb::handle kernel_size, nb::handle strides,
            nb::handle padding, nb::handle data_format, nb::handle dilation_rate, const nb::dict& rest) {
          auto options = layer_options<Options>((std::string("tf.layers.") + name).c_str(), rest);
          const int64_t number = PyFloat_Check(filters.ptr()) != 0 ? whole_number(filters) : as_int(filters);
          const std::vector<int64_t> size = sizes_of(kernel_size, "kernel_size", dimensions);
          options.strides = sizes_of(strides, "strides", dimensions);
          options.padding = as_text(padding);
          if (!data_format.is_none()) options.data_format = as_text(data_format);
          options.dilation_rate = sizes_of(dilation_rate, "dilation_rate", dimensions);
          return give(make(layer_input(inputs, name), number, size, options));
        },
        "inputs"_a, "filters"_a, "kernel_size"_a, "strides"_a, "padding"_a, "data_format"_a,
        "dilation_rate"_a, nb::arg("options"));
}

void bind_separable_convolution(nb::module_& m) {
  m.def(
      "_separable_conv2d",
      [](nb::handle inputs, nb::handle filters, nb::handle kernel_size, nb::handle strides,
         nb::handle padding, nb::handle data_format, nb::handle dilation_rate, nb::handle depth_multiplier,
         const nb::dict& kernels, const nb::dict& rest) {
        const auto common = layer_options<layers::ConvolutionOptions>("tf.layers.separable_conv2d", rest);
        layers::SeparableConvolutionOptions options{
            .strides = pair(strides, "strides"),
            .padding = as_text(padding),
            .dilation_rate = pair(dilation_rate, "dilation_rate"),
            .depth_multiplier = as_int(depth_multiplier),
            .activation = common.activation,
            .use_bias = common.use_bias,
            .depthwise_initializer = layer_initializer(nb::object(kernels["depthwise_initializer"])),
            .pointwise_initializer = layer_initializer(nb::object(kernels["pointwise_initializer"])),
            .bias_initializer = common.bias_initializer,
            .depthwise_regularizer = as_regularizer(nb::object(kernels["depthwise_regularizer"])),
            .pointwise_regularizer = as_regularizer(nb::object(kernels["pointwise_regularizer"])),
            .bias_regularizer = common.bias_regularizer,
            .activity_regularizer = common.activity_regularizer,
            .trainable = common.trainable,
            .name = common.name,
            .reuse = common.reuse};
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        return give(layers::separable_conv2d(layer_input(inputs, "separable_conv2d"), as_int(filters),
                                             pair(kernel_size, "kernel_size"), options));
      },
      "inputs"_a, "filters"_a, "kernel_size"_a, "strides"_a, "padding"_a, "data_format"_a, "dilation_rate"_a,
      "depth_multiplier"_a, nb::arg("kernels"), nb::arg("options"));
}

void bind_layers_with_variables(nb::module_& m) {
  m.def(
      "_dense",
      [](nb::handle inputs, nb::handle units, const nb::dict& given) {
        const auto options = layer_options<layers::DenseOptions>("tf.layers.dense", given);
        const int64_t number = whole_number(units);
        return give(layers::dense(layer_input(inputs, "dense"), number, options));
      },
      "inputs"_a, "units"_a, nb::arg("options"));
  bind_convolution<layers::Conv2dOptions>(m, "conv2d", 2, &layers::conv2d);
  bind_convolution<layers::ConvolutionOptions>(m, "conv1d", 1, &layers::conv1d);
  bind_convolution<layers::ConvolutionOptions>(m, "conv3d", 3, &layers::conv3d);
  bind_separable_convolution(m);
  m.def(
      "_conv2d_transpose",
      [](nb::handle inputs, nb::handle filters, nb::handle kernel_size, nb::handle strides,
         nb::handle padding, nb::handle data_format, const nb::dict& rest) {
        auto options = layer_options<layers::Conv2dTransposeOptions>("tf.layers.conv2d_transpose", rest);
        const std::vector<int64_t> size = pair(kernel_size, "kernel_size");
        options.strides = pair(strides, "strides");
        options.padding = as_text(padding);
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        return give(layers::conv2d_transpose(layer_input(inputs, "conv2d_transpose"), whole_number(filters),
                                             size, options));
      },
      "inputs"_a, "filters"_a, "kernel_size"_a, "strides"_a, "padding"_a, "data_format"_a,
      nb::arg("options"));
}

tf::Input rate_of(nb::handle rate) {
  const bool is_text = PyUnicode_Check(rate.ptr()) != 0;
  if (!rate.is_none() && !is_text) return as_input(rate);
  throw ValueError(fmt::format("`rate` must be a scalar or scalar tensor. Received: rate={}", shown(rate)));
}

void bind_batch_normalization(nb::module_& m) {
  m.def(
      "_batch_normalization",
      [](nb::handle inputs, nb::handle axis, Real momentum, Real epsilon, Flag center, Flag scale,
         nb::handle beta_initializer, nb::handle gamma_initializer, nb::handle moving_mean_initializer,
         nb::handle moving_variance_initializer, nb::handle beta_regularizer, nb::handle gamma_regularizer,
         nb::handle training, Flag trainable, nb::handle name, nb::handle reuse) {
        const bool one = is_one_integer(axis);
        layers::BatchNormalizationOptions options{
            .axis = as_int(one ? nb::borrow(axis) : nb::object(axis[0])),
            .momentum = momentum,
            .epsilon = epsilon,
            .center = center,
            .scale = scale,
            .beta_initializer = layer_initializer(beta_initializer),
            .gamma_initializer = layer_initializer(gamma_initializer),
            .moving_mean_initializer = layer_initializer(moving_mean_initializer),
            .moving_variance_initializer = layer_initializer(moving_variance_initializer),
            .beta_regularizer = as_regularizer(beta_regularizer),
            .gamma_regularizer = as_regularizer(gamma_regularizer),
            .training = training_of(training),
            .trainable = trainable,
            .name = layer_name(name),
            .reuse = reuse_of(reuse)};
        return give(layers::batch_normalization(layer_input(inputs, "batch_normalization"), options));
      },
      "inputs"_a, "axis"_a, "momentum"_a, "epsilon"_a, "center"_a, "scale"_a, "beta_initializer"_a,
      "gamma_initializer"_a, "moving_mean_initializer"_a, "moving_variance_initializer"_a,
      "beta_regularizer"_a, "gamma_regularizer"_a, "training"_a, "trainable"_a, "name"_a, "reuse"_a);
}

void bind_layers_without_variables(nb::module_& m) {
  const auto pool = [&](const char* name, size_t dimensions, auto make) {
    m.def(
        name,
        [make, name, dimensions](nb::handle inputs, nb::handle pool_size, nb::handle strides,
                                 nb::handle padding, nb::handle data_format, nb::handle node_name) {
          if (strides.is_none()) throw ValueError("Argument `strides` must not be None.");
          const std::vector<int64_t> size = sizes_of(pool_size, "pool_size", dimensions);
          layers::Pooling2dOptions options{.padding = as_text(padding), .name = layer_name(node_name)};
          if (!data_format.is_none()) options.data_format = as_text(data_format);
          return give(
              make(layer_input(inputs, name), size, sizes_of(strides, "strides", dimensions), options));
        },
        "inputs"_a, "pool_size"_a, "strides"_a, "padding"_a = "valid", "data_format"_a = "channels_last",
        "name"_a = nb::none());
  };
  pool("max_pooling1d", 1, &layers::max_pooling1d);
  pool("average_pooling1d", 1, &layers::average_pooling1d);
  pool("max_pooling2d", 2, &layers::max_pooling2d);
  pool("average_pooling2d", 2, &layers::average_pooling2d);
  pool("max_pooling3d", 3, &layers::max_pooling3d);
  pool("average_pooling3d", 3, &layers::average_pooling3d);
  m.def(
      "dropout",
      [](nb::handle inputs, nb::handle rate, nb::handle noise_shape, nb::handle seed, nb::handle training,
         nb::handle name) {
        layers::DropoutOptions options{.rate = rate_of(rate),
                                       .seed = as_optional_int(seed),
                                       .training = training_of(training),
                                       .name = layer_name(name)};
        if (!noise_shape.is_none()) options.noise_shape = as_shape(noise_shape);
        return give(layers::dropout(as_input(inputs), options));
      },
      "inputs"_a, "rate"_a = 0.5, "noise_shape"_a = nb::none(), "seed"_a = nb::none(), "training"_a = false,
      "name"_a = nb::none());
  m.def(
      "flatten",
      [](nb::handle inputs, nb::handle name, nb::handle data_format) {
        layers::FlattenOptions options{.name = layer_name(name)};
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        return give(layers::flatten(layer_input(inputs, "flatten"), options));
      },
      "inputs"_a, "name"_a = nb::none(), "data_format"_a = "channels_last");
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
  return [object = nb::borrow(object)](const tf::Variable& variable) {
    const nb::object loss = object(nb::cast(variable));
    return loss.is_none() ? tf::Tensor() : tf::convert_to_tensor(as_input(loss));
  };
}

tf::layers::Activation activation_of(nb::handle object) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) != 0) return tf::layers::activation(as_text(object));
  if (PyCallable_Check(object.ptr()) == 0)
    throw TypeError("Could not interpret activation function identifier: " + shown(object));
  return [object = nb::borrow(object)](const tf::Tensor& x) {
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

void bind_layers(nb::module_& m) {
  nb::module_ layers_module = m.def_submodule("layers");
  bind_layers_with_variables(layers_module);
  bind_batch_normalization(layers_module);
  bind_layers_without_variables(layers_module);
}

}  // namespace flowray::python
