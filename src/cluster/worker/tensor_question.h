#pragma once

#include "cluster/transport.h"
#include "cluster/worker/steps.h"
#include "core/mutex.h"
#include "graph/resource/rendezvous.h"
#include "wire/worker.h"

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
  static void ask(Steps& steps, const wire::RecvTensorRequest& message, const Request& request, Reply reply);
  /// For a receiver that was to read the tensor in this process's memory, and could not.
  static Response answer_again(Steps& steps, const wire::RecvTensorRequest& message);

 private:
  TensorQuestion(Steps& steps, const wire::RecvTensorRequest& message, const Request& request, Reply reply);
  void give_up();
  void answer(graph::Parcel parcel);
  Response grant(Array array);

  const Reply reply_;
  const std::optional<wire::DirectOffer> offer_;  // borrows from the request, as long as that is not answered
  std::optional<Steps::Visit> visit_;
  Mutex mutex_;
  bool is_unwanted_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::function<void()> give_up_ FLOWRAY_GUARDED_BY(mutex_);
  std::optional<Cancellation::Listening> listening_;  // ends before what it calls
};

}  // namespace flowray::cluster
