#pragma once
/// What TensorFlow's servers say of an error beside its code and text: a message with one map, from the URL
/// of a type to bytes, in the trailer "grpc-status-details-bin".

#include <string>
#include <string_view>

namespace flowray::cluster {

/// An error that follows from another one, somewhere else in the same step: a master tells the other one.
inline constexpr std::string_view kDerivedUrl = "type.googleapis.com/tensorflow.DerivedStatus";
/// The sender's knowledge of a task is of an earlier incarnation.
inline constexpr std::string_view kRestartedUrl =
    "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted";

/// The bytes that say `url` and nothing more of it.
inline std::string status_payload(std::string_view url) {
  // Field 1, an entry of the map, whose field 1 is the key; the URLs are shorter than 126 characters.
  const auto bytes = [](size_t size) { return static_cast<char>(size); };
  std::string payload = {'\x0a', bytes(url.size() + 2), '\x0a', bytes(url.size())};
  payload += url;
  return payload;
}

/// Whether it says so.
inline bool says(std::string_view payload, std::string_view url) {
  return payload.find(url) != std::string_view::npos;
}

}  // namespace flowray::cluster
