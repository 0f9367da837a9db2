#include "cluster/server/server.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <vector>

#include "cluster/security.h"

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

/// `cluster`, in which the task is.
const ClusterSpec& checked(const ClusterSpec& cluster, const std::string& job, int task) {
  const auto tasks = cluster.find(job);
  if (tasks == cluster.end()) {
    std::vector<std::string> jobs;
    for (const auto& [name, list] : cluster) jobs.push_back(name);
    throw errors::InvalidArgumentError(
        fmt::format("Job \"{}\" was not defined in cluster\nIt has {}.", job, fmt::join(jobs, ", ")));
  }
  if (!graph::is_job_name(job)) {
    throw errors::InvalidArgumentError(
        fmt::format("The job name \"{}\" is invalid\nExpected a letter, then letters, digits and '_'.", job));
  }
  if (!tasks->second.contains(task)) {
    throw errors::InvalidArgumentError(fmt::format("Task {} was not defined in job \"{}\"\nIt has {} tasks.",
                                                   task, job, tasks->second.size()));
  }
  return cluster;
}

/// Both sides show certificates or none does: a client without one is not authenticated.
Security security_of(const engine::SecurityFiles& files) {
  if (files.tls_cert.empty() && !files.tls_ca.empty()) {
    throw errors::InvalidArgumentError(
        "A server with TLS needs tls_cert and tls_key beside tls_ca\nGive all three.");
  }
  return read_security(files);
}

/// Says on stderr what an unauthenticated client can do, in one line, where others than this machine's users
/// can reach the server.
void warn_of_exposure(const std::string& host, const std::string& target, const Security& security,
                      const engine::ServerOptions& options) {
  if (security.has_tls() || !security.token.empty() || is_loopback(host)) return;
  const std::string files = options.files.no_files ? "without files"
                            : options.files.root.empty()
                                ? "with all files that this user may use"
                                : "with the files below " + options.files.root.string();
  fmt::print(
      stderr,
      "flowray: everybody who can reach {} may run graphs here, {}: bind localhost, or ask for certificates "
      "(--tls-cert, --tls-key, --tls-ca) or a token (--token-file)\n",
      target, files);
}

/// The tasks of the other jobs.
std::vector<EndOfOthers::Task> tasks_of_others(const ClusterSpec& cluster, const std::string& own,
                                               const Security& security) {
  std::vector<EndOfOthers::Task> others;
  for (const auto& [job, tasks] : cluster) {
    if (job == own) continue;
    for (const auto& [number, address] : tasks)
      others.push_back({Identity{job, number}.name(), transport().connect(address, security)});
  }
  if (!others.empty()) return others;
  throw errors::InvalidArgumentError(
      fmt::format("exit_with_workers: the cluster has no job besides '{}', which it could end with", own));
}

}  // namespace

Server::Server(const ClusterSpec& cluster, const std::string& job, int task,
               const engine::ServerOptions& options)
    : security_(security_of(options.security)),
      task_({job, task}, checked(cluster, job, task), options, security_),
      worker_(task_),
      master_(task_) {
  const Address address = parse(cluster.at(job).at(task));
  std::string error;
  ListenOptions listening{.address = fmt::format("{}:{}", address.host, address.port),
                          .security = security_,
                          .most_message_bytes = options.limits.message_bytes};
  listener_ = transport().listen(
      listening,
      [this](const Request& request, Reply reply) {
        if (request.method.starts_with(Worker::kService)) return worker_.handle(request, std::move(reply));
        master_.handle(request, std::move(reply));
      },
      allocate_from_pool, error);
  if (listener_ == nullptr) {
    throw errors::UnavailableError(fmt::format(
        "Could not start gRPC server\n{}: is another server there, the host no name or address of this "
        "machine, or the port one that is not allowed?",
        error));
  }
  target_ = fmt::format("grpc://{}:{}", address.host, listener_->port());
  warn_of_exposure(address.host, target_, security_, options);
  if (options.others_ended != nullptr) {
    end_of_others_ = std::make_unique<EndOfOthers>(
        tasks_of_others(cluster, job, security_),
        [this](const std::string& other) { return worker_.has_served(other); }, options.others_ended);
  }
}

}  // namespace flowray::cluster

namespace flowray::engine {

std::unique_ptr<RunningServer> start_server(const ClusterAddresses& cluster, const std::string& job, int task,
                                            const ServerOptions& options) {
  return std::make_unique<cluster::Server>(cluster, job, task, options);
}

}  // namespace flowray::engine
