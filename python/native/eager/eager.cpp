/// Eager execution: its switches and tf.GradientTape. Structures of tensors are Python's
/// matter (flowray/tf/_eager.py).

#include "native/convert/bind.h"
#include "native/convert/released_lock.h"
#include "native/graph/indexed_slices.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/eager.h>

#include "tf/eager/eager_runner.h"
#include "tf/eager/traced_function.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace flowray::python {

tf::Graph graph_of_object(nb::handle object);

namespace {

/// A source or target of a tape: a Tensor or a Variable.
tf::GradientTarget as_source(nb::handle object) {
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object);
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  throw ValueError(std::string("Passed in object ") + nb::str(object).c_str() + " of type '" +
                   type_word(object) + "', not tf.Tensor or tf.Variable or ExtensionType.");
}

std::vector<tf::OptionalInput> as_output_gradients(nb::handle list) {
  std::vector<tf::OptionalInput> gradients;
  if (list.is_none()) return gradients;
  for (nb::handle item : list) gradients.push_back(as_optional_input(item));
  return gradients;
}

nb::list gradients_of(tf::GradientTape& tape, nb::handle targets, nb::handle sources,
                      nb::handle output_gradients, const std::string& unconnected) {
  std::vector<tf::Tensor> ys;
  std::vector<tf::GradientTarget> xs;
  for (nb::handle target : targets) {
    const bool is_variable = nb::isinstance<tf::Variable>(target);
    ys.push_back(is_variable ? nb::cast<const tf::Variable&>(target).value() : as_source(target).tensor());
  }
  for (nb::handle source : sources) xs.push_back(as_source(source));
  nb::list gradients;
  for (const tf::Tensor& gradient : tape.gradient(
           tf::List<tf::Tensor>(ys, {}), tf::List<tf::GradientTarget>(xs, {}),
           {.output_gradients = as_output_gradients(output_gradients), .unconnected_gradients = unconnected},
           {}))
    gradients.append(give_gradient(gradient));
  return gradients;
}

}  // namespace

void bind_eager(nb::module_& m) {
  tf::eagerly::set_unlocked([](const std::function<void()>& body) {
    // PyGILState_Check() is not in the stable ABI.
    const bool has_lock = PyGILState_GetThisThreadState() != nullptr && !lock_is_released();
    if (!has_lock) return body();
    without_lock([&] { body(); });
  });
  m.def("_enable_eager_execution", &tf::enable_eager_execution);
  m.def("_disable_eager_execution", &tf::disable_eager_execution);
  m.def("executing_eagerly", &tf::executing_eagerly, "Whether operations of this thread run at once.");
  m.def("_eager_scope", [] { return scope_of([] { return tf::eager(); }); });
  using Traced = tf::eagerly::TracedFunction;
  nb::class_<Traced>(m, "_TracedFunction").def("call", [](Traced& self, nb::handle arguments) {
    const std::vector<tf::Tensor> tensors = as_tensors(arguments);
    return give(self.call(tensors));
  });
  m.def("_graph_to_trace", [](bool is_first) { return give(tf::eagerly::graph_to_trace(is_first)); });
  m.def("_traced_function", [](nb::handle graph, nb::handle inputs, nb::handle outputs) {
    return std::make_shared<Traced>(graph_of_object(graph), as_tensors(inputs), as_tensors(outputs));
  });
  nb::class_<tf::GradientTape>(m, "_Tape")
      .def(
          "__init__",
          [](tf::GradientTape* self, bool persistent, bool watch_accessed_variables) {
            new (self) tf::GradientTape(
                {.persistent = persistent, .watch_accessed_variables = watch_accessed_variables});
          },
          nb::arg(), nb::arg())
      .def(
          "watch",
          [](tf::GradientTape& self, nb::handle source) {
            if (nb::isinstance<tf::Variable>(source)) {
              self.watch(nb::cast<const tf::Variable&>(source), {});
            } else {
              self.watch(as_source(source).tensor(), {});
            }
          },
          nb::arg().none())
      .def("watched_variables",
           [](const tf::GradientTape& self) {
             nb::list variables;
             for (const tf::Variable& variable : self.watched_variables()) variables.append(variable);
             return nb::tuple(variables);
           })
      .def("gradient", &gradients_of, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def(
          "jacobian",
          [](tf::GradientTape& self, nb::handle target, nb::handle source) {
            return give(self.jacobian(as_source(target).tensor(), as_source(source), {}));
          },
          nb::arg(), nb::arg())
      .def("start", &tf::GradientTape::start)
      .def("stop", &tf::GradientTape::stop)
      .def_prop_ro("is_recording", &tf::GradientTape::is_recording)
      .def("reset", &tf::GradientTape::reset);
}

}  // namespace flowray::python
