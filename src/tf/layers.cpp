#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/nn_convolutions.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "graph/graph.h"
#include "tf/apply_op.h"
#include "tf/layer_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

namespace flowray::tf {
namespace layers {
namespace {

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string text_of(const std::vector<int64_t>& numbers) {
  return fmt::format("({})", fmt::join(numbers, ", "));
}

/// Rows and columns, of one number or two. Both must be at least `least`.
std::vector<int64_t> pair_of(const std::vector<int64_t>& sizes, const char* argument, int64_t least) {
  if (sizes.size() != 1 && sizes.size() != 2) {
    throw ValueError(fmt::format("The `{}` argument must be a tuple of 2 integers. Received: {}", argument,
                                 text_of(sizes)));
  }
  if (std::ranges::any_of(sizes, [&](int64_t size) { return size < least; })) {
    throw ValueError(
        fmt::format("The `{}` argument must be a tuple of 2 integers. Received: {}, of which one is less "
                    "than {}.",
                    argument, text_of(sizes), least));
  }
  return {sizes.front(), sizes.back()};
}

/// Whether images are [N,C,H,W], and not [N,H,W,C].
bool is_channels_first(const std::string& data_format) {
  const std::string word = in_capitals(data_format);
  if (word == "CHANNELS_LAST") return false;
  if (word == "CHANNELS_FIRST") return true;
  throw ValueError(fmt::format(
      "The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: {}",
      data_format));
}

const char* format_word(bool channels_first) { return channels_first ? "NCHW" : "NHWC"; }

/// Sizes of an image as sizes of a batch of images.
std::vector<int64_t> of_batch(const std::vector<int64_t>& sizes, bool channels_first) {
  if (channels_first) return {1, 1, sizes[0], sizes[1]};
  return {1, sizes[0], sizes[1], 1};
}

/// "VALID" or "SAME".
std::string padding_word(const std::string& padding) {
  std::string word = in_capitals(padding);
  if (word == "VALID" || word == "SAME") return word;
  if (word == "CAUSAL")
    throw ValueError("Causal padding is only supported for `Conv1D`and `SeparableConv1D`.");
  throw ValueError(
      fmt::format("The `padding` argument must be a list/tuple or one of \"valid\", \"same\" (or "
                  "\"causal\", only for `Conv1D). Received: {}",
                  padding));
}

Tensor as_tensor(const Input& inputs) {
  return tensor_of(convert_to_endpoint(graph_of({&inputs}), inputs, DType::kInvalid, "inputs"));
}

/// How errors call a layer: as the program does, else by what it is and a number.
std::string name_in_errors(const Tensor& inputs, const std::string& name, const char* kind) {
  if (!name.empty()) return name;
  struct Numbers {
    std::mutex mutex;  // guards what follows
    std::map<std::string, int> last;
  };
  auto& numbers = inputs.node()->graph().attachment<Numbers>("layer_numbers");
  const std::lock_guard lock(numbers.mutex);
  return fmt::format("{}_{}", kind, ++numbers.last[kind]);
}

enum class Rank { kExactly, kAtLeast };

void check_rank(const Tensor& inputs, const std::string& layer, Rank how, int rank) {
  const TensorShape& shape = inputs.shape();
  if (!shape.has_rank()) return;
  if (how == Rank::kExactly ? shape.rank() == rank : shape.rank() >= rank) return;
  throw ValueError(fmt::format(
      "Input 0 of layer \"{}\" is incompatible with the layer: expected {}={}, found ndim={}. Full shape "
      "received: {}",
      layer, how == Rank::kExactly ? "ndim" : "min_ndim", rank, shape.rank(), shape.to_tuple_string()));
}

/// What dense and conv2d have in common: a kernel, a bias, an activation.
template <class Options, class Multiply>
Tensor layer_of(const char* default_name, const Tensor& inputs, const TensorShape& kernel_shape,
                int64_t units, const char* format, const Options& options, const Multiply& multiply) {
  const GraphScope in_graph(inputs.graph().get());
  const bool reuses = options.reuse.mode() == Reuse::Mode::kYes || options.reuse.mode() == Reuse::Mode::kAuto;
  const std::string name = options.name.empty() && reuses ? default_name : options.name;
  const VariableScopeGuard scope =
      variable_scope(name, {.default_name = default_name, .reuse = options.reuse});
  const DType dtype = base_dtype(inputs.dtype());
  const Variable kernel = layer_variable("kernel", kernel_shape,
                                         {.dtype = dtype,
                                          .initializer = options.kernel_initializer,
                                          .regularizer = options.kernel_regularizer,
                                          .trainable = options.trainable});
  Variable bias;
  if (options.use_bias) {
    const Initializer initializer = options.bias_initializer ? options.bias_initializer : zeros_initializer();
    bias = layer_variable("bias", {units},
                          {.dtype = dtype,
                           .initializer = initializer,
                           .regularizer = options.bias_regularizer,
                           .trainable = options.trainable});
  }
  Tensor result = multiply(kernel);
  if (options.use_bias) result = nn::bias_add(result, bias, {.data_format = format});
  if (options.activation) result = options.activation(result);
  if (options.activity_regularizer) add_activity_loss(options.activity_regularizer, result);
  return result;
}

/// The same for kernels whose last dimension is that of the results.
template <class Options, class Multiply>
Tensor layer(const char* default_name, const Tensor& inputs, const TensorShape& kernel_shape,
             const char* format, const Options& options, const Multiply& multiply) {
  return layer_of(default_name, inputs, kernel_shape, kernel_shape.dim(-1), format, options, multiply);
}

}  // namespace

Tensor dense(const Input& inputs, int64_t units, const DenseOptions& options) {
  if (units < 0) {
    throw ValueError(fmt::format(
        "Received an invalid value for `units`, expected a positive integer. Received: units={}", units));
  }
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "dense"), Rank::kAtLeast, 2);
  if (const DType dtype = base_dtype(x.dtype()); !is_floating(dtype) && !is_complex(dtype)) {
    throw TypeError(fmt::format(
        "A Dense layer can only be built with a floating-point dtype. Received: dtype=<dtype: '{}'>",
        dtype_name(dtype)));
  }
  const TensorShape& shape = x.shape();
  if (!shape.has_rank() || shape.dim(-1) < 0) {
    throw ValueError(
        fmt::format("The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
                    "input shape received: {}",
                    shape.to_tuple_string()));
  }
  return layer("dense", x, {shape.dim(-1), units}, "NHWC", options, [&](const Variable& kernel) {
    if (shape.rank() == 2) return matmul(x, kernel);
    return tensordot(x, kernel, std::vector<int64_t>{shape.rank() - 1}, std::vector<int64_t>{0});
  });
}

namespace {

/// The arguments of conv2d, checked in the order in which TensorFlow looks at them.
struct Convolution {
  Convolution(int64_t filters, const std::vector<int64_t>& kernel_size, const Conv2dOptions& options) {
    if (filters <= 0) {
      throw ValueError(fmt::format(
          "Invalid value for argument `filters`. Expected a strictly positive value. Received filters={}.",
          filters));
    }
    size = pair_of(kernel_size, "kernel_size", 1);
    strides = pair_of(options.strides, "strides", 0);
    padding = padding_word(options.padding);
    channels_first = is_channels_first(options.data_format);
    rates = pair_of(options.dilation_rate, "dilation_rate", 1);
    if (std::ranges::min(strides) == 0) {
      throw ValueError(
          fmt::format("The argument `strides` cannot contains 0(s). Received: {}", text_of(strides)));
    }
    if (std::ranges::max(strides) > 1 && is_dilated()) {
      throw ValueError(
          fmt::format("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                      "strides={} and dilation_rate={}",
                      text_of(strides), text_of(rates)));
    }
    if (is_dilated() && channels_first) {
      throw errors::UnimplementedError(
          "tf::layers::conv2d has no dilation of images whose channels come first today: transpose them.");
    }
  }
  bool is_dilated() const { return std::ranges::max(rates) > 1; }

  std::vector<int64_t> size;
  std::vector<int64_t> strides;
  std::string padding;
  bool channels_first = false;
  std::vector<int64_t> rates;
};

}  // namespace

Tensor conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Conv2dOptions& options) {
  const Convolution call(filters, kernel_size, options);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "conv2d"), Rank::kAtLeast, 4);
  const TensorShape& images = x.shape();
  if (images.has_rank() && images.rank() > 4) {
    throw errors::UnimplementedError(
        fmt::format("tf::layers::conv2d takes one dimension of images today, but got shape {}.\nReshape them "
                    "to 4 dimensions.",
                    images.to_tuple_string()));
  }
  const int axis = call.channels_first ? 1 : -1;
  if (!images.has_rank() || images.dim(axis) < 0) {
    throw ValueError(
        fmt::format("The channel dimension of the inputs should be defined. The input_shape received is {}, "
                    "where axis {} (0-based) is the channel dimension.",
                    images.to_tuple_string(), axis));
  }
  const char* const format = format_word(call.channels_first);
  const TensorShape shape = {call.size[0], call.size[1], images.dim(axis), filters};
  return layer("conv2d", x, shape, format, options, [&](const Variable& kernel) {
    if (call.is_dilated()) {
      return nn::convolution(x, kernel,
                             {.padding = call.padding, .dilation_rate = call.rates, .name = "Conv2D"});
    }
    return nn::conv2d(x, kernel,
                      {.strides = of_batch(call.strides, call.channels_first),
                       .padding = call.padding,
                       .data_format = format});
  });
}

namespace {

/// The size of a transposed convolution's result; -1: not known.
int64_t transposed_size(int64_t size, int64_t kernel, int64_t stride, bool same) {
  if (size < 0) return -1;
  return same ? size * stride : size * stride + std::max<int64_t>(kernel - stride, 0);
}

/// The same where a tensor has the size.
Tensor transposed_size(const Tensor& size, int64_t kernel, int64_t stride, bool same) {
  Tensor result = size * static_cast<int32_t>(stride);
  if (!same) result = result + static_cast<int32_t>(std::max<int64_t>(kernel - stride, 0));
  return result;
}

}  // namespace

Tensor conv2d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const Conv2dTransposeOptions& options) {
  const Convolution call(
      filters, kernel_size,
      {.strides = options.strides, .padding = options.padding, .data_format = options.data_format});
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "conv2d_transpose"), Rank::kExactly, 4);
  const int axis = call.channels_first ? 1 : 3;
  if (!x.shape().has_rank() || x.shape().dim(axis) < 0) {
    throw ValueError(
        fmt::format("The channel dimension of the inputs to `Conv2DTranspose` should be defined. The "
                    "input_shape received is {}, "
                    "where axis {} (0-based) is the channel dimension.",
                    x.shape().to_tuple_string(), axis));
  }
  const char* const format = format_word(call.channels_first);
  const int height = call.channels_first ? 2 : 1;
  const bool same = call.padding == "SAME";
  const TensorShape kernel_shape = {call.size[0], call.size[1], filters, x.shape().dim(axis)};
  return layer_of("conv2d_transpose", x, kernel_shape, filters, format, options, [&](const Variable& kernel) {
    const Tensor sizes = tf::shape(x);
    const Tensor batch = sizes[0];
    std::vector<Input> images;
    std::vector<int64_t> known;
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t size = transposed_size(x.shape().dim(height + i), call.size[at], call.strides[at], same);
      known.push_back(size);
      if (size >= 0) {
        images.emplace_back(static_cast<int32_t>(size));
      } else {
        images.emplace_back(transposed_size(sizes[height + i], call.size[at], call.strides[at], same));
      }
    }
    const Input channels = static_cast<int32_t>(filters);
    const std::vector<Input> wanted = call.channels_first
                                          ? std::vector<Input>{batch, channels, images[0], images[1]}
                                          : std::vector<Input>{batch, images[0], images[1], channels};
    const Tensor output_shape = stack(wanted);
    (void)output_shape[0];  // TensorFlow looks whether the batch is known, which makes a node
    Tensor result = nn::conv2d_transpose(x, kernel, output_shape,
                                         {.strides = of_batch(call.strides, call.channels_first),
                                          .padding = call.padding,
                                          .data_format = format});
    const int64_t n = x.shape().dim(0);
    result.set_shape(call.channels_first ? TensorShape{n, filters, known[0], known[1]}
                                         : TensorShape{n, known[0], known[1], filters});
    return result;
  });
}

namespace {

using Pool = Tensor (*)(const Input&, const nn::PoolOptions&);

Tensor pooled(Pool pool, const char* default_name, const Input& inputs, const std::vector<int64_t>& pool_size,
              const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  const std::vector<int64_t> size = pair_of(pool_size, "pool_size", 1);
  const std::vector<int64_t> steps = pair_of(strides, "strides", 0);
  const std::string padding = padding_word(options.padding);
  const bool channels_first = is_channels_first(options.data_format);
  const Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, default_name), Rank::kExactly, 4);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = default_name});
  return pool(x, {.ksize = of_batch(size, channels_first),
                  .strides = of_batch(steps, channels_first),
                  .padding = padding,
                  .data_format = format_word(channels_first)});
}

}  // namespace

Tensor max_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(&nn::max_pool, "max_pooling2d", inputs, pool_size, strides, options);
}

Tensor average_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  return pooled(&nn::avg_pool, "average_pooling2d", inputs, pool_size, strides, options);
}

namespace {

/// A number where the input is one; none for tensors and other things.
std::optional<double> number_of(const Input& input) {
  if (input.literal() == nullptr) return std::nullopt;
  const Array value = input.literal()->to_array();
  if (value.size() != 1 || value.dtype() == DType::kString) return std::nullopt;
  return value.astype(DType::kFloat64).item<double>();
}

}  // namespace
}  // namespace layers

namespace {

/// The shape of dropout's decisions: x's size where the program says none.
Input noise_shape_of(const Tensor& x, const TensorShape& noise) {
  const Tensor sizes = shape(x);
  std::vector<Input> items;
  for (int i = 0; i < noise.rank(); ++i) {
    if (noise.dim(i) >= 0) {
      items.emplace_back(static_cast<int>(noise.dim(i)));
    } else {
      items.emplace_back(sizes[i]);
    }
  }
  return convert_to_tensor(Input::list(items));
}

}  // namespace

namespace layers {

Tensor dropout(const Input& inputs, const DropoutOptions& options) {
  if (const std::optional<double> rate = number_of(options.rate); rate && (*rate < 0.0 || *rate > 1.0)) {
    throw ValueError(
        fmt::format("Invalid value {} received for `rate`, expected a value between 0 and 1.", *rate));
  }
  const Tensor x = as_tensor(inputs);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = "dropout"});
  return dropout_in_scope(x, options);
}

}  // namespace layers

Tensor dropout_in_scope(const Tensor& x, const layers::DropoutOptions& options) {
  const auto dropped = [&] {
    std::optional<Input> noise;
    if (options.noise_shape) noise = noise_shape_of(x, *options.noise_shape);
    const Tensor result = nn::dropout(x, {.noise_shape = noise, .seed = options.seed, .rate = options.rate});
    return result.is(x) ? identity(x) : result;
  };
  const auto kept = [&] { return identity(x); };
  if (options.training.tensor() != nullptr) return cond(options.training, dropped, kept);
  const Input& training = options.training;
  const Array decided = training.literal() != nullptr ? training.literal()->to_array() : *training.array();
  return decided.astype(DType::kBool).item<bool>() ? dropped() : kept();
}

namespace layers {
namespace {

/// [N,C,...] -> [N,...,C]
Tensor with_channels_last(const Tensor& x) {
  std::vector<int32_t> order = {0};
  for (int i = 2; i < x.shape().rank(); ++i) order.push_back(i);
  order.push_back(1);
  return transpose(x, Array(order));
}

}  // namespace

Tensor flatten(const Input& inputs, const FlattenOptions& options) {
  const bool channels_first = is_channels_first(options.data_format);
  Tensor x = as_tensor(inputs);
  check_rank(x, name_in_errors(x, options.name, "flatten"), Rank::kAtLeast, 1);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = "flatten"});
  if (channels_first && x.shape().has_rank() && x.shape().rank() > 1) x = with_channels_last(x);
  const TensorShape& shape = x.shape();
  if (shape.has_rank() && shape.rank() == 1) return expand_dims(x, 1);
  int64_t columns = shape.has_rank() ? 1 : -1;
  for (int i = 1; shape.has_rank() && i < shape.rank(); ++i)
    columns = shape.dim(i) < 0 || columns < 0 ? -1 : columns * shape.dim(i);
  if (columns >= 0)
    return reshape(x, constant(Array(std::vector<int32_t>{-1, static_cast<int32_t>(columns)})));
  const Tensor rows = tf::shape(x)[0];
  return reshape(x, {rows, -1});
}

}  // namespace layers
}  // namespace flowray::tf
