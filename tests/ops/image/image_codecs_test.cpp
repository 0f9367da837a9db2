// Tables, accumulators, images and damaged files: what has to end in an error, and which op may go on when.
// The values are compared with TensorFlow's in tests/interop.

#include "files/bmp.h"
#include "files/gif.h"
#include "files/jpeg.h"
#include "files/png.h"
#include "ops/array_testing.h"
#include "ops/queues/accumulator.h"
#include "ops/queues/lookup_table.h"

#include <optional>
#include <span>

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

/// Two frames of 2 x 2 pixels of four colors, the color 1 transparent: 0 1 2 3 and 1 1 0 0.
std::string small_gif() {
  constexpr uint8_t kHead[] = {'G', 'I', 'F', '8', '9', 'a', 2,  0,  2,  0,   0x81, 0,  0,
                               10,  20,  30,  40,  50,  60,  70, 80, 90, 100, 110,  120};
  constexpr uint8_t kFrame[] = {0x21, 0xf9, 4, 1, 0, 0, 1, 0, 0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3};
  constexpr uint8_t kFirst[] = {0x44, 0xa8, 0x15, 0};
  constexpr uint8_t kSecond[] = {0x4c, 0x08, 0x14, 0, 0x3b};
  std::string file(std::begin(kHead), std::end(kHead));
  for (const std::span<const uint8_t> part :
       {std::span<const uint8_t>(kFrame), std::span<const uint8_t>(kFirst), std::span<const uint8_t>(kFrame),
        std::span<const uint8_t>(kSecond)}) {
    file.append(part.begin(), part.end());
  }
  return file;
}

TEST(Gif, ShowsThePixelsUnderTransparentOnes) {
  std::string reason;
  const auto animation = files::decode_gif(small_gif(), files::GifFrames::kAll, reason);
  ASSERT_TRUE(animation.has_value()) << reason;
  EXPECT_EQ(animation->frames, 2);
  EXPECT_EQ(animation->image.height, 2);
  EXPECT_EQ(animation->image.bytes, (std::vector<uint8_t>{10, 20, 30, 0, 0, 0, 70, 80, 90, 100, 110, 120,  //
                                                          10, 20, 30, 0, 0, 0, 10, 20, 30, 10,  20,  30}));
  const auto first = files::decode_gif(small_gif(), files::GifFrames::kFirst, reason);
  EXPECT_EQ(first->image.bytes.size(), 12u);
  const auto only = files::decode_gif(small_gif(), files::GifFrames::kOnly, reason);
  EXPECT_EQ(only->frames, 2);
  EXPECT_TRUE(only->image.bytes.empty());
}

TEST(Gif, SurvivesEveryDamage) {
  const std::string file = small_gif();
  EXPECT_GT(count_refused(file,
                          [](const std::string& damaged) {
                            std::string reason;
                            return files::decode_gif(damaged, files::GifFrames::kAll, reason).has_value();
                          }),
            49);  // every beginning without the first frame
}

TEST(Gif, AFrameLargerThanAnyImageIsRefused) {
  std::string file = small_gif();
  constexpr size_t kWidth = 25 + 8 + 5;
  file[kWidth + 1] = file[kWidth + 3] = '\x7f';  // 32514 x 32514, in a few bytes
  std::string reason;
  EXPECT_FALSE(files::decode_gif(file, files::GifFrames::kAll, reason).has_value());
  EXPECT_EQ(reason, "failed to slurp gif file: Unknown error");
}

std::string small_bmp(int8_t height, int bits, const std::vector<uint8_t>& pixels) {
  std::string file(54, '\0');
  file.replace(0, 2, "BM");
  file[10] = 54;  // where the pixels begin
  file[18] = 2;   // width
  for (size_t i = 22; i < 26; ++i) file[i] = static_cast<char>(height < 0 ? -1 : 0);
  file[22] = static_cast<char>(height);
  file[28] = static_cast<char>(bits);
  return file.append(pixels.begin(), pixels.end());
}

std::vector<uint8_t> bmp_pixels(const std::string& file, int channels) {
  std::string reason;
  const auto image = files::decode_bmp(file, channels, reason);
  return image ? image->bytes : std::vector<uint8_t>();
}

TEST(Bmp, RowsEndAtMultiplesOfFourAndGoUpwards) {
  EXPECT_EQ(bmp_pixels(small_bmp(2, 8, {1, 2, 0, 0, 3, 4, 0, 0}), 0), (std::vector<uint8_t>{3, 4, 1, 2}));
  EXPECT_EQ(bmp_pixels(small_bmp(-2, 8, {1, 2, 0, 0, 3, 4, 0, 0}), 0), (std::vector<uint8_t>{1, 2, 3, 4}));
  const std::string colors = small_bmp(1, 24, {1, 2, 3, 4, 5, 6, 0, 0});
  EXPECT_EQ(bmp_pixels(colors, 0), (std::vector<uint8_t>{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(bmp_pixels(colors, 4), (std::vector<uint8_t>{3, 2, 1, 255, 6, 5, 4, 255}));
  const std::string transparent = small_bmp(1, 32, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(bmp_pixels(transparent, 0), (std::vector<uint8_t>{3, 2, 1, 4, 7, 6, 5, 8}));
  EXPECT_EQ(bmp_pixels(transparent, 3), (std::vector<uint8_t>{3, 2, 1, 7, 6, 5}));
  EXPECT_EQ(bmp_pixels(small_bmp(1, 8, {9, 8, 0, 0}), 4), (std::vector<uint8_t>{9, 9, 9, 255, 8, 8, 8, 255}));
}

TEST(Bmp, SurvivesEveryDamage) {
  const std::string file = small_bmp(2, 24, ramp(16));
  EXPECT_GT(count_refused(file,
                          [](const std::string& damaged) {
                            std::string reason;
                            return files::decode_bmp(damaged, 4, reason).has_value();
                          }),
            static_cast<int>(file.size()) - 1);
  std::string huge = file;
  huge.replace(18, 8, "\xff\xff\xff\x7f\xff\xff\xff\x7f", 8);
  EXPECT_TRUE(bmp_pixels(huge, 0).empty());
  huge.replace(22, 4, "\x00\x00\x00\x80", 4);  // a height that has no positive
  EXPECT_TRUE(bmp_pixels(huge, 0).empty());
}

TEST(Jpeg, AWindowOfItIsTheSamePart) {
  const auto file = files::encode_jpeg(ramp(40 * 36), 40, 36, 1, {});
  const auto whole = files::decode_jpeg(*file, {});
  const auto part = files::decode_jpeg(*file, {.window = files::Window{5, 17, 20, 3}});
  ASSERT_TRUE(whole.has_value() && part.has_value());
  EXPECT_EQ(part->height, 20);
  EXPECT_EQ(part->width, 3);
  for (size_t y = 0; y < 20; ++y) {
    for (size_t x = 0; x < 3; ++x) ASSERT_EQ(part->bytes[y * 3 + x], whole->bytes[(y + 5) * 36 + x + 17]);
  }
  for (const files::Window outside :
       {files::Window{0, 0, 41, 1}, {0, 34, 1, 3}, {-1, 0, 2, 2}, {0, 0, 0, 1}}) {
    EXPECT_FALSE(files::decode_jpeg(*file, {.window = outside}).has_value());
  }
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

TEST(Accumulator, DoesNotLookAtWhatComesTooLate) {
  ops::DenseAccumulator accumulator("a", {DType::kFloat32, Shape{2}, true});
  accumulator.set_global_step(3);
  accumulator.apply(2, {Array({1.f, 2.f, 3.f})});
  EXPECT_EQ(accumulator.num_accumulated(), 0);
  EXPECT_THROW(accumulator.apply(3, {Array({1.f, 2.f, 3.f})}), errors::InvalidArgumentError);
}

TEST(Accumulator, RefusesRowsOutsideOfItsShape) {
  ops::SparseAccumulator accumulator("a", {DType::kFloat32, Shape{4, 2}, true});
  const auto gradient = [](int64_t row, std::vector<int64_t> shape) {
    return std::vector<Array>{Array(std::vector<int64_t>{row}), Array({{1.f, 2.f}}), Array(std::move(shape)),
                              Array(true)};
  };
  EXPECT_THROW(accumulator.apply(0, gradient(4, {4, 2})), errors::InvalidArgumentError);
  EXPECT_THROW(accumulator.apply(0, gradient(0, {5, 2})), errors::InvalidArgumentError);
  EXPECT_THROW(accumulator.apply(0, gradient(0, {4})), errors::InvalidArgumentError);
  accumulator.apply(0, gradient(3, {4, 2}));
  EXPECT_EQ(accumulator.num_accumulated(), 1);
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

TEST(EncodePng, RefusesManyImagesWithoutPixelsAtOnce) {
  try {
    run_op("EncodePng", {Array(DType::kUint8, {int64_t{1} << 40, 0, 0, 3})});
    ADD_FAILURE() << "no error";
  } catch (const errors::InternalError& error) {
    const std::string text = "PNG encoding failed at the following flattened batch indices: 0\n";
    EXPECT_EQ(error.message().substr(0, text.size()), text);
  }
}

}  // namespace
}  // namespace flowray::testing
