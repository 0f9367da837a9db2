#pragma once
/// Blocks of images as images of their own, and back, with one size of blocks for height and width.

#include <flowray/tf/input.h>
#include <cstdint>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// The inverse of space_to_batch, with `crops` taken off the height and width: a [2, 2] matrix.
Tensor batch_to_space(const Input& input, const Input& crops, int64_t block_size,
                      const NameOption& options = {});
/// An image for each place in a block of block_size x block_size pixels. Height and width are filled up with
/// zeros by `paddings`, a [2, 2] matrix, and are multiples of block_size then.
Tensor space_to_batch(const Input& input, const Input& paddings, int64_t block_size,
                      const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
