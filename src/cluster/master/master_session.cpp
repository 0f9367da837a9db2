#include "cluster/master/master_session.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>

#include "cluster/master/graph_check.h"
#include "cluster/worker/worker.h"
#include "engine/step/config_passes.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"

namespace flowray::cluster {
namespace {

/// "node:port", where ":0" may be left out; nothing for another text.
struct TensorName {
  std::string_view node;
  int port = 0;
};
std::optional<TensorName> parse(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return TensorName{name, 0};
  TensorName parsed{name.substr(0, colon), 0};
  const auto [end, error] = std::from_chars(name.data() + colon + 1, name.data() + name.size(), parsed.port);
  if (error != std::errc() || end != name.data() + name.size() || parsed.port < 0) return std::nullopt;
  return parsed;
}

SessionTasks::Options task_options(const Task& task, const wire::ConfigProto& config, std::string handle) {
  SessionTasks::Options options{.handle = std::move(handle), .addresses = task.addresses};
  if (config.cluster_def.has_value() && !config.cluster_def->job.empty()) {
    options.is_cluster_given = true;
    options.addresses.clear();
    for (const auto& job : config.cluster_def->job) {
      for (const auto& [number, address] : job.tasks)
        options.addresses[job.name.str()][number] = address.str();
    }
  }
  for (const wire::Text& filter : config.device_filters) options.device_filters.push_back(filter.str());
  options.isolates_state = config.isolate_session_state;
  options.soft_placement = config.allow_soft_placement;
  options.timeout_ms = config.operation_timeout_in_ms;
  options.config = wire::encode(config);
  return options;
}

}  // namespace

MasterSession::MasterSession(Task& task, Identity identity, const wire::ConfigProto& config,
                             std::string handle)
    : task_(task),
      name_of_task_(identity.name()),
      tasks_(task, identity, task_options(task, config, std::move(handle))),
      limits_(task.limits),
      operation_timeout_ms_(config.operation_timeout_in_ms),
      logs_placement_(config.log_device_placement),
      graph_(new graph::Graph(ops::op_table())),
      engine_({.intra_op_threads = config.intra_op_parallelism_threads,
               .passes = engine::passes_of(config.graph_options),
               .devices = {{identity.cpu()}, config.allow_soft_placement},
               .files = task.files},
              config.isolate_session_state ? nullptr : task.containers) {}

void MasterSession::close() {
  if (is_closed_.exchange(true)) return;
  engine_.close();
  tasks_.end_sessions();
}

void MasterSession::create(const wire::GraphDef& graph_def, Cancellation& client) {
  tasks_.find_for(graph_def, client);
  const WriterLock lock(mutex_);
  add(graph_def);
}

/// Adds all of the nodes or, where it throws, none.
void MasterSession::add(const wire::GraphDef& graph_def) {
  check_nodes(graph_def, *graph_);
  check_placement(graph_def, tasks_.known()->set);
  graph::import_graph_def(graph_def, *graph_, {.may_use_nodes_of_graph = true});
}

int64_t MasterSession::extend(const wire::GraphDef& graph_def, int64_t expected_version,
                              Cancellation& client) {
  tasks_.find_for(graph_def, client);
  const WriterLock lock(mutex_);
  if (expected_version != version_) {
    throw errors::AbortedError(
        fmt::format("Current version is {} but caller expected {}.", version_, expected_version));
  }
  for (const wire::NodeDef& node : graph_def.node) {
    if (graph_->find(node.name.view()) == nullptr) continue;
    throw errors::InvalidArgumentError(
        fmt::format("GraphDef argument to Extend includes node '{}', which was created by "
                    "a previous call to Create or Extend in this session.",
                    node.name.view()));
  }
  add(graph_def);
  return ++version_;
}

wire::ListDevicesResponse MasterSession::list_devices(Cancellation& client) {
  tasks_.find_all(client);
  const auto known = tasks_.known();
  wire::ListDevicesResponse response;
  for (size_t i = 0; i < known->tasks.size(); ++i) {
    // As TensorFlow's master: apart only where the client has given the cluster.
    const bool is_apart = i > 0 && tasks_.is_cluster_given();
    (is_apart ? response.remote_device : response.local_device)
        .push_back(device_attributes(known->set.devices[i].to_string(), known->incarnations[i]));
  }
  return response;
}

void MasterSession::run(const StepNames& names, std::vector<Array> feeds, StepCall& call,
                        engine::RunDone done) {
  AnyStep found;
  try {
    found = step(names);
  } catch (...) {
    return done({std::current_exception(), {}});
  }
  start(found, std::move(feeds), call, std::move(done));
}

void MasterSession::start(const AnyStep& step, std::vector<Array> feeds, StepCall& call,
                          engine::RunDone done) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const graph::Endpoint& fed = step.graph().values[step.graph().feeds[i]].endpoint;
    if (feeds[i].dtype() == base_dtype(fed.dtype())) continue;
    const errors::InternalError error(
        fmt::format("From {}:\nOutput 0 of type {} does not match declared output type {} for node {{{{node "
                    "_recv_{}_{}}}}}",
                    name_of_task_, dtype_kernel_name(feeds[i].dtype()),
                    dtype_kernel_name(base_dtype(fed.dtype())), fed.node->name(), fed.index));
    return done({std::make_exception_ptr(error), {}});
  }
  if (step.here != nullptr) {
    start_step(engine_, *step.here, std::move(feeds), name_of_task_, operation_timeout_ms_, call,
               std::move(done));
  } else {
    step.on_cluster->start(shared_from_this(), task_.steps, std::move(feeds), call, operation_timeout_ms_,
                           std::move(done));
  }
}

std::string MasterSession::explain(const StepNames& names, std::span<const Array> feeds, int measured_runs,
                                   const StepCall& call) {
  constexpr int kMostRuns = 1000;
  if (measured_runs < 0 || measured_runs > kMostRuns) {
    throw errors::InvalidArgumentError(
        fmt::format("measured_runs must be from 0 to {}, but is {}", kMostRuns, measured_runs));
  }
  const AnyStep found = step(names);
  if (found.here != nullptr) {
    std::vector<const Array*> values;
    for (const Array& feed : feeds) values.push_back(&feed);
    return found.here->explain(
        values, measured_runs,
        {.cancellation = &call.cancellation, .deadline = deadline_of(call, operation_timeout_ms_)});
  }
  if (measured_runs == 0) return found.on_cluster->explain();
  throw errors::UnimplementedError(
      "A step over several tasks is not measured while it is explained\nTrace it: RunOptions.trace_level, or "
      "`flowray trace`.");
}

MasterSession::AnyStep MasterSession::step(const StepNames& names) {
  {
    const ReaderLock lock(mutex_);
    if (const auto found = steps_.find(names); found != steps_.end()) return found->second;
  }
  const WriterLock lock(mutex_);
  return make_step(names);
}

/// The graph stays as it is while the lock is held.
MasterSession::AnyStep MasterSession::make_step(const StepNames& names) {
  const Endpoints found = find(names);
  const engine::StepRequest request{found.feeds, found.fetches, found.targets};
  AnyStep made;
  made.on_cluster = make_cluster_step(request);
  if (made.on_cluster == nullptr) made.here = &engine_.step(request);
  for (const engine::StepNode& item : made.graph().nodes) {
    check_container(*item.node);
    if (made.here != nullptr) log_placement(*item.node, tasks_.known()->set.devices[0]);
  }
  steps_.emplace(names, made);
  return made;
}

/// Null where all of the step is on this task.
std::shared_ptr<ClusterStep> MasterSession::make_cluster_step(const engine::StepRequest& request) {
  auto known = tasks_.known();
  const graph::FunctionLibrary& library = graph::FunctionLibrary::of(*graph_);
  if (known->set.devices.size() == 1 && !names_devices(library)) return nullptr;
  PlacedStep placed = placed_step(request, known->set, library);
  if (std::ranges::all_of(placed.device_of, [](uint32_t device) { return device == 0; })) return nullptr;
  for (size_t i = 0; i < placed.graph.nodes.size(); ++i)
    log_placement(*placed.graph.nodes[i].node, known->set.devices[placed.device_of[i]]);
  return std::make_shared<ClusterStep>(engine_, tasks_, std::move(known), std::move(placed), num_new_names_);
}

void MasterSession::log_placement(const graph::Node& node, const graph::DeviceName& device) {
  if (!logs_placement_ || !logged_.insert(node.name()).second) return;
  fmt::print(stderr, "{}: ({}): {}\n", node.name(), node.op(), device.to_string());
}

MasterSession::Endpoints MasterSession::find(const StepNames& names) const {
  if (names.fetches.empty() && names.targets.empty()) {
    throw errors::InvalidArgumentError("Must specify at least one target to fetch or execute.");
  }
  Endpoints result;
  auto& [feeds, fetches, targets] = result;
  std::set<std::string_view> fed;
  for (const std::string& name : names.feeds) {
    feeds.push_back(endpoint(name));
    if (!feeds.back()) {
      throw errors::NotFoundError(fmt::format("FeedInputs: unable to find feed output {}", name));
    }
    if (const int outputs = feeds.back().node->num_outputs(); feeds.back().index >= outputs) {
      throw errors::InvalidArgumentError(
          fmt::format("FeedInputs: {} should have output index < {}", name, outputs));
    }
    if (!fed.insert(name).second) {
      throw errors::InvalidArgumentError(fmt::format("Endpoint \"{}\" fed more than once.", name));
    }
  }
  for (const std::string& name : names.fetches) {
    fetches.push_back(endpoint(name));
    if (!fetches.back()) throw errors::NotFoundError(fmt::format("FetchOutputs node {}: not found", name));
    const int outputs = fetches.back().node->num_outputs();
    if (fetches.back().index >= outputs) {
      throw errors::InvalidArgumentError(
          fmt::format("FetchOutputs {}: output index too large, must be < {}", name, outputs));
    }
  }
  std::string missing;
  for (const std::string& name : names.targets) {
    targets.push_back(graph_->find(name));
    if (targets.back() == nullptr) missing += name + " ";
  }
  if (!missing.empty()) {
    throw errors::NotFoundError("PruneForTargets: Some target nodes not found: " + missing);
  }
  for (const graph::Endpoint& fetch : fetches) {
    if (std::ranges::find(feeds, fetch) != feeds.end()) {
      throw errors::InvalidArgumentError(fmt::format("{} is both fed and fetched.", fetch.name()));
    }
  }
  return result;
}

/// None if there is no such node; the index may be too large.
graph::Endpoint MasterSession::endpoint(std::string_view name) const {
  const auto parsed = parse(name);
  graph::Node* node = parsed ? graph_->find(parsed->node) : nullptr;
  return node == nullptr ? graph::Endpoint{} : graph::Endpoint{node, parsed->port};
}

std::string MasterSession::begin_partial_run(const StepNames& names) {
  const WriterLock lock(mutex_);
  if (std::ssize(partial_runs_) >= limits_.partial_runs) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Too many partial runs: this session has {} that are not over\nFetch and feed all that they "
        "were set up for, or start the server with a higher --max-partial-runs.",
        limits_.partial_runs));
  }
  std::string handle = std::to_string(next_partial_run_++);
  std::shared_ptr<engine::PartialPlan>& plan = partial_plans_[names];
  if (plan == nullptr) {
    Endpoints found = find(names);
    const auto make_stage = [this](const engine::StepRequest& request) {
      const WriterLock making(mutex_);
      return make_cluster_step(request);
    };
    plan = std::make_shared<engine::PartialPlan>(engine_, make_stage, std::move(found.feeds),
                                                 std::move(found.fetches), found.targets);
  }
  partial_runs_.emplace(handle, std::make_shared<engine::PartialRun>(plan));
  return handle;
}

std::shared_ptr<engine::PartialRun> MasterSession::partial_run(const std::string& handle) const {
  const ReaderLock lock(mutex_);
  const auto found = partial_runs_.find(handle);
  if (found != partial_runs_.end()) return found->second;
  throw errors::InvalidArgumentError("Must run PartialRunSetup before performing partial runs");
}

void MasterSession::run_partially(const std::string& handle, const StepNames& names, std::vector<Array> feeds,
                                  StepCall& call, engine::RunDone done) {
  std::shared_ptr<engine::PartialRun> run;
  std::vector<engine::PartialRun::Feed> fed;
  std::vector<engine::PartialRun::Fetch> fetched;
  try {
    run = partial_run(handle);
    const ReaderLock lock(mutex_);
    for (size_t i = 0; i < feeds.size(); ++i)
      fed.push_back({names.feeds[i], endpoint(names.feeds[i]), std::move(feeds[i])});
    for (const std::string& name : names.fetches) fetched.push_back({name, endpoint(name)});
  } catch (...) {
    return done({std::current_exception(), {}});
  }
  run->call(
      std::move(fed), std::move(fetched),
      [this, &call](const engine::PartialPlan::Stage& stage, std::vector<Array> values,
                    engine::RunDone step_done) {
        start({stage.step.get(), std::static_pointer_cast<ClusterStep>(stage.elsewhere)}, std::move(values),
              call, std::move(step_done));
      },
      [this, run, handle, &call, done = std::move(done)](engine::RunOutcome outcome) {
        if (outcome.error != nullptr || !run->is_over())
          call.metadata.reset();  // what is told is told at the end
        if (run->is_over()) {
          const WriterLock lock(mutex_);
          partial_runs_.erase(handle);
        }
        done(std::move(outcome));
      });
}

void MasterSession::check_room_for_callable() const {
  if (std::ssize(callables_) < limits_.callables) return;
  throw errors::ResourceExhaustedError(fmt::format(
      "Too many callables: this session has {} of them\nLet go of some, or start the server with a "
      "higher --max-callables.",
      limits_.callables));
}

int64_t MasterSession::make_callable(StepNames names, const wire::RunOptions& options) {
  {
    const WriterLock lock(mutex_);
    check_room_for_callable();  // before a step is made for it
  }
  step(names);
  const WriterLock lock(mutex_);
  check_room_for_callable();
  callables_.emplace(++last_callable_, std::make_shared<Callable>(Callable{std::move(names), options}));
  return last_callable_;
}

std::shared_ptr<const MasterSession::Callable> MasterSession::callable(int64_t handle) const {
  const ReaderLock lock(mutex_);
  const auto found = callables_.find(handle);
  if (found != callables_.end()) return found->second;
  const bool was_there = handle >= 0 && handle <= last_callable_;
  throw errors::InvalidArgumentError(fmt::format(
      "{}: {}", was_there ? "Attempted to run callable after handle was released" : "No such callable handle",
      handle));
}

void MasterSession::run_callable(int64_t handle, std::vector<Array> feeds, Cancellation& cancellation,
                                 CallableDone done) {
  struct Call {
    std::shared_ptr<const Callable> callable;
    StepCall step;
  };
  std::shared_ptr<Call> call;
  try {
    const std::shared_ptr<const Callable> found = callable(handle);
    const size_t num_feeds = found->names.feeds.size();
    if (feeds.size() != num_feeds) {
      throw errors::InvalidArgumentError(
          fmt::format("The callable {} takes {} feeds, but got {}", handle, num_feeds, feeds.size()));
    }
    call = std::make_shared<Call>(Call{found, {found->options, cancellation}});
  } catch (...) {
    return done({std::current_exception(), {}}, {});
  }
  run(call->callable->names, std::move(feeds), call->step,
      [call, done = std::move(done)](engine::RunOutcome outcome) {
        done(std::move(outcome), std::move(call->step.metadata));
      });
}

void MasterSession::release_callable(int64_t handle) {
  const WriterLock lock(mutex_);
  callables_.erase(handle);
}

}  // namespace flowray::cluster
