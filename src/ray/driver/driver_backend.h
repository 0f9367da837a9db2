#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <flowray/ray/backend.h>
#include <flowray/ray/runtime.h>

#include "core/function_ref.h"
#include "core/mutex.h"
#include "ray/driver/actor_thread.h"
#include "ray/driver/python_template.h"
#include "ray/driver/template_process.h"
#include "ray/driver/view_socket.h"
#include "ray/driver/view_text.h"
#include "ray/driver/worker_output.h"
#include "ray/owner/owner.h"
#include "ray/store/fetched_places.h"
#include "ray/store/reading.h"
#include "ray/transport/channel.h"
#include "ray/transport/descriptor_socket.h"
#include "ray/transport/waiting_room.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

/// The runtime of a driver: worker processes on this machine. One mutex guards the owner and all channels.
///
/// Messages of workers are read by the threads that wait in get or wait (WaitingRoom). Without one, a service
/// thread does it: it also receives the deaths of workers and shows the workers' output.
class DriverBackend final : public internal::Backend, private World {
 public:
  explicit DriverBackend(const RayConfig& config);
  ~DriverBackend() override;

  /// What becomes of threads that wait in get or wait.
  enum class Waiters { kThrow, kWaitOn };
  /// Ends all workers. Calls throw RayException from now on, those that wait too, so that the object must
  /// outlive them: it stays, as an empty shell. kWaitOn: the process ends, and its threads vanish where
  /// they are.
  void shut_down(Waiters waiters) noexcept;

  /// What people ask of a running driver, as of its socket: "status", "metrics", ...
  std::string answer(std::string_view request);

  void submit(const internal::CallOptions& call, Encoder& arguments,
              std::span<internal::ObjectHandle*> returns) override;
  ActorId create_actor(const internal::CallOptions& call, Encoder& arguments) override;
  void kill_actor(ActorId actor, bool no_restart) override;
  ActorId find_actor(std::string_view name) override;
  uint64_t pending_calls(ActorId actor) override;
  internal::ObjectHandle* put(Encoder& value) override;
  /// Where an array lies that a session fetches; none: in the heap.
  BufferRef memory_of_result(size_t bytes);
  std::optional<internal::ValueView> get(ObjectId object, internal::Deadline deadline) override;
  std::vector<bool> wait(std::span<const ObjectId> objects, int count, internal::Deadline deadline) override;
  internal::ObjectHandle* adopt(ObjectId object) override;
  void release(ObjectId object) noexcept override;
  std::unique_ptr<internal::LaterAnswer> answer_later() override;
  std::optional<internal::ValueView> await(ObjectId object, internal::Awaiting& awaiting) override;
  void cancel(ObjectId object, bool force, bool recursive) override;
  bool is_cancelled() override { return false; }
  void fail_for_good() override {}
  internal::CurrentActor current_actor() override { return {}; }
  std::string ray_namespace() override { return config_.ray_namespace; }
  std::vector<std::string> gpu_ids() override { return {}; }
  std::string resources(internal::WhichResources which) override;
  internal::CurrentCall current_call() override { return {}; }
  ObjectId create_group(const internal::GroupSpec& group) override;
  void remove_group(ObjectId group) override;
  std::vector<internal::GroupSpec> groups() override;
  internal::NextItem next_item(ObjectId stream, internal::ObjectHandle** taken,
                               internal::Deadline deadline) override;
  void give_item(const internal::CurrentCall&, uint64_t, Encoder&) override;
  void wait_to_give(const internal::CurrentCall&, uint64_t) override {}
  void measure(const internal::Measurement& measurement) override;
  internal::ObjectHandle* find_object(ObjectId object) override;

 private:
  class Waiting;
  class Completing;
  class Place;
  struct Service;

  /// One worker process, as the driver sees it.
  struct Connection {
    WorkerId id;
    TemplateProcess* home = nullptr;      // that has forked it
    std::unique_ptr<ActorThread> thread;  // or this, of an actor that has no process
    Channel channel;
    RingWriter writer;
    RingReader reader;
    DescriptorSocket socket;
    std::deque<std::vector<std::byte>> outbox;            // what the ring had no room for
    std::deque<RegionNotice> notices;                     // what the socket had no room for
    std::unordered_map<uint32_t, uint32_t> notices_sent;  // of each region that it has not forgotten
    std::unique_ptr<WorkerOutput> output;
    std::chrono::steady_clock::time_point rung_at;  // when it was woken last
    uint32_t num_unrung = 0;                        // messages that it was not woken for
    uint64_t last_run = 0;                          // the count of runs sent at its last one
    bool alive = true;
    bool is_to_die = false;     // the template could not be told yet
    bool is_abandoned = false;  // of a thread: it was told to end
  };

  /// A value to be written to disk; or, without an object, one that is to be forgotten there.
  struct DiskJob {
    ObjectId object;
    Extent extent;
    std::shared_ptr<SharedRegion> region;
    Spilled spilled;
  };

  // driver_backend.cpp
  internal::ObjectHandle* put_in_place(const Encoder& value);
  StoredValue store(Encoder& value, Place& place);
  Extent allocate(uint64_t bytes) FLOWRAY_REQUIRES(mutex_);
  bool await_room(internal::Deadline deadline) FLOWRAY_REQUIRES(mutex_);
  Submission submission(const internal::CallOptions& call, CallMode mode, Encoder& arguments,
                        std::vector<ObjectId>& refs, Place& place);
  void enter() FLOWRAY_REQUIRES(mutex_);
  void throw_if_over() const FLOWRAY_REQUIRES(mutex_);
  void look_around() FLOWRAY_REQUIRES(mutex_);
  void ask_owner(const FunctionRef<void()>& ask) FLOWRAY_REQUIRES(mutex_);
  void break_down() noexcept FLOWRAY_REQUIRES(mutex_);
  [[noreturn]] void throw_broken() const FLOWRAY_REQUIRES(mutex_);
  /// Whether the owner may be told and asked.
  bool is_running() const FLOWRAY_REQUIRES(mutex_) { return !stopping_ && !broken_; }
  void settle_let_go() FLOWRAY_REQUIRES(mutex_);
  void disarm() FLOWRAY_REQUIRES(mutex_);
  void take_down_bells() FLOWRAY_REQUIRES(mutex_);
  bool wait_until(internal::Deadline deadline, const FunctionRef<bool()>& done) FLOWRAY_REQUIRES(mutex_);
  internal::ValueView view_of(ObjectId object, const StoredValue& value) FLOWRAY_REQUIRES(mutex_);

  // driver_world.cpp: World; the owner calls it when it is called itself
  void start_worker(WorkerId worker, std::string_view label, WorkerKind kind) override
      FLOWRAY_REQUIRES(mutex_);
  void start(Connection& connection, std::string_view label, const WorkerDescriptors& descriptors)
      FLOWRAY_REQUIRES(mutex_);
  TemplateProcess& python_template() FLOWRAY_REQUIRES(mutex_);
  void kill_worker(WorkerId worker) override FLOWRAY_REQUIRES(mutex_);
  void interrupt_worker(WorkerId worker) override FLOWRAY_REQUIRES(mutex_);
  void pause(ActorId actor, uint32_t pause_ms) override FLOWRAY_REQUIRES(mutex_);
  void start_timer(TaskId task, Timer timer, uint32_t after_ms) override FLOWRAY_REQUIRES(mutex_);
  void stop_timers(TaskId task) noexcept override FLOWRAY_REQUIRES(mutex_);
  void send(WorkerId worker, const ToWorker& message) override FLOWRAY_REQUIRES(mutex_);
  void issue(WorkerId worker, uint64_t ticket) override FLOWRAY_REQUIRES(mutex_);
  bool revoke(WorkerId worker, uint64_t ticket) override FLOWRAY_REQUIRES(mutex_);
  bool has_begun(WorkerId worker, uint64_t ticket) override FLOWRAY_REQUIRES(mutex_);
  void warn(const std::string& text) override FLOWRAY_REQUIRES(mutex_);
  std::span<const std::byte> view(const Extent& extent) override FLOWRAY_REQUIRES(mutex_);
  void start_spill(ObjectId object, const Extent& value) override FLOWRAY_REQUIRES(mutex_);
  void restore(const Spilled& value, const Extent& to) override FLOWRAY_REQUIRES(mutex_);
  void forget(const Spilled& value) override FLOWRAY_REQUIRES(mutex_);
  void create(SlabId slab, uint64_t bytes) override FLOWRAY_REQUIRES(mutex_);
  void destroy(SlabId slab) override FLOWRAY_REQUIRES(mutex_);
  void share(SlabId slab, WorkerId worker, bool writable) override FLOWRAY_REQUIRES(mutex_);
  void unshare(SlabId slab, WorkerId worker) override FLOWRAY_REQUIRES(mutex_);
  void open_lease(WorkerId worker, uint32_t lease) override FLOWRAY_REQUIRES(mutex_);
  bool end_lease(WorkerId worker, uint32_t lease, uint32_t num_values) override FLOWRAY_REQUIRES(mutex_);
  void kill(Connection& connection) noexcept FLOWRAY_REQUIRES(mutex_);
  void tell_to_die(Connection& connection) FLOWRAY_REQUIRES(mutex_);
  template <class Message>
  Connection* post(WorkerId worker, const Message& message) FLOWRAY_REQUIRES(mutex_);
  bool rings_later(Connection& connection) FLOWRAY_REQUIRES(mutex_);
  void ring_workers() FLOWRAY_REQUIRES(mutex_);
  void see_to_unrung() FLOWRAY_REQUIRES(mutex_);
  bool flush(Connection& connection) FLOWRAY_REQUIRES(mutex_);
  void send_notices(Connection& connection) FLOWRAY_REQUIRES(mutex_);
  void bear_refusal() FLOWRAY_REQUIRES(mutex_);
  Connection* connection(WorkerId worker) FLOWRAY_REQUIRES(mutex_);
  void set_spinning() FLOWRAY_REQUIRES(mutex_);

  // driver_spill.cpp
  void want_disk(DiskJob job) FLOWRAY_REQUIRES(mutex_);
  void use_disk() noexcept;
  void do_job(DiskJob& job);  // without the lock
  void tell_of_spill(const DiskJob& job, const std::exception_ptr& trouble) FLOWRAY_REQUIRES(mutex_);
  void end_disk_thread();

  // driver_view.cpp
  RuntimeView view();
  std::vector<internal::GroupSpec> groups_now() const FLOWRAY_REQUIRES(mutex_);

  // driver_service.cpp
  void serve() noexcept;
  bool serve_once(Service& service) FLOWRAY_REQUIRES(mutex_);
  void hear_of_pids(const Service& service);  // without the lock
  bool await_end() FLOWRAY_REQUIRES(mutex_);
  void sleep_on_event(std::span<pollfd> polled, int timeout_ms);
  int arm(Service& service) FLOWRAY_REQUIRES(mutex_);
  bool may_sleep_long() FLOWRAY_REQUIRES(mutex_);
  bool drain() FLOWRAY_REQUIRES(mutex_);
  bool drain_and_ring() FLOWRAY_REQUIRES(mutex_);
  bool drain(Connection& connection) noexcept FLOWRAY_REQUIRES(mutex_);
  bool drain_threads() noexcept FLOWRAY_REQUIRES(mutex_);
  void add_head(Connection& connection, uint64_t last) FLOWRAY_REQUIRES(mutex_);
  bool read_turn(Connection& connection, int most) FLOWRAY_REQUIRES(mutex_);
  bool anything_to_read() FLOWRAY_REQUIRES(mutex_);
  bool may_sleep() FLOWRAY_REQUIRES(mutex_);
  void hear_of_deaths() FLOWRAY_REQUIRES(mutex_);
  bool hear_of_deaths_from(TemplateProcess& home) FLOWRAY_REQUIRES(mutex_);
  bool hear_of_thread_ends() FLOWRAY_REQUIRES(mutex_);
  bool has_only_late_threads() FLOWRAY_REQUIRES(mutex_);
  void end_pauses() FLOWRAY_REQUIRES(mutex_);
  void end_timers() FLOWRAY_REQUIRES(mutex_);
  void look_for_stuck(Service& service) FLOWRAY_REQUIRES(mutex_);
  void watch_memory() FLOWRAY_REQUIRES(mutex_);
  bool watches_memory() FLOWRAY_REQUIRES(mutex_);
  void worker_died(uint32_t worker, const std::string& reason) FLOWRAY_REQUIRES(mutex_);
  void say_goodbye(Connection& connection) noexcept FLOWRAY_REQUIRES(mutex_);
  void kick_service() noexcept;

  const RayConfig config_;
  const std::shared_ptr<LetGo> let_go_;
  const std::shared_ptr<FetchedPlaces> fetched_ = std::make_shared<FetchedPlaces>();
  uint64_t most_fetched_by_worker_ = 0;  // bytes of the store
  const std::unique_ptr<TemplateProcess> template_;
  /// How long a waiting thread sleeps at most. All workers ring one doorbell, and a faulty worker may leave
  /// it in a state in which it no longer wakes: then messages of the others are found this much later.
  static constexpr int kLongestSleepMs = 100;
  /// How long actors in threads are waited for beyond RayConfig::shutdown_timeout_ms.
  static constexpr std::chrono::milliseconds kLateThreads{100};
  SharedRegion doorbell_region_;
  Doorbell* doorbell_;
  Descriptor event_;  // eventfd: the doorbell of the service thread

  Mutex mutex_;
  /// The process that Python workers are forked from, where the program itself is not Python. Made by the
  /// first call of a Python function.
  std::unique_ptr<TemplateProcess> python_template_ FLOWRAY_GUARDED_BY(mutex_);
  /// The template before it, kept until the deaths of its last workers have been reported.
  std::unique_ptr<TemplateProcess> ended_python_template_ FLOWRAY_GUARDED_BY(mutex_);
  std::string session_ FLOWRAY_GUARDED_BY(mutex_);      // the session's name as Python workers get it
  int python_failures_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // templates in a row that died before they were ready
  std::shared_ptr<ThreadEnds> thread_ends_ FLOWRAY_GUARDED_BY(mutex_);  // from the first actor in a thread on
  /// drain_threads' heap of the next message of each actor in a thread, by its stamp, the least first.
  std::vector<std::pair<uint64_t, Connection*>> thread_heads_ FLOWRAY_GUARDED_BY(mutex_);
  std::unique_ptr<Owner> owner_ FLOWRAY_GUARDED_BY(mutex_) FLOWRAY_PT_GUARDED_BY(mutex_);
  std::map<uint32_t, std::unique_ptr<Connection>> connections_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<Connection*> alive_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<uint32_t, std::shared_ptr<SharedRegion>> regions_ FLOWRAY_GUARDED_BY(mutex_);
  /// Written by disk_thread_ without the lock, read by others with it.
  SpillFile spill_file_;
  std::deque<DiskJob> disk_jobs_ FLOWRAY_GUARDED_BY(mutex_);
  CondVar disk_wanted_;
  std::thread disk_thread_ FLOWRAY_GUARDED_BY(mutex_);  // from the first job on
  std::vector<ObjectId> released_scratch_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<ObjectId> read_scratch_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<uint64_t> message_copy_ FLOWRAY_GUARDED_BY(mutex_);
  std::unique_ptr<WaitingRoom> waiting_room_ FLOWRAY_GUARDED_BY(mutex_) FLOWRAY_PT_GUARDED_BY(mutex_);
  bool service_armed_ FLOWRAY_GUARDED_BY(mutex_) = false;  // workers wake the service thread
  bool stopping_ FLOWRAY_GUARDED_BY(mutex_) = false;
  /// Something was done halfway, for want of memory: the owner's state may be inconsistent, and is not used
  /// any more.
  bool broken_ FLOWRAY_GUARDED_BY(mutex_) = false;
  char broken_by_[200] FLOWRAY_GUARDED_BY(mutex_) = "";
  /// Since when the system refuses to pass anything to other processes;
  /// after kLongestRefusal that is an error.
  std::optional<std::chrono::steady_clock::time_point> refused_since_ FLOWRAY_GUARDED_BY(mutex_);
  static constexpr std::chrono::seconds kLongestRefusal{3};
  bool waiters_leave_ FLOWRAY_GUARDED_BY(mutex_) = false;  // shut_down waits for them
  int waiters_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  CondVar waiters_left_;
  /// When the workers that are left are killed.
  std::chrono::steady_clock::time_point goodbye_ends_ FLOWRAY_GUARDED_BY(mutex_);
  /// Actors by the time at which they are made again, or killed if they have not ended.
  std::multimap<std::chrono::steady_clock::time_point, ActorId> pauses_ FLOWRAY_GUARDED_BY(mutex_);
  /// The calls that have timers, by the time at which these end.
  using Timers = std::multimap<std::chrono::steady_clock::time_point, std::pair<TaskId, Timer>>;
  Timers timers_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_multimap<TaskId, Timers::iterator> timers_of_ FLOWRAY_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point memory_is_watched_at_ FLOWRAY_GUARDED_BY(mutex_);
  uint64_t activity_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::vector<Connection*> unrung_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_first_after_wait_ FLOWRAY_GUARDED_BY(mutex_) = true;  // the next worker to be woken
  std::chrono::steady_clock::time_point last_unrung_at_ FLOWRAY_GUARDED_BY(mutex_);
  /// When the service thread rings them at the latest.
  std::chrono::steady_clock::time_point service_looks_at_ FLOWRAY_GUARDED_BY(mutex_);
  uint32_t spin_us_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  static constexpr uint64_t kRecentRuns = 32;
  uint64_t runs_sent_ FLOWRAY_GUARDED_BY(mutex_) = kRecentRuns;
  /// The service thread starts it; ended before that is.
  ViewSocket view_socket_{[this](std::string_view request) { return answer(request); }};
  std::thread service_;
};

}  // namespace flowray::ray
