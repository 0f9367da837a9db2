#pragma once

#include <cstdlib>
#include <string_view>

namespace flowray::cluster {

/// FLOWRAY_NETWORK_ONLY=1 in the environment: all goes over the network, as between two machines. Header
/// only: both sides of the transport (transport.h) use it.
inline bool uses_network_only() {
  const char* const value = std::getenv("FLOWRAY_NETWORK_ONLY");
  return value != nullptr && !std::string_view(value).empty() && std::string_view(value) != "0";
}

}  // namespace flowray::cluster
