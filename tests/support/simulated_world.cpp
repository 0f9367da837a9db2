#include "support/simulated_world.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "support/simulated_value.h"

namespace flowray::ray {

// ---- for tests

std::vector<WorkerId> SimulatedWorld::started() const {
  std::vector<WorkerId> workers;
  for (const auto& [id, process] : processes_) workers.push_back({id});
  return workers;
}

void SimulatedWorld::deliver(Owner& owner, WorkerId worker) {
  Process& from = process(worker);
  if (from.to_owner.empty()) return;
  const SimulatedMessage message = std::move(from.to_owner.front());
  from.to_owner.pop_front();
  trace(fmt::format("{} says {}", worker.value, message.kind()));
  note(from, message.bytes());
  owner.on_message(worker, message.bytes());
}

/// Keeps the books; a damaged message changes nothing in them.
void SimulatedWorld::note(Process& process, std::span<const std::byte> message) try {
  std::vector<ValuePart> parts;
  switch (message_kind(message)) {
    case Done::kKind:
      process.tasks.erase(read_message<Done>(message, parts).task.value);
      break;
    case GetValues::kKind: {
      const auto get = read_message<GetValues>(message, parts);
      if (!get.objects.empty()) process.requests[get.request] = static_cast<uint32_t>(get.objects.size());
      break;
    }
    case WaitFor::kKind:
      process.requests[read_message<WaitFor>(message, parts).request] = 1;
      break;
    case AskNext::kKind:
      process.requests[read_message<AskNext>(message, parts).request] = 1;
      break;
    case Cancel::kKind:
      process.requests.erase(read_message<Cancel>(message, parts).request);
      break;
    default:
      break;
  }
} catch (const errors::DataLossError&) {
}

void SimulatedWorld::die(Owner& owner, WorkerId worker, std::string_view reason) {
  while (!process(worker).to_owner.empty()) deliver(owner, worker);
  trace(fmt::format("{} is dead", worker.value));
  process(worker).requests[0] = 1;  // it computes nothing any more
  process(worker).is_dead = true;
  owner.on_worker_death(worker, reason);
  processes_.erase(worker.value);
}

bool SimulatedWorld::begin(WorkerId worker, const Run& run) {
  if (run.is_its != 0) {
    process(worker).begun = run.ticket;
    return true;
  }
  uint64_t& word = process(worker).tickets[run.ticket % kTickets];
  if (word != 2 * run.ticket) return false;
  word = 2 * run.ticket + 1;
  return true;
}

bool SimulatedWorld::add_value(WorkerId worker, uint32_t lease) {
  auto& leases = process(worker).leases;
  const auto found = leases.find(lease);
  if (found == leases.end()) return false;
  ++found->second;
  return true;
}

std::byte* SimulatedWorld::data(const Extent& extent) {
  const Region& region = regions_.at(extent.slab.value);
  if (extent.offset > region.size_bytes || extent.size_bytes > region.size_bytes - extent.offset) {
    fail("an extent lies outside of its region");
  }
  return region.bytes.get() + extent.offset;
}

bool SimulatedWorld::has_region(WorkerId worker, SlabId slab, bool writable) const {
  const Process& process = processes_.at(worker.value);
  return (writable ? process.writable : process.regions).contains(slab.value);
}

void SimulatedWorld::trace(std::string line) {
  constexpr size_t kLines = 60;
  trace_.push_back(std::move(line));
  if (trace_.size() > kLines && !traces_all) trace_.pop_front();
}

std::string SimulatedWorld::last_trace() const {
  std::string text;
  for (const std::string& line : trace_) text += "  " + line + "\n";
  return text;
}

// ---- World

void SimulatedWorld::take_memory() {
  if (num_calls_++ == lacks_memory_at_) throw std::bad_alloc();
}

void SimulatedWorld::warn(const std::string& text) {
  take_memory();
  warnings.push_back(text);
}

void SimulatedWorld::start_worker(WorkerId worker, std::string_view label, WorkerKind kind) {
  take_memory();
  if (refuses_processes_) throw errors::ResourceExhaustedError("too many processes");
  trace(fmt::format("start {} {}", worker.value, label));
  Process& process = processes_[worker.value];
  process.id = worker;
  process.kind = kind;
  process.is_actors = !label.empty();
}

void SimulatedWorld::kill_worker(WorkerId worker) {
  trace(fmt::format("kill {}", worker.value));
  if (const auto found = processes_.find(worker.value); found != processes_.end())
    found->second.killed = true;
}

void SimulatedWorld::pause(ActorId actor, uint32_t pause_ms) {
  take_memory();
  trace(fmt::format("actor {} after {} ms", actor.value, pause_ms));
  for (const Pause& pause : pauses_) {
    if (pause.actor == actor) fail("a second pause of an actor");
  }
  pauses_.push_back({actor, pause_ms});
}

void SimulatedWorld::start_timer(TaskId task, Timer timer, uint32_t after_ms) {
  take_memory();
  trace(fmt::format("timer of task {} after {} ms", task.value, after_ms));
  for (const RunningTimer& running : timers_) {
    if (running.task == task && running.timer == timer) fail("a second timer of a call");
  }
  timers_.push_back({task, timer, after_ms});
}

void SimulatedWorld::stop_timers(TaskId task) noexcept {
  std::erase_if(timers_, [&](const RunningTimer& running) { return running.task == task; });
}

void SimulatedWorld::send(WorkerId worker, const ToWorker& message) {
  take_memory();
  const auto found = processes_.find(worker.value);
  if (found == processes_.end()) fail(fmt::format("a message to {}, which is dead", worker.value));
  Process& to = found->second;
  std::visit(
      [&](const auto& sent) {
        if (message_size_bytes(sent) > kMostMessageBytes)
          fail(fmt::format("a message of {} bytes to {} fits into no ring", message_size_bytes(sent),
                           worker.value));
        trace(fmt::format("to {}: {}", worker.value, note_sent(to, sent)));
        to.to_worker.push_back(SimulatedMessage::of(sent));
      },
      message);
}

void SimulatedWorld::check_parts(const Process& process, std::span<const ValuePart> parts) const {
  for (const ValuePart& part : parts) {
    if (part.extent && !process.shown.contains(part.extent.slab.value)) {
      fail(fmt::format("{} hears of region {}, which it was not given", process.id.value,
                       part.extent.slab.value));
    }
  }
}

void SimulatedWorld::check_computing(Process& process, uint32_t cpu_milli) const {
  if (!process.tasks.empty()) {
    if (process.cpu_milli != cpu_milli)
      fail(fmt::format("{} is sent tasks that ask for different things", process.id.value));
    return;
  }
  process.cpu_milli = cpu_milli;
  uint32_t computing_milli = cpu_milli;
  for (const auto& [id, other] : processes_) {
    if (&other == &process || other.is_actors || other.tasks.empty() || !other.requests.empty()) continue;
    computing_milli += other.cpu_milli;
  }
  if (computing_milli > 1000 * num_cpus_) {
    fail(fmt::format("a task goes to {}, so that {} thousandths of {} processors compute", process.id.value,
                     computing_milli, num_cpus_));
  }
}

/// Before the task is one of the process's.
void SimulatedWorld::check_gpus(Process& process, uint32_t gpu_milli, std::span<const uint32_t> gpus) const {
  const uint32_t share = std::min(gpu_milli, 1000u);
  std::map<uint32_t, uint32_t> given;
  for (const uint32_t gpu : gpus) given[gpu] += share;
  if (given.size() != (gpu_milli + 999) / 1000 || given.size() != gpus.size())
    fail(fmt::format("a task that asks for {} thousandths gets {} GPUs", gpu_milli, gpus.size()));
  if (!process.tasks.empty()) {
    if (process.gpus != given) fail(fmt::format("{} is sent tasks with different GPUs", process.id.value));
    return;
  }
  process.gpus = given;
  for (const auto& [id, other] : processes_) {
    if (&other == &process || other.tasks.empty() || other.is_dead) continue;
    for (const auto& [gpu, milli] : other.gpus) {
      const auto shared = given.find(gpu);
      if (shared != given.end() && (shared->second += milli) > 1000)
        fail(fmt::format("GPU {} is used by more than it is", gpu));
    }
  }
}

uint64_t SimulatedWorld::call_of(const ValuePart& arguments) {
  return decode(arguments.extent ? view(arguments.extent) : arguments.bytes).number;
}

std::string SimulatedWorld::note_sent(Process& to, const Run& message) {
  check_parts(to, message.parts);
  if (message.mode != CallMode::kTask && !to.actor)
    fail("an actor's call goes to a process that is not told so");
  if (message.mode == CallMode::kTask && !is_hostile) {
    if (to.is_actors) fail("a task goes to an actor's process");
    if (!to.requests.empty()) fail("a task goes to a worker that waits");
    const auto ahead = to.calls_ahead.find(message.task.value);
    const uint64_t call = ahead != to.calls_ahead.end() ? ahead->second : call_of(message.parts[0]);
    if (gpu_milli_of) check_gpus(to, gpu_milli_of(call), message.gpus);
    check_computing(to, cpu_milli_of(call));
    to.tasks[message.task.value] = message.ticket;
  }
  return fmt::format("run {}", message.task.value);
}

std::string SimulatedWorld::note_sent(Process& to, const RunArguments& message) {
  check_parts(to, message.parts);
  if (!is_hostile && !to.calls_ahead.contains(message.task.value)) {
    to.calls_ahead[message.task.value] = call_of(message.parts[0]);
  }
  return fmt::format("{} arguments of {}", message.parts.size(), message.task.value);
}

std::string SimulatedWorld::note_sent(Process& to, const Value& message) {
  check_parts(to, message.parts);
  if (const auto request = to.requests.find(message.request); request != to.requests.end()) {
    if (--request->second == 0) to.requests.erase(request);
  }
  return fmt::format("value {} of {}", message.parts[0].object.value, message.request);
}

std::string SimulatedWorld::note_sent(Process& to, const FoundNext& message) {
  to.requests.erase(message.request);
  return fmt::format("next of {}: {}", message.request, message.item.value);
}

std::string SimulatedWorld::note_sent(Process& to, const Waited& message) {
  to.requests.erase(message.request);
  return fmt::format("waited {}", message.request);
}

std::string SimulatedWorld::note_sent(Process& to, const Leased& message) {
  if (message.slab && !to.writable.contains(message.slab.value))
    fail("a lease of a region that was not given");
  return fmt::format("leased {}", message.slab.value);
}

std::string SimulatedWorld::note_sent(Process& to, const BecomeActor& message) {
  if (!to.is_actors || to.actor) fail(fmt::format("{} is told to be another actor's", to.id.value));
  to.actor = message.actor;
  return fmt::format("become actor {}", message.actor.value);
}

std::string SimulatedWorld::note_sent(Process& to, const Interrupt& message) {
  if (!to.is_actors && !is_hostile && !to.tasks.contains(message.task.value))
    fail(fmt::format("{} is told that a task is cancelled which it does not have", to.id.value));
  return fmt::format("interrupt {}", message.task.value);
}

void SimulatedWorld::issue(WorkerId worker, uint64_t ticket) {
  for (const auto& [task, other] : process(worker).tasks) {
    if (!is_hostile && other % kTickets == ticket % kTickets)
      fail(fmt::format("ticket {} is issued while {} is out", ticket, other));
  }
  process(worker).tickets[ticket % kTickets] = 2 * ticket;
}

bool SimulatedWorld::revoke(WorkerId worker, uint64_t ticket) {
  Process& from = process(worker);
  uint64_t& word = from.tickets[ticket % kTickets];
  if (word != 2 * ticket) return false;
  word = 0;
  std::erase_if(from.tasks, [&](const auto& task) { return task.second == ticket; });
  return true;
}

bool SimulatedWorld::has_begun(WorkerId worker, uint64_t ticket) {
  Process& of = process(worker);
  if (!of.is_dead) fail("a living worker is asked what it has begun");
  if (of.begun == ticket) return true;
  std::erase_if(of.tasks, [&](const auto& task) { return task.second == ticket; });
  return false;
}

std::span<const std::byte> SimulatedWorld::view(const Extent& extent) {
  return {data(extent), extent.size_bytes};
}

void SimulatedWorld::start_spill(ObjectId object, const Extent& value) {
  take_memory();
  if (refuses_regions_) throw errors::ResourceExhaustedError("there is no folder for it");
  trace(fmt::format("object {} begins to go to disk", object.value));
  const auto bytes = view(value);
  if (!leaving_.emplace(object.value, Leaving{value, {bytes.begin(), bytes.end()}}).second)
    fail("a value goes to disk twice");
}

std::vector<ObjectId> SimulatedWorld::leaving() const {
  std::vector<ObjectId> objects;
  for (const auto& [object, value] : leaving_) objects.push_back({object});
  return objects;
}

void SimulatedWorld::end_spill(Owner& owner, ObjectId object) {
  const auto found = leaving_.find(object.value);
  const Leaving leaving = std::move(found->second);
  leaving_.erase(found);
  trace(fmt::format("object {} has gone to disk{}", object.value, is_disk_full_ ? ", which is full" : ""));
  if (is_disk_full_) return owner.on_spill_failed(object, "the disk is full");
  if (!is_hostile && !std::ranges::equal(view(leaving.extent), leaving.bytes))
    fail(fmt::format("the value of object {} did not stay where it was", object.value));
  spilled_[++last_spilled_] = leaving.bytes;
  owner.on_spilled(object, {last_spilled_, leaving.bytes.size(), 0});
}

void SimulatedWorld::restore(const Spilled& value, const Extent& to) {
  const auto found = spilled_.find(value.offset);
  if (found == spilled_.end() || found->second.size() != to.size_bytes)
    fail("a value is read back that was not spilled");
  if (is_disk_damaged_) throw errors::DataLossError("its checksum is another one");
  std::ranges::copy(found->second, data(to));
}

void SimulatedWorld::forget(const Spilled& value) {
  if (spilled_.erase(value.offset) == 0) fail("a spilled value is forgotten twice");
}

void SimulatedWorld::create(SlabId slab, uint64_t bytes) {
  take_memory();
  if (refuses_regions_) throw errors::ResourceExhaustedError("too many open files");
  if (regions_.contains(slab.value)) fail("a region is made twice");
  regions_[slab.value] = {std::unique_ptr<std::byte[]>(new std::byte[bytes]), bytes};
}

void SimulatedWorld::destroy(SlabId slab) {
  if (regions_.erase(slab.value) == 0) fail("a region is destroyed that does not exist");
  for (auto& [id, process] : processes_) {
    process.regions.erase(slab.value);
    process.shown.erase(slab.value);
    process.writable.erase(slab.value);
  }
}

void SimulatedWorld::share(SlabId slab, WorkerId worker, bool writable) {
  take_memory();
  if (!regions_.contains(slab.value)) fail("a region is shared that does not exist");
  Process& to = process(worker);
  to.regions.insert(slab.value);
  to.shown.insert(slab.value);
  if (writable) to.writable.insert(slab.value);
}

/// Messages that are on their way were sent before, and may name it.
void SimulatedWorld::unshare(SlabId slab, WorkerId worker) {
  process(worker).writable.erase(slab.value);
  process(worker).shown.erase(slab.value);
}

void SimulatedWorld::open_lease(WorkerId worker, uint32_t lease) {
  take_memory();
  if (!process(worker).leases.emplace(lease, 0).second) fail("a lease is opened twice");
}

bool SimulatedWorld::end_lease(WorkerId worker, uint32_t lease, uint32_t num_values) {
  auto& leases = process(worker).leases;
  const auto found = leases.find(lease);
  if (found == leases.end()) fail("a lease is ended that does not hold");
  if (found->second != num_values) return false;
  leases.erase(found);
  return true;
}

}  // namespace flowray::ray
