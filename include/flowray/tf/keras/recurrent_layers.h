#pragma once
/// Layers of tf.keras.layers over time: sequences are [batch, time, features].

#include <flowray/array.h>
#include <flowray/tf/keras/activations.h>
#include <flowray/tf/keras/layer.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

/// What SimpleRNN, LSTM and GRU have in common. Further inputs behind the sequences are the first states, of
/// zeros where they are left out.
class Recurrent : public Layer {
 public:
  /// The options that all three share; SimpleRNNOptions says what they are.
  struct Layout {
    /// The first value of the kernel, which the inputs are multiplied by.
    Initializer kernel_initializer;
    /// The first value of the recurrent kernel, which the state is multiplied by.
    Initializer recurrent_initializer;
    /// The first value of the bias.
    Initializer bias_initializer;
    /// Whether a bias is added.
    bool use_bias = true;
    /// The probability to drop an element of the inputs, in training: 0 to 1.
    double dropout = 0;
    /// The probability to drop an element of the state, in training: 0 to 1.
    double recurrent_dropout = 0;
    /// Whether the output has all times, not the last one only.
    bool return_sequences = false;
    /// Whether the last states follow the output.
    bool return_state = false;
    /// Whether times are read from the last to the first.
    bool go_backwards = false;
    /// Whether a batch begins with the states that the one before it ended with.
    bool stateful = false;
    /// Whether each time has nodes of its own.
    bool unroll = false;
    /// Of an element, for the first layer of a model.
    std::optional<TensorShape> input_shape = {};
    /// The layer's name; empty: that of its class in small letters, made unique.
    std::string name = {};
  };
  /// Whether its output has all times: [batch, time, units], else [batch, units].
  bool return_sequences() const { return layout_.return_sequences; }
  /// Whether its last states follow the output.
  bool return_state() const { return layout_.return_state; }
  /// Whether a batch begins with the states that the one before it ended with.
  bool stateful() const { return layout_.stateful; }
  /// Gives the states these values, [batch, units] each; none: zeros. Throws AttributeError's counterpart
  /// TypeError for a layer that is not stateful, ValueError for one that was not called, and for other
  /// numbers and shapes of them.
  void reset_states(const std::vector<Array>& states = {}, Where where = Where::current());
  /// Whether it reads times from the last to the first; the output is in that order, too.
  bool go_backwards() const { return layout_.go_backwards; }
  /// The states that a stateful layer keeps between batches, zeros at first; none for other layers, and
  /// before the first call.
  std::vector<Variable> states() const override { return states_; }
  std::string class_name() const override { return class_name_; }
  /// A new layer like it.
  std::shared_ptr<Recurrent> like_it(const std::string& name, bool go_backwards) const;

 protected:
  /// Throws ValueError for units below 1 and parts outside of 0 to 1.
  Recurrent(std::string class_name, int64_t units, size_t num_gates, Layout layout, Where where);
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

  virtual std::shared_ptr<Recurrent> twin(const std::string& name, bool go_backwards) const = 0;
  virtual size_t num_states() const { return 1; }
  virtual void build_bias();
  /// What is added to the inputs' products outside of the loop; none where there is no bias.
  virtual Tensor input_bias() const { return bias_.has_value() ? bias_.value() : Tensor(); }
  /// The next states, the output first. `gates`: the inputs' part; `hidden`: the last output as each gate
  /// takes it, by which dropout is told.
  virtual std::vector<Tensor> step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                                   const std::vector<Tensor>& states) const = 0;
  /// What the hidden part of gate `i` is multiplied by.
  Tensor recurrent_part(size_t i) const { return recurrent_parts_[i]; }

  int64_t units_;
  Layout layout_;
  Variable kernel_, recurrent_kernel_, bias_;

 private:
  friend class RecurrentLoop;
  Tensor projected(const Tensor& inputs, bool training) const;
  std::vector<Tensor> first_states(const std::vector<Tensor>& given, const Tensor& sequences) const;
  std::vector<Tensor> keeping_states(std::vector<Tensor> outputs, const std::vector<Tensor>& last) const;
  std::vector<Tensor> hidden_masks(const Tensor& state, bool training) const;

  std::string class_name_;
  size_t num_gates_;
  std::vector<Variable> states_;         // that are kept between batches
  std::vector<Tensor> recurrent_parts_;  // of the call that is going on
};

struct SimpleRNNOptions {
  /// Of the output, a name or a function; "linear": none.
  keras::Activation activation = "tanh";
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel.
  Initializer kernel_initializer = glorot_uniform_initializer();
  /// The first value of the recurrent kernel, which the state is multiplied by. An orthogonal one keeps the
  /// state's length over many times.
  Initializer recurrent_initializer = orthogonal_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer kernel_regularizer = {};
  /// The same for the recurrent kernel.
  regularizers::Regularizer recurrent_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint kernel_constraint = {};
  /// The same for the recurrent kernel.
  constraints::Constraint recurrent_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The probability to drop an element of the inputs, in training: 0 to 1, the same elements for all times.
  /// For models that learn their training data by heart.
  double dropout = 0;
  /// The same of the state.
  double recurrent_dropout = 0;
  /// Whether it gives its output of each time, [batch, time, units], not the last one only, [batch, units].
  /// Needed where another layer over time follows.
  bool return_sequences = false;
  /// Whether its last states follow the output, as further outputs: for a decoder that begins with them.
  bool return_state = false;
  /// Whether it reads times from the last to the first; its output has that order, too.
  bool go_backwards = false;
  /// Whether a batch begins with the states that the one before it ended with, for sequences that come in
  /// parts. The inputs' batches must have a known size (InputOptions::batch_size).
  bool stateful = false;
  /// Whether each time has nodes of its own in place of a loop, for short sequences of a known number of
  /// times: larger graphs, faster steps.
  bool unroll = false;
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// output = state = activation(inputs * kernel + state * recurrent_kernel + bias)
class SimpleRNN : public Recurrent {
 public:
  /// `units`: the size of the output and of the state. Throws ValueError for units below 1, and for a dropout
  /// outside of 0 to 1.
  explicit SimpleRNN(int64_t units, const SimpleRNNOptions& options = {}, Where where = Where::current());
  std::shared_ptr<Layer> copy() const override { return std::make_shared<SimpleRNN>(*this); }

 protected:
  std::shared_ptr<Recurrent> twin(const std::string& name, bool go_backwards) const override;
  std::vector<Tensor> step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                           const std::vector<Tensor>& states) const override;

 private:
  SimpleRNNOptions options_;
};

struct LSTMOptions {
  /// Of the output, a name or a function; "linear": none.
  keras::Activation activation = "tanh";
  /// Of the gates: a name or a function.
  keras::Activation recurrent_activation = "hard_sigmoid";
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel.
  Initializer kernel_initializer = glorot_uniform_initializer();
  /// The first value of the recurrent kernel, which the state is multiplied by. An orthogonal one keeps the
  /// state's length over many times.
  Initializer recurrent_initializer = orthogonal_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// Whether the forget gate's bias is 1 at first, so that a new layer remembers; needs use_bias.
  bool unit_forget_bias = true;
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer kernel_regularizer = {};
  /// The same for the recurrent kernel.
  regularizers::Regularizer recurrent_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint kernel_constraint = {};
  /// The same for the recurrent kernel.
  constraints::Constraint recurrent_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The probability to drop an element of the inputs, in training: 0 to 1, the same elements for all times.
  double dropout = 0;
  /// The same of the state.
  double recurrent_dropout = 0;
  /// Whether it gives its output of each time, [batch, time, units], not the last one only, [batch, units].
  /// Needed where another layer over time follows.
  bool return_sequences = false;
  /// Whether its last states follow the output, as further outputs: for a decoder that begins with them.
  bool return_state = false;
  /// Whether it reads times from the last to the first; its output has that order, too.
  bool go_backwards = false;
  /// Whether a batch begins with the states that the one before it ended with, for sequences that come in
  /// parts. The inputs' batches must have a known size (InputOptions::batch_size).
  bool stateful = false;
  /// Whether each time has nodes of its own in place of a loop, for short sequences of a known number of
  /// times: larger graphs, faster steps.
  bool unroll = false;
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Long short-term memory; its states are the output and the memory. Source:
/// Hochreiter and Schmidhuber, 1997.
class LSTM : public Recurrent {
 public:
  /// `units`: the size of the output and of each state. Throws ValueError for units below 1, and for a
  /// dropout outside of 0 to 1.
  explicit LSTM(int64_t units, const LSTMOptions& options = {}, Where where = Where::current());
  std::shared_ptr<Layer> copy() const override { return std::make_shared<LSTM>(*this); }

 protected:
  std::shared_ptr<Recurrent> twin(const std::string& name, bool go_backwards) const override;
  size_t num_states() const override { return 2; }
  void build_bias() override;
  std::vector<Tensor> step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                           const std::vector<Tensor>& states) const override;

 private:
  LSTMOptions options_;
};

struct GRUOptions {
  /// Of the output, a name or a function; "linear": none.
  keras::Activation activation = "tanh";
  /// Of the gates: a name or a function.
  keras::Activation recurrent_activation = "hard_sigmoid";
  /// Whether a bias is added. To be turned off before a normalisation, which takes it away again.
  bool use_bias = true;
  /// The first value of the kernel.
  Initializer kernel_initializer = glorot_uniform_initializer();
  /// The first value of the recurrent kernel, which the state is multiplied by. An orthogonal one keeps the
  /// state's length over many times.
  Initializer recurrent_initializer = orthogonal_initializer();
  /// The first value of the bias.
  Initializer bias_initializer = zeros_initializer();
  /// What is added to the loss for the kernel: regularizers::l2(0.01), "l2", or a function.
  regularizers::Regularizer kernel_regularizer = {};
  /// The same for the recurrent kernel.
  regularizers::Regularizer recurrent_regularizer = {};
  /// The same for the bias.
  regularizers::Regularizer bias_regularizer = {};
  /// What is added to the loss for the outputs, divided by the size of the batch.
  regularizers::Regularizer activity_regularizer = {};
  /// What the kernel becomes behind each step of training: constraints::MaxNorm(), "non_neg", or a function.
  constraints::Constraint kernel_constraint = {};
  /// The same for the recurrent kernel.
  constraints::Constraint recurrent_constraint = {};
  /// The same for the bias.
  constraints::Constraint bias_constraint = {};
  /// The probability to drop an element of the inputs, in training: 0 to 1, the same elements for all times.
  double dropout = 0;
  /// The same of the state.
  double recurrent_dropout = 0;
  /// Whether it gives its output of each time, [batch, time, units], not the last one only, [batch, units].
  /// Needed where another layer over time follows.
  bool return_sequences = false;
  /// Whether its last states follow the output, as further outputs: for a decoder that begins with them.
  bool return_state = false;
  /// Whether it reads times from the last to the first; its output has that order, too.
  bool go_backwards = false;
  /// Whether a batch begins with the states that the one before it ended with, for sequences that come in
  /// parts. The inputs' batches must have a known size (InputOptions::batch_size).
  bool stateful = false;
  /// Whether each time has nodes of its own in place of a loop, for short sequences of a known number of
  /// times: larger graphs, faster steps.
  bool unroll = false;
  /// Whether the reset gate is applied behind the product with the state, as cuDNN has it; true for weights
  /// that were trained so: it has two biases.
  bool reset_after = false;
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// Gated recurrent unit. Source: Cho et al., 2014.
class GRU : public Recurrent {
 public:
  /// `units`: the size of the output and of the state. Throws ValueError for units below 1, and for a dropout
  /// outside of 0 to 1.
  explicit GRU(int64_t units, const GRUOptions& options = {}, Where where = Where::current());
  std::shared_ptr<Layer> copy() const override { return std::make_shared<GRU>(*this); }

 protected:
  std::shared_ptr<Recurrent> twin(const std::string& name, bool go_backwards) const override;
  void build_bias() override;
  Tensor input_bias() const override;
  std::vector<Tensor> step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                           const std::vector<Tensor>& states) const override;

 private:
  GRUOptions options_;
};

/// A layer that has others inside: their weights are its own.
class Wrapper : public Layer {
 public:
  void set_trainable(bool trainable) override;
  std::vector<Variable> weights() const override;
  std::vector<Variable> trainable_weights() const override;
  std::vector<Variable> non_trainable_weights() const override;
  std::vector<Operation> updates() const override;
  void clear_updates() override;
  std::vector<Tensor> losses() const override;
  std::vector<std::pair<Variable, FunctionOf<Tensor>>> constraints() const override;
  std::vector<Variable> states() const override;
  std::vector<std::shared_ptr<Layer>> inner_layers() const override { return inner_; }

 protected:
  Wrapper(const std::string& class_name, const LayerOptions& options,
          std::vector<std::shared_ptr<Layer>> inner);
  const std::vector<std::shared_ptr<Layer>>& inner() const { return inner_; }

 private:
  std::vector<std::shared_ptr<Layer>> inner_;
};

struct BidirectionalOptions {
  /// How the two outputs become one: "concat", "sum", "mul" or "ave"; empty: they stay two outputs.
  std::string merge_mode = "concat";
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
  /// What reads the sequences from their ends, with `go_backwards`; a copy of it is taken. Null: a layer like
  /// the other one. ValueError unless both give sequences, states and so on alike.
  std::shared_ptr<const Recurrent> backward_layer = nullptr;
};
/// Two layers like the given one, of which one reads the sequences from their ends.
class Bidirectional : public Wrapper {
 public:
  /// Throws ValueError for another merge_mode.
  template <std::derived_from<Recurrent> L>
  explicit Bidirectional(const L& layer, const BidirectionalOptions& options = {},
                         Where where = Where::current())
      : Bidirectional(static_cast<const Recurrent&>(layer), options, where) {}
  /// The same of any layer over time. Throws ValueError for another merge_mode.
  explicit Bidirectional(const Recurrent& layer, const BidirectionalOptions& options, Where where);
  std::string class_name() const override { return "Bidirectional"; }
  Config get_config() const override;
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Bidirectional>(*this); }

 protected:
  void build_for(const std::vector<TensorShape>&) override {}
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& masks) override;

 private:
  bool return_sequences_;
  std::string merge_mode_;
  bool has_backward_layer_;
};

struct TimeDistributedOptions {
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// A layer for each time of sequences: [batch, time, ...] as [batch * time, ...].
class TimeDistributed : public Wrapper {
 public:
  /// Wraps a copy of `layer`, which takes one time: [batch, ...].
  template <std::derived_from<Layer> L>
  explicit TimeDistributed(L layer, const TimeDistributedOptions& options = {})
      : TimeDistributed(std::static_pointer_cast<Layer>(std::make_shared<L>(std::move(layer))), options) {}
  /// Throws ValueError for a null pointer.
  explicit TimeDistributed(std::shared_ptr<Layer> layer, const TimeDistributedOptions& options = {},
                           Where where = Where::current());
  std::string class_name() const override { return "TimeDistributed"; }
  Config get_config() const override;
  std::shared_ptr<Layer> copy() const override { return std::make_shared<TimeDistributed>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
