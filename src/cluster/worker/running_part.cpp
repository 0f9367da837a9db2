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

void RunningPart::start(Steps& steps, AnsweredRun run) {
  run_ = std::move(run);
  const std::shared_ptr<StepRendezvous> step = steps.begin(run_.message.step_id);
  rendezvous_.emplace(step, run_.session->names());
  tells_receives_ = run_.is_traced() && !steps.logs_receives();
  if (tells_receives_) step->trace_receives();
  leave_what_was_sent();
  watch_.emplace(step, [given = cancellation_] { given->cancel(); });
  listening_.emplace(request_.cancellation, [this] { cancellation_->cancel(); });
  engine::RunContext context{.cancellation = cancellation_.get(), .rendezvous = &*rendezvous_};
  if (run_.is_traced()) context.trace = &trace_;
  run_.graph->step->start({}, context, [self = shared_from_this()](engine::RunOutcome outcome) {
    self->end(std::move(outcome));
  });
}

void RunningPart::leave_what_was_sent() {
  for (const wire::NamedTensorProto& sent : run_.message.send)
    rendezvous_->send(sent.name.str(), {fed_value(sent.tensor, request_)});
}

void RunningPart::end(engine::RunOutcome outcome) {
  Response response;
  try {
    if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
    if (tells_receives_) run_.received = rendezvous_->step().received();
    response = run_.success(values_for_master(), trace_, shared_from_this());
  } catch (...) {
    response = run_.failure(std::current_exception(), rendezvous_->step());
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
  for (const wire::Text& key : run_.message.recv_key) {
    const auto taken = std::make_shared<std::optional<graph::Parcel>>();
    const auto give_up = rendezvous_->step().here().receive(
        key.str(), [taken](graph::Parcel parcel) { *taken = std::move(parcel); });
    if (give_up != nullptr) give_up();
    values.push_back(value_for_master(std::move(taken->value()), key.view()));
  }
  return values;
}

Array value_for_master(graph::Parcel parcel, std::string_view key) {
  if (parcel.code == Code::kCancelled)
    throw errors::InvalidArgumentError(fmt::format("Nothing was left for the key {}", key));
  if (parcel.code != Code::kOk) errors::throw_error(parcel.code, parcel.text);
  if (parcel.is_dead)
    throw errors::InvalidArgumentError(fmt::format("The tensor returned for {} was not valid.", key));
  return std::move(parcel.value);
}

Response AnsweredRun::success(std::vector<Array> values, const engine::StepTrace& trace,
                              std::shared_ptr<const void> owner) const {
  return {with_tensors(std::move(values),
                       [this, &trace, owner = std::move(owner)](const std::vector<Array>& arrays) {
                         wire::RunGraphResponse response;
                         for (size_t i = 0; i < arrays.size(); ++i) {
                           wire::NamedTensorProto& named = response.recv.emplace_back();
                           named.name = message.recv_key[i];
                           named.tensor = wire::to_tensor_proto(arrays[i], wire::TensorForm::kBorrowed);
                         }
                         const std::string device = session->names().self().cpu().to_string();
                         if (is_traced()) response.step_stats = engine::to_step_stats(trace, device);
                         if (is_traced() && !received.empty()) {
                           response.step_stats->dev_stats.push_back(
                               trace_of_receives(received, session->names().self().name() + "/receives"));
                         }
                         if (message.exec_opts.has_value() && message.exec_opts->record_partition_graphs)
                           response.partition_graph.push_back(graph::to_graph_def(*graph->graph));
                         return response;
                       }),
          {}};
}

Response AnsweredRun::failure(const std::exception_ptr& error, StepRendezvous& rendezvous) const {
  Status status;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& reason) {
    status = status_of(reason);
  }
  const graph::Parcel first = rendezvous.failure();
  const bool is_derived = first.code != Code::kOk || rendezvous.has_told_of_another();
  if (first.code != Code::kOk && status.code == static_cast<int>(Code::kCancelled))
    status = {static_cast<int>(first.code), first.text};
  rendezvous.fail(static_cast<Code>(status.code), status.text);
  if (message.store_errors_in_response_body) {
    wire::RunGraphResponse response;
    response.status_code = status.code;
    const std::string text = with_characters_only(status.text);
    response.status_error_message = wire::Text(text);
    response.is_derived = is_derived;
    return {Message(wire::encode(response)), {}};
  }
  if (is_derived) status.details = status_payload(kDerivedUrl);
  return {{}, std::move(status)};
}

}  // namespace flowray::cluster
