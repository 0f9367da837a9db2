#pragma once

// Convolution and its gradients for any arithmetic type: loops that a compiler can vectorise, nothing more.

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "core/wrapping.h"
#include "ops/loops/conv_loops.h"
#include "ops/loops/gemm_plain.h"

namespace flowray::ops {

/// The input row under filter row `i` at output row `y`; outside of [0, in_height) it is padding.
/// Columns likewise.
inline int64_t in_row_at(const Conv2DShape& s, int64_t y, int64_t i) {
  return y * s.stride_height + i * s.dilation_height - s.pad_top;
}
inline int64_t in_column_at(const Conv2DShape& s, int64_t x, int64_t j) {
  return x * s.stride_width + j * s.dilation_width - s.pad_left;
}

/// Calls body(y, x, i, j, in_pixel) for every output pixel (y, x) of output row y and filter place (i, j)
/// that lies over a pixel of the image; in_pixel is that one's index in the image.
template <typename Body>
void for_places_in_row(const Conv2DShape& s, int64_t y, Body body) {
  for (int64_t i = 0; i < s.filter_height; ++i) {
    const int64_t row = in_row_at(s, y, i);
    if (row < 0 || row >= s.in_height) continue;
    for (int64_t x = 0; x < s.out_width; ++x) {
      for (int64_t j = 0; j < s.filter_width; ++j) {
        const int64_t column = in_column_at(s, x, j);
        if (column >= 0 && column < s.in_width) body(x, i * s.filter_width + j, row * s.in_width + column);
      }
    }
  }
}

/// Output rows are independent of each other.
template <typename T>
void convolve_plainly(const Conv2DShape& s, const Conv2DEpilogue& epilogue, const T* in, const T* filter,
                      const T* bias, T* out, Parallel& parallel, const FinishedElements* finished) {
  const int64_t channels = s.out_channels;
  auto run_rows = [&](int64_t row, int64_t end, int /*worker*/) {
    for (; row < end; ++row) {
      const T* image = in + row / s.out_height * s.in_height * s.in_width * s.in_channels;
      T* out_row = out + row * s.out_width * channels;
      std::fill_n(out_row, s.out_width * channels, T{0});
      for_places_in_row(s, row % s.out_height, [&](int64_t x, int64_t place, int64_t in_pixel) {
        for (int64_t c = 0; c < s.in_channels; ++c) {
          const T value = image[in_pixel * s.in_channels + c];
          const T* weights = filter + (place * s.in_channels + c) * channels;
          for (int64_t o = 0; o < channels; ++o) {
            out_row[x * channels + o] = multiply_add(value, weights[o], out_row[x * channels + o]);
          }
        }
      });
      for (int64_t o = 0; o < s.out_width * channels; ++o) {
        if (epilogue.bias) out_row[o] = wrapping_add(out_row[o], bias[o % channels]);
        if (epilogue.relu && out_row[o] < T{0}) out_row[o] = T{0};
      }
      if (finished != nullptr) (*finished)(row* s.out_width* channels, (row + 1) * s.out_width * channels);
    }
  };
  parallel.for_range(s.batch * s.out_height, 1, run_rows);
}

/// Images are independent of each other.
template <typename T>
void convolve_input_gradient_plainly(const Conv2DShape& s, const T* filter, const T* out_gradient,
                                     T* in_gradient, Parallel& parallel, const FinishedElements* finished) {
  const int64_t image_elements = s.in_height * s.in_width * s.in_channels;
  auto run_images = [&](int64_t image, int64_t end, int /*worker*/) {
    for (; image < end; ++image) {
      T* to = in_gradient + image * image_elements;
      std::fill_n(to, image_elements, T{0});
      for (int64_t y = 0; y < s.out_height; ++y) {
        const T* row = out_gradient + (image * s.out_height + y) * s.out_width * s.out_channels;
        for_places_in_row(s, y, [&](int64_t x, int64_t place, int64_t in_pixel) {
          for (int64_t c = 0; c < s.in_channels; ++c) {
            const T* weights = filter + (place * s.in_channels + c) * s.out_channels;
            T sum = to[in_pixel * s.in_channels + c];
            for (int64_t o = 0; o < s.out_channels; ++o) {
              sum = multiply_add(row[x * s.out_channels + o], weights[o], sum);
            }
            to[in_pixel * s.in_channels + c] = sum;
          }
        });
      }
      if (finished != nullptr) (*finished)(image* image_elements, (image + 1) * image_elements);
    }
  };
  parallel.for_range(s.batch, 1, run_images);
}

/// Filter rows are independent of each other.
template <typename T>
void convolve_filter_gradient_plainly(const Conv2DShape& s, const T* in, const T* out_gradient,
                                      T* filter_gradient, Parallel& parallel) {
  const int64_t row_elements = s.filter_width * s.in_channels * s.out_channels;
  auto run_filter_rows = [&](int64_t begin, int64_t end, int /*worker*/) {
    std::fill_n(filter_gradient + begin * row_elements, (end - begin) * row_elements, T{0});
    for (int64_t row = 0; row < s.batch * s.out_height; ++row) {
      const T* image = in + row / s.out_height * s.in_height * s.in_width * s.in_channels;
      const T* gradients = out_gradient + row * s.out_width * s.out_channels;
      for_places_in_row(s, row % s.out_height, [&](int64_t x, int64_t place, int64_t in_pixel) {
        if (place < begin * s.filter_width || place >= end * s.filter_width) return;
        for (int64_t c = 0; c < s.in_channels; ++c) {
          const T value = image[in_pixel * s.in_channels + c];
          T* to = filter_gradient + (place * s.in_channels + c) * s.out_channels;
          for (int64_t o = 0; o < s.out_channels; ++o) {
            to[o] = multiply_add(value, gradients[x * s.out_channels + o], to[o]);
          }
        }
      });
    }
  };
  parallel.for_range(s.filter_height, 1, run_filter_rows);
}

}  // namespace flowray::ops
