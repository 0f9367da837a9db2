/// tf.layers, tf.losses, and the learning rates of tf.train.

#include "convert.h"
#include "layer_arguments.h"

#include <flowray/tf/layers.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/metrics.h>

#include <fmt/format.h>

#include <string>

namespace flowray::python {
namespace {

namespace layers = tf::layers;
namespace losses = tf::losses;

auto none(const char* name) { return nb::arg(name).none() = nb::none(); }

std::string shown(nb::handle object) { return nb::str(object).c_str(); }

/// Rows and columns: one number for both, or two of them.
std::vector<int64_t> pair(nb::handle object, const char* argument) {
  const auto refuse_it = [&] {
    throw ValueError(fmt::format("The `{}` argument must be a tuple of 2 integers. Received: {}", argument,
                                 shown(object)));
  };
  if (is_one_integer(object)) return {as_int(object)};
  std::vector<int64_t> sizes;
  if (PyUnicode_Check(object.ptr()) != 0 || PySequence_Check(object.ptr()) == 0) refuse_it();
  for (nb::handle item : object) {
    if (!is_one_integer(item)) refuse_it();
    sizes.push_back(as_int(item));
  }
  if (sizes.size() != 2) refuse_it();
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

void bind_layers_with_variables(nb::module_& m) {
  m.def(
      "_dense",
      [](nb::handle inputs, nb::handle units, const nb::dict& given) {
        const auto options = layer_options<layers::DenseOptions>("tf.layers.dense", given);
        const int64_t number = whole_number(units);
        return give(layers::dense(layer_input(inputs, "dense"), number, options));
      },
      "inputs"_a, "units"_a, nb::arg("options"));
  m.def(
      "_conv2d",
      [](nb::handle inputs, nb::handle filters, nb::handle kernel_size, nb::handle strides,
         nb::handle padding, nb::handle data_format, nb::handle dilation_rate, const nb::dict& rest) {
        auto options = layer_options<layers::Conv2dOptions>("tf.layers.conv2d", rest);
        const int64_t number = PyFloat_Check(filters.ptr()) != 0 ? whole_number(filters) : as_int(filters);
        const std::vector<int64_t> size = pair(kernel_size, "kernel_size");
        options.strides = pair(strides, "strides");
        options.padding = as_text(padding);
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        options.dilation_rate = pair(dilation_rate, "dilation_rate");
        return give(layers::conv2d(layer_input(inputs, "conv2d"), number, size, options));
      },
      "inputs"_a, "filters"_a, "kernel_size"_a, "strides"_a, "padding"_a, "data_format"_a, "dilation_rate"_a,
      nb::arg("options"));
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
  const auto pool = [&](const char* name, auto make) {
    m.def(
        name,
        [make, name](nb::handle inputs, nb::handle pool_size, nb::handle strides, nb::handle padding,
                     nb::handle data_format, nb::handle node_name) {
          if (strides.is_none()) throw ValueError("Argument `strides` must not be None.");
          const std::vector<int64_t> size = pair(pool_size, "pool_size");
          layers::Pooling2dOptions options{.padding = as_text(padding), .name = layer_name(node_name)};
          if (!data_format.is_none()) options.data_format = as_text(data_format);
          return give(make(layer_input(inputs, name), size, pair(strides, "strides"), options));
        },
        "inputs"_a, "pool_size"_a, "strides"_a, "padding"_a = "valid", "data_format"_a = "channels_last",
        "name"_a = nb::none());
  };
  pool("max_pooling2d", &layers::max_pooling2d);
  pool("average_pooling2d", &layers::average_pooling2d);
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

/// The arguments that losses cannot do without.
tf::Input given(nb::handle object, const char* name) {
  if (object.is_none()) throw ValueError(fmt::format("Argument `{}` must not be None.", name));
  return as_input(object);
}

/// The options of all losses, by keyword; of those that are smoothed, too.
template <class Options>
Options loss_options(nb::handle weights, nb::handle scope, nb::handle collection, nb::handle reduction) {
  Options options;
  if (!weights.is_none()) options.weights = as_input(weights);
  options.scope = as_text(scope);
  options.loss_collection = as_text(collection);
  options.reduction = PyUnicode_Check(reduction.ptr()) != 0 ? as_text(reduction) : nb::str(reduction).c_str();
  return options;
}

void refuse_no_weights(nb::handle weights) {
  if (weights.is_none()) throw ValueError("None values not supported.");
}

void bind_plain_losses(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const losses::LossOptions&);
  const auto loss = [&](const char* name, const char* labels_name, const char* predictions_name, Make make) {
    m.def(
        name,
        [=](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle scope,
            nb::handle collection, nb::handle reduction) {
          const tf::Input wanted = given(labels, labels_name);
          const tf::Input guessed = given(predictions, predictions_name);
          refuse_no_weights(weights);
          return give(make(wanted, guessed,
                           loss_options<losses::LossOptions>(weights, scope, collection, reduction)));
        },
        nb::arg(labels_name).none(), nb::arg(predictions_name).none(), nb::arg("weights").none() = 1.0,
        none("scope"), nb::arg("loss_collection").none() = "losses",
        nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  };
  loss("absolute_difference", "labels", "predictions", &losses::absolute_difference);
  loss("mean_squared_error", "labels", "predictions", &losses::mean_squared_error);
  loss("sparse_softmax_cross_entropy", "labels", "logits", &losses::sparse_softmax_cross_entropy);
}

void bind_smoothed_losses(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const losses::SmoothedLossOptions&);
  const auto loss = [&](const char* name, const char* labels_name, Make make) {
    m.def(
        name,
        [=](nb::handle labels, nb::handle logits, nb::handle weights, nb::handle label_smoothing,
            nb::handle scope, nb::handle collection, nb::handle reduction) {
          const tf::Input wanted = given(labels, labels_name);
          const tf::Input guessed = given(logits, "logits");
          refuse_no_weights(weights);
          auto options = loss_options<losses::SmoothedLossOptions>(weights, scope, collection, reduction);
          options.label_smoothing = as_float(label_smoothing);
          return give(make(wanted, guessed, options));
        },
        nb::arg(labels_name).none(), nb::arg("logits").none(), nb::arg("weights").none() = 1.0,
        nb::arg("label_smoothing").none() = 0, none("scope"), nb::arg("loss_collection").none() = "losses",
        nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  };
  loss("softmax_cross_entropy", "onehot_labels", &losses::softmax_cross_entropy);
  loss("sigmoid_cross_entropy", "multi_class_labels", &losses::sigmoid_cross_entropy);
  m.def(
      "compute_weighted_loss",
      [](nb::handle values, nb::handle weights, nb::handle scope, nb::handle collection,
         nb::handle reduction) {
        refuse_no_weights(weights);
        return give(losses::compute_weighted_loss(
            as_input(values), loss_options<losses::LossOptions>(weights, scope, collection, reduction)));
      },
      nb::arg("losses").none(), nb::arg("weights").none() = 1.0, none("scope"),
      nb::arg("loss_collection").none() = "losses",
      nb::arg("reduction").none() = losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
}

void bind_losses_of_graph(nb::module_& m) {
  m.def(
      "get_losses",
      [](nb::handle scope, nb::handle collection) {
        return give(losses::get_losses(as_text(scope), as_text(collection)));
      },
      none("scope"), nb::arg("loss_collection").none() = "losses");
  m.def(
      "get_regularization_losses",
      [](nb::handle scope) { return give(losses::get_regularization_losses(as_text(scope))); },
      none("scope"));
  m.def(
      "get_regularization_loss",
      [](nb::handle scope, nb::handle name) {
        return give(losses::get_regularization_loss({.scope = as_text(scope), .name = as_text(name)}));
      },
      none("scope"), nb::arg("name").none() = "total_regularization_loss");
  m.def(
      "get_total_loss",
      [](nb::handle regularization, nb::handle name, nb::handle scope) {
        return give(losses::get_total_loss({.add_regularization_losses = as_bool(regularization),
                                            .name = as_text(name),
                                            .scope = as_text(scope)}));
      },
      nb::arg("add_regularization_losses").none() = true, nb::arg("name").none() = "total_loss",
      none("scope"));
  nb::object reduction = nb::module_::import_("types").attr("SimpleNamespace")();
  const auto word = [&](const char* name, const char* value) { reduction.attr(name) = value; };
  word("NONE", losses::Reduction::NONE);
  word("SUM", losses::Reduction::SUM);
  word("MEAN", losses::Reduction::MEAN);
  word("SUM_OVER_BATCH_SIZE", losses::Reduction::SUM_OVER_BATCH_SIZE);
  word("SUM_OVER_NONZERO_WEIGHTS", losses::Reduction::SUM_OVER_NONZERO_WEIGHTS);
  word("SUM_BY_NONZERO_WEIGHTS", losses::Reduction::SUM_BY_NONZERO_WEIGHTS);
  m.attr("Reduction") = reduction;
}

void bind_metrics(nb::module_& m) {
  const auto only_plain = [](const char* function, nb::handle weights, nb::handle of_metrics,
                             nb::handle of_updates) {
    refuse(weights, function, "weights");
    refuse(of_metrics, function, "metrics_collections");
    refuse(of_updates, function, "updates_collections");
  };
  const auto both = [](const tf::metrics::Metric& metric) {
    return nb::make_tuple(give(metric.value), give(metric.update));
  };
  m.def(
      "mean",
      [=](nb::handle values, nb::handle weights, nb::handle of_metrics, nb::handle of_updates,
          nb::handle name) {
        only_plain("tf.metrics.mean", weights, of_metrics, of_updates);
        return both(tf::metrics::mean(as_input(values), {as_text(name)}));
      },
      "values"_a, none("weights"), none("metrics_collections"), none("updates_collections"), none("name"),
      "The mean of all steps until now, and what takes a step's values in.");
  m.def(
      "accuracy",
      [=](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle of_metrics,
          nb::handle of_updates, nb::handle name) {
        only_plain("tf.metrics.accuracy", weights, of_metrics, of_updates);
        return both(tf::metrics::accuracy(as_input(labels), as_input(predictions), {as_text(name)}));
      },
      "labels"_a, "predictions"_a, none("weights"), none("metrics_collections"), none("updates_collections"),
      none("name"),
      "How many predictions were right in all steps until now, of all, and what takes a step's in.");
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

void bind_layers_and_losses(nb::module_& m) {
  nb::module_ layers_module = m.def_submodule("layers");
  bind_layers_with_variables(layers_module);
  bind_batch_normalization(layers_module);
  bind_layers_without_variables(layers_module);
  nb::module_ losses_module = m.def_submodule("losses");
  bind_plain_losses(losses_module);
  bind_smoothed_losses(losses_module);
  bind_losses_of_graph(losses_module);
  nb::module_ metrics_module = m.def_submodule("metrics");
  bind_metrics(metrics_module);
}

}  // namespace flowray::python
