/// Hooks that watch a training and decide when it ends.

#include "tf/build/unset.h"
#include "tf/train/monitored/hook_parts.h"
#include "tf/train/monitored/readiness.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace flowray::tf::train {

StopAtStepHook::StopAtStepHook(const StopAtStepOptions& options) : options_(options) {
  if (!options.num_steps && !options.last_step)
    throw ValueError("One of num_steps or last_step must be specified.");
  if (options.num_steps && options.last_step)
    throw ValueError("Only one of num_steps or last_step can be specified.");
}

void StopAtStepHook::begin() { step_ = global_step_for("StopAtStepHook"); }

void StopAtStepHook::after_create_session(Session& session, Coordinator&) {
  if (!options_.last_step) options_.last_step = step_number(session, *step_) + *options_.num_steps;
}

SessionRunArgs StopAtStepHook::before_run(SessionRunContext&) { return {.fetches = {*step_}}; }

void StopAtStepHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (step_number(values.results[0]) + 1 < *options_.last_step) return;
  if (step_number(context.session(), *step_) >= *options_.last_step) context.request_stop();
}

namespace {

constexpr int64_t kCounterSteps = 100;

std::optional<int64_t> steps_of(const StepCounterOptions& options) {
  if (options.every_n_steps && options.every_n_secs)
    throw ValueError("exactly one of every_n_steps and every_n_secs should be provided.");
  if (options.every_n_secs) return std::nullopt;
  return options.every_n_steps.value_or(kCounterSteps);
}

}  // namespace

StepCounterHook::StepCounterHook(StepCounterOptions options)
    : options_(std::move(options)), timer_(options_.every_n_secs, steps_of(options_)) {}

void StepCounterHook::begin() {
  writer_ = writer_of(options_.summary_writer, options_.output_dir);
  step_ = global_step_for("StepCounterHook");
  tag_ = get_global_step().op().name() + "/sec";
}

SessionRunArgs StepCounterHook::before_run(SessionRunContext&) { return {.fetches = {*step_}}; }

void StepCounterHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!timer_.should_trigger_for_step(step_number(values.results[0]) + 1)) return;
  const int64_t step = step_number(context.session(), *step_);
  if (!timer_.should_trigger_for_step(step)) return;
  const auto passed = timer_.update_last_triggered_step(step);
  if (!passed || passed->first <= 0) return;
  const double rate = static_cast<double>(passed->second) / passed->first;
  tell(options_.log, fmt::format("{}: {:g}", tag_, rate));
  if (writer_ != nullptr) writer_->add_summary(Summary({{tag_, rate}}), step);
}

LoggingTensorHook::LoggingTensorHook(std::vector<LoggedTensor> tensors, LoggingTensorOptions options)
    : tensors_(std::move(tensors)), options_(std::move(options)) {
  const bool only_at_end = options_.at_end && !options_.every_n_iter && !options_.every_n_secs;
  if (!only_at_end && options_.every_n_iter.has_value() == options_.every_n_secs.has_value()) {
    throw ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.");
  }
  if (options_.every_n_iter && *options_.every_n_iter <= 0)
    throw ValueError(fmt::format("invalid every_n_iter={}.", *options_.every_n_iter));
  if (!only_at_end) timer_.emplace(options_.every_n_secs, options_.every_n_iter);
}

void LoggingTensorHook::begin() {
  if (timer_) timer_->reset();
  count_ = 0;
}

std::vector<Fetch> LoggingTensorHook::fetches() const {
  std::vector<Fetch> all;
  for (const LoggedTensor& tensor : tensors_) all.push_back(tensor.fetch);
  return all;
}

SessionRunArgs LoggingTensorHook::before_run(SessionRunContext&) {
  asked_ = timer_ && timer_->should_trigger_for_step(count_);
  return {.fetches = asked_ ? fetches() : std::vector<Fetch>()};
}

void LoggingTensorHook::after_run(SessionRunContext&, const SessionRunValues& values) {
  if (asked_) tell(values.results);
  ++count_;
}

void LoggingTensorHook::end(Session& session) {
  if (options_.at_end) tell(session.run(fetches()));
}

void LoggingTensorHook::tell(const std::vector<Array>& values) {
  const auto passed = timer_ ? timer_->update_last_triggered_step(count_) : std::nullopt;
  if (options_.formatter != nullptr) {
    std::map<std::string, Array> by_tag;
    for (size_t i = 0; i < values.size(); ++i) by_tag.insert_or_assign(tensors_[i].tag, values[i]);
    return train::tell(options_.log, options_.formatter(by_tag));
  }
  std::string line;
  for (size_t i = 0; i < values.size(); ++i) {
    line += fmt::format("{}{} = {}", i == 0 ? "" : ", ", tensors_[i].tag, values[i].to_string());
  }
  if (passed) line += fmt::format(" ({:.3f} sec)", passed->first);
  train::tell(options_.log, line);
}

NanTensorHook::NanTensorHook(const Tensor& loss_tensor, const NanTensorOptions& options)
    : loss_(loss_tensor), fails_(options.fail_on_nan_loss) {
  (void)node_of(loss_tensor, "loss_tensor");
}

SessionRunArgs NanTensorHook::before_run(SessionRunContext&) { return {.fetches = {loss_}}; }

void NanTensorHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const Array loss = values.results[0].astype(DType::kFloat64);
  if (std::ranges::none_of(loss.span<double>(), [](double value) { return std::isnan(value); })) return;
  if (fails_) throw NanLossDuringTrainingError();
  context.request_stop();
}

void FinalOpsHook::end(Session& session) {
  if (!final_ops_.empty()) values_ = session.run(std::span<const Fetch>(final_ops_), feeds_);
}

void GlobalStepWaiterHook::begin() { step_ = global_step_for("_GlobalStepWaiterHook"); }

SessionRunArgs GlobalStepWaiterHook::before_run(SessionRunContext& context) {
  using Clock = std::chrono::steady_clock;
  if (has_begun_ || wait_until_step_ <= 0) return {};
  const Clock::time_point begin = Clock::now();
  Clock::time_point next_word = begin;
  while (true) {
    const int64_t step = step_number(context.session(), *step_);
    if (step >= wait_until_step_) break;
    const Clock::time_point now = Clock::now();
    if (options_.max_wait_secs && now >= begin + clock_duration(*options_.max_wait_secs)) {
      throw errors::DeadlineExceededError(fmt::format(
          "The global step was {} after waiting {} secs for step {}.\nDo the other workers train, "
          "and do they use the same parameter servers?",
          step, *options_.max_wait_secs, wait_until_step_));
    }
    if (now >= next_word) {
      next_word = now + std::chrono::seconds(10);
      train::tell(options_.log,
                  fmt::format("Waiting for global step {} before starting training. Current step is {}.",
                              wait_until_step_, step));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  has_begun_ = true;
  return {};
}

SessionRunArgs FeedFnHook::before_run(SessionRunContext&) { return {.feed_dict = feed_fn_()}; }

}  // namespace flowray::tf::train
