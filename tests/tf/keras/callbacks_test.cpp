// What callbacks do to a training, as tf_keras 2.21 (compat.v1) does it with the same weights and batches.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace flowray::tf::keras {
namespace {

using callbacks::CSVLogger;
using callbacks::EarlyStopping;
using callbacks::EarlyStoppingOptions;
using callbacks::LambdaCallback;
using callbacks::TerminateOnNaN;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// (37 i mod 11) / 11
Array numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 11) / 11.0f;
  return Array::from(values, shape);
}

class CallbacksTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  /// Two weights of 1 and a bias of 0, trained in batches of 3 and 1. With a rate of 0 the loss stays
  /// 0.2603306, with 2 it grows from 0.9448425 to 273.5865, 86189.57, 2.7e7 and 8.6e9.
  static Sequential model_of(double rate) {
    Sequential model;
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = Shape{2}}));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}), .loss = "mse"});
    return model;
  }
  static History train(Model& model, std::shared_ptr<Callback> callback, int64_t epochs = 5,
                       const Array& y = numbers({4, 1})) {
    return model.fit(numbers({4, 2}), y,
                     {.batch_size = 3,
                      .epochs = epochs,
                      .verbose = 0,
                      .callbacks = {std::move(callback)},
                      .shuffle = false});
  }
  struct Stopped {
    int64_t epochs;  // that were run, of 5
    int64_t stopped_epoch;
    int64_t best_epoch;
    friend bool operator==(const Stopped&, const Stopped&) = default;
    friend void PrintTo(const Stopped& s, std::ostream* out) {
      *out << "{" << s.epochs << ", " << s.stopped_epoch << ", " << s.best_epoch << "}";
    }
  };
  static Stopped stopped(double rate, const EarlyStoppingOptions& options) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model = model_of(rate);
    const auto callback = std::make_shared<EarlyStopping>(options);
    const History history = train(model, callback);
    return {static_cast<int64_t>(history.epoch.size()), callback->stopped_epoch(), callback->best_epoch()};
  }
  static std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_callbacks_test" + std::to_string(::getpid()));
};

TEST_F(CallbacksTest, EarlyStoppingEndsWhatGetsNoBetter) {
  EXPECT_EQ(stopped(0, {.monitor = "loss"}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(0, {.monitor = "loss", .patience = 2}), (Stopped{3, 2, 0}));
  EXPECT_EQ(stopped(0, {.monitor = "loss", .patience = 2, .baseline = -1}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(0.01, {.monitor = "loss", .min_delta = 100, .patience = 1}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(0.01, {.monitor = "loss", .min_delta = -100, .patience = 1}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(0, {.monitor = "loss", .mode = "max"}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(2, {.monitor = "loss", .mode = "max"}), (Stopped{5, 0, 4}));
  EXPECT_EQ(stopped(2, {.monitor = "loss", .mode = "min"}), (Stopped{2, 1, 0}));
  EXPECT_EQ(stopped(0, {.monitor = "loss", .patience = 1, .start_from_epoch = 2}), (Stopped{4, 3, 2}));
}

TEST_F(CallbacksTest, EarlyStoppingRestoresTheBestWeights) {
  Sequential model = model_of(2);
  const auto stop = std::make_shared<EarlyStopping>(
      EarlyStoppingOptions{.monitor = "loss", .patience = 1, .verbose = 1, .restore_best_weights = true});
  ::testing::internal::CaptureStdout();
  train(model, stop);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "Epoch 2: early stopping\nRestoring model weights from the end of the best epoch: 1.\n");
  EXPECT_NEAR(stop->best(), 0.9448425, 1e-6);
  const std::vector<Array> weights = model.get_weights();
  EXPECT_NEAR(weights[0].span<float>()[0], 1.5179975, 1e-5);
  EXPECT_NEAR(weights[0].span<float>()[1], 4.0415959, 1e-5);
  EXPECT_NEAR(weights[1].span<float>()[0], 5.2732286, 1e-5);

  // Another fit() begins anew, with what the first one left.
  train(model, stop, 1);
  EXPECT_EQ(stop->stopped_epoch(), 0);
  EXPECT_NE(model.get_weights()[1], weights[1]);
}

TEST_F(CallbacksTest, EarlyStoppingSaysWhichNumbersThereAre) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(stopped(0, {}), (Stopped{5, 0, 0}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("Early stopping conditioned on metric `val_loss` which is not available. Available "
                        "metrics are: loss\n"));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(stopped(0, {.monitor = "loss", .mode = "least"}), (Stopped{2, 1, 0}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("EarlyStopping mode least is unknown, fallback to auto mode.\n"));
}

TEST_F(CallbacksTest, TerminateOnNaNEndsBehindTheBatch) {
  Array y = numbers({4, 1});
  y.mutable_data<float>()[1] = std::numeric_limits<float>::infinity();
  Sequential model = model_of(0.1);
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(train(model, std::make_shared<TerminateOnNaN>(), 5, y).epoch.size(), 1u);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "Batch 0: Invalid loss, terminating training\n");
}

TEST_F(CallbacksTest, LambdaCallbackCallsWhatItWasGiven) {
  std::vector<std::string> seen;
  const auto tell = [&](const char* what, int64_t number, const Logs& logs = {}) {
    seen.push_back(what + std::to_string(number) + (logs.empty() ? "" : " " + logs[0].first));
  };
  Sequential model = model_of(0);
  train(model,
        std::make_shared<LambdaCallback>(callbacks::LambdaCallbackOptions{
            .on_epoch_begin = [&](int64_t epoch) { tell("epoch ", epoch); },
            .on_epoch_end = [&](int64_t epoch, const Logs& logs) { tell("end of epoch ", epoch, logs); },
            .on_batch_begin = [&](int64_t batch) { tell("batch ", batch); },
            .on_batch_end = [&](int64_t batch, const Logs& logs) { tell("end of batch ", batch, logs); },
            .on_train_begin = [&] { seen.emplace_back("begin"); },
            .on_train_end = [&] { seen.emplace_back("end"); }}),
        1);
  EXPECT_THAT(seen, ElementsAre("begin", "epoch 0", "batch 0", "end of batch 0 loss", "batch 1",
                                "end of batch 1 loss", "end of epoch 0 loss", "end"));
  train(model, std::make_shared<LambdaCallback>(callbacks::LambdaCallbackOptions{}), 1);  // hears of nothing
}

TEST_F(CallbacksTest, CSVLoggerWritesALineAnEpoch) {
  const std::filesystem::path file = folder_ / "a.csv";
  Sequential model = model_of(0);
  // Of two batches of 3 and 1 elements, a mean of float32 in float64: no fewer digits than tf_keras writes.
  const std::string loss = "0.26033056899905205";
  train(model, std::make_shared<CSVLogger>(file.string()), 2);
  EXPECT_EQ(contents(file), "epoch,loss,val_loss\r\n0," + loss + ",NA\r\n1," + loss + ",NA\r\n");
  train(model, std::make_shared<CSVLogger>(file.string(), callbacks::CSVLoggerOptions{.append = true}), 1);
  EXPECT_EQ(contents(file),
            "epoch,loss,val_loss\r\n0," + loss + ",NA\r\n1," + loss + ",NA\r\n0," + loss + ",NA\r\n");
  train(model, std::make_shared<CSVLogger>(file.string(), callbacks::CSVLoggerOptions{.separator = ';'}), 1);
  EXPECT_EQ(contents(file), "epoch;loss;val_loss\r\n0;" + loss + ";NA\r\n");
}

TEST_F(CallbacksTest, CSVLoggerQuotesNamesAndKeepsItsColumns) {
  const std::string file = (folder_ / "a.csv").string();
  CSVLogger logger(file);
  logger.on_train_begin();
  logger.on_epoch_end(0, {{"val_loss", 2}, {"a,\"b\"", 0.5}});
  logger.on_epoch_end(1, {{"new", 1}, {"val_loss", 0.25}});
  EXPECT_EQ(contents(file), "epoch,\"a,\"\"b\"\"\",val_loss\r\n0,0.5,2\r\n1,NA,0.25\r\n");
}

TEST_F(CallbacksTest, CSVLoggerTellsOfAFileThatCannotBeWritten) {
  Sequential model = model_of(0);
  EXPECT_THROW(train(model, std::make_shared<CSVLogger>(folder_.string())), errors::OpError);
}

}  // namespace
}  // namespace flowray::tf::keras
