#include "ray/driver/machine_resources.h"

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "core/thread_pool.h"
#include "ray/transport/shared_region.h"
#include "ray/worker/visible_gpus.h"

namespace flowray::ray {
namespace {

uint64_t store_bytes(const RayConfig& config) {
  if (config.object_store_memory > 0) return config.object_store_memory;
  return available_memory_bytes() / 10 * 3;
}

/// NVIDIA's, as their driver shows them.
int gpus_of_machine() {
  int count = 0;
  while (count < kMostGpus && access(fmt::format("/dev/nvidia{}", count).c_str(), F_OK) == 0) ++count;
  return count;
}

int num_gpus(const RayConfig& config) {
  const auto visible = visible_gpus_of_process();
  if (config.num_gpus < 0) {
    return visible ? std::min(gpus_of_machine(), static_cast<int>(visible->size())) : gpus_of_machine();
  }
  if (visible && std::cmp_less(visible->size(), config.num_gpus)) {
    throw ValueError(
        fmt::format("Attempting to start the runtime with {} GPU, but CUDA_VISIBLE_DEVICES contains [{}].\n"
                    "Give it a smaller num_gpus, or set CUDA_VISIBLE_DEVICES to as many.",
                    config.num_gpus, fmt::join(*visible, ", ")));
  }
  return config.num_gpus;
}

}  // namespace

uint64_t own_memory_bytes(uint32_t pid) {
  uint64_t pages = 0;
  uint64_t shared = 0;
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  file >> pages >> pages >> shared;  // all that it has mapped comes first
  return (pages - std::min(pages, shared)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

MachineResources machine_resources(const RayConfig& config) {
  MachineResources machine;
  machine.num_cpus =
      config.num_cpus > 0 ? static_cast<uint32_t>(config.num_cpus) : static_cast<uint32_t>(available_cpus());
  const int gpus = num_gpus(config);
  machine.grants_gpus = config.num_gpus < 0 && gpus == 0;
  if (!machine.grants_gpus) machine.others["GPU"] = uint64_t{1000} * static_cast<uint64_t>(gpus);
  for (const auto& [name, amount] : config.resources) machine.others[name] = in_thousandths(amount);
  machine.store_bytes = store_bytes(config);
  const size_t available = available_memory_bytes();
  machine.memory_bytes = available - std::min<size_t>(available, machine.store_bytes);
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0) machine.num_descriptors = limit.rlim_cur;
  constexpr size_t kMostTextBytes = 32 << 10;
  if (const size_t bytes = resources_text(machine.others).size(); bytes > kMostTextBytes) {
    throw RayException(fmt::format(
        "resources: their names and amounts take {} bytes; at most {} are possible. Name fewer, or shorter.",
        bytes, kMostTextBytes));
  }
  return machine;
}

NamedResources all_of(const MachineResources& machine) {
  NamedResources all = machine.others;
  all["CPU"] = uint64_t{1000} * std::max(machine.num_cpus, 1u);
  all["object_store_memory"] = 1000 * machine.store_bytes;
  return all;
}

}  // namespace flowray::ray
