// Expected values are tf_keras 2.21's, or by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flowray::tf::keras {
namespace {

namespace sequence = preprocessing::sequence;

TEST(SequencePreprocessing, PadsAndCuts) {
  const std::vector<Numbers> given = {{1, 2, 3}, {4}, {}};
  EXPECT_EQ(sequence::pad_sequences(given), Array({{1, 2, 3}, {0, 0, 4}, {0, 0, 0}}));
  EXPECT_EQ(sequence::pad_sequences(given, {.maxlen = 2}), Array({{2, 3}, {0, 4}, {0, 0}}));
  EXPECT_EQ(
      sequence::pad_sequences(given, {.maxlen = 2, .padding = "post", .truncating = "post", .value = 9}),
      Array({{1, 2}, {4, 9}, {9, 9}}));
  EXPECT_EQ(sequence::pad_sequences(std::vector<std::vector<double>>{{0.5}, {1.5, 2.5}}, {.dtype = float32}),
            Array({{0.f, 0.5f}, {1.5f, 2.5f}}));
  EXPECT_EQ(sequence::pad_sequences(std::vector<Numbers>()).shape(), Shape({0, 0}));
  EXPECT_THROW(sequence::pad_sequences(given, {.padding = "left"}), ValueError);
  EXPECT_THROW(sequence::pad_sequences(given, {.truncating = "left"}), ValueError);
}

TEST(SequencePreprocessing, SamplesWordsByTheirRank) {
  const Array table = sequence::make_sampling_table(6);
  const std::vector<double> expected = {0.00315225, 0.00315225, 0.00547597,
                                        0.00741556, 0.00912817, 0.01068435};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(table.span<double>()[i], expected[i], 1e-8) << i;
  EXPECT_EQ(sequence::make_sampling_table(0).size(), 0);
}

TEST(SequencePreprocessing, CouplesNeighbours) {
  const sequence::Skipgrams made =
      sequence::skipgrams({1, 2, 0, 3}, 4, {.window_size = 2, .negative_samples = 0, .shuffle = false});
  using Couples = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(made.couples, (Couples{{1, 2}, {2, 1}, {2, 3}, {3, 2}}));
  EXPECT_EQ(made.labels, (Numbers{1, 1, 1, 1}));
}

/// The order is that of random.seed(7) in Python.
TEST(SequencePreprocessing, ShufflesAsPythonDoes) {
  const sequence::Skipgrams made =
      sequence::skipgrams({1, 2, 3, 4}, 5, {.window_size = 1, .negative_samples = 0, .seed = 7});
  using Couples = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(made.couples, (Couples{{3, 4}, {1, 2}, {4, 3}, {3, 2}, {2, 1}, {2, 3}}));
}

TEST(SequencePreprocessing, TakesCouplesByChance) {
  const sequence::Skipgrams made = sequence::skipgrams({1, 2, 3}, 4, {.window_size = 1, .seed = 1});
  EXPECT_EQ(made.couples.size(), 8u);
  int64_t neighbours = 0;
  for (size_t i = 0; i < made.couples.size(); ++i) {
    neighbours += made.labels[i];
    EXPECT_GE(made.couples[i].second, 1);
    EXPECT_LE(made.couples[i].second, 3);
    const int64_t apart = std::abs(made.couples[i].first - made.couples[i].second);
    EXPECT_TRUE(made.labels[i] == 0 || apart == 1) << i;
  }
  EXPECT_EQ(neighbours, 4);
  Array never(DType::kFloat64, {4});
  EXPECT_TRUE(sequence::skipgrams({1, 2, 3}, 4, {.sampling_table = never}).couples.empty());
  EXPECT_THROW(sequence::skipgrams({1, 9}, 10, {.sampling_table = never}), IndexError);
  EXPECT_THROW(sequence::skipgrams({1, 2}, 1), ValueError);
  EXPECT_THROW(sequence::skipgrams({1, 2}, 3, {.window_size = 0}), ValueError);
}

TEST(SequencePreprocessing, CutsSeriesIntoWindows) {
  const Array data = Array::from(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}, {8, 1});
  const Array targets = Array::from(std::vector<float>{0, 10, 20, 30, 40, 50, 60, 70}, {8});
  const sequence::TimeseriesGenerator batches(data, targets, 3, {.batch_size = 2});
  EXPECT_EQ(batches.size(), 3);
  EXPECT_EQ(batches[0].first, Array::from(std::vector<float>{0, 1, 2, 1, 2, 3}, {2, 3, 1}));
  EXPECT_EQ(batches[0].second, Array({30.f, 40.f}));
  EXPECT_EQ(batches[2].first, Array::from(std::vector<float>{4, 5, 6}, {1, 3, 1}));
  EXPECT_THROW(batches[3], IndexError);
  const sequence::TimeseriesGenerator others(
      data, targets, 4,
      {.sampling_rate = 2, .stride = 2, .start_index = 1, .end_index = 7, .reverse = true, .batch_size = 2});
  EXPECT_EQ(others.size(), 1);
  EXPECT_EQ(others[0].first, Array::from(std::vector<float>{3, 1, 5, 3}, {2, 2, 1}));
  EXPECT_EQ(others[0].second, Array({50.f, 70.f}));
  EXPECT_THROW(sequence::TimeseriesGenerator(data, Array({1.f}), 3), ValueError);
  EXPECT_THROW(sequence::TimeseriesGenerator(data, targets, 8), ValueError);
}

TEST(SequencePreprocessing, MakesRowsOfClasses) {
  EXPECT_EQ(utils::to_categorical(Array({0, 2, 1})),
            Array({{1.f, 0.f, 0.f}, {0.f, 0.f, 1.f}, {0.f, 1.f, 0.f}}));
  EXPECT_EQ(utils::to_categorical(Array({{1}, {0}}), {.num_classes = 3, .dtype = int32}),
            Array({{0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(utils::to_categorical(Array({{1, 0}, {0, 1}})).shape(), Shape({2, 2, 2}));
  EXPECT_THROW(utils::to_categorical(Array({3}), {.num_classes = 3}), IndexError);
  EXPECT_THROW(utils::to_categorical(Array(DType::kInt32, {0})), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras
