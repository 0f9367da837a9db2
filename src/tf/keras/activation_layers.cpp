#include <flowray/tf/array.h>
#include <flowray/tf/keras/activation_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>

#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"

#include <fmt/format.h>

namespace flowray::tf::keras::layers {
namespace {

LayerOptions options_of(const std::string& name, const std::optional<TensorShape>& input_shape) {
  return {.name = name, .input_shape = input_shape};
}

/// Throws ValueError for a number below 0.
double not_negative(double value, const char* what, Input::Where where) {
  if (value >= 0) return value;
  const ErrorLine line(where);
  throw ValueError(fmt::format("{} cannot be negative values. Received: {}", what, value));
}

double rate_of(double rate, Input::Where where) {
  if (rate >= 0 && rate <= 1) return rate;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Invalid value {} received for `rate`, expected a value between 0 and 1.", rate));
}

/// 1 where it holds, else 0.
Tensor as_numbers_of(const Tensor& holds, const Tensor& like) {
  return cast(holds, base_dtype(like.dtype()));
}

/// Drops channels: `axes` are the dimensions along which they are as a whole.
Tensor without_channels(const Tensor& inputs, double rate, std::optional<int64_t> seed, int axes) {
  const Tensor sizes = shape(inputs);
  std::vector<tf::Input> noise = {sizes[0]};
  for (int i = 0; i < axes; ++i) noise.emplace_back(1);
  noise.emplace_back(sizes[axes + 1]);
  return nn::dropout(inputs, {.noise_shape = tf::Input::list(noise), .seed = seed, .rate = rate});
}

struct LeakyReLUArguments {
  double alpha = 0.3;
  PlainOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("alpha", alpha);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<LeakyReLU>(alpha, options); }
};

struct ReLUArguments {
  ReLUOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("max_value", options.max_value);
    io.float32("negative_slope", options.negative_slope);
    io.float32("threshold", options.threshold);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<ReLU>(options); }
};

struct ELUArguments {
  double alpha = 1;
  PlainOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("alpha", alpha);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<ELU>(alpha, options); }
};

struct ThresholdedReLUArguments {
  double theta = 1;
  PlainOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("theta", theta);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<ThresholdedReLU>(theta, options); }
};

struct PReLUArguments {
  PReLUOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("alpha_initializer", options.alpha_initializer);
    io("alpha_regularizer", options.alpha_regularizer);
    io("alpha_constraint", options.alpha_constraint);
    io.list_or_null("shared_axes", options.shared_axes);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<PReLU>(options); }
};

struct SoftmaxArguments {
  int64_t axis = -1;
  PlainOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("axis", axis);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Softmax>(axis, options); }
};

struct GaussianNoiseArguments {
  double stddev = 0;
  NoiseOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("stddev", stddev);
    io("seed", options.seed);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<GaussianNoise>(stddev, options); }
};

template <class Dropout>
struct SpatialDropoutArguments {
  double rate = 0;
  NoiseOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("rate", rate);
    io.fixed("noise_shape", {});
    io("seed", options.seed);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Dropout>(rate, options); }
};

}  // namespace

LeakyReLU::LeakyReLU(double alpha, const PlainOptions& options)
    : Layer("LeakyReLU", options_of(options.name, options.input_shape)), alpha_(alpha) {
  support_masking();
  LayerConfig::keep(*this, LeakyReLUArguments{alpha, options});
}
Tensor LeakyReLU::call(const Tensor& inputs, bool) {
  return nn::leaky_relu(inputs, {.alpha = static_cast<float>(alpha_)});
}

ReLU::ReLU(const ReLUOptions& options, Where where)
    : Layer("ReLU", options_of(options.name, options.input_shape)), options_(options) {
  support_masking();
  if (options.max_value.has_value()) not_negative(*options.max_value, "max_value of a ReLU layer", where);
  not_negative(options.negative_slope, "negative_slope of a ReLU layer", where);
  not_negative(options.threshold, "threshold of a ReLU layer", where);
  LayerConfig::keep(*this, ReLUArguments{options});
}
Tensor ReLU::call(const Tensor& inputs, bool) {
  const double threshold = options_.threshold;
  Tensor result = threshold == 0 ? nn::relu(inputs) : inputs * as_numbers_of(inputs > threshold, inputs);
  if (options_.max_value.has_value()) result = clip_by_value(result, 0.0, *options_.max_value);
  if (options_.negative_slope == 0) return result;
  return result - nn::relu(threshold - inputs) * options_.negative_slope;
}

ELU::ELU(double alpha, const PlainOptions& options)
    : Layer("ELU", options_of(options.name, options.input_shape)), alpha_(alpha) {
  support_masking();
  LayerConfig::keep(*this, ELUArguments{alpha, options});
}
Tensor ELU::call(const Tensor& inputs, bool) {
  const Tensor result = nn::elu(inputs);
  return alpha_ == 1 ? result : where(inputs > 0.0, result, result * alpha_);
}

ThresholdedReLU::ThresholdedReLU(double theta, const PlainOptions& options, Where where)
    : Layer("ThresholdedReLU", options_of(options.name, options.input_shape)),
      theta_(not_negative(theta, "Theta of a Thresholded ReLU layer", where)) {
  support_masking();
  LayerConfig::keep(*this, ThresholdedReLUArguments{theta, options});
}
Tensor ThresholdedReLU::call(const Tensor& inputs, bool) {
  return inputs * as_numbers_of(inputs > theta_, inputs);
}

PReLU::PReLU(const PReLUOptions& options)
    : Layer("PReLU", options_of(options.name, options.input_shape)), options_(options) {
  support_masking();
  LayerConfig::keep(*this, PReLUArguments{options});
}
void PReLU::build(const TensorShape& input_shape) {
  const auto element = input_shape.dims().subspan(1);
  std::vector<int64_t> dims(element.begin(), element.end());
  for (const int64_t axis : options_.shared_axes) {
    if (axis < 1 || axis > static_cast<int64_t>(dims.size())) {
      throw ValueError(fmt::format("PReLU: inputs of shape {} have no axis {} behind the batch.",
                                   input_shape.to_tuple_string(), axis));
    }
    dims[static_cast<size_t>(axis - 1)] = 1;
  }
  alpha_ = add_weight("alpha", TensorShape(dims), {.initializer = options_.alpha_initializer});
}
Tensor PReLU::call(const Tensor& inputs, bool) {
  return nn::relu(inputs) - alpha_ * nn::relu(negative(inputs));
}

Softmax::Softmax(int64_t axis, const PlainOptions& options)
    : Layer("Softmax", options_of(options.name, options.input_shape)), axis_(axis) {
  support_masking();
  LayerConfig::keep(*this, SoftmaxArguments{axis, options});
}
Tensor Softmax::call(const Tensor& inputs, bool) {
  if (input_masks()[0].has_value()) {
    const DType dtype = base_dtype(inputs.dtype());
    const Tensor left_out = (1.0 - cast(input_masks()[0], dtype)) * (dtype == float16 ? -65504.0 : -1e9);
    return nn::softmax(inputs + left_out, {.axis = static_cast<int>(axis_)});
  }
  return nn::softmax(inputs, {.axis = static_cast<int>(axis_)});
}

// ---- noise

GaussianNoise::GaussianNoise(double stddev, const NoiseOptions& options, Where where)
    : Layer("GaussianNoise", options_of(options.name, options.input_shape)),
      stddev_(not_negative(stddev, "stddev of a GaussianNoise layer", where)),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, GaussianNoiseArguments{stddev, options});
}
Tensor GaussianNoise::call(const Tensor& inputs, bool training) {
  if (!training) return identity(inputs);
  return inputs +
         random_normal(shape(inputs),
                       {.stddev = stddev_, .dtype = base_dtype(inputs.dtype()), .seed = options_.seed});
}

SpatialDropout1D::SpatialDropout1D(double rate, const NoiseOptions& options, Where where)
    : Layer("SpatialDropout1D", options_of(options.name, options.input_shape)),
      rate_(rate_of(rate, where)),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, SpatialDropoutArguments<SpatialDropout1D>{rate, options});
}
Tensor SpatialDropout1D::call(const Tensor& inputs, bool training) {
  check_rank(inputs.shape(), 3, name());
  return training && rate_ > 0 ? without_channels(inputs, rate_, options_.seed, 1) : identity(inputs);
}

SpatialDropout2D::SpatialDropout2D(double rate, const NoiseOptions& options, Where where)
    : Layer("SpatialDropout2D", options_of(options.name, options.input_shape)),
      rate_(rate_of(rate, where)),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, SpatialDropoutArguments<SpatialDropout2D>{rate, options});
}
Tensor SpatialDropout2D::call(const Tensor& inputs, bool training) {
  check_rank(inputs.shape(), 4, name());
  return training && rate_ > 0 ? without_channels(inputs, rate_, options_.seed, 2) : identity(inputs);
}

SpatialDropout3D::SpatialDropout3D(double rate, const NoiseOptions& options, Where where)
    : Layer("SpatialDropout3D", options_of(options.name, options.input_shape)),
      rate_(rate_of(rate, where)),
      options_(options) {
  support_masking();
  LayerConfig::keep(*this, SpatialDropoutArguments<SpatialDropout3D>{rate, options});
}
Tensor SpatialDropout3D::call(const Tensor& inputs, bool training) {
  check_rank(inputs.shape(), 5, name());
  return training && rate_ > 0 ? without_channels(inputs, rate_, options_.seed, 3) : identity(inputs);
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_activation_layers(LayerTable& table) {
  table.add<layers::LeakyReLUArguments>("LeakyReLU");
  table.add<layers::ReLUArguments>("ReLU");
  table.add<layers::ELUArguments>("ELU");
  table.add<layers::ThresholdedReLUArguments>("ThresholdedReLU");
  table.add<layers::PReLUArguments>("PReLU");
  table.add<layers::SoftmaxArguments>("Softmax");
  table.add<layers::GaussianNoiseArguments>("GaussianNoise");
  table.add<layers::SpatialDropoutArguments<layers::SpatialDropout1D>>("SpatialDropout1D");
  table.add<layers::SpatialDropoutArguments<layers::SpatialDropout2D>>("SpatialDropout2D");
  table.add<layers::SpatialDropoutArguments<layers::SpatialDropout3D>>("SpatialDropout3D");
}
