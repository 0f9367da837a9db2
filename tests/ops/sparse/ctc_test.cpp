// Sums over all paths worked out by hand; tests/python/programs/spoken_labels.py compares with TensorFlow.

#include "ops/array_testing.h"

#include <cmath>
#include <limits>

namespace flowray::testing {
namespace {

Array rows(const std::vector<int64_t>& numbers) { return Array::from(numbers, {std::ssize(numbers) / 2, 2}); }

/// Two steps of one sequence, whose probabilities of (label 0, label 1, blank) are these.
Array two_steps() {
  return Array::from(std::vector<double>{std::log(0.5), std::log(0.2), std::log(0.3), std::log(0.1),
                                         std::log(0.6), std::log(0.3)},
                     {2, 1, 3});
}

std::vector<Array> loss_of(const std::vector<int64_t>& places, const std::vector<int32_t>& labels,
                           int32_t length = 2) {
  return run_op_all("CTCLoss",
                    {two_steps(), rows(places), Array(labels), Array(std::vector<int32_t>{length})});
}

TEST(CTCLoss, SumsAllPathsOfTheLabels) {
  // 0 blank, blank 0, 0 0
  const double one = 0.5 * 0.3 + 0.3 * 0.1 + 0.5 * 0.1;
  expect_close(loss_of({0, 0}, {0})[0], Array(std::vector<double>{-std::log(one)}));
  expect_close(loss_of({0, 0, 0, 1}, {0, 1})[0], Array(std::vector<double>{-std::log(0.5 * 0.6)}));
  // Blanks, and numbers at the end of the labels that are not a class, say nothing.
  expect_close(loss_of({0, 0, 0, 1, 0, 2}, {0, 1, 2})[0], Array(std::vector<double>{-std::log(0.5 * 0.6)}));
  // A label that comes twice needs a blank between, for which there is no time.
  const auto none = loss_of({0, 0, 0, 1}, {0, 0});
  EXPECT_EQ(none[0], Array(std::vector<double>{std::numeric_limits<double>::infinity()}));
  check_gradient("CTCLoss",
                 {two_steps(), rows({0, 0}), Array(std::vector<int32_t>{0}), Array(std::vector<int32_t>{2})});
}

TEST(CTCLoss, RefusesWhatCannotBe) {
  EXPECT_THROW(loss_of({0, 0, 0, 1}, {2, 0}), errors::InvalidArgumentError);  // behind the blank
  EXPECT_THROW(loss_of({0, 0}, {-1}), errors::InvalidArgumentError);
  EXPECT_THROW(loss_of({1, 0}, {0}), errors::InvalidArgumentError);  // no such sequence
  EXPECT_THROW(loss_of({0, 0}, {0}, 3), errors::InvalidArgumentError);
  EXPECT_THROW(loss_of({}, {}), errors::InvalidArgumentError);
  EXPECT_THROW(loss_of({0, 0}, {0}, -1), errors::InvalidArgumentError);
  EXPECT_THROW(loss_of({0, 0, 0, 1}, {0, 1}, 1), errors::InvalidArgumentError);
}

TEST(CTCGreedyDecoder, TakesTheBestOfEachStep) {
  const auto out = run_op_all("CTCGreedyDecoder", {two_steps(), Array(std::vector<int32_t>{2})});
  EXPECT_EQ(out[0], rows({0, 0, 0, 1}));
  EXPECT_EQ(out[1], Array(std::vector<int64_t>{0, 1}));
  EXPECT_EQ(out[2], Array(std::vector<int64_t>{1, 2}));
  expect_close(out[3], Array::from(std::vector<double>{-std::log(0.5 * 0.6)}, {1, 1}));
}

TEST(CTCBeamSearchDecoder, FindsTheMostProbableLabels) {
  const auto out = run_op_all(
      "CTCBeamSearchDecoder", {two_steps(), Array(std::vector<int32_t>{2})},
      {.attrs = {{"beam_width", int64_t{9}}, {"top_paths", int64_t{1}}, {"merge_repeated", false}}});
  // "1" by 1 blank, blank 1 and 1 1: 0.06 + 0.18 + 0.12; "0 1": 0.3.
  EXPECT_EQ(out[1], Array(std::vector<int64_t>{1}));
  expect_close(out[3], Array::from(std::vector<double>{std::log(0.36)}, {1, 1}));
}

TEST(CTCBeamSearchDecoder, FindsAHundredThousandLabels) {
  // Each step has another one of two labels: the prefixes are a chain as long as the sequence.
  constexpr int32_t kSteps = 100'000;
  std::vector<float> inputs;
  for (int32_t t = 0; t < kSteps; ++t) {
    for (const float logit : {t % 2 == 0 ? 9.0f : 0.0f, t % 2 == 0 ? 0.0f : 9.0f, 0.0f})
      inputs.push_back(logit);
  }
  const auto out = run_op_all(
      "CTCBeamSearchDecoder", {Array::from(inputs, {kSteps, 1, 3}), Array(std::vector<int32_t>{kSteps})},
      {.attrs = {{"beam_width", int64_t{1}}, {"top_paths", int64_t{1}}, {"merge_repeated", false}}});
  ASSERT_EQ(out[1].shape(), Shape{kSteps});
  for (int64_t t = 0; t < kSteps; ++t) ASSERT_EQ(out[1].data<int64_t>()[t], t % 2);
}

TEST(CTCBeamSearchDecoder, LooksForItsWorstPrefixWithoutASearch) {
  // Two million prefixes want to be among 100,000: with a look at each of these, for each of those, this
  // would take many minutes.
  constexpr int32_t kSteps = 4;
  constexpr int64_t kClasses = 41;
  std::vector<float> inputs(static_cast<size_t>(kSteps * kClasses), 0);
  for (int64_t t = 0; t < kSteps; ++t) inputs[static_cast<size_t>(t * kClasses)] = 9;
  const auto out = run_op_all(
      "CTCBeamSearchDecoder",
      {Array::from(inputs, {kSteps, 1, kClasses}), Array(std::vector<int32_t>{kSteps})},
      {.attrs = {{"beam_width", int64_t{100'000}}, {"top_paths", int64_t{1}}, {"merge_repeated", false}}});
  EXPECT_EQ(out[1], Array(std::vector<int64_t>{0}));
}

}  // namespace
}  // namespace flowray::testing
