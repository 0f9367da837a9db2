#include "tf/keras/moved_elements.h"

#include <flowray/tf/array.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

namespace flowray::tf::keras::layers {

LayerOptions layer_options(const MovedOptions& options) {
  return {.name = options.name, .input_shape = options.input_shape};
}

Ends checked_ends(Ends ends, const char* what, Input::Where where) {
  if (ends.first >= 0 && ends.second >= 0) return ends;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("`{}` must be numbers of at least 0. Received: ({}, {}).", what, ends.first, ends.second));
}

Tensor with_channels_last(const Tensor& x) {
  if (!x.shape().has_rank() || x.shape().rank() < 3) return x;
  std::vector<int64_t> order = {0};
  for (int i = 2; i < x.shape().rank(); ++i) order.push_back(i);
  order.push_back(1);
  return transpose(x, order);
}

Tensor with_channels_first(const Tensor& x) {
  if (!x.shape().has_rank() || x.shape().rank() < 3) return x;
  std::vector<int64_t> order = {0, x.shape().rank() - 1};
  for (int i = 1; i + 1 < x.shape().rank(); ++i) order.push_back(i);
  return transpose(x, order);
}

Tensor padded(const Tensor& inputs, const std::vector<Ends>& of_dims) {
  std::vector<int32_t> numbers;
  for (const auto& [first, second] : of_dims)
    numbers.insert(numbers.end(), {checked_int32("padding", first), checked_int32("padding", second)});
  return pad(inputs, Array::from(numbers, {static_cast<int64_t>(of_dims.size()), 2}));
}

Tensor cropped(const Tensor& inputs, const std::vector<Ends>& of_dims) {
  std::vector<Index> indices = {Slice{}};
  for (size_t i = 0; i < of_dims.size(); ++i) {
    const auto& [first, last] = of_dims[i];
    const int64_t given = inputs.shape().dim(static_cast<int>(i) + 1);
    if (given >= 0 && (first >= given || last >= given - first)) {
      const ErrorLine line{Input::Where()};  // that of the call around
      throw ValueError(
          fmt::format("cropping parameter of Cropping layer must be greater than the input shape. Received: "
                      "inputs.shape={}, "
                      "and cropping=({}, {})",
                      inputs.shape().to_tuple_string(), first, last));
    }
    indices.emplace_back(last == 0 ? Slice{first} : Slice{first, -last});
  }
  switch (of_dims.size()) {
    case 1:
      return inputs[{indices[0], indices[1]}];
    case 2:
      return inputs[{indices[0], indices[1], indices[2]}];
    default:
      return inputs[{indices[0], indices[1], indices[2], indices[3]}];
  }
}

Tensor repeated(const Tensor& inputs, int64_t times, int64_t axis) {
  return repeat(inputs, checked_int32("size", times), {.axis = axis});
}

}  // namespace flowray::tf::keras::layers
