#include <flowray/tf/array.h>
#include <flowray/tf/keras/recurrent_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/rnn.h>

#include "tf/build/call_scope.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/layer_results.h"
#include "tf/keras/model_state.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras::layers {
namespace {

/// Columns of a gate.
Tensor columns(const Tensor& matrix, size_t gate, int64_t units) {
  const auto begin = static_cast<int64_t>(gate) * units;
  const int rank = matrix.shape().rank();
  std::vector<int64_t> first(static_cast<size_t>(rank), 0);
  std::vector<int64_t> size(static_cast<size_t>(rank), -1);
  first.back() = begin;
  size.back() = units;
  return slice(matrix, Array(first), Array(size));
}

Tensor plus(const Tensor& a, const Tensor& b) { return b.has_value() ? a + b : a; }

Tensor backwards(const Tensor& sequences) { return reverse(sequences, {1}); }

/// The cell for each time of [batch, time, n], by a loop or by nodes of each time's own.
nn::CellResult run_over_time(nn::RNNCell& cell, const Tensor& inputs, const nn::State& states, bool unroll) {
  if (!unroll) return nn::dynamic_rnn(cell, inputs, {.initial_state = states});
  if (inputs.shape().dim(1) < 0) {
    throw ValueError(
        "Cannot unroll a RNN if the time dimension is undefined. \n"
        "- If using a Sequential model, specify the time dimension by passing an `input_shape` or "
        "`batch_input_shape` argument to your first layer.\n"
        "- If using the functional API, give the shape of an element that has it to Input.");
  }
  const nn::StaticRnnResult result =
      nn::static_rnn(cell, unstack(inputs, {.axis = 1}), {.initial_state = states});
  return {stack(result.outputs, {.axis = 1}), result.state};
}

template <class Options>
Recurrent::Layout layout_of(const Options& options) {
  return {.kernel_initializer = options.kernel_initializer,
          .recurrent_initializer = options.recurrent_initializer,
          .bias_initializer = options.bias_initializer,
          .use_bias = options.use_bias,
          .dropout = options.dropout,
          .recurrent_dropout = options.recurrent_dropout,
          .return_sequences = options.return_sequences,
          .return_state = options.return_state,
          .go_backwards = options.go_backwards,
          .stateful = options.stateful,
          .unroll = options.unroll,
          .input_shape = options.input_shape,
          .name = options.name};
}

template <class Class, class Options>
std::shared_ptr<Recurrent> twin_of(int64_t units, Options options, const std::string& name,
                                   bool go_backwards) {
  options.name = name;
  options.go_backwards = go_backwards;
  return std::make_shared<Class>(units, options);
}

/// How the layer goes through time.
template <class Io, class Options>
void list_run(Io& io, Options& options) {
  io("return_sequences", options.return_sequences);
  io("return_state", options.return_state);
  io("go_backwards", options.go_backwards);
  io("stateful", options.stateful);
  io("unroll", options.unroll);
  io.fixed("time_major", false);
}

template <class Io, class Options>
void list_cell_weights(Io& io, Options& options) {
  io("use_bias", options.use_bias);
  io("kernel_initializer", options.kernel_initializer);
  io("recurrent_initializer", options.recurrent_initializer);
  io("bias_initializer", options.bias_initializer);
}

template <class Io, class Options>
void list_cell_rules(Io& io, Options& options) {
  io("kernel_regularizer", options.kernel_regularizer);
  io("recurrent_regularizer", options.recurrent_regularizer);
  io("bias_regularizer", options.bias_regularizer);
  io("activity_regularizer", options.activity_regularizer);
  io("kernel_constraint", options.kernel_constraint);
  io("recurrent_constraint", options.recurrent_constraint);
  io("bias_constraint", options.bias_constraint);
  io("dropout", options.dropout);
  io("recurrent_dropout", options.recurrent_dropout);
}

struct SimpleRNNArguments {
  int64_t units = 0;
  SimpleRNNOptions options = {};
  template <class Io>
  void list(Io& io) {
    list_run(io, options);
    io("units", units);
    io("activation", options.activation);
    list_cell_weights(io, options);
    list_cell_rules(io, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<SimpleRNN>(units, options); }
};

struct LSTMArguments {
  int64_t units = 0;
  LSTMOptions options = {};
  template <class Io>
  void list(Io& io) {
    list_run(io, options);
    io("units", units);
    io("activation", options.activation);
    io("recurrent_activation", options.recurrent_activation);
    list_cell_weights(io, options);
    io("unit_forget_bias", options.unit_forget_bias);
    list_cell_rules(io, options);
    io.ignored("implementation", 1);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<LSTM>(units, options); }
};

struct GRUArguments {
  int64_t units = 0;
  GRUOptions options = {};
  template <class Io>
  void list(Io& io) {
    list_run(io, options);
    io("units", units);
    io("activation", options.activation);
    io("recurrent_activation", options.recurrent_activation);
    list_cell_weights(io, options);
    list_cell_rules(io, options);
    io.ignored("implementation", 1);
    io("reset_after", options.reset_after);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<GRU>(units, options); }
};

}  // namespace

/// What tf.nn.dynamic_rnn runs for each time.
class RecurrentLoop : public nn::RNNCell {
 public:
  /// `masks`: of dropout. `is_masked`: a column behind the inputs' says which times count, and a state behind
  /// the layer's is the last output.
  RecurrentLoop(const Recurrent& layer, std::vector<Tensor> masks, bool is_masked)
      : RNNCell(layer.class_name()), layer_(layer), masks_(std::move(masks)), is_masked_(is_masked) {}
  std::vector<int64_t> state_size() const override {
    return std::vector<int64_t>(layer_.num_states() + (is_masked_ ? 1 : 0), layer_.units_);
  }
  int64_t output_size() const override { return layer_.units_; }

 protected:
  nn::CellResult step(const Tensor& inputs, const nn::State& state) override {
    std::vector<Tensor> gates;
    std::vector<Tensor> hidden;
    for (size_t i = 0; i < layer_.num_gates_; ++i) {
      gates.push_back(columns(inputs, i, layer_.units_));
      hidden.push_back(masks_.empty() ? state[0] : state[0] * masks_[i]);
    }
    std::vector<Tensor> next = layer_.step(gates, hidden, state);
    if (!is_masked_) return {next[0], next};
    const auto behind_gates = static_cast<int64_t>(layer_.num_gates_) * layer_.units_;
    const Tensor counts = reshape(slice(inputs, {0, behind_gates}, {-1, 1}), {-1}) > 0.5;
    next.push_back(next[0]);
    for (size_t i = 0; i < next.size(); ++i) next[i] = where(counts, next[i], state[i]);
    return {next.back(), next};
  }

 private:
  const Recurrent& layer_;
  std::vector<Tensor> masks_;
  bool is_masked_;
};

Recurrent::Recurrent(std::string class_name, int64_t units, size_t num_gates, Layout layout, Where where)
    : Layer(class_name, {.name = layout.name, .input_shape = layout.input_shape}),
      units_(units),
      layout_(std::move(layout)),
      class_name_(std::move(class_name)),
      num_gates_(num_gates) {
  const ErrorLine errors(where);
  support_masking();
  if (units < 1) {
    throw ValueError(fmt::format(
        "Received an invalid value for argument `units`, expected a positive integer, got {}.", units));
  }
  for (const double part : {layout_.dropout, layout_.recurrent_dropout}) {
    if (part < 0 || part > 1)
      throw ValueError(
          fmt::format("Invalid value {} received for `dropout`, expected a value between 0 and 1.", part));
  }
}

std::shared_ptr<Recurrent> Recurrent::like_it(const std::string& name, bool go_backwards) const {
  std::shared_ptr<Recurrent> made = twin(name, go_backwards);
  made->take_rules_of(*this);
  return made;
}

void Recurrent::build_for(const std::vector<TensorShape>& input_shapes) {
  check_rank(input_shapes[0], 3, name());
  const int64_t features = last_dimension(input_shapes[0], class_name_);
  const auto width = static_cast<int64_t>(num_gates_) * units_;
  const NameScopeGuard scope = name_scope(snake_case(class_name_) + "_cell");
  kernel_ = add_weight("kernel", {features, width}, {.initializer = layout_.kernel_initializer});
  recurrent_kernel_ =
      add_weight("recurrent_kernel", {units_, width}, {.initializer = layout_.recurrent_initializer});
  if (layout_.use_bias) build_bias();
  if (!layout_.stateful) return;
  const int64_t batch = input_shapes[0].dim(0);
  if (batch < 0) {
    throw ValueError(
        "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
        "tensors: "
        "\n- If using a Sequential model, specify the batch size by passing a `batch_input_shape` argument "
        "to "
        "your first layer.\n- If using the functional API, specify the batch size by passing a `batch_shape` "
        "argument to your Input layer.");
  }
  const auto zero = [&] { return zeros({batch, units_}, dtype()); };
  for (size_t i = 0; i < num_states(); ++i) states_.emplace_back(zero, VariableOptions{.trainable = false});
}

void Recurrent::build_bias() {
  bias_ = add_weight("bias", {static_cast<int64_t>(num_gates_) * units_},
                     {.initializer = layout_.bias_initializer});
}

/// The inputs' part of all gates for all times.
Tensor Recurrent::projected(const Tensor& inputs, bool training) const {
  if (!training || layout_.dropout == 0) return plus(tensordot(inputs, kernel_, {2}, {0}), input_bias());
  const Tensor one_time = ones_like(inputs[{Slice{}, Slice{0, 1}}]);
  std::vector<tf::Input> parts;
  for (size_t i = 0; i < num_gates_; ++i) {
    const Tensor mask = nn::dropout(one_time, {.rate = layout_.dropout});
    parts.emplace_back(tensordot(inputs * mask, columns(kernel_.value(), i, units_), {2}, {0}));
  }
  return plus(concat(parts, 2), input_bias());
}

std::vector<Tensor> Recurrent::hidden_masks(const Tensor& state, bool training) const {
  std::vector<Tensor> masks;
  if (!training || layout_.recurrent_dropout == 0) return masks;
  for (size_t i = 0; i < num_gates_; ++i)
    masks.push_back(nn::dropout(ones_like(state), {.rate = layout_.recurrent_dropout}));
  return masks;
}

/// Those that were given, else those that were kept, else zeros.
std::vector<Tensor> Recurrent::first_states(const std::vector<Tensor>& given, const Tensor& sequences) const {
  std::vector<Tensor> states = given;
  if (states.empty() && layout_.stateful) {
    for (const Variable& kept : states_) states.push_back(kept.read_value());
  } else if (states.empty()) {
    const Tensor zero = zeros(tf::Input::list({shape(sequences)[0], static_cast<int32_t>(units_)}), dtype());
    states.assign(num_states(), zero);
  } else if (states.size() != num_states()) {
    throw ValueError(
        fmt::format("An `initial_state` was passed that is not compatible with `cell.state_size`. "
                    "Received {} tensors, and `cell.state_size` has {}.",
                    states.size(), num_states()));
  }
  for (Tensor& state : states) state.set_shape({sequences.shape().dim(0), units_});
  return states;
}

/// The outputs, which are there when the last states are kept: whichever step asks for one keeps these.
std::vector<Tensor> Recurrent::keeping_states(std::vector<Tensor> outputs,
                                              const std::vector<Tensor>& last) const {
  std::vector<Operation> kept;
  for (size_t i = 0; i < num_states(); ++i) {
    const Tensor assigned = states_[i].assign(last[i]);
    if (!default_graph().is_eager()) kept.push_back(assigned.op());
  }
  if (kept.empty()) return outputs;
  const ControlDependenciesGuard behind = control_dependencies({kept.begin(), kept.end()});
  for (Tensor& output : outputs) output = identity(output);
  return outputs;
}

std::vector<Tensor> Recurrent::call_for(const std::vector<Tensor>& inputs, bool training) {
  check_rank(inputs[0].shape(), 3, name());
  const Tensor sequences = layout_.go_backwards ? backwards(inputs[0]) : inputs[0];
  std::vector<Tensor> states = first_states({inputs.begin() + 1, inputs.end()}, sequences);
  recurrent_parts_.clear();
  for (size_t i = 0; i < num_gates_; ++i)
    recurrent_parts_.push_back(columns(recurrent_kernel_.value(), i, units_));
  Tensor projections = projected(sequences, training);
  const Tensor mask = input_masks()[0];
  RecurrentLoop cell(*this, hidden_masks(states[0], training), mask.has_value());
  if (mask.has_value()) {
    const Tensor counts = expand_dims(cast(mask, base_dtype(projections.dtype())), 2);
    projections = concat({projections, layout_.go_backwards ? backwards(counts) : counts}, 2);
    states.push_back(zeros_like(states[0]));
  }
  const nn::CellResult result = run_over_time(cell, projections, states, layout_.unroll);
  std::vector<Tensor> outputs = {layout_.return_sequences ? result.output : result.state.back()};
  if (!layout_.return_sequences && !mask.has_value()) outputs[0] = result.state[0];
  if (layout_.return_state)
    outputs.insert(outputs.end(), result.state.begin(),
                   result.state.begin() + static_cast<ptrdiff_t>(num_states()));
  return layout_.stateful ? keeping_states(std::move(outputs), result.state) : outputs;
}

void Recurrent::reset_states(const std::vector<Array>& states, Where where) {
  const ErrorLine errors(where);
  if (!layout_.stateful) {
    throw TypeError(fmt::format(
        "Layer must be stateful.\nThe layer '{}' keeps no states: make it with .stateful = true.", name()));
  }
  if (states_.empty()) {
    throw ValueError(fmt::format(
        "The layer '{}' has no states yet: its first call makes them, which says how large batches are.",
        name()));
  }
  if (!states.empty() && states.size() != states_.size()) {
    throw ValueError(fmt::format("Layer {} expects {} states, but it received {} state values.", name(),
                                 states_.size(), states.size()));
  }
  std::vector<Array> values;
  for (size_t i = 0; i < states_.size(); ++i) {
    const Shape shape(states_[i].shape().dims());
    values.push_back(states.empty() ? Array(DType::kFloat32, shape) : states[i]);
    if (values[i].has_value() && values[i].shape() == shape) continue;
    throw ValueError(fmt::format("State {} is incompatible with layer {}: expected shape={}, found shape={}",
                                 i, name(), states_[i].shape().to_tuple_string(),
                                 TensorShape(values[i].shape()).to_tuple_string()));
  }
  load_values(states_, values);
}

std::vector<Tensor> Recurrent::compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>& masks) {
  return layout_.return_sequences ? std::vector<Tensor>{masks[0]} : std::vector<Tensor>();
}

// ---- SimpleRNN

SimpleRNN::SimpleRNN(int64_t units, const SimpleRNNOptions& options, Where where)
    : Recurrent("SimpleRNN", units, 1, layout_of(options), where), options_(options) {
  LayerConfig::keep(*this, SimpleRNNArguments{units, options});
}

std::shared_ptr<Recurrent> SimpleRNN::twin(const std::string& name, bool go_backwards) const {
  return twin_of<SimpleRNN>(units_, options_, name, go_backwards);
}

std::vector<Tensor> SimpleRNN::step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                                    const std::vector<Tensor>&) const {
  return {activated(options_.activation, gates[0] + matmul(hidden[0], recurrent_part(0)))};
}

// ---- LSTM: gates input, forget, memory, output

LSTM::LSTM(int64_t units, const LSTMOptions& options, Where where)
    : Recurrent("LSTM", units, 4, layout_of(options), where), options_(options) {
  LayerConfig::keep(*this, LSTMArguments{units, options});
}

std::shared_ptr<Recurrent> LSTM::twin(const std::string& name, bool go_backwards) const {
  return twin_of<LSTM>(units_, options_, name, go_backwards);
}

void LSTM::build_bias() {
  if (!options_.unit_forget_bias) return Recurrent::build_bias();
  const Initializer others = options_.bias_initializer;
  const int64_t units = units_;
  bias_ = add_weight("bias", {4 * units_},
                     {.initializer = Initializer([others, units](const TensorShape&, DType dtype) {
                        return concat(
                            {others({units}, dtype), ones({units}, dtype), others({2 * units}, dtype)}, 0);
                      })});
}

std::vector<Tensor> LSTM::step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                               const std::vector<Tensor>& states) const {
  const auto gate = [&](size_t i) { return gates[i] + matmul(hidden[i], recurrent_part(i)); };
  const auto share = [&](size_t i) { return activated(options_.recurrent_activation, gate(i)); };
  const Tensor memory = share(1) * states[1] + share(0) * activated(options_.activation, gate(2));
  return {share(3) * activated(options_.activation, memory), memory};
}

// ---- GRU: gates update, reset, candidate

GRU::GRU(int64_t units, const GRUOptions& options, Where where)
    : Recurrent("GRU", units, 3, layout_of(options), where), options_(options) {
  LayerConfig::keep(*this, GRUArguments{units, options});
}

std::shared_ptr<Recurrent> GRU::twin(const std::string& name, bool go_backwards) const {
  return twin_of<GRU>(units_, options_, name, go_backwards);
}

void GRU::build_bias() {
  if (!options_.reset_after) return Recurrent::build_bias();
  bias_ = add_weight("bias", {2, 3 * units_}, {.initializer = options_.bias_initializer});
}

Tensor GRU::input_bias() const {
  return options_.reset_after && bias_.has_value() ? bias_[0] : Recurrent::input_bias();
}

std::vector<Tensor> GRU::step(const std::vector<Tensor>& gates, const std::vector<Tensor>& hidden,
                              const std::vector<Tensor>& states) const {
  const auto recurrent = [&](size_t i, const Tensor& state) {
    const Tensor part = matmul(state, recurrent_part(i));
    return options_.reset_after && bias_.has_value() ? part + columns(bias_[1], i, units_) : part;
  };
  const auto share = [&](size_t i) {
    return activated(options_.recurrent_activation, gates[i] + recurrent(i, hidden[i]));
  };
  const Tensor update = share(0);
  const Tensor reset = share(1);
  const Tensor memory =
      options_.reset_after ? reset * recurrent(2, hidden[2]) : recurrent(2, reset * hidden[2]);
  const Tensor candidate = activated(options_.activation, gates[2] + memory);
  return {update * states[0] + (1.0 - update) * candidate};
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_recurrent_layers(LayerTable& table) {
  table.add<layers::SimpleRNNArguments>("SimpleRNN");
  table.add<layers::LSTMArguments>("LSTM");
  table.add<layers::GRUArguments>("GRU");
}
