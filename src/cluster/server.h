#pragma once

#include "cluster/master.h"
#include "cluster/transport.h"

#include <map>
#include <memory>
#include <string>

namespace flowray::cluster {

/// Addresses ("host:port") of the tasks of each job, by their numbers.
using ClusterSpec = std::map<std::string, std::map<int, std::string>>;

/// One task of a cluster: listens at its address until it is destroyed, which cancels what is under way and waits for it.
class Server {
 public:
  /// Throws errors::InvalidArgumentError for a job or task that the cluster has not or an address that is none,
  /// errors::UnavailableError for one that cannot be had.
  Server(const ClusterSpec& cluster, const std::string& job, int task);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "grpc://localhost:2222"
  const std::string& target() const { return target_; }

 private:
  std::string target_;
  Master master_;
  std::unique_ptr<Listener> listener_;  // ends before what it calls
};

}  // namespace flowray::cluster
