// The service thread: reads the rings while no other thread waits on them, handles deaths, shows output.

#include <flowray/errors.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "ray/driver/driver_backend.h"
#include "ray/driver/machine_resources.h"
#include "ray/transport/shared_region.h"
#include "ray/transport/stamps.h"

namespace flowray::ray {
namespace {

int ms_until(std::chrono::steady_clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1'000'000));
}

}  // namespace

bool DriverBackend::anything_to_read() {
  return std::ranges::any_of(alive_, [](const Connection* from) { return !from->reader.empty(); });
}

/// After the announcement of a sleep: whether there is nothing to read, nor to send where room has come. Lets
/// workers that wait for room in their rings go on.
bool DriverBackend::may_sleep() {
  ring_workers();
  for (Connection* to : alive_) {
    if (to->reader.take_writer_waits()) to->channel.worker_doorbell().ring(-1);
    if (!to->outbox.empty() && to->writer.ask_for_room(to->outbox.front().size())) return false;
  }
  return !anything_to_read();
}

bool DriverBackend::drain() {
  bool any = drain_threads();
  for (size_t i = 0; i < alive_.size(); ++i) {  // grows as the owner starts workers
    if (alive_[i]->thread == nullptr) any |= drain(*alive_[i]);
  }
  return any;
}

/// And wakes the workers that are sent something.
bool DriverBackend::drain_and_ring() {
  const bool any = drain();
  ring_workers();
  return any;
}

/// Handles the messages in a worker's ring; returns whether there were any. Any exception but a malformed
/// message (read_turn ends such a worker) is the driver's own, out of memory say, and ends the runtime.
bool DriverBackend::drain(Connection& from) noexcept {
  // A worker that never stops talking must not keep the others waiting: they have their turns.
  constexpr int kMostInATurn = 256;
  try {
    return from.thread == nullptr ? read_turn(from, kMostInATurn) : drain_threads();
  } catch (...) {
    break_down();
    return true;
  }
}

/// The messages of all actors' threads that were sent before now, in the order of their stamps: what one has
/// made or let go of, another one may know of by the program's memory, and name in a message of its own.
bool DriverBackend::drain_threads() noexcept {
  if (thread_ends_ == nullptr) return false;
  // The ring of a message with such a stamp has, for whoever reads this one, all that came before it.
  const uint64_t last = last_stamp.load(std::memory_order_acquire);
  bool any = false;
  thread_heads_.clear();
  try {
    for (Connection* from : alive_) add_head(*from, last);
    while (!thread_heads_.empty()) {
      std::ranges::pop_heap(thread_heads_, std::greater());
      Connection& from = *thread_heads_.back().second;
      thread_heads_.pop_back();
      any |= read_turn(from, 1);
      add_head(from, last);
    }
  } catch (...) {
    break_down();
    return true;
  }
  return any;
}

/// Of the next message in a thread's ring, if there is one with at most that stamp.
void DriverBackend::add_head(Connection& from, uint64_t last) {
  if (from.thread == nullptr || !from.alive) return;
  uint64_t stamp = 0;  // of a broken ring, whose turn says so
  try {
    if (from.reader.peek().data() == nullptr) return;
    stamp = from.reader.stamp();
  } catch (const errors::DataLossError&) {
  }
  if (stamp > last) return;
  thread_heads_.emplace_back(stamp, &from);
  std::ranges::push_heap(thread_heads_, std::greater());
}

bool DriverBackend::read_turn(Connection& from, int most) {
  bool any = false;
  try {
    auto message = from.reader.peek();
    for (int i = 0; i < most && message.data() != nullptr; ++i) {
      // Room may have become free. Not in the turn of an actor's thread: settling reads all of these.
      if (message_kind(message) == Lease::kKind && is_running() && from.thread == nullptr) settle_let_go();
      // The worker can still write there: what is checked must be what is done.
      message_copy_.resize((message.size() + 7) / 8);
      std::memcpy(message_copy_.data(), message.data(), message.size());
      message = {reinterpret_cast<const std::byte*>(message_copy_.data()), message.size()};
      if (is_running()) owner_->on_message(from.id, message);  // else it would start what is next
      from.reader.pop();
      any = true;
      message = from.reader.peek();
    }
    // A worker that waits for room sleeps on its doorbell.
    if (any && from.reader.take_writer_waits()) from.channel.worker_doorbell().ring(-1);
  } catch (const errors::DataLossError& error) {
    fmt::print(stderr, "flowray: worker {} is killed, as it sent what cannot be: {}\n", from.id.value,
               error.what());
    kill(from);
    from.alive = false;
    std::erase(alive_, &from);
  }
  if (!from.notices.empty()) send_notices(from);
  if (!from.outbox.empty()) flush(from);
  return any;
}

/// What the service thread keeps from one turn to the next.
struct DriverBackend::Service {
  std::vector<pollfd> polled;
  std::vector<WorkerOutput*> outputs;
  uint64_t last_activity = 0;
  int tick_ms = 1;
  std::chrono::steady_clock::time_point next_look;
};

namespace {
/// Calls that wait behind one that takes long are given to others after at most twice that.
constexpr int kLookMs = 2;
}  // namespace

void DriverBackend::serve() noexcept {
  Service service;
  const MutexLock lock(mutex_);
  while (true) {
    try {
      while (serve_once(service)) {
      }
      return;
    } catch (...) {
      break_down();
    }
  }
}

/// A worker says its pid before it runs anything, and what it prints may be here first:
/// each line shows the pid.
void DriverBackend::hear_of_pids(const Service& service) {
  const auto waits = [](const WorkerOutput* output) { return !output->has_pid(); };
  if (std::ranges::none_of(service.outputs, waits)) return;
  const MutexLock lock(mutex_);
  for (const auto& [id, from] : connections_) {
    if (from->output->has_pid()) continue;
    if (from->alive && drain(*from)) waiting_room_->wake_all();
    from->output->set_pid(owner_->pid({id}));
  }
}

/// One turn, with the lock but while it sleeps; nothing is thrown then. False: the runtime has ended.
bool DriverBackend::serve_once(Service& service) {
  if (broken_) return await_end();
  service.polled.assign({{event_.get(), POLLIN, 0}});
  service.outputs.clear();
  if (python_template_ != nullptr) python_template_->end_if_late();  // which may be told of deaths
  hear_of_deaths();
  settle_let_go();
  if (!stopping_) end_pauses();
  if (!stopping_) end_timers();
  if (!stopping_) look_for_stuck(service);
  if (!stopping_) watch_memory();
  if (!waiting_room_->is_occupied()) {
    if (drain()) waiting_room_->wake_sleepers();
  } else if (anything_to_read()) {
    doorbell_->ring(-1);  // see WorkerBackend::rings_later
  }
  if (stopping_) {
    if (connections_.empty()) return false;
    if (std::chrono::steady_clock::now() > goodbye_ends_) {
      for (const auto& [id, to] : connections_) kill(*to);
      if (has_only_late_threads()) return false;
    }
  }
  ring_workers();
  const int timeout_ms = arm(service);
  service_looks_at_ = timeout_ms < 0
                          ? std::chrono::steady_clock::time_point::max()
                          : std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  service.polled.push_back({template_->descriptor(), POLLIN, 0});
  service.polled.push_back({view_socket_.descriptor(), POLLIN, 0});
  service.polled.push_back({python_template_ == nullptr ? -1 : python_template_->descriptor(), POLLIN, 0});
  const size_t first_output = service.polled.size();
  for (auto& [id, from] : connections_) {
    for (const int fd : from->output->descriptors()) {
      service.polled.push_back({fd, POLLIN, 0});
      service.outputs.push_back(from->output.get());
      from->output->set_pid(owner_->pid({id}));
    }
  }
  mutex_.unlock();
  sleep_on_event(service.polled, timeout_ms);
  hear_of_pids(service);
  if (service.polled[2].revents != 0) view_socket_.start();
  for (size_t i = 0; i < service.outputs.size(); ++i) {
    const pollfd& polled = service.polled[first_output + i];
    if (polled.revents != 0) service.outputs[i]->read_from(polled.fd);
  }
  for (WorkerOutput* output : service.outputs) {
    if (output->next_piece()) output->show_pieces(WorkerOutput::Clock::now());
  }
  mutex_.lock();
  if (service_armed_) take_down_bells();
  if (let_go_->awake()) ++activity_;  // more may follow: each would cost the program a system call
  return true;
}

/// A turn of a runtime that has broken down. It needs no memory, which it may have broken down for want of.
bool DriverBackend::await_end() {
  if (stopping_) return false;
  pollfd event{event_.get(), POLLIN, 0};
  mutex_.unlock();
  sleep_on_event({&event, 1}, -1);
  mutex_.lock();
  return true;
}

/// Without the lock. The first is the service thread's own event.
void DriverBackend::sleep_on_event(std::span<pollfd> polled, int timeout_ms) {
  poll(polled.data(), polled.size(), timeout_ms);
  if ((polled[0].revents & POLLIN) == 0) return;
  uint64_t count = 0;
  (void)!read(event_.get(), &count, sizeof count);
}

/// How long the service thread may sleep. It lets workers wake it only when the program has not been here for
/// a while: a call more then costs each of its answers a system call.
int DriverBackend::arm(Service& service) {
  int timeout_ms = -1;
  if (waiting_room_->is_occupied()) {
    timeout_ms = service.tick_ms = std::min(2 * service.tick_ms, 16);
  } else if (activity_ != service.last_activity) {
    service.last_activity = activity_;
    timeout_ms = service.tick_ms = 1;
  } else if (stopping_) {
    timeout_ms = 10;
  } else {
    // Not at once: a worker that never stops talking must not keep the program from the lock.
    if (!may_sleep_long()) timeout_ms = 1;
  }
  const auto no_longer_than = [&timeout_ms](int most_ms) {
    timeout_ms = timeout_ms < 0 ? most_ms : std::min(timeout_ms, most_ms);
  };
  if (!pauses_.empty() && !stopping_) no_longer_than(ms_until(pauses_.begin()->first));
  if (!timers_.empty() && !stopping_) no_longer_than(ms_until(timers_.begin()->first));
  if (!stopping_ && owner_->has_calls_behind_others()) no_longer_than(kLookMs);
  if (!stopping_ && watches_memory()) no_longer_than(config_.memory_monitor_refresh_ms);
  constexpr int kRetryMs = 10;
  for (const TemplateProcess* home : {template_.get(), python_template_.get()}) {
    if (home == nullptr) continue;
    if (home->has_unsent()) no_longer_than(kRetryMs);
    if (const auto latest = home->latest_ready()) no_longer_than(ms_until(*latest));
  }
  for (const auto& [id, to] : connections_) {
    if (!to->notices.empty()) send_notices(*to);
    if (to->is_to_die) kill(*to);
    if (!to->notices.empty() || to->is_to_die) no_longer_than(kRetryMs);
    if (const auto piece = to->output->next_piece()) no_longer_than(ms_until(*piece));
  }
  return timeout_ms;
}

/// Whether a message, the end of a process, or what the program lets go of wakes the service thread from now
/// on; false: something of it is there already.
bool DriverBackend::may_sleep_long() {
  for (const Connection* from : alive_) from->channel.service_doorbell().announce(Doorbell::How::kEvent);
  service_armed_ = may_sleep() && let_go_->wakes(event_.get());
  if (!service_armed_) take_down_bells();
  return service_armed_;
}

/// A worker without work ends by itself; the others are killed.
void DriverBackend::say_goodbye(Connection& to) noexcept {
  try {
    if (!broken_ && owner_->is_idle(to.id)) return send(to.id, Exit{});
  } catch (const std::exception&) {
  }
  kill(to);
}

void DriverBackend::hear_of_deaths() {
  bool any = hear_of_deaths_from(*template_);
  if (python_template_ != nullptr) any |= hear_of_deaths_from(*python_template_);
  any |= hear_of_thread_ends();
  ended_python_template_.reset();  // it has told all that it had to tell
  if (!any) return;
  set_spinning();
  waiting_room_->wake_all();
}

bool DriverBackend::hear_of_deaths_from(TemplateProcess& home) {
  bool any = false;
  while (const auto death = home.next_death()) {
    worker_died(death->worker, death->reason);
    any = true;
  }
  return any;
}

bool DriverBackend::hear_of_thread_ends() {
  bool any = false;
  while (thread_ends_ != nullptr) {
    const auto end = thread_ends_->next();
    if (!end) break;
    if (const auto found = connections_.find(end->worker.value); found != connections_.end()) {
      ActorThread& thread = *found->second->thread;  // no other thread takes the connection away
      mutex_.unlock();                               // the thread's own objects end, and may call the runtime
      thread.join();
      mutex_.lock();
    }
    worker_died(end->worker.value, end->reason);
    any = true;
  }
  return any;
}

/// Of a runtime that ends: whether only threads are left, whose methods have not returned in time. They run
/// on as threads of the program.
bool DriverBackend::has_only_late_threads() {
  if (connections_.empty() || std::chrono::steady_clock::now() < goodbye_ends_ + kLateThreads) return false;
  const bool is_so =
      std::ranges::all_of(connections_, [](const auto& entry) { return entry.second->thread != nullptr; });
  if (is_so) {
    fmt::print(
        stderr,
        "flowray: Shutdown(): {} actor(s) in threads of the program run a method that has not returned in "
        "{} ms; they are left running.\n",
        connections_.size(), config_.shutdown_timeout_ms);
  }
  return is_so;
}

void DriverBackend::worker_died(uint32_t worker, const std::string& reason) {
  const auto found = connections_.find(worker);
  if (found == connections_.end()) return;
  Connection& from = *found->second;
  if (from.thread != nullptr) drain_threads();  // what it said before it died
  while (from.thread == nullptr && from.alive && drain(from)) {
  }
  from.alive = false;
  std::erase(alive_, &from);
  std::erase(unrung_, &from);
  const uint32_t pid = owner_->pid({worker});
  // Else it would start others for the tasks that are left.
  const LetGo::Held kept = from.thread == nullptr ? LetGo::Held() : from.thread->pass_to(let_go_);
  if (is_running()) owner_->on_worker_death({worker}, reason, kept);
  from.output->set_pid(pid);
  from.output->finish();
  connections_.erase(found);
}

void DriverBackend::end_pauses() {
  const uint64_t ready_before = owner_->num_ready_events();
  while (!pauses_.empty() && pauses_.begin()->first <= std::chrono::steady_clock::now()) {
    const ActorId actor = pauses_.begin()->second;
    pauses_.erase(pauses_.begin());
    owner_->on_pause_over(actor);
  }
  if (owner_->num_ready_events() != ready_before) waiting_room_->wake_all();
}

void DriverBackend::end_timers() {
  const uint64_t ready_before = owner_->num_ready_events();
  while (!timers_.empty() && timers_.begin()->first <= std::chrono::steady_clock::now()) {
    const auto earliest = timers_.begin();
    const auto [task, timer] = earliest->second;
    const auto [first, end] = timers_of_.equal_range(task);
    timers_of_.erase(std::find_if(first, end, [&](const auto& entry) { return entry.second == earliest; }));
    timers_.erase(earliest);
    owner_->on_timer(task, timer);
  }
  if (owner_->num_ready_events() != ready_before) waiting_room_->wake_all();
}

void DriverBackend::look_for_stuck(Service& service) {
  const auto now = std::chrono::steady_clock::now();
  if (now < service.next_look) return;
  service.next_look = now + std::chrono::milliseconds(kLookMs);
  const uint64_t ready_before = owner_->num_ready_events();
  owner_->look_for_stuck();
  if (owner_->num_ready_events() != ready_before) waiting_room_->wake_all();
}

/// While there are tasks that it could end.
bool DriverBackend::watches_memory() {
  return config_.memory_monitor_refresh_ms > 0 && !owner_->retriable_processes().empty();
}

/// Ends the largest of the processes whose tasks have retries, before the kernel ends one of its own
/// choice: the program itself, or a process that holds an actor's state.
void DriverBackend::watch_memory() {
  if (config_.memory_monitor_refresh_ms == 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < memory_is_watched_at_) return;
  memory_is_watched_at_ = now + std::chrono::milliseconds(config_.memory_monitor_refresh_ms);
  const auto processes = owner_->retriable_processes();
  if (processes.empty()) return;
  const double used = used_part_of_memory();
  if (used <= config_.memory_usage_threshold) return;
  WorkerId largest;
  uint64_t most_bytes = 0;
  for (const auto& [worker, pid] : processes) {
    const uint64_t bytes = own_memory_bytes(pid);
    if (bytes >= most_bytes) {
      largest = worker;
      most_bytes = bytes;
    }
  }
  owner_->end_worker(largest,
                     fmt::format("was ended, as {:.1f} % of the memory were used (memory_usage_threshold: "
                                 "{:.1f} %) and its {} MB were the most of the tasks with retries",
                                 100 * used, 100 * config_.memory_usage_threshold, most_bytes >> 20));
}

void DriverBackend::kick_service() noexcept {
  const uint64_t one = 1;
  (void)!write(event_.get(), &one,
               sizeof one);  // it fails when the count is at its end: then it is readable as well
}

}  // namespace flowray::ray
