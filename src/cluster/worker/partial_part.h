#pragma once
/// Parts of steps that are fed and fetched by several RunGraphs, as TensorFlow's masters do for partial runs.

#include "cluster/worker/running_part.h"
#include "core/mutex.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// The first RunGraph starts all of the part, whose nodes run as what they need comes. Each leaves what it
/// brings and waits for what it asks for; the last one waits for the end of the part, too. Made as a shared
/// object, which the run keeps. Thread-safe.
class PartialPart : public std::enable_shared_from_this<PartialPart> {
 public:
  /// `over` is called, perhaps more than once, when nothing more comes: the nodes have run and the last
  /// RunGraph is answered, or the step has failed or is cleaned up.
  PartialPart(const AnsweredRun& first, std::function<void()> over);

  /// Starts the nodes, the first time. Throws errors::AbortedError for a step that is over.
  void begin(Steps& steps);
  /// Answers once, perhaps before it returns.
  void run(const Request& request, const Reply& reply, AnsweredRun run);
  /// Waits until the nodes have run, if they were started.
  void wait_for_end();

 private:
  class Call;
  void end(const engine::RunOutcome& outcome);
  /// Ends the part for requests: no further one will come.
  void leave();
  std::exception_ptr error();
  /// `then` is called when the nodes have run, perhaps at once.
  void when_ended(std::function<void(std::exception_ptr)> then);

  const std::shared_ptr<WorkerSession> session_;
  const std::shared_ptr<RegisteredGraph> graph_;
  const int64_t step_id_;
  const std::function<void()> over_;
  std::optional<PartRendezvous> rendezvous_;
  engine::StepTrace trace_;
  const bool is_traced_;
  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  std::optional<StepRendezvous::Watch> watch_;

  Mutex beginning_;  // held while it is started
  bool has_begun_ FLOWRAY_GUARDED_BY(beginning_) = false;
  Mutex mutex_;
  CondVar ended_;
  bool is_running_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool has_ended_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool is_left_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::exception_ptr error_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<std::function<void(std::exception_ptr)>> waiting_ FLOWRAY_GUARDED_BY(mutex_);
};

/// A worker's parts of partial runs, by the numbers of their steps. Thread-safe.
class PartialParts {
 public:
  explicit PartialParts(Steps& steps) : steps_(steps) {}

  /// As PartialPart::run(), of the part that the request is of. Throws errors::AbortedError for a step that
  /// is over.
  void run(const Request& request, const Reply& reply, AnsweredRun run);
  /// Waits until the nodes of all parts have run.
  void wait_for_all();

 private:
  /// A step may have several parts here, each with a graph of its own.
  using Name = std::pair<int64_t, const RegisteredGraph*>;
  /// Outlived by parts whose end is just being told.
  struct Table {
    Mutex mutex;
    std::map<Name, std::shared_ptr<PartialPart>> parts FLOWRAY_GUARDED_BY(mutex);
  };
  Steps& steps_;
  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace flowray::cluster
