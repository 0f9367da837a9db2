// Files of weights behind epochs and batches, against tf_keras 2.21 (compat.v1): its names and words.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/error_words.h"

namespace flowray::tf::keras {
namespace {

using callbacks::ModelCheckpoint;
using callbacks::ModelCheckpointOptions;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ModelCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  static Sequential model_of(double rate) {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}), .loss = "mse"});
    return model;
  }
  /// Batches of 3 and 1. With a rate of 2 the loss grows from 0.9448425 to 273.5865 and 86189.57.
  History train(Model& model, int64_t epochs, const std::string& path,
                const ModelCheckpointOptions& options) {
    return model.fit(ramp({4, 2}), ramp({4, 1}),
                     {.batch_size = 3,
                      .epochs = epochs,
                      .verbose = 0,
                      .callbacks = {std::make_shared<ModelCheckpoint>(path_of(path), options)},
                      .shuffle = false});
  }
  /// What is said meanwhile on standard output, without the folder.
  template <class F>
  std::string said(const F& f) const {
    ::testing::internal::CaptureStdout();
    f();
    std::string text = ::testing::internal::GetCapturedStdout();
    const std::string folder = path_of("");
    for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }
  std::vector<std::string> files(const std::string& folder = {}) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_model_checkpoint" + std::to_string(::getpid()));
};

TEST_F(ModelCheckpointTest, WritesAFileAnEpoch) {
  Sequential model = model_of(0.1);
  EXPECT_EQ(
      said([&] { train(model, 2, "w{epoch:02d}-{loss:.2f}", {.verbose = 1, .save_weights_only = true}); }),
      "\nEpoch 1: saving model to w01-0.23\n\nEpoch 2: saving model to w02-0.06\n");
  EXPECT_THAT(files(), ElementsAre("checkpoint", "w01-0.23.data-00000-of-00001", "w01-0.23.index",
                                   "w02-0.06.data-00000-of-00001", "w02-0.06.index"));
  EXPECT_EQ(train::latest_checkpoint(folder_), path_of("w02-0.06"));

  const std::vector<Array> last = model.get_weights();
  model.set_weights({Array({{7.f}, {7.f}}), Array({7.f})});
  const size_t before = graph_.get_operations().size();
  model.load_weights(path_of("w02-0.06"));
  EXPECT_EQ(model.get_weights(), last);
  EXPECT_EQ(graph_.get_operations().size(), before);
}

TEST_F(ModelCheckpointTest, WritesWhatIsBetterThanAllBefore) {
  Sequential model = model_of(2);
  EXPECT_EQ(said([&] {
              train(model, 2, "a/b/best",
                    {.monitor = "loss", .verbose = 1, .save_best_only = true, .save_weights_only = true});
            }),
            "\nEpoch 1: loss improved from inf to 0.94484, saving model to a/b/best\n"
            "\nEpoch 2: loss did not improve from 0.94484\n");
  EXPECT_THAT(files("a/b"), ElementsAre("best.data-00000-of-00001", "best.index", "checkpoint"));

  Sequential greatest = model_of(2);
  EXPECT_EQ(said([&] {
              train(greatest, 3, "best",
                    {.monitor = "loss",
                     .verbose = 1,
                     .save_best_only = true,
                     .save_weights_only = true,
                     .mode = "max",
                     .initial_value_threshold = 100});
            }),
            "\nEpoch 1: loss did not improve from 100.00000\n"
            "\nEpoch 2: loss improved from 100.00000 to 273.58651, saving model to best\n"
            "\nEpoch 3: loss improved from 273.58651 to 86189.56689, saving model to best\n");
}

TEST_F(ModelCheckpointTest, WarnsWhereTheNumberIsMissing) {
  Sequential model = model_of(0.1);
  ::testing::internal::CaptureStderr();
  train(model, 1, "best",
        {.monitor = "acc", .save_best_only = true, .save_weights_only = true, .mode = "foo"});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("ModelCheckpoint mode foo is unknown, fallback to auto mode.\n"));
  EXPECT_THAT(said, HasSubstr("Can save best model only with acc available, skipping.\n"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ModelCheckpointTest, CountsStepsThroughTheEpochs) {
  Sequential model = model_of(0.1);
  EXPECT_EQ(said([&] {
              train(model, 4, "{epoch}-{batch}-{loss:.4f}",
                    {.verbose = 1, .save_weights_only = true, .save_freq = 3});
            }),
            "\nEpoch 2: saving model to 2-0-0.0408\n\nEpoch 3: saving model to 3-1-0.0502\n");
}

/// What tf_keras 2.21 writes for the same path, steps and numbers.
TEST_F(ModelCheckpointTest, FormatsAsPythonDoes) {
  Sequential model = model_of(0.1);
  train(model, 1, "{epoch:>3}_{batch:+}_{size}_{loss:.1%}_{loss:010.4f}",
        {.save_weights_only = true, .save_freq = 2});
  EXPECT_THAT(files(), ElementsAre("  1_+1_1_26.6%_00000.2662.data-00000-of-00001",
                                   "  1_+1_1_26.6%_00000.2662.index", "checkpoint"));
}

TEST_F(ModelCheckpointTest, SaysWhatIsWrongWithAPath) {
  Sequential model = model_of(0.1);
  const ModelCheckpointOptions weights{.save_weights_only = true};
  const auto error = [&](const std::string& path) {
    return error_of([&] { train(model, 1, path, weights); });
  };
  EXPECT_THAT(error("{val}"),
              StartsWith("Failed to format this callback filepath: \"" + path_of("{val}") +
                         "\". Reason: 'val'\nIt is the path \"" + path_of("{val}") +
                         "\" of a ModelCheckpoint; the names that it may have are epoch, loss."));
  EXPECT_THROW(train(model, 1, "{val}", weights), KeyError);
  EXPECT_THAT(error("{loss:02d}"), StartsWith("Unknown format code 'd' for object of type 'float'\nIt is"));
  EXPECT_THAT(error_of([&] { train(model, 1, "x", {}); }), StartsWith("save: a SavedModel of a Keras model"));
  EXPECT_THAT(error_of([] { ModelCheckpoint("x", {.save_weights_only = true, .save_freq = 0}); }),
              StartsWith("Unrecognized save_freq: 0. Expected save_freq are \"epoch\" or integer\n"));
}

TEST_F(ModelCheckpointTest, SaysWhichWeightsCannotBeWrittenOrRead) {
  Sequential unbuilt;
  EXPECT_THAT(error_of([&] { unbuilt.save_weights(path_of("x")); }),
              StartsWith("Weights for model 'sequential' have not yet been created."));
  Sequential model = model_of(0.1);
  EXPECT_THAT(error_of([&] { model.load_weights(path_of("missing")); }),
              StartsWith("The passed save_path is not a valid checkpoint: "));
  EXPECT_THROW(model.load_weights(path_of("x.keras")), errors::NotFoundError);
  Sequential empty;
  empty.add(layers::Flatten({.input_shape = TensorShape{2}}));
  EXPECT_THAT(error_of([&] { empty.save_weights(path_of("x")); }), StartsWith("No variables to save"));
}

TEST_F(ModelCheckpointTest, WritesAndReadsWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  Sequential model = model_of(0.1);
  model.set_weights({Array({{3.f}, {4.f}}), Array({5.f})});
  model.save_weights(path_of("x"));
  model.set_weights({Array({{7.f}, {7.f}}), Array({7.f})});
  model.load_weights(path_of("x"));
  EXPECT_EQ(model.get_weights()[0], Array({{3.f}, {4.f}}));
  EXPECT_EQ(model.get_weights()[1], Array({5.f}));
}

TEST_F(ModelCheckpointTest, SaysWhichPathsItCannotWrite) {
  Sequential model = model_of(0.1);
  for (const char* path : {"w{}", "w{0}", "w{:02d}"}) {
    EXPECT_THAT(error_of([&] { train(model, 1, path, {.save_weights_only = true}); }),
                StartsWith("Replacement index 0 out of range for positional args tuple\nIt is the path"));
    EXPECT_THROW(train(model, 1, path, {.save_weights_only = true}), IndexError);
  }
  std::ofstream(path_of("taken")) << "a file";
  EXPECT_THROW(train(model, 1, "taken/w", {.save_weights_only = true}), errors::OpError);
}

}  // namespace
}  // namespace flowray::tf::keras
