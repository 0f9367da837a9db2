// The service thread: reads the rings when nobody waits, hears of deaths, shows output.

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "ray/driver/driver_backend.h"

namespace flowray::ray {
bool DriverBackend::anything_to_read() {
  return std::ranges::any_of(alive_, [](const Connection* from) { return !from->reader.empty(); });
}

bool DriverBackend::drain() {
  bool any = false;
  for (size_t i = 0; i < alive_.size(); ++i) any |= drain(*alive_[i]);  // grows as the owner starts workers
  return any;
}

/// Whether there were any. A worker that never stops talking must not keep the others waiting: they have
/// their turns.
bool DriverBackend::drain(Connection& from) {
  constexpr int kMostInATurn = 256;
  bool any = false;
  try {
    auto message = from.reader.peek();
    for (int i = 0; i < kMostInATurn && message.data() != nullptr; ++i) {
      if (!stopping_) owner_->on_message(from.id, message);  // else it would start what is next
      from.reader.pop();
      any = true;
      message = from.reader.peek();
    }
    // A worker that waits for room sleeps on its doorbell.
    if (any && from.reader.take_writer_waits()) from.channel.worker_doorbell().ring(-1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray: worker {} is killed, as it sent what cannot be: {}\n", from.id.value,
               error.what());
    template_->kill(from.id.value);
    from.alive = false;
    std::erase(alive_, &from);
  }
  if (!from.notices.empty()) send_notices(from);
  if (!from.outbox.empty()) flush(from);
  return any;
}

void DriverBackend::serve() {
  std::vector<pollfd> polled;
  std::vector<WorkerOutput*> outputs;
  uint64_t last_activity = 0;
  int tick_ms = 1;
  MutexLock lock(mutex_);
  while (true) {
    hear_of_deaths();
    settle_let_go();
    if (!waiting_room_->has_poller() && drain()) waiting_room_->wake_sleepers();
    if (stopping_) {
      if (connections_.empty()) return;
      if (std::chrono::steady_clock::now() > goodbye_ends_) {
        for (const auto& [id, to] : connections_) template_->kill(id);
      }
    }

    // Arm only when the program has not been here for a while: a call more then costs each of its answers a
    // system call.
    int timeout_ms = -1;
    if (waiting_room_->has_poller()) {
      timeout_ms = tick_ms = std::min(2 * tick_ms, 16);
    } else if (activity_ != last_activity) {
      last_activity = activity_;
      timeout_ms = tick_ms = 1;
    } else if (stopping_) {
      timeout_ms = 10;
    } else {
      doorbell_->announce(Doorbell::How::kEvent);
      service_armed_ = !anything_to_read();
      if (!service_armed_) {
        doorbell_->cancel();
        timeout_ms =
            1;  // not at once: a worker that never stops talking must not keep the program from the lock
      }
    }
    for (Connection* to : alive_) {
      if (!to->notices.empty()) send_notices(*to);
      if (!to->notices.empty()) timeout_ms = timeout_ms < 0 ? 10 : std::min(timeout_ms, 10);
    }
    polled.assign({{template_->descriptor(), POLLIN, 0}, {event_.get(), POLLIN, 0}});
    outputs.clear();
    for (auto& [id, from] : connections_) {
      for (const int fd : from->output->descriptors()) {
        polled.push_back({fd, POLLIN, 0});
        outputs.push_back(from->output.get());
        from->output->set_pid(owner_->pid({id}));
      }
    }
    lock.unlock();
    poll(polled.data(), polled.size(), timeout_ms);
    if ((polled[1].revents & POLLIN) != 0) {
      uint64_t count = 0;
      (void)!read(event_.get(), &count, sizeof count);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (polled[i + 2].revents == 0) continue;
      outputs[i]->read_from(polled[i + 2].fd);
    }
    lock.lock();
    if (service_armed_) {
      service_armed_ = false;
      doorbell_->cancel();
    }
  }
}

void DriverBackend::hear_of_deaths() {
  bool any = false;
  while (const auto death = template_->next_death()) {
    worker_died(death->worker, death->reason);
    any = true;
  }
  if (!any) return;
  set_spinning();
  waiting_room_->wake_all();
}

void DriverBackend::worker_died(uint32_t worker, const std::string& reason) {
  const auto found = connections_.find(worker);
  if (found == connections_.end()) return;
  Connection& from = *found->second;
  while (from.alive && drain(from)) {  // what it said before it died
  }
  from.alive = false;
  std::erase(alive_, &from);
  const uint32_t pid = owner_->pid({worker});
  if (!stopping_)
    owner_->on_worker_death({worker}, reason);  // else it would start others for the tasks that are left
  from.output->set_pid(pid);
  from.output->finish();
  connections_.erase(found);
}

void DriverBackend::kick_service() {
  const uint64_t one = 1;
  (void)!write(event_.get(), &one,
               sizeof one);  // it fails when the count is at its end: then it is readable as well
}

}  // namespace flowray::ray
