/// Learning rates, for the module flowray.tf.train.

#include "native/convert/bind.h"

#include <flowray/tf/train.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::train::DecayOptions, staircase, name)
FLOWRAY_FIELDS(tf::train::PolynomialDecayOptions, end_learning_rate, power, cycle, name)
FLOWRAY_FIELDS(tf::train::CosineDecayOptions, alpha, name)
FLOWRAY_FIELDS(tf::train::CosineDecayRestartsOptions, t_mul, m_mul, alpha, name)
FLOWRAY_FIELDS(tf::train::LinearCosineDecayOptions, num_periods, alpha, beta, name)
FLOWRAY_FIELDS(tf::train::NoisyLinearCosineDecayOptions, initial_variance, variance_decay, num_periods, alpha,
               beta, name)

namespace {

std::string scope_name(nb::handle name) {
  if (name.is_none() || PyUnicode_Check(name.ptr()) != 0) return as_text(name);
  throw ValueError("name for name_scope must be a string.");
}

void refuse_none(nb::handle list) {
  if (list.is_none()) throw ValueError("None values not supported.");
}

}  // namespace

void bind_learning_rates(nb::module_& m) {
  using namespace tf::train;
  const Argument name = converted("name", &scope_name);
  bind(m, "exponential_decay", &exponential_decay,
       {"learning_rate", "global_step", "decay_steps", "decay_rate", "staircase", name});
  bind(m, "natural_exp_decay", &natural_exp_decay,
       {"learning_rate", "global_step", "decay_steps", "decay_rate", "staircase", name});
  bind(m, "inverse_time_decay", &inverse_time_decay,
       {"learning_rate", "global_step", "decay_steps", "decay_rate", "staircase", name});
  bind(m, "polynomial_decay", &polynomial_decay,
       {"learning_rate", "global_step", "decay_steps", "end_learning_rate", "power", "cycle", name});
  bind(m, "piecewise_constant", &piecewise_constant,
       {"x", checked("boundaries", &refuse_none), checked("values", &refuse_none), name});
  bind(m, "cosine_decay", &cosine_decay, {"learning_rate", "global_step", "decay_steps", "alpha", name});
  bind(m, "cosine_decay_restarts", &cosine_decay_restarts,
       {"learning_rate", "global_step", "first_decay_steps", "t_mul", "m_mul", "alpha", name});
  bind(m, "linear_cosine_decay", &linear_cosine_decay,
       {"learning_rate", "global_step", "decay_steps", "num_periods", "alpha", "beta", name});
  bind(m, "noisy_linear_cosine_decay", &noisy_linear_cosine_decay,
       {"learning_rate", "global_step", "decay_steps", "initial_variance", "variance_decay", "num_periods",
        "alpha", "beta", name});
}

}  // namespace flowray::python
