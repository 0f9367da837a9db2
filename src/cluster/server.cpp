#include "cluster/server.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <vector>

namespace flowray::cluster {
namespace {

struct Address {
  std::string host;
  int port = 0;
};

Address parse(const std::string& text) {
  const size_t colon = text.rfind(':');
  Address address;
  if (colon != std::string::npos && colon > 0) {
    address.host = text.substr(0, colon);
    const auto [end, error] =
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), address.port);
    if (error == std::errc() && end == text.data() + text.size() && address.port >= 0 &&
        address.port <= 65535)
      return address;
  }
  throw errors::InvalidArgumentError(fmt::format(
      "Could not interpret \"{}\" as a host-port pair.\nExpected host:port, such as localhost:2222.", text));
}

const std::string& address_of(const ClusterSpec& cluster, const std::string& job, int task) {
  const auto tasks = cluster.find(job);
  if (tasks == cluster.end()) {
    std::vector<std::string> jobs;
    for (const auto& [name, list] : cluster) jobs.push_back(name);
    throw errors::InvalidArgumentError(
        fmt::format("Job \"{}\" was not defined in cluster\nIt has {}.", job, fmt::join(jobs, ", ")));
  }
  if (!graph::is_job_name(job)) {
    throw errors::InvalidArgumentError(
        fmt::format("The job name \"{}\" is none\nExpected a letter, then letters, digits and '_'.", job));
  }
  const auto found = tasks->second.find(task);
  if (found == tasks->second.end()) {
    throw errors::InvalidArgumentError(fmt::format("Task {} was not defined in job \"{}\"\nIt has {} tasks.",
                                                   task, job, tasks->second.size()));
  }
  return found->second;
}

}  // namespace

Server::Server(const ClusterSpec& cluster, const std::string& job, int task) : master_({job, task}) {
  const Address address = parse(address_of(cluster, job, task));
  std::string error;
  listener_ = transport().listen(
      fmt::format("{}:{}", address.host, address.port),
      [this](const Request& request, Reply reply) { master_.handle(request, std::move(reply)); },
      allocate_from_pool, error);
  if (listener_ == nullptr) {
    throw errors::UnavailableError(fmt::format(
        "Could not start gRPC server\n{}: is another server there, or the port one that is not allowed?",
        error));
  }
  target_ = fmt::format("grpc://{}:{}", address.host, listener_->port());
}

}  // namespace flowray::cluster

namespace flowray::engine {

std::unique_ptr<RunningServer> start_server(const ClusterAddresses& cluster, const std::string& job,
                                            int task) {
  return std::make_unique<cluster::Server>(cluster, job, task);
}

}  // namespace flowray::engine
