/// Optimizers with regularization of their own, and moving averages, for the module flowray.tf.train.

#include "native/convert/convert.h"

#include <flowray/tf/train.h>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

std::vector<tf::Variable> as_variables(nb::handle list);
std::string optimizer_name(nb::handle name);

namespace {

using namespace tf::train;

constexpr auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };

void bind_regularized_optimizers(nb::module_& m) {
  nb::class_<AdagradDAOptimizer, Optimizer>(m, "AdagradDAOptimizer")
      .def(
          "__init__",
          [](AdagradDAOptimizer* self, nb::handle rate, nb::handle step, Real initial, Real l1, Real l2,
             Flag use_locking, nb::handle name) {
            new (self) AdagradDAOptimizer(as_input(rate), as_input(step),
                                          {initial, l1, l2, use_locking, optimizer_name(name)});
          },
          "learning_rate"_a, "global_step"_a, "initial_gradient_squared_accumulator_value"_a = 0.1,
          "l1_regularization_strength"_a = 0.0, "l2_regularization_strength"_a = 0.0, "use_locking"_a = false,
          "name"_a = "AdagradDA");
  nb::class_<FtrlOptimizer, Optimizer>(m, "FtrlOptimizer")
      .def(
          "__init__",
          [](FtrlOptimizer* self, nb::handle rate, Real power, Real initial, Real l1, Real l2,
             Flag use_locking, nb::handle name, nb::handle accum_name, nb::handle linear_name, Real shrinkage,
             nb::handle beta) {
            new (self)
                FtrlOptimizer(as_input(rate),
                              {power, initial, l1, l2, use_locking, optimizer_name(name), as_text(accum_name),
                               as_text(linear_name), shrinkage, beta.is_none() ? 0.0 : as_float(beta)});
          },
          "learning_rate"_a, "learning_rate_power"_a = -0.5, "initial_accumulator_value"_a = 0.1,
          "l1_regularization_strength"_a = 0.0, "l2_regularization_strength"_a = 0.0, "use_locking"_a = false,
          "name"_a = "Ftrl", none("accum_name"), none("linear_name"),
          "l2_shrinkage_regularization_strength"_a = 0.0, none("beta"));
  nb::class_<ProximalGradientDescentOptimizer, Optimizer>(m, "ProximalGradientDescentOptimizer")
      .def(
          "__init__",
          [](ProximalGradientDescentOptimizer* self, nb::handle rate, Real l1, Real l2, Flag use_locking,
             nb::handle name) {
            new (self)
                ProximalGradientDescentOptimizer(as_input(rate), {l1, l2, use_locking, optimizer_name(name)});
          },
          "learning_rate"_a, "l1_regularization_strength"_a = 0.0, "l2_regularization_strength"_a = 0.0,
          "use_locking"_a = false, "name"_a = "ProximalGradientDescent");
  nb::class_<ProximalAdagradOptimizer, Optimizer>(m, "ProximalAdagradOptimizer")
      .def(
          "__init__",
          [](ProximalAdagradOptimizer* self, nb::handle rate, Real initial, Real l1, Real l2,
             Flag use_locking, nb::handle name) {
            new (self) ProximalAdagradOptimizer(as_input(rate),
                                                {initial, l1, l2, use_locking, optimizer_name(name)});
          },
          "learning_rate"_a, "initial_accumulator_value"_a = 0.1, "l1_regularization_strength"_a = 0.0,
          "l2_regularization_strength"_a = 0.0, "use_locking"_a = false, "name"_a = "ProximalAdagrad");
}

Averaged as_averaged(nb::handle object) {
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object);
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  throw TypeError(
      fmt::format("The average of a Variable or a Tensor is wanted, but got {}", nb::str(object).c_str()));
}

void bind_moving_averages(nb::module_& m) {
  using Average = ExponentialMovingAverage;
  nb::class_<Average>(m, "ExponentialMovingAverage", nb::dynamic_attr())
      .def(
          "__init__",
          [](Average* self, nb::handle decay, nb::handle num_updates, Flag zero_debias, nb::handle name) {
            new (self) Average(as_input(decay), {as_optional_input(num_updates), zero_debias, as_text(name)});
          },
          "decay"_a, none("num_updates"), "zero_debias"_a = false, "name"_a = "ExponentialMovingAverage")
      .def_prop_ro("name", [](const Average& self) { return self.name(); })
      .def(
          "apply",
          [](Average& self, nb::handle var_list) {
            if (var_list.is_none()) return give(self.apply(tf::Input::Where{}));
            std::vector<Averaged> list;
            for (nb::handle item : var_list) list.push_back(as_averaged(item));
            return give(self.apply(list, {}));
          },
          none("var_list"))
      .def(
          "average",
          [](const Average& self, nb::handle var) -> nb::object {
            const tf::Variable shadow = self.average(as_averaged(var));
            return shadow ? nb::cast(shadow) : nb::none();
          },
          "var"_a)
      .def(
          "average_name",
          [](const Average& self, nb::handle var) {
            return self.average_name(nb::cast<const tf::Variable&>(var));
          },
          "var"_a)
      .def(
          "variables_to_restore",
          [](const Average& self, nb::handle averaged) {
            std::optional<std::vector<tf::Variable>> given;
            if (!averaged.is_none()) given = as_variables(averaged);
            nb::dict names;
            for (const auto& [name, variable] : self.variables_to_restore(given))
              names[name.c_str()] = variable;
            return names;
          },
          none("moving_avg_variables"));
}

}  // namespace

void bind_more_training(nb::module_& m) {
  bind_regularized_optimizers(m);
  bind_moving_averages(m);
}

}  // namespace flowray::python
