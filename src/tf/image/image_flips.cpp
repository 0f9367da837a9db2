#include <flowray/tf/image.h>
#include <flowray/tf/random.h>

#include "tf/image/image_batches.h"

#include <functional>

namespace flowray::tf::image {
namespace {

using Make = std::function<Tensor()>;

/// What `of_one` makes of an image of three dimensions, or `of_several` of four; where only the step knows,
/// a conditional.
Tensor by_rank(const Tensor& image, const Make& of_one, const Make& of_several, const char* between = " ") {
  const TensorShape& shape = image.shape();
  if (shape.rank() == 3) return of_one();
  if (shape.rank() == 4) return of_several();
  if (shape.has_rank()) refuse_rank(shape, between);
  return cond(equal(rank(image), 3), of_one, of_several);
}

/// The shape of what only moves pixels.
Tensor with_shape_of(const Tensor& image, Tensor result) {
  result.set_shape(image.shape().has_rank() ? image.shape() : TensorShape::of_rank(3));
  return result;
}

Tensor flipped(const Input& input, int axis, const char* name) {
  Composite scope({{"image", input}}, {}, name, input.where());
  const Tensor image = checked_image(scope.convert(input, "image"));
  return by_rank(
      image, [&] { return with_shape_of(image, reverse(image, {axis})); },
      [&] { return reverse(image, {axis + 1}); }, "");
}

Tensor flipped_by_chance(const Input& input, int axis, const char* name, const SeedOption& options) {
  Composite scope({{"image", input}}, {}, name, input.where());
  const Tensor image = checked_image(scope.convert(input, "image"));
  const auto of_one = [&] {
    const Tensor chance = random_uniform(Literal::list({}), {.maxval = 1.0, .seed = options.seed});
    const Tensor is_chosen = less(chance, 0.5);
    return with_shape_of(image, cond(
                                    is_chosen, [&] { return reverse(image, {axis}); }, [&] { return image; },
                                    {scope.result_name()}));
  };
  const auto of_several = [&] {
    const Tensor count = shape(image)[0];
    const Tensor chances = random_uniform({count}, {.maxval = 1.0, .seed = options.seed});
    const Tensor flips = cast(round(reshape(chances, {count, 1, 1, 1})), base_dtype(image.dtype()));
    const Tensor mirrored = reverse(image, {axis + 1});
    const Tensor chosen = flips * mirrored;
    return chosen + (1 - flips) * image;
  };
  return by_rank(image, of_one, of_several);
}

/// Counter-clockwise by 90, 180 or 270 degrees, by a case of `times`. `height` is the dimension.
Tensor turned(Composite& scope, const Tensor& image, const Tensor& times, int height) {
  const int width = height + 1;
  const Array exchange(height == 0 ? std::vector<int32_t>{1, 0, 2} : std::vector<int32_t>{0, 2, 1, 3});
  const auto branch = [](const auto& make) {
    return Branch([make] { return std::vector<BranchValue>{make()}; });
  };
  const Branch once = branch([=] { return tf::transpose(reverse(image, {width}), exchange); });
  const Branch twice = branch([=] { return reverse(image, {height, width}); });
  const Branch thrice = branch([=] { return reverse(tf::transpose(image, exchange), {width}); });
  std::vector<std::pair<Tensor, Branch>> cases;
  cases.emplace_back(equal(times, 1), once);
  cases.emplace_back(equal(times, 2), twice);
  cases.emplace_back(equal(times, 3), thrice);
  Tensor result =
      case_(cases,
            {.default_fn = branch([=] { return image; }), .exclusive = true, .name = scope.result_name()})[0];
  const TensorShape& shape = height == 0 ? image.shape() : result.shape();
  if (shape.has_rank()) {
    result.set_shape(height == 0 ? TensorShape{-1, -1, shape.dim(2)}
                                 : TensorShape{shape.dim(0), -1, -1, shape.dim(3)});
  }
  return result;
}

}  // namespace

Tensor flip_left_right(const Input& image) { return flipped(image, 1, "flip_left_right"); }
Tensor flip_up_down(const Input& image) { return flipped(image, 0, "flip_up_down"); }
Tensor random_flip_left_right(const Input& image, const SeedOption& options) {
  return flipped_by_chance(image, 1, "random_flip_left_right", options);
}
Tensor random_flip_up_down(const Input& image, const SeedOption& options) {
  return flipped_by_chance(image, 0, "random_flip_up_down", options);
}

Tensor rot90(const Input& image, const Rot90Options& options) {
  Composite scope({{"image", image}, {"k", options.k}}, options.name, "rot90", image.where());
  const Tensor pixels = checked_image(scope.convert(image, "image"));
  const Tensor given = scope.convert(options.k, "k", DType::kInt32);
  const Tensor times = floormod(given, 4, {.name = "mod"});
  return by_rank(
      pixels, [&] { return turned(scope, pixels, times, 0); },
      [&] { return turned(scope, pixels, times, 1); });
}

Tensor transpose(const Input& image, const NameOption& options) {
  Composite scope({{"image", image}}, options.name, "transpose", image.where());
  const Tensor pixels = checked_image(scope.convert(image, "image"));
  return by_rank(
      pixels, [&] { return tf::transpose(pixels, {1, 0, 2}, {.name = options.name}); },
      [&] { return tf::transpose(pixels, {0, 2, 1, 3}, {.name = options.name}); });
}

}  // namespace flowray::tf::image
