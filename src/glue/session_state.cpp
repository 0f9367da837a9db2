#include <flowray/glue.h>
#include <flowray/tf/saver.h>
#include <flowray/tf/train.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"

namespace flowray::ray::experimental {

/// A saver, and when it saved last.
struct SessionState::Files {
  using Clock = std::chrono::steady_clock;

  const SessionFiles options;
  tf::Session& session;
  tf::Tensor global_step;  // or none
  tf::train::Saver saver;
  std::optional<Clock::time_point> last = {};

  /// Its own of the folder's checkpoints, the newest last: those of other savers are not to
  /// be removed, or restored.
  std::vector<std::string> found() const {
    const auto state = tf::train::get_checkpoint_state(options.save_path.parent_path());
    if (!state) return {};
    const std::string name = options.save_path.filename();
    std::vector<std::string> paths;
    for (const std::string& path : state->all_model_checkpoint_paths) {
      const std::string other = std::filesystem::path(path).filename();
      if (other == name || other.starts_with(name + "-")) paths.push_back(path);
    }
    return paths;
  }
  bool is_due(Clock::time_point now) const {
    return !last || std::chrono::duration<double>(now - *last).count() >= options.save_secs;
  }
};

SessionState::SessionState() = default;
SessionState::SessionState(SessionState&&) noexcept = default;
SessionState& SessionState::operator=(SessionState&&) noexcept = default;
SessionState::~SessionState() = default;

void SessionState::hold(tf::Session& session, const SessionFiles& files, tf::Input::Where where) {
  if (std::isnan(files.save_secs) || files.save_secs < 0 || files.max_to_keep < 0) {
    throw ValueError(
        fmt::format("SessionFiles has save_secs = {} and max_to_keep = {}; both must be 0 or more.",
                    files.save_secs, files.max_to_keep));
  }
  const tf::Graph graph = session.graph();
  const auto scope = graph.as_default();
  variables_ = std::make_unique<TensorFlowVariables>(std::vector<tf::Operation>(), session,
                                                     tf::global_variables(), where);
  files_.reset();
  if (files.save_path.empty()) return;
  files_.reset(new Files{files, session, tf::train::get_global_step(where),
                         tf::train::Saver({.max_to_keep = files.max_to_keep}, where)});
  // What the process before this one has left, so that no more than max_to_keep stay in all.
  files_->saver.set_last_checkpoints(files_->found());
}

SavedSession SessionState::checkpoint() const {
  if (variables_ == nullptr) return {};
  if (files_ != nullptr) save();
  return {variables_->get_weights()};
}

void SessionState::save() const {
  const Files::Clock::time_point now = Files::Clock::now();
  if (!files_->is_due(now)) return;
  tf::train::SaveOptions options;
  if (files_->global_step.has_value())
    options.global_step = files_->session.run(files_->global_step).astype(DType::kInt64).item<int64_t>();
  files_->saver.save(files_->session, files_->options.save_path, options);
  files_->last = now;
}

bool SessionState::restore_newest_file() {
  if (files_ == nullptr) return false;
  const std::vector<std::string> found = files_->found();
  if (found.empty()) return false;
  files_->saver.restore(files_->session, found.back());
  return true;
}

void SessionState::restore(const SavedSession& saved) {
  const bool is_empty = variables_ == nullptr || variables_->variables.empty();
  if (is_empty && saved.variables.empty()) return;
  if (variables_ == nullptr)
    throw ValueError(
        "A state is to be restored, and there is no session. Call hold(session) in the constructor.");
  if (const std::string difference = variables_->difference(saved.variables); !difference.empty()) {
    throw ValueError("The state is that of another network:\n" + difference +
                     "\nThe constructor must build the same graph in each process.");
  }
  variables_->set_weights(saved.variables);
}

}  // namespace flowray::ray::experimental
