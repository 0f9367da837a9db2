#pragma once

#include "cluster/transport.h"

#include <exception>

namespace flowray::cluster {

/// What a client is told of an error that ended its call.
Status status_of(const std::exception& error);

}  // namespace flowray::cluster
