#pragma once
/// Readers: files, named by a queue, as keys and values.

#include "graph/resource/resource.h"
#include "ops/queues/queue.h"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
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
  void begin_work(QueueOutcome& outcome);
  std::vector<Record> records_at_hand(int64_t count);
  void fail_first(Code code, std::string text);
  void give_up(uint64_t id);

  const std::unique_ptr<RecordSource> source_;
  mutable std::mutex mutex_;  // guards what follows, and source_
  std::deque<Attempt> attempts_;
  bool is_serving_ = false;
  std::optional<std::pair<Queue*, Queue::Attempt>> waiting_;  // of the first attempt
  bool is_unwanted_ = false;            // the first attempt was given up before waiting_ was known
  bool is_asking_ = false;              // the queue, which may answer at once
  std::optional<QueueOutcome> answer_;  // that came while it was asked
  uint64_t last_id_ = 0;
  bool has_work_ = false;
  int64_t num_records_ = 0;
  int64_t num_finished_ = 0;
};

}  // namespace flowray::ops
