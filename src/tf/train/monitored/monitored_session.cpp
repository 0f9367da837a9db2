#include <flowray/tf/monitored_session.h>

#include "tf/build/unset.h"
#include "tf/build/user_line.h"
#include "tf/train/monitored/lost_server.h"
#include "tf/train/monitored/readiness.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <limits>
#include <utility>

namespace flowray::tf::train {
namespace {

/// Before the session is made again after it was lost while it was made; then twice as long, to a second.
constexpr double kFirstPauseSecs = 0.05;
constexpr double kLongestPauseSecs = 1;
constexpr double kWordEverySecs = 10;

std::shared_ptr<SessionCreator> or_chief(std::shared_ptr<SessionCreator> creator) {
  return creator != nullptr ? std::move(creator) : std::make_shared<ChiefSessionCreator>();
}

void take_higher(RunOptions& options, const RunOptions& asked) {
  options.trace_level = std::max(options.trace_level, asked.trace_level);
  options.timeout_in_ms = std::max(options.timeout_in_ms, asked.timeout_in_ms);
  options.output_partition_graphs |= asked.output_partition_graphs;
}

}  // namespace

double SessionCreator::max_wait_secs() const { return std::numeric_limits<double>::infinity(); }

struct MonitoredSession::State {
  /// A step of the program's with what the hooks ask for.
  struct Call {
    std::vector<Fetch> fetches;
    FeedDict feeds;
    RunOptions options;
    std::vector<size_t> num_of_hook;  // how many of the fetches are of each hook, behind the program's
  };

  void create() {
    using Clock = std::chrono::steady_clock;
    double pause = kFirstPauseSecs;
    const Clock::time_point end = Clock::now() + clock_duration(creator->max_wait_secs());
    Clock::time_point next_word = Clock::now();
    while (true) {
      try {
        return create_once();
      } catch (const errors::OpError& error) {
        if (!recovers || !is_lost_server(error)) throw;
        if (Clock::now() >= end) throw_not_ready(creator->max_wait_secs(), error.message());
        if (Clock::now() >= next_word) {
          fmt::print(stderr, "flowray: a session could not be made and is made again: {}\n", error.message());
          next_word = Clock::now() + clock_duration(kWordEverySecs);
        }
      }
      Coordinator().wait_for_stop(pause);
      pause = std::min(pause * 2, kLongestPauseSecs);
    }
  }

  void create_once() {
    std::unique_ptr<Session> made = creator->create_session();
    auto threads = std::make_unique<Coordinator>();
    threads->start_queue_runners(*made, queues);
    for (const auto& hook : hooks) hook->after_create_session(*made, *threads);
    session = std::move(made);
    coordinator = std::move(threads);
  }

  /// Errors of threads that are those of a lost server say nothing more than that.
  void end_session() {
    const std::unique_ptr<Session> ended = std::move(session);
    const std::unique_ptr<Coordinator> threads = std::move(coordinator);
    try {
      if (!threads->end_within(stop_grace_period_secs)) ended->close();
      threads->join();
    } catch (const errors::OpError& error) {
      if (!is_lost_server(error)) throw;
    }
    ended->close();
  }

  void recover(const errors::OpError& error) {
    fmt::print(stderr, "flowray: a server was lost, and the session is made again: {}\n", error.message());
    end_session();
    create();
  }

  graph::Endpoint key_of(const FeedKey& key) const {
    if (key.node() != nullptr) return {key.node(), key.index()};
    const Tensor named = graph.get_tensor_by_name(key.name());
    return {named.node(), named.value_index()};
  }

  void add_feeds(Call& call, const FeedDict& asked, size_t num_of_program) const {
    for (const Feed& feed : asked.feeds()) {
      const auto known = call.feeds.feeds();
      const auto twice =
          std::ranges::find_if(known, [&](const Feed& one) { return key_of(one.key) == key_of(feed.key); });
      if (twice != known.end()) {
        if (static_cast<size_t>(twice - known.begin()) >= num_of_program)
          throw RuntimeError("Same tensor is fed by two hooks.");
        throw RuntimeError(
            fmt::format("Same tensor is fed by a SessionRunHook and user. Conflicting feeds: {}",
                        key_of(feed.key).name()));
      }
      call.feeds.add(feed.key, feed.value);
    }
  }

  Call call_with_hooks(SessionRunContext& context) {
    const SessionRunArgs& program = context.original_args();
    Call call{program.fetches, program.feed_dict, program.options, {}};
    const size_t num_of_program = program.feed_dict.feeds().size();
    FeedDict of_hooks;
    for (const auto& hook : hooks) {
      const SessionRunArgs asked = hook->before_run(context);
      call.fetches.insert(call.fetches.end(), asked.fetches.begin(), asked.fetches.end());
      call.num_of_hook.push_back(asked.fetches.size());
      add_feeds(call, asked.feed_dict, num_of_program);
      take_higher(call.options, asked.options);
    }
    return call;
  }

  void run_once(const SessionRunArgs& program, std::span<Array> results, RunMetadata* told) {
    SessionRunContext context(program, *session);
    const Call call = call_with_hooks(context);
    RunMetadata metadata;
    std::vector<Array> values;
    if (!call.fetches.empty())
      values = session->run(std::span<const Fetch>(call.fetches), call.feeds, call.options, &metadata);
    size_t begin = program.fetches.size();
    for (size_t i = 0; i < hooks.size(); ++i) {
      const size_t end = begin + call.num_of_hook[i];
      const SessionRunValues of_hook{{values.begin() + static_cast<std::ptrdiff_t>(begin),
                                      values.begin() + static_cast<std::ptrdiff_t>(end)},
                                     call.options,
                                     metadata};
      hooks[i]->after_run(context, of_hook);
      begin = end;
    }
    stop |= context.stop_requested();
    std::move(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(results.size()), results.begin());
    if (told != nullptr) *told = std::move(metadata);
  }

  /// Whether a thread has asked for the end. Where it did so because a server is lost, the next step makes
  /// another session.
  bool threads_have_stopped() const {
    if (!coordinator->should_stop()) return false;
    try {
      coordinator->raise_requested_exception();
    } catch (const errors::OpError& error) {
      if (!recovers || !is_lost_server(error)) throw;
      return false;
    }
    return true;
  }

  /// Threads that have ended because a server is lost are not waited for by a step.
  void replace_lost_session() {
    if (!coordinator->should_stop()) return;
    try {
      coordinator->raise_requested_exception();
    } catch (const errors::OpError& error) {
      if (!recovers || !is_lost_server(error)) throw;
      recover(error);
    }
  }

  void close(bool ends_hooks) {
    if (session == nullptr) return;
    std::exception_ptr failure;
    try {
      if (ends_hooks) {
        for (const auto& hook : hooks) hook->end(*session);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    try {
      end_session();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  Graph graph = get_default_graph();
  std::shared_ptr<SessionCreator> creator;
  SessionRunHooks hooks;
  std::vector<FilledQueue> queues;
  bool recovers = true;
  double stop_grace_period_secs = 120;
  std::unique_ptr<Session> session;  // null: closed
  std::unique_ptr<Coordinator> coordinator;
  bool stop = false;
  int exceptions_before = std::uncaught_exceptions();
};

MonitoredSession::MonitoredSession(std::shared_ptr<SessionCreator> session_creator, SessionRunHooks hooks,
                                   std::vector<FilledQueue> queues, double stop_grace_period_secs,
                                   Input::Where where)
    : MonitoredSession(std::move(session_creator), std::move(hooks), std::move(queues), /*recovers=*/true,
                       stop_grace_period_secs, where) {}

MonitoredSession::MonitoredSession(std::shared_ptr<SessionCreator> session_creator, SessionRunHooks hooks,
                                   std::vector<FilledQueue> queues, bool recovers,
                                   double stop_grace_period_secs, Input::Where where)
    : state_(std::make_unique<State>()) {
  const ErrorLine errors(where);
  State& state = *state_;
  state.creator = or_chief(std::move(session_creator));
  state.recovers = recovers;
  state.stop_grace_period_secs = stop_grace_period_secs;
  state.hooks = std::move(hooks);
  state.queues = std::move(queues);
  for (size_t i = 0; i < state.hooks.size(); ++i) {
    if (state.hooks[i] == nullptr) throw ValueError(element_name("hooks", i) + " is null");
  }
  for (const auto& hook : state.hooks) hook->begin();
  state.create();
}

MonitoredSession::MonitoredSession(MonitoredSession&&) noexcept = default;
MonitoredSession& MonitoredSession::operator=(MonitoredSession&&) noexcept = default;

MonitoredSession::~MonitoredSession() {
  if (state_ == nullptr) return;
  try {
    state_->close(std::uncaught_exceptions() <= state_->exceptions_before);
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray: at the end of a monitored session: {}\n", error.what());
  }
}

bool MonitoredSession::should_stop() {
  return state_->session == nullptr || state_->stop || state_->threads_have_stopped();
}

Array MonitoredSession::run(const Fetch& fetch, const FeedDict& feeds, const RunOptions& options,
                            RunMetadata* run_metadata) {
  Array result;
  run_into({&fetch, 1}, feeds, {&result, 1}, options, run_metadata);
  return result;
}

void MonitoredSession::run_into(std::span<const Fetch> fetches, const FeedDict& feeds,
                                std::span<Array> results, const RunOptions& options,
                                RunMetadata* run_metadata) {
  State& state = *state_;
  const ErrorLine line(fetches.empty() ? Fetch::Where() : fetches.front().where());
  if (state.session == nullptr) {
    throw RuntimeError(state.recovers ? "Attempted to use a closed Session." : "Session is already closed.");
  }
  if (state.stop) throw RuntimeError("Run called even after should_stop requested.");
  const SessionRunArgs program{{fetches.begin(), fetches.end()}, feeds, options};
  while (true) {
    state.replace_lost_session();
    try {
      return state.run_once(program, results, run_metadata);
    } catch (const errors::OpError& error) {
      if (!is_lost_server(error)) state.coordinator->raise_requested_exception();  // the cause of the others
      if (!state.recovers || !is_lost_server(error)) throw;
      state.recover(error);
    }
  }
}

void MonitoredSession::run_until_stop(const std::function<void()>& step) {
  try {
    while (!should_stop()) step();
  } catch (const errors::OutOfRangeError&) {  // the end of the input
  }
  close();
}

void MonitoredSession::close() { state_->close(/*ends_hooks=*/true); }

Graph MonitoredSession::graph() const { return state_->graph; }

Session& StepContext::session() const {
  if (monitored_.state_->session == nullptr) throw RuntimeError("Attempted to use a closed Session.");
  return *monitored_.state_->session;
}
Array StepContext::run_with_hooks(const Fetch& fetch, const FeedDict& feeds) const {
  return monitored_.run(fetch, feeds);
}
void StepContext::request_stop() const { monitored_.state_->stop = true; }

SingularMonitoredSession::SingularMonitoredSession(SessionRunHooks hooks, const ChiefSessionOptions& options,
                                                   std::vector<FilledQueue> queues,
                                                   double stop_grace_period_secs, Input::Where where)
    : MonitoredSession(std::make_shared<ChiefSessionCreator>(options), std::move(hooks), std::move(queues),
                       /*recovers=*/false, stop_grace_period_secs, where) {}

Session* SingularMonitoredSession::raw_session() const { return state_->session.get(); }

}  // namespace flowray::tf::train
