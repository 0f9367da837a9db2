#pragma once

#include "cluster/identity.h"
#include "cluster/peers.h"
#include "engine/servers.h"
#include "graph/resource/rendezvous.h"

#include <memory>
#include <string>
#include <string_view>

#include "cluster/worker/step_rendezvous.h"

namespace flowray::cluster {

/// What a session calls this task and the others.
class TaskNames {
 public:
  TaskNames(Identity self, engine::ClusterAddresses addresses, Peers& peers)
      : self_(std::move(self)), addresses_(std::move(addresses)), peers_(peers), name_(self_.name() + "/") {}

  const Identity& self() const { return self_; }
  const engine::ClusterAddresses& addresses() const { return addresses_; }
  /// Whether a device ("/job:ps/replica:0/task:0/device:CPU:0"), or a text that begins with one, is here.
  bool is_here(std::string_view device) const { return device.starts_with(name_); }
  /// Throws errors::InvalidArgumentError for a task that the cluster has not.
  std::shared_ptr<Channel> channel_to(const Identity& task) const;

 private:
  const Identity self_;
  const engine::ClusterAddresses addresses_;
  Peers& peers_;
  const std::string name_;
};

/// A key of TensorFlow's, "SEND_DEVICE;INCARNATION;RECV_DEVICE;TENSOR_NAME;FRAME:ITERATION".
struct ParsedKey {
  graph::DeviceName sender;
  uint64_t incarnation = 0;  // of the sender
  graph::DeviceName receiver;
};
/// Throws errors::InvalidArgumentError "Invalid  rendezvous key: ...".
ParsedKey parse_key(std::string_view key);

/// The rendezvous of one part of a step: what it leaves stays here, what it takes may have to be asked for.
class PartRendezvous final : public graph::Rendezvous {
 public:
  PartRendezvous(std::shared_ptr<StepRendezvous> step, const TaskNames& names)
      : step_(std::move(step)), names_(names) {}

  void send(const std::string& key, graph::Parcel parcel) override;
  std::function<void()> receive(const std::string& key, Taker take) override;
  StepRendezvous& step() const { return *step_; }

 private:
  const std::shared_ptr<StepRendezvous> step_;
  const TaskNames& names_;
};

}  // namespace flowray::cluster
