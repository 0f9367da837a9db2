#pragma once
/// The records that the Owner keeps; for its own sources only.

#include "ray/owner/owner.h"

namespace flowray::ray {

/// Workers give ids from a range of their own, each for as many objects; calls by links have those of their
/// returns.
inline constexpr uint64_t kFirstWorkerId = uint64_t{1} << 40;

/// A value that came in a message, checked before anything is done with it: a damaged one changes nothing.
struct Owner::Incoming {
  StoredValue value;
  std::vector<ObjectId> nested;  ///< references inside of it, pinned
};

/// The calls and requests that wait for an object.
struct Owner::Interest {
  struct Request {
    WorkerId worker;
    uint64_t request;
    uint32_t index;  // in a GetValues
  };
  std::vector<TaskId> dependents;
  std::vector<Request> gets;
  std::vector<Request> waits;
};

/// What a call with is_stream has given, in its return: the first of `items` has the number num_taken.
struct Owner::Stream {
  std::deque<ObjectId> items;  ///< pinned
  uint64_t num_given = 0;
  uint64_t num_taken = 0;
  bool is_over = false;
  uint32_t most_ahead = 0;
  struct Request {
    WorkerId worker;
    uint64_t request;
    bool takes;
  };
  std::deque<Request> waits;
};

/// An object is forgotten when it is unreachable (no handles, no pins) and its value, if it has
/// one, is not being read, nor being written to disk, nor lent.
struct Owner::Object {
  bool ready = false;
  StoredValue value;
  uint64_t handles = 0;  ///< of all processes
  uint64_t pins = 0;     ///< calls that have it as an argument, and values that hold a reference to it
  uint64_t reads = 0;    ///< times that its value in the store was given out and not yet ended
  uint64_t lent = 0;     ///< values that are a part of it, in its place in the store
  TaskId maker;          ///< the call that returns it
  std::unique_ptr<Spilled> spilled;  ///< its value is on disk
  bool is_leaving = false;           ///< it is being written there, and stays in the store until that is done
  /// Its handles are those of the actor of the same id. There as long as the actor's process, which may ask
  /// for a share in itself.
  bool is_actor = false;
  std::unique_ptr<Interest> interest;
  std::unique_ptr<Stream> stream;  ///< of such a call's return, while its values are reachable
  std::vector<ObjectId> nested;    ///< references inside of its value

  Interest& interested() {
    if (interest == nullptr) interest = std::make_unique<Interest>();
    return *interest;
  }
};

/// A call from its submission until its returns are there.
struct Owner::Task {
  TaskId id;
  CallMode mode = CallMode::kTask;
  Function* function = nullptr;
  ActorId actor;
  ObjectId first_return;
  CallTerms terms;
  uint32_t retries_left = 0;
  uint32_t missing = 0;  ///< arguments that are not there yet
  uint64_t ticket = 0;
  bool is_workers = false;    ///< is not taken back from its worker, which had nothing else to do
  TaskId parent;              ///< the call that has made it
  WorkerId caller;            ///< of an actor's call; none: the driver
  uint32_t num_children = 0;  ///< calls that it has made and that are not done
  bool is_cancelled = false;
  bool cancels_promised = false;  ///< what it has called by links, as it is cancelled
  bool is_late = false;           ///< cancelled, as its deadline has passed
  bool has_timers = false;
  bool waits_for_what_is_not = false;  ///< resources that there are not
  uint32_t lane = 0;                   ///< of an actor's concurrency groups, from 1
  WorkerId worker;                     ///< where it was sent
  BufferRef arguments;                 ///< the blob of those passed by value, if it is small; else
  ObjectId arguments_object;           ///< an object without handles, pinned by the call
  std::vector<ObjectId> refs;          ///< arguments passed by reference
  std::vector<ObjectId> nested;        ///< references inside of `arguments`
};

/// Calls of one caller to one actor, in one of its concurrency groups: made in their order, so that one whose
/// arguments are missing holds up the rest of its own line only.
struct Owner::Line {
  WorkerId caller;
  uint32_t lane = 0;
  std::deque<TaskId> calls;
};

struct Owner::Actor {
  /// kEnding: its process was told to end, and when it has, the actor is made again.
  enum class State { kUnmade, kAlive, kEnding, kDead };
  ActorId id;
  State state = State::kUnmade;
  std::string name;
  Function* maker = nullptr;
  WorkerId worker;
  uint32_t pid = 0;            ///< of its process, when that is dead
  uint32_t restarts_left = 0;  ///< or kForever
  uint32_t restarts = 0;       ///< so far
  uint32_t task_retries = 0;   ///< of each of its calls, or kForever
  uint32_t failed_lives = 0;   ///< processes in a row that did not get on: note_life() says which do not
  TaskId died_with;            ///< the oldest call that the last process had
  std::vector<ConcurrencyGroup> groups;
  std::vector<uint32_t> lane_sizes;  ///< how many calls run at a time: in no group, and in each of them
  bool is_counted = false;           ///< it ends with the last handle to it
  bool may_be_linked = false;        ///< its class of actors takes calls by links
  bool is_pausing = false;           ///< before it is made again
  bool is_over = false;              ///< dead, without a process, and not about to get one
  std::unique_ptr<Task> creation;    ///< how it is made again, while it is not being made
  std::vector<Line> lines;
  ObjectId checkpoint;  ///< pinned: what its next process begins with
  std::string death;    ///< why it is dead, or is about to be
  StoredValue cause;    ///< of a death in its constructor: that error
};

struct Owner::Worker {
  WorkerId id;
  WorkerKind kind = WorkerKind::kProgram;
  uint32_t pid = 0;
  ActorId actor;                 ///< whose process it is; none: it runs tasks
  Resources resources;           ///< of the task that it computes; of its actor
  std::vector<uint32_t> gpus;    ///< of `resources`: which
  uint32_t bundle = 0;           ///< of their placement group, if they have one
  uint32_t max_concurrency = 1;  ///< of its calls
  std::vector<size_t> lanes;     ///< if the actor has groups: calls of each that were sent
  bool exiting = false;
  bool is_dead = false;
  bool came_up = false;       ///< it has said something
  bool has_answered = false;  ///< a call, beside the one that made its actor
  std::string fault;          ///< what it sent that cannot be
  std::string end;            ///< why it is ended: end_worker's
  std::string label;
  std::deque<TaskId> in_flight;
  uint64_t last_ticket = 0;
  TaskId first_seen;      ///< of in_flight, by the last look_for_stuck
  bool is_stuck = false;  ///< its first call was that before, too
  std::unordered_map<ObjectId, uint64_t> handles;
  std::unordered_map<ObjectId, uint64_t> reads;

  struct Request {
    std::vector<ObjectId> objects;
    uint32_t count = 0;  ///< still missing
    bool is_wait = false;
    bool is_next = false;
    bool small_alone = false;  ///< GetValues::small_alone
  };
  std::unordered_map<uint64_t, Request> requests;
  uint32_t num_starved = 0;    ///< threads that wait for room in the store
  bool owes_read_end = false;  ///< it has returned a part of what it reads: a ReadEnded follows at once

  /// A task that waits leaves its CPU to others; so does an actor when all of its calls that run wait.
  bool is_blocked() const {
    if (max_concurrency == 1) return !requests.empty();
    return requests.size() >= std::clamp<size_t>(in_flight.size(), 1, max_concurrency);
  }
  bool runs_tasks() const { return !actor && !exiting; }
  /// Whether it holds resources other than processors, which it keeps even while it waits.
  bool holds_resources() const { return actor || !in_flight.empty(); }
  /// Whether it uses processors. An actor may at any time, so it counts always.
  bool is_computing() const { return !exiting && !is_blocked() && (actor || !in_flight.empty()); }
};

/// Resources that are set aside for the calls that name the group.
struct Owner::Group {
  struct Bundle {
    NamedResources amounts;  ///< processors among them
    std::vector<uint32_t> gpus;
  };
  ObjectId id;
  std::string name;
  GroupStrategy strategy = GroupStrategy::kPack;
  GroupState state = GroupState::kPending;
  std::vector<Bundle> bundles;
};

/// A link between two workers, until both have let go of it.
struct Owner::LinkRecord {
  LinkId id;
  WorkerId caller;
  WorkerId callee;
  ActorId actor;
  bool is_made = false;    ///< the callee reads it
  bool is_shown = false;   ///< the caller has its region
  bool is_wanted = false;  ///< the caller waits to be told that it may use it
  uint64_t num_calls = 0;  ///< of the caller, through the owner: those before AskLink and since
  size_t num_left = 0;     ///< of these, while it waits: those that are not done
  bool is_ended = false;   ///< no further call comes by it
  bool caller_is_done = false;
  bool callee_is_done = false;
  StoredValue error;  ///< of calls that have no answer when it has ended
  struct Promised {
    TaskId parent;              ///< the call that has made it
    bool is_cancelled = false;  ///< with what it has called
  };
  std::unordered_map<ObjectId, Promised> promised;  ///< what the callee answers the owner
  using Unclaimed = std::unordered_map<ObjectId, Incoming>;
  Unclaimed unclaimed;  ///< what it has answered the owner and was not promised so far
};

/// What calls ask for beside processors, and where.
struct Owner::Others {
  NamedResources named;
  ObjectId group;
  uint32_t bundle = kAnyBundle;
  std::string environment;  ///< so that calls that one worker has at a time have the same
};

/// What is known of a registered function.
struct Owner::Function {
  FunctionId id;
  std::string name;
  std::string class_name;
  WorkerKind runs_in = WorkerKind::kProgram;
  double mean_run_ns = 0;  ///< 0: not run yet
  uint64_t num_finished = 0;
  uint64_t num_failed = 0;  ///< by an exception

  /// About what the books need for it.
  uint64_t size_bytes() const { return sizeof(Function) + name.size() + class_name.size(); }
  /// Whether calls are so short that handing one to a worker takes longer than running it.
  bool is_tiny() const {
    constexpr double kTinyNs = 1000;
    return mean_run_ns != 0 && mean_run_ns < kTinyNs;
  }
  /// Calls that one worker may have waiting: short ones hide the way there and back, long ones would wait for
  /// each other.
  uint32_t depth(uint32_t most) const {
    constexpr double kQueuedNs = 200'000;
    if (mean_run_ns == 0) return 1;
    const double depth = kQueuedNs / mean_run_ns;
    return depth < 1 ? 1 : depth > most ? most : static_cast<uint32_t>(depth);
  }
};

}  // namespace flowray::ray
