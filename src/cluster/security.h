#pragma once
/// How a server and its clients know each other: files with certificates and a token.

#include "cluster/transport.h"
#include "engine/servers.h"

#include <string>

namespace flowray::cluster {

/// What is in the files. Throws the errors:: class of the system's error for one that cannot be read,
/// errors::InvalidArgumentError for files that lack others, that hold nothing of their kind, or that are
/// secret and may be read by everybody.
Security read_security(const engine::SecurityFiles& files);

/// Where a client goes, and with what: "grpc://host:port" and, after a '?', the files by the names of the
/// server's options, "tls_ca=ca.pem&token_file=token"; "%26" stands for '&', as in any address.
struct ParsedTarget {
  std::string address;  // "host:port"
  engine::SecurityFiles files;
};
/// Throws errors::InvalidArgumentError.
ParsedTarget parse_target(const std::string& target);

/// Whether all that `host` stands for are addresses of this machine alone.
bool is_loopback(const std::string& host);

}  // namespace flowray::cluster
