#include <flowray/tf/array.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>

#include "core/checked_size.h"
#include "tf/build/apply_op.h"
#include "tf/variables/custom_getter.h"
#include "tf/variables/initializer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace flowray::tf {
Initializer orthogonal_initializer(const GainOptions& options) {
  const auto made = [options](const TensorShape& shape, DType dtype) {
    const ErrorLine line{Input::Where()};  // that of the code that makes the variable
    if (shape.rank() < 2) {
      throw ValueError(
          fmt::format("The tensor to initialize, specified by argument `shape` must be at least "
                      "two-dimensional. Received shape={}",
                      shape.to_tuple_string()));
    }
    const int64_t columns = shape.dim(-1);
    const int64_t rows = columns == 0 ? 0 : shape.num_elements() / columns;
    const Tensor random = random_normal(TensorShape{std::max(rows, columns), std::min(rows, columns)}, 0.0,
                                        1.0, {.dtype = dtype, .seed = options.seed});
    graph::Node* const factors =
        apply_op_node({.op = "Qr", .args = {random}, .attrs = {{"full_matrices", false}}});
    const Tensor diagonal = apply_op({.op = "DiagPart", .args = {Tensor(factors, 1)}});
    // Signs are chosen so that the matrix is uniform among the orthogonal ones.
    Tensor matrix = Tensor(factors, 0) * sign(diagonal);
    if (rows < columns) matrix = matrix_transpose(matrix);
    return options.gain * reshape(matrix, shape);
  };
  return {made, initializer_config("Orthogonal", Config::items({{"gain", options.gain},
                                                                {"seed", seed_config(options.seed)}}))};
}

Initializer uniform_unit_scaling_initializer(const UniformUnitScalingOptions& options) {
  return Initializer::Function([options](const TensorShape& shape, DType dtype) {
    const internal::SaveSlice* const part = internal::part_being_made();
    const TensorShape scaled = part == nullptr ? shape : TensorShape(part->full_shape);
    double inputs = 1.0;
    for (int i = 0; i + 1 < scaled.rank(); ++i) inputs *= static_cast<double>(scaled.dim(i));
    const double limit = std::sqrt(3 / std::max(inputs, 1.0)) * options.factor;
    return random_uniform(shape, -limit, limit, {.dtype = dtype, .seed = options.seed});
  });
}

namespace initializers {

Initializer identity(double gain) {
  const auto made = [gain](const TensorShape& shape, DType dtype) {
    const ErrorLine line{Input::Where()};  // that of the code that makes the variable
    if (shape.rank() != 2) {
      throw ValueError(fmt::format(
          "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
          "Received shape={}",
          shape.to_tuple_string()));
    }
    const internal::SaveSlice* const part = internal::part_being_made();
    const TensorShape whole = part == nullptr ? shape : TensorShape(part->full_shape);
    Tensor matrix = eye(checked_int32("Dimension", whole.dim(0)), checked_int32("Dimension", whole.dim(1)),
                        {.dtype = dtype});
    if (part != nullptr) matrix = slice(matrix, TensorShape(part->offset), TensorShape(part->shape));
    return gain * matrix;
  };
  return {made, initializer_config("Identity", Config::items({{"gain", gain}}))};
}

}  // namespace initializers

}  // namespace flowray::tf
