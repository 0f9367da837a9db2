#include <flowray/errors.h>
#include <flowray/ray/array_part.h>
#include <fmt/format.h>

#include <algorithm>

namespace flowray::ray {
namespace {

void check_shard(int64_t index, int64_t count) {
  if (index >= 0 && index < count) return;
  throw ValueError(fmt::format(
      "ArrayPart::Shard: there is no part {} of {}\nParts are numbered from 0 to one less than count.", index,
      count));
}

}  // namespace

ArrayPart ArrayPart::Shard(ObjectRef<Array> whole, int64_t index, int64_t count) {
  check_shard(index, count);
  ArrayPart part(std::move(whole), index, 0);
  part.num_shards_ = count;
  return part;
}

Array ArrayPart::Get(int timeout_ms) const {
  const std::shared_ptr<Array> whole = whole_.Get(timeout_ms);
  if (num_shards_ == 0) return whole->rows(begin_, end_);
  check_shard(begin_, num_shards_);  // it may come from another process
  if (whole->rank() < 1)
    throw IndexError(
        "ArrayPart::Get: a scalar has no rows\nGive Shard a reference to an array of rank 1 or more.");
  const int64_t each = whole->dim(0) / num_shards_;
  const int64_t longer = whole->dim(0) % num_shards_;  // the first ones, by a row
  const int64_t begin = begin_ * each + std::min(begin_, longer);
  return whole->rows(begin, begin + each + (begin_ < longer ? 1 : 0));
}

}  // namespace flowray::ray
