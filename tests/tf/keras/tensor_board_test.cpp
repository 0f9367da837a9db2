// What TensorBoard gets of a training: tags, steps and values of tf_keras 2.21 (compat.v1).
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "files/record.h"
#include "support/error_words.h"
#include "support/idx_files.h"
#include "wire/codec.h"
#include "wire/summary.h"

namespace flowray::tf::keras {
namespace {

using callbacks::TensorBoard;
using callbacks::TensorBoardOptions;
using flowray::testing::error_of;
using ::testing::ElementsAre;
using ::testing::StartsWith;

/// tensorflow.Event, as far as it is read here.
struct FileEvent {
  int64_t step = 0;
  wire::Bytes graph_def;
  std::optional<wire::Summary> summary;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.Event";
  static constexpr auto fields() {
    return std::tuple(wire::field(2, "step", &FileEvent::step),
                      wire::field(4, "graph_def", &FileEvent::graph_def),
                      wire::field(5, "summary", &FileEvent::summary));
  }
};

struct Written {
  int64_t step;
  std::string tag;
  double value;  // of a histogram: the number of values
};

class TensorBoardTest : public ::testing::Test {
 protected:
  /// Elements (2 i, 2 i + 1) / 20, whose true values are the first of each; in batches of 4, 4 and 2.
  static Array inputs() {
    std::vector<float> values;
    for (int i = 0; i < 20; ++i) values.push_back(static_cast<float>(i) / 20.0f);
    return Array::from(values, {10, 2});
  }
  static Array targets() {
    std::vector<float> values;
    for (int i = 0; i < 10; ++i) values.push_back(static_cast<float>(2 * i) / 20.0f);
    return Array::from(values, {10, 1});
  }
  static Sequential line(bool is_built = true) {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(),
                                .input_shape = is_built ? std::optional(TensorShape{2}) : std::nullopt}));
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
    return model;
  }
  /// Two epochs.
  void train(const TensorBoardOptions& options) {
    Sequential model = line();
    model.fit(inputs(), targets(),
              {.batch_size = 4,
               .epochs = 2,
               .verbose = 0,
               .callbacks = {std::make_shared<TensorBoard>(folder_.path() / "logs", options)},
               .validation_data = {inputs(), targets()},
               .shuffle = false});
  }
  std::filesystem::path file() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "logs"))
      files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }
  std::vector<Written> written() {
    std::ifstream stream(file(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    files::RecordReader reader(bytes);
    std::vector<Written> all;
    num_graphs_ = 0;
    for (auto record = reader.next(); record.has_value(); record = reader.next()) {
      const std::string message(*record);
      const auto event = wire::decode<FileEvent>(message);
      if (const std::string_view graph = event.graph_def; !graph.empty()) {
        ++num_graphs_;
        has_training_ = graph.find("gradients/") != std::string_view::npos;
      }
      if (!event.summary.has_value()) continue;
      for (const wire::Summary::Value& value : event.summary->value) {
        const auto* const histogram = std::get_if<wire::HistogramProto>(&value.content);
        all.push_back({event.step, std::string(value.tag),
                       histogram != nullptr ? histogram->num : std::get<float>(value.content)});
      }
    }
    return all;
  }
  void expect_written(const std::vector<Written>& expected) {
    const std::vector<Written> actual = written();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(actual[i].step, expected[i].step);
      EXPECT_EQ(actual[i].tag, expected[i].tag);
      EXPECT_NEAR(actual[i].value, expected[i].value, 1e-6);
    }
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const flowray::testing::TestFolder folder_;
  int num_graphs_ = 0;
  bool has_training_ = false;
};

TEST_F(TensorBoardTest, HasTheNumbersOfEachEpochAndTheGraph) {
  train({});
  EXPECT_TRUE(
      std::regex_match(file().filename().string(), std::regex("events\\.out\\.tfevents\\.[0-9]{10}\\..+")));
  expect_written({{0, "epoch_loss", 0.31941232},
                  {0, "epoch_mean_absolute_error", 0.49196309},
                  {0, "epoch_val_loss", 0.27257502},
                  {0, "epoch_val_mean_absolute_error", 0.44451061},
                  {1, "epoch_loss", 0.26217815},
                  {1, "epoch_mean_absolute_error", 0.43757838},
                  {1, "epoch_val_loss", 0.22403350},
                  {1, "epoch_val_mean_absolute_error", 0.39752930}});
  EXPECT_EQ(num_graphs_, 1);
  EXPECT_TRUE(has_training_);
}

TEST_F(TensorBoardTest, HasTheNumbersOfEachBatch) {
  train({.write_graph = false, .update_freq = 1});
  expect_written({{0, "batch_loss", 0.05249999},      {0, "batch_mean_absolute_error", 0.19999999},
                  {1, "batch_loss", 0.36636156},      {1, "batch_mean_absolute_error", 0.39745125},
                  {2, "batch_loss", 0.75933856},      {2, "batch_mean_absolute_error", 0.49196309},
                  {10, "epoch_loss", 0.31941232},     {10, "epoch_mean_absolute_error", 0.49196309},
                  {10, "epoch_val_loss", 0.27257505}, {10, "epoch_val_mean_absolute_error", 0.44451064},
                  {3, "batch_loss", 0.03648360},      {3, "batch_mean_absolute_error", 0.15849978},
                  {4, "batch_loss", 0.29836407},      {4, "batch_mean_absolute_error", 0.34713066},
                  {5, "batch_loss", 0.64119542},      {5, "batch_mean_absolute_error", 0.43757838},
                  {20, "epoch_loss", 0.26217815},     {20, "epoch_mean_absolute_error", 0.43757838},
                  {20, "epoch_val_loss", 0.22403350}, {20, "epoch_val_mean_absolute_error", 0.39752927}});
  EXPECT_EQ(num_graphs_, 0);
}

TEST_F(TensorBoardTest, HasTheNumbersOfBatchesBehindSoManyElements) {
  train({.update_freq = 6});
  std::vector<std::string> tags;
  for (const Written& value : written()) {
    if (value.tag.ends_with("_loss") && !value.tag.starts_with("epoch_val"))
      tags.push_back(std::to_string(value.step) + " " + value.tag);
  }
  EXPECT_THAT(tags,
              ElementsAre("1 batch_loss", "10 epoch_loss", "3 batch_loss", "5 batch_loss", "20 epoch_loss"));
}

TEST_F(TensorBoardTest, CountsTheStepsOfADataset) {
  Sequential model = line(/*is_built=*/false);
  model.fit(data::Dataset::from_tensor_slices({tf::Input(inputs()), tf::Input(targets())}).batch(4),
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {std::make_shared<TensorBoard>(folder_.path() / "logs",
                                                         TensorBoardOptions{.update_freq = 2})}});
  expect_written({{1, "batch_loss", 0.36636156},
                  {1, "batch_mean_absolute_error", 0.39745125},
                  {3, "epoch_loss", 0.39273337},
                  {3, "epoch_mean_absolute_error", 0.49196309},
                  {3, "batch_loss", 0.03648360},
                  {3, "batch_mean_absolute_error", 0.15849978},
                  {5, "batch_loss", 0.64119542},
                  {5, "batch_mean_absolute_error", 0.43757838},
                  {6, "epoch_loss", 0.32534769},
                  {6, "epoch_mean_absolute_error", 0.43757838}});
  EXPECT_EQ(num_graphs_, 1);  // of the model that the first batch built
}

TEST_F(TensorBoardTest, HasHistogramsOfTheWeights) {
  const size_t nodes = [&] {
    train({.write_graph = false});
    return graph_.get_operations().size();
  }();
  std::filesystem::remove_all(folder_.path() / "logs");
  const Graph other;
  const auto scope = other.as_default();
  train({.write_graph = false, .histogram_freq = 1});
  EXPECT_EQ(other.get_operations().size(), nodes);
  std::vector<Written> histograms;
  for (const Written& value : written()) {
    if (!value.tag.starts_with("epoch_")) histograms.push_back(value);
  }
  ASSERT_EQ(histograms.size(), 4u);
  EXPECT_EQ(histograms[2].step, 1);
  EXPECT_EQ(histograms[2].tag, "dense/kernel_0");
  EXPECT_EQ(histograms[2].value, 2);
  EXPECT_EQ(histograms[3].tag, "dense/bias_0");
  EXPECT_EQ(histograms[3].value, 1);
}

TEST_F(TensorBoardTest, SaysWhatItCannotWrite) {
  EXPECT_THAT(error_of([] { TensorBoard("x", {.update_freq = 0}); }),
              StartsWith("TensorBoard: update_freq is 0; it is a number of elements, at least 1"));
  EXPECT_THAT(error_of([] { TensorBoard("x", {.histogram_freq = -1}); }),
              StartsWith("TensorBoard: histogram_freq is -1;"));
}

/// Weights that are not numbers have no histogram, and the training that has ended has its end.
TEST_F(TensorBoardTest, HasNoHistogramsOfATrainingThatWasStopped) {
  Sequential model;
  model.add(layers::Dense(1, {.input_shape = TensorShape{2}}));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 1e30}), .loss = "mse"});
  const History history = model.fit(
      inputs(), targets(),
      {.batch_size = 2,
       .epochs = 5,
       .verbose = 0,
       .callbacks = {
           std::make_shared<callbacks::TerminateOnNaN>(),
           std::make_shared<TensorBoard>(folder_.path() / "logs", TensorBoardOptions{.histogram_freq = 1})}});
  EXPECT_EQ(history.epoch.size(), 1u);
}

}  // namespace
}  // namespace flowray::tf::keras
