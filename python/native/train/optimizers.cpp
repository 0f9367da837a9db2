/// Optimizers by name, and moving averages, for the module flowray.tf.train.

#include "native/convert/bind.h"
#include "native/convert/released_lock.h"

#include <flowray/tf/sync_replicas.h>
#include <flowray/tf/train.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

tf::Session* session_of_object(nb::handle object);

FLOWRAY_FIELDS(tf::train::OptimizerOptions, use_locking, name)
FLOWRAY_FIELDS(tf::train::MomentumOptions, use_locking, name, use_nesterov)
FLOWRAY_FIELDS(tf::train::AdamOptions, beta1, beta2, epsilon, use_locking, name)
FLOWRAY_FIELDS(tf::train::AdagradOptions, initial_accumulator_value, use_locking, name)
FLOWRAY_FIELDS(tf::train::AdadeltaOptions, rho, epsilon, use_locking, name)
FLOWRAY_FIELDS(tf::train::RMSPropOptions, decay, momentum, epsilon, use_locking, centered, name)
FLOWRAY_FIELDS(tf::train::AdagradDAOptions, initial_gradient_squared_accumulator_value,
               l1_regularization_strength, l2_regularization_strength, use_locking, name)
FLOWRAY_FIELDS(tf::train::FtrlOptions, learning_rate_power, initial_accumulator_value,
               l1_regularization_strength, l2_regularization_strength, use_locking, name, accum_name,
               linear_name, l2_shrinkage_regularization_strength, beta)
FLOWRAY_FIELDS(tf::train::ProximalGradientDescentOptions, l1_regularization_strength,
               l2_regularization_strength, use_locking, name)
FLOWRAY_FIELDS(tf::train::ProximalAdagradOptions, initial_accumulator_value, l1_regularization_strength,
               l2_regularization_strength, use_locking, name)

namespace {

using namespace tf::train;

constexpr auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };

std::string optimizer_name(nb::handle name) {
  std::string text = as_text(name);
  if (text.empty()) throw ValueError("Must specify the optimizer name");
  return text;
}

/// A hyperparameter that is a number.
Argument rate(const char* name) {
  return checked(
      name, +[](nb::handle number) {
        if (number.is_none()) throw ValueError("None values not supported.");
      });
}

/// An optimizer whose constructor takes these types.
template <class Class, class... Types, size_t N>
void optimizer(nb::module_& m, const char* name, const Argument (&arguments)[N]) {
  nb::class_<Class, Optimizer> type(m, name);
  bind_constructor_of<Class, Types...>(type, arguments);
}

void bind_plain_optimizers(nb::module_& m) {
  using tf::Input;
  const Argument name = converted("name", &optimizer_name);
  optimizer<GradientDescentOptimizer, Input, OptimizerOptions>(
      m, "GradientDescentOptimizer",
      {"learning_rate", "use_locking", converted({"name", "GradientDescent"}, &optimizer_name)});
  optimizer<MomentumOptimizer, Input, Input, MomentumOptions>(
      m, "MomentumOptimizer", {"learning_rate", "momentum", "use_locking", name, "use_nesterov"});
  optimizer<AdamOptimizer, Input, AdamOptions>(
      m, "AdamOptimizer",
      {{"learning_rate", 0.001}, rate("beta1"), rate("beta2"), rate("epsilon"), "use_locking", name});
  optimizer<AdagradOptimizer, Input, AdagradOptions>(
      m, "AdagradOptimizer", {"learning_rate", "initial_accumulator_value", "use_locking", name});
  optimizer<AdadeltaOptimizer, Input, AdadeltaOptions>(
      m, "AdadeltaOptimizer", {{"learning_rate", 0.001}, rate("rho"), rate("epsilon"), "use_locking", name});
  optimizer<RMSPropOptimizer, Input, RMSPropOptions>(
      m, "RMSPropOptimizer",
      {"learning_rate", rate("decay"), rate("momentum"), rate("epsilon"), "use_locking", "centered", name});
}

void bind_regularized_optimizers(nb::module_& m) {
  using tf::Input;
  const Argument name = converted("name", &optimizer_name);
  const char* const initial = "initial_accumulator_value";
  const char* const l1 = "l1_regularization_strength";
  const char* const l2 = "l2_regularization_strength";
  optimizer<AdagradDAOptimizer, Input, Input, AdagradDAOptions>(
      m, "AdagradDAOptimizer",
      {"learning_rate", "global_step", "initial_gradient_squared_accumulator_value", l1, l2, "use_locking",
       name});
  optimizer<FtrlOptimizer, Input, FtrlOptions>(m, "FtrlOptimizer",
                                               {"learning_rate",
                                                "learning_rate_power",
                                                initial,
                                                l1,
                                                l2,
                                                "use_locking",
                                                name,
                                                "accum_name",
                                                "linear_name",
                                                "l2_shrinkage_regularization_strength",
                                                {"beta", nb::none()}});
  optimizer<ProximalGradientDescentOptimizer, Input, ProximalGradientDescentOptions>(
      m, "ProximalGradientDescentOptimizer", {"learning_rate", l1, l2, "use_locking", name});
  optimizer<ProximalAdagradOptimizer, Input, ProximalAdagradOptions>(
      m, "ProximalAdagradOptimizer", {"learning_rate", initial, l1, l2, "use_locking", name});
}

/// tf.train.SyncReplicasOptimizer; its hook and the thread of the chief are Python's.
void bind_sync_replicas(nb::module_& m) {
  using Sync = SyncReplicasOptimizer;
  nb::class_<Sync, Optimizer>(m, "SyncReplicasBase", nb::dynamic_attr())
      .def(
          "__init__",
          [](Sync* self, nb::handle opt, int replicas_to_aggregate, nb::handle total_num_replicas,
             nb::handle variable_averages, nb::handle variables_to_average, bool use_locking, nb::handle name,
             double drop_after_secs) {
            SyncReplicasOptions options{
                .use_locking = use_locking, .name = as_text(name), .drop_after_secs = drop_after_secs};
            if (!total_num_replicas.is_none())
              options.total_num_replicas = static_cast<int>(as_int(total_num_replicas));
            // The caller keeps both.
            if (!variable_averages.is_none()) {
              options.variable_averages = std::shared_ptr<ExponentialMovingAverage>(
                  nb::cast<ExponentialMovingAverage*>(variable_averages), [](ExponentialMovingAverage*) {});
            }
            if (!variables_to_average.is_none())
              options.variables_to_average = as_variables(variables_to_average);
            const std::shared_ptr<Optimizer> rule(nb::cast<Optimizer*>(opt), [](Optimizer*) {});
            new (self) Sync(rule, replicas_to_aggregate, options);
          },
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(),
          nb::arg())
      .def("_chief_queue",
           [](const Sync& self) {
             const FilledQueue queue = self.get_chief_queue_runner();
             return nb::make_tuple(nb::cast(queue.queue), give(queue.enqueue_ops.at(0)), give(queue.close_op),
                                   give(queue.cancel_op));
           })
      .def("_run_chief_step",
           [](const Sync& self, nb::handle sess, std::shared_ptr<tf::StepCancellation> cancellation) {
             tf::Session& session = *session_of_object(sess);
             const FilledQueue queue = self.get_chief_queue_runner();
             const tf::RunOptions options{.cancellation = std::move(cancellation)};
             const ReleasedLock released;
             queue.run(session, queue.enqueue_ops.at(0), options);
           })
      .def(
          "get_init_tokens_op",
          [](Sync& self, int num_tokens) { return give(self.get_init_tokens_op(num_tokens)); },
          "num_tokens"_a = -1)
      .def_prop_ro("chief_init_op", [](const Sync& self) { return give(self.chief_init_op()); })
      .def_prop_ro("local_step_init_op", [](const Sync& self) { return give(self.local_step_init_op()); })
      .def_prop_ro("ready_for_local_init_op",
                   [](const Sync& self) { return give(self.ready_for_local_init_op()); });
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
            return shadow.has_value() ? nb::cast(shadow) : nb::none();
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

void bind_optimizers(nb::module_& m) {
  bind_plain_optimizers(m);
  bind_regularized_optimizers(m);
  bind_moving_averages(m);
  bind_sync_replicas(m);
}

}  // namespace flowray::python
