#pragma once

#include "cluster/transport.h"
#include "cluster/worker/steps.h"
#include "core/mutex.h"
#include "graph/resource/rendezvous.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace flowray::cluster {

/// A request of another task for a value of a step, which waits here until that is there.
class TensorQuestion {
 public:
  /// Asks `step`'s rendezvous and answers once, perhaps before it returns. Throws errors::AbortedError for a
  /// step that is over, and then does not answer.
  static void ask(Steps& steps, int64_t step_id, const std::string& key, const Request& request, Reply reply);

 private:
  TensorQuestion(Steps& steps, int64_t step_id, const Request& request, Reply reply);
  void give_up();
  void answer(graph::Parcel parcel);

  const Reply reply_;
  std::optional<Steps::Visit> visit_;
  Mutex mutex_;
  bool is_unwanted_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::function<void()> give_up_ FLOWRAY_GUARDED_BY(mutex_);
  std::optional<Cancellation::Listening> listening_;  // ends before what it calls
};

}  // namespace flowray::cluster
