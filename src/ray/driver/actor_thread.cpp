#include "ray/driver/actor_thread.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "ray/worker/worker_backend.h"

namespace flowray::ray {

void ThreadEnds::expect() {
  const MutexLock lock(mutex_);
  ends_.reserve(num_expected_ + 1);
  ++num_expected_;
}

void ThreadEnds::add(End end) noexcept {
  {
    const MutexLock lock(mutex_);
    ends_.push_back(std::move(end));  // the room is there
  }
  const uint64_t one = 1;
  (void)!write(event_.get(), &one, sizeof one);
}

std::optional<ThreadEnds::End> ThreadEnds::next() {
  const MutexLock lock(mutex_);
  if (ends_.empty()) return std::nullopt;
  End end = std::move(ends_.front());
  ends_.erase(ends_.begin());
  --num_expected_;
  return end;
}

/// The thread's, too, which may outlive the driver's interest in it.
struct ActorThread::State {
  Mutex mutex;
  std::unique_ptr<WorkerBackend> backend FLOWRAY_GUARDED_BY(mutex);  // until the thread ends
  std::shared_ptr<LetGo> let_go;
  Descriptor event;
  WorkerId worker;
  std::shared_ptr<ThreadEnds> ends;

  void run() noexcept;
};

void ActorThread::State::run() noexcept {
  WorkerBackend* running = nullptr;
  {
    const MutexLock lock(mutex);
    running = backend.get();
  }
  internal::set_backend_of_thread(running);
  std::string reason = "ended";
  try {
    running->run();
  } catch (const std::exception& error) {
    try {
      reason = fmt::format("ended: {}", error.what());
    } catch (const std::exception&) {
    }
  }
  // The actor's object is destroyed here. Its destructor finds the program's runtime.
  internal::set_backend_of_thread(nullptr);
  std::unique_ptr<WorkerBackend> ended;
  {
    const MutexLock lock(mutex);
    ended = std::move(backend);
  }
  ended.reset();
  ends->add({worker, std::move(reason)});
}

namespace {

Descriptor copy_of(int fd) {
  Descriptor borrowed(fd);
  try {
    Descriptor copy = borrowed.duplicate();
    (void)borrowed.leave();
    return copy;
  } catch (...) {
    (void)borrowed.leave();
    throw;
  }
}

SharedRegion mapped(int fd, size_t bytes) {
  SharedRegion region = SharedRegion::map(copy_of(fd), bytes, SharedRegion::Access::kReadWrite);
  region.close_descriptor();
  return region;
}

}  // namespace

ActorThread::ActorThread(WorkerId worker, const std::string& label, const WorkerDescriptors& descriptors,
                         std::shared_ptr<ThreadEnds> ends)
    : state_(std::make_shared<State>()) {
  state_->worker = worker;
  state_->ends = std::move(ends);
  state_->event = copy_of(descriptors[kEventDescriptor]);
  auto backend = std::make_unique<WorkerBackend>(
      worker, Channel(mapped(descriptors[kChannelDescriptor], Channel::size_bytes())),
      mapped(descriptors[kDoorbellDescriptor], sizeof(DriverDoorbell)), state_->event.get(),
      copy_of(descriptors[kSocketDescriptor]), WorkerBackend::Home::kThread);
  state_->let_go = backend->let_go();
  {
    const MutexLock lock(state_->mutex);
    state_->backend = std::move(backend);
  }
  state_->ends->expect();
  try {
    thread_ = std::thread([state = state_] { state->run(); });
  } catch (const std::system_error& error) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot start a thread: {}; raise the limit of processes (ulimit -u), or end some", error.what()));
  }
  constexpr size_t kMostNameBytes = 15;
  pthread_setname_np(thread_.native_handle(), label.substr(0, kMostNameBytes).c_str());
}

ActorThread::~ActorThread() {
  if (thread_.joinable()) thread_.detach();
}

void ActorThread::abandon() noexcept {
  const MutexLock lock(state_->mutex);
  if (state_->backend != nullptr) state_->backend->abandon();
}

void ActorThread::join() { thread_.join(); }

LetGo::Held ActorThread::pass_to(const std::shared_ptr<LetGo>& heir) noexcept {
  return state_->let_go->pass_to(heir);
}

}  // namespace flowray::ray
