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
#include <string_view>
#include <vector>

namespace flowray::cluster {

/// What was left for the master under a key; throws what has kept it from that.
Array value_for_master(graph::Parcel parcel, std::string_view key);

/// The answers to a RunGraph that asked for `values`, in the order of its recv_key, and to one that failed.
/// What a part was traced by, and is, are told where the request wants it.
struct AnsweredRun {
  wire::RunGraphRequest message;
  std::shared_ptr<WorkerSession> session;
  std::shared_ptr<RegisteredGraph> graph;
  /// What its trace tells besides; nothing where the master asks for that by itself.
  std::vector<ReceivedTensor> received = {};

  Response success(std::vector<Array> values, const engine::StepTrace& trace,
                   std::shared_ptr<const void> owner) const;
  /// The step of `rendezvous` fails with it.
  Response failure(const std::exception_ptr& error, StepRendezvous& rendezvous) const;
  bool is_traced() const { return message.exec_opts.has_value() && message.exec_opts->record_timeline; }
};

/// A RunGraph, from its request to its answer: one part of a step,
/// which meets the others at the step's rendezvous.
class RunningPart : public std::enable_shared_from_this<RunningPart> {
 public:
  RunningPart(const Request& request, Reply reply) : request_(request), reply_(std::move(reply)) {}

  /// `run` borrows from the request. Answers once, perhaps before it returns, or throws and does not answer.
  void start(Steps& steps, AnsweredRun run);

 private:
  void leave_what_was_sent();
  void end(engine::RunOutcome outcome);
  void release();
  std::vector<Array> values_for_master();

  const Request request_;
  const Reply reply_;
  AnsweredRun run_;
  bool tells_receives_ = false;
  std::optional<PartRendezvous> rendezvous_;
  engine::StepTrace trace_;
  /// Given with the request's, and when the step fails. Shared with threads that may be about to cancel.
  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  std::optional<StepRendezvous::Watch> watch_;
  std::optional<Cancellation::Listening> listening_;
};

}  // namespace flowray::cluster
