#pragma once
/// A box of a tensor, as checkpoints of partitioned variables name it.

#include <flowray/shape.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bundle.h"

namespace flowray::files {

/// One extent for each dimension.
struct TensorSlice {
  struct Extent {
    int64_t start = 0;
    int64_t length = kAll;
    bool operator==(const Extent&) const = default;
  };
  static constexpr int64_t kAll = -1;  // with start 0: all of the dimension

  std::vector<Extent> extents;
  bool operator==(const TensorSlice&) const = default;

  /// The whole of a tensor with that many dimensions.
  static TensorSlice whole(int rank) { return {std::vector<Extent>(static_cast<size_t>(rank))}; }
  /// "0,3:-"; of a scalar "".
  std::string to_string() const;
  /// The box's own shape. Throws InternalError where it does not lie in a tensor of shape `full`.
  Shape shape_in(const Shape& full) const;
  /// With numbers for everything: {start, length} in a tensor of shape `full`, in which it lies.
  std::vector<Extent> extents_in(const Shape& full) const;
};

/// An element of SaveV2's and RestoreV2's shape_and_slices, "5 2 0,3:-": the box [0,3) x [0,2) of a
/// tensor [5,2].
struct SliceSpec {
  Shape full;
  TensorSlice slice;
  Shape shape;  // of the slice
};
/// Throws InvalidArgumentError for another text, InternalError for a box that does not lie in its tensor.
SliceSpec parse_slice_spec(std::string_view text);

TensorSlice to_slice(const wire::TensorSliceProto& proto);
wire::TensorSliceProto to_slice_proto(const TensorSlice& slice);

/// The key of a part's entry in a checkpoint's index: name and extents, such that keys sort as these do.
std::string slice_key(std::string_view name, const TensorSlice& slice);

/// Copies what lies in both of two boxes of one tensor of shape `full`, each with its elements row by row.
/// Returns the number of elements copied.
int64_t copy_common_part(const Shape& full, size_t element_bytes, const TensorSlice& from_slice,
                         const char* from, const TensorSlice& to_slice, char* to);

}  // namespace flowray::files
