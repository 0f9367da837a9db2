#pragma once

#include <flowray/array.h>

#include <string>

namespace flowray::ops {

/// The elements as TensorFlow's Assert and Print show them: the first `most` (all if negative), "..." where
/// there are more; the last dimension without brackets: "1 2 3...", "[1 2][3 4]".
std::string value_summary(const Array& array, int64_t most);

/// The elements as its StringFormat (tf.print) shows them: `ends` at each end of every dimension (all if
/// negative), a line for each row, strings in quotes: "[1 2 3 ... 8 9 10]".
std::string value_text(const Array& array, int64_t ends);

}  // namespace flowray::ops
