#include "native/convert/typed.h"

namespace flowray::python {

std::vector<double> as_floats(nb::handle object) {
  std::vector<double> numbers;
  if (object.is_none()) return numbers;
  for (nb::handle number : object) numbers.push_back(as_float(number));
  return numbers;
}

nb::object python_value(const tf::Input& input) {
  if (input.literal() == nullptr) return nb::none();
  const Literal& literal = *input.literal();
  switch (literal.default_dtype()) {
    case DType::kBool:
      return nb::cast(literal.to_array().item<bool>());
    case DType::kInt32:
      return nb::cast(literal.to_array().item<int>());
    // A double is weak: as float32 it would not be the number that the program has.
    case DType::kFloat32:
      return nb::cast(literal.to_array(DType::kFloat64).item<double>());
    default:
      return nb::none();
  }
}

}  // namespace flowray::python
