/// TensorFlowVariables: the glue's.

#include <flowray/glue.h>

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"

namespace flowray::python {

tf::Session* session_of_object(nb::handle object);

namespace {

using ray::experimental::NetworkOutputs;
using ray::experimental::TensorFlowVariables;

tf::Session* session_or_null(nb::handle session) {
  return session.is_none() ? nullptr : session_of_object(session);
}

void add_output(nb::handle output, std::vector<tf::Operation>& ends) {
  if (output.is_none()) return;
  if (nb::isinstance<tf::Tensor>(output)) {
    ends.push_back(nb::cast<const tf::Tensor&>(output).op());
  } else if (nb::isinstance<tf::Operation>(output)) {
    ends.push_back(nb::cast<const tf::Operation&>(output));
  } else if (nb::isinstance<tf::Variable>(output)) {
    ends.push_back(nb::cast<const tf::Variable&>(output).op());
  } else if (nb::hasattr(output, "op")) {
    add_output(nb::object(output.attr("op")), ends);
  } else {
    throw TypeError("TensorFlowVariables: output is " + std::string(nb::repr(output).c_str()) +
                    "; it must be a Tensor, an Operation or a Variable, or a list of them");
  }
}

NetworkOutputs outputs_of(nb::handle output) {
  std::vector<tf::Operation> ends;
  if (PyList_Check(output.ptr()) != 0 || PyTuple_Check(output.ptr()) != 0) {
    for (nb::handle one : output) add_output(one, ends);
  } else {
    add_output(output, ends);
  }
  return NetworkOutputs(ends);
}

void make_variables(TensorFlowVariables* self, nb::handle output, nb::handle session,
                    nb::handle input_variables) {
  std::vector<tf::Variable> more;
  if (!input_variables.is_none()) {
    for (nb::handle variable : input_variables) more.push_back(nb::cast<const tf::Variable&>(variable));
  }
  new (self) TensorFlowVariables(outputs_of(output), session_or_null(session), more);
}

template <class T>
nb::dict dict_of(const ray::experimental::InOrder<T>& items) {
  nb::dict dict;
  for (const auto& [name, item] : items) dict[nb::str(name.data(), name.size())] = nb::cast(item);
  return dict;
}

nb::dict get_weights(const TensorFlowVariables& self) {
  Weights weights = without_lock([&] { return self.get_weights(); });
  nb::dict dict;
  for (const auto& [name, variable] : self.variables)  // in their order
    dict[nb::str(name.data(), name.size())] = give_array(std::move(weights.at(name)));
  return dict;
}

void set_weights(TensorFlowVariables& self, nb::handle new_weights) {
  Weights weights;
  const nb::object items = nb::borrow(new_weights).attr("items")();
  for (nb::handle item : items) {
    const std::string name = as_text(nb::object(item[0]));
    const tf::Variable* const variable = self.variables.find(name);
    if (variable == nullptr) continue;
    weights.insert_or_assign(name, as_array(nb::object(item[1]), base_dtype(variable->dtype())));
  }
  without_lock([&] { self.set_weights(weights); });
}

}  // namespace

void bind_tensorflow_variables(nb::module_& m) {
  nb::class_<TensorFlowVariables>(m, "TensorFlowVariables")
      .def("__init__", &make_variables, "output"_a, "session"_a, "input_variables"_a)
      .def(
          "set_session",
          [](TensorFlowVariables& self, nb::handle session) { self.set_session(session_or_null(session)); },
          "session"_a)
      .def("variables", [](const TensorFlowVariables& self) { return dict_of(self.variables); })
      .def("placeholders", [](const TensorFlowVariables& self) { return dict_of(self.placeholders); })
      .def("assignment_nodes", [](const TensorFlowVariables& self) { return dict_of(self.assignment_nodes); })
      .def("get_flat_size", &TensorFlowVariables::get_flat_size)
      .def("get_flat",
           [](const TensorFlowVariables& self) {
             return give_array(without_lock([&] { return self.get_flat(); }));
           })
      .def(
          "set_flat",
          [](TensorFlowVariables& self, nb::handle new_weights) {
            const Array flat = as_array(new_weights);
            without_lock([&] { self.set_flat(flat); });
          },
          "new_weights"_a)
      .def("get_weights", &get_weights)
      .def("set_weights", &set_weights, "new_weights"_a);
}

}  // namespace flowray::python
