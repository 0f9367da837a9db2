// What callbacks hear of evaluate(), predict() and validations, as tf_keras 2.21 (compat.v1) tells it.
#include <flowray/tf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace flowray::tf::keras {
namespace {

using data::Dataset;
using ::testing::ElementsAre;

/// Writes a line for each call.
struct LineRecorder : Callback {
  std::vector<std::string> lines;
  bool stops_tests = false;

  void on_train_begin() override { lines.emplace_back("train_begin"); }
  void on_train_end() override { lines.emplace_back("train_end"); }
  void on_epoch_begin(int64_t epoch) override { lines.push_back(fmt::format("epoch_begin {}", epoch)); }
  void on_epoch_end(int64_t epoch, const Logs& logs) override {
    lines.push_back(fmt::format("epoch_end {} {}", epoch, text(logs)));
  }
  void on_batch_end(int64_t batch, const Logs&) override {
    lines.push_back(fmt::format("batch_end {} of {}", batch, batch_size()));
  }
  void on_test_begin() override { lines.emplace_back("test_begin"); }
  void on_test_end() override { lines.emplace_back("test_end"); }
  void on_test_batch_begin(int64_t batch) override {
    lines.push_back(fmt::format("test_batch_begin {} of {}", batch, batch_size()));
  }
  void on_test_batch_end(int64_t batch, const Logs& logs) override {
    lines.push_back(fmt::format("test_batch_end {} {}", batch, text(logs)));
    model().stop_training = stops_tests;
  }
  void on_predict_begin() override { lines.emplace_back("predict_begin"); }
  void on_predict_end() override { lines.emplace_back("predict_end"); }
  void on_predict_batch_begin(int64_t batch) override {
    lines.push_back(fmt::format("predict_batch_begin {} of {}", batch, batch_size()));
  }
  void on_predict_batch_end(int64_t batch, const std::vector<Array>& outputs) override {
    lines.push_back(
        fmt::format("predict_batch_end {} {} {:.5f}", batch, outputs[0].dim(0), outputs[0].span<float>()[0]));
  }

 private:
  static std::string text(const Logs& logs) {
    std::string all;
    for (const auto& [name, value] : logs)
      all += fmt::format("{}{}={:.6f}", all.empty() ? "" : " ", name, value);
    return all;
  }
};

class BatchCallbacksTest : public ::testing::Test {
 protected:
  /// (37 i mod 11) / 11
  static Array ramp(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
    return Array::from(values, shape);
  }
  static Sequential line() {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
    return model;
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const std::shared_ptr<LineRecorder> recorder_ = std::make_shared<LineRecorder>();
  inline static const Array x_ = ramp({10, 2});
  inline static const Array y_ = ramp({10, 1});
};

TEST_F(BatchCallbacksTest, HearOfEvaluate) {
  Sequential model = line();
  model.evaluate(x_, y_, {.batch_size = 4, .callbacks = {recorder_}});
  EXPECT_THAT(
      recorder_->lines,
      ElementsAre("test_begin", "test_batch_begin 0 of 4",
                  "test_batch_end 0 loss=0.260331 mean_absolute_error=0.500000", "test_batch_begin 1 of 4",
                  "test_batch_end 1 loss=0.347107 mean_absolute_error=0.477273", "test_batch_begin 2 of 2",
                  "test_batch_end 2 loss=0.702479 mean_absolute_error=0.509091", "test_end"));
}

TEST_F(BatchCallbacksTest, HearOfPredict) {
  Sequential model = line();
  const Array all = model.predict(x_, {.batch_size = 4, .callbacks = {recorder_}});
  EXPECT_EQ(all.shape(), Shape({10, 1}));
  EXPECT_THAT(recorder_->lines,
              ElementsAre("predict_begin", "predict_batch_begin 0 of 4", "predict_batch_end 0 4 0.36364",
                          "predict_batch_begin 1 of 4", "predict_batch_end 1 4 1.18182",
                          "predict_batch_begin 2 of 2", "predict_batch_end 2 2 1.00000", "predict_end"));
}

TEST_F(BatchCallbacksTest, HearOfTheValidationsOfATraining) {
  Sequential model = line();
  model.fit(x_, y_,
            {.batch_size = 5,
             .verbose = 0,
             .callbacks = {recorder_},
             .validation_data = {x_.rows(0, 4), y_.rows(0, 4)},
             .shuffle = false});
  EXPECT_THAT(recorder_->lines,
              ElementsAre("train_begin", "epoch_begin 0", "batch_end 0 of 5", "batch_end 1 of 5",
                          "test_begin", "test_batch_begin 0 of 4",
                          "test_batch_end 0 loss=0.080769 mean_absolute_error=0.270198", "test_end",
                          "epoch_end 0 loss=0.325812 mean_absolute_error=0.500607 val_loss=0.080769 "
                          "val_mean_absolute_error=0.270198",
                          "train_end"));
}

/// Batches of datasets count as one element each, as tf.keras has it.
TEST_F(BatchCallbacksTest, HearOfDatasets) {
  Sequential model = line();
  const Dataset batches = Dataset::from_tensor_slices({tf::Input(x_), tf::Input(y_)}).batch(8);
  model.evaluate(batches, {.callbacks = {recorder_}});
  model.predict(batches, {.callbacks = {recorder_}});
  EXPECT_THAT(
      recorder_->lines,
      ElementsAre("test_begin", "test_batch_begin 0 of 1",
                  "test_batch_end 0 loss=0.303719 mean_absolute_error=0.477273", "test_batch_begin 1 of 1",
                  "test_batch_end 1 loss=0.702479 mean_absolute_error=0.509091", "test_end", "predict_begin",
                  "predict_batch_begin 0 of 1", "predict_batch_end 0 8 0.36364", "predict_batch_begin 1 of 1",
                  "predict_batch_end 1 2 1.00000", "predict_end"));
}

TEST_F(BatchCallbacksTest, MayStopATest) {
  Sequential model = line();
  recorder_->stops_tests = true;
  const std::vector<double> scores = model.evaluate(x_, y_, {.batch_size = 4, .callbacks = {recorder_}});
  EXPECT_NEAR(scores[0], 0.2603306, 1e-6);  // of the first batch
  EXPECT_EQ(recorder_->lines.size(), 4);
}

TEST_F(BatchCallbacksTest, AreNoNullPointers) {
  Sequential model = line();
  EXPECT_THROW(model.evaluate(x_, y_, {.callbacks = {nullptr}}), ValueError);
  EXPECT_THROW(model.predict(x_, {.callbacks = {nullptr}}), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras
