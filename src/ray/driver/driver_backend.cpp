#include "ray/driver/driver_backend.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/result_memory.h"
#include "core/step_log.h"
#include "core/thread_owned.h"
#include "ray/driver/machine_resources.h"
#include "ray/functions/function_registry.h"
#include "ray/values/value.h"
#include "ray/worker/worker.h"

namespace flowray::ray {
namespace {

using internal::Deadline;
using internal::ObjectHandle;
using internal::ValueView;

// What an earlier runtime of this process has used up; see Owner::Limits.
std::atomic<uint64_t> ids_used{0};
std::atomic<uint32_t> workers_used{0};

/// Without remote functions no worker is needed, so that it does not matter if there can be none.
std::unique_ptr<TemplateProcess> start_template(const std::string& environment) {
  try {
    return TemplateProcess::start(worker_main, environment);
  } catch (const RuntimeError&) {
    if (registered_functions().size() > 0) throw;
    return TemplateProcess::none();
  }
}

}  // namespace

DriverBackend::DriverBackend(const RayConfig& config)
    : config_(with_settled_python(config)),
      let_go_(std::make_shared<LetGo>()),
      template_(start_template(internal::environment_text(config.runtime_env))),
      spill_file_(config.object_spilling_directory) {
  doorbell_region_ = SharedRegion::create("flowray-driver", sizeof(DriverDoorbell));
  doorbell_ = &reinterpret_cast<DriverDoorbell*>(doorbell_region_.data())->doorbell;
  event_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event_) throw errors::ResourceExhaustedError("cannot make an eventfd; are there too many open files?");
  Owner::Limits limits;
  MachineResources machine = machine_resources(config);
  limits.num_cpus = machine.num_cpus;
  limits.grants_gpus = machine.grants_gpus;
  limits.store_bytes = machine.store_bytes;
  fetched_->set_most_bytes(machine.store_bytes / 4);
  most_fetched_by_worker_ = machine.store_bytes / 4;
  limits.memory_bytes = machine.memory_bytes;
  limits.resources = std::move(machine.others);
  limits.ray_namespace = config.ray_namespace;
  limits.unschedulable_ms = static_cast<uint32_t>(config.unschedulable_timeout_ms);
  limits.keeps_python_apart = !has_template_starter();
  limits.last_id = ids_used;
  limits.last_worker = workers_used;
  limits.most_links = std::min(limits.most_links, machine.num_descriptors / 8);
  waiting_room_ = std::make_unique<WaitingRoom>(*doorbell_, 1000 * kLongestSleepMs);
  owner_ = std::make_unique<Owner>(static_cast<World&>(*this), limits);
  // Waited for last: the template starts while the rest is set up.
  template_->await_ready(std::chrono::milliseconds(config.worker_startup_timeout_ms));
  StepLog& steps = StepLog::of_process();  // may throw, which it must not once there is the thread
  try {
    service_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot start a thread: {}; raise the limit of processes (ulimit -u), or end some", error.what()));
  }
  steps.turn(true);
  // NumPy's arrays may be written to, those in the store may not.
  if (!has_template_starter()) {
    begin_to_take_results(*this, [](internal::Backend& backend, size_t bytes) {
      return static_cast<DriverBackend&>(backend).memory_of_result(bytes);
    });
  }
}

DriverBackend::~DriverBackend() { shut_down(Waiters::kThrow); }

void DriverBackend::shut_down(Waiters waiters) noexcept {
  end_to_take_results(*this);
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    disk_wanted_.notify_all();
    waiters_leave_ = waiters == Waiters::kThrow;
    waiting_room_->wake_all();
    template_->wake();
    if (python_template_ != nullptr) {
      python_template_->end_if_not_ready();
      python_template_->wake();
    }
    for (auto& [id, to] : connections_) say_goodbye(*to);
    goodbye_ends_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(config_.shutdown_timeout_ms);
    kick_service();
  }
  service_.join();
  let_go_->awake();  // it may have left by an exception
  StepLog::of_process().turn(false);
  end_disk_thread();
  view_socket_.stop();
  template_->stop();
  const MutexLock lock(mutex_);
  if (python_template_ != nullptr) python_template_->stop();
  unrung_.clear();
  alive_.clear();  // of workers whose deaths a broken runtime was not told of
  connections_.clear();
  ids_used = owner_->last_id();
  workers_used = owner_->last_worker();
  if (waiters == Waiters::kWaitOn) return;
  waiters_left_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return waiters_ == 0; });
  owner_.reset();
  regions_.clear();  // arrays that are still read keep theirs
  doorbell_region_ = SharedRegion();
  event_.close();
}

// ---- calls

namespace {

/// New handles of consecutive objects, made before the owner is told of these: afterwards nothing may fail.
class NewHandles {
 public:
  NewHandles(std::span<ObjectHandle*> handles, ObjectId first) : handles_(handles) {
    std::ranges::fill(handles_, nullptr);
    try {
      for (size_t i = 0; i < handles_.size(); ++i) handles_[i] = new ObjectHandle({first.value + i});
    } catch (...) {
      let_go();
      throw;
    }
  }
  ~NewHandles() { let_go(); }
  NewHandles(const NewHandles&) = delete;
  NewHandles& operator=(const NewHandles&) = delete;
  void keep() { handles_ = {}; }

 private:
  void let_go() {
    for (ObjectHandle*& handle : handles_) {
      if (handle != nullptr) std::exchange(handle, nullptr)->release();
    }
  }

  std::span<ObjectHandle*> handles_;
};

}  // namespace

/// While it lives, the calling thread may make objects ready that others wait for, as calls that fail do; no
/// ring tells them.
class DriverBackend::Completing {
 public:
  explicit Completing(DriverBackend& backend)
      : backend_(backend), before_(backend.owner_->num_ready_events()) {}
  ~Completing() {
    if (backend_.owner_->num_ready_events() != before_) backend_.waiting_room_->wake_all();
  }
  Completing(const Completing&) = delete;
  Completing& operator=(const Completing&) = delete;

 private:
  DriverBackend& backend_;
  const uint64_t before_;
};

/// A place in the store that is given back, unless the owner takes over what was written there.
class DriverBackend::Place {
 public:
  explicit Place(LetGo& let_go) : let_go_(let_go) {}
  ~Place() {
    if (extent_) let_go_.discard(extent_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  void hold(const Extent& extent) { extent_ = extent; }
  /// The owner is asked next: it keeps the value, gives the place back itself, or breaks down.
  void leave() { extent_ = {}; }

 private:
  LetGo& let_go_;
  Extent extent_;
};

StoredValue DriverBackend::store(Encoder& value, Place& place) {
  const size_t bytes = encoded_size_bytes(value);
  StoredValue stored;
  stored.is_error = value.is_error();
  if (bytes <= kInlineBytes) {
    stored.bytes = Buffer::allocate(bytes);
    write_value(value, stored.bytes->data());
    return stored;
  }
  // The extent is not shared yet, so it is written without the lock; the region stays whatever others do.
  std::shared_ptr<SharedRegion> region;
  {
    const MutexLock lock(mutex_);
    enter();
    stored.extent = allocate(bytes);
    place.hold(stored.extent);
    region = regions_.at(stored.extent.slab.value);
  }
  write_value(value, region->data() + stored.extent.offset);
  return stored;
}

/// Waits for room where calls that run may let go of some.
Extent DriverBackend::allocate(uint64_t bytes) {
  Extent extent;
  while (!extent) {
    ask_owner([&]() FLOWRAY_REQUIRES(mutex_) {
      try {
        extent = owner_->allocate(bytes);
      } catch (const StoreFullError& error) {
        if (bytes > owner_->store().capacity_bytes() || !owner_->room_may_come())
          throw ObjectStoreFullException(error.message());
      } catch (const errors::ResourceExhaustedError& error) {
        throw ObjectStoreFullException(error.message());
      }
    });
    if (!extent) await_room({});
  }
  return extent;
}

/// Waits until there may be room; false: the deadline has passed.
bool DriverBackend::await_room(Deadline deadline) {
  const uint64_t before = owner_->num_room_events();
  return wait_until(deadline, [&]() FLOWRAY_REQUIRES(mutex_) {
    settle_let_go();
    return owner_->num_room_events() != before || !owner_->room_may_come();
  });
}

Submission DriverBackend::submission(const internal::CallOptions& call, CallMode mode, Encoder& arguments,
                                     std::vector<ObjectId>& refs, Place& place) {
  Submission submission;
  set_options(submission, call, mode);
  submission.arguments = store(arguments, place);
  refs.clear();
  for (ObjectHandle* handle : arguments.argument_refs()) refs.push_back(handle->id());
  submission.refs = refs;
  return submission;
}

namespace {
/// The references in the call that a thread makes; the memory is kept from one call to the next.
struct RefsOfCall {
  std::vector<ObjectId> ids;
};
}  // namespace

void DriverBackend::submit(const internal::CallOptions& call, Encoder& arguments,
                           std::span<ObjectHandle*> returns) {
  std::vector<ObjectId>& refs = ThreadOwned<RefsOfCall>::get().ids;
  Place place(*let_go_);
  Submission made =
      submission(call, call.actor ? CallMode::kActorCall : CallMode::kTask, arguments, refs, place);
  const MutexLock lock(mutex_);
  look_around();
  // A value on disk may be brought back by this call, and what was let go of is the room for it.
  if (owner_->spilled_bytes() > 0) settle_let_go();
  made.first_return = owner_->new_objects(made.terms.num_returns);
  NewHandles handles(returns, made.first_return);
  const Completing completing(*this);
  place.leave();
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->submit(made); });
  settle_let_go();  // only now: the worker has begun meanwhile
  handles.keep();
}

ActorId DriverBackend::create_actor(const internal::CallOptions& call, Encoder& arguments) {
  std::vector<ObjectId> refs;
  Place place(*let_go_);
  Submission made = submission(call, CallMode::kMakeActor, arguments, refs, place);
  const MutexLock lock(mutex_);
  enter();
  if (!call.name.empty() && owner_->find_actor(call.name))
    throw RayException(fmt::format("The name '{}' is taken by another actor.", call.name));
  made.actor = owner_->new_actor();
  const Completing completing(*this);
  place.leave();
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->submit(made); });
  return made.actor;
}

void DriverBackend::kill_actor(ActorId actor, bool no_restart) {
  const MutexLock lock(mutex_);
  enter();
  const Completing completing(*this);
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->kill_actor(actor, !no_restart); });
}

void DriverBackend::cancel(ObjectId object, bool force, bool recursive) {
  const MutexLock lock(mutex_);
  enter();
  if (!owner_->is_known(object))
    throw RayException("The object is not of this runtime: it was made before a Shutdown().");
  const Completing completing(*this);
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->cancel_call(object, force, recursive); });
}

std::string DriverBackend::resources(internal::WhichResources which) {
  const MutexLock lock(mutex_);
  enter();
  if (drain_and_ring()) waiting_room_->wake_sleepers();  // their calls may be done by now
  if (broken_) throw_broken();
  return resources_text(owner_->resources(which));
}

uint64_t DriverBackend::pending_calls(ActorId actor) {
  const MutexLock lock(mutex_);
  enter();
  if (drain_and_ring()) waiting_room_->wake_sleepers();  // their calls may be done by now
  if (broken_) throw_broken();
  return owner_->pending_calls(actor, {});
}

ActorId DriverBackend::find_actor(std::string_view name) {
  const MutexLock lock(mutex_);
  enter();
  return owner_->find_actor(name);
}

/// Null: the value has to be copied.
ObjectHandle* DriverBackend::put_in_place(const Encoder& value) {
  if (!is_array_behind(value, FetchedPlaces::kRoomBytes) ||
      value.arrays()[0].size_bytes() < kLeastResultBytes)
    return nullptr;
  const Array& array = value.arrays()[0];
  const MutexLock lock(mutex_);
  enter();
  const ObjectId object = owner_->new_objects();
  ObjectHandle* handle = nullptr;
  NewHandles handles({&handle, 1}, object);
  const Extent extent = fetched_->claim(array.raw_data(), array.size_bytes(), object);
  if (!extent) {
    fetched_->note_put(array.size_bytes());
    return nullptr;
  }
  std::byte* const out = regions_.at(extent.slab.value)->data() + extent.offset;
  write_head_before_array(value, out, FetchedPlaces::kRoomBytes);
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) {
    owner_->put(object, {{}, extent, false});
    owner_->begin_read(object);  // by the array that the program has
  });
  handles.keep();
  return handle;
}

ObjectHandle* DriverBackend::put(Encoder& value) {
  if (ObjectHandle* const handle = put_in_place(value)) return handle;
  Place place(*let_go_);
  StoredValue stored = store(value, place);
  const MutexLock lock(mutex_);
  enter();
  const ObjectId object = owner_->new_objects();
  ObjectHandle* handle = nullptr;
  NewHandles handles({&handle, 1}, object);
  place.leave();
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->put(object, std::move(stored)); });
  handles.keep();
  return handle;
}

ObjectHandle* DriverBackend::adopt(ObjectId object) {
  const MutexLock lock(mutex_);
  enter();
  ObjectHandle* const handle = new ObjectHandle(object);
  owner_->adopt(object);
  return handle;
}

ObjectHandle* DriverBackend::find_object(ObjectId object) {
  const MutexLock lock(mutex_);
  enter();
  if (!owner_->is_known(object)) return nullptr;
  auto* const handle = new ObjectHandle(object);
  owner_->adopt(object);
  return handle;
}

void DriverBackend::measure(const internal::Measurement& measurement) {
  const MutexLock lock(mutex_);
  enter();
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->measure(measurement); });
}

void DriverBackend::release(ObjectId object) noexcept { let_go_->release(object); }

std::unique_ptr<internal::LaterAnswer> DriverBackend::answer_later() {
  throw RayException("No call runs in the driver that could be answered later.");
}

std::optional<ValueView> DriverBackend::await(ObjectId /*object*/, internal::Awaiting& /*awaiting*/) {
  throw RayException(
      "co_await of an ObjectRef in a coroutine that nothing runs. In the driver Async::Get() runs it: "
      "ray::Get(f(x)).");
}

// ---- waiting

/// A RayException leaves the owner's state unchanged. After any other exception that state is undefined, and
/// the runtime breaks down.
void DriverBackend::ask_owner(const FunctionRef<void()>& ask) {
  try {
    ask();
    see_to_unrung();
  } catch (const RayException&) {
    throw;
  } catch (...) {
    break_down();
    throw;
  }
}

/// In the handler of an exception: the runtime ends here, in words. Those that wait, and all later calls, get
/// an error; the workers are ended by shut_down.
void DriverBackend::break_down() noexcept {
  if (broken_) return;
  broken_ = true;
  try {
    throw;
  } catch (const std::exception& error) {
    std::strncpy(broken_by_, error.what(), sizeof broken_by_ - 1);
  } catch (...) {
  }
  waiting_room_->wake_all();
  kick_service();
}

void DriverBackend::throw_broken() const {
  throw RayException(
      fmt::format("The actor runtime has broken down: it could not finish what it was doing ({}).\n"
                  "Is there too little memory? Shutdown() and Init() make a new one.",
                  broken_by_));
}

/// What every call does first.
void DriverBackend::enter() {
  throw_if_over();
  settle_let_go();
  look_around();
}

void DriverBackend::throw_if_over() const {
  if (stopping_) throw RayException("The actor runtime has ended: another thread called Shutdown().");
  if (broken_) throw_broken();
}

/// enter() of calls that settle what was let go of later.
void DriverBackend::look_around() {
  throw_if_over();
  // Workers need not wake the service thread while the program itself looks at the rings now and then.
  // A thread of the program may have a reference from an actor's whose making is still in a ring.
  if ((++activity_ & 15) == 0 ? drain() : drain_threads()) waiting_room_->wake_sleepers();
  if (broken_) throw_broken();
  disarm();
  see_to_unrung();
}

/// From now on workers do not wake the service thread: another thread polls the rings, or it does
/// itself soon.
void DriverBackend::disarm() {
  if (!service_armed_) return;
  take_down_bells();
  kick_service();
}

void DriverBackend::take_down_bells() {
  for (const Connection* from : alive_) from->channel.service_doorbell().cancel();
  service_armed_ = false;
}

void DriverBackend::settle_let_go() {
  if (!let_go_->take(released_scratch_, read_scratch_)) return;
  // An actor's thread may have named it before.
  if (drain_threads()) waiting_room_->wake_sleepers();
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) {
    for (const ObjectId object : released_scratch_) owner_->release(object);
    for (const ObjectId object : read_scratch_) owner_->read_ended(object);
    for (const Extent& extent : let_go_->take_discarded()) owner_->discard({{}, extent, false});
  });
  released_scratch_.clear();
  read_scratch_.clear();
}

/// A thread that waits; under the lock.
class DriverBackend::Waiting {
 public:
  explicit Waiting(DriverBackend& backend) : backend_(backend) { ++backend_.waiters_; }
  ~Waiting() {
    if (--backend_.waiters_ == 0 && backend_.waiters_leave_) backend_.waiters_left_.notify_all();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  DriverBackend& backend_;
};

bool DriverBackend::wait_until(Deadline deadline, const FunctionRef<bool()>& done) {
  const Waiting waiting(*this);
  ring_workers();
  const bool is_done =
      waiting_room_->wait(mutex_, deadline, spin_us_,
                          [&]() FLOWRAY_REQUIRES(mutex_) { return waiters_leave_ || broken_ || done(); },
                          {[this]() FLOWRAY_REQUIRES(mutex_) { return anything_to_read(); },
                           [this]() FLOWRAY_REQUIRES(mutex_) { return drain_and_ring(); },
                           [this]() FLOWRAY_REQUIRES(mutex_) { return may_sleep(); }});
  is_first_after_wait_ = true;
  ++activity_;
  if (waiters_leave_)
    throw RayException(
        "The actor runtime has ended while this thread waited: another one called Shutdown().");
  if (broken_) throw_broken();
  return is_done;
}

ValueView DriverBackend::view_of(ObjectId object, const StoredValue& value) {
  ValueView view;
  if (value.extent) {
    view = view_in_store(regions_.at(value.extent.slab.value), value.extent, object, let_go_);
  } else {
    view.bytes = {value.bytes->data(), value.bytes->size_bytes()};
    view.buffer = BufferRef(value.bytes).leave();
  }
  view.is_error = value.is_error;
  return view;
}

std::optional<ValueView> DriverBackend::get(ObjectId object, Deadline deadline) {
  const MutexLock lock(mutex_);
  enter();
  if (!owner_->is_ready(object)) {
    if (!owner_->is_known(object))
      throw RayException("The object is not of this runtime: it was made before a Shutdown().");
    if (!wait_until(deadline, [&]() FLOWRAY_REQUIRES(mutex_) { return owner_->is_ready(object); }))
      return std::nullopt;
  }
  const StoredValue* read = nullptr;
  while (read == nullptr) {
    ask_owner([&]() FLOWRAY_REQUIRES(mutex_) {
      try {
        read = &owner_->begin_read(object);
      } catch (const StoreFullError& error) {  // it was spilled
        if (!owner_->room_may_come()) throw ObjectStoreFullException(error.message());
      }
    });
    if (read == nullptr && !await_room(deadline)) return std::nullopt;
  }
  const StoredValue& value = *read;
  try {
    return view_of(object, value);
  } catch (...) {
    owner_->read_ended(object);
    throw;
  }
}

internal::NextItem DriverBackend::next_item(ObjectId stream, ObjectHandle** taken, Deadline deadline) {
  using internal::NextItem;
  const MutexLock lock(mutex_);
  enter();
  if (!owner_->is_known(stream))
    throw RayException("The object is not of this runtime: it was made before a Shutdown().");
  wait_until(deadline,
             [&]() FLOWRAY_REQUIRES(mutex_) { return owner_->next_item(stream) != NextItem::kNotYet; });
  const NextItem next = owner_->next_item(stream);
  if (taken == nullptr || next != NextItem::kItem) return next;
  auto* const handle = new ObjectHandle(owner_->next_item_id(stream));
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->take_item(stream); });
  *taken = handle;
  return next;
}

ObjectId DriverBackend::create_group(const internal::GroupSpec& group) {
  const std::string bundles = checked_bundles(group);
  const MutexLock lock(mutex_);
  enter();
  const ObjectId id = owner_->new_objects();
  const Completing completing(*this);
  ask_owner([&]()
                FLOWRAY_REQUIRES(mutex_) { owner_->make_group({id, group.strategy, group.name, bundles}); });
  return id;
}

void DriverBackend::remove_group(ObjectId group) {
  const MutexLock lock(mutex_);
  enter();
  const Completing completing(*this);
  ask_owner([&]() FLOWRAY_REQUIRES(mutex_) { owner_->remove_group(group); });
}

void DriverBackend::give_item(const internal::CurrentCall&, uint64_t, Encoder&) {
  throw RayException("No call runs in the driver that could give values.");
}

std::vector<bool> DriverBackend::wait(std::span<const ObjectId> objects, int count, Deadline deadline) {
  const MutexLock lock(mutex_);
  enter();
  const auto enough = [&]() FLOWRAY_REQUIRES(mutex_) {
    int ready = 0;
    for (const ObjectId object : objects) ready += owner_->is_ready(object) ? 1 : 0;
    return ready >= count;
  };
  wait_until(deadline, enough);
  std::vector<bool> ready;
  for (const ObjectId object : objects) ready.push_back(owner_->is_ready(object));
  return ready;
}

}  // namespace flowray::ray
