#include "tf/train/monitored/hook_parts.h"

#include "core/guarded.h"

#include <flowray/errors.h>
#include <flowray/tf/collections.h>

#include <fmt/format.h>

#include <cstdio>
#include <map>

namespace flowray::tf {
namespace {

using Writers = std::map<std::filesystem::path, std::shared_ptr<summary::FileWriter>>;

Guarded<Writers>& writers() {
  static auto* const all = new Guarded<Writers>();  // outlives what writes at the end of the program
  return *all;
}

}  // namespace

namespace summary {

std::shared_ptr<FileWriter> FileWriterCache::get(const std::filesystem::path& logdir) {
  const auto known = writers().lock();
  std::shared_ptr<FileWriter>& writer = (*known)[logdir];
  if (writer == nullptr) writer = std::make_shared<FileWriter>(logdir, get_default_graph());
  return writer;
}

void FileWriterCache::clear() {
  Writers ended;
  {
    const auto known = writers().lock();
    ended.swap(*known);
  }
  for (const auto& [folder, writer] : ended) writer->close();
}

}  // namespace summary

namespace train {

void SessionRunHook::after_create_session(Session&, Coordinator&) {}
SessionRunArgs SessionRunHook::before_run(SessionRunContext&) { return {}; }
void SessionRunHook::after_run(SessionRunContext&, const SessionRunValues&) {}
void SessionRunHook::end(Session&) {}
void CheckpointSaverListener::before_save(Session&, int64_t) {}
bool CheckpointSaverListener::after_save(Session&, int64_t) { return false; }
void CheckpointSaverListener::end(Session&, int64_t) {}

SecondOrStepTimer::SecondOrStepTimer(std::optional<double> every_secs, std::optional<int64_t> every_steps)
    : every_secs_(every_secs), every_steps_(every_steps) {
  if (!every_secs && !every_steps) throw ValueError("Either every_secs or every_steps should be provided.");
  if (every_secs && every_steps) throw ValueError("Can not provide both every_secs and every_steps.");
}

bool SecondOrStepTimer::should_trigger_for_step(int64_t step) const {
  if (!last_step_) return true;
  if (step == *last_step_) return false;
  if (every_steps_) return step >= *last_step_ + *every_steps_;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_time_).count() >= *every_secs_;
}

std::optional<std::pair<double, int64_t>> SecondOrStepTimer::update_last_triggered_step(int64_t step) {
  const auto now = std::chrono::steady_clock::now();
  std::optional<std::pair<double, int64_t>> passed;
  if (last_step_) passed.emplace(std::chrono::duration<double>(now - last_time_).count(), step - *last_step_);
  last_step_ = step;
  last_time_ = now;
  return passed;
}

Fetch global_step_for(std::string_view hook) {
  const Tensor step = get_global_step();
  if (!step.has_value()) throw RuntimeError(fmt::format("Global step should be created to use {}.", hook));
  const Collection known = get_collection(GraphKeys::GLOBAL_STEP);
  if (known.size() == 1 && known[0].variable() != nullptr) return *known[0].variable();
  return step;
}

int64_t step_number(const Array& value) { return value.astype(DType::kInt64).item<int64_t>(); }
int64_t step_number(Session& session, const Fetch& step) { return step_number(session.run(step)); }

void tell(const LogFunction& log, const std::string& line) {
  if (log != nullptr) return log(line);
  fmt::print(stderr, "INFO: {}\n", line);
}

std::shared_ptr<summary::FileWriter> writer_of(const std::shared_ptr<summary::FileWriter>& given,
                                               const std::filesystem::path& folder) {
  if (given != nullptr || folder.empty()) return given;
  return summary::FileWriterCache::get(folder);
}

}  // namespace train
}  // namespace flowray::tf
