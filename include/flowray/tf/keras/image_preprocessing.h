#pragma once
/// tf.keras.preprocessing.image: images in files as arrays, and batches of images that are changed by chance.
///
///     namespace image = tf::keras::preprocessing::image;
///     image::ImageDataGenerator changes({.rotation_range = 20, .horizontal_flip = true});
///     image::ImageBatches batches = changes.flow(images, labels, {.batch_size = 32, .seed = 7});
///     model.fit(batches.dataset(), {.epochs = 3});
///
/// An image is [height, width, channels], of float32 unless said otherwise; several are [images, height,
/// width, channels]. With the same seeds the batches are those of Python's tf.keras.

#include <flowray/array.h>
#include <flowray/dtype.h>
#include <flowray/tf/data.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

class NumpyRandom;

namespace preprocessing::image {

/// How an image is turned, moved, sheared and zoomed, in this order backwards.
struct AffineTransform {
  /// The turn, in degrees.
  double theta = 0;
  /// By how many columns it is moved to the left.
  double tx = 0;
  /// By how many rows it is moved up.
  double ty = 0;
  /// The shear, in degrees.
  double shear = 0;
  /// The zoom of columns: above 1 it shows more of the image, smaller.
  double zx = 1;
  /// The zoom of rows.
  double zy = 1;

  /// Whether all numbers are the same.
  bool operator==(const AffineTransform&) const = default;
};
struct AffineOptions {
  /// What lies beyond the borders: "nearest", the pixel at the border; "constant", `cval`; "reflect", the
  /// image in a mirror; "wrap", the image again.
  std::string fill_mode = "nearest";
  /// What "constant" fills with.
  double cval = 0;
  /// 1: between pixels there are their means; 0: the nearest one.
  int order = 1;
};
/// An image, transformed about its centre. Throws ValueError for other ranks than 3 and other options.
Array apply_affine_transform(const Array& x, const AffineTransform& transform,
                             const AffineOptions& options = {});
/// All channels brighter by `intensity`, within the image's own limits.
Array apply_channel_shift(const Array& x, double intensity);
/// An image `brightness` times as bright, in whole steps of 0 to 255. `scale`: its darkest and brightest
/// elements become 0 and 255 before; set it for images that have other limits and may lose them.
Array apply_brightness_shift(const Array& x, double brightness, bool scale = true);

/// Rows and columns of an image.
struct ImageSize {
  /// Rows.
  int64_t height = 0;
  /// Columns.
  int64_t width = 0;
};

struct LoadImageOptions {
  /// "rgb", "rgba" or "grayscale": 3, 4 or 1 channels.
  std::string color_mode = "rgb";
  /// The size that it gets; left out: as it is.
  std::optional<ImageSize> target_size = {};
  /// How it gets that: "nearest", "bilinear" or "bicubic", as the Python Imaging Library does them.
  std::string interpolation = "nearest";
};
/// The image of a PNG, JPEG, GIF or BMP file, as float32 from 0 to 255. Throws the errors:: class of the
/// system's error, InvalidArgumentError for files that are no such images, and ValueError for other options.
Array load_img(const std::string& path, const LoadImageOptions& options = {});
/// Writes an image of 1, 3 or 4 channels into a PNG file. `scale`: its least and greatest elements become
/// black and white; unset it where they are from 0 to 255. Throws ValueError for other images and names.
void save_img(const std::string& path, const Array& x, bool scale = true);

/// By how much images are moved: a share of the size below 1, or pixels; or one of several such numbers, up
/// or down.
class ShiftRange {
 public:
  /// From -range to range, or for a whole number one of those below it, up or down.
  ShiftRange(double range) : of_(range) {}                               // NOLINT: implicit, as all of these
  ShiftRange(int range) : choices_(choices_below(range)), of_(range) {}  // NOLINT
  ShiftRange(std::vector<double> choices) : choices_(std::move(choices)), of_(greatest()) {}  // NOLINT

  /// What one of is taken; empty: anything from -range() to range().
  const std::vector<double>& choices() const { return choices_; }
  /// The number, or the greatest of several.
  double range() const { return of_; }

 private:
  static std::vector<double> choices_below(int range);
  double greatest() const;

  std::vector<double> choices_;
  double of_ = 0;
};

/// What is done to an image.
struct ImageTransform {
  /// How it is turned, moved, sheared and zoomed.
  AffineTransform affine = {};
  /// Whether left and right change places.
  bool flip_horizontal = false;
  /// Whether top and bottom do.
  bool flip_vertical = false;
  /// How much brighter all channels get; none: nothing is done.
  std::optional<double> channel_shift_intensity = {};
  /// How many times as bright it gets; none: nothing is done.
  std::optional<double> brightness = {};

  /// Whether all numbers are the same.
  bool operator==(const ImageTransform&) const = default;
};

struct ImageDataGeneratorOptions {
  /// Whether the mean of each channel becomes 0, over the images that fit() was given.
  bool featurewise_center = false;
  /// Whether the mean of each image becomes 0.
  bool samplewise_center = false;
  /// Whether the deviation of each channel becomes 1, over the images that fit() was given; this needs
  /// featurewise_center, and sets it.
  bool featurewise_std_normalization = false;
  /// Whether the deviation of each image becomes 1; this needs samplewise_center, and sets it.
  bool samplewise_std_normalization = false;
  /// Images are turned by up to so many degrees.
  double rotation_range = 0;
  /// Images are moved by so much of their width: up or down, as tf_keras 2.21 does it.
  ShiftRange width_shift_range = 0.0;
  /// Images are moved by so much of their height: to the side, as tf_keras 2.21 does it.
  ShiftRange height_shift_range = 0.0;
  /// Images become between so many times as bright; left out: their brightness stays.
  std::optional<std::pair<double, double>> brightness_range = {};
  /// Images are sheared by up to so many degrees.
  double shear_range = 0;
  /// Rows and columns are zoomed by between so much: {0.8, 1.2}.
  std::pair<double, double> zoom_range = {1, 1};
  /// Channels become brighter or darker by up to so much.
  double channel_shift_range = 0;
  /// What lies beyond the borders, as in AffineOptions.
  std::string fill_mode = "nearest";
  /// What the fill_mode "constant" fills with.
  double cval = 0;
  /// Whether one of two images has left and right changed.
  bool horizontal_flip = false;
  /// Whether one of two images has top and bottom changed.
  bool vertical_flip = false;
  /// All elements are multiplied with it, behind everything else; left out: they are not.
  std::optional<double> rescale = {};
  /// A function of the program, called with each image before it is normalised; it gives one of its shape.
  std::function<Array(const Array&)> preprocessing_function = nullptr;
  /// The share of the examples that the subset "validation" has, from their beginning.
  double validation_split = 0;
  /// 1 or 0, as AffineOptions::order.
  int interpolation_order = 1;
};

struct FlowOptions {
  /// Examples of a batch.
  int64_t batch_size = 32;
  /// Whether each epoch has an order of its own; unset it where predictions are compared with labels.
  bool shuffle = true;
  /// A weight for each example, [examples]; left out: batches have none.
  std::optional<Array> sample_weight = {};
  /// Decides orders and changes, as numpy.random.seed does; left out: chance does.
  std::optional<uint32_t> seed = {};
  /// "training" or "validation", by the generator's validation_split; empty: all.
  std::string subset = {};
};
struct FlowFromDirectoryOptions {
  /// The size that all images get.
  ImageSize target_size = {256, 256};
  /// As in LoadImageOptions.
  std::string color_mode = "rgb";
  /// The folders that are classes, in the order of their numbers; empty: all, by their names.
  std::vector<std::string> classes = {};
  /// What a batch has beside its images: "categorical", a row for each with 1 at its class; "binary" or
  /// "sparse", the numbers of the classes; "input", the images; "none".
  std::string class_mode = "categorical";
  /// Images of a batch.
  int64_t batch_size = 32;
  /// Whether each epoch has an order of its own; unset it where predictions are compared with labels.
  bool shuffle = true;
  /// As in FlowOptions.
  std::optional<uint32_t> seed = {};
  /// As in FlowOptions; each class is split by itself.
  std::string subset = {};
  /// As in LoadImageOptions.
  std::string interpolation = "nearest";
  /// Whether folders behind symbolic links count; set it for data sets that are put together by links.
  bool follow_links = false;
};

/// Batches of images without end, each changed by chance.
class ImageBatches {
 public:
  /// How many images there are.
  int64_t num_images() const;
  /// How many batches an epoch has.
  int64_t size() const;
  /// The images of the next batch, and what belongs to them: labels, and weights where there are some.
  std::vector<Array> next();
  /// Batch `i` of an epoch. Throws ValueError for others than 0 to size().
  std::vector<Array> operator[](int64_t i);
  /// Another order of the images, for the batches by number.
  void on_epoch_end();
  /// next() begins with the first batch.
  void reset();
  /// An epoch by number for each walk, and then another order: for Model::fit. It uses these batches, which
  /// must not be used elsewhere meanwhile.
  data::Dataset dataset() const;

  /// The class of each image of a folder, by number; empty for arrays.
  const std::vector<int64_t>& classes() const;
  /// The number of each class.
  const std::map<std::string, int64_t>& class_indices() const;
  /// The path of each image below the folder.
  const std::vector<std::string>& filenames() const;

 private:
  friend class ImageDataGenerator;
  struct State;
  explicit ImageBatches(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Changes images by chance - turns, moves, shears, zooms and flips them - and normalises them.
class ImageDataGenerator {
 public:
  /// Throws ValueError for ranges and modes that there are not.
  explicit ImageDataGenerator(ImageDataGeneratorOptions options = {});

  struct FitOptions {
    /// Whether images are changed by chance before they are looked at; set it where changes move their means.
    bool augment = false;
    /// How often each is changed then.
    int64_t rounds = 1;
    /// As in FlowOptions.
    std::optional<uint32_t> seed = {};
  };
  /// Looks at images [images, height, width, channels], for featurewise_center and its kin.
  void fit(const Array& x, const FitOptions& options);
  /// The same of images as they are.
  void fit(const Array& x) { fit(x, FitOptions()); }
  /// Batches of an array of images, without labels.
  ImageBatches flow(const Array& x, const FlowOptions& options = {}) const {
    return flow(x, Array(), options);
  }
  /// The same with labels [images, ...]. Throws ValueError for other numbers of labels or weights.
  ImageBatches flow(const Array& x, const Array& y, const FlowOptions& options = {}) const;
  /// Batches of the PNG, JPEG and BMP images in a folder's folders, each of which is a class. Throws the
  /// errors:: class of the system's error, and ValueError for other options and where there are no images.
  ImageBatches flow_from_directory(const std::string& directory,
                                   const FlowFromDirectoryOptions& options = {}) const;

  /// What is done to an image of this size, by chance.
  ImageTransform get_random_transform(const ImageSize& size, std::optional<uint32_t> seed = {}) const;
  /// An image, changed so.
  Array apply_transform(const Array& x, const ImageTransform& transform) const;
  /// An image, changed by chance.
  Array random_transform(const Array& x, std::optional<uint32_t> seed = {}) const;
  /// An image, normalised. Throws ValueError where featurewise_center or its kin need a fit() before.
  Array standardize(const Array& x) const;

 private:
  friend class ImageBatches;
  ImageTransform draw_transform(const ImageSize& size, NumpyRandom& random) const;

  ImageDataGeneratorOptions options_;
  std::optional<Array> mean_;  // of each channel
  std::optional<Array> std_;
};

}  // namespace preprocessing::image
}  // namespace flowray::tf::keras

#pragma GCC visibility pop
