/// Identity matrices, norms, products by letters: functions of linalg_ops that are made of several
/// operations.

#include "native/convert/convert.h"

#include <flowray/tf/linalg.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

std::variant<double, std::string> as_order(nb::handle ord) {
  if (PyUnicode_Check(ord.ptr()) != 0) return bytes_of(ord);
  return as_float(ord);
}

tf::NormOptions norm_options(nb::handle ord, nb::handle axis, nb::handle name) {
  tf::NormOptions options;
  options.ord = as_order(ord);
  options.axis = as_optional_input(axis);
  options.name = as_text(name);
  return options;
}

nb::object einsum(nb::handle equation, const nb::args& inputs, const nb::kwargs& named) {
  std::string name;
  for (const auto& [key, value] : named) {
    const std::string word = bytes_of(key);
    if (word == "name") {
      name = as_text(value);
    } else if (word != "optimize" || (PyUnicode_Check(value.ptr()) == 0 || bytes_of(value) != "greedy")) {
      throw TypeError(fmt::format(
          "Invalid keyword arguments for einsum: {}. Valid arguments: name, optimize, greedy.", word));
    }
  }
  std::vector<tf::Input> tensors;
  for (nb::handle input : inputs) tensors.push_back(as_input(input));
  return give(tf::einsum(bytes_of(equation), tensors, {name}));
}

}  // namespace

void bind_linear_algebra(nb::module_& m, nb::module_& linalg) {
  m.def(
      "eye",
      [](nb::handle rows, nb::handle columns, nb::handle batch_shape, nb::handle dtype, nb::handle name) {
        tf::EyeOptions options;
        options.num_columns = as_optional_input(columns);
        options.batch_shape = as_optional_input(batch_shape);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.name = as_text(name);
        return give(tf::eye(as_input(rows), options));
      },
      "num_rows"_a, "num_columns"_a = nb::none(), "batch_shape"_a = nb::none(), "dtype"_a = nb::none(),
      "name"_a = nb::none());
  m.def(
      "trace", [](nb::handle x, nb::handle name) { return give(tf::trace(as_input(x), {as_text(name)})); },
      "x"_a, "name"_a = nb::none());
  m.def(
      "norm",
      [](nb::handle tensor, nb::handle ord, nb::handle axis, nb::handle keepdims, nb::handle name,
         nb::handle keep_dims) {
        if (!keepdims.is_none() && !keep_dims.is_none())
          throw ValueError("Cannot specify both 'keep_dims' and 'keepdims'.");
        tf::NormOptions options = norm_options(ord, axis, name);
        const nb::handle kept = keepdims.is_none() ? keep_dims : keepdims;
        options.keepdims = !kept.is_none() && as_bool(kept);
        return give(tf::norm(as_input(tensor), options));
      },
      "tensor"_a, "ord"_a = "euclidean", "axis"_a = nb::none(), "keepdims"_a = nb::none(),
      "name"_a = nb::none(), "keep_dims"_a = nb::none());
  m.def("einsum", &einsum);
  linalg.def(
      "normalize",
      [](nb::handle tensor, nb::handle ord, nb::handle axis, nb::handle name) {
        const tf::linalg::Normalized result =
            tf::linalg::normalize(as_input(tensor), norm_options(ord, axis, name));
        return nb::make_tuple(give(result.normalized), give(result.norm));
      },
      "tensor"_a, "ord"_a = "euclidean", "axis"_a = nb::none(), "name"_a = nb::none());
  linalg.def(
      "matvec",
      [](nb::handle a, nb::handle b, Flag transpose_a, Flag adjoint_a, nb::handle, nb::handle,
         nb::handle name) {
        return give(
            tf::linalg::matvec(as_input(a), as_input(b),
                               {.transpose_a = transpose_a, .adjoint_a = adjoint_a, .name = as_text(name)}));
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "adjoint_a"_a = false, "a_is_sparse"_a = false,
      "b_is_sparse"_a = false, "name"_a = nb::none());
  linalg.def(
      "adjoint",
      [](nb::handle matrix, nb::handle name) {
        return give(tf::linalg::adjoint(as_input(matrix), {as_text(name)}));
      },
      "matrix"_a, "name"_a = nb::none());
}

}  // namespace flowray::python
