/// tf.nn's convolutions and pools of any dimension, for the module flowray.tf.nn.

#include "native/convert/convert.h"
#include "native/nn/nn_arguments.h"

#include <flowray/tf/nn.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

constexpr auto none = [](const char* name) { return nb::arg(name).none() = nb::none(); };

std::vector<int64_t> sizes_of(nb::handle sizes) {
  return sizes.is_none() ? std::vector<int64_t>() : axes_of(sizes);
}

nb::handle either(nb::handle first, nb::handle second) { return first.is_none() ? second : first; }

void bind_plain_convolutions(nb::module_& m) {
  m.def(
      "conv1d",
      [](nb::handle value, nb::handle filters, nb::handle stride, nb::handle padding, nb::handle,
         nb::handle data_format, nb::handle name, nb::handle input, nb::handle dilations) {
        return give(tf::nn::conv1d(as_input(either(value, input)), as_input(filters),
                                   {.strides = sizes_of(stride),
                                    .padding = padding_of(padding),
                                    .data_format = as_text(data_format),
                                    .dilations = sizes_of(dilations),
                                    .name = as_text(name)}));
      },
      none("value"), none("filters"), none("stride"), none("padding"), none("use_cudnn_on_gpu"),
      none("data_format"), none("name"), none("input"), none("dilations"));
  m.def(
      "conv3d",
      [](nb::handle input, nb::handle filter, nb::handle strides, nb::handle padding, nb::handle data_format,
         nb::handle dilations, nb::handle name, nb::handle filters) {
        tf::nn::Conv3dOptions options{
            .strides = sizes_of(strides), .padding = padding_of(padding), .name = as_text(name)};
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        if (!dilations.is_none()) options.dilations = as_ints(dilations);
        return give(tf::nn::conv3d(as_input(input), as_input(either(filter, filters)), options));
      },
      "input"_a, none("filter"), none("strides"), none("padding"), "data_format"_a = "NDHWC",
      none("dilations"), none("name"), none("filters"));
  m.def(
      "convolution",
      [](nb::handle input, nb::handle filter, nb::handle padding, nb::handle strides,
         nb::handle dilation_rate, nb::handle name, nb::handle data_format, nb::handle filters,
         nb::handle dilations) {
        return give(tf::nn::convolution(as_input(input), as_input(either(filter, filters)),
                                        {.padding = padding_of(padding),
                                         .strides = sizes_of(strides),
                                         .dilation_rate = sizes_of(either(dilation_rate, dilations)),
                                         .name = as_text(name),
                                         .data_format = as_text(data_format)}));
      },
      "input"_a, none("filter"), none("padding"), none("strides"), none("dilation_rate"), none("name"),
      none("data_format"), none("filters"), none("dilations"));
  m.def(
      "atrous_conv2d",
      [](nb::handle value, nb::handle filters, Integer rate, nb::handle padding, nb::handle name) {
        return give(tf::nn::atrous_conv2d(as_input(value), as_input(filters), rate,
                                          {.padding = padding_of(padding), .name = as_text(name)}));
      },
      "value"_a, "filters"_a, "rate"_a, "padding"_a, none("name"));
  m.def(
      "atrous_conv2d_transpose",
      [](nb::handle value, nb::handle filters, nb::handle output_shape, Integer rate, nb::handle padding,
         nb::handle name) {
        return give(tf::nn::atrous_conv2d_transpose(as_input(value), as_input(filters), as_ints(output_shape),
                                                    rate,
                                                    {.padding = padding_of(padding), .name = as_text(name)}));
      },
      "value"_a, "filters"_a, "output_shape"_a, "rate"_a, "padding"_a, none("name"));
}

void bind_depthwise(nb::module_& m) {
  const auto options_of = [](nb::handle strides, nb::handle padding, nb::handle rate, nb::handle name,
                             nb::handle data_format) {
    tf::nn::DepthwiseOptions options{.strides = sizes_of(strides),
                                     .padding = padding_of(padding),
                                     .rate = sizes_of(rate),
                                     .name = as_text(name)};
    if (!data_format.is_none()) options.data_format = as_text(data_format);
    return options;
  };
  m.def(
      "depthwise_conv2d",
      [options_of](nb::handle input, nb::handle filter, nb::handle strides, nb::handle padding,
                   nb::handle rate, nb::handle name, nb::handle data_format, nb::handle dilations) {
        return give(tf::nn::depthwise_conv2d(
            as_input(input), as_input(filter),
            options_of(strides, padding, either(rate, dilations), name, data_format)));
      },
      "input"_a, "filter"_a, "strides"_a, "padding"_a, none("rate"), none("name"), none("data_format"),
      none("dilations"));
  m.def(
      "depthwise_conv2d_native",
      [](nb::handle input, nb::handle filter, nb::handle strides, nb::handle padding, nb::handle data_format,
         nb::handle dilations, nb::handle name) {
        tf::nn::DepthwiseNativeOptions options{
            .strides = sizes_of(strides), .padding = padding_of(padding), .name = as_text(name)};
        if (!data_format.is_none()) options.data_format = as_text(data_format);
        if (!dilations.is_none()) options.dilations = as_ints(dilations);
        return give(tf::nn::depthwise_conv2d_native(as_input(input), as_input(filter), options));
      },
      "input"_a, "filter"_a, "strides"_a, "padding"_a, "data_format"_a = "NHWC", none("dilations"),
      none("name"));
  m.def(
      "separable_conv2d",
      [options_of](nb::handle input, nb::handle depthwise_filter, nb::handle pointwise_filter,
                   nb::handle strides, nb::handle padding, nb::handle rate, nb::handle name,
                   nb::handle data_format, nb::handle dilations) {
        return give(tf::nn::separable_conv2d(
            as_input(input), as_input(depthwise_filter), as_input(pointwise_filter),
            options_of(strides, padding, either(rate, dilations), name, data_format)));
      },
      "input"_a, "depthwise_filter"_a, "pointwise_filter"_a, "strides"_a, "padding"_a, none("rate"),
      none("name"), none("data_format"), none("dilations"));
}

void bind_transposed(nb::module_& m) {
  using Make = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&,
                              const tf::nn::ConvTransposeOptions&);
  const auto options_of = [](nb::handle strides, nb::handle padding, nb::handle data_format,
                             nb::handle dilations, nb::handle name) {
    return tf::nn::ConvTransposeOptions{.strides = sizes_of(strides),
                                        .padding = padding_of(padding),
                                        .data_format = as_text(data_format),
                                        .dilations = sizes_of(dilations),
                                        .name = as_text(name)};
  };
  const auto transposed = [&](const char* function, Make make, nb::handle data_format) {
    m.def(
        function,
        [=](nb::handle input, nb::handle filters, nb::handle output_shape, nb::handle strides,
            nb::handle padding, nb::handle format, nb::handle dilations, nb::handle name) {
          return give(make(as_input(input), as_input(filters), as_input(output_shape),
                           options_of(strides, padding, format, dilations, name)));
        },
        "input"_a, "filters"_a, "output_shape"_a, "strides"_a, "padding"_a = "SAME",
        "data_format"_a = data_format, none("dilations"), none("name"));
  };
  transposed("conv1d_transpose", &tf::nn::conv1d_transpose, nb::str("NWC"));
  transposed("conv_transpose", &tf::nn::conv_transpose, nb::none());
  m.def(
      "conv3d_transpose",
      [options_of](nb::handle value, nb::handle filter, nb::handle output_shape, nb::handle strides,
                   nb::handle padding, nb::handle data_format, nb::handle name, nb::handle input,
                   nb::handle filters, nb::handle dilations) {
        return give(tf::nn::conv3d_transpose(as_input(either(value, input)),
                                             as_input(either(filter, filters)), as_input(output_shape),
                                             options_of(strides, padding, data_format, dilations, name)));
      },
      none("value"), none("filter"), none("output_shape"), none("strides"), "padding"_a = "SAME",
      "data_format"_a = "NDHWC", none("name"), none("input"), none("filters"), none("dilations"));
}

void bind_pools(nb::module_& m) {
  const auto pool = [&](const char* function,
                        tf::Tensor (*make)(const tf::Input&, const tf::nn::PoolOptions&),
                        nb::handle data_format) {
    m.def(
        function,
        [make](nb::handle input, nb::handle ksize, nb::handle strides, nb::handle padding, nb::handle format,
               nb::handle name) {
          return give(make(as_input(input), {.ksize = sizes_of(ksize),
                                             .strides = sizes_of(strides),
                                             .padding = padding_of(padding),
                                             .data_format = as_text(format),
                                             .name = as_text(name)}));
        },
        "input"_a, "ksize"_a, "strides"_a, "padding"_a, "data_format"_a = data_format, none("name"));
  };
  pool("avg_pool1d", &tf::nn::avg_pool1d, nb::str("NWC"));
  pool("max_pool1d", &tf::nn::max_pool1d, nb::str("NWC"));
  pool("max_pool2d", &tf::nn::max_pool2d, nb::str("NHWC"));
  pool("avg_pool3d", &tf::nn::avg_pool3d, nb::str("NDHWC"));
  pool("max_pool3d", &tf::nn::max_pool3d, nb::str("NDHWC"));
  pool("avg_pool_v2", &tf::nn::avg_pool_v2, nb::none());
  pool("max_pool_v2", &tf::nn::max_pool_v2, nb::none());
  m.def(
      "pool",
      [](nb::handle input, nb::handle window_shape, nb::handle pooling_type, nb::handle padding,
         nb::handle dilation_rate, nb::handle strides, nb::handle name, nb::handle data_format,
         nb::handle dilations) {
        return give(tf::nn::pool(as_input(input), as_ints(window_shape),
                                 {.pooling_type = as_text(pooling_type),
                                  .padding = padding_of(padding),
                                  .dilation_rate = sizes_of(either(dilation_rate, dilations)),
                                  .strides = sizes_of(strides),
                                  .name = as_text(name),
                                  .data_format = as_text(data_format)}));
      },
      "input"_a, "window_shape"_a, "pooling_type"_a, "padding"_a, none("dilation_rate"), none("strides"),
      none("name"), none("data_format"), none("dilations"));
}

}  // namespace

void bind_more_convolutions(nb::module_& m) {
  bind_plain_convolutions(m);
  bind_depthwise(m);
  bind_transposed(m);
  bind_pools(m);
}

}  // namespace flowray::python
