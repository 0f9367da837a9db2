#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/train.h>

#include "tf/train/decay.h"

#include <fmt/format.h>

namespace flowray::tf::train {
namespace {

/// How many times decay_steps are over.
Tensor periods(const Decay& decay, const Tensor& decay_steps, bool staircase) {
  const Tensor step = decay.step();
  const Tensor part = step / decay_steps;
  return staircase ? floor(part) : part;
}

}  // namespace

Tensor exponential_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                         const Input& decay_rate, const DecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "ExponentialDecay");
  const Tensor steps = decay.number({"decay_steps", decay_steps});
  const Tensor rate = decay.number({"decay_rate", decay_rate});
  const Tensor factor = pow(rate, periods(decay, steps, options.staircase));
  return multiply(decay.initial, factor, {.name = decay.result_name()});
}

Tensor natural_exp_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                         const Input& decay_rate, const DecayOptions& options) {
  const UserLine line(
      graph_of({{"learning_rate", learning_rate}, {"global_step", global_step}, {"decay_rate", decay_rate}}),
      learning_rate.where());
  const Tensor rate = exp(negative(decay_rate));
  return exponential_decay(learning_rate, global_step, decay_steps, rate, options);
}

Tensor inverse_time_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                          const Input& decay_rate, const DecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "InverseTimeDecay");
  const Tensor steps = decay.number({"decay_steps", decay_steps});
  const Tensor rate = decay.number({"decay_rate", decay_rate});
  const Tensor times = periods(decay, steps, options.staircase);
  const Tensor one = cast(constant(1), base_dtype(decay.initial.dtype()));
  const Tensor divisor = add(one, multiply(rate, times));
  return realdiv(decay.initial, divisor, {.name = decay.result_name()});
}

Tensor polynomial_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                        const PolynomialDecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "PolynomialDecay");
  const Tensor end = decay.number({"end_learning_rate", options.end_learning_rate});
  const Tensor power = decay.number({"power", options.power});
  Tensor step = decay.step();
  Tensor steps = decay.number({"decay_steps", decay_steps});
  if (options.cycle) {
    const Tensor at_begin = equal(step, 0);
    const Tensor cycles = ceil(step / decay_steps);
    const Tensor multiplier = apply_op({.op = "SelectV2", .args = {at_begin, 1.0, cycles}});
    steps = multiply(steps, multiplier);
  } else {
    step = minimum(step, steps);
  }
  const Tensor part = step / steps;
  const Tensor range = decay.initial - end;
  const Tensor left = 1.0 - part;
  return add(multiply(range, pow(left, power)), end, {.name = decay.result_name()});
}

namespace {

std::vector<Tensor> rates_of(const List<Input>& values) {
  std::vector<Tensor> rates;
  for (const Input& value : values) rates.push_back(convert_to_tensor(value));
  for (const Tensor& rate : rates) {
    if (base_dtype(rate.dtype()) == base_dtype(rates.front().dtype())) continue;
    throw ValueError(
        fmt::format("Values must have elements all with the same dtype (<dtype: '{}'> vs <dtype: '{}'>).",
                    dtype_name(base_dtype(rates.front().dtype())), dtype_name(base_dtype(rate.dtype()))));
  }
  return rates;
}

}  // namespace

Tensor piecewise_constant(const Input& x, const List<Input>& boundaries, const List<Input>& values,
                          const NameOption& options) {
  const CallScope call({{"x", x}});
  graph::Graph& graph = call.graph();
  check_all_set(boundaries, "boundaries");
  check_all_set(values, "values");
  const Tensor step = convert_to_tensor(x);
  std::vector<Tensor> ends;
  for (const Input& boundary : boundaries) {
    const Tensor end = convert_to_tensor(boundary);
    const DType dtype = base_dtype(step.dtype());
    const bool widens = base_dtype(end.dtype()) == DType::kInt32 && dtype == DType::kInt64;
    if (!widens && base_dtype(end.dtype()) != dtype) {
      throw ValueError(
          fmt::format("Boundaries (<dtype: '{}'>) must have the same dtype as x (<dtype: '{}'>).",
                      dtype_name(base_dtype(end.dtype())), dtype_name(dtype)));
    }
    ends.push_back(widens ? cast(end, DType::kInt64) : end);
  }
  const std::vector<Tensor> rates = rates_of(values);
  if (ends.empty() || ends.size() + 1 != rates.size()) {
    throw ValueError(
        fmt::format("The length of boundaries should be 1 less than the length of values\nThere are {} "
                    "boundaries and {} values.",
                    ends.size(), rates.size()));
  }
  const graph::NameScope scope(graph, options.name.empty() ? "PiecewiseConstant" : options.name);
  const auto give = [](const Tensor& rate) {
    return Branch([rate] { return std::vector<BranchValue>{rate}; });
  };
  std::vector<std::pair<Tensor, Branch>> cases;
  cases.emplace_back(step <= ends.front(), give(rates.front()));
  cases.emplace_back(step > ends.back(), give(rates.back()));
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    const Tensor above = step > ends[i];
    cases.emplace_back(above & (step <= ends[i + 1]), give(rates[i + 1]));
  }
  return case_(cases, {.default_fn = give(rates.front()), .exclusive = true}, x.where())[0];
}

}  // namespace flowray::tf::train
