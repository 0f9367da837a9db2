// Weights in HDF5 files, which cross to and from tf_keras 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_words.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace flowray::tf::keras {
namespace {

using callbacks::ModelCheckpoint;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The model below in tf.keras: it saves, or loads, the file, and prints what it gives for a ramp.
constexpr const char* kTheirs = R"(
import os, sys
os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers
inputs = tf.keras.Input((4, 3))
h = layers.Bidirectional(layers.LSTM(2, return_sequences=True))(inputs)
h = layers.BatchNormalization()(layers.Conv1D(3, 2)(h))
frozen = layers.Dense(3, trainable=False)(layers.Flatten()(h))
model = tf.keras.Model(inputs, layers.Dense(1)(frozen))
x = (np.arange(24) * 37 % 11 / 11.0).reshape(2, 4, 3)
if sys.argv[1] == "save":
    model.set_weights([(np.arange(w.size) * 7 % 5 + 1).reshape(w.shape) / 20 for w in model.get_weights()])
    (model.save if len(sys.argv) > 3 else model.save_weights)(sys.argv[2])
else:
    model.load_weights(sys.argv[2])
print(*("%.5f" % value for value in model.predict(x).ravel()))
)";

class WeightFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    Sequential model;
    model.add(layers::Dense(1, {.input_shape = TensorShape{1}}));
    try {
      model.save_weights(path_of("try.h5"));
    } catch (const errors::UnimplementedError& error) {
      GTEST_SKIP() << error.message();  // the HDF5 library is not installed
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }
  static Model model() {
    const KerasTensor inputs = Input({4, 3});
    KerasTensor h = layers::Bidirectional(layers::LSTM(2, {.return_sequences = true}))(inputs);
    h = layers::BatchNormalization()(layers::Conv1D(3, 2)(h));
    layers::Dense frozen(3);
    frozen.set_trainable(false);
    h = frozen(layers::Flatten()(h));
    return {{inputs}, {layers::Dense(1)(h)}};
  }
  /// (7 i mod 5 + 1) / 20
  static void set_weights(Model& model) {
    std::vector<Array> weights = model.get_weights();
    for (Array& weight : weights) {
      float* values = weight.mutable_data<float>();
      for (int64_t i = 0; i < weight.size(); ++i) values[i] = static_cast<float>(i * 7 % 5 + 1) / 20.0f;
    }
    model.set_weights(weights);
  }
  /// What it gives for (37 i mod 11) / 11.
  static std::string said(Model& model) {
    std::vector<float> values(24);
    for (size_t i = 0; i < 24; ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    const Array outputs = model.predict(Array::from(values, {2, 4, 3}));
    char text[64];
    std::snprintf(text, sizeof text, "%.5f %.5f\n", outputs.span<float>()[0], outputs.span<float>()[1]);
    return text;
  }
  /// What tf.keras prints; empty where there is none.
  static std::string theirs(const std::string& what, const std::string& path, const std::string& more = {}) {
    const char* const python = std::getenv("FLOWRAY_ORACLE_PYTHON");
    if (python == nullptr) return {};
    std::vector<std::string> command = {python, "-c", kTheirs, what, path};
    if (!more.empty()) command.push_back(more);
    flowray::testing::ChildProcess child(command);
    EXPECT_EQ(child.wait(), 0) << child.errors();
    return child.output();
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_weight_files" + std::to_string(::getpid()));
};

TEST_F(WeightFilesTest, GiveAnotherModelTheSameWeights) {
  Model first = model();
  set_weights(first);
  first.save_weights(path_of("w.h5"));
  const std::string before = said(first);
  const Graph graph;
  const auto scope = graph.as_default();
  Model second = model();
  second.load_weights(path_of("w.h5"));
  EXPECT_EQ(said(second), before);
  EXPECT_FALSE(std::filesystem::exists(path_of("checkpoint")));
}

TEST_F(WeightFilesTest, AreReadByTfKeras) {
  Model ours = model();
  set_weights(ours);
  ours.save_weights(path_of("ours.h5"));
  const std::string read = theirs("load", path_of("ours.h5"));
  if (read.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  EXPECT_EQ(read, said(ours));
}

TEST_F(WeightFilesTest, ComeFromTfKerasAsWeightsAndAsWholeModels) {
  for (const char* more : {"", "whole"}) {
    const std::string written = theirs("save", path_of("theirs.h5"), more);
    if (written.empty()) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
    const Graph graph;
    const auto scope = graph.as_default();
    Model ours = model();
    ours.load_weights(path_of("theirs.h5"));
    EXPECT_EQ(said(ours), written);
  }
}

TEST_F(WeightFilesTest, AreWrittenByModelCheckpoint) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = TensorShape{1}}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array x({{1.f}, {2.f}});
  model.fit(x, x,
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {std::make_shared<ModelCheckpoint>(
                 path_of("w{epoch:03d}.h5"), callbacks::ModelCheckpointOptions{.save_weights_only = true})}});
  const std::vector<Array> last = model.get_weights();
  model.set_weights({Array({{9.f}}), Array({9.f})});
  model.load_weights(path_of("w002.h5"));
  EXPECT_EQ(model.get_weights(), last);
}

TEST_F(WeightFilesTest, SayWhatDoesNotFit) {
  Sequential first;
  first.add(layers::Dense(2, {.input_shape = TensorShape{3}}));
  first.save_weights(path_of("w.h5"));
  const auto error = [&](Sequential& model) {
    return error_of([&] { model.load_weights(path_of("w.h5")); });
  };
  Sequential two;
  two.add(layers::Dense(2, {.input_shape = TensorShape{3}}));
  two.add(layers::Dense(2));
  EXPECT_THAT(error(two),
              StartsWith("Layer count mismatch when loading weights from file. Model expected 2 layers, "
                         "found 1 saved layers."));
  Sequential other;
  other.add(layers::Dense(4, {.input_shape = TensorShape{3}}));
  EXPECT_THAT(error(other),
              AllOf(StartsWith("Shape mismatch in "),
                    HasSubstr("Weight expects shape (3, 4). Received saved weight with shape (3, 2)")));
  Sequential without;
  without.add(layers::Dense(2, {.use_bias = false, .input_shape = TensorShape{3}}));
  EXPECT_THAT(error(without), HasSubstr("Layer expects 1 weight(s). Received 2 saved weight(s)"));
  EXPECT_THROW(first.load_weights(path_of("missing.h5")), errors::NotFoundError);
  std::ofstream(path_of("text.h5")) << "text";
  EXPECT_THROW(first.load_weights(path_of("text.h5")), errors::DataLossError);
}

}  // namespace
}  // namespace flowray::tf::keras
