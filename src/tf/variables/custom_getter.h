#pragma once
/// What a thread's calls of get_variable go through, and which part of a variable one of them is making.

#include <flowray/tf/variable_scope.h>

#include "tf/build/collections.h"

namespace flowray::tf::internal {

/// This thread's, which all calls of get_variable go through; empty: none.
CustomGetter& custom_getter_here();

/// What makes a part of a variable that is cut knows of the whole: the fans of a matrix are those of all of
/// it. Null while this thread makes no part.
const SaveSlice*& part_being_made();

}  // namespace flowray::tf::internal
