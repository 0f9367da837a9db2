#include <flowray/tf/monitored_session.h>

#include "tf/build/user_line.h"

#include <utility>

namespace flowray::tf::train {
namespace {

template <class T>
bool is_positive(const std::optional<T>& period) {
  return period.has_value() && *period > 0;
}

template <class T>
std::optional<T> if_positive(const std::optional<T>& period) {
  return is_positive(period) ? period : std::nullopt;
}

/// With the periods of those that are left out.
MonitoredTrainingOptions completed(MonitoredTrainingOptions options) {
  if (!options.save_checkpoint_secs && !options.save_checkpoint_steps) options.save_checkpoint_secs = 600;
  if (!options.save_summaries_steps && !options.save_summaries_secs) options.save_summaries_steps = 100;
  if (options.scaffold == nullptr) options.scaffold = std::make_shared<Scaffold>();
  if (options.summary_dir.empty()) options.summary_dir = options.checkpoint_dir;
  return options;
}

void add_chiefs_hooks(const MonitoredTrainingOptions& options, SessionRunHooks& hooks) {
  hooks.insert(hooks.end(), options.chief_only_hooks.begin(), options.chief_only_hooks.end());
  if (!options.summary_dir.empty() && options.log_step_count_steps > 0) {
    hooks.push_back(std::make_shared<StepCounterHook>(StepCounterOptions{
        .every_n_steps = options.log_step_count_steps, .output_dir = options.summary_dir}));
  }
  if (!options.summary_dir.empty() &&
      (is_positive(options.save_summaries_steps) || is_positive(options.save_summaries_secs))) {
    hooks.push_back(std::make_shared<SummarySaverHook>(
        SummarySaverOptions{.save_steps = if_positive(options.save_summaries_steps),
                            .save_secs = if_positive(options.save_summaries_secs),
                            .output_dir = options.summary_dir,
                            .scaffold = options.scaffold}));
  }
  if (!options.checkpoint_dir.empty() &&
      (is_positive(options.save_checkpoint_secs) || is_positive(options.save_checkpoint_steps))) {
    hooks.push_back(std::make_shared<CheckpointSaverHook>(
        options.checkpoint_dir,
        CheckpointSaverOptions{.save_secs = if_positive(options.save_checkpoint_secs),
                               .save_steps = if_positive(options.save_checkpoint_steps),
                               .scaffold = options.scaffold,
                               .save_graph_def = options.save_graph_def}));
  }
}

}  // namespace

MonitoredSession MonitoredTrainingSession(const MonitoredTrainingOptions& given, Input::Where where) {
  const ErrorLine errors(where);
  const MonitoredTrainingOptions options = completed(given);
  SessionRunHooks hooks = options.hooks;
  if (!options.is_chief) {
    auto creator = std::make_shared<WorkerSessionCreator>(
        WorkerSessionOptions{options.scaffold, options.master, options.config, options.max_wait_secs});
    return MonitoredSession(std::move(creator), std::move(hooks), options.queues,
                            options.stop_grace_period_secs, where);
  }
  add_chiefs_hooks(options, hooks);
  auto creator = std::make_shared<ChiefSessionCreator>(ChiefSessionOptions{
      options.scaffold, options.master, options.config, options.checkpoint_dir, {}, options.max_wait_secs});
  return MonitoredSession(std::move(creator), std::move(hooks), options.queues,
                          options.stop_grace_period_secs, where);
}

}  // namespace flowray::tf::train
