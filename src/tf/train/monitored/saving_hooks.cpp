/// Hooks that write files: checkpoints, summaries, traces.

#include <flowray/tf/graph_def.h>
#include <flowray/tf/monitored_session.h>
#include <flowray/tf/timeline.h>

#include "engine/run/step_stats.h"
#include "files/event_file.h"
#include "files/file_contents.h"
#include "tf/train/monitored/hook_parts.h"
#include "wire/event.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::tf::train {

CheckpointSaverHook::CheckpointSaverHook(std::filesystem::path checkpoint_dir, CheckpointSaverOptions options)
    : folder_(std::move(checkpoint_dir)),
      options_(std::move(options)),
      timer_(options_.save_secs, options_.save_steps) {
  if (options_.saver != nullptr && options_.scaffold != nullptr)
    throw ValueError("You cannot provide both saver and scaffold.");
}

void CheckpointSaverHook::begin() {
  step_ = global_step_for("CheckpointSaverHook");
  writer_ = summary::FileWriterCache::get(folder_);
  for (const auto& listener : options_.listeners) listener->begin();
}

void CheckpointSaverHook::after_create_session(Session& session, Coordinator&) {
  std::filesystem::create_directories(folder_);
  if (options_.save_graph_def)
    write_graph(session.graph().as_graph_def({.add_shapes = true}), folder_, "graph.pbtxt");
  save(session, step_number(session, *step_));
}

SessionRunArgs CheckpointSaverHook::before_run(SessionRunContext&) { return {.fetches = {*step_}}; }

/// The step may have been counted up before its value was read or after:
/// it is read again where it could be time.
void CheckpointSaverHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!timer_.should_trigger_for_step(step_number(values.results[0]) + 1)) return;
  const int64_t step = step_number(context.session(), *step_);
  if (timer_.should_trigger_for_step(step) && save(context.session(), step)) context.request_stop();
}

void CheckpointSaverHook::end(Session& session) {
  const int64_t step = step_number(session, *step_);
  if (timer_.last_triggered_step() != step) save(session, step);
  for (const auto& listener : options_.listeners) listener->end(session, step);
}

/// Whether a listener wants the end.
bool CheckpointSaverHook::save(Session& session, int64_t step) {
  const auto& saver = options_.scaffold != nullptr ? options_.scaffold->saver() : options_.saver;
  if (saver == nullptr) {
    throw RuntimeError(
        "A CheckpointSaverHook needs a saver, and there is none.\nIts graph has no variables, or it was "
        "given "
        "neither a saver nor a scaffold.");
  }
  for (const auto& listener : options_.listeners) listener->before_save(session, step);
  const std::string path =
      saver->save(session, folder_ / options_.checkpoint_basename, {.global_step = step});
  timer_.update_last_triggered_step(step);
  writer_->add_event(
      wire::encode_session_log_event(files::wall_time(), step, wire::SessionStatus::kCheckpoint, path));
  bool stops = false;
  for (const auto& listener : options_.listeners) stops |= listener->after_save(session, step);
  return stops;
}

SummarySaverHook::SummarySaverHook(SummarySaverOptions options)
    : options_(std::move(options)), timer_(options_.save_secs, options_.save_steps) {
  if ((options_.scaffold == nullptr) == !options_.summary_op.has_value())
    throw ValueError("Exactly one of scaffold or summary_op must be provided.");
}

void SummarySaverHook::begin() {
  writer_ = writer_of(options_.summary_writer, options_.output_dir);
  step_ = global_step_for("SummarySaverHook");
  next_step_.reset();
}

SessionRunArgs SummarySaverHook::before_run(SessionRunContext&) {
  asked_ = !next_step_ || timer_.should_trigger_for_step(*next_step_);
  SessionRunArgs args{.fetches = {*step_}};
  const Tensor summary = options_.scaffold != nullptr ? options_.scaffold->summary_op() : options_.summary_op;
  if (asked_ && summary.has_value()) args.fetches.emplace_back(summary);
  return args;
}

void SummarySaverHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  int64_t step = step_number(values.results[0]) + 1;
  if (!next_step_ || asked_) step = step_number(context.session(), *step_);
  if (asked_) {
    timer_.update_last_triggered_step(step);
    if (writer_ != nullptr && values.results.size() > 1)
      writer_->add_serialized_summary(values.results[1].item<std::string>(), step);
  }
  next_step_ = step + 1;
}

void SummarySaverHook::end(Session&) {
  if (writer_ != nullptr) writer_->flush();
}

ProfilerHook::ProfilerHook(ProfilerOptions options)
    : options_(std::move(options)), timer_(options_.save_secs, options_.save_steps) {}

void ProfilerHook::begin() {
  step_ = global_step_for("ProfilerHook");
  const std::filesystem::path folder = options_.output_dir.empty() ? "." : options_.output_dir;
  writer_ = summary::FileWriterCache::get(folder);
  next_step_.reset();
}

SessionRunArgs ProfilerHook::before_run(SessionRunContext&) {
  asked_ = next_step_ && timer_.should_trigger_for_step(*next_step_);
  return {.fetches = {*step_},
          .options = {.trace_level = asked_ ? RunOptions::FULL_TRACE : RunOptions::NO_TRACE}};
}

/// The first step is not traced: it is the one that makes everything ready.
void ProfilerHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  int64_t step = step_number(values.results[0]);
  if (!next_step_) timer_.update_last_triggered_step(step);
  ++step;
  if (asked_) {
    step = step_number(context.session(), *step_);
    timer_.update_last_triggered_step(step);
    const auto path = options_.output_dir / fmt::format("timeline-{}.json", step);
    files::write_file(path, Timeline(values.run_metadata.step_stats).generate_chrome_trace_format(),
                      files::FileAccess::all());
  }
  next_step_ = step + 1;
}

}  // namespace flowray::tf::train
