#pragma once
/// Arrays that keep an object alive: variants and handles.

#include <flowray/array.h>

#include <memory>

namespace flowray::graph {

/// An Array without elements whose data is the address of the object: a scalar, or of another shape where the
/// object is all of its elements.
///
/// Such objects may keep Arrays of this kind themselves, and these others, as far as a graph likes: a loop
/// makes a chain of a million in a moment. So where the end of one ends another one, and so on, what is some
/// steps down is ended later: when the end of the first one is done, in the same thread.
Array keeping_array(std::shared_ptr<const void> object, DType dtype, const Shape& shape = Shape());

}  // namespace flowray::graph
