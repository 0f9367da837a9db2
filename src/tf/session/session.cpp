#include <flowray/tf/session.h>

#include <flowray/tf/variable.h>

#include "core/cancellation.h"
#include "core/counted_text.h"
#include "core/mutex.h"
#include "core/thread_owned.h"
#include "engine/run/step_stats.h"
#include "engine/servers.h"
#include "engine/session.h"
#include "engine/step/config_passes.h"
#include "engine/step/step_graph_def.h"
#include "graph/flow_context.h"
#include "graph/graph.h"
#include "tf/build/apply_op.h"
#include "tf/build/eager_variable.h"
#include "tf/build/function_graph.h"
#include "tf/build/resource_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/eager/eager_runner.h"
#include "tf/session/fed_value.h"
#include "tf/session/partial_runs.h"
#include "tf/session/remote_options.h"
#include "tf/session/run_metadata.h"
#include "tf/session/session_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>

namespace flowray::tf {
namespace {

/// A guard may outlive its session.
struct DefaultSession {
  Session* session;
  std::shared_ptr<const std::atomic<bool>> is_gone;
};

std::vector<DefaultSession>& default_sessions() {
  struct DefaultSessions {
    std::vector<DefaultSession> sessions;
  };
  return ThreadOwned<DefaultSessions>::get().sessions;
}

/// The line of a call with these fetches.
Fetch::Where place_of(std::span<const Fetch> fetches) {
  return fetches.empty() ? Fetch::Where() : fetches.front().where();
}

/// Behind errors of sessions whose graph is not the one that the program means.
constexpr const char* kThreadsGraph =
    "\nA thread begins with an empty default graph of its own: give the session the graph that was built, or "
    "make that the thread's default one (Graph.as_default).";

/// The same for a node of another graph.
std::string advice_for(const graph::Node& node) {
  const std::string of_function = FunctionGraph::advice_for(node);
  return of_function.empty() ? kThreadsGraph : of_function;
}

}  // namespace

Fetch::Fetch(const Variable& variable, Where where) : Fetch(graph_element(variable), where) {}

struct StepCancellation::State {
  Cancellation cancellation;
};
StepCancellation::StepCancellation() : state_(std::make_unique<State>()) {}
StepCancellation::~StepCancellation() = default;
void StepCancellation::cancel() { state_->cancellation.cancel(); }

struct Session::State {
  State(const Graph& session_graph, const SessionConfig& config)
      : graph(session_graph),
        engine({.intra_op_threads = config.intra_op_parallelism_threads,
                .passes = engine::passes_of(graph_options(config)),
                .devices = {engine::SessionOptions::local_devices().devices, config.allow_soft_placement}},
               lifted_variables(*graph.get()).to == nullptr ? nullptr : eagerly::eager_containers()),
        operation_timeout_ms(config.operation_timeout_in_ms),
        logs_placement(config.log_device_placement) {
    check_device_count(config);
  }

  /// The step for a request; at its first time it is told where its nodes run, where that is wanted.
  engine::Step& step(const engine::StepRequest& request) {
    engine::Step& found = engine.step(request);
    if (logs_placement) {
      const MutexLock lock(logged_mutex);
      for (const engine::StepNode& item : found.graph().nodes) {
        if (!logged.insert(item.node).second) continue;
        fmt::print(stdout, "{}: ({}): {}\n", item.node->name(), item.node->op(),
                   engine::SessionOptions::local_devices().devices[0].to_string());
      }
      std::fflush(stdout);
    }
    return found;
  }

  engine::RunContext context(int64_t timeout_ms) const {
    if (timeout_ms <= 0) timeout_ms = operation_timeout_ms;
    engine::RunContext context;
    constexpr int64_t kLongestMs = int64_t{1} << 40;  // no clock overflows
    if (timeout_ms > 0 && timeout_ms < kLongestMs) {
      context.deadline = engine::RunContext::Clock::now() + std::chrono::milliseconds(timeout_ms);
    }
    return context;
  }

  void check_open(Fetch::Where where) const {
    if (!closed.load(std::memory_order_acquire)) return;
    const ErrorLine line(where);
    throw RuntimeError("Attempted to use a closed Session.");
  }

  /// A fetch as an endpoint or, for an operation, a target.
  struct Resolved {
    graph::Endpoint endpoint;  // null for an operation
    graph::Node* target = nullptr;
  };

  Resolved resolve(const Fetch& fetch) const {
    const Resolved resolved = element(fetch);
    const graph::Node& node = resolved.target != nullptr ? *resolved.target : *resolved.endpoint.node;
    if (!contexts.is_fetchable(node)) {
      const ErrorLine line(fetch.where());
      throw ValueError(
          fmt::format("Operation {} has been marked as not fetchable. It is inside of a branch or a loop: "
                      "fetch what tf::cond or tf::while_loop returns.{}",
                      node.name(), graph::made_at(node)));
    }
    return resolved;
  }

  Resolved element(const Fetch& fetch) const {
    if (fetch.node() == nullptr) return element_of_name(fetch);
    if (&fetch.node()->graph() != graph.get()) {
      const ErrorLine line(fetch.where());
      const std::string what =
          fetch.index() == Fetch::kOperation
              ? fmt::format("name: \"{}\"\nop: \"{}\"\n", fetch.node()->name(), fetch.node()->op())
              : tensor_text(graph::Endpoint{fetch.node(), fetch.index()});
      throw ValueError(fmt::format(
          "Argument `fetch` = {} cannot be interpreted as a Tensor. ({} is not an element of this "
          "graph.){}",
          what, what, advice_for(*fetch.node())));
    }
    if (fetch.index() == Fetch::kOperation) return {{}, fetch.node()};
    return {{fetch.node(), fetch.index()}, nullptr};
  }

  Resolved element_of_name(const Fetch& fetch) const {
    const ErrorLine line(fetch.where());
    const std::string& name = fetch.name();
    if (name.empty())
      throw TypeError("Argument `fetch` = None has invalid type \"NoneType\". Cannot be None");
    try {
      if (name.find(':') == std::string::npos) return {{}, graph.get_operation_by_name(name).node()};
      return {endpoint_of(graph.get_tensor_by_name(name)), nullptr};
    } catch (const Error& error) {
      throw ValueError(fmt::format("Argument `fetch` = {} cannot be interpreted as a Tensor. (\"{}\")", name,
                                   error.message()));
    }
  }

  void check_feedable(const graph::Endpoint& endpoint, FeedKey::Where where) const {
    if (contexts.is_feedable(*endpoint.node)) return;
    const ErrorLine line(where);
    throw ValueError(
        fmt::format("Tensor {} may not be fed.\nIt is inside of a loop: feed what the loop begins with.{}",
                    endpoint.name(), graph::made_at(*endpoint.node)));
  }

  graph::Endpoint resolve(const FeedKey& key) const {
    graph::Endpoint endpoint{key.node(), key.index()};
    if (key.node() == nullptr) {
      const ErrorLine line(key.where());
      if (key.name().empty()) {
        throw TypeError(
            "Cannot interpret feed_dict key as Tensor: Can not convert a NoneType into a Tensor.");
      }
      try {
        endpoint = endpoint_of(graph.get_tensor_by_name(key.name()));
      } catch (const Error& error) {
        throw TypeError("Cannot interpret feed_dict key as Tensor: " + error.message());
      }
    }
    if (&endpoint.node->graph() != graph.get()) {
      const ErrorLine line(key.where());
      throw TypeError(
          fmt::format("Cannot interpret feed_dict key as Tensor: Tensor {} is not an element of this "
                      "graph.{}",
                      tensor_text(endpoint), advice_for(*endpoint.node)));
    }
    return endpoint;
  }

  Graph graph;
  const graph::FlowContexts& contexts = graph::FlowContexts::of(*graph.get());
  engine::Session engine;
  PartialRuns partial_runs{engine};
  std::unique_ptr<engine::RemoteSession> remote;  // where it is on a server; then nothing runs here
  const int64_t operation_timeout_ms;
  const bool logs_placement;
  Mutex logged_mutex;
  std::set<const graph::Node*> logged FLOWRAY_GUARDED_BY(logged_mutex);
  std::atomic<bool> closed{false};
  /// Whether the Session was destroyed; its State may live longer.
  const std::shared_ptr<std::atomic<bool>> is_gone = std::make_shared<std::atomic<bool>>(false);
};

namespace {

/// A request in the engine's terms, and where each of its results goes.
struct ResolvedRequest {
  std::vector<graph::Endpoint> feeds;
  std::vector<graph::Endpoint> fetches;
  std::vector<graph::Node*> targets;
  std::vector<int> result_of;  // by number of the user's fetch; -1 for an operation

  engine::StepRequest request() const { return {feeds, fetches, targets}; }
};

template <class State>
ResolvedRequest resolve_fetches(const State& state, std::span<const Fetch> fetches) {
  ResolvedRequest resolved;
  for (const Fetch& fetch : fetches) {
    const auto item = state.resolve(fetch);
    if (item.target != nullptr) {
      resolved.targets.push_back(item.target);
      resolved.result_of.push_back(-1);
    } else {
      resolved.result_of.push_back(static_cast<int>(resolved.fetches.size()));
      resolved.fetches.push_back(item.endpoint);
    }
  }
  return resolved;
}

/// Runs a step on feeds of checked_feed and spreads its results over the user's fetches,
/// operations getting none.
void run_step(engine::Step& step, std::span<const Array* const> feeds, const std::vector<int>& result_of,
              std::span<Array> results, const engine::RunContext& context) {
  if (step.num_fetches() == results.size()) {
    step.run_checked(feeds, results, context);
    return;
  }
  std::vector<Array> fetched(step.num_fetches());
  step.run_checked(feeds, fetched, context);
  for (size_t i = 0; i < results.size(); ++i) {
    if (result_of[i] >= 0) results[i] = std::move(fetched[static_cast<size_t>(result_of[i])]);
  }
}

/// What a server is asked for. A server refuses to fetch what it is fed, and to do nothing: the client gives
/// what it has itself, as TensorFlow's does.
struct RemoteRequest {
  engine::RemoteStep step;
  std::vector<graph::Endpoint> feeds;
  /// By number of the user's fetch: a feed's number, or behind those the number of what the server gives; -1
  /// for an operation.
  std::vector<int> result_of;

  bool is_empty() const { return step.fetches.empty() && step.targets.empty(); }
};

RemoteRequest remote_request(const ResolvedRequest& resolved, int64_t timeout_ms) {
  RemoteRequest remote{.step = {.timeout_ms = timeout_ms}, .feeds = resolved.feeds};
  std::vector<std::string>& asked = remote.step.fetches;
  const auto place_of = [&](const graph::Endpoint& fetch) {
    const auto fed = std::ranges::find(remote.feeds, fetch);
    if (fed != remote.feeds.end()) return static_cast<int>(fed - remote.feeds.begin());
    auto found = std::ranges::find(asked, fetch.name());
    if (found == asked.end()) found = asked.insert(asked.end(), fetch.name());
    return static_cast<int>(remote.feeds.size()) + static_cast<int>(found - asked.begin());
  };
  for (const int result : resolved.result_of) {
    remote.result_of.push_back(result < 0 ? -1 : place_of(resolved.fetches[static_cast<size_t>(result)]));
  }
  for (const graph::Node* target : resolved.targets) remote.step.targets.push_back(target->name());
  return remote;
}

/// The same on a server. A step that fetches nothing and can be ended is one that waits until the
/// server, and those that the graph names, are there.
void run_remote_step(engine::RemoteSession& remote, const RemoteRequest& request,
                     std::span<const Array* const> values, std::span<Array> results) {
  std::vector<Array> fetched;
  const bool waits = request.result_of.empty() && request.step.cancellation != nullptr;
  if (!request.is_empty() || !request.step.partial_run.empty() || waits) {
    engine::RemoteStep step = request.step;
    for (size_t i = 0; i < values.size(); ++i) step.feeds.emplace_back(request.feeds[i].name(), values[i]);
    fetched = remote.run(step);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (request.result_of[i] < 0) continue;
    const auto place = static_cast<size_t>(request.result_of[i]);
    results[i] = place < values.size() ? *values[place] : fetched[place - values.size()];
  }
}

}  // namespace

Session::Session() : Session(get_default_graph()) {}
Session::Session(const SessionConfig& config, Fetch::Where where)
    : Session(get_default_graph(), config, where) {}
Session::Session(const Graph& graph, const SessionConfig& config, Fetch::Where where) {
  const ErrorLine errors(where);
  state_ = std::make_shared<State>(graph, config);
}
Session::Session(const std::string& target, const SessionConfig& config, Fetch::Where where)
    : Session(target, get_default_graph(), config, where) {}
Session::Session(const std::string& target, const Graph& graph, const SessionConfig& config,
                 Fetch::Where where)
    : Session(graph, config, where) {
  const ErrorLine errors(where);
  if (target.empty()) return;
  if (target.starts_with("grpc://")) {
    state_->remote = engine::connect_session(target, *state_->graph.get(), remote_options(config));
    return;
  }
  throw errors::NotFoundError(
      fmt::format("No session factory registered for the given session options: {{target: \"{}\"}} "
                  "Registered factories are {{DIRECT_SESSION, GRPC_SESSION}}.",
                  target));
}
Session::~Session() {
  close();
  SessionUse::end_all(*this);
  state_->is_gone->store(true, std::memory_order_release);
}

Graph Session::graph() const { return state_->graph; }

void Session::close() {
  state_->closed.store(true, std::memory_order_release);
  if (state_->remote != nullptr) state_->remote->close();
  state_->engine.close();
  state_->engine.resources().containers.clear("");
}

Array Session::run(const Fetch& fetch, const FeedDict& feeds, const RunOptions& options,
                   RunMetadata* run_metadata) {
  Array result;
  run_into({&fetch, 1}, feeds, {&result, 1}, options, run_metadata);
  return result;
}

namespace {

/// A request with the values that are fed, in the order of its feeds.
struct FedRequest {
  ResolvedRequest resolved;
  std::vector<Array> converted;
  std::vector<const Array*> values;
};

template <class State>
void resolve_call(const State& state, std::span<const Fetch> fetches, const FeedDict& feeds,
                  FedRequest& call) {
  state.check_open(place_of(fetches));
  if (state.graph.get()->num_nodes() == 0) {
    const ErrorLine line(place_of(fetches));
    throw RuntimeError("The Session graph is empty. Add operations to the graph before calling run()." +
                       std::string(kThreadsGraph));
  }
  call.resolved = resolve_fetches(state, fetches);
  for (const Feed& feed : feeds.feeds()) {
    call.resolved.feeds.push_back(state.resolve(feed.key));
    call.values.push_back(checked_feed(call.resolved.feeds.back(), feed.value, call.converted,
                                       feeds.feeds().size(), feed.key.where()));
    state.check_feedable(call.resolved.feeds.back(), feed.key.where());
  }
}

}  // namespace

void Session::run_into(std::span<const Fetch> fetches, const FeedDict& feeds, std::span<Array> results,
                       const RunOptions& options, RunMetadata* run_metadata) {
  State& state = *state_;
  FedRequest call;
  resolve_call(state, fetches, feeds, call);
  const bool traces = run_metadata != nullptr && options.trace_level >= RunOptions::HARDWARE_TRACE;
  Cancellation* const cancellation =
      options.cancellation != nullptr ? &options.cancellation->state_->cancellation : nullptr;
  if (state.remote != nullptr) {
    RemoteRequest request = remote_request(call.resolved, options.timeout_in_ms);
    request.step.cancellation = cancellation;
    RunMetadata told;
    request.step.traces = traces;
    request.step.gives_graphs = run_metadata != nullptr && options.output_partition_graphs;
    if (run_metadata != nullptr)
      request.step.told = [&](const wire::RunMetadata& metadata) { told = metadata_of(metadata); };
    run_remote_step(*state.remote, request, call.values, results);
    if (run_metadata != nullptr) *run_metadata = std::move(told);
    return;
  }
  engine::RunContext context = state.context(options.timeout_in_ms);
  context.cancellation = cancellation;
  engine::StepTrace trace;
  if (traces) context.trace = &trace;
  engine::Step& step = state.step(call.resolved.request());
  run_step(step, call.values, call.resolved.result_of, results, context);
  if (run_metadata == nullptr) return;
  wire::RunMetadata told;
  if (traces)
    told.step_stats =
        engine::to_step_stats(trace, engine::SessionOptions::local_devices().devices[0].to_string());
  if (options.output_partition_graphs) told.partition_graphs.push_back(engine::to_graph_def(step.graph()));
  *run_metadata = metadata_of(told);
}

std::string Session::partial_run_setup(const List<Fetch>& fetches, const List<FeedKey>& feeds) {
  FedRequest call;
  resolve_call(*state_, fetches.items(), {}, call);
  for (const FeedKey& key : feeds.items()) {
    call.resolved.feeds.push_back(state_->resolve(key));
    state_->check_feedable(call.resolved.feeds.back(), key.where());
  }
  if (state_->remote == nullptr) return state_->partial_runs.begin(call.resolved.request());
  RemoteRequest request = remote_request(call.resolved, 0);
  std::vector<std::string> fed;
  for (const graph::Endpoint& feed : call.resolved.feeds) fed.push_back(feed.name());
  return state_->remote->begin_partial_run(fed, request.step.fetches, request.step.targets);
}

std::vector<Array> Session::partial_run(const std::string& handle, const List<Fetch>& fetches,
                                        const FeedDict& feeds) {
  FedRequest call;
  resolve_call(*state_, fetches.items(), feeds, call);
  if (!call.resolved.targets.empty()) {
    const ErrorLine line(place_of(fetches.items()));
    throw RuntimeError(
        "partial_run() requires empty target_list.\n"
        "Name the operation in partial_run_setup: it runs when all that it needs is fed.");
  }
  const ResolvedRequest& asked = call.resolved;
  if (state_->remote == nullptr) {
    return state_->partial_runs.call(handle, asked.feeds, call.values, asked.fetches,
                                     state_->context(state_->operation_timeout_ms));
  }
  RemoteRequest request = remote_request(asked, 0);
  request.step.partial_run = handle;
  std::vector<Array> results(fetches.items().size());
  run_remote_step(*state_->remote, request, call.values, results);
  return results;
}

std::string Session::explain(std::span<const Fetch> fetches, const FeedDict& feeds, int measured_runs) {
  if (measured_runs < 0) {
    const ErrorLine line(place_of(fetches));
    throw ValueError(fmt::format("measured_runs must be 0 or more, but is {}", measured_runs));
  }
  FedRequest call;
  resolve_call(*state_, fetches, feeds, call);
  if (state_->remote != nullptr) {
    const RemoteRequest request = remote_request(call.resolved, 0);
    engine::RemoteStep step = request.step;
    for (size_t i = 0; i < call.values.size(); ++i)
      step.feeds.emplace_back(request.feeds[i].name(), call.values[i]);
    return state_->remote->explain(step, measured_runs);
  }
  return state_->step(call.resolved.request()).explain(call.values, measured_runs, state_->context(0));
}

// ---- callables

struct CallableBase::State {
  std::shared_ptr<Session::State> session;
  engine::Step* step = nullptr;  // null on a server
  RemoteRequest remote;
  std::vector<graph::Endpoint> feeds;
  std::vector<int> result_of;
  Fetch::Where where;  // that made it
};

CallableBase::CallableBase() = default;
CallableBase::CallableBase(const CallableBase&) = default;
CallableBase& CallableBase::operator=(const CallableBase&) = default;
CallableBase::~CallableBase() = default;

void CallableBase::call(std::span<const Array* const> feeds, std::span<Array> results) const {
  if (state_ == nullptr) throw RuntimeError("This Callable was not made by Session::make_callable");
  const State& state = *state_;
  state.session->check_open(state.where);
  if (feeds.size() != state.feeds.size()) {
    const ErrorLine line(state.where);
    throw errors::InvalidArgumentError(fmt::format("This callable takes {}, but got {}",
                                                   counted_text(state.feeds.size(), "value"), feeds.size()));
  }
  constexpr size_t kFew = 8;
  const Array* few[kFew] = {};
  std::vector<const Array*> many(feeds.size() > kFew ? feeds.size() : 0);
  const Array** values = many.empty() ? few : many.data();
  std::vector<Array> converted;
  for (size_t i = 0; i < feeds.size(); ++i) {
    values[i] = checked_feed(state.feeds[i], *feeds[i], converted, feeds.size(), state.where);
  }
  if (state.step == nullptr) {
    run_remote_step(*state.session->remote, state.remote, {values, feeds.size()}, results);
    return;
  }
  run_step(*state.step, {values, feeds.size()}, state.result_of, results,
           state.session->operation_timeout_ms > 0 ? state.session->context(0) : engine::RunContext());
}

Callable Session::make_callable(const Fetch& fetch, const List<FeedKey>& feeds) {
  Callable callable;
  prepare_callable(callable, {&fetch, 1}, feeds);
  return callable;
}

void Session::prepare_callable(CallableBase& callable, std::span<const Fetch> fetches,
                               std::span<const FeedKey> feeds) {
  state_->check_open(place_of(fetches));
  ResolvedRequest resolved = resolve_fetches(*state_, fetches);
  for (const FeedKey& key : feeds) {
    resolved.feeds.push_back(state_->resolve(key));
    state_->check_feedable(resolved.feeds.back(), key.where());
  }
  auto made = std::make_shared<CallableBase::State>();
  made->session = state_;
  if (state_->remote == nullptr) {
    made->step = &state_->step(resolved.request());
  } else {
    made->remote = remote_request(resolved, 0);
  }
  made->feeds = std::move(resolved.feeds);
  made->result_of = std::move(resolved.result_of);
  made->where = place_of(fetches);
  callable.state_ = std::move(made);
}

// ---- default sessions

SessionScope::SessionScope(Session& session) : session_(session), graph_scope_(session.graph().get()) {
  default_sessions().push_back({&session, session.state_->is_gone});
}

SessionScope::~SessionScope() {
  auto& sessions = default_sessions();
  if (!sessions.empty() && sessions.back().session == &session_) sessions.pop_back();
}

InteractiveSession::InteractiveSession(const SessionConfig& config, Fetch::Where where)
    : Session(config, where) {
  begin();
}
InteractiveSession::InteractiveSession(const Graph& graph, const SessionConfig& config, Fetch::Where where)
    : Session(graph, config, where), graph_scope_(std::make_unique<GraphScope>(graph.get())) {
  begin();
}
InteractiveSession::InteractiveSession(const std::string& target, const SessionConfig& config,
                                       Fetch::Where where)
    : Session(target, config, where) {
  begin();
}
InteractiveSession::~InteractiveSession() { end(); }

void InteractiveSession::begin() { default_sessions().push_back({this, state_->is_gone}); }

/// It may have been followed by others.
void InteractiveSession::end() {
  std::erase_if(default_sessions(), [this](const DefaultSession& entry) { return entry.session == this; });
  graph_scope_.reset();
}

void InteractiveSession::close() {
  Session::close();
  end();
}

Session* get_default_session() {
  if (default_sessions().empty()) return nullptr;
  const DefaultSession& top = default_sessions().back();
  if (top.is_gone->load(std::memory_order_acquire)) {
    throw RuntimeError(
        "Attempted to use a closed Session.\nThis thread's default session was destroyed before the guard "
        "that its as_default() gave: let the session live longer.");
  }
  return top.session;
}

}  // namespace flowray::tf
