#pragma once
/// What is in a runtime, for people who look at it from outside.

#include <cstdint>
#include <string>
#include <vector>

#include "ray/transport/protocol.h"

namespace flowray::ray {

/// A call that was run, or is to be. The words for states are those of Ray.
struct TaskRow {
  TaskId id;
  std::string name;
  const char* state = "";
  const char* type = "";
  ActorId actor;
  WorkerId worker;
  uint32_t pid = 0;
};

struct ActorRow {
  ActorId id;
  std::string class_name;
  std::string name;
  const char* state = "";
  uint32_t pid = 0;
  uint32_t restarts = 0;
  uint64_t waiting_calls = 0;
  std::string death;
};

struct ObjectRow {
  ObjectId id;
  uint64_t size_bytes = 0;
  const char* place = "";  ///< where its value is
  uint64_t handles = 0;
  uint64_t pins = 0;
  uint64_t reads = 0;
  bool is_error = false;
  std::string holder;
};

struct WorkerRow {
  WorkerId id;
  uint32_t pid = 0;
  std::string label;  ///< the actor's class
  uint64_t num_calls = 0;
  bool is_blocked = false;
};

/// Calls of one function that wait for resources.
struct DemandRow {
  std::string resources;
  uint64_t count = 0;
};

/// How many calls of a function ended how, so far.
struct FunctionRow {
  std::string name;
  uint64_t num_finished = 0;
  uint64_t num_failed = 0;
};

/// A call that has run in a process.
struct TaskEvent {
  TaskId task;
  FunctionId function;
  WorkerId worker;
  uint32_t pid = 0;
  CallMode mode = CallMode::kTask;
  bool has_failed = false;
  uint64_t begin_ns = 0;  ///< of the machine's steady clock
  uint64_t run_ns = 0;
};

/// A step of a session that ran in a worker.
struct StepEvent {
  WorkerId worker;
  uint32_t pid = 0;
  uint64_t begin_ns = 0;
  uint64_t run_ns = 0;
};

/// The last events, of which there may be many: the first ones go.
template <class Event>
class History {
 public:
  static constexpr size_t kMostEvents = size_t{1} << 16;

  void add(const Event& event) {
    if (events_.size() < kMostEvents) {
      events_.push_back(event);
    } else {
      events_[num_added_ % kMostEvents] = event;
    }
    ++num_added_;
  }
  /// Calls `visit` with each event, the oldest first.
  template <class F>
  void each(const F& visit) const {
    const size_t first = events_.size() < kMostEvents ? 0 : num_added_ % kMostEvents;
    for (size_t i = 0; i < events_.size(); ++i) visit(events_[(first + i) % events_.size()]);
  }
  size_t size() const { return events_.size(); }

 private:
  std::vector<Event> events_;
  uint64_t num_added_ = 0;
};
using TaskHistory = History<TaskEvent>;
using StepHistory = History<StepEvent>;

}  // namespace flowray::ray
