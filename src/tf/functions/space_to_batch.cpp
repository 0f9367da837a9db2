#include <flowray/tf/array.h>

#include "tf/build/apply_op.h"

#include <vector>

namespace flowray::tf {
namespace {

Array square_block(int64_t block_size) { return Array(std::vector<int64_t>{block_size, block_size}); }

}  // namespace

Tensor batch_to_space(const Input& input, const Input& crops, int64_t block_size, const NameOption& options) {
  return apply_op(
      {.op = "BatchToSpaceND", .name = options.name, .args = {input, square_block(block_size), crops}});
}

Tensor space_to_batch(const Input& input, const Input& paddings, int64_t block_size,
                      const NameOption& options) {
  return apply_op(
      {.op = "SpaceToBatchND", .name = options.name, .args = {input, square_block(block_size), paddings}});
}

}  // namespace flowray::tf
