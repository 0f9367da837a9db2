/// Gradients and functions of the program's own: tf.RegisterGradient, tf.custom_gradient, function.Defun.

#include "native/convert/convert.h"
#include "native/convert/kept_object.h"
#include "native/flow/called_back.h"
#include "native/graph/indexed_slices.h"

#include <flowray/tf/function.h>
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

/// The program's function: it is called while the interpreter's lock is held.
tf::GradientFunction gradient_function(nb::handle function) {
  return [held = KeptObject(function)](const tf::Operation& op, const std::vector<tf::Tensor>& grads) {
    nb::list arguments;
    arguments.append(give(op));
    for (const tf::Tensor& grad : grads) arguments.append(give_gradient(grad));
    const nb::object result = held(*nb::tuple(arguments));
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

// ---- function.Defun

using Defined = tf::function::DefinedFunction;

std::string as_name(nb::handle name) { return name.is_none() ? std::string() : as_text(name); }

/// `function` takes a list of tensors and gives a list of what converts to some.
Defined defun(nb::handle input_types, nb::handle function, nb::handle options) {
  const auto option = [&](const char* name) { return nb::object(options[name]); };
  tf::function::DefunOptions given{.func_name = as_name(option("func_name")),
                                   .out_names = as_texts(option("out_names")),
                                   .arg_names = as_texts(option("arg_names")),
                                   .base_name = as_text(option("base_name"))};
  if (const nb::object grad = option("grad_func"); !grad.is_none())
    given.grad_func = nb::cast<const Defined&>(grad);
  if (const nb::object grad = option("python_grad_func"); !grad.is_none())
    given.python_grad_func = gradient_function(grad);
  if (const nb::object shapes = option("shape_func"); !shapes.is_none()) {
    given.shape_func = [held = KeptObject(shapes)](const tf::Operation& op) {
      std::vector<tf::TensorShape> made;
      for (nb::handle shape : held(give(op))) made.push_back(as_shape(shape));
      return made;
    };
  }
  std::vector<DType> types;
  for (nb::handle type : input_types) types.push_back(as_dtype(type));
  return tf::function::Defun(types,
                             [held = KeptObject(function)](const std::vector<tf::Tensor>& args) {
                               return as_tensors(held(give(args)));
                             },
                             std::move(given), {});
}

tf::Operation call_defined(const Defined& function, nb::handle args, nb::handle name, nb::handle noinline) {
  std::vector<tf::Input> inputs;
  for (nb::handle arg : args) inputs.push_back(as_input(arg));
  tf::function::CallOptions options{.name = as_name(name)};
  if (!noinline.is_none()) options.noinline = as_bool(noinline);
  return function.call(tf::List<tf::Input>(inputs, {}), options);
}

void bind_defined_functions(nb::module_& m) {
  nb::class_<Defined>(m, "_DefinedFunction")
      .def(
          "call",
          [](const Defined& self, nb::handle args, nb::handle name, nb::handle noinline) {
            return give(call_defined(self, args, name, noinline));
          },
          nb::arg(), nb::arg().none(), nb::arg().none())
      .def_prop_ro("name", [](const Defined& self) { return self.name({}); })
      .def_prop_ro("captured_inputs", [](const Defined& self) { return give(self.captured_inputs({})); })
      .def_prop_ro("output_types", [](const Defined& self) {
        nb::list types;
        for (const DType type : self.output_types({})) types.append(dtype_object(type));
        return types;
      });
  m.def("_defun", &defun, nb::arg(), nb::arg(), nb::arg());
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
    const nb::object backward(made[1]);
    result.gradient = [backward = KeptObject(backward)](const std::vector<tf::Tensor>& gradients) {
      return as_gradients(backward(give(gradients)));
    };
    if (const nb::object with_variables = nb::object(made[2]); !with_variables.is_none()) {
      result.gradient_with_variables = [kept = KeptObject(with_variables)](
                                           const std::vector<tf::Tensor>& gradients,
                                           const std::vector<tf::Variable>& variables) {
        nb::list list;
        for (const tf::Variable& variable : variables) list.append(variable);
        return as_gradients(kept(give(gradients), list));
      };
    }
    return result;
  };
  return give(tf::custom_gradient(call, tf::List<tf::Tensor>(as_tensors(arguments), {}), {}));
}

}  // namespace

void bind_gradient_functions(nb::module_& m) {
  m.def("_register_gradient", &register_gradient, nb::arg(), nb::arg().none(), nb::arg());
  bind_defined_functions(m);
  m.def(
      "_switch_case",
      [](nb::handle branch_index, nb::handle branch_fns, nb::handle name) {
        std::vector<tf::Branch> branches;
        for (nb::handle function : branch_fns) branches.push_back(as_branch(function));
        const tf::SwitchCaseOptions options{.name = as_name(name)};
        return give(tf::switch_case(nb::cast<const tf::Tensor&>(branch_index), branches, options, {}));
      },
      nb::arg(), nb::arg(), nb::arg().none());
  m.def("_custom_gradient", &custom_gradient, "function"_a, "arguments"_a);
}

}  // namespace flowray::python
