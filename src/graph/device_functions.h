#pragma once
/// Functions that choose the device of each node that a thread makes.

#include "graph/graph.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace flowray::graph {

struct DeviceFunctionFrame {
  Graph* graph = nullptr;
  /// Unset: scopes around this one do not count.
  std::function<std::string(const Node&)> function;
  /// How many of Scopes::devices are around it; what is inside of it begins anew.
  size_t num_outer_devices = 0;
};

/// The device functions that this thread is inside of, the outermost first.
std::vector<DeviceFunctionFrame>& device_function_frames();

/// Ends the innermost one of `graph`: scopes of other graphs may have been opened since, and stay.
void leave_device_function(const Graph& graph);

/// Where what stands with others is: the device of the first that has one, "" if none has.
std::string device_of_colocation(const Graph& graph, const Scopes& scopes);

/// `device` with what it leaves open taken from `outer`; both as DeviceName writes them.
std::string filled_in_device(const std::string& device, const std::string& outer);

}  // namespace flowray::graph
