#pragma once

#include "cluster/identity.h"
#include "cluster/peers.h"
#include "cluster/worker/random_id.h"
#include "cluster/worker/steps.h"
#include "engine/servers.h"
#include "files/file_access.h"
#include "graph/resource/resource.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace flowray::cluster {

/// One task of a cluster, as this process is it: what its two services, master and worker, have in common.
struct Task {
  Task(Identity who, engine::ClusterAddresses cluster, const engine::ServerOptions& options,
       Peers::Connect connect)
      : Task(std::move(who), std::move(cluster), options, std::make_unique<Peers>(std::move(connect))) {}
  Task(Identity who, engine::ClusterAddresses cluster, const engine::ServerOptions& options,
       Security security)
      : Task(std::move(who), std::move(cluster), options,
             std::make_unique<Peers>(std::move(security), options.limits.message_bytes)) {}

  const Identity identity;
  /// Another one after a restart.
  const uint64_t incarnation = static_cast<uint64_t>(random_id());
  /// The addresses of the cluster that the server was started for.
  const engine::ClusterAddresses addresses;
  const files::FileAccess files;
  const engine::ServerLimits limits;
  const engine::RemoteOptions session_defaults;
  /// Variables belong to the process, by container and name: sessions share them, and they outlive sessions.
  const std::shared_ptr<graph::ResourceContainers> containers = std::make_shared<graph::ResourceContainers>();
  const std::unique_ptr<Peers> peers;
  Steps steps;

 private:
  Task(Identity who, engine::ClusterAddresses cluster, const engine::ServerOptions& options,
       std::unique_ptr<Peers> others)
      : identity(std::move(who)),
        addresses(std::move(cluster)),
        files(options.files),
        limits(options.limits),
        session_defaults(options.session_defaults),
        peers(std::move(others)) {}
};

}  // namespace flowray::cluster
