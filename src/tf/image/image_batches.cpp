#include "tf/image/image_batches.h"

#include <flowray/tf/debugging.h>

#include "tf/build/with_dependencies.h"

#include <fmt/format.h>

namespace flowray::tf::image {

std::vector<Operation> checks_of_image(const Tensor& image) {
  const TensorShape& shape = image.shape();
  if (shape.has_rank() && shape.rank() < 3) {
    throw ValueError(
        fmt::format("'image' (shape {}) must be at least three-dimensional.", shape.to_tuple_string()));
  }
  bool known = shape.has_rank();
  for (int i = -3; known && i < 0; ++i) {
    if (shape.dim(i) == 0) {
      throw ValueError(fmt::format("inner 3 dims of 'image.shape' must be > 0: {}", shape.to_tuple_string()));
    }
  }
  for (int i = -3; i < 0; ++i) known = known && shape.dim(i) > 0;
  if (known) return {};
  const Tensor inner = tf::shape(image)[Slice{.start = -3}];
  const Operation positive =
      assert_positive(inner, {.data = std::vector<Input>{"inner 3 dims of 'image.shape' must be > 0."}});
  const Operation rank =
      assert_greater_equal(tf::rank(image), 3, {.message = "'image' must be at least three-dimensional."});
  return {positive, rank};
}

Tensor checked_image(const Tensor& image) { return with_dependencies(checks_of_image(image), image); }

Sizes sizes_of(const Tensor& images) {
  const TensorShape& shape = images.shape();
  std::vector<Extent> sizes;
  const std::vector<Tensor> dynamic =
      shape.is_fully_defined() ? std::vector<Tensor>() : unstack(tf::shape(images), {.num = 4});
  for (int i = 0; i < 4; ++i) {
    const int64_t known = shape.has_rank() ? shape.dim(i) : -1;
    sizes.push_back(known >= 0 ? Extent(known) : Extent(dynamic.at(static_cast<size_t>(i))));
  }
  return {sizes[0], sizes[1], sizes[2], sizes[3]};
}

void refuse_rank(const TensorShape& shape, const char* between) {
  throw ValueError(fmt::format("'image' (shape {}){}must have either 3 or 4 dimensions.",
                               shape.to_tuple_string(), between));
}

Batch as_batch(const Tensor& image) {
  const TensorShape& shape = image.shape();
  if (shape.has_rank() && shape.rank() != 3 && shape.rank() != 4) refuse_rank(shape);
  if (shape.rank() == 4) return {image, false};
  Tensor images = expand_dims(image, 0);
  if (!shape.has_rank()) images.set_shape(TensorShape::of_rank(4));
  return {images, true};
}

}  // namespace flowray::tf::image
