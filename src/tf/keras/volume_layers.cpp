#include <flowray/tf/array.h>
#include <flowray/tf/keras/volume_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/layer_results.h"
#include "tf/keras/moved_elements.h"

#include <algorithm>

namespace flowray::tf::keras::layers {
namespace {

/// For each dimension, those of batch and channels among them.
std::vector<int64_t> for_all_dims(const std::vector<int64_t>& triple) {
  return {1, triple[0], triple[1], triple[2], 1};
}

struct Conv3DArguments {
  int64_t filters = 0;
  std::vector<int64_t> kernel_size = {};
  Conv3DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_convolution(io, kernel_size, options);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Conv3D>(filters, kernel_size, options); }
};

struct Conv3DTransposeArguments {
  int64_t filters = 0;
  std::vector<int64_t> kernel_size = {};
  Conv3DTransposeOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("filters", filters);
    list_convolution(io, kernel_size, options);
    io.fixed("output_padding", {});
  }
  std::shared_ptr<Layer> make() const {
    return std::make_shared<Conv3DTranspose>(filters, kernel_size, options);
  }
};

template <class Pooling>
struct Pooling3DArguments {
  Pooling3DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("pool_size", options.pool_size);
    io.padding("padding", options.padding);
    io("strides", options.strides);
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Pooling>(options); }
};

struct ZeroPadding3DArguments {
  Ends planes = {1, 1};
  Ends rows = {1, 1};
  Ends columns = {1, 1};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("padding", {&planes, &rows, &columns});
    io.data_format();
  }
  std::shared_ptr<Layer> make() const {
    return std::make_shared<ZeroPadding3D>(planes, rows, columns, options);
  }
};

struct Cropping3DArguments {
  Ends planes = {1, 1};
  Ends rows = {1, 1};
  Ends columns = {1, 1};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("cropping", {&planes, &rows, &columns});
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Cropping3D>(planes, rows, columns, options); }
};

struct UpSampling3DArguments {
  std::vector<int64_t> size = {};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("size", size);
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<UpSampling3D>(size, options); }
};

}  // namespace

// ---- Conv3D

Conv3D::Conv3D(int64_t filters, const std::vector<int64_t>& kernel_size, const Conv3DOptions& options,
               Where where)
    : Layer("Conv3D", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(triple_of(kernel_size, "kernel_size", where)),
      options_(options) {
  options_.strides = triple_of(options.strides, "strides", where);
  options_.dilation_rate = triple_of(options.dilation_rate, "dilation_rate", where);
  options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Conv3DArguments{filters, kernel_size_, options_});
}

void Conv3D::build(const TensorShape& input_shape) {
  check_rank(input_shape, 5, name());
  const int64_t channels = last_dimension(input_shape, "Conv3D");
  set_input_spec({{.min_ndim = 5, .axes = {{-1, channels}}}});
  kernel_ = add_weight("kernel", {kernel_size_[0], kernel_size_[1], kernel_size_[2], channels, filters_},
                       {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor Conv3D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  return finished(nn::convolution(inputs, kernel_,
                                  {.padding = options_.padding,
                                   .strides = options_.strides,
                                   .dilation_rate = options_.dilation_rate}),
                  options_, bias_);
}

// ---- Conv3DTranspose

Conv3DTranspose::Conv3DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 const Conv3DTransposeOptions& options, Where where)
    : Layer("Conv3DTranspose", {.name = options.name, .input_shape = options.input_shape}),
      filters_(filters_of(filters, where)),
      kernel_size_(triple_of(kernel_size, "kernel_size", where)),
      options_(options) {
  options_.strides = triple_of(options.strides, "strides", where);
  options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Conv3DTransposeArguments{filters, kernel_size_, options_});
}

void Conv3DTranspose::build(const TensorShape& input_shape) {
  check_rank(input_shape, 5, name());
  const int64_t channels = last_dimension(input_shape, "Conv3DTranspose");
  set_input_spec({{.ndim = 5, .axes = {{-1, channels}}}});
  kernel_ = add_weight("kernel", {kernel_size_[0], kernel_size_[1], kernel_size_[2], filters_, channels},
                       {.initializer = options_.kernel_initializer});
  if (options_.use_bias) bias_ = add_weight("bias", {filters_}, {.initializer = options_.bias_initializer});
}

Tensor Conv3DTranspose::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  std::vector<tf::Input> sizes = {shape(inputs)[0]};
  std::vector<int64_t> dims = {inputs.shape().dim(0)};
  for (size_t i = 0; i < 3; ++i) {
    const int64_t given = inputs.shape().dim(static_cast<int>(i) + 1);
    const int64_t stride = options_.strides[i];
    const int64_t more = options_.padding == "SAME" ? 0 : std::max<int64_t>(kernel_size_[i] - stride, 0);
    if (given >= 0) {
      dims.push_back(CheckedSize(given) * stride + more);
      sizes.emplace_back(checked_int32("Conv3DTranspose's size", dims.back()));
    } else {
      dims.push_back(-1);
      sizes.emplace_back(shape(inputs)[static_cast<int64_t>(i) + 1] * checked_int32("strides", stride) +
                         checked_int32("kernel_size", more));
    }
  }
  dims.push_back(filters_);
  sizes.emplace_back(checked_int32("filters", filters_));
  Tensor result =
      nn::conv3d_transpose(inputs, kernel_, tf::Input::list(sizes),
                           {.strides = for_all_dims(options_.strides), .padding = options_.padding});
  result.set_shape(TensorShape(dims));
  return finished(result, options_, bias_);
}

// ---- pools

Pooling3D::Pooling3D(bool is_max, const Pooling3DOptions& options, Where where)
    : Layer(is_max ? "MaxPooling3D" : "AveragePooling3D",
            {.name = options.name, .input_shape = options.input_shape}),
      is_max_(is_max),
      options_(options) {
  options_.pool_size = triple_of(options.pool_size, "pool_size", where);
  options_.strides =
      options.strides.empty() ? options_.pool_size : triple_of(options.strides, "strides", where);
  options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Pooling3DArguments<MaxPooling3D>{options_});
}

Tensor Pooling3D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  const nn::PoolOptions pool{.ksize = for_all_dims(options_.pool_size),
                             .strides = for_all_dims(options_.strides),
                             .padding = options_.padding,
                             .data_format = "NDHWC"};
  return is_max_ ? nn::max_pool3d(inputs, pool) : nn::avg_pool3d(inputs, pool);
}

// ---- more and less around elements, and of each

ZeroPadding3D::ZeroPadding3D(Ends planes, Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("ZeroPadding3D", layer_options(options)),
      planes_(checked_ends(planes, "padding", where)),
      rows_(checked_ends(rows, "padding", where)),
      columns_(checked_ends(columns, "padding", where)) {
  LayerConfig::keep(*this, ZeroPadding3DArguments{planes, rows, columns, options});
}

Tensor ZeroPadding3D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  return padded(inputs, {{0, 0}, planes_, rows_, columns_, {0, 0}});
}

Cropping3D::Cropping3D(Ends planes, Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("Cropping3D", layer_options(options)),
      planes_(checked_ends(planes, "cropping", where)),
      rows_(checked_ends(rows, "cropping", where)),
      columns_(checked_ends(columns, "cropping", where)) {
  LayerConfig::keep(*this, Cropping3DArguments{planes, rows, columns, options});
}

Tensor Cropping3D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  return cropped(inputs, {planes_, rows_, columns_});
}

UpSampling3D::UpSampling3D(const std::vector<int64_t>& size, const MovedOptions& options, Where where)
    : Layer("UpSampling3D", layer_options(options)), size_(triple_of(size, "size", where)) {
  LayerConfig::keep(*this, UpSampling3DArguments{size_, options});
}

Tensor UpSampling3D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 5, name());
  return repeated(repeated(repeated(inputs, size_[0], 1), size_[1], 2), size_[2], 3);
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_volume_layers(LayerTable& table) {
  table.add<layers::Conv3DArguments>("Conv3D");
  table.add<layers::Conv3DTransposeArguments>("Conv3DTranspose");
  table.add<layers::Pooling3DArguments<layers::MaxPooling3D>>("MaxPooling3D");
  table.add<layers::Pooling3DArguments<layers::AveragePooling3D>>("AveragePooling3D");
  table.add<layers::ZeroPadding3DArguments>("ZeroPadding3D");
  table.add<layers::Cropping3DArguments>("Cropping3D");
  table.add<layers::UpSampling3DArguments>("UpSampling3D");
}
