// Regularizers and constraints as options of layers: losses and weights of three steps against tf_keras 2.21
// (compat.v1), for the same weights and batches.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// (37 i mod 11) / 11
Array series(const Shape& shape, float less = 0) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f - less;
  return Array::from(values, shape);
}
Array one_less(const Array& given) {
  std::vector<float> values(given.data<float>(), given.data<float>() + given.size());
  for (float& value : values) value = 1 - value;
  return Array::from(values, given.shape());
}

/// The options that layers with a kernel and a bias share.
template <class Options>
Options ruled(Options options = {}) {
  options.kernel_regularizer = regularizers::l1_l2({.l1 = 0.01, .l2 = 0.02});
  options.bias_regularizer = regularizers::l1(0.03);
  options.activity_regularizer = regularizers::l2(0.04);
  options.kernel_constraint = constraints::MaxNorm({.max_value = 0.3});
  options.bias_constraint = "non_neg";
  return options;
}
template <class Options>
Options ruled_over_time() {
  auto options = ruled<Options>();
  options.recurrent_regularizer = "l2";
  options.recurrent_constraint = constraints::UnitNorm();
  return options;
}
template <class Options>
Options ruled_by_channel(const std::vector<int64_t>& axis) {
  Options options;
  options.depthwise_regularizer = regularizers::l2(0.02);
  options.bias_regularizer = regularizers::l1(0.03);
  options.activity_regularizer = regularizers::l2(0.04);
  options.depthwise_constraint = constraints::MaxNorm({.max_value = 0.3, .axis = axis});
  options.bias_constraint = constraints::NonNeg();
  if constexpr (requires { options.pointwise_regularizer; }) {
    options.pointwise_regularizer = regularizers::l1_l2({.l1 = 0.01, .l2 = 0.02});
    options.pointwise_constraint =
        constraints::MinMaxNorm({.min_value = 0.1, .max_value = 0.2, .rate = 0.5, .axis = axis});
  }
  return options;
}
template <class Options>
Options ruled_normalization() {
  Options options;
  options.beta_regularizer = regularizers::l1(0.01);
  options.gamma_regularizer = regularizers::l2(0.02);
  options.beta_constraint = "NonNeg";
  options.gamma_constraint = constraints::MinMaxNorm({.min_value = 0.1, .max_value = 0.5, .rate = 0.5});
  return options;
}

struct Case {
  std::string name;
  std::shared_ptr<Layer> layer;
  std::vector<int64_t> element;
  /// Of the steps.
  std::vector<double> losses;
  /// Of each weight behind them: the sum of its elements times their places, from 1 on.
  std::vector<double> weights;
};

std::vector<Case> cases() {
  using std::make_shared;
  const std::vector<int64_t> by2 = {2};
  const layers::LSTM lstm(2, ruled_over_time<layers::LSTMOptions>());
  return {
      {"Dense",
       make_shared<layers::Dense>(3, ruled<layers::DenseOptions>()),
       {4},
       {0.630767, 0.414482, 0.337952},
       {1.765091, 0.927437}},
      {"Conv1D",
       make_shared<layers::Conv1D>(3, 2, ruled<layers::Conv1DOptions>()),
       {5, 2},
       {0.556681, 0.376009, 0.328633},
       {2.094484, 0.948932}},
      {"Conv2D",
       make_shared<layers::Conv2D>(3, by2, ruled<layers::Conv2DOptions>()),
       {4, 4, 2},
       {0.606557, 0.367119, 0.329050},
       {8.788192, 0.768364}},
      {"Conv2DTranspose",
       make_shared<layers::Conv2DTranspose>(3, by2, ruled<layers::Conv2DTransposeOptions>()),
       {3, 3, 2},
       {0.566413, 0.415908, 0.393232},
       {4.807467, 0.791107}},
      {"Conv3D",
       make_shared<layers::Conv3D>(2, by2, ruled<layers::Conv3DOptions>()),
       {3, 3, 3, 2},
       {0.723152, 0.314585, 0.297287},
       {19.971791, 0.158822}},
      {"Conv3DTranspose",
       make_shared<layers::Conv3DTranspose>(2, by2, ruled<layers::Conv3DTransposeOptions>()),
       {2, 2, 2, 2},
       {0.692587, 0.439547, 0.400549},
       {7.153979, 0.274371}},
      {"SeparableConv1D",
       make_shared<layers::SeparableConv1D>(3, 2, ruled_by_channel<layers::SeparableConv1DOptions>({0, 1})),
       {5, 2},
       {0.483461, 0.355946, 0.329963},
       {-0.075220, -0.519270, 0.954522}},
      {"SeparableConv2D",
       make_shared<layers::SeparableConv2D>(3, by2,
                                            ruled_by_channel<layers::SeparableConv2DOptions>({0, 1, 2})),
       {4, 4, 2},
       {0.479585, 0.348951, 0.327653},
       {0.418265, -0.509798, 0.866300}},
      {"DepthwiseConv2D",
       make_shared<layers::DepthwiseConv2D>(by2, ruled_by_channel<layers::DepthwiseConv2DOptions>({0, 1, 2})),
       {4, 4, 2},
       {0.546528, 0.322233, 0.268958},
       {2.432830, 0.338243}},
      {"Embedding",
       make_shared<layers::Embedding>(
           5, 3,
           layers::EmbeddingOptions{.embeddings_regularizer = regularizers::l2(0.05),
                                    .activity_regularizer = regularizers::l1(0.02),
                                    .embeddings_constraint = constraints::UnitNorm({.axis = {1}})}),
       {4},
       {0.466138, 1.042358, 1.034556},
       {9.922049}},
      {"SimpleRNN",
       make_shared<layers::SimpleRNN>(3, ruled_over_time<layers::SimpleRNNOptions>()),
       {4, 2},
       {0.596365, 0.500188, 0.477720},
       {-0.421269, 1.865363, 0.761092}},
      {"LSTM",
       make_shared<layers::LSTM>(3, ruled_over_time<layers::LSTMOptions>()),
       {4, 2},
       {0.518310, 0.585701, 0.572324},
       {1.559459, -51.450023, 4.259972}},
      {"GRU",
       make_shared<layers::GRU>(3, ruled_over_time<layers::GRUOptions>()),
       {4, 2},
       {0.517176, 0.550439, 0.497004},
       {4.356734, -4.893019, 4.136962}},
      {"Bidirectional",
       make_shared<layers::Bidirectional>(lstm),
       {4, 2},
       {0.598078, 0.666204, 0.657815},
       {-0.979502, 6.912172, 2.871227, -1.224247, 6.880760, 2.812171}},
      {"TimeDistributed",
       make_shared<layers::TimeDistributed>(make_shared<layers::Dense>(3, ruled<layers::DenseOptions>())),
       {4, 2},
       {0.544222, 0.385681, 0.340207},
       {0.083586, 0.996549}},
      {"BatchNormalization",
       make_shared<layers::BatchNormalization>(ruled_normalization<layers::BatchNormalizationOptions>()),
       {4},
       {0.540623, 0.400015, 0.362681},
       {-0.340028, 1.188297, 0.120154, 9.720357}},
      {"LayerNormalization",
       make_shared<layers::LayerNormalization>(ruled_normalization<layers::LayerNormalizationOptions>()),
       {4},
       {0.504878, 0.361059, 0.317512},
       {-0.492031, 1.154970}},
      {"PReLU",
       make_shared<layers::PReLU>(
           layers::PReLUOptions{.alpha_regularizer = regularizers::l2(0.1), .alpha_constraint = "unit_norm"}),
       {4},
       {0.411750, 0.462987, 0.461023},
       {-0.379104}},
  };
}

class RegularizersTest : public ::testing::Test {
 protected:
  static Model model_of(const Case& one) {
    const KerasTensor x = Input(TensorShape(one.element));
    return Model(x, (*one.layer)(x));
  }
  /// All (7 i mod 5 - 2) / 10 but for moving averages.
  static void set_weights(Model& model, const std::string& name) {
    std::vector<Array> weights = model.get_weights();
    if (name == "BatchNormalization") weights.resize(2);
    for (Array& weight : weights) {
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    const std::vector<Array> all = model.get_weights();
    weights.insert(weights.end(), all.begin() + static_cast<ptrdiff_t>(weights.size()), all.end());
    model.set_weights(weights);
  }
  static void expect_training(Model& model, const Case& one) {
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
    set_weights(model, one.name);
    std::vector<int64_t> batch = {2};
    batch.insert(batch.end(), one.element.begin(), one.element.end());
    const Array x = one.name == "Embedding" ? Array({{0.f, 1.f, 2.f, 3.f}, {4.f, 0.f, 1.f, 2.f}})
                                            : series(Shape(batch), one.name == "PReLU" ? 0.5f : 0.0f);
    const Array y = one_less(series(model.predict(x).shape()));
    for (size_t i = 0; i < one.losses.size(); ++i)
      EXPECT_NEAR(model.train_on_batch(x, y).at(0), one.losses[i], 1e-5) << one.name << ", step " << i;
    const std::vector<Array> weights = model.get_weights();
    ASSERT_EQ(weights.size(), one.weights.size()) << one.name;
    for (size_t i = 0; i < weights.size(); ++i) {
      double sum = 0;
      for (int64_t j = 0; j < weights[i].size(); ++j)
        sum += static_cast<double>(weights[i].data<float>()[j]) * static_cast<double>(j + 1);
      EXPECT_NEAR(sum, one.weights[i], 2e-4) << one.name << ", weight " << i;
    }
  }

  Graph graph_;
  GraphScope scope_{graph_.as_default()};
};

TEST_F(RegularizersTest, CountInEachLayerAndConstraintsHold) {
  for (const Case& one : cases()) {
    Model model = model_of(one);
    expect_training(model, one);
  }
}

TEST_F(RegularizersTest, OfALayerComeBackFromItsConfig) {
  for (const Case& one : cases()) {
    const Model made = model_of(one);
    Model same = model_from_json(made.to_json());
    EXPECT_EQ(same.to_json(), made.to_json()) << one.name;
    expect_training(same, one);
  }
}

// What json.dumps gives of tf_keras' config of such a layer, without "module" and "registered_name".
TEST_F(RegularizersTest, StandInConfigsAsTfKerasWritesThem) {
  const layers::Dense dense(2, {.kernel_regularizer = "l2",
                                .bias_regularizer = regularizers::l1(0.1),
                                .activity_regularizer = regularizers::l1_l2({.l1 = 0.1, .l2 = 0.2}),
                                .kernel_constraint = constraints::MaxNorm({.max_value = 3}),
                                .bias_constraint = constraints::NonNeg()});
  const Config config = dense.get_config();
  const auto told = [&](const char* name) { return config.at(name).to_json(); };
  EXPECT_EQ(told("kernel_regularizer"), R"({"class_name": "L2", "config": {"l2": 0.009999999776482582}})");
  EXPECT_EQ(told("bias_regularizer"), R"({"class_name": "L1", "config": {"l1": 0.10000000149011612}})");
  EXPECT_EQ(told("activity_regularizer"),
            R"({"class_name": "L1L2", "config": {"l1": 0.10000000149011612, "l2": 0.20000000298023224}})");
  EXPECT_EQ(told("kernel_constraint"),
            R"({"class_name": "MaxNorm", "config": {"max_value": 3.0, "axis": 0}})");
  EXPECT_EQ(told("bias_constraint"), R"({"class_name": "NonNeg", "config": {}})");
  EXPECT_EQ(config.names().at(config.names().size() - 5), "kernel_regularizer");
  EXPECT_EQ(config.names().back(), "bias_constraint");
  EXPECT_EQ(constraints::MinMaxNorm({.rate = 0.5, .axis = {0, 1}}).config().to_json(),
            R"({"class_name": "MinMaxNorm", "config": {"min_value": 0.0, "max_value": 1.0, "rate": 0.5, )"
            R"("axis": [0, 1]}})");
}

// Their numbers are tf_keras': l1_l2 by its name has 0.01 of both, its class alone nothing.
TEST_F(RegularizersTest, AreKnownByTheirNames) {
  EXPECT_EQ(regularizers::Regularizer("l1_l2").config(), regularizers::l1_l2().config());
  EXPECT_EQ(regularizers::Regularizer("L1L2").config(), regularizers::l1_l2({.l1 = 0, .l2 = 0}).config());
  EXPECT_EQ(regularizers::Regularizer("L1").config(), regularizers::l1(0.01).config());
  EXPECT_EQ(constraints::Constraint("max_norm").config(), constraints::MaxNorm({.max_value = 2}).config());
  EXPECT_EQ(constraints::Constraint("min_max_norm").config(), constraints::MinMaxNorm().config());
  EXPECT_FALSE(regularizers::Regularizer().has_value());
  EXPECT_FALSE(constraints::Constraint(nullptr).has_value());
  EXPECT_THAT(error_of([] { regularizers::Regularizer("l3"); }),
              StartsWith("Unknown regularizer: 'l3'. Please ensure you are using a "
                         "`keras.utils.custom_object_scope` and that this object is included in the scope."));
  EXPECT_THAT(error_of([] { constraints::Constraint("least"); }), StartsWith("Unknown constraint: 'least'."));
  EXPECT_THAT(
      error_of([] { regularizers::l2(std::numeric_limits<double>::quiet_NaN()); }),
      StartsWith("Value nan is not a valid regularization penalty number, an infinite number or NaN are "
                 "not valid values."));
  EXPECT_THROW(regularizers::l1_l2({.l1 = std::numeric_limits<double>::infinity()}), ValueError);
}

TEST_F(RegularizersTest, MayBeFunctionsOfTheProgramWithAConfig) {
  const auto half = [](double factor) {
    return regularizers::Regularizer(
        FunctionOf<Tensor>([factor](const Tensor& x) { return reduce_sum(x) * factor; }),
        Config::items({{"class_name", "Half"}, {"config", Config::items({{"factor", factor}})}}));
  };
  const auto below = [](double limit) {
    return constraints::Constraint(
        FunctionOf<Tensor>([limit](const Tensor& w) { return minimum(w, limit); }),
        Config::items({{"class_name", "Below"}, {"config", Config::items({{"limit", limit}})}}));
  };
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(),
                              .kernel_regularizer = half(0.5),
                              .kernel_constraint = below(0.25),
                              .input_shape = TensorShape{2}}));
  CustomObjects own;
  own.regularizers["Half"] = [&](const Config& config) { return half(config.at("factor").number()); };
  own.constraints["Below"] = [&](const Config& config) { return below(config.at("limit").number()); };
  EXPECT_THAT(error_of([&] { (void)model_from_json(model.to_json()); }),
              StartsWith("Unknown regularizer: 'Half'."));
  Model same = model_from_json(model.to_json(), own);
  same.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(same.train_on_batch(Array({{0.f, 0.f}}), Array({{0.f}})), std::vector<double>{1.0});
  EXPECT_EQ(same.get_weights()[0], Array({{0.25f}, {0.25f}}));
}

TEST_F(RegularizersTest, OfVariablesAreForWeightsAlone) {
  const regularizers::Regularizer of_weight = [](const Variable& w) { return reduce_sum(w.value()); };
  const KerasTensor x = Input({2});
  layers::Dense dense(1, {.activity_regularizer = of_weight});
  EXPECT_THAT(error_of([&] { dense(x); }),
              StartsWith("The regularizer of what a layer gives is a function of a Variable."));
  EXPECT_THAT(error_of([] {
                (void)layers::Dense(1, {.kernel_regularizer = [](const Tensor& w) { return reduce_sum(w); }})
                    .get_config();
              }),
              HasSubstr("its kernel_regularizer is a function of the program's"));
}

/// A layer of the program's that says its weight's rules in build().
class Scale : public Layer {
 public:
  Scale() : Layer("Scale", {}) {}
  std::string class_name() const override { return "Scale"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Scale>(*this); }

 protected:
  void build(const TensorShape&) override {
    scale_ = add_weight("scale", TensorShape{2},
                        {.initializer = constant_initializer(3.0),
                         .regularizer = regularizers::l2(0.5),
                         .constraint = constraints::UnitNorm()});
  }
  Tensor call(const Tensor& inputs, bool) override { return inputs * scale_; }

 private:
  Variable scale_;
};

TEST_F(RegularizersTest, AreOptionsOfAWeightOfTheProgramsLayer) {
  const KerasTensor x = Input({2});
  Model model(x, Scale()(x));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  EXPECT_NEAR(model.train_on_batch(Array({{0.f, 0.f}}), Array({{0.f, 0.f}})).at(0), 9.0, 1e-6);
  EXPECT_NEAR(model.get_weights()[0].data<float>()[0], 0.70710678, 1e-6);  // 1 / sqrt(2)
}

}  // namespace
}  // namespace flowray::tf::keras
