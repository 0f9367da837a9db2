#pragma once
/// The local session: variables, node states, and the steps that were asked for so far.

#include "core/cancellation.h"
#include "engine/executor.h"
#include "engine/run_context.h"
#include "engine/specialise.h"
#include "engine/step_graph.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace flowray::engine {

class Session;

/// A compiled (feeds, fetches, targets). Holds one Program for each set of fed shapes it has seen, up to
/// kMaxPrograms; further shapes are planned for each run anew, so that an endless variety of shapes cannot
/// fill the memory. Thread-safe.
class Step {
 public:
  Step(Session& session, const StepRequest& request);

  /// `feeds` in the order of the request; dtypes must be those of the endpoints. `results` has one place a
  /// fetch. What `context` names must live as long as the call.
  void run(std::span<const Array* const> feeds, std::span<Array> results, const RunContext& context = {});

  /// The Program for feeds of these shapes as text (explain.h). With `num_runs` it is measured too: run that often with and
  /// that often without a look at the clock between instructions, and twice before; variables are updated each time.
  std::string explain(std::span<const Array* const> feeds, int num_runs = 0);

  size_t num_feeds() const { return graph_.feeds.size(); }
  size_t num_fetches() const { return graph_.fetches.size(); }
  const StepGraph& graph() const { return graph_; }

  static constexpr size_t kMaxPrograms = 16;

 private:
  struct Specialisation {
    std::vector<Shape> fed_shapes;
    std::unique_ptr<Executor> executor;
  };

  /// Made where the shapes are new; kept by the step, or else by `only_for_this_run`.
  Specialisation& find(std::span<const Array* const> feeds, std::unique_ptr<Specialisation>& only_for_this_run);
  void check_feeds(std::span<const Array* const> feeds) const;
  static bool matches(const Specialisation& specialisation, std::span<const Array* const> feeds);
  std::unique_ptr<Specialisation> specialise_for(std::span<const Array* const> feeds);

  Session& session_;
  const StepGraph graph_;
  std::atomic<Specialisation*> latest_{nullptr};  // one of specialisations_, which are never dropped
  std::mutex mutex_;                              // guards specialisations_
  std::vector<std::unique_ptr<Specialisation>> specialisations_;
};

struct SessionOptions {
  /// Threads that one step may use for the work inside of operations; 0: all of the process's.
  int intra_op_threads = 0;
};

/// Runs steps of one graph. Thread-safe.
class Session : private graph::NodeStates {
 public:
  /// `containers`: those that it shares with other sessions, as the sessions of a server do; null: its own.
  explicit Session(SessionOptions options = {},
                   std::shared_ptr<graph::ResourceContainers> containers = nullptr);
  ~Session() override;

  /// The step for a request, made when it was not asked for before. Lives as long as the session.
  Step& step(const StepRequest& request);

  /// Ends the steps that wait or that were given a context; they throw errors::CancelledError, and so do
  /// those to come.
  void close() { closing_.cancel(); }
  Cancellation& closing() { return closing_; }

  Resources resources() { return {*containers_, *this, parallel_->workers()}; }
  graph::NodeStates& states() { return *this; }
  Parallel& parallel() { return *parallel_; }

 private:
  /// A request as numbers: node addresses and output indices, with separators.
  using StepKey = std::vector<uint64_t>;
  struct StepKeyHash {
    size_t operator()(const StepKey& key) const;
  };

  std::shared_ptr<graph::NodeState> find_or_make(
      const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) override;

  const std::shared_ptr<graph::ResourceContainers> containers_;
  Cancellation closing_;
  std::mutex states_mutex_;  // guards states_
  std::unordered_map<std::string, std::shared_ptr<graph::NodeState>> states_;
  std::unique_ptr<Parallel> limited_;
  Parallel* parallel_;
  std::shared_mutex steps_mutex_;  // guards steps_
  std::unordered_map<StepKey, std::unique_ptr<Step>, StepKeyHash> steps_;
};

}  // namespace flowray::engine
