#include "cluster/master/cluster_step.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <utility>

#include "cluster/bodies.h"
#include "cluster/master/cluster_run.h"
#include "engine/step/config_passes.h"
#include "graph/exchange/graph_export.h"
#include "wire/worker.h"

namespace flowray::cluster {

ClusterStep::ClusterStep(engine::Session& engine, const SessionTasks& tasks,
                         std::shared_ptr<const KnownDevices> devices, PlacedStep step, int64_t& num_new_names)
    : engine_(engine), tasks_(tasks), devices_(std::move(devices)), placed_(std::move(step)) {
  const engine::PartitionOptions options{.incarnations = devices_->incarnations,
                                         .client = 0,
                                         .num_new_names = &num_new_names,
                                         .library = &placed_.library};
  for (engine::Partition& partition :
       engine::partition(placed_.graph, placed_.device_of, devices_->set, options)) {
    Part& part = parts_.emplace_back();
    part.device = partition.device;
    part.graph = std::move(partition.graph);
    part.channel = devices_->channels[part.device];
    if (part.channel == nullptr) part.step = step_of_all(engine_, *part.graph);
  }
}

/// The parts of other tasks are compiled here for it, as servers of ours compile them there.
std::string ClusterStep::explain() const {
  std::string text;
  for (const Part& part : parts_) {
    if (part.step != nullptr) {
      text += fmt::format("on {}\n{}\n", task_of(part), part.step->explain({}));
      continue;
    }
    engine::Session there({.passes = engine::passes_of(tasks_.config().graph_options),
                           .devices = {{devices_->set.devices[part.device]}}});
    text += fmt::format("on {}\n{}\n", task_of(part), step_of_all(there, *part.graph)->explain({}));
  }
  return text;
}

std::string ClusterStep::key_of(engine::ValueId id) const {
  return engine::client_key(placed_.graph.values[id].endpoint, devices_->set.devices[0],
                            devices_->incarnations[0]);
}

void ClusterStep::start(std::shared_ptr<const void> keeper, Steps& steps, std::vector<Array> feeds,
                        StepCall& call, int64_t timeout_ms, engine::RunDone done) {
  const auto run =
      std::make_shared<ClusterRun>(keeper, shared_from_this(), steps, call, timeout_ms, std::move(done));
  if (is_registered()) return run->begin(std::move(feeds));
  run->begin_when_registered(std::move(feeds));
}

void ClusterStep::when_registered(const ClusterRun* run, Waiting waiting) {
  const std::shared_ptr<const void> keeper = waiting.keeper;
  MutexLock lock(mutex_);
  if (stage_ == Stage::kRegistered) {
    lock.unlock();
    return waiting.then(nullptr);
  }
  waiting_.emplace(run, std::move(waiting));
  if (std::exchange(stage_, Stage::kRegistering) == Stage::kRegistering) return;
  num_open_ = 1;  // until all have been asked
  error_ = nullptr;
  is_given_up_ = false;
  lock.unlock();
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].channel != nullptr && parts_[i].handle.empty()) register_part(keeper, i);
  }
  tell_registered(nullptr);
}

bool ClusterStep::no_longer_wait(const ClusterRun* run) {
  Waiting gone;  // outside of the lock
  std::vector<std::function<void()>> give_ups;
  {
    const MutexLock lock(mutex_);
    const auto found = waiting_.find(run);
    if (found == waiting_.end()) return false;
    gone = std::move(found->second);
    waiting_.erase(found);
    if (waiting_.empty()) {
      is_given_up_ = true;
      give_ups.swap(give_ups_);
    }
  }
  for (const auto& give_up : give_ups) give_up();
  return true;
}

void ClusterStep::register_part(const std::shared_ptr<const void>& keeper, size_t i) {
  {
    const MutexLock lock(mutex_);
    ++num_open_;
  }
  Part& part = parts_[i];
  wire::RegisterGraphRequest request;
  request.session_handle = tasks_.handle();
  request.create_worker_session_called = true;
  request.graph_def = graph::to_graph_def(*part.graph);
  request.graph_options = tasks_.config().graph_options;
  request.config_proto = tasks_.config();
  // The session goes after the step that uses it.
  auto give_up = part.channel->start("/tensorflow.WorkerService/RegisterGraph", large_message(request), {},
                                     [keeper, self = shared_from_this(), i](const Response& response) {
                                       self->registered_part(i, response);
                                     });
  {
    const MutexLock lock(mutex_);
    if (!is_given_up_) {
      give_ups_.push_back(std::move(give_up));
      return;
    }
  }
  give_up();
}

void ClusterStep::registered_part(size_t i, const Response& response) {
  Part& part = parts_[i];
  std::exception_ptr error;
  try {
    if (!response.status.ok()) {
      errors::throw_error(static_cast<Code>(response.status.code),
                          fmt::format("From {}:\n{}", task_of(part), response.status.text));
    }
    part.handle = body_of<wire::RegisterGraphResponse>(response.message).graph_handle.str();
  } catch (...) {
    error = std::current_exception();
  }
  tell_registered(error);
}

/// One has ended: with the last of them those that wait may run, or get the first error; the next run tries
/// again then. Those that have come since the others gave up try again at once.
void ClusterStep::tell_registered(std::exception_ptr error) {
  std::map<const ClusterRun*, Waiting> waiting;
  bool begins_anew = false;
  {
    const MutexLock lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
    if (--num_open_ > 0) return;
    stage_ = error_ == nullptr ? Stage::kRegistered : Stage::kNew;
    begins_anew = error_ != nullptr && is_given_up_;
    error = error_;
    waiting.swap(waiting_);
    give_ups_.clear();
  }
  for (auto& [run, one] : waiting) {
    if (begins_anew) {
      when_registered(run, std::move(one));
    } else {
      one.then(error);
    }
  }
}

}  // namespace flowray::cluster
