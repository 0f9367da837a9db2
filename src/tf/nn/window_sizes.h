#pragma once
/// Sizes and strides of windows, one for each dimension of a batch of images.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flowray::tf {

/// Whether channels stand before the spatial dimensions: NCHW and its siblings.
inline bool has_channels_first(std::string_view data_format) { return data_format.starts_with("NC"); }

/// Sizes for batches of images of `dimensions` dimensions: none are 1, one is for all, as many as dimensions
/// leave batch and channels at 1, two more stay as they are. Throws ValueError for another number.
std::vector<int64_t> window_sizes(const std::vector<int64_t>& sizes, size_t dimensions,
                                  std::string_view data_format, const char* name);

}  // namespace flowray::tf
