#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/ctc.h>

#include <cmath>

namespace flowray {
namespace {

GOLDEN_PROGRAM(ctc_of_sequences) {
  auto inputs = tf::placeholder(tf::float32, {5, 2, 4}, {.name = "inputs"});
  auto lengths = tf::placeholder(tf::int32, {2}, {.name = "lengths"});
  auto labels = tf::sparse_placeholder(tf::int32, {2, 3}, {.name = "labels"});
  tf::nn::ctc_loss(labels, inputs, lengths);
  auto by_batch = tf::placeholder(DType::kFloat16, {2, 5, 4}, {.name = "by_batch"});
  tf::nn::ctc_loss(labels, by_batch, lengths,
                   {.preprocess_collapse_repeated = true,
                    .ctc_merge_repeated = false,
                    .ignore_longer_outputs_than_inputs = true,
                    .time_major = false});
  tf::nn::ctc_greedy_decoder(inputs, lengths);
  tf::nn::ctc_greedy_decoder(inputs, {5, 4}, {.merge_repeated = false, .blank_index = 0});
  tf::nn::ctc_beam_search_decoder(inputs, lengths);
  tf::nn::ctc_beam_search_decoder(inputs, lengths,
                                  {.beam_width = 6, .top_paths = 2, .merge_repeated = false});
}

/// Two steps, in which the blank and the label are as probable as each other: three of the four paths say the
/// label once.
TEST(Ctc, CountsAllPathsOfTheLabels) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::SparseTensor labels({{0, 0}}, {0}, {1, 1});
  auto inputs = tf::zeros({2, 1, 2});
  tf::Session session;
  const Array loss = session.run(tf::nn::ctc_loss(labels, inputs, std::vector<int32_t>{2}));
  EXPECT_NEAR(loss.item<float>(), -std::log(0.75), 1e-6);
}

TEST(Ctc, DecodesTheMostProbableClasses) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  // Classes a, b and the blank: a, a, blank, a, b.
  const auto inputs = tf::constant(
      {{{9.0, 0.0, 0.0}}, {{9.0, 0.0, 0.0}}, {{0.0, 0.0, 9.0}}, {{9.0, 0.0, 0.0}}, {{0.0, 9.0, 0.0}}});
  tf::Session session;
  const auto greedy = tf::nn::ctc_greedy_decoder(inputs, std::vector<int32_t>{5});
  EXPECT_EQ(session.run(greedy.decoded[0]).values, Array(std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(session.run(greedy.neg_sum_logits), Array::from(std::vector<float>{-45}, {1, 1}));
  const auto found = tf::nn::ctc_beam_search_decoder(inputs, std::vector<int32_t>{5},
                                                     {.top_paths = 2, .merge_repeated = false});
  ASSERT_EQ(found.decoded.size(), 2u);
  EXPECT_EQ(session.run(found.decoded[0]).values, Array(std::vector<int64_t>{0, 0, 1}));
}

}  // namespace
}  // namespace flowray
