#include <flowray/tf/array.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "ops/python_nodes/python_nodes.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/nn/gapped_windows.h"
#include "tf/nn/window_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace flowray::tf::nn {
namespace {

using Sizes = std::vector<int64_t>;

/// The format of images of one row as that of a line.
const char* format_of_rows(const std::string& line_format) {
  if (line_format.empty() || line_format == "NWC") return "NHWC";
  if (line_format == "NCW") return "NCHW";
  throw ValueError(
      fmt::format("`data_format` must be 'NWC' or 'NCW'. Received: data_format={}", line_format));
}

/// A convolution of a batch of lines: conv2d of images of one row, in the current scopes.
Tensor convolve_lines(const Tensor& lines, const Tensor& filter, const Conv1dOptions& options) {
  const std::string format = format_of_rows(options.data_format);
  const int axis = has_channels_first(format) ? -2 : -3;
  const Tensor images = expand_dims(lines, axis);
  const Tensor kernel = expand_dims(filter, 0);
  const auto of_rows = [&](const Sizes& sizes, const char* name) {
    Sizes all = window_sizes(sizes, 1, format, name);
    all.insert(has_channels_first(format) ? all.begin() + 2 : all.begin() + 1, 1);
    return all;
  };
  const Tensor result = conv2d(images, kernel,
                               {.strides = of_rows(options.strides, "stride"),
                                .padding = options.padding,
                                .data_format = format,
                                .dilations = of_rows(options.dilations, "dilations"),
                                .name = options.name});
  return squeeze(result, axis);
}

/// The convolution of `dimensions` spatial dimensions without gaps.
Tensor convolve(size_t dimensions, const Tensor& images, const Tensor& filter, const Sizes& strides,
                const std::string& padding, const std::string& data_format, const std::string& name) {
  if (dimensions == 1) {
    return convolve_lines(images, filter,
                          {.strides = strides, .padding = padding, .data_format = data_format, .name = name});
  }
  const std::string format = !data_format.empty() ? data_format : dimensions == 2 ? "NHWC" : "NDHWC";
  const Sizes all = window_sizes(strides, dimensions, format, "strides");
  if (dimensions == 2)
    return conv2d(images, filter, {.strides = all, .padding = padding, .data_format = format, .name = name});
  return conv3d(images, filter, {.strides = all, .padding = padding, .data_format = format, .name = name});
}

std::string list_text(const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, " ")); }

/// One of each spatial dimension; empty: 1.
Sizes of_dimensions(const Sizes& given, size_t dimensions, const char* name) {
  if (given.empty()) return Sizes(dimensions, 1);
  if (given.size() != dimensions) {
    throw ValueError(fmt::format("`len({0})` should be {1}. Received: {0}=[{2}] of length {3}", name,
                                 dimensions, fmt::join(given, ", "), given.size()));
  }
  if (std::ranges::any_of(given, [](int64_t size) { return size < 1; }))
    throw ValueError(
        fmt::format("all values of `{0}` must be positive. Received: {0}={1}", name, list_text(given)));
  return given;
}

bool any_above_one(const Sizes& sizes) {
  return std::ranges::any_of(sizes, [](int64_t size) { return size > 1; });
}

void check_channels_last(const std::string& data_format, const char* function) {
  if (!has_channels_first(data_format)) return;
  throw errors::UnimplementedError(fmt::format(
      "{} with gaps of images with their channels first is not there yet: transpose them to channels last",
      function));
}

/// "SpaceToBatchND" knows the filter's sizes only from its shape.
Sizes known_window(const Tensor& filter, size_t dimensions) {
  Sizes window;
  for (size_t i = 0; i < dimensions; ++i) window.push_back(filter.shape().dim(static_cast<int>(i)));
  return window;
}

}  // namespace

Tensor conv1d(const Input& input, const Input& filter, const Conv1dOptions& options) {
  Composite call({{"input", input}, {"filter", filter}}, options.name, "conv1d", input.where());
  const Tensor lines = call.convert(input, "input");
  const Tensor kernel = call.convert(filter, "filters");
  Conv1dOptions inner = options;
  inner.name = call.result_name();
  return convolve_lines(lines, kernel, inner);
}

Tensor conv3d(const Input& input, const Input& filter, const Conv3dOptions& options) {
  return apply_op({.op = "Conv3D",
                   .name = options.name,
                   .args = {input, filter},
                   .attrs = {{"strides", options.strides},
                             {"padding", options.padding},
                             {"data_format", options.data_format},
                             {"dilations", options.dilations}}});
}

Tensor convolution(const Input& input, const Input& filter, const ConvolutionOptions& options) {
  Composite call({{"input", input}, {"filter", filter}}, options.name, "convolution", input.where());
  const Tensor images = call.convert(input, "input");
  const Tensor kernel = call.convert(filter, "filters");
  const TensorShape& known = kernel.shape().has_rank() ? kernel.shape() : images.shape();
  if (!known.has_rank()) {
    throw ValueError(
        fmt::format("When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` "
                    "must be known. "
                    "Received: input.shape={} of rank None and `filters.shape={}` of rank None",
                    images.shape().to_tuple_string(), kernel.shape().to_tuple_string()));
  }
  const int rank = known.rank() - 2;
  if (rank < 1 || rank > 3)
    throw ValueError(
        fmt::format("`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={}.", rank));
  const auto dimensions = static_cast<size_t>(rank);
  const Sizes strides = of_dimensions(options.strides, dimensions, "strides");
  const Sizes rates = of_dimensions(options.dilation_rate, dimensions, "dilation_rate");
  if (any_above_one(rates)) {
    if (any_above_one(strides)) {
      throw ValueError(fmt::format(
          "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={} and "
          "dilation_rate={}",
          list_text(strides), list_text(rates)));
    }
    check_channels_last(options.data_format, "convolution");
  }
  // TensorFlow names all of the filter's sizes.
  return with_space_to_batch(
      images, {.rates = rates, .padding = options.padding, .window = known_window(kernel, dimensions + 2)},
      [&](const Tensor& dealt, const std::string& padding) {
        return convolve(dimensions, dealt, kernel, strides, padding, options.data_format, call.result_name());
      });
}

// ---- with holes

Tensor atrous_conv2d(const Input& value, const Input& filters, int64_t rate, const AtrousOptions& options) {
  const ErrorLine errors(value.where());
  check_set(value, "value");
  check_set(filters, "filters");
  return convolution(value, filters,
                     {.padding = options.padding, .dilation_rate = {rate, rate}, .name = options.name});
}

Tensor atrous_conv2d_transpose(const Input& value, const Input& filters,
                               const std::vector<int64_t>& output_shape, int64_t rate,
                               const AtrousOptions& options) {
  Composite call({{"value", value}, {"filters", filters}}, options.name, "atrous_conv2d_transpose",
                 value.where());
  const Tensor images = call.convert(value, "value");
  const Tensor kernel = call.convert(filters, "filters");
  if (rate < 1) throw ValueError(fmt::format("`rate` cannot be less than one. Received: rate={}", rate));
  if (output_shape.size() != 4) {
    throw ValueError(fmt::format("`output_shape` must have shape (4,). Received: output_shape=[{}]",
                                 fmt::join(output_shape, ", ")));
  }
  if (rate == 1)
    return conv2d_transpose(images, kernel, output_shape,
                            {.strides = {1, 1, 1, 1}, .padding = options.padding});
  call.convert(output_shape, "output_shape", DType::kInt32);
  struct Side {
    int64_t before, after, whole, rest;
  };
  std::array<Side, 2> sides;
  for (const int i : {0, 1}) {
    const int64_t size = kernel.shape().dim(i);
    const int64_t all = options.padding == "SAME" ? size + (size - 1) * (rate - 1) - 1 : 0;
    Side& side = sides[static_cast<size_t>(i)];
    side.before = all / 2;
    side.whole = output_shape[static_cast<size_t>(i) + 1] + all;
    side.rest = (rate - side.whole % rate) % rate;
    side.after = all - side.before + side.rest;
  }
  const auto matrix = [](int64_t a, int64_t b, int64_t c, int64_t d) {
    const auto narrow = [](int64_t size) { return static_cast<int32_t>(size); };
    return Array(std::vector<int32_t>{narrow(a), narrow(b), narrow(c), narrow(d)}).reshape({2, 2});
  };
  const Array block_shape(std::vector<int64_t>{rate, rate});
  const Array paddings = matrix(0, sides[0].rest, 0, sides[1].rest);
  const Tensor dealt = apply_op({.op = "SpaceToBatchND", .args = {images, block_shape, paddings}});
  const Array sizes(std::vector<int32_t>{static_cast<int32_t>(rate * rate * output_shape[0]),
                                         static_cast<int32_t>((sides[0].whole + sides[0].rest) / rate),
                                         static_cast<int32_t>((sides[1].whole + sides[1].rest) / rate),
                                         static_cast<int32_t>(output_shape[3])});
  const Tensor done = conv2d_transpose(
      dealt, kernel, sizes, {.strides = {1, 1, 1, 1}, .padding = "VALID", .name = "Conv2DBackpropInput"});
  const Array crops = matrix(sides[0].before, sides[0].after, sides[1].before, sides[1].after);
  return apply_op({.op = "BatchToSpaceND", .args = {done, block_shape, crops}});
}

// ---- by depth

namespace {

Tensor depthwise_with_gaps(Composite& call, const Tensor& images, const Tensor& filter,
                           const DepthwiseOptions& options, const std::string& name) {
  ops::python_shape(call.builder(), endpoint_of(filter));
  const Sizes rates = options.rate.empty() ? Sizes{1, 1} : options.rate;
  if (any_above_one(rates)) check_channels_last(options.data_format, "depthwise_conv2d");
  const SpaceToBatchOptions gaps = {.rates = rates,
                                    .padding = options.padding,
                                    .window = known_window(filter, 2),
                                    .names_window = false,
                                    .names_no_rates = true};
  return with_space_to_batch(images, gaps, [&](const Tensor& dealt, const std::string& padding) {
    return depthwise_conv2d_native(
        dealt, filter,
        {.strides = options.strides, .padding = padding, .data_format = options.data_format, .name = name});
  });
}

}  // namespace

Tensor depthwise_conv2d(const Input& input, const Input& filter, const DepthwiseOptions& options) {
  Composite call({{"input", input}, {"filter", filter}}, options.name, "depthwise", input.where());
  const Tensor images = call.convert(input, "tensor_in");
  const Tensor kernel = call.convert(filter, "filter_in");
  return depthwise_with_gaps(call, images, kernel, options, call.result_name());
}

Tensor depthwise_conv2d_native(const Input& input, const Input& filter,
                               const DepthwiseNativeOptions& options) {
  return apply_op({.op = "DepthwiseConv2dNative",
                   .name = options.name,
                   .args = {input, filter},
                   .attrs = {{"strides", options.strides},
                             {"padding", options.padding},
                             {"data_format", options.data_format},
                             {"dilations", options.dilations}}});
}

Tensor separable_conv2d(const Input& input, const Input& depthwise_filter, const Input& pointwise_filter,
                        const DepthwiseOptions& options) {
  Composite call(
      {{"input", input}, {"depthwise_filter", depthwise_filter}, {"pointwise_filter", pointwise_filter}},
      options.name, "separable_conv2d", input.where());
  const Tensor images = call.convert(input, "tensor_in");
  const Tensor by_depth = call.convert(depthwise_filter, "depthwise_filter");
  const Tensor mixture = call.convert(pointwise_filter, "pointwise_filter");
  for (const int i : {0, 1}) {
    const int64_t size = mixture.shape().has_rank() ? mixture.shape().dim(i) : 1;
    if (size > 1) throw ValueError(fmt::format("Dimensions {} and 1 are not compatible", size));
  }
  const Tensor channels = depthwise_with_gaps(call, images, by_depth, options, "depthwise");
  return conv2d(channels, mixture,
                {.strides = {1, 1, 1, 1},
                 .padding = "VALID",
                 .data_format = options.data_format,
                 .name = call.result_name()});
}

// ---- transposed

namespace {

/// output_shape with a dimension of size 1 at `axis`.
Tensor with_one(Composite& call, const Input& output_shape, int axis) {
  check_set(output_shape, "output_shape");
  const Array one(std::vector<int32_t>{1});
  if (output_shape.tensor() != nullptr) {
    const Tensor& sizes = *output_shape.tensor();
    const Tensor before = sizes[{Slice{.stop = axis}}];
    const Tensor behind = sizes[{Slice{.start = axis}}];
    return concat({before, one, behind}, 0);
  }
  const Array* const array = output_shape.array();
  if (array == nullptr && output_shape.literal() == nullptr)
    return with_one(call, tensor_of(call.convert(output_shape, "output_shape")), axis);
  const Array all = (array != nullptr ? *array : output_shape.literal()->to_array()).astype(DType::kInt32);
  std::vector<int32_t> before;
  std::vector<int32_t> behind;
  for (int64_t i = 0; i < all.size(); ++i) (i < axis ? before : behind).push_back(all.data<int32_t>()[i]);
  return concat({Input(Array(before)), Input(one), Input(Array(behind))}, 0);
}

}  // namespace

Tensor conv1d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const ConvTransposeOptions& options) {
  Composite call({{"value", value}, {"filter", filter}, {"output_shape", output_shape}}, options.name,
                 "conv1d_transpose", value.where());
  const std::string format = format_of_rows(options.data_format);
  const int axis = has_channels_first(format) ? 2 : 1;
  const auto of_rows = [&](const Sizes& sizes, const char* name) {
    Sizes all = window_sizes(sizes, 1, format, name);
    all.insert(all.begin() + axis, 1);
    return all;
  };
  const Sizes strides = of_rows(options.strides, "strides");
  const Sizes dilations = of_rows(options.dilations, "dilations");
  const Tensor images = expand_dims(value, axis);
  const Tensor kernel = expand_dims(filter, 0);
  const Tensor sizes = with_one(call, output_shape, axis);
  const Tensor result = conv2d_transpose(images, kernel, sizes,
                                         {.strides = strides,
                                          .padding = options.padding,
                                          .data_format = format,
                                          .dilations = dilations,
                                          .name = call.result_name()});
  return squeeze(result, axis);
}

Tensor conv3d_transpose(const Input& value, const Input& filter, const Input& output_shape,
                        const ConvTransposeOptions& options) {
  const ErrorLine errors(value.where());
  check_set(value, "value");
  check_set(filter, "filter");
  check_set(output_shape, "output_shape");
  const std::string format = options.data_format.empty() ? "NDHWC" : options.data_format;
  return apply_op({.op = "Conv3DBackpropInputV2",
                   .name = options.name.empty() ? "conv3d_transpose" : options.name,
                   .args = {output_shape, filter, value},
                   .attrs = {{"strides", window_sizes(options.strides, 3, format, "strides")},
                             {"padding", options.padding},
                             {"data_format", format},
                             {"dilations", window_sizes(options.dilations, 3, format, "dilations")}}});
}

Tensor conv_transpose(const Input& value, const Input& filter, const Input& output_shape,
                      const ConvTransposeOptions& options) {
  Composite call({{"value", value}, {"filter", filter}, {"output_shape", output_shape}}, options.name,
                 "conv_transpose", value.where());
  const int64_t length = output_shape.tensor() != nullptr    ? output_shape.tensor()->shape().dim(0)
                         : output_shape.array() != nullptr   ? output_shape.array()->size()
                         : output_shape.literal() != nullptr ? output_shape.literal()->to_array().size()
                         : output_shape.list() != nullptr ? static_cast<int64_t>(output_shape.list()->size())
                                                          : -1;
  ConvTransposeOptions inner = options;
  inner.name = call.result_name();
  if (length == 3) return conv1d_transpose(value, filter, output_shape, inner);
  if (length == 5) return conv3d_transpose(value, filter, output_shape, inner);
  if (length == 4) {
    const std::string format = options.data_format.empty() ? "NHWC" : options.data_format;
    return conv2d_transpose(value, filter, output_shape,
                            {.strides = options.strides,
                             .padding = options.padding,
                             .data_format = format,
                             .dilations = window_sizes(options.dilations, 2, format, "dilations"),
                             .name = inner.name});
  }
  throw ValueError(
      fmt::format("output_shape must be of length {} or {} or {}. Received: output_shape of length {}.", 3, 4,
                  5, length));
}

}  // namespace flowray::tf::nn
