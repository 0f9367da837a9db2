#pragma once
/// Strings in the tensor_content of a TensorProto: the length of each as a varint, then the bytes of all.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace flowray::wire {

std::string string_content(std::span<const std::string> strings);

/// The other way round, into as many strings as there are in `out`. Empty: it has been read; else what is
/// wrong with it.
std::string read_string_content(std::string_view content, std::span<std::string> out);

}  // namespace flowray::wire
