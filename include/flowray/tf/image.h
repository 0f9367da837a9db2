#pragma once
/// tf.image: flips, crops, colours and sizes of images. Nodes and names are those that TensorFlow's
/// functions make.
///
/// An image is [height, width, channels], several are [batch, height, width, channels]. What a shape tells
/// is checked where the function is called (ValueError), the rest by Assert nodes when the image is
/// computed (InvalidArgumentError).

#include <flowray/tf/input.h>

#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::image {

// ---- turned and flipped

/// Each row from right to left: [..,height,width,channels] in the same shape.
Tensor flip_left_right(const Input& image);
/// The rows from the bottom to the top, in the same shape.
Tensor flip_up_down(const Input& image);

struct SeedOption {
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
};
/// flip_left_right of each image with a chance of one half.
Tensor random_flip_left_right(const Input& image, const SeedOption& options = {});
/// flip_up_down of each image with a chance of one half.
Tensor random_flip_up_down(const Input& image, const SeedOption& options = {});

struct Rot90Options {
  /// How many times 90 degrees, counter-clockwise.
  Input k = 1;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Turned by 90 degrees k times, counter-clockwise: for odd k height and width change places.
Tensor rot90(const Input& image, const Rot90Options& options = {});
/// The images with height and width exchanged: [..,height,width,channels] -> [..,width,height,channels].
Tensor transpose(const Input& image, const NameOption& options = {});

// ---- parts and frames. Offsets and sizes are numbers or int32 scalars.

/// The middle of each image, this part of its height and width: above 0, at most 1.
Tensor central_crop(const Input& image, const Input& central_fraction);
/// The target_height rows and target_width columns from the offsets on. What is not inside of the image is
/// an error.
Tensor crop_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                            const Input& target_height, const Input& target_width);
/// The image from the offsets on in target_height rows and target_width columns, zeros elsewhere.
Tensor pad_to_bounding_box(const Input& image, const Input& offset_height, const Input& offset_width,
                           const Input& target_height, const Input& target_width);
/// Cropped in the middle where the image is larger, with zeros around it where it is smaller.
Tensor resize_with_crop_or_pad(const Input& image, const Input& target_height, const Input& target_width);

// ---- other sizes

/// How pixels between pixels are computed; the numbers are TensorFlow's.
enum class ResizeMethod { kBilinear = 0, kNearestNeighbor = 1, kBicubic = 2, kArea = 3 };

struct ResizeOptions {
  /// How pixels between pixels are computed.
  ResizeMethod method = ResizeMethod::kBilinear;
  /// Whether the centres of all four corner pixels stay where they are; false: that of the upper left one
  /// alone. Set it as the model that takes the images was trained.
  bool align_corners = false;
  /// Whether the image keeps its proportions, as large as it can be within `size`; false stretches it to
  /// `size`, which a batch of images of different sizes needs.
  bool preserve_aspect_ratio = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// `size` is {height, width}. float32, but for the nearest neighbour, and the images themselves where they
/// have that size.
Tensor resize(const Input& images, const Input& size, const ResizeOptions& options = {});

struct ResizeWithPadOptions {
  /// How pixels between pixels are computed.
  ResizeMethod method = ResizeMethod::kBilinear;
  /// As in ResizeOptions.
  bool align_corners = false;
};
/// The image resized to be as large as it can be within the target size, with zeros around it.
Tensor resize_image_with_pad(const Input& image, const Input& target_height, const Input& target_width,
                             const ResizeWithPadOptions& options = {});

// ---- colours. Integers are scaled to 0...1 and back, and kept within their limits.

/// image + delta; delta is on the scale of 0 to 1.
Tensor adjust_brightness(const Input& image, const Input& delta);
/// (x - mean) * contrast_factor + mean, with the mean of each channel of each image.
Tensor adjust_contrast(const Input& images, const Input& contrast_factor);
/// gain * image ** gamma. Throws ValueError for a negative gamma.
Tensor adjust_gamma(const Input& image, const Input& gamma = 1, const Input& gain = 1);
/// RGB images with their hue turned by delta, from -1 to 1, where 1 is a full turn.
Tensor adjust_hue(const Input& image, const Input& delta, const NameOption& options = {});
/// RGB images with their saturation (of HSV) multiplied by the factor, and kept within 0 and 1.
Tensor adjust_saturation(const Input& image, const Input& saturation_factor, const NameOption& options = {});

/// adjust_brightness by at most max_delta, up or down. These four throw ValueError for invalid limits.
Tensor random_brightness(const Input& image, double max_delta, const SeedOption& options = {});
/// adjust_contrast by a factor from `lower` (at least 0) to `upper` (more than that).
Tensor random_contrast(const Input& image, double lower, double upper, const SeedOption& options = {});
/// adjust_hue by at most max_delta, from 0 to 0.5.
Tensor random_hue(const Input& image, double max_delta, const SeedOption& options = {});
/// adjust_saturation by a factor from `lower` (at least 0) to `upper` (more than that).
Tensor random_saturation(const Input& image, double lower, double upper, const SeedOption& options = {});

struct ConvertOptions {
  /// Keeps values within the dtype's limits; false: what is beyond them overflows; true for floats that may
  /// leave 0 to 1, as after a change of contrast.
  bool saturate = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Integers of 0 to their maximum for floats of 0 to 1.
Tensor convert_image_dtype(const Input& image, DType dtype, const ConvertOptions& options = {});
/// [..,3] to [..,1]: 0.2989 R + 0.587 G + 0.114 B, in the images' dtype.
Tensor rgb_to_grayscale(const Input& images, const NameOption& options = {});
/// [..,1] to [..,3]: the same value in each channel.
Tensor grayscale_to_rgb(const Input& images, const NameOption& options = {});
/// [..,3] of floats from 0 to 1 to luminance Y and chrominance U and V, in the same shape.
Tensor rgb_to_yuv(const Input& images);
/// The inverse of rgb_to_yuv.
Tensor yuv_to_rgb(const Input& images);
/// [..,3] of floats from 0 to 1 to luminance Y and chrominance I and Q, in the same shape.
Tensor rgb_to_yiq(const Input& images);
/// The inverse of rgb_to_yiq.
Tensor yiq_to_rgb(const Input& images);

// ---- measures

/// Each image with mean 0 and standard deviation 1.
Tensor per_image_standardization(const Input& image);
/// The sum of the absolute differences of neighbours: a scalar for one image, [batch] for several.
Tensor total_variation(const Input& images, const NameOption& options = {});
/// The peak signal-to-noise ratio of `a` and `b`, in decibels: [...] of [..., height, width, channels].
/// `max_val`: the greatest value minus the smallest that a pixel may have.
Tensor psnr(const Input& a, const Input& b, const Input& max_val, const NameOption& options = {});

struct Gradients {
  /// To the pixel below, in the image's shape.
  Tensor dy;
  /// To the pixel on the right, in the image's shape.
  Tensor dx;
};
/// Differences to the next pixel, 0 in the last row or column. `image` has four dimensions.
Gradients image_gradients(const Input& image);

/// The edges of images of four dimensions, by Sobel's filters:
/// a last dimension with those along height and width.
Tensor sobel_edges(const Input& image);

struct NonMaxSuppressionOptions {
  /// How much of two boxes may be common to both, as a part of what they cover together, before the one of
  /// the lower score is dropped: from 0 to 1.
  Input iou_threshold = 0.5;
  /// Boxes of lower scores are not selected; left out: all may be.
  OptionalInput score_threshold = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The numbers of the boxes that are kept: those of the best scores which overlap less than the threshold.
Tensor non_max_suppression(const Input& boxes, const Input& scores, const Input& max_output_size,
                           const NonMaxSuppressionOptions& options = {});

}  // namespace flowray::tf::image

#pragma GCC visibility pop
