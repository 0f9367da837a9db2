#pragma once

#include "graph/device_name.h"

#include <string>

namespace flowray::cluster {

/// A server's task, as the cluster or a session calls it: the prefix of its devices and errors.
struct Identity {
  std::string job = "local";
  int task = 0;

  /// "/job:local/replica:0/task:0"
  std::string name() const { return "/job:" + job + "/replica:0/task:" + std::to_string(task); }
  /// Its one device.
  graph::DeviceName cpu() const {
    return {.job = job, .replica = 0, .task = task, .type = "CPU", .index = 0};
  }
};

}  // namespace flowray::cluster
