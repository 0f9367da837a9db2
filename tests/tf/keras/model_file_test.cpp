// Whole models in HDF5 files and as JSON, which cross to and from tf_keras 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_words.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The models below in tf.keras. "json NAME" prints one's JSON; "save NAME FILE" trains one for three
/// batches, writes it, trains it for two more and prints their losses; "load FILE COUNT" reads one, trains it
/// for two batches and prints their losses.
constexpr const char* kTheirs = R"(
import os, sys
os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
K, L = tf.keras, tf.keras.layers

def sequential():
    m = K.Sequential([L.Dense(5, activation="tanh", input_shape=(4,)), L.Dropout(0.0), L.Dense(1)])
    m.compile("adam", "mse", metrics=["mae"])
    return m

def deferred():
    m = K.Sequential([L.Dense(5, activation=tf.nn.relu, kernel_initializer="he_normal"),
                      L.Dense(1, use_bias=False)])
    m.compile(K.optimizers.RMSprop(0.01), "mae")
    return m

def functional():
    x = K.Input((4,), name="x")
    shared = L.Dense(3, kernel_regularizer=K.regularizers.l2(0.1), bias_constraint=K.constraints.NonNeg())
    both = L.Concatenate()([shared(x), shared(L.Activation("sigmoid")(x))])
    inner = K.Sequential([L.Dense(2, input_shape=(6,))])
    m = K.Model(x, [L.Dense(1, name="a")(both), L.Dense(1, name="b")(inner(both))])
    m.compile(K.optimizers.SGD(0.05, momentum=0.9), ["mse", "mae"], loss_weights=[1.0, 0.5])
    return m

def over_time():
    x = K.Input((4,))
    h = L.Bidirectional(L.LSTM(2, return_sequences=True))(L.Reshape((4, 1))(x))
    h = L.TimeDistributed(L.Dense(2))(L.GRU(2, return_sequences=True)(h))
    m = K.Model(x, L.Dense(1)(L.SimpleRNN(2)(h)))
    m.compile(K.optimizers.Adagrad(0.1), "mse")
    return m

def images():
    m = K.Sequential([L.Reshape((2, 2, 1), input_shape=(4,)),
                      L.Conv2D(2, 2, padding="same", activation="relu"), L.BatchNormalization(),
                      L.MaxPooling2D(1), L.ZeroPadding2D(1), L.Cropping2D(((0, 1), (1, 0))),
                      L.UpSampling2D(2), L.DepthwiseConv2D(2), L.SeparableConv2D(2, 2),
                      L.Conv2DTranspose(2, 2), L.LeakyReLU(), L.GlobalAveragePooling2D(), L.Dense(1)])
    m.compile("sgd", "mse")
    return m

def of_one_layer(optimizer, loss, metrics=()):
    m = K.Sequential([L.Dense(3, activation="tanh", input_shape=(4,)), L.Dense(1)])
    m.compile(optimizer, loss, metrics=list(metrics))
    return m

def leader():
    return of_one_layer(K.optimizers.Ftrl(0.5, beta=0.1, l1_regularization_strength=0.001),
                        K.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.25))

def steady():
    return of_one_layer(K.optimizers.RMSprop(0.01, momentum=0.5, centered=True, clipnorm=1.0),
                        K.losses.Huber(0.25), [K.metrics.BinaryAccuracy(threshold=0.25)])

def ignoring():
    return of_one_layer("sgd", K.losses.SparseCategoricalCrossentropy(ignore_class=0))

def paced():
    return of_one_layer(K.optimizers.Adadelta(1.0, clipvalue=0.5), "logcosh")

def scheduled():
    rate = K.optimizers.schedules.PolynomialDecay(0.1, 4, end_learning_rate=0.01, power=2.0)
    return of_one_layer(K.optimizers.SGD(rate, momentum=0.25), "mse")

def ahead():
    return of_one_layer(K.optimizers.Nadam(0.01), "mse")

def greatest():
    return of_one_layer(K.optimizers.Adam(0.01, amsgrad=True, decay=0.1), "mse",
                        [K.metrics.AUC(num_thresholds=7, from_logits=True), K.metrics.RootMeanSquaredError()])

x = (np.arange(24) * 37 % 11 / 11.0).reshape(6, 4)
y = x.sum(axis=1, keepdims=True) / 4

def losses(m):
    targets = [y] * len(m.outputs) if m.outputs and len(m.outputs) > 1 else y
    for _ in range(2):
        loss = m.train_on_batch(x, targets)
        print("%.5f" % (loss[0] if isinstance(loss, list) else loss))

if sys.argv[1] == "json":
    print(globals()[sys.argv[2]]().to_json())
elif sys.argv[1] == "save":
    m = globals()[sys.argv[2]]()
    targets = [y] * 2 if sys.argv[2] == "functional" else y
    for _ in range(3):
        m.train_on_batch(x, targets)
    m.save(sys.argv[3])
    losses(m)
else:
    losses(K.models.load_model(sys.argv[2]))
)";

const Array& x() {
  static const Array kX = [] {
    std::vector<float> values(24);
    for (size_t i = 0; i < 24; ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, {6, 4});
  }();
  return kX;
}

const Array& y() {
  static const Array kY = [] {
    std::vector<float> values(6);
    for (size_t i = 0; i < 24; ++i) values[i / 4] += x().span<float>()[i] / 4;
    return Array::from(values, {6, 1});
  }();
  return kY;
}

Model sequential() {
  Sequential model;
  model.add(layers::Dense(5, {.activation = "tanh", .input_shape = TensorShape{4}}));
  model.add(layers::Dropout(0.0));
  model.add(layers::Dense(1));
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  return model;
}

Model deferred() {
  Sequential model;
  model.add(layers::Dense(5, {.activation = nn::relu, .kernel_initializer = initializers::he_normal()}));
  model.add(layers::Dense(1, {.use_bias = false}));
  model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 0.01}), .loss = "mae"});
  return model;
}

Model over_time() {
  const KerasTensor inputs = Input({4});
  KerasTensor h = layers::Reshape({4, 1})(inputs);
  h = layers::Bidirectional(layers::LSTM(2, {.return_sequences = true}))(h);
  h = layers::GRU(2, {.return_sequences = true})(h);
  h = layers::TimeDistributed(layers::Dense(2))(h);
  Model model(inputs, layers::Dense(1)(layers::SimpleRNN(2)(h)));
  model.compile({.optimizer = optimizers::Adagrad({.learning_rate = 0.1}), .loss = "mse"});
  return model;
}

Model images() {
  Sequential model;
  model.add(layers::Reshape({2, 2, 1}, {.input_shape = TensorShape{4}}));
  model.add(layers::Conv2D(2, {2}, {.padding = "same", .activation = "relu"}));
  model.add(layers::BatchNormalization());
  model.add(layers::MaxPooling2D({.pool_size = {1}}));
  model.add(layers::ZeroPadding2D());
  model.add(layers::Cropping2D({0, 1}, {1, 0}));
  model.add(layers::UpSampling2D({2}));
  model.add(layers::DepthwiseConv2D({2}));
  model.add(layers::SeparableConv2D(2, {2}));
  model.add(layers::Conv2DTranspose(2, {2}));
  model.add(layers::LeakyReLU());
  model.add(layers::GlobalAveragePooling2D());
  model.add(layers::Dense(1));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

Model of_one_layer(const OptimizerArgument& optimizer, const ScoreFunction& loss,
                   const std::vector<ScoreFunction>& metrics = {}) {
  Sequential model;
  model.add(layers::Dense(3, {.activation = "tanh", .input_shape = TensorShape{4}}));
  model.add(layers::Dense(1));
  model.compile({.optimizer = optimizer, .loss = loss, .metrics = metrics});
  return model;
}

Model leader() {
  return of_one_layer(
      optimizers::Ftrl({.learning_rate = 0.5, .l1_regularization_strength = 0.001, .beta = 0.1}),
      keras::losses::BinaryCrossentropy({.from_logits = true, .label_smoothing = 0.25}));
}

Model steady() {
  return of_one_layer(
      optimizers::RMSprop({.learning_rate = 0.01, .momentum = 0.5, .centered = true, .clipnorm = 1}),
      keras::losses::Huber(0.25), {metrics::BinaryAccuracy(0.25)});
}

Model paced() {
  return of_one_layer(optimizers::Adadelta({.learning_rate = 1.0, .clipvalue = 0.5}), "logcosh");
}

Model scheduled() {
  const auto rate = optimizers::schedules::PolynomialDecay(0.1, 4, {.end_learning_rate = 0.01, .power = 2});
  return of_one_layer(optimizers::SGD({.learning_rate = rate, .momentum = 0.25}), "mse");
}

Model ahead() { return of_one_layer(optimizers::Nadam({.learning_rate = 0.01}), "mse"); }

Model greatest() {
  return of_one_layer(
      optimizers::Adam({.learning_rate = 0.01, .amsgrad = true, .decay = 0.1}), "mse",
      {metrics::AUC({.num_thresholds = 7, .from_logits = true}), metrics::RootMeanSquaredError()});
}

Arrays targets_of(const Model& model) {
  return model.output_names().size() > 1 ? Arrays({y(), y()}) : Arrays(y());
}

/// The losses of two batches of training.
std::string losses(Model& model) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    char line[64];
    std::snprintf(line, sizeof line, "%.5f\n", model.train_on_batch(x(), targets_of(model))[0]);
    text += line;
  }
  return text;
}

class ModelFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    try {
      sequential().save(path_of("try.h5"));
    } catch (const errors::UnimplementedError& error) {
      GTEST_SKIP() << error.message();  // the HDF5 library is not installed
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }

  /// What tf.keras prints; empty where there is none.
  static std::string theirs(const std::vector<std::string>& arguments) {
    const char* const python = std::getenv("FLOWRAY_ORACLE_PYTHON");
    if (python == nullptr) return {};
    std::vector<std::string> command = {python, "-c", kTheirs};
    command.insert(command.end(), arguments.begin(), arguments.end());
    flowray::testing::ChildProcess child(command);
    EXPECT_EQ(child.wait(), 0) << child.errors();
    return child.output();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_saving" + std::to_string(::getpid()));
};

struct Pair {
  const char* name;
  Model (*ours)();
};
constexpr Pair kModels[] = {{"sequential", sequential}, {"deferred", deferred},   {"over_time", over_time},
                            {"images", images},         {"leader", leader},       {"steady", steady},
                            {"paced", paced},           {"scheduled", scheduled}, {"ahead", ahead},
                            {"greatest", greatest}};

TEST_F(ModelFileTest, LoadedModelsGoOnTrainingWhereTheyWere) {
  for (const Pair& pair : kModels) {
    SCOPED_TRACE(pair.name);
    const std::string path = path_of(std::string(pair.name) + ".h5");
    std::string expected;
    {
      const Graph graph;
      const auto scope = graph.as_default();
      Model model = pair.ours();
      for (int i = 0; i < 3; ++i) model.train_on_batch(x(), y());
      model.save(path);
      expected = losses(model);
    }
    const Graph graph;
    const auto scope = graph.as_default();
    Model model = load_model(path);
    EXPECT_EQ(losses(model), expected);
  }
}

TEST_F(ModelFileTest, FilesOfTfKerasGoOnHere) {
  for (const char* const name : {"sequential", "deferred", "over_time", "images", "functional", "leader",
                                 "steady", "paced", "scheduled", "ahead", "greatest"}) {
    SCOPED_TRACE(name);
    const std::string path = path_of("theirs.h5");
    const std::string expected = theirs({"save", name, path});
    if (expected.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
    const Graph graph;
    const auto scope = graph.as_default();
    Model model = load_model(path);
    EXPECT_EQ(losses(model), expected);
  }
}

TEST_F(ModelFileTest, FilesGoOnInTfKeras) {
  for (const char* const name :
       {"sequential", "deferred", "over_time", "images", "scheduled", "ahead", "greatest"}) {
    SCOPED_TRACE(name);
    const Graph graph;
    const auto scope = graph.as_default();
    Model model = std::ranges::find(kModels, std::string(name), &Pair::name)->ours();
    for (int i = 0; i < 3; ++i) model.train_on_batch(x(), y());
    model.save(path_of("ours.h5"));
    const std::string expected = losses(model);
    const std::string found = theirs({"load", path_of("ours.h5")});
    if (found.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
    EXPECT_EQ(found, expected);
  }
}

/// A model with shared layers, regularizers, constraints and several outputs, which was theirs first.
TEST_F(ModelFileTest, WhatTheirFilesSayOfLayersIsWrittenAgain) {
  const std::string first = theirs({"save", "functional", path_of("theirs.h5")});
  if (first.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  const Graph graph;
  const auto scope = graph.as_default();
  Model model = load_model(path_of("theirs.h5"));
  model.save(path_of("ours.h5"));
  EXPECT_EQ(theirs({"load", path_of("ours.h5")}), first);
}

TEST_F(ModelFileTest, JsonIsTheirsLetterByLetter) {
  for (const Pair& pair : {kModels[0], kModels[3]}) {
    const std::string expected = theirs({"json", pair.name});
    if (expected.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
    const Graph graph;
    const auto scope = graph.as_default();
    EXPECT_EQ(pair.ours().to_json() + "\n", expected);
  }
}

TEST_F(ModelFileTest, AnOptionOfALossThatIsNotThereIsRefused) {
  if (theirs({"save", "ignoring", path_of("ignoring.h5")}).empty())
    GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON is not set";
  EXPECT_THAT(error_of([&] { load_model(path_of("ignoring.h5")); }),
              AllOf(HasSubstr("ignore_class"), HasSubstr("which is not there")));
  load_model(path_of("ignoring.h5"), {.compile = false});
}

TEST_F(ModelFileTest, JsonOfAModelMakesOneLikeIt) {
  const std::string told = theirs({"json", "functional"});
  if (told.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  const Graph graph;
  const auto scope = graph.as_default();
  const Model model = model_from_json(told);
  EXPECT_EQ(model.to_json() + "\n", told);
  EXPECT_EQ(clone_model(model).to_json() + "\n", told);
}

class Scale : public Layer {
 public:
  explicit Scale(double factor) : Layer("Scale", {}), factor_(factor) {}
  std::string class_name() const override { return "Scale"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Scale>(*this); }
  Config get_config() const override { return Layer::get_config().set("factor", factor_); }

 protected:
  Tensor call(const Tensor& inputs, bool) override { return inputs * factor_; }

 private:
  double factor_;
};

TEST_F(ModelFileTest, LayersOfTheProgramAreNamed) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Dense(2, {.input_shape = TensorShape{4}}));
  model.add(Scale(3.0));
  model.save(path_of("own.h5"));
  const Array expected = model.predict(x());
  EXPECT_THAT(error_of([&] { load_model(path_of("own.h5")); }), StartsWith("Unknown layer: 'Scale'."));
  CustomObjects own;
  own.layers["Scale"] = [](const Config& config) {
    return std::make_shared<Scale>(config.at("factor").number());
  };
  const Graph other;
  const auto there = other.as_default();
  Model loaded = load_model(path_of("own.h5"), {.custom_objects = own});
  EXPECT_EQ(loaded.predict(x()), expected);
  EXPECT_EQ(loaded.layers()[1]->name(), "scale");
}

TEST_F(ModelFileTest, LossesOfTheProgramAreNamed) {
  const Graph graph;
  const auto scope = graph.as_default();
  const ScoreFunction apart("apart",
                            [](const Tensor& truth, const Tensor& made) { return abs(truth - made); });
  Model model = sequential();
  model.compile({.optimizer = "sgd", .loss = apart});
  model.save(path_of("own.h5"));
  EXPECT_THAT(error_of([&] { load_model(path_of("own.h5")); }), StartsWith("Unknown loss function"));
  const std::string expected = losses(model);
  CustomObjects own;
  own.scores["apart"] = apart;
  Model loaded = load_model(path_of("own.h5"), {.custom_objects = own});
  EXPECT_EQ(losses(loaded), expected);
  EXPECT_NO_THROW(load_model(path_of("own.h5"), {.compile = false}));
}

TEST_F(ModelFileTest, SayWhatNoFileCanHold) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Dense(
      1, {.activation = [](const Tensor& t) { return t * 2.0; }, .input_shape = TensorShape{4}}));
  EXPECT_THAT(
      error_of([&] { model.save(path_of("no.h5")); }),
      StartsWith("The layer 'dense' cannot be written: its activation is a function of the program's"));
  EXPECT_FALSE(std::filesystem::exists(path_of("no.h5")));
  Sequential ruled;
  ruled.add([] {
    layers::Dense dense(1, {.input_shape = TensorShape{4}});
    dense.set_regularizer("kernel", [](const Variable& weight) { return reduce_sum(weight); });
    return dense;
  }());
  EXPECT_THAT(error_of([&] { (void)ruled.to_json(); }), HasSubstr("its kernel_regularizer is a function"));
  EXPECT_THAT(error_of([&] { model.save(path_of("folder")); }), StartsWith("save: a SavedModel"));
  Model trained = sequential();
  trained.compile(
      {.optimizer = "sgd", .loss = [](const Tensor& truth, const Tensor& made) { return truth - made; }});
  EXPECT_THAT(error_of([&] { trained.save(path_of("no.h5")); }),
              StartsWith("A loss of the model is a function"));
  EXPECT_NO_THROW(trained.save(path_of("yes.h5"), {.include_optimizer = false}));
  EXPECT_THROW(trained.save(path_of("yes.h5"), {.overwrite = false}), errors::AlreadyExistsError);
}

TEST_F(ModelFileTest, SayWhatIsNotThere) {
  const Graph graph;
  const auto scope = graph.as_default();
  const auto error_of_json = [&](const std::string& json) {
    return error_of([&] { (void)model_from_json(json); });
  };
  const auto with_layer = [](const std::string& layer) {
    return R"({"class_name": "Sequential", "config": {"name": "s", "layers": [)" + layer + "]}}";
  };
  EXPECT_THAT(error_of_json("{"), StartsWith("It is not JSON"));
  EXPECT_THAT(error_of_json("{}"), StartsWith("'class_name' is not in the config"));
  EXPECT_THAT(error_of_json(with_layer(R"({"class_name": "Lambda", "config": {"name": "l"}})")),
              StartsWith("Unknown layer: 'Lambda'."));
  EXPECT_THAT(error_of_json(
                  with_layer(R"({"class_name": "Dense", "config": {"name": "d", "units": 2, "speed": 3}})")),
              StartsWith("The layer 'd' of the config has speed=3, which is not there."));
  EXPECT_THAT(error_of_json(with_layer(
                  R"({"class_name": "Dense", "config": {"name": "d", "units": 2, "dtype": "float16"}})")),
              StartsWith("The layer 'd' of the config has the dtype float16"));
  EXPECT_THAT(error_of_json(with_layer(
                  R"({"class_name": "Conv2D",
              "config": {"name": "c", "filters": 2, "kernel_size": [1, 1], "groups": 2}})")),
              StartsWith("The layer 'c' of the config has groups=2"));
  sequential().save_weights(path_of("weights.h5"));
  EXPECT_THAT(error_of([&] { (void)load_model(path_of("weights.h5")); }),
              StartsWith("No model config found in the file"));
  EXPECT_THROW(load_model(path_of("missing.h5")), errors::NotFoundError);
}

TEST_F(ModelFileTest, FilesThatAreCutAreRefused) {
  sequential().save(path_of("whole.h5"));
  std::ifstream file(path_of("whole.h5"), std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string whole = bytes.str();
  for (size_t size = 0; size < whole.size(); size += whole.size() / 16) {
    std::ofstream(path_of("cut.h5"), std::ios::binary) << whole.substr(0, size);
    EXPECT_THROW(load_model(path_of("cut.h5")), std::exception) << size;
  }
}

TEST_F(ModelFileTest, CheckpointsHoldWholeModels) {
  const Graph graph;
  const auto scope = graph.as_default();
  Model model = sequential();
  model.fit(x(), y(),
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {std::make_shared<callbacks::ModelCheckpoint>(path_of("m{epoch}.h5"))}});
  Model last = load_model(path_of("m2.h5"));
  EXPECT_EQ(last.get_weights(), model.get_weights());
}

}  // namespace
}  // namespace flowray::tf::keras
