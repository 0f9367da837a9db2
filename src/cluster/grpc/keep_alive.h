#pragma once
/// Pings, by which each side of a connection notices that the other one has gone without a word: a machine
/// that lost its power, a cable that is out, a process that is stopped. Our servers send them to all clients,
/// our clients to our servers only: TensorFlow's servers take them for an attack and end the connection.

#include <grpcpp/grpcpp.h>

#include "cluster/keep_alive_time.h"

namespace flowray::cluster {

/// The answer is waited for twice as long, then all calls of the connection are UNAVAILABLE. Not less: it
/// comes behind what a slow network has still to bring, megabytes of a tensor.
inline int keep_alive_answer_ms() { return 2 * keep_alive_ms(); }

inline void send_pings(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms());
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keep_alive_answer_ms());
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // any number
}

inline void answer_and_send_pings(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms());
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keep_alive_answer_ms());
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);  // none is too many
}

}  // namespace flowray::cluster
