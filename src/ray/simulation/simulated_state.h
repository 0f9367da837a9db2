#pragma once
/// The records that the SimulatedBackend keeps; for its own sources only.

#include <string>
#include <string_view>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/simulation/simulated_backend.h"

namespace flowray::ray {

using internal::CallOptions;
using internal::ObjectHandle;
using internal::ValueView;

struct SimulatedBackend::Object {
  BufferRef bytes;  ///< none: it is not there yet
  size_t handles = 0;
  std::vector<ObjectHandle*> nested;
  uint64_t maker = 0;  ///< the call that returns it
};

/// A call from its submission until its returns are there.
struct SimulatedBackend::Call {
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    for (ObjectHandle* handle : held) handle->release();
  }
  /// To be run once more. What still runs of this one counts for nothing.
  std::shared_ptr<Call> again() {
    auto next = std::make_shared<Call>();
    next->number = number;
    next->mode = mode;
    next->options = options;
    next->actor = actor;
    next->caller = caller;
    next->parent = parent;
    next->arguments = arguments;
    next->refs = refs;
    next->held = std::exchange(held, {});
    next->returns = returns;
    next->retries_left = retries_left;
    next->lane = lane;
    is_over = true;
    return next;
  }
  uint64_t number = 0;
  CallMode mode = CallMode::kTask;
  CallOptions options;
  ActorId actor;
  uint64_t caller = 0;  ///< a process; 0: the driver
  uint64_t parent = 0;
  BufferRef arguments;
  std::vector<ObjectId> refs;
  std::vector<ObjectHandle*> held;  ///< its refs, and references inside of its arguments
  std::vector<ObjectId> returns;
  int retries_left = 0;
  uint32_t lane = 0;
  std::shared_ptr<Process> process;  ///< that has it
  std::unique_ptr<Encoder[]> results;
  bool is_later = false;  ///< it is answered when its function has returned
  bool is_cancelled = false;
  bool is_late = false;  ///< cancelled, as its deadline has passed
  bool was_told = false;
  bool fails_for_good = false;
  bool is_over = false;
  std::function<void()> told;

  /// It was cancelled, and is told so where it waits next, once.
  bool is_to_be_told() const { return is_cancelled && !was_told; }
  /// It has a deadline, which may still pass.
  bool may_be_late() const { return options.deadline_ms > 0 && !is_over && !is_cancelled; }
  std::string deadline_text(std::string_view state) const {
    return ray::deadline_text(static_cast<uint32_t>(options.deadline_ms), state);
  }

  std::string text() const {
    return std::string(options.function_name.empty() ? "a call" : options.function_name) + " (" +
           std::to_string(number) + ")";
  }
};

/// What a call gives one by one.
struct SimulatedBackend::Stream {
  std::deque<ObjectHandle*> items;
  uint64_t num_given = 0;
  uint64_t num_taken = 0;
  bool is_over = false;
};

/// A coroutine that waits for a value.
struct SimulatedBackend::Await {
  ObjectId object;
  internal::Awaiting* awaiting;
  std::shared_ptr<Call> call;
};

struct SimulatedBackend::Process {
  uint64_t number = 0;
  ActorId actor;
  uint32_t restarts = 0;
  ActorObject object;
  bool is_made = false;
  bool is_dead = false;
  size_t num_fibers = 0;                       ///< that run calls of it, be they waiting
  std::vector<std::shared_ptr<Call>> running;  ///< begun, and not answered
  std::deque<std::shared_ptr<Call>> mailbox;   ///< that have reached it, in their order
  std::vector<Await> awaits;
};

struct SimulatedBackend::Actor {
  ActorId id;
  std::string name;
  CallOptions options;
  std::shared_ptr<Call> creation;  ///< with its arguments, for as long as it may be made again
  std::shared_ptr<Process> process;
  int restarts_left = 0;
  uint32_t restarts = 0;
  std::vector<ConcurrencyGroup> groups;
  BufferRef checkpoint;
  bool is_dead = false;
  std::string death;
};

/// A fiber that waits for its turn.
struct SimulatedBackend::Waiting {
  Fibers::Fiber* fiber = nullptr;
  const std::function<bool()>* is_over = nullptr;  ///< null: it is about to begin
  bool has_deadline = false;
  bool has_timed_out = false;
};

}  // namespace flowray::ray
