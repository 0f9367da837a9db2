/// Identity matrices, norms, products by letters: functions of linalg_ops that are made of
/// several operations.

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

}  // namespace

void bind_linear_algebra(nb::module_& m, nb::module_& linalg) {
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
}

}  // namespace flowray::python
