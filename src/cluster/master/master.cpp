#include "cluster/master/master.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>

#include "cluster/bodies.h"
#include "cluster/master/graph_check.h"
#include "cluster/master/master_session.h"
#include "cluster/memory_need.h"
#include "cluster/status_text.h"
#include "cluster/worker/worker.h"
#include "wire/master.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

std::vector<std::string> strings(const std::vector<wire::Text>& texts) {
  std::vector<std::string> result;
  for (const wire::Text& text : texts) result.push_back(text.str());
  return result;
}

/// Sorted: a fetch that is asked for twice comes once.
std::vector<std::string> strings_once(const std::vector<wire::Text>& texts) {
  std::vector<std::string> result = strings(texts);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// A RunStep from its request to its answer.
struct RunningStep {
  RunningStep(Request of, Reply to) : request(std::move(of)), reply(std::move(to)) {}

  void read() {
    message = body_of<wire::RunStepRequest>(request);
    names = {{}, strings_once(message.fetch), strings(message.target)};
  }

  std::vector<Array> feeds() {
    std::vector<Array> values;
    for (const wire::NamedTensorProto& feed : message.feed) {
      names.feeds.push_back(feed.name.str());
      values.push_back(fed_value(feed.tensor, request));
    }
    return values;
  }

  void end(engine::RunOutcome outcome) {
    reply(response_of([&] {
      try {
        if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
        return answer(std::move(outcome.results));
      } catch (const std::exception& error) {
        // Long texts do not fit into a status, so clients ask for them in the body.
        if (!message.store_errors_in_response_body) throw;
        const Status status = status_of(error);
        wire::RunStepResponse response;
        response.status_code = status.code;
        response.status_error_message = with_characters_only(status.text);
        return Message(wire::encode(response));
      }
    }));
  }

  Message answer(std::vector<Array> fetched) {
    return with_tensors(std::move(fetched), [this, session = runner](const std::vector<Array>& results) {
      wire::RunStepResponse response;
      response.metadata = std::move(call->metadata).value_or(wire::RunMetadata{});
      for (size_t i = 0; i < results.size(); ++i) {
        wire::NamedTensorProto& named = response.tensor.emplace_back();
        named.name = wire::Text(names.fetches[i]);
        named.tensor = wire::to_tensor_proto(results[i], wire::TensorForm::kBorrowed);
      }
      return response;
    });
  }

  const Request request;
  const Reply reply;
  wire::RunStepRequest message;  // borrows from the request
  StepNames names;
  std::shared_ptr<MasterSession> runner;
  std::optional<StepCall> call;
};

Message callable_message(std::vector<Array> fetched, std::optional<wire::RunMetadata> metadata,
                         const std::shared_ptr<MasterSession>& runner) {
  return with_tensors(std::move(fetched), [&metadata, runner](const std::vector<Array>& results) {
    wire::RunCallableResponse response;
    response.metadata = std::move(metadata).value_or(wire::RunMetadata{});
    for (const Array& result : results) {
      response.fetch.push_back(wire::to_tensor_proto(result, wire::TensorForm::kBorrowed));
    }
    return response;
  });
}

/// Refuses what TensorFlow has and this server does not, so that its results are not taken for those that
/// were asked for.
void refuse_what_is_missing(const wire::CallableOptions& options) {
  if (!options.tensor_connection.empty()) {
    const wire::TensorConnection& first = options.tensor_connection[0];
    throw errors::UnimplementedError(
        fmt::format("CallableOptions.tensor_connection (of '{}' to '{}') is not there on this server\n"
                    "Connect them in the graph, or feed the one with what was fetched of the other.",
                    first.from_tensor.view(), first.to_tensor.view()));
  }
  const auto check = [](const char* field, const wire::Map<wire::Text, wire::Text>& devices) {
    for (const auto& [tensor, device] : devices) {
      if (is_cpu(device)) continue;
      throw errors::UnimplementedError(
          fmt::format("CallableOptions.{} wants '{}' on '{}'\nThis server has a CPU only: leave it out.",
                      field, tensor.view(), device.view()));
    }
  };
  check("feed_devices", options.feed_devices);
  check("fetch_devices", options.fetch_devices);
}

/// The first error is thrown when all have been closed: nobody else has them.
void close_all(const std::vector<std::shared_ptr<MasterSession>>& sessions) {
  std::exception_ptr first;
  for (const auto& session : sessions) {
    try {
      session->close();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace

Master::Master(Task& task, std::chrono::milliseconds watch_period)
    : task_(task), sessions_(task.limits.sessions, spare_time(task.limits)) {
  if (task.limits.idle_seconds <= 0) return;
  const auto longest = std::chrono::seconds(std::min<int64_t>(task.limits.idle_seconds, 3600));
  idle_watch_ = std::thread([this, period = std::min<std::chrono::milliseconds>(watch_period, longest)] {
    watch_idle_sessions(period);
  });
}

Master::~Master() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  if (idle_watch_.joinable()) idle_watch_.join();
  // A step that has ended may keep its session a moment longer: what closing does must not wait for that, as
  // the server, which it needs, ends now.
  for (const auto& session : sessions_.take_all()) session->close();
}

void Master::handle(const Request& request, Reply reply) {
  if (request.method == "/tensorflow.MasterService/RunStep") return run_step(request, std::move(reply));
  if (request.method == "/tensorflow.MasterService/RunCallable")
    return run_callable(request, std::move(reply));
  reply(response_of([&] { return answer(request); }));
}

Message Master::answer(const Request& request) {
  using Method = Message (Master::*)(const Request&);
  static constexpr std::array<std::pair<std::string_view, Method>, 8> kMethods = {{
      {"CreateSession", &Master::create_session},
      {"ExtendSession", &Master::extend_session},
      {"PartialRunSetup", &Master::partial_run_setup},
      {"CloseSession", &Master::close_session},
      {"ListDevices", &Master::list_devices},
      {"Reset", &Master::reset},
      {"MakeCallable", &Master::make_callable},
      {"ReleaseCallable", &Master::release_callable},
  }};
  constexpr std::string_view kService = "/tensorflow.MasterService/";
  if (request.method.starts_with(kService)) {
    const auto name = request.method.substr(kService.size());
    const auto found = std::ranges::find(kMethods, name, &std::pair<std::string_view, Method>::first);
    if (found != kMethods.end()) return (this->*found->second)(request);
  }
  if (request.method == kExplain) return explain(request);
  if (request.method == kWhichAreOver) return which_are_over(request);
  throw errors::UnimplementedError(fmt::format("{} is not served here", request.method));
}

std::shared_ptr<MasterSession> Master::session(std::string_view handle) {
  std::shared_ptr<MasterSession> found = sessions_.find(handle);
  if (found == nullptr) throw errors::AbortedError(fmt::format("Session {} is not found.", handle));
  return found;
}

size_t Master::end_idle_sessions(Clock::time_point now) {
  const std::chrono::seconds longest(task_.limits.idle_seconds);
  auto ended = sessions_.take_if(now, [&](const std::string&, const MasterSession&, Clock::duration unused) {
    return unused > longest;
  });
  if (is_memory_short(task_.limits.memory_bytes)) {
    for (auto& session : sessions_.take_longest_unused(now)) ended.push_back(std::move(session));
  }
  close_all(ended);
  return ended.size();
}

/// What fails here (memory, a connection that cannot be made) must not end the process: later looks may do.
void Master::watch_idle_sessions(std::chrono::milliseconds period) {
  while (true) {
    {
      const MutexLock lock(mutex_);
      ends_.wait_for(mutex_, period, [this]() FLOWRAY_REQUIRES(mutex_) { return is_over_; });
      if (is_over_) return;
    }
    try {
      end_idle_sessions(Clock::now());
    } catch (const std::exception& error) {
      fmt::print(stderr, "flowray: Sessions that nobody calls could not be ended: {}\n", error.what());
    }
  }
}

void Master::throw_too_many() const {
  throw errors::ResourceExhaustedError(fmt::format(
      "Too many sessions: this server has {} of them\nClose some (Session.close, Session.reset), or "
      "start the server with a higher --max-sessions.",
      task_.limits.sessions));
}

std::string Master::new_handle() { return fmt::format("{:016x}", task_.incarnation + ++last_session_); }

/// A client may give the tasks other names, for its own session.
Identity Master::identity_of_session(const wire::CreateSessionRequest& message) const {
  if (!message.config.cluster_def.has_value() || message.config.cluster_def->job.empty())
    return task_.identity;
  const wire::ClusterDef& cluster = *message.config.cluster_def;
  std::string_view address = message.target;
  if (constexpr std::string_view kScheme = "grpc://"; address.starts_with(kScheme))
    address.remove_prefix(kScheme.size());
  std::vector<Identity> matches;
  for (const auto& job : cluster.job) {
    if (!graph::is_job_name(job.name)) {
      throw errors::InvalidArgumentError(
          fmt::format("The job name '{}' of the cluster_def is invalid.\nExpected a letter, then "
                      "letters, digits and '_'.",
                      job.name.view()));
    }
    for (const auto& [task, task_address] : job.tasks) {
      if (task_address == address && task >= 0) matches.push_back({job.name.str(), task});
    }
  }
  if (matches.empty()) {
    throw errors::InvalidArgumentError(
        "The master (current machine) is not included in the provided cluster_def. " +
        wire::to_text_format(cluster));
  }
  if (matches.size() > 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "Found multiple matching tasks that correspond to to the master. Master target: '{}'. ClusterDef: {}",
        message.target.view(), wire::to_text_format(cluster)));
  }
  if (matches[0].name() == task_.identity.name()) {
    throw errors::InvalidArgumentError(
        fmt::format("The ClusterSpec names the job and task index to be the same names that were provided "
                    "when the server "
                    "booted. This is currently not allowed. Job: {}, task index: {}",
                    task_.identity.job, task_.identity.task));
  }
  return matches[0];
}

namespace {

/// What the client leaves open is as the server's configuration says.
void fill_up(wire::ConfigProto& config, const engine::RemoteOptions& defaults) {
  config.allow_soft_placement |= defaults.allow_soft_placement;
  config.log_device_placement |= defaults.log_device_placement;
  config.isolate_session_state |= defaults.isolate_session_state;
  if (config.operation_timeout_in_ms == 0) config.operation_timeout_in_ms = defaults.operation_timeout_ms;
  if (config.intra_op_parallelism_threads == 0)
    config.intra_op_parallelism_threads = defaults.intra_op_threads;
  if (!config.graph_options.has_value()) config.graph_options = defaults.graph_options;
  // Lists are joined where messages are merged.
  config.device_filters.insert(config.device_filters.begin(), defaults.device_filters.begin(),
                               defaults.device_filters.end());
}

}  // namespace

/// Other tasks know a session while it is still being made.
class Master::Making {
 public:
  Making(Master& master, const std::string& handle) : master_(master), handle_(handle) {
    const MutexLock lock(master_.mutex_);
    master_.making_.insert(handle_);
  }
  ~Making() {
    const MutexLock lock(master_.mutex_);
    master_.making_.erase(handle_);
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  Master& master_;
  const std::string& handle_;
};

Message Master::create_session(const Request& request) {
  auto message = body_of<wire::CreateSessionRequest>(request);
  fill_up(message.config, task_.session_defaults);
  if (message.config.use_per_session_threads || !message.config.session_inter_op_thread_pool.empty()) {
    throw errors::InvalidArgumentError("Distributed session does not support session thread pool options.");
  }
  const Identity identity = identity_of_session(message);
  // Under another name the session's variables must not be shared with other sessions.
  if (identity.name() != task_.identity.name()) message.config.isolate_session_state = true;
  if (!sessions_.has_room(Clock::now())) throw_too_many();  // before there is work for it
  wire::CreateSessionResponse response;
  const std::string handle = new_handle();
  const Making making(*this, handle);
  auto made = std::make_shared<MasterSession>(task_, identity, message.config, handle);
  made->create(message.graph_def, request.cancellation);
  response.session_handle = handle;
  std::shared_ptr<MasterSession> ended;
  if (sessions_.add(handle, std::move(made), Clock::now(), ended) == decltype(sessions_)::Added::kFull)
    throw_too_many();
  if (ended != nullptr) ended->close();
  return Message(wire::encode(response));
}

Message Master::which_are_over(const Request& request) {
  const auto message = body_of<wire::SessionHandles>(request);
  wire::SessionHandles over;
  for (const wire::Text& handle : message.session_handle) {
    // In this order: what is made leaves the one list when it is in the other.
    const bool is_made = [&] {
      const MutexLock lock(mutex_);
      return making_.contains(handle.view());
    }();
    if (!is_made && !sessions_.contains(handle.view())) over.session_handle.push_back(handle);
  }
  return Message(wire::encode(over));
}

Message Master::extend_session(const Request& request) {
  const auto message = body_of<wire::ExtendSessionRequest>(request);
  wire::ExtendSessionResponse response;
  response.new_graph_version =
      session(message.session_handle)
          ->extend(message.graph_def, message.current_graph_version, request.cancellation);
  return Message(wire::encode(response));
}

void Master::run_step(const Request& request, Reply reply) {
  const auto running = std::make_shared<RunningStep>(request, std::move(reply));
  const Response early = response_of([&] {
    running->read();
    return Message();
  });
  if (!early.status.ok()) return running->reply(early);
  RunningStep& step = *running;
  std::vector<Array> feeds;
  try {
    feeds = step.feeds();
    step.runner = session(step.message.session_handle);
    step.call.emplace(StepCall{step.message.options, request.cancellation});
  } catch (...) {
    return step.end({std::current_exception(), {}});
  }
  const auto done = [running](engine::RunOutcome outcome) { running->end(std::move(outcome)); };
  const std::string partial_run = step.message.partial_run_handle.str();
  if (partial_run.empty()) {
    step.runner->run(step.names, std::move(feeds), *step.call, done);
  } else {
    step.runner->run_partially(partial_run, step.names, std::move(feeds), *step.call, done);
  }
}

Message Master::explain(const Request& request) {
  const auto message = body_of<wire::ExplainRequest>(request);
  StepNames names{{}, strings_once(message.step.fetch), strings(message.step.target)};
  std::vector<Array> feeds;
  for (const wire::NamedTensorProto& feed : message.step.feed) {
    names.feeds.push_back(feed.name.str());
    feeds.push_back(fed_value(feed.tensor, request));
  }
  return Message(session(message.step.session_handle)
                     ->explain(names, feeds, message.measured_runs,
                               StepCall{message.step.options, request.cancellation}));
}

Message Master::partial_run_setup(const Request& request) {
  const auto message = body_of<wire::PartialRunSetupRequest>(request);
  wire::PartialRunSetupResponse response;
  response.partial_run_handle =
      session(message.session_handle)
          ->begin_partial_run({strings(message.feed), strings_once(message.fetch), strings(message.target)});
  return Message(wire::encode(response));
}

Message Master::close_session(const Request& request) {
  const auto message = body_of<wire::CloseSessionRequest>(request);
  const std::shared_ptr<MasterSession> closed = sessions_.take(message.session_handle.view());
  if (closed == nullptr) {
    throw errors::AbortedError(fmt::format("Session {} is not found. Possibly, this master has restarted.",
                                           message.session_handle.view()));
  }
  closed->close();  // it goes with the last of its steps
  return {};
}

Message Master::list_devices(const Request& request) {
  const auto message = body_of<wire::ListDevicesRequest>(request);
  if (message.session_handle.empty()) {
    wire::ListDevicesResponse response;
    response.local_device.push_back(device_attributes(task_.identity.cpu().to_string(), task_.incarnation));
    return Message(wire::encode(response));
  }
  std::shared_ptr<MasterSession> asked;
  try {
    asked = session(message.session_handle);
  } catch (const errors::AbortedError&) {
    throw errors::InvalidArgumentError(fmt::format(
        "Session {} is not found. Possibly, this master has restarted.", message.session_handle.view()));
  }
  return Message(wire::encode(asked->list_devices(request.cancellation)));
}

/// Ends all sessions, whose later calls are ABORTED, and drops the variables of some containers, or of the
/// default one.
Message Master::reset(const Request& request) {
  const auto message = body_of<wire::ResetRequest>(request);
  close_all(sessions_.take_all());
  if (message.container.empty()) task_.containers->clear("");
  for (const wire::Text& container : message.container) task_.containers->clear(container.str());
  SessionTasks others(
      task_, task_.identity,
      {.handle = {}, .addresses = task_.addresses, .device_filters = strings(message.device_filters)});
  others.clear_containers(strings(message.container), request.cancellation);
  return {};
}

Message Master::make_callable(const Request& request) {
  const auto message = body_of<wire::MakeCallableRequest>(request);
  refuse_what_is_missing(message.options);
  wire::MakeCallableResponse response;
  response.handle = session(message.session_handle)
                        ->make_callable({strings(message.options.feed), strings(message.options.fetch),
                                         strings(message.options.target)},
                                        message.options.run_options.value_or(wire::RunOptions()));
  return Message(wire::encode(response));
}

void Master::run_callable(const Request& request, Reply reply) {
  std::vector<Array> feeds;
  std::shared_ptr<MasterSession> runner;
  int64_t handle = 0;
  const Response early = response_of([&] {
    const auto message = body_of<wire::RunCallableRequest>(request);
    for (const wire::TensorProto& feed : message.feed) feeds.push_back(fed_value(feed, request));
    runner = session(message.session_handle);
    handle = message.handle;
    return Message();
  });
  if (!early.status.ok()) return reply(early);
  runner->run_callable(handle, std::move(feeds), request.cancellation,
                       [runner, reply = std::move(reply)](engine::RunOutcome outcome,
                                                          std::optional<wire::RunMetadata> metadata) {
                         reply(response_of([&] {
                           if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
                           return callable_message(std::move(outcome.results), std::move(metadata), runner);
                         }));
                       });
}

Message Master::release_callable(const Request& request) {
  const auto message = body_of<wire::ReleaseCallableRequest>(request);
  session(message.session_handle)->release_callable(message.handle);
  return {};
}

}  // namespace flowray::cluster
