/// Gradients, the class of optimizers, the global step.

#include "native/convert/convert.h"
#include "native/graph/indexed_slices.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/train.h>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

std::vector<tf::Variable> as_variables(nb::handle list);
tf::Graph graph_of_object(nb::handle object);

namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

/// What a graph has made: other things are no argument here, though they might become constants.
tf::Tensor as_made(nb::handle object, const char* what) {
  if (nb::isinstance<tf::Tensor>(object) || nb::isinstance<tf::Variable>(object))
    return as_tensors(object).at(0);
  throw TypeError(fmt::format("{} must be a Tensor or a Variable, but is {} of type {}", what,
                              nb::str(object).c_str(), nb::type_name(object.type()).c_str()));
}

std::vector<tf::Tensor> as_made_list(nb::handle objects, const char* what) {
  if (PyList_Check(objects.ptr()) == 0 && PyTuple_Check(objects.ptr()) == 0) return {as_made(objects, what)};
  std::vector<tf::Tensor> tensors;
  for (nb::handle object : objects) tensors.push_back(as_made(object, what));
  return tensors;
}

/// Of tf.AggregationMethod; all of them add here.
void check_aggregation(nb::handle method) {
  if (method.is_none()) return;
  if (is_one_integer(method) && as_int(method) >= 0 && as_int(method) <= 2) return;
  throw ValueError(fmt::format("Invalid `aggregation_method` specified {}. Accepted values are [0, 1, 2].",
                               nb::str(method).c_str()));
}

std::vector<tf::GradientTarget> as_targets(nb::handle xs) {
  std::vector<tf::GradientTarget> targets;
  const auto add = [&](nb::handle item) {
    if (nb::isinstance<tf::Variable>(item)) {
      targets.emplace_back(nb::cast<const tf::Variable&>(item));
    } else {
      if (item.is_none()) throw TypeError("An x of tf.gradients is None");
      targets.emplace_back(tf::convert_to_tensor(as_input(item)));  // on which nothing depends
    }
  };
  if (PyList_Check(xs.ptr()) || PyTuple_Check(xs.ptr())) {
    for (nb::handle item : xs) add(item);
  } else {
    add(xs);
  }
  return targets;
}

nb::list gradients(nb::handle ys, nb::handle xs, nb::handle grad_ys, nb::handle name, Flag colocate,
                   Flag gate, nb::handle aggregation, nb::handle stop_gradients, nb::handle unconnected) {
  check_aggregation(aggregation);
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
  if (!stop_gradients.is_none())
    options.stop_gradients = as_made_list(stop_gradients, "A tensor of stop_gradients");
  const nb::object word =
      nb::hasattr(unconnected, "value") ? nb::object(unconnected.attr("value")) : nb::borrow(unconnected);
  options.unconnected_gradients = nb::str(word).c_str();
  nb::list gradients;
  for (const tf::Tensor& gradient :
       tf::gradients(as_made_list(ys, "A y of tf.gradients"), as_targets(xs), options, {}))
    gradients.append(give_gradient(gradient));
  return gradients;
}

nb::list hessians(nb::handle ys, nb::handle xs, nb::handle, Flag colocate, Flag gate,
                  nb::handle aggregation) {
  check_aggregation(aggregation);
  return give(tf::hessians(as_made_list(ys, "A y of tf.hessians"), as_targets(xs),
                           {.colocate_gradients_with_ops = colocate, .gate_gradients = gate}, {}));
}

tf::train::Gate as_gate(nb::handle gate) {
  if (is_one_integer(gate) && as_int(gate) >= 0 && as_int(gate) <= 2)
    return static_cast<tf::train::Gate>(as_int(gate));
  throw ValueError(fmt::format(
      "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not {}",
      nb::str(gate).c_str()));
}

tf::Tensor as_loss(nb::handle loss) {
  const bool is_function = PyCallable_Check(loss.ptr()) != 0 && !nb::isinstance<tf::Tensor>(loss);
  return as_made(is_function ? nb::object(loss()) : nb::borrow(loss), "The loss");
}

tf::Variable as_step(nb::handle global_step) {
  if (global_step.is_none()) return {};
  if (nb::isinstance<tf::Variable>(global_step)) return nb::cast<tf::Variable>(global_step);
  throw TypeError(fmt::format("global_step must be a Variable, but is {}", nb::str(global_step).c_str()));
}

/// None: what is trainable. Nobody means that by an empty list.
std::vector<tf::Variable> as_trained(nb::handle var_list) {
  std::vector<tf::Variable> variables = as_variables(var_list);
  if (!var_list.is_none() && variables.empty()) throw ValueError("No variables to optimize.");
  return variables;
}

std::vector<tf::train::GradientAndVariable> as_pairs(nb::handle grads_and_vars) {
  std::vector<tf::train::GradientAndVariable> pairs;
  for (nb::handle pair : grads_and_vars) {
    if (PyList_Check(pair.ptr()) == 0 && PyTuple_Check(pair.ptr()) == 0)
      throw TypeError(
          fmt::format("A pair of a gradient and a variable is wanted, but got {}", nb::str(pair).c_str()));
    if (nb::len(pair) != 2)
      throw ValueError(
          fmt::format("A pair of a gradient and a variable is wanted, but got {} values", nb::len(pair)));
    const nb::object gradient = nb::object(pair[0]);
    const nb::object variable = nb::object(pair[1]);
    if (!nb::isinstance<tf::Variable>(variable))
      throw TypeError(
          fmt::format("A gradient is applied to a Variable, but got {}", nb::str(variable).c_str()));
    tf::Tensor tensor;
    if (!gradient.is_none()) tensor = tf::convert_to_tensor(as_input(gradient));
    pairs.push_back({tensor, nb::cast<tf::Variable>(variable)});
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
      [](Optimizer& self, nb::handle loss, nb::handle global_step, nb::handle var_list, nb::handle gate,
         nb::handle aggregation, Flag colocate, nb::handle name, nb::handle grad_loss) {
        check_aggregation(aggregation);
        tf::train::MinimizeOptions options{.global_step = as_step(global_step),
                                           .var_list = as_trained(var_list),
                                           .gate_gradients = as_gate(gate),
                                           .colocate_gradients_with_ops = colocate,
                                           .name = as_text(name)};
        if (!grad_loss.is_none()) options.grad_loss = as_made(grad_loss, "grad_loss");
        return give(self.minimize(as_loss(loss), options, {}));
      },
      "loss"_a, kNone("global_step") = nb::none(), kNone("var_list") = nb::none(), "gate_gradients"_a = 1,
      kNone("aggregation_method") = nb::none(), "colocate_gradients_with_ops"_a = false,
      kNone("name") = nb::none(), kNone("grad_loss") = nb::none());
  c.def(
      "compute_gradients",
      [](Optimizer& self, nb::handle loss, nb::handle var_list, nb::handle gate, nb::handle aggregation,
         Flag colocate, nb::handle grad_loss) {
        check_aggregation(aggregation);
        tf::train::ComputeGradientsOptions options{.var_list = as_trained(var_list),
                                                   .gate_gradients = as_gate(gate),
                                                   .colocate_gradients_with_ops = colocate};
        if (!grad_loss.is_none()) options.grad_loss = as_made(grad_loss, "grad_loss");
        nb::list pairs;
        for (const auto& pair : self.compute_gradients(as_loss(loss), options, {})) {
          pairs.append(nb::make_tuple(give_gradient(pair.gradient), pair.variable));
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
      [](Optimizer& self, nb::handle var, nb::handle name) -> nb::object {
        if (!nb::isinstance<tf::Variable>(var) || PyUnicode_Check(name.ptr()) == 0) return nb::none();
        const tf::Variable slot = self.get_slot(nb::cast<const tf::Variable&>(var), as_text(name));
        return slot ? nb::cast(slot) : nb::none();
      },
      "var"_a, "name"_a);
  c.def("get_slot_names", [](Optimizer& self) {
    nb::list names;
    for (const std::string& name : self.get_slot_names()) names.append(nb::str(name.c_str()));
    return names;
  });
}

void bind_global_steps(nb::module_& m) {
  const auto step = [&](const char* name, tf::Variable (*make)(tf::Input::Where)) {
    m.def(
        name,
        [make](nb::handle graph) {
          const auto scope = make_default(graph_of_object(graph));
          return make({});
        },
        kNone("graph") = nb::none());
  };
  step("create_global_step", &tf::train::create_global_step);
  step("get_or_create_global_step", &tf::train::get_or_create_global_step);
  m.def(
      "assert_global_step",
      [](nb::handle step_tensor) {
        if (!nb::isinstance<tf::Tensor>(step_tensor) && !nb::isinstance<tf::Variable>(step_tensor)) {
          throw TypeError(fmt::format("Existing \"global_step\" must be a Variable or Tensor: {}.",
                                      nb::str(step_tensor).c_str()));
        }
        tf::train::assert_global_step(nb::isinstance<tf::Variable>(step_tensor)
                                          ? nb::cast<const tf::Variable&>(step_tensor).ref()
                                          : nb::cast<const tf::Tensor&>(step_tensor));
      },
      "global_step_tensor"_a);
}

}  // namespace

void bind_train(nb::module_& m) {
  m.def("gradients", &gradients, "ys"_a, "xs"_a, kNone("grad_ys") = nb::none(), "name"_a = "gradients",
        "colocate_gradients_with_ops"_a = false, "gate_gradients"_a = false,
        kNone("aggregation_method") = nb::none(), kNone("stop_gradients") = nb::none(),
        kNone("unconnected_gradients") = "none", "d sum(ys) / dx for each of xs; None where nothing flows.");
  m.def("hessians", &hessians, "ys"_a, "xs"_a, "name"_a = "hessians", "colocate_gradients_with_ops"_a = false,
        "gate_gradients"_a = false, "aggregation_method"_a = nb::none());
  bind_optimizer_class(m);
  bind_global_steps(m);
}

}  // namespace flowray::python
