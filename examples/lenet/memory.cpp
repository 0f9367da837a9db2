#include "lenet/memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace lenet {
namespace {

constexpr int64_t kEverything = std::numeric_limits<int64_t>::max();

/// The number after `word` in a file of words and numbers.
std::optional<int64_t> number_after(const std::filesystem::path& path, const std::string& word) {
  std::ifstream file(path);
  std::string found;
  while (file >> found) {
    int64_t number = 0;
    if (found == word && file >> number) return number;
  }
  return std::nullopt;
}

std::optional<int64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // not there, or "max"
}

/// Of one control group (version 2): what its limit leaves, counting pages of files as free, which the kernel
/// takes back.
int64_t available_in_group(const std::filesystem::path& group) {
  const auto limit = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!limit || !used) return kEverything;
  const int64_t reclaimable = number_after(group / "memory.stat", "inactive_file").value_or(0);
  return std::max<int64_t>(*limit - *used + reclaimable, 0);
}

/// Of the group of this process and those around it.
int64_t available_in_groups() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (!line.starts_with("0::/")) continue;
    int64_t available = available_in_group(root);
    auto group = root;
    for (const auto& part : std::filesystem::path(line.substr(4))) {
      group /= part;
      available = std::min(available, available_in_group(group));
    }
    return available;
  }
  return kEverything;
}

}  // namespace

int64_t available_memory_bytes() {
  const auto kibibytes = number_after("/proc/meminfo", "MemAvailable:");
  return std::min(kibibytes ? *kibibytes * 1024 : kEverything, available_in_groups());
}

}  // namespace lenet
