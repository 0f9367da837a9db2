#include <flowray/tf/array.h>
#include <flowray/tf/keras/pooling_layers.h>
#include <flowray/tf/keras/volume_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"

#include <fmt/format.h>

namespace flowray::tf::keras::layers {
namespace {

template <class Pooling>
struct Pooling1DArguments {
  Pooling1DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.list_of_one("strides", options.strides);
    io.list_of_one("pool_size", options.pool_size);
    io.padding("padding", options.padding);
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Pooling>(options); }
};

template <class Pooling>
struct GlobalPoolingArguments {
  GlobalPoolingOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.data_format();
    io("keepdims", options.keepdims);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Pooling>(options); }
};

}  // namespace

Pooling1D::Pooling1D(bool is_max, const Pooling1DOptions& options, Where where)
    : Layer(is_max ? "MaxPooling1D" : "AveragePooling1D", {.name = options.name}),
      is_max_(is_max),
      options_(options) {
  positive(options.pool_size, "pool_size", where);
  if (options.strides == 0) options_.strides = options.pool_size;
  positive(options_.strides, "strides", where);
  options_.padding = padding_of(options.padding, where);
  LayerConfig::keep(*this, Pooling1DArguments<MaxPooling1D>{options_});
}

Tensor Pooling1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  const nn::PoolOptions pool{.ksize = {1, 1, options_.pool_size, 1},
                             .strides = {1, 1, options_.strides, 1},
                             .padding = options_.padding};
  const Tensor images = expand_dims(inputs, 1);
  return squeeze(is_max_ ? nn::max_pool(images, pool) : nn::avg_pool(images, pool), {1});
}

GlobalPooling::GlobalPooling(bool is_max, int dims, const GlobalPoolingOptions& options)
    : Layer(fmt::format("Global{}Pooling{}D", is_max ? "Max" : "Average", dims), {.name = options.name}),
      is_max_(is_max),
      dims_(dims),
      keepdims_(options.keepdims) {
  support_masking(!is_max && dims == 1);
  LayerConfig::keep(*this, GlobalPoolingArguments<GlobalMaxPooling1D>{options});
}

std::string GlobalPooling::class_name() const {
  return fmt::format("Global{}Pooling{}D", is_max_ ? "Max" : "Average", dims_);
}

Tensor GlobalPooling::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), dims_ + 2, name());
  std::vector<int64_t> axes = {1};
  for (int i = 2; i <= dims_; ++i) axes.push_back(i);
  if (supports_masking() && input_masks()[0].has_value()) {
    const Tensor counts = expand_dims(cast(input_masks()[0], base_dtype(inputs.dtype())), 2);
    const Tensor sum = reduce_sum(inputs * counts, axes, {.keepdims = keepdims_});
    return sum / reduce_sum(counts, axes, {.keepdims = keepdims_});
  }
  return is_max_ ? reduce_max(inputs, axes, {.keepdims = keepdims_})
                 : reduce_mean(inputs, axes, {.keepdims = keepdims_});
}

std::vector<Tensor> GlobalPooling::compute_mask(const std::vector<Tensor>& inputs,
                                                const std::vector<Tensor>& masks) {
  return supports_masking() ? std::vector<Tensor>() : Layer::compute_mask(inputs, masks);
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_pooling_layers(LayerTable& table) {
  table.add<layers::Pooling1DArguments<layers::MaxPooling1D>>("MaxPooling1D");
  table.add<layers::Pooling1DArguments<layers::AveragePooling1D>>("AveragePooling1D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalMaxPooling1D>>("GlobalMaxPooling1D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalMaxPooling2D>>("GlobalMaxPooling2D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalMaxPooling3D>>("GlobalMaxPooling3D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalAveragePooling1D>>("GlobalAveragePooling1D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalAveragePooling2D>>("GlobalAveragePooling2D");
  table.add<layers::GlobalPoolingArguments<layers::GlobalAveragePooling3D>>("GlobalAveragePooling3D");
}
