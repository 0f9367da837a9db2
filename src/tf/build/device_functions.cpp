#include <flowray/tf/device_functions.h>

#include "core/checked_size.h"
#include "graph/device_functions.h"
#include "tf/build/apply_op.h"
#include "tf/build/device_scope.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace flowray::tf {

DeviceFunctionGuard::DeviceFunctionGuard(graph::Graph* graph, DeviceFunction function) : graph_(graph) {
  std::vector<std::string>& devices = graph_->scopes().devices;
  graph::DeviceFunctionFrame frame{.graph = graph_, .function = {}, .num_outer_devices = devices.size()};
  if (function) {
    frame.function = [function = std::move(function)](const graph::Node& node) {
      // The function may look at it in all ways, but nothing that it is given can change it.
      const Operation operation(const_cast<graph::Node*>(&node));  // NOLINT
      return device_in_scope(function(operation)).to_string();
    };
  }
  graph::device_function_frames().push_back(std::move(frame));
  devices.emplace_back();  // what is inside begins anew: the function is asked between it and what is around
}

DeviceFunctionGuard::~DeviceFunctionGuard() {
  graph_->scopes().devices.pop_back();
  graph::leave_device_function(*graph_);
}

DeviceFunctionGuard device(DeviceFunction function) { return {&default_graph(), std::move(function)}; }

namespace train {
namespace {

const std::set<std::string> kStatefulOps = {"AutoReloadVariable",
                                            "MutableDenseHashTable",
                                            "MutableDenseHashTableV2",
                                            "MutableHashTable",
                                            "MutableHashTableOfTensors",
                                            "MutableHashTableOfTensorsV2",
                                            "MutableHashTableV2",
                                            "VarHandleOp",
                                            "Variable",
                                            "VariableV2"};

/// What replica_device_setter decides by.
class DeviceChooser {
 public:
  DeviceChooser(const ReplicaDeviceOptions& options, int num_tasks)
      : options_(options),
        ps_(device_in_scope(options.ps_device)),
        worker_(device_in_scope(options.worker_device)),
        num_tasks_(num_tasks) {}

  std::string operator()(const Operation& operation) {
    if (!options_.merge_devices && !operation.device().empty()) return operation.device();
    const graph::DeviceName current = device_in_scope(operation.device());
    graph::DeviceName chosen = current;
    const std::set<std::string>& ps_ops = options_.ps_ops.has_value() ? *options_.ps_ops : kStatefulOps;
    if (options_.ps_device.empty() || !ps_ops.contains(operation.type())) {
      chosen.fill_in(worker_);
      return chosen.to_string();
    }
    graph::DeviceName ps = ps_;
    if (ps.job.has_value() && (!current.job.has_value() || current.job == ps.job))
      ps.task = task_of(operation);
    chosen.fill_in(ps);
    return chosen.to_string();
  }

 private:
  int task_of(const Operation& operation) {
    return options_.ps_strategy ? options_.ps_strategy(operation) : next_task_++ % num_tasks_;
  }

  const ReplicaDeviceOptions options_;
  const graph::DeviceName ps_;
  const graph::DeviceName worker_;
  const int num_tasks_;
  std::atomic<int> next_task_{0};
};

}  // namespace

DeviceFunction replica_device_setter(const ReplicaDeviceOptions& options) {
  int num_tasks = options.ps_tasks;
  if (options.cluster) {
    const std::optional<std::string> job = device_in_scope(options.ps_device).job;
    const auto& jobs = options.cluster.as_map();
    num_tasks = job.has_value() && jobs.contains(*job) ? options.cluster.num_tasks(*job) : 0;
  }
  if (num_tasks == 0) return {};
  return [chooser = std::make_shared<DeviceChooser>(options, num_tasks)](const Operation& operation) {
    return (*chooser)(operation);
  };
}

}  // namespace train
namespace contrib::training {

int64_t byte_size_load_fn(const Operation& op) {
  const std::vector<Tensor> outputs = op.outputs();
  if (outputs.size() != 1) throw ValueError(fmt::format("Op {} must have a single output", op.name()));
  const TensorShape& shape = outputs[0].shape();
  const auto element = static_cast<int64_t>(dtype_size(base_dtype(outputs[0].dtype())));
  return shape.is_fully_defined() ? checked(shape.num_elements()) * element : checked(element);
}

GreedyLoadBalancingStrategy::GreedyLoadBalancingStrategy(int num_tasks,
                                                         std::function<double(const Operation&)> load_fn)
    : load_fn_(std::move(load_fn)) {
  if (num_tasks < 1) throw ValueError(fmt::format("num_tasks must be positive, but is {}", num_tasks));
  if (load_fn_ == nullptr) throw ValueError("load_fn is null: give byte_size_load_fn, or one of your own");
  loads_ = std::make_shared<std::vector<double>>(static_cast<size_t>(num_tasks));
}

int GreedyLoadBalancingStrategy::operator()(const Operation& op) const {
  const auto least = std::ranges::min_element(*loads_);
  *least += load_fn_(op);
  return static_cast<int>(least - loads_->begin());
}

}  // namespace contrib::training
}  // namespace flowray::tf
