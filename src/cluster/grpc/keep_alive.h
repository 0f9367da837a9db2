#pragma once
/// Pings, by which each side of a connection notices that the other one has gone without a word: a machine
/// that lost its power, a cable that is out, a process that is stopped. Our servers send them to all clients,
/// our clients to our servers only: TensorFlow's servers take them for an attack and end the connection, and
/// are asked otherwise (link/watched_calls.h).

#include <grpcpp/grpcpp.h>

#include "cluster/keep_alive_time.h"

namespace flowray::cluster {

/// When a server has not answered all calls of the connection are UNAVAILABLE. The answer comes behind what a
/// slow network has still to bring, megabytes of a tensor, so that it has more of the time.
inline void send_pings(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, silent_after_ms());
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, gone_after_ms());
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // any number
}

/// A server loses little to a silent client, which may be a program that its user has stopped for a moment:
/// it is given more time.
inline void answer_and_send_pings(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, keep_alive_ms());
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2 * keep_alive_ms());
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);  // none is too many
}

}  // namespace flowray::cluster
