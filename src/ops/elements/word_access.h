#pragma once
/// Elements that are only moved, as words of their size.

#include "ops/elements/element_words.h"

#include <flowray/array.h>

#include <fmt/format.h>

namespace flowray::ops {

/// run<W>() for elements that are only moved.
template <class Run>
void for_words(DType dtype, Run run) {
  if (!dispatch_words(dtype, run)) {
    throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(dtype)));
  }
}

template <class W>
const W* words_in(const Array& array) {
  return static_cast<const W*>(array.raw_data());
}
template <class W>
W* words_in(Array& array) {
  return static_cast<W*>(array.mutable_raw_data());
}

}  // namespace flowray::ops
