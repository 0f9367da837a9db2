#include "engine/session.h"

#include "core/thread_pool.h"
#include "engine/explain.h"
#include "engine/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {

Step::Step(Session& session, const StepRequest& request) : session_(session), graph_(make_step_graph(request)) {}

void Step::run(std::span<const Array* const> feeds, std::span<Array> results, const RunContext& context) {
  std::unique_ptr<Specialisation> only_for_this_run;
  find(feeds, only_for_this_run).executor->run(feeds, results, session_.parallel(), context);
}

Step::Specialisation& Step::find(std::span<const Array* const> feeds,
                                 std::unique_ptr<Specialisation>& only_for_this_run) {
  check_feeds(feeds);
  Specialisation* found = latest_.load(std::memory_order_acquire);
  if (found != nullptr && matches(*found, feeds)) return *found;
  std::lock_guard lock(mutex_);
  const auto known = std::find_if(specialisations_.begin(), specialisations_.end(),
                                  [&](const auto& item) { return matches(*item, feeds); });
  if (known != specialisations_.end()) {
    found = known->get();
  } else {
    only_for_this_run = specialise_for(feeds);
    found = only_for_this_run.get();
    if (specialisations_.size() < kMaxPrograms) specialisations_.push_back(std::move(only_for_this_run));
  }
  // Release pairs with the acquire above: who sees the pointer sees the program behind it.
  if (only_for_this_run == nullptr) latest_.store(found, std::memory_order_release);
  return *found;
}

std::string Step::explain(std::span<const Array* const> feeds, int num_runs) {
  std::unique_ptr<Specialisation> only_for_this_call;
  Executor& executor = *find(feeds, only_for_this_call).executor;
  std::vector<MeasuredRun> runs(static_cast<size_t>(num_runs));
  std::vector<Array> results(num_fetches());
  constexpr int kWarmUp = 2;
  for (int i = 0; num_runs > 0 && i < kWarmUp; ++i) executor.run(feeds, results, session_.parallel());
  for (MeasuredRun& run : runs) {
    const auto begin = RunContext::Clock::now();
    executor.run(feeds, results, session_.parallel());
    run.total_ns = std::chrono::nanoseconds(RunContext::Clock::now() - begin).count();
    executor.run(feeds, results, session_.parallel(), {.trace = &run.trace});
  }
  return engine::explain(graph_, executor.program(), runs);
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

bool Step::matches(const Specialisation& specialisation, std::span<const Array* const> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!(specialisation.fed_shapes[i] == feeds[i]->shape())) return false;
  }
  return true;
}

std::unique_ptr<Step::Specialisation> Step::specialise_for(std::span<const Array* const> feeds) {
  auto made = std::make_unique<Specialisation>();
  for (const Array* feed : feeds) made->fed_shapes.push_back(feed->shape());
  const Resources resources = session_.resources();
  const Facts facts = specialise(graph_, made->fed_shapes, resources);
  made->executor =
      std::make_unique<Executor>(plan(graph_, facts, resources), session_.states(), session_.closing());
  return made;
}

Session::Session(SessionOptions options, std::shared_ptr<graph::ResourceContainers> containers)
    : containers_(containers != nullptr ? std::move(containers)
                                        : std::make_shared<graph::ResourceContainers>()) {
  ThreadPool& pool = default_pool();
  if (options.intra_op_threads > 0 && options.intra_op_threads < pool.workers()) {
    limited_ = std::make_unique<ThreadPool::Limited>(pool, options.intra_op_threads);
    parallel_ = limited_.get();
  } else {
    parallel_ = &pool;
  }
}

Session::~Session() = default;

size_t Session::StepKeyHash::operator()(const StepKey& key) const {
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a over words, with a final mix
  for (uint64_t word : key) hash = (hash ^ word) * 1099511628211ULL;
  return static_cast<size_t>(hash ^ (hash >> 29));
}

Step& Session::step(const StepRequest& request) {
  // Kept by each thread, so that looking a step up allocates nothing.
  static thread_local StepKey key;
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
    std::shared_lock lock(steps_mutex_);
    const auto found = steps_.find(key);
    if (found != steps_.end()) return *found->second;
  }
  auto made = std::make_unique<Step>(*this, request);
  std::unique_lock lock(steps_mutex_);
  return *steps_.emplace(key, std::move(made)).first->second;
}

std::shared_ptr<graph::NodeState> Session::find_or_make(
    const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) {
  std::lock_guard lock(states_mutex_);
  std::shared_ptr<graph::NodeState>& state = states_[name];
  if (state == nullptr) state = make();
  return state;
}

}  // namespace flowray::engine
