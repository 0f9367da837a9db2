#pragma once
/// What functions of images share: checks of shapes, and one image as a batch of one.

#include "tf/build/composite.h"
#include "tf/image/extent.h"

#include <array>
#include <vector>

namespace flowray::tf::image {

/// Operations that check what the shape does not tell: at least three dimensions, the last three of which
/// have elements. Throws ValueError where it is known not to be so.
std::vector<Operation> checks_of_image(const Tensor& image);
/// The image, after these checks.
Tensor checked_image(const Tensor& image);

/// Sizes of four dimensions.
struct Sizes {
  Extent batch = 0, height = 0, width = 0, depth = 0;
};
Sizes sizes_of(const Tensor& images);

/// Images of four dimensions, made from one or several.
struct Batch {
  Tensor images;
  bool of_one = false;

  /// In the form in which the image was given.
  Tensor as_given(const Tensor& result) const { return of_one ? squeeze(result, {0}) : result; }
};
/// Throws ValueError for another number of dimensions than 3 or 4.
Batch as_batch(const Tensor& image);

/// The error of other numbers of dimensions than 3 and 4.
[[noreturn]] void refuse_rank(const TensorShape& shape, const char* between = " ");

}  // namespace flowray::tf::image
