// Elements of several datasets, whose turns are those of TensorFlow 2.21 for the same seeds.
#include <flowray/tf.h>
#include <flowray/tf/data_experimental.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_words.h"

namespace flowray::tf {
namespace {

using data::Dataset;
using data::experimental::choose_from_datasets;
using data::experimental::map_and_batch;
using data::experimental::random_dataset;
using data::experimental::sample_from_datasets;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DatasetChoices : public ::testing::Test {
 protected:
  static std::vector<int64_t> read(const Dataset& dataset) {
    std::vector<int64_t> numbers;
    for (const std::vector<Array>& element : dataset) numbers.push_back(element[0].item<int64_t>());
    return numbers;
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return testing::without_line(error);
    }
    return "nothing";
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const Dataset low_ = Dataset::range(3);
  const Dataset high_ = Dataset::range(10, 15);
};

TEST_F(DatasetChoices, AreRandomByTheirSeed) {
  EXPECT_THAT(read(random_dataset({.seed = 4}).take(3).repeat(2)),
              ElementsAre(3128586565, 2023892699, 452966358, 3128586565, 2023892699, 452966358));
}

TEST_F(DatasetChoices, AreDrawnByWeights) {
  EXPECT_THAT(read(sample_from_datasets({low_, Dataset::range(5), Dataset::range(10, 20)},
                                        {.weights = {0.25, 0.5, 0.25}, .seed = 3})),
              ElementsAre(0, 1, 2, 0, 3, 4, 10, 1, 11, 2, 12, 13, 14, 15, 16, 17, 18, 19));
  EXPECT_THAT(read(sample_from_datasets({low_, high_}, {.seed = 3}).repeat(2)),
              ElementsAre(10, 11, 12, 0, 13, 14, 1, 2, 10, 11, 12, 0, 13, 14, 1, 2));
  EXPECT_THAT(read(sample_from_datasets({low_, high_}, {.seed = 5, .stop_on_empty_dataset = true})),
              ElementsAre(0, 1, 2, 10, 11));
  EXPECT_THAT(
      read(sample_from_datasets({low_, high_}, {.weights = constant({0.3, 0.7}, float64), .seed = 9})),
      ElementsAre(0, 10, 11, 12, 13, 14, 1, 2));
  const Dataset in_turn = Dataset::from_tensor_slices({Array({{1.0f, 0.0f}, {0.0f, 1.0f}})}).repeat(2);
  EXPECT_THAT(read(sample_from_datasets({low_, high_}, {.weights_of_each = in_turn, .seed = 9})),
              ElementsAre(0, 10, 1, 11));
}

TEST_F(DatasetChoices, LeaveOutWhatHasNoWeight) {
  EXPECT_THAT(read(sample_from_datasets({low_, high_}, {.weights = {0.0, 1.0}})),
              ElementsAre(10, 11, 12, 13, 14));
  EXPECT_THAT(read(sample_from_datasets({low_, high_}, {.weights = {0.0, 0.0}})), ElementsAre());
  EXPECT_THAT(read(sample_from_datasets({low_})), ElementsAre(0, 1, 2));
}

TEST_F(DatasetChoices, FollowANumber) {
  const Dataset turns = Dataset::range(2).repeat();
  EXPECT_THAT(read(choose_from_datasets({low_, high_}, turns)), ElementsAre(0, 10, 1, 11, 2, 12, 13, 14));
  EXPECT_THAT(read(choose_from_datasets({low_, high_}, turns, {.stop_on_empty_dataset = true})),
              ElementsAre(0, 10, 1, 11, 2, 12));
  EXPECT_THAT(read(choose_from_datasets({low_, high_},
                                        Dataset::from_tensor_slices({Array(std::vector<int64_t>{1, 0, 1})}))),
              ElementsAre(10, 0, 11));
  const Dataset rows = choose_from_datasets(
      {Dataset::from_tensors({Array({1, 2})}), Dataset::from_tensors({Array({1, 2, 3})})}, turns);
  EXPECT_EQ(rows.output_shapes()[0], (TensorShape{-1}));
}

TEST_F(DatasetChoices, RefuseWhatDoesNotFit) {
  const Dataset texts = Dataset::from_tensors({"a"});
  const auto sampled = [&](const Input& weights) {
    return error_of([&] { sample_from_datasets({low_, high_}, {.weights = weights}); });
  };
  EXPECT_THAT(sampled({1, 2}),
              StartsWith("Invalid `weights`. `weights` type must be either `tf.float32` or"));
  EXPECT_THAT(sampled({0.1, 0.2, 0.7}), HasSubstr("`len(weights)=3` vs. `len(datasets)=2`."));
  EXPECT_THAT(sampled(constant({0.1, 0.2, 0.7})),
              StartsWith("Invalid `weights`. The shape of `weights` should be compatible with"));
  EXPECT_THAT(error_of([&] { sample_from_datasets({}); }),
              StartsWith("Invalid `datasets`. `datasets` should not be empty."));
  EXPECT_THAT(error_of([&] { sample_from_datasets({low_, Dataset()}); }),
              HasSubstr("'datasets[1]' is an unset tf::data::Dataset"));
  EXPECT_THAT(error_of([&] { choose_from_datasets({low_, texts}, low_); }),
              StartsWith("Invalid `datasets`. `datasets` must have compatible element specs."));
  EXPECT_THAT(error_of([&] { choose_from_datasets({low_, high_}, texts); }),
              StartsWith("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64`"));
  EXPECT_THAT(error_of([&] { read(choose_from_datasets({low_, high_}, low_)); }),
              HasSubstr("Selector index out of range: 2 >= 2"));
}

TEST_F(DatasetChoices, MapAndBatchAreOneOp) {
  const Dataset squares = map_and_batch(Dataset::range(5), [](auto x) { return x * x; }, 2);
  EXPECT_EQ(squares.variant_tensor().op().type(), "MapAndBatchDataset");
  std::vector<Array> batches;
  for (const std::vector<Array>& element : squares) batches.push_back(element[0]);
  EXPECT_THAT(batches, ElementsAre(Array(std::vector<int64_t>{0, 1}), Array(std::vector<int64_t>{4, 9}),
                                   Array(std::vector<int64_t>{16})));
  const Dataset whole =
      map_and_batch(Dataset::range(5), [](auto x) { return std::tuple(x, cast(x, float32)); }, 2,
                    {.num_parallel_calls = 2, .drop_remainder = true});
  EXPECT_EQ(whole.output_shapes(), (std::vector<TensorShape>{{2}, {2}}));
}

}  // namespace
}  // namespace flowray::tf
