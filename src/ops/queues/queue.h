#pragma once
/// Queues of tuples, as the ops of queue_ops.cpp use them. Nothing blocks here: to enqueue or dequeue is
/// to start an asynchronous operation, which completes by a callback, at once or when other operations have
/// made room or elements for it.

#include <flowray/array.h>

#include "core/mutex.h"
#include "core/philox.h"
#include "graph/op_schema.h"
#include "graph/resource/resource.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// One array for each component.
using QueueTuple = std::vector<Array>;

struct QueueSpec {
  std::vector<DType> dtypes;
  /// One for each component, or none at all: then elements may have any shape, and only single ones can be
  /// taken out.
  std::vector<Shape> shapes;
  /// Elements that it holds at most; < 0: any number.
  int64_t capacity = -1;
};

/// How an attempt ended.
struct QueueOutcome {
  Code code = Code::kOk;
  std::string text;
  QueueTuple tuple;  // what was taken out
};

/// A queue: elements in the order that the class derived from it defines, and the attempts that wait at both
/// of its ends. Thread-safe. Callbacks come from the thread that makes the attempt possible, with no lock
/// held; they must not wait.
class Queue : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::QueueInterface";
  using Done = std::function<void(QueueOutcome)>;
  using Attempt = uint64_t;

  std::string_view kind() const override { return kKind; }
  const QueueSpec& spec() const { return spec_; }
  /// The op that makes it, without "V2".
  std::string_view op() const { return speaker_of_many(); }

  /// Puts `tuples` in, one after the other as there is room. Throws errors::InvalidArgumentError for shapes
  /// that are not the queue's; ends with CANCELLED where the queue is closed.
  Attempt enqueue(std::vector<QueueTuple> tuples, Done done);
  /// Takes one element out. OUT_OF_RANGE where the queue is closed and empty.
  Attempt dequeue(Done done);
  /// Takes `count` elements out, each component as one array of [count, ...]. OUT_OF_RANGE where the queue is
  /// closed and has fewer, unless `may_be_fewer` and there are some. Throws errors::InvalidArgumentError
  /// where shapes are unknown.
  Attempt dequeue_many(int64_t count, bool may_be_fewer, Done done);
  /// Closes the queue: new elements are refused once those that wait have been put in, or, with
  /// `cancel_pending`, at once: those that wait end with CANCELLED.
  Attempt close(bool cancel_pending, Done done);
  /// Ends an attempt that still waits with CANCELLED, and puts back what it has taken so far. Else
  /// does nothing.
  void cancel(Attempt attempt);

  int64_t size() const;
  bool is_closed() const;

  /// A batch of tuples apart: row i of every component. Throws errors::InvalidArgumentError.
  std::vector<QueueTuple> rows_of(const QueueTuple& batch) const;

 protected:
  Queue(std::string name, QueueSpec spec) : Resource(std::move(name)), spec_(std::move(spec)) {}

  virtual int64_t count() const FLOWRAY_REQUIRES(mutex_) = 0;
  virtual void put(QueueTuple tuple) FLOWRAY_REQUIRES(mutex_) = 0;
  virtual QueueTuple take() FLOWRAY_REQUIRES(mutex_) = 0;
  /// `tuples` in the order in which they were taken.
  virtual void put_back(std::vector<QueueTuple> tuples) FLOWRAY_REQUIRES(mutex_) = 0;
  /// How many may be taken now.
  virtual int64_t available(bool) const FLOWRAY_REQUIRES(mutex_) { return count(); }
  /// Whether an attempt to take several keeps those that it gets until the rest comes, hiding them
  /// from others.
  virtual bool takes_piecemeal() const { return true; }

  /// The name of TensorFlow's class, with which errors begin.
  virtual std::string_view speaker() const = 0;
  virtual std::string_view speaker_of_many() const { return speaker(); }
  virtual bool fits(const Shape& element, const Shape& declared) const { return element == declared; }
  /// Arrays of [tuples.size(), ...] of the declared shapes.
  virtual QueueTuple batch_of(const std::vector<QueueTuple>& tuples) const;

  mutable Mutex mutex_;

 private:
  enum class Progress { kNone, kSome, kOver };
  struct Putting {
    Attempt id;
    bool closes = false;
    std::vector<QueueTuple> tuples;
    size_t next = 0;
    Done done;
    QueueOutcome outcome = {};
  };
  struct Taking {
    Attempt id;
    bool single;
    bool may_be_fewer;
    int64_t left;
    Done done;
    std::vector<QueueTuple> taken = {};
    QueueOutcome outcome = {};
  };
  /// Attempts that are over, to be told without the lock.
  struct Over {
    std::deque<Putting> puttings;
    std::deque<Taking> takings;
  };

  Attempt add(Putting putting);
  Attempt add(Taking taking);
  void advance(Over& over) FLOWRAY_REQUIRES(mutex_);
  Progress advance(Putting& putting) FLOWRAY_REQUIRES(mutex_);
  Progress advance(Taking& taking) FLOWRAY_REQUIRES(mutex_);
  Progress advance_after_close(Taking& taking) FLOWRAY_REQUIRES(mutex_);
  void tell(Over& over) const;
  void check_element(const QueueTuple& tuple) const;

  const QueueSpec spec_;
  Attempt last_attempt_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool closed_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::deque<Putting> puttings_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<Taking> takings_ FLOWRAY_GUARDED_BY(mutex_);
};

/// FIFOQueue: out in the order in which they came in.
class FifoQueue : public Queue {
 public:
  FifoQueue(std::string name, QueueSpec spec) : Queue(std::move(name), std::move(spec)) {}

 protected:
  int64_t count() const override FLOWRAY_REQUIRES(mutex_) { return static_cast<int64_t>(elements_.size()); }
  void put(QueueTuple tuple) override FLOWRAY_REQUIRES(mutex_) { elements_.push_back(std::move(tuple)); }
  QueueTuple take() override FLOWRAY_REQUIRES(mutex_);
  void put_back(std::vector<QueueTuple> tuples) override FLOWRAY_REQUIRES(mutex_);
  std::string_view speaker() const override { return "FIFOQueue"; }

 private:
  std::deque<QueueTuple> elements_ FLOWRAY_GUARDED_BY(mutex_);
};

/// PaddingFIFOQueue: elements differ in the dimensions that its shapes leave open; in a batch they are filled
/// up with zeros to the largest of it.
class PaddingQueue final : public FifoQueue {
 public:
  using FifoQueue::FifoQueue;

 protected:
  std::string_view speaker_of_many() const override { return "PaddingFIFOQueue"; }
  bool fits(const Shape& element, const Shape& declared) const override {
    return declared.is_compatible_with(element);
  }
  QueueTuple batch_of(const std::vector<QueueTuple>& tuples) const override;
};

/// RandomShuffleQueue: out in random order, in TensorFlow's for given seeds. While it is open,
/// `min_after_dequeue` elements stay in, for the others to be mixed with.
class ShuffleQueue final : public Queue {
 public:
  struct Shuffle {
    int64_t min_after_dequeue = 0;
    int64_t seed = 0;
    int64_t seed2 = 0;
  };
  ShuffleQueue(std::string name, QueueSpec spec, const Shuffle& shuffle);
  const Shuffle& shuffle() const { return shuffle_; }

 protected:
  int64_t count() const override FLOWRAY_REQUIRES(mutex_) { return static_cast<int64_t>(elements_.size()); }
  void put(QueueTuple tuple) override FLOWRAY_REQUIRES(mutex_) { elements_.push_back(std::move(tuple)); }
  QueueTuple take() override FLOWRAY_REQUIRES(mutex_);
  void put_back(std::vector<QueueTuple> tuples) override FLOWRAY_REQUIRES(mutex_);
  int64_t available(bool closed) const override FLOWRAY_REQUIRES(mutex_);
  std::string_view speaker() const override { return "RandomShuffleQueue"; }

 private:
  uint32_t random() FLOWRAY_REQUIRES(mutex_);

  const Shuffle shuffle_;
  Philox position_ FLOWRAY_GUARDED_BY(mutex_);
  Philox::Words words_ FLOWRAY_GUARDED_BY(mutex_) = {};
  size_t next_word_ FLOWRAY_GUARDED_BY(mutex_) = 4;
  std::vector<QueueTuple> elements_ FLOWRAY_GUARDED_BY(mutex_);
};

/// PriorityQueue: smallest first component (int64) first; among equals the one that came first.
class PriorityQueue final : public Queue {
 public:
  PriorityQueue(std::string name, QueueSpec spec) : Queue(std::move(name), std::move(spec)) {}

 protected:
  int64_t count() const override FLOWRAY_REQUIRES(mutex_) { return static_cast<int64_t>(elements_.size()); }
  void put(QueueTuple tuple) override FLOWRAY_REQUIRES(mutex_);
  QueueTuple take() override FLOWRAY_REQUIRES(mutex_);
  void put_back(std::vector<QueueTuple> tuples) override FLOWRAY_REQUIRES(mutex_);
  bool takes_piecemeal() const override { return false; }
  std::string_view speaker() const override { return "PriorityQueue"; }

 private:
  std::multimap<int64_t, QueueTuple> elements_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::ops
