/// Variables that a partitioner has cut into parts, the partitioners, and what a part knows of the whole.

#include "native/graph/partitioned_variables.h"
#include "native/convert/kept_object.h"

#include "native/layers/layer_arguments.h"

#include <flowray/tf/array.h>
#include <flowray/tf/checkpoint_utils.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/collections.h"
#include "tf/train/saver_nodes.h"
#include "tf/variables/custom_getter.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace flowray::python {

FLOWRAY_FIELDS(tf::FixedSizePartitionerOptions, axis)
FLOWRAY_FIELDS(tf::VariableAxisSizePartitionerOptions, axis, bytes_per_string_element, max_shards)
FLOWRAY_FIELDS(tf::MinMaxVariablePartitionerOptions, max_partitions, axis, min_slice_size,
               bytes_per_string_element)
FLOWRAY_FIELDS(tf::PartitionedVariablesOptions, dtype, trainable, collections, name, reuse)

namespace {

/// A partitioner of the language's as Python holds it.
struct PythonPartitioner {
  tf::Partitioner function;
};

nb::list list_of(const std::vector<int64_t>& numbers) {
  nb::list list;
  for (const int64_t number : numbers) list.append(number);
  return list;
}

nb::list parts_of(const PythonParts& self) {
  nb::list parts;
  for (const tf::Variable& part : self.whole.parts()) parts.append(part);
  return parts;
}

/// What Python's list, tensor or variable gives to each part.
nb::list updated_parts(const PythonParts& self, const char* method, nb::handle value, const nb::dict& named) {
  const std::vector<tf::Variable> parts = self.whole.parts();
  nb::list values;
  if (nb::isinstance<PythonParts>(value)) {
    for (const tf::Variable& part : nb::cast<const PythonParts&>(value).whole.parts()) values.append(part);
  } else if (PyList_Check(value.ptr()) != 0) {
    values = nb::borrow<nb::list>(value);
  } else {
    const std::vector<int64_t> partitions = self.whole.partitions();
    int axis = 0;
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (partitions[i] > 1) axis = static_cast<int>(i);
    }
    std::vector<int32_t> sizes;
    for (const tf::Variable& part : parts) sizes.push_back(static_cast<int32_t>(part.shape().dim(axis)));
    values = give(tf::split(as_input(value), Array(sizes), {.axis = axis}));
  }
  if (values.size() != parts.size()) {
    throw AssertionError(
        fmt::format("{} values for the {} parts of {}", values.size(), parts.size(), self.whole.name()));
  }
  nb::list updated;
  for (size_t i = 0; i < parts.size(); ++i)
    updated.append(nb::cast(parts[i]).attr(method)(values[i], **named));
  return updated;
}

void bind_class(nb::module_& m) {
  nb::class_<PythonParts> c(m, "PartitionedVariable", nb::dynamic_attr(),
                            "A variable that a partitioner has cut into parts, which are variables.");
  c.def_prop_ro("name", [](const PythonParts& self) { return self.whole.name(); })
      .def_prop_ro("dtype", [](const PythonParts& self) { return dtype_object(self.whole.dtype()); })
      .def_prop_ro("shape", [](const PythonParts& self) { return shape_object(self.whole.shape()); })
      .def("get_shape", [](const PythonParts& self) { return shape_object(self.whole.shape()); })
      .def("as_tensor", [](const PythonParts& self) { return give(self.whole.value()); })
      .def("_get_variable_list", &parts_of)
      .def("_get_partitions", [](const PythonParts& self) { return list_of(self.whole.partitions()); })
      .def("__iter__", [](const PythonParts& self) { return nb::iter(parts_of(self)); })
      .def("__len__", [](const PythonParts& self) { return self.whole.parts().size(); })
      .def(
          "__eq__",
          [](const PythonParts& self, nb::handle other) {
            return nb::isinstance<PythonParts>(other) &&
                   nb::cast<const PythonParts&>(other).whole == self.whole;
          },
          nb::arg().none())
      .def("__hash__", [](const PythonParts& self) {
        return static_cast<Py_ssize_t>(std::hash<const void*>()(self.whole.state().get()) / 16);
      });
  for (const char* const method : {"assign", "assign_add", "assign_sub"}) {
    c.def(
        method,
        [method](const PythonParts& self, nb::handle value, nb::handle use_locking, nb::handle name,
                 nb::handle read_value) {
          nb::dict named;
          named["use_locking"] = use_locking;
          named["name"] = name;
          named["read_value"] = read_value;
          return updated_parts(self, method, value, named);
        },
        "value"_a, "use_locking"_a = false, nb::arg("name").none() = nb::none(), "read_value"_a = true,
        "The same of each part: gives a list.");
  }
}

void bind_partitioners(nb::module_& m) {
  nb::class_<PythonPartitioner>(m, "Partitioner", "Says into how many parts a variable is cut.")
      .def(
          "__call__",
          [](const PythonPartitioner& self, nb::handle shape, nb::handle dtype) {
            return list_of(self.function(as_shape(shape), as_dtype(dtype)));
          },
          "shape"_a, nb::arg("dtype").none() = nb::none());
  const auto made = [](tf::Partitioner function) { return PythonPartitioner{std::move(function)}; };
  bind(
      m, "fixed_size_partitioner",
      [made](int64_t num_shards, const tf::FixedSizePartitionerOptions& options) {
        return nb::cast(made(tf::fixed_size_partitioner(num_shards, options)));
      },
      {"num_shards", "axis"}, docstring_of("fixed_size_partitioner"));
  bind(
      m, "variable_axis_size_partitioner",
      [made](int64_t max_shard_bytes, const tf::VariableAxisSizePartitionerOptions& options) {
        return nb::cast(made(tf::variable_axis_size_partitioner(max_shard_bytes, options)));
      },
      {"max_shard_bytes", "axis", "bytes_per_string_element", "max_shards"},
      docstring_of("variable_axis_size_partitioner"));
  bind(
      m, "min_max_variable_partitioner",
      [made](const tf::MinMaxVariablePartitionerOptions& options) {
        return nb::cast(made(tf::min_max_variable_partitioner(options)));
      },
      {"max_partitions", "axis", "min_slice_size", "bytes_per_string_element"},
      docstring_of("min_max_variable_partitioner"));
}

std::vector<tf::Variable> variables_of_target(nb::handle target) {
  if (nb::isinstance<PythonParts>(target)) return nb::cast<const PythonParts&>(target).whole.parts();
  if (nb::isinstance<tf::Variable>(target)) return {nb::cast<const tf::Variable&>(target)};
  std::vector<tf::Variable> variables;
  for (nb::handle item : target) {
    if (!nb::isinstance<tf::Variable>(item))
      throw TypeError(fmt::format("A variable, a list of parts, or a name is wanted, but got {}",
                                  nb::repr(target).c_str()));
    variables.push_back(nb::cast<const tf::Variable&>(item));
  }
  return variables;
}

void init_from_checkpoint(nb::handle path, nb::handle assignment_map) {
  const bool is_dict = PyDict_Check(assignment_map.ptr()) != 0;
  const nb::object items = is_dict ? nb::object(assignment_map.attr("items")()) : nb::borrow(assignment_map);
  tf::train::AssignmentMap map;
  for (nb::handle item : items) {
    const nb::object target = item[1];
    const std::string name = as_text(nb::object(item[0]));
    if (PyUnicode_Check(target.ptr()) != 0) {
      map.emplace_back(name, tf::train::AssignmentTarget(as_text(target)));
    } else {
      map.emplace_back(name, tf::train::AssignmentTarget(variables_of_target(target)));
    }
  }
  tf::train::init_from_checkpoint(as_text(path), map, {});
}

/// Another first value of a variable, which its initializer assigns.
void set_initial_value(const tf::Variable& variable, nb::handle value) {
  const auto& given = nb::cast<const tf::Tensor&>(value);
  tf::internal::VariableState& state = *variable.state();
  state.initializer = tf::train::assign_restored(variable, given, /*reshape=*/false).node();
  state.initial_value = given.node()->output(given.value_index());
}

/// A member of one of Python's enums by its number.
nb::object member(const char* type, int number) {
  return python_object("flowray.tf._switches", type)(number);
}

int number_of(nb::handle object, const char* type, const char* what) {
  if (object.is_none()) return 0;
  if (PyObject_IsInstance(object.ptr(), python_object("flowray.tf._switches", type).ptr()) == 1)
    return static_cast<int>(as_int(nb::object(object.attr("value"))));
  throw ValueError(fmt::format("Invalid variable {} mode: {}", what, nb::repr(object).c_str()));
}

}  // namespace

nb::object give_variable(const tf::Variable& variable) {
  if (variable.has_value() && variable.is_partitioned()) return nb::cast(PythonParts{variable});
  return nb::cast(variable);
}

tf::Partitioner as_partitioner(nb::handle object) {
  if (object.is_none()) return nullptr;
  if (nb::isinstance<PythonPartitioner>(object)) return nb::cast<const PythonPartitioner&>(object).function;
  if (PyCallable_Check(object.ptr()) == 0)
    throw ValueError(fmt::format("Partitioner must be callable, but received: {}", nb::str(object).c_str()));
  return [held = KeptObject(object)](const tf::TensorShape& shape, DType dtype) {
    const nb::object slicing = held("shape"_a = shape_object(shape), "dtype"_a = dtype_object(dtype));
    if (PySequence_Check(slicing.ptr()) == 0)
      throw ValueError(
          fmt::format("Partitioner must return a sequence, but saw: {}", nb::str(slicing).c_str()));
    return as_ints(slicing);
  };
}

nb::object partitioner_object(const tf::Partitioner& partitioner) {
  return partitioner == nullptr ? nb::none() : nb::cast(PythonPartitioner{partitioner});
}

tf::VariableSynchronization as_synchronization(nb::handle object) {
  return static_cast<tf::VariableSynchronization>(
      number_of(object, "VariableSynchronization", "synchronization"));
}
tf::VariableAggregation as_aggregation(nb::handle object) {
  return static_cast<tf::VariableAggregation>(number_of(object, "VariableAggregation", "aggregation"));
}
nb::object synchronization_object(tf::VariableSynchronization synchronization) {
  return member("VariableSynchronization", static_cast<int>(synchronization));
}
nb::object aggregation_object(tf::VariableAggregation aggregation) {
  return member("VariableAggregation", static_cast<int>(aggregation));
}

nb::object slice_info_of(const tf::Variable& variable) {
  const auto& slice = variable.state()->slice;
  if (!slice.has_value()) return nb::none();
  return python_object("flowray.tf._variable_scopes", "SaveSliceInfo")(
      slice->full_name, list_of(slice->full_shape), list_of(slice->offset), list_of(slice->shape));
}

void set_slice_info(const tf::Variable& variable, nb::handle info) {
  if (info.is_none()) {
    variable.state()->slice.reset();
    return;
  }
  variable.state()->slice =
      tf::internal::SaveSlice{.full_name = as_text(nb::object(info.attr("full_name"))),
                              .full_shape = as_ints(nb::object(info.attr("full_shape"))),
                              .offset = as_ints(nb::object(info.attr("var_offset"))),
                              .shape = as_ints(nb::object(info.attr("var_shape")))};
}

nb::object partition_info() {
  const tf::internal::SaveSlice* const part = tf::internal::part_being_made();
  if (part == nullptr) return nb::none();
  return python_object("flowray.tf._variable_scopes", "PartitionInfo")(list_of(part->full_shape),
                                                                       list_of(part->offset));
}

PartBeingMade::PartBeingMade(const tf::TensorShape& shape, nb::handle partition_info)
    : before_(tf::internal::part_being_made()) {
  if (partition_info.is_none()) {
    tf::internal::part_being_made() = nullptr;
    return;
  }
  slice_ = {.full_shape = as_ints(nb::object(partition_info.attr("full_shape"))),
            .offset = as_ints(nb::object(partition_info.attr("var_offset"))),
            .shape = {shape.begin(), shape.end()}};
  tf::internal::part_being_made() = &slice_;
}

PartBeingMade::~PartBeingMade() { tf::internal::part_being_made() = before_; }

void bind_partitioned_variables(nb::module_& m) {
  bind_class(m);
  bind_partitioners(m);
  bind(m, "create_partitioned_variables", &tf::create_partitioned_variables,
       {"shape",
        "slicing",
        "initializer",
        "dtype",
        "trainable",
        "collections",
        {"name", nb::none()},
        "reuse"});
  m.def("_set_initial_value", &set_initial_value, "variable"_a, "value"_a);
  m.def("_init_from_checkpoint", &init_from_checkpoint, "ckpt_dir_or_file"_a, "assignment_map"_a);
}

}  // namespace flowray::python
