#include "cluster/status_of.h"

#include <flowray/errors.h>

#include <new>
#include <stdexcept>

namespace flowray::cluster {

Status status_of(const std::exception& error) {
  if (const auto* op_error = dynamic_cast<const errors::OpError*>(&error)) {
    return {static_cast<int>(op_error->code()), op_error->message()};
  }
  const auto exhausted = [](const char* text) {
    return Status{static_cast<int>(Code::kResourceExhausted), text};
  };
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return exhausted(
        "The server has no memory left for this call\nSend it less at once, or give the server more.");
  }
  if (dynamic_cast<const std::length_error*>(&error) != nullptr) {
    return exhausted(
        "This call needs something that is larger than a process can hold\nLook for a size in it that is "
        "wrong.");
  }
  // What Python would raise while a graph is built (ValueError, TypeError) is the client's fault, too.
  const bool is_ours = dynamic_cast<const Error*>(&error) != nullptr;
  return {static_cast<int>(is_ours ? Code::kInvalidArgument : Code::kInternal), error.what()};
}

}  // namespace flowray::cluster
