// Tables, accumulators, images and damaged files: what has to end in an error, and who may go on when. The
// values are compared with TensorFlow's in tests/interop.

#include "files/jpeg.h"
#include "files/png.h"
#include "ops/accumulator.h"
#include "ops/array_testing.h"
#include "ops/lookup_table.h"

#include <optional>

namespace flowray::testing {
namespace {

std::vector<uint8_t> ramp(int count) {
  std::vector<uint8_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i * 7);
  return values;
}

/// Every prefix and every flipped bit of `file` is either read or refused.
template <class Decode>
int count_refused(const std::string& file, Decode decode) {
  int refused = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    if (!decode(file.substr(0, i))) ++refused;
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    if (!decode(damaged)) ++refused;
  }
  return refused;
}

TEST(Png, ComesBackAndSurvivesEveryDamage) {
  const std::vector<uint8_t> pixels = ramp(5 * 4 * 3);
  const std::string file = files::encode_png(pixels, 5, 4, 3);
  const auto image = files::decode_png(file, 0, 8);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->bytes, pixels);
  EXPECT_EQ(image->channels, 3);
  EXPECT_GT(
      count_refused(file,
                    [](const std::string& damaged) { return files::decode_png(damaged, 4, 16).has_value(); }),
      static_cast<int>(file.size()));
}

TEST(Jpeg, SurvivesEveryDamage) {
  const auto file = files::encode_jpeg(ramp(16 * 16 * 3), 16, 16, 3, {});
  ASSERT_TRUE(file.has_value());
  const auto image = files::decode_jpeg(*file, {});
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->height, 16);
  EXPECT_GT(
      count_refused(*file,
                    [](const std::string& damaged) { return files::decode_jpeg(damaged, {}).has_value(); }),
      static_cast<int>(file->size()) - 3);
}

TEST(Accumulator, GivesTheMeanWhenThereAreEnough) {
  ops::DenseAccumulator accumulator("a", {DType::kFloat32, Shape{2}, true});
  std::optional<ops::TakenGradient> taken;
  accumulator.take(2, [&](ops::TakenGradient gradient) { taken = std::move(gradient); });
  accumulator.apply(0, {Array({1.f, 2.f})});
  EXPECT_FALSE(taken.has_value());
  accumulator.apply(0, {Array({3.f, 6.f})});
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->outputs[0], Array({2.f, 4.f}));
  accumulator.apply(0, {Array({9.f, 9.f})});  // of a step that is over
  EXPECT_EQ(accumulator.num_accumulated(), 0);
  EXPECT_THROW(accumulator.apply(1, {Array({1.f})}), errors::InvalidArgumentError);
  std::optional<ops::TakenGradient> given_up;
  accumulator.cancel(
      accumulator.take(1, [&](ops::TakenGradient gradient) { given_up = std::move(gradient); }));
  ASSERT_TRUE(given_up.has_value());
  EXPECT_EQ(given_up->code, Code::kCancelled);
}

TEST(LookupTable, ForgetsWhatIsRemoved) {
  ops::LookupTable table("t", {DType::kInt64, DType::kString, true});
  table.insert(Array(std::vector<int64_t>{1, 2, 3}), Array(std::vector<std::string>{"a", "b", "c"}));
  table.remove(Array(std::vector<int64_t>{1, 9}));
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.find(Array(std::vector<int64_t>{1, 3}), Array("none")),
            Array(std::vector<std::string>{"none", "c"}));
  ops::LookupTable fixed("f", {DType::kInt64, DType::kString, false});
  EXPECT_THROW(fixed.find(Array(int64_t{1}), Array("")), errors::FailedPreconditionError);
}

}  // namespace
}  // namespace flowray::testing
