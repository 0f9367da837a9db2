#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/rnn.h>

#include "core/counted_text.h"
#include "graph/graph.h"
#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/nn/cell_wrappers.h"
#include "tf/nn/rnn_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::tf::nn {
namespace {

layers::Activation or_tanh(const layers::Activation& activation) {
  if (activation.has_value())
    return [activation](const Tensor& x) { return returned(activation(x), "activation"); };
  return [](const Tensor& x) { return tanh(x); };
}

Tensor next_to(const Tensor& x, const Tensor& y) { return concat({x, y}, 1); }

/// `count` columns of a joined state.
Tensor columns_of(const Tensor& state, int64_t begin, int64_t count) {
  const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
  return slice(state, Array(std::vector<int32_t>{0, number(begin)}),
               Array(std::vector<int32_t>{-1, number(count)}));
}

/// Limits as Python makes them of a number.
Tensor within(const Tensor& x, double limit) { return clip_by_value(x, -limit, limit); }

GetVariableOptions with_initializer(const Initializer& initializer, DType dtype) {
  return {.dtype = dtype, .initializer = initializer};
}

}  // namespace

namespace {

void check_number_of_tensors(const State& state, size_t expected) {
  if (state.size() == expected) return;
  const std::string got = fmt::format(", got {}", state.size());
  throw ValueError(fmt::format(
      "{} values to unpack (expected {}{})\nThe state of this cell has {}: zero_state() makes it.",
      state.size() < expected ? "not enough" : "too many", expected, state.size() < expected ? got : "",
      counted_text(expected, "tensor")));
}

/// What a cell, a program's own perhaps, gives in one step.
CellResult given_by_cell(CellResult result, std::string_view method) {
  (void)returned(result.output, method, " as output");
  for (size_t i = 0; i < result.state.size(); ++i) {
    if (!result.state[i].has_value())
      throw_unset_result("tf::Tensor", method, " as " + element_name("state", i));
  }
  return result;
}

}  // namespace

CellResult RNNCell::operator()(const Tensor& inputs, const State& state, Input::Where where) {
  const ErrorLine errors(where);
  graph::Graph& graph = node_of(inputs, "inputs").graph();
  check_all_set(state, "state");
  check_number_of_tensors(state, state_size().size());
  const CallScope call(graph, where);
  const LinesOfTheirOwn lines(graph);
  return given_by_cell(step(inputs, state), "step");
}

State RNNCell::zero_state(const Input& batch_size, DType dtype) {
  const CallScope call({{"batch_size", batch_size}});
  const NameScopeGuard scope = name_scope(class_name_ + "ZeroState");
  State state;
  for (const int64_t size : state_size()) {
    state.push_back(zeros(batch_and(batch_size, size), dtype));
    note_batch_and(batch_size, size);
  }
  return state;
}

LayerCell::LayerCell(std::string class_name, std::string default_name, std::string name, Reuse reuse)
    : RNNCell(std::move(class_name)),
      default_name_(std::move(default_name)),
      name_(std::move(name)),
      reuse_(reuse) {}

CellResult LayerCell::step(const Tensor& inputs, const State& state) {
  if (scope_ == nullptr) {
    // As in TensorFlow a cell without variables of its own enters the scope around it anew, name and all.
    const VariableScope around = get_variable_scope();
    std::optional<VariableScopeGuard> anew;
    if (!knows_columns() && !around.name().empty())
      anew.emplace(std::string_view(), &around, VariableScopeOptions());
    const bool reuses = reuse_.mode() == Reuse::Mode::kYes || reuse_.mode() == Reuse::Mode::kAuto;
    const VariableScopeGuard first = variable_scope(reuses && name_.empty() ? default_name_ : name_,
                                                    {.default_name = default_name_, .reuse = reuse_});
    scope_ = std::make_unique<VariableScope>(first.scope());
  }
  // As in TensorFlow a cell finds in later calls what its first one made, and so do the cells inside of it.
  const VariableScopeGuard variables = variable_scope(
      *scope_,
      {.reuse = built_ ? Reuse(true) : reuse_,
       .dtype = knows_columns() ? base_dtype(inputs.dtype()) : DType::kInvalid,  // as what it goes with
       .auxiliary_name_scope = false});
  const NameScopeGuard names = name_scope(scope_->original_name_scope());
  if (!built_) {
    if (knows_columns()) {
      const TensorShape& shape = inputs.shape();
      if (!shape.has_rank() || shape.rank() < 2 || shape.dim(-1) < 0) {
        throw ValueError(
            fmt::format("Expected inputs.shape[-1] to be known, saw shape: {}", shape.to_tuple_string()));
      }
      build(shape.dim(-1));
    }
    built_ = true;
  }
  return given_by_cell(call(inputs, state), "call");
}

// ---- BasicRNNCell

BasicRNNCell::BasicRNNCell(int64_t num_units, const CellOptions& options)
    : LayerCell("BasicRNNCell", "basic_rnn_cell", options.name, options.reuse),
      units_(num_units),
      activation_(or_tanh(options.activation)) {}

void BasicRNNCell::build(int64_t columns) {
  kernel_ = get_variable("kernel", {columns + units_, units_});
  bias_ = get_variable("bias", {units_}, {.initializer = zeros_initializer()});
}

CellResult BasicRNNCell::call(const Tensor& inputs, const State& state) {
  const Tensor sums = bias_add(matmul(next_to(inputs, state[0]), kernel_), bias_);
  const Tensor output = activation_(sums);
  return {output, {output}};
}

// ---- GRUCell

GRUCell::GRUCell(int64_t num_units, const GRUCellOptions& options)
    : LayerCell("GRUCell", "gru_cell", options.name, options.reuse), units_(num_units), options_(options) {
  options_.activation = or_tanh(options.activation);
}

void GRUCell::build(int64_t columns) {
  const Initializer& given = options_.bias_initializer;
  const Initializer& kernel = options_.kernel_initializer;
  const DType dtype = DType::kInvalid;
  gate_kernel_ =
      get_variable("gates/kernel", {columns + units_, 2 * units_}, with_initializer(kernel, dtype));
  gate_bias_ = get_variable("gates/bias", {2 * units_},
                            with_initializer(given.has_value() ? given : constant_initializer(1.0), dtype));
  candidate_kernel_ =
      get_variable("candidate/kernel", {columns + units_, units_}, with_initializer(kernel, dtype));
  candidate_bias_ = get_variable("candidate/bias", {units_},
                                 with_initializer(given.has_value() ? given : zeros_initializer(), dtype));
}

CellResult GRUCell::call(const Tensor& inputs, const State& state) {
  const Tensor& h = state[0];
  const Tensor gates = sigmoid(bias_add(matmul(next_to(inputs, h), gate_kernel_), gate_bias_));
  const std::vector<Tensor> parts = split(gates, 2, {.axis = 1});
  const Tensor reset = parts[0] * h;
  const Tensor sums = bias_add(matmul(next_to(inputs, reset), candidate_kernel_), candidate_bias_);
  const Tensor candidate = options_.activation(sums);
  const Tensor kept = parts[1] * h;
  const Tensor rest = 1.0 - parts[1];
  const Tensor made = kept + rest * candidate;
  return {made, {made}};
}

// ---- BasicLSTMCell

BasicLSTMCell::BasicLSTMCell(int64_t num_units, const BasicLSTMCellOptions& options)
    : LayerCell("BasicLSTMCell", "basic_lstm_cell", options.name, options.reuse),
      units_(num_units),
      options_(options) {
  options_.activation = or_tanh(options.activation);
}

void BasicLSTMCell::build(int64_t columns) {
  kernel_ = get_variable("kernel", {columns + units_, 4 * units_});
  bias_ = get_variable("bias", {4 * units_}, {.initializer = zeros_initializer()});
}

CellResult BasicLSTMCell::call(const Tensor& inputs, const State& state) {
  const Tensor one = constant(1, {.dtype = int32});
  const State before = options_.state_is_tuple ? state : split(state[0], 2, {.axis = one});
  const Tensor sums = bias_add(matmul(next_to(inputs, before[1]), kernel_), bias_);
  const std::vector<Tensor> parts = split(sums, 4, {.axis = one});
  const Tensor& i = parts[0];
  const Tensor& j = parts[1];
  const Tensor forget_bias = constant(options_.forget_bias, {.dtype = base_dtype(parts[2].dtype())});
  const Tensor forget = sigmoid(add(parts[2], forget_bias));
  const Tensor kept = multiply(before[0], forget);
  const Tensor input_gate = sigmoid(i);
  const Tensor taken = multiply(input_gate, options_.activation(j));
  const Tensor c = add(kept, taken);
  const Tensor shown = options_.activation(c);
  const Tensor h = multiply(shown, sigmoid(parts[3]));
  return {h, options_.state_is_tuple ? State{c, h} : State{next_to(c, h)}};
}

// ---- LSTMCell

LSTMCell::LSTMCell(int64_t num_units, const LSTMCellOptions& options)
    : LayerCell("LSTMCell", "lstm_cell", options.name, options.reuse), units_(num_units), options_(options) {
  options_.activation = or_tanh(options.activation);
}

void LSTMCell::build(int64_t columns) {
  const GetVariableOptions options = with_initializer(options_.initializer, DType::kInvalid);
  kernel_ = get_variable("kernel", {columns + output_size(), 4 * units_}, options);
  bias_ = get_variable("bias", {4 * units_}, {.initializer = zeros_initializer()});
  if (options_.use_peepholes) {
    forget_diagonal_ = get_variable("w_f_diag", {units_}, options);
    input_diagonal_ = get_variable("w_i_diag", {units_}, options);
    output_diagonal_ = get_variable("w_o_diag", {units_}, options);
  }
  if (options_.num_proj)
    projection_ = get_variable("projection/kernel", {units_, *options_.num_proj}, options);
}

CellResult LSTMCell::call(const Tensor& inputs, const State& joined) {
  State state = joined;
  if (!options_.state_is_tuple)
    state = {columns_of(joined[0], 0, units_), columns_of(joined[0], units_, output_size())};
  const Tensor sums = bias_add(matmul(next_to(inputs, state[1]), kernel_), bias_);
  const std::vector<Tensor> parts = split(sums, 4, {.axis = 1});
  const Tensor& before = state[0];
  const auto looked_through = [&](const Tensor& part, const Variable& diagonal, const Tensor& cell) {
    return options_.use_peepholes ? part + diagonal * cell : part;
  };
  const Tensor forget = sigmoid(looked_through(parts[2] + options_.forget_bias, forget_diagonal_, before));
  const Tensor kept = forget * before;
  const Tensor input_gate = sigmoid(looked_through(parts[0], input_diagonal_, before));
  const Tensor taken = input_gate * options_.activation(parts[1]);
  Tensor c = kept + taken;
  if (options_.cell_clip) c = within(c, *options_.cell_clip);
  const Tensor output_gate = sigmoid(looked_through(parts[3], output_diagonal_, c));
  Tensor m = output_gate * options_.activation(c);
  if (options_.num_proj) {
    m = matmul(m, projection_);
    if (options_.proj_clip) m = within(m, *options_.proj_clip);
  }
  return {m, options_.state_is_tuple ? State{c, m} : State{next_to(c, m)}};
}

// ---- cells of cells

void check_cell(const CellPointer& cell, const std::string& argument) {
  if (cell != nullptr) return;
  throw ValueError(
      fmt::format("The argument '{}' is a null pointer: it must be a cell, such as "
                  "std::make_shared<tf::nn::GRUCell>(16).",
                  argument));
}

MultiRNNCell::MultiRNNCell(std::vector<CellPointer> cells, const MultiRNNCellOptions& options,
                           Input::Where where)
    : LayerCell("MultiRNNCell", "multi_rnn_cell", {}, {}),
      cells_(std::move(cells)),
      state_is_tuple_(options.state_is_tuple) {
  const ErrorLine errors(where);
  if (cells_.empty()) throw ValueError("Must specify at least one cell for MultiRNNCell.");
  for (size_t i = 0; i < cells_.size(); ++i) check_cell(cells_[i], element_name("cells", i));
  const auto has_several = [](const CellPointer& cell) { return cell->state_size().size() > 1; };
  if (!state_is_tuple_ && std::ranges::any_of(cells_, has_several)) {
    throw ValueError(
        "Some cells return tuples of states, but the flag state_is_tuple is not set.\nMake the cells with "
        "state_is_tuple=False, too.");
  }
}

std::vector<bool> MultiRNNCell::dropped_states() const {
  if (!state_is_tuple_) return {true};
  std::vector<bool> dropped;
  for (const CellPointer& cell : cells_) {
    const std::vector<bool> own = cell->dropped_states();
    dropped.insert(dropped.end(), own.begin(), own.end());
  }
  return dropped;
}

std::vector<int64_t> MultiRNNCell::state_size() const {
  const std::vector<int64_t> sizes = sizes_of_cells();
  if (state_is_tuple_) return sizes;
  return {std::accumulate(sizes.begin(), sizes.end(), int64_t{0})};
}

std::vector<int64_t> MultiRNNCell::sizes_of_cells() const {
  std::vector<int64_t> sizes;
  for (const CellPointer& cell : cells_) {
    const std::vector<int64_t> own = cell->state_size();
    sizes.insert(sizes.end(), own.begin(), own.end());
  }
  return sizes;
}

State MultiRNNCell::zero_state(const Input& batch_size, DType dtype) {
  const CallScope call({{"batch_size", batch_size}});
  const NameScopeGuard scope = name_scope("MultiRNNCellZeroState");
  if (!state_is_tuple_) return RNNCell::zero_state(batch_size, dtype);
  State all;
  for (const CellPointer& cell : cells_) {
    const State own = cell->zero_state(batch_size, dtype);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

CellResult MultiRNNCell::call(const Tensor& inputs, const State& joined) {
  CellResult result{inputs, {}};
  size_t begin = 0;
  int64_t column = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const VariableScopeGuard scope = variable_scope(fmt::format("cell_{}", i));
    const std::vector<int64_t> sizes = cells_[i]->state_size();
    const size_t end = begin + sizes.size();
    State own;
    if (state_is_tuple_) {
      own.assign(joined.begin() + static_cast<std::ptrdiff_t>(begin),
                 joined.begin() + static_cast<std::ptrdiff_t>(end));
    } else {
      own = {columns_of(joined[0], column, sizes[0])};
      column += sizes[0];
    }
    const CellResult next = (*cells_[i])(result.output, own);
    result.output = next.output;
    result.state.insert(result.state.end(), next.state.begin(), next.state.end());
    begin = end;
  }
  if (!state_is_tuple_) result.state = {concat({result.state.begin(), result.state.end()}, 1)};
  return result;
}

}  // namespace flowray::tf::nn
