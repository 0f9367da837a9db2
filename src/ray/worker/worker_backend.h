#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <flowray/ray/backend.h>

#include "ray/functions/run_function.h"
#include "ray/store/extent_allocator.h"
#include "ray/store/reading.h"
#include "ray/transport/channel.h"
#include "ray/transport/descriptor_socket.h"
#include "ray/transport/waiting_room.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

/// The runtime of a worker process: runs calls one after the other in its main thread, and asks the owner, in
/// the driver, for everything else.
class WorkerBackend final : public internal::Backend {
 public:
  WorkerBackend(WorkerId id, Channel channel, SharedRegion driver_doorbell, int event_fd, Descriptor socket);
  ~WorkerBackend() override;

  /// Until the driver says Exit.
  void run();

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
  /// What a thread waits for: filled as messages come.
  struct Reply {
    bool is_there = false;
    internal::ValueView value;
    std::vector<bool> ready;
    ActorId actor;
    SlabId slab;
    std::string text;
  };
  /// A slab that this process writes into.
  struct LeasedSlab {
    SlabId id;
    ExtentAllocator free_space;
  };
  struct MappedRegion {
    std::shared_ptr<SharedRegion> memory;
    SharedRegion::Access access = SharedRegion::Access::kRead;
  };
  /// A value of this process on its way: in `bytes`, or in the store.
  struct Outgoing {
    std::vector<std::byte> bytes;
    Extent extent;
    bool is_error = false;
  };

  // worker_backend.cpp
  ObjectId new_objects(uint32_t count);
  CallSpec submit(const internal::CallOptions& call, CallMode mode, Encoder& arguments);
  bool ask(Lock& lock, uint64_t request, Reply& reply, internal::Deadline deadline);
  void place(Encoder& value, Outgoing& outgoing, size_t most_inline = kInlineBytes);
  Extent allocate(Lock& lock, size_t bytes);
  std::byte* data_of(const Extent& extent);

  // worker_messages.cpp
  template <class Message>
  void post(const Message& message);
  void tell_let_go();
  bool drain();
  void on_message(std::span<const std::byte> message);
  internal::ValueView view_of(const ValuePart& part);
  std::shared_ptr<SharedRegion> region(SlabId slab, SharedRegion::Access access);
  void receive_region();

  // worker_run.cpp
  void execute(std::span<const std::byte> message);
  std::vector<internal::ValueView> take_arguments(const Run& run, std::span<const std::byte> message);
  void send_results(const Run& run, bool succeeded, uint64_t run_ns);
  bool wait_for_work(Lock& lock);

  const WorkerId id_;
  const Channel channel_;
  const SharedRegion driver_doorbell_region_;
  Doorbell& driver_doorbell_;
  const int event_fd_;
  DescriptorSocket socket_;
  const std::shared_ptr<LetGo> let_go_ = std::make_shared<LetGo>();

  std::mutex mutex_;
  // Guarded by mutex_, from here to `actor_`.
  RingReader reader_;
  RingWriter writer_;
  WaitingRoom waiting_room_;
  uint64_t last_request_ = 0;
  uint64_t last_object_ = 0;
  bool exiting_ = false;
  std::unordered_map<uint64_t, Reply*> replies_;
  std::deque<std::vector<std::byte>> runs_;  // messages, in order
  std::vector<std::vector<std::byte>> spare_;
  std::unordered_map<TaskId, std::map<uint32_t, internal::ValueView>> arguments_;
  std::unordered_map<uint32_t, MappedRegion> regions_;
  std::vector<SlabId> gone_early_;  // regions that went before their descriptor was received
  std::vector<LeasedSlab> leases_;
  std::vector<ObjectId> released_scratch_;
  std::vector<ObjectId> read_scratch_;
  std::vector<ValuePart> parts_;

  // The main thread's.
  ActorObject actor_;
  std::unique_ptr<Encoder[]> results_;  // used again by each call
  size_t num_results_ = 0;
  std::vector<ValuePart> run_parts_;
};

}  // namespace flowray::ray
