#include "tf/keras/input_spec.h"

#include "tf/build/user_line.h"

#include <fmt/format.h>

namespace flowray::tf::keras {
namespace {

template <class... Values>
[[noreturn]] void refuse(size_t input, const std::string& layer, fmt::format_string<Values...> text,
                         Values&&... values) {
  const ErrorLine line{Input::Where()};  // that of the call around
  throw ValueError(fmt::format("Input {} of layer \"{}\" is incompatible with the layer: {}", input, layer,
                               fmt::format(text, std::forward<Values>(values)...)));
}

void check_rank(const InputSpec& spec, const TensorShape& shape, size_t i, const std::string& layer) {
  const int64_t rank = shape.rank();
  const std::string full = shape.to_tuple_string();
  if (spec.ndim.has_value() && rank != *spec.ndim)
    refuse(i, layer, "expected ndim={}, found ndim={}. Full shape received: {}", *spec.ndim, rank, full);
  if (spec.max_ndim.has_value() && rank > *spec.max_ndim)
    refuse(i, layer, "expected max_ndim={}, found ndim={}", *spec.max_ndim, rank);
  if (spec.min_ndim.has_value() && rank < *spec.min_ndim)
    refuse(i, layer, "expected min_ndim={}, found ndim={}. Full shape received: {}", *spec.min_ndim, rank,
           full);
}

void check_input(const InputSpec& spec, const Tensor& input, size_t i, const std::string& layer) {
  const TensorShape& shape = input.shape();
  const DType dtype = base_dtype(input.dtype());
  if (spec.dtype.has_value() && dtype != *spec.dtype)
    refuse(i, layer, "expected dtype={}, found dtype={}", dtype_name(*spec.dtype), dtype_name(dtype));
  if (!shape.has_rank()) return;
  check_rank(spec, shape, i, layer);
  for (const auto& [axis, size] : spec.axes) {
    const int64_t place = axis < 0 ? axis + shape.rank() : axis;
    if (place < 0 || place >= shape.rank()) continue;
    const int64_t given = shape.dim(static_cast<int>(place));
    if (given < 0 || size < 0 || given == size) continue;
    refuse(i, layer, "expected axis {} of input shape to have value {}, but received input with shape {}",
           axis, size, shape.to_tuple_string());
  }
}

}  // namespace

void check_inputs(const std::vector<InputSpec>& specs, const std::vector<Tensor>& inputs,
                  const std::string& layer) {
  if (specs.empty()) return;
  if (specs.size() != inputs.size()) {
    const ErrorLine line{Input::Where()};
    throw ValueError(fmt::format("Layer \"{}\" expects {} input(s), but it received {} input tensors.", layer,
                                 specs.size(), inputs.size()));
  }
  for (size_t i = 0; i < specs.size(); ++i) check_input(specs[i], inputs[i], i, layer);
}

}  // namespace flowray::tf::keras
