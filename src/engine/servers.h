#pragma once

#include <map>
#include <memory>
#include <string>

namespace flowray::engine {

/// Addresses ("host:port") of the tasks of each job, by their numbers.
using ClusterAddresses = std::map<std::string, std::map<int, std::string>>;

/// A server that runs until it is destroyed, which ends the steps under way.
class RunningServer {
 public:
  virtual ~RunningServer() = default;
  /// "grpc://localhost:2222"
  virtual const std::string& target() const = 0;
};

/// Starts the server of one task. Defined in the cluster room, which stands after those that start servers.
/// Throws errors::InvalidArgumentError for a job, task or address that is none, errors::UnavailableError
/// where the address cannot be had or libflowray-cluster is missing.
std::unique_ptr<RunningServer> start_server(const ClusterAddresses& cluster, const std::string& job,
                                            int task);

}  // namespace flowray::engine
