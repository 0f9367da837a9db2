// Data sets go to other processes and go on there where they stood.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ray/values/encoded_value.h"

namespace flowray::ray {
namespace {

using tf::examples::DataSet;
using tf::examples::DataSetOptions;
using tf::examples::DataSets;
using tf::examples::DataSetState;

/// `count` images of 2 x 3 pixels, all different.
DataSet data_set(int64_t count, const DataSetOptions& options) {
  std::vector<uint8_t> pixels(static_cast<size_t>(count * 6));
  std::iota(pixels.begin(), pixels.end(), uint8_t{0});
  std::vector<uint8_t> labels(static_cast<size_t>(count));
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<uint8_t>(i % 10);
  return {Array::from(pixels, {count, 2, 3}), Array(labels), options};
}

void expect_same_batches(DataSet& one, DataSet& other, int batches) {
  for (int i = 0; i < batches; ++i) EXPECT_EQ(one.next_batch(3), other.next_batch(3)) << i;
  EXPECT_EQ(one.epochs_completed(), other.epochs_completed());
}

class SentDataSet : public ::testing::TestWithParam<DataSetOptions> {};

TEST_P(SentDataSet, GoesOnWhereItStood) {
  DataSet set = data_set(40, GetParam());
  for (int batch = 0; batch < 15; ++batch) set.next_batch(3);  // into the second epoch
  DataSet sent = round_trip(set);
  EXPECT_EQ(sent.num_examples(), 40);
  EXPECT_EQ(sent.epochs_completed(), 1);
  EXPECT_EQ(sent.images(), set.images());
  EXPECT_EQ(sent.labels(), set.labels());
  expect_same_batches(sent, set, 30);  // three more epochs
}

INSTANTIATE_TEST_SUITE_P(Each, SentDataSet,
                         ::testing::Values(DataSetOptions{.seed = 1},
                                           DataSetOptions{.one_hot = true, .seed = 2},
                                           DataSetOptions{.dtype = tf::uint8, .reshape = false}));

TEST(SentDataSets, ArriveAllThree) {
  const DataSets sets{data_set(3, {}), DataSet(), data_set(2, {})};
  const DataSets sent = round_trip(sets);
  EXPECT_EQ(sent.train.images(), sets.train.images());
  EXPECT_EQ(sent.validation.num_examples(), 0);
  EXPECT_EQ(sent.test.images(), sets.test.images());
}

TEST(SentDataSets, MayBeOneArgumentAmongOthers) {
  using Arguments = std::tuple<int, DataSet, DataSets, int>;
  const auto sent = round_trip(Arguments(1, data_set(3, {}), {data_set(1, {}), {}, {}}, 2));
  EXPECT_EQ(std::get<1>(sent).num_examples(), 3);
  EXPECT_EQ(std::get<2>(sent).train.num_examples(), 1);
  EXPECT_EQ(std::get<3>(sent), 2);
}

class WrongState : public ::testing::TestWithParam<void (*)(DataSetState&)> {};

TEST_P(WrongState, IsRefused) {
  DataSetState state = data_set(4, {}).state();
  EXPECT_NO_THROW(DataSet::from_state(state));
  GetParam()(state);
  EXPECT_THROW(DataSet::from_state(state), ValueError);
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongState,
    ::testing::Values([](DataSetState& state) { state.order[1] = 4; },
                      [](DataSetState& state) { state.order[1] = -1; },
                      [](DataSetState& state) { state.order.pop_back(); },
                      [](DataSetState& state) { state.next_in_order = 5; },
                      [](DataSetState& state) { state.next_in_order = -1; },
                      [](DataSetState& state) { state.labels = Array(std::vector<uint8_t>{1, 2, 3}); },
                      [](DataSetState& state) { state.pixels = Array(std::vector<uint8_t>{1, 2, 3, 4}); },
                      [](DataSetState& state) { state.dtype = tf::float64; }));

}  // namespace
}  // namespace flowray::ray
