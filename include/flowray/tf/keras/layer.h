#pragma once
/// tf.keras.layers.Layer, and the tensors of a functional model: what Input() gives,
/// and what layers make of it.
///
///     tf::keras::KerasTensor x = tf::keras::Input({32});
///     tf::keras::KerasTensor y = tf::keras::layers::Dense(10)(x);
///     tf::keras::Model model(x, y);

#include <flowray/tf/config.h>
#include <flowray/tf/function_of.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/keras/constraints.h>
#include <flowray/tf/keras/regularizers.h>
#include <flowray/tf/tensor.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

class Layer;
struct LayerCall;

/// A tensor that knows which layers it came through, from Input() on. Other functions of the language take it
/// as a Tensor and give Tensors, which do not know.
class KerasTensor : public Tensor {
 public:
  KerasTensor() = default;

  /// For Flowray itself.
  KerasTensor(const Tensor& tensor, std::shared_ptr<const LayerCall> call, size_t index)
      : Tensor(tensor), call_(std::move(call)), index_(index) {}
  /// For Flowray itself: the call that made it; null for a tensor without layers.
  const std::shared_ptr<const LayerCall>& call() const { return call_; }
  /// Which of the call's outputs it is.
  size_t index() const { return index_; }

 private:
  std::shared_ptr<const LayerCall> call_;
  size_t index_ = 0;
};

struct InputOptions {
  /// Empty: "input_1", "input_2", ...
  std::string name = {};
  /// The dtype of its elements; left out: backend::floatx().
  std::optional<DType> dtype = {};
  /// Known only where all batches have the same size.
  int64_t batch_size = -1;
};
/// Where a functional model begins. `shape`: of an element, without the batch.
KerasTensor Input(const TensorShape& shape, const InputOptions& options = {},
                  tf::Input::Where where = tf::Input::Where::current());

/// What a call is given besides tensors, where its layer takes more; a model repeats it in its calls.
using CallArguments = std::shared_ptr<void>;

/// What all layers take.
struct LayerOptions {
  /// Empty: the class's name in small letters, with a number behind it where the graph has that already.
  std::string name = {};
  /// Whether training changes its weights; false for layers that were trained before (fine tuning).
  bool trainable = true;
  /// Of an element, for the first layer of a model: the model is then built at once.
  std::optional<TensorShape> input_shape = {};
};

/// tf.keras.layers.InputSpec: what a layer takes as an input.
struct InputSpec {
  /// The dtype; left out: any.
  std::optional<DType> dtype = {};
  /// The number of dimensions, the batch among them; left out: any.
  std::optional<int64_t> ndim = {};
  /// The least number of dimensions.
  std::optional<int64_t> min_ndim = {};
  /// The greatest number of dimensions.
  std::optional<int64_t> max_ndim = {};
  /// Sizes of dimensions; -1 is the last one.
  std::map<int64_t, int64_t> axes = {};
};

/// What a call of a layer for functional models was given, and gave.
struct InboundNode {
  /// In their order; the mask behind them, where apply_masked() was given one.
  std::vector<KerasTensor> inputs;
  /// In their order.
  std::vector<KerasTensor> outputs;
};

struct WeightOptions {
  /// Its first value.
  Initializer initializer = glorot_uniform_initializer();
  /// The dtype of its elements; left out: the layer's.
  std::optional<DType> dtype = {};
  /// Whether training changes it; false for counters and moving averages, which add_update changes.
  bool trainable = true;
  /// What is added to the loss for it; set_regularizer goes before it.
  regularizers::Regularizer regularizer = {};
  /// What it becomes behind each step of training; set_constraint goes before it.
  constraints::Constraint constraint = {};
};

/// tf.keras.layers.Layer. An object belongs to the graph in which it is built, by its first call. A copy of a
/// layer that is built is the same layer, with the same weights.
class Layer : public std::enable_shared_from_this<Layer> {
 public:
  using Where = tf::Input::Where;

  virtual ~Layer() = default;
  Layer(const Layer& other);
  Layer& operator=(const Layer& other);

  /// The name, which names of its weights begin with.
  const std::string& name() const;
  /// Whether training changes its weights.
  bool trainable() const;
  /// Before the model is compiled: what is compiled already goes on as it was.
  virtual void set_trainable(bool trainable);
  /// Whether its weights are there.
  virtual bool built() const;
  /// Of an element, where it was given.
  const std::optional<TensorShape>& input_shape() const;
  /// What its last call gave.
  const std::vector<TensorShape>& output_shapes() const;
  /// What each of its calls for functional models gave, of those whose tensors are still there.
  std::vector<std::vector<KerasTensor>> outputs_of_calls() const;
  /// Each of those calls, with its inputs.
  std::vector<InboundNode> inbound_nodes() const;
  /// What it takes as inputs, one for each, since it is built; empty: whatever its operations take. Calls
  /// with others throw ValueError.
  const std::vector<InputSpec>& input_spec() const;
  /// The layers inside, and those inside of them.
  std::vector<std::shared_ptr<Layer>> submodules() const;
  /// What is added to the loss for a weight, by its name ("kernel"), in place of what its options say. Before
  /// the layer is built.
  void set_regularizer(const std::string& weight, const regularizers::Regularizer& regularizer);
  /// What a weight becomes behind each step of training.
  void set_constraint(const std::string& weight, const constraints::Constraint& constraint);
  /// What is added to the loss for each output, divided by the size of the batch.
  void set_activity_regularizer(const regularizers::Regularizer& regularizer);

  /// What its weights are, float32 or float64; inputs of the language's layers are cast to it. Before the
  /// layer is built. Without this call it is what the first input is, of floating point numbers, else
  /// backend::floatx(). Throws ValueError for other dtypes, and for a layer that is built.
  void set_dtype(DType dtype, Where where = Where::current());
  /// What its weights are, or will be where nothing says otherwise.
  DType dtype() const;
  /// "channels_first": its inputs and outputs are [batch, channels, ...], of layers over sequences, images
  /// and volumes; they are turned around what it computes, so that build_for() and call_for() of a class that
  /// derives from one see channels last. "channels_last": [batch, ..., channels], as without this call.
  /// Before the layer is built. Throws ValueError for other words, and for a layer that is built.
  void set_data_format(const std::string& data_format, Where where = Where::current());

  /// What it makes of its input, as nodes of the input's graph; builds it first where it is not built.
  /// `training`: whether dropout drops, and batches are normalised by themselves. Throws ValueError for a
  /// layer of several outputs.
  Tensor operator()(const Tensor& inputs, bool training = false, Where where = Where::current());
  /// Of several inputs.
  Tensor operator()(std::initializer_list<Tensor> inputs, bool training = false,
                    Where where = Where::current());
  /// The same of a number of inputs known only at run time.
  Tensor operator()(const std::vector<Tensor>& inputs, bool training = false, Where where = Where::current());
  /// The same for a functional model. `training`, where it is given, is meant for all that the model does.
  KerasTensor operator()(const KerasTensor& inputs, std::optional<bool> training = {},
                         Where where = Where::current());
  /// Of several inputs.
  KerasTensor operator()(std::initializer_list<KerasTensor> inputs, std::optional<bool> training = {},
                         Where where = Where::current());
  /// The same of a number of inputs known only at run time.
  KerasTensor operator()(const std::vector<KerasTensor>& inputs, std::optional<bool> training = {},
                         Where where = Where::current());
  /// All of its outputs.
  std::vector<Tensor> apply(const std::vector<Tensor>& inputs, bool training = false,
                            Where where = Where::current(), const CallArguments& arguments = nullptr);
  /// The same for a functional model.
  std::vector<KerasTensor> apply(const std::vector<KerasTensor>& inputs, std::optional<bool> training = {},
                                 Where where = Where::current(), const CallArguments& arguments = nullptr);
  /// The same, where `mask` says which times of the first input count, whatever layers before have said.
  std::vector<KerasTensor> apply_masked(const std::vector<KerasTensor>& inputs, const KerasTensor& mask,
                                        std::optional<bool> training = {}, Where where = Where::current());

  /// For Flowray itself: what a call for a functional model is known by, whose outputs are made.
  std::vector<KerasTensor> note_call(const std::vector<KerasTensor>& inputs,
                                     const std::vector<Tensor>& outputs, std::optional<bool> training = {},
                                     const CallArguments& arguments = nullptr, bool has_mask = false);

  /// Whether masks pass through it: which times of sequences count, as bool [batch, time], which Masking and
  /// Embedding say. What comes out of other layers has no mask.
  bool supports_masking() const;

  /// Those that training changes, then the others.
  virtual std::vector<Variable> weights() const;
  /// Those that training changes; none where trainable() is false.
  virtual std::vector<Variable> trainable_weights() const;
  /// Those that training leaves as they are, such as moving averages; all where trainable() is false.
  virtual std::vector<Variable> non_trainable_weights() const;
  /// The number of elements of all weights. Throws ValueError for a layer that is not built.
  int64_t count_params(Where where = Where::current()) const;

  /// "Dense": what summaries show.
  virtual std::string class_name() const = 0;
  /// What it was made of, as files have it: "name", "trainable", "dtype" and, of the language's layers, their
  /// arguments. A layer of the program's adds its own (Config::set), which its CustomLayer takes.
  /// Throws errors::UnimplementedError for functions of the program's, which no file can hold.
  virtual Config get_config() const;
  /// The variables that a stateful layer keeps from batch to batch; none of others, and before the first
  /// call.
  virtual std::vector<Variable> states() const { return {}; }
  /// Those inside: what a wrapper wraps, what a model is made of.
  virtual std::vector<std::shared_ptr<Layer>> inner_layers() const { return {}; }
  /// The same layer as an object that a functional model keeps. Null where the class does not say; such a
  /// layer is held by a shared_ptr from the beginning.
  virtual std::shared_ptr<Layer> copy() const { return nullptr; }
  /// What runs with each step of training, of the calls since clear_updates() and of layers inside, too.
  virtual std::vector<Operation> updates() const;
  /// Forgets updates() and losses() of the calls until now.
  virtual void clear_updates();
  /// What is added to the loss: of those calls, and for the weights.
  virtual std::vector<Tensor> losses() const;
  /// The weights that have a constraint, with it.
  virtual std::vector<std::pair<Variable, FunctionOf<Tensor>>> constraints() const;

 protected:
  /// `class_name` as class_name() gives it, which makes the name where `options` has none.
  Layer(const std::string& class_name, const LayerOptions& options);

  /// In the constructor: that masks pass through it.
  void support_masking(bool supports = true);
  /// In call(): the mask of each input, unset where it has none.
  const std::vector<Tensor>& input_masks() const;
  /// In call(): what the call was given besides tensors.
  const CallArguments& arguments() const;
  /// The masks of the outputs, fewer where the last ones have none. Unless overridden those of the inputs
  /// with support_masking(), else none.
  virtual std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                           const std::vector<Tensor>& masks);
  /// In build(): a weight called "LAYER/NAME".
  Variable add_weight(const std::string& name, const TensorShape& shape, const WeightOptions& options = {},
                      Where where = Where::current());
  /// In build(): what calls from now on have to give.
  void set_input_spec(std::vector<InputSpec> spec);
  /// In call(): what runs with each step of training.
  void add_update(const Operation& update);
  /// In call(): a scalar that is added to the loss.
  void add_loss(const Tensor& loss);
  /// The regularizers and constraints of another layer.
  void take_rules_of(const Layer& other);

  /// Makes the weights. The shape has the batch in front.
  virtual void build(const TensorShape& input_shape);
  /// What comes out; unless overridden what goes in.
  virtual Tensor call(const Tensor& inputs, bool training);
  /// The same for layers of several inputs or outputs. Unless overridden they throw ValueError for more than
  /// one input, and call those above.
  virtual void build_for(const std::vector<TensorShape>& input_shapes);
  virtual std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training);
  /// In call(): calls a layer inside, whose weights are named as this one's.
  static Tensor apply_without_scope(Layer& inner, const Tensor& inputs, bool training);

 private:
  friend class Model;
  friend class LayerConfig;
  struct State;

  std::vector<Tensor> apply_here(const std::vector<Tensor>& inputs, bool training);
  void mask_outputs(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                    const std::vector<Tensor>& outputs);
  std::shared_ptr<Layer> held();

  std::shared_ptr<State> state_;  // of a built layer shared by its copies
};

/// Which times of a layer's output count, as bool [batch, time]; unset where all do.
Tensor mask_of(const Tensor& output);

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
