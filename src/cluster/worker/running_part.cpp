#include "cluster/worker/running_part.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <utility>

#include "cluster/bodies.h"
#include "cluster/status_payload.h"
#include "cluster/status_text.h"
#include "engine/run/step_stats.h"
#include "graph/exchange/graph_export.h"

namespace flowray::cluster {

void RunningPart::start(Steps& steps, wire::RunGraphRequest message, std::shared_ptr<WorkerSession> session,
                        std::shared_ptr<RegisteredGraph> graph) {
  message_ = std::move(message);
  session_ = std::move(session);
  graph_ = std::move(graph);
  const std::shared_ptr<StepRendezvous> step = steps.begin(message_.step_id);
  rendezvous_.emplace(step, session_->names());
  leave_what_was_sent();
  watch_.emplace(step, [given = cancellation_] { given->cancel(); });
  listening_.emplace(request_.cancellation, [this] { cancellation_->cancel(); });
  engine::RunContext context{.cancellation = cancellation_.get(), .rendezvous = &*rendezvous_};
  if (message_.exec_opts.has_value() && message_.exec_opts->record_timeline) context.trace = &trace_;
  graph_->step->start({}, context, [self = shared_from_this()](engine::RunOutcome outcome) {
    self->end(std::move(outcome));
  });
}

void RunningPart::leave_what_was_sent() {
  for (const wire::NamedTensorProto& sent : message_.send)
    rendezvous_->send(sent.name.str(), {fed_value(sent.tensor, request_)});
}

void RunningPart::end(engine::RunOutcome outcome) {
  Response response;
  try {
    if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
    response = success();
  } catch (...) {
    response = failure(std::current_exception());
  }
  release();
  reply_(std::move(response));
}

/// Whatever belongs to the request or the server may be gone once it is answered.
void RunningPart::release() {
  listening_.reset();
  watch_.reset();
  rendezvous_.reset();
}

/// What the part has left for the master, all of which is there when it has run.
std::vector<Array> RunningPart::values_for_master() {
  std::vector<Array> values;
  for (const wire::Text& key : message_.recv_key) {
    const auto taken = std::make_shared<std::optional<graph::Parcel>>();
    const auto give_up = rendezvous_->step().here().receive(
        key.str(), [taken](graph::Parcel parcel) { *taken = std::move(parcel); });
    if (give_up != nullptr) give_up();
    graph::Parcel& parcel = taken->value();
    if (parcel.code == Code::kCancelled)
      throw errors::InvalidArgumentError(fmt::format("Nothing was left for the key {}", key.view()));
    if (parcel.code != Code::kOk) errors::throw_error(parcel.code, parcel.text);
    if (parcel.is_dead) {
      throw errors::InvalidArgumentError(
          fmt::format("The tensor returned for {} was not valid.", key.view()));
    }
    values.push_back(std::move(parcel.value));
  }
  return values;
}

Response RunningPart::success() {
  return {with_tensors(values_for_master(),
                       [this, self = shared_from_this()](const std::vector<Array>& values) {
                         wire::RunGraphResponse response;
                         for (size_t i = 0; i < values.size(); ++i) {
                           wire::NamedTensorProto& named = response.recv.emplace_back();
                           named.name = message_.recv_key[i];
                           named.tensor = wire::to_tensor_proto(values[i], wire::TensorForm::kBorrowed);
                         }
                         const wire::ExecutorOpts wanted = message_.exec_opts.value_or(wire::ExecutorOpts());
                         const std::string device = session_->names().self().cpu().to_string();
                         if (wanted.record_timeline)
                           response.step_stats = engine::to_step_stats(trace_, device);
                         if (wanted.record_partition_graphs)
                           response.partition_graph.push_back(graph::to_graph_def(*graph_->graph));
                         return response;
                       }),
          {}};
}

Response RunningPart::failure(const std::exception_ptr& error) {
  StepRendezvous& step = rendezvous_->step();
  Status status;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& reason) {
    status = status_of(reason);
  }
  const graph::Parcel first = step.failure();
  const bool is_derived = first.code != Code::kOk || step.has_told_of_another();
  if (first.code != Code::kOk && status.code == static_cast<int>(Code::kCancelled))
    status = {static_cast<int>(first.code), first.text};
  step.fail(static_cast<Code>(status.code), status.text);
  if (message_.store_errors_in_response_body) {
    wire::RunGraphResponse response;
    response.status_code = status.code;
    const std::string text = with_characters_only(status.text);
    response.status_error_message = wire::Text(text);
    return {Message(wire::encode(response)), {}};
  }
  if (is_derived) status.details = status_payload(kDerivedUrl);
  return {{}, std::move(status)};
}

}  // namespace flowray::cluster
