#pragma once
/// tf.keras.models: models of layers, and how they are trained.
///
///     tf::keras::Sequential model;                                     // layers one after the other
///     model.add(tf::keras::layers::Dense(64, {.activation = "relu"}));
///     model.add(tf::keras::layers::Dense(10, {.activation = "softmax"}));
///     model.compile({.optimizer = "adam",
///                    .loss = "sparse_categorical_crossentropy",
///                    .metrics = {"accuracy"}});
///     tf::keras::History history = model.fit(images, labels, {.epochs = 3});
///
///     tf::keras::KerasTensor left = tf::keras::Input({8}), right = tf::keras::Input({8});
///     tf::keras::KerasTensor both = tf::keras::layers::Concatenate()({left, right});
///     tf::keras::Model model({left, right}, {tf::keras::layers::Dense(1)(both)});

#include <flowray/array.h>
#include <flowray/tf/keras/arrays.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/optimizers.h>
#include <flowray/tf/session.h>
#include <flowray/tf/train.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

class Model;

/// Numbers of an epoch or a batch by their names: "loss", "acc", "val_loss".
using Logs = std::vector<std::pair<std::string, double>>;

/// What fit() gives.
struct History {
  /// Of each number its value in each epoch.
  std::map<std::string, std::vector<double>> history;
  /// The numbers of the epochs.
  std::vector<int64_t> epoch;
};

/// tf.keras.callbacks.Callback: what a program does between the steps of fit(). Nothing, unless overridden.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Before the first epoch.
  virtual void on_train_begin() {}
  /// Behind the last epoch.
  virtual void on_train_end() {}
  /// Before an epoch, whose number counts from FitOptions::initial_epoch.
  virtual void on_epoch_begin(int64_t epoch) { (void)epoch; }
  /// Behind an epoch. `logs`: its means, and those of the validation as "val_loss" and so on.
  virtual void on_epoch_end(int64_t epoch, const Logs& logs) { (void)epoch, (void)logs; }
  /// Before a step; batches count from 0 in each epoch.
  virtual void on_batch_begin(int64_t batch) { (void)batch; }
  /// `logs`: the means of the epoch until now.
  virtual void on_batch_end(int64_t batch, const Logs& logs) { (void)batch, (void)logs; }

 protected:
  /// The model that is trained.
  Model& model() const { return *model_; }

 private:
  friend class Training;
  Model* model_ = nullptr;
};

struct CompileOptions {
  /// What changes the weights: a name or an optimizer.
  OptimizerArgument optimizer = "rmsprop";
  /// What training makes small, for each output: a name, "mse", or a function.
  ScoreFunction loss = {};
  /// What is shown beside the loss, for each output: names, "accuracy", or functions.
  std::vector<ScoreFunction> metrics = {};
  /// In place of `loss`, one for each output.
  std::vector<ScoreFunction> losses = {};
  /// In place of `metrics`, a list for each output.
  std::vector<std::vector<ScoreFunction>> metrics_of_outputs = {};
  /// How much the loss of each output counts in the one that is trained for; empty: 1.
  std::vector<double> loss_weights = {};
};

struct FitOptions {
  /// Elements of a batch, at least 1: more are faster and take more memory.
  int64_t batch_size = 32;
  /// The number behind that of the last epoch: with an initial_epoch fewer are run.
  int64_t epochs = 1;
  /// 0: silent; 1: a progress bar; 2: a line an epoch.
  int verbose = 1;
  /// Called around epochs and batches, in this order.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  /// The share of the last elements that is kept for validation: 0 to 1.
  double validation_split = 0;
  /// Elements and their true values for validation.
  std::optional<std::pair<Arrays, Arrays>> validation_data = {};
  /// Whether each epoch has an order of its own.
  bool shuffle = true;
  /// How much each element counts: [number of elements], one for each output.
  std::optional<Arrays> sample_weight = {};
  /// The number of the first epoch, of `epochs`.
  int64_t initial_epoch = 0;
  /// Decides the orders; left out: chance does.
  std::optional<uint64_t> seed = {};
  /// Puts the numbers of the elements into an order, in place of what `seed` decides.
  std::function<void(std::vector<int64_t>&)> order = nullptr;
  /// Where the progress goes; null: standard output.
  std::function<void(const std::string&)> write = nullptr;
};

struct EvaluateOptions {
  /// Elements of a batch, at least 1: more are faster and take more memory.
  int64_t batch_size = 32;
  /// How much each element counts: [number of elements], one for each output; left out: 1.
  std::optional<Arrays> sample_weight = {};
};

/// tf.keras.Model: what makes outputs of inputs, and may be trained. It is a layer, too: called on tensors it
/// gives its outputs for them, with the same weights. A copy is the same model.
///
/// Belongs to the graph of its inputs. Its variables live in the default session of the thread, if that is
/// one of this graph, else in one that all models of the graph share. Each gets its first value once, in the
/// session of the first call that needs it: in another one it is
/// uninitialized (errors::FailedPreconditionError).
class Model : public Layer {
 public:
  /// What stands between inputs and outputs, of one of each or of several. Throws ValueError for inputs that
  /// Input() did not give, and for outputs that need another one.
  Model(const KerasTensor& inputs, const KerasTensor& outputs, const std::string& name = {},
        Where where = Where::current());
  /// The same of several of each.
  Model(const std::vector<KerasTensor>& inputs, const std::vector<KerasTensor>& outputs,
        const std::string& name = {}, Where where = Where::current());
  ~Model() override;

  /// Those that its outputs come through, from the inputs on.
  const std::vector<std::shared_ptr<Layer>>& layers() const;
  /// The one of this name. Throws ValueError where there is none.
  std::shared_ptr<Layer> get_layer(const std::string& name, Where where = Where::current()) const;
  bool built() const override;
  void set_trainable(bool trainable) override;
  /// Its inputs; none before it is built.
  const std::vector<KerasTensor>& inputs() const;
  /// Its outputs outside of training; none before it is built.
  const std::vector<KerasTensor>& outputs() const;
  /// By which dictionaries of arrays name its inputs.
  const std::vector<std::string>& input_names() const;
  /// By which dictionaries of arrays name its outputs: the names of the layers that make them.
  const std::vector<std::string>& output_names() const;

  /// Says how it is trained. Throws ValueError for names that are none.
  void compile(const CompileOptions& options, Where where = Where::current());
  /// Trains. x: [n, ...] of the inputs' shape; y: [n, ...] of the true values. Throws RuntimeError for a
  /// model that is not compiled, ValueError for arrays that do not fit each other.
  History fit(const Arrays& x, const Arrays& y, const FitOptions& options = {},
              Where where = Where::current());
  /// The loss, then the metrics; of several outputs the loss of each before them.
  std::vector<double> evaluate(const Arrays& x, const Arrays& y, const EvaluateOptions& options = {},
                               Where where = Where::current());
  /// What it gives for each element. Needs no compile(). Throws ValueError for several outputs.
  Array predict(const Arrays& x, int64_t batch_size = 32, Where where = Where::current());
  /// The same for each output.
  std::vector<Array> predict_outputs(const Arrays& x, int64_t batch_size = 32,
                                     Where where = Where::current());
  /// One step; the loss, then the metrics, of this batch.
  std::vector<double> train_on_batch(const Arrays& x, const Arrays& y,
                                     const std::optional<Arrays>& sample_weight = {},
                                     Where where = Where::current());
  /// The loss, then the metrics, of this batch; the weights stay as they are.
  std::vector<double> test_on_batch(const Arrays& x, const Arrays& y,
                                    const std::optional<Arrays>& sample_weight = {},
                                    Where where = Where::current());
  /// What it gives for each element, all as one batch. Throws ValueError for several outputs.
  Array predict_on_batch(const Arrays& x, Where where = Where::current());
  /// Makes what fit (`training`), evaluate and predict need for such arrays, which they make themselves
  /// where it is not there: weights, nodes and their first values. The functions that the program gave are
  /// called here only.
  void prepare(const Arrays& x, const Arrays& y, const std::optional<Arrays>& sample_weight = {},
               bool training = true, Where where = Where::current());
  /// The same of what predict alone needs.
  void prepare_predict(const Arrays& x, Where where = Where::current());
  /// "loss" and the names of the metrics.
  std::vector<std::string> metrics_names() const;
  /// Whether fit() ends behind this epoch; for callbacks.
  bool stop_training = false;

  std::vector<Variable> weights() const override;
  std::vector<Variable> trainable_weights() const override;
  std::vector<Variable> non_trainable_weights() const override;
  /// Their values. Throws ValueError for a model that is not built.
  std::vector<Array> get_weights(Where where = Where::current());
  /// Throws ValueError for another number of them, or other shapes.
  void set_weights(const std::vector<Array>& weights, Where where = Where::current());
  /// A table of the layers, their outputs' shapes and numbers of weights. Throws ValueError for a model that
  /// is not built.
  std::string summary(Where where = Where::current()) const;

  std::string class_name() const override;
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Model>(*this); }
  std::vector<Operation> updates() const override;
  void clear_updates() override;
  std::vector<Tensor> losses() const override;
  std::vector<std::pair<Variable, FunctionOf<Tensor>>> constraints() const override;

 protected:
  struct State;
  Model(const std::string& name, std::shared_ptr<State> state);
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

  std::shared_ptr<State> model_;

 private:
  friend class ModelRunner;
  friend class Training;
  friend class Sequential;
  std::string shape_text(const Layer& layer) const;
  std::string inbound_text(const Layer& layer) const;
};

/// tf.keras.Sequential: layers one after the other.
/// Belongs to the graph that is the default one when it is made.
class Sequential : public Model {
 public:
  /// Without layers yet, called "sequential", with a number behind it where the graph has that already.
  Sequential();
  /// The same with a name.
  explicit Sequential(const std::string& name);
  /// The same model. Throws TypeError for one that is not sequential.
  explicit Sequential(const Model& model);

  /// Adds a layer behind the others. Where the first one has an input_shape the model is built at once, else
  /// by the first numbers that it sees. A model that was called makes its steps anew; compile() says that the
  /// new weights are trained, too.
  template <std::derived_from<Layer> L>
  void add(L layer, Where where = Where::current()) {
    add(std::static_pointer_cast<Layer>(std::make_shared<L>(std::move(layer))), where);
  }
  /// The same of a layer that the program keeps. Throws TypeError for a null pointer.
  void add(std::shared_ptr<Layer> layer, Where where = Where::current());
  /// Takes the last layer away. Throws TypeError where there is none.
  void pop(Where where = Where::current());
  /// Makes the weights for inputs of this shape, the batch in front: {-1, 32}.
  void build(const TensorShape& input_shape) override;
  /// The same, and errors name the line of the call.
  void build(std::initializer_list<int64_t> input_shape, Where where = Where::current());
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Sequential>(*this); }

 private:
  void check_ends_are_open(const char* what) const;
};

namespace backend {
/// tf.keras.backend.get_session: where models of the default graph run.
std::shared_ptr<Session> get_session();
}  // namespace backend

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
