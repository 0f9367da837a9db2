// Functions whose op depends on their arguments make the nodes that TensorFlow's made of the same calls
// (tests/oracle/python_calls/own_code.py); tests/python/language/python_calls_test.py has all calls,
// from Python.
#include "support/golden_graph.h"
#include "support/listing_reader.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <complex>
#include <fstream>
#include <functional>
#include <map>

namespace flowray {
namespace {

/// Call: its nodes.
std::map<std::string, std::vector<std::string>> recorded_calls() {
  std::ifstream file(FLOWRAY_SOURCE_DIR "/tests/golden/python_calls/own_code.txt");
  std::map<std::string, std::vector<std::string>> calls;
  std::vector<std::string>* nodes = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("> ")) {
      nodes = &calls[line.substr(2)];
    } else if (!line.starts_with("=> ")) {
      nodes->push_back(line);
    }
  }
  return calls;
}

/// Placeholders that are named as in the calls.
tf::Tensor fed(DType dtype, const Shape& shape, const std::string& name) {
  return tf::placeholder(dtype, shape, {.name = name});
}
tf::Tensor f() { return fed(tf::float32, {3}, "f"); }
tf::Tensor g() { return fed(tf::float32, {3}, "g"); }
tf::Tensor m() { return fed(tf::float32, {3, 3}, "m"); }
tf::Tensor c() { return fed(tf::complex64, {3}, "c"); }
tf::Tensor t() { return fed(tf::string, {3}, "t"); }
tf::Tensor ints(const std::string& name) { return fed(tf::int32, {3}, name); }
tf::Tensor paddings() { return fed(tf::int32, {2, 2}, "paddings"); }

template <class T>
std::vector<T> numbers(const Array& array) {
  const auto elements = array.span<T>();
  return {elements.begin(), elements.end()};
}

struct Call {
  const char* text;
  /// How many placeholders it begins with.
  size_t fed;
  std::function<void()> make;
};

const Call kCalls[] = {
    {"tf.real(c)", 1, [] { tf::real(c()); }},
    {"tf.real(f)", 1, [] { tf::real(f()); }},
    {"tf.imag(c, name='given')", 1, [] { tf::imag(c(), {"given"}); }},
    {"tf.imag(f)", 1, [] { tf::imag(f()); }},
    {"tf.conj(c)", 1, [] { tf::conj(c()); }},
    {"tf.angle(f)", 1, [] { tf::angle(f()); }},
    {"tf.math.reciprocal_no_nan(f)", 1, [] { tf::math::reciprocal_no_nan(f()); }},
    {"tf.verify_tensor_all_finite(f, 'not finite')", 1,
     [] { tf::verify_tensor_all_finite(f(), "not finite"); }},
    {"tf.strings.regex_full_match(t, 'a.*')", 1, [] { tf::regex_full_match(t(), "a.*"); }},
    {"tf.strings.regex_full_match(t, pattern)", 2,
     [] {
       const tf::Tensor words = t();
       tf::regex_full_match(words, fed(tf::string, {}, "pattern"));
     }},
    {"tf.regex_replace(t, 'a', 'b')", 1, [] { tf::regex_replace(t(), "a", "b"); }},
    {"tf.reduce_join(t, 0, True, '-', name='given')", 1,
     [] { tf::reduce_join(t(), {.axis = 0, .keep_dims = true, .separator = "-", .name = "given"}); }},
    {"tf.strings.reduce_join(t)", 1, [] { tf::reduce_join(t()); }},
    {"tf.sparse.segment_mean(m, i, j)", 3,
     [] {
       const tf::Tensor data = m();
       const tf::Tensor indices = ints("i");
       tf::sparse_segment_mean(data, indices, ints("j"));
     }},
    {"tf.sparse_segment_sum(m, i, j, num_segments=3)", 3,
     [] {
       const tf::Tensor data = m();
       const tf::Tensor indices = ints("i");
       tf::sparse_segment_sum(data, indices, ints("j"), {.num_segments = 3});
     }},
    {"tf.signal.rfft(m, [5])", 1, [] { tf::signal::rfft(m(), {.fft_length = {5}}); }},
    {"tf.signal.irfft(c)", 1, [] { tf::signal::irfft(c()); }},
    {"tf.signal.rfft(unknown)", 1,
     [] { tf::signal::rfft(fed(tf::float32, Shape::unknown_rank(), "unknown")); }},
    {"tf.signal.irfft(unknown_waves)", 1,
     [] { tf::signal::irfft(fed(tf::complex64, {tf::None, tf::None}, "unknown_waves")); }},
    {"tf.svd(m, compute_uv=False)", 1, [] { EXPECT_EQ(tf::svd(m(), {.compute_uv = false}).size(), 1U); }},
    {"tf.cholesky_solve(m, n)", 2,
     [] {
       const tf::Tensor chol = m();
       tf::cholesky_solve(chol, fed(tf::float32, {3, 3}, "n"));
     }},
    {"tf.linalg.logdet(m)", 1, [] { tf::linalg::logdet(m()); }},
    {"tf.searchsorted(f, g, 'right')", 2,
     [] {
       const tf::Tensor sequence = f();
       tf::searchsorted(sequence, g(), {.side = "right"});
     }},
    {"tf.bincount(i)", 1, [] { tf::bincount(ints("i")); }},
    {"tf.space_to_batch(images, paddings, 2)", 2,
     [] {
       const tf::Tensor images = fed(tf::float32, {1, 4, 4, 3}, "images");
       tf::space_to_batch(images, paddings(), 2);
     }},
    {"tf.batch_to_space(batches, paddings, 2)", 2,
     [] {
       const tf::Tensor batches = fed(tf::float32, {4, 4, 4, 3}, "batches");
       tf::batch_to_space(batches, paddings(), 2);
     }},
    {"tf.nn.fused_batch_norm(images, depths, shifts)", 3,
     [] {
       const tf::Tensor images = fed(tf::float32, {1, 4, 4, 3}, "images");
       const tf::Tensor depths = fed(tf::float32, {3}, "depths");
       tf::nn::fused_batch_norm(images, depths, fed(tf::float32, {3}, "shifts"));
     }},
};

TEST(FunctionsByArguments, MakeTheNodesThatTensorFlowMakes) {
  const auto recorded = recorded_calls();
  for (const Call& call : kCalls) {
    SCOPED_TRACE(call.text);
    const auto expected = recorded.find(call.text);
    ASSERT_NE(expected, recorded.end());
    const tf::Graph graph;
    const auto scope = graph.as_default();
    call.make();
    std::vector<std::string> nodes = testing::lines_of(graph.to_string());
    ASSERT_GE(nodes.size(), call.fed);
    nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(call.fed));
    EXPECT_EQ(nodes, expected->second);
  }
}

TEST(FunctionsByArguments, RefuseWhatTensorFlowRefuses) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_THROW(tf::searchsorted(f(), g(), {.side = "middle"}), ValueError);
  EXPECT_THROW(tf::signal::rfft(ints("i")), ValueError);
  EXPECT_THROW(tf::signal::irfft(std::complex<float>(5, 0)), ValueError);
  EXPECT_THROW(tf::signal::rfft2d(f()), ValueError);
  EXPECT_THROW(tf::conj(fed(tf::boolean, {3}, "flags")), TypeError);
  EXPECT_THROW(
      tf::nn::fused_batch_norm(fed(tf::float32, {1, 4, 4, 3}, "images"), f(), g(), {.is_training = false}),
      ValueError);
}

TEST(FunctionsByArguments, GiveTheNumbersOfTheirNames) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor signal = tf::constant({1.0F, 2.0F, 0.0F, 1.0F});
  const tf::Tensor again = tf::signal::irfft(tf::signal::rfft(signal));
  const tf::Tensor places = tf::searchsorted({1, 3, 5}, {0, 3, 9});
  const tf::Tensor counts = tf::bincount({1, 1, 3});
  const tf::Tensor inverse = tf::math::reciprocal_no_nan({0.0F, 4.0F});
  tf::Session session;
  EXPECT_EQ(numbers<int32_t>(session.run(places)), (std::vector<int32_t>{0, 1, 3}));
  EXPECT_EQ(numbers<int32_t>(session.run(counts)), (std::vector<int32_t>{0, 2, 0, 1}));
  EXPECT_EQ(numbers<float>(session.run(inverse)), (std::vector<float>{0, 0.25F}));
  const auto values = numbers<float>(session.run(again));
  ASSERT_EQ(values.size(), 4U);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(values[i], (std::vector<float>{1, 2, 0, 1})[i], 1e-6);
}

}  // namespace
}  // namespace flowray
