/// tf.IndexedSlices.

#include "native/graph/indexed_slices.h"
#include "native/convert/convert.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

nb::object give_gradient(const tf::Tensor& gradient) {
  if (!gradient.has_value()) return nb::none();
  if (std::optional<tf::IndexedSlices> slices = tf::indexed_slices(gradient))
    return nb::cast(PythonSlices{std::move(*slices), gradient});
  return give(gradient);
}

tf::Tensor dense_of(const PythonSlices& slices) {
  return slices.dense.has_value() ? slices.dense : tf::convert_to_tensor(slices.slices);
}

namespace {

/// Its parts, as a session fetches them.
nb::tuple parts_of(const PythonSlices& self) {
  const tf::IndexedSlices& slices = self.slices;
  if (!slices.dense_shape.has_value()) return nb::make_tuple(slices.values, slices.indices);
  return nb::make_tuple(slices.values, slices.indices, slices.dense_shape);
}

tf::Tensor part(nb::handle object, const char* name) {
  if (object.is_none()) throw ValueError("None values not supported.");
  return tf::convert_to_tensor(as_input(object), {.name = name});
}

std::string text_of(const PythonSlices& self) {
  const auto shown = [](const tf::Tensor& tensor) { return std::string(nb::str(give(tensor)).c_str()); };
  const tf::IndexedSlices& slices = self.slices;
  return fmt::format("IndexedSlices(indices={}, values={}{})", shown(slices.indices), shown(slices.values),
                     slices.dense_shape.has_value() ? ", dense_shape=" + shown(slices.dense_shape) : "");
}

}  // namespace

void bind_indexed_slices(nb::module_& m) {
  nb::class_<PythonSlices>(m, "IndexedSlices", nb::dynamic_attr(),
                           "Some rows of a tensor, by number: tf.IndexedSlices.")
      .def(
          "__init__",
          [](PythonSlices* self, nb::handle values, nb::handle indices, nb::handle dense_shape) {
            tf::IndexedSlices slices{part(values, "values"), part(indices, "indices"), {}};
            if (!dense_shape.is_none()) slices.dense_shape = part(dense_shape, "dense_shape");
            new (self) PythonSlices{std::move(slices), {}};
          },
          "values"_a, "indices"_a, "dense_shape"_a = nb::none())
      .def_prop_ro("values", [](const PythonSlices& self) { return give(self.slices.values); })
      .def_prop_ro("indices", [](const PythonSlices& self) { return give(self.slices.indices); })
      .def_prop_ro("dense_shape", [](const PythonSlices& self) { return give(self.slices.dense_shape); })
      .def_prop_ro("dtype", [](const PythonSlices& self) { return dtype_object(self.slices.values.dtype()); })
      .def_prop_ro("name", [](const PythonSlices& self) { return self.slices.values.name(); })
      .def_prop_ro("op", [](const PythonSlices& self) { return give(self.slices.values.op()); })
      .def_prop_ro("device", [](const PythonSlices& self) { return self.slices.values.op().device(); })
      .def_prop_ro("graph", [](const PythonSlices& self) { return give(self.slices.values.graph()); })
      .def_prop_ro("_fetch_parts", &parts_of)
      .def_prop_ro("_fetched_from",
                   [](nb::handle) { return python_object("flowray.tf._indexed_slices", "value_of_parts"); })
      .def("__repr__", &text_of)
      .def("__str__", &text_of);
}

}  // namespace flowray::python
