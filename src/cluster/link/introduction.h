#pragma once
/// How two processes find out that they are on one machine: a client asks the server that it calls, over
/// the network and with all that the server asks of its clients, how it is reached from its own machine. The
/// answer is the name of a socket that no other machine has, and a secret. If one listens there, runs as
/// the same user and knows the secret's word, the two go on by that link: a message takes microseconds there,
/// and gRPC some tens of them. A server of TensorFlow's does not know the question, and is called as ever.

#include <optional>
#include <string>
#include <string_view>

namespace flowray::cluster {

/// The method that asks; its answer is the text of an Introduction, empty where there are no links.
inline constexpr std::string_view kIntroduce = "/flowray.Link2/Introduce";

struct Introduction {
  std::string name;    // of the socket
  std::string secret;  // what the first frame says

  std::string text() const { return name + "\n" + secret; }
  static std::optional<Introduction> parse(std::string_view text) {
    constexpr size_t kMostBytes = 64;  // of each
    const size_t end = text.find('\n');
    if (end == std::string_view::npos || end == 0 || end > kMostBytes) return std::nullopt;
    const std::string_view secret = text.substr(end + 1);
    if (secret.empty() || secret.size() > kMostBytes) return std::nullopt;
    return Introduction{std::string(text.substr(0, end)), std::string(secret)};
  }
};

}  // namespace flowray::cluster
