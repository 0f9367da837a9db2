#pragma once
/// Windows that move over images: the attributes that convolutions and pooling share, and the sizes
/// that follow.

#include "core/checked_size.h"
#include "graph/attributes.h"
#include "graph/shape_context.h"

namespace flowray::ops {

/// One spatial dimension of a moving window.
struct WindowDim {
  int64_t window = 1;  ///< As it is written; it covers (window - 1) * dilation + 1 elements.
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;  ///< EXPLICIT only, as pad_after.
  int64_t pad_after = 0;

  /// Throws errors::InvalidArgumentError where that does not fit.
  int64_t covered() const { return checked(window - 1) * dilation + 1; }
};

enum class Padding { kSame, kValid, kExplicit };

/// How many places a window has in `in` elements, and how many zeros stand before the first one.
struct WindowPlaces {
  int64_t count = 0;
  int64_t pad_before = 0;
};

Padding padding_of(const graph::Attrs& attrs);

/// At build time (`running` false) an unknown `in` or window gives an unknown count, and a window that does
/// not fit throws "Negative dimension size caused by subtracting 3 from 2". At run time it has no place, as
/// in TensorFlow, or fails with "Computed output size would be negative: -2 [input_size: 1,
/// effective_filter_size: 4, stride: 1]".
WindowPlaces places_of(int64_t in, const WindowDim& dim, Padding padding, bool running);

/// The attribute `strides`, `dilations` or `ksize` in the order N, H, W, C whatever the data format. "Conv2D
/// on data format NHWC requires the stride attribute to contain 4 values, but got: 3"; "Attr strides has
/// value 3000000000 out of range for an int32"
std::vector<int64_t> window_attr(const graph::Attrs& attrs, std::string_view name, std::string_view wording);

/// The order of the dimensions N, H, W, C in the attribute data_format: {0, 1, 2, 3} or {0, 2, 3, 1}.
struct DataOrder {
  int batch = 0;
  int height = 1;
  int width = 2;
  int channels = 3;
};
DataOrder data_order(const graph::Attrs& attrs);

/// Puts the attribute explicit_paddings into what the dimensions are padded with. Throws
/// errors::InvalidArgumentError unless it has two numbers for each of the four dimensions, not negative and 0
/// outside of height and width; for another padding than EXPLICIT unless it is empty.
void set_explicit_paddings(const graph::Attrs& attrs, Padding padding, const DataOrder& order,
                           WindowDim& height, WindowDim& width);

/// A shape with these four dimensions in the order of `order`.
Shape image_shape(const DataOrder& order, int64_t batch, int64_t height, int64_t width, int64_t channels);

}  // namespace flowray::ops
