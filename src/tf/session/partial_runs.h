#pragma once
/// The partial runs of a session in this process.

#include "core/mutex.h"
#include "engine/partial/partial_run.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace flowray::tf {

/// Thread-safe.
class PartialRuns {
 public:
  explicit PartialRuns(engine::Session& session) : session_(session) {}

  /// A handle for call().
  std::string begin(const engine::StepRequest& request);
  /// Waits for the values of `fetches`; throws what engine::PartialRun::call() tells, and
  /// errors::InvalidArgumentError for a handle of none, or of one that is over.
  std::vector<Array> call(const std::string& handle, std::span<const graph::Endpoint> feeds,
                          std::span<const Array* const> values, std::span<const graph::Endpoint> fetches,
                          const engine::RunContext& context);

 private:
  engine::Session& session_;
  Mutex mutex_;
  int64_t next_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  /// By the names of what it is fed, fetches and runs.
  std::map<std::vector<std::string>, std::shared_ptr<engine::PartialPlan>> plans_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<engine::PartialRun>> runs_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::tf
