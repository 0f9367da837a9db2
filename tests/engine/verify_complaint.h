#pragma once
/// What a verifier finds.

#include <flowray/errors.h>

#include <functional>
#include <string>

namespace flowray::engine {

/// The message of the InternalError that `look` throws; empty if it throws none.
inline std::string complaint(const std::function<void()>& look) {
  try {
    look();
  } catch (const errors::InternalError& error) {
    return error.message();
  }
  return "";
}

}  // namespace flowray::engine
