#pragma once

#include <string>

namespace flowray::ray {

/// What a person calls the function that begins at `address`, by the tables of symbols in the files that this
/// process runs: "plus(int, int)"; empty where they do not say. Reads files: for messages of errors.
std::string function_name_at(const void* address);

}  // namespace flowray::ray
