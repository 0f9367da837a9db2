#pragma once
/// What cross-entropies are of.

#include <flowray/tf/input.h>

#include <string_view>

namespace flowray::tf::nn {

/// Throws ValueError "Both `labels` and `logits` must be provided." where one was left out.
void check_labels_and_logits(std::string_view function, const Input& labels, const Input& logits);

}  // namespace flowray::tf::nn
