/// tf.keras: layers, models and their training. flowray/tf/keras has the classes that programs see.

#include "native/convert/released_lock.h"
#include "native/layers/layer_arguments.h"

#include <flowray/tf/keras.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>

namespace flowray::python {

namespace keras = tf::keras;
namespace layers = tf::keras::layers;

FLOWRAY_FIELDS(layers::DenseOptions, activation, use_bias, kernel_initializer, bias_initializer, input_shape,
               name)
FLOWRAY_FIELDS(layers::Conv2DOptions, strides, padding, dilation_rate, activation, use_bias,
               kernel_initializer, bias_initializer, input_shape, name)
FLOWRAY_FIELDS(layers::Pooling2DOptions, pool_size, strides, padding, name)
FLOWRAY_FIELDS(layers::ShapedOptions, input_shape, name)
FLOWRAY_FIELDS(layers::DropoutOptions, seed, name)
FLOWRAY_FIELDS(layers::BatchNormalizationOptions, momentum, epsilon, center, scale, name)
FLOWRAY_FIELDS(layers::EmbeddingOptions, embeddings_initializer, input_length, name)
FLOWRAY_FIELDS(keras::optimizers::SGDOptions, learning_rate, momentum, nesterov)
FLOWRAY_FIELDS(keras::optimizers::AdamOptions, learning_rate, beta_1, beta_2, epsilon)
FLOWRAY_FIELDS(keras::optimizers::RMSpropOptions, learning_rate, rho, epsilon)
FLOWRAY_FIELDS(keras::optimizers::AdagradOptions, learning_rate, initial_accumulator_value, epsilon)

template <>
inline constexpr auto kFrom<keras::Activation> =
    +[](nb::handle object) { return keras::Activation(activation_of(object)); };

namespace {

using keras::Logs;
using keras::Sequential;

Argument initializer(const char* name) { return converted(name, &layer_initializer); }

/// A name, or a function of true and predicted values.
keras::ScoreFunction score_of(nb::handle object) {
  if (PyUnicode_Check(object.ptr()) != 0) return as_text(object);
  if (PyCallable_Check(object.ptr()) == 0)
    throw TypeError(std::string("Could not interpret loss or metric identifier: ") +
                    nb::repr(object).c_str());
  const std::string name = as_text(nb::object(nb::getattr(object, "__name__", nb::str("metric"))));
  return {name, [function = nb::borrow(object)](const tf::Tensor& y_true, const tf::Tensor& y_pred) {
            return tf::convert_to_tensor(as_input(nb::object(function(give(y_true), give(y_pred)))));
          }};
}

/// A name, what tf.keras.optimizers makes, or one of tf.train.
keras::OptimizerArgument optimizer_of(nb::handle object) {
  if (PyUnicode_Check(object.ptr()) != 0) return as_text(object);
  if (nb::isinstance<keras::OptimizerArgument>(object)) return nb::cast<keras::OptimizerArgument>(object);
  if (nb::isinstance<tf::train::Optimizer>(object)) {
    // The Python object is kept, and the rule with it.
    auto* const optimizer = nb::cast<tf::train::Optimizer*>(object);
    return std::shared_ptr<tf::train::Optimizer>(optimizer,
                                                 [kept = nb::borrow(object)](tf::train::Optimizer*) mutable {
                                                   const nb::gil_scoped_acquire lock;
                                                   kept.reset();
                                                 });
  }
  throw ValueError(std::string("Could not interpret optimizer identifier: ") + nb::repr(object).c_str());
}

nb::dict dict_of(const Logs& logs) {
  nb::dict dict;
  for (const auto& [name, value] : logs) dict[name.c_str()] = value;
  return dict;
}

/// Tells an object of Python's what happens; it has the methods of tf.keras.callbacks.Callback.
class PythonCallback final : public keras::Callback {
 public:
  explicit PythonCallback(nb::object object)
      : object_(std::move(object)),
        hears_batches_(nb::cast<bool>(nb::getattr(object_, "_hears_batches", nb::bool_(true)))) {}
  ~PythonCallback() override {
    const nb::gil_scoped_acquire lock;
    object_.reset();
  }
  void on_train_begin() override { call("on_train_begin"); }
  void on_train_end() override { call("on_train_end"); }
  void on_epoch_begin(int64_t epoch) override { call("on_epoch_begin", epoch); }
  void on_epoch_end(int64_t epoch, const Logs& logs) override { call("on_epoch_end", epoch, logs); }
  void on_batch_begin(int64_t batch) override {
    if (hears_batches_) call("on_batch_begin", batch);
  }
  void on_batch_end(int64_t batch, const Logs& logs) override {
    if (hears_batches_) call("on_batch_end", batch, logs);
  }

 private:
  /// None of them changes what training goes on with, so a KeyboardInterrupt passes through.
  template <class... Values>
  void call(const char* method, const Values&... values) {
    const nb::gil_scoped_acquire lock;
    object_.attr(method)(argument(values)...);
  }
  static nb::object argument(int64_t number) { return nb::cast(number); }
  static nb::object argument(const Logs& logs) { return dict_of(logs); }

  nb::object object_;
  const bool hears_batches_;  // most do not, and a call takes longer than a small step
};

std::vector<std::shared_ptr<keras::Callback>> callbacks_of(nb::handle list) {
  std::vector<std::shared_ptr<keras::Callback>> callbacks;
  for (nb::handle item : list) callbacks.push_back(std::make_shared<PythonCallback>(nb::borrow(item)));
  return callbacks;
}

/// Shuffles as a function of NumPy's does.
void order_by(const nb::object& shuffle, std::vector<int64_t>& numbers) {
  const nb::gil_scoped_acquire lock;
  const nb::object array = give_array(Array(numbers));
  const nb::object own = nb::module_::import_("numpy").attr("array")(array);
  shuffle(own);
  const Array shuffled = as_array(own, DType::kInt64);
  numbers.assign(shuffled.data<int64_t>(), shuffled.data<int64_t>() + shuffled.size());
}

std::optional<Array> optional_array(nb::handle object) {
  if (object.is_none()) return {};
  return as_array(object);
}

/// `validation`: None or a pair. `shuffle`: None or a function that shuffles an array in place.
void fit(Sequential& model, nb::handle x, nb::handle y, int64_t batch_size, int64_t epochs, int64_t verbose,
         nb::handle callbacks, double validation_split, nb::handle validation, nb::handle shuffle,
         nb::handle sample_weight, int64_t initial_epoch, nb::handle write) {
  keras::FitOptions options{.batch_size = batch_size,
                            .epochs = epochs,
                            .verbose = static_cast<int>(verbose),
                            .callbacks = callbacks_of(callbacks),
                            .validation_split = validation_split,
                            .shuffle = !shuffle.is_none(),
                            .sample_weight = optional_array(sample_weight),
                            .initial_epoch = initial_epoch};
  if (!validation.is_none())
    options.validation_data =
        std::pair(as_array(nb::object(validation[0])), as_array(nb::object(validation[1])));
  options.order = [shuffle](std::vector<int64_t>& numbers) { order_by(nb::borrow(shuffle), numbers); };
  options.write = [write](const std::string& text) {
    const nb::gil_scoped_acquire lock;
    nb::borrow(write)(nb::str(text.c_str()));
  };
  const Array inputs = as_array(x);
  const Array targets = as_array(y);
  model.prepare(inputs, targets, options.sample_weight);  // calls functions of Python's, and needs the lock
  if (options.validation_data.has_value() || validation_split > 0) {
    model.prepare(inputs, targets, {}, /*training=*/false);
    if (options.sample_weight.has_value())
      model.prepare(inputs, targets, options.sample_weight, /*training=*/false);
  }
  without_lock([&] { (void)model.fit(inputs, targets, options); });
}

nb::list list_of(const std::vector<double>& numbers) {
  nb::list list;
  for (const double number : numbers) list.append(number);
  return list;
}

void bind_layer_classes(nb::module_& m) {
  using tf::keras::Layer;
  nb::class_<Layer> layer(m, "Layer", nb::dynamic_attr(), docstring_of("keras.Layer"));
  bind_method(layer, "__call__",
              [](Layer& self, const tf::Tensor& inputs, bool training) { return self(inputs, training); },
              {"inputs", {"training", false}});
  layer.def_prop_ro("name", &Layer::name)
      .def_prop_rw("trainable", &Layer::trainable, &Layer::set_trainable)
      .def_prop_ro("built", &Layer::built)
      .def_prop_ro("weights", [](const Layer& self) { return give_result(self.weights()); })
      .def_prop_ro("trainable_weights",
                   [](const Layer& self) { return give_result(self.trainable_weights()); })
      .def_prop_ro("non_trainable_weights",
                   [](const Layer& self) { return give_result(self.non_trainable_weights()); })
      .def("count_params", [](const Layer& self) { return self.count_params(); });
  nb::class_<layers::Dense, Layer> dense(m, "Dense");
  bind_constructor_of<layers::Dense, int64_t, layers::DenseOptions>(
      dense, {"units", "activation", "use_bias", initializer("kernel_initializer"),
              initializer("bias_initializer"), "input_shape", "name"});
  nb::class_<layers::Conv2D, Layer> conv2d(m, "Conv2D");
  bind_constructor_of<layers::Conv2D, int64_t, std::vector<int64_t>, layers::Conv2DOptions>(
      conv2d, {"filters", "kernel_size", "strides", "padding", "dilation_rate", "activation", "use_bias",
               initializer("kernel_initializer"), initializer("bias_initializer"), "input_shape", "name"});
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
      embedding, {"input_dim", "output_dim", initializer("embeddings_initializer"), "input_length", "name"});
}

void bind_scores(nb::module_& losses, nb::module_& metrics) {
  bind(losses, "mean_squared_error", &keras::losses::mean_squared_error, {"y_true", "y_pred"});
  bind(losses, "mean_absolute_error", &keras::losses::mean_absolute_error, {"y_true", "y_pred"});
  bind(losses, "categorical_crossentropy", &keras::losses::categorical_crossentropy, {"y_true", "y_pred"});
  bind(losses, "sparse_categorical_crossentropy", &keras::losses::sparse_categorical_crossentropy,
       {"y_true", "y_pred"});
  bind(losses, "binary_crossentropy", &keras::losses::binary_crossentropy, {"y_true", "y_pred"});
  bind(losses, "hinge", &keras::losses::hinge, {"y_true", "y_pred"});
  bind(metrics, "categorical_accuracy", &keras::metrics::categorical_accuracy, {"y_true", "y_pred"});
  bind(metrics, "sparse_categorical_accuracy", &keras::metrics::sparse_categorical_accuracy,
       {"y_true", "y_pred"});
  bind(metrics, "binary_accuracy", &keras::metrics::binary_accuracy, {"y_true", "y_pred"});
}

void bind_optimizer_rules(nb::module_& m) {
  nb::class_<keras::OptimizerArgument>(m, "Optimizer");
  bind(m, "SGD", &keras::optimizers::SGD, {"learning_rate", "momentum", "nesterov"});
  bind(m, "Adam", &keras::optimizers::Adam, {"learning_rate", "beta_1", "beta_2", "epsilon"});
  bind(m, "RMSprop", &keras::optimizers::RMSprop, {"learning_rate", "rho", "epsilon"});
  bind(m, "Adagrad", &keras::optimizers::Adagrad, {"learning_rate", "initial_accumulator_value", "epsilon"});
}

void bind_model(nb::module_& m) {
  nb::class_<Sequential> model(m, "Model", nb::dynamic_attr());
  model.def(nb::init<>())
      .def(nb::init<const std::string&>())
      .def("_add", [](Sequential& self, std::shared_ptr<keras::Layer> layer) { self.add(std::move(layer)); })
      .def_prop_ro("name", &Sequential::name)
      .def_prop_ro("built", &Sequential::built)
      .def_rw("stop_training", &Sequential::stop_training)
      .def_prop_ro("metrics_names", [](const Sequential& self) { return give_result(self.metrics_names()); })
      .def_prop_ro("weights", [](const Sequential& self) { return give_result(self.weights()); })
      .def_prop_ro("trainable_weights",
                   [](const Sequential& self) { return give_result(self.trainable_weights()); })
      .def_prop_ro("non_trainable_weights",
                   [](const Sequential& self) { return give_result(self.non_trainable_weights()); })
      .def("count_params", [](const Sequential& self) { return self.count_params(); })
      .def("_summary", [](const Sequential& self) { return self.summary(); });
  bind_method(model, "_build", &Sequential::build, {"input_shape"});
  bind_method(
      model, "__call__",
      [](Sequential& self, const tf::Tensor& inputs, bool training) { return self(inputs, training); },
      {"inputs", {"training", false}});
  bind_method(model, "_compile",
              [](Sequential& self, nb::handle optimizer, nb::handle loss, nb::handle metrics) {
                keras::CompileOptions options{.optimizer = optimizer_of(optimizer), .loss = score_of(loss)};
                for (nb::handle metric : metrics) options.metrics.push_back(score_of(metric));
                self.compile(options);
              },
              {"optimizer", "loss", "metrics"});
  bind_method(model, "_fit", &fit,
              {"x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split",
               "validation_data", "shuffle", "sample_weight", "initial_epoch", "write"});
  bind_method(model, "_evaluate",
              [](Sequential& self, nb::handle x, nb::handle y, int64_t batch_size, nb::handle sample_weight) {
                const Array inputs = as_array(x);
                const Array targets = as_array(y);
                const keras::EvaluateOptions options{batch_size, optional_array(sample_weight)};
                self.prepare(inputs, targets, options.sample_weight, /*training=*/false);
                return list_of(without_lock([&] { return self.evaluate(inputs, targets, options); }));
              },
              {"x", "y", "batch_size", "sample_weight"});
  bind_method(model, "_step",
              [](Sequential& self, nb::handle x, nb::handle y, nb::handle sample_weight, bool training) {
                const Array inputs = as_array(x);
                const Array targets = as_array(y);
                const std::optional<Array> weights = optional_array(sample_weight);
                self.prepare(inputs, targets, weights, training);
                return list_of(without_lock([&] {
                  return training ? self.train_on_batch(inputs, targets, weights)
                                  : self.test_on_batch(inputs, targets, weights);
                }));
              },
              {"x", "y", "sample_weight", "training"});
  model
      .def("_predict",
           [](Sequential& self, nb::handle x, int64_t batch_size) {
             const Array inputs = as_array(x);
             self.prepare_predict(inputs);
             return give_array(without_lock([&] { return self.predict(inputs, batch_size); }));
           })
      .def("_get_weights",
           [](Sequential& self) {
             nb::list list;
             for (Array& weight : self.get_weights()) list.append(give_array(std::move(weight)));
             return list;
           })
      .def("_set_weights", [](Sequential& self, nb::handle weights) {
        std::vector<Array> arrays;
        for (nb::handle weight : weights) arrays.push_back(as_array(weight));
        self.set_weights(arrays);
      });
}

}  // namespace

void bind_keras(nb::module_& m) {
  nb::module_ keras_module = m.def_submodule("keras");
  bind_layer_classes(keras_module);
  nb::module_ losses = keras_module.def_submodule("losses");
  nb::module_ metrics = keras_module.def_submodule("metrics");
  bind_scores(losses, metrics);
  nb::module_ optimizers = keras_module.def_submodule("optimizers");
  bind_optimizer_rules(optimizers);
  bind_model(keras_module);
}

}  // namespace flowray::python
