#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mutex.h"

namespace flowray::ray {

/// The ids in CUDA_VISIBLE_DEVICES, which may be numbers or names; none: the variable is not set.
std::optional<std::vector<std::string>> visible_gpus_of_process();

/// The GPUs that a worker's call may use, as the process's environment says it to CUDA: what lies under an
/// index is what the driver's CUDA_VISIBLE_DEVICES has there, if that is set. As in Ray, a call without GPUs
/// finds the driver's (RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO=1: none), and
/// RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES=1 leaves the environment as it is.
class VisibleGpus {
 public:
  enum class Sets { kEnvironment, kNothing };
  /// kNothing: the environment is not a worker's own.
  explicit VisibleGpus(Sets sets);

  /// In the thread that is about to run a task, or to make the actor.
  void give(std::span<const uint32_t> gpus);
  /// The GPUs that were given last.
  std::vector<std::string> ids() const;

 private:
  const std::optional<std::string> of_driver_;
  const std::optional<std::vector<std::string>> names_;
  const bool sets_environment_;
  const bool hides_others_;
  mutable Mutex mutex_;
  std::vector<std::string> ids_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_changed_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::ray
