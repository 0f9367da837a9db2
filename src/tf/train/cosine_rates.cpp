#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>
#include <flowray/tf/train.h>

#include "tf/train/decay.h"

#include <numbers>

namespace flowray::tf::train {
namespace {

/// (1 + cos(pi * part)) / 2, times `scale` where there is one.
Tensor wave(const Tensor& part, const Tensor& scale = {}) {
  const Tensor half = scale.has_value() ? 0.5 * scale : Tensor();
  const Tensor pi = constant(std::numbers::pi, {.dtype = base_dtype(part.dtype())});
  const Tensor above = 1.0 + cos(pi * part);
  return half.has_value() ? half * above : 0.5 * above;
}

/// The waves that go down along a line, and end at beta.
Tensor linear_wave(const Decay& decay, const Tensor& line, const Tensor& part, const Tensor& num_periods,
                   const Tensor& alpha, const Tensor& beta) {
  const Tensor around = 2.0 * num_periods;
  const Tensor waves = wave(around * part);
  const Tensor height = alpha + line;
  const Tensor scaled = height * waves;
  return multiply(decay.initial, scaled + beta, {.name = decay.result_name()});
}

/// Python's operator, whose node has another name than the function's.
Tensor power(const Tensor& base, const Tensor& exponent) { return pow(base, exponent, {.name = "pow"}); }

/// Which period it is, and what part of it is over.
std::pair<Tensor, Tensor> period_of(const Tensor& done, const Tensor& t_mul) {
  const auto equal_periods = [&] {
    const Tensor period = floor(done);
    return std::vector<BranchValue>{period, done - period};
  };
  const auto growing_periods = [&] {
    const Tensor rest = 1.0 - t_mul;
    const Tensor product = done * rest;
    const Tensor logarithm = log(1.0 - product);
    const Tensor period = floor(logarithm / log(t_mul));
    const Tensor grown = 1.0 - power(t_mul, period);
    const Tensor sum = grown / (1.0 - t_mul);
    const Tensor since = done - sum;
    return std::vector<BranchValue>{period, since / power(t_mul, period)};
  };
  const std::vector<Tensor> both = cond(equal(t_mul, 1.0), Branch(equal_periods), Branch(growing_periods));
  return {both[0], both[1]};
}

}  // namespace

Tensor cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                    const CosineDecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "CosineDecay");
  const Tensor steps = decay.number({"decay_steps", decay_steps});
  const Tensor step = minimum(decay.step(), steps);
  const Tensor waves = wave(step / steps);
  const Tensor scaled = (1.0 - options.alpha) * waves;
  const Tensor all = scaled + options.alpha;
  return multiply(decay.initial, all);
}

Tensor cosine_decay_restarts(const Input& learning_rate, const Input& global_step,
                             const Input& first_decay_steps, const CosineDecayRestartsOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "SGDRDecay");
  const Tensor steps = decay.number({"first_decay_steps", first_decay_steps});
  const Tensor alpha = decay.number({"alpha", options.alpha});
  const Tensor t_mul = decay.number({"t_mul", options.t_mul});
  const Tensor m_mul = decay.number({"m_mul", options.m_mul});
  const auto [period, part] = period_of(decay.step() / steps, t_mul);
  const Tensor height = power(m_mul, period);
  const Tensor waves = wave(part, height);
  const Tensor rest = 1.0 - alpha;
  const Tensor scaled = rest * waves;
  return multiply(decay.initial, scaled + alpha, {.name = decay.result_name()});
}

Tensor linear_cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                           const LinearCosineDecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "LinearCosineDecay");
  const Tensor steps = decay.number({"decay_steps", decay_steps});
  const Tensor num_periods = decay.number({"num_periods", options.num_periods});
  const Tensor alpha = decay.number({"alpha", options.alpha});
  const Tensor beta = decay.number({"beta", options.beta});
  const Tensor step = minimum(decay.step(), steps);
  const Tensor left = steps - step;
  const Tensor line = left / steps;
  const Tensor part = step / steps;
  return linear_wave(decay, line, part, num_periods, alpha, beta);
}

Tensor noisy_linear_cosine_decay(const Input& learning_rate, const Input& global_step,
                                 const Input& decay_steps, const NoisyLinearCosineDecayOptions& options) {
  const Decay decay(learning_rate, global_step, options.name, "NoisyLinearCosineDecay");
  const Tensor steps = decay.number({"decay_steps", decay_steps});
  const Tensor initial_variance = decay.number({"initial_variance", options.initial_variance});
  const Tensor variance_decay = decay.number({"variance_decay", options.variance_decay});
  const Tensor num_periods = decay.number({"num_periods", options.num_periods});
  const Tensor alpha = decay.number({"alpha", options.alpha});
  const Tensor beta = decay.number({"beta", options.beta});
  const Tensor step = minimum(decay.step(), steps);
  const Tensor left = steps - step;
  const Tensor line = left / steps;
  const Tensor count = 1.0 + step;
  const Tensor variance = initial_variance / pow(count, variance_decay);
  const Tensor deviation = sqrt(variance);
  const Tensor noise = random_normal(line.shape(), 0.0, deviation, {.dtype = base_dtype(line.dtype())});
  const Tensor noisy = line + noise;
  const Tensor part = step / steps;
  return linear_wave(decay, noisy, part, num_periods, alpha, beta);
}

}  // namespace flowray::tf::train
