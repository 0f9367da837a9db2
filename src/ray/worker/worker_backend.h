#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <flowray/ray/backend.h>
#include <flowray/ray/errors.h>

#include "core/mutex.h"
#include "ray/functions/run_function.h"
#include "ray/store/extent_allocator.h"
#include "ray/store/fetched_places.h"
#include "ray/store/reading.h"
#include "ray/transport/channel.h"
#include "ray/transport/descriptor_socket.h"
#include "ray/transport/link.h"
#include "ray/transport/waiting_room.h"
#include "ray/worker/call_environment.h"
#include "ray/worker/outgoing.h"
#include "ray/worker/visible_gpus.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

/// The runtime of a worker process: runs calls one after the other in its main thread - an actor's with
/// max_concurrency several at a time, in further threads - and asks the owner, in the driver, for everything
/// else. Or that of an actor that has a thread of the driver's in place of a process.
class WorkerBackend final : public internal::Backend {
 public:
  enum class Home { kProcess, kThread };
  WorkerBackend(WorkerId id, Channel channel, SharedRegion driver_doorbell, int event_fd, Descriptor socket,
                Home home);
  ~WorkerBackend() override;

  /// Arrays that sessions of this process fetch may lie in the store from now on.
  void fetch_into_store();
  /// Runs calls until the driver says Exit. Of a thread: throws a RayException that says what else ended it.
  void run();
  /// In any thread, of one in a thread: what waits here throws, no call begins any more, and those that run
  /// are not answered. Takes no lock; an Exit must follow, which wakes what waits.
  void abandon() noexcept { is_abandoned_ = true; }
  /// What this process has let go of here. Outlives the backend.
  const std::shared_ptr<LetGo>& let_go() const { return let_go_; }

  void submit(const internal::CallOptions& call, Encoder& arguments,
              std::span<internal::ObjectHandle*> returns) override;
  ActorId create_actor(const internal::CallOptions& call, Encoder& arguments) override;
  void kill_actor(ActorId actor, bool no_restart) override;
  ActorId find_actor(std::string_view name) override;
  uint64_t pending_calls(ActorId actor) override;
  internal::ObjectHandle* put(Encoder& value) override;
  std::optional<internal::ValueView> get(ObjectId object, internal::Deadline deadline) override;
  void expect(std::span<const ObjectId> objects) noexcept override;
  std::vector<bool> wait(std::span<const ObjectId> objects, int count, internal::Deadline deadline) override;
  internal::ObjectHandle* adopt(ObjectId object) override;
  void release(ObjectId object) noexcept override;
  std::unique_ptr<internal::LaterAnswer> answer_later() override;
  std::optional<internal::ValueView> await(ObjectId object, internal::Awaiting& awaiting) override;
  void cancel(ObjectId object, bool force, bool recursive) override;
  bool is_cancelled() override;
  void fail_for_good() override;
  internal::CurrentActor current_actor() override;
  std::string ray_namespace() override { return channel_.ray_namespace(); }
  std::vector<std::string> gpu_ids() override { return gpus_.ids(); }
  void measure(const internal::Measurement& measurement) override;
  std::string resources(internal::WhichResources which) override;
  internal::CurrentCall current_call() override;
  ObjectId create_group(const internal::GroupSpec& group) override;
  void remove_group(ObjectId group) override;
  std::vector<internal::GroupSpec> groups() override;
  internal::NextItem next_item(ObjectId stream, internal::ObjectHandle** taken,
                               internal::Deadline deadline) override;
  void give_item(const internal::CurrentCall& call, uint64_t index, Encoder& value) override;
  void wait_to_give(const internal::CurrentCall& call, uint64_t given) override;

 private:
  class Question;
  class Later;
  class Keeper;
  struct Executor;
  class Expecting;
  class Listed;
  /// A part of a slab that this process writes into, until the owner takes it back.
  struct WritableRoom {
    SlabId slab;
    uint32_t lease = 0;
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    ExtentAllocator free_space;  // from `offset` on
    bool holds(const Extent& extent) const {
      return extent.slab == slab && extent.offset >= offset && extent.offset - offset < size_bytes;
    }
  };
  struct MappedRegion {
    std::shared_ptr<SharedRegion> memory;
    SharedRegion::Access access = SharedRegion::Access::kRead;
  };
  /// A call's wait for a value, without a thread.
  struct Await {
    TaskId task;
    internal::Awaiting* awaiting = nullptr;
  };
  /// A coroutine whose awaited value has arrived, and which is to be resumed with it.
  struct GoingOn {
    Await await;
    internal::ValueView value;
    uint64_t cancelled_request = 0;  ///< not 0: nothing arrived; the owner drops this request
  };
  /// Calls that came and have not begun, of one of the actor's concurrency groups.
  struct Lane {
    uint32_t max_concurrency = 1;
    uint32_t num_running = 0;                 // calls that have begun and are not answered
    std::deque<std::vector<std::byte>> runs;  // messages, in order
    bool may_begin() const { return !runs.empty() && num_running < max_concurrency; }
  };
  /// How calls of an actor go: by a link, while none is under way through the owner that might be overtaken.
  struct Route {
    uint64_t num_calls = 0;  ///< made through the owner
    uint64_t ask_at = 4;     ///< at so many of these a link is asked for
    bool is_asked = false;
    LinkId link;
    bool is_drained = false;  ///< by the link
    uint64_t num_linked = 0;  ///< made by it since it is
    uint64_t num_handed = 0;  ///< of these: whose values went to the owner
    uint64_t backoff = 1;     ///< calls through the owner until it is asked for again
  };
  /// A link by which this process calls an actor.
  struct OutLink {
    LinkId id;
    ActorId actor;
    Link link;
    RingWriter writer = link.writer_to_callee();
    RingReader reader = link.reader_in_caller();
    std::shared_ptr<Doorbell> callee_doorbell = link.callee_doorbell();
    uint64_t last_ticket = 0;
    uint64_t num_pending = 0;           ///< calls that are answered here and have not been
    bool is_broken = false;             ///< what came cannot be: nothing more is read
    std::bitset<Link::kTickets> taken;  ///< words of the tickets of those calls

    /// The next one whose word no pending call has; at least one call less is pending than there are words.
    uint64_t next_ticket() const {
      uint64_t ticket = last_ticket + 1;
      while (taken[ticket % Link::kTickets]) ++ticket;
      return ticket;
    }
    void begin(uint64_t ticket) {
      last_ticket = ticket;
      ++num_pending;
      taken.set(ticket % Link::kTickets);
      link.issue(ticket);
    }
    void end(uint64_t ticket) {
      --num_pending;
      taken.reset(ticket % Link::kTickets);
    }
  };
  /// One by which this process is called.
  struct InLink {
    LinkId id;
    WorkerId caller;
    Link link;
    RingReader reader = link.reader_in_callee();
    RingWriter writer = link.writer_to_caller();
    std::shared_ptr<Doorbell> caller_doorbell = link.caller_doorbell();
    TaskId last_task;  ///< their numbers rise
    uint64_t num_unanswered = 0;
    bool is_ended = false;
    bool is_broken = false;
  };
  /// What a call by a link returns, while the owner does not know of it.
  struct LinkedCall {
    LinkId link;
    uint64_t ticket = 0;
    TaskId parent;
    bool is_answered = false;
    bool is_handed = false;  ///< the callee has answered the owner
    bool is_error = false;
    bool is_released = false;  ///< no handle is left
    std::vector<std::byte> value;
    std::vector<uint64_t> questions;
  };
  /// What the owner is to be told of links.
  using LinkNews = std::variant<AskLink, LinkMade, LinkClosed>;

  // worker_backend.cpp
  internal::ObjectHandle* new_handle(ObjectId object) const;
  ObjectId new_objects(uint32_t count) FLOWRAY_REQUIRES(mutex_);
  CallSpec submit(const internal::CallOptions& call, CallMode mode, Encoder& arguments);
  bool answered(const Question& question, internal::Deadline deadline) FLOWRAY_REQUIRES(mutex_);
  bool answered_unless_cancelled(const Question& question, internal::Deadline deadline)
      FLOWRAY_REQUIRES(mutex_);
  void place(Encoder& value, Outgoing& outgoing, size_t most_inline = kInlineBytes);
  /// Where the store is full, an error in place of a value.
  void place_results(const Run& run, std::span<Encoder> results, Answer& answer);
  bool lend(const Encoder& value, Outgoing& outgoing);
  Extent allocate(size_t bytes) FLOWRAY_REQUIRES(mutex_);
  void give_up(const Extent& extent) FLOWRAY_REQUIRES(mutex_);
  std::optional<Extent> allocate_in(WritableRoom& room, size_t bytes) FLOWRAY_REQUIRES(mutex_);
  std::optional<Extent> allocate_in_leases(size_t bytes, uint64_t most_room_bytes) FLOWRAY_REQUIRES(mutex_);
  std::optional<Extent> allocate_in_new(const Leased& leased, size_t bytes) FLOWRAY_REQUIRES(mutex_);
  void on_freed(const Extent& extent) FLOWRAY_REQUIRES(mutex_);

  // worker_fetched.cpp
  BufferRef memory_of_result(size_t bytes);
  Extent allocate_if_free(size_t bytes) FLOWRAY_REQUIRES(mutex_);
  ObjectId put_fetched(const Encoder& value);
  void note_copied(const Encoder& value);

  // worker_messages.cpp
  template <class Message>
  void post(const Message& message) FLOWRAY_REQUIRES(mutex_);
  /// Puts the message into the ring to the driver, without waking the driver: ring_driver() does.
  template <class Message>
  void publish(const Message& message) FLOWRAY_REQUIRES(mutex_);
  void ring_driver() FLOWRAY_REQUIRES(mutex_);
  bool rings_later(FunctionId answered, std::chrono::steady_clock::time_point now,
                   std::chrono::steady_clock::duration took) FLOWRAY_REQUIRES(mutex_);
  bool is_short(FunctionId function) FLOWRAY_REQUIRES(mutex_);
  std::byte* wait_for_room(size_t bytes) FLOWRAY_REQUIRES(mutex_);
  bool has_wanted_room() FLOWRAY_REQUIRES(mutex_);
  bool wait_until(internal::Deadline deadline, const FunctionRef<bool()>& done) FLOWRAY_REQUIRES(mutex_);
  bool may_sleep() FLOWRAY_REQUIRES(mutex_);
  void tell_let_go() FLOWRAY_REQUIRES(mutex_);
  bool drain() FLOWRAY_REQUIRES(mutex_);
  bool drain_for_all() FLOWRAY_REQUIRES(mutex_);
  void on_message(std::span<const std::byte> message) FLOWRAY_REQUIRES(mutex_);
  internal::ValueView view_of(const ValuePart& part) FLOWRAY_REQUIRES(mutex_);
  internal::ValueView view_or_error(const ValuePart& part) FLOWRAY_REQUIRES(mutex_);
  internal::ValueView error_view(ErrorKind kind, const std::string& text) FLOWRAY_REQUIRES(mutex_);
  void become_actor(const BecomeActor& message) FLOWRAY_REQUIRES(mutex_);
  std::shared_ptr<SharedRegion> region(SlabId slab, SharedRegion::Access access) FLOWRAY_REQUIRES(mutex_);
  void receive_region() FLOWRAY_REQUIRES(mutex_);
  void forget_region(const Forget& message) FLOWRAY_REQUIRES(mutex_);

  // worker_linked_calls.cpp
  bool may_go_by_link(const Submit& call, const Encoder& arguments, const Outgoing& blob) const;
  ObjectId submit_by_link(const Submit& message, std::span<const std::byte> arguments);
  ObjectId send_by_link(OutLink& out, const Submit& message, std::span<const std::byte> arguments)
      FLOWRAY_REQUIRES(mutex_);
  static void back_off(Route& route) noexcept;
  void note_handed(const OutLink& out) noexcept FLOWRAY_REQUIRES(mutex_);
  void expect_call_by_owner(ActorId actor) FLOWRAY_REQUIRES(mutex_);
  void note_call_by_owner(ActorId actor, bool may_go_by_link) noexcept FLOWRAY_REQUIRES(mutex_);
  bool take_linked(ObjectId object, internal::Deadline deadline, std::optional<internal::ValueView>& value)
      FLOWRAY_REQUIRES(mutex_);
  void hand_over(ObjectId object) FLOWRAY_REQUIRES(mutex_);
  void hand_over(std::span<internal::ObjectHandle* const> handles);
  bool put_answered(ObjectId object, const LinkedCall& call) FLOWRAY_REQUIRES(mutex_);
  bool promise(ObjectId object, const LinkedCall& call) FLOWRAY_REQUIRES(mutex_);
  void await_answer(ObjectId object, LinkId link, uint64_t ticket) FLOWRAY_REQUIRES(mutex_);
  bool has_room_at_once(size_t bytes) FLOWRAY_REQUIRES(mutex_);
  void leave(ObjectId object) FLOWRAY_REQUIRES(mutex_);
  bool forget_linked(ObjectId object) FLOWRAY_REQUIRES(mutex_);
  void wake_questions(LinkedCall& call) FLOWRAY_REQUIRES(mutex_);
  void on_handed(const Handed& message) FLOWRAY_REQUIRES(mutex_);
  void fail_pending(LinkId link, std::span<const std::byte> error) FLOWRAY_REQUIRES(mutex_);
  void break_link(OutLink& out, const std::string& what) FLOWRAY_REQUIRES(mutex_);
  void await_end_of_links(ActorId actor) FLOWRAY_REQUIRES(mutex_);
  void cancel_linked(TaskId parent) FLOWRAY_REQUIRES(mutex_);
  void cancel_call_by_link(ObjectId object) FLOWRAY_REQUIRES(mutex_);

  // worker_links.cpp
  bool has_linked_messages() FLOWRAY_REQUIRES(mutex_);
  bool drain_links() FLOWRAY_REQUIRES(mutex_);
  bool drain_link(OutLink& out) FLOWRAY_REQUIRES(mutex_);
  bool drain_link(InLink& in) FLOWRAY_REQUIRES(mutex_);
  void take_answer(OutLink& out, ObjectId object, const ValuePart& value) FLOWRAY_REQUIRES(mutex_);
  /// Throws errors::DataLossError for a message that is not of links.
  void on_link_message(std::span<const std::byte> message) FLOWRAY_REQUIRES(mutex_);
  void on_linked(const Linked& message) FLOWRAY_REQUIRES(mutex_);
  bool take_in_link(const Linked& message) FLOWRAY_REQUIRES(mutex_);
  bool take_out_link(const Linked& message) FLOWRAY_REQUIRES(mutex_);
  std::optional<Link> mapped(LinkId id) FLOWRAY_REQUIRES(mutex_);
  void on_link_ended(const LinkEnded& message) FLOWRAY_REQUIRES(mutex_);
  void close_if_done(InLink& in) FLOWRAY_REQUIRES(mutex_);
  bool has_link_news() const FLOWRAY_REQUIRES(mutex_) {
    return !link_news_.empty() || !to_cancel_.empty() || !handed_.empty();
  }
  void tell_link_news() FLOWRAY_REQUIRES(mutex_);
  void tell(const LinkNews& news) FLOWRAY_REQUIRES(mutex_);
  InLink* link_of(TaskId task) FLOWRAY_REQUIRES(mutex_);
  /// Whether it came by a link, or is to go by one; calls that the owner knows have small numbers.
  static bool is_linked(TaskId task) { return task.value >> 40 != 0; }
  bool answer_linked(const Run& run, const ValuePart& part, const Done& done) FLOWRAY_REQUIRES(mutex_);
  void note_ran_linked(const Run& run, const Done& done) FLOWRAY_REQUIRES(mutex_);
  void report_ran_linked() FLOWRAY_REQUIRES(mutex_);

  // worker_run.cpp
  void run_calls();
  void run_calls_of_thread();
  enum class Next { kExit, kCall, kGoOn };
  Next take_next(Executor& executor);
  void take_call(Executor& executor, Lane& lane) FLOWRAY_REQUIRES(mutex_);
  /// One whose next call may begin; null: there is none.
  Lane* lane_to_begin() FLOWRAY_REQUIRES(mutex_) {
    for (Lane& lane : lanes_) {
      if (lane.may_begin()) return &lane;
    }
    return nullptr;
  }
  bool has_work() FLOWRAY_REQUIRES(mutex_) { return lane_to_begin() != nullptr || !going_on_.empty(); }
  bool has_to_tell() FLOWRAY_REQUIRES(mutex_) {
    return !cancelled_runs_.empty() || !to_tell_.empty() || (!is_telling_of_links_ && has_link_news());
  }
  void execute(Executor& executor);
  bool run_in(Executor& executor, std::span<const internal::ValueView> values, std::span<Encoder> results);
  void take_arguments(const Run& run, std::vector<internal::ValueView>& values);
  void tell_steps() FLOWRAY_REQUIRES(mutex_);
  /// What the thread that answers does next: it looks for calls itself, or leaves that to another.
  enum class Then { kGoesElsewhere, kTakesNext };
  void send_results(const Run& run, std::span<Encoder> results, bool succeeded,
                    std::chrono::steady_clock::time_point begin, bool fails_for_good, Then then,
                    Answer& answer);
  void end_call(const Run& run) FLOWRAY_REQUIRES(mutex_);
  void end_if_forked(FunctionId function);
  bool restore_actor(std::span<Encoder> results);
  void keep_checkpoint(FunctionId method);
  bool start_threads(std::span<Encoder> results);
  void end_actor();

  // worker_expect.cpp
  bool take_expected(ObjectId object, internal::Deadline deadline, std::optional<internal::ValueView>& value)
      FLOWRAY_REQUIRES(mutex_);

  // worker_await.cpp
  bool take_awaited(uint64_t request, const ValuePart& part) FLOWRAY_REQUIRES(mutex_);
  void cancel_await(Later& later) FLOWRAY_REQUIRES(mutex_);
  void end_awaits() FLOWRAY_REQUIRES(mutex_);
  void take_going_on(Executor& executor) FLOWRAY_REQUIRES(mutex_);
  void go_on(Executor& executor);

  // worker_cancel.cpp
  void hear_of_interrupts() FLOWRAY_REQUIRES(mutex_);
  void on_interrupt(const Interrupt& message) FLOWRAY_REQUIRES(mutex_);
  void answer_cancelled_runs() FLOWRAY_REQUIRES(mutex_);
  void answer_cancelled_run(std::span<const std::byte> message) FLOWRAY_REQUIRES(mutex_);
  void tell_of_cancels() FLOWRAY_REQUIRES(mutex_);

  const WorkerId id_;
  const Channel channel_;
  const SharedRegion driver_doorbell_region_;
  Doorbell& driver_doorbell_;
  const int event_fd_;
  DescriptorSocket socket_;
  const std::shared_ptr<LetGo> let_go_;
  const std::shared_ptr<FetchedPlaces> fetched_ = std::make_shared<FetchedPlaces>();
  /// Set in an actor that is a thread of the program: keeps the handles that its threads may have.
  internal::HandleKeeper* const keeper_;
  std::atomic<bool> is_abandoned_{false};
  /// Whether calls of this process may go by links.
  const bool may_link_;

  Mutex mutex_;
  RingReader reader_ FLOWRAY_GUARDED_BY(mutex_);
  RingWriter writer_ FLOWRAY_GUARDED_BY(mutex_);
  WaitingRoom waiting_room_ FLOWRAY_GUARDED_BY(mutex_);
  /// Threads that wait for room in the ring to the driver, and the most bytes that one of them wants.
  int waiting_for_room_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  size_t room_wanted_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  /// Since when answers have been in the ring for which a driver's thread that waits was not woken.
  std::optional<std::chrono::steady_clock::time_point> unrung_since_ FLOWRAY_GUARDED_BY(mutex_);
  /// How long calls have taken, of each function: the longest, less an eighth for each call since.
  std::unordered_map<FunctionId, std::chrono::steady_clock::duration> took_lately_ FLOWRAY_GUARDED_BY(mutex_);
  uint64_t last_request_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  uint64_t last_object_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool exiting_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::string trouble_ FLOWRAY_GUARDED_BY(mutex_);  // that ended an actor's thread
  std::unordered_map<uint64_t, Question*> questions_ FLOWRAY_GUARDED_BY(mutex_);
  Mutex checkpoint_mutex_;                       // before mutex_
  BecomeActor self_ FLOWRAY_GUARDED_BY(mutex_);  // of a worker for tasks: of no actor, one call at a time
  std::vector<Lane> lanes_ FLOWRAY_GUARDED_BY(mutex_) = std::vector<Lane>(1);  // the first: in no group
  std::unordered_map<uint64_t, Await> awaits_ FLOWRAY_GUARDED_BY(mutex_);      // by their requests
  std::deque<GoingOn> going_on_ FLOWRAY_GUARDED_BY(mutex_);
  /// One of the threads without a call is the lookout: it waits for messages. The others sleep until it has a
  /// call and goes.
  bool has_lookout_ FLOWRAY_GUARDED_BY(mutex_) = false;
  int idle_threads_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  CondVar lookout_wanted_;
  std::vector<Executor*> executors_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<TaskId, Later*> laters_ FLOWRAY_GUARDED_BY(mutex_);
  std::atomic<uint32_t> interrupts_heard_{0};  // of Channel::num_interrupts; changed under the lock
  std::list<std::vector<std::byte>> cancelled_runs_ FLOWRAY_GUARDED_BY(mutex_);  // that had not begun
  std::vector<std::function<void()>> to_tell_ FLOWRAY_GUARDED_BY(mutex_);  // of LaterAnswer::when_cancelled
  std::unordered_map<TaskId, uint64_t> taken_ FLOWRAY_GUARDED_BY(mutex_);  // of calls with values one by one
  std::vector<std::vector<std::byte>> spare_ FLOWRAY_GUARDED_BY(mutex_);
  /// Arguments that came ahead of their Run.
  std::unordered_map<TaskId, std::vector<internal::ValueView>> arguments_ FLOWRAY_GUARDED_BY(mutex_);
  size_t num_parts_taken_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // of the message that is being read
  /// A notice that has been received and is not noted yet.
  std::optional<std::pair<RegionNotice, Descriptor>> notice_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<uint32_t, MappedRegion> regions_ FLOWRAY_GUARDED_BY(mutex_);
  /// How often each was received since it was forgotten last.
  std::unordered_map<uint32_t, uint32_t> notices_ FLOWRAY_GUARDED_BY(mutex_);
  /// Regions that went before their descriptor was received, an entry for each that is still to come.
  std::vector<SlabId> gone_early_ FLOWRAY_GUARDED_BY(mutex_);
  /// Regions that came when this process could take none; the owner is asked for them again with the
  /// next request for values.
  std::vector<SlabId> lost_regions_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<ActorId, Route> routes_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<uint32_t, OutLink> out_links_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<uint32_t, InLink> in_links_ FLOWRAY_GUARDED_BY(mutex_);  // by their callers
  std::unordered_map<ObjectId, LinkedCall> linked_calls_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ObjectId> to_cancel_ FLOWRAY_GUARDED_BY(mutex_);  // of these, as their callers are
  std::vector<ObjectId> handed_ FLOWRAY_GUARDED_BY(mutex_);     // of these, to be promised
  uint64_t last_linked_ FLOWRAY_GUARDED_BY(mutex_) = 0;         // of the ids of their returns
  std::deque<LinkNews> link_news_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_telling_of_links_ FLOWRAY_GUARDED_BY(mutex_) = false;
  /// Where in the ring to the driver the last message ends that other processes may have to find done when
  /// they hear of this one by a link: the making of an actor, say.
  uint64_t ordered_until_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::byte> linked_message_ FLOWRAY_GUARDED_BY(mutex_);  // scratch of drain_link
  std::vector<ValuePart> linked_parts_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<uint64_t> ran_linked_ FLOWRAY_GUARDED_BY(mutex_);  // as RanLinked
  uint32_t num_quiet_ FLOWRAY_GUARDED_BY(mutex_) = 0;            // reports for which nobody was woken
  std::vector<WritableRoom> leases_ FLOWRAY_GUARDED_BY(mutex_);
  uint32_t fetches_unasked_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // before it asks for room for one again
  std::vector<ObjectId> released_scratch_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ObjectId> read_scratch_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ValuePart> parts_ FLOWRAY_GUARDED_BY(mutex_);

  CallEnvironment environment_;       // the same
  VisibleGpus gpus_;                  // of the task that runs, or of the actor
  ActorObject actor_;                 // made before the threads below begin
  std::vector<std::thread> threads_;  // the main thread's
};

}  // namespace flowray::ray
