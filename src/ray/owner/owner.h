#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/function_ref.h"
#include "core/recycled_memory.h"
#include "ray/owner/metrics.h"
#include "ray/owner/report.h"
#include "ray/store/reading.h"
#include "ray/store/spill_file.h"
#include "ray/store/store.h"
#include "ray/store/stored_value.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// What a worker's process runs: functions of the program itself, or of Python's where the program is not
/// one of Python's.
/// kThread: an actor's thread in the driver, in place of a process.
enum class WorkerKind : uint8_t { kProgram, kPython, kThread };

/// What a call may wait for: the end of its time; or that there may be resources which there are not.
enum class Timer : uint8_t { kDeadline, kUnschedulable };

/// What the owner asks of the world. Calls come back as the owner's on_... functions, never from inside
/// of these.
class World : public RegionHost {
 public:
  /// Starts a process. Its channel takes messages at once. `label` is for its output: the actor's class, or
  /// empty. Throws an Error when the system has none to give.
  virtual void start_worker(WorkerId worker, std::string_view label, WorkerKind kind) = 0;
  /// Ends it by force; on_worker_death comes all the same.
  virtual void kill_worker(WorkerId worker) = 0;
  /// After an Interrupt: a worker that computes must look at its messages.
  virtual void interrupt_worker(WorkerId worker) = 0;
  /// Calls on_pause_over after a pause. At most one is under way for an actor.
  virtual void pause(ActorId actor, uint32_t pause_ms) = 0;
  /// Calls on_timer after so long, unless the call's timers are stopped before. At most one of a kind is
  /// under way for a call.
  virtual void start_timer(TaskId task, Timer timer, uint32_t after_ms) = 0;
  virtual void stop_timers(TaskId task) noexcept = 0;

  /// In the order of the calls; what the message refers to need not outlive this.
  virtual void send(WorkerId worker, const ToWorker& message) = 0;

  /// Marks the ticket as waiting, before its Run is sent.
  virtual void issue(WorkerId worker, uint64_t ticket) = 0;
  /// Takes the ticket back if its run has not begun; whether that was so. Works on dead workers too.
  virtual bool revoke(WorkerId worker, uint64_t ticket) = 0;
  /// Whether a dead worker had begun a task that was given to it for good (Run::is_its), without a ticket.
  virtual bool has_begun(WorkerId worker, uint64_t ticket) = 0;

  /// Tells the program's user.
  virtual void warn(const std::string& text) = 0;

  /// The bytes of a value in the store, valid until the extent is freed.
  virtual std::span<const std::byte> view(const Extent& extent) = 0;

  /// Writes the object's value to disk, meanwhile: on_spilled or on_spill_failed tells of its end. Until then
  /// the value stays where it is. Throws errors::ResourceExhaustedError if it knows at once that it cannot.
  virtual void start_spill(ObjectId object, const Extent& value) = 0;
  /// Reads it back into the store. Throws errors::DataLossError for what is not what was written.
  virtual void restore(const Spilled& value, const Extent& to) = 0;
  virtual void forget(const Spilled& value) = 0;
};

/// A call to be made: from the driver, or from a worker's Submit.
struct Submission : CallSpec {
  StoredValue arguments;  ///< those passed by value
  WorkerId caller;        ///< none: the driver
  TaskId parent;          ///< the caller's call that makes it, if it is known
};

/// The state of one runtime: every object, task, actor and worker of it. A pure state machine: it knows no
/// threads, no clock and no memory but its own; all it does to the world goes through World, all it learns
/// comes by its functions. The driver calls it under one lock, a simulation from one thread. docs/runtime.md
/// tells its rules.
class Owner {
 public:
  struct Limits {
    /// Processors that tasks and actors may ask for at the same time.
    uint32_t num_cpus = 1;
    /// The same of other resources, in thousandths.
    NamedResources resources;
    /// There are no GPUs and the program has not said so: calls that ask for some run, with a warning.
    bool grants_gpus = false;
    /// Calls of Python's functions go to workers of their own; else every worker runs them.
    bool keeps_python_apart = false;
    uint64_t store_bytes = 0;
    /// How much of the resource "memory" calls may ask for, where `resources` does not say it; not shown.
    uint64_t memory_bytes = 0;
    std::string ray_namespace;  ///< of names without one
    /// How long a call waits that asks for what there is not; 0: it fails at once.
    uint32_t unschedulable_ms = 0;
    /// Above it, the values of a call go in messages of their own before its Run, which are not longer than
    /// this if they have more than one.
    size_t run_message_bytes = 64 << 10;
    /// Calls sent to one worker and not yet done; half the number of tickets.
    uint32_t most_in_flight = 512;
    /// Links between workers; for each the driver has a descriptor open, and memory that it shares.
    size_t most_links = 256;
    /// The last ids that an earlier runtime of this process gave: what it has left behind (an ObjectRef in
    /// some static) must not name things of this one.
    uint64_t last_id = 0;
    uint32_t last_worker = 0;
  };
  Owner(World& world, const Limits& limits);
  ~Owner();
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // ---- what the driver's programs do

  /// A metric of the driver's.
  void measure(const internal::Measurement& measurement) { metrics_.record(measurement); }
  const Metrics& metrics() const { return metrics_; }

  /// A new id of the driver's; `count` consecutive ones.
  ObjectId new_objects(uint32_t count = 1);
  ActorId new_actor() { return {new_objects().value}; }
  /// Room in the store for a value of the driver's; to be put, or passed as arguments of a Submission.
  /// Throws errors::ResourceExhaustedError; a StoreFullError if there is no room now: where room_may_come, it
  /// is worth asking again when num_room_events has changed. Values may be on their way to disk for it then.
  Extent allocate(uint64_t bytes);
  /// The same, but no extent where there is no room, and no value goes to disk for it.
  Extent allocate_if_there_is_room(uint64_t bytes);
  bool room_may_come() const;
  uint64_t num_room_events() const { return num_room_events_; }
  /// A value that is neither put nor passed after all.
  void discard(const StoredValue& value);
  /// Throws RayException, and has done nothing, for a value that holds references of another runtime.
  void put(ObjectId object, StoredValue value);
  /// Every return has one handle of the caller's from now on. Throws RayException, and has done nothing, for
  /// references that are not of this runtime.
  void submit(const Submission& submission);
  /// Ends its process. `may_restart`: it is made again if it has restarts left.
  void kill_actor(ActorId actor, bool may_restart);
  ActorId find_actor(std::string_view name) const;
  /// How many calls of the actor the worker (none: the driver) has made that are not done.
  uint64_t pending_calls(ActorId actor, WorkerId caller) const;
  /// As ray::Cancel. Throws RayException, and has done nothing, for what cannot be forced.
  void cancel_call(ObjectId object, bool force, bool recursive);
  /// Its object is there when its resources are set aside; it has one handle, and is never forgotten.
  void make_group(const MakeGroup& group);
  /// Ends what runs in it.
  void remove_group(ObjectId group);
  /// The one that was made next after that one; 0: the first. Views what is the owner's.
  ToldGroup next_group(ObjectId after, std::string& bundles) const;
  void adopt(ObjectId object);
  void release(ObjectId object);
  bool is_known(ObjectId object) const;
  bool is_ready(ObjectId object) const;
  /// The value of a ready object. A value in the store is then being read until read_ended. Throws
  /// StoreFullError, as allocate does, for one that was spilled and has no room now.
  const StoredValue& begin_read(ObjectId object);
  void read_ended(ObjectId object);
  /// The next value of the call with is_stream whose return that is. Of other objects kEnd.
  internal::NextItem next_item(ObjectId stream) const;
  ObjectId next_item_id(ObjectId stream) const;
  /// Takes the item that next_item has said is there (kItem), with a handle for the caller.
  ObjectId take_item(ObjectId stream);

  // ---- what happens

  /// Throws errors::DataLossError when the worker is out of its mind; it should be killed then. The message
  /// has changed nothing, and no further one of it will.
  void on_message(WorkerId worker, std::span<const std::byte> message);
  /// After everything that it had sent.
  /// `kept`: what others of the driver hold of an actor's thread, as the driver's own from now on.
  void on_worker_death(WorkerId worker, std::string_view reason, const LetGo::Held& kept = {});
  /// The pause that World::pause was asked for is over.
  void on_pause_over(ActorId actor);
  /// World::start_timer's time is over.
  void on_timer(TaskId task, Timer timer);
  /// To be called every millisecond or so while has_calls_behind_others: gives them to idle workers where
  /// they wait for longer than was expected.
  void look_for_stuck();
  /// A worker has calls that another one, which is idle, could begin.
  bool has_calls_behind_others() const;
  /// What World::start_spill was asked for is done; or could not be, and why.
  void on_spilled(ObjectId object, const Spilled& spilled);
  void on_spill_failed(ObjectId object, const std::string& why);

  // ---- what there is, for tests and messages

  /// Amounts in thousandths, by name; of the store its bytes.
  NamedResources resources(internal::WhichResources which) const;
  /// But for those that count the handles to actors, and those of placement groups.
  size_t num_objects() const;
  size_t num_tasks() const;
  size_t num_workers() const;
  /// The number of actors, dead ones included.
  size_t num_actors() const;
  /// The number of requests that wait for objects, counted once for each object.
  size_t num_interests() const;
  /// How many kinds of resources, as calls have asked for them, are remembered.
  size_t num_resource_kinds() const;
  uint64_t spilled_bytes() const { return spilled_bytes_; }
  /// How many values are being written to disk.
  uint64_t num_leaving() const { return num_leaving_; }
  const Store& store() const { return store_; }
  /// Counts up whenever an object becomes ready.
  uint64_t num_ready_events() const { return num_ready_events_; }
  uint64_t last_id() const { return last_id_; }
  /// A row for each call that has run, as far as they are remembered, then for those that have not ended.
  std::vector<TaskRow> task_rows() const;
  std::vector<ActorRow> actor_rows() const;
  /// The largest first.
  std::vector<ObjectRow> object_rows() const;
  std::vector<WorkerRow> worker_rows() const;
  std::vector<DemandRow> demand_rows() const;
  std::vector<FunctionRow> function_rows() const;
  const TaskHistory& history() const { return history_; }
  const StepHistory& steps() const { return steps_; }
  std::string function_name(FunctionId function) const;
  uint32_t last_worker() const { return last_worker_; }
  bool is_idle(WorkerId worker) const;
  /// Processes whose task runs and has retries, be they used up, and their pids. None while a process that
  /// was told to end has not: nobody can say how much memory will be free then.
  std::vector<std::pair<WorkerId, uint32_t>> retriable_processes() const;
  /// Ends the process; `why` is what its calls are told if they are not run again.
  void end_worker(WorkerId worker, std::string why);
  /// The actors whose calls may still succeed: alive, or being made.
  std::vector<ActorId> living_actors() const;
  /// Whether the actor is remembered as one that was ended because there was no handle to it any more.
  bool has_ended_forsaken(ActorId actor) const;
  /// 0 if it has not said so yet.
  uint32_t pid(WorkerId worker) const;

 private:
  struct Incoming;
  struct Interest;
  struct Stream;
  struct Object;
  struct Task;
  struct Line;
  struct Actor;
  struct Worker;
  struct Function;
  struct Group;
  struct Others;
  struct LinkRecord;
  /// A request that waits for room: for a lease, or to get a spilled object.
  struct Starved {
    WorkerId worker;
    uint64_t request = 0;
    uint64_t bytes = 0;
    ObjectId object;
    uint32_t index = 0;
  };

  // owner_objects.cpp
  void put(Worker& worker, const PutValue& message);
  Object& object(ObjectId object);
  void complete(ObjectId object, Incoming value);
  void pin(ObjectId object);
  void unpin(ObjectId object);
  void drop_if_unused(ObjectId object);
  void drop_if_unused(ObjectId object, std::vector<ObjectId>& unused);
  void free_room(StoredValue& value);
  StoredValue borrowed(WorkerId worker, const ValuePart& part);
  void end_loan(ObjectId lender);
  static BufferRef empty_value();
  void release_handle(ObjectId object);
  void end_read(ObjectId object);
  std::string holders_text() const;
  ValuePart no_room_part();
  ValuePart part_for(WorkerId worker, ObjectId object_id, Object& object);
  std::span<const std::byte> bytes_of(const StoredValue& value);
  StoredValue error_in_heap(const StoredValue& error);
  Incoming take_value(WorkerId worker, const ValuePart& part);
  void take_values(WorkerId worker, std::span<const ValuePart> parts, std::vector<Incoming>& taken);
  void pin_nested(Incoming& value, std::vector<ObjectId> nested);
  void give_up(const Incoming& value);
  void let_go(Incoming& value);
  void require_known(std::span<const ObjectId> objects) const;
  void require_new_request(const Worker& worker, uint64_t request, std::span<const ObjectId> objects) const;
  void send_value(WorkerId worker, uint64_t request, uint32_t index, ObjectId object_id, Object& object);
  bool try_to_send_value(WorkerId worker, uint64_t request, uint32_t index, ObjectId object_id,
                         Object& object, bool may_wait);
  void answer_wait(Worker& worker, uint64_t request);
  void start_get(Worker& worker, const GetValues& message);
  void start_wait(Worker& worker, const WaitFor& message);
  void cancel(Worker& worker, uint64_t request);
  void end_request(Worker& worker, uint64_t request);

  // owner_spill.cpp
  /// Whose room it is that a value lies in.
  enum class RoomOf { kTheirOwn, kOthers };
  std::vector<ObjectId> spillable(RoomOf of) const;
  void start_leaving(ObjectId id);
  std::string start_spilling(uint64_t bytes);
  void end_spill(Object& object);
  void with_room(uint64_t bytes, const FunctionRef<void()>& attempt);
  void restore(Object& object);
  void forget_spilled(Object& object);
  bool is_ending(const Worker& worker) const;
  bool bring_arguments(Task& task);
  void wait_for_room(Starved starved);
  void feed_starved();
  bool is_futile() const { return futile_at_ == num_room_events_; }
  /// Or there is something on disk, which calls may wait for.
  bool is_room_awaited() const { return !starved_.empty() || spilled_bytes_ > 0; }
  bool try_to_feed(Worker& worker, const Starved& starved, bool may_wait);
  bool lease(Worker& worker, uint64_t request, uint64_t bytes, bool may_wait);

  // owner_streams.cpp
  void on_give(Worker& worker, const Give& message);
  void on_ask_next(Worker& worker, const AskNext& message);
  void add_item(Object& entry, ObjectId item);
  Incoming end_stream(Object& entry, Incoming outcome);
  void answer_next(Object& entry);
  void tell_taken(const Object& entry);
  void drop_stream(Object& entry, std::vector<ObjectId>& unused);
  void end_unread();

  // owner_tasks.cpp
  Incoming take_value(StoredValue value, std::span<const ObjectId> refs);
  void submit(const Submission& submission, Incoming arguments);
  void note_parent(Task& task, const Submission& submission);
  void take_arguments(Task& task, Incoming arguments);
  void dispatch();
  bool dispatch_next();
  void proceed(Task& task);
  const StoredValue* failed_argument(const Task& task);
  // owner_resources.cpp
  uint32_t other_resources(const Submission& submission);
  /// Forgets those that no call, actor or worker asks for or has: a program may ask for ever new ones.
  void forget_other_resources();
  uint64_t all_cpu_milli() const;
  /// Whether the resources would be there if nothing were taken.
  bool can_ever_fit(const Resources& asked) const;
  /// Whether the resources are free now.
  bool fit_now(const Resources& asked) const;
  uint64_t gpu_milli(uint32_t others) const;
  /// Where calls take resources from: a bundle of a placement group, or what is in none.
  struct Space {
    const Group* group = nullptr;
    uint32_t bundle = 0;
  };
  bool fits(const NamedResources& asked, const Space& space) const;
  std::optional<Space> free_space(const Resources& asked) const;
  NamedResources all_in(const Space& space) const;
  bool is_in(const Worker& worker, const Space& space) const;
  NamedResources left_in(const Space& space) const;
  std::map<uint32_t, uint64_t> left_of_gpus(const Space& space) const;
  StoredValue never_fits_error(const Task& task) const;
  bool may_wait_for_resources(Task& task);
  bool is_group_removed(const Resources& asked) const;
  std::optional<std::vector<uint32_t>> free_gpus(uint64_t milli, const Space& space) const;
  // owner_groups.cpp
  void on_make_group(Worker& worker, const MakeGroup& message);
  void on_ask_group(Worker& worker, const AskGroup& message);
  void reserve_groups();
  void forget_removed_groups();
  bool reserve(Group& group);
  const Group* group_of(uint32_t others) const;
  std::string text_of(const Resources& resources) const;
  std::string text_of_all() const;

  // owner_tasks.cpp
  void wait_for_resources(Task& task);
  bool is_waiting_for_resources() const;
  bool dispatch_one(Task& task);
  Worker* worker_for_task(const Task& task);
  bool is_best_behind(const Worker& busy, uint32_t num_busy) const;
  void take_resources(Worker& worker, const Resources& asked);
  void run(Worker& worker, Task& task);
  bool has_ticket_for_another(const Worker& worker) const;
  bool take_back(const Worker& worker, const Task& task);
  void collect_parts(Worker& worker, Task& task);
  size_t send_ahead(Worker& worker, const Task& task);
  void finish(Task& task);
  void lose_tasks(const Worker& dead, std::string_view reason);
  bool may_run_again(const Task& task) const;
  void run_again(Task& task);
  void fail(Task& task, const StoredValue& error);
  void note_run(const Worker& worker, const Task& task, const Done& message);
  void on_done(Worker& worker, const Done& message);
  void take_back_unbegun(Worker& worker);
  void steal_for_idle(WorkerKind kind);

  // owner_report.cpp
  const char* state_of(const Task& task) const;

  // owner_cancel.cpp
  void on_cancel(Worker& worker, const CancelCall& message);
  void cancel(Task& task, bool force, bool recursive);
  void cancel_all(TaskId task, bool force, bool recursive);
  /// A call that is to be cancelled.
  struct Called {
    TaskId id;
    bool is_by_link = false;  ///< or was made in such a one
  };
  std::vector<Called> called_by(TaskId first) const;
  void leave_parent(const Task& task);

  // owner_links.cpp
  void on_ask_link(Worker& worker, const AskLink& message);
  bool may_link(const Worker& caller, const Actor& actor) const;
  uint32_t make_link(Worker& caller, const Actor& actor);
  void on_link_made(Worker& worker, const LinkMade& message);
  void on_link_closed(const Worker& worker, const LinkClosed& message);
  void on_promise(Worker& worker, const Promise& message);
  void on_answer_for(Worker& worker, const AnswerFor& message);
  void on_ran_linked(Worker& worker, const RanLinked& message);
  LinkRecord* open_link(WorkerId caller, ActorId actor);
  void end_link(LinkRecord& link);
  size_t num_calls_of(const Actor& actor, WorkerId caller) const;
  void note_call_of_wisher(ActorId actor, WorkerId caller);
  void note_end_of_call(const Task& task);
  void offer_link(LinkRecord& link);
  void refuse(LinkRecord& link);
  bool cancel_promised(ObjectId object, bool force, bool recursive);
  void interrupt_promised(ObjectId object, bool recursive);
  bool cancels_promised(TaskId parent) const;
  void end_links_to(const Actor& actor, const StoredValue& error);
  void end_links_of_dead(WorkerId dead);
  void close_link(uint32_t id);
  LinkRecord& link_of(const Worker& worker, LinkId id);

  // owner_actors.cpp
  void make_actor(const Submission& submission, Task& task);
  void on_made(Task& task);
  void call_actor(Task& task, WorkerId caller, std::string_view group);
  void start_actor(Actor& actor, Task& task);
  void pump(Actor& actor);
  void forget_if_over(ActorId id);
  void keep_creation(Actor& actor, Task& task);
  static void note_life(Actor& actor, const Worker& dead);
  void lose_process(Actor& actor, const Worker& dead, std::string_view reason);
  std::deque<TaskId> keep_calls(Actor& actor, const Worker& dead);
  static Line& line_of(Actor& actor, WorkerId caller, uint32_t lane);
  static void call_again(Actor& actor, Task& task);
  void restart(Actor& actor);
  void make_again(Actor& actor);
  void actor_died(Actor& actor, std::string reason);
  void fail_calls(Actor& actor);
  bool has_process(const Actor& actor) const;
  bool is_share_kept(ObjectId id) const;
  bool is_forsaken(const Actor& actor) const;
  void end_forsaken();
  void keep_checkpoint(Worker& worker, const KeepCheckpoint& message);
  bool has_forsaken() const { return !forsaken_.empty() || !unread_.empty(); }
  void end_if_forsaken(Actor& actor);
  StoredValue error_of(const Actor& actor) const;
  StoredValue error_of(const Actor& actor, std::string_view reason) const;

  // owner.cpp
  Worker& start_worker(std::string_view label, WorkerKind kind);
  void take_message(Worker& worker, std::span<const std::byte> message);
  /// Throws errors::DataLossError for a message that is not of links either.
  void take_link_message(Worker& worker, std::span<const std::byte> message);
  /// The same place as long as a call or an actor that is there has it.
  Function& function(FunctionId id, std::string_view name, std::string_view class_name);
  /// Forgets functions without a call or an actor, and their counts: a program may have ever new ones.
  void forget_functions();
  ObjectId worker_object(const Worker& worker, ObjectId id) const;
  void drop_handle(Worker& worker, ObjectId id);
  void drop_read(Worker& worker, ObjectId id);
  void on_submit(Worker& worker, const Submit& message);
  void on_lease(Worker& worker, const Lease& message);
  void lease_if_free(const Worker& worker, const Lease& message);
  void on_ran_steps(const Worker& worker, const RanSteps& message);
  void came_up(Worker& worker);
  bool cannot_start_workers(WorkerKind kind) const;
  bool others_compute(const Worker& dead) const;

  World& world_;
  const Limits limits_;
  Store store_;
  uint64_t last_id_ = 0;
  uint32_t last_worker_ = 0;
  uint64_t num_ready_events_ = 0;
  uint64_t num_room_events_ = 0;
  uint64_t spilled_bytes_ = 0;
  uint64_t num_leaving_ = 0;       // values
  uint64_t leaving_bytes_ = 0;     // that are free when they have gone
  std::string spill_trouble_;      // why a value could not be spilled lately
  uint64_t spill_trouble_at_ = 0;  // then, in num_room_events_
  std::deque<Starved> starved_;
  std::deque<ActorId> starved_actors_;  // whose next calls wait for room
  StoredValue no_room_error_;           // made when it is needed first
  bool warned_of_room_ = false;
  uint64_t futile_at_ = ~uint64_t{0};  // the room event at which a request last found none
  RecycledMemory nodes_;               // of the two that follow
  std::pmr::unordered_map<ObjectId, Object> objects_;
  std::pmr::unordered_map<TaskId, Task> tasks_;
  size_t num_tasks_ = 0;  // of these: the ones that are no actor's
  std::unordered_map<ActorId, Actor> actors_;
  /// The dead actors among them that nothing can happen to any more, in the order of their ends.
  std::deque<ActorId> over_;
  /// Actors to which there may be no handle any more.
  std::deque<ActorId> forsaken_;
  /// Calls to be cancelled, as their values are unreachable.
  std::deque<TaskId> unread_;
  static constexpr uint64_t kFunctionBytes = uint64_t{4} << 20;
  std::unordered_map<FunctionId, Function> functions_;
  std::unordered_map<FunctionId, std::string> forgotten_names_;  // of calls that history_ has, shortened
  uint64_t function_bytes_ = 0;
  uint64_t function_bytes_limit_ = kFunctionBytes;  // where those without a call are forgotten
  std::unordered_map<uint32_t, Worker> workers_;
  std::deque<TaskId> runnable_;  // their arguments are there
  /// The runnable tasks, and actors that ask for resources, by what they ask for, the most first.
  std::map<Resources, std::deque<TaskId>, std::greater<>> waiting_;
  std::vector<Others> other_resources_;                                // those of Resources::others
  std::map<std::string, uint32_t, std::less<>> numbers_of_resources_;  // by resources_text
  std::vector<uint32_t> free_numbers_;                                 // of other_resources_
  static constexpr size_t kOtherResources = 256;
  size_t most_other_resources_ = kOtherResources;  // above it unused ones are forgotten
  std::map<uint64_t, Group> groups_;               // removed ones, too
  std::deque<ObjectId> pending_groups_;            // of those
  std::deque<ObjectId> removed_groups_;            // of those, in the order of their ends
  std::map<uint32_t, LinkRecord> links_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> open_links_;  // of links_, by caller and actor: not ended
  uint32_t last_link_ = LinkId::kFirst;
  uint32_t num_wishes_ = 0;  // links_ whose callers wait to be told of them
  bool warned_of_gpus_ = false;
  bool dispatching_ = false;
  uint32_t failed_starts_[3] = {};     // of each kind, in a row: workers that died before they came up
  std::vector<ValuePart> read_parts_;  // scratch of on_message
  std::vector<ValuePart> run_parts_;   // scratch of run
  std::vector<Incoming> done_values_;  // scratch of on_done
  TaskHistory history_;
  StepHistory steps_;
  Metrics metrics_;
};

}  // namespace flowray::ray
