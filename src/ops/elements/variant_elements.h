#pragma once
/// Arrays of variants that are tensors: what sparse tensors are serialized to in datasets and loops.

#include "graph/resource/variant_value.h"

#include <span>
#include <string>
#include <vector>

namespace flowray::ops {

/// The elements of such an array, row by row, as one value.
class VariantElements final : public graph::VariantValue {
 public:
  explicit VariantElements(std::vector<Array> tensors);
  std::string description() const override;

  const std::vector<Array>& tensors() const { return tensors_; }

 private:
  std::vector<Array> tensors_;
};

/// An array of variants, each of which is a tensor; as many as `shape` has elements.
Array variants_of(std::vector<Array> tensors, const Shape& shape);

/// The tensors of such an array. Throws InvalidArgumentError where it is of other variants.
const std::vector<Array>& tensors_of(const Array& variants);

/// Rows `begin` to `end` of an array of any dtype. Throws UnimplementedError for rows of other variants.
Array rows_of(const Array& from, int64_t begin, int64_t end);
/// Row `i`, without its dimension.
Array row_of(const Array& from, int64_t i);

/// One array of arrays of variants that have one shape, with one dimension more. Throws UnimplementedError
/// for other variants.
Array stacked_variants(std::span<const Array> rows);

}  // namespace flowray::ops
