/// tf.nn's convolutions and pools of any dimension, for the module flowray.tf.nn.

#include "native/nn/nn_arguments.h"

#include <flowray/tf/nn.h>

#include <fmt/format.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::nn::Conv1dOptions, strides, padding, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::Conv2dOptions, strides, use_cudnn_on_gpu, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::Conv2dTransposeOptions, strides, padding, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::Conv3dOptions, strides, padding, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::ConvolutionOptions, padding, strides, dilation_rate, name, data_format)
FLOWRAY_FIELDS(tf::nn::AtrousOptions, padding, name)
FLOWRAY_FIELDS(tf::nn::DepthwiseOptions, strides, padding, rate, name, data_format)
FLOWRAY_FIELDS(tf::nn::DepthwiseNativeOptions, strides, padding, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::ConvTransposeOptions, strides, padding, data_format, dilations, name)
FLOWRAY_FIELDS(tf::nn::AnyPoolOptions, pooling_type, padding, dilation_rate, strides, name, data_format)

std::string padding_of(nb::handle padding) {
  if (PyUnicode_Check(padding.ptr()) != 0 || PyBytes_Check(padding.ptr()) != 0) return as_text(padding);
  throw TypeError(fmt::format("Expected string for argument 'padding' not {}.", nb::repr(padding).c_str()));
}

Argument padding() { return none_too(converted("padding", &padding_of)); }

namespace {

tf::Tensor conv2d(const tf::Input& input, const tf::Input& filter, nb::handle padding,
                  tf::nn::Conv2dOptions options) {
  if (PyUnicode_Check(padding.ptr()) != 0 || PySequence_Check(padding.ptr()) == 0) {
    options.padding = padding_of(padding);
  } else {
    options.padding = "EXPLICIT";
    if (nb::len(padding) != 4) {
      throw ValueError(fmt::format("When padding is a list, it must be of size 4. Got padding={} of size: {}",
                                   nb::repr(padding).c_str(), nb::len(padding)));
    }
    for (nb::handle pair : padding) {
      for (const int64_t size : as_ints(pair)) options.explicit_paddings.push_back(size);
    }
  }
  if (options.dilations.size() == 1) options.dilations.push_back(options.dilations[0]);
  if (options.dilations.size() == 2) options.dilations = {1, options.dilations[0], options.dilations[1], 1};
  return tf::nn::conv2d(input, filter, options);
}

void bind_plain_convolutions(nb::module_& m) {
  bind(m, "conv1d", &tf::nn::conv1d,
       {{"value", nb::none()},
        {"filters", nb::none()},
        none_too(fills({"stride", nb::none()}, "strides")),
        padding(),
        ignored("use_cudnn_on_gpu"),
        none_too({"data_format", nb::none()}),
        "name",
        older("input", "value"),
        none_too({"dilations", nb::none()})});
  bind(m, "conv2d", &conv2d,
       {"input",
        {"filter", nb::none()},
        "strides",
        {"padding", nb::none()},
        "use_cudnn_on_gpu",
        or_none("data_format"),
        "dilations",
        "name",
        older("filters", "filter")});
  bind(m, "conv3d", &tf::nn::conv3d,
       {"input",
        {"filter", nb::none()},
        "strides",
        padding(),
        or_none("data_format"),
        "dilations",
        "name",
        older("filters", "filter")});
  bind(m, "convolution", &tf::nn::convolution,
       {"input",
        {"filter", nb::none()},
        padding(),
        "strides",
        "dilation_rate",
        "name",
        "data_format",
        older("filters", "filter"),
        older("dilations", "dilation_rate")});
  bind(m, "atrous_conv2d", &tf::nn::atrous_conv2d, {"value", "filters", "rate", required(padding()), "name"});
  bind(m, "atrous_conv2d_transpose", &tf::nn::atrous_conv2d_transpose,
       {"value", "filters", "output_shape", "rate", required(padding()), "name"});
}

void bind_depthwise(nb::module_& m) {
  bind(m, "depthwise_conv2d", &tf::nn::depthwise_conv2d,
       {"input",
        "filter",
        required("strides"),
        required(padding()),
        "rate",
        "name",
        {"data_format", nb::none()},
        older("dilations", "rate")});
  bind(m, "depthwise_conv2d_native", &tf::nn::depthwise_conv2d_native,
       {"input", "filter", required("strides"), required(padding()), or_none("data_format"), "dilations",
        "name"});
  bind(m, "separable_conv2d", &tf::nn::separable_conv2d,
       {"input",
        "depthwise_filter",
        "pointwise_filter",
        required("strides"),
        required(padding()),
        "rate",
        "name",
        {"data_format", nb::none()},
        older("dilations", "rate")});
}

void bind_transposed(nb::module_& m) {
  bind(m, "conv2d_transpose", &tf::nn::conv2d_transpose,
       {{"value", nb::none()},
        {"filter", nb::none()},
        {"output_shape", nb::none()},
        "strides",
        padding(),
        or_none("data_format"),
        "name",
        older("input", "value"),
        older("filters", "filter"),
        "dilations"});
  const auto transposed = [&](const char* name, auto function, const Argument& data_format) {
    bind(m, name, function,
         {"input", "filters", "output_shape", required("strides"), padding(), data_format, "dilations",
          "name"});
  };
  transposed("conv1d_transpose", &tf::nn::conv1d_transpose, {"data_format", "NWC"});
  transposed("conv_transpose", &tf::nn::conv_transpose, "data_format");
  bind(m, "conv3d_transpose", &tf::nn::conv3d_transpose,
       {{"value", nb::none()},
        {"filter", nb::none()},
        {"output_shape", nb::none()},
        "strides",
        padding(),
        {"data_format", "NDHWC"},
        "name",
        older("input", "value"),
        older("filters", "filter"),
        "dilations"});
}

void bind_pools(nb::module_& m) {
  const auto pool2d = [&](const char* name, auto function) {
    bind(m, name, function,
         {{"value", nb::none()},
          "ksize",
          "strides",
          padding(),
          or_none("data_format"),
          "name",
          older("input", "value")});
  };
  pool2d("avg_pool", &tf::nn::avg_pool);
  pool2d("max_pool", &tf::nn::max_pool);
  const auto pool = [&](const char* name, auto function, const Argument& data_format) {
    bind(m, name, function,
         {"input", required("ksize"), required("strides"), required(padding()), data_format, "name"});
  };
  pool("avg_pool1d", &tf::nn::avg_pool1d, {"data_format", "NWC"});
  pool("max_pool1d", &tf::nn::max_pool1d, {"data_format", "NWC"});
  pool("max_pool2d", &tf::nn::max_pool2d, {"data_format", "NHWC"});
  pool("avg_pool3d", &tf::nn::avg_pool3d, {"data_format", "NDHWC"});
  pool("max_pool3d", &tf::nn::max_pool3d, {"data_format", "NDHWC"});
  pool("avg_pool_v2", &tf::nn::avg_pool_v2, none_too({"data_format", nb::none()}));
  pool("max_pool_v2", &tf::nn::max_pool_v2, none_too({"data_format", nb::none()}));
  bind(m, "pool", &tf::nn::pool,
       {"input", "window_shape", required("pooling_type"), required(padding()), "dilation_rate", "strides",
        "name", "data_format", older("dilations", "dilation_rate")});
}

}  // namespace

void bind_convolutions(nb::module_& m) {
  bind_plain_convolutions(m);
  bind_depthwise(m);
  bind_transposed(m);
  bind_pools(m);
}

}  // namespace flowray::python
