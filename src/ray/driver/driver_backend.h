#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <flowray/ray/backend.h>
#include <flowray/ray/runtime.h>

#include "ray/driver/template_process.h"
#include "ray/driver/worker_output.h"
#include "ray/owner/owner.h"
#include "ray/store/reading.h"
#include "ray/transport/channel.h"
#include "ray/transport/descriptor_socket.h"
#include "ray/transport/waiting_room.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

/// The runtime of a driver: worker processes on this machine. One mutex guards the owner and all channels.
///
/// Messages of workers are read by whoever waits in get or wait (WaitingRoom). When nobody waits, a service
/// thread does it: it also hears of deaths and shows the workers' output.
class DriverBackend final : public internal::Backend, private World {
 public:
  explicit DriverBackend(const RayConfig& config);
  ~DriverBackend() override;

  /// What becomes of threads that wait in get or wait.
  enum class Waiters { kThrow, kWaitOn };
  /// Ends all workers. Calls throw RayException from now on, those that wait too, so that the object must
  /// outlive them: it stays, as an empty shell. kWaitOn: the process ends, and its threads vanish where they
  /// are.
  void shut_down(Waiters waiters) noexcept;

  void submit(const internal::CallOptions& call, Encoder& arguments,
              std::span<internal::ObjectHandle*> returns) override;
  ActorId create_actor(const internal::CallOptions& call, Encoder& arguments) override;
  void kill_actor(ActorId actor, bool no_restart) override;
  ActorId find_actor(std::string_view name) override;
  internal::ObjectHandle* put(Encoder& value) override;
  std::optional<internal::ValueView> get(ObjectId object, internal::Deadline deadline) override;
  std::vector<bool> wait(std::span<const ObjectId> objects, int count, internal::Deadline deadline) override;
  internal::ObjectHandle* adopt(ObjectId object) override;
  void release(ObjectId object) noexcept override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  class Waiting;

  /// One worker process, as the driver sees it.
  struct Connection {
    WorkerId id;
    Channel channel;
    RingWriter writer;
    RingReader reader;
    DescriptorSocket socket;
    std::deque<std::vector<std::byte>> outbox;  // what the ring had no room for
    std::deque<RegionNotice> notices;           // what the socket had no room for
    std::vector<SlabId> regions;                // that it was told of
    std::unique_ptr<WorkerOutput> output;
    uint64_t last_run = 0;  // the count of runs sent at its last one
    bool alive = true;
  };

  // driver_backend.cpp
  StoredValue store(Encoder& value);
  Submission submission(const internal::CallOptions& call, CallMode mode, Encoder& arguments,
                        std::vector<ObjectId>& refs);
  void enter(Lock& lock);
  void settle_let_go();
  void disarm();
  bool wait_until(Lock& lock, internal::Deadline deadline, const FunctionRef<bool()>& done);
  internal::ValueView view_of(ObjectId object, const StoredValue& value);

  // driver_world.cpp: World
  void start_worker(WorkerId worker, std::string_view label) override;
  void kill_worker(WorkerId worker) override;
  void send(WorkerId worker, const ToWorker& message) override;
  void issue(WorkerId worker, uint32_t ticket) override;
  bool revoke(WorkerId worker, uint32_t ticket) override;
  std::span<const std::byte> view(const Extent& extent) override;
  void create(SlabId slab, uint64_t bytes) override;
  void destroy(SlabId slab) override;
  void share(SlabId slab, WorkerId worker, bool writable) override;
  template <class Message>
  Connection* post(WorkerId worker, const Message& message);
  bool flush(Connection& connection);
  void send_notices(Connection& connection);
  Connection* connection(WorkerId worker);
  void set_spinning();

  // driver_service.cpp
  void serve();
  bool drain();
  bool drain(Connection& connection);
  bool anything_to_read();
  void hear_of_deaths();
  void worker_died(uint32_t worker, const std::string& reason);
  void kick_service();

  const RayConfig config_;
  const std::shared_ptr<LetGo> let_go_;
  const std::unique_ptr<TemplateProcess> template_;
  SharedRegion doorbell_region_;
  Doorbell* doorbell_;
  Descriptor event_;  // eventfd: the doorbell of the service thread

  std::mutex mutex_;
  // Guarded by mutex_, from here to the end.
  std::unique_ptr<Owner> owner_;
  std::map<uint32_t, std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> alive_;
  std::unordered_map<uint32_t, std::shared_ptr<SharedRegion>> regions_;
  std::vector<ObjectId> released_scratch_;
  std::vector<ObjectId> read_scratch_;
  std::unique_ptr<WaitingRoom> waiting_room_;
  bool service_armed_ = false;  // workers wake the service thread
  bool stopping_ = false;
  bool waiters_leave_ = false;  // shut_down waits for them
  int waiters_ = 0;
  std::condition_variable waiters_left_;
  std::chrono::steady_clock::time_point goodbye_ends_;  // then the workers that are left are killed
  uint64_t activity_ = 0;
  uint32_t spin_us_ = 0;
  static constexpr uint64_t kRecentRuns = 32;
  uint64_t runs_sent_ = kRecentRuns;
  std::thread service_;
};

}  // namespace flowray::ray
