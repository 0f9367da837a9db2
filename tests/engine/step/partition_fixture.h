#pragma once
/// Steps that are split over devices and run by a session for each of them.

#include "engine/session.h"
#include "engine/step/partition.h"
#include "graph/resource/rendezvous.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace flowray::engine {

/// A worker and two parameter servers in one process.
class Tasks {
 public:
  Tasks() {
    for (const char* name :
         {"/job:worker/replica:0/task:0", "/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1"}) {
      devices.devices.push_back(*graph::DeviceName::parse(std::string(name) + "/device:CPU:0"));
    }
    for (size_t i = 0; i < devices.devices.size(); ++i)
      sessions_.push_back(std::make_unique<Session>(of(devices.devices[i])));
  }

  std::vector<Partition> split(const StepGraph& step, std::span<const uint32_t> device_of) const {
    return partition(step, device_of, devices, {.incarnations = kIncarnations, .library = library});
  }

  struct Fed {
    graph::Endpoint endpoint;
    Array value;
  };
  /// What the step's fetches are; `step` has some node. Throws the first error of a part, or of a fetch.
  std::vector<Array> run(const StepGraph& step, std::span<const uint32_t> device_of,
                         const std::vector<Fed>& feeds, Cancellation* cancellation = nullptr) {
    std::vector<Partition>& parts = kept_.emplace_back(split(step, device_of));
    graph::LocalRendezvous rendezvous;
    for (const Fed& fed : feeds) rendezvous.send(key(fed.endpoint), {fed.value});
    const RunContext context{.cancellation = cancellation, .rendezvous = &rendezvous};
    std::vector<std::promise<RunOutcome>> ends(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::vector<graph::Node*> all = parts[i].graph->nodes();
      sessions_[parts[i].device]->step({{}, {}, all}).start({}, context, [&, i](RunOutcome outcome) {
        if (outcome.error) rendezvous.fail(Code::kAborted, "another part of the step has failed");
        ends[i].set_value(std::move(outcome));
      });
    }
    std::exception_ptr error;
    for (std::promise<RunOutcome>& end : ends) {
      const RunOutcome outcome = end.get_future().get();
      if (outcome.error && (!error || is_aborted(error))) error = outcome.error;
    }
    if (error) std::rethrow_exception(error);
    return fetched(step, feeds, rendezvous);
  }

  DeviceSet devices;
  const graph::FunctionLibrary* library = nullptr;  // of the steps, where their nodes are of several graphs
  static constexpr uint64_t kIncarnations[] = {0x123, 0xfedcba9876543210, 7};

 private:
  static SessionOptions of(const graph::DeviceName& device) {
    return {.passes = {.verify = true}, .devices = {{device}}};
  }
  static bool is_aborted(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const errors::AbortedError&) {
      return true;
    } catch (...) {
      return false;
    }
  }
  std::string key(const graph::Endpoint& endpoint) const {
    return client_key(endpoint, devices.devices[0], kIncarnations[0]);
  }
  /// All parts are over, so nobody waits for one any more.
  std::vector<Array> fetched(const StepGraph& step, const std::vector<Fed>& feeds,
                             graph::LocalRendezvous& rendezvous) const {
    std::map<ValueId, Array> values;
    for (size_t i = 0; i < feeds.size(); ++i) values[step.feeds[i]] = feeds[i].value;
    std::vector<Array> results;
    for (const ValueId id : step.fetches) {
      if (!values.contains(id)) {
        (void)rendezvous.receive(key(step.values[id].endpoint), [&](graph::Parcel parcel) {
          if (parcel.code != Code::kOk) errors::throw_error(parcel.code, parcel.text);
          if (parcel.is_dead) throw errors::InvalidArgumentError("does not have value");
          values[id] = std::move(parcel.value);
        });
      }
      results.push_back(values.at(id));
    }
    return results;
  }

  std::vector<std::vector<Partition>> kept_;  // as long as the sessions that know their nodes
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace flowray::engine
