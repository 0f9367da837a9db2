// Which candidates are drawn is compared with TensorFlow in GoldenOps; here errors, in its words.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(Candidates, HaveTrueClassesWithinTheRange) {
  const graph::Attrs attrs = {
      {"num_true", int64_t{2}}, {"num_sampled", int64_t{2}}, {"unique", true}, {"range_max", int64_t{3}}};
  for (const char* op : {"UniformCandidateSampler", "LogUniformCandidateSampler"}) {
    for (const int64_t outside : {int64_t{3}, int64_t{-1}}) {
      expect_run_error("`true_candidate` out of range [0, 3), received " + std::to_string(outside), op,
                       {Array::from(std::vector<int64_t>{2, outside}, {1, 2})}, attrs);
    }
  }
}

TEST(Candidates, AreDrawnForAMatrixOfClasses) {
  const graph::Attrs attrs = {
      {"num_true", int64_t{1}}, {"num_sampled", int64_t{2}}, {"unique", true}, {"range_max", int64_t{3}}};
  expect_run_error("true_classes must be a matrix", "UniformCandidateSampler",
                   {Array(std::vector<int64_t>{2})}, attrs);
}

TEST(Candidates, AreRefusedWhereThereAreTooFew) {
  const Array classes = Array::from(std::vector<int64_t>{1}, {1, 1});
  const graph::Attrs attrs = {
      {"num_true", int64_t{1}}, {"num_sampled", int64_t{5}}, {"unique", true}, {"range_max", int64_t{3}}};
  expect_run_error("Sampler's range is too small.\n", "UniformCandidateSampler", {classes}, attrs);
}

TEST(Candidates, AreDrawnFromTheGreatestRange) {
  const graph::Attrs attrs = {{"num_true", int64_t{1}}, {"num_sampled", int64_t{3}}, {"unique", false},
                              {"range_max", INT64_MAX}, {"seed", int64_t{1}},        {"seed2", int64_t{2}}};
  const Array classes = Array::from(std::vector<int64_t>{0}, {1, 1});
  // TensorFlow's.
  EXPECT_EQ(run_op("LogUniformCandidateSampler", {classes}, attrs),
            Array(std::vector<int64_t>{58008, 253868563, 433437}));
}

}  // namespace
}  // namespace flowray::testing
