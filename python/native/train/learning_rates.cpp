/// Learning rates, for the module flowray.tf.train.

#include "native/convert/convert.h"

#include <flowray/tf/train.h>

namespace flowray::python {
namespace {

constexpr auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };

std::string scope_name(nb::handle name) {
  if (name.is_none() || PyUnicode_Check(name.ptr()) != 0) return as_text(name);
  throw ValueError("name for name_scope must be a string.");
}

void bind_cosine_rates(nb::module_& m) {
  m.def(
      "cosine_decay",
      [](nb::handle rate, nb::handle step, nb::handle steps, Real alpha, nb::handle name) {
        return give(tf::train::cosine_decay(as_input(rate), as_input(step), as_input(steps),
                                            {alpha, scope_name(name)}));
      },
      "learning_rate"_a, "global_step"_a, "decay_steps"_a, "alpha"_a = 0.0, none("name"));
  m.def(
      "cosine_decay_restarts",
      [](nb::handle rate, nb::handle step, nb::handle steps, nb::handle t_mul, nb::handle m_mul,
         nb::handle alpha, nb::handle name) {
        return give(tf::train::cosine_decay_restarts(
            as_input(rate), as_input(step), as_input(steps),
            {as_input(t_mul), as_input(m_mul), as_input(alpha), scope_name(name)}));
      },
      "learning_rate"_a, "global_step"_a, "first_decay_steps"_a, "t_mul"_a = 2.0, "m_mul"_a = 1.0,
      "alpha"_a = 0.0, none("name"));
  m.def(
      "linear_cosine_decay",
      [](nb::handle rate, nb::handle step, nb::handle steps, nb::handle num_periods, nb::handle alpha,
         nb::handle beta, nb::handle name) {
        return give(tf::train::linear_cosine_decay(
            as_input(rate), as_input(step), as_input(steps),
            {as_input(num_periods), as_input(alpha), as_input(beta), scope_name(name)}));
      },
      "learning_rate"_a, "global_step"_a, "decay_steps"_a, "num_periods"_a = 0.5, "alpha"_a = 0.0,
      "beta"_a = 0.001, none("name"));
  m.def(
      "noisy_linear_cosine_decay",
      [](nb::handle rate, nb::handle step, nb::handle steps, nb::handle initial_variance,
         nb::handle variance_decay, nb::handle num_periods, nb::handle alpha, nb::handle beta,
         nb::handle name) {
        return give(tf::train::noisy_linear_cosine_decay(
            as_input(rate), as_input(step), as_input(steps),
            {as_input(initial_variance), as_input(variance_decay), as_input(num_periods), as_input(alpha),
             as_input(beta), scope_name(name)}));
      },
      "learning_rate"_a, "global_step"_a, "decay_steps"_a, "initial_variance"_a = 1.0,
      "variance_decay"_a = 0.55, "num_periods"_a = 0.5, "alpha"_a = 0.0, "beta"_a = 0.001, none("name"));
}

}  // namespace

void bind_learning_rates(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&, const tf::Input&,
                              const tf::train::DecayOptions&);
  const auto decay = [&](const char* name, Make make) {
    m.def(
        name,
        [make](nb::handle rate, nb::handle step, nb::handle steps, nb::handle decay_rate, Flag staircase,
               nb::handle node_name) {
          return give(make(as_input(rate), as_input(step), as_input(steps), as_input(decay_rate),
                           {staircase, scope_name(node_name)}));
        },
        "learning_rate"_a, "global_step"_a, "decay_steps"_a, "decay_rate"_a, "staircase"_a = false,
        none("name"));
  };
  decay("exponential_decay", &tf::train::exponential_decay);
  decay("natural_exp_decay", &tf::train::natural_exp_decay);
  decay("inverse_time_decay", &tf::train::inverse_time_decay);
  m.def(
      "polynomial_decay",
      [](nb::handle rate, nb::handle step, nb::handle steps, nb::handle end, nb::handle power, Flag cycle,
         nb::handle name) {
        return give(tf::train::polynomial_decay(as_input(rate), as_input(step), as_input(steps),
                                                {as_input(end), as_input(power), cycle, scope_name(name)}));
      },
      "learning_rate"_a, "global_step"_a, "decay_steps"_a, "end_learning_rate"_a = 0.0001, "power"_a = 1.0,
      "cycle"_a = false, none("name"));
  m.def(
      "piecewise_constant",
      [](nb::handle x, nb::handle boundaries, nb::handle values, nb::handle name) {
        if (boundaries.is_none() || values.is_none()) throw ValueError("None values not supported.");
        return give(tf::train::piecewise_constant(as_input(x), as_inputs(boundaries), as_inputs(values),
                                                  {scope_name(name)}));
      },
      "x"_a, "boundaries"_a, "values"_a, none("name"));
  bind_cosine_rates(m);
}

}  // namespace flowray::python
