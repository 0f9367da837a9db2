// tests/python/programs/spectra_of_sounds.py compares more with TensorFlow's; here what C++ offers alone.
#include <flowray/tf/array.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/signal.h>

#include "support/op_runner.h"

#include <gtest/gtest.h>

namespace flowray {
namespace {

using testing::expect_close;

/// A new default graph for each test.
class Frames : public ::testing::Test {
 protected:
  static Array value_of(const tf::Tensor& tensor, const tf::FeedDict& feeds = {}) {
    tf::Session session;
    return session.run(tensor, feeds);
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
};
using MatrixFunctions = Frames;

TEST_F(Frames, AreWindowsOfASignal) {
  const auto x = tf::constant({1, 2, 3, 4, 5});
  EXPECT_EQ(value_of(tf::signal::frame(x, 3, 2)), Array({{1, 2, 3}, {3, 4, 5}}));
  EXPECT_EQ(value_of(tf::signal::frame(x, 3, 2, {.pad_end = true, .pad_value = 9})),
            Array({{1, 2, 3}, {3, 4, 5}, {5, 9, 9}}));
  auto unknown = tf::placeholder(tf::float32, {tf::None});
  const tf::Tensor added = tf::signal::overlap_and_add(tf::signal::frame(unknown, 2, 1), 1);
  EXPECT_EQ(value_of(added, {{unknown, Array({1.f, 2.f, 3.f})}}), Array({1.f, 4.f, 3.f}));
  EXPECT_THROW((void)tf::signal::frame(x, 0, 1), tf::ValueError);
}

TEST_F(Frames, ComeBackFromTheirSpectra) {
  const auto x = tf::constant({1.0, -2.0, 0.5, 3.0, 4.0, 1.0, 0.0, 2.0});
  const tf::Tensor spectra = tf::signal::stft(x, 4, 2, {.window_fn = nullptr});
  const tf::Tensor again = tf::signal::inverse_stft(
      spectra, 4, 2, {.window_fn = tf::signal::inverse_stft_window_fn(2, [](int64_t length, DType dtype) {
                        return tf::ones({static_cast<int>(length)}, dtype);
                      })});
  // The window halves what two frames cover, and so the ends, too, which one does.
  expect_close(value_of(again), Array({0.5f, -1.f, 0.5f, 3.f, 4.f, 1.f, 0.f, 1.f}), 1e-5);
  EXPECT_THROW((void)tf::signal::inverse_stft(spectra, 4, 2, {.pad_end = true}), tf::ValueError);
}

TEST_F(Frames, ComeBackFromTheirCosineTransforms) {
  const auto x = tf::constant({{1.0, -2.0, 0.5, 3.0}});
  const auto back = [&](int64_t type, const std::string& norm) {
    return value_of(
        tf::signal::idct(tf::signal::dct(x, {.type = type, .norm = norm}), {.type = type, .norm = norm}));
  };
  for (const int64_t type : {2, 3, 4}) {
    expect_close(back(type, "ortho"), value_of(x), 1e-5);
    expect_close(back(type, ""), value_of(8.0f * x), 1e-4);
  }
  EXPECT_THROW((void)tf::signal::dct(x, {.norm = "no"}), tf::ValueError);
}

TEST_F(MatrixFunctions, GoByFactors) {
  const auto a = tf::constant({{0.0, 2.0}, {1.0, 1.0}});
  const auto [factors, order] = tf::linalg::lu(a);
  EXPECT_EQ(value_of(order), Array({1, 0}));
  EXPECT_EQ(value_of(factors), Array({{1.f, 1.f}, {0.f, 2.f}}));
  EXPECT_EQ(value_of(tf::linalg::lu_reconstruct(factors, order)), value_of(a));
  EXPECT_EQ(value_of(tf::linalg::lu_solve(factors, order, {{2.0}, {3.0}})), Array({{2.f}, {1.f}}));
  expect_close(value_of(tf::linalg::pinv({{2.0}, {0.0}})), Array({{0.5f, 0.f}}), 1e-6);
  // exp of a matrix whose square is zero is 1 + it.
  expect_close(value_of(tf::linalg::expm({{0.0, 30.0}, {0.0, 0.0}})), Array({{1.f, 30.f}, {0.f, 1.f}}), 1e-4);
  EXPECT_EQ(value_of(tf::linalg::tridiagonal_matmul({tf::constant({{1, 0}, {2, 3}, {0, 4}})}, {{1}, {1}})),
            Array({{3}, {7}}));
}

}  // namespace
}  // namespace flowray
