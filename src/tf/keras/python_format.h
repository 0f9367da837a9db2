#pragma once
/// Numbers in texts as Python's str.format puts them there.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flowray::tf::keras {

/// What a name in a format stands for: an int or a float of Python's.
using NamedNumbers = std::vector<std::pair<std::string, std::variant<int64_t, double>>>;

/// "w{epoch:02d}-{loss:.2f}" as str.format(**numbers) gives it. Throws KeyError for an unknown name,
/// whose text is the name, IndexError for a place without a name, ValueError for an invalid format.
std::string python_format(std::string_view format, const NamedNumbers& numbers);

}  // namespace flowray::tf::keras
