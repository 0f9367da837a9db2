#pragma once
/// tf.nn.rnn_cell and what runs its cells over time: tf.nn.static_rnn,
/// dynamic_rnn and bidirectional_dynamic_rnn.
///
/// A state is a flat list of tensors: BasicLSTMCell's is {c, h}, that of several cells all of theirs.

#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/variable_scope.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::nn {

/// A cell's state: one tensor or several, [batch, ..] each.
using State = std::vector<Tensor>;
struct CellResult {
  /// What the cell gives in this step, [batch, output_size()].
  Tensor output;
  /// What it takes in the next step.
  State state;
};

/// What a recurrent network does in one step. Variables are made in the first call and belong to the cell.
class RNNCell {
 public:
  virtual ~RNNCell() = default;
  /// inputs [batch,in] -> output [batch,output_size()]. Throws ValueError for unset inputs.
  CellResult operator()(const Tensor& inputs, const State& state,
                        Input::Where where = Input::Where::current());
  /// The sizes of the state's tensors without the batch.
  virtual std::vector<int64_t> state_size() const = 0;
  /// How many numbers its output has for each example.
  virtual int64_t output_size() const = 0;
  /// For a batch of a known size, or of that of an int32 scalar.
  virtual State zero_state(const Input& batch_size, DType dtype);
  /// Which tensors of the state a DropoutWrapper drops from: all but the c of LSTM cells.
  virtual std::vector<bool> dropped_states() const { return std::vector<bool>(state_size().size(), true); }

 protected:
  /// `class_name` is that of TensorFlow's Python class, which zero_state's scope is called after.
  explicit RNNCell(std::string class_name) : class_name_(std::move(class_name)) {}
  /// What the cell is: its operator(), of inputs that are set, with their graph as the default one.
  virtual CellResult step(const Tensor& inputs, const State& state) = 0;
  /// TensorFlow's name of the class.
  const std::string& class_name() const { return class_name_; }

 private:
  std::string class_name_;
};
/// A cell that several own.
using CellPointer = std::shared_ptr<RNNCell>;

/// A cell with variables in a scope of its own, named as a layer is: "basic_lstm_cell", made unique.
class LayerCell : public RNNCell {
 public:
 protected:
  /// `default_name` is that of the scope where `name` is empty.
  LayerCell(std::string class_name, std::string default_name, std::string name, Reuse reuse);
  /// Makes the variables, for inputs of so many columns.
  virtual void build(int64_t columns) { (void)columns; }
  /// One step: inputs [batch,in] and the state to output and next state, by the variables that build() made.
  virtual CellResult call(const Tensor& inputs, const State& state) = 0;
  /// call(), in the cell's scope; makes the variables first where they are not yet made.
  CellResult step(const Tensor& inputs, const State& state) final;
  /// Whether the columns of the inputs must be known, since the variables' shapes depend on them.
  virtual bool knows_columns() const { return true; }

 private:
  std::string default_name_;
  std::string name_;
  Reuse reuse_;
  std::unique_ptr<VariableScope> scope_;
  bool built_ = false;
};

struct CellOptions {
  /// What the output goes through; empty: tanh.
  layers::Activation activation = {};
  /// Whether the cell finds its variables or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// The variable scope; empty: that of the cell's class, such as "gru_cell", made unique.
  std::string name = {};
};
/// output = state = activation(W * input + U * state + b)
class BasicRNNCell : public LayerCell {
 public:
  /// `num_units` is the size of its output, which is its state.
  explicit BasicRNNCell(int64_t num_units, const CellOptions& options = {});
  /// One tensor of `num_units` columns.
  std::vector<int64_t> state_size() const override { return {units_}; }
  /// `num_units`.
  int64_t output_size() const override { return units_; }

 protected:
  /// Kernel [columns + num_units, num_units] and bias.
  void build(int64_t columns) override;
  /// One step.
  CellResult call(const Tensor& inputs, const State& state) override;

 private:
  int64_t units_;
  layers::Activation activation_;
  Variable kernel_, bias_;
};

struct GRUCellOptions {
  /// The activation of the candidate; empty: tanh.
  layers::Activation activation = {};
  /// Whether the cell finds its variables or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// Empty: the scope's; ones for the gates' bias, zeros for the candidate's.
  Initializer kernel_initializer = {};
  /// Empty: ones for the gates' bias, zeros for the candidate's.
  Initializer bias_initializer = {};
  /// The variable scope; empty: that of the cell's class, such as "gru_cell", made unique.
  std::string name = {};
};
/// Gated recurrent unit. Source: Cho et al., 2014.
class GRUCell : public LayerCell {
 public:
  /// `num_units` is the size of its output, which is its state.
  explicit GRUCell(int64_t num_units, const GRUCellOptions& options = {});
  /// One tensor of `num_units` columns.
  std::vector<int64_t> state_size() const override { return {units_}; }
  /// `num_units`.
  int64_t output_size() const override { return units_; }

 protected:
  /// Kernels and biases of the gates, [columns + num_units, 2 * num_units], and of the candidate.
  void build(int64_t columns) override;
  /// One step.
  CellResult call(const Tensor& inputs, const State& state) override;

 private:
  int64_t units_;
  GRUCellOptions options_;
  Variable gate_kernel_, gate_bias_, candidate_kernel_, candidate_bias_;
};

struct BasicLSTMCellOptions {
  /// Added to the forget gate, so that a new cell remembers.
  double forget_bias = 1.0;
  /// The activation of what is taken in and given out; empty: tanh.
  layers::Activation activation = {};
  /// Whether the cell finds its variables or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// The variable scope; empty: that of the cell's class, such as "gru_cell", made unique.
  std::string name = {};
  /// false: c and h are one tensor, next to each other. Set that for programs and checkpoints from before
  /// there were tuples: it costs a concatenation in each step.
  bool state_is_tuple = true;
};
/// Long short-term memory with state {c, h}. Source: Zaremba et al., 2014.
class BasicLSTMCell : public LayerCell {
 public:
  /// `num_units` is the size of its output, and of each part of its state.
  explicit BasicLSTMCell(int64_t num_units, const BasicLSTMCellOptions& options = {});
  /// c and h, `num_units` columns each; joined, one tensor of twice as many.
  std::vector<int64_t> state_size() const override {
    return options_.state_is_tuple ? std::vector<int64_t>{units_, units_} : std::vector<int64_t>{2 * units_};
  }
  /// `num_units`.
  int64_t output_size() const override { return units_; }
  /// h, and not what the cell remembers.
  std::vector<bool> dropped_states() const override {
    return options_.state_is_tuple ? std::vector<bool>{false, true} : std::vector<bool>{true};
  }

 protected:
  /// Kernel [columns + num_units, 4 * num_units] and bias.
  void build(int64_t columns) override;
  /// One step.
  CellResult call(const Tensor& inputs, const State& state) override;

 private:
  int64_t units_;
  BasicLSTMCellOptions options_;
  Variable kernel_, bias_;
};

struct LSTMCellOptions {
  /// Whether the gates look at c, too, by a weight for each unit. Source: Gers, Schmidhuber, 2000; true for
  /// sequences in which the time between events counts.
  bool use_peepholes = false;
  /// c is kept within +- this.
  std::optional<double> cell_clip = std::nullopt;
  /// The initializer of all weights but biases, which are zeros; empty: the scope's.
  Initializer initializer = {};
  /// The output is multiplied by a matrix to this size.
  std::optional<int64_t> num_proj = std::nullopt;
  /// The projected output is kept within +- this; only with num_proj.
  std::optional<double> proj_clip = std::nullopt;
  /// Added to the forget gate, so that a new cell remembers.
  double forget_bias = 1.0;
  /// The activation of what is taken in and given out; empty: tanh.
  layers::Activation activation = {};
  /// Whether the cell finds its variables or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// The variable scope; empty: that of the cell's class, such as "gru_cell", made unique.
  std::string name = {};
  /// As BasicLSTMCell's.
  bool state_is_tuple = true;
};
/// Long short-term memory with peepholes, a projection and limits to choose. Source: Sak et al., 2014.
class LSTMCell : public LayerCell {
 public:
  /// `num_units` is the size of c; that of the output, too, unless num_proj says another.
  explicit LSTMCell(int64_t num_units, const LSTMCellOptions& options = {});
  /// c of `num_units` columns and the output's; joined, one tensor of both.
  std::vector<int64_t> state_size() const override {
    if (!options_.state_is_tuple) return {units_ + output_size()};
    return {units_, output_size()};
  }
  /// num_proj, or else `num_units`.
  int64_t output_size() const override { return options_.num_proj.value_or(units_); }
  /// h, and not what the cell remembers.
  std::vector<bool> dropped_states() const override {
    return options_.state_is_tuple ? std::vector<bool>{false, true} : std::vector<bool>{true};
  }

 protected:
  /// Kernel [columns + output_size(), 4 * num_units] and bias, and what use_peepholes and num_proj need.
  void build(int64_t columns) override;
  /// One step.
  CellResult call(const Tensor& inputs, const State& state) override;

 private:
  int64_t units_;
  LSTMCellOptions options_;
  Variable kernel_, bias_, forget_diagonal_, input_diagonal_, output_diagonal_, projection_;
};

struct MultiRNNCellOptions {
  /// Whether the state is a tensor for each of the cells' own; false, as it must be of the cells then, too:
  /// one tensor in which all are joined.
  bool state_is_tuple = true;
};
/// Cells one on top of the other.
class MultiRNNCell : public LayerCell {
 public:
  /// Throws ValueError for no cells, and for cells with several tensors as their
  /// state where all are to be joined.
  explicit MultiRNNCell(std::vector<CellPointer> cells, const MultiRNNCellOptions& options = {},
                        Input::Where where = Input::Where::current());
  /// The sizes of all cells' states, one behind the other; joined, their sum.
  std::vector<int64_t> state_size() const override;
  /// The output size of the last cell.
  int64_t output_size() const override { return cells_.back()->output_size(); }
  /// The states of all cells, in scopes of their own.
  State zero_state(const Input& batch_size, DType dtype) override;
  /// Those of all cells, one behind the other.
  std::vector<bool> dropped_states() const override;

 protected:
  /// One step of each cell, in scopes "cell_0", "cell_1", ...
  CellResult call(const Tensor& inputs, const State& state) override;
  /// false: the cells make their variables themselves.
  bool knows_columns() const override { return false; }

 private:
  std::vector<int64_t> sizes_of_cells() const;

  std::vector<CellPointer> cells_;
  bool state_is_tuple_;
};

struct DropoutWrapperOptions {
  /// Parts that are kept, 0 to 1: numbers or scalar tensors.
  Input input_keep_prob = 1.0;
  /// For the cell's output.
  Input output_keep_prob = 1.0;
  /// For the state's tensors, but for the c of an LSTM cell.
  Input state_keep_prob = 1.0;
  /// Seeds of dropping from the inputs, from each tensor of the state and from the output.
  std::optional<int64_t> input_seed = std::nullopt;
  /// Seeds for the state's tensors, in their order.
  std::vector<int64_t> state_seeds = {};
  /// For the cell's output.
  std::optional<int64_t> output_seed = std::nullopt;
  /// Which tensors of the state are dropped from; empty: the cell's dropped_states().
  std::vector<bool> state_filter = {};
  /// Whether the same elements are dropped in all steps over time, and for all examples of the batch. Source:
  /// Gal and Ghahramani, 2016; true where states are dropped, too: with new elements in each step little
  /// would be remembered.
  bool variational_recurrent = false;
  /// How many columns the inputs have: must be given where variational_recurrent drops from them.
  std::optional<int64_t> input_size = std::nullopt;
  /// Of inputs, state and output: must be given with variational_recurrent.
  DType dtype = DType::kInvalid;
};
/// A cell around another one, of the same sizes.
class CellWrapper : public RNNCell {
 public:
  /// That of the cell.
  std::vector<int64_t> state_size() const override { return cell_->state_size(); }
  /// That of the cell.
  int64_t output_size() const override { return cell_->output_size(); }
  /// That of the cell, in a scope that is called after the wrapper.
  State zero_state(const Input& batch_size, DType dtype) override;
  /// Those of the cell.
  std::vector<bool> dropped_states() const override { return cell_->dropped_states(); }

 protected:
  /// Throws ValueError for a null pointer.
  CellWrapper(std::string class_name, CellPointer cell, Input::Where where);
  /// The cell that it wraps.
  RNNCell& cell() const { return *cell_; }

 private:
  CellPointer cell_;
};

/// Drops parts of what goes into a cell and comes out.
class DropoutWrapper : public CellWrapper {
 public:
  /// Throws ValueError for parts that are not between 0 and 1, where they are written in the program, for a
  /// state_filter of another length than the state, and for what variational_recurrent lacks.
  explicit DropoutWrapper(CellPointer cell, const DropoutWrapperOptions& options = {},
                          Input::Where where = Input::Where::current());

 protected:
  /// One step of the cell, with parts dropped before and after.
  CellResult step(const Tensor& inputs, const State& state) override;

 private:
  void check_filter();
  void make_noise();

  DropoutWrapperOptions options_;
  Tensor input_noise_, output_noise_;
  std::vector<Tensor> state_noise_;
};

/// What a ResidualWrapper gives of a step: takes the cell's inputs and its output.
using ResidualFunction = std::function<Tensor(const Tensor& inputs, const Tensor& output)>;
/// Adds a cell's inputs to its output. Source: Wu et al., 2016.
class ResidualWrapper : public CellWrapper {
 public:
  /// `residual_fn` null: the sum. Throws ValueError for a null pointer.
  explicit ResidualWrapper(CellPointer cell, ResidualFunction residual_fn = nullptr,
                           Input::Where where = Input::Where::current());

 protected:
  /// One step of the cell. Throws ValueError for inputs of another shape than its output, where there is no
  /// residual_fn.
  CellResult step(const Tensor& inputs, const State& state) override;

 private:
  ResidualFunction residual_fn_;
};

/// Runs a cell on a device, such as "/job:worker/task:1".
class DeviceWrapper : public CellWrapper {
 public:
  /// Throws ValueError for a null pointer.
  explicit DeviceWrapper(CellPointer cell, std::string device, Input::Where where = Input::Where::current());
  /// That of the cell, on the device.
  State zero_state(const Input& batch_size, DType dtype) override;

 protected:
  /// One step of the cell, on the device.
  CellResult step(const Tensor& inputs, const State& state) override;

 private:
  std::string device_;
};

struct RnnOptions {
  /// int32 [batch]: behind its length an example's output is zeros and its state stays.
  OptionalInput sequence_length = {};
  /// Empty: zeros of `dtype`.
  State initial_state = {};
  /// The dtype of the state, which must be given where there is no initial_state (ValueError).
  DType dtype = DType::kInvalid;
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 32;
  /// Written into the nodes; nothing is swapped here. Set it for a graph that TensorFlow is to run on a GPU
  /// with too little memory for what the loop remembers.
  bool swap_memory = false;
  /// Whether inputs and outputs are [time,batch,..] and not [batch,time,..]; true saves two transpositions in
  /// each step, where the data are laid out so.
  bool time_major = false;
  /// The variable scope; empty: "rnn".
  std::string scope = {};
};
struct StaticRnnResult {
  /// One [batch, output_size()] for each input.
  std::vector<Tensor> outputs;
  /// The state behind the last input, or behind each example's length.
  State state;
};
/// tf.nn.static_rnn: one copy of the cell for each of `inputs`. Throws ValueError for none.
StaticRnnResult static_rnn(RNNCell& cell, const List<Input>& inputs, const RnnOptions& options = {},
                           Input::Where where = Input::Where::current());
struct StaticBidirectionalResult {
  std::vector<Tensor> outputs;  // [batch,forward and backward]
  /// The last state of the forward cell.
  State forward;
  /// The last state of the backward cell: the one that it has at the first input.
  State backward;
};
/// tf.nn.static_bidirectional_rnn: one cell from the first input to the last and one from the last to the
/// first. Of options.initial_state the forward cell starts.
StaticBidirectionalResult static_bidirectional_rnn(RNNCell& forward, RNNCell& backward,
                                                   const List<Input>& inputs, const RnnOptions& options = {},
                                                   const State& initial_state_backward = {},
                                                   Input::Where where = Input::Where::current());
/// tf.nn.dynamic_rnn: a loop over time. Throws ValueError without initial_state and dtype.
CellResult dynamic_rnn(RNNCell& cell, const Input& inputs, const RnnOptions& options = {});

struct BidirectionalResult {
  /// Outputs and last state of the forward cell.
  CellResult forward;
  /// Outputs of the backward cell, in the order of the inputs, and its last state.
  CellResult backward;
};
/// One cell from the first input to the last, and one from the last to the first.
BidirectionalResult bidirectional_dynamic_rnn(RNNCell& forward, RNNCell& backward, const Input& inputs,
                                              const RnnOptions& options = {},
                                              const State& initial_state_backward = {});

}  // namespace flowray::tf::nn

#pragma GCC visibility pop
