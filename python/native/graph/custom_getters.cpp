/// Custom getters of variable scopes, which stand between get_variable and the variables.

#include "native/graph/custom_getters.h"

#include "native/graph/partitioned_variables.h"
#include "native/graph/variable_arguments.h"

#include "tf/variables/custom_getter.h"

#include <nanobind/stl/string.h>

#include <utility>

namespace flowray::python {
namespace {

/// What a custom getter is given to make the variable with.
struct VariableMaker {
  tf::VariableGetterFunction make;
};

nb::object made_by(const VariableMaker& self, nb::handle name, nb::handle shape, nb::handle dtype,
                   nb::handle initializer, nb::handle regularizer, nb::handle reuse, nb::handle trainable,
                   nb::handle collections, nb::handle caching_device, nb::handle partitioner,
                   bool validate_shape, nb::handle use_resource, nb::handle constraint,
                   nb::handle synchronization, nb::handle aggregation) {
  tf::GetVariableCall call;
  call.name = as_text(name);
  if (!shape.is_none()) call.shape = as_shape(shape);
  call.options.dtype = as_dtype(dtype);
  call.options.initializer = as_initializer(initializer);
  call.options.regularizer = as_regularizer(regularizer);
  if (!trainable.is_none()) call.options.trainable = as_bool(trainable);
  call.options.collections = as_texts(collections);
  call.options.caching_device = as_caching_device(caching_device);
  call.options.partitioner = as_partitioner(partitioner);
  call.options.validate_shape = validate_shape;
  if (!use_resource.is_none()) call.options.use_resource = as_bool(use_resource);
  call.options.constraint = as_constraint(constraint);
  call.options.synchronization = as_synchronization(synchronization);
  call.options.aggregation = as_aggregation(aggregation);
  const bool is_auto = PyUnicode_Check(reuse.ptr()) != 0;
  call.reuse = is_auto ? tf::AUTO_REUSE : tf::Reuse(!reuse.is_none() && as_bool(reuse));
  return give_variable(self.make(call));
}

nb::object reuse_object(const tf::Reuse& reuse) {
  if (reuse.mode() == tf::Reuse::Mode::kAuto) return nb::str("auto_reuse");
  return nb::bool_(reuse.mode() == tf::Reuse::Mode::kYes);
}

/// Calls Python's function with what get_variable was asked for.
tf::Variable ask_custom_getter(nb::handle function, const tf::VariableGetterFunction& make,
                               const tf::GetVariableCall& call) {
  nb::object regularizer = nb::none();
  if (call.options.regularizer.has_value()) {
    regularizer = nb::cpp_function([own = call.options.regularizer](nb::handle variable) {
      return give(own(nb::cast<const tf::Variable&>(variable)));
    });
  }
  nb::list collections;
  for (const std::string& name : call.options.collections) collections.append(name);
  // As TensorFlow's getters, which are told what it will be where the program does not say.
  const bool trainable =
      call.options.trainable.value_or(call.options.synchronization != tf::VariableSynchronization::ON_READ);
  nb::object given = python_object("flowray.tf._variable_scopes", "ask")(
      function, nb::cast(VariableMaker{make}), call.name, call.shape ? shape_object(*call.shape) : nb::none(),
      call.options.dtype == DType::kInvalid ? nb::none() : dtype_object(call.options.dtype),
      call.options.initializer.has_value() ? nb::cast(call.options.initializer) : nb::none(), regularizer,
      reuse_object(call.reuse), nb::bool_(trainable),
      call.options.collections.empty() ? nb::none() : nb::object(collections),
      caching_device_object(call.options.caching_device), partitioner_object(call.options.partitioner),
      call.options.validate_shape,
      call.options.use_resource ? nb::object(nb::bool_(*call.options.use_resource)) : nb::none(),
      constraint_object(call.options.constraint), synchronization_object(call.options.synchronization),
      aggregation_object(call.options.aggregation));
  if (nb::isinstance<PythonParts>(given)) return nb::cast<const PythonParts&>(given).whole;
  if (!nb::isinstance<tf::Variable>(given)) throw NoVariable(std::move(given));
  return nb::cast<tf::Variable>(given);
}

/// This thread's from now on; None: none. A thread that ends has no lock to give the function back with, so
/// it is kept by a plain pointer.
void set_custom_getter(nb::handle function) {
  thread_local PyObject* held = nullptr;
  PyObject* const before = std::exchange(held, function.is_none() ? nullptr : Py_NewRef(function.ptr()));
  if (held == nullptr) {
    tf::internal::custom_getter_here() = {};
  } else {
    tf::internal::custom_getter_here() = [](const tf::VariableGetterFunction& make,
                                            const tf::GetVariableCall& call) {
      return ask_custom_getter(held, make, call);
    };
  }
  Py_XDECREF(before);
}

}  // namespace

void bind_custom_getters(nb::module_& m) {
  nb::class_<VariableMaker>(m, "_VariableMaker")
      .def("__call__", &made_by, "name"_a, "shape"_a, "dtype"_a, "initializer"_a, "regularizer"_a, "reuse"_a,
           "trainable"_a, "collections"_a, "caching_device"_a, "partitioner"_a, "validate_shape"_a,
           "use_resource"_a, "constraint"_a, "synchronization"_a, "aggregation"_a);
  m.def("_set_custom_getter", &set_custom_getter, nb::arg("function").none());
}

}  // namespace flowray::python
