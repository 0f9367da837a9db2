#include "ray/worker/worker_backend.h"
#include "ray/owner/metrics.h"

#include <flowray/errors.h>
#include <flowray/ray/encoding.h>
#include <flowray/ray/errors.h>

#include <utility>

#include "core/environment.h"
#include "ray/store/store.h"
#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

using internal::Deadline;
using internal::ObjectHandle;
using internal::ValueView;

/// Arrays and references of an actor's thread may be in the program's hands when it has ended.
class WorkerBackend::Keeper final : public internal::HandleKeeper {
 public:
  explicit Keeper(std::shared_ptr<LetGo> let_go) : let_go_(std::move(let_go)) {}
  void release(ObjectId object) noexcept override { let_go_->release(object); }

 private:
  const std::shared_ptr<LetGo> let_go_;
};

bool are_links_wanted() { return switch_from_environment("FLOWRAY_LINKS", false); }

WorkerBackend::WorkerBackend(WorkerId id, Channel channel, SharedRegion driver_doorbell, int event_fd,
                             Descriptor socket, Home home)
    : id_(id),
      channel_(std::move(channel)),
      driver_doorbell_region_(std::move(driver_doorbell)),
      driver_doorbell_(reinterpret_cast<DriverDoorbell*>(driver_doorbell_region_.data())->doorbell),
      event_fd_(event_fd),
      socket_(std::move(socket)),
      let_go_(std::make_shared<LetGo>(home == Home::kThread ? LetGo::Counts::kYes : LetGo::Counts::kNo)),
      keeper_(home == Home::kThread ? new Keeper(let_go_) : nullptr),
      may_link_(home == Home::kProcess && are_links_wanted() && Doorbell::can_sleep_on_several()),
      reader_(channel_.reader_in_worker()),
      writer_(channel_.writer_to_driver()),
      waiting_room_(channel_.worker_doorbell()),
      gpus_(home == Home::kThread ? VisibleGpus::Sets::kNothing : VisibleGpus::Sets::kEnvironment) {}

WorkerBackend::~WorkerBackend() {
  if (keeper_ != nullptr) keeper_->let_go();
}

ObjectHandle* WorkerBackend::new_handle(ObjectId object) const {
  let_go_->handle_begins(object);
  return new ObjectHandle(object, keeper_);
}

ObjectId WorkerBackend::new_objects(uint32_t count) {
  const ObjectId first{(uint64_t{id_.value} << 40) + last_object_ + 1};
  last_object_ += count;
  return first;
}

// ---- calls

/// With the ids that it was given; its refs are gone.
CallSpec WorkerBackend::submit(const internal::CallOptions& call, CallMode mode, Encoder& arguments) {
  Outgoing blob;
  place(arguments, blob);
  std::vector<ObjectId> refs;
  for (const ObjectHandle* handle : arguments.argument_refs()) refs.push_back(handle->id());
  const ValuePart part = blob.part({});
  Submit message;
  set_options(message, call, mode);
  message.refs = refs;
  message.parts = {&part, 1};
  if (Executor::here != nullptr) message.parent = Executor::here->run.task;
  const bool may_be_linked = may_go_by_link(message, arguments, blob);
  if (may_be_linked) {
    if (const ObjectId returned = submit_by_link(message, blob.bytes)) {
      message.first_return = returned;
      return message;
    }
  }
  hand_over(arguments.argument_refs());
  const MutexLock lock(mutex_);
  if (message_size_bytes(message) > writer_.max_message_bytes()) {
    if (!blob.lender) give_up(blob.extent);
    throw RayException("A call with " + std::to_string(refs.size()) +
                       " references as arguments; pass them in a vector, which stays a list of references.");
  }
  if (message.mode == CallMode::kMakeActor) {
    message.actor = {new_objects(1).value};
  } else {
    message.first_return = new_objects(message.terms.num_returns);
  }
  if (mode == CallMode::kActorCall) expect_call_by_owner(message.actor);
  post(message);
  if (mode == CallMode::kMakeActor) ordered_until_ = writer_.position();
  if (mode == CallMode::kActorCall) note_call_by_owner(message.actor, may_be_linked);
  message.refs = {};
  return message;
}

void WorkerBackend::submit(const internal::CallOptions& call, Encoder& arguments,
                           std::span<ObjectHandle*> returns) {
  const CallSpec made = submit(call, call.actor ? CallMode::kActorCall : CallMode::kTask, arguments);
  for (size_t i = 0; i < returns.size(); ++i) returns[i] = new_handle({made.first_return.value + i});
}

ActorId WorkerBackend::create_actor(const internal::CallOptions& call, Encoder& arguments) {
  if (!call.name.empty() && find_actor(call.name)) {
    throw RayException("The name '" + call.name + "' is taken by another actor.");
  }
  return submit(call, CallMode::kMakeActor, arguments).actor;
}

void WorkerBackend::kill_actor(ActorId actor, bool no_restart) {
  const MutexLock lock(mutex_);
  post(KillActor{actor, no_restart ? 0u : 1u});
  await_end_of_links(actor);
}

ActorId WorkerBackend::find_actor(std::string_view name) {
  if (name.size() > kMostNameBytes) return {};  // no actor has such a one
  const MutexLock lock(mutex_);
  const Question question(*this);
  post(FindActor{question.id, name});
  answered(question, {});
  return question.actor;
}

uint64_t WorkerBackend::pending_calls(ActorId actor) {
  const MutexLock lock(mutex_);
  const Question question(*this);
  post(AskPendingCalls{question.id, actor});
  answered(question, {});
  uint64_t by_links = 0;
  for (const auto& [id, out] : out_links_) by_links += out.actor == actor ? out.num_pending : 0;
  return question.count + by_links;
}

void WorkerBackend::measure(const internal::Measurement& measurement) {
  std::string tags;
  const Measured message = measured_message(measurement, tags);
  const MutexLock lock(mutex_);
  post(message);
}

std::string WorkerBackend::resources(internal::WhichResources which) {
  const MutexLock lock(mutex_);
  const Question question(*this);
  post(AskResources{question.id, which});
  answered(question, {});
  return question.text;
}

ObjectHandle* WorkerBackend::put(Encoder& value) {
  if (const ObjectId object = put_fetched(value)) {
    const MutexLock lock(mutex_);
    ring_driver();
    return new_handle(object);
  }
  Outgoing outgoing;
  place(value, outgoing);
  const MutexLock lock(mutex_);
  const ValuePart part = outgoing.part(new_objects(1));
  post(PutValue{{&part, 1}});
  return new_handle(part.object);
}

std::optional<ValueView> WorkerBackend::get(ObjectId object, Deadline deadline) {
  const MutexLock lock(mutex_);
  tell_let_go();
  if (std::optional<ValueView> linked; take_linked(object, deadline, linked)) return linked;
  if (std::optional<ValueView> expected; take_expected(object, deadline, expected)) return expected;
  Question question(*this);
  post(GetValues{question.id, {&object, 1}});
  if (!answered_unless_cancelled(question, deadline)) {
    post(Cancel{question.id});
    return std::nullopt;
  }
  return std::move(question.value);
}

std::vector<bool> WorkerBackend::wait(std::span<const ObjectId> objects, int count, Deadline deadline) {
  const MutexLock lock(mutex_);
  tell_let_go();
  for (const ObjectId object : objects) hand_over(object);
  Question question(*this);
  const WaitFor message{question.id, static_cast<uint32_t>(count), objects};
  if (message_size_bytes(message) > writer_.max_message_bytes()) {
    throw RayException("Wait() for " + std::to_string(objects.size()) +
                       " objects at once is too much for a worker.");
  }
  post(message);
  if (!answered_unless_cancelled(question, deadline)) {
    // The owner answers with what is there now.
    post(Cancel{question.id});
    answered(question, {});
  }
  return std::move(question.ready);
}

ObjectHandle* WorkerBackend::adopt(ObjectId object) {
  const MutexLock lock(mutex_);
  post(Adopt{object});
  return new_handle(object);
}

void WorkerBackend::release(ObjectId object) noexcept { let_go_->release(object); }

bool WorkerBackend::answered(const Question& question, Deadline deadline) {
  const auto is_anything = [&]() FLOWRAY_REQUIRES(mutex_) {
    return question.is_answered || !cancelled_runs_.empty();
  };
  while (wait_until(deadline, is_anything) && !question.is_answered) answer_cancelled_runs();
  return question.is_answered;
}

// ---- values on their way out

void WorkerBackend::place(Encoder& value, Outgoing& outgoing, size_t most_inline) {
  hand_over(value.nested_refs());
  const size_t bytes = encoded_size_bytes(value);
  outgoing.is_error = value.is_error();
  if (bytes <= most_inline) {
    outgoing.bytes.resize(bytes);
    write_value(value, outgoing.bytes.data());
    return;
  }
  if (lend(value, outgoing)) return;
  if (const ObjectId object = put_fetched(value)) {
    let_go_->release(object);  // it is lent while it is being read
    if (lend(value, outgoing)) return;
  }
  note_copied(value);
  std::shared_ptr<SharedRegion> memory;  // stays while it is written without the lock
  {
    const MutexLock lock(mutex_);
    const Extent extent = allocate(bytes);
    try {
      memory = region(extent.slab, SharedRegion::Access::kReadWrite);
    } catch (...) {
      give_up(extent);
      throw;
    }
    outgoing.extent = extent;
  }
  outgoing.bytes.clear();
  write_value(value, memory->data() + outgoing.extent.offset);
}

/// A value that lies in the store already, such as an argument that is returned, is not copied.
bool WorkerBackend::lend(const Encoder& value, Outgoing& outgoing) {
  if (value.arrays().size() != 1 || value.arrays()[0].size_bytes() < kLeastLentBytes) return false;
  Loan loan(let_go_, value.arrays()[0].raw_data());
  const LetGo::Large& read = loan.large();
  if (!read.object) return false;
  const auto begin = same_value_in(read.bytes, value);
  if (!begin) return false;
  outgoing.bytes.clear();
  outgoing.extent = {read.extent.slab, read.extent.offset + *begin, read.extent.size_bytes - *begin};
  outgoing.lender = read.object;
  outgoing.loan = std::move(loan);
  return true;
}

Extent WorkerBackend::allocate(size_t bytes) {
  if (const auto extent = allocate_in_leases(bytes, most_region_bytes_for(bytes))) return *extent;
  // What it gets may be taken back before it comes to use it: then others need it more, and it asks again.
  for (;;) {
    const Question question(*this);
    post(Lease{question.id, bytes});
    answered(question, {});
    if (!question.leased.slab) {
      if (const auto extent = allocate_in_leases(bytes, UINT64_MAX)) return *extent;
      throw ObjectStoreFullException(question.text);
    }
    if (const auto extent = allocate_in_new(question.leased, bytes)) return *extent;
  }
}

/// In those of at most that size; none: no room is left there.
std::optional<Extent> WorkerBackend::allocate_in_leases(size_t bytes, uint64_t most_room_bytes) {
  tell_let_go();
  drain_for_all();  // reads what is free again
  std::erase_if(leases_, [this](const WritableRoom& room) { return !channel_.holds_lease(room.lease); });
  for (WritableRoom& room : leases_) {
    if (room.size_bytes > most_room_bytes) continue;
    if (const auto extent = allocate_in(room, bytes)) return extent;
  }
  return std::nullopt;
}

/// None: it was taken back meanwhile.
std::optional<Extent> WorkerBackend::allocate_in_new(const Leased& leased, size_t bytes) {
  leases_.push_back(
      {leased.slab, leased.lease, leased.offset, leased.size_bytes, ExtentAllocator(leased.size_bytes)});
  auto extent = allocate_in(leases_.back(), bytes);
  if (!extent) leases_.pop_back();
  return extent;
}

std::optional<Extent> WorkerBackend::allocate_in(WritableRoom& room, size_t bytes) {
  const auto offset = room.free_space.allocate(bytes);
  if (!offset) return std::nullopt;
  if (!channel_.add_value(room.lease)) return std::nullopt;  // taken back meanwhile
  return Extent{room.slab, room.offset + *offset, bytes};
}

/// The extent is of no use after all.
void WorkerBackend::give_up(const Extent& extent) {
  for (WritableRoom& room : leases_) {
    if (!room.holds(extent) || !channel_.holds_lease(room.lease)) continue;
    room.free_space.free(extent.offset - room.offset);
    channel_.drop_value(room.lease);
  }
}

void WorkerBackend::on_freed(const Extent& extent) {
  for (WritableRoom& room : leases_) {
    if (room.holds(extent) && channel_.holds_lease(room.lease))
      room.free_space.free(extent.offset - room.offset);
  }
}

}  // namespace flowray::ray
