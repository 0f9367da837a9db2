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
///
///     class Digits : public tf::keras::Model {                         // a model of one's own
///      public:
///       Digits() : Model("Digits") {}
///
///      protected:
///       tf::Tensor call(const tf::Tensor& x, bool training) override {
///         return (*output_)((*dropout_)((*hidden_)(x), training));
///       }
///
///      private:
///       std::shared_ptr<tf::keras::layers::Dense> hidden_ = track(tf::keras::layers::Dense(64));
///       std::shared_ptr<tf::keras::layers::Dropout> dropout_ = track(tf::keras::layers::Dropout(0.5));
///       std::shared_ptr<tf::keras::layers::Dense> output_ = track(tf::keras::layers::Dense(10));
///     };

#include <flowray/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/keras/arrays.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/keras/training.h>
#include <flowray/tf/session.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

struct SaveModelOptions {
  /// Whether a file that is there is replaced; else it is errors::AlreadyExistsError.
  bool overwrite = true;
  /// Whether the file says how the model is trained, and has what its optimizer keeps.
  bool include_optimizer = true;
};

struct SummaryOptions {
  /// The width of the table; 0: 65, or 98 where layers have several inputs.
  size_t line_length = 0;
  /// Where columns end, as parts of the width or in letters, three or, where layers have several inputs,
  /// four; empty: tf.keras' own.
  std::vector<double> positions = {};
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

  /// Says how it is trained. Throws ValueError for unknown names of losses, metrics and optimizers.
  void compile(const CompileOptions& options, Where where = Where::current());
  /// Trains. x: [n, ...] of the inputs' shape; y: [n, ...] of the true values. Throws RuntimeError for a
  /// model that is not compiled, ValueError for arrays that do not fit each other.
  History fit(const Arrays& x, const Arrays& y, const FitOptions& options = {},
              Where where = Where::current());
  /// The same of a dataset of this graph, whose elements are batches: the components are those of the inputs,
  /// then the true values of each output with a loss, then, where there are more, how much each of the batch
  /// counts for each output. The loss of an epoch is the mean of its steps. Where the dataset ends before
  /// steps_per_epoch a warning says so, and the training ends. Throws ValueError for elements of other
  /// numbers of components, and for a dataset without elements.
  ///
  ///     model.fit(tf::data::Dataset::from_tensor_slices({x, y}).shuffle(1000).batch(32), {.epochs = 3});
  History fit(const data::Dataset& x, const FitOptions& options = {}, Where where = Where::current());
  /// The loss, then the metrics; of several outputs the loss of each before them.
  std::vector<double> evaluate(const Arrays& x, const Arrays& y, const EvaluateOptions& options = {},
                               Where where = Where::current());
  /// The same of a dataset of batches, as fit takes it: the loss is the mean of the steps.
  std::vector<double> evaluate(const data::Dataset& x, const EvaluateOptions& options = {},
                               Where where = Where::current());
  /// What it gives for each element. Needs no compile(). Throws ValueError for several outputs.
  Array predict(const Arrays& x, int64_t batch_size = 32, Where where = Where::current());
  /// The same with callbacks.
  Array predict(const Arrays& x, const PredictOptions& options, Where where = Where::current());
  /// The same for each output.
  std::vector<Array> predict_outputs(const Arrays& x, int64_t batch_size = 32,
                                     Where where = Where::current());
  /// The same with callbacks.
  std::vector<Array> predict_outputs(const Arrays& x, const PredictOptions& options,
                                     Where where = Where::current());
  /// The same of the elements of all batches of a dataset: the components behind those of the inputs, true
  /// values, are left aside.
  Array predict(const data::Dataset& x, const PredictOptions& options = {}, Where where = Where::current());
  /// The same for each output.
  std::vector<Array> predict_outputs(const data::Dataset& x, const PredictOptions& options = {},
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
  /// What the moves of the training are multiplied by, before the optimizer's `decay`. Throws ValueError
  /// where compile() was given an optimizer of tf::train, or a schedule as the rate: that is a function of
  /// the step.
  double learning_rate(Where where = Where::current());
  /// Sets it for the steps to come. Throws as learning_rate() does, and where the rate is a tensor.
  void set_learning_rate(double learning_rate, Where where = Where::current());
  /// Writes the whole model into an HDF5 file, which load_model() and tf.keras read: what its layers were
  /// made of, the weights, how it is trained and what its optimizer keeps. Throws errors::UnimplementedError
  /// for what no file can hold: the `call` of a model of one's own, functions of the program's.
  void save(const std::filesystem::path& path, const SaveModelOptions& options = {},
            Where where = Where::current());
  /// What its layers were made of, as JSON that model_from_json() and tf.keras read. Throws as save().
  std::string to_json(Where where = Where::current()) const;
  Config get_config() const override;
  /// Gives the states of its stateful layers zeros.
  void reset_states(Where where = Where::current());
  /// Writes the weights into a checkpoint, PATH.index and so on, as tf::train::Saver({.var_list = weights()})
  /// does, and takes note of it in the file "checkpoint" beside it. A path that ends in .h5, .hdf5 or .keras
  /// is an HDF5 file, which tf.keras and Python's load_weights read, too; the HDF5 library writes it, and
  /// errors::UnimplementedError says where that is not installed. Throws ValueError for a model that is not
  /// built, or has no weights for a checkpoint.
  void save_weights(const std::filesystem::path& path, Where where = Where::current());
  /// Gives the weights the values of such a checkpoint, or of an HDF5 file of weights or of a whole model.
  /// Throws as tf::train::Saver::restore does; ValueError for a file of other layers or shapes.
  void load_weights(const std::filesystem::path& path, Where where = Where::current());
  /// A table of the layers, their outputs' shapes and numbers of weights. Throws ValueError for a model that
  /// is not built, and for positions that make no table.
  std::string summary(const SummaryOptions& options = {}, Where where = Where::current()) const;

  std::string class_name() const override;
  /// Null for a model of one's own: as a layer of another one it is held by a shared_ptr.
  std::shared_ptr<Layer> copy() const override;
  std::vector<Operation> updates() const override;
  void clear_updates() override;
  std::vector<Tensor> losses() const override;
  std::vector<std::pair<Variable, FunctionOf<Tensor>>> constraints() const override;
  std::vector<Variable> states() const override;
  std::vector<std::shared_ptr<Layer>> inner_layers() const override;

 protected:
  struct State;
  Model(const std::string& name, std::shared_ptr<State> state);
  /// A model of one's own, a class that has `call` (`call_for`, where it takes several inputs or gives
  /// several outputs). Its inputs are those of the first batch that it sees; it belongs to the graph that is
  /// the default one when it is made. `class_name`: that of the class, of which its name is made where `name`
  /// is empty.
  explicit Model(const std::string& class_name, const std::string& name = {});
  /// Takes a layer of such a model, for the model's weights and losses: in the order in which they are to be.
  template <std::derived_from<Layer> L>
  std::shared_ptr<L> track(L layer) {
    auto held = std::make_shared<L>(std::move(layer));
    track(std::static_pointer_cast<Layer>(held));
    return held;
  }
  /// The same of a layer that is held already. Throws TypeError for a null pointer.
  void track(std::shared_ptr<Layer> layer);
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

  std::shared_ptr<State> model_;

 private:
  friend class ModelFile;
  friend class ModelRunner;
  friend class Training;
  friend class Sequential;
  /// Throws ValueError for a model that is not built.
  void check_has_weights() const;
  void compile_later(const CompileOptions& options);
  void make_ends(const std::vector<KerasTensor>& inputs);
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
  /// Makes the weights for inputs of this shape, the batch in front: {-1, 32}. Their names do not begin with
  /// the model's, as they do where the first numbers or a call say the shape.
  void build(const TensorShape& input_shape) override;
  /// The same, and errors name the line of the call.
  void build(std::initializer_list<int64_t> input_shape, Where where = Where::current());
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Sequential>(*this); }

 private:
  friend class Training;
  void check_ends_are_open(const char* what) const;
  void build_named(const TensorShape& input_shape, bool has_scope);
};

namespace backend {
/// tf.keras.backend.floatx: what inputs and weights are where nothing else is said; float32 in the beginning.
DType floatx();
/// From now on, in all threads. Throws ValueError for what is not float32 or float64.
void set_floatx(DType dtype, tf::Input::Where where = tf::Input::Where::current());
/// tf.keras.backend.get_session: where models of the default graph run.
std::shared_ptr<Session> get_session();
}  // namespace backend

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
