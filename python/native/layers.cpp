/// tf.layers, tf.losses, and the learning rates of tf.train.

#include "convert.h"

#include <flowray/tf/layers.h>
#include <flowray/tf/learning_rates.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/metrics.h>

#include <string>

namespace flowray::python {
namespace {

namespace layers = tf::layers;
namespace losses = tf::losses;

auto none(const char* name) { return nb::arg(name).none() = nb::none(); }

/// One number, or a list of them.
std::vector<int64_t> numbers(nb::handle object) {
  if (is_one_integer(object)) return {as_int(object)};
  return as_ints(object);
}

layers::Activation activation_of(nb::handle object) {
  if (object.is_none()) return {};
  return [object = nb::borrow(object)](const tf::Tensor& x) {
    return tf::convert_to_tensor(as_input(nb::object(object(give(x)))));
  };
}

tf::Reuse reuse_of(nb::handle reuse) {
  if (PyUnicode_Check(reuse.ptr()) != 0) return tf::AUTO_REUSE;
  return !reuse.is_none() && as_bool(reuse) ? tf::Reuse(true) : tf::Reuse(tf::Reuse::Mode::kInherit);
}

/// What layers with variables have in common; their other arguments are not there yet.
template <class Options>
Options layer_options(const char* layer, const nb::kwargs& given) {
  Options options;
  for (auto [key, value] : given) {
    const std::string name = as_text(key);
    if (name == "activation") {
      options.activation = activation_of(value);
    } else if (name == "use_bias") {
      options.use_bias = as_bool(value);
    } else if (name == "kernel_initializer") {
      options.kernel_initializer = as_initializer(value);
    } else if (name == "bias_initializer") {
      options.bias_initializer = as_initializer(value);
    } else if (name == "trainable") {
      options.trainable = as_bool(value);
    } else if (name == "name") {
      options.name = as_text(value);
    } else if (name == "reuse") {
      options.reuse = reuse_of(value);
    } else {
      refuse(value, layer, name.c_str());
    }
  }
  return options;
}

void bind_layers(nb::module_& m) {
  m.def("_dense", [](nb::handle inputs, nb::handle units, nb::kwargs options) {
    return give(layers::dense(as_input(inputs), as_int(units),
                              layer_options<layers::DenseOptions>("tf.layers.dense", options)));
  });
  m.def("_conv2d", [](nb::handle inputs, nb::handle filters, nb::handle kernel_size, nb::handle strides,
                      nb::handle padding, nb::handle dilation_rate, nb::kwargs rest) {
    auto options = layer_options<layers::Conv2dOptions>("tf.layers.conv2d", rest);
    options.strides = numbers(strides);
    options.padding = as_text(padding);
    options.dilation_rate = numbers(dilation_rate);
    return give(layers::conv2d(as_input(inputs), as_int(filters), numbers(kernel_size), options));
  });
  const auto pool = [&](const char* name, auto make) {
    m.def(
        name,
        [make](nb::handle inputs, nb::handle pool_size, nb::handle strides, nb::handle padding,
               nb::handle data_format, nb::handle node_name) {
          if (as_text(data_format) != "channels_last") refuse(data_format, "tf.layers", "data_format");
          return give(make(as_input(inputs), numbers(pool_size), numbers(strides),
                           layers::Pooling2dOptions{as_text(padding), as_text(node_name)}));
        },
        "inputs"_a, "pool_size"_a, "strides"_a, "padding"_a = "valid", "data_format"_a = "channels_last",
        none("name"));
  };
  pool("max_pooling2d", &layers::max_pooling2d);
  pool("average_pooling2d", &layers::average_pooling2d);
  m.def(
      "dropout",
      [](nb::handle inputs, nb::handle rate, nb::handle noise_shape, nb::handle seed, nb::handle training,
         nb::handle name) {
        layers::DropoutOptions options{.rate = as_input(rate),
                                       .seed = as_optional_int(seed),
                                       .training = as_input(training),
                                       .name = as_text(name)};
        if (!noise_shape.is_none()) options.noise_shape = as_input(noise_shape);
        return give(layers::dropout(as_input(inputs), options));
      },
      "inputs"_a, "rate"_a = 0.5, none("noise_shape"), none("seed"), "training"_a = false, none("name"));
  m.def(
      "flatten",
      [](nb::handle inputs, nb::handle name, nb::handle data_format) {
        if (as_text(data_format) != "channels_last") refuse(data_format, "tf.layers.flatten", "data_format");
        return give(layers::flatten(as_input(inputs), {as_text(name)}));
      },
      "inputs"_a, none("name"), "data_format"_a = "channels_last");
}

void bind_losses(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const losses::LossOptions&);
  const auto options_of = [](nb::handle weights, nb::handle scope, nb::handle collection) {
    return losses::LossOptions{as_input(weights), as_text(scope), as_text(collection)};
  };
  const auto loss = [&](const char* name, const char* labels_name, const char* predictions_name, Make make) {
    m.def(
        name,
        [make, options_of](nb::handle labels, nb::handle predictions, nb::handle weights, nb::handle scope,
                           nb::handle collection) {
          return give(make(as_input(labels), as_input(predictions), options_of(weights, scope, collection)));
        },
        nb::arg(labels_name), nb::arg(predictions_name), "weights"_a = 1.0, none("scope"),
        nb::arg("loss_collection").none() = "losses");
  };
  loss("absolute_difference", "labels", "predictions", &losses::absolute_difference);
  loss("mean_squared_error", "labels", "predictions", &losses::mean_squared_error);
  loss("sparse_softmax_cross_entropy", "labels", "logits", &losses::sparse_softmax_cross_entropy);
  const auto smoothed = [&](const char* name, const char* labels_name, Make make) {
    m.def(
        name,
        [make, options_of](nb::handle labels, nb::handle logits, nb::handle weights, double label_smoothing,
                           nb::handle scope, nb::handle collection) {
          if (label_smoothing != 0.0) refuse(nb::cast(label_smoothing), "tf.losses", "label_smoothing");
          return give(make(as_input(labels), as_input(logits), options_of(weights, scope, collection)));
        },
        nb::arg(labels_name), "logits"_a, "weights"_a = 1.0, "label_smoothing"_a = 0.0, none("scope"),
        nb::arg("loss_collection").none() = "losses");
  };
  smoothed("softmax_cross_entropy", "onehot_labels", &losses::softmax_cross_entropy);
  smoothed("sigmoid_cross_entropy", "multi_class_labels", &losses::sigmoid_cross_entropy);
  m.def(
      "compute_weighted_loss",
      [options_of](nb::handle values, nb::handle weights, nb::handle scope, nb::handle collection) {
        return give(losses::compute_weighted_loss(as_input(values), options_of(weights, scope, collection)));
      },
      "losses"_a, "weights"_a = 1.0, none("scope"), nb::arg("loss_collection").none() = "losses");
  m.def(
      "get_losses",
      [](nb::handle scope, nb::handle collection) {
        return give(losses::get_losses(as_text(scope), as_text(collection)));
      },
      none("scope"), "loss_collection"_a = "losses");
  m.def(
      "get_total_loss", [](bool, nb::handle name) { return give(losses::get_total_loss({as_text(name)})); },
      "add_regularization_losses"_a = true, "name"_a = "total_loss");
}

void bind_learning_rates(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&, const tf::Input&,
                              const tf::train::DecayOptions&);
  const auto decay = [&](const char* name, Make make) {
    m.def(
        name,
        [make](nb::handle rate, nb::handle step, nb::handle steps, nb::handle decay_rate, bool staircase,
               nb::handle node_name) {
          return give(make(as_input(rate), as_input(step), as_input(steps), as_input(decay_rate),
                           {staircase, as_text(node_name)}));
        },
        "learning_rate"_a, "global_step"_a, "decay_steps"_a, "decay_rate"_a, "staircase"_a = false,
        none("name"));
  };
  decay("exponential_decay", &tf::train::exponential_decay);
  decay("natural_exp_decay", &tf::train::natural_exp_decay);
  decay("inverse_time_decay", &tf::train::inverse_time_decay);
  m.def(
      "polynomial_decay",
      [](nb::handle rate, nb::handle step, nb::handle steps, nb::handle end, nb::handle power, bool cycle,
         nb::handle name) {
        return give(tf::train::polynomial_decay(as_input(rate), as_input(step), as_input(steps),
                                                {as_input(end), as_input(power), cycle, as_text(name)}));
      },
      "learning_rate"_a, "global_step"_a, "decay_steps"_a, "end_learning_rate"_a = 0.0001, "power"_a = 1.0,
      "cycle"_a = false, none("name"));
  m.def(
      "piecewise_constant",
      [](nb::handle x, nb::handle boundaries, nb::handle values, nb::handle name) {
        return give(tf::train::piecewise_constant(as_input(x), as_inputs(boundaries), as_inputs(values),
                                                  {as_text(name)}));
      },
      "x"_a, "boundaries"_a, "values"_a, none("name"));
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

void bind_layers_and_losses(nb::module_& m, nb::module_& train) {
  nb::module_ layers_module = m.def_submodule("layers");
  bind_layers(layers_module);
  nb::module_ losses_module = m.def_submodule("losses");
  bind_losses(losses_module);
  nb::module_ metrics_module = m.def_submodule("metrics");
  bind_metrics(metrics_module);
  bind_learning_rates(train);
}

}  // namespace flowray::python
