/// tf.SparseTensor, tf.sparse, tf.sets.

#include "native/convert/bind.h"

#include <flowray/tf/array.h>
#include <flowray/tf/embedding.h>
#include <flowray/tf/sparse.h>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

namespace sparse = tf::sparse;

namespace {

bool is_value(nb::handle object) {
  return PyObject_IsInstance(object.ptr(), python_object("flowray.tf._sparse", "SparseTensorValue").ptr()) ==
         1;
}
bool is_sparse(nb::handle object) { return nb::isinstance<tf::SparseTensor>(object) || is_value(object); }

/// A SparseTensor, or a SparseTensorValue as constants.
tf::SparseTensor as_sparse(nb::handle object) {
  if (nb::isinstance<tf::SparseTensor>(object)) return nb::cast<const tf::SparseTensor&>(object);
  if (!is_value(object)) throw TypeError("Input must be a SparseTensor.");
  return {as_input(object.attr("indices")), as_input(object.attr("values")),
          as_input(object.attr("dense_shape"))};
}

/// As an argument: Python's lines are found otherwise.
tf::SparseInput as_sparse_input(nb::handle object) { return {as_sparse(object), tf::Input::Where()}; }

std::vector<tf::SparseInput> as_sparse_list(nb::handle list) {
  if (PyList_Check(list.ptr()) == 0 && PyTuple_Check(list.ptr()) == 0)
    throw TypeError("Inputs must be a list or tuple.");
  std::vector<tf::SparseInput> all;
  for (nb::handle item : list) all.push_back(as_sparse_input(item));
  return all;
}

}  // namespace

template <>
inline constexpr auto kFrom<tf::SparseTensor> = &as_sparse;
template <>
inline constexpr auto kFrom<tf::SparseInput> = &as_sparse_input;
template <>
inline constexpr auto kFrom<std::vector<tf::SparseInput>> = &as_sparse_list;

FLOWRAY_FIELDS(sparse::ToDenseOptions, default_value, validate_indices, name)
FLOWRAY_FIELDS(sparse::EyeOptions, num_columns, dtype, name)
FLOWRAY_FIELDS(sparse::SparseTransposeOptions, perm, name)
FLOWRAY_FIELDS(sparse::SparseExpandDimsOptions, axis, name)
FLOWRAY_FIELDS(sparse::SparseConcatOptions, name, expand_nonconcat_dim)
FLOWRAY_FIELDS(sparse::FilledEmptyRows, sp_ordered_output, empty_row_indicator)
FLOWRAY_FIELDS(sparse::SparseMergeOptions, name, already_sorted)
FLOWRAY_FIELDS(sparse::SparseMatMulOptions, adjoint_a, adjoint_b, name)
FLOWRAY_FIELDS(sparse::SparseReduceOptions, axis, keepdims)
FLOWRAY_FIELDS(tf::nn::EmbeddingLookupOptions, partition_strategy, name, max_norm)
FLOWRAY_FIELDS(tf::nn::EmbeddingLookupSparseOptions, partition_strategy, name, combiner, max_norm,
               allow_fast_lookup)
FLOWRAY_FIELDS(tf::nn::SafeEmbeddingLookupSparseOptions, sparse_weights, combiner, default_id, name,
               partition_strategy, max_norm, allow_fast_lookup)
FLOWRAY_FIELDS(tf::sets::SetOptions, validate_indices)
FLOWRAY_FIELDS(tf::sets::DifferenceOptions, aminusb, validate_indices)

namespace {

// ---- the class

nb::object part(const tf::Tensor& tensor) { return give(tensor); }

std::string text_of(const tf::SparseTensor& self) {
  const auto shown = [](const tf::Tensor& tensor) { return std::string(nb::str(give(tensor)).c_str()); };
  return fmt::format("SparseTensor(indices={}, values={}, dense_shape={})", shown(self.indices()),
                     shown(self.values()), shown(self.dense_shape()));
}

void bind_class(nb::module_& m) {
  nb::class_<tf::SparseTensor>(m, "SparseTensor", nb::dynamic_attr(),
                               "Coordinates, values and a shape: tf.SparseTensor.")
      .def(
          "__init__",
          [](tf::SparseTensor* self, nb::handle indices, nb::handle values, nb::handle dense_shape) {
            new (self) tf::SparseTensor(as_input(indices), as_input(values), as_input(dense_shape));
          },
          "indices"_a, "values"_a, "dense_shape"_a)
      .def_static(
          "from_value",
          [](nb::handle value) {
            if (!is_sparse(value)) {
              throw TypeError(fmt::format(
                  "Argument sparse_tensor_value={} is neither a SparseTensor nor SparseTensorValue.",
                  nb::str(value).c_str()));
            }
            return tf::SparseTensor(as_input(value.attr("indices")), as_input(value.attr("values")),
                                    as_input(value.attr("dense_shape")));
          },
          "sparse_tensor_value"_a)
      .def_prop_ro("indices", [](const tf::SparseTensor& self) { return part(self.indices()); })
      .def_prop_ro("values", [](const tf::SparseTensor& self) { return part(self.values()); })
      .def_prop_ro("dense_shape", [](const tf::SparseTensor& self) { return part(self.dense_shape()); })
      .def_prop_ro("dtype", [](const tf::SparseTensor& self) { return dtype_object(self.dtype()); })
      .def_prop_ro("shape", [](const tf::SparseTensor& self) { return shape_object(self.shape()); })
      .def_prop_ro("op", [](const tf::SparseTensor& self) { return give(self.op()); })
      .def_prop_ro("graph", [](const tf::SparseTensor& self) { return give(self.graph()); })
      .def("get_shape", [](const tf::SparseTensor& self) { return shape_object(self.shape()); })
      .def(
          "set_shape", [](tf::SparseTensor& self, nb::handle shape) { self.set_shape(as_shape(shape)); },
          "shape"_a)
      .def(
          "with_values",
          [](const tf::SparseTensor& self, nb::handle values) { return self.with_values(as_input(values)); },
          "new_values"_a)
      .def("consumers",
           [](const tf::SparseTensor& self) {
             nb::list all;
             for (const tf::Tensor& tensor : {self.indices(), self.values(), self.dense_shape()})
               for (const tf::Operation& operation : tensor.consumers()) all.append(give(operation));
             return all;
           })
      .def("__mul__", [](const tf::SparseTensor& self, nb::handle other) { return self * as_input(other); })
      .def("__truediv__",
           [](const tf::SparseTensor& self, nb::handle other) { return self / as_input(other); })
      .def_prop_ro("_fetch_parts",
                   [](const tf::SparseTensor& self) {
                     return nb::make_tuple(self.indices(), self.values(), self.dense_shape());
                   })
      .def_prop_ro("_fetched_from",
                   [](nb::handle) { return python_object("flowray.tf._sparse", "value_of_parts"); })
      .def("__repr__", &text_of)
      .def("__str__", &text_of);
}

// ---- functions

/// An Input of the shape of a placeholder: a list, a TensorShape, None.
nb::object placeholder(nb::handle dtype, nb::handle shape, nb::handle name) {
  tf::NameOption options{as_text(name)};
  const tf::SparseTensor made =
      shape.is_none() ? tf::sparse_placeholder(as_dtype(dtype), tf::TensorShape::unknown_rank(), options,
                                               tf::Input::Where())
                      : tf::sparse_placeholder(as_dtype(dtype), as_shape(shape), options, tf::Input::Where());
  return nb::cast(made);
}

/// The sum of two, of which at least one is sparse.
nb::object add(nb::handle a, nb::handle b, nb::handle threshold, nb::handle thresh) {
  if (!is_sparse(a) && !is_sparse(b))
    throw TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?");
  if (!threshold.is_none() && !thresh.is_none())
    throw ValueError("Cannot specify both 'thresh' and 'threshold'.");
  const nb::handle given = thresh.is_none() ? threshold : thresh;
  if (is_sparse(a) && is_sparse(b)) {
    const tf::SparseInput first = as_sparse_input(a);
    const tf::SparseInput second = as_sparse_input(b);
    return nb::cast(given.is_none() ? sparse::add(first, second)
                                    : sparse::add(first, second, as_input(given)));
  }
  return is_sparse(a) ? give(sparse::add(as_sparse_input(a), as_input(b)))
                      : give(sparse::add(as_sparse_input(b), as_input(a)));
}

/// tf.sparse.sparse_dense_matmul takes the sparse one on either side.
tf::Tensor matmul(nb::handle a, nb::handle b, const sparse::SparseMatMulOptions& options) {
  if (!is_sparse(b)) return sparse::sparse_dense_matmul(as_sparse_input(a), as_input(b), options);
  const bool turns = options.adjoint_a != options.adjoint_b;
  const sparse::SparseMatMulOptions turned = {.adjoint_a = turns ? options.adjoint_a : !options.adjoint_a,
                                              .adjoint_b = turns ? options.adjoint_b : !options.adjoint_b};
  return tf::transpose(sparse::sparse_dense_matmul(as_sparse_input(b), as_input(a), turned));
}

/// keep_dims and reduction_axes are older names of both.
template <class Function>
void bind_reduction(nb::module_& m, const char* name, Function function) {
  bind(m, name, function,
       {"sp_input",
        "axis",
        {"keepdims", nb::none()},
        either("reduction_axes", "axis"),
        either("keep_dims", "keepdims")});
}

/// Keyword arguments only, as TensorFlow's.
nb::object split(nb::handle keyword_required, nb::handle sp_input, nb::handle num_split, nb::handle axis,
                 nb::handle name, nb::handle split_dim) {
  if (!keyword_required.is_none()) throw ValueError("Keyword arguments are required for this function.");
  if (sp_input.is_none()) throw ValueError("sp_input is required");
  if (num_split.is_none()) throw ValueError("num_split is required");
  if (axis.is_none() && split_dim.is_none()) throw ValueError("axis is required");
  if (!axis.is_none() && !split_dim.is_none())
    throw ValueError("Cannot specify both 'split_dim' and 'axis'.");
  return give_result(sparse::split(as_sparse_input(sp_input), as_int(num_split),
                                   as_input(axis.is_none() ? split_dim : axis), {as_text(name)}));
}

void bind_dense(nb::module_& m) {
  bind(m, "from_dense", &sparse::from_dense, {"tensor"});
  bind(m, "to_dense", &sparse::to_dense, {"sp_input"});
  bind(m, "to_indicator", &sparse::to_indicator, {"sp_input", "vocab_size"});
  bind(m, "eye", &sparse::eye, {"num_rows"});
}

void bind_order(nb::module_& m) {
  bind(m, "reorder", &sparse::reorder, {"sp_input"});
  bind(m, "reshape", &sparse::reshape, {"sp_input", "shape"});
  bind(m, "transpose", &sparse::transpose, {"sp_input"});
  bind(m, "expand_dims", &sparse::expand_dims, {"sp_input"});
  bind(m, "reset_shape", &sparse::reset_shape, {"sp_input", {"new_shape", nb::none()}});
  bind(m, "concat", &sparse::concat,
       {"axis",
        "sp_inputs",
        "name",
        {"expand_nonconcat_dim", false},
        either("concat_dim", "axis"),
        either("expand_nonconcat_dims", "expand_nonconcat_dim")});
  m.def("split", &split, "keyword_required"_a = nb::none(), "sp_input"_a = nb::none(),
        "num_split"_a = nb::none(), "axis"_a = nb::none(), "name"_a = nb::none(), "split_dim"_a = nb::none(),
        docstring_of("sparse.split"));
  bind(m, "slice", &sparse::slice, {"sp_input", "start", "size"});
  bind(m, "retain", &sparse::retain, {"sp_input", "to_retain"});
  bind(m, "fill_empty_rows", &sparse::fill_empty_rows, {"sp_input", "default_value"});
  bind(m, "merge", &sparse::merge, {"sp_ids", "sp_values", "vocab_size"});
}

void bind_arithmetic(nb::module_& m) {
  m.def("add", &add, "a"_a, "b"_a, "threshold"_a = nb::none(), "thresh"_a = nb::none(),
        docstring_of("sparse.add"));
  bind(m, "maximum", &sparse::maximum, {"sp_a", "sp_b"});
  bind(m, "minimum", &sparse::minimum, {"sp_a", "sp_b"});
  bind(m, "softmax", &sparse::softmax, {"sp_input"});
  bind(m, "sparse_dense_matmul", &matmul, {"sp_a", "b"}, docstring_of("sparse.sparse_dense_matmul"));
  bind_reduction(m, "reduce_sum", &sparse::reduce_sum);
  bind_reduction(m, "reduce_sum_sparse", &sparse::reduce_sum_sparse);
  bind_reduction(m, "reduce_max", &sparse::reduce_max);
  bind_reduction(m, "reduce_max_sparse", &sparse::reduce_max_sparse);
}

/// One operation on two sets, each dense or sparse; a sparse first one goes behind a dense one.
template <class Options, class Call>
nb::object of_sets(nb::handle a, nb::handle b, const Options& options, const Options& turned, Call call) {
  if (!is_sparse(a)) {
    return nb::cast(is_sparse(b) ? call(as_input(a), as_sparse_input(b), options)
                                 : call(as_input(a), as_input(b), options));
  }
  return nb::cast(is_sparse(b) ? call(as_sparse_input(a), as_sparse_input(b), options)
                               : call(as_input(b), as_sparse_input(a), turned));
}

void bind_sets(nb::module_& m) {
  bind(
      m, "intersection",
      [](nb::handle a, nb::handle b, const tf::sets::SetOptions& options) {
        return of_sets(a, b, options, options,
                       [](const auto&... all) { return tf::sets::intersection(all...); });
      },
      {"a", "b"}, docstring_of("sets.intersection"));
  bind(
      m, "difference",
      [](nb::handle a, nb::handle b, const tf::sets::DifferenceOptions& options) {
        tf::sets::DifferenceOptions turned = options;
        turned.aminusb = !options.aminusb;
        return of_sets(a, b, options, turned,
                       [](const auto&... all) { return tf::sets::difference(all...); });
      },
      {"a", "b"}, docstring_of("sets.difference"));
  bind(
      m, "union",
      [](nb::handle a, nb::handle b, const tf::sets::SetOptions& options) {
        return of_sets(a, b, options, options, [](const auto&... all) { return tf::sets::union_(all...); });
      },
      {"a", "b"}, docstring_of("sets.union_"));
  bind(
      m, "size",
      [](nb::handle a, const tf::sets::SetOptions& options) {
        if (!is_sparse(a))
          throw TypeError(fmt::format("Expected `SparseTensor`, got {}.", nb::str(a).c_str()));
        return tf::sets::size(as_sparse_input(a), options);
      },
      {"a"}, docstring_of("sets.size"));
}

// ---- embeddings

/// One table, or the parts of one: a list, or a variable in parts.
tf::List<tf::Input> as_tables(nb::handle params) {
  if (params.is_none()) throw ValueError("params must be specified");
  const bool several = PyList_Check(params.ptr()) != 0 || PyTuple_Check(params.ptr()) != 0;
  if (several || nb::hasattr(params, "_get_variable_list")) return {as_inputs(params), tf::Input::Where()};
  return {std::vector<tf::Input>{as_input(params)}, tf::Input::Where()};
}
tf::List<tf::Input> as_tables_by_weights(nb::handle weights) {
  if (weights.is_none()) throw ValueError("Missing embedding_weights None.");
  return as_tables(weights);
}

/// None: there is none.
tf::SparseTensor as_ids(nb::handle object, const char* words) {
  if (!nb::isinstance<tf::SparseTensor>(object))
    throw TypeError(fmt::format("{}{}", words, nb::repr(object.type()).c_str()));
  return nb::cast<const tf::SparseTensor&>(object);
}
tf::SparseInput as_sp_ids(nb::handle object) {
  return {as_ids(object, "sp_ids must be SparseTensor, got "), tf::Input::Where()};
}
tf::SparseTensor as_sp_weights(nb::handle object) {
  if (object.is_none()) return {};
  return as_ids(object, "sp_weights must be either None or SparseTensor,got ");
}

void bind_embeddings(nb::module_& nn) {
  bind(nn, "embedding_lookup", &tf::nn::embedding_lookup_of_parts,
       {converted("params", &as_tables), "ids", "partition_strategy", "name",
        ignored("validate_indices", true), "max_norm"},
       docstring_of("nn.embedding_lookup_of_parts"));
  bind(nn, "embedding_lookup_sparse", &tf::nn::embedding_lookup_sparse,
       {converted("params", &as_tables), converted("sp_ids", &as_sp_ids),
        converted("sp_weights", &as_sp_weights), "partition_strategy", "name",
        or_none({"combiner", nb::none()}), "max_norm", "allow_fast_lookup"});
  bind(nn, "safe_embedding_lookup_sparse", &tf::nn::safe_embedding_lookup_sparse,
       {converted("embedding_weights", &as_tables_by_weights), "sparse_ids",
        converted({"sparse_weights", nb::none()}, &as_sp_weights), "combiner", "default_id", "name",
        "partition_strategy", "max_norm", "allow_fast_lookup"});
}

}  // namespace

void bind_sparse(nb::module_& m) {
  bind_class(m);
  m.def("sparse_placeholder", &placeholder, "dtype"_a, "shape"_a = nb::none(), "name"_a = nb::none(),
        docstring_of("sparse_placeholder"));
  nb::module_ module = m.def_submodule("sparse");
  bind_dense(module);
  bind_order(module);
  bind_arithmetic(module);
  nb::module_ sets = m.def_submodule("sets");
  bind_sets(sets);
  nb::module_ nn = m.def_submodule("nn");
  bind_embeddings(nn);
}

}  // namespace flowray::python
