/// tf.TensorArray, and the loops over rows that are made of it.

#include "native/convert/convert.h"

#include <flowray/tf/tensor_array.h>

namespace flowray::python {
namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none() = nb::none(); };

tf::TensorArrayOptions array_options(nb::handle size, nb::handle dynamic_size, nb::handle clear_after_read,
                                     nb::handle tensor_array_name, nb::handle handle, nb::handle flow,
                                     Flag infer_shape, nb::handle element_shape, Flag colocate,
                                     nb::handle name) {
  tf::TensorArrayOptions options{.size = as_optional_input(size),
                                 .dynamic_size = !dynamic_size.is_none() && as_bool(dynamic_size),
                                 .clear_after_read = clear_after_read.is_none() || as_bool(clear_after_read),
                                 .tensor_array_name = as_text(tensor_array_name),
                                 .infer_shape = infer_shape,
                                 .element_shape = as_shape(element_shape),
                                 .colocate_with_first_write_call = colocate,
                                 .name = as_text(name)};
  if (!handle.is_none()) options.handle = tf::convert_to_tensor(as_input(handle));
  if (!flow.is_none()) options.flow = tf::convert_to_tensor(as_input(flow));
  return options;
}

void bind_array(nb::module_& m) {
  using tf::TensorArray;
  nb::class_<TensorArray>(m, "TensorArray", nb::dynamic_attr(),
                          "A list of tensors that loops write and read by number.")
      .def(
          "__init__",
          [](TensorArray* self, nb::handle dtype, nb::handle size, nb::handle dynamic_size,
             nb::handle clear_after_read, nb::handle tensor_array_name, nb::handle handle, nb::handle flow,
             Flag infer_shape, nb::handle element_shape, Flag colocate, nb::handle name) {
            new (self) TensorArray(as_dtype(dtype),
                                   array_options(size, dynamic_size, clear_after_read, tensor_array_name,
                                                 handle, flow, infer_shape, element_shape, colocate, name));
          },
          "dtype"_a, kNone("size"), kNone("dynamic_size"), kNone("clear_after_read"),
          kNone("tensor_array_name"), kNone("handle"), kNone("flow"), "infer_shape"_a = true,
          kNone("element_shape"), "colocate_with_first_write_call"_a = true, kNone("name"))
      .def_prop_ro("dtype", [](const TensorArray& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("handle", [](const TensorArray& self) { return give(self.handle()); })
      .def_prop_ro("flow", [](const TensorArray& self) { return give(self.flow()); })
      .def_prop_ro("element_shape",
                   [](const TensorArray& self) { return shape_object(self.element_shape()); })
      .def_prop_ro("dynamic_size", &TensorArray::dynamic_size)
      .def("_with_flow",
           [](const TensorArray& self, nb::handle flow) {
             return self.with_flow(tf::convert_to_tensor(as_input(flow)));
           })
      .def(
          "read",
          [](const TensorArray& self, nb::handle index, nb::handle name) {
            return self.read(as_input(index), {as_text(name)});
          },
          "index"_a, kNone("name"))
      .def(
          "write",
          [](const TensorArray& self, nb::handle index, nb::handle value, nb::handle name) {
            return self.write(as_input(index), as_input(value), {as_text(name)});
          },
          "index"_a, "value"_a, kNone("name"))
      .def(
          "stack", [](const TensorArray& self, nb::handle name) { return self.stack({as_text(name)}); },
          kNone("name"))
      .def(
          "gather",
          [](const TensorArray& self, nb::handle indices, nb::handle name) {
            return self.gather(as_input(indices), {as_text(name)});
          },
          "indices"_a, kNone("name"))
      .def(
          "concat", [](const TensorArray& self, nb::handle name) { return self.concat({as_text(name)}); },
          kNone("name"))
      .def(
          "unstack",
          [](const TensorArray& self, nb::handle value, nb::handle name) {
            return self.unstack(as_input(value), {as_text(name)});
          },
          "value"_a, kNone("name"))
      .def(
          "scatter",
          [](const TensorArray& self, nb::handle indices, nb::handle value, nb::handle name) {
            return self.scatter(as_input(indices), as_input(value), {as_text(name)});
          },
          "indices"_a, "value"_a, kNone("name"))
      .def(
          "split",
          [](const TensorArray& self, nb::handle value, nb::handle lengths, nb::handle name) {
            return self.split(as_input(value), as_input(lengths), {as_text(name)});
          },
          "value"_a, "lengths"_a, kNone("name"))
      .def(
          "size", [](const TensorArray& self, nb::handle name) { return self.size({as_text(name)}); },
          kNone("name"))
      .def(
          "close", [](const TensorArray& self, nb::handle name) { return self.close({as_text(name)}); },
          kNone("name"))
      .def("identity", &TensorArray::identity);
}

/// What a function of the program gives for rows, which Python has made flat.
std::vector<tf::Input> given_by(const nb::object& results) {
  std::vector<tf::Input> values;
  for (nb::handle item : results) values.emplace_back(as_input(item));
  return values;
}

tf::FoldFunction fold_function(nb::handle fn) {
  return [fn](const std::vector<tf::Tensor>& before, const std::vector<tf::Tensor>& row) {
    return given_by(nb::object(fn(give(before), give(row))));
  };
}

tf::FoldOptions fold_options(nb::handle initializer, nb::handle parallel_iterations, nb::handle back_prop,
                             nb::handle swap_memory, nb::handle name) {
  return {.initializer = as_inputs(initializer),
          .parallel_iterations = as_int(parallel_iterations),
          .back_prop = as_bool(back_prop),
          .swap_memory = as_bool(swap_memory),
          .name = as_text(name)};
}

void bind_row_loops(nb::module_& m) {
  m.def(
      "_map_fn",
      [](nb::handle fn, nb::handle elems, nb::handle dtypes, nb::handle parallel_iterations, Flag back_prop,
         Flag swap_memory, Flag infer_shape, nb::handle name) {
        const tf::RowFunction function = [fn](const std::vector<tf::Tensor>& row) {
          return given_by(nb::object(fn(give(row))));
        };
        return give(tf::map_fn(function, as_inputs(elems),
                               {.dtypes = dtypes.is_none() ? std::vector<DType>() : as_dtypes(dtypes),
                                .parallel_iterations = as_int(parallel_iterations),
                                .back_prop = back_prop,
                                .swap_memory = swap_memory,
                                .infer_shape = infer_shape,
                                .name = as_text(name)}));
      },
      "fn"_a, "elems"_a, "dtypes"_a, "parallel_iterations"_a, "back_prop"_a, "swap_memory"_a, "infer_shape"_a,
      "name"_a);
  const auto fold = [&](const char* python_name, auto make) {
    m.def(
        python_name,
        [make](nb::handle fn, nb::handle elems, nb::handle initializer, nb::handle parallel_iterations,
               nb::handle back_prop, nb::handle swap_memory, nb::handle name) {
          return give(make(fold_function(fn), as_inputs(elems),
                           fold_options(initializer, parallel_iterations, back_prop, swap_memory, name),
                           tf::Input::Where::current()));
        },
        "fn"_a, "elems"_a, "initializer"_a, "parallel_iterations"_a, "back_prop"_a, "swap_memory"_a,
        "name"_a);
  };
  fold("_foldl", &tf::foldl);
  fold("_foldr", &tf::foldr);
  m.def(
      "_scan",
      [](nb::handle fn, nb::handle elems, nb::handle initializer, nb::handle parallel_iterations,
         Flag back_prop, Flag swap_memory, Flag infer_shape, Flag reverse, nb::handle name) {
        return give(tf::scan(fold_function(fn), as_inputs(elems),
                             {.initializer = as_inputs(initializer),
                              .parallel_iterations = as_int(parallel_iterations),
                              .back_prop = back_prop,
                              .swap_memory = swap_memory,
                              .infer_shape = infer_shape,
                              .reverse = reverse,
                              .name = as_text(name)}));
      },
      "fn"_a, "elems"_a, "initializer"_a, "parallel_iterations"_a, "back_prop"_a, "swap_memory"_a,
      "infer_shape"_a, "reverse"_a, "name"_a);
}

}  // namespace

void bind_tensor_arrays(nb::module_& m) {
  bind_array(m);
  bind_row_loops(m);
}

}  // namespace flowray::python
