// What the owner asks for: processes, messages, regions.

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/thread_pool.h"
#include "ray/driver/driver_backend.h"
#include "ray/worker/worker.h"

namespace flowray::ray {
namespace {

/// An output pipe of a worker: the reading end does not block.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw errors::ResourceExhaustedError(
        "cannot make a pipe for a worker's output; are there too many open files?");
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

/// Where one has ended, another: a template that was killed, or an interpreter that may start by now. After
/// some that could not start, the reason of the last one stays.
TemplateProcess& DriverBackend::python_template() {
  constexpr int kMostFailures = 3;
  if (python_template_ != nullptr && python_template_->has_ended()) {
    const bool has_workers =
        std::ranges::any_of(connections_, [this](const auto& entry) FLOWRAY_REQUIRES(mutex_) {
          return entry.second->home == python_template_.get();
        });
    if (python_template_->was_ready()) python_failures_ = 0;
    // The owner may be hearing of its workers' deaths one by one.
    if (python_template_->was_ready() || (!has_workers && ++python_failures_ < kMostFailures))
      ended_python_template_ = std::move(python_template_);
  }
  if (python_template_ == nullptr) {
    if (session_.empty()) session_ = new_session_name();
    python_template_ = start_python_template(config_, session_);
    kick_service();  // it is told of its workers' ends
  }
  return *python_template_;
}

void DriverBackend::start_worker(WorkerId worker, std::string_view label, WorkerKind kind) {
  const bool is_thread = kind == WorkerKind::kThread;
  TemplateProcess* const home = is_thread                     ? nullptr
                                : kind == WorkerKind::kPython ? &python_template()
                                                              : template_.get();
  auto [mine, its] = DescriptorSocket::make_pair();
  auto connection = std::make_unique<Connection>(
      Connection{.id = worker, .home = home, .channel = Channel(Channel::create(worker))});
  connection->channel.set_namespace(config_.ray_namespace);
  connection->channel.set_most_fetched_bytes(most_fetched_by_worker_);
  connection->writer = connection->channel.writer_to_worker();
  connection->reader = connection->channel.reader_in_driver();
  connection->socket = std::move(mine);
  // What a thread prints is the program's.
  Pipe out = is_thread ? Pipe() : make_pipe();
  Pipe err = is_thread ? Pipe() : make_pipe();
  connection->output = std::make_unique<WorkerOutput>(std::string(label), std::move(out.read),
                                                      std::move(err.read), config_.log_to_driver);
  WorkerDescriptors descriptors{};
  descriptors[kChannelDescriptor] = connection->channel.region().fd();
  descriptors[kDoorbellDescriptor] = doorbell_region_.fd();
  descriptors[kEventDescriptor] = event_.get();
  descriptors[kSocketDescriptor] = its.fd();
  descriptors[kOutDescriptor] = out.write.get();
  descriptors[kErrDescriptor] = err.write.get();
  alive_.reserve(alive_.size() + 1);
  unrung_.reserve(alive_.size() + 1);
  const auto entry = connections_.emplace(worker.value, std::move(connection)).first;
  try {
    start(*entry->second, label, descriptors);
  } catch (...) {
    connections_.erase(entry);
    throw;
  }
  alive_.push_back(entry->second.get());
  set_spinning();
  kick_service();  // it looks at the new pipes
}

void DriverBackend::start(Connection& connection, std::string_view label,
                          const WorkerDescriptors& descriptors) {
  if (connection.home != nullptr) return connection.home->spawn(connection.id.value, descriptors);
  if (thread_ends_ == nullptr) {
    thread_ends_ = std::make_shared<ThreadEnds>(event_.duplicate());
    if (!internal::environment_text(config_.runtime_env).empty())
      warn("RayConfig::runtime_env: actors in threads have the program's own environment.");
  }
  connection.thread =
      std::make_unique<ActorThread>(connection.id, std::string(label), descriptors, thread_ends_);
}

void DriverBackend::kill_worker(WorkerId worker) {
  if (Connection* to = connection(worker)) kill(*to);
}

void DriverBackend::interrupt_worker(WorkerId worker) {
  Connection* to = connection(worker);
  if (to == nullptr) return;
  to->channel.count_interrupt();
  if (to->thread != nullptr) return;
  try {
    to->home->interrupt(worker.value);
  } catch (const errors::ResourceExhaustedError&) {  // it looks when it asks or is done, not at once
  }
}

void DriverBackend::pause(ActorId actor, uint32_t pause_ms) {
  pauses_.emplace(std::chrono::steady_clock::now() + std::chrono::milliseconds(pause_ms), actor);
  kick_service();
}

void DriverBackend::start_timer(TaskId task, Timer timer, uint32_t after_ms) {
  const auto when = std::chrono::steady_clock::now() + std::chrono::milliseconds(after_ms);
  const auto at = timers_.emplace(when, std::pair(task, timer));
  timers_of_.emplace(task, at);
  if (at == timers_.begin()) kick_service();  // it may sleep for longer
}

void DriverBackend::stop_timers(TaskId task) noexcept {
  const auto [first, end] = timers_of_.equal_range(task);
  for (auto entry = first; entry != end; ++entry) timers_.erase(entry->second);
  timers_of_.erase(first, end);
}

/// What the system lacks to tell the template, it has later: the service thread tries again.
void DriverBackend::kill(Connection& to) noexcept {
  const bool told_before = to.is_to_die;
  try {
    tell_to_die(to);
    to.is_to_die = false;
    refused_since_.reset();
  } catch (const std::exception&) {
    to.is_to_die = true;
    if (!told_before) kick_service();
    try {
      bear_refusal();
    } catch (const std::exception&) {
      break_down();
    }
  }
}

/// A thread cannot be ended from outside: it comes to its end when its method waits or returns.
void DriverBackend::tell_to_die(Connection& to) {
  if (to.thread == nullptr) return to.home->kill(to.id.value);
  to.thread->abandon();
  if (to.is_abandoned) return;
  post(to.id, Exit{});
  to.is_abandoned = true;
}

/// In the handler of an exception: what could not be sent is tried again. Rethrows it where that has failed
/// for too long: a caller is blocked on it.
void DriverBackend::bear_refusal() {
  const auto now = std::chrono::steady_clock::now();
  if (!refused_since_) refused_since_ = now;
  if (now - *refused_since_ > kLongestRefusal) throw;
}

/// Processes that all have a core of their own look for messages for a while before they sleep; others must
/// leave the cores to those that have work. Those count that were called lately: a pool's other workers
/// sleep anyway.
void DriverBackend::set_spinning() {
  const auto called_lately =
      std::ranges::count_if(alive_, [this](const Connection* to) FLOWRAY_REQUIRES(mutex_) {
        return runs_sent_ - to->last_run < kRecentRuns;
      });
  const uint32_t spin_us =
      called_lately + 1 <= available_cpus() ? Channel::kLongSpinUs : Channel::kShortSpinUs;
  for (Connection* connection : alive_) {
    connection->channel.worker_spin_us().store(spin_us, std::memory_order_relaxed);
  }
  spin_us_ = spin_us;
}

DriverBackend::Connection* DriverBackend::connection(WorkerId worker) {
  const auto found = connections_.find(worker.value);
  return found == connections_.end() || !found->second->alive ? nullptr : found->second.get();
}

/// Whether a worker that sleeps is woken for a message later, with others: where there are more processes
/// than cores each one that is woken takes the core from another one. It is when there are many, or the
/// program waits; or else when the service thread looks. One that was not woken lately is so at once, and so
/// is the first one after a wait: many programs send one message and wait for its answer.
bool DriverBackend::rings_later(Connection& to) {
  constexpr uint32_t kMany = 64;
  constexpr auto kLately = std::chrono::milliseconds(1);
  if (spin_us_ >= Channel::kLongSpinUs || !to.channel.worker_doorbell().would_wake()) return false;
  if (to.num_unrung > 0) {
    if (++to.num_unrung < kMany) return true;
    to.num_unrung = 1;  // it stays in the list
    return false;
  }
  const auto now = std::chrono::steady_clock::now();
  if (std::exchange(is_first_after_wait_, false) || now - to.rung_at >= kLately) {
    to.rung_at = now;
    return false;
  }
  last_unrung_at_ = now;
  to.num_unrung = 1;
  unrung_.push_back(&to);
  return true;
}

/// Where the program may not come back for long: the service thread rings them then.
void DriverBackend::see_to_unrung() {
  constexpr auto kLatest = std::chrono::milliseconds(3);
  if (unrung_.empty() || service_looks_at_ <= last_unrung_at_ + kLatest) return;
  service_looks_at_ = last_unrung_at_;
  kick_service();
}

void DriverBackend::ring_workers() {
  if (unrung_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  for (Connection* to : unrung_) {
    to->num_unrung = 0;
    to->rung_at = now;
    to->channel.worker_doorbell().ring(-1);
  }
  unrung_.clear();
}

/// Sends a message to a worker. Returns its connection; null if that worker is dead.
template <class Message>
DriverBackend::Connection* DriverBackend::post(WorkerId worker, const Message& message) {
  Connection* to = connection(worker);
  if (to == nullptr) return nullptr;
  const size_t bytes = message_size_bytes(message);
  if (bytes > to->writer.max_message_bytes()) {  // it would stop all behind it
    throw errors::InternalError(fmt::format("a message of {} bytes to a worker; at most {} are possible",
                                            bytes, to->writer.max_message_bytes()));
  }
  if (to->outbox.empty()) {
    if (std::byte* out = to->writer.reserve(bytes)) {
      write_message(message, out);
      to->writer.commit(bytes);
      if (!rings_later(*to)) to->channel.worker_doorbell().ring(-1);
      return to;
    }
  }
  to->outbox.emplace_back(bytes);
  write_message(message, to->outbox.back().data());
  flush(*to);
  return to;
}

void DriverBackend::send(WorkerId worker, const ToWorker& message) {
  Connection* to =
      std::visit([&](const auto& sent) FLOWRAY_REQUIRES(mutex_) { return post(worker, sent); }, message);
  if (!std::holds_alternative<Run>(message)) return;
  if (to != nullptr) to->last_run = runs_sent_;
  if (++runs_sent_ % kRecentRuns == 0) set_spinning();
}

/// Sends what waits for room; whether all of it is sent.
bool DriverBackend::flush(Connection& to) {
  bool sent = false;
  while (!to.outbox.empty()) {
    const auto& message = to.outbox.front();
    std::byte* out = to.writer.reserve(message.size());
    if (out == nullptr && !to.writer.ask_for_room(message.size())) break;
    if (out == nullptr) continue;
    std::copy(message.begin(), message.end(), out);
    to.writer.commit(message.size());
    to.outbox.pop_front();
    sent = true;
  }
  if (sent) to.channel.worker_doorbell().ring(-1);
  return to.outbox.empty();
}

void DriverBackend::issue(WorkerId worker, uint64_t ticket) {
  if (Connection* to = connection(worker)) to->channel.issue(ticket);
}

bool DriverBackend::revoke(WorkerId worker, uint64_t ticket) {
  const auto found = connections_.find(worker.value);
  return found != connections_.end() && found->second->channel.revoke(ticket);
}

bool DriverBackend::has_begun(WorkerId worker, uint64_t ticket) {
  const auto found = connections_.find(worker.value);
  return found == connections_.end() || found->second->channel.has_begun_unasked(ticket);
}

void DriverBackend::warn(const std::string& text) { fmt::print(stderr, "flowray: {}\n", text); }

// ---- regions

std::span<const std::byte> DriverBackend::view(const Extent& extent) {
  return regions_.at(extent.slab.value)->bytes().subspan(extent.offset, extent.size_bytes);
}

void DriverBackend::create(SlabId slab, uint64_t bytes) {
  const bool is_link = slab.value >= LinkId::kFirst;
  const std::string name = fmt::format("flowray-{}-{}", is_link ? "link" : "objects",
                                       is_link ? slab.value - LinkId::kFirst : slab.value);
  regions_[slab.value] = std::make_shared<SharedRegion>(SharedRegion::create(name, bytes));
}

void DriverBackend::destroy(SlabId slab) {
  // Its memory is free at once, not when the last worker has read the message.
  regions_.at(slab.value)->empty_out();
  regions_.erase(slab.value);
  for (Connection* to : std::vector<Connection*>(alive_)) unshare(slab, to->id);
}

void DriverBackend::unshare(SlabId slab, WorkerId worker) {
  Connection* to = connection(worker);
  if (to == nullptr) return;
  std::erase_if(to->notices, [&](const RegionNotice& notice) { return notice.slab == slab; });
  const auto sent = to->notices_sent.find(slab.value);
  if (sent == to->notices_sent.end()) return;
  const Forget forget{slab, sent->second};
  to->notices_sent.erase(sent);
  post(worker, forget);
}

void DriverBackend::open_lease(WorkerId worker, uint32_t lease) {
  if (Connection* to = connection(worker)) to->channel.open_lease(lease);
}

bool DriverBackend::end_lease(WorkerId worker, uint32_t lease, uint32_t num_values) {
  Connection* to = connection(worker);
  return to != nullptr && to->channel.end_lease(lease, num_values);
}

void DriverBackend::share(SlabId slab, WorkerId worker, bool writable) {
  Connection* to = connection(worker);
  if (to == nullptr) return;
  const SharedRegion& region = *regions_.at(slab.value);
  to->notices.push_back({slab, writable ? 1u : 0u, region.size_bytes()});
  send_notices(*to);
}

/// A worker reads them when it meets a region that it does not know, so they may have to wait: for the
/// service thread's next turn, as no event signals room in a socket.
void DriverBackend::send_notices(Connection& to) {
  while (!to.notices.empty()) {
    const RegionNotice& notice = to.notices.front();
    const int fd = regions_.at(notice.slab.value)->fd();
    try {
      if (to.socket.send(std::as_bytes(std::span(&notice, 1)), {&fd, 1}, DescriptorSocket::Wait::kNo) ==
          DescriptorSocket::Sent::kNotNow) {
        return;
      }
    } catch (const errors::ResourceExhaustedError&) {
      return bear_refusal();
    }
    refused_since_.reset();
    ++to.notices_sent[notice.slab.value];
    to.notices.pop_front();
  }
}

}  // namespace flowray::ray
