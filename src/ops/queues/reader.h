#pragma once
/// Readers: files, named by a queue, as keys and values.

#include "core/mutex.h"
#include "graph/resource/resource.h"
#include "ops/queues/queue.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::ops {

/// Key and value of a record.
using Record = std::pair<std::string, std::string>;

/// The records of one piece of work (a file), one after the other. Throws errors::OpError.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual void begin(const std::string& work) = 0;
  /// None at the end.
  virtual std::optional<Record> next() = 0;
};

/// Gives records; takes the next piece of work from a queue when it has none left, and waits for it there.
/// Attempts are served one after the other. Thread-safe; callbacks come from the thread that makes the
/// attempt possible, with no lock held.
class Reader final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::ReaderInterface";

  struct Outcome {
    Code code = Code::kOk;
    std::string text;
    std::vector<Record> records;
  };
  using Done = std::function<void(Outcome)>;

  Reader(std::string name, std::unique_ptr<RecordSource> source)
      : Resource(std::move(name)), source_(std::move(source)) {}
  std::string_view kind() const override { return kKind; }

  /// Up to `count` records of one piece of work, at least one. OUT_OF_RANGE where the queue is closed and
  /// empty. Returns a way to give it up, after which it ends with CANCELLED if it has not ended before.
  std::function<void()> read(Queue& queue, int64_t count, Done done);
  int64_t num_records() const;
  int64_t num_finished() const;
  void reset();

 private:
  struct Attempt {
    uint64_t id;
    Queue* queue;
    int64_t count;
    Done done;
  };
  void serve();
  bool wait_for_work(Queue& queue);
  void take_work(QueueOutcome outcome);
  void begin_work(QueueOutcome& outcome) FLOWRAY_REQUIRES(mutex_);
  std::vector<Record> records_at_hand(int64_t count) FLOWRAY_REQUIRES(mutex_);
  void fail_first(Code code, std::string text);
  void give_up(uint64_t id);

  mutable Mutex mutex_;
  const std::unique_ptr<RecordSource> source_ FLOWRAY_PT_GUARDED_BY(mutex_);
  std::deque<Attempt> attempts_ FLOWRAY_GUARDED_BY(mutex_);
  bool is_serving_ FLOWRAY_GUARDED_BY(mutex_) = false;
  /// Of the first attempt.
  std::optional<std::pair<Queue*, Queue::Attempt>> waiting_ FLOWRAY_GUARDED_BY(mutex_);
  /// The first attempt was given up before waiting_ was known.
  bool is_unwanted_ FLOWRAY_GUARDED_BY(mutex_) = false;
  /// The queue, which may answer at once.
  bool is_asking_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::optional<QueueOutcome> answer_ FLOWRAY_GUARDED_BY(mutex_);  // that came while it was asked
  uint64_t last_id_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool has_work_ FLOWRAY_GUARDED_BY(mutex_) = false;
  int64_t num_records_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  int64_t num_finished_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace flowray::ops
