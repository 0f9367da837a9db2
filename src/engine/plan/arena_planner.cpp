#include "engine/plan/arena_planner.h"

#include <algorithm>
#include <iterator>

namespace flowray::engine {

size_t ArenaPlanner::allocate(size_t bytes) {
  const size_t wanted = rounded(bytes);
  if (wanted == 0) return 0;
  auto best = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    if (range->second >= wanted && (best == free_.end() || range->second < best->second)) best = range;
  }
  if (best == free_.end()) {
    // A free range at the very end is grown instead of leaving a hole.
    const bool at_end = !free_.empty() && free_.rbegin()->first + free_.rbegin()->second == end_;
    const size_t offset = at_end ? free_.rbegin()->first : end_;
    if (at_end) free_.erase(std::prev(free_.end()));
    end_ = offset + wanted;
    size_ = std::max(size_, offset + bytes);
    return offset;
  }
  const size_t offset = best->first;
  const size_t rest = best->second - wanted;
  free_.erase(best);
  if (rest > 0) free_.emplace(offset + wanted, rest);
  size_ = std::max(size_, offset + bytes);
  return offset;
}

void ArenaPlanner::free(size_t offset, size_t bytes) {
  const size_t size = rounded(bytes);
  if (size == 0) return;
  auto range = free_.emplace(offset, size).first;
  if (const auto next = std::next(range);
      next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range != free_.begin()) {
    const auto before = std::prev(range);
    if (before->first + before->second == range->first) {
      before->second += range->second;
      free_.erase(range);
    }
  }
}

}  // namespace flowray::engine
