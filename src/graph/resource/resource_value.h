#pragma once
/// Handles that are values: of resources that a step makes as it goes (stacks, lists of a loop). An Array of
/// dtype resource keeps the resource alive; its data is the address of the Resource, which is what slots of
/// resources hold, too.

#include "graph/resource/resource.h"

#include <flowray/array.h>

#include <memory>

namespace flowray::graph {

/// A scalar of dtype resource.
Array resource_value(std::shared_ptr<Resource> resource);

/// The `R` behind such a value. Throws errors::InvalidArgumentError where it is of another kind, or no value
/// at all.
template <class R>
R& resource_of(const Array& handle) {
  if (handle.dtype() != DType::kResource || handle.raw_data() == nullptr) throw_wrong_kind(R::kKind);
  return resource_as<R>(*static_cast<Resource*>(const_cast<void*>(handle.raw_data())));
}

}  // namespace flowray::graph
