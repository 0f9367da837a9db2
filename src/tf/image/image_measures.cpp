#include <flowray/tf/debugging.h>
#include <flowray/tf/image.h>
#include <flowray/tf/math.h>

#include "tf/functions/sliced.h"
#include "tf/image/image_batches.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace flowray::tf::image {

Tensor per_image_standardization(const Input& image) {
  Composite scope({{"image", image}}, {}, "per_image_standardization", image.where());
  const Tensor pixels = cast(checked_image(scope.convert(image, "image")), DType::kFloat32);
  const Tensor count = reduce_prod(shape(pixels)[Slice{.start = -3}]);
  const Input axes = Array(std::vector<int32_t>{-1, -2, -3});
  const Tensor mean = reduce_mean(pixels, axes, {.keepdims = true});
  const Tensor spread = math::reduce_std(pixels, {.axis = axes, .keepdims = true});
  const Tensor least = rsqrt(cast(count, DType::kFloat32));
  const Tensor divisor = maximum(spread, least);
  return divide(pixels - mean, divisor, {.name = scope.result_name()});
}

namespace {

/// The differences to the next pixel along a dimension of `rank`.
Tensor differences(const Tensor& images, int dimension, int rank) {
  const auto part = [&](const Slice& slice) {
    std::vector<Index> indices(static_cast<size_t>(rank), Index(Slice{}));
    indices[static_cast<size_t>(dimension)] = Index(slice);
    return sliced(images, indices);
  };
  const Tensor later = part({.start = 1});
  return later - part({.stop = -1});
}

}  // namespace

Tensor total_variation(const Input& images, const NameOption& options) {
  Composite scope({{"images", images}}, options.name, "total_variation", images.where());
  const Tensor pixels = scope.convert(images, "images");
  const int rank = pixels.shape().rank();
  if (rank != 3 && rank != 4) throw ValueError("'images' must be either 3 or 4-dimensional.");
  const Tensor vertical = differences(pixels, rank - 3, rank);
  const Tensor horizontal = differences(pixels, rank - 2, rank);
  const OptionalInput axes = rank == 3 ? OptionalInput() : OptionalInput({1, 2, 3});
  const Tensor sum = reduce_sum(abs(vertical), {.axis = axes});
  return sum + reduce_sum(abs(horizontal), {.axis = axes});
}

namespace {

/// Operations that check that both are images of one size.
std::vector<Dependency> same_size(const Tensor& a, const Tensor& b) {
  for (const Tensor* image : {&a, &b}) {
    if (image->shape().has_rank() && image->shape().rank() < 3) {
      throw ValueError(fmt::format("Shape {} must have rank at least 3", image->shape().to_tuple_string()));
    }
  }
  if (a.shape().has_rank() && b.shape().has_rank()) {
    TensorShape inner[2];
    for (int i = -3; i < 0; ++i) {
      inner[0].push_back(a.shape().dim(i));
      inner[1].push_back(b.shape().dim(i));
    }
    if (!inner[0].is_compatible_with(inner[1])) {
      throw ValueError(fmt::format("Shapes {} and {} are incompatible", inner[0].to_tuple_string(),
                                   inner[1].to_tuple_string()));
    }
  }
  const std::vector<Tensor> shapes = shape_n({a, b});
  const Tensor enough = greater_equal(size(shapes[0]), 3);
  const Operation large = Assert(enough, {shapes[0], shapes[1]}, 10);
  const Tensor inner_a = shapes[0][Slice{.start = -3}];
  const Tensor inner_b = shapes[1][Slice{.start = -3}];
  const Operation same = Assert(reduce_all(equal(inner_a, inner_b)), {shapes[0], shapes[1]}, 10);
  return {large, same};
}

}  // namespace

Tensor psnr(const Input& a, const Input& b, const Input& max_val, const NameOption& options) {
  Composite scope({{"a", a}, {"b", b}, {"max_val", max_val}}, options.name, "PSNR", a.where());
  const DType dtype = base_dtype(scope.convert(a, "image").dtype());
  const Tensor most = convert_image_dtype(cast(max_val, dtype), DType::kFloat32);
  const Tensor first = convert_image_dtype(a, DType::kFloat32);
  const Tensor second = convert_image_dtype(b, DType::kFloat32);
  const Tensor error = reduce_mean(squared_difference(first, second), {-3, -2, -1});
  const Tensor peak = 20 * log(most);
  const Tensor decibels = peak / log(10.0);
  const Tensor noise = Array(static_cast<float>(10 / std::log(10.0))) * log(error);
  const Tensor ratio = subtract(decibels, noise, {.name = "psnr"});
  const auto after = control_dependencies(same_size(first, second));
  return identity(ratio);
}

Gradients image_gradients(const Input& image) {
  const CallScope call({{"image", image}});
  const Tensor pixels = convert_to_tensor(image);
  if (pixels.shape().rank() != 4) {
    throw ValueError(fmt::format("image_gradients expects a 4D tensor [batch_size, h, w, d], not {}.",
                                 pixels.shape().to_tuple_string()));
  }
  const Tensor sizes = shape(pixels);
  const std::vector<Tensor> size = unstack(sizes);
  const Tensor down = differences(pixels, 1, 4);
  const Tensor right = differences(pixels, 2, 4);
  const auto with_zeros = [&](const Tensor& gradient, int dimension) {
    std::vector<Input> edge(size.begin(), size.end());
    edge[static_cast<size_t>(dimension)] = 1;
    const Tensor nothing = zeros(stack(edge), base_dtype(pixels.dtype()));
    return reshape(concat({gradient, nothing}, dimension), sizes);
  };
  const Tensor dy = with_zeros(down, 1);
  return {dy, with_zeros(right, 2)};
}

Tensor sobel_edges(const Input& image) {
  const CallScope call({{"image", image}});
  graph::Graph& graph = call.graph();
  const Tensor pixels = convert_to_tensor(image);
  const Tensor sizes = shape(pixels);
  // [height, width, 1, filter]: the first filter is the second one turned.
  const Array filters =
      Array(std::vector<int32_t>{-1, -1, -2, 0, -1, 1, 0, -2, 0, 0, 0, 2, 1, -1, 2, 0, 1, 1});
  const Tensor kernels = constant(filters.reshape({3, 3, 1, 2}), base_dtype(pixels.dtype()));
  const Tensor channels = sizes[-1];
  const Tensor tiled = tile(kernels, {1, 1, channels, 1}, {.name = "sobel_filters"});
  const Tensor padded = pad(pixels, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}, {.mode = "REFLECT"});
  const Tensor edges = [&] {
    const graph::NameScope scope(graph, "depthwise");
    shape(tiled);
    constant({1, 1}, {.name = "dilation_rate"});
    return apply_op(
        {.op = "DepthwiseConv2dNative",
         .name = scope.path(),
         .args = {Input(padded), Input(tiled)},
         .attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("VALID")}}});
  }();
  Tensor result = reshape(edges, concat({sizes, {2}}, 0));
  result.set_shape(pixels.shape().concatenate({2}));
  return result;
}

Tensor non_max_suppression(const Input& boxes, const Input& scores, const Input& max_output_size,
                           const NonMaxSuppressionOptions& options) {
  Composite scope({{"boxes", boxes},
                   {"scores", scores},
                   {"max_output_size", max_output_size},
                   {"iou_threshold", options.iou_threshold},
                   {"score_threshold", options.score_threshold}},
                  options.name, "non_max_suppression", boxes.where());
  const Tensor overlap = scope.convert(options.iou_threshold, "iou_threshold");
  const Input lowest = options.score_threshold.has_value() ? *options.score_threshold
                                                           : Input(-std::numeric_limits<double>::infinity());
  const Tensor least = scope.convert(lowest, "score_threshold");
  return apply_op({.op = "NonMaxSuppressionV3", .args = {boxes, scores, max_output_size, overlap, least}});
}

}  // namespace flowray::tf::image
