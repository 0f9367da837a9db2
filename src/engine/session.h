#pragma once
/// The local session: variables, node states, and the steps that were asked for so far.

#include "core/cancellation.h"
#include "core/mutex.h"
#include "core/step_log.h"
#include "engine/plan/specialise.h"
#include "engine/run/executor.h"
#include "engine/run/run_context.h"
#include "engine/step/place.h"
#include "engine/step/step_graph.h"
#include "files/file_access.h"
#include "graph/exchange/function_runner.h"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace flowray::engine {

class Session;

/// A compiled (feeds, fetches, targets). Holds a Program for each of the kMaxPrograms sets of fed shapes that
/// it has seen last, so that an endless variety of shapes cannot fill the memory. Thread-safe.
class Step {
 public:
  /// `bound`: by number of the feed, what it is in every run; no value where that is not known.
  Step(Session& session, const StepRequest& request, std::vector<Array> bound = {});

  /// `feeds` in the order of the request; throws errors::InvalidArgumentError where their number or a dtype
  /// is not that of the endpoints. `results` has one place a fetch. What `context` names must live as long
  /// as the call.
  void run(std::span<const Array* const> feeds, std::span<Array> results, const RunContext& context = {});
  /// The same for feeds that the caller has checked: tf::Session compares dtypes to convert what it is fed.
  void run_checked(std::span<const Array* const> feeds, std::span<Array> results, const RunContext& context);
  /// Starts a run that holds no thread while it waits; it goes on in one of core/job_queue.h. `done` is
  /// called once at the end, with errors in the feeds too, perhaps before this returns. What `context` names
  /// must live until then.
  void start(std::vector<Array> feeds, const RunContext& context, RunDone done);

  /// The Program for feeds of these shapes as text (explain.h). With `num_runs` it is measured too: run that
  /// often with and that often without a look at the clock between instructions, and twice before; variables
  /// are updated each time. All of them end as one run of `context` does, or with the session.
  std::string explain(std::span<const Array* const> feeds, int num_runs = 0, const RunContext& context = {});

  size_t num_feeds() const { return graph_.feeds.size(); }
  size_t num_fetches() const { return graph_.fetches.size(); }
  const StepGraph& graph() const { return graph_; }

  /// Programs made so far, those included that were dropped since.
  size_t num_programs_made() const { return num_programs_made_.load(std::memory_order_relaxed); }

  /// The number of idle RunStates that its programs keep.
  size_t num_free_states();

  static constexpr size_t kMaxPrograms = 16;

 private:
  /// A place for a program; never dropped, so that a thread may look at it without a lock on the list.
  struct Place {
    Executor executor;
    uint64_t last_used = 0;  // when it ceased to be the latest
  };
  struct CheckedOut {
    Executor* executor = nullptr;
    std::unique_ptr<RunState> state;
  };

  void check_feeds(std::span<const Array* const> feeds) const;
  CheckedOut check_out(std::span<const Array* const> feeds);
  CheckedOut check_out_other(std::span<const Array* const> feeds);
  Place& place_for_new() FLOWRAY_REQUIRES(mutex_);
  std::unique_ptr<Program> program_for(std::vector<Shape> fed_shapes);

  Session& session_;
  const StepGraph graph_;
  const std::vector<Array> bound_;
  std::atomic<size_t> num_programs_made_{0};
  StepLog::Unwatched unwatched_{0};
  std::atomic<Place*> latest_{nullptr};          // one of places_
  Mutex mutex_;                                  // held while a program is made
  uint64_t now_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // counts the changes of latest_
  std::vector<std::unique_ptr<Place>> places_ FLOWRAY_GUARDED_BY(mutex_);
};

struct SessionOptions {
  /// Threads that one step may use for the work inside of operations; 0: all of the process's.
  int intra_op_threads = 0;
  PassOptions passes = {};
  /// Where nodes may run. One CPU today: what asks for another is refused or, with `soft`, runs there too.
  DeviceSet devices = local_devices();
  /// The files that the session's ops may use.
  files::FileAccess files = files::FileAccess::all();

  /// "/job:localhost/replica:0/task:0/device:CPU:0"
  static DeviceSet local_devices();
};

/// Runs steps of one graph. Thread-safe.
class Session : public graph::NodeStates, public graph::FunctionRunner {
 public:
  /// `containers`: those that it shares with other sessions, as the sessions of a server do; null: its own.
  explicit Session(SessionOptions options = {},
                   std::shared_ptr<graph::ResourceContainers> containers = nullptr);
  /// Ends the steps that were started and waits for them.
  ~Session() override;

  /// The step for a request, made when it was not asked for before. Lives as long as the session.
  Step& step(const StepRequest& request);

  /// Ends the steps that wait or that were given a context; they throw errors::CancelledError, and so do
  /// those to come.
  void close() { closing_.cancel(); }
  Cancellation& closing() { return closing_; }
  StartedRuns& started() { return started_; }

  Resources resources() { return {*containers_, *this, parallel_->workers(), passes_, files_}; }
  const PassOptions& passes() const { return passes_; }
  const DeviceSet& devices() const { return devices_; }
  Parallel& parallel() { return *parallel_; }
  RunSurroundings surroundings(const RunContext& context) {
    return {*this, *parallel_, context, closing_, files_};
  }

  /// Lets go of the states of all nodes whose names begin so.
  void forget_states(const std::string& prefix);
  size_t num_states();

  std::unique_ptr<graph::CallableFunction> make_function(const graph::FunctionRequest& request,
                                                         const graph::FunctionLibrary& library) override;
  std::unique_ptr<graph::FunctionRunner> make_independent() override;

 private:
  /// A request as numbers: node addresses and output indices, with separators.
  using StepKey = std::vector<uint64_t>;
  struct StepKeyHash {
    size_t operator()(const StepKey& key) const;
  };

  std::shared_ptr<graph::NodeState> find_or_make(
      const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) override;

  const int intra_op_threads_;
  const PassOptions passes_;
  const DeviceSet devices_;
  const files::FileAccess files_;
  const std::shared_ptr<graph::ResourceContainers> containers_;
  Cancellation closing_;
  StartedRuns started_;
  Mutex states_mutex_;
  std::map<std::string, std::shared_ptr<graph::NodeState>> states_ FLOWRAY_GUARDED_BY(states_mutex_);
  std::unique_ptr<Parallel> limited_;
  Parallel* parallel_;
  SharedMutex steps_mutex_;
  std::unordered_map<StepKey, std::unique_ptr<Step>, StepKeyHash> steps_ FLOWRAY_GUARDED_BY(steps_mutex_);
};

}  // namespace flowray::engine
