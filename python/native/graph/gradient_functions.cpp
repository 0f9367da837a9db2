/// Gradients of the program's own: tf.RegisterGradient, tf.custom_gradient.

#include "native/convert/convert.h"
#include "native/graph/indexed_slices.h"

#include <flowray/tf/eager.h>
#include <flowray/tf/gradients.h>

#include "ops/all_ops.h"
#include "tf/gradients/registered_gradients.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <memory>

namespace flowray::python {
namespace {

/// What a gradient function gave for an input that is output `index` of what makes it.
tf::Tensor as_gradient(nb::handle gradient, int index) {
  if (gradient.is_none()) return {};
  if (nb::isinstance<tf::Tensor>(gradient)) return nb::cast<const tf::Tensor&>(gradient);
  if (nb::isinstance<PythonSlices>(gradient)) return dense_of(nb::cast<const PythonSlices&>(gradient));
  throw TypeError(
      fmt::format("Invalid gradient [{}] [index = {}]. Gradients have to be either all Tensors or all "
                  "IndexedSlices",
                  nb::repr(gradient).c_str(), index));
}

/// The program's function, which lives as long as the registry: it is called, and never let go of, while the
/// interpreter's lock is held.
tf::GradientFunction gradient_function(nb::handle function) {
  const auto held = std::make_shared<nb::object>(nb::borrow(function));
  return [held](const tf::Operation& op, const std::vector<tf::Tensor>& grads) {
    nb::list arguments;
    arguments.append(give(op));
    for (const tf::Tensor& grad : grads) arguments.append(give_gradient(grad));
    const nb::object result = (*held)(*nb::tuple(arguments));
    nb::list given;
    if (PyList_Check(result.ptr()) != 0 || PyTuple_Check(result.ptr()) != 0) {
      for (nb::handle item : result) given.append(item);
    } else {
      given.append(result);
    }
    const std::vector<tf::Tensor> inputs = op.inputs();
    std::vector<tf::Tensor> gradients;
    for (size_t i = 0; i < given.size(); ++i) {
      // One too many is told by its number.
      const bool has_input = given.size() == inputs.size();
      gradients.push_back(has_input ? as_gradient(given[i], inputs[i].value_index()) : tf::Tensor());
    }
    return gradients;
  };
}

void register_gradient(const std::string& op_type, nb::handle function, const std::string& place) {
  tf::register_gradient(ops::op_table(), op_type,
                        {function.is_none() ? nullptr : gradient_function(function), place});
}

std::vector<tf::Tensor> as_gradients(nb::handle list) {
  std::vector<tf::Tensor> gradients;
  for (nb::handle item : list) gradients.push_back(as_gradient(item, static_cast<int>(gradients.size())));
  return gradients;
}

/// `function` gives a list of values, a function of a list of gradients, and one that takes a list of
/// variables, too, or None.
nb::list custom_gradient(nb::handle function, nb::handle arguments) {
  const nb::object held = nb::borrow(function);
  const auto call = [&](const std::vector<tf::Tensor>& given) {
    const nb::object made = held(give(given));
    tf::ValuesAndGradient result{.values = as_tensors(nb::object(made[0]))};
    // Called, and let go of, while the interpreter's lock is held: by gradient() and by the last tensor.
    const auto backward = std::make_shared<nb::object>(nb::object(made[1]));
    result.gradient = [backward](const std::vector<tf::Tensor>& gradients) {
      return as_gradients((*backward)(give(gradients)));
    };
    if (const nb::object with_variables = nb::object(made[2]); !with_variables.is_none()) {
      const auto kept = std::make_shared<nb::object>(with_variables);
      result.gradient_with_variables = [kept](const std::vector<tf::Tensor>& gradients,
                                              const std::vector<tf::Variable>& variables) {
        nb::list list;
        for (const tf::Variable& variable : variables) list.append(variable);
        return as_gradients((*kept)(give(gradients), list));
      };
    }
    return result;
  };
  return give(tf::custom_gradient(call, tf::List<tf::Tensor>(as_tensors(arguments), {}), {}));
}

}  // namespace

void bind_gradient_functions(nb::module_& m) {
  m.def("_register_gradient", &register_gradient, nb::arg(), nb::arg().none(), nb::arg());
  m.def("_custom_gradient", &custom_gradient, "function"_a, "arguments"_a);
}

}  // namespace flowray::python
