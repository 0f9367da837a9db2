// What is put around cells: dropout, a way past the cell, a device.
#include "tf/nn/cell_wrappers.h"

#include <flowray/tf/array.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>
#include <flowray/tf/rnn.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::nn {
namespace {

/// The probability as a number where the program gave one, after the constant that TensorFlow makes of it.
std::optional<float> checked_probability(const Input& probability, const char* name) {
  if (probability.tensor() != nullptr) return std::nullopt;
  const Array value =
      (probability.literal() != nullptr ? probability.literal()->to_array() : *probability.array())
          .astype(float32);
  const auto number = value.item<float>();
  if (number < 0.0f || number > 1.0f)
    throw ValueError(fmt::format("Parameter {} must be between 0 and 1. Received {}", name, number));
  (void)constant(value);
  return number;
}

std::optional<int64_t> seed_at(const std::vector<int64_t>& seeds, size_t i) {
  if (i < seeds.size()) return seeds[i];
  return std::nullopt;
}

bool drops_by(const Input& keep) { return keep.tensor() != nullptr || keep.array()->item<float>() < 1.0f; }

/// The same elements of each step: those whose noise, uniform in [0, 1), is less than 1 - keep.
Tensor with_dropout_by(const Tensor& noise, const Tensor& x, const Input& keep) {
  const Input kept =
      keep.tensor() != nullptr ? keep : Input(static_cast<double>(keep.array()->item<float>()));
  const Tensor is_kept = floor(kept + noise);
  Tensor result = x / kept * is_kept;
  result.set_shape(x.shape());
  return result;
}

/// Makes no node where all is kept.
Tensor with_dropout(const Tensor& x, const Input& keep, std::optional<int64_t> seed) {
  if (keep.tensor() == nullptr) {
    const auto number = static_cast<double>(keep.array()->item<float>());
    return number < 1.0 ? dropout(x, {.seed = seed, .rate = 1.0 - number}) : x;
  }
  return dropout(x, {.seed = seed, .rate = 1.0 - keep});
}

}  // namespace

CellWrapper::CellWrapper(std::string class_name, CellPointer cell, Input::Where where)
    : RNNCell(std::move(class_name)), cell_(std::move(cell)) {
  const ErrorLine errors(where);
  check_cell(cell_, "cell");
}

State CellWrapper::zero_state(const Input& batch_size, DType dtype) {
  const CallScope call({{"batch_size", batch_size}});
  const NameScopeGuard scope = name_scope(class_name() + "ZeroState");
  return cell_->zero_state(batch_size, dtype);
}

DropoutWrapper::DropoutWrapper(CellPointer cell, const DropoutWrapperOptions& options, Input::Where where)
    : CellWrapper("DropoutWrapper", std::move(cell), where), options_(options) {
  const ErrorLine errors(where);
  (void)graph_of({{"input_keep_prob", options.input_keep_prob},
                  {"output_keep_prob", options.output_keep_prob},
                  {"state_keep_prob", options.state_keep_prob}});
  const std::vector<Input> kept = {options.input_keep_prob, options.state_keep_prob,
                                   options.output_keep_prob};
  const UserLine line(default_graph(), place_in_program(kept));
  const NameScopeGuard scope = name_scope("DropoutWrapperInit");
  const auto check = [](Input& keep, const char* argument) {
    if (const std::optional<float> number = checked_probability(keep, argument)) keep = Input(Array(*number));
  };
  check(options_.input_keep_prob, "input_keep_prob");
  check(options_.state_keep_prob, "state_keep_prob");
  check(options_.output_keep_prob, "output_keep_prob");
  check_filter();
  if (options_.variational_recurrent) make_noise();
}

void DropoutWrapper::check_filter() {
  std::vector<bool>& filter = options_.state_filter;
  const std::vector<bool> usual = cell().dropped_states();
  if (filter.empty()) filter = usual;
  if (filter.size() != usual.size()) {
    throw ValueError(
        fmt::format("DropoutWrapper's state_filter has {} elements, but the cell's state has {} "
                    "tensors.\nGive one for each of them, in the order of state_size().",
                    filter.size(), usual.size()));
  }
}

void DropoutWrapper::make_noise() {
  if (options_.dtype == DType::kInvalid)
    throw ValueError("When variational_recurrent=True, dtype must be provided");
  const auto noise = [&](int64_t size, std::optional<int64_t> seed) {
    return random_uniform({1, size}, {.dtype = options_.dtype, .seed = seed});
  };
  if (drops_by(options_.input_keep_prob)) {
    if (!options_.input_size) {
      throw ValueError(
          "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
          "provided");
    }
    input_noise_ = noise(*options_.input_size, options_.input_seed);
  }
  const std::vector<int64_t> sizes = cell().state_size();
  for (size_t i = 0; i < sizes.size(); ++i)
    state_noise_.push_back(noise(sizes[i], seed_at(options_.state_seeds, i)));
  output_noise_ = noise(cell().output_size(), options_.output_seed);
}

CellResult DropoutWrapper::step(const Tensor& inputs, const State& state) {
  const auto dropped = [&](const Tensor& x, const Input& keep, const Tensor& noise,
                           std::optional<int64_t> seed) {
    if (!drops_by(keep)) return x;
    return options_.variational_recurrent ? with_dropout_by(noise, x, keep) : with_dropout(x, keep, seed);
  };
  CellResult result =
      cell()(dropped(inputs, options_.input_keep_prob, input_noise_, options_.input_seed), state);
  for (size_t i = 0; i < result.state.size(); ++i) {
    if (!options_.state_filter.at(i)) continue;
    const Tensor noise = options_.variational_recurrent ? state_noise_.at(i) : Tensor();
    result.state[i] =
        dropped(result.state[i], options_.state_keep_prob, noise, seed_at(options_.state_seeds, i));
  }
  result.output = dropped(result.output, options_.output_keep_prob, output_noise_, options_.output_seed);
  return result;
}

ResidualWrapper::ResidualWrapper(CellPointer cell, ResidualFunction residual_fn, Input::Where where)
    : CellWrapper("ResidualWrapper", std::move(cell), where), residual_fn_(std::move(residual_fn)) {}

CellResult ResidualWrapper::step(const Tensor& inputs, const State& state) {
  CellResult result = cell()(inputs, state);
  if (residual_fn_ != nullptr) {
    result.output = returned(residual_fn_(inputs, result.output), "residual_fn");
    return result;
  }
  if (!inputs.shape().is_compatible_with(result.output.shape())) {
    throw ValueError(
        fmt::format("Shapes {} and {} are incompatible\nA ResidualWrapper adds the cell's inputs to its "
                    "outputs, which must "
                    "be of one size: give a residual_fn that makes them so.",
                    inputs.shape().to_tuple_string(), result.output.shape().to_tuple_string()));
  }
  result.output = inputs + result.output;
  return result;
}

DeviceWrapper::DeviceWrapper(CellPointer cell, std::string device, Input::Where where)
    : CellWrapper("DeviceWrapper", std::move(cell), where), device_(std::move(device)) {}

State DeviceWrapper::zero_state(const Input& batch_size, DType dtype) {
  const CallScope call({{"batch_size", batch_size}});  // a device is one of its graph
  const DeviceGuard there = device(device_);
  return CellWrapper::zero_state(batch_size, dtype);
}

CellResult DeviceWrapper::step(const Tensor& inputs, const State& state) {
  const DeviceGuard there = device(device_);
  return cell()(inputs, state);
}

}  // namespace flowray::tf::nn
