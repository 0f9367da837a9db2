#pragma once
/// What the templates of the public API call: the one seam between the language of tasks and actors and a
/// runtime under it (worker processes of this machine; in the same process; later a Ray cluster). Programs do
/// not use it directly.

#include <flowray/array.h>
#include <flowray/ray/ids.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

class Encoder;

namespace internal {

struct Measurement;

/// Hears that the last copy of a reference is gone, where that is not the runtime of the process but an
/// actor in one of its threads. Lives as long as handles do.
class HandleKeeper {
 public:
  virtual ~HandleKeeper() = default;
  HandleKeeper(const HandleKeeper&) = delete;
  HandleKeeper& operator=(const HandleKeeper&) = delete;
  virtual void release(ObjectId object) noexcept = 0;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  HandleKeeper() = default;

 private:
  std::atomic<uint32_t> references_{1};
};

/// This process's share in an object: one for all copies of an ObjectRef. The runtime hears when the last
/// copy goes. Thread-safe.
class ObjectHandle {
 public:
  /// `keeper`: retained; null: the runtime of the process.
  explicit ObjectHandle(ObjectId id, HandleKeeper* keeper = nullptr) noexcept : id_(id), keeper_(keeper) {
    if (keeper_ != nullptr) keeper_->retain();
  }
  ObjectHandle(const ObjectHandle&) = delete;
  ObjectHandle& operator=(const ObjectHandle&) = delete;

  ObjectId id() const noexcept { return id_; }
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  /// The last one tells the backend (if there still is one) and deletes the handle.
  void release() noexcept;

 private:
  ~ObjectHandle() = default;
  const ObjectId id_;
  HandleKeeper* const keeper_;
  std::atomic<uint32_t> references_{1};
};

/// An encoded value (see src/ray/values/value.h) that is held while this lives.
struct ValueView {
  std::span<const std::byte> bytes;
  /// Keeps `bytes` alive; arrays that lie in the object store are read in place by taking further references
  /// to it.
  Buffer* buffer = nullptr;
  /// Whether arrays may be read in place in `bytes`; else they are copied out (small values that rode in
  /// a message).
  bool in_place = false;
  /// The value is an encoded error, to be thrown.
  bool is_error = false;

  ValueView() = default;
  ValueView(const ValueView&) = delete;
  ValueView& operator=(const ValueView&) = delete;
  ValueView(ValueView&& other) noexcept;
  ValueView& operator=(ValueView&& other) noexcept;
  ~ValueView();
};

/// Throws the exception that a value with `is_error` stands for.
[[noreturn]] void throw_error_value(const ValueView& value);

/// What a process is to the actor that it is made for.
struct CurrentActor {
  ActorId id;  ///< none: it is not an actor's process
  uint32_t restarts = 0;
};

/// Which resources of the runtime: all, or those that no task or actor holds now.
enum class WhichResources : uint32_t { kAll, kFree };

/// A placement group: amounts of resources that are set aside together, for calls that name it.
struct GroupSpec {
  ObjectId id;  ///< of an object that is there when the group is
  uint32_t strategy = 0;
  uint32_t state = 0;  ///< as PlacementGroupState
  std::string name;
  std::vector<std::vector<std::pair<std::string, double>>> bundles;
};

/// What is asked of `Task(f)`, `Actor(f)` and `actor.Task(m)` beside the arguments.
struct CallOptions {
  /// The function, method or constructor, by the hash of its registered name.
  FunctionId function;
  /// For messages: the function's name as registered, valid as long as the program runs.
  std::string_view function_name;
  /// For a function that was not registered: its address, for the message that says so.
  const void* address = nullptr;
  /// The actor whose method is called; none for tasks and for making an actor.
  ActorId actor;
  /// How many values the call returns, each an object of its own.
  int num_returns = 1;
  /// As set by SetName: of a task for messages, of an actor for GetActor ("namespace/name" where it has
  /// a namespace).
  std::string name;
  /// For an actor: its class, for messages and the prefix of its output.
  std::string_view class_name;
  /// How often a task is run again, or an actor made again, when its process dies; -1: always.
  int max_retries = 0;
  /// For a task or a call of an actor: whether an exception, too, is a reason to run it again.
  bool retry_exceptions = false;
  /// For an actor: how many of its methods may run at a time, each in a thread of its own; unset: one, or of
  /// an actor with coroutines 1,000.
  static constexpr int kUnset = -2;
  /// At least 1 where it is set.
  int max_concurrency = kUnset;
  /// For an actor: the groups that it declares (add_concurrency_group); for a call: the name of the one that
  /// it runs in, empty: the method's.
  std::string concurrency_groups;
  /// For an actor: whether its methods take LaterAnswers, so that one thread begins them all.
  bool answers_later = false;
  /// For an actor: whether it has no process, but a thread of the driver's.
  bool is_in_thread = false;
  /// For an actor: whether it ends with the last handle to it, once its calls are done. Handles count by
  /// shares in the object whose id the actor has; its maker has the first one.
  bool is_counted = false;
  /// The call gives values one by one, while it runs: Backend::next_item takes them from its only return,
  /// which itself is there at the end. An error that ends the call is its last value.
  bool is_stream = false;
  /// Such a call is cancelled when its values become unreachable.
  bool ends_with_reader = false;
  /// For such a call: by how many values it may be ahead of its consumer; 0: by any number.
  int most_ahead = 0;
  /// The placement group that the resources are taken of; none: of what no group has.
  ObjectId group;
  /// Which of the group's bundles they are taken of, from 0; -1: any.
  int bundle = -1;
  /// Variables of the environment that it runs in, each "NAME=value" with a zero byte behind.
  std::string environment;
  /// For an actor: how often its calls are sent again when its process dies with them and it is made again;
  /// -1: always; unset: not at all. Of a call: the same of it alone; unset: as its actor says.
  std::optional<int> max_task_retries;
  /// As set by SetDeadline; 0: none.
  int deadline_ms = 0;
  /// As set by SetResource: amounts, positive and checked. The runtime knows what it has.
  std::vector<std::pair<std::string, double>> resources;
};

/// Thrown by ExitActor through the actor's method; not an error, and not to be caught.
struct ActorExit {};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// What next_item finds.
enum class NextItem : uint32_t { kNotYet, kItem, kEnd };

/// The call that runs in a thread.
struct CurrentCall {
  uint64_t number = 0;  ///< 0: none does
  bool is_stream = false;
  uint32_t most_ahead = 0;
  ObjectId group;  ///< the placement group that it runs in
};

/// The answer of a call that runs on when its function has returned, as a coroutine does.
class LaterAnswer {
 public:
  virtual ~LaterAnswer() = default;
  LaterAnswer(const LaterAnswer&) = delete;
  LaterAnswer& operator=(const LaterAnswer&) = delete;

  /// One for each value that the call returns, to be written into; an error goes into each of them.
  virtual std::span<Encoder> results() noexcept = 0;
  /// Sends what was written. Once, in any thread. A LaterAnswer that goes unsent is answered by an error.
  virtual void send(bool succeeded) = 0;
  /// The call is not run again for what send(false) is about to send, whatever its options say.
  virtual void fail_for_good() = 0;
  /// Calls `told` when Cancel() is called for the call and it is not answered; at once if that was before. In
  /// a thread of the runtime's, once.
  virtual void when_cancelled(std::function<void()> told) = 0;
  /// The call has come to ExitActor(): in place of send().
  virtual void exit_actor() = 0;

 protected:
  LaterAnswer() = default;
};

/// A function that gives its values one by one, between two of them, with its arguments.
class GivenValues {
 public:
  virtual ~GivenValues() = default;
  GivenValues(const GivenValues&) = delete;
  GivenValues& operator=(const GivenValues&) = delete;

  /// Writes the next value; false: there is none any more. Throws what the function throws,
  /// which has ended then.
  virtual bool next(Encoder& value) = 0;

 protected:
  GivenValues() = default;
};

/// What goes on when a value is there, without a thread that waits for it.
class Awaiting {
 public:
  /// The value, or the error in its place. Once.
  virtual void go_on(ValueView value) = 0;

 protected:
  ~Awaiting() = default;
};

/// One runtime. All calls may come from many threads. `arguments` holds the values and references of a call
/// in order (Encoder::argument_ref marks a reference); the encoder may be used again after the call.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Fills `returns` with one new handle for each value that the call will return; the caller owns a
  /// reference to each.
  virtual void submit(const CallOptions& call, Encoder& arguments, std::span<ObjectHandle*> returns) = 0;
  virtual ActorId create_actor(const CallOptions& call, Encoder& arguments) = 0;
  /// `no_restart` false: the actor is made again if it has restarts left.
  virtual void kill_actor(ActorId actor, bool no_restart) = 0;
  /// The actor with that name; none if there is none.
  virtual ActorId find_actor(std::string_view name) = 0;

  virtual ObjectHandle* put(Encoder& value) = 0;
  /// Waits until the value is there (or an error in its place). Returns no value when the deadline
  /// passes first.
  virtual std::optional<ValueView> get(ObjectId object, Deadline deadline) = 0;
  /// What the calling thread gets next, in this order, until expect({}): a hint, for a process that would ask
  /// another one for each.
  virtual void expect(std::span<const ObjectId> /*objects*/) noexcept {}
  /// Waits until at least `count` of `objects` are there (errors count) or the deadline passes; tells
  /// which are.
  virtual std::vector<bool> wait(std::span<const ObjectId> objects, int count, Deadline deadline) = 0;

  /// A handle for an object of this process's own runtime that is known by its number only; null where there
  /// is none, and in workers, whose runtime is another process's.
  virtual ObjectHandle* find_object(ObjectId) { return nullptr; }
  /// A handle for an object that came inside of another value.
  virtual ObjectHandle* adopt(ObjectId object) = 0;
  /// The last ObjectRef of this process to `object` is gone. Never throws, may be called in any thread.
  virtual void release(ObjectId object) noexcept = 0;

  /// In the thread in which a call runs: what its function returns or throws counts for nothing from now on.
  /// The call has its place among the actor's max_concurrency until the answer is sent. Throws RayException
  /// where no call of this runtime runs, and for a second answer to one.
  virtual std::unique_ptr<LaterAnswer> answer_later() = 0;
  /// In the thread in which a call runs that is answered later, or goes on: the value, if that is to be had
  /// at once; else `awaiting` goes on when it is there, in a thread that runs such calls, maybe before this
  /// returns. Throws RayException where no such call runs, and TaskCancelledException, once, in one that was
  /// cancelled; if that comes later, `awaiting` goes on with that error.
  virtual std::optional<ValueView> await(ObjectId object, Awaiting& awaiting) = 0;

  /// As Cancel().
  virtual void cancel(ObjectId object, bool force, bool recursive) = 0;
  /// Whether the call that runs in this thread was cancelled; false where none runs.
  virtual bool is_cancelled() = 0;
  /// The call that runs in this thread is not run again for what it throws, whatever its options say.
  virtual void fail_for_good() = 0;

  /// How many calls of the actor this process has made that are not done.
  virtual uint64_t pending_calls(ActorId actor) = 0;
  virtual CurrentActor current_actor() = 0;
  virtual std::string ray_namespace() = 0;
  /// As GetGpuIds().
  virtual std::vector<std::string> gpu_ids() = 0;
  /// Each name and its amount in thousandths, each with a zero byte behind it. Names of which there is
  /// nothing are left out.
  virtual std::string resources(WhichResources which) = 0;
  virtual CurrentCall current_call() = 0;
  /// A metric of the program's; nothing where no view shows it.
  virtual void measure(const Measurement&) {}

  /// The group's id; the object is never forgotten. Its id and state in `group` count for nothing.
  virtual ObjectId create_group(const GroupSpec& group) = 0;
  virtual void remove_group(ObjectId group) = 0;
  /// All that were made, those that were removed too.
  virtual std::vector<GroupSpec> groups() = 0;

  /// Waits for the next value of a call with is_stream, whose return is `stream`. `taken`: a new handle of
  /// it, if there is one; null: it is not to be taken.
  virtual NextItem next_item(ObjectId stream, ObjectHandle** taken, Deadline deadline) = 0;
  /// In a process that runs a call with is_stream, in any thread: the next value of it, of which there were
  /// `index` before. Throws RayException for a call that does not run here.
  virtual void give_item(const CurrentCall& call, uint64_t index, Encoder& value) = 0;
  /// Waits until the call may go on, which has given so many values. Throws TaskCancelledException, in the
  /// thread in which it runs, when it is cancelled.
  virtual void wait_to_give(const CurrentCall& call, uint64_t given) = 0;
  /// In the thread in which a call with is_stream runs: whether the runtime takes `values` and asks for them
  /// itself, each on demand. Else the caller gives them all.
  virtual bool keep_values(std::unique_ptr<GivenValues>& /*values*/) { return false; }
};

/// The runtime of this process; throws RayException that says to call Init() if there is none.
Backend& backend();
/// null if there is none.
Backend* backend_or_null() noexcept;
/// Sets it (null: none); the caller keeps it alive meanwhile.
void set_backend(Backend* backend) noexcept;
/// The same whatever thread asks: not an actor's that runs in one.
Backend* backend_of_process() noexcept;
/// Sets what backend() is in the calling thread, of an actor that runs in it (null: the process's).
void set_backend_of_thread(Backend* backend) noexcept;
/// Whether the calling thread is one that an actor runs in.
bool is_thread_of_actor() noexcept;

}  // namespace internal
}  // namespace flowray::ray

#pragma GCC visibility pop
