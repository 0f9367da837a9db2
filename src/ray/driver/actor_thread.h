#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/mutex.h"
#include "ray/store/reading.h"
#include "ray/transport/protocol.h"
#include "ray/transport/shared_region.h"
#include "ray/worker/worker.h"

namespace flowray::ray {

/// Ends of actors' threads that the driver has not heard of. Thread-safe.
class ThreadEnds {
 public:
  struct End {
    WorkerId worker;
    std::string reason;
  };
  /// `event`: an eventfd that is written to with each end.
  explicit ThreadEnds(Descriptor event) : event_(std::move(event)) {}
  /// Of a thread that is about to start: the memory for its end.
  void expect();
  void add(End end) noexcept;
  std::optional<End> next();

 private:
  const Descriptor event_;
  Mutex mutex_;
  size_t num_expected_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::vector<End> ends_ FLOWRAY_GUARDED_BY(mutex_);
};

/// An actor's thread in the driver, in place of a worker's process: it speaks to the owner by the same rings.
class ActorThread {
 public:
  /// Copies of what the descriptors stand for are the thread's. `label`: for debuggers. Throws
  /// errors::ResourceExhaustedError when the system has no thread, memory or descriptor to give.
  ActorThread(WorkerId worker, const std::string& label, const WorkerDescriptors& descriptors,
              std::shared_ptr<ThreadEnds> ends);
  /// One that has not ended runs on, for itself.
  ~ActorThread();
  ActorThread(const ActorThread&) = delete;
  ActorThread& operator=(const ActorThread&) = delete;

  /// See WorkerBackend::abandon.
  void abandon() noexcept;
  /// Joins the thread. Called once the driver has received the message that it ends.
  void join();
  /// Gives up what others still hold of the actor's values and references: from now on `heir` reports when it
  /// is let go.
  LetGo::Held pass_to(const std::shared_ptr<LetGo>& heir) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace flowray::ray
