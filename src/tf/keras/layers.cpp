// The layers of tf.keras.layers.
#include <flowray/tf/array.h>
#include <flowray/tf/keras/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "core/checked_size.h"
#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/layer_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

namespace flowray::tf::keras::layers {
namespace {

/// The number of elements of each element of a batch; -1 where a dimension is not known.
int64_t elements_of(const TensorShape& batch) {
  if (!batch.has_rank()) return -1;
  CheckedSize count(1);
  for (int i = 1; i < batch.rank(); ++i) {
    if (batch.dim(i) < 0) return -1;
    count *= batch.dim(i);
  }
  return count;
}

nn::PoolOptions pool_options(const Pooling2DOptions& options, Input::Where where) {
  const std::vector<int64_t> size = pair_of(options.pool_size, "pool_size", where);
  const std::vector<int64_t> strides =
      options.strides.empty() ? size : pair_of(options.strides, "strides", where);
  return {.ksize = {1, size[0], size[1], 1},
          .strides = {1, strides[0], strides[1], 1},
          .padding = padding_of(options.padding, where)};
}

struct DenseArguments {
  int64_t units = 0;
  DenseOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("units", units);
    list_weights(io, options);
    list_kernel_rules(io, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Dense>(units, options); }
};

struct Conv2DArguments {
  int64_t filters = 0;
  std::vector<int64_t> kernel_size = {};
  Conv2DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_convolution(io, kernel_size, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Conv2D>(filters, kernel_size, options); }
};

template <class Pooling>
struct Pooling2DArguments {
  Pooling2DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("pool_size", options.pool_size);
    io.padding("padding", options.padding);
    io("strides", options.strides);
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Pooling>(options); }
};

struct FlattenArguments {
  ShapedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Flatten>(options); }
};

struct ReshapeArguments {
  std::vector<int64_t> target_shape = {};
  ShapedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("target_shape", target_shape);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Reshape>(target_shape, options); }
};

struct ActivationArguments {
  keras::Activation activation = {};
  ShapedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("activation", activation);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Activation>(activation, options); }
};

struct DropoutArguments {
  double rate = 0;
  DropoutOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("rate", rate);
    io.fixed("noise_shape", {});
    io("seed", options.seed);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Dropout>(rate, options); }
};

struct EmbeddingArguments {
  int64_t input_dim = 0;
  int64_t output_dim = 0;
  EmbeddingOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("input_dim", input_dim);
    io("output_dim", output_dim);
    io("embeddings_initializer", options.embeddings_initializer);
    io("embeddings_regularizer", options.embeddings_regularizer);
    io("activity_regularizer", options.activity_regularizer);
    io("embeddings_constraint", options.embeddings_constraint);
    io("mask_zero", options.mask_zero);
    io("input_length", options.input_length);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Embedding>(input_dim, output_dim, options); }
};

struct MaskingArguments {
  MaskingOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("mask_value", options.mask_value);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Masking>(options); }
};

}  // namespace

// ---- Dense

Dense::Dense(int64_t units, const DenseOptions& options, Input::Where where)
    : Layer("Dense", {.name = options.name, .input_shape = options.input_shape}),
      units_(positive(units, "units", where)),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, DenseArguments{units_, options_});
}

void Dense::build(const TensorShape& input_shape) {
  const int64_t size = last_dimension(input_shape, "Dense");
  set_input_spec({{.min_ndim = 2, .axes = {{-1, size}}}});
  kernel_ = add_weight("kernel", {size, units_}, {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {units_}, {.initializer = options_.bias_initializer});
}

Tensor Dense::call(const Tensor& inputs, bool) {
  const TensorShape& shape = inputs.shape();
  const bool is_matrix = !shape.has_rank() || shape.rank() <= 2;
  Tensor result = is_matrix ? matmul(inputs, kernel_) : tensordot(inputs, kernel_, {shape.rank() - 1}, {0});
  return finished(result, options_, bias_);
}

// ---- Conv2D and pools

Conv2D::Conv2D(int64_t filters, const std::vector<int64_t>& kernel_size, const Conv2DOptions& options,
               Input::Where where)
    : Layer("Conv2D", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(pair_of(kernel_size, "kernel_size", where)),
      options_(options) {
  options_.strides = pair_of(options.strides, "strides", where);
  options_.dilation_rate = pair_of(options.dilation_rate, "dilation_rate", where);
  options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Conv2DArguments{filters_, kernel_size_, options_});
}

void Conv2D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 4, name());
  const int64_t channels = last_dimension(input_shape, "Conv2D");
  set_input_spec({{.min_ndim = 4, .axes = {{-1, channels}}}});
  kernel_ = add_weight("kernel", {kernel_size_[0], kernel_size_[1], channels, filters_},
                       {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor Conv2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  const auto four = [](const std::vector<int64_t>& pair) {
    return std::vector<int64_t>{1, pair[0], pair[1], 1};
  };
  Tensor result = nn::conv2d(inputs, kernel_,
                             {.strides = four(options_.strides),
                              .padding = options_.padding,
                              .dilations = four(options_.dilation_rate)});
  return finished(result, options_, bias_);
}

Pooling2D::Pooling2D(Kind kind, const Pooling2DOptions& options, Input::Where where)
    : Layer(kind == Kind::kMax ? "MaxPooling2D" : "AveragePooling2D", {.name = options.name}),
      kind_(kind),
      options_(options) {
  (void)pool_options(options, where);
  options_.pool_size = pair_of(options.pool_size, "pool_size", where);
  options_.strides =
      options.strides.empty() ? options_.pool_size : pair_of(options.strides, "strides", where);
  LayerConfig::keep(*this, Pooling2DArguments<MaxPooling2D>{options_});
}

std::string Pooling2D::class_name() const {
  return kind_ == Kind::kMax ? "MaxPooling2D" : "AveragePooling2D";
}

Tensor Pooling2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  const nn::PoolOptions options = pool_options(options_, Input::Where());
  return kind_ == Kind::kMax ? nn::max_pool(inputs, options) : nn::avg_pool(inputs, options);
}

// ---- shapes

Flatten::Flatten(const ShapedOptions& options)
    : Layer("Flatten", {.name = options.name, .input_shape = options.input_shape}) {
  LayerConfig::keep(*this, FlattenArguments{options});
}

Tensor Flatten::call(const Tensor& inputs, bool) {
  const TensorShape& shape = inputs.shape();
  if (shape.has_rank() && shape.rank() <= 1) return expand_dims(inputs, 1);
  const int64_t size = elements_of(shape);
  if (size >= 0) return reshape(inputs, {-1, size});
  return reshape(inputs, {tf::shape(inputs)[0], -1});
}

Reshape::Reshape(const std::vector<int64_t>& target_shape, const ShapedOptions& options, Input::Where where)
    : Layer("Reshape", {.name = options.name, .input_shape = options.input_shape}),
      target_shape_(target_shape) {
  const ErrorLine errors(where);
  for (const int64_t size : target_shape) {
    if (size < -1)
      throw ValueError(
          fmt::format("Reshape: a dimension of target_shape is {}; -1 is the only one below 0", size));
  }
  if (std::ranges::count(target_shape, -1) > 1) {
    throw ValueError(fmt::format(
        "There must be at most one unknown dimension in output_shape. Received: output_shape=[{}].",
        fmt::join(target_shape, ", ")));
  }
  LayerConfig::keep(*this, ReshapeArguments{target_shape, options});
}

namespace {

/// `target` with a size in place of -1, where the sizes of the inputs' elements are known. Throws ValueError
/// where the inputs have not so many elements.
std::vector<int64_t> fitted(std::vector<int64_t> target, const TensorShape& inputs) {
  const int64_t given = elements_of(inputs);
  if (given < 0) return target;
  CheckedSize kept(1);
  for (const int64_t size : target) {
    if (size >= 0) kept *= size;
  }
  const auto unknown = std::ranges::find(target, -1);
  const bool fits = unknown == target.end() ? kept == given : kept > 0 && given % kept == 0;
  if (!fits) {
    const ErrorLine line{Input::Where()};
    throw ValueError(
        fmt::format("total size of new array must be unchanged, input_shape = [{}], output_shape = [{}]",
                    fmt::join(inputs.dims().subspan(1), ", "), fmt::join(target, ", ")));
  }
  if (unknown != target.end()) *unknown = given / kept;
  return target;
}

}  // namespace

Tensor Reshape::call(const Tensor& inputs, bool) {
  std::vector<int64_t> dims = fitted(target_shape_, inputs.shape());
  dims.insert(dims.begin(), -1);
  std::vector<tf::Input> sizes = {shape(inputs)[0]};
  for (const int64_t size : target_shape_) sizes.emplace_back(static_cast<int32_t>(size));
  Tensor result = reshape(inputs, Input::list(sizes));
  result.set_shape(TensorShape(dims));
  return result;
}

Activation::Activation(const keras::Activation& activation, const ShapedOptions& options)
    : Layer("Activation", {.name = options.name, .input_shape = options.input_shape}),
      activation_(activation) {
  support_masking();
  LayerConfig::keep(*this, ActivationArguments{activation, options});
}
Tensor Activation::call(const Tensor& inputs, bool) { return activated(activation_, inputs); }

// ---- Dropout and normalisation

Dropout::Dropout(double rate, const DropoutOptions& options, Input::Where where)
    : Layer("Dropout", {.name = options.name}), rate_(rate), options_(options) {
  support_masking();
  LayerConfig::keep(*this, DropoutArguments{rate, options});
  if (rate >= 0 && rate <= 1) return;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Invalid value {} received for `rate`, expected a value between 0 and 1.", rate));
}

Tensor Dropout::call(const Tensor& inputs, bool training) {
  if (!training || rate_ == 0) return identity(inputs);
  return nn::dropout(inputs, {.seed = options_.seed, .rate = rate_});
}

// ---- Embedding

Embedding::Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions& options,
                     Input::Where where)
    : Layer("Embedding",
            {.name = options.name, .input_shape = TensorShape{options.input_length.value_or(-1)}}),
      input_dim_(positive(input_dim, "input_dim", where)),
      output_dim_(positive(output_dim, "output_dim", where)),
      options_(options) {
  LayerConfig::keep(*this, EmbeddingArguments{input_dim, output_dim, options});
}

void Embedding::build(const TensorShape&) {
  embeddings_ =
      add_weight("embeddings", {input_dim_, output_dim_}, {.initializer = options_.embeddings_initializer});
}

Tensor Embedding::call(const Tensor& inputs, bool) {
  const DType dtype = base_dtype(inputs.dtype());
  const Tensor numbers = dtype == int32 || dtype == int64 ? inputs : cast(inputs, int32);
  return nn::embedding_lookup(embeddings_, numbers);
}

std::vector<Tensor> Embedding::compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) {
  if (!options_.mask_zero) return {};
  return {not_equal(inputs[0], cast(0, base_dtype(inputs[0].dtype())))};
}

// ---- Masking

Masking::Masking(const MaskingOptions& options)
    : Layer("Masking", {.name = options.name, .input_shape = options.input_shape}),
      mask_value_(options.mask_value) {
  support_masking();
  LayerConfig::keep(*this, MaskingArguments{options});
}

Tensor Masking::call(const Tensor& inputs, bool) {
  const DType dtype = base_dtype(inputs.dtype());
  const Tensor counts = reduce_any(not_equal(inputs, cast(mask_value_, dtype)), {-1}, {.keepdims = true});
  return inputs * cast(counts, dtype);
}

std::vector<Tensor> Masking::compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) {
  return {reduce_any(not_equal(inputs[0], cast(mask_value_, base_dtype(inputs[0].dtype()))), {-1})};
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_core_layers(LayerTable& table) {
  table.add<layers::DenseArguments>("Dense");
  table.add<layers::Conv2DArguments>("Conv2D");
  table.add<layers::Pooling2DArguments<layers::MaxPooling2D>>("MaxPooling2D");
  table.add<layers::Pooling2DArguments<layers::AveragePooling2D>>("AveragePooling2D");
  table.add<layers::FlattenArguments>("Flatten");
  table.add<layers::ReshapeArguments>("Reshape");
  table.add<layers::ActivationArguments>("Activation");
  table.add<layers::DropoutArguments>("Dropout");
  table.add<layers::EmbeddingArguments>("Embedding");
  table.add<layers::MaskingArguments>("Masking");
}
