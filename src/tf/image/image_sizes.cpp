#include <flowray/tf/debugging.h>
#include <flowray/tf/image.h>

#include "graph/constant_value.h"
#include "tf/build/with_dependencies.h"
#include "tf/image/image_batches.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace flowray::tf::image {
namespace {

std::vector<Input> inputs_of(const std::vector<Extent>& extents) {
  std::vector<Input> inputs;
  for (const Extent& extent : extents) inputs.push_back(extent.input());
  return inputs;
}

template <size_t N>
std::array<Extent, N> extents_of(const Input (&inputs)[N]) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return std::array<Extent, N>{Extent::of(inputs[I])...};
  }(std::make_index_sequence<N>());
}

Tensor with_shape(Tensor images, const std::vector<Extent>& sizes) {
  TensorShape shape;
  for (const Extent& size : sizes) shape.push_back(size.dim());
  images.set_shape(shape);
  return images;
}

/// The size of a dimension: a number where it is known.
Extent size_along(const Tensor& image, int dimension) {
  const int64_t known = image.shape().dim(dimension);
  return known >= 0 ? Extent(known) : Extent(shape(image)[dimension]);
}

/// Where the middle part of a dimension begins.
Extent middle_begin(const Extent& size, const Input& fraction, const std::optional<double>& known) {
  if (size.is_number() && known) {
    const auto whole = static_cast<double>(size.number());
    return static_cast<int64_t>((whole - whole * *known) / 2);
  }
  const Tensor whole = cast(size.input(), DType::kFloat64);
  const Tensor part = cast(fraction, DType::kFloat64);
  return cast((whole - whole * part) / 2, DType::kInt32);
}

/// A number that is written in the program, or follows from constants.
std::optional<double> known_number(const Input& input) {
  Array value = input.literal() != nullptr ? input.literal()->to_array()
                : input.array() != nullptr ? *input.array()
                                           : Array();
  if (input.tensor() != nullptr) value = graph::constant_value(endpoint_of(*input.tensor()));
  if (!value.has_value() || value.size() != 1) return std::nullopt;
  return value.reshape({}).astype(DType::kFloat64).item<double>();
}

}  // namespace

Tensor central_crop(const Input& image, const Input& central_fraction) {
  Composite scope({{"image", image}, {"central_fraction", central_fraction}}, {}, "central_crop",
                  image.where());
  Tensor pixels = scope.convert(image, "image");
  const std::optional<double> fraction = known_number(central_fraction);
  constexpr const char* kOutside = "central_fraction must be within (0, 1]";
  if (fraction) {
    if (!(*fraction > 0) || *fraction > 1) throw ValueError(kOutside);
    if (*fraction == 1) return pixels;
  } else {
    const Tensor above = central_fraction > 0.0;
    const Tensor within = logical_or(above, central_fraction <= 1.0);
    pixels = with_dependencies({Assert(within, {kOutside})}, pixels);
  }
  checked_image(pixels);
  const int rank = pixels.shape().rank();
  if (rank != 3 && rank != 4) {
    throw ValueError(
        fmt::format("`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {}.", rank));
  }
  const int first = rank - 3;
  const Extent height = size_along(pixels, first);
  const Extent width = size_along(pixels, first + 1);
  const Extent top = middle_begin(height, central_fraction, fraction);
  const Extent left = middle_begin(width, central_fraction, fraction);
  const Extent new_height = height - top * 2;
  const Extent new_width = width - left * 2;
  std::vector<Extent> begin = {top, left, 0};
  std::vector<Extent> size = {new_height, new_width, -1};
  std::vector<Extent> known = {new_height, new_width, pixels.shape().dim(-1)};
  if (rank == 4) {
    begin.insert(begin.begin(), 0);
    size.insert(size.begin(), -1);
    known.insert(known.begin(), pixels.shape().dim(0));
  }
  const Tensor begins = stack(inputs_of(begin));
  const Tensor sizes = stack(inputs_of(size));
  return with_shape(slice(pixels, begins, sizes), known);
}

Tensor crop_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                            const Input& target_height, const Input& target_width) {
  Composite scope({{"image", image},
                   {"offset_height", offset_height},
                   {"offset_width", offset_width},
                   {"target_height", target_height},
                   {"target_width", target_width}},
                  {}, "crop_to_bounding_box", image.where());
  const Batch batch = as_batch(scope.convert(image, "image"));
  const auto [top, left, height, width] =
      extents_of<4>({offset_height, offset_width, target_height, target_width});
  ExtentChecks checks;
  checks.operations = checks_of_image(batch.images);
  const Sizes sizes = sizes_of(batch.images);
  checks.at_least(left, 0, "offset_width must be >= 0.");
  checks.at_least(top, 0, "offset_height must be >= 0.");
  checks.more_than(width, 0, "target_width must be > 0.");
  checks.more_than(height, 0, "target_height must be > 0.");
  checks.at_least(sizes.width, width + left, "width must be >= target + offset.");
  checks.at_least(sizes.height, height + top, "height must be >= target + offset.");
  const Tensor images = with_dependencies(checks.operations, batch.images);
  const Tensor begin = stack(inputs_of({0, top, left, 0}));
  const Tensor count = shape(images)[0];
  const Tensor depth = shape(images)[3];
  const Tensor size = stack(inputs_of({count, height, width, depth}));
  return batch.as_given(with_shape(slice(images, begin, size), {sizes.batch, height, width, sizes.depth}));
}

Tensor pad_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                           const Input& target_height, const Input& target_width) {
  Composite scope({{"image", image},
                   {"offset_height", offset_height},
                   {"offset_width", offset_width},
                   {"target_height", target_height},
                   {"target_width", target_width}},
                  {}, "pad_to_bounding_box", image.where());
  const Batch batch = as_batch(scope.convert(image, "image"));
  const auto [top, left, height, width] =
      extents_of<4>({offset_height, offset_width, target_height, target_width});
  const Sizes sizes = sizes_of(batch.images);
  const Extent right = width - left - sizes.width;
  const Extent bottom = height - top - sizes.height;
  ExtentChecks checks;
  checks.operations = checks_of_image(batch.images);
  checks.at_least(top, 0, "offset_height must be >= 0");
  checks.at_least(left, 0, "offset_width must be >= 0");
  checks.at_least(right, 0, "width must be <= target - offset");
  checks.at_least(bottom, 0, "height must be <= target - offset");
  const Tensor images = with_dependencies(checks.operations, batch.images);
  const Tensor frame = reshape(stack(inputs_of({0, 0, top, bottom, left, right, 0, 0})), {4, 2});
  return batch.as_given(with_shape(pad(images, frame), {sizes.batch, height, width, sizes.depth}));
}

Tensor resize_with_crop_or_pad(const Input& image, const Input& target_height, const Input& target_width) {
  Composite scope({{"image", image}, {"target_height", target_height}, {"target_width", target_width}}, {},
                  "resize_image_with_crop_or_pad", image.where());
  const Batch batch = as_batch(scope.convert(image, "image"));
  Extent height = Extent::of(target_height);
  Extent width = Extent::of(target_width);
  ExtentChecks checks;
  checks.operations = checks_of_image(batch.images);
  checks.more_than(width, 0, "target_width must be > 0.");
  checks.more_than(height, 0, "target_height must be > 0.");
  const Tensor images = with_dependencies(checks.operations, batch.images);
  const auto checked = [&](const Extent& extent) {
    return extent.is_number() ? extent
                              : Extent(with_dependencies(checks.operations, *extent.input().tensor()));
  };
  height = checked(height);
  width = checked(width);
  const Sizes sizes = sizes_of(images);
  const Extent wider = width - sizes.width;
  const Extent crop_left = larger((-wider).half(), 0);
  const Extent pad_left = larger(wider.half(), 0);
  const Extent higher = height - sizes.height;
  const Extent crop_top = larger((-higher).half(), 0);
  const Extent pad_top = larger(higher.half(), 0);
  const Extent cropped_height = smaller(height, sizes.height);
  const Extent cropped_width = smaller(width, sizes.width);
  const Tensor cropped = crop_to_bounding_box(images, crop_top.input(), crop_left.input(),
                                              cropped_height.input(), cropped_width.input());
  const Tensor padded =
      pad_to_bounding_box(cropped, pad_top.input(), pad_left.input(), height.input(), width.input());
  const Sizes result = sizes_of(padded);
  ExtentChecks last;
  last.same(result.height, height, "resized height is not correct.");
  last.same(result.width, width, "resized width is not correct.");
  return batch.as_given(with_dependencies(last.operations, padded));
}

namespace {

const char* op_of(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::kBilinear:
      return "ResizeBilinear";
    case ResizeMethod::kNearestNeighbor:
      return "ResizeNearestNeighbor";
    case ResizeMethod::kBicubic:
      return "ResizeBicubic";
    case ResizeMethod::kArea:
      return "ResizeArea";
  }
  throw ValueError(fmt::format("Resize method is not implemented: {}", static_cast<int>(method)));
}

/// As much of `size` as the shape of the images allows without changing it.
Tensor size_of_same_aspect(Composite& scope, const Tensor& images, const Tensor& size) {
  const Sizes sizes = sizes_of(images);
  const auto factor = [&](int i, const Extent& current) {
    const Tensor wanted = cast(size[i], DType::kFloat32);
    return wanted / cast(current.input(), DType::kFloat32);
  };
  const Tensor vertical = factor(0, sizes.height);
  const Tensor horizontal = factor(1, sizes.width);
  const Tensor scale = minimum(vertical, horizontal);
  const auto scaled = [&](const Extent& current) {
    return cast(round(scale * cast(current.input(), DType::kFloat32)), DType::kInt32);
  };
  const Tensor height = scaled(sizes.height);
  const Tensor width = scaled(sizes.width);
  return tensor_of(pack_inputs(scope.graph(), {height, width}, DType::kInvalid, "size"));
}

}  // namespace

Tensor resize(const Input& images, const Input& size, const ResizeOptions& options) {
  Composite scope({{"images", images}, {"size", size}}, options.name, "resize", images.where());
  const Tensor given = scope.convert(images, "images");
  const int rank = given.shape().rank();
  if (rank < 0) throw ValueError("'images' contains no shape.");
  if (rank != 3 && rank != 4) throw ValueError("'images' must have either 3 or 4 dimensions.");
  const Batch batch = {rank == 3 ? expand_dims(given, 0) : given, rank == 3};
  Tensor wanted;
  try {
    wanted = scope.convert(size, "size", DType::kInt32);
  } catch (const TypeError&) {
    throw ValueError("'size' must be a 1-D int32 Tensor");
  }
  if (base_dtype(wanted.dtype()) != DType::kInt32) throw ValueError("'size' must be a 1-D int32 Tensor");
  if (!wanted.shape().is_compatible_with({2})) {
    throw ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width");
  }
  if (options.preserve_aspect_ratio) wanted = size_of_same_aspect(scope, batch.images, wanted);
  const TensorShape known = graph::constant_value_as_shape(endpoint_of(wanted));
  const int64_t height = known.rank() == 2 ? known.dim(0) : -1;
  const int64_t width = known.rank() == 2 ? known.dim(1) : -1;
  const TensorShape& shape = batch.images.shape();
  if (height >= 0 && width >= 0 && shape.dim(1) == height && shape.dim(2) == width) {
    return batch.as_given(batch.images);
  }
  Tensor resized = apply_op({.op = op_of(options.method),
                             .args = {batch.images, wanted},
                             .attrs = {{"align_corners", options.align_corners}}});
  resized.set_shape({-1, height, width, -1});
  return batch.as_given(resized);
}

Tensor resize_image_with_pad(const Input& image, const Input& target_height, const Input& target_width,
                             const ResizeWithPadOptions& options) {
  Composite scope({{"image", image}, {"target_height", target_height}, {"target_width", target_width}}, {},
                  "resize_image_with_pad", image.where());
  const Batch batch = as_batch(scope.convert(image, "image"));
  const Extent target[2] = {Extent::of(target_height), Extent::of(target_width)};
  ExtentChecks checks;
  checks.operations = checks_of_image(batch.images);
  checks.more_than(target[1], 0, "target_width must be > 0.");
  checks.more_than(target[0], 0, "target_height must be > 0.");
  const Tensor images = with_dependencies(checks.operations, batch.images);
  const Sizes sizes = sizes_of(images);
  const auto as_float = [](const Extent& extent) { return cast(extent.input(), DType::kFloat32); };
  const auto as_int = [](const Tensor& x) { return cast(x, DType::kInt32); };
  const Tensor height = as_float(sizes.height);
  const Tensor width = as_float(sizes.width);
  const Tensor wanted_height = as_float(target[0]);
  const Tensor wanted_width = as_float(target[1]);
  const Tensor horizontal = width / wanted_width;
  const Tensor ratio = maximum(horizontal, height / wanted_height);
  const Tensor scaled_height = height / ratio;
  const Tensor scaled_width = width / ratio;
  const Tensor new_height = as_int(floor(scaled_height));
  const Tensor new_width = as_int(floor(scaled_width));
  const Tensor above = (wanted_height - scaled_height) / 2;
  const Tensor beside = (wanted_width - scaled_width) / 2;
  const Tensor whole_above = floor(above);
  const Tensor whole_beside = floor(beside);
  const Tensor top = maximum(0, as_int(whole_above));
  const Tensor left = maximum(0, as_int(whole_beside));
  const Tensor resized = resize(images, Input::list({new_height, new_width}),
                                {.method = options.method, .align_corners = options.align_corners});
  const Tensor padded = pad_to_bounding_box(resized, top, left, target[0].input(), target[1].input());
  sizes_of(padded);
  return batch.as_given(padded);
}

}  // namespace flowray::tf::image
