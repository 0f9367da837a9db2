#include "cluster/worker/worker.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "cluster/bodies.h"
#include "cluster/memory_need.h"
#include "cluster/status_payload.h"
#include "cluster/worker/running_part.h"
#include "cluster/worker/tensor_question.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

/// The request is for an earlier incarnation of this task.
class RestartedError : public errors::AbortedError {
 public:
  using AbortedError::AbortedError;
};

Response refusal(const std::exception& error) {
  Response response{{}, status_of(error)};
  if (dynamic_cast<const RestartedError*>(&error) != nullptr)
    response.status.details = status_payload(kRestartedUrl);
  return response;
}

engine::ClusterAddresses addresses_of(const wire::ClusterDef& cluster) {
  engine::ClusterAddresses addresses;
  for (const auto& job : cluster.job) {
    for (const auto& [task, address] : job.tasks) addresses[job.name.str()][task] = address.str();
  }
  return addresses;
}

/// What neither the graph nor its config says is as this server's configuration has it.
WorkerSession::Wishes wishes_of(const wire::RegisterGraphRequest& message, const Task& task) {
  WorkerSession::Wishes wishes{.graph_options = message.graph_options};
  if (message.config_proto.has_value()) {
    if (!wishes.graph_options.has_value()) wishes.graph_options = message.config_proto->graph_options;
    wishes.intra_op_threads = message.config_proto->intra_op_parallelism_threads;
  }
  if (!wishes.graph_options.has_value()) wishes.graph_options = task.session_defaults.graph_options;
  return wishes;
}

/// "" for a task that the cluster does not have.
std::string address_of(const engine::ClusterAddresses& cluster, const std::string& task_name) {
  for (const auto& [job, tasks] : cluster) {
    for (const auto& [number, address] : tasks) {
      if (Identity{job, number}.name() == task_name) return address;
    }
  }
  return {};
}

}  // namespace

wire::DeviceAttributes device_attributes(const std::string& name, uint64_t incarnation) {
  wire::DeviceAttributes device;
  device.name = wire::Text(name);
  device.device_type = "CPU";
  device.memory_limit = 256 << 20;
  device.incarnation = {incarnation};
  device.xla_global_id = -1;
  return device;
}

Worker::Worker(Task& task, std::chrono::milliseconds watch_period)
    : task_(task),
      partial_parts_(task.steps),
      sessionless_(
          std::make_shared<WorkerSession>(task, task.identity, task.addresses, WorkerSession::Options{})),
      sessions_(task.limits.sessions, spare_time(task.limits)),
      left_sessions_(*task.peers) {
  watch_ = std::thread([this, watch_period] { watch_sessions(watch_period); });
}

Worker::~Worker() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  ending_.cancel();
  watch_.join();
  task_.steps.end_all(Code::kUnavailable, "The server ends.");
  partial_parts_.wait_for_all();
  for (const auto& session : sessions_.take_all()) session->close();
}

void Worker::handle(const Request& request, Reply reply) {
  if (request.method == "/tensorflow.WorkerService/RunGraph") return run_graph(request, std::move(reply));
  if (request.method == "/tensorflow.WorkerService/RecvTensor")
    return receive_tensor(request, std::move(reply));
  Response response;
  try {
    response.message = answer(request);
  } catch (const std::exception& error) {
    response = refusal(error);
  }
  reply(std::move(response));
}

Message Worker::answer(const Request& request) {
  using Method = Message (Worker::*)(const Request&);
  static constexpr std::array<std::pair<std::string_view, Method>, 9> kMethods = {{
      {"GetStatus", &Worker::get_status},
      {"CreateWorkerSession", &Worker::create_session},
      {"DeleteWorkerSession", &Worker::delete_session},
      {"RegisterGraph", &Worker::register_graph},
      {"DeregisterGraph", &Worker::deregister_graph},
      {"CleanupGraph", &Worker::cleanup_graph},
      {"CleanupAll", &Worker::cleanup_all},
      {"Logging", &Worker::logging},
      {"MarkRecvFinished", &Worker::mark_finished},
  }};
  static constexpr std::array<std::string_view, 4> kOfCollectives = {"RecvBuf", "CompleteGroup",
                                                                     "CompleteInstance", "GetStepSequence"};
  if (request.method.starts_with(kService)) {
    const auto name = request.method.substr(kService.size());
    const auto found = std::ranges::find(kMethods, name, &std::pair<std::string_view, Method>::first);
    if (found != kMethods.end()) return (this->*found->second)(request);
    if (std::ranges::find(kOfCollectives, name) != kOfCollectives.end()) {
      throw errors::UnimplementedError(
          fmt::format("{} is not served here\nThere are no collective operations: let SyncReplicasOptimizer "
                      "average gradients.",
                      request.method));
    }
  }
  throw errors::UnimplementedError(fmt::format("{} is not served here", request.method));
}

Message Worker::get_status(const Request& /*request*/) {
  const std::string name = task_.identity.cpu().to_string();
  wire::GetStatusResponse response;
  response.device_attributes.push_back(device_attributes(name, task_.incarnation));
  return Message(wire::encode(response));
}

bool Worker::has_served(const std::string& master_task) const {
  const MutexLock lock(mutex_);
  return served_.contains(master_task);
}

std::shared_ptr<WorkerSession> Worker::session(std::string_view handle) {
  if (handle.empty()) return sessionless_;
  if (std::shared_ptr<WorkerSession> found = sessions_.find(handle)) return found;
  throw RestartedError(
      fmt::format("Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.", handle,
                  task_.identity.name()));
}

/// Sessions of an earlier incarnation of a master, which no request names any more.
void Worker::drop_sessions_of_earlier(const std::string& master_task, int64_t incarnation) {
  const auto is_earlier = [&](const std::string&, const WorkerSession& session, Clock::duration) {
    const WorkerSession::Options& options = session.options();
    return options.master_task == master_task && options.master_incarnation != incarnation;
  };
  for (const auto& session : sessions_.take_if(Clock::now(), is_earlier)) session->close();
}

size_t Worker::end_left_sessions(LeftSessions& asking, Clock::time_point now) {
  std::vector<SessionOrigin> origins;
  sessions_.visit([&](const std::string& handle, const WorkerSession& session) {
    origins.push_back({handle, address_of(session.names().addresses(), session.options().master_task),
                       static_cast<uint64_t>(session.options().master_incarnation)});
  });
  const LeftSessions::Word word = asking.ask(origins, now, ending_);
  const std::chrono::seconds longest(task_.limits.idle_seconds);
  auto ended = sessions_.take_if(
      now, [&](const std::string& handle, const WorkerSession& /*session*/, Clock::duration unused) {
        if (word.left.contains(handle)) return true;
        return longest.count() > 0 && unused > longest && !word.confirmed.contains(handle);
      });
  if (is_memory_short(task_.limits.memory_bytes)) {
    for (auto& session : sessions_.take_longest_unused(now)) ended.push_back(std::move(session));
  }
  for (const auto& session : ended) session->close();
  return ended.size();
}

/// What fails here (memory, a connection that cannot be made) must not end the process: it is tried again.
void Worker::watch_sessions(std::chrono::milliseconds period) {
  LeftSessions asking(*task_.peers);
  while (true) {
    {
      const MutexLock lock(mutex_);
      ends_.wait_for(mutex_, period, [this]() FLOWRAY_REQUIRES(mutex_) { return is_over_; });
      if (is_over_) return;
    }
    try {
      end_left_sessions(asking, Clock::now());
    } catch (const std::exception& error) {
      fmt::print(stderr, "flowray: The masters of this worker's sessions could not be asked: {}\n",
                 error.what());
    }
  }
}

Message Worker::create_session(const Request& request) {
  const auto message = body_of<wire::CreateWorkerSessionRequest>(request);
  const wire::ServerDef& server = message.server_def;
  Identity self = task_.identity;
  engine::ClusterAddresses addresses = task_.addresses;
  if (server.cluster.has_value() && !server.cluster->job.empty()) {
    if (!graph::is_job_name(server.job_name.view()) || server.task_index < 0)
      throw errors::InvalidArgumentError(
          fmt::format("The job name \"{}\" is invalid", server.job_name.view()));
    self = {server.job_name.str(), server.task_index};
    addresses = addresses_of(*server.cluster);
  }
  const std::string master = message.master_task.str();
  const std::string handle = message.session_handle.str();
  if (!master.empty()) drop_sessions_of_earlier(master, message.master_incarnation);
  auto made = std::make_shared<WorkerSession>(
      task_, std::move(self), std::move(addresses),
      WorkerSession::Options{message.isolate_session_state, master, message.master_incarnation});
  std::shared_ptr<WorkerSession> ended;
  if (sessions_.add(handle, std::move(made), Clock::now(), ended) == decltype(sessions_)::Added::kFull) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Too many sessions: this worker has {} of them\nClose some (Session.close, Session.reset), "
        "or start the server with a higher --max-sessions.",
        task_.limits.sessions));
  }
  if (ended != nullptr) ended->close();
  const MutexLock lock(mutex_);
  // Made-up names are too many to remember.
  if (!address_of(task_.addresses, master).empty()) served_.insert(master);
  return {};
}

Message Worker::delete_session(const Request& request) {
  const auto message = body_of<wire::DeleteWorkerSessionRequest>(request);
  if (const auto deleted = sessions_.take(message.session_handle.view())) deleted->close();
  return {};
}

Message Worker::register_graph(const Request& request) {
  const auto message = body_of<wire::RegisterGraphRequest>(request);
  wire::RegisterGraphResponse response;
  const std::string handle =
      session(message.session_handle.view())->add(message.graph_def, wishes_of(message, task_));
  response.graph_handle = wire::Text(handle);
  return Message(wire::encode(response));
}

Message Worker::deregister_graph(const Request& request) {
  const auto message = body_of<wire::DeregisterGraphRequest>(request);
  session(message.session_handle.view())->remove(message.graph_handle.view());
  return {};
}

Message Worker::cleanup_graph(const Request& request) {
  const auto message = body_of<wire::CleanupGraphRequest>(request);
  task_.steps.end(message.step_id, Code::kAborted, fmt::format("Cleanup {}", message.step_id));
  return {};
}

Message Worker::cleanup_all(const Request& request) {
  const auto message = body_of<wire::CleanupAllRequest>(request);
  const std::vector<std::shared_ptr<WorkerSession>> sessions = sessions_.all();
  const auto clear = [&](const std::string& container) {
    task_.containers->clear(container);
    for (const auto& session : sessions) session->clear(container);
  };
  if (message.container.empty()) clear("");
  for (const wire::Text& container : message.container) clear(container.str());
  return {};
}

/// What TensorFlow's masters ask for the tensors that parts have got from other tasks: to remember them, then
/// for those of some steps. Ours get them with the parts' traces.
Message Worker::logging(const Request& request) {
  const auto message = body_of<wire::LoggingRequest>(request);
  const bool asks = !message.fetch_step_id.empty() || message.clear;
  if (message.enable_rpc_logging) {
    task_.steps.begin_to_log_receives();
  } else if (message.disable_rpc_logging || !asks) {
    task_.steps.end_logging_receives();  // masters of old say it by saying nothing
  }
  wire::LoggingResponse response;
  const std::set<int64_t> wanted(message.fetch_step_id.begin(), message.fetch_step_id.end());
  for (const int64_t step_id : wanted) {
    const std::shared_ptr<StepRendezvous> step = task_.steps.tell_received(step_id);
    if (step == nullptr) continue;
    wire::LabeledStepStats& told = response.step.emplace_back();
    told.step_id = step_id;
    told.step_stats.dev_stats.push_back(
        trace_of_receives(step->received(), task_.identity.cpu().to_string()));
  }
  if (message.clear) task_.steps.forget_received();
  return Message(wire::encode(response));
}

/// The other process has read the value that was kept for it.
Message Worker::mark_finished(const Request& request) {
  const auto message = body_of<wire::MarkRecvFinishedRequest>(request);
  const Steps::Visit visit(task_.steps, message.step_id);
  (void)visit.step().take_back(static_cast<uint64_t>(message.request_id));
  return {};
}

void Worker::run_graph(const Request& request, Reply reply) {
  try {
    auto message = body_of<wire::RunGraphRequest>(request);
    std::shared_ptr<WorkerSession> runner = session(message.session_handle.view());
    std::shared_ptr<RegisteredGraph> graph = runner->graph(message.graph_handle.view());
    if (!seen_runs_.add(message.request_id)) {
      throw errors::AbortedError(
          "The same RunGraph (Worker) request was received twice. It has been answered, or will be.");
    }
    const bool is_partial = message.is_partial;
    AnsweredRun run{std::move(message), std::move(runner), std::move(graph)};
    if (is_partial) return partial_parts_.run(request, reply, std::move(run));
    std::make_shared<RunningPart>(request, reply)->start(task_.steps, std::move(run));
  } catch (const std::exception& error) {
    reply(refusal(error));
  }
}

void Worker::receive_tensor(const Request& request, Reply reply) {
  try {
    const auto message = body_of<wire::RecvTensorRequest>(request);
    const std::string key = message.rendezvous_key.str();
    if (const uint64_t asked = parse_key(key).incarnation; asked != task_.incarnation) {
      throw RestartedError(
          fmt::format("RecvTensor expects a different device incarnation: {} vs. {}. Your worker job "
                      "(\"{}\") was probably restarted. Check your worker job for the reason why it was "
                      "restarted.",
                      asked, task_.incarnation, task_.identity.name()));
    }
    if (message.direct.has_value() && message.direct->has_failed)
      return reply(TensorQuestion::answer_again(task_.steps, message));
    TensorQuestion::ask(task_.steps, message, request, reply);
  } catch (const std::exception& error) {
    reply(refusal(error));
  }
}

}  // namespace flowray::cluster
