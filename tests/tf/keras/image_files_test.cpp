// Images in files, read and resized: the numbers are those of tf_keras 2.21 with Pillow 12.
#include <flowray/tf/keras/image_preprocessing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace flowray::tf::keras::preprocessing::image {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

class ImageFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A PNG file of 5 x 7 pixels, in which byte i of RGBA is (i * 53) % 256; of these the first channels.
  std::string file_of(int64_t channels) const {
    Array pixels(DType::kFloat32, {5, 7, channels});
    for (int64_t i = 0; i < 35; ++i) {
      for (int64_t c = 0; c < channels; ++c)
        pixels.mutable_data<float>()[i * channels + c] = static_cast<float>((i * 4 + c) * 53 % 256);
    }
    const std::string path = (folder_ / (std::to_string(channels) + ".png")).string();
    save_img(path, pixels, false);
    return path;
  }

  /// Every `step`th element.
  static std::vector<float> some(const Array& array, int64_t step, size_t count) {
    std::vector<float> found;
    for (int64_t i = 0; i < array.size() && found.size() < count; i += step)
      found.push_back(array.data<float>()[i]);
    return found;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_image_files" + std::to_string(::getpid()));
};

TEST_F(ImageFiles, HaveTheChannelsThatAreAskedFor) {
  const auto read = [&](int64_t channels, const char* color_mode) {
    return some(load_img(file_of(channels), {.color_mode = color_mode}), 17, 6);
  };
  EXPECT_THAT(read(1, "rgb"), ElementsAre(0, 36, 28, 20, 56, 48));
  EXPECT_THAT(read(1, "rgba"), ElementsAre(0, 80, 160, 255, 20, 100));
  EXPECT_THAT(read(1, "grayscale"), ElementsAre(0, 20, 40));
  EXPECT_THAT(read(3, "rgb"), ElementsAre(0, 142, 81, 20, 162, 101));
  EXPECT_THAT(read(3, "rgba"), ElementsAre(0, 133, 10, 255, 20, 153));
  EXPECT_THAT(read(3, "grayscale"), ElementsAre(43, 63, 83));
  EXPECT_THAT(read(4, "rgb"), ElementsAre(0, 142, 81, 20, 162, 101));
  EXPECT_THAT(read(4, "rgba"), ElementsAre(0, 133, 10, 143, 20, 153));
  EXPECT_THAT(read(4, "grayscale"), ElementsAre(43, 63, 83));
}

TEST_F(ImageFiles, GetOtherSizesAsOfPillow) {
  struct Case {
    int64_t channels;
    const char* interpolation;
    ImageSize size;
    std::vector<float> expected;
  };
  const Case cases[] = {
      {1, "nearest", {3, 4}, {0, 40}},
      {1, "nearest", {8, 9}, {0, 212, 72, 188, 144, 4, 216}},
      {1, "bilinear", {3, 4}, {134, 85}},
      {1, "bilinear", {8, 9}, {0, 169, 69, 189, 128, 42, 206}},
      {1, "bilinear", {5, 3}, {127, 130}},
      {1, "bicubic", {3, 4}, {137, 76}},
      {1, "bicubic", {8, 9}, {0, 185, 68, 211, 126, 28, 236}},
      {1, "bicubic", {5, 3}, {126, 133}},
      {3, "nearest", {8, 9}, {0, 18, 89, 212, 186, 1, 72, 90, 161, 188}},
      {3, "nearest", {5, 3}, {212, 10, 73, 136, 190}},
      {3, "bilinear", {8, 9}, {0, 65, 74, 169, 173, 14, 69, 77, 157, 189}},
      {3, "bicubic", {3, 4}, {137, 90, 200, 76}},
      {3, "bicubic", {5, 3}, {126, 68, 77, 133, 187}},
      {4, "nearest", {3, 4}, {0, 239, 170, 101, 40}},
      {4, "bilinear", {3, 4}, {116, 180, 147, 88, 74}},
      {4, "bilinear", {8, 9}, {0, 95, 187, 45, 187, 116, 112, 115, 69, 160}},
      {4, "bicubic", {8, 9}, {0, 100, 195, 33, 227, 110, 108, 130, 69, 159}},
      {4, "bicubic", {5, 3}, {108, 192, 89, 162, 114, 79}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.interpolation) + " of " + std::to_string(one.channels) + " channels, to " +
                 std::to_string(one.size.height) + " x " + std::to_string(one.size.width));
    const char* const mode = one.channels == 1 ? "grayscale" : one.channels == 3 ? "rgb" : "rgba";
    const Array image =
        load_img(file_of(one.channels),
                 {.color_mode = mode, .target_size = one.size, .interpolation = one.interpolation});
    EXPECT_EQ(image.shape(), Shape({one.size.height, one.size.width, one.channels}));
    EXPECT_THAT(some(image, 11, 10), ElementsAreArray(one.expected));
  }
}

TEST_F(ImageFiles, AreWrittenBetweenBlackAndWhite) {
  const std::string path = (folder_ / "new" / "one.png").string();
  save_img(path, Array({{{-1.f}, {0.f}}, {{1.f}, {3.f}}}));
  EXPECT_THAT(some(load_img(path, {.color_mode = "grayscale"}), 1, 4), ElementsAre(0, 63, 127, 255));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  save_img(path, Array({{{-1.f}, {300.f}}, {{254.9f}, {nan}}}), false);
  EXPECT_THAT(some(load_img(path, {.color_mode = "grayscale"}), 1, 4), ElementsAre(0, 255, 254, 0));
}

TEST_F(ImageFiles, RefuseWhatIsNoImage) {
  EXPECT_THROW(load_img((folder_ / "none.png").string()), errors::NotFoundError);
  EXPECT_ANY_THROW(load_img(folder_.string()));
  std::ofstream(folder_ / "text.png") << "not an image";
  EXPECT_THROW(load_img((folder_ / "text.png").string()), errors::InvalidArgumentError);
  std::ofstream(folder_ / "empty.png").flush();
  EXPECT_THROW(load_img((folder_ / "empty.png").string()), errors::InvalidArgumentError);
  const std::string path = file_of(3);
  EXPECT_THROW(load_img(path, {.color_mode = "cmyk"}), ValueError);
  EXPECT_THROW(load_img(path, {.target_size = ImageSize{0, 3}}), ValueError);
  EXPECT_THROW(load_img(path, {.target_size = ImageSize{int64_t{1} << 40, 1 << 30}}), ValueError);
  EXPECT_THROW(load_img(path, {.target_size = ImageSize{2, 2}, .interpolation = "lanczos"}), ValueError);
  EXPECT_THROW(save_img((folder_ / "two.png").string(), Array(DType::kFloat32, {2, 2, 2})), ValueError);
  EXPECT_THROW(save_img((folder_ / "one.jpg").string(), Array(DType::kFloat32, {2, 2, 3})), ValueError);
  EXPECT_THROW(load_img(path, {.target_size = ImageSize{1, 65536}, .interpolation = "bilinear"}), ValueError);
  EXPECT_THROW(save_img((folder_ / "rank.png").string(), Array({1.f})), ValueError);
  EXPECT_THROW(save_img((folder_ / "no.png").string(), Array(DType::kFloat32, {0, 2, 3})), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras::preprocessing::image
