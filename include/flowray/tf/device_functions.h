#pragma once
/// Devices that are chosen for each operation.

#include <flowray/tf/graph.h>
#include <flowray/tf/server.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Gives the device of an operation that was just made; its device() is what scopes inside have asked for.
using DeviceFunction = std::function<std::string(const Operation&)>;

/// `auto scope = tf::device(function);` What the function leaves open, scopes around it decide. What stands
/// with another operation (colocate_with) is where that is, if it is anywhere; only functions inside of that
/// scope are asked for it else.
class [[nodiscard]] DeviceFunctionGuard {
 public:
  /// For Flowray itself: tf::device opens one.
  DeviceFunctionGuard(graph::Graph* graph, DeviceFunction function);
  DeviceFunctionGuard(const DeviceFunctionGuard&) = delete;
  DeviceFunctionGuard& operator=(const DeviceFunctionGuard&) = delete;
  ~DeviceFunctionGuard();

 private:
  graph::Graph* graph_;
};
/// An empty function is tf.device(None): scopes around it count no more.
DeviceFunctionGuard device(DeviceFunction function);

namespace train {

struct ReplicaDeviceOptions {
  /// How many; with `cluster` so many as the job of `ps_device` has. 0: no function, but an empty one.
  int ps_tasks = 0;
  /// The device of variables, whose task is filled in; "": they are placed as the rest.
  std::string ps_device = "/job:ps";
  /// The device of everything else; "": left open.
  std::string worker_device = "/job:worker";
  /// Whether devices that the program has asked for are filled up with these; else they stay as they are;
  /// false for programs that place such nodes themselves.
  bool merge_devices = true;
  /// Where the number of ps tasks is looked up; empty: ps_tasks says it.
  ClusterSpec cluster = {};
  /// The ops that are placed on ps tasks; left out: those that hold variables and tables.
  std::optional<std::set<std::string>> ps_ops = std::nullopt;
  /// The task of each; empty: one after the other.
  std::function<int(const Operation&)> ps_strategy = {};
};

/// tf.train.replica_device_setter: variables on the tasks of the job "ps" in turn, the rest on the worker.
DeviceFunction replica_device_setter(const ReplicaDeviceOptions& options = {});

}  // namespace train

namespace contrib::training {

/// The bytes of an operation's only output, of one element where its shape is not fully known. Throws
/// ValueError for an operation with another number of outputs.
int64_t byte_size_load_fn(const Operation& op);

/// tf.contrib.training.GreedyLoadBalancingStrategy: puts each variable on the ps task with the smallest load
/// so far, the first of several. Copies count together.
///
///     auto devices = tf::device(tf::train::replica_device_setter(
///         {.cluster = cluster,
///          .ps_strategy = tf::contrib::training::GreedyLoadBalancingStrategy(
///              cluster.num_tasks("ps"), tf::contrib::training::byte_size_load_fn)}));
class GreedyLoadBalancingStrategy {
 public:
  /// `load_fn` says how much an operation is. Throws ValueError where there is no task.
  GreedyLoadBalancingStrategy(int num_tasks, std::function<double(const Operation&)> load_fn);
  /// The task of an operation, whose load it has from now on.
  int operator()(const Operation& op) const;
  /// The loads of the tasks.
  const std::vector<double>& loads() const { return *loads_; }

 private:
  std::function<double(const Operation&)> load_fn_;
  std::shared_ptr<std::vector<double>> loads_;
};

}  // namespace contrib::training
}  // namespace flowray::tf

#pragma GCC visibility pop
