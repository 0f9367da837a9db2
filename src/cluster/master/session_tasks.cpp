#include "cluster/master/session_tasks.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "cluster/asked_call.h"
#include "cluster/bodies.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

using SystemClock = std::chrono::system_clock;

constexpr auto kSilence = std::chrono::seconds(10);  // after which the tasks that are waited for are logged
/// Before a task is asked again whose answer came at once, that it is not there.
constexpr auto kPause = std::chrono::milliseconds(250);

std::string method_of(std::string_view name) { return fmt::format("/tensorflow.WorkerService/{}", name); }

Response ask(Channel& channel, std::string_view method, const Message& message, const Channel::Limits& limits,
             Cancellation& client) {
  return AskedCall(channel, method_of(method), message, limits, client).answer();
}

[[noreturn]] void throw_gone() { throw errors::CancelledError("The client of the session has gone."); }

void check(const Response& response, const Identity& from, Cancellation& client) {
  if (response.status.ok()) return;
  if (client.is_cancelled()) throw_gone();
  errors::throw_error(static_cast<Code>(response.status.code),
                      fmt::format("From {}:\n{}", from.name(), response.status.text));
}

/// When what begins now is to end; 0: never.
SystemClock::time_point end_after(int64_t timeout_ms) {
  constexpr int64_t kLongestMs = int64_t{1} << 40;  // no clock overflows
  if (timeout_ms <= 0 || timeout_ms >= kLongestMs) return SystemClock::time_point::max();
  return SystemClock::now() + std::chrono::milliseconds(timeout_ms);
}

/// Or until the client goes.
void rest_until(SystemClock::time_point time, Cancellation& client) {
  Mutex mutex;
  CondVar gone;
  const Cancellation::Listening listening(client, [&] {
    {
      const MutexLock lock(mutex);  // a resting caller has not looked yet, or sleeps
    }
    gone.notify_all();
  });
  const MutexLock lock(mutex);
  gone.wait_until(mutex, time, [&] { return client.is_cancelled(); });
}

bool comes_before(const Identity& one, const Identity& other) {
  return std::tie(one.job, one.task) < std::tie(other.job, other.task);
}

/// What a CleanupAll or a DeleteWorkerSession may take.
Channel::Limits some_seconds() { return {.deadline = SystemClock::now() + kSilence}; }

}  // namespace

SessionTasks::SessionTasks(Task& task, const Identity& self, Options options)
    : task_(task),
      options_(std::move(options)),
      config_(wire::decode<wire::ConfigProto>(options_.config)),
      names_(self, options_.addresses, *task.peers) {
  for (const std::string& filter : options_.device_filters) {
    const auto parsed = graph::DeviceName::parse(filter);
    if (!parsed)
      throw errors::InvalidArgumentError(fmt::format("Could not parse the device filter '{}'", filter));
    filters_.push_back(*parsed);
  }
  KnownDevices own;
  own.set = {{self.cpu()}, options_.soft_placement};
  own.incarnations = {task.incarnation};
  own.tasks = {self};
  own.channels = {nullptr};
  known_ = std::make_shared<const KnownDevices>(std::move(own));
}

std::shared_ptr<const KnownDevices> SessionTasks::known() const {
  const MutexLock lock(mutex_);
  return known_;
}

bool SessionTasks::is_left_by_filters(const Identity& other) const {
  if (filters_.empty()) return true;
  return std::ranges::any_of(
      filters_, [&](const graph::DeviceName& filter) { return filter.includes_task_of(other.cpu()); });
}

/// The tasks that pass the device filters.
std::vector<Identity> SessionTasks::others() const {
  std::vector<Identity> tasks;
  for (const auto& [job, addresses] : options_.addresses) {
    for (const auto& [number, address] : addresses) {
      const Identity other{job, number};
      if (other.name() != names_.self().name() && is_left_by_filters(other)) tasks.push_back(other);
    }
  }
  return tasks;
}

void SessionTasks::find_for(const wire::GraphDef& graph_def, Cancellation& client) {
  std::set<std::string_view> wishes;
  const auto add_wishes = [&](const auto& nodes) {
    for (const wire::NodeDef& node : nodes) {
      if (!node.device.empty()) wishes.insert(node.device.view());
    }
  };
  add_wishes(graph_def.node);
  if (graph_def.library.has_value()) {
    for (const wire::FunctionDef& function : graph_def.library->function) add_wishes(function.node_def);
  }
  std::vector<graph::DeviceName> devices;
  for (const std::string_view wish : wishes) {
    const auto device = graph::DeviceName::parse(wish);
    // What asks for no task in particular runs here.
    if (device && !device->includes_task_of(names_.self().cpu())) devices.push_back(*device);
  }
  if (devices.empty()) return;
  for (const Identity& other : others()) {
    const bool is_named = std::ranges::any_of(
        devices, [&](const graph::DeviceName& device) { return device.includes_task_of(other.cpu()); });
    if (is_named) find(other, client);
  }
}

void SessionTasks::find_all(Cancellation& client) {
  for (const Identity& other : others()) find(other, client);
}

void SessionTasks::find(const Identity& other, Cancellation& client) {
  const std::string name = other.name();
  if (!begin_to_find(name, client)) return;
  const auto end = [&] {
    {
      const MutexLock lock(mutex_);
      being_found_.erase(name);
    }
    changed_.notify_all();
  };
  try {
    look_for(other, client);
  } catch (...) {
    end();
    throw;
  }
  end();
}

/// One caller looks for a task; others that want the same one wait for the outcome, and look themselves where
/// the task was not found. False: it is known.
bool SessionTasks::begin_to_find(const std::string& name, Cancellation& client) {
  const Cancellation::Listening listening(client, [this] {
    {
      const MutexLock lock(mutex_);  // a waiting caller has not looked yet, or sleeps
    }
    changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  changed_.wait(mutex_, [&]() FLOWRAY_REQUIRES(mutex_) {
    return client.is_cancelled() || !being_found_.contains(name);
  });
  const auto is_it = [&](const Identity& task) { return task.name() == name; };
  if (std::ranges::any_of(known_->tasks, is_it)) return false;
  if (!being_found_.insert(name).second) throw_gone();
  return true;
}

void SessionTasks::look_for(const Identity& other, Cancellation& client) {
  const std::shared_ptr<Channel> channel = names_.channel_to(other);
  Message answer;
  const auto found = wait_for(other, *channel, client, answer);
  create_session_at(other, *channel, client);
  const MutexLock lock(mutex_);
  KnownDevices now = *known_;
  // Behind those of earlier tasks, whatever was found first: a node that fits several runs on the first.
  auto at = std::upper_bound(now.tasks.begin() + 1, now.tasks.end(), other, comes_before) - now.tasks.begin();
  for (const wire::DeviceAttributes& device : found) {
    // A task tells the names that it was started with; the session may have others.
    auto name = graph::DeviceName::parse(device.name.view());
    if (!name || !name->type || !name->index) continue;
    name->job = other.job;
    name->replica = 0;
    name->task = other.task;
    now.set.devices.insert(now.set.devices.begin() + at, *name);
    now.incarnations.insert(now.incarnations.begin() + at, device.incarnation.value);
    now.tasks.insert(now.tasks.begin() + at, other);
    now.channels.insert(now.channels.begin() + at, channel);
    ++at;
  }
  known_ = std::make_shared<const KnownDevices>(std::move(now));
}

std::vector<wire::DeviceAttributes> SessionTasks::wait_for(const Identity& other, Channel& channel,
                                                           Cancellation& client, Message& answer) const {
  const auto end = end_after(options_.timeout_ms);
  auto next_word = SystemClock::now() + kSilence;
  while (true) {
    const auto asked = SystemClock::now();
    Response response = ask(channel, "GetStatus", Message(),
                            {.deadline = std::min(end, next_word), .waits_for_server = true}, client);
    if (response.status.ok()) {
      answer = std::move(response.message);
      return body_of<wire::GetStatusResponse>(answer).device_attributes;
    }
    const auto code = static_cast<Code>(response.status.code);
    if (client.is_cancelled()) throw_gone();
    if (code != Code::kDeadlineExceeded && code != Code::kUnavailable) check(response, other, client);
    const std::string whom =
        fmt::format("CreateSession still waiting for response from worker: {}", other.name());
    if (SystemClock::now() >= end) {
      throw errors::DeadlineExceededError(
          fmt::format("{}\nIt is not there, or not at {}. Start it, or give the session more time "
                      "(operation_timeout_in_ms).",
                      whom, options_.addresses.at(other.job).at(other.task)));
    }
    if (SystemClock::now() >= next_word) {
      fmt::print(stderr, "flowray: {}\n", whom);
      next_word = SystemClock::now() + kSilence;
    }
    rest_until(std::min(end, asked + kPause), client);
  }
}

void SessionTasks::create_session_at(const Identity& other, Channel& channel, Cancellation& client) const {
  wire::CreateWorkerSessionRequest request;
  request.session_handle = options_.handle;
  request.server_def.job_name = other.job;
  request.server_def.task_index = other.task;
  request.server_def.protocol = "grpc";
  if (options_.is_cluster_given) {
    wire::ClusterDef& cluster = request.server_def.cluster.emplace();
    for (const auto& [job, addresses] : options_.addresses) {
      auto& named = cluster.job.emplace_back();
      named.name = job;
      for (const auto& [number, address] : addresses) named.tasks.add(number, address);
    }
  }
  request.isolate_session_state = options_.isolates_state;
  const std::string self = names_.self().name();
  request.master_task = self;
  request.master_incarnation = static_cast<int64_t>(task_.incarnation);
  const Channel::Limits limits{.deadline = end_after(options_.timeout_ms)};
  check(ask(channel, "CreateWorkerSession", Message(wire::encode(request)), limits, client), other, client);
}

void SessionTasks::end_sessions() {
  wire::DeleteWorkerSessionRequest request;
  request.session_handle = options_.handle;
  const Message message(wire::encode(request));
  std::set<Channel*> told;
  const auto devices = known();
  for (const std::shared_ptr<Channel>& channel : devices->channels) {
    if (channel == nullptr || !told.insert(channel.get()).second) continue;
    (void)channel->start(method_of("DeleteWorkerSession"), message, some_seconds(), [](const Response&) {});
  }
}

void SessionTasks::clear_containers(const std::vector<std::string>& containers, Cancellation& client) {
  wire::CleanupAllRequest request;
  request.container.assign(containers.begin(), containers.end());
  const Message message(wire::encode(request));
  std::vector<std::unique_ptr<AskedCall>> asked;
  for (const Identity& other : others()) {
    asked.push_back(std::make_unique<AskedCall>(*names_.channel_to(other), method_of("CleanupAll"), message,
                                                some_seconds(), client));
  }
  for (const auto& one : asked) (void)one->answer();
}

}  // namespace flowray::cluster
