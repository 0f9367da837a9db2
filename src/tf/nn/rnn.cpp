// tf.nn.static_rnn, dynamic_rnn and bidirectional_dynamic_rnn.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/rnn.h>
#include <flowray/tf/tensor_array.h>

#include "core/checked_size.h"
#include "core/counted_text.h"
#include "graph/graph.h"
#include "tf/build/call_scope.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/nn/rnn_state.h"

#include <fmt/format.h>

namespace flowray::tf::nn {
namespace {

/// The device for reads of a variable: that of the op, as scopes place it, and not the variable's.
std::string device_of_op(const Operation& op) { return op.device(); }

Tensor vector_of(int64_t number) {
  return constant(Array(std::vector<int32_t>{static_cast<int32_t>(number)}), {.dtype = int32});
}

/// The batch as the first part of a shape: a tensor, or nothing where its size is known, of which a constant
/// is made.
Tensor batch_vector(const Input& batch_size) {
  if (batch_size.tensor() != nullptr) return expand_dims(*batch_size.tensor(), 0);
  return vector_of(batch_size.literal()->to_array().astype(int64).item<int64_t>());
}

}  // namespace

Tensor batch_and(const Input& batch_size, int64_t size) {
  const Tensor batch = batch_vector(batch_size);
  const Tensor columns = vector_of(size);
  return concat({batch, columns}, 0);
}

void note_batch_and(const Input& batch_size, int64_t size) {
  (void)batch_vector(batch_size);
  (void)vector_of(size);
}

namespace {

/// The size of dimension 1 where it is known, else a tensor.
Input batch_size_of(const Tensor& x, int axis) {
  const TensorShape& shape = x.shape();
  if (shape.has_rank() && shape.rank() > axis && shape.dim(axis) >= 0)
    return checked_int32("Dimension", shape.dim(axis));
  return tf::shape(x)[axis];
}

/// Time and batch exchanged.
Tensor exchanged(const Tensor& x) {
  const TensorShape shape = x.shape();
  if (!shape.has_rank()) return x;
  const Tensor order = concat({Array(std::vector<int32_t>{1, 0}), tf::range(2, tf::rank(x))}, 0);
  return transpose(x, order);
}

State first_state(RNNCell& cell, const RnnOptions& options, const Input& batch) {
  if (!options.initial_state.empty()) return options.initial_state;
  if (options.dtype == DType::kInvalid)
    throw ValueError("If no initial_state is provided, argument `dtype` must be specified");
  return cell.zero_state(batch, options.dtype);
}

Tensor checked_lengths(const Tensor& lengths, const Input& batch) {
  const Tensor found = tf::shape(lengths);
  const Tensor wanted = stack({batch});
  const Tensor same = reduce_all(equal(found, wanted));
  const Operation check = Assert(same, {fmt::format("Expected shape for Tensor {} is ", lengths.name()),
                                        wanted, " but saw shape: ", found});
  const ControlDependenciesGuard after = control_dependencies({check});
  return identity(lengths, {"CheckSeqLen"});
}

/// The loop over time.
class TimeLoop {
 public:
  TimeLoop(RNNCell& cell, const Tensor& inputs, const State& state, const Tensor& lengths,
           const RnnOptions& options)
      : cell_(cell), inputs_(inputs), state_(state), lengths_(lengths), options_(options) {}

  CellResult build() {
    steps_ = tf::shape(inputs_)[0];
    const Input batch = batch_size_of(inputs_, 1);
    const int64_t known_batch = inputs_.shape().dim(1);
    zero_output_ = zeros(batch_and(batch, cell_.output_size()), inputs_dtype());
    Input longest = steps_;
    if (lengths_.has_value()) {
      (void)reduce_min(lengths_);
      longest = reduce_max(lengths_);
    }
    const Tensor time = constant(0, {.dtype = int32, .name = "time"});
    std::string base;
    {
      const NameScopeGuard scope = name_scope("dynamic_rnn");
      base = scope.path();
    }
    const TensorShape& shape = inputs_.shape();
    const TensorArray outputs(inputs_dtype(), {.size = steps_,
                                               .tensor_array_name = base + "output_0",
                                               .element_shape = {known_batch, cell_.output_size()}});
    const TensorArray rows =
        TensorArray(inputs_dtype(), {.size = steps_,
                                     .tensor_array_name = base + "input_0",
                                     .element_shape = TensorShape(shape.dims().subspan(1))})
            .unstack(inputs_);
    const Tensor most = maximum(1, longest);
    const Tensor bound = minimum(steps_, most);
    std::vector<Input> variables = {time, outputs.flow()};
    for (const Tensor& part : state_) variables.emplace_back(part);
    const LoopCondition goes_on = [&](const std::vector<Tensor>& values) { return values[0] < bound; };
    const LoopBody body = [&](const std::vector<Tensor>& values) {
      const CellResult next = step(rows, values);
      std::vector<Input> results = {Input(0),
                                    outputs.with_flow(values[1]).write(values[0], next.output).flow()};
      for (const Tensor& part : next.state) results.emplace_back(part);
      results[0] = values[0] + 1;
      return results;
    };
    const std::vector<Tensor> last = while_loop(goes_on, body, variables,
                                                {.parallel_iterations = options_.parallel_iterations,
                                                 .swap_memory = options_.swap_memory,
                                                 .maximum_iterations = steps_});
    CellResult result{outputs.with_flow(last[1]).stack(), State(last.begin() + 2, last.end())};
    if (shape.dim(0) >= 0 && known_batch >= 0) {
      (void)constant(Array(std::vector<int32_t>{checked_int32("Dimension", shape.dim(0)),
                                                checked_int32("Dimension", known_batch)}),
                     {.dtype = int32});
    }
    (void)vector_of(cell_.output_size());
    result.output.set_shape({shape.dim(0), known_batch, cell_.output_size()});
    return result;
  }

 private:
  DType inputs_dtype() const { return base_dtype(inputs_.dtype()); }

  CellResult step(const TensorArray& rows, const std::vector<Tensor>& values) {
    const Tensor row = rows.read(values[0]);
    const State before(values.begin() + 2, values.end());
    if (!lengths_.has_value()) return checked(cell_(row, before));
    const Tensor ended = values[0] >= lengths_;
    CellResult next = checked(cell_(row, before));
    const auto unless_ended = [&](const Tensor& old, const Tensor& made) {
      const ColocationGuard beside = colocate_with(made.op());
      return where(ended, old, made);
    };
    next.output = unless_ended(zero_output_, next.output);
    for (size_t i = 0; i < next.state.size(); ++i) next.state[i] = unless_ended(before[i], next.state[i]);
    return next;
  }

  CellResult checked(CellResult next) const {
    if (next.state.size() == state_.size()) return next;
    const ErrorLine line{Input::Where()};  // that of the call around
    throw ValueError(
        fmt::format("The two structures don't have the same nested structure.\nThe state that the cell gives "
                    "has {}, that which it takes has {}: as many as its state_size() says.",
                    counted_text(next.state.size(), "tensor"), counted_text(state_.size(), "tensor")));
  }

  RNNCell& cell_;
  Tensor inputs_;
  State state_;
  Tensor lengths_;
  const RnnOptions& options_;
  Tensor steps_;
  Tensor zero_output_;
};

}  // namespace

namespace {

/// The graph of what all of these functions take.
graph::Graph& graph_of_rnn(const Argument& inputs, const RnnOptions& options,
                           const State& initial_state_backward = {}) {
  check_all_set(options.initial_state, "initial_state");
  check_all_set(initial_state_backward, "initial_state_backward");
  return graph_of({inputs, {"sequence_length", options.sequence_length}});
}

/// In the scopes that are open.
CellResult run_over_time(RNNCell& cell, const Input& inputs, const RnnOptions& options) {
  Tensor x = to_tensor(default_graph(), inputs, "Const");
  const TensorShape& given = x.shape();
  if (!given.has_rank())
    throw ValueError(
        "Expected inputs of the dimensions batch, time and features, but their rank is not known.");
  if (given.rank() < 2) {
    throw ValueError(fmt::format("Input tensor should have rank >= 2. Received input={} of rank {}",
                                 tensor_text(x), given.rank()));
  }
  if (!options.time_major) x = exchanged(x);
  if (x.shape().rank() < 3) {
    throw ValueError(fmt::format(
        "Shape {} must have rank at least 3\nThe inputs' dimensions are batch, time and features.",
        x.shape().to_tuple_string()));
  }
  Tensor lengths;
  if (options.sequence_length.has_value()) {
    lengths = cast(*options.sequence_length, int32);
    if (lengths.shape().has_rank() && lengths.shape().rank() != 1) {
      throw ValueError(fmt::format("sequence_length must be a vector of length batch_size, but saw shape: {}",
                                   lengths.shape().to_tuple_string()));
    }
    lengths = identity(lengths, {"sequence_length"});
  }
  const Input batch = batch_size_of(x, 1);
  const State state = first_state(cell, options, batch);
  if (lengths.has_value()) lengths = checked_lengths(lengths, batch);
  CellResult result = TimeLoop(cell, x, state, lengths, options).build();
  if (!options.time_major) result.output = exchanged(result.output);
  return result;
}

std::string scope_or(const RnnOptions& options, const char* name) {
  return options.scope.empty() ? name : options.scope;
}

CellResult run_in_scope_again(RNNCell& cell, const Input& inputs, const RnnOptions& options) {
  const VariableScope around = get_variable_scope();
  const VariableScopeGuard again(std::string_view(), &around, {.caching_device = device_of_op});
  return run_over_time(cell, inputs, options);
}

}  // namespace

CellResult dynamic_rnn(RNNCell& cell, const Input& inputs, const RnnOptions& options) {
  const ErrorLine errors(inputs.where());
  const CallScope call(graph_of_rnn({"inputs", inputs}, options), inputs.where());
  const VariableScopeGuard scope = variable_scope(scope_or(options, "rnn"), {.caching_device = device_of_op});
  return run_over_time(cell, inputs, options);
}

BidirectionalResult bidirectional_dynamic_rnn(RNNCell& forward, RNNCell& backward, const Input& inputs,
                                              const RnnOptions& options,
                                              const State& initial_state_backward) {
  const ErrorLine errors(inputs.where());
  graph::Graph& graph = graph_of_rnn({"inputs", inputs}, options, initial_state_backward);
  const CallScope call(graph, inputs.where());
  const int64_t time = options.time_major ? 0 : 1;
  const auto reversed = [&](const Tensor& x) {
    if (!options.sequence_length.has_value()) return reverse(x, {time});
    return apply_op({.op = "ReverseSequence",
                     .args = {x, *options.sequence_length},
                     .attrs = {{"seq_dim", time}, {"batch_dim", 1 - time}}});
  };
  BidirectionalResult result;
  {
    const VariableScopeGuard scope = variable_scope(scope_or(options, "bidirectional_rnn"));
    {
      const VariableScopeGuard there = variable_scope("fw");
      result.forward = run_in_scope_again(forward, inputs, options);
    }
    const VariableScopeGuard back = variable_scope("bw");
    RnnOptions own = options;
    own.initial_state = initial_state_backward;
    const Tensor x = to_tensor(graph, inputs, "Const");
    result.backward = run_in_scope_again(backward, reversed(x), own);
  }
  result.backward.output = reversed(result.backward.output);
  return result;
}

namespace {

std::vector<Tensor> tensors_of(graph::Graph& graph, const std::vector<Input>& inputs) {
  std::vector<Tensor> tensors;
  for (const Input& input : inputs) tensors.push_back(to_tensor(graph, input, "Const"));
  return tensors;
}

/// One step of examples that end at different times: past all ends the cell does not run, and before the
/// first all of what it gives is taken.
class StepOfLengths {
 public:
  StepOfLengths(RNNCell& cell, const Input& lengths, const Input& batch, int64_t known_batch, DType dtype)
      : cell_(cell) {
    lengths_ = convert_to_tensor(lengths, {.name = "sequence_length"});
    if (lengths_.shape().has_rank() && lengths_.shape().rank() != 1) {
      throw ValueError(
          fmt::format("Argument `sequence_length` must be a vector of length batch_size. Received shape={}.",
                      lengths_.shape().to_tuple_string()));
    }
    zero_output_ = zeros(stack({batch, static_cast<int32_t>(cell.output_size())}), dtype);
    zero_output_.set_shape({known_batch, cell.output_size()});
    lengths_ = cast(lengths_, int32);
    shortest_ = reduce_min(lengths_);
    longest_ = reduce_max(lengths_);
  }

  CellResult operator()(int32_t time, const Tensor& row, const State& before) const {
    const Tensor ended = greater_equal(time, lengths_);
    const auto unless_ended = [&](const Tensor& old, const Tensor& made) {
      const ColocationGuard beside = colocate_with(made.op());
      return where(ended, old, made);
    };
    const auto list = [](const Tensor& output, const State& state) {
      std::vector<BranchValue> values = {output};
      for (const Tensor& part : state) values.emplace_back(part);
      return values;
    };
    const Branch nothing_to_do = [&] { return list(zero_output_, before); };
    const Branch some_go_on = [&] {
      const CellResult next = cell_(row, before);
      const Branch take_all = [&] { return list(next.output, next.state); };
      const Branch take_some = [&] {
        const Tensor output = unless_ended(zero_output_, next.output);
        State state;
        for (size_t i = 0; i < before.size(); ++i) state.push_back(unless_ended(before[i], next.state[i]));
        return list(output, state);
      };
      const std::vector<Tensor> taken = cond(less(time, shortest_), take_all, take_some);
      return list(taken[0], State(taken.begin() + 1, taken.end()));
    };
    std::vector<Tensor> last = cond(greater_equal(time, longest_), nothing_to_do, some_go_on);
    CellResult result{last[0], State(last.begin() + 1, last.end())};
    result.output.set_shape(zero_output_.shape());
    for (size_t i = 0; i < before.size(); ++i) result.state[i].set_shape(before[i].shape());
    return result;
  }

 private:
  RNNCell& cell_;
  Tensor lengths_;
  Tensor zero_output_;
  Tensor shortest_;
  Tensor longest_;
};

/// In the scope that is open.
StaticRnnResult copies_over_time(RNNCell& cell, const std::vector<Tensor>& rows, const RnnOptions& options) {
  StaticRnnResult result;
  const Input batch = batch_size_of(rows[0], 0);
  result.state = first_state(cell, options, batch);
  std::optional<StepOfLengths> step;
  if (options.sequence_length.has_value()) {
    const DType dtype =
        options.dtype != DType::kInvalid ? options.dtype : base_dtype(result.state[0].dtype());
    const TensorShape& shape = rows[0].shape();
    const int64_t known_batch = shape.has_rank() && shape.rank() > 0 ? shape.dim(0) : -1;
    step.emplace(cell, *options.sequence_length, batch, known_batch, dtype);
  }
  int32_t time = 0;
  for (const Tensor& row : rows) {
    if (time > 0) reuse_variables();  // each time's variables are the first one's
    CellResult next = step ? (*step)(time, row, result.state) : cell(row, result.state);
    ++time;
    result.outputs.push_back(next.output);
    result.state = std::move(next.state);
  }
  return result;
}

/// The same inputs from the last to the first; of each example so many as it is long.
std::vector<Tensor> reversed_in_time(const std::vector<Tensor>& rows, const OptionalInput& lengths) {
  if (!lengths.has_value()) return {rows.rbegin(), rows.rend()};
  TensorShape same = rows[0].shape();
  for (const Tensor& row : rows) same = same.merge_with(row.shape());
  std::vector<Input> all;
  for (Tensor row : rows) {
    row.set_shape(same);
    all.emplace_back(row);
  }
  const Tensor joined = stack(all);
  const Tensor turned = apply_op({.op = "ReverseSequence",
                                  .args = {joined, *lengths},
                                  .attrs = {{"seq_dim", int64_t{0}}, {"batch_dim", int64_t{1}}}});
  std::vector<Tensor> result = unstack(turned);
  for (Tensor& row : result) row.set_shape(same);
  return result;
}

}  // namespace

StaticRnnResult static_rnn(RNNCell& cell, const List<Input>& inputs, const RnnOptions& options,
                           Input::Where where) {
  const ErrorLine errors(where);
  if (inputs.empty()) throw ValueError("inputs must not be empty");
  graph::Graph& graph = graph_of_rnn({"inputs", inputs}, options);
  const CallScope call(graph, where);
  const VariableScopeGuard scope = variable_scope(scope_or(options, "rnn"), {.caching_device = device_of_op});
  return copies_over_time(cell, tensors_of(graph, inputs), options);
}

StaticBidirectionalResult static_bidirectional_rnn(RNNCell& forward, RNNCell& backward,
                                                   const List<Input>& inputs, const RnnOptions& options,
                                                   const State& initial_state_backward, Input::Where where) {
  const ErrorLine errors(where);
  if (inputs.empty()) throw ValueError("Argument `inputs` must not be empty.");
  graph::Graph& graph = graph_of_rnn({"inputs", inputs}, options, initial_state_backward);
  const CallScope call(graph, where);
  const std::vector<Tensor> rows = tensors_of(graph, inputs);
  const auto in_scope_again = [&](RNNCell& cell, const std::vector<Tensor>& given, const RnnOptions& own) {
    const VariableScope around = get_variable_scope();
    const VariableScopeGuard again(std::string_view(), &around, {.caching_device = device_of_op});
    return copies_over_time(cell, given, own);
  };
  StaticBidirectionalResult result;
  StaticRnnResult there;
  StaticRnnResult back;
  {
    const VariableScopeGuard scope = variable_scope(scope_or(options, "bidirectional_rnn"));
    {
      const VariableScopeGuard first = variable_scope("fw");
      there = in_scope_again(forward, rows, options);
    }
    const VariableScopeGuard second = variable_scope("bw");
    RnnOptions own = options;
    own.initial_state = initial_state_backward;
    back = in_scope_again(backward, reversed_in_time(rows, options.sequence_length), own);
  }
  const std::vector<Tensor> in_order = reversed_in_time(back.outputs, options.sequence_length);
  for (size_t i = 0; i < in_order.size(); ++i)
    result.outputs.push_back(concat({there.outputs[i], in_order[i]}, 1));
  result.forward = std::move(there.state);
  result.backward = std::move(back.state);
  return result;
}

}  // namespace flowray::tf::nn
