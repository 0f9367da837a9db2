// What tasks and actors share and ask for: processors, and what has a name.

#include <fmt/format.h>

#include <algorithm>

#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

constexpr std::string_view kGpu = "GPU";

/// "2" for 2000, "0.5" for 500.
std::string amount_text(uint64_t milli) { return fmt::format("{}", static_cast<double>(milli) / 1000); }

}  // namespace

/// The number of what the call asks for beside processors. Throws errors::DataLossError.
uint32_t Owner::other_resources(const Submission& submission) {
  if (submission.resources.empty()) return 0;
  NamedResources asked = read_resources(submission.resources);
  if (limits_.grants_gpus && asked.erase(std::string(kGpu)) > 0 && !warned_of_gpus_) {
    warned_of_gpus_ = true;
    world_.warn(
        fmt::format("'{}' asks for a GPU, and this machine has none: it is granted and not counted, as are "
                    "all further ones. "
                    "Init's num_gpus says how many there are.",
                    submission.function_name));
  }
  if (asked.empty()) return 0;
  const auto number = static_cast<uint32_t>(other_resources_.size());
  const auto [found, is_new] = numbers_of_resources_.emplace(resources_text(asked), number);
  if (is_new) other_resources_.push_back(std::move(asked));
  return found->second;
}

bool Owner::can_ever_fit(const Resources& asked) const {
  if (asked.cpu_milli > uint64_t{1000} * std::max(limits_.num_cpus, 1u)) return false;
  return std::ranges::all_of(other_resources_[asked.others], [this](const auto& resource) {
    const auto all = limits_.resources.find(resource.first);
    return all != limits_.resources.end() && resource.second <= all->second;
  });
}

bool Owner::fit_now(const Resources& asked) const {
  uint64_t used_milli = 0;
  for (const auto& [id, worker] : workers_) {
    if (worker.is_computing()) used_milli += worker.resources.cpu_milli;
  }
  const uint64_t all_milli = uint64_t{1000} * std::max(limits_.num_cpus, 1u);
  if (used_milli > all_milli || asked.cpu_milli > all_milli - used_milli) return false;
  return asked.others == 0 || others_fit_now(asked.others);
}

/// Who waits in Get keeps them: what lies in a GPU's memory stays there.
bool Owner::others_fit_now(uint32_t asked) const {
  NamedResources left = limits_.resources;
  for (const auto& [id, worker] : workers_) {
    if (!worker.holds_resources()) continue;
    for (const auto& [name, milli] : other_resources_[worker.resources.others]) {
      uint64_t& all = left[name];
      all -= std::min(all, milli);
    }
  }
  return std::ranges::all_of(other_resources_[asked], [&](const auto& resource) {
    const auto found = left.find(resource.first);
    return found != left.end() && resource.second <= found->second;
  });
}

std::string Owner::text_of(const Resources& resources) const {
  std::string text;
  if (resources.cpu_milli > 0) text = "CPU: " + amount_text(resources.cpu_milli);
  for (const auto& [name, milli] : other_resources_[resources.others])
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, amount_text(milli));
  return "{" + text + "}";
}

std::string Owner::text_of_all() const {
  std::string text = fmt::format("{{CPU: {}", std::max(limits_.num_cpus, 1u));
  for (const auto& [name, milli] : limits_.resources)
    text += fmt::format(", {}: {}", name, amount_text(milli));
  return text + "}";
}

}  // namespace flowray::ray
