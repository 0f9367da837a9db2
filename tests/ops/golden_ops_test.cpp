#include "support/golden_op_case.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <set>
#include <string>

namespace flowray::testing {
namespace {

constexpr const char* kFamilies[] = {"activations",
                                     "argmaxes",
                                     "arrangements",
                                     "assignments",
                                     "batch_norms",
                                     "batched_matmuls",
                                     "biases",
                                     "binary_float",
                                     "binary_int",
                                     "binary_special",
                                     "bitcasts",
                                     "bits",
                                     "candidates",
                                     "casts",
                                     "comparisons",
                                     "concats",
                                     "conv2d",
                                     "conv2d_backprop_filter",
                                     "conv2d_backprop_input",
                                     "coordinates",
                                     "cross_entropies",
                                     "decompositions",
                                     "depthwise_convolutions",
                                     "diagonals",
                                     "einsums",
                                     "fills",
                                     "gamma_and_poisson",
                                     "forgiving_products",
                                     "further_optimizer_steps",
                                     "gamma_functions",
                                     "gathers",
                                     "gradient_shapes",
                                     "inverse_hyperbolic",
                                     "l2_losses",
                                     "large_sums",
                                     "local_responses",
                                     "logic",
                                     "matmuls",
                                     "matrix_diagonals",
                                     "mirrors",
                                     "narrow_types",
                                     "normal_and_bessel",
                                     "old_batch_norms",
                                     "one_hots",
                                     "optimizer_steps",
                                     "pooling",
                                     "pooling_gradients",
                                     "powers",
                                     "random_floats",
                                     "random_half_floats",
                                     "random_ints",
                                     "random_others",
                                     "reductions_float",
                                     "reductions_int",
                                     "reshapes",
                                     "resizes",
                                     "reversed_sequences",
                                     "scatters",
                                     "selection",
                                     "shapes",
                                     "slices",
                                     "softmaxes",
                                     "sorted_segments",
                                     "space_to_batches",
                                     "sparse_optimizer_steps",
                                     "sparse_products",
                                     "sparse_segments",
                                     "splits",
                                     "strided_slice_gradients",
                                     "strided_slices",
                                     "sums_of_many",
                                     "tiles",
                                     "top_ks",
                                     "transposes",
                                     "triangular_solves",
                                     "typed_matmuls",
                                     "unary_float",
                                     "unary_gradients",
                                     "unary_other",
                                     "uniques",
                                     "unsorted_segments"};

TEST(GoldenOpFamilies, AreAllListedHere) {
  std::set<std::string> listed(std::begin(kFamilies), std::end(kFamilies));
  std::set<std::string> recorded;
  const std::string folder = std::string(FLOWRAY_SOURCE_DIR) + "/tests/golden/ops";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") recorded.insert(entry.path().stem().string());
  }
  EXPECT_EQ(listed, recorded);
}

class GoldenOps : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenOps, AgreeWithTensorFlow) {
  int ran = 0;
  int left_out = 0;
  for (const GoldenOpCase& test : read_golden_ops(GetParam())) {
    if (run_golden_op(test)) {
      ++ran;
    } else {
      ++left_out;
    }
    if (HasFailure()) break;  // the first case says enough
  }
  RecordProperty("ran", ran);
  RecordProperty("left_out", left_out);
  if (ran == 0) GTEST_SKIP() << "none of the " << left_out << " cases has its op and kernel yet";
}

INSTANTIATE_TEST_SUITE_P(All, GoldenOps, ::testing::ValuesIn(kFamilies),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace flowray::testing
