#include "ray/store/extent_allocator.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace flowray::ray {
namespace {

constexpr uint64_t round_down(uint64_t value, uint64_t multiple) { return value - value % multiple; }

/// `bytes` at most 2^63.
constexpr uint64_t size_of_extent(uint64_t bytes) {
  return std::max(round_down(bytes + ExtentAllocator::kAlignment - 1, ExtentAllocator::kAlignment),
                  ExtentAllocator::kAlignment);
}

constexpr uint64_t alignment_of(uint64_t size) {
  return size >= ExtentAllocator::kLargeBytes ? ExtentAllocator::kLargeAlignment
                                              : ExtentAllocator::kAlignment;
}

}  // namespace

bool ExtentAllocator::Choice::operator<(const Choice& other) const noexcept {
  if (size != other.size) return size < other.size;
  if (freed_at != other.freed_at) return freed_at > other.freed_at;
  return offset < other.offset;
}

ExtentAllocator::ExtentAllocator(uint64_t bytes) : range_(round_down(bytes, kAlignment)) {
  if (range_ > 0) add_piece(0, {.size = range_});
}

ExtentAllocator::ExtentAllocator(uint64_t bytes, std::span<const Extent> live) : ExtentAllocator(bytes) {
  for (const Extent& extent : live) take(extent);
}

void ExtentAllocator::take(const Extent& extent) {
  const bool in_range = extent.size_bytes <= range_ && extent.offset <= range_ &&
                        size_of_extent(extent.size_bytes) <= range_ - extent.offset;
  const uint64_t size = in_range ? size_of_extent(extent.size_bytes) : 0;
  auto piece = pieces_.upper_bound(extent.offset);
  const bool is_free = in_range && extent.offset % kAlignment == 0 && piece != pieces_.begin() &&
                       (piece = std::prev(piece))->first + piece->second.size >= extent.offset + size;
  if (!is_free) {
    throw errors::DataLossError(
        fmt::format("{} bytes at {} cannot be an extent in use: they overlap another, are not aligned to {}, "
                    "or do not lie in the {} bytes "
                    "there are",
                    extent.size_bytes, extent.offset, kAlignment, range_));
  }
  take(piece, extent.offset, size);
}

void ExtentAllocator::add_piece(uint64_t offset, const Piece& piece) {
  pieces_.emplace(offset, piece);
  choices_.insert({piece.size, piece.freed_at, offset});
}

ExtentAllocator::Pieces::iterator ExtentAllocator::remove_piece(Pieces::iterator piece) {
  choices_.erase({piece->second.size, piece->second.freed_at, piece->first});
  return pieces_.erase(piece);
}

void ExtentAllocator::take(Pieces::iterator piece, uint64_t offset, uint64_t size) {
  const uint64_t begin = piece->first;
  const Piece whole = piece->second;
  remove_piece(piece);
  if (offset > begin)
    add_piece(begin, {.size = offset - begin, .freed_at = whole.freed_at, .warm_at_end = whole.warm_at_end});
  const uint64_t rest = begin + whole.size - (offset + size);
  if (rest > 0) add_piece(offset + size, {.size = rest, .freed_at = whole.freed_at});
  live_.emplace(offset, size);
  in_use_ += size;
}

std::optional<uint64_t> ExtentAllocator::place_in(Pieces::const_iterator piece, uint64_t size) const {
  const uint64_t alignment = alignment_of(size);
  const uint64_t begin = piece->first;
  const uint64_t end = begin + piece->second.size;
  if (end - begin < size) return std::nullopt;
  const uint64_t offset = piece->second.warm_at_end ? round_down(end - size, alignment)
                                                    : round_down(begin + alignment - 1, alignment);
  if (offset < begin || offset + size > end) return std::nullopt;
  return offset;
}

std::optional<uint64_t> ExtentAllocator::allocate(uint64_t bytes) {
  if (bytes > range_) return std::nullopt;
  const uint64_t size = size_of_extent(bytes);
  const auto try_from = [&](uint64_t least, uint64_t below) -> std::optional<uint64_t> {
    for (auto choice = choices_.lower_bound({least, ~uint64_t{0}, 0});
         choice != choices_.end() && choice->size < below; ++choice) {
      const auto piece = pieces_.find(choice->offset);
      if (const auto offset = place_in(piece, size)) {
        take(piece, *offset, size);
        return offset;
      }
    }
    return std::nullopt;
  };
  // A piece with room for any misalignment fits for sure; a piece in between, if it happens to lie well. One
  // that fits exactly is what freeing and allocating the same size again finds.
  const uint64_t for_sure = size + alignment_of(size) - kAlignment;
  if (const auto exact = try_from(size, size + 1)) return exact;
  if (const auto sure = try_from(for_sure, ~uint64_t{0})) return sure;
  return try_from(size + 1, for_sure);
}

void ExtentAllocator::free(uint64_t offset) {
  const auto found = live_.find(offset);
  if (found == live_.end()) {
    throw errors::InvalidArgumentError(
        fmt::format("No extent in use begins at {}; it was freed before, or never was", offset));
  }
  Piece freed{.size = found->second, .freed_at = ++frees_};
  in_use_ -= found->second;
  live_.erase(found);
  auto next = pieces_.lower_bound(offset);
  if (next != pieces_.end() && next->first == offset + freed.size) {
    freed.size += next->second.size;
    next = remove_piece(next);
  } else {
    freed.warm_at_end = true;
  }
  if (next != pieces_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.size == offset) {
      offset = before->first;
      freed.size += before->second.size;
      remove_piece(before);
    }
  }
  add_piece(offset, freed);
}

}  // namespace flowray::ray
