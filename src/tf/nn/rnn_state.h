#pragma once
/// Shapes of what recurrent networks hold for a batch, in the nodes in which TensorFlow's Python makes them.

#include <flowray/tf/input.h>

#include <cstdint>

namespace flowray::tf::nn {

/// {batch_size, size} as an int32 vector. `batch_size` is a number or an int32 scalar.
Tensor batch_and(const Input& batch_size, int64_t size);
/// The constants that TensorFlow's function makes when it only asks for the static shape.
void note_batch_and(const Input& batch_size, int64_t size);

}  // namespace flowray::tf::nn
