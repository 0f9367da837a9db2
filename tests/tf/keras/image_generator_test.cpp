// Batches of images: the same seeds give the batches of tf_keras 2.21, whose numbers stand here.
#include <flowray/tf/keras/image_preprocessing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

namespace flowray::tf::keras::preprocessing::image {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

/// [5, 4, 6, 3], each element (its number * 37) % 256.
Array images() {
  Array made(DType::kFloat32, {5, 4, 6, 3});
  for (int64_t i = 0; i < made.size(); ++i) made.mutable_data<float>()[i] = static_cast<float>(i * 37 % 256);
  return made;
}
Array labels() { return Array::from<int64_t>({0, 1, 0, 1, 0}, {5}); }

/// Every 17th element.
std::vector<float> some(const Array& array, size_t count) {
  std::vector<float> found;
  for (int64_t i = 0; i < array.size() && found.size() < count; i += 17)
    found.push_back(array.data<float>()[i]);
  return found;
}

auto are_near(std::vector<float> expected) { return Pointwise(FloatNear(2e-3f), std::move(expected)); }

std::vector<int64_t> numbers(const Array& array) {
  return {array.data<int64_t>(), array.data<int64_t>() + array.size()};
}

/// The first elements of three batches of three after one another, and of the second by its number.
void expect_flow(const ImageDataGenerator& generator, const std::vector<std::vector<float>>& expected) {
  const FlowOptions options = {.batch_size = 3, .seed = 7};
  ImageBatches batches = generator.flow(images(), labels(), options);
  EXPECT_EQ(batches.size(), 2);
  const std::vector<std::vector<int64_t>> of_labels = {{0, 1, 0}, {1, 0}, {1, 0, 1}};
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<Array> batch = batches.next();
    ASSERT_EQ(batch.size(), 2u);
    EXPECT_EQ(numbers(batch[1]), of_labels[i]);
    EXPECT_THAT(some(batch[0], 8), are_near(expected[i])) << "batch " << i;
  }
  // By number the order of the first batch stays, and each is changed by the next seed.
  ImageBatches by_number = generator.flow(images(), labels(), options);
  EXPECT_EQ(numbers(by_number[1][1]), of_labels[1]);
  EXPECT_THAT(some(by_number[1][0], 8), are_near(expected[1]));
}

TEST(ImageDataGenerator, FlipsAsTfKeras) {
  expect_flow(ImageDataGenerator({.horizontal_flip = true, .vertical_flip = true}),
              {{206, 67, 132, 197, 6, 154, 219, 250},
               {104, 221, 82, 199, 60, 129, 246, 107},
               {49, 80, 145, 210, 241, 148, 9, 92}});
}

TEST(ImageDataGenerator, TurnsMovesShearsAndZoomsAsTfKeras) {
  expect_flow(ImageDataGenerator({.rotation_range = 20,
                                  .width_shift_range = 0.2,
                                  .height_shift_range = 2,
                                  .shear_range = 10,
                                  .zoom_range = {0.8, 1.3}}),
              {{15.4311f, 51.4373f, 92.3505f, 175.9288f, 162.3549f, 51.9317f, 122.8682f, 97.8497f},
               {130.3839f, 94.0172f, 134, 97, 98.1052f, 188.7361f, 171.7895f, 130.3026f},
               {56, 132.8359f, 69.2978f, 230.4047f, 122.4285f, 166.05f, 151.2646f, 149.3667f}});
}

TEST(ImageDataGenerator, FillsWhatLiesBeyondTheBordersAsTfKeras) {
  expect_flow(ImageDataGenerator({.width_shift_range = std::vector<double>{1, 2, 3},
                                  .fill_mode = "constant",
                                  .cval = 9,
                                  .horizontal_flip = true}),
              {{154, 15, 132, 249, 9, 9, 9, 9},
               {45, 76, 193, 54, 9, 206, 67, 150},
               {253, 28, 145, 6, 9, 46, 163, 246}});
  expect_flow(ImageDataGenerator({.rotation_range = 40, .fill_mode = "reflect"}),
              {{207.5872f, 97.1794f, 30, 188.7181f, 145.6671f, 161.8864f, 147.4658f, 84.9751f},
               {150.5374f, 28.6346f, 139.8478f, 128.3245f, 135.913f, 129.4749f, 227.5831f, 102.5989f},
               {154.0353f, 161.8493f, 133.3621f, 231.4969f, 157.6022f, 164.1409f, 181.7699f, 122.3187f}});
  expect_flow(ImageDataGenerator({.width_shift_range = 0.4,
                                  .height_shift_range = 0.4,
                                  .fill_mode = "wrap",
                                  .interpolation_order = 0}),
              {{172, 246, 157, 18, 135, 120, 31, 148},
               {11, 85, 252, 113, 230, 172, 33, 150},
               {185, 3, 170, 31, 148, 12, 129, 40}});
}

TEST(ImageDataGenerator, ChangesColoursAsTfKeras) {
  expect_flow(ImageDataGenerator(
                  {.brightness_range = std::pair(0.5, 1.5), .channel_shift_range = 40, .rescale = 1 / 255.}),
              {{0, 0.302f, 0.651f, 0.2353f, 0.5843f, 0, 0.4118f, 0},
               {0.5373f, 1, 0.4471f, 0.9216f, 0.3569f, 0.4314f, 0.8471f, 0.3569f},
               {0.0902f, 0.7216f, 0, 0.6039f, 0, 0.8392f, 0.298f, 0.7529f}});
}

TEST(ImageDataGenerator, NormalisesAsTfKeras) {
  expect_flow(ImageDataGenerator({.samplewise_std_normalization = true}),
              {{-1.6411f, -0.0723f, 1.4966f, -0.3673f, 1.2016f, -1.3674f, 0.2316f, -1.6681f},
               {-0.3141f, 1.2953f, -0.6167f, 0.9927f, -0.9193f, -0.055f, 1.5329f, -0.3536f},
               {-0.9437f, 0.6552f, -1.2444f, 0.3546f, -1.5451f, 1.3759f, -0.4879f, 1.0809f}});
  ImageDataGenerator of_all({.featurewise_std_normalization = true, .rescale = 0.1});
  of_all.fit(images());
  expect_flow(of_all, {{-1.7265f, -0.1357f, 1.4555f, -0.4421f, 1.1488f, -1.369f, 0.1933f, -1.677f},
                       {-0.3204f, 1.2705f, -0.5987f, 0.964f, -0.9063f, 0.0365f, 1.5994f, -0.2709f},
                       {-0.9694f, 0.6215f, -1.2474f, 0.315f, -1.5554f, 1.3339f, -0.5638f, 1.0271f}});
}

TEST(ImageDataGenerator, CallsTheProgramsFunction) {
  const auto upside_down_twice = [](const Array& x) {
    Array made(DType::kFloat32, x.shape());
    const int64_t row = x.dim(1) * x.dim(2);
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t from = (x.dim(0) - 1 - i / row) * row + i % row;
      made.mutable_data<float>()[i] = 2 * x.data<float>()[from];
    }
    return made;
  };
  expect_flow(ImageDataGenerator({.rescale = 0.5, .preprocessing_function = upside_down_twice}),
              {{206, 67, 132, 197, 6, 231, 40, 105},
               {54, 171, 236, 45, 110, 79, 144, 209},
               {6, 123, 188, 253, 62, 175, 240, 49}});
}

TEST(ImageDataGenerator, ChangesOneImageWithoutASeedToo) {
  const ImageDataGenerator generator({.rotation_range = 90, .horizontal_flip = true});
  const Array image = images().rows(0, 1).reshape({4, 6, 3});
  EXPECT_EQ(generator.random_transform(image).shape(), image.shape());
  EXPECT_EQ(generator.get_random_transform({4, 6}, 5), generator.get_random_transform({4, 6}, 5));
  EXPECT_NE(generator.get_random_transform({4, 6}, 5), generator.get_random_transform({4, 6}, 6));
}

TEST(ImageDataGenerator, SplitsItsExamples) {
  const ImageDataGenerator generator({.validation_split = 0.4});
  const FlowOptions ordered = {.batch_size = 2, .shuffle = false, .subset = "training"};
  ImageBatches training = generator.flow(images(), labels(), ordered);
  EXPECT_EQ(training.num_images(), 3);
  EXPECT_EQ(training.size(), 2);
  EXPECT_THAT(numbers(training[0][1]), ElementsAre(0, 1));
  ImageBatches validation =
      generator.flow(images(), labels(), {.batch_size = 2, .shuffle = false, .subset = "validation"});
  EXPECT_EQ(validation.num_images(), 2);
  EXPECT_EQ(validation.size(), 1);
  const Array in_order = Array::from<int64_t>({0, 0, 0, 1, 1}, {5});
  EXPECT_THROW(generator.flow(images(), in_order, ordered), ValueError);
}

/// The program's function may use the batches that it is called for.
TEST(ImageDataGenerator, CallsTheProgramWithoutALock) {
  std::optional<ImageBatches> batches;
  const ImageDataGenerator generator({.preprocessing_function = [&batches](const Array& x) {
    batches->reset();
    return x;
  }});
  batches.emplace(generator.flow(images(), labels(), {.batch_size = 2, .shuffle = false}));
  EXPECT_THAT(numbers(batches->next()[1]), ElementsAre(0, 1));
  EXPECT_THAT(numbers(batches->next()[1]), ElementsAre(0, 1));
}

TEST(ImageDataGenerator, HandsOnWeights) {
  ImageBatches batches = ImageDataGenerator().flow(
      images(), labels(),
      {.batch_size = 2, .shuffle = false, .sample_weight = Array({1.f, 2.f, 3.f, 4.f, 5.f})});
  batches.next();
  const std::vector<Array> second = batches.next();
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[2].data<float>()[0], 3);
  batches.reset();
  EXPECT_EQ(batches.next()[2].data<float>()[0], 1);
}

TEST(ImageDataGenerator, FeedsAModel) {
  const Graph graph;
  const auto scope = graph.as_default();
  const ImageBatches batches =
      ImageDataGenerator({.rescale = 1 / 255.}).flow(images(), labels(), {.batch_size = 2, .shuffle = false});
  int64_t num_batches = 0;
  int64_t num_images = 0;
  for (const std::vector<Array>& batch : batches.dataset().repeat(2)) {
    ASSERT_EQ(batch.size(), 2u);
    num_images += batch[0].dim(0);
    EXPECT_EQ(batch[1].dim(0), batch[0].dim(0));
    ++num_batches;
  }
  EXPECT_EQ(num_batches, 6);
  EXPECT_EQ(num_images, 10);
}

TEST(ImageDataGenerator, RefusesWhatIsNotThere) {
  EXPECT_THROW(ImageDataGenerator({.fill_mode = "mirror"}), ValueError);
  EXPECT_THROW(ImageDataGenerator({.interpolation_order = 3}), ValueError);
  EXPECT_THROW(ImageDataGenerator({.validation_split = 1}), ValueError);
  EXPECT_THROW(ImageDataGenerator({.rotation_range = std::nan("")}), ValueError);
  EXPECT_THROW(ImageDataGenerator({.width_shift_range = 2'000'000'000}), ValueError);
  EXPECT_THROW(ImageDataGenerator().standardize(Array(1.0f)), ValueError);
  const ImageDataGenerator generator;
  EXPECT_THROW(generator.flow(Array({1.f, 2.f})), ValueError);
  EXPECT_THROW(generator.flow(images(), Array({1.f, 2.f})), ValueError);
  EXPECT_THROW(generator.flow(images(), labels(), {.subset = "test"}), ValueError);
  EXPECT_THROW(generator.flow(images(), labels(), {.batch_size = 0}), ValueError);
  EXPECT_THROW(generator.flow(images())[2], ValueError);
  EXPECT_THROW(generator.flow(images())[-1], ValueError);
  EXPECT_THROW(ImageDataGenerator({.featurewise_center = true}).flow(images()).next(), ValueError);
  EXPECT_THROW(generator.random_transform(Array({1.f})), ValueError);
  EXPECT_THROW(generator.flow(Array(DType::kFloat32, {0, 2, 2, 1})).next(), ValueError);
}

// ---- folders

class ImageFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto put = [&](const std::string& name, float grey) {
      const std::filesystem::path path = folder_ / name;
      std::filesystem::create_directories(path.parent_path());
      save_img(path.string(), Array::full(DType::kFloat32, {2, 2, 3}, grey), false);
    };
    for (int i = 0; i < 3; ++i) put("cats/" + std::to_string(i) + ".png", static_cast<float>(10 * i));
    put("cats/more/a.PNG", 77);
    for (int i = 0; i < 2; ++i) put("dogs/" + std::to_string(i) + ".png", static_cast<float>(100 + 10 * i));
    std::ofstream(folder_ / "cats" / "notes.txt") << "none";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::vector<float> greys(const Array& images) {
    std::vector<float> found;
    for (int64_t i = 0; i < images.dim(0); ++i) found.push_back(images.rows(i, i + 1).data<float>()[0]);
    return found;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("flowray_image_generator" + std::to_string(::getpid()));
};

TEST_F(ImageFolder, HasAClassForEachFolder) {
  ImageBatches batches = ImageDataGenerator().flow_from_directory(
      folder_.string(), {.target_size = {2, 2}, .batch_size = 4, .seed = 5});
  EXPECT_THAT(batches.filenames(), ElementsAre("cats/0.png", "cats/1.png", "cats/2.png", "cats/more/a.PNG",
                                               "dogs/0.png", "dogs/1.png"));
  EXPECT_THAT(batches.classes(), ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_EQ(batches.class_indices().at("dogs"), 1);
  const std::vector<Array> first = batches.next();
  EXPECT_THAT(greys(first[0]), ElementsAre(110, 20, 100, 10));
  EXPECT_EQ(first[1].shape(), Shape({4, 2}));
  EXPECT_THAT(std::vector<float>(first[1].data<float>(), first[1].data<float>() + 8),
              ElementsAre(0, 1, 1, 0, 0, 1, 1, 0));
  EXPECT_THAT(greys(batches.next()[0]), ElementsAre(0, 77));
  EXPECT_THAT(greys(batches.next()[0]), ElementsAre(77, 110, 0, 20));
}

TEST_F(ImageFolder, HasOtherTruths) {
  const ImageDataGenerator half({.validation_split = 0.5});
  const auto validation = [&](const std::string& mode) {
    return half
        .flow_from_directory(folder_.string(), {.target_size = {2, 2},
                                                .color_mode = "grayscale",
                                                .class_mode = mode,
                                                .shuffle = false,
                                                .subset = "validation"})
        .next();
  };
  for (const char* const mode : {"binary", "sparse"}) {
    const std::vector<Array> batch = validation(mode);
    EXPECT_EQ(batch[0].shape(), Shape({3, 2, 2, 1}));
    EXPECT_THAT(std::vector<float>(batch[1].data<float>(), batch[1].data<float>() + 3), ElementsAre(0, 0, 1));
  }
  EXPECT_EQ(validation("input")[1].shape(), Shape({3, 2, 2, 1}));
  EXPECT_EQ(validation("none").size(), 1u);
  EXPECT_THROW(validation("multi_output"), ValueError);
}

TEST_F(ImageFolder, RefusesWhatIsNotThere) {
  const ImageDataGenerator generator;
  EXPECT_THROW(generator.flow_from_directory((folder_ / "none").string()), errors::NotFoundError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.classes = {"birds"}}),
               errors::NotFoundError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.classes = {"cats", "cats"}}), ValueError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.color_mode = "cmyk"}), ValueError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.target_size = {0, 2}}), ValueError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.interpolation = "lanczos"}), ValueError);
  EXPECT_THROW(generator.flow_from_directory(folder_.string(), {.subset = "validation"}), ValueError);
  EXPECT_THROW(generator.flow_from_directory((folder_ / "cats" / "more").string()), ValueError);  // no folder
  std::ofstream(folder_ / "dogs" / "c.tiff") << "II*";
  EXPECT_THROW(generator.flow_from_directory(folder_.string()), ValueError);
  std::filesystem::remove(folder_ / "dogs" / "c.tiff");
  std::ofstream(folder_ / "dogs" / "c.png") << "not an image";
  ImageBatches batches =
      generator.flow_from_directory(folder_.string(), {.target_size = {2, 2}, .shuffle = false});
  EXPECT_THROW(batches.next(), errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::tf::keras::preprocessing::image
