// SampleDistortedBoundingBox: a part of an image drawn at random, of a size and a form within bounds, that
// holds enough of one of its objects. The numbers are TensorFlow's for the same seeds.

#include "core/invalid_argument.h"
#include "core/philox.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/input_array.h"
#include "ops/elements/shape_merging.h"
#include "ops/random/random_generator.h"
#include "ops/random/register.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace flowray::ops {
namespace {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

/// The words of a stream as small integers and as reals.
class BoxChances {
 public:
  explicit BoxChances(const Philox& start) : stream_(start) {}

  /// In [0, 1), of 23 bits.
  float real() { return std::bit_cast<float>(0x3f800000u | (next() & 0x7fffffu)) - 1.0f; }
  /// Below `limit`, each as likely: what is beyond the last whole multiple is drawn again.
  int64_t below(int64_t limit) {
    const auto count = static_cast<uint32_t>(limit);
    if ((count & (count - 1)) == 0) return next() & (count - 1);
    const uint32_t rest = UINT32_MAX % count + 1;
    uint32_t word = next();
    while (word > UINT32_MAX - rest) word = next();
    return word % count;
  }

 private:
  uint32_t next() {
    if (used_ == words_.size()) {
      words_ = stream_.next();
      used_ = 0;
    }
    return words_[used_++];
  }

  Philox stream_;
  Philox::Words words_{};
  size_t used_ = 4;
};

struct Part {
  int64_t left = 0;
  int64_t top = 0;
  int64_t right = 0;
  int64_t bottom = 0;

  float area() const {
    if (right <= left || bottom <= top) return 0;
    return static_cast<float>((right - left) * (bottom - top));
  }
  Part shared_with(const Part& other) const {
    return {std::max(left, other.left), std::max(top, other.top), std::min(right, other.right),
            std::min(bottom, other.bottom)};
  }
};

/// What is asked of the part.
struct BoxWishes {
  float least_ratio, most_ratio;  // of width to height
  float least_area, most_area;    // of the image's
  int64_t attempts;
  bool takes_image;  // where there are no boxes
};

constexpr int64_t kMostPixels = INT32_MAX;
/// A step that tries in vain ends in a second.
constexpr int64_t kMostAttempts = 1'000'000;
/// How many boxes the parts of all attempts together are compared with.
constexpr size_t kMostComparisons = 100'000'000;

/// To the nearest even number; what is beyond any image is beyond this one.
int64_t rounded(float value) {
  if (!(value < static_cast<float>(kMostPixels))) return kMostPixels;
  return static_cast<int64_t>(std::nearbyint(value));
}

/// A part of this form at any place, of any height that keeps to the bounds; false: there is none.
bool draw_part(int64_t width, int64_t height, const BoxWishes& wishes, float ratio, BoxChances& chances,
               Part& part) {
  if (width <= 0 || height <= 0 || wishes.most_area <= 0 || ratio <= 0 ||
      wishes.least_area > wishes.most_area)
    return false;
  const float least = wishes.least_area * static_cast<float>(width) * static_cast<float>(height);
  const float most = wishes.most_area * static_cast<float>(width) * static_cast<float>(height);
  const auto width_at = [&](int64_t rows) { return rounded(static_cast<float>(rows) * ratio); };
  int64_t rows = rounded(std::sqrt(least / ratio));
  int64_t most_rows = rounded(std::sqrt(most / ratio));
  if (width_at(most_rows) > width) {
    constexpr float kALittle = 1e-7f;
    const double fits =
        (static_cast<double>(width) + 0.5 - static_cast<double>(kALittle)) / static_cast<double>(ratio);
    most_rows = static_cast<int64_t>(std::min(fits, static_cast<double>(kMostPixels)));
    if (width_at(most_rows) > width) most_rows -= 1;
  }
  most_rows = std::min(most_rows, height);
  rows = std::min(rows, most_rows);
  if (rows < most_rows) rows += chances.below(most_rows - rows + 1);
  int64_t columns = width_at(rows);
  const auto area = [&] { return static_cast<float>(columns) * static_cast<float>(rows); };
  if (area() < least) columns = width_at(++rows);
  if (area() > most) columns = width_at(--rows);
  if (area() < least || area() > most || columns > width || rows > height || columns <= 0 || rows <= 0) {
    return false;
  }
  const int64_t top = rows < height ? chances.below(height - rows) : 0;
  const int64_t left = columns < width ? chances.below(width - columns) : 0;
  part = {left, top, left + columns, top + rows};
  return true;
}

bool covers_one(const Part& part, float least_covered, const std::vector<Part>& objects) {
  constexpr float kOnePixel = 1.0f;
  if (part.area() < kOnePixel) return false;
  return std::ranges::any_of(objects, [&](const Part& object) {
    return object.area() >= kOnePixel && part.shared_with(object).area() / object.area() >= least_covered;
  });
}

std::vector<Part> objects_in(const Array& boxes, int64_t width, int64_t height) {
  const float* const corners = boxes.data<float>();
  for (int64_t i = 0; i < boxes.size(); ++i) {
    if (corners[i] >= 0 && corners[i] <= 1) continue;
    invalid_argument(fmt::format("All bounding box coordinates must be in [0.0, 1.0]: {}", corners[i]));
  }
  std::vector<Part> objects;
  const auto pixel = [](float share, int64_t pixels) {
    return static_cast<int64_t>(share * static_cast<float>(pixels));
  };
  for (int64_t i = 0; i + 3 < boxes.size(); i += 4) {
    objects.push_back({pixel(corners[i + 1], width), pixel(corners[i], height), pixel(corners[i + 3], width),
                       pixel(corners[i + 2], height)});
  }
  return objects;
}

void check_sampled(const Array& size, const Array& boxes) {
  if (size.rank() != 1) {
    invalid_argument("image_size must be 1-dimensional" + size.shape().to_string());
  }
  if (size.dim(0) != 3) {
    invalid_argument("image_size must contain 3 elements" + size.shape().to_string());
  }
  if (boxes.rank() != 3) {
    invalid_argument("input boxes must be 3-dimensional [batch, num_boxes, coords]: " +
                     boxes.shape().to_string());
  }
  if (boxes.dim(2) != 4) {
    invalid_argument("bounding boxes must have shape [4] or [*, 4], got " + boxes.shape().to_string());
  }
}

/// The part that is drawn; the whole where no attempt gives one.
Part sampled_part(const Array& boxes, int64_t width, int64_t height, float least_covered,
                  const BoxWishes& wishes, BoxChances chances) {
  std::vector<Part> objects = objects_in(boxes, width, height);
  const Part whole{0, 0, width, height};
  if (objects.empty()) {
    if (!wishes.takes_image) {
      invalid_argument(
          "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish "
          "to not provide any bounding boxes.");
    }
    objects.push_back(whole);
  }
  Part part;
  size_t comparisons = 0;
  for (int64_t i = 0; i < wishes.attempts; ++i) {
    const float ratio = chances.real() * (wishes.most_ratio - wishes.least_ratio) + wishes.least_ratio;
    if (!draw_part(width, height, wishes, ratio, chances, part)) continue;
    if (covers_one(part, least_covered, objects)) return part;
    comparisons += objects.size();
    if (comparisons > kMostComparisons) {
      throw errors::ResourceExhaustedError(fmt::format(
          "SampleDistortedBoundingBox: none of {} attempts has covered enough of one of {} boxes\n"
          "More than {} comparisons are not made: give fewer boxes, or a smaller max_attempts.",
          i + 1, objects.size(), kMostComparisons));
    }
  }
  return whole;
}

struct DistortedBox {
  BoxWishes wishes;
  float least_covered;  // of the first version
  DType dtype;
  Shape size_shape;
  Shape boxes_shape;
  Shape covered_shape;
  bool has_input;  // the second version

  float least_covered_of(const KernelCall& call) const {
    if (!has_input) return least_covered;
    if (covered_shape.rank() != 0) {
      invalid_argument("min_object_covered must be 0-D, got shape " + covered_shape.to_string());
    }
    const float covered = *call.in<float>(2);
    if (covered >= 0) return covered;
    invalid_argument(fmt::format("Min object covered must be non-negative: {}", covered));
  }

  void run(const KernelCall& call, RandomGenerator& generator) const {
    const Array size = input_array(call, 0, dtype, size_shape);
    const Array boxes = input_array(call, 1, DType::kFloat32, boxes_shape);
    check_sampled(size, boxes);
    const std::vector<int64_t> sizes = graph::to_integers(size);
    const int64_t height = sizes[0];
    const int64_t width = sizes[1];
    if (height < 0 || width < 0 || height > kMostPixels || width > kMostPixels) {
      invalid_argument(fmt::format("image height and width must not be negative, got height {} and width {}",
                                   height, width));
    }
    const float covered = least_covered_of(call);
    const Part part = sampled_part(boxes, width, height, covered, wishes,
                                   BoxChances(generator.stream.reserve_positions(wishes.attempts)));
    put(call, part, static_cast<float>(width), static_cast<float>(height));
  }

  void put(const KernelCall& call, const Part& part, float width, float height) const {
    const Array begin = Array(std::vector<int64_t>{part.top, part.left, 0}).astype(dtype);
    const Array size =
        Array(std::vector<int64_t>{part.bottom - part.top, part.right - part.left, -1}).astype(dtype);
    std::copy_n(static_cast<const char*>(begin.raw_data()), begin.size_bytes(), call.out<char>(0));
    std::copy_n(static_cast<const char*>(size.raw_data()), size.size_bytes(), call.out<char>(1));
    auto* const box = call.out<float>(2);
    box[0] = static_cast<float>(part.top) / height;
    box[1] = static_cast<float>(part.left) / width;
    box[2] = static_cast<float>(part.bottom) / height;
    box[3] = static_cast<float>(part.right) / width;
  }
};

/// Two numbers of an attribute.
std::vector<float> range_of(const graph::Attrs& attrs, const char* name, const char* said) {
  auto range = attrs.get<std::vector<float>>(name);
  if (range.size() != 2) invalid_argument(fmt::format("{} field must specify 2 dimensions", said));
  if (!(range[0] > 0) || !(range[1] > 0) || !std::isfinite(range[0]) || !std::isfinite(range[1])) {
    invalid_argument(fmt::format("{} must be non-negative: [{}]", said, fmt::join(range, ", ")));
  }
  return range;
}

BoxWishes box_wishes(const graph::Attrs& attrs) {
  const std::vector<float> ratios = range_of(attrs, "aspect_ratio_range", "Aspect ratio range");
  const std::vector<float> areas = range_of(attrs, "area_range", "Area range");
  if (areas[0] > 1 || areas[1] > 1) {
    invalid_argument(
        fmt::format("Area range must be less then or equal to 1.0: [{}]", fmt::join(areas, ", ")));
  }
  const auto attempts = attrs.get<int64_t>("max_attempts");
  if (attempts <= 0) invalid_argument(fmt::format("Max attempts must be non-negative: {}", attempts));
  if (attempts > kMostAttempts) {
    invalid_argument(fmt::format("Max attempts is {}\nMore than {} are not made.", attempts, kMostAttempts));
  }
  return {ratios[0], ratios[1], areas[0],
          areas[1],  attempts,  attrs.get<bool>("use_image_if_no_bounding_boxes")};
}

template <bool kSecond>
std::unique_ptr<graph::Kernel> prepare_distorted_box(PrepareContext& context) {
  const graph::Attrs& attrs = context.attrs();
  DistortedBox box{
      box_wishes(attrs), 0,      context.input_dtype(0), context.input_shape(0), context.input_shape(1),
      Shape(),           kSecond};
  if constexpr (kSecond) {
    box.covered_shape = context.input_shape(2);
  } else {
    box.least_covered = attrs.get<float>("min_object_covered");
    if (!(box.least_covered >= 0)) {
      invalid_argument(fmt::format("Min object covered must be non-negative: {}", box.least_covered));
    }
  }
  const auto generator = generator_of(context);
  return graph::make_kernel([box, generator](const KernelCall& call) { box.run(call, *generator); });
}

void distorted_box_shape(ShapeContext& context) {
  if (!context.running()) {
    const Shape size = context.with_rank(0, 1);
    const Shape boxes = context.with_rank(1, 3);
    if (context.num_inputs() > 2) context.with_rank(2, 0);
    check_dim(size.dim(0), 3);
    check_dim(boxes.dim(2), 4);
  }
  context.set_output(0, Shape{3});
  context.set_output(1, Shape{3});
  context.set_output(2, Shape{1, 1, 4});
}

constexpr graph::OpRow kDistortedBoxOps[] = {
    {.name = "SampleDistortedBoundingBox",
     .inputs = "image_size:T, bounding_boxes:float32",
     .outputs = "begin:T, size:T, bboxes:float32",
     .attrs = "T:type{[uint8,int8,int16,int32,int64]}; seed:int=0; seed2:int=0; "
              "min_object_covered:float=0.10000000149011612; "
              "aspect_ratio_range:list(float)=[0.75,1.3300000429153442]; "
              "area_range:list(float)=[0.05000000074505806,1.0]; max_attempts:int=100; "
              "use_image_if_no_bounding_boxes:bool=false",
     .stateful = true,
     .shape = distorted_box_shape,
     .not_differentiable = true,
     .prepare = prepare_distorted_box<false>},
    {.name = "SampleDistortedBoundingBoxV2",
     .inputs = "image_size:T, bounding_boxes:float32, min_object_covered:float32",
     .outputs = "begin:T, size:T, bboxes:float32",
     .attrs = "T:type{[uint8,int8,int16,int32,int64]}; seed:int=0; seed2:int=0; "
              "aspect_ratio_range:list(float)=[0.75,1.3300000429153442]; "
              "area_range:list(float)=[0.05000000074505806,1.0]; max_attempts:int=100; "
              "use_image_if_no_bounding_boxes:bool=false",
     .stateful = true,
     .shape = distorted_box_shape,
     .not_differentiable = true,
     .prepare = prepare_distorted_box<true>},
};

}  // namespace

void register_distorted_box_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kDistortedBoxOps) table.add(row);
}

}  // namespace flowray::ops
