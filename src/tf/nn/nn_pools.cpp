#include <flowray/tf/array.h>
#include <flowray/tf/nn.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/nn/gapped_windows.h"
#include "tf/nn/window_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::tf::nn {
namespace {

using Sizes = std::vector<int64_t>;
using Pool = Tensor (*)(const Input&, const PoolOptions&);

/// A pool of images of one row.
Tensor pool_lines(const Input& value, const PoolOptions& options, const char* default_name, Pool pool) {
  Composite call({{"value", value}}, options.name, default_name, value.where());
  const bool channels_first = has_channels_first(options.data_format);
  const auto of_rows = [&](const Sizes& sizes, const char* name) {
    Sizes all = window_sizes(sizes, 1, options.data_format, name);
    all.insert(all.begin() + (channels_first ? 2 : 1), 1);
    return all;
  };
  const Sizes ksize = of_rows(options.ksize, "ksize");
  const Sizes strides = of_rows(options.strides, "strides");
  const int axis = channels_first ? 2 : 1;
  const Tensor images = expand_dims(tensor_of(call.convert(value, "value")), axis);
  const Tensor result = pool(images, {.ksize = ksize,
                                      .strides = strides,
                                      .padding = options.padding,
                                      .data_format = channels_first ? "NCHW" : "NHWC",
                                      .name = call.result_name()});
  return squeeze(result, axis);
}

Tensor pool_rooms(const char* op, const Input& value, const PoolOptions& options) {
  const ErrorLine errors(value.where());
  check_set(value, "value");
  const std::string format =
      options.data_format.empty() || options.data_format == "NHWC" ? "NDHWC" : options.data_format;
  return apply_op({.op = op,
                   .name = options.name,
                   .args = {value},
                   .attrs = {{"ksize", window_sizes(options.ksize, 3, format, "ksize")},
                             {"strides", window_sizes(options.strides, 3, format, "strides")},
                             {"padding", options.padding},
                             {"data_format", format}}});
}

/// How many spatial dimensions the value has; two where nothing says.
size_t dimensions_of(const Input& value, const PoolOptions& options) {
  check_set(value, "value");
  if (!options.data_format.empty() && options.data_format.size() >= 3) return options.data_format.size() - 2;
  const Tensor* const tensor = value.tensor();
  if (tensor == nullptr || !tensor->shape().has_rank()) return 2;
  const int rank = tensor->shape().rank();
  if (rank >= 3 && rank <= 5) return static_cast<size_t>(rank - 2);
  throw ValueError(fmt::format("`input.shape.rank` must be 3, 4 or 5. Received: input.shape={} of rank {}.",
                               tensor->shape().to_tuple_string(), rank));
}

struct PoolOfDimensions {
  Pool line, plane, room;
};

Tensor pool_of(const PoolOfDimensions& pools, size_t dimensions, const Input& value, PoolOptions options) {
  if (options.data_format.empty())
    options.data_format = dimensions == 1 ? "NWC" : dimensions == 2 ? "NHWC" : "NDHWC";
  const Pool chosen = dimensions == 1 ? pools.line : dimensions == 2 ? pools.plane : pools.room;
  return chosen(value, options);
}

}  // namespace

Tensor avg_pool1d(const Input& value, const PoolOptions& options) {
  return pool_lines(value, options, "AvgPool1D", &avg_pool);
}
Tensor max_pool1d(const Input& value, const PoolOptions& options) {
  return pool_lines(value, options, "MaxPool1d", &max_pool);
}
Tensor max_pool2d(const Input& value, const PoolOptions& options) {
  PoolOptions named = options;
  if (named.name.empty()) named.name = "MaxPool2d";
  return max_pool(value, named);
}
Tensor avg_pool3d(const Input& value, const PoolOptions& options) {
  return pool_rooms("AvgPool3D", value, options);
}
Tensor max_pool3d(const Input& value, const PoolOptions& options) {
  return pool_rooms("MaxPool3D", value, options);
}

Tensor avg_pool_v2(const Input& value, const PoolOptions& options) {
  return pool_of({&avg_pool1d, &avg_pool, &avg_pool3d}, dimensions_of(value, options), value, options);
}
Tensor max_pool_v2(const Input& value, const PoolOptions& options) {
  return pool_of({&max_pool1d, &max_pool2d, &max_pool3d}, dimensions_of(value, options), value, options);
}

namespace {

void check_pool(const Sizes& window, const Sizes& strides, const Sizes& rates, const std::string& padding) {
  const auto above_one = [](const Sizes& sizes) {
    return std::ranges::any_of(sizes, [](int64_t size) { return size > 1; });
  };
  const auto text = [](const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, " ")); };
  if (above_one(rates) && above_one(strides)) {
    throw ValueError(
        fmt::format("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                    "strides={} and dilation_rate={}",
                    text(strides), text(rates)));
  }
  if (padding == "SAME" && above_one(rates)) {
    throw ValueError(
        fmt::format("pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
                    "padding={} and dilation_rate={}",
                    padding, text(rates)));
  }
  for (size_t i = 0; i < window.size(); ++i) {
    if (strides[i] <= window[i]) continue;
    throw ValueError(fmt::format(
        "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations. "
        "Received: strides={} and window_shape={}",
        text(strides), text(window)));
  }
}

/// One of each spatial dimension; empty: 1.
Sizes of_window(const Sizes& given, const Sizes& window, const char* name) {
  if (given.empty()) return Sizes(window.size(), 1);
  if (given.size() == window.size()) return given;
  throw ValueError(fmt::format("`len({0})` should be {1}. Received: {0}=[{2}] of length {3}", name,
                               window.size(), fmt::join(given, ", "), given.size()));
}

}  // namespace

Tensor pool(const Input& input, const std::vector<int64_t>& window_shape, const AnyPoolOptions& options) {
  const bool greatest = options.pooling_type == "MAX";
  Composite call({{"input", input}}, options.name, greatest ? "max_pool" : "avg_pool", input.where());
  const Tensor images = call.convert(input, "input");
  const size_t dimensions = window_shape.size();
  if (dimensions < 1 || dimensions > 3) {
    throw ValueError(
        fmt::format("`len(window_shape)` must be 1, 2, or 3. Received: window_shape=[{}] of length {}",
                    fmt::join(window_shape, ", "), dimensions));
  }
  const Sizes strides = of_window(options.strides, window_shape, "strides");
  const Sizes rates = of_window(options.dilation_rate, window_shape, "dilation_rate");
  check_pool(window_shape, strides, rates, options.padding);
  if (!greatest && options.pooling_type != "AVG") {
    throw ValueError(fmt::format("{}-D {} pooling is not supported.", dimensions, options.pooling_type));
  }
  const PoolOfDimensions pools = greatest ? PoolOfDimensions{&max_pool1d, &max_pool, &max_pool3d}
                                          : PoolOfDimensions{&avg_pool1d, &avg_pool, &avg_pool3d};
  const SpaceToBatchOptions gaps = {
      .rates = rates, .padding = options.padding, .window = window_shape, .names_no_rates = true};
  return with_space_to_batch(images, gaps, [&](const Tensor& dealt, const std::string& padding) {
    return pool_of(pools, dimensions, dealt,
                   {.ksize = window_shape,
                    .strides = strides,
                    .padding = padding,
                    .data_format = options.data_format,
                    .name = call.result_name()});
  });
}

}  // namespace flowray::tf::nn
