#include "ray/worker/visible_gpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>

namespace flowray::ray {
namespace {

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool is_on(const char* name) {
  const std::optional<std::string> value = variable(name);
  return value && (*value == "1" || *value == "true" || *value == "True");
}

}  // namespace

std::optional<std::vector<std::string>> visible_gpus_of_process() {
  const std::optional<std::string> text = variable(kVariable);
  if (!text) return std::nullopt;
  std::vector<std::string> ids;
  if (text->empty() || *text == "NoDevFiles") return ids;
  std::string_view left = *text;
  for (size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    ids.emplace_back(left.substr(0, comma));
    left.remove_prefix(comma + 1);
  }
  ids.emplace_back(left);
  return ids;
}

VisibleGpus::VisibleGpus(Sets sets)
    : of_driver_(variable(kVariable)),
      names_(visible_gpus_of_process()),
      sets_environment_(sets == Sets::kEnvironment && !is_on("RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES")),
      hides_others_(is_on("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO")) {}

/// An earlier call may have changed the variable, so it is set each time.
void VisibleGpus::give(std::span<const uint32_t> gpus) {
  const MutexLock lock(mutex_);
  ids_.clear();
  for (const uint32_t gpu : gpus)
    ids_.push_back(names_ && gpu < names_->size() ? (*names_)[gpu] : std::to_string(gpu));
  if (!sets_environment_) return;
  if (!gpus.empty() || hides_others_) {
    is_changed_ = true;
    setenv(kVariable, fmt::format("{}", fmt::join(ids_, ",")).c_str(), 1);
  } else if (is_changed_) {
    is_changed_ = false;
    if (of_driver_) {
      setenv(kVariable, of_driver_->c_str(), 1);
    } else {
      unsetenv(kVariable);
    }
  }
}

std::vector<std::string> VisibleGpus::ids() const {
  const MutexLock lock(mutex_);
  return ids_;
}

}  // namespace flowray::ray
