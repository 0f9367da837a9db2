/// tf.image.

#include "native/convert/convert.h"

#include <flowray/tf/image.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

namespace image = tf::image;

using OfImage = tf::Tensor (*)(const tf::Input&);
using Named = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);
using Seeded = tf::Tensor (*)(const tf::Input&, const image::SeedOption&);
using Sized = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&);
using Boxed = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&, const tf::Input&,
                             const tf::Input&);
using Amount = tf::Tensor (*)(const tf::Input&, const tf::Input&);
using NamedAmount = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::NameOption&);
using Delta = tf::Tensor (*)(const tf::Input&, double, const image::SeedOption&);
using Range = tf::Tensor (*)(const tf::Input&, double, double, const image::SeedOption&);

/// A number of tf.image.ResizeMethod, or one of the words of later versions.
image::ResizeMethod as_method(nb::handle method) {
  static constexpr const char* kWords[] = {"bilinear", "nearest", "bicubic", "area"};
  for (int i = 0; i < 4; ++i) {
    const bool is_it = is_one_integer(method)
                           ? as_int(method) == i
                           : PyUnicode_Check(method.ptr()) != 0 && bytes_of(method) == kWords[i];
    if (is_it) return static_cast<image::ResizeMethod>(i);
  }
  throw ValueError(fmt::format("Resize method is not implemented: {}", nb::str(method).c_str()));
}

void bind_moves(nb::module_& m) {
  const auto plain = [&](const char* name, const char* argument, OfImage function) {
    m.def(name, [function](nb::handle x) { return give(function(as_input(x))); }, nb::arg(argument).none());
  };
  plain("flip_left_right", "image", &image::flip_left_right);
  plain("flip_up_down", "image", &image::flip_up_down);
  plain("per_image_standardization", "image", &image::per_image_standardization);
  plain("sobel_edges", "image", &image::sobel_edges);
  plain("rgb_to_yuv", "images", &image::rgb_to_yuv);
  plain("yuv_to_rgb", "images", &image::yuv_to_rgb);
  plain("rgb_to_yiq", "images", &image::rgb_to_yiq);
  plain("yiq_to_rgb", "images", &image::yiq_to_rgb);
  const auto seeded = [&](const char* name, Seeded function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle seed) {
          return give(function(as_input(x), {as_optional_int(seed)}));
        },
        "image"_a, "seed"_a = nb::none());
  };
  seeded("random_flip_left_right", &image::random_flip_left_right);
  seeded("random_flip_up_down", &image::random_flip_up_down);
  const auto named = [&](const char* name, const char* argument, Named function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle node_name) {
          return give(function(as_input(x), {as_text(node_name)}));
        },
        nb::arg(argument).none(), "name"_a = nb::none());
  };
  named("transpose", "image", &image::transpose);
  named("rgb_to_grayscale", "images", &image::rgb_to_grayscale);
  named("grayscale_to_rgb", "images", &image::grayscale_to_rgb);
  named("total_variation", "images", &image::total_variation);
  m.def(
      "rot90",
      [](nb::handle x, nb::handle k, nb::handle name) {
        return give(image::rot90(as_input(x), {.k = as_input(k), .name = as_text(name)}));
      },
      "image"_a, "k"_a = 1, "name"_a = nb::none());
}

void bind_sizes(nb::module_& m) {
  m.def(
      "central_crop",
      [](nb::handle x, nb::handle fraction) {
        return give(image::central_crop(as_input(x), as_input(fraction)));
      },
      "image"_a, "central_fraction"_a);
  const auto boxed = [&](const char* name, Boxed function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle top, nb::handle left, nb::handle height, nb::handle width) {
          return give(
              function(as_input(x), as_input(top), as_input(left), as_input(height), as_input(width)));
        },
        "image"_a, "offset_height"_a, "offset_width"_a, "target_height"_a, "target_width"_a);
  };
  boxed("crop_to_bounding_box", &image::crop_to_bounding_box);
  boxed("pad_to_bounding_box", &image::pad_to_bounding_box);
  m.def(
      "resize_with_crop_or_pad",
      [](nb::handle x, nb::handle height, nb::handle width) {
        return give(image::resize_with_crop_or_pad(as_input(x), as_input(height), as_input(width)));
      },
      "image"_a, "target_height"_a, "target_width"_a);
  m.def(
      "resize",
      [](nb::handle images, nb::handle size, nb::handle method, Flag align_corners, Flag aspect,
         nb::handle name) {
        return give(image::resize(as_input(images), as_input(size),
                                  {.method = as_method(method),
                                   .align_corners = align_corners,
                                   .preserve_aspect_ratio = aspect,
                                   .name = as_text(name)}));
      },
      "images"_a, "size"_a, "method"_a = 0, "align_corners"_a = false, "preserve_aspect_ratio"_a = false,
      "name"_a = nb::none());
  m.def(
      "resize_image_with_pad",
      [](nb::handle x, nb::handle height, nb::handle width, nb::handle method, Flag align_corners) {
        return give(
            image::resize_image_with_pad(as_input(x), as_input(height), as_input(width),
                                         {.method = as_method(method), .align_corners = align_corners}));
      },
      "image"_a, "target_height"_a, "target_width"_a, "method"_a = 0, "align_corners"_a = false);
}

void bind_colors(nb::module_& m) {
  const auto amount = [&](const char* name, const char* first, const char* second, Amount function) {
    m.def(
        name, [function](nb::handle x, nb::handle by) { return give(function(as_input(x), as_input(by))); },
        nb::arg(first).none(), nb::arg(second).none());
  };
  amount("adjust_brightness", "image", "delta", &image::adjust_brightness);
  amount("adjust_contrast", "images", "contrast_factor", &image::adjust_contrast);
  const auto named = [&](const char* name, const char* second, NamedAmount function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle by, nb::handle node_name) {
          return give(function(as_input(x), as_input(by), {as_text(node_name)}));
        },
        "image"_a, nb::arg(second).none(), "name"_a = nb::none());
  };
  named("adjust_hue", "delta", &image::adjust_hue);
  named("adjust_saturation", "saturation_factor", &image::adjust_saturation);
  m.def(
      "adjust_gamma",
      [](nb::handle x, nb::handle gamma, nb::handle gain) {
        return give(image::adjust_gamma(as_input(x), as_input(gamma), as_input(gain)));
      },
      "image"_a, "gamma"_a = 1, "gain"_a = 1);
  const auto by_delta = [&](const char* name, Delta function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle most, nb::handle seed) {
          return give(function(as_input(x), as_float(most), {as_optional_int(seed)}));
        },
        "image"_a, "max_delta"_a, "seed"_a = nb::none());
  };
  by_delta("random_brightness", &image::random_brightness);
  by_delta("random_hue", &image::random_hue);
  const auto between = [&](const char* name, Range function) {
    m.def(
        name,
        [function](nb::handle x, nb::handle lower, nb::handle upper, nb::handle seed) {
          return give(function(as_input(x), as_float(lower), as_float(upper), {as_optional_int(seed)}));
        },
        "image"_a, "lower"_a, "upper"_a, "seed"_a = nb::none());
  };
  between("random_contrast", &image::random_contrast);
  between("random_saturation", &image::random_saturation);
  m.def(
      "convert_image_dtype",
      [](nb::handle x, nb::handle dtype, Flag saturate, nb::handle name) {
        return give(image::convert_image_dtype(as_input(x), base_dtype(as_dtype(dtype)),
                                               {.saturate = saturate, .name = as_text(name)}));
      },
      "image"_a, "dtype"_a, "saturate"_a = false, "name"_a = nb::none());
}

}  // namespace

void bind_image(nb::module_& m) {
  bind_moves(m);
  bind_sizes(m);
  bind_colors(m);
  m.def(
      "psnr",
      [](nb::handle a, nb::handle b, nb::handle most, nb::handle name) {
        return give(image::psnr(as_input(a), as_input(b), as_input(most), {as_text(name)}));
      },
      "a"_a, "b"_a, "max_val"_a, "name"_a = nb::none());
  m.def(
      "image_gradients",
      [](nb::handle x) {
        const image::Gradients gradients = image::image_gradients(as_input(x));
        return nb::make_tuple(give(gradients.dy), give(gradients.dx));
      },
      "image"_a);
  m.def(
      "non_max_suppression",
      [](nb::handle boxes, nb::handle scores, nb::handle most, nb::handle overlap, nb::handle lowest,
         nb::handle name) {
        image::NonMaxSuppressionOptions options;
        options.iou_threshold = as_input(overlap);
        options.score_threshold = as_optional_input(lowest);
        options.name = as_text(name);
        return give(image::non_max_suppression(as_input(boxes), as_input(scores), as_input(most), options));
      },
      "boxes"_a, "scores"_a, "max_output_size"_a, "iou_threshold"_a = 0.5, "score_threshold"_a = nb::none(),
      "name"_a = nb::none());
}

}  // namespace flowray::python
