#include <flowray/errors.h>
#include <flowray/tf/server.h>

#include "core/mutex.h"
#include "engine/servers.h"
#include "tf/build/user_line.h"
#include "tf/session/remote_options.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace flowray::tf::train {
namespace {

std::string job_of(const ClusterSpec& cluster, const ServerOptions& options) {
  if (!options.job_name.empty()) return options.job_name;
  if (cluster.as_map().size() == 1) return cluster.as_map().begin()->first;
  throw ValueError("Must specify an explicit `job_name`.");
}

int task_of(const ClusterSpec& cluster, const std::string& job, const ServerOptions& options) {
  if (options.task_index.has_value()) return *options.task_index;
  const std::vector<int> tasks = cluster.task_indices(job);
  if (tasks.size() == 1) return tasks[0];
  throw ValueError("Must specify an explicit `task_index`.");
}

int64_t limit(std::string_view name, int64_t value, int64_t most = INT64_MAX) {
  if (value >= 1 && value <= most) return value;
  throw ValueError(fmt::format("`{}` must be from 1 to {}, got {}", name, most, value));
}

engine::ServerOptions engine_options(const ServerOptions& options) {
  engine::ServerOptions made;
  made.files.root = options.file_root;
  made.files.no_files = options.no_files;
  if (options.no_files && !options.file_root.empty())
    throw ValueError("A server with `no_files` has no use for a `file_root`.");
  made.security = {options.tls_cert, options.tls_key, options.tls_ca, options.token_file};
  made.limits = {.message_bytes = limit("max_message_bytes", options.max_message_bytes, int64_t{1} << 40),
                 .sessions = limit("max_sessions", options.max_sessions),
                 .callables = limit("max_callables", options.max_callables),
                 .partial_runs = limit("max_partial_runs", options.max_partial_runs),
                 .idle_seconds = options.idle_timeout};
  constexpr int64_t kLongestIdle = int64_t{1} << 30;  // no clock overflows
  if (options.idle_timeout < 0 || options.idle_timeout > kLongestIdle) {
    throw ValueError(
        fmt::format("`idle_timeout` must be from 0 to {}, got {}", kLongestIdle, options.idle_timeout));
  }
  const SessionConfig& config = options.config;
  check_device_count(config);
  made.session_defaults = remote_options(config);
  if (options.protocol != "grpc") {
    throw errors::NotFoundError(fmt::format(
        "No server factory registered for the given ServerDef: protocol: \"{}\"\nThe available server "
        "factories are: [ GRPC_SERVER ]: leave the protocol out, or say \"grpc\".",
        options.protocol));
  }
  return made;
}

}  // namespace

ClusterSpec::ClusterSpec(std::initializer_list<Job> jobs) {
  for (const Job& job : jobs) {
    auto& tasks = jobs_[job.name];
    for (const std::string& address : job.tasks) tasks.emplace(static_cast<int>(tasks.size()), address);
  }
}

ClusterSpec::ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs) {
  for (const auto& [name, addresses] : jobs) {
    auto& tasks = jobs_[name];
    for (const std::string& address : addresses) tasks.emplace(static_cast<int>(tasks.size()), address);
  }
}

ClusterSpec::ClusterSpec(std::map<std::string, std::map<int, std::string>> jobs) : jobs_(std::move(jobs)) {}

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, tasks] : jobs_) names.push_back(name);
  return names;
}

const std::map<int, std::string>& ClusterSpec::tasks(const std::string& job) const {
  const auto found = jobs_.find(job);
  if (found != jobs_.end()) return found->second;
  throw ValueError(fmt::format("No such job in cluster: '{}'", job));
}

std::vector<int> ClusterSpec::task_indices(const std::string& job) const {
  std::vector<int> indices;
  for (const auto& [index, address] : tasks(job)) indices.push_back(index);
  return indices;
}

const std::string& ClusterSpec::task_address(const std::string& job, int task) const {
  const auto& of_job = tasks(job);
  const auto found = of_job.find(task);
  if (found != of_job.end()) return found->second;
  throw ValueError(fmt::format("No task with index {} in job '{}'", task, job));
}

std::vector<std::string> ClusterSpec::job_tasks(const std::string& job) const {
  std::vector<std::string> addresses;
  for (const auto& [index, address] : tasks(job)) {
    if (index < 0) continue;
    addresses.resize(static_cast<size_t>(index) + 1);
    addresses.back() = address;
  }
  return addresses;
}

struct Server::State {
  ClusterSpec cluster;
  std::string job;
  int task = 0;
  engine::ServerOptions options;

  Mutex mutex;
  CondVar stopped;
  std::unique_ptr<engine::RunningServer> running FLOWRAY_GUARDED_BY(mutex);
  bool others_have_ended FLOWRAY_GUARDED_BY(mutex) = false;
};

Server::Server(const ClusterSpec& cluster, const ServerOptions& options) : state_(std::make_unique<State>()) {
  state_->cluster = cluster;
  state_->job = job_of(cluster, options);
  state_->task = task_of(cluster, state_->job, options);
  state_->options = engine_options(options);
  if (options.exit_with_workers) {
    state_->options.others_ended = [state = state_.get()] {
      const MutexLock lock(state->mutex);
      state->others_have_ended = true;
      state->stopped.notify_all();
    };
  }
  if (options.start) start();
}

Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() {
  if (state_ != nullptr) stop();
}

Server Server::create_local_server(const LocalServerOptions& options) {
  return Server({{"localhost", {"localhost:0"}}}, {.start = options.start, .config = options.config});
}

void Server::start() {
  const MutexLock lock(state_->mutex);
  if (state_->running != nullptr) return;
  state_->running =
      engine::start_server(state_->cluster.as_map(), state_->job, state_->task, state_->options);
}

std::string Server::target() const {
  const MutexLock lock(state_->mutex);
  if (state_->running != nullptr) return state_->running->target();
  throw RuntimeError("The server does not run, so it has no target: call start().");
}

int Server::join() {
  const MutexLock lock(state_->mutex);
  state_->stopped.wait(state_->mutex, [this]() FLOWRAY_REQUIRES(state_->mutex) {
    return state_->running == nullptr || state_->others_have_ended;
  });
  return 0;
}

void Server::stop() {
  std::unique_ptr<engine::RunningServer> ended;  // outside of the lock: it waits for the steps under way
  {
    const MutexLock lock(state_->mutex);
    ended = std::move(state_->running);
  }
  ended.reset();
  state_->stopped.notify_all();
}

namespace {

void check_is_servers(const std::string& target) {
  if (target.starts_with("grpc://")) return;
  throw errors::NotFoundError(
      fmt::format("No session factory registered for the given session options: {{target: \"{}\"}} "
                  "Registered factories are {{GRPC_SESSION}}.",
                  target));
}

}  // namespace

std::vector<DeviceAttributes> list_devices(const std::string& target, const SessionConfig& config,
                                           Fetch::Where where) {
  const ErrorLine errors(where);
  check_is_servers(target);
  const Graph none;
  const auto session = engine::connect_session(target, *none.get(), remote_options(config));
  std::vector<DeviceAttributes> devices;
  for (engine::RemoteDevice& device : session->list_devices()) {
    devices.push_back(
        {std::move(device.name), std::move(device.type), device.memory_limit_bytes, device.incarnation});
  }
  return devices;
}

void reset_session(const std::string& target, const std::vector<std::string>& containers,
                   const SessionConfig& config, Fetch::Where where) {
  const ErrorLine errors(where);
  check_is_servers(target);
  engine::reset_server(target, containers, remote_options(config));
}

}  // namespace flowray::tf::train
