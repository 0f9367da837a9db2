#include "engine/session.h"

#include "core/buffer_watch.h"
#include "core/job_queue.h"
#include "core/subnormals.h"
#include "core/thread_owned.h"
#include "core/thread_pool.h"
#include "core/timer.h"
#include "engine/compile.h"
#include "engine/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::engine {

Step::Step(Session& session, const StepRequest& request, std::vector<Array> bound)
    : session_(session),
      graph_(make_step_graph(request, session.passes(), &session.devices())),
      bound_(std::move(bound)) {}

void Step::run(std::span<const Array* const> feeds, std::span<Array> results, const RunContext& context) {
  check_feeds(feeds);
  run_checked(feeds, results, context);
}

void Step::run_checked(std::span<const Array* const> feeds, std::span<Array> results,
                       const RunContext& context) {
  const FlushSubnormals flush;
  const StepLog::Watch watch(unwatched_);
  CheckedOut found = check_out(feeds);
  found.executor->run(std::move(found.state), feeds, results, session_.surroundings(context));
}

void Step::start(std::vector<Array> feeds, const RunContext& context, RunDone done) {
  const FlushSubnormals flush;
  CheckedOut found;
  try {
    std::vector<const Array*> fed;
    for (const Array& feed : feeds) fed.push_back(&feed);
    check_feeds(fed);
    found = check_out(fed);
  } catch (...) {
    tell(done, {std::current_exception(), {}});
    return;
  }
  found.executor->start(std::move(found.state), std::move(feeds), session_.surroundings(context),
                        session_.started(), std::move(done));
}

std::string Step::explain(std::span<const Array* const> feeds, int num_runs, const RunContext& context) {
  check_feeds(feeds);
  std::vector<MeasuredRun> runs(static_cast<size_t>(num_runs));
  std::vector<Array> results(num_fetches());
  constexpr int kWarmUp = 2;
  const auto run_if_wanted = [&](const RunContext& with) {
    session_.surroundings(context).check_wanted();  // what only computes is not looked at within a run
    run(feeds, results, with);
  };
  for (int i = 0; num_runs > 0 && i < kWarmUp; ++i) run_if_wanted(context);
  std::vector<Shape> fed_shapes;
  for (const Array* feed : feeds) fed_shapes.push_back(feed->shape());
  const std::unique_ptr<Program> program = program_for(std::move(fed_shapes));
  for (MeasuredRun& measured : runs) {
    const auto begin = RunContext::Clock::now();
    run_if_wanted(context);
    measured.total_ns = std::chrono::nanoseconds(RunContext::Clock::now() - begin).count();
    for (Array& result : results) result = Array();
    const std::unique_ptr<BufferWatch> watch = BufferWatch::begin_if_free();
    RunContext traced = context;
    traced.trace = &measured.trace;
    run_if_wanted(traced);
    if (watch == nullptr) continue;
    measured.most_bytes =
        program->segment.arena_bytes + static_cast<size_t>(std::max<int64_t>(0, watch->most_bytes()));
  }
  return engine::explain(graph_, *program, runs);
}

Step::CheckedOut Step::check_out(std::span<const Array* const> feeds) {
  // Acquire pairs with the release below: it makes the contents of the place visible.
  if (Place* latest = latest_.load(std::memory_order_acquire)) {
    if (auto state = latest->executor.check_out(feeds)) return {&latest->executor, std::move(state)};
  }
  return check_out_other(feeds);
}

Step::CheckedOut Step::check_out_other(std::span<const Array* const> feeds) {
  const MutexLock lock(mutex_);
  Place* found = nullptr;
  std::unique_ptr<RunState> state;
  for (const auto& place : places_) {
    if ((state = place->executor.check_out(feeds)) == nullptr) continue;
    found = place.get();
    break;
  }
  if (found == nullptr) {
    std::vector<Shape> fed_shapes;
    for (const Array* feed : feeds) fed_shapes.push_back(feed->shape());
    std::shared_ptr<const Program> program = program_for(std::move(fed_shapes));
    found = &place_for_new();
    found->executor.exchange(std::move(program));
    state = found->executor.check_out(feeds);
  }
  if (Place* before = latest_.load(std::memory_order_relaxed)) before->last_used = ++now_;
  latest_.store(found, std::memory_order_release);
  return {&found->executor, std::move(state)};
}

size_t Step::num_free_states() {
  const MutexLock lock(mutex_);
  size_t count = 0;
  for (const auto& place : places_) count += place->executor.num_free_states();
  return count;
}

/// A new place below kMaxPrograms, else the least recently used one.
Step::Place& Step::place_for_new() {
  if (places_.size() < kMaxPrograms) return *places_.emplace_back(std::make_unique<Place>());
  const Place* latest = latest_.load(std::memory_order_relaxed);
  Place* oldest = nullptr;
  for (const auto& place : places_) {
    if (place.get() == latest) continue;
    if (oldest == nullptr || place->last_used < oldest->last_used) oldest = place.get();
  }
  return *oldest;
}

void Step::check_feeds(std::span<const Array* const> feeds) const {
  if (feeds.size() != graph_.feeds.size()) {
    throw errors::InvalidArgumentError(
        fmt::format("This step takes {} feeds, but got {}", graph_.feeds.size(), feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const graph::Endpoint& endpoint = graph_.values[graph_.feeds[i]].endpoint;
    if (feeds[i]->dtype() != base_dtype(endpoint.dtype())) {
      throw errors::InvalidArgumentError(fmt::format("Feed of {} has dtype {}, but {} was expected",
                                                     endpoint.name(), dtype_name(feeds[i]->dtype()),
                                                     dtype_name(endpoint.dtype())));
    }
  }
}

namespace {

/// The resource that a handle stands for. The handle keeps it alive, or else the session does.
std::shared_ptr<graph::Resource> resource_behind(const Array& handle) {
  auto* const resource = static_cast<graph::Resource*>(const_cast<void*>(handle.raw_data()));
  return {std::make_shared<Array>(handle), resource};
}

}  // namespace

std::unique_ptr<Program> Step::program_for(std::vector<Shape> fed_shapes) {
  std::vector<ValueFacts> fed(fed_shapes.size());
  for (size_t i = 0; i < fed.size(); ++i) {
    fed[i].shape = fed_shapes[i];
    if (i >= bound_.size() || !bound_[i].has_value()) continue;
    if (bound_[i].dtype() == DType::kResource) {
      fed[i].resource = resource_behind(bound_[i]);
    } else {
      fed[i].constant = bound_[i];
    }
  }
  num_programs_made_.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<Program> program = make_program(graph_, std::move(fed), session_.resources());
  program->fed_shapes = std::move(fed_shapes);
  return program;
}

DeviceSet SessionOptions::local_devices() {
  return {{{.job = "localhost", .replica = 0, .task = 0, .type = "CPU", .index = 0}}};
}

Session::Session(SessionOptions options, std::shared_ptr<graph::ResourceContainers> containers)
    : intra_op_threads_(options.intra_op_threads),
      passes_(options.passes),
      devices_(std::move(options.devices)),
      files_(std::move(options.files)),
      containers_(containers != nullptr ? std::move(containers)
                                        : std::make_shared<graph::ResourceContainers>()) {
  ThreadPool& pool = default_pool();
  if (options.intra_op_threads > 0 && options.intra_op_threads < pool.workers()) {
    limited_ = std::make_unique<ThreadPool::Limited>(pool, options.intra_op_threads);
    parallel_ = limited_.get();
  } else {
    parallel_ = &pool;
  }
  // Steps that wait use them to the end of the session: made before it, they go after it.
  (void)default_jobs();
  (void)default_timer();
}

Session::~Session() {
  close();
  started_.wait();
  tell_end();
  steps_.clear();
  // Iterators that go may call functions once more, which look for states and use all that a session has.
  while (!states_.empty()) std::exchange(states_, {}).clear();
}

size_t Session::StepKeyHash::operator()(const StepKey& key) const {
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a over words, with a final mix
  for (uint64_t word : key) hash = (hash ^ word) * 1099511628211ULL;
  return static_cast<size_t>(hash ^ (hash >> 29));
}

Step& Session::step(const StepRequest& request) {
  // Kept by each thread, so that looking a step up allocates nothing.
  struct KeyOfThread {
    StepKey key;
  };
  StepKey& key = ThreadOwned<KeyOfThread>::get().key;
  key.clear();
  for (const auto& list : {request.feeds, request.fetches}) {
    for (const graph::Endpoint& endpoint : list) {
      key.push_back(reinterpret_cast<uintptr_t>(endpoint.node));
      key.push_back(static_cast<uint64_t>(endpoint.index));
    }
    key.push_back(0);
  }
  for (const graph::Node* node : request.targets) key.push_back(reinterpret_cast<uintptr_t>(node));
  {
    const ReaderLock lock(steps_mutex_);
    const auto found = steps_.find(key);
    if (found != steps_.end()) return *found->second;
  }
  auto made = std::make_unique<Step>(*this, request);
  const WriterLock lock(steps_mutex_);
  return *steps_.emplace(key, std::move(made)).first->second;
}

void Session::forget_states(const std::string& prefix) {
  std::vector<std::shared_ptr<graph::NodeState>> forgotten;  // without the lock
  const MutexLock lock(states_mutex_);
  const auto begin = states_.lower_bound(prefix);
  auto end = begin;
  for (; end != states_.end() && end->first.starts_with(prefix); ++end) forgotten.push_back(end->second);
  states_.erase(begin, end);
}

size_t Session::num_states() {
  const MutexLock lock(states_mutex_);
  return states_.size();
}

std::shared_ptr<graph::NodeState> Session::find_or_make(
    const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) {
  const MutexLock lock(states_mutex_);
  std::shared_ptr<graph::NodeState>& state = states_[name];
  if (state == nullptr) state = make();
  return state;
}

}  // namespace flowray::engine
