#pragma once
/// tf.image: flips, crops, colours and sizes of images. Nodes and names are those that TensorFlow's functions
/// make.
///
/// An image is [height, width, channels], several are [batch, height, width, channels]. What a shape tells is
/// checked where the function is called (ValueError), the rest by Assert nodes when the image is computed
/// (InvalidArgumentError).

#include <flowray/tf/input.h>

#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::image {

// ---- turned and flipped

Tensor flip_left_right(const Input& image);
Tensor flip_up_down(const Input& image);

struct SeedOption {
  std::optional<int64_t> seed = std::nullopt;
};
/// Each image with a chance of one half.
Tensor random_flip_left_right(const Input& image, const SeedOption& options = {});
Tensor random_flip_up_down(const Input& image, const SeedOption& options = {});

struct Rot90Options {
  /// So many times, counter-clockwise.
  Input k = 1;
  std::string name = {};
};
Tensor rot90(const Input& image, const Rot90Options& options = {});
/// Height and width exchanged.
Tensor transpose(const Input& image, const NameOption& options = {});

// ---- parts and frames. Offsets and sizes are numbers or int32 scalars.

/// The middle of each image, this part of its height and width: above 0, at most 1.
Tensor central_crop(const Input& image, const Input& central_fraction);
Tensor crop_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                            const Input& target_height, const Input& target_width);
/// Zeros around the image.
Tensor pad_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                           const Input& target_height, const Input& target_width);
/// Cropped in the middle where the image is larger, with zeros around it where it is smaller.
Tensor resize_with_crop_or_pad(const Input& image, const Input& target_height, const Input& target_width);

// ---- other sizes

enum class ResizeMethod { kBilinear = 0, kNearestNeighbor = 1, kBicubic = 2, kArea = 3 };

struct ResizeOptions {
  ResizeMethod method = ResizeMethod::kBilinear;
  /// The corners' pixels stay where they are.
  bool align_corners = false;
  /// As large as it can be within `size`.
  bool preserve_aspect_ratio = false;
  std::string name = {};
};
/// `size` is {height, width}. float32, but for the nearest neighbour, and the images themselves where they
/// have that size.
Tensor resize(const Input& images, const Input& size, const ResizeOptions& options = {});

struct ResizeWithPadOptions {
  ResizeMethod method = ResizeMethod::kBilinear;
  bool align_corners = false;
};
/// As large as it can be, with zeros around it.
Tensor resize_image_with_pad(const Input& image, const Input& target_height, const Input& target_width,
                             const ResizeWithPadOptions& options = {});

// ---- colours. Integers are scaled to 0...1 and back, and kept within their limits.

Tensor adjust_brightness(const Input& image, const Input& delta);
Tensor adjust_contrast(const Input& images, const Input& contrast_factor);
/// gain * image ** gamma. Throws ValueError for a negative gamma.
Tensor adjust_gamma(const Input& image, const Input& gamma = 1, const Input& gain = 1);
Tensor adjust_hue(const Input& image, const Input& delta, const NameOption& options = {});
Tensor adjust_saturation(const Input& image, const Input& saturation_factor, const NameOption& options = {});

/// The same by chance: within +-max_delta, or from `lower` to `upper`. Throw ValueError for limits that are
/// none.
Tensor random_brightness(const Input& image, double max_delta, const SeedOption& options = {});
Tensor random_contrast(const Input& image, double lower, double upper, const SeedOption& options = {});
Tensor random_hue(const Input& image, double max_delta, const SeedOption& options = {});
Tensor random_saturation(const Input& image, double lower, double upper, const SeedOption& options = {});

struct ConvertOptions {
  /// Keeps values within the dtype's limits.
  bool saturate = false;
  std::string name = {};
};
/// Integers of 0 to their maximum for floats of 0 to 1.
Tensor convert_image_dtype(const Input& image, DType dtype, const ConvertOptions& options = {});
Tensor rgb_to_grayscale(const Input& images, const NameOption& options = {});
Tensor grayscale_to_rgb(const Input& images, const NameOption& options = {});
Tensor rgb_to_yuv(const Input& images);
Tensor yuv_to_rgb(const Input& images);
Tensor rgb_to_yiq(const Input& images);
Tensor yiq_to_rgb(const Input& images);

// ---- measures

/// Of each image, with mean 0 and standard deviation 1.
Tensor per_image_standardization(const Input& image);
/// The sum of differences of neighbours, for each image.
Tensor total_variation(const Input& images, const NameOption& options = {});
/// The peak signal-to-noise ratio of `a` and `b`, in decibels, for each image.
Tensor psnr(const Input& a, const Input& b, const Input& max_val, const NameOption& options = {});

struct Gradients {
  Tensor dy;
  Tensor dx;
};
/// Differences to the next pixel, 0 in the last row or column. `image` has four dimensions.
Gradients image_gradients(const Input& image);

/// Of images of four dimensions the edges, by Sobel's filters: a last dimension with those along height and
/// width.
Tensor sobel_edges(const Input& image);

struct NonMaxSuppressionOptions {
  Input iou_threshold = 0.5;
  /// Left out: none.
  OptionalInput score_threshold = {};
  std::string name = {};
};
/// The numbers of the boxes that are kept: those of the best scores which overlap less than the threshold.
Tensor non_max_suppression(const Input& boxes, const Input& scores, const Input& max_output_size,
                           const NonMaxSuppressionOptions& options = {});

}  // namespace flowray::tf::image

#pragma GCC visibility pop
