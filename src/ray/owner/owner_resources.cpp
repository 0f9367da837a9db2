// What tasks and actors share and ask for: processors, and what has a name.

#include <fmt/format.h>

#include <algorithm>

#include "ray/owner/owner_state.h"

namespace flowray::ray {
namespace {

constexpr std::string_view kGpu = "GPU";
constexpr const char* kCpu = "CPU";
constexpr uint64_t kWhole = 1000;  // thousandths

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

NamedResources Owner::resources(internal::WhichResources which) const {
  NamedResources amounts = limits_.resources;
  amounts[kCpu] = uint64_t{1000} * std::max(limits_.num_cpus, 1u);
  amounts["object_store_memory"] = 1000 * store_.capacity_bytes();
  if (which == internal::WhichResources::kAll) return amounts;
  const auto take = [&](const std::string& name, uint64_t milli) {
    uint64_t& left = amounts[name];
    left -= std::min(left, milli);
  };
  take("object_store_memory", 1000 * store_.used_bytes());
  for (const auto& [id, worker] : workers_) {
    if (worker.is_computing()) take(kCpu, worker.resources.cpu_milli);
    if (!worker.holds_resources()) continue;
    for (const auto& [name, milli] : other_resources_[worker.resources.others]) take(name, milli);
  }
  return amounts;
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
    if (resource.first == kGpu) return free_gpus(resource.second).has_value();
    const auto found = left.find(resource.first);
    return found != left.end() && resource.second <= found->second;
  });
}

uint64_t Owner::gpu_milli(uint32_t others) const {
  const NamedResources& named = other_resources_[others];
  const auto asked = named.find(kGpu);
  return asked == named.end() ? 0 : asked->second;
}

/// Those that a call gets which asks for so many thousandths: whole ones, of which nobody uses a part, or a
/// part of the one that has least left. Nothing if they are not to be had now: what is left in all may be
/// parts of several.
std::optional<std::vector<uint32_t>> Owner::free_gpus(uint64_t milli) const {
  std::vector<uint32_t> taken;
  if (milli == 0) return taken;
  const auto all = limits_.resources.find(kGpu);
  const uint64_t num_gpus = all == limits_.resources.end() ? 0 : all->second / kWhole;
  std::map<uint32_t, uint64_t> used;
  for (const auto& [id, worker] : workers_) {
    if (!worker.holds_resources()) continue;
    const uint64_t share = std::min(gpu_milli(worker.resources.others), kWhole);
    for (const uint32_t gpu : worker.gpus) used[gpu] += share;
  }
  if (milli < kWhole) {
    std::optional<uint32_t> fullest;
    for (const auto& [gpu, share] : used) {
      if (share + milli <= kWhole && (!fullest || share > used.at(*fullest))) fullest = gpu;
    }
    if (fullest) return std::vector<uint32_t>{*fullest};
  }
  const uint64_t wanted = milli / kWhole + (milli % kWhole == 0 ? 0 : 1);
  for (uint32_t gpu = 0; gpu < num_gpus && taken.size() < wanted; ++gpu) {
    if (!used.contains(gpu)) taken.push_back(gpu);
  }
  if (taken.size() < wanted) return std::nullopt;
  return taken;
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
