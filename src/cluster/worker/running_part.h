#pragma once

#include "cluster/transport.h"
#include "cluster/worker/steps.h"
#include "cluster/worker/task_names.h"
#include "cluster/worker/worker_session.h"
#include "core/cancellation.h"
#include "engine/run/step_trace.h"
#include "wire/worker.h"

#include <memory>
#include <optional>
#include <string>

namespace flowray::cluster {

/// A RunGraph, from its request to its answer: one part of a step, which meets the others at the step's
/// rendezvous.
class RunningPart : public std::enable_shared_from_this<RunningPart> {
 public:
  RunningPart(const Request& request, Reply reply) : request_(request), reply_(std::move(reply)) {}

  /// Runs `graph` of `session` as `message`, which borrows from the request, wants it. Answers once, perhaps
  /// before it returns, or throws and does not answer.
  void start(Steps& steps, wire::RunGraphRequest message, std::shared_ptr<WorkerSession> session,
             std::shared_ptr<RegisteredGraph> graph);

 private:
  void leave_what_was_sent();
  void end(engine::RunOutcome outcome);
  void release();
  std::vector<Array> values_for_master();
  Response success();
  Response failure(const std::exception_ptr& error);

  const Request request_;
  const Reply reply_;
  wire::RunGraphRequest message_;
  std::shared_ptr<WorkerSession> session_;
  std::shared_ptr<RegisteredGraph> graph_;
  std::optional<PartRendezvous> rendezvous_;
  engine::StepTrace trace_;
  /// Given with the request's, and when the step fails. Shared with who may be about to give it.
  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  std::optional<StepRendezvous::Watch> watch_;
  std::optional<Cancellation::Listening> listening_;
};

}  // namespace flowray::cluster
