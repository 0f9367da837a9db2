/// Gradients, optimizers, the global step; summary files.

#include "convert.h"
#include "python_graph.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/train.h>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

std::vector<tf::Variable> as_variables(nb::handle list);
tf::Graph graph_of_object(nb::handle object);

namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

std::vector<tf::GradientTarget> as_targets(nb::handle xs) {
  std::vector<tf::GradientTarget> targets;
  const auto add = [&](nb::handle item) {
    if (nb::isinstance<tf::Variable>(item)) {
      targets.emplace_back(nb::cast<const tf::Variable&>(item));
    } else {
      targets.emplace_back(as_tensors(item).at(0));
    }
  };
  if (PyList_Check(xs.ptr()) || PyTuple_Check(xs.ptr())) {
    for (nb::handle item : xs) add(item);
  } else {
    add(xs);
  }
  return targets;
}

nb::list gradients(nb::handle ys, nb::handle xs, nb::handle grad_ys, nb::handle name, bool colocate,
                   bool gate, nb::handle, nb::handle stop_gradients, nb::handle unconnected) {
  tf::GradientsOptions options;
  if (!grad_ys.is_none()) {
    if (PyList_Check(grad_ys.ptr()) || PyTuple_Check(grad_ys.ptr())) {
      for (nb::handle item : grad_ys) options.grad_ys.push_back(as_optional_input(item));
    } else {
      options.grad_ys.push_back(as_input(grad_ys));
    }
  }
  options.name = as_text(name);
  options.colocate_gradients_with_ops = colocate;
  options.gate_gradients = gate;
  options.stop_gradients = as_tensors(stop_gradients);
  options.unconnected_gradients = as_text(
      nb::hasattr(unconnected, "value") ? nb::object(unconnected.attr("value")) : nb::borrow(unconnected));
  return give(tf::gradients(as_tensors(ys), as_targets(xs), options, {}));
}

tf::train::Gate as_gate(int64_t gate) { return static_cast<tf::train::Gate>(gate); }

tf::Tensor as_loss(nb::handle loss) {
  if (PyCallable_Check(loss.ptr()) != 0 && !nb::isinstance<tf::Tensor>(loss)) return as_tensors(loss()).at(0);
  return as_tensors(loss).at(0);
}

tf::Variable as_step(nb::handle global_step) {
  return global_step.is_none() ? tf::Variable() : nb::cast<tf::Variable>(global_step);
}

std::vector<tf::train::GradientAndVariable> as_pairs(nb::handle grads_and_vars) {
  std::vector<tf::train::GradientAndVariable> pairs;
  for (nb::handle pair : grads_and_vars) {
    const nb::object gradient = nb::object(pair[0]);
    tf::Tensor tensor;
    if (!gradient.is_none()) tensor = as_tensors(gradient).at(0);
    pairs.push_back({tensor, nb::cast<tf::Variable>(nb::object(pair[1]))});
  }
  return pairs;
}

void bind_optimizer_class(nb::module_& m) {
  using tf::train::Optimizer;
  auto c = nb::class_<Optimizer>(m, "Optimizer", nb::dynamic_attr(), "tf.train.Optimizer");
  c.attr("GATE_NONE") = 0;
  c.attr("GATE_OP") = 1;
  c.attr("GATE_GRAPH") = 2;
  c.def(
      "minimize",
      [](Optimizer& self, nb::handle loss, nb::handle global_step, nb::handle var_list, int64_t gate,
         nb::handle, bool colocate, nb::handle name, nb::handle grad_loss) {
        tf::train::MinimizeOptions options{.global_step = as_step(global_step),
                                           .var_list = as_variables(var_list),
                                           .gate_gradients = as_gate(gate),
                                           .colocate_gradients_with_ops = colocate,
                                           .name = as_text(name)};
        if (!grad_loss.is_none()) options.grad_loss = as_tensors(grad_loss).at(0);
        return give(self.minimize(as_loss(loss), options, {}));
      },
      "loss"_a, kNone("global_step") = nb::none(), kNone("var_list") = nb::none(), "gate_gradients"_a = 1,
      kNone("aggregation_method") = nb::none(), "colocate_gradients_with_ops"_a = false,
      kNone("name") = nb::none(), kNone("grad_loss") = nb::none());
  c.def(
      "compute_gradients",
      [](Optimizer& self, nb::handle loss, nb::handle var_list, int64_t gate, nb::handle, bool colocate,
         nb::handle grad_loss) {
        tf::train::ComputeGradientsOptions options{.var_list = as_variables(var_list),
                                                   .gate_gradients = as_gate(gate),
                                                   .colocate_gradients_with_ops = colocate};
        if (!grad_loss.is_none()) options.grad_loss = as_tensors(grad_loss).at(0);
        nb::list pairs;
        for (const auto& pair : self.compute_gradients(as_loss(loss), options, {})) {
          pairs.append(nb::make_tuple(give(pair.gradient), pair.variable));
        }
        return pairs;
      },
      "loss"_a, kNone("var_list") = nb::none(), "gate_gradients"_a = 1,
      kNone("aggregation_method") = nb::none(), "colocate_gradients_with_ops"_a = false,
      kNone("grad_loss") = nb::none());
  c.def(
      "apply_gradients",
      [](Optimizer& self, nb::handle grads_and_vars, nb::handle global_step, nb::handle name) {
        return give(self.apply_gradients(as_pairs(grads_and_vars),
                                         {.global_step = as_step(global_step), .name = as_text(name)}, {}));
      },
      "grads_and_vars"_a, kNone("global_step") = nb::none(), kNone("name") = nb::none());
  c.def(
      "get_slot",
      [](Optimizer& self, const tf::Variable& var, const std::string& name) -> nb::object {
        const tf::Variable slot = self.get_slot(var, name);
        return slot ? nb::cast(slot) : nb::none();
      },
      "var"_a, "name"_a);
  c.def("get_slot_names", [](Optimizer& self) {
    nb::list names;
    for (const std::string& name : self.get_slot_names()) names.append(nb::str(name.c_str()));
    return names;
  });
}

void bind_optimizers(nb::module_& m) {
  using namespace tf::train;
  bind_optimizer_class(m);
  nb::class_<GradientDescentOptimizer, Optimizer>(m, "GradientDescentOptimizer")
      .def(
          "__init__",
          [](GradientDescentOptimizer* self, nb::handle rate, bool use_locking, nb::handle name) {
            new (self) GradientDescentOptimizer(as_input(rate), {use_locking, as_text(name)});
          },
          "learning_rate"_a, "use_locking"_a = false, "name"_a = "GradientDescent");
  nb::class_<MomentumOptimizer, Optimizer>(m, "MomentumOptimizer")
      .def(
          "__init__",
          [](MomentumOptimizer* self, nb::handle rate, nb::handle momentum, bool use_locking, nb::handle name,
             bool use_nesterov) {
            new (self) MomentumOptimizer(as_input(rate), as_input(momentum),
                                         {use_locking, as_text(name), use_nesterov});
          },
          "learning_rate"_a, "momentum"_a, "use_locking"_a = false, "name"_a = "Momentum",
          "use_nesterov"_a = false);
  nb::class_<AdamOptimizer, Optimizer>(m, "AdamOptimizer")
      .def(
          "__init__",
          [](AdamOptimizer* self, nb::handle rate, double beta1, double beta2, double epsilon,
             bool use_locking, nb::handle name) {
            new (self) AdamOptimizer(as_input(rate), {beta1, beta2, epsilon, use_locking, as_text(name)});
          },
          "learning_rate"_a = 0.001, "beta1"_a = 0.9, "beta2"_a = 0.999, "epsilon"_a = 1e-8,
          "use_locking"_a = false, "name"_a = "Adam");
  nb::class_<AdagradOptimizer, Optimizer>(m, "AdagradOptimizer")
      .def(
          "__init__",
          [](AdagradOptimizer* self, nb::handle rate, double initial, bool use_locking, nb::handle name) {
            new (self) AdagradOptimizer(as_input(rate), {initial, use_locking, as_text(name)});
          },
          "learning_rate"_a, "initial_accumulator_value"_a = 0.1, "use_locking"_a = false,
          "name"_a = "Adagrad");
  nb::class_<RMSPropOptimizer, Optimizer>(m, "RMSPropOptimizer")
      .def(
          "__init__",
          [](RMSPropOptimizer* self, nb::handle rate, double decay, double momentum, double epsilon,
             bool use_locking, bool centered, nb::handle name) {
            new (self) RMSPropOptimizer(as_input(rate),
                                        {decay, momentum, epsilon, use_locking, centered, as_text(name)});
          },
          "learning_rate"_a, "decay"_a = 0.9, "momentum"_a = 0.0, "epsilon"_a = 1e-10,
          "use_locking"_a = false, "centered"_a = false, "name"_a = "RMSProp");
}

}  // namespace

void bind_train(nb::module_& m) {
  m.def("gradients", &gradients, "ys"_a, "xs"_a, kNone("grad_ys") = nb::none(), "name"_a = "gradients",
        "colocate_gradients_with_ops"_a = false, "gate_gradients"_a = false,
        kNone("aggregation_method") = nb::none(), kNone("stop_gradients") = nb::none(),
        kNone("unconnected_gradients") = "none", "d sum(ys) / dx for each of xs; None where nothing flows.");
  bind_optimizers(m);
  m.def(
      "get_or_create_global_step",
      [](nb::handle graph) {
        const auto scope = make_default(graph_of_object(graph));
        return tf::train::get_or_create_global_step({});
      },
      kNone("graph") = nb::none());
}

}  // namespace flowray::python
