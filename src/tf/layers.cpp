#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/apply_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf::layers {
namespace {

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<int64_t> pair_of(const std::vector<int64_t>& sizes, const char* argument) {
  if (sizes.size() == 1) return {sizes[0], sizes[0]};
  if (sizes.size() == 2) return sizes;
  throw ValueError(fmt::format("The `{}` argument must be a tuple of 2 integers. Received {} of them.",
                               argument, sizes.size()));
}

/// Sizes of an image as sizes of a batch of images.
std::vector<int64_t> of_batch(const std::vector<int64_t>& sizes, const char* argument) {
  const std::vector<int64_t> both = pair_of(sizes, argument);
  return {1, both[0], both[1], 1};
}

Tensor as_tensor(const Input& inputs) {
  return tensor_of(convert_to_endpoint(graph_of({&inputs}), inputs, DType::kInvalid, "inputs"));
}

int64_t last_dimension(const Tensor& inputs, const char* layer) {
  const TensorShape& shape = inputs.shape();
  if (shape.has_rank() && shape.rank() > 0 && shape.dim(-1) >= 0) return shape.dim(-1);
  throw ValueError(
      fmt::format("The last dimension of the inputs to a {} layer should be defined. Found shape {}.", layer,
                  shape.to_tuple_string()));
}

/// What dense and conv2d have in common: a kernel, a bias, an activation.
template <class Options, class Multiply>
Tensor layer(const char* default_name, const Tensor& inputs, const TensorShape& kernel_shape,
             const Options& options, const Multiply& multiply) {
  const GraphScope in_graph(inputs.graph().get());
  const VariableScopeGuard scope =
      variable_scope(options.name, {.default_name = default_name, .reuse = options.reuse});
  const DType dtype = base_dtype(inputs.dtype());
  const Variable kernel = get_variable(
      "kernel", kernel_shape,
      {.dtype = dtype, .initializer = options.kernel_initializer, .trainable = options.trainable});
  Variable bias;
  if (options.use_bias) {
    const Initializer initializer = options.bias_initializer ? options.bias_initializer : zeros_initializer();
    bias = get_variable("bias", {kernel_shape.dim(-1)},
                        {.dtype = dtype, .initializer = initializer, .trainable = options.trainable});
  }
  Tensor result = multiply(kernel);
  if (options.use_bias) result = nn::bias_add(result, bias);
  return options.activation ? options.activation(result) : result;
}

}  // namespace

Tensor dense(const Input& inputs, int64_t units, const DenseOptions& options) {
  const Tensor x = as_tensor(inputs);
  const int64_t columns = last_dimension(x, "Dense");
  if (x.shape().rank() != 2) {
    throw errors::UnimplementedError(fmt::format(
        "A dense layer takes inputs of rank 2 today, but got shape {}.\nReshape them to [-1, {}].",
        x.shape().to_tuple_string(), columns));
  }
  return layer("dense", x, {columns, units}, options,
               [&](const Variable& kernel) { return matmul(x, kernel); });
}

Tensor conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Conv2dOptions& options) {
  const Tensor x = as_tensor(inputs);
  const std::vector<int64_t> size = pair_of(kernel_size, "kernel_size");
  const TensorShape shape = {size[0], size[1], last_dimension(x, "Conv2D"), filters};
  return layer("conv2d", x, shape, options, [&](const Variable& kernel) {
    return nn::conv2d(x, kernel,
                      {.strides = of_batch(options.strides, "strides"),
                       .padding = in_capitals(options.padding),
                       .dilations = of_batch(options.dilation_rate, "dilation_rate")});
  });
}

namespace {

using Pool = Tensor (*)(const Input&, const nn::PoolOptions&);

Tensor pooled(Pool pool, const char* default_name, const Input& inputs, const std::vector<int64_t>& pool_size,
              const std::vector<int64_t>& strides, const Pooling2dOptions& options) {
  const Tensor x = as_tensor(inputs);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = default_name});
  return pool(x, {.ksize = of_batch(pool_size, "pool_size"),
                  .strides = of_batch(strides, "strides"),
                  .padding = in_capitals(options.padding)});
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

Tensor dropout(const Input& inputs, const DropoutOptions& options) {
  const Tensor x = as_tensor(inputs);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = "dropout"});
  const auto dropped = [&] {
    return nn::dropout(x, {.noise_shape = options.noise_shape, .seed = options.seed, .rate = options.rate});
  };
  const auto kept = [&] { return identity(x); };
  if (options.training.tensor() != nullptr) return cond(options.training, dropped, kept);
  const Input& training = options.training;
  const Array decided = training.literal() != nullptr ? training.literal()->to_array() : *training.array();
  return decided.astype(DType::kBool).item<bool>() ? dropped() : kept();
}

Tensor flatten(const Input& inputs, const NameOption& options) {
  const Tensor x = as_tensor(inputs);
  const GraphScope in_graph(x.graph().get());
  const VariableScopeGuard scope = variable_scope(options.name, {.default_name = "flatten"});
  const TensorShape& shape = x.shape();
  if (!shape.has_rank() || shape.rank() < 1) {
    throw ValueError(
        fmt::format("Input 0 of layer flatten is incompatible with the layer: expected min_ndim=1, found "
                    "shape {}.",
                    shape.to_tuple_string()));
  }
  int64_t columns = 1;
  for (int i = 1; i < shape.rank(); ++i)
    columns = shape.dim(i) < 0 || columns < 0 ? -1 : columns * shape.dim(i);
  if (columns >= 0)
    return reshape(x, constant(Array(std::vector<int32_t>{-1, static_cast<int32_t>(columns)})));
  const Tensor rows = tf::shape(x)[0];
  return reshape(x, {rows, -1});
}

}  // namespace flowray::tf::layers
