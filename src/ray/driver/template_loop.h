#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "ray/transport/descriptor_socket.h"

namespace flowray::ray {

/// What a worker process does: its number and the descriptors it was spawned with; the result is its
/// exit status.
using WorkerMain = int (*)(uint32_t worker, std::vector<Descriptor> descriptors);

/// Says to a worker that a call of its was cancelled.
inline constexpr int kInterruptSignal = SIGURG;

/// From the driver to the template; the descriptors of a new worker come with kSpawn.
struct TemplateRequest {
  enum class Kind : uint32_t { kSpawn = 1, kKill = 2, kInterrupt = 3 };
  Kind kind{};
  uint32_t worker = 0;
};

/// From the template to the driver.
struct TemplateReport {
  enum class Kind : uint32_t {
    kReady = 1,       ///< value: the template's process id; with a pidfd of it
    kStarted = 2,     ///< value: the worker's process id
    kEnded = 3,       ///< value: its status as waitpid gives it
    kNotStarted = 4,  ///< value: why, an error number
  };
  Kind kind{};
  uint32_t worker = 0;
  int32_t value = 0;
};

/// What an interpreter that runs the program (Python) does around each fork of a worker.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*in_parent)() = nullptr;
  void (*in_child)() = nullptr;
};
/// Sets the hooks for all forks from now on. To be called before run_template.
void set_fork_hooks(const ForkHooks& hooks);

/// The life of the template: forks workers as the driver asks, reports their ends, and kills and reaps all of
/// them when the driver closes the socket or dies, which `driver` tells, a pidfd. Called in a process with
/// one thread. Never returns.
[[noreturn]] void run_template(DescriptorSocket socket, Descriptor driver, WorkerMain worker_main) noexcept;

}  // namespace flowray::ray
