#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowray::ray {

/// Where the drivers of this user have their sockets: FLOWRAY_SESSION_FOLDER, or `flowray-UID` in
/// XDG_RUNTIME_DIR or /tmp.
std::string session_folder();
/// Makes it, for this user alone (0700), if it is not there. False: it cannot be made, or is another user's.
bool make_session_folder(const std::string& folder);
/// The path of the socket of the driver with that pid.
std::string driver_socket_path(const std::string& folder, int64_t pid);

/// What the driver's socket answers to `request`; nothing if no driver listens there (any more): then its
/// socket is removed. Throws errors::UnavailableError for one that does not answer.
std::optional<std::string> ask_driver(const std::string& folder, int64_t pid, const std::string& request);
/// The pids whose sockets lie in the folder, whether they live or not.
std::vector<int64_t> drivers_in(const std::string& folder);

}  // namespace flowray::ray
