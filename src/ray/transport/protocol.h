#pragma once
/// What the owner (in the driver) and a worker say to each other; docs/runtime.md tells the protocol.
///
/// A message is plain little-endian data whose fields are padded to 8 bytes, so that lists of ids are read
/// in place. Readers check every length: a message of a broken process is errors::DataLossError, never a
/// wild read.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "ray/transport/call_spec.h"

namespace flowray::ray {

/// A worker process; the driver is not one. Never used twice in one runtime.
struct WorkerId {
  uint32_t value = 0;
  explicit operator bool() const { return value != 0; }
  bool operator==(const WorkerId&) const = default;
};

/// A call that the owner has accepted.
struct TaskId {
  uint64_t value = 0;
  explicit operator bool() const { return value != 0; }
  bool operator==(const TaskId&) const = default;
};

/// A region of the object store.
struct SlabId {
  uint32_t value = 0;
  explicit operator bool() const { return value != 0; }
  bool operator==(const SlabId&) const = default;
};

/// What two workers share to call each other. Its region has the number, too, beside those of slabs.
struct LinkId {
  static constexpr uint32_t kFirst = uint32_t{1} << 31;
  uint32_t value = 0;
  explicit operator bool() const { return value != 0; }
  bool operator==(const LinkId&) const = default;
  SlabId region() const { return {value}; }
};

/// In a worker's range of ids: those of what its calls by links return lie above.
inline constexpr uint64_t kFirstLinkedId = uint64_t{1} << 39;

/// Where a value lies in the object store.
struct Extent {
  SlabId slab;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  explicit operator bool() const { return static_cast<bool>(slab); }
  bool operator==(const Extent&) const = default;
};

/// Values up to this many bytes ride in messages, larger ones lie in the store. No process may send a larger
/// one in a message: those that pass it on could not.
inline constexpr size_t kInlineBytes = 32 << 10;

/// The most leases of one worker at the same time.
inline constexpr uint32_t kMostLeases = 4096;

/// An encoded value in a message: its bytes, or where they lie in the store.
struct ValuePart {
  ObjectId object;
  bool is_error = false;
  std::span<const std::byte> bytes;
  Extent extent;
  /// Of a worker's: the extent is a part of the value of that object, which the worker reads.
  ObjectId lender;
};

// ---- owner to worker

/// Run a function; answered by Done.
struct Run {
  static constexpr uint32_t kKind = 1;
  TaskId task;
  CallMode mode = CallMode::kTask;
  /// For tasks: which word of the channel's tickets says whether the owner took the task back.
  uint64_t ticket = 0;
  FunctionId function;
  uint32_t num_returns = 1;
  /// How many of its values came in RunArguments before; `parts` are the others.
  uint32_t num_ahead = 0;
  uint32_t is_stream = 0;  ///< values are sent by Give before Done
  uint32_t most_ahead = 0;
  ObjectId group;  ///< the placement group that it runs in
  /// For tasks and the making of an actor: the GPUs that it gets, counted from 0.
  std::span<const uint32_t> gpus;
  /// The first value is the blob of the arguments passed by value, the others are the values of arguments
  /// passed by reference.
  std::span<const ValuePart> parts;
  uint32_t lane = 0;                  ///< of the actor's concurrency groups: which one, from 1; 0: none
  std::string_view environment = {};  ///< as in CallOptions
  /// For tasks: the owner does not take it back, as the worker has nothing else to do.
  uint32_t is_its = 0;
};
/// The lane of a Run, from its message, before that is decoded.
uint32_t lane_of_run(std::span<const std::byte> message) noexcept;
/// The next values of a Run to come, where all in one message would be too long.
struct RunArguments {
  static constexpr uint32_t kKind = 2;
  TaskId task;
  std::span<const ValuePart> parts;
};
/// A value that a Get asked for.
struct Value {
  static constexpr uint32_t kKind = 3;
  uint64_t request = 0;
  uint32_t index = 0;
  std::span<const ValuePart> parts;  // one
};
/// Answers Wait: 1 for each object that is there.
struct Waited {
  static constexpr uint32_t kKind = 4;
  uint64_t request = 0;
  std::span<const uint8_t> ready;
};
/// Answers Lease: the worker writes into that part of the slab. No slab: the store is full, `text` says how.
struct Leased {
  static constexpr uint32_t kKind = 5;
  uint64_t request = 0;
  SlabId slab;
  uint32_t lease = 0;  ///< its number; Channel::add_value says whether it still holds
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  std::string_view text;
};
/// An extent, unused from now on, of a slab that the worker has a lease on.
struct Freed {
  static constexpr uint32_t kKind = 6;
  Extent extent;
};
/// Answers FindActor.
struct FoundActor {
  static constexpr uint32_t kKind = 7;
  uint64_t request = 0;
  ActorId actor;
};
/// End as soon as all runs are done.
struct Exit {
  static constexpr uint32_t kKind = 8;
};

/// A region is gone, or not the worker's to write any more: its mapping can go as well.
struct Forget {
  static constexpr uint32_t kKind = 9;
  SlabId slab;
  uint32_t num_notices = 0;  ///< how often the worker was told of the region since it forgot it last
};

/// The process is an actor's, which the next Run makes.
struct BecomeActor {
  static constexpr uint32_t kKind = 10;
  ActorId actor;
  uint32_t max_concurrency = 1;  ///< calls that run at a time
  uint32_t num_threads = 1;      ///< that begin them
  uint32_t restarts = 0;         ///< so far
  /// How many calls of each concurrency group run at a time, beside max_concurrency in none.
  std::span<const uint32_t> group_sizes;
  ObjectId checkpoint;  ///< that its last process has kept; none
};

/// The call was cancelled: it is not begun any more, or told of it. Of tasks such as have begun.
struct Interrupt {
  static constexpr uint32_t kKind = 11;
  TaskId task;
  uint32_t recursive = 0;  ///< what it has called by links is cancelled, too
};
/// Answers CancelCall; `refusal`: why it cannot be done.
struct Cancelled {
  static constexpr uint32_t kKind = 12;
  uint64_t request = 0;
  std::string_view refusal;
};

/// How many of the values of a call with is_stream are taken; sent where it may be ahead of its reader
/// by a limited number only.
struct Taken {
  static constexpr uint32_t kKind = 14;
  TaskId task;
  uint64_t count = 0;
};
/// Answers AskGroup: id 0: there is none.
struct ToldGroup {
  static constexpr uint32_t kKind = 16;
  uint64_t request = 0;
  ObjectId group;
  uint32_t strategy = 0;
  uint32_t state = 0;
  std::string_view name;
  std::string_view bundles;  ///< bundles_text
};
/// Answers AskNext: an item is the worker's, with one handle.
struct FoundNext {
  static constexpr uint32_t kKind = 15;
  uint64_t request = 0;
  internal::NextItem what = internal::NextItem::kNotYet;
  ObjectId item;
};
/// Answers AskResources, as Backend::resources.
struct ToldResources {
  static constexpr uint32_t kKind = 13;
  uint64_t request = 0;
  std::string_view text;
};
/// Answers AskPendingCalls.
struct ToldPendingCalls {
  static constexpr uint32_t kKind = 17;
  uint64_t request = 0;
  uint64_t count = 0;
};

/// A link (docs/runtime.md, "Links between workers"): as its callee the worker maps it and answers by
/// LinkMade; as its caller it may call the actor by it if it has made `num_calls` calls of it through the
/// owner, and no more: these have ended.
struct Linked {
  static constexpr uint32_t kKind = 18;
  LinkId link;  ///< none: a caller gets none now
  uint32_t is_caller = 0;
  ActorId actor;
  WorkerId peer;  ///< at the other end
  uint64_t num_calls = 0;
};
/// There comes nothing more by the link but what lies there; answered by LinkClosed. To the caller with the
/// error of the calls that are not answered.
struct LinkEnded {
  static constexpr uint32_t kKind = 19;
  LinkId link;
  std::span<const ValuePart> parts;  // one; to the callee none
};
/// The owner has the value of a call that the worker has made by a link, and keeps it for its Promise.
struct Handed {
  static constexpr uint32_t kKind = 20;
  LinkId link;
  ObjectId object;
};

/// What the owner sends. Forget is not of it: the world sends that when a region goes.
using ToWorker = std::variant<Run, RunArguments, Value, Waited, Leased, Freed, FoundActor, Exit, BecomeActor,
                              Interrupt, Cancelled, ToldResources, Taken, FoundNext, ToldGroup,
                              ToldPendingCalls, Linked, LinkEnded, Handed>;

// ---- worker to owner

/// A metric of the worker's program was recorded: as internal::Measurement.
struct Measured {
  static constexpr uint32_t kKind = 55;
  uint32_t kind = 0;
  uint64_t value_bits = 0;  ///< of a double
  std::string_view name;
  std::string_view description;
  std::string_view boundaries;  ///< of a histogram: the bytes of doubles
  std::string_view tags;        ///< each name and value with a zero byte behind
};
/// Steps of sessions that have run in the worker; of each when it began, on the machine's steady clock, and
/// how long it took, in nanoseconds.
struct RanSteps {
  static constexpr uint32_t kKind = 57;
  std::span<const uint64_t> times;
};
/// A worker can take work.
struct Started {
  static constexpr uint32_t kKind = 32;
  uint32_t pid = 0;
};
/// The values that a Run returned; each may be an error. For kMakeActor: none, or the error. Of several Runs
/// that an actor has at a time, any may be done first.
struct Done {
  static constexpr uint32_t kKind = 33;
  TaskId task;
  uint64_t run_ns = 0;
  std::span<const ValuePart> parts;
  uint32_t has_thrown = 0;  ///< `parts` are what the function threw
  uint64_t begin_ns = 0;    ///< of the machine's steady clock
  uint32_t is_final = 0;    ///< it is not run again for what it has thrown
};
/// Task(f).Remote(...) and the like in a worker. Ids are the worker's to give: those of the returns
/// are consecutive.
struct Submit : CallSpec {
  static constexpr uint32_t kKind = 35;
  TaskId parent;  ///< the worker's call that makes it, if it is known
  std::span<const ValuePart>
      parts;  // one: the arguments passed by value; with an object id if it lies in the store
};
/// Put: the worker holds one handle of it.
struct PutValue {
  static constexpr uint32_t kKind = 36;
  std::span<const ValuePart> parts;  // one
  uint32_t is_read = 0;              ///< the worker reads it where it wrote it, until ReadEnded
};
/// An actor's checkpoint, which outlives its process and replaces the one before.
struct KeepCheckpoint {
  static constexpr uint32_t kKind = 34;
  std::span<const ValuePart> parts;  // one
};
/// Wants the values, each sent as Value as soon as it is there.
struct GetValues {
  static constexpr uint32_t kKind = 37;
  uint64_t request = 0;
  std::span<const ObjectId> objects;
  /// Of values in the store the answers have no bytes and no place: they are asked for by themselves.
  uint32_t small_alone = 0;
};
/// Asks to be told when `count` of the objects are there.
struct WaitFor {
  static constexpr uint32_t kKind = 38;
  uint64_t request = 0;
  uint32_t count = 0;
  std::span<const ObjectId> objects;
};
/// The worker's deadline passed. A WaitFor is answered at once with what is there; a GetValues is dropped.
struct Cancel {
  static constexpr uint32_t kKind = 39;
  uint64_t request = 0;
};
/// The worker has a further handle of an object (it came inside of a value).
struct Adopt {
  static constexpr uint32_t kKind = 40;
  ObjectId object;
};
/// Handles that are gone.
struct Release {
  static constexpr uint32_t kKind = 41;
  std::span<const ObjectId> objects;
};
/// Values in the store that the worker no longer reads, once for each time they were sent to it.
struct ReadEnded {
  static constexpr uint32_t kKind = 42;
  std::span<const ObjectId> objects;
};
/// Wants room to write: answered by Leased.
struct Lease {
  static constexpr uint32_t kKind = 43;
  uint64_t request = 0;
  uint64_t size_bytes = 0;
  uint32_t only_if_free = 0;  ///< answered at once: nobody waits, and no value goes to disk for it
};
struct KillActor {
  static constexpr uint32_t kKind = 44;
  ActorId actor;
  uint32_t may_restart = 0;
};
/// Wants the actor of a name; without one, its own: none of a worker that runs tasks.
struct FindActor {
  static constexpr uint32_t kKind = 45;
  uint64_t request = 0;
  std::string_view name;
};
/// As ray::Cancel: answered by Cancelled.
struct CancelCall {
  static constexpr uint32_t kKind = 47;
  uint64_t request = 0;
  ObjectId object;
  uint32_t force = 0;
  uint32_t recursive = 0;
};
/// A method of the worker's actor has called ExitActor.
struct ExitActorCall {
  static constexpr uint32_t kKind = 48;
};
/// The next value of a call with is_stream, of which there were `index` before.
struct Give {
  static constexpr uint32_t kKind = 50;
  TaskId task;
  uint64_t index = 0;
  std::span<const ValuePart> parts;  // one
};
/// Wants the next value of the call whose return is `stream`; `takes` 0: only whether there is one. Cancel is
/// answered by kNotYet.
struct AskNext {
  static constexpr uint32_t kKind = 51;
  uint64_t request = 0;
  ObjectId stream;
  uint32_t takes = 1;
};
/// A placement group: the worker holds one handle of its object.
struct MakeGroup {
  static constexpr uint32_t kKind = 52;
  ObjectId group;
  uint32_t strategy = 0;
  std::string_view name;
  std::string_view bundles;
};
struct RemoveGroup {
  static constexpr uint32_t kKind = 53;
  ObjectId group;
};
/// Wants the placement group that was made next after that one; 0: the first.
struct AskGroup {
  static constexpr uint32_t kKind = 54;
  uint64_t request = 0;
  ObjectId after;
};
/// As Backend::resources.
struct AskResources {
  static constexpr uint32_t kKind = 49;
  uint64_t request = 0;
  internal::WhichResources which = internal::WhichResources::kAll;
};
/// As Backend::pending_calls.
struct AskPendingCalls {
  static constexpr uint32_t kKind = 56;
  uint64_t request = 0;
  ActorId actor;
};
/// The worker could not take a region that was sent to it, for want of descriptors or addresses,
/// and tries again.
struct WantRegion {
  static constexpr uint32_t kKind = 46;
  SlabId slab;
};

/// Wants a link to the actor, of which it has made so many calls through the owner: answered by Linked, at
/// once if there is to be none, else when none of these calls is left.
struct AskLink {
  static constexpr uint32_t kKind = 58;
  ActorId actor;
  uint64_t num_calls = 0;
};
/// The worker reads what comes by the link; or cannot.
struct LinkMade {
  static constexpr uint32_t kKind = 59;
  LinkId link;
  uint32_t is_refused = 0;
};
/// The worker has nothing to do with the link any more.
struct LinkClosed {
  static constexpr uint32_t kKind = 60;
  LinkId link;
};
/// The return of a call that the worker has made by a link: its callee answers the owner, or has. The worker
/// has one handle of it.
struct Promise {
  static constexpr uint32_t kKind = 61;
  LinkId link;
  ObjectId object;
  TaskId parent;  ///< the worker's call that has made it, if it is known
};
/// The value of a call that came by a link, where it does not go there: the caller is told by Handed, unless
/// it has promised it.
struct AnswerFor {
  static constexpr uint32_t kKind = 62;
  LinkId link;
  std::span<const ValuePart> parts;  // one, of the call's return
};
/// Calls that came by links and have run; of each the task, its function, when it began, and how long it
/// took, doubled, with a bit that says whether it threw.
struct RanLinked {
  static constexpr uint32_t kKind = 63;
  std::span<const uint64_t> calls;
};

// ---- bytes

/// What a value takes in a message.
size_t part_size_bytes(const ValuePart& part);
/// Length of `message` as bytes.
template <class Message>
size_t message_size_bytes(const Message& message);
/// Writes it; `out` has message_size_bytes of room, aligned to 8.
template <class Message>
void write_message(const Message& message, std::byte* out);

/// Which message `bytes` is; 0 if they are too short.
uint32_t message_kind(std::span<const std::byte> bytes) noexcept;
/// The message in `bytes`, which are aligned to 8 and outlive it, as does `parts`, where its values are
/// listed. Throws errors::DataLossError.
template <class Message>
Message read_message(std::span<const std::byte> bytes, std::vector<ValuePart>& parts);

}  // namespace flowray::ray

template <>
struct std::hash<flowray::ray::TaskId> {
  size_t operator()(flowray::ray::TaskId id) const noexcept { return id.value * 0x9E3779B97F4A7C15u; }
};
