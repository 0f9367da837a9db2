#pragma once

#include <flowray/errors.h>

namespace flowray::tf::train {

/// Whether an error says that a server is gone, or was started anew: another session may go on.
inline bool is_lost_server(const errors::OpError& error) {
  return error.code() == Code::kAborted || error.code() == Code::kUnavailable;
}

}  // namespace flowray::tf::train
