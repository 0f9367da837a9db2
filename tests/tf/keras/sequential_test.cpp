// Models against tf_keras 2.21 (compat.v1): its numbers for the same weights and batches, to six digits.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Scores = std::vector<std::vector<double>>;

/// (37 i mod 11) / 11
Array numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
  return Array::from(values, shape);
}
Array classes(int64_t count, int64_t classes) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i % classes);
  return Array(values);
}
Array one_hot(int64_t count, int64_t classes) {
  std::vector<float> values(static_cast<size_t>(count * classes));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i * classes + i % classes)] = 1;
  return Array::from(values, {count, classes});
}

class SequentialTest : public ::testing::Test {
 protected:
  /// Three steps, an evaluation in batches of 3 and the prediction of the first element, from weights that
  /// are (7 i mod 5 - 2) / 10; vectors keep what they have.
  static Scores train(Sequential& model, const Array& x, const Array& y, const CompileOptions& options) {
    model.compile(options);
    if (!model.built()) model.build(x.shape());
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      if (weight.rank() < 2) continue;
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 - 2) / 10.0f;
    }
    model.set_weights(weights);
    Scores scores;
    for (int i = 0; i < 3; ++i) scores.push_back(model.train_on_batch(x, y));
    scores.push_back(model.evaluate(x, y, {.batch_size = 3}));
    const Array first = model.predict(x, 3).rows(0, 1);
    scores.emplace_back(first.data<float>(), first.data<float>() + first.size());
    return scores;
  }

  static void expect_near(const Scores& actual, const Scores& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(actual[i].size(), expected[i].size()) << i;
      for (size_t k = 0; k < actual[i].size(); ++k)
        EXPECT_NEAR(actual[i][k], expected[i][k], 5e-6) << "row " << i << ", number " << k;
    }
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(SequentialTest, TrainsByEachOptimizer) {
  const std::map<std::string, Scores> expected = {{"sgd",
                                                   {{1.090764, 0.375},
                                                    {1.090644, 0.375},
                                                    {1.090525, 0.375},
                                                    {1.090407, 0.375},
                                                    {0.336246, 0.340388, 0.323366}}},
                                                  {"adam",
                                                   {{1.090764, 0.375},
                                                    {1.09041, 0.375},
                                                    {1.09006, 0.375},
                                                    {1.089713, 0.375},
                                                    {0.336410, 0.341524, 0.322065}}},
                                                  {"rmsprop",
                                                   {{1.090764, 0.375},
                                                    {1.089657, 0.375},
                                                    {1.088886, 0.375},
                                                    {1.088259, 0.375},
                                                    {0.337172, 0.343795, 0.319034}}},
                                                  {"adagrad",
                                                   {{1.090764, 0.375},
                                                    {1.090727, 0.375},
                                                    {1.09069, 0.375},
                                                    {1.090653, 0.375},
                                                    {0.336008, 0.340048, 0.323944}}}};
  for (const auto& [optimizer, scores] : expected) {
    SCOPED_TRACE(optimizer);
    Sequential model;
    model.add(layers::Dense(5, {.activation = "relu", .input_shape = Shape{4}}));
    model.add(layers::Dense(3, {.activation = "softmax"}));
    expect_near(train(model, numbers({8, 4}), one_hot(8, 3),
                      {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}}),
                scores);
  }
}

TEST_F(SequentialTest, TrainsForEachLoss) {
  const Array x = numbers({8, 4});
  const Array halves = [&] {
    std::vector<float> values;
    for (int64_t i = 0; i < 8; ++i)
      values.insert(values.end(), {x.data<float>()[4 * i], x.data<float>()[4 * i + 1]});
    return Array::from(values, {8, 2});
  }();
  const auto model_of = [](const char* hidden, int64_t units, const keras::Activation& activation) {
    auto model = std::make_unique<Sequential>();
    model->add(layers::Dense(5, {.activation = hidden, .input_shape = Shape{4}}));
    model->add(layers::Dense(units, {.activation = activation}));
    return model;
  };
  expect_near(train(*model_of("tanh", 3, "softmax"), x, classes(8, 3),
                    {.optimizer = "sgd", .loss = "sparse_categorical_crossentropy", .metrics = {"acc"}}),
              {{1.082195, 0.375},
               {1.082098, 0.375},
               {1.082003, 0.375},
               {1.081908, 0.375},
               {0.346160, 0.346464, 0.307375}});
  expect_near(train(*model_of("elu", 1, "sigmoid"), x, classes(8, 2),
                    {.optimizer = "sgd", .loss = "binary_crossentropy", .metrics = {"accuracy"}}),
              {{0.70055, 0.5}, {0.700499, 0.5}, {0.700448, 0.5}, {0.700398, 0.5}, {0.527611}});
  expect_near(
      train(*model_of("selu", 2, {}), x, halves, {.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}}),
      {{0.290216, 0.466022},
       {0.282661, 0.458864},
       {0.275373, 0.451837},
       {0.26834, 0.444938},
       {0.101235, -0.050516}});
  expect_near(
      train(
          *model_of("softplus", 2, "hard_sigmoid"), x, halves,
          {.optimizer = "sgd", .loss = losses::mean_absolute_error, .metrics = {losses::mean_squared_error}}),
      {{0.250263, 0.077871},
       {0.25024, 0.077863},
       {0.250218, 0.077855},
       {0.250196, 0.077848},
       {0.505214, 0.493916}});
  Sequential hinged;
  hinged.add(layers::Dense(1, {.input_shape = Shape{4}}));
  expect_near(train(hinged, x, classes(8, 2), {.optimizer = "sgd", .loss = "hinge"}),
              {{0.997727}, {0.996769}, {0.995811}, {0.994853}, {0.135558}});
}

TEST_F(SequentialTest, TrainsEachLayer) {
  const CompileOptions options{
      .optimizer = "sgd", .loss = "categorical_crossentropy", .metrics = {"accuracy"}};
  Sequential normalised;
  normalised.add(layers::Dense(4, {.input_shape = Shape{4}}));
  normalised.add(layers::BatchNormalization());
  normalised.add(layers::Dense(3, {.activation = "softmax"}));
  expect_near(train(normalised, numbers({8, 4}), one_hot(8, 3), options), {{1.199537, 0.375},
                                                                           {1.196494, 0.375},
                                                                           {1.193525, 0.375},
                                                                           {1.104182, 0.375},
                                                                           {0.339032, 0.323265, 0.337702}});

  const Array images = numbers({6, 5, 5, 2});
  Sequential convolved;
  convolved.add(
      layers::Conv2D(3, {3}, {.padding = "same", .activation = "relu", .input_shape = Shape{5, 5, 2}}));
  convolved.add(layers::MaxPooling2D());
  convolved.add(layers::BatchNormalization());
  convolved.add(layers::Flatten());
  convolved.add(layers::Dense(3, {.activation = "softmax"}));
  expect_near(train(convolved, images, one_hot(6, 3), options), {{1.304925, 1 / 3.0},
                                                                 {1.179702, 1 / 3.0},
                                                                 {1.067894, 1 / 3.0},
                                                                 {1.089591, 1 / 3.0},
                                                                 {0.319984, 0.355349, 0.324668}});

  Sequential averaged;
  averaged.add(layers::Conv2D(3, {2, 3}, {.strides = {2}, .input_shape = Shape{5, 5, 2}}));
  averaged.add(layers::AveragePooling2D({.strides = {1}, .padding = "same"}));
  averaged.add(layers::Reshape({-1}));
  averaged.add(layers::Dense(1));
  expect_near(train(averaged, images, classes(6, 2), {.optimizer = "sgd", .loss = "mse"}),
              {{0.487446}, {0.475266}, {0.463536}, {0.452244}, {0.026423}});

  std::vector<int64_t> words;
  for (int64_t i = 0; i < 32; ++i) words.push_back(i % 7);
  Sequential embedded;
  embedded.add(layers::Embedding(7, 3, {.input_length = 4}));
  embedded.add(layers::Flatten());
  embedded.add(layers::Dense(2, {.activation = "softmax"}));
  expect_near(train(embedded, Array::from(words, {8, 4}), classes(8, 2),
                    {.optimizer = "sgd", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}}),
              {{0.709915, 0.5}, {0.709682, 0.5}, {0.70945, 0.5}, {0.709217, 0.5}, {0.559197, 0.440803}});
}

TEST_F(SequentialTest, FitsWithValidationAndWeights) {
  Sequential model;
  model.add(layers::Dense(3, {.activation = "softmax", .input_shape = Shape{4}}));
  model.compile({.optimizer = "sgd", .loss = "categorical_crossentropy", .metrics = {"accuracy"}});
  model.set_weights({Array(DType::kFloat32, {4, 3}), Array(DType::kFloat32, {3})});
  std::vector<double> weights;
  for (int i = 0; i < 8; ++i) weights.push_back(i / 4.0);
  std::string printed;
  const History history = model.fit(numbers({8, 4}), one_hot(8, 3),
                                    {.batch_size = 3,
                                     .epochs = 2,
                                     .verbose = 2,
                                     .validation_split = 0.25,
                                     .shuffle = false,
                                     .sample_weight = Array(weights),
                                     .write = [&](const std::string& text) { printed += text; }});
  const std::map<std::string, std::vector<double>> expected = {{"loss", {0.686593, 0.685863}},
                                                               {"acc", {1 / 3.0, 1 / 3.0}},
                                                               {"val_loss", {1.787264, 1.789278}},
                                                               {"val_acc", {0, 0}}};
  ASSERT_EQ(history.history.size(), expected.size());
  for (const auto& [name, values] : expected) {
    ASSERT_EQ(history.history.at(name).size(), 2u) << name;
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(history.history.at(name)[i], values[i], 5e-6) << name;
  }
  EXPECT_THAT(history.epoch, ElementsAre(0, 1));
  EXPECT_THAT(
      printed,
      ::testing::MatchesRegex(
          "Train on 6 samples, validate on 2 samples\nEpoch 1/2\n6/6 - 0s - loss: 0.6866 - acc: 0.3333 - "
          "val_loss: [0-9.]+ - val_acc: 0.0000e\\+00 - [0-9]+[mu]s/epoch - [0-9]+[mu]s/sample\nEpoch "
          "2/2\n.*\n"));
}

TEST_F(SequentialTest, IsBuiltByTheFirstNumbersThatItSees) {
  get_default_graph().set_random_seed(1);
  Sequential model;
  model.add(layers::Dense(64, {.activation = tf::nn::relu}));
  model.add(layers::Dropout(0.5));
  model.add(layers::Dense(10, {.activation = "softmax"}));
  model.compile({.optimizer = train::RMSPropOptimizer(0.01),
                 .loss = losses::categorical_crossentropy,
                 .metrics = {metrics::categorical_accuracy}});
  EXPECT_THAT(error_of([&] { model.get_weights(); }),
              HasSubstr("Weights for model 'sequential' have not yet been created."));
  const History history =
      model.fit(numbers({100, 32}).astype(DType::kFloat64), one_hot(100, 10).astype(DType::kFloat64),
                {.epochs = 20, .verbose = 0, .seed = 1});
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
  EXPECT_EQ(history.history.at("categorical_accuracy").size(), 20u);
  std::vector<std::string> names;
  for (const Variable& weight : model.weights()) names.push_back(weight.name());
  EXPECT_THAT(names, ElementsAre("sequential/dense/kernel:0", "sequential/dense/bias:0",
                                 "sequential/dense_1/kernel:0", "sequential/dense_1/bias:0"));
  EXPECT_EQ(model.predict(numbers({5, 32})).shape(), (Shape{5, 10}));
}

TEST_F(SequentialTest, DropsInTrainingOnly) {
  Sequential model;
  model.add(layers::Activation("linear", {.input_shape = Shape{1000}}));
  model.add(layers::Dropout(0.5, {.seed = 3}));
  EXPECT_EQ(model.predict(numbers({1, 1000})), numbers({1, 1000}));
  const Tensor x = constant(Array::full(DType::kFloat32, {1, 1000}, 1.0f));
  Session session;
  const Array dropped = session.run(model(x, /*training=*/true));
  int64_t zeros = 0;
  for (const float value : dropped.span<float>()) {
    EXPECT_TRUE(value == 0.0f || value == 2.0f) << value;
    zeros += value == 0.0f ? 1 : 0;
  }
  EXPECT_GT(zeros, 400);  // of 1000, ten standard deviations from it
  EXPECT_LT(zeros, 600);
}

TEST_F(SequentialTest, CallbacksSeeTheTrainingAndEndIt) {
  struct Recorder : Callback {
    std::vector<std::string> seen;
    void on_train_begin() override { seen.emplace_back("begin"); }
    void on_train_end() override { seen.emplace_back("end"); }
    void on_epoch_begin(int64_t epoch) override { seen.push_back("epoch " + std::to_string(epoch)); }
    void on_batch_end(int64_t batch, const Logs& logs) override {
      seen.push_back("batch " + std::to_string(batch) + " " + logs[0].first);
    }
    void on_epoch_end(int64_t epoch, const Logs&) override {
      if (epoch == 1) model().stop_training = true;
    }
  };
  Sequential model;
  model.add(layers::Dense(1));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto recorder = std::make_shared<Recorder>();
  const History history = model.fit(numbers({4, 2}), numbers({4, 1}),
                                    {.batch_size = 3, .epochs = 9, .verbose = 0, .callbacks = {recorder}});
  EXPECT_THAT(recorder->seen, ElementsAre("begin", "epoch 0", "batch 0 loss", "batch 1 loss", "epoch 1",
                                          "batch 0 loss", "batch 1 loss", "end"));
  EXPECT_EQ(history.epoch.size(), 2u);
}

TEST_F(SequentialTest, ALayerOfTheProgramsOwn) {
  class Scale : public Layer {
   public:
    Scale() : Layer("Scale", {}) {}
    std::string class_name() const override { return "Scale"; }

   protected:
    void build(const TensorShape& input_shape) override {
      factor_ = add_weight("factor", {input_shape.dim(1)}, {.initializer = ones_initializer()});
    }
    Tensor call(const Tensor& inputs, bool) override { return inputs * factor_; }

   private:
    Variable factor_;
  };
  Sequential model;
  model.add(Scale());
  model.compile({.optimizer = train::GradientDescentOptimizer(0.5), .loss = "mse"});
  const Array x = Array({{1.f, 2.f}, {3.f, 4.f}});
  // Of the mean of (f - 2)^2 x^2 over four numbers at f = 1 the gradient is -x^2 summed over the batch, /2.
  model.train_on_batch(x, Array({{2.f, 4.f}, {6.f, 8.f}}));
  EXPECT_EQ(model.get_weights()[0], Array({1 + 0.5f * (1 + 9) / 2, 1 + 0.5f * (4 + 16) / 2}));
  EXPECT_EQ(model.weights()[0].name(), "sequential/scale/factor:0");
}

TEST_F(SequentialTest, ModelsShareASessionOrUseTheProgramsOwn) {
  Sequential first;
  first.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = Shape{2}}));
  first.set_weights({Array({{3.f}, {3.f}}), Array({0.5f})});
  EXPECT_EQ(backend::get_session()->run(first.weights()[1]), Array({0.5f}));
  Session session;
  const SessionScope as_default = session.as_default();
  // In tf.keras, too, a variable is initialized once, in whichever session.
  EXPECT_THAT(error_of([&] { first.get_weights(); }),
              HasSubstr("Attempting to use uninitialized value dense"));
  session.run(global_variables_initializer());
  EXPECT_EQ(first.predict(Array({{1.f, 2.f}})), Array({{3.f}}));
}

TEST_F(SequentialTest, ReadingAndSettingWeightsAddsNothingToTheGraph) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = Shape{2}}));
  model.set_weights(model.get_weights());
  const size_t before = graph_.get_operations().size();
  for (int i = 0; i < 3; ++i) model.set_weights(model.get_weights());
  EXPECT_EQ(graph_.get_operations().size(), before);
}

TEST_F(SequentialTest, GoesOnInAnotherSessionOfTheProgramsOwn) {
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = Shape{2}}));
  for (int i = 0; i < 3; ++i) {  // each stands where the last one stood
    Session session;
    const SessionScope as_default = session.as_default();
    if (i > 0) session.run(global_variables_initializer());
    EXPECT_EQ(model.predict(Array({{1.f, 2.f}})), Array({{3.f}}));
  }
}

TEST_F(SequentialTest, DoesNotStartAnewWhereTheSessionOfItsTrainingEnded) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = Shape{2}}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  {
    Session session;
    const SessionScope as_default = session.as_default();
    model.fit(numbers({4, 2}), numbers({4, 1}), {.verbose = 0});
  }
  const int line = __LINE__ + 2;
  try {
    model.predict(numbers({4, 2}));
    FAIL() << "the weights are new ones";
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_THAT(error.message(), ::testing::StartsWith("Attempting to use uninitialized value dense/"));
    EXPECT_THAT(error.message(), HasSubstr("once, in the session of the first call that needs them"));
    EXPECT_EQ(flowray::testing::lines_named(error.message(), __FILE__).back(), line) << error.message();
  }
  model.set_weights({Array({{1.f}, {1.f}}), Array({0.5f})});
  EXPECT_EQ(model.predict(Array({{1.f, 2.f}})), Array({{3.5f}}));
}

TEST_F(SequentialTest, NamesTheProgramsOwnLineInWhatItCallsBack) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = Shape{2}}));
  const int line = __LINE__ + 2;
  model.compile({.optimizer = "sgd",
                 .loss = [](const Tensor&, const Tensor& outputs) { return reduce_mean(outputs, {7}); }});
  try {
    model.fit(numbers({4, 2}), numbers({4, 3}), {.verbose = 0});
    FAIL() << "a matrix has a dimension 7";
  } catch (const ValueError& error) {
    EXPECT_EQ(flowray::testing::lines_named(error.message(), __FILE__), std::vector{line}) << error.message();
  }
  struct Throwing : Callback {
    void on_epoch_end(int64_t, const Logs&) override { throw ValueError("mine"); }
  };
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(error_of([&] {
              model.fit(numbers({4, 2}), numbers({4, 1}),
                        {.verbose = 0, .callbacks = {std::make_shared<Throwing>()}});
            }),
            "mine");
}

TEST_F(SequentialTest, ReshapesToWhatFitsOnly) {
  const Tensor x = placeholder(float32, {-1, 2, 3});
  EXPECT_EQ(layers::Reshape({3, 2})(x).shape(), (Shape{-1, 3, 2}));
  EXPECT_EQ(layers::Reshape({-1, 2})(x).shape(), (Shape{-1, 3, 2}));
  EXPECT_EQ(layers::Reshape({6})(placeholder(float32, {-1, -1, 3})).shape(), (Shape{-1, 6}));
  // The words of tf_keras.
  EXPECT_THAT(error_of([&] { layers::Reshape({4, 2})(x); }),
              ::testing::StartsWith("total size of new array must be unchanged, input_shape = [2, 3], "
                                    "output_shape = [4, 2]\n"));
  EXPECT_THAT(error_of([&] { layers::Reshape({-1, 4})(x); }),
              ::testing::StartsWith("total size of new array must be unchanged, input_shape = [2, 3], "
                                    "output_shape = [-1, 4]\n"));
  EXPECT_THAT(error_of([] { layers::Reshape({-1, -1}); }),
              ::testing::StartsWith("There must be at most one unknown dimension in output_shape. Received: "
                                    "output_shape=[-1, -1]."));
}

TEST_F(SequentialTest, ShowsItsLayers) {
  Sequential model;
  model.add(layers::Conv2D(4, {3}, {.activation = "relu", .input_shape = Shape{8, 8, 1}}));
  model.add(layers::MaxPooling2D());
  model.add(layers::Flatten());
  model.add(layers::Dropout(0.5));
  model.add(layers::BatchNormalization());
  model.add(layers::Dense(3));
  EXPECT_EQ(model.summary(), R"(Model: "sequential"
_________________________________________________________________
 Layer (type)                Output Shape              Param #   
=================================================================
 conv2d (Conv2D)             (None, 6, 6, 4)           40        
                                                                 
 max_pooling2d (MaxPooling2  (None, 3, 3, 4)           0         
 D)                                                              
                                                                 
 flatten (Flatten)           (None, 36)                0         
                                                                 
 dropout (Dropout)           (None, 36)                0         
                                                                 
 batch_normalization (Batch  (None, 36)                144       
 Normalization)                                                  
                                                                 
 dense (Dense)               (None, 3)                 111       
                                                                 
=================================================================
Total params: 295 (1.15 KB)
Trainable params: 223 (892.00 Byte)
Non-trainable params: 72 (288.00 Byte)
_________________________________________________________________
)");
}

TEST_F(SequentialTest, FlattensWhatIsOfUnknownSize) {
  const Tensor x = placeholder(float32, {-1, -1, 2});
  const Tensor flat = layers::Flatten()(x);
  Session session;
  EXPECT_EQ(session.run(flat, {{x, Array({{{1.f, 2.f}, {3.f, 4.f}}})}}), Array({{1.f, 2.f, 3.f, 4.f}}));
}

TEST_F(SequentialTest, TellsWhichFunctionOfTheProgramsReturnedNothing) {
  class Nothing : public Layer {
   public:
    Nothing() : Layer("Nothing", {}) {}
    std::string class_name() const override { return "Nothing"; }

   protected:
    Tensor call(const Tensor&, bool) override { return {}; }
  };
  Sequential empty;
  empty.add(Nothing());
  EXPECT_THAT(error_of([&] { empty.predict(numbers({2, 2})); }), HasSubstr("What 'call' returned"));
  Sequential model;
  model.add(layers::Dense(1));
  model.compile({.optimizer = "sgd", .loss = [](const Tensor&, const Tensor&) { return Tensor(); }});
  EXPECT_THAT(error_of([&] { model.train_on_batch(numbers({2, 2}), numbers({2, 1})); }),
              HasSubstr("What 'loss' returned"));
}

TEST_F(SequentialTest, SaysWhatDoesNotFit) {
  const Array x = numbers({8, 4});
  Sequential model;
  EXPECT_THAT(error_of([&] { model.fit(x, x); }),
              HasSubstr("You must compile your model before training/testing."));
  EXPECT_THAT(error_of([&] { model.build({-1, 4}); }), HasSubstr("without layers"));
  EXPECT_THAT(error_of([&] { (void)model.summary(); }), HasSubstr("This model has not yet been built."));
  model.add(layers::Dense(2, {.input_shape = Shape{4}}));
  EXPECT_THAT(error_of([&] { model.compile({.optimizer = "foo", .loss = "mse"}); }),
              HasSubstr("Unknown optimizer: 'foo'."));
  EXPECT_THAT(error_of([&] { model.compile({.optimizer = "sgd", .loss = "foo"}); }),
              HasSubstr("Unknown loss function: 'foo'."));
  EXPECT_THAT(error_of([&] { model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"foo"}}); }),
              HasSubstr("Unknown metric function: 'foo'."));
  EXPECT_THAT(error_of([] { layers::Dense(2, {.activation = "foo"}); }),
              HasSubstr("Unknown activation function: 'foo'."));
  EXPECT_THAT(error_of([] { layers::Dense(0); }), HasSubstr("Received an invalid value for `units`"));
  EXPECT_THAT(error_of([] { layers::Dropout(2); }), HasSubstr("expected a value between 0 and 1"));
  EXPECT_THAT(error_of([&] { model.add(nullptr); }),
              HasSubstr("The added layer must be an instance of class Layer."));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_THAT(error_of([&] { model.fit(numbers({8, 5}), x); }),
              HasSubstr("expected dense_input to have shape (4,) but got array with shape (5,)"));
  EXPECT_THAT(error_of([&] { model.fit(x, numbers({9, 2})); }),
              HasSubstr("Found 8 input samples and 9 target samples."));
  EXPECT_THAT(error_of([&] { model.fit(numbers({0, 4}), numbers({0, 2})); }),
              HasSubstr("no elements to train with"));
  EXPECT_THAT(error_of([&] { model.fit(x, numbers({8, 2}), {.batch_size = 0}); }),
              HasSubstr("batch_size must be at least 1"));
  EXPECT_THAT(error_of([&] { model.fit(x, numbers({8, 2}), {.validation_split = 1.5}); }),
              HasSubstr("`validation_split`"));
  EXPECT_THAT(error_of([&] { model.fit(x, numbers({8, 2}), {.sample_weight = Array({1.f})}); }),
              HasSubstr("sample_weight"));
  EXPECT_THAT(error_of([&] {
                model.fit(x, numbers({8, 2}),
                          {.validation_data = std::pair(numbers({8, 5}), numbers({8, 2}))});
              }),
              HasSubstr("got array with shape (5,)\nThe arrays are those of `validation_data`."));
  EXPECT_THAT(
      error_of([&] { model.fit(x, numbers({8, 2}), {.validation_data = std::pair(x, numbers({9, 2}))}); }),
      HasSubstr("9 target samples.\nThe arrays are those of `validation_data`."));
  EXPECT_THAT(error_of([&] { model.set_weights({x}); }),
              HasSubstr("with a weight list of length 1, but the layer was expecting 2"));
  EXPECT_THAT(error_of([&] { model.set_weights({x, x}); }),
              HasSubstr("Layer weight shape (4, 2) not compatible with provided weight shape (8, 4)"));
  EXPECT_THAT(error_of([&] { model.predict(Array(1.0f)); }), HasSubstr("at least one dimension"));
  EXPECT_THAT(error_of([&] { model.fit(x, numbers({8, 2}), {.callbacks = {nullptr}}); }),
              HasSubstr("'callbacks[0]' is a null pointer"));
}

TEST_F(SequentialTest, TheLastLayerGoesAndAnotherOneComes) {
  Sequential model;
  model.add(layers::Dense(2, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
  const Array x = Array({{1.f, 2.f}});
  EXPECT_EQ(model.predict(x), Array({{6.f}}));
  model.pop();
  EXPECT_EQ(model.predict(x), Array({{3.f, 3.f}}));
  model.add(layers::Dense(1, {.kernel_initializer = constant_initializer(2.0f)}));
  EXPECT_EQ(model.predict(x), Array({{12.f}}));
  model.pop();
  model.pop();
  EXPECT_FALSE(model.built());
  EXPECT_THROW(model.pop(), TypeError);
}

}  // namespace
}  // namespace flowray::tf::keras
