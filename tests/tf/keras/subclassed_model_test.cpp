// Models of classes of the program's own, against tf_keras 2.21 (compat.v1): its names, numbers and words.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using data::Dataset;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class Digits : public Model {
 public:
  Digits() : Model("Digits") {}

 protected:
  void build(const TensorShape& /*input_shape*/) override {
    scale_ = add_weight("scale", {1}, {.initializer = ones_initializer()});
  }
  Tensor call(const Tensor& x, bool training) override {
    return (*output_)((*norm_)((*hidden_)(x), training))*scale_;
  }

 private:
  std::shared_ptr<layers::Dense> hidden_ = track(layers::Dense(3, {.activation = "tanh"}));
  std::shared_ptr<layers::BatchNormalization> norm_ = track(layers::BatchNormalization());
  std::shared_ptr<layers::Dense> output_ = track(layers::Dense(1));
  Variable scale_;
};

/// Two inputs, two outputs.
class SumAndDifference : public Model {
 public:
  SumAndDifference() : Model("SumAndDifference", "both") {}

 protected:
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool /*training*/) override {
    const Tensor left = (*left_)(inputs[0]);
    const Tensor right = (*right_)(inputs[1]);
    return {left + right, left - right};
  }

 private:
  std::shared_ptr<layers::Dense> left_ = track(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
  std::shared_ptr<layers::Dense> right_ = track(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
};

class SubclassedModelTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  static void compile(Model& model) {
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
  }
  /// Built by a first batch; then its kernels are (7 i mod 5 - 2) / 10, biases and means 0, all else 1.
  static void begin(Digits& model) {
    compile(model);
    model.train_on_batch(x_, y_);
    model.set_weights({Array({{-0.2f, 0.f, 0.2f}, {-0.1f, 0.1f, -0.2f}}), Array({0.f, 0.f, 0.f}),
                       Array({1.f, 1.f, 1.f}), Array({0.f, 0.f, 0.f}), Array({0.f, 0.f, 0.f}),
                       Array({1.f, 1.f, 1.f}), Array({{-0.2f}, {0.f}, {0.2f}}), Array({0.f}), Array({1.f})});
  }
  static void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 2e-6) << i;
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_subclassed_model" + std::to_string(::getpid()));
  inline static const Array x_ = ramp({10, 2});
  inline static const Array y_ = ramp({10, 1});
};

TEST_F(SubclassedModelTest, IsTrainedAsAnyOther) {
  Digits model;
  begin(model);
  History history = model.fit(x_, y_, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false});
  expect_near(history.history["loss"], {0.24205638, 0.11865328, 0.09004056});
  expect_near(history.history["mean_absolute_error"], {0.39942336, 0.25987947, 0.25501388});
  expect_near(model.evaluate(x_, y_), {0.08057338, 0.24898037});
  const Array chances = model.predict(x_);
  EXPECT_NEAR(chances.span<float>()[0], 0.42192557, 2e-6);
  EXPECT_NEAR(chances.span<float>()[1], 0.46845376, 2e-6);
}

TEST_F(SubclassedModelTest, HasItsLayersWeightsThenItsOwn) {
  Digits model;
  begin(model);
  std::vector<std::string> names;
  for (const Variable& weight : model.weights()) names.push_back(weight.name());
  EXPECT_THAT(
      names, ElementsAre("digits/dense/kernel:0", "digits/dense/bias:0", "digits/batch_normalization/gamma:0",
                         "digits/batch_normalization/beta:0", "digits/batch_normalization/moving_mean:0",
                         "digits/batch_normalization/moving_variance:0", "digits/dense_1/kernel:0",
                         "digits/dense_1/bias:0", "digits/scale:0"));
  EXPECT_EQ(model.trainable_weights().size(), 7);
  EXPECT_EQ(model.name(), "digits");
  EXPECT_THAT(model.output_names(), ElementsAre("output_1"));
  EXPECT_THAT(model.input_names(), ElementsAre("input_1"));
  EXPECT_THAT(model.metrics_names(), ElementsAre("loss", "mean_absolute_error"));
}

TEST_F(SubclassedModelTest, ShowsItsLayers) {
  Digits model;
  EXPECT_THAT(error_of([&] { (void)model.summary(); }), StartsWith("This model has not yet been built."));
  begin(model);
  EXPECT_EQ(model.summary(), R"(Model: "digits"
_________________________________________________________________
 Layer (type)                Output Shape              Param #   
=================================================================
 dense (Dense)               multiple                  9         
                                                                 
 batch_normalization (Batch  multiple                  12        
 Normalization)                                                  
                                                                 
 dense_1 (Dense)             multiple                  4         
                                                                 
=================================================================
Total params: 26 (104.00 Byte)
Trainable params: 20 (80.00 Byte)
Non-trainable params: 6 (24.00 Byte)
_________________________________________________________________
)");
}

TEST_F(SubclassedModelTest, IsBuiltByADataset) {
  Digits model;
  compile(model);
  const Dataset batches = Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_)}).batch(4);
  model.fit(batches, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(model.predict(batches).shape(), Shape({10, 1}));
  Digits other;
  compile(other);
  const Dataset too_many =
      Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_), tf::Input(y_), tf::Input(y_)}).batch(4);
  EXPECT_THAT(error_of([&] { other.fit(too_many, {.verbose = 0}); }),
              StartsWith("The elements of the dataset `x` have 4 components"));
}

TEST_F(SubclassedModelTest, TakesSeveralInputsAndGivesSeveralOutputs) {
  SumAndDifference model;
  compile(model);
  History history =
      model.fit({x_, x_}, {y_, y_}, {.batch_size = 10, .epochs = 2, .verbose = 0, .shuffle = false});
  EXPECT_THAT(model.output_names(), ElementsAre("output_1", "output_2"));
  const std::vector<Array> outputs = model.predict_outputs({x_, x_});
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[0].shape(), Shape({10, 1}));
  EXPECT_THAT(model.metrics_names(),
              ElementsAre("loss", "output_1_loss", "output_2_loss", "output_1_mean_absolute_error",
                          "output_2_mean_absolute_error"));
  EXPECT_LT(history.history["loss"][1], history.history["loss"][0]);
}

TEST_F(SubclassedModelTest, WeighsClassesFromItsFirstFitOn) {
  const Array x = Array::from(std::vector<float>{1, 2}, {2, 1});
  const Array y = Array::from(std::vector<float>{0, 1}, {2, 1});
  const std::map<int64_t, double> weights = {{0, 0.0}, {1, 2.0}};
  SumAndDifference refused;
  compile(refused);
  try {
    refused.fit({x, x}, {y, y}, {.verbose = 0, .class_weight = weights});
    FAIL() << "one map stood for two outputs";
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), StartsWith("Unknown entries in class_weight dictionary: [0, 1]."));
  }
  SumAndDifference model;
  compile(model);
  const History history =
      model.fit({x, x}, {y, y}, {.verbose = 0, .class_weight_of_outputs = {weights, weights}});
  // Outputs 2, 4 and 0, 0: (0 * 4 + 2 * 9) / 2 + (0 * 0 + 2 * 1) / 2.
  EXPECT_NEAR(history.history.at("loss").front(), 10.0, 1e-5);
}

TEST_F(SubclassedModelTest, IsALayerOfAnother) {
  const auto inner = std::make_shared<Digits>();
  Sequential model;
  model.add(inner);
  model.add(layers::Dense(1));
  compile(model);
  model.fit(x_, y_, {.verbose = 0});
  EXPECT_EQ(model.weights().size(), 11);
  EXPECT_EQ(inner->weights().size(), 9);
}

TEST_F(SubclassedModelTest, KeepsItsWeightsInCheckpoints) {
  Digits model;
  begin(model);
  const std::string path = (folder_ / "x").string();
  model.save_weights(path);
  const Array before = model.predict(x_);
  const Graph graph;
  const auto scope = graph.as_default();
  Digits other;
  (void)other(Input({2}));
  other.load_weights(path);
  EXPECT_EQ(other.predict(x_), before);
}

TEST_F(SubclassedModelTest, IsNotSavedAsAWhole) {
  Digits model;
  EXPECT_THAT(
      error_of([&] { model.save("x.h5"); }),
      StartsWith("Saving the model to HDF5 format requires the model to be a Functional model or a "
                 "Sequential model. It does not work for subclassed models, because such models are "
                 "defined via the body of a Python method, which isn't safely serializable. Consider "
                 "saving to the Tensorflow SavedModel format (by setting save_format=\"tf\") or using "
                 "`save_weights`.\n"));
  EXPECT_THAT(error_of([&] { model.load_weights("x.h5"); }),
              StartsWith("Unable to load weights saved in HDF5 format into a subclassed Model which has not "
                         "created its variables yet. Call the Model first, then load the weights."));
  EXPECT_THAT(error_of([&] { (void)model.get_weights(); }),
              StartsWith("Weights for model 'digits' have not yet been created."));
}

TEST_F(SubclassedModelTest, SaysWhatDoesNotFit) {
  Digits model;
  EXPECT_THAT(error_of([&] { model.fit(x_, y_); }), StartsWith("You must compile your model before"));
  EXPECT_THAT(error_of([&] { model.compile({.loss = "nope"}); }),
              StartsWith("Unknown loss function: 'nope'"));
  compile(model);
  EXPECT_THAT(error_of([&] { model.fit({{"a", x_}}, y_); }),
              StartsWith("The inputs of a model whose class is the program's have no names of their own."));
  EXPECT_THAT(error_of([&] { model.fit({x_, x_}, y_, {.verbose = 0}); }),
              StartsWith("Layer \"digits\" expects 1 input(s), but it received 2 input tensors."));
}

}  // namespace
}  // namespace flowray::tf::keras
