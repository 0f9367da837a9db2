/// tf.TensorArray, and the loops over rows that are made of it.

#include "native/flow/called_back.h"

#include <flowray/tf/tensor_array.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::TensorArrayOptions, size, dynamic_size, clear_after_read, tensor_array_name, handle, flow,
               infer_shape, element_shape, colocate_with_first_write_call, name)
FLOWRAY_FIELDS(tf::MapFnOptions, dtypes, parallel_iterations, back_prop, swap_memory, infer_shape, name)
FLOWRAY_FIELDS(tf::FoldOptions, initializer, parallel_iterations, back_prop, swap_memory, name)
FLOWRAY_FIELDS(tf::ScanOptions, initializer, parallel_iterations, back_prop, swap_memory, infer_shape,
               reverse, name)

namespace {

void bind_array(nb::module_& m) {
  using tf::TensorArray;
  nb::class_<TensorArray> array(m, "TensorArray", nb::dynamic_attr(), docstring_of("TensorArray"));
  bind_constructor_of<TensorArray, DType, tf::TensorArrayOptions>(array, {"dtype",
                                                                          "size",
                                                                          {"dynamic_size", nb::none()},
                                                                          {"clear_after_read", nb::none()},
                                                                          "tensor_array_name",
                                                                          "handle",
                                                                          "flow",
                                                                          "infer_shape",
                                                                          "element_shape",
                                                                          "colocate_with_first_write_call",
                                                                          "name"});
  array.def_prop_ro("dtype", [](const TensorArray& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("handle", [](const TensorArray& self) { return give(self.handle()); })
      .def_prop_ro("flow", [](const TensorArray& self) { return give(self.flow()); })
      .def_prop_ro("element_shape",
                   [](const TensorArray& self) { return shape_object(self.element_shape()); })
      .def_prop_ro("dynamic_size", &TensorArray::dynamic_size);
  bind_method(array, "_with_flow", &TensorArray::with_flow, {"flow"});
  bind_method(array, "read", &TensorArray::read, {"index"});
  bind_method(array, "write", &TensorArray::write, {"index", "value"});
  bind_method(array, "stack", &TensorArray::stack);
  bind_method(array, "gather", &TensorArray::gather, {"indices"});
  bind_method(array, "concat", &TensorArray::concat);
  bind_method(array, "unstack", &TensorArray::unstack, {"value"});
  bind_method(array, "scatter", &TensorArray::scatter, {"indices", "value"});
  bind_method(array, "split", &TensorArray::split, {"value", "lengths"});
  bind_method(array, "size", &TensorArray::size);
  bind_method(array, "close", &TensorArray::close);
  bind_method(array, "identity", &TensorArray::identity);
}

void bind_row_loops(nb::module_& m) {
  bind(m, "_map_fn", &tf::internal::map_rows, {"fn", "elems"});
  bind(m, "_foldl", &tf::internal::foldl_rows, {"fn", "elems"});
  bind(m, "_foldr", &tf::internal::foldr_rows, {"fn", "elems"});
  bind(m, "_scan", &tf::internal::scan_rows, {"fn", "elems"});
}

}  // namespace

void bind_tensor_arrays(nb::module_& m) {
  bind_array(m);
  bind_row_loops(m);
}

}  // namespace flowray::python
