#pragma once

#include <flowray/dtype.h>
#include <flowray/shape.h>
#include <flowray/weights.h>

#include <map>
#include <string>
#include <string_view>

namespace flowray {

struct KindOfWeight {
  DType dtype = DType::kInvalid;
  Shape shape;
};
using KindsOfWeights = std::map<std::string, KindOfWeight>;

KindsOfWeights kinds_of(const Weights& weights);

/// As difference of Weights says; what is called "the first" there has the name `first_name`. Shapes that are
/// not known go with all.
std::string difference_of(const KindsOfWeights& first, const KindsOfWeights& second,
                          std::string_view first_name, std::string_view second_name);

}  // namespace flowray
