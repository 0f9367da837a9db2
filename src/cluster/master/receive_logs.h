#pragma once

#include "cluster/transport.h"
#include "core/mutex.h"
#include "wire/worker.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// What the workers of a traced step say of the tensors that they get from other tasks: TensorFlow's note
/// them only while they are asked to, by Logging, and tell them when the step is over. Ours know that
/// question too, and have told the same with their part's trace.
class ReceiveLogs : public std::enable_shared_from_this<ReceiveLogs> {
 public:
  explicit ReceiveLogs(std::vector<std::shared_ptr<Channel>> workers) : workers_(std::move(workers)) {}

  /// Asks all to begin; `then` is called when they have, or after some seconds.
  void begin(const std::function<void()>& then);
  /// Asks for those of the step, and all to end; `then` is called as by begin(). A worker that does not tell
  /// is left out.
  void fetch(int64_t step_id, const std::function<void()>& then);
  /// Asks all to end.
  void end();

  /// What was fetched of the i-th worker.
  wire::LoggingResponse& of_worker(size_t i) { return fetched_.at(i).told; }
  /// What all of it borrows from.
  std::vector<Message> answers() const;

 private:
  struct Fetched {
    Message answer;
    wire::LoggingResponse told;
  };
  void ask(const wire::LoggingRequest& request, const std::function<void()>& then);

  const std::vector<std::shared_ptr<Channel>> workers_;
  Mutex mutex_;
  size_t num_open_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::vector<Fetched> fetched_;  // one each, written before `then` is called
};

}  // namespace flowray::cluster
