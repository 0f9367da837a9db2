#include <flowray/tf/array.h>
#include <flowray/tf/keras/shape_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/apply_op.h"
#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::tf::keras::layers {
namespace {

LayerOptions layer_options(const MovedOptions& options) {
  return {.name = options.name, .input_shape = options.input_shape};
}

Ends checked_ends(Ends ends, const char* what, Input::Where where) {
  if (ends.first >= 0 && ends.second >= 0) return ends;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("`{}` must be numbers of at least 0. Received: ({}, {}).", what, ends.first, ends.second));
}

Tensor padded(const Tensor& inputs, const std::vector<Ends>& of_dims) {
  std::vector<int64_t> numbers;
  for (const auto& [first, second] : of_dims) numbers.insert(numbers.end(), {first, second});
  const Array paddings =
      Array::from(numbers, {static_cast<int64_t>(of_dims.size()), 2}).astype(DType::kInt32);
  return pad(inputs, paddings);
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
  return of_dims.size() == 1 ? inputs[{indices[0], indices[1]}]
                             : inputs[{indices[0], indices[1], indices[2]}];
}

/// Each element of a dimension so many times.
Tensor repeated(const Tensor& inputs, int64_t times, int64_t axis) {
  return repeat(inputs, static_cast<int32_t>(times), {.axis = axis});
}

}  // namespace

Permute::Permute(const std::vector<int64_t>& dims, const MovedOptions& options, Where where)
    : Layer("Permute", layer_options(options)), dims_(dims) {
  std::vector<int64_t> sorted = dims;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] == static_cast<int64_t>(i) + 1) continue;
    const ErrorLine line(where);
    throw ValueError(fmt::format(
        "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
        "consecutive and start from 1. Received dims=({})",
        fmt::join(dims, ", ")));
  }
}

Tensor Permute::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), static_cast<int64_t>(dims_.size()) + 1, name());
  std::vector<int64_t> perm = {0};
  perm.insert(perm.end(), dims_.begin(), dims_.end());
  return transpose(inputs, perm);
}

RepeatVector::RepeatVector(int64_t n, const MovedOptions& options, Where where)
    : Layer("RepeatVector", layer_options(options)), n_(positive(n, "n", where)) {}

Tensor RepeatVector::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 2, name());
  return repeated(expand_dims(inputs, 1), n_, 1);
}

ZeroPadding1D::ZeroPadding1D(Ends padding, const MovedOptions& options, Where where)
    : Layer("ZeroPadding1D", layer_options(options)), padding_(checked_ends(padding, "padding", where)) {}

Tensor ZeroPadding1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return padded(inputs, {{0, 0}, padding_, {0, 0}});
}

ZeroPadding2D::ZeroPadding2D(Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("ZeroPadding2D", layer_options(options)),
      rows_(checked_ends(rows, "padding", where)),
      columns_(checked_ends(columns, "padding", where)) {}

Tensor ZeroPadding2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return padded(inputs, {{0, 0}, rows_, columns_, {0, 0}});
}

Cropping1D::Cropping1D(Ends cropping, const MovedOptions& options, Where where)
    : Layer("Cropping1D", layer_options(options)), cropping_(checked_ends(cropping, "cropping", where)) {}

Tensor Cropping1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return cropped(inputs, {cropping_});
}

Cropping2D::Cropping2D(Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("Cropping2D", layer_options(options)),
      rows_(checked_ends(rows, "cropping", where)),
      columns_(checked_ends(columns, "cropping", where)) {}

Tensor Cropping2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return cropped(inputs, {rows_, columns_});
}

UpSampling1D::UpSampling1D(int64_t size, const MovedOptions& options, Where where)
    : Layer("UpSampling1D", layer_options(options)), size_(positive(size, "size", where)) {}

Tensor UpSampling1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return repeated(inputs, size_, 1);
}

UpSampling2D::UpSampling2D(const std::vector<int64_t>& size, const UpSampling2DOptions& options, Where where)
    : Layer("UpSampling2D", {.name = options.name, .input_shape = options.input_shape}),
      size_(pair_of(size, "size", where)),
      is_bilinear_(options.interpolation == "bilinear") {
  if (is_bilinear_ || options.interpolation == "nearest") return;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Value not recognized for `interpolation`: {}. Supported values are: 'nearest', 'bilinear'",
                  options.interpolation));
}

Tensor UpSampling2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  if (!is_bilinear_) return repeated(repeated(inputs, size_[0], 1), size_[1], 2);
  const TensorShape& given = inputs.shape();
  const Tensor size =
      shape(inputs)[Slice{1, 3}] * Array({static_cast<int>(size_[0]), static_cast<int>(size_[1])});
  Tensor result =
      apply_op({.op = "ResizeBilinear", .args = {inputs, size}, .attrs = {{"half_pixel_centers", true}}});
  const auto times = [&](int i, int64_t factor) {
    return given.dim(i) < 0 ? int64_t{-1} : int64_t{CheckedSize(given.dim(i)) * factor};
  };
  result.set_shape({given.dim(0), times(1, size_[0]), times(2, size_[1]), given.dim(3)});
  return result;
}

}  // namespace flowray::tf::keras::layers
