#pragma once

#include "graph/device_name.h"

#include <string_view>

namespace flowray::tf {

/// A device as programs write it: with or without a slash at its beginning, "gpu:0" for "device:GPU:0".
/// Throws ValueError for another text, in the words of TensorFlow's DeviceSpec.from_string.
graph::DeviceName device_in_scope(std::string_view text);

}  // namespace flowray::tf
