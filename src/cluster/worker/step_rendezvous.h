#pragma once
/// Where the parts of one step that run in this process meet, and what they ask other tasks for.

#include "cluster/transport.h"
#include "cluster/worker/direct_read.h"
#include "cluster/worker/receive_trace.h"
#include "core/mutex.h"
#include "graph/resource/rendezvous.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// Thread-safe; made as a shared object, which answers that are still to come keep.
class StepRendezvous : public std::enable_shared_from_this<StepRendezvous> {
 public:
  static constexpr int64_t kMostReceived = 10'000;
  /// `budget`: what it shares with other steps for what it remembers; null: none.
  explicit StepRendezvous(int64_t step_id, std::shared_ptr<ReceiveBudget> budget = nullptr)
      : step_id_(step_id), budget_(std::move(budget)) {}
  StepRendezvous(const StepRendezvous&) = delete;
  StepRendezvous& operator=(const StepRendezvous&) = delete;
  ~StepRendezvous() { forget_received(); }

  int64_t step_id() const { return step_id_; }
  /// Between the parts in this process, and for other tasks that ask for what these leave.
  graph::LocalRendezvous& here() { return here_; }

  /// Asks the task behind `channel` for what it leaves under `key`: as graph::Rendezvous::receive.
  std::function<void()> fetch(const std::shared_ptr<Channel>& channel, const std::string& key,
                              graph::Rendezvous::Taker take);

  /// From now on what comes from other tasks is remembered, kMostReceived of it and as much as the budget has
  /// left, and told by received().
  void trace_receives() { traces_receives_.store(true, std::memory_order_relaxed); }
  std::vector<ReceivedTensor> received() const;
  void forget_received();

  /// Keeps `array` to be read by the process that made the offer, until that has read it, or the step ends.
  wire::DirectSource grant(const wire::DirectOffer& offer, Array array);
  /// Ends a grant and returns its array; an Array without value where there is no such grant.
  Array take_back(uint64_t nonce_low);

  /// The step has failed: all that waits here, or for other tasks, gets this error, and what watches is told.
  /// Does nothing the second time.
  void fail(Code code, const std::string& text);
  /// With what fail() was called first; its code is kOk before.
  graph::Parcel failure() const;
  /// Whether a part was told of an error that a part on another task has had, which tells it itself.
  bool has_told_of_another() const;

  /// While it lives, `stop` is called once by fail(), or at once if that has been called. It must not wait,
  /// and owns what it needs: it may still be running when the Watch has gone.
  class Watch {
   public:
    Watch(std::shared_ptr<StepRendezvous> step, std::function<void()> stop);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    const std::shared_ptr<StepRendezvous> step_;
    uint64_t number_ = 0;
  };

 private:
  uint64_t begin();
  void end(uint64_t number);
  void set_stop(uint64_t number, std::function<void()> stop);
  /// What is asked for, and by which words it may be read (DirectGrant).
  struct Question {
    std::string key;
    Nonce nonce;
    bool has_failed = false;  // to read it
    int64_t begin_ns = 0;     // when it was asked first; 0: nobody wants to know
  };
  std::function<void()> ask(const std::shared_ptr<Channel>& channel, const Question& question,
                            const graph::Rendezvous::Taker& take);
  void take_in(const std::shared_ptr<Channel>& channel, const Question& question, const Response& response,
               const graph::Rendezvous::Taker& take);
  void remember(const Question& question, const Array& value);
  graph::Parcel failure_in(const Status& status, const std::string& key);

  const int64_t step_id_;
  const std::shared_ptr<ReceiveBudget> budget_;
  graph::LocalRendezvous here_;
  mutable Mutex mutex_;
  uint64_t last_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  /// How to stop what is under way; null for what is just beginning. A call of one may be under way when
  /// its number has gone, so each owns what it needs.
  std::map<uint64_t, std::function<void()>> open_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<uint64_t, std::shared_ptr<DirectGrant>> grants_ FLOWRAY_GUARDED_BY(mutex_);  // by nonce.low
  graph::Parcel failure_ FLOWRAY_GUARDED_BY(mutex_);
  std::atomic<bool> traces_receives_{false};
  std::vector<ReceivedTensor> received_ FLOWRAY_GUARDED_BY(mutex_);
  bool has_told_of_another_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::cluster
