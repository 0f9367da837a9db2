#pragma once
/// Iterators as resources: where a session is in a dataset.

#include "core/mutex.h"
#include "graph/resource/resource.h"
#include "ops/data/dataset.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace flowray::ops {

/// Gives elements of the dataset that it was last set to, to any number of threads, one after the other;
/// no thread blocks: a request that comes while another one is served is queued, and served after that,
/// in a thread of core/job_queue.h. Thread-safe.
class Iterator final : public graph::Resource,
                       public graph::FunctionUser,
                       public std::enable_shared_from_this<Iterator> {
 public:
  static constexpr std::string_view kKind = "tensorflow::data::IteratorResource";

  struct Outcome {
    Code code = Code::kOk;
    std::string text;
    Element element;
  };
  using Done = std::function<void(Outcome)>;

  Iterator(std::string name, graph::FunctionRunner& functions, const graph::FunctionLibrary& library);
  ~Iterator() override;
  std::string_view kind() const override { return kKind; }
  /// What finds it again in this process.
  const std::string& handle() const { return handle_; }
  /// The iterator of that handle; null where it is gone.
  static std::shared_ptr<graph::Resource> find(const std::string& handle);
  /// Lets find() find it, and its functions' runner tell it of the end.
  static void enter(const std::shared_ptr<Iterator>& iterator);

  /// Begins a walk through the dataset.
  void set(Array dataset);
  /// The dataset is what the function returns, asked for when the first element is.
  void set_factory(graph::FunctionRequest factory);
  /// OUT_OF_RANGE at the end, FAILED_PRECONDITION without a dataset. Returns a way to give it up, after which
  /// it ends with CANCELLED if it has not ended before.
  std::function<void()> next(Done done, const graph::CallLimits& limits);

  /// From then on it gives CANCELLED. What it calls just now ends with the session; then the walk goes while
  /// its functions' session is there.
  void functions_end() override;

 private:
  struct Request {
    Done done;
    graph::CallLimits limits;
    /// Of one that has to wait for others.
    std::shared_ptr<Cancellation> given_up;
  };

  void serve(const Request& request);
  void serve_next();
  void give_up(const std::shared_ptr<Cancellation>& request);
  Outcome take(const graph::CallLimits& limits);

  const std::string handle_;
  graph::FunctionRunner& functions_;
  Mutex mutex_;
  std::deque<Request> requests_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_serving_ FLOWRAY_GUARDED_BY(mutex_) = false;
  Mutex walk_mutex_;
  IterationContext context_ FLOWRAY_GUARDED_BY(walk_mutex_);
  bool is_over_ FLOWRAY_GUARDED_BY(walk_mutex_) = false;  // with the session
  Array dataset_ FLOWRAY_GUARDED_BY(walk_mutex_);         // kept for the walk
  std::unique_ptr<DatasetIterator> walk_ FLOWRAY_GUARDED_BY(walk_mutex_);
  graph::FunctionRequest factory_ FLOWRAY_GUARDED_BY(walk_mutex_);
};

}  // namespace flowray::ops
