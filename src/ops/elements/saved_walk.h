#pragma once
/// Where a walk through a dataset was, as a value: what SerializeIterator gives, DeserializeIterator takes,
/// and checkpoints keep.

#include "graph/resource/variant_value.h"

#include <flowray/array.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// Arrays by the names of the parts of a walk, as ops/data/walk_state.h writes them.
class SavedWalk final : public graph::VariantValue {
 public:
  using Parts = std::map<std::string, std::vector<Array>, std::less<>>;

  explicit SavedWalk(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }
  std::string description() const override { return "Variant<type: tensorflow::Iterator>"; }

 private:
  Parts parts_;
};

/// As a tensor of the graph: a vector of one variant.
Array saved_walk_value(SavedWalk::Parts parts);
/// What such a tensor holds. Throws errors::InternalError for any other one.
const SavedWalk& saved_walk_of(const Array& value);

/// The tensor's variant as a VariantTensorDataProto. Throws errors::UnimplementedError for variants that are
/// no saved walks.
std::string encoded_variant(const Array& value);
/// The tensor of one that was encoded. Throws errors::InternalError for another kind of variant, TensorFlow's
/// iterators among them, errors::DataLossError for one that is damaged.
Array decoded_variant(std::string_view bytes);

}  // namespace flowray::ops
