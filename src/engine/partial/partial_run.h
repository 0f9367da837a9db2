#pragma once

#include "core/mutex.h"
#include "engine/session.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowray::engine {

/// What may be fed and fetched in a partial run, and the steps that its calls are made of. A call runs what
/// its feeds, with all earlier ones, are enough for; what ran before does not run again: later steps are fed
/// what they need of it, which the run keeps meanwhile. Shared by the partial runs
/// of the same names. Thread-safe.
class PartialPlan {
 public:
  /// Feeds that were fed, by their places in feeds().
  using Fed = std::vector<bool>;

  /// One call's step. Its inputs are fed by the client or were made in earlier calls.
  struct Stage {
    std::vector<graph::Endpoint> inputs;
    std::vector<graph::Endpoint> outputs;       // that are to be fetched, or needed in later calls
    std::unique_ptr<Step> step;                 // null: there is nothing to do here
    std::shared_ptr<void> elsewhere = nullptr;  // in place of it, what the plan's maker has made
    bool is_empty() const { return step == nullptr && elsewhere == nullptr; }
  };
  /// For a step that goes over several tasks; null for one of the session's.
  using MakeElsewhere = std::function<std::shared_ptr<void>(const StepRequest&)>;

  /// `make_elsewhere`: null where all steps are the session's.
  PartialPlan(Session& session, MakeElsewhere make_elsewhere, std::vector<graph::Endpoint> feeds,
              std::vector<graph::Endpoint> fetches, std::span<graph::Node* const> targets);

  std::span<const graph::Endpoint> feeds() const { return feeds_; }
  std::span<const graph::Endpoint> fetches() const { return fetches_; }
  /// A feed that `fetch`, one of fetches(), waits for; nothing if it can be computed.
  std::optional<size_t> missing_feed(const graph::Endpoint& fetch, const Fed& fed) const;
  /// The nodes to be run once `after` is fed, beyond those that ran for `before`, the feeds of the call
  /// before (nothing: it is the first).
  Stage& stage(const std::optional<Fed>& before, const Fed& after);

 private:
  void visit(graph::Node* root);
  void find_needs();
  void add_needs(const graph::Node& node);
  std::optional<size_t> place_of_feed(const graph::Endpoint& endpoint) const;
  bool is_ready(const graph::Node* node, const Fed& fed) const;
  std::set<std::pair<const graph::Node*, int>> read_later(const Fed& fed) const;
  std::unique_ptr<Stage> make_stage(const std::optional<Fed>& before, const Fed& after) const;

  Session& session_;
  const MakeElsewhere make_elsewhere_;
  const std::vector<graph::Endpoint> feeds_;
  const std::vector<graph::Endpoint> fetches_;
  std::vector<graph::Node*> nodes_;  // that run, each after those it waits for but where a loop closes
  std::map<const graph::Node*, Fed> needs_;  // of each: the feeds that it waits for
  Mutex mutex_;
  std::map<std::pair<std::optional<Fed>, Fed>, std::unique_ptr<Stage>> stages_ FLOWRAY_GUARDED_BY(mutex_);
};

/// A run whose feeds and fetches come in several calls. Thread-safe; its calls run one after another.
/// Source: tf.Session.partial_run.
class PartialRun {
 public:
  explicit PartialRun(std::shared_ptr<PartialPlan> plan);

  struct Feed {
    std::string name;  // as the client calls it
    graph::Endpoint endpoint;
    Array value;
  };
  struct Fetch {
    std::string name;
    graph::Endpoint endpoint;
  };
  /// Starts a step and tells its end.
  using RunStep = std::function<void(const PartialPlan::Stage&, std::vector<Array> feeds, RunDone)>;
  /// Starts a call and tells its end, once, perhaps before it returns; the run lives until then. The error is
  /// errors::InvalidArgumentError, in TensorFlow's words, for a feed or fetch that is not in the plan or
  /// came before, and for a fetch that waits for another feed; after these the run goes on, after errors of
  /// nodes it is over.
  void call(std::vector<Feed> feeds, std::vector<Fetch> fetches, RunStep run_step, RunDone done);
  /// Whether everything was fed and fetched, or a node failed.
  bool is_over() const;

 private:
  /// A call from its beginning to its end.
  struct Call {
    std::vector<Feed> feeds;
    std::vector<Fetch> fetches;
    RunStep run_step;
    RunDone done;
    PartialPlan::Stage* stage = nullptr;
    std::vector<size_t> places;  // of what it fetches, in the plan's fetches
  };

  void begin(const std::shared_ptr<Call>& call);
  std::vector<Array> take_feeds(Call& call);
  void end(Call& call, RunOutcome outcome);
  std::vector<Array> keep_results(Call& call, std::vector<Array> outputs) FLOWRAY_REQUIRES(mutex_);
  PartialPlan::Fed check_feeds(std::span<const Feed> feeds) const FLOWRAY_REQUIRES(mutex_);
  std::vector<size_t> check_fetches(std::span<const Fetch> fetches, const PartialPlan::Fed& fed) const
      FLOWRAY_REQUIRES(mutex_);

  const std::shared_ptr<PartialPlan> plan_;
  mutable Mutex mutex_;
  bool is_busy_ FLOWRAY_GUARDED_BY(mutex_) = false;  // with a call
  std::deque<std::shared_ptr<Call>> waiting_ FLOWRAY_GUARDED_BY(mutex_);
  std::optional<PartialPlan::Fed> before_ FLOWRAY_GUARDED_BY(mutex_);
  PartialPlan::Fed fed_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<bool> fetched_ FLOWRAY_GUARDED_BY(mutex_);  // by place in the plan's fetches
  std::vector<std::pair<graph::Endpoint, Array>> values_ FLOWRAY_GUARDED_BY(mutex_);
  bool has_failed_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::engine
