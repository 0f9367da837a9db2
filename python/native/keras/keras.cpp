/// tf.keras: layers, models and their training. flowray/tf/keras has the classes that programs see.

#include "native/convert/kept_object.h"
#include "native/convert/released_lock.h"
#include "native/graph/indexed_slices.h"
#include "native/keras/keras_arguments.h"
#include "native/keras/own_layers.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/training.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace flowray::python {

/// The innermost session that Python has made the default one, for none; null where there is none.
tf::Session* session_of_object(nb::handle object);
tf::Graph graph_of_object(nb::handle object);

namespace keras = tf::keras;

namespace {

using keras::Layer;
using keras::Logs;
using keras::Model;
using keras::Sequential;

/// What only the language itself sees of a model.
class StateOfModel : public Model {
 public:
  static State& of(const Model& model) { return *(model.*(&StateOfModel::model_)); }
};

/// For as long as this lives Python's default session is the language's, if it is one of this graph: models
/// run in it.
class InDefaultSession {
 public:
  explicit InDefaultSession(const tf::Graph& graph) {
    tf::Session* const session = session_of_object(nb::none());
    if (session != nullptr && session->graph() == graph) scope_.emplace(*session);
  }
  explicit InDefaultSession(const Model& model) : InDefaultSession(StateOfModel::of(model).graph) {}

 private:
  std::optional<tf::SessionScope> scope_;
};

/// A name, or a function of true and predicted values.
keras::ScoreFunction score_of(nb::handle object) {
  if (PyUnicode_Check(object.ptr()) != 0) return as_text(object);
  if (PyCallable_Check(object.ptr()) == 0)
    throw TypeError(std::string("Could not interpret loss or metric identifier: ") +
                    nb::repr(object).c_str());
  const std::string name = as_text(nb::object(nb::getattr(object, "__name__", nb::str("metric"))));
  return {name, [function = KeptObject(object)](const tf::Tensor& y_true, const tf::Tensor& y_pred) {
            return tf::convert_to_tensor(as_input(nb::object(function(give(y_true), give(y_pred)))));
          }};
}

/// An optimizer of tf.keras: Python has its rule, and makes the nodes of its steps.
class PythonRule final : public tf::train::Optimizer {
 public:
  explicit PythonRule(nb::handle rule) : Optimizer("Keras", /*use_locking=*/true), rule_(rule) {}
  using Optimizer::compute_gradients;
  std::vector<tf::train::GradientAndVariable> compute_gradients(
      const tf::Tensor& loss, const tf::train::ComputeGradientsOptions& options,
      tf::Input::Where where) override {
    auto pairs = Optimizer::compute_gradients(loss, options, where);
    const nb::gil_scoped_acquire lock;
    (*rule_).attr("_check_in_model")(pairs_of(pairs));
    return pairs;
  }
  tf::Operation apply_gradients(const std::vector<tf::train::GradientAndVariable>& pairs,
                                const tf::train::ApplyGradientsOptions& /*options*/,
                                tf::Input::Where /*where*/) override {
    const nb::gil_scoped_acquire lock;
    return nb::cast<tf::Operation>(nb::object((*rule_).attr("apply_gradients")(pairs_of(pairs))));
  }

 protected:
  void create_slots(const std::vector<tf::Variable>& /*variables*/) override {}
  void prepare() override {}
  tf::Operation apply_dense(const tf::Tensor& /*gradient*/, const tf::Variable& /*variable*/) override {
    return {};
  }

 private:
  static nb::list pairs_of(const std::vector<tf::train::GradientAndVariable>& pairs) {
    nb::list list;
    for (const auto& pair : pairs) list.append(nb::make_tuple(give_gradient(pair.gradient), pair.variable));
    return list;
  }

  KeptObject rule_;
};

/// A name, an object of tf.keras.optimizers, or one of tf.train.
keras::OptimizerArgument optimizer_of(nb::handle object) {
  if (PyUnicode_Check(object.ptr()) != 0) return as_text(object);
  if (nb::hasattr(object, "_check_in_model")) return std::make_shared<PythonRule>(object);
  if (nb::isinstance<tf::train::Optimizer>(object)) {
    // The Python object is kept, and the rule with it.
    auto* const optimizer = nb::cast<tf::train::Optimizer*>(object);
    return std::shared_ptr<tf::train::Optimizer>(optimizer,
                                                 [kept = KeptObject(object)](tf::train::Optimizer*) {});
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
  explicit PythonCallback(nb::handle object)
      : object_(object),
        hears_batches_(nb::cast<bool>(nb::getattr(*object_, "_hears_batches", nb::bool_(true)))),
        hears_tests_(nb::cast<bool>(nb::getattr(*object_, "_hears_tests", nb::bool_(true)))) {}
  void on_train_begin() override { call("on_train_begin"); }
  void on_train_end() override { call("on_train_end"); }
  void on_epoch_begin(int64_t epoch) override { call("on_epoch_begin", epoch); }
  void on_epoch_end(int64_t epoch, const Logs& logs) override { call("on_epoch_end", epoch, logs); }
  void on_batch_begin(int64_t batch) override {
    if (hears_batches_) call("on_batch_begin", batch, OfBatch{batch, batch_size(), Logs()});
  }
  void on_batch_end(int64_t batch, const Logs& logs) override {
    if (hears_batches_) call("on_batch_end", batch, OfBatch{batch, batch_size(), logs});
  }
  void on_test_begin() override {
    if (hears_tests_) call("on_test_begin");
  }
  void on_test_end() override {
    if (hears_tests_) call("on_test_end");
  }
  void on_test_batch_begin(int64_t batch) override {
    if (hears_tests_) call("on_test_batch_begin", batch, OfBatch{batch, batch_size(), Logs()});
  }
  void on_test_batch_end(int64_t batch, const Logs& logs) override {
    if (hears_tests_) call("on_test_batch_end", batch, OfBatch{batch, batch_size(), logs});
  }

 private:
  /// What Python's callbacks hear of a batch: its number and size among the others.
  struct OfBatch {
    int64_t number;
    int64_t size;
    const Logs& logs;
  };
  /// None of them changes what training goes on with, so a KeyboardInterrupt passes through.
  template <class... Values>
  void call(const char* method, const Values&... values) {
    const nb::gil_scoped_acquire lock;
    (*object_).attr(method)(argument(values)...);
  }
  static nb::object argument(int64_t number) { return nb::cast(number); }
  static nb::object argument(const Logs& logs) { return dict_of(logs); }
  static nb::object argument(const OfBatch& batch) {
    nb::dict dict;
    dict["batch"] = batch.number;
    dict["size"] = batch.size;
    for (const auto& [name, value] : batch.logs) dict[name.c_str()] = value;
    return dict;
  }

  KeptObject object_;
  const bool hears_batches_;  // most do not, and a call takes longer than a small step
  const bool hears_tests_;
};

std::vector<std::shared_ptr<keras::Callback>> callbacks_of(nb::handle list) {
  std::vector<std::shared_ptr<keras::Callback>> callbacks;
  for (nb::handle item : list) callbacks.push_back(std::make_shared<PythonCallback>(item));
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

/// One array, a list of them, or a dict.
keras::Arrays arrays_of(nb::handle object) {
  if (PyDict_Check(object.ptr()) != 0) {
    std::map<std::string, Array> named;
    for (const auto [name, array] : nb::borrow<nb::dict>(object)) named[as_text(name)] = as_array(array);
    return named;
  }
  if (PyList_Check(object.ptr()) == 0) return as_array(object);
  std::vector<Array> list;
  for (nb::handle array : object) list.push_back(as_array(array));
  return list;
}

std::optional<keras::Arrays> optional_arrays(nb::handle object) {
  if (object.is_none()) return {};
  return arrays_of(object);
}

keras::ValidationData validation_of(nb::handle parts) {
  const keras::Arrays x = arrays_of(nb::object(parts[0]));
  const keras::Arrays y = arrays_of(nb::object(parts[1]));
  const std::optional<keras::Arrays> weights = optional_arrays(nb::object(parts[2]));
  return weights.has_value() ? keras::ValidationData(x, y, *weights) : keras::ValidationData(x, y);
}

/// `validation`: None, or (x, y, weights), of which the last may be None. `shuffle`: None or a function that
/// shuffles an array in place.
void fit(Model& model, nb::handle x, nb::handle y, int64_t batch_size, int64_t epochs, int64_t verbose,
         nb::handle callbacks, double validation_split, nb::handle validation, int64_t validation_freq,
         nb::handle shuffle, nb::handle sample_weight, int64_t initial_epoch, nb::handle write) {
  const InDefaultSession session(model);
  keras::FitOptions options{.batch_size = batch_size,
                            .epochs = epochs,
                            .verbose = static_cast<int>(verbose),
                            .callbacks = callbacks_of(callbacks),
                            .validation_split = validation_split,
                            .shuffle = !shuffle.is_none(),
                            .sample_weight = optional_arrays(sample_weight),
                            .initial_epoch = initial_epoch,
                            .validation_freq = validation_freq};
  if (!validation.is_none()) options.validation_data = validation_of(validation);
  options.order = [shuffle](std::vector<int64_t>& numbers) { order_by(nb::borrow(shuffle), numbers); };
  options.write = [write](const std::string& text) {
    const nb::gil_scoped_acquire lock;
    nb::borrow(write)(nb::str(text.c_str()));
  };
  const keras::Arrays inputs = arrays_of(x);
  const keras::Arrays targets = arrays_of(y);
  model.prepare(inputs, targets, options.sample_weight);  // calls functions of Python's, and needs the lock
  if (options.validation_data.has_value() || validation_split > 0) {
    model.prepare(inputs, targets, {}, /*training=*/false);
    if (options.sample_weight.has_value())
      model.prepare(inputs, targets, options.sample_weight, /*training=*/false);
    if (const auto& weights = options.validation_data.sample_weight(); weights.has_value())
      model.prepare(options.validation_data.arrays()->first, options.validation_data.arrays()->second,
                    weights,
                    /*training=*/false);
  }
  without_lock([&] { (void)model.fit(inputs, targets, options); });
}

nb::list list_of(std::vector<Array> arrays) {
  nb::list list;
  for (Array& array : arrays) list.append(give_array(std::move(array)));
  return list;
}

nb::list list_of(const std::vector<double>& numbers) {
  nb::list list;
  for (const double number : numbers) list.append(number);
  return list;
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

keras::CompileOptions compile_options(nb::handle optimizer, nb::handle losses, nb::handle metrics,
                                      nb::handle loss_weights, nb::handle sample_weight_modes) {
  keras::CompileOptions options{.optimizer = optimizer_of(optimizer)};
  for (nb::handle loss : losses)
    options.losses.push_back(loss.is_none() ? keras::ScoreFunction() : score_of(loss));
  for (nb::handle of_output : metrics) {
    options.metrics_of_outputs.emplace_back();
    for (nb::handle metric : of_output) options.metrics_of_outputs.back().push_back(score_of(metric));
  }
  for (nb::handle weight : loss_weights) options.loss_weights.push_back(as_float(weight));
  for (nb::handle mode : sample_weight_modes) options.sample_weight_modes.push_back(as_text(mode));
  return options;
}

keras::WeightedMetric weighted_metric_of(nb::handle object) {
  keras::WeightedMetric metric{.score = score_of(object)};
  const nb::object running = nb::getattr(object, "_weighted", nb::none());
  if (running.is_none()) return metric;
  metric.running = [running](const tf::Tensor& y_true, const tf::Tensor& y_pred, const tf::Tensor& weights) {
    return tf::convert_to_tensor(as_input(
        nb::object(running(give(y_true), give(y_pred), weights.has_value() ? give(weights) : nb::none()))));
  };
  return metric;
}

nb::list step(Model& self, nb::handle x, nb::handle y, nb::handle sample_weight, bool training) {
  const InDefaultSession session(self);
  const keras::Arrays inputs = arrays_of(x);
  const keras::Arrays targets = arrays_of(y);
  const std::optional<keras::Arrays> weights = optional_arrays(sample_weight);
  self.prepare(inputs, targets, weights, training);
  return list_of(without_lock([&] {
    return training ? self.train_on_batch(inputs, targets, weights)
                    : self.test_on_batch(inputs, targets, weights);
  }));
}

/// One step, and how much its batch counts in the mean of each score.
nb::tuple counted_step(Model& self, nb::handle x, nb::handle y, nb::handle sample_weight, bool trains) {
  const InDefaultSession session(self);
  const keras::Arrays inputs = arrays_of(x);
  const keras::Arrays targets = arrays_of(y);
  const std::optional<keras::Arrays> weights = optional_arrays(sample_weight);
  self.prepare(inputs, targets, weights, trains);
  std::vector<double> counts;
  const std::vector<double> scores = without_lock([&] {
    keras::Training training(self);
    return training.step(training.checked(inputs, targets, weights), trains, &counts);
  });
  return nb::make_tuple(list_of(scores), list_of(counts));
}

/// Keeps the session of a graph's models, in which the weights of a layer have their values.
struct KeptSession {
  std::shared_ptr<tf::Session> session;
};

/// The values of a layer's variables, and what keeps their session.
nb::tuple values_of_weights(nb::handle variables) {
  nb::list values;
  KeptSession kept;
  for (nb::handle object : variables) {
    const auto& variable = nb::cast<const tf::Variable&>(object);
    if (variable.graph().get()->is_eager()) {
      const tf::EagerScope at_once;
      values.append(give_array(variable.read_value().value()));
      continue;
    }
    const tf::GraphScope in_graph = variable.graph().as_default();
    const InDefaultSession session(variable.graph());
    kept.session = keras::ready_session(variable.graph());
    values.append(
        give_array(without_lock([&] { return kept.session->run(std::vector<tf::Variable>{variable})[0]; })));
  }
  return nb::make_tuple(values, nb::cast(kept));
}

/// Values of tensors in the session of the models of their graph.
nb::list run_in_models_session(nb::handle tensors, nb::handle feeds, nb::handle values) {
  std::vector<tf::Fetch> fetches;
  std::vector<tf::FeedKey> keys;
  std::vector<Array> given;
  for (nb::handle tensor : tensors) fetches.emplace_back(nb::cast<const tf::Tensor&>(tensor));
  for (nb::handle feed : feeds) keys.emplace_back(nb::cast<const tf::Tensor&>(feed));
  size_t i = 0;
  for (nb::handle value : values) {
    const tf::Tensor key = nb::cast<const tf::Tensor&>(nb::object(feeds[i++]));
    given.push_back(as_array(value, base_dtype(key.dtype())));
  }
  const tf::Graph graph = nb::cast<const tf::Tensor&>(nb::object(tensors[0])).graph();
  const tf::GraphScope in_graph = graph.as_default();
  const InDefaultSession in_session(graph);
  const std::shared_ptr<tf::Session> session = keras::ready_session(graph);
  std::vector<const Array*> pointers;
  for (const Array& one : given) pointers.push_back(&one);
  const tf::CallableOfMany call = session->make_callable(fetches, keys);
  return list_of(without_lock([&] { return call(pointers); }));
}

KeptSession set_value(const tf::Variable& variable, nb::handle value) {
  const Array array = as_array(value, base_dtype(variable.dtype()));
  if (variable.graph().get()->is_eager()) {
    const tf::EagerScope at_once;
    (void)variable.assign(tf::Input(array));
    return {};
  }
  const tf::GraphScope in_graph = variable.graph().as_default();
  const InDefaultSession session(variable.graph());
  KeptSession kept{keras::ready_session(variable.graph())};
  variable.load(array, kept.session.get());
  return kept;
}

nb::list layers_of(const Model& model) {
  nb::list list;
  for (const std::shared_ptr<Layer>& layer : model.layers()) list.append(nb::cast(layer));
  return list;
}

/// Of a Sequential that takes features by their names.
void bind_sequence_of_features(nb::class_<Model, PythonModel, Layer>& model) {
  model.def("_set_ends_of_sequence", [](Model& self, nb::handle inputs, nb::handle outputs) {
    auto& state = StateOfModel::of(self);
    state.set_ends(keras_tensors_of(given_tensors(inputs)), keras_tensors_of(given_tensors(outputs)));
    state.output_names = {state.layers.back()->name()};
    state.is_deferred = state.is_built = true;
  });
}

void bind_model_training(nb::class_<Model, PythonModel, Layer>& model) {
  bind_method(model, "_compile",
              [](Model& self, nb::handle optimizer, nb::handle losses, nb::handle metrics,
                 nb::handle loss_weights, nb::handle weighted_metrics, nb::handle sample_weight_modes) {
                self.compile(compile_options(optimizer, losses, metrics, loss_weights, sample_weight_modes));
                auto& weighted = StateOfModel::of(self).weighted_metrics;
                for (nb::handle of_output : weighted_metrics) {
                  weighted.emplace_back();
                  for (nb::handle metric : of_output) weighted.back().push_back(weighted_metric_of(metric));
                }
              },
              {"optimizer", "losses", "metrics", "loss_weights", "weighted_metrics", "sample_weight_modes"});
  bind_method(model, "_fit", &fit,
              {"x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split",
               "validation_data", "validation_freq", "shuffle", "sample_weight", "initial_epoch", "write"});
  bind_method(model, "_evaluate",
              [](Model& self, nb::handle x, nb::handle y, int64_t batch_size, nb::handle sample_weight) {
                const InDefaultSession session(self);
                const keras::Arrays inputs = arrays_of(x);
                const keras::Arrays targets = arrays_of(y);
                const keras::EvaluateOptions options{batch_size, optional_arrays(sample_weight)};
                self.prepare(inputs, targets, options.sample_weight, /*training=*/false);
                return list_of(without_lock([&] { return self.evaluate(inputs, targets, options); }));
              },
              {"x", "y", "batch_size", "sample_weight"});
  bind_method(model, "_prepare",
              [](Model& self, nb::handle x, nb::handle y, nb::handle sample_weight, bool training) {
                const InDefaultSession session(self);
                self.prepare(arrays_of(x), arrays_of(y), optional_arrays(sample_weight), training);
              },
              {"x", "y", "sample_weight", "training"});
  bind_method(model, "_step", &step, {"x", "y", "sample_weight", "training"});
  bind_method(model, "_counted_step", &counted_step, {"x", "y", "sample_weight", "training"});
  bind_sequence_of_features(model);
  model.def("_predict", [](Model& self, nb::handle x, int64_t batch_size) {
    const InDefaultSession session(self);
    const keras::Arrays inputs = arrays_of(x);
    self.prepare_predict(inputs);
    return one_or_list(list_of(without_lock([&] { return self.predict_outputs(inputs, batch_size); })));
  });
}

void bind_model(nb::module_& m) {
  nb::class_<Model, PythonModel, Layer> model(m, "Model");
  model
      .def(
          "__init__",
          [](Model* self, nb::handle inputs, nb::handle outputs, nb::handle name) {
            new (self) Model(keras_tensors_of(given_tensors(inputs)),
                             keras_tensors_of(given_tensors(outputs)), as_text(name));
          },
          "inputs"_a, "outputs"_a, "name"_a)
      .def(
          "__init__",
          [](Model* self, nb::handle name) {
            // A Sequential has nothing that a Model lacks.
            if (name.is_none()) {
              new (self) Model(Sequential());
            } else {
              new (self) Model(Sequential(as_text(name)));
            }
          },
          "name"_a)
      .def(
          "__init__",
          [](nb::pointer_and_handle<Model> self, nb::handle name, bool /*is_own*/) {
            init_own_model(self.p, self.h, name);
          },
          "name"_a.none(), "is_own"_a)
      .def("_add", [](Model& self, std::shared_ptr<Layer> layer) { Sequential(self).add(std::move(layer)); })
      .def("_pop", [](Model& self) { Sequential(self).pop(); })
      .def("_add_beside_outputs",
           [](Model& self, const keras::KerasTensor& tensor) {
             auto& state = StateOfModel::of(self);
             state.beside_outputs.push_back(tensor);
             state.network = keras::Network(state.input_ends, state.output_ends, state.beside_outputs);
             if (state.is_sequential) {
               state.layers.push_back(tensor.call()->layer);  // Sequential leaves the inputs' layer out
             } else {
               state.layers = state.network.layers();
             }
             state.forget_steps();
           })
      .def_prop_ro("_num_losses",
                   [](const Model& self) {
                     const auto& state = StateOfModel::of(self);
                     return state.num_outputs() > 1 ? state.outputs_with_loss().size() : 0;
                   })
      .def_prop_ro("_names_with_loss",
                   [](const Model& self) { return give_result(StateOfModel::of(self).names_with_loss()); })
      .def_prop_ro("_is_deferred", [](const Model& self) { return StateOfModel::of(self).is_deferred; })
      .def("_begin_with",
           [](Model& self, nb::handle shape, nb::handle dtype, nb::handle name) {
             const tf::TensorShape batch = as_shape(shape);
             const keras::InputOptions options{
                 .name = as_text(name), .dtype = as_dtype(dtype), .batch_size = batch.dim(0)};
             StateOfModel::of(self).given_input = std::pair(batch, options);
           })
      .def("_build", [](Model& self, nb::handle shape) { Sequential(self).build(as_shape(shape)); })
      .def_prop_ro("layers", &layers_of)
      .def_prop_ro("input_names", [](const Model& self) { return give_result(self.input_names()); })
      .def_prop_ro("output_names", [](const Model& self) { return give_result(self.output_names()); })
      .def_prop_ro("_inputs", [](const Model& self) { return give_keras(self.inputs()); })
      .def_prop_ro("_outputs", [](const Model& self) { return give_keras(self.outputs()); })
      .def_rw("stop_training", &Model::stop_training)
      .def_prop_ro("metrics_names", [](const Model& self) { return give_result(self.metrics_names()); })
      .def("_summary", [](const Model& self) { return self.summary(); })
      .def("_get_weights",
           [](Model& self) {
             const InDefaultSession session(self);
             return list_of(self.get_weights());
           })
      .def("_set_weights", [](Model& self, nb::handle weights) {
        const InDefaultSession session(self);
        std::vector<Array> arrays;
        for (nb::handle weight : weights) arrays.push_back(as_array(weight));
        self.set_weights(arrays);
      });
  bind_model_training(model);
}

}  // namespace

void bind_keras(nb::module_& m) {
  nb::module_ keras_module = m.def_submodule("keras");
  bind_layer_base(keras_module);
  bind_layer_classes(keras_module);
  bind_merging_layers(keras_module);
  bind_convolution_layers(keras_module);
  bind_pooling_layers(keras_module);
  bind_shape_layers(keras_module);
  bind_activation_layers(keras_module);
  bind_recurrent_layers(keras_module);
  nb::class_<KeptSession>(keras_module, "_KeptSession");
  keras_module.def("_values_of", &values_of_weights);
  keras_module.def("_note_metric", &keras::AddedMetrics::add);
  keras_module.def("_share_no_session",
                   [](nb::handle graph) { keras::share_session(graph_of_object(graph), nullptr); });
  keras_module.def("_give_first_values", [](nb::handle object) {
    const tf::Graph graph = graph_of_object(object);
    const tf::GraphScope in_graph = graph.as_default();
    const InDefaultSession session(graph);
    (void)keras::ready_session(graph);
  });
  keras_module.def("_home_graph", [] { return give(keras::home_graph()); });
  keras_module.def("_set_value", &set_value);
  keras_module.def("_run_in_models_session", &run_in_models_session);
  keras_module.def("_next_name",
                   [](const std::string& base) { return keras::next_name(tf::default_graph(), base); });
  keras_module.def("_next_class_name", [](const std::string& class_name) {
    return keras::next_name(tf::default_graph(), keras::snake_case(class_name));
  });
  keras_module.def("_next_uid",
                   [](const std::string& prefix) { return keras::next_uid(tf::default_graph(), prefix); });
  keras_module.def("_reset_uids", &keras::reset_uids);
  nb::module_ losses = keras_module.def_submodule("losses");
  nb::module_ metrics = keras_module.def_submodule("metrics");
  bind_scores(losses, metrics);
  bind_model(keras_module);
}

}  // namespace flowray::python
