#pragma once

#include "cluster/master/master.h"
#include "cluster/server/end_of_others.h"
#include "cluster/transport.h"
#include "cluster/worker/task.h"
#include "cluster/worker/worker.h"

#include "engine/servers.h"

#include <memory>
#include <string>

namespace flowray::cluster {

using ClusterSpec = engine::ClusterAddresses;

/// One task of a cluster, master and worker: listens at its address until it is destroyed, which cancels what
/// is under way and waits for it.
class Server final : public engine::RunningServer {
 public:
  /// Throws errors::InvalidArgumentError for a job or task that the cluster has not or an address that is
  /// none, errors::UnavailableError for one that cannot be had.
  Server(const ClusterSpec& cluster, const std::string& job, int task, const engine::ServerOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& target() const override { return target_; }

 private:
  std::string target_;
  const Security security_;
  Task task_;
  Worker worker_;
  Master master_;
  std::unique_ptr<Listener> listener_;  // ends before what it calls
  std::unique_ptr<EndOfOthers> end_of_others_;
};

}  // namespace flowray::cluster
