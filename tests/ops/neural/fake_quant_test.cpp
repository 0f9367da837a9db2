// Numbers are TensorFlow 2.21's where they are not plain to see.
#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

const Array kNumbers({-7.f, -1.f, 0.01f, 0.02f, 0.03f, 3.f, 7.f});

TEST(FakeQuant, RoundsToSteps) {
  expect_close(run_op("FakeQuantWithMinMaxArgs", {kNumbers}),
               Array({-6.0235295f, -.9882353f, 0.f, 0.f, .04705882f, 3.0117648f, 5.9764705f}), 1e-6, 1e-7);
  // The range 0.1 to 0.9 becomes 0 to 0.8.
  expect_close(run_op("FakeQuantWithMinMaxArgs", {kNumbers},
                      {{"min", .1f}, {"max", .9f}, {"num_bits", int64_t{2}}, {"narrow_range", true}}),
               Array({0.f, 0.f, 0.f, 0.f, 0.f, .8f, .8f}), 1e-6, 1e-7);
  EXPECT_EQ(run_op("FakeQuantWithMinMaxVars", {kNumbers, Array(0.f), Array(0.f)}), zeros({7}));
  EXPECT_EQ(run_op("FakeQuantWithMinMaxVars", {zeros({0, 2}), Array(-1.f), Array(1.f)}), zeros({0, 2}));
  const Array by_channel = run_op("FakeQuantWithMinMaxVarsPerChannel",
                                  {Array({{9.f, 9.f}, {-9.f, -9.f}}), Array({0.f, -1.f}), Array({3.f, 0.f})},
                                  {{"num_bits", int64_t{2}}});
  expect_close(by_channel, Array({{3.f, 0.f}, {0.f, -1.f}}), 1e-6, 1e-6);
}

TEST(FakeQuant, PassesGradientsInTheRange) {
  const Array gradient({1.f, 2.f, 4.f, 8.f, 16.f, 32.f, 64.f});
  EXPECT_EQ(run_op("FakeQuantWithMinMaxArgsGradient", {gradient, kNumbers}),
            Array({0.f, 2.f, 4.f, 8.f, 16.f, 32.f, 0.f}));
  const std::vector<Array> parts =
      run_op_all("FakeQuantWithMinMaxVarsGradient", {gradient, kNumbers, Array(-6.f), Array(2.f)});
  EXPECT_EQ(parts[0], Array({0.f, 2.f, 4.f, 8.f, 16.f, 0.f, 0.f}));
  EXPECT_EQ(parts[1], Array(1.f));
  EXPECT_EQ(parts[2], Array(96.f));
}

TEST(FakeQuant, RefusesRangesThatAreNone) {
  expect_run_error("num_bits must be between 2 and 16, inclusive", "FakeQuantWithMinMaxVars",
                   {kNumbers, Array(0.f), Array(1.f)}, {{"num_bits", int64_t{1}}});
  expect_run_error("min has to be smaller than max, was: 2 >= 1", "FakeQuantWithMinMaxArgs", {kNumbers},
                   {{"min", 2.f}, {"max", 1.f}});
  expect_run_error("`min` must be rank 0 but is rank 1", "FakeQuantWithMinMaxVars",
                   {kNumbers, Array({2.f}), Array(1.f)});
  expect_run_error("max has incorrect size, expected 2 was 1", "FakeQuantWithMinMaxVarsPerChannel",
                   {zeros({2, 2}), Array({0.f, 1.f}), Array({1.f})});
}

}  // namespace
}  // namespace flowray::testing
