/// Gradients, the class of optimizers, the global step.

#include "native/convert/bind.h"
#include "native/convert/kept_object.h"
#include "native/graph/indexed_slices.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/eager.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/train.h>

#include "tf/build/resource_variable.h"

#include "graph/graph.h"

#include "tf/train/update_rule.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

tf::Graph graph_of_object(nb::handle object);

FLOWRAY_FIELDS(tf::GradientsOptions, grad_ys, name, colocate_gradients_with_ops, gate_gradients,
               aggregation_method, stop_gradients, unconnected_gradients)
FLOWRAY_FIELDS(tf::HessiansOptions, colocate_gradients_with_ops, gate_gradients, aggregation_method)
FLOWRAY_FIELDS(tf::train::MinimizeOptions, global_step, var_list, gate_gradients, aggregation_method,
               colocate_gradients_with_ops, name, grad_loss)
FLOWRAY_FIELDS(tf::train::ComputeGradientsOptions, var_list, gate_gradients, aggregation_method,
               colocate_gradients_with_ops, grad_loss)
FLOWRAY_FIELDS(tf::train::ApplyGradientsOptions, global_step, name)

namespace {

/// What a graph has made: other things are refused here, though they might become constants.
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

/// A variable stands for its operation here, not for a value that is read of it.
std::vector<tf::Tensor> as_stops(nb::handle objects) {
  const auto stop = [](nb::handle object) {
    const bool is_variable = nb::isinstance<tf::Variable>(object);
    return is_variable ? nb::cast<const tf::Variable&>(object).ref()
                       : as_made(object, "A tensor of stop_gradients");
  };
  if (PyList_Check(objects.ptr()) == 0 && PyTuple_Check(objects.ptr()) == 0) return {stop(objects)};
  std::vector<tf::Tensor> stops;
  for (nb::handle object : objects) stops.push_back(stop(object));
  return stops;
}

tf::AggregationMethod as_aggregation(nb::handle method) {
  if (method.is_none()) return tf::AggregationMethod::DEFAULT;
  if (is_one_integer(method) && as_int(method) >= 0 && as_int(method) <= 2)
    return static_cast<tf::AggregationMethod>(as_int(method));
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

std::vector<tf::OptionalInput> as_starts(nb::handle grad_ys) {
  if (PyList_Check(grad_ys.ptr()) == 0 && PyTuple_Check(grad_ys.ptr()) == 0) return {as_input(grad_ys)};
  std::vector<tf::OptionalInput> starts;
  for (nb::handle item : grad_ys) starts.push_back(as_optional_input(item));
  return starts;
}

/// A word, or a member of tf.UnconnectedGradients.
std::string as_unconnected(nb::handle unconnected) {
  const nb::object word =
      nb::hasattr(unconnected, "value") ? nb::object(unconnected.attr("value")) : nb::borrow(unconnected);
  return nb::str(word).c_str();
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

/// While operations run at once the loss is a function, which runs under a tape.
std::function<tf::Tensor()> as_loss_function(nb::handle loss) {
  if (PyCallable_Check(loss.ptr()) == 0 || nb::isinstance<tf::Tensor>(loss)) {
    throw RuntimeError(
        "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.");
  }
  return [function = KeptObject(loss)] { return as_made(nb::object(function()), "The loss"); };
}

/// What an optimizer did to variables at once is not an operation.
nb::object give_update(const tf::Operation& operation) {
  return operation.node()->is_value() ? nb::none() : give(operation);
}

tf::Variable as_step(nb::handle global_step) {
  if (nb::isinstance<tf::Variable>(global_step)) return nb::cast<tf::Variable>(global_step);
  throw TypeError(fmt::format("global_step must be a Variable, but is {}", nb::str(global_step).c_str()));
}

/// None: what is trainable. An empty list is an error, not that.
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

}  // namespace

template <>
inline constexpr auto kFrom<std::vector<tf::GradientTarget>> = &as_targets;
template <>
inline constexpr auto kFrom<std::vector<tf::OptionalInput>> = &as_starts;
template <>
inline constexpr auto kFrom<tf::train::Gate> = &as_gate;
template <>
inline constexpr auto kFrom<tf::AggregationMethod> = &as_aggregation;
template <>
inline constexpr auto kFrom<std::vector<tf::train::GradientAndVariable>> = &as_pairs;

namespace {

/// What a graph has made; `what` errors call it.
Argument made(const Argument& argument, const char* what) {
  return converted(argument, [what](nb::handle object) { return as_made(object, what); });
}
Argument made_list(const Argument& argument, const char* what) {
  return converted(argument, [what](nb::handle objects) { return as_made_list(objects, what); });
}
Argument aggregation() { return {"aggregation_method", nb::none()}; }

void bind_gradients(nb::module_& m) {
  using Tensors = std::vector<tf::Tensor>;
  using Targets = std::vector<tf::GradientTarget>;
  bind(
      m, "gradients",
      [](const Tensors& ys, const Targets& xs, const tf::GradientsOptions& options, tf::Input::Where where) {
        nb::list gradients;
        for (const tf::Tensor& gradient : tf::gradients(ys, xs, options, where))
          gradients.append(give_gradient(gradient));
        return gradients;
      },
      {made_list("ys", "A y of tf.gradients"), "xs", "grad_ys", "name", "colocate_gradients_with_ops",
       "gate_gradients", aggregation(), converted("stop_gradients", &as_stops),
       converted("unconnected_gradients", &as_unconnected)},
      docstring_of("gradients"));
  bind(
      m, "hessians",
      [](const Tensors& ys, const Targets& xs, const tf::HessiansOptions& options, tf::Input::Where where) {
        return tf::hessians(ys, xs, options, where);
      },
      {made_list("ys", "A y of tf.hessians"), "xs", ignored("name", "hessians"),
       "colocate_gradients_with_ops", "gate_gradients", aggregation()},
      docstring_of("hessians"));
}

/// What only subclasses may call: slots are made when a checkpoint has values for them.
class SlotsOfOptimizer : public tf::train::Optimizer {
 public:
  static constexpr void (tf::train::Optimizer::*kCreate)(const std::vector<tf::Variable>&) =
      &SlotsOfOptimizer::create_slots;
};

void bind_optimizer_class(nb::module_& m) {
  using tf::Input;
  using tf::train::Optimizer;
  nb::class_<Optimizer> c(m, "Optimizer", nb::dynamic_attr(), docstring_of("train.Optimizer"));
  c.attr("GATE_NONE") = 0;
  c.attr("GATE_OP") = 1;
  c.attr("GATE_GRAPH") = 2;
  const Argument global_step = converted("global_step", &as_step);
  const Argument var_list = converted("var_list", &as_trained);
  const Argument grad_loss = made("grad_loss", "grad_loss");
  bind_method(
      c, "minimize",
      [](Optimizer& self, nb::handle of, const tf::train::MinimizeOptions& options, Input::Where where) {
        return give_update(tf::executing_eagerly() ? self.minimize(as_loss_function(of), options, where)
                                                   : self.minimize(as_loss(of), options, where));
      },
      {"loss", global_step, var_list, "gate_gradients", aggregation(), "colocate_gradients_with_ops", "name",
       grad_loss});
  bind_method(c, "compute_gradients",
              [](Optimizer& self, nb::handle of, const tf::train::ComputeGradientsOptions& options,
                 Input::Where where) {
                nb::list pairs;
                const auto found = tf::executing_eagerly()
                                       ? self.compute_gradients(as_loss_function(of), options, where)
                                       : self.compute_gradients(as_loss(of), options, where);
                for (const auto& pair : found)
                  pairs.append(nb::make_tuple(give_gradient(pair.gradient), pair.variable));
                return pairs;
              },
              {"loss", var_list, "gate_gradients", aggregation(), "colocate_gradients_with_ops", grad_loss});
  bind_method(c, "apply_gradients",
              [](Optimizer& self, const std::vector<tf::train::GradientAndVariable>& pairs,
                 const tf::train::ApplyGradientsOptions& options,
                 Input::Where where) { return give_update(self.apply_gradients(pairs, options, where)); },
              {"grads_and_vars", global_step, "name"});
  bind_method(c, "get_slot",
              [](Optimizer& self, nb::handle var, nb::handle name) -> nb::object {
                if (!nb::isinstance<tf::Variable>(var) || PyUnicode_Check(name.ptr()) == 0) return nb::none();
                const tf::Variable slot = self.get_slot(nb::cast<const tf::Variable&>(var), as_text(name));
                return slot.has_value() ? nb::cast(slot) : nb::none();
              },
              {"var", "name"});
  bind_method(c, "get_slot_names", &Optimizer::get_slot_names);
  c.def("_own_variables", [](const Optimizer& self) {
    nb::dict named;
    for (const auto& [name, variable] : tf::train::UpdateRule::own_variables_of(self))
      named[name.c_str()] = variable;
    return named;
  });
  c.def("_create_slots", [](Optimizer& self, nb::handle variables) {
    (self.*SlotsOfOptimizer::kCreate)(as_variables(variables));
  });
}

tf::Tensor as_existing_step(nb::handle step) {
  if (nb::isinstance<tf::Variable>(step)) return tf::graph_element(nb::cast<const tf::Variable&>(step));
  if (nb::isinstance<tf::Tensor>(step)) return nb::cast<const tf::Tensor&>(step);
  throw TypeError(
      fmt::format("Existing \"global_step\" must be a Variable or Tensor: {}.", nb::str(step).c_str()));
}

void bind_global_steps(nb::module_& m) {
  const auto step = [&](const char* name, tf::Variable (*make)(tf::Input::Where)) {
    bind(m, name,
         [make](nb::handle graph, tf::Input::Where where) {
           const auto scope = make_default(graph_of_object(graph));
           return make(where);
         },
         {{"graph", nb::none()}});
  };
  step("create_global_step", &tf::train::create_global_step);
  step("get_or_create_global_step", &tf::train::get_or_create_global_step);
  bind(m, "assert_global_step", &tf::train::assert_global_step,
       {converted("global_step_tensor", &as_existing_step)});
}

}  // namespace

void bind_train(nb::module_& m) {
  bind_gradients(m);
  bind_optimizer_class(m);
  bind_global_steps(m);
}

}  // namespace flowray::python
