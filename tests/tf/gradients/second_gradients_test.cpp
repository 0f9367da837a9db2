// Gradients of gradients that are written down as a formula: against the same formula in double precision, by
// differences, and against numbers that TensorFlow 2.21 gives. Gradients that TensorFlow writes in other
// nodes than ours.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "support/op_runner.h"
#include "tf/build/apply_op.h"

namespace flowray::tf {
namespace {

std::vector<Tensor> outputs(std::string_view op, std::vector<OpArg> args, graph::Attrs attrs = {}) {
  graph::Node* const node = apply_op_node({.op = op, .args = std::move(args), .attrs = std::move(attrs)});
  std::vector<Tensor> all;
  for (int i = 0; i < node->num_outputs(); ++i) all.push_back(tensor_of(node->output(i)));
  return all;
}

// ---- FusedBatchNormGrad

/// Four pixels of two channels, [2, 2, 1, 2].
struct Batch {
  std::vector<float> x = {.5f, -1, 2, .3f, -.7f, 1.1f, .9f, -2};
  std::vector<float> gradient = {1, .5f, -1, 2, .25f, -.5f, 1.5f, -2};
  std::vector<float> scale = {1.5f, .5f};
  std::vector<float> mean = {.2f, .1f};
  std::vector<float> variance = {1.3f, .8f};
  // What flows in, of x, scale and offset.
  std::vector<float> of_x = {.3f, -.2f, 1, .7f, -1.2f, .4f, .1f, 2};
  std::vector<float> of_scale = {.7f, -.4f};
  std::vector<float> of_offset = {.1f, .9f};
};

constexpr double kEpsilon = 0.01;

/// What FusedBatchNormGrad gives, in double precision, as one sum weighted by what flows in.
double weighted(const Batch& weights, bool training, const std::vector<double>& gradient,
                const std::vector<double>& x, const std::vector<double>& scale) {
  double sum = 0;
  for (size_t c = 0; c < 2; ++c) {
    double mean = 0;
    double variance = 0;
    for (size_t i = c; i < 8; i += 2) mean += x[i] / 4;
    for (size_t i = c; i < 8; i += 2) variance += (x[i] - mean) * (x[i] - mean) / 4;
    if (!training) {
      mean = weights.mean[c];
      variance = weights.variance[c];
    }
    const double r = 1 / std::sqrt(variance + kEpsilon);
    double sum_g = 0;
    double sum_gz = 0;
    for (size_t i = c; i < 8; i += 2) {
      sum_g += gradient[i];
      sum_gz += gradient[i] * (x[i] - mean) * r;
    }
    for (size_t i = c; i < 8; i += 2) {
      const double shift = training ? sum_g / 4 + (x[i] - mean) * r * sum_gz / 4 : 0;
      sum += weights.of_x[i] * scale[c] * r * (gradient[i] - shift);
    }
    sum += weights.of_scale[c] * sum_gz + weights.of_offset[c] * sum_g;
  }
  return sum;
}

/// [2, 2, 1, 2] as NHWC, or [2, 2, 2, 1] as NCHW.
Array image(const std::vector<float>& values, bool channels_last) {
  if (channels_last) return Array::from(values, {2, 2, 1, 2});
  std::vector<float> moved(values.size());
  for (size_t n = 0; n < 2; ++n) {
    for (size_t h = 0; h < 2; ++h) {
      for (size_t c = 0; c < 2; ++c) moved[n * 4 + c * 2 + h] = values[n * 4 + h * 2 + c];
    }
  }
  return Array::from(moved, {2, 2, 2, 1});
}

/// By y_backprop, x and scale.
std::vector<Array> second_gradients(const std::string& op, const Batch& batch, bool training,
                                    bool channels_last, DType dtype = DType::kFloat32) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const auto image_of = [&](const std::vector<float>& values) {
    return constant(image(values, channels_last).astype(dtype));
  };
  std::vector<float> mean = batch.mean;
  std::vector<float> variance = batch.variance;
  for (size_t c = 0; c < 2 && training; ++c) {  // what the forward op saves
    mean[c] = variance[c] = 0;
    for (size_t i = c; i < 8; i += 2) mean[c] += batch.x[i] / 4;
    for (size_t i = c; i < 8; i += 2) variance[c] += (batch.x[i] - mean[c]) * (batch.x[i] - mean[c]) / 4;
  }
  const Tensor gradient = image_of(batch.gradient);
  const Tensor x = image_of(batch.x);
  const Tensor scale = constant(Array(batch.scale));
  std::vector<OpArg> args = {gradient, x, scale, Input(Array(mean)), Input(Array(variance))};
  if (op.ends_with("V3")) args.emplace_back(Input(0.0f));
  const std::vector<Tensor> made = outputs(op, std::move(args),
                                           {{"epsilon", static_cast<float>(kEpsilon)},
                                            {"is_training", training},
                                            {"data_format", std::string(channels_last ? "NHWC" : "NCHW")}});
  const std::vector<Tensor> grads = gradients(
      {made[0], made[1], made[2]}, {gradient, x, scale},
      {.grad_ys = {image_of(batch.of_x), constant(Array(batch.of_scale)), constant(Array(batch.of_offset))}});
  Session session;
  std::vector<Array> results;
  for (const Tensor& grad : grads) results.push_back(session.run(grad));
  return results;
}

TEST(BatchNormGradient, HasTheGradientThatDifferencesShow) {
  const Batch batch;
  for (const bool training : {true, false}) {
    std::array<std::vector<double>, 3> at = {
        std::vector<double>(batch.gradient.begin(), batch.gradient.end()),
        std::vector<double>(batch.x.begin(), batch.x.end()),
        std::vector<double>(batch.scale.begin(), batch.scale.end())};
    std::array<std::vector<float>, 3> slopes;
    for (size_t input = 0; input < 3; ++input) {
      for (double& value : at[input]) {
        constexpr double kStep = 1e-6;
        const double before = value;
        value = before + kStep;
        const double above = weighted(batch, training, at[0], at[1], at[2]);
        value = before - kStep;
        const double below = weighted(batch, training, at[0], at[1], at[2]);
        value = before;
        slopes[input].push_back(static_cast<float>((above - below) / (2 * kStep)));
      }
    }
    for (const char* op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
      for (const bool channels_last : {true, false}) {
        SCOPED_TRACE(std::string(op) + (training ? " training" : "") + (channels_last ? " NHWC" : " NCHW"));
        const std::vector<Array> grads = second_gradients(op, batch, training, channels_last);
        testing::expect_close(grads[0], image(slopes[0], channels_last), 1e-5, 2e-6);
        testing::expect_close(grads[1], image(slopes[1], channels_last), 1e-5, 2e-6);
        testing::expect_close(grads[2], Array(slopes[2]), 1e-5, 2e-6);
      }
    }
  }
}

TEST(BatchNormGradient, HasTensorFlowsGradient) {
  const std::vector<Array> in_training = second_gradients("FusedBatchNormGradV3", {}, true, true);
  const auto pixels = [](const std::vector<float>& values) { return image(values, true); };
  testing::expect_close(
      in_training[0],
      pixels({.571604f, .625871f, .923182f, .757332f, -1.162515f, .480595f, .067729f, 1.736201f}), 1e-5,
      2e-6);
  testing::expect_close(
      in_training[1],
      pixels({.016425f, .057732f, .258594f, -.267182f, .386029f, .402064f, -.661049f, -.192614f}), 1e-5,
      2e-6);
  testing::expect_close(in_training[2], Array({.247206f, -1.391110f}), 1e-5, 2e-6);
  const std::vector<Array> later = second_gradients("FusedBatchNormGradV3", {}, false, true);
  testing::expect_close(
      later[0], pixels({.676645f, 1.277778f, 2.511423f, 1.2f, -2.023101f, .677778f, .659171f, 2.944444f}),
      1e-5, 2e-6);
  testing::expect_close(
      later[1], pixels({.611593f, -.222222f, -.611593f, -.888889f, .152898f, .222222f, .917389f, .888889f}),
      1e-5, 2e-6);
  testing::expect_close(later[2], Array({-.742648f, -3.222222f}), 1e-5, 2e-6);
}

TEST(BatchNormGradient, KeepsTheDtypesOfItsInputs) {
  const std::vector<Array> halves = second_gradients("FusedBatchNormGradV2", {}, true, true, DType::kFloat16);
  EXPECT_EQ(halves[0].dtype(), DType::kFloat16);
  EXPECT_EQ(halves[1].dtype(), DType::kFloat16);
  EXPECT_EQ(halves[2].dtype(), DType::kFloat32);
  const std::vector<Array> floats = second_gradients("FusedBatchNormGradV2", {}, true, true);
  testing::expect_close(halves[1].astype(DType::kFloat32), floats[1], 1e-2, 5e-3);
}

// ---- RFFT2D, RGBToHSV

/// The gradient by x of the sum of `build(x)` times weights, against differences.
void expect_gradient(const Array& at, const std::function<Tensor(const Tensor&)>& build) {
  const Graph graph;
  const GraphScope scope = graph.as_default();
  const Tensor x = placeholder(DType::kFloat64, TensorShape(at.shape()));
  const Tensor loss = build(x);
  const Tensor gradient = gradients(loss, {x})[0];
  Session session;
  const Array actual = session.run(gradient, {{x, at}});
  ASSERT_EQ(actual.shape(), at.shape());
  const auto loss_with = [&](int64_t i, double change) {
    Array moved = at;
    moved.mutable_data<double>()[i] += change;
    return session.run(loss, {{x, moved}}).item<double>();
  };
  for (int64_t i = 0; i < at.size(); ++i) {
    constexpr double kStep = 1e-5;
    const double expected = (loss_with(i, kStep) - loss_with(i, -kStep)) / (2 * kStep);
    EXPECT_NEAR(actual.data<double>()[i], expected, 1e-7) << "element " << i;
  }
}

Array ramp(const Shape& shape) {
  Array values(DType::kFloat64, shape);
  for (int64_t i = 0; i < values.size(); ++i)
    values.mutable_data<double>()[i] = std::sin(static_cast<double>(3 * i + 1));
  return values;
}

/// The transform of `lengths` numbers, which may be fewer than there are, or of none.
void expect_plane_gradient(const Shape& shape, const std::vector<int32_t>& lengths) {
  SCOPED_TRACE(shape.to_string() + " to " + Array(lengths).to_string());
  expect_gradient(ramp(shape), [&](const Tensor& x) {
    const Tensor spectrum =
        outputs("RFFT2D", {x, Input(Array(lengths))}, {{"Tcomplex", DType::kComplex128}})[0];
    const graph::Attrs real = {{"Tout", DType::kFloat64}};
    const Tensor re = outputs("Real", {spectrum}, real)[0];
    const Tensor im = outputs("Imag", {spectrum}, real)[0];
    return reduce_sum(sin(re) * im) + reduce_sum(square(im)) + reduce_sum(re);
  });
}

TEST(SpectralGradient, OfAPlaneIsTheTransformOfTheHalfSpectrum) {
  for (const int64_t columns : {1, 4, 5})
    expect_plane_gradient({2, 3, columns}, {3, static_cast<int32_t>(columns)});
  expect_plane_gradient({4, 5}, {3, 4});
  expect_plane_gradient({2, 0, 4}, {3, 4});
  expect_plane_gradient({5, 3}, {3, 2});
}

/// TensorFlow 2.21's, where channels are equal, zero or negative: of hue, saturation and value.
TEST(ColourGradient, DecidesBetweenEqualChannelsAsTensorFlow) {
  const std::vector<float> pixels = {.5f, .5f,  .5f, 0,   0,    0,    0,    .3f, .6f, .6f,
                                     0,   0,    .6f, .6f, .1f,  .1f,  .6f,  .6f, .6f, .1f,
                                     .6f, -.5f, .3f, .2f, -.5f, -.3f, -.2f, 0,   0,   .4f};
  const std::vector<std::vector<float>> expected = {
      {0,         0,         0,         0,        0, 0, .138889f,  -.277778f, .138889f,  0,
       .277778f,  -.277778f, -.333333f, .333333f, 0, 0, -.333333f, .333333f,  .333333f,  0,
       -.333333f, -.026042f, -.182292f, .208333f, 0, 0, 0,         .416667f,  -.416667f, 0},
      {2,          0,        -2, 0,        0,          0, 0, 0,          0, 0, 0, 0, .277778f, 0, -1.666667f,
       -1.666667f, .277778f, 0,  .277778f, -1.666667f, 0, 0, -5.555556f, 0, 0, 0, 0, 0,        0, 0},
      {1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1}};
  for (size_t part = 0; part < 3; ++part) {
    const Graph graph;
    const GraphScope scope = graph.as_default();
    const Tensor rgb = constant(Array::from(pixels, {10, 3}));
    std::vector<float> mask = {0, 0, 0};
    mask[part] = 1;
    const Tensor y = outputs("RGBToHSV", {rgb})[0] * constant(Array(mask));
    Session session;
    testing::expect_close(session.run(gradients(y, {rgb})[0]), Array::from(expected[part], {10, 3}), 1e-5,
                          2e-6);
  }
}

}  // namespace
}  // namespace flowray::tf
