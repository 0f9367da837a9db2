#pragma once
/// tf.keras.models: layers one after the other, and how they are trained.
///
///     tf::keras::Sequential model;
///     model.add(tf::keras::layers::Dense(64, {.activation = "relu"}));
///     model.add(tf::keras::layers::Dense(10, {.activation = "softmax"}));
///     model.compile({.optimizer = "adam",
///                    .loss = "sparse_categorical_crossentropy",
///                    .metrics = {"accuracy"}});
///     tf::keras::History history = model.fit(images, labels, {.epochs = 3});

#include <flowray/array.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/keras/losses.h>
#include <flowray/tf/keras/optimizers.h>
#include <flowray/tf/session.h>
#include <flowray/tf/train.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

class Sequential;

/// Numbers of an epoch or a batch by their names: "loss", "acc", "val_loss".
using Logs = std::vector<std::pair<std::string, double>>;

/// What fit() gives.
struct History {
  /// Of each number its value in each epoch.
  std::map<std::string, std::vector<double>> history;
  std::vector<int64_t> epoch;
};

/// tf.keras.callbacks.Callback: what a program does between the steps of fit(). Nothing, unless overridden.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin() {}
  virtual void on_train_end() {}
  virtual void on_epoch_begin(int64_t epoch) { (void)epoch; }
  virtual void on_epoch_end(int64_t epoch, const Logs& logs) { (void)epoch, (void)logs; }
  virtual void on_batch_begin(int64_t batch) { (void)batch; }
  /// `logs`: the means of the epoch until now.
  virtual void on_batch_end(int64_t batch, const Logs& logs) { (void)batch, (void)logs; }

 protected:
  /// The model that is trained.
  Sequential& model() const { return *model_; }

 private:
  friend class Training;
  Sequential* model_ = nullptr;
};

struct CompileOptions {
  OptimizerArgument optimizer = "rmsprop";
  ScoreFunction loss = {};
  std::vector<ScoreFunction> metrics = {};
};

struct FitOptions {
  /// At least 1.
  int64_t batch_size = 32;
  int64_t epochs = 1;
  /// 0: silent; 1: a progress bar; 2: a line an epoch.
  int verbose = 1;
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  /// The share of the last elements that is kept for validation: 0 to 1.
  double validation_split = 0;
  /// Elements and their true values for validation.
  std::optional<std::pair<Array, Array>> validation_data = {};
  /// Whether each epoch has an order of its own.
  bool shuffle = true;
  /// How much each element counts: [number of elements].
  std::optional<Array> sample_weight = {};
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
  int64_t batch_size = 32;
  std::optional<Array> sample_weight = {};
};

/// tf.keras.Sequential. Belongs to the graph that is the default one when it is made. Its variables live in
/// the default session of the thread, if that is one of this graph, else in one that all models of the graph
/// share. Each gets its first value once, in the session of the first call that needs it: in another one it
/// is uninitialized (errors::FailedPreconditionError).
class Sequential {
 public:
  Sequential();
  explicit Sequential(const std::string& name);
  Sequential(const Sequential&) = delete;
  Sequential& operator=(const Sequential&) = delete;
  ~Sequential();

  /// Adds a layer behind the others. Where the first one has an input_shape the model is built at once, else
  /// by the first numbers that it sees. Throws RuntimeError once the model was called.
  template <std::derived_from<Layer> L>
  void add(L layer, Input::Where where = Input::Where::current()) {
    add(std::make_shared<L>(std::move(layer)), where);
  }
  void add(std::shared_ptr<Layer> layer, Input::Where where = Input::Where::current());

  const std::string& name() const;
  const std::vector<std::shared_ptr<Layer>>& layers() const;
  /// Makes the weights for inputs of this shape, the batch in front: {-1, 32}.
  void build(const TensorShape& input_shape, Input::Where where = Input::Where::current());
  bool built() const;
  /// The layers one after the other, as nodes of the graph.
  Tensor operator()(const Tensor& inputs, bool training = false,
                    Input::Where where = Input::Where::current());

  /// Says how it is trained. Throws ValueError for names that are none.
  void compile(const CompileOptions& options, Input::Where where = Input::Where::current());
  /// Trains. x: [n, ...] of the inputs' shape; y: [n, ...] of the true values. Throws RuntimeError for a
  /// model that is not compiled, ValueError for arrays that do not fit each other.
  History fit(const Array& x, const Array& y, const FitOptions& options = {},
              Input::Where where = Input::Where::current());
  /// The loss, then the metrics.
  std::vector<double> evaluate(const Array& x, const Array& y, const EvaluateOptions& options = {},
                               Input::Where where = Input::Where::current());
  /// What it gives for each element. Needs no compile().
  Array predict(const Array& x, int64_t batch_size = 32, Input::Where where = Input::Where::current());
  /// One step; the loss, then the metrics, of this batch.
  std::vector<double> train_on_batch(const Array& x, const Array& y,
                                     const std::optional<Array>& sample_weight = {},
                                     Input::Where where = Input::Where::current());
  std::vector<double> test_on_batch(const Array& x, const Array& y,
                                    const std::optional<Array>& sample_weight = {},
                                    Input::Where where = Input::Where::current());
  Array predict_on_batch(const Array& x, Input::Where where = Input::Where::current());
  /// Makes what fit (`training`), evaluate and predict need for such arrays, which they make themselves
  /// where it is not there: weights, nodes and their first values. The functions that the program gave are
  /// called here only.
  void prepare(const Array& x, const Array& y, const std::optional<Array>& sample_weight = {},
               bool training = true, Input::Where where = Input::Where::current());
  void prepare_predict(const Array& x, Input::Where where = Input::Where::current());
  /// "loss" and the names of the metrics.
  std::vector<std::string> metrics_names() const;
  /// Whether fit() ends behind this epoch; for callbacks.
  bool stop_training = false;

  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_weights() const;
  std::vector<Variable> non_trainable_weights() const;
  /// Their values. Throws ValueError for a model that is not built.
  std::vector<Array> get_weights(Input::Where where = Input::Where::current());
  /// Throws ValueError for another number of them, or other shapes.
  void set_weights(const std::vector<Array>& weights, Input::Where where = Input::Where::current());
  int64_t count_params(Input::Where where = Input::Where::current()) const;
  /// A table of the layers, their outputs' shapes and numbers of weights. Throws ValueError for a model that
  /// is not built.
  std::string summary(Input::Where where = Input::Where::current()) const;

 private:
  struct State;
  friend class ModelRunner;
  friend class Training;
  std::unique_ptr<State> state_;
};

namespace backend {
/// tf.keras.backend.get_session: where models of the default graph run.
std::shared_ptr<Session> get_session();
}  // namespace backend

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
