/// tf.linalg: identity matrices, norms, products by letters, factors and tridiagonal matrices: functions that
/// are made of several operations.

#include "native/convert/bind.h"

#include <flowray/tf/linalg.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

std::variant<double, std::string> as_order(nb::handle ord) {
  if (PyUnicode_Check(ord.ptr()) != 0) return bytes_of(ord);
  return as_float(ord);
}

}  // namespace

template <>
inline constexpr auto kFrom<std::variant<double, std::string>> = &as_order;
FLOWRAY_FIELDS(tf::EyeOptions, num_columns, batch_shape, dtype, name)
FLOWRAY_FIELDS(tf::NormOptions, ord, axis, keepdims, name)
FLOWRAY_FIELDS(tf::linalg::Normalized, normalized, norm)
FLOWRAY_FIELDS(tf::linalg::MatVecOptions, transpose_a, adjoint_a, name)
FLOWRAY_FIELDS(tf::linalg::PinvOptions, rcond, name)
FLOWRAY_FIELDS(tf::linalg::MatrixRankOptions, tol, name)
FLOWRAY_FIELDS(tf::linalg::LuOptions, output_idx_type, name)
FLOWRAY_FIELDS(tf::linalg::LuFactors, lower_upper, p)

namespace {

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

/// One tensor, or a sequence of three.
tf::List<tf::Input> as_diagonals(nb::handle diagonals, const std::string& format) {
  if (format == "sequence") return tf::List<tf::Input>(as_inputs(diagonals), tf::Input::Where());
  return tf::List<tf::Input>(std::vector<tf::Input>{as_input(diagonals)}, tf::Input::Where());
}

void bind_tridiagonal(nb::module_& m) {
  bind(m, "tridiagonal_matmul",
       [](nb::handle diagonals, const tf::Input& rhs, const std::string& format, const std::string& name) {
         return tf::linalg::tridiagonal_matmul(as_diagonals(diagonals, format), rhs,
                                               {.diagonals_format = format, .name = name});
       },
       {"diagonals", "rhs", {"diagonals_format", "compact"}, {"name", nb::none()}});
  bind(m, "tridiagonal_solve",
       [](nb::handle diagonals, tf::Input rhs, const std::string& format, bool transpose_rhs,
          bool conjugate_rhs, const std::string& name) {
         if (transpose_rhs || conjugate_rhs) {
           throw errors::UnimplementedError(
               "tf.linalg.tridiagonal_solve has no transpose_rhs and conjugate_rhs today.\nTranspose rhs "
               "before the call, as by tf.linalg.adjoint.");
         }
         return tf::linalg::tridiagonal_solve(as_diagonals(diagonals, format), rhs,
                                              {.diagonals_format = format, .name = name});
       },
       {"diagonals",
        "rhs",
        {"diagonals_format", "compact"},
        {"transpose_rhs", false},
        {"conjugate_rhs", false},
        {"name", nb::none()},
        ignored("partial_pivoting", true),  // which is done where it is not asked for, too
        refused({"perturb_singular", false})});
}

void bind_factors(nb::module_& m) {
  bind(m, "pinv", &tf::linalg::pinv, {"a", "rcond", refused({"validate_args", false}), "name"});
  bind(m, "matrix_rank", &tf::linalg::matrix_rank, {"a", "tol", refused({"validate_args", false}), "name"});
  bind(m, "expm", &tf::linalg::expm, {"input"});
  const auto least_squares = [](const tf::Input& matrix, const tf::Input& rhs, double l2_regularizer,
                                bool fast, const std::string& name) {
    if (!fast) {
      throw errors::UnimplementedError(
          "tf.linalg.lstsq has fast=True only today.\nMultiply tf.linalg.pinv(matrix) with rhs for one that "
          "holds more digits.");
    }
    return tf::linalg::lstsq(matrix, rhs, {.l2_regularizer = l2_regularizer, .name = name});
  };
  bind(m, "lstsq", least_squares,
       {"matrix", "rhs", {"l2_regularizer", 0.0}, {"fast", true}, {"name", nb::none()}});
  bind(m, "lu", &tf::linalg::lu, {"input"});
  bind(m, "lu_solve", &tf::linalg::lu_solve,
       {"lower_upper", "perm", "rhs", refused({"validate_args", false}), "name"});
  bind(m, "lu_reconstruct", &tf::linalg::lu_reconstruct,
       {"lower_upper", "perm", refused({"validate_args", false}), "name"});
  bind(m, "lu_matrix_inverse", &tf::linalg::lu_matrix_inverse,
       {"lower_upper", "perm", refused({"validate_args", false}), "name"});
}

}  // namespace

void bind_linalg(nb::module_& m, nb::module_& linalg) {
  using Eye = tf::Tensor (*)(const tf::Input&, const tf::EyeOptions&);
  m.def("einsum", &einsum, "equation"_a, nb::arg("inputs"), nb::arg("named"), docstring_of("einsum"));
  bind<Eye>(m, "eye", &tf::eye, {"num_rows"});
  bind(m, "trace", &tf::trace, {"x"});
  bind(m, "norm", &tf::norm,
       {"tensor",
        {"ord", "euclidean"},
        "axis",
        {"keepdims", nb::none()},
        "name",
        either("keep_dims", "keepdims")});
  bind(linalg, "normalize", &tf::linalg::normalize, {"tensor", {"ord", "euclidean"}, "axis", "name"});
  bind(linalg, "matvec", &tf::linalg::matvec,
       {"a", "b", "transpose_a", "adjoint_a", ignored("a_is_sparse", false), ignored("b_is_sparse", false),
        "name"});
  bind(linalg, "adjoint", &tf::linalg::adjoint, {"matrix"});
  bind_tridiagonal(linalg);
  bind_factors(linalg);
}

}  // namespace flowray::python
