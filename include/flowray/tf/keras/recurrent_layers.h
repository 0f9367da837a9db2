#pragma once
/// Layers of tf.keras.layers over time: sequences are [batch, time, features].

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
  /// How its tensors are laid out.
  struct Layout {
    Initializer kernel_initializer, recurrent_initializer, bias_initializer;
    bool use_bias = true;
    double dropout = 0, recurrent_dropout = 0;
    bool return_sequences = false, return_state = false, go_backwards = false;
    std::optional<TensorShape> input_shape = {};
    std::string name = {};
  };
  bool return_sequences() const { return layout_.return_sequences; }
  bool return_state() const { return layout_.return_state; }
  bool go_backwards() const { return layout_.go_backwards; }
  std::string class_name() const override { return class_name_; }
  /// A new layer like it.
  std::shared_ptr<Recurrent> like_it(const std::string& name, bool go_backwards) const;

 protected:
  /// Throws ValueError for units below 1 and parts outside of 0 to 1.
  Recurrent(std::string class_name, int64_t units, size_t num_gates, Layout layout, Where where);
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;

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
  std::vector<Tensor> hidden_masks(const Tensor& state, bool training) const;

  std::string class_name_;
  size_t num_gates_;
  std::vector<Tensor> recurrent_parts_;  // of the call that is going on
};

struct SimpleRNNOptions {
  keras::Activation activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform_initializer();
  Initializer recurrent_initializer = orthogonal_initializer();
  Initializer bias_initializer = zeros_initializer();
  /// The chance to drop from the inputs, and from the state, in training; the same for all times.
  double dropout = 0;
  double recurrent_dropout = 0;
  /// Whether it gives its output of each time, not the last one only.
  bool return_sequences = false;
  /// Whether its last state comes behind the output.
  bool return_state = false;
  bool go_backwards = false;
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// output = state = activation(inputs * kernel + state * recurrent_kernel + bias)
class SimpleRNN : public Recurrent {
 public:
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
  keras::Activation activation = "tanh";
  /// Of the gates.
  keras::Activation recurrent_activation = "hard_sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform_initializer();
  Initializer recurrent_initializer = orthogonal_initializer();
  Initializer bias_initializer = zeros_initializer();
  /// Whether the forget gate's bias is 1 at first.
  bool unit_forget_bias = true;
  /// See SimpleRNNOptions, as for the others.
  double dropout = 0;
  double recurrent_dropout = 0;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// Long short-term memory; its states are the output and the memory. Source: Hochreiter and Schmidhuber,
/// 1997.
class LSTM : public Recurrent {
 public:
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
  keras::Activation activation = "tanh";
  /// Of the gates.
  keras::Activation recurrent_activation = "hard_sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform_initializer();
  Initializer recurrent_initializer = orthogonal_initializer();
  Initializer bias_initializer = zeros_initializer();
  double dropout = 0;
  double recurrent_dropout = 0;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  /// Whether the reset gate is applied behind the product with the state, as cuDNN has it.
  bool reset_after = false;
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// Gated recurrent unit. Source: Cho et al., 2014.
class GRU : public Recurrent {
 public:
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

 protected:
  Wrapper(const std::string& class_name, const LayerOptions& options,
          std::vector<std::shared_ptr<Layer>> inner);
  const std::vector<std::shared_ptr<Layer>>& inner() const { return inner_; }

 private:
  std::vector<std::shared_ptr<Layer>> inner_;
};

struct BidirectionalOptions {
  /// "concat", "sum", "mul" or "ave"; empty: both outputs, one behind the other.
  std::string merge_mode = "concat";
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// Two layers like the given one, of which one reads the sequences from their ends.
class Bidirectional : public Wrapper {
 public:
  /// Throws ValueError for another merge_mode.
  template <std::derived_from<Recurrent> L>
  explicit Bidirectional(const L& layer, const BidirectionalOptions& options = {},
                         Where where = Where::current())
      : Bidirectional(static_cast<const Recurrent&>(layer), options, where) {}
  explicit Bidirectional(const Recurrent& layer, const BidirectionalOptions& options, Where where);
  std::string class_name() const override { return "Bidirectional"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Bidirectional>(*this); }

 protected:
  void build_for(const std::vector<TensorShape>&) override {}
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;

 private:
  bool return_sequences_;
  std::string merge_mode_;
};

struct TimeDistributedOptions {
  std::optional<TensorShape> input_shape = {};
  std::string name = {};
};
/// A layer for each time of sequences: [batch, time, ...] as [batch * time, ...].
class TimeDistributed : public Wrapper {
 public:
  template <std::derived_from<Layer> L>
  explicit TimeDistributed(L layer, const TimeDistributedOptions& options = {})
      : TimeDistributed(std::static_pointer_cast<Layer>(std::make_shared<L>(std::move(layer))), options) {}
  /// Throws ValueError for a null pointer.
  explicit TimeDistributed(std::shared_ptr<Layer> layer, const TimeDistributedOptions& options = {},
                           Where where = Where::current());
  std::string class_name() const override { return "TimeDistributed"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<TimeDistributed>(*this); }

 protected:
  void build(const TensorShape& input_shape) override;
  Tensor call(const Tensor& inputs, bool training) override;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
