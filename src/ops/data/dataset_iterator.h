#pragma once
/// Iterators as resources: where a session, or several, are in a dataset.

#include "core/cancellation.h"
#include "core/mutex.h"
#include "graph/resource/resource.h"
#include "ops/data/dataset.h"
#include "ops/data/walk_state.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace flowray::ops {

class LastingFunctions;

/// A walk through a dataset that a session has begun, whose functions it runs. Thread-safe.
class SessionWalk final : public graph::FunctionUser {
 public:
  struct Outcome {
    Code code = Code::kOk;
    std::string text;
    Element element;
  };
  /// What is asked of a walk, for errors: "GetNext()", "getting the next element".
  struct Wanted {
    std::string_view call;
    std::string_view purpose;
  };
  /// What a session gives its walks.
  struct Functions {
    graph::FunctionRunner& runner;
    const graph::FunctionLibrary& library;
  };

  /// `lasts`: whether the walk goes on without the session, unless its functions need a handle, which may be
  /// of something that the session keeps alive. `factory`: the function that returns the dataset, asked for
  /// when the first element is; none: there is no dataset before set().
  SessionWalk(const Functions& session, bool lasts, graph::FunctionRequest factory = {});
  ~SessionWalk() override;
  SessionWalk(const SessionWalk&) = delete;
  SessionWalk& operator=(const SessionWalk&) = delete;
  /// Whether the session is this one's and still there.
  bool is_of(const graph::FunctionRunner& session) const {
    return has_session_.load(std::memory_order_acquire) && &session == &session_;
  }

  /// Begins anew, with functions of `library`; false where the walk has ended.
  [[nodiscard]] bool set(const Array& dataset, const graph::FunctionLibrary& library,
                         const graph::CallLimits& limits);
  /// The next element; OUT_OF_RANGE at the end, FAILED_PRECONDITION without a dataset.
  Outcome take(const graph::CallLimits& limits);
  /// Where it is, as an element (ops/elements/saved_walk.h); FAILED_PRECONDITION without a dataset, or where
  /// that cannot be told.
  Outcome save(const Saving& saving, const graph::CallLimits& limits);
  /// Begins anew, where the saved one was; no element. Where that fails it goes on as before.
  Outcome restore(const Array& saved, const graph::CallLimits& limits);

  bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  /// Already while what waits in it is being ended.
  bool is_ending() const { return ending_.is_cancelled(); }
  /// From then on it gives CANCELLED, also what waits just now.
  void end();
  /// The session ends, and the walk with it unless it lasts. What it calls just now ends with the session;
  /// then the walk goes while its functions' session is there.
  void functions_end() override;

 private:
  using Walk = std::unique_ptr<DatasetIterator>;

  /// What `act` gives once the walk has begun.
  template <class Act>
  Outcome with_walk(const Wanted& wanted, const graph::CallLimits& limits, const Act& act);

  const graph::FunctionRunner& session_;
  const std::unique_ptr<LastingFunctions> lasting_;
  graph::FunctionRunner& functions_;
  const graph::FunctionRequest factory_;
  std::atomic<bool> has_session_{true};
  std::atomic<bool> is_over_{false};  // changed under the lock
  Cancellation ending_;
  Mutex mutex_;
  graph::FunctionLibrary library_ FLOWRAY_GUARDED_BY(mutex_);  // the context's
  IterationContext context_ FLOWRAY_GUARDED_BY(mutex_);
  Array dataset_ FLOWRAY_GUARDED_BY(mutex_);  // kept for the walk
  Walk walk_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Gives elements of the dataset that it was last set to, to any number of threads, one after the other;
/// no thread blocks: a request that comes while another one is served is queued, and served after that,
/// in a thread of core/job_queue.h. Sessions that share it get different elements. Thread-safe.
class Iterator final : public graph::Resource, public std::enable_shared_from_this<Iterator> {
 public:
  static constexpr std::string_view kKind = "tensorflow::data::IteratorResource";

  using Outcome = SessionWalk::Outcome;
  using Done = std::function<void(Outcome)>;
  using Act = std::function<Outcome(SessionWalk&, const graph::CallLimits&)>;

  /// `is_shared`: whether it is there for longer than a session.
  Iterator(std::string name, bool is_shared);
  ~Iterator() override;
  std::string_view kind() const override { return kKind; }
  /// What finds it again in this process.
  const std::string& handle() const { return handle_; }
  /// The iterator of that handle; null where it is gone.
  static std::shared_ptr<graph::Resource> find(const std::string& handle);
  /// Lets find() find it.
  static void enter(const std::shared_ptr<Iterator>& iterator);

  /// Begins a walk through the dataset.
  void set(const Array& dataset, const SessionWalk::Functions& session, const graph::CallLimits& limits);
  /// Begins a walk through the dataset that the function returns,
  /// unless there is one whose session has not ended.
  void offer_factory(graph::FunctionRequest factory, const SessionWalk::Functions& session);
  /// What SessionWalk::take() gives. Returns a way to give it up, after which it ends with CANCELLED if it
  /// has not ended before.
  std::function<void()> next(Done done, const graph::CallLimits& limits);
  /// The same of SessionWalk::save().
  std::function<void()> save(const Saving& saving, Done done, const graph::CallLimits& limits);
  /// The same of SessionWalk::restore().
  std::function<void()> restore(const Array& saved, Done done, const graph::CallLimits& limits);

 private:
  struct Request {
    SessionWalk::Wanted wanted;
    Act act;
    Done done;
    graph::CallLimits limits;
    /// Cancels a request that has to wait for others.
    std::shared_ptr<Cancellation> given_up;
  };

  std::function<void()> ask(const SessionWalk::Wanted& wanted, Act act, Done done,
                            const graph::CallLimits& limits);
  void serve(const Request& request);
  void serve_next();
  void give_up(const std::shared_ptr<Cancellation>& request);
  Outcome answer(const Request& request);
  std::shared_ptr<SessionWalk> walk();

  const bool is_shared_;
  const std::string handle_;
  Mutex mutex_;
  std::deque<Request> requests_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_serving_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::shared_ptr<SessionWalk> walk_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::ops
