// CropAndResize with its gradients: boxes of images, each resized to one size.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/image/register.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

using CroppedTypes = TypeList<float, double, uint8_t, uint16_t, int8_t, int16_t, int32_t, int64_t>;

// ---- shapes

void crops_shape(ShapeContext& context) {
  const Shape image = context.with_rank(0, 4);
  const Shape boxes = context.with_rank(1, 2);
  const Shape indices = context.with_rank(2, 1);
  const int64_t count = ShapeContext::merge_dim(boxes.dim(0), indices.dim(0));
  ShapeContext::merge_dim(boxes.dim(1), 4);
  const Shape size = context.with_rank(3, 1);
  ShapeContext::merge_dim(size.dim(0), 2);
  Shape crop{Shape::kUnknownDim, Shape::kUnknownDim};
  if (context.value(3) != nullptr) crop = Shape(context.integers(3));
  context.set_output(0, Shape{count, crop.dim(0), crop.dim(1), image.dim(3)});
}

void gradient_of_image_shape(ShapeContext& context) {
  const Shape grads = context.with_rank(0, 4);
  const Shape boxes = context.with_rank(1, 2);
  const Shape indices = context.with_rank(2, 1);
  ShapeContext::merge_dim(boxes.dim(0), indices.dim(0));
  ShapeContext::merge_dim(grads.dim(0), boxes.dim(0));
  const Shape size = context.with_rank(3, 1);
  ShapeContext::merge_dim(size.dim(0), 4);
  Shape image{Shape::kUnknownDim, Shape::kUnknownDim, Shape::kUnknownDim, Shape::kUnknownDim};
  if (context.value(3) != nullptr) image = Shape(context.integers(3));
  context.set_output(0, image);
}

void gradient_of_boxes_shape(ShapeContext& context) {
  context.with_rank(0, 4);
  context.with_rank(1, 4);
  const Shape boxes = context.with_rank(2, 2);
  const Shape indices = context.with_rank(3, 1);
  ShapeContext::merge_dim(boxes.dim(0), indices.dim(0));
  context.set_output(0, boxes);
}

// ---- what is cropped

/// Copies: the inputs may lie in memory that another process changes after they were checked.
struct Boxes {
  std::vector<float> edges;  // four of each
  std::vector<int32_t> images;

  int64_t count() const { return static_cast<int64_t>(images.size()); }
  void check_images(int64_t batch) const {
    for (const int32_t image : images) {
      if (image < 0 || image >= batch)
        throw errors::OutOfRangeError("box_index has values outside [0, batch_size)");
    }
  }
};

/// The op and its gradients have words of their own.
Boxes checked_boxes(const Array& boxes, const Array& indices, bool of_gradient) {
  if (boxes.size() == 0 && indices.size() == 0) return {};
  if (boxes.rank() != 2) {
    invalid_argument((of_gradient ? "boxes must be 2-D" : "boxes must be 2-D, got: ") +
                     boxes.shape().to_string());
  }
  if (boxes.dim(1) != 4) invalid_argument("boxes must have 4 columns");
  const auto edges = boxes.span<float>();
  const auto images = indices.span<int32_t>();
  Boxes copied{{edges.begin(), edges.end()}, {images.begin(), images.end()}};
  for (const float edge : copied.edges) {
    if (!std::isfinite(edge)) invalid_argument("boxes values must be finite");
  }
  if (indices.rank() != 1) {
    invalid_argument((of_gradient ? "box_index must be 1-D" : "box_indices must be rank 1 but is shape ") +
                     indices.shape().to_string());
  }
  if (indices.dim(0) != boxes.dim(0)) invalid_argument("box_index has incompatible shape");
  return copied;
}

/// Where places of a crop lie in one dimension of an image.
struct Places {
  float first;  // of the box, as parts of the image
  float last;
  int64_t in;
  int64_t out;

  float at(int64_t i) const {
    const auto end = static_cast<float>(in - 1);
    if (out <= 1) return 0.5f * (first + last) * end;
    return first * end + static_cast<float>(i) * scale();
  }
  float scale() const {
    return out > 1 ? (last - first) * static_cast<float>(in - 1) / static_cast<float>(out - 1) : 0;
  }
  bool inside(float place) const { return place >= 0 && place <= static_cast<float>(in - 1); }
};

/// The pixels around a place, and how near it is to the upper one. A float may be rounded to a place beyond
/// the last of more than 2^24 pixels.
struct Around {
  Around(float place, int64_t pixels)
      : lower(std::min(static_cast<int64_t>(std::floor(place)), pixels - 1)),
        upper(std::min(static_cast<int64_t>(std::ceil(place)), pixels - 1)),
        share(place - std::floor(place)) {}
  static int64_t nearest(float place, int64_t pixels) {
    return std::min(static_cast<int64_t>(std::round(place)), pixels - 1);
  }
  int64_t lower;
  int64_t upper;
  float share;
};

struct Crops {
  Boxes boxes;
  Shape image;  // [batch, height, width, channels]
  int64_t height;
  int64_t width;

  int64_t count() const { return boxes.count(); }
  Places rows(int64_t box) const { return {edge(box, 0), edge(box, 2), image.dim(1), height}; }
  Places columns(int64_t box) const { return {edge(box, 1), edge(box, 3), image.dim(2), width}; }
  float edge(int64_t box, int64_t which) const { return boxes.edges[static_cast<size_t>(4 * box + which)]; }
  int64_t pixel(int64_t box, int64_t y, int64_t x) const {
    const int64_t number = boxes.images[static_cast<size_t>(box)];
    return ((number * image.dim(1) + y) * image.dim(2) + x) * image.dim(3);
  }
  Around around_row(float y) const { return {y, image.dim(1)}; }
  Around around_column(float x) const { return {x, image.dim(2)}; }
  int64_t nearest_pixel(int64_t box, float y, float x) const {
    return pixel(box, Around::nearest(y, image.dim(1)), Around::nearest(x, image.dim(2)));
  }

  /// visit(box, y, x, offset in the crops) for all places of all crops; y and x are those in the image, and
  /// `inside` whether it has them.
  template <class Visit>
  void for_each(const Visit& visit) const {
    int64_t offset = 0;
    for (int64_t box = 0; box < count(); ++box) {
      const Places down = rows(box);
      const Places along = columns(box);
      for (int64_t i = 0; i < height; ++i) {
        for (int64_t j = 0; j < width; ++j, offset += image.dim(3)) {
          const float y = down.at(i);
          const float x = along.at(j);
          visit(box, y, x, offset, down.inside(y) && along.inside(x));
        }
      }
    }
  }
};

bool is_nearest(const DynamicCall& call) { return call.attrs().get<std::string>("method") == "nearest"; }

template <class T>
void crop(const DynamicCall& call, const Crops& crops, float* out) {
  const T* const in = call.in(0).data<T>();
  const auto outside = call.attrs().get<float>("extrapolation_value");
  const bool nearest = is_nearest(call);
  const int64_t channels = crops.image.dim(3);
  crops.for_each([&](int64_t box, float y, float x, int64_t offset, bool inside) {
    if (!inside) return static_cast<void>(std::fill_n(out + offset, channels, outside));
    if (nearest) {
      const T* const from = in + crops.nearest_pixel(box, y, x);
      for (int64_t c = 0; c < channels; ++c) out[offset + c] = static_cast<float>(from[c]);
      return;
    }
    const Around down = crops.around_row(y);
    const Around along = crops.around_column(x);
    const T* const top_left = in + crops.pixel(box, down.lower, along.lower);
    const T* const top_right = in + crops.pixel(box, down.lower, along.upper);
    const T* const bottom_left = in + crops.pixel(box, down.upper, along.lower);
    const T* const bottom_right = in + crops.pixel(box, down.upper, along.upper);
    const auto mixed = [](float a, float z, float share) { return a + (z - a) * share; };
    for (int64_t c = 0; c < channels; ++c) {
      const float top = mixed(static_cast<float>(top_left[c]), static_cast<float>(top_right[c]), along.share);
      const float bottom =
          mixed(static_cast<float>(bottom_left[c]), static_cast<float>(bottom_right[c]), along.share);
      out[offset + c] = mixed(top, bottom, down.share);
    }
  });
}

void compute_crops(DynamicCall& call) {
  const Array image = call.in(0).dtype() == DType::kFloat16 ? call.in(0).astype(DType::kFloat32) : call.in(0);
  if (image.rank() != 4) invalid_argument("input image must be 4-D" + image.shape().to_string());
  if (image.dim(1) <= 0 || image.dim(2) <= 0) invalid_argument("image dimensions must be positive");
  Boxes boxes = checked_boxes(call.in(1), call.in(2), false);
  const Array& size = call.in(3);
  if (size.rank() != 1) invalid_argument("crop_size must be 1-D" + size.shape().to_string());
  if (size.dim(0) != 2) invalid_argument("crop_size must have two elements" + size.shape().to_string());
  const int64_t height = size.data<int32_t>()[0];
  const int64_t width = size.data<int32_t>()[1];
  if (height <= 0 || width <= 0) invalid_argument("crop dimensions must be positive");
  boxes.check_images(image.dim(0));
  Array out(DType::kFloat32, Shape{boxes.count(), height, width, image.dim(3)});
  if (out.size() == 0) return call.set_out(0, out);  // of pixels without channels there may be 2^62
  const Crops crops{std::move(boxes), image.shape(), height, width};
  const Array inputs[] = {image};
  Array none[1];
  const DynamicCall of_image(call.attrs(), inputs, none, call.parallel());
  const bool done = dispatch<CroppedTypes>(
      image.dtype(), [&]<class T>() { crop<T>(of_image, crops, out.mutable_data<float>()); });
  if (!done)
    throw errors::UnimplementedError("There is no kernel for " + std::string(dtype_name(image.dtype())));
  call.set_out(0, out);
}

// ---- gradients

template <class T>
Array image_gradient(const DynamicCall& call, const Crops& crops) {
  Array out(kDTypeOf<T>, crops.image);
  if (call.in(0).size() == 0) return out;  // of pixels without channels there may be 2^62
  T* const to = out.mutable_data<T>();
  const float* const grads = call.in(0).data<float>();
  const bool nearest = is_nearest(call);
  crops.for_each([&](int64_t box, float y, float x, int64_t offset, bool inside) {
    if (!inside) return;
    const auto add = [&](int64_t pixel, float of_row, float of_column) {
      T* const at = to + pixel;
      for (int64_t c = 0; c < crops.image.dim(3); ++c) {
        const float part = of_row * grads[offset + c];
        at[c] += static_cast<T>(of_column * part);
      }
    };
    if (nearest) return add(crops.nearest_pixel(box, y, x), 1, 1);
    const Around down = crops.around_row(y);
    const Around along = crops.around_column(x);
    add(crops.pixel(box, down.lower, along.lower), 1 - down.share, 1 - along.share);
    add(crops.pixel(box, down.lower, along.upper), 1 - down.share, along.share);
    add(crops.pixel(box, down.upper, along.lower), down.share, 1 - along.share);
    add(crops.pixel(box, down.upper, along.upper), down.share, along.share);
  });
  return out;
}

void check_grads(const Array& grads, int64_t count) {
  if (grads.rank() != 4) invalid_argument("grads image must be 4-D" + grads.shape().to_string());
  if (grads.dim(1) <= 0 || grads.dim(2) <= 0) invalid_argument("grads dimensions must be positive");
  if (grads.dim(0) != count) invalid_argument("boxes and grads have incompatible shape");
}

void compute_image_gradient(DynamicCall& call) {
  const Array& grads = call.in(0);
  Boxes boxes = checked_boxes(call.in(1), call.in(2), true);
  check_grads(grads, boxes.count());
  const Array& size = call.in(3);
  if (size.rank() != 1) invalid_argument("image_size must be 1-D" + size.shape().to_string());
  if (size.dim(0) != 4) invalid_argument("image_size must have 4 elements" + size.shape().to_string());
  std::vector<int64_t> dims(size.data<int32_t>(), size.data<int32_t>() + 4);
  if (dims[1] <= 0 || dims[2] <= 0) invalid_argument("image dimensions must be positive");
  if (dims[3] != grads.dim(3)) invalid_argument("image_size and grads are incompatible");
  if (dims[0] < 0) invalid_argument(fmt::format("Dimension {} must be >= 0", dims[0]));
  boxes.check_images(dims[0]);
  const Crops crops{std::move(boxes), Shape(dims), grads.dim(1), grads.dim(2)};
  const DType dtype = call.attrs().get<DType>("T");
  if (dtype == DType::kFloat64) return call.set_out(0, image_gradient<double>(call, crops));
  call.set_out(0, image_gradient<float>(call, crops).astype(dtype));
}

template <class T>
void add_boxes_gradient(const T* image, const float* grads, const Crops& crops, float* out) {
  const int64_t channels = crops.image.dim(3);
  int64_t offset = 0;
  for (int64_t box = 0; box < crops.count(); ++box) {
    const Places down = crops.rows(box);
    const Places along = crops.columns(box);
    const auto height = static_cast<float>(down.in - 1);
    const auto width = static_cast<float>(along.in - 1);
    for (int64_t i = 0; i < crops.height; ++i) {
      for (int64_t j = 0; j < crops.width; ++j, offset += channels) {
        const float y = down.at(i);
        const float x = along.at(j);
        if (!down.inside(y) || !along.inside(x)) continue;
        const Around rows = crops.around_row(y);
        const Around columns = crops.around_column(x);
        for (int64_t c = 0; c < channels; ++c) {
          const auto at = [&](int64_t row, int64_t column) {
            return static_cast<float>(image[crops.pixel(box, row, column) + c]);
          };
          const float top_left = at(rows.lower, columns.lower);
          const float top_right = at(rows.lower, columns.upper);
          const float bottom_left = at(rows.upper, columns.lower);
          const float bottom_right = at(rows.upper, columns.upper);
          const float by_y =
              ((1 - columns.share) * (bottom_left - top_left) + columns.share * (bottom_right - top_right)) *
              grads[offset + c];
          const float by_x =
              ((1 - rows.share) * (top_right - top_left) + rows.share * (bottom_right - bottom_left)) *
              grads[offset + c];
          // A place is a share of the box's first edge and a share of its last.
          const float row =
              crops.height > 1 ? static_cast<float>(i) / static_cast<float>(crops.height - 1) : 0.5f;
          const float column =
              crops.width > 1 ? static_cast<float>(j) / static_cast<float>(crops.width - 1) : 0.5f;
          out[4 * box] += by_y * height * (1 - row);
          out[4 * box + 1] += by_x * width * (1 - column);
          out[4 * box + 2] += by_y * height * row;
          out[4 * box + 3] += by_x * width * column;
        }
      }
    }
  }
}

void compute_boxes_gradient(DynamicCall& call) {
  const Array& grads = call.in(0);
  const Array image = call.in(1).dtype() == DType::kFloat16 ? call.in(1).astype(DType::kFloat32) : call.in(1);
  Boxes boxes = checked_boxes(call.in(2), call.in(3), true);
  check_grads(grads, boxes.count());
  if (image.rank() != 4) invalid_argument("input image must be 4-D" + image.shape().to_string());
  if (image.dim(1) <= 0 || image.dim(2) <= 0) invalid_argument("image dimensions must be positive");
  if (image.dim(3) != grads.dim(3)) invalid_argument("image, grads depth differ");
  boxes.check_images(image.dim(0));
  const Crops crops{std::move(boxes), image.shape(), grads.dim(1), grads.dim(2)};
  Array out(DType::kFloat32, Shape{crops.count(), 4});
  if (grads.size() == 0) return call.set_out(0, out);
  const bool done = dispatch<CroppedTypes>(image.dtype(), [&]<class T>() {
    add_boxes_gradient(image.data<T>(), grads.data<float>(), crops, out.mutable_data<float>());
  });
  if (!done)
    throw errors::UnimplementedError("There is no kernel for " + std::string(dtype_name(image.dtype())));
  call.set_out(0, out);
}

std::vector<Endpoint> crops_gradient(GradientContext& g) {
  const DType dtype = base_dtype(g.input(0).dtype());
  Endpoint of_image;
  const Endpoint shape = python_shape(g, g.input(0));
  if (is_floating(dtype)) {
    of_image = g.op("CropAndResizeGradImage", {g.grad(), g.input(1), g.input(2), shape},
                    {{"T", dtype}, {"method", g.attrs().get<std::string>("method")}});
  }
  const Endpoint of_boxes = g.op("CropAndResizeGradBoxes", {g.grad(), g.input(0), g.input(1), g.input(2)});
  return {of_image, of_boxes, {}, {}};
}

constexpr graph::OpRow kCropOps[] = {
    {.name = "CropAndResize",
     .inputs = "image:T, boxes:float32, box_ind:int32, crop_size:int32",
     .outputs = "crops:float32",
     .attrs = "T:type{[uint8,uint16,int8,int16,int32,int64,float16,float32,float64]}; "
              "method:string=\"bilinear\"{[bilinear,nearest]}; extrapolation_value:float=0.0",
     .shape = crops_shape,
     .gradient = crops_gradient,
     .compute = compute_crops},
    {.name = "CropAndResizeGradImage",
     .inputs = "grads:float32, boxes:float32, box_ind:int32, image_size:int32",
     .outputs = "output:T",
     .attrs = "T:type{[float32,float16,float64]}; method:string=\"bilinear\"{[bilinear,nearest]}",
     .shape = gradient_of_image_shape,
     .compute = compute_image_gradient},
    {.name = "CropAndResizeGradBoxes",
     .inputs = "grads:float32, image:T, boxes:float32, box_ind:int32",
     .outputs = "output:float32",
     .attrs = "T:type{[uint8,uint16,int8,int16,int32,int64,float16,float32,float64]}; "
              "method:string=\"bilinear\"{[bilinear]}",
     .shape = gradient_of_boxes_shape,
     .compute = compute_boxes_gradient},
};

}  // namespace

void register_crop_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kCropOps) table.add(row);
}

}  // namespace flowray::ops
