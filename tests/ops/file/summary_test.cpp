// Summary ops: the same bytes as TensorFlow's (tests/golden/summaries.txt, by
// tests/oracle/record_summaries.py, which has the same cases), and its errors.

#include <fstream>
#include <limits>
#include <map>

#include "ops/array_testing.h"
#include "support/hexadecimal.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using Strings = std::vector<std::string>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Array array(const std::vector<T>& values, const Shape& shape) {
  return Array::from(values, shape);
}

/// As numpy.linspace.
Array spread(double from, double to, const Shape& shape, DType dtype) {
  std::vector<double> values;
  const auto count = static_cast<double>(shape.num_elements());
  for (double i = 0; i < count; ++i) values.push_back(from + i * ((to - from) / (count - 1)));
  return array(values, shape).astype(dtype);
}

Array scalar(const Array& tag, const Array& value) { return run_op("ScalarSummary", {tag, value}); }
Array histogram(const Array& values) { return run_op("HistogramSummary", {Array("h"), values}); }
Array image(const Array& pixels, const Attrs& attrs = {}) {
  return run_op("ImageSummary", {Array("i"), pixels}, attrs);
}
Array tensor(const Array& value, const std::string& metadata) {
  return run_op("TensorSummaryV2", {Array("t"), value, Array(metadata)});
}
Array audio(const Array& samples, float rate, int64_t max_outputs) {
  return run_op("AudioSummaryV2", {Array("a"), samples, Array(rate)}, {{"max_outputs", max_outputs}});
}

/// SummaryMetadata with plugin_name "text" and content 00 ff.
const std::string kText("\x0a\x0a\x0a\x04text\x12\x02\0\xff", 12);
const std::vector<float> kSound = {0, 0.5f, -0.5f, 1, -1, 2, 1e-5f};

Array pixels() { return array<float>({-1, 0.5f, 1, kNan}, {1, 2, 2, 1}); }
Array positive_pixels() { return array<float>({3, 1.5f, 3, kNan}, {1, 2, 2, 1}); }

/// The node must be called "node".
Array tensor_of_node() {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const graph::Endpoint value = builder.constant(array<float>({1, 2}, {2}));
  const Attrs attrs = {{"description", std::string("d")}, {"labels", Strings{"l"}}};
  return Interpreter().run(builder.op("TensorSummary", {value}, attrs, "node"), {});
}

Array sound_in_stereo() {
  std::vector<float> samples;
  for (const float sample : kSound) samples.insert(samples.end(), 2, sample);
  return array(samples, {1, 7, 2});
}

std::map<std::string, Array> cases() {
  const Array a("a");
  return {
      {"scalar", scalar(a, Array(1.5f))},
      {"scalar_zero", scalar(a, Array(0.f))},
      {"scalar_double", scalar(a, Array(0.1))},
      {"scalar_half", scalar(a, Array(float16(1.5f)))},
      {"scalars", scalar(Array(Strings{"a", "b"}), Array(std::vector<int64_t>{1, -2}))},
      {"histogram", histogram(Array(std::vector<float>{1, 2, -3, 0, 1e-20f, 1e30f, -1e-15f, 1}))},
      {"histogram_ints", histogram(Array(std::vector<int32_t>{1, 2, 3, 100}))},
      {"histogram_half", histogram(Array(std::vector<bfloat16>{bfloat16(0.5f), bfloat16(-0.5f)}))},
      {"histogram_empty", histogram(Array(std::vector<float>{}))},
      {"merge",
       run_op("MergeSummary", {scalar(a, Array(1.f)),
                               Array(Strings{scalar(Array("b"), Array(2.f)).item<std::string>(),
                                             histogram(Array(std::vector<float>{3})).item<std::string>()})})},
      {"tensor", tensor(array<float>({1, 2, 3, 4}, {2, 2}), kText)},
      {"tensor_strings", tensor(Array(Strings{"a", ""}), kText)},
      {"tensor_bad_metadata", tensor(Array(std::vector<int32_t>{1, 1}), "\xff")},
      {"tensor_of_node", tensor_of_node()},
      {"image", image(pixels())},
      {"image_positive", image(positive_pixels(), {{"max_images", int64_t{1}}})},
      {"image_bytes", image(counting<uint8_t>({2, 2, 3, 4}))},
      {"images", image(spread(-2, 1, {5, 2, 3, 3}, DType::kFloat32), {{"max_images", int64_t{2}}})},
      {"image_half", image(spread(-1, 1, {1, 2, 3, 1}, DType::kFloat16))},
      {"image_double", image(spread(-1, 1, {1, 2, 3, 1}, DType::kFloat64))},
      {"image_double_below_a_byte", image(array<double>({3, 208.0 / 85 - 1e-9}, {1, 1, 2, 1}))},
      {"image_zero", image(zeros({1, 2, 2, 1}))},
      {"image_bad_color", image(pixels(), {{"bad_color", Array(std::vector<uint8_t>{7})}})},
      {"audio", audio(array(kSound, {1, 7}), 16000, 1)},
      {"audio_stereo", audio(sound_in_stereo(), 8000.6f, 3)},
  };
}

TEST(Summary, IsTensorFlowsByteByByte) {
  std::ifstream golden(FLOWRAY_SOURCE_DIR "/tests/golden/summaries.txt");
  std::map<std::string, Array> ours = cases();
  std::string name;
  std::string bytes;
  while (golden >> name >> bytes) {
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_EQ(to_hexadecimal(ours[name].item<std::string>()), bytes) << name;
    EXPECT_EQ(ours[name].rank(), 0) << name;
    ours.erase(name);
  }
  EXPECT_TRUE(ours.empty()) << ours.begin()->first << " was not recorded";
}

TEST(Summary, OfAScalarSaysWhatDoesNotFit) {
  const Array one(std::vector<float>{1});
  expect_run_error("tags and values are not the same shape: [2] != [1]\n", "ScalarSummary",
                   {Array(Strings{"a", "b"}), one});
  expect_run_error("tags and values are not the same shape: [1] != [] (tag 'a')\n", "ScalarSummary",
                   {Array(Strings{"a"}), Array(1.f)});
  expect_run_error("tags and values are not the same shape: [] != [1] (tag 'a')\n", "ScalarSummary",
                   {Array("a"), one});
}

TEST(Summary, OfAHistogramRefusesWhatHasNoPlace) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  expect_run_error("Nan in summary histogram for: ", "HistogramSummary",
                   {Array("h"), Array(std::vector<float>{1, kNan})});
  expect_run_error("Infinity in Histogram for: ", "HistogramSummary", {Array("h"), Array(-kInfinity)});
  expect_run_error("tags must be scalar", "HistogramSummary", {Array(Strings{"h"}), Array(1.f)});
}

TEST(Summary, OfOthersRefusesATagTwice) {
  const Array a = scalar(Array("a"), Array(1.f));
  expect_run_error("Duplicate tag a found in summary inputs ", "MergeSummary", {a, a});
  expect_run_error("Could not parse one of the summary inputs", "MergeSummary", {a, Array("\xff\xff")});
  EXPECT_EQ(run_op("MergeSummary", {a, Array("")}), a);
}

TEST(Summary, OfATensorWantsScalars) {
  expect_run_error("tag must be scalar", "TensorSummaryV2", {Array(Strings{"t"}), Array(1), Array("")});
  expect_run_error("serialized_summary_metadata must be scalar", "TensorSummaryV2",
                   {Array("t"), Array(1), Array(Strings{""})});
}

TEST(Summary, OfAnImageSaysWhatIsNone) {
  const auto image_error = [](const std::string& text, const Array& tag, const Array& tensor,
                              const Attrs& attrs = {}) {
    expect_run_error(text, "ImageSummary", {tag, tensor}, attrs);
  };
  const Array tag("i");
  image_error("Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,2,2]", tag, zeros({1, 2, 2, 2}));
  image_error("Tensor must be 4-D with last dim 1, 3, or 4, not [2,2]", tag, zeros({2, 2}));
  image_error("input tensor must have non-zero dims. Found: [1, 0, 2, 1].", tag, zeros({1, 0, 2, 1}));
  image_error("Tags must be a scalar", Array(Strings{"i"}), pixels());
  image_error("expected depth <= bad_color.size, got depth = 3, bad_color.size = 1", tag, zeros({1, 1, 1, 3}),
              {{"bad_color", Array(std::vector<uint8_t>{7})}});
  EXPECT_EQ(image(zeros({0, 2, 2, 1})), Array(""));
}

TEST(Summary, OfASoundSaysWhatIsNone) {
  const auto audio_error = [](const std::string& text, const Array& tensor, float rate) {
    expect_run_error(text, "AudioSummaryV2", {Array("a"), tensor, Array(rate)});
  };
  audio_error("Tensor must be 3-D or 2-D, got: [7]", zeros({7}), 16000);
  audio_error("sample_rate must be > 0", zeros({1, 7}), -3);
  expect_run_error("Tag must be a scalar", "AudioSummaryV2",
                   {Array(Strings{"a"}), zeros({1, 7}), Array(1.f)});
}

TEST(ImageSummary, CountsPixelsInInts) {
  expect_run_error("Tensor too large for summary [0,1099511627776,1024,3]", "ImageSummary",
                   {Array("i"), Array(DType::kFloat32, {0, int64_t{1} << 40, 1024, 3})});
}

TEST(ImageSummary, OfNumbersTooSmallToStretchIsBlack) {
  // 255 / 1e-5 is not a float16.
  const Array faint = Array::full(DType::kFloat16, {1, 1, 1, 1}, 1e-5);
  EXPECT_EQ(image(faint).shape(), Shape());
}

}  // namespace
}  // namespace flowray::testing
