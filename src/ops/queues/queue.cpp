#include "ops/queues/queue.h"

#include "core/checked_size.h"
#include "ops/elements/copy_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::ops {
namespace {

/// `shape` behind a first dimension of `count`.
Shape batch_shape(int64_t count, const Shape& shape) { return Shape{count}.concatenate(shape); }

}  // namespace

// ---- what is asked for

Queue::Attempt Queue::enqueue(std::vector<QueueTuple> tuples, Done done) {
  for (const QueueTuple& tuple : tuples) check_element(tuple);
  if (tuples.empty()) {
    done({});
    return 0;
  }
  return add(Putting{.id = 0, .tuples = std::move(tuples), .done = std::move(done)});
}

Queue::Attempt Queue::dequeue(Done done) {
  return add(Taking{.id = 0, .single = true, .may_be_fewer = false, .left = 1, .done = std::move(done)});
}

Queue::Attempt Queue::dequeue_many(int64_t count, bool may_be_fewer, Done done) {
  if (spec_.shapes.empty()) {
    throw errors::InvalidArgumentError(
        fmt::format("{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
                    speaker_of_many()));
  }
  if (count == 0) {
    done({Code::kOk, {}, batch_of({})});
    return 0;
  }
  return add(
      Taking{.id = 0, .single = false, .may_be_fewer = may_be_fewer, .left = count, .done = std::move(done)});
}

Queue::Attempt Queue::close(bool cancel_pending, Done done) {
  if (!cancel_pending) return add(Putting{.id = 0, .closes = true, .done = std::move(done)});
  Over over;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    over.puttings.swap(puttings_);
    for (Putting& putting : over.puttings) {
      putting.outcome = {Code::kCancelled, "Enqueue operation was cancelled", {}};
    }
    advance(over);
  }
  tell(over);
  done({});
  return 0;
}

void Queue::cancel(Attempt attempt) {
  Over over;
  {
    const MutexLock lock(mutex_);
    const auto putting = std::ranges::find(puttings_, attempt, &Putting::id);
    if (putting != puttings_.end()) {
      putting->outcome = {Code::kCancelled, "Enqueue operation was cancelled", {}};
      over.puttings.push_back(std::move(*putting));
      puttings_.erase(putting);
    }
    const auto taking = std::ranges::find(takings_, attempt, &Taking::id);
    if (taking != takings_.end()) {
      put_back(std::exchange(taking->taken, {}));
      taking->outcome = {Code::kCancelled, "Dequeue operation was cancelled", {}};
      over.takings.push_back(std::move(*taking));
      takings_.erase(taking);
    }
    advance(over);
  }
  tell(over);
}

int64_t Queue::size() const {
  const MutexLock lock(mutex_);
  return count();
}

bool Queue::is_closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

// ---- attempts

Queue::Attempt Queue::add(Putting putting) {
  Over over;
  Attempt id = 0;
  {
    const MutexLock lock(mutex_);
    id = putting.id = ++last_attempt_;
    puttings_.push_back(std::move(putting));
    advance(over);
  }
  tell(over);
  return id;
}

Queue::Attempt Queue::add(Taking taking) {
  Over over;
  Attempt id = 0;
  {
    const MutexLock lock(mutex_);
    id = taking.id = ++last_attempt_;
    takings_.push_back(std::move(taking));
    advance(over);
  }
  tell(over);
  return id;
}

/// Lets attempts go on as long as any can. Each end is served in the order of arrival, so only the first
/// may move.
void Queue::advance(Over& over) {
  for (bool moved = true; moved;) {
    moved = false;
    for (Progress progress = Progress::kOver; progress == Progress::kOver && !puttings_.empty();) {
      progress = advance(puttings_.front());
      moved |= progress != Progress::kNone;
      if (progress != Progress::kOver) break;
      over.puttings.push_back(std::move(puttings_.front()));
      puttings_.pop_front();
    }
    for (Progress progress = Progress::kOver; progress == Progress::kOver && !takings_.empty();) {
      progress = advance(takings_.front());
      moved |= progress != Progress::kNone;
      if (progress != Progress::kOver) break;
      over.takings.push_back(std::move(takings_.front()));
      takings_.pop_front();
    }
  }
}

Queue::Progress Queue::advance(Putting& putting) {
  if (closed_) {
    putting.outcome = {Code::kCancelled,
                       putting.closes ? fmt::format("Queue '{}' is already closed.", name())
                                      : fmt::format("{} '{}' is closed.", speaker(), name()),
                       {}};
    return Progress::kOver;
  }
  if (putting.closes) {
    closed_ = true;
    return Progress::kOver;
  }
  const size_t before = putting.next;
  while (putting.next < putting.tuples.size() && (spec_.capacity < 0 || count() < spec_.capacity)) {
    put(std::move(putting.tuples[putting.next++]));
  }
  if (putting.next == putting.tuples.size()) return Progress::kOver;
  return putting.next > before ? Progress::kSome : Progress::kNone;
}

Queue::Progress Queue::advance(Taking& taking) {
  const int64_t there = available(closed_);
  if (closed_ && there < taking.left) return advance_after_close(taking);
  if (there < taking.left && !takes_piecemeal()) return Progress::kNone;
  const int64_t now = std::clamp<int64_t>(there, 0, taking.left);
  for (int64_t i = 0; i < now; ++i) taking.taken.push_back(take());
  taking.left -= now;
  if (taking.left == 0) return Progress::kOver;
  return now > 0 ? Progress::kSome : Progress::kNone;
}

/// The queue is closed and has not all that is asked for; nothing more will come.
Queue::Progress Queue::advance_after_close(Taking& taking) {
  const int64_t there = count();
  const bool has_some = there > 0 || !taking.taken.empty();
  if (taking.may_be_fewer && has_some) {
    for (int64_t i = 0; i < there; ++i) taking.taken.push_back(take());
    return Progress::kOver;
  }
  put_back(std::exchange(taking.taken, {}));
  taking.outcome = {
      Code::kOutOfRange,
      fmt::format("{} '{}' is closed and has insufficient elements (requested {}, current size {})",
                  taking.single ? speaker() : speaker_of_many(), name(), taking.left, there),
      {}};
  return Progress::kOver;
}

void Queue::tell(Over& over) const {
  for (Putting& putting : over.puttings) putting.done(std::move(putting.outcome));
  for (Taking& taking : over.takings) {
    if (taking.outcome.code == Code::kOk) {
      try {
        taking.outcome.tuple = taking.single ? std::move(taking.taken[0]) : batch_of(taking.taken);
      } catch (const errors::OpError& error) {  // there is no memory for the batch
        taking.outcome = {error.code(), error.message(), {}};
      } catch (const std::exception& error) {  // completes the pending call with it
        taking.outcome = {Code::kInternal, error.what(), {}};
      }
    }
    taking.done(std::move(taking.outcome));
  }
}

// ---- elements

void Queue::check_element(const QueueTuple& tuple) const {
  if (spec_.shapes.empty()) return;
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (fits(tuple[i].shape(), spec_.shapes[i])) continue;
    throw errors::InvalidArgumentError(
        fmt::format("Shape mismatch in tuple component {}. Expected {}, got {}", i,
                    spec_.shapes[i].to_string(), tuple[i].shape().to_string()));
  }
}

std::vector<QueueTuple> Queue::rows_of(const QueueTuple& batch) const {
  if (batch.empty()) throw errors::InvalidArgumentError("A batch for a queue needs at least one component");
  for (size_t i = 0; i < batch.size(); ++i) {
    const Shape& shape = batch[i].shape();
    const int64_t rows = batch[0].rank() > 0 ? batch[0].dim(0) : 0;
    const Shape declared = spec_.shapes.empty() ? Shape::unknown_rank() : batch_shape(rows, spec_.shapes[i]);
    if (spec_.shapes.empty() && shape.rank() > 0 && shape.dim(0) != rows) {
      throw errors::InvalidArgumentError(fmt::format(
          "All input tensors must have the same size in the 0th dimension. Component {} has {}, and "
          "should have {}",
          i, shape.dim(0), rows));
    }
    if (shape.rank() == 0 || (declared.has_rank() && !fits(shape, declared))) {
      throw errors::InvalidArgumentError(
          fmt::format("Shape mismatch in tuple component {}. Expected {}, got {}", i, declared.to_string(),
                      shape.to_string()));
    }
  }
  // Rows without elements may be any number.
  std::vector<QueueTuple> rows(static_cast<size_t>(checked_count("elements of a queue", batch[0].dim(0))));
  for (const Array& component : batch) {
    const Shape shape(component.shape().dims().subspan(1));
    const int64_t count = shape.num_elements();
    for (size_t r = 0; r < rows.size(); ++r) {
      // A copy: one row that stays in the queue must not keep the memory of all.
      Array row = Array::uninitialized(component.dtype(), shape);
      copy_elements(component, static_cast<int64_t>(r) * count, row, 0, count);
      rows[r].push_back(std::move(row));
    }
  }
  return rows;
}

QueueTuple Queue::batch_of(const std::vector<QueueTuple>& tuples) const {
  QueueTuple batch;
  const auto rows = static_cast<int64_t>(tuples.size());
  for (size_t i = 0; i < spec_.dtypes.size(); ++i) {
    const int64_t count = spec_.shapes[i].num_elements();
    Array component = Array::uninitialized(spec_.dtypes[i], batch_shape(rows, spec_.shapes[i]));
    for (int64_t r = 0; r < rows; ++r) {
      copy_elements(tuples[static_cast<size_t>(r)][i], 0, component, r * count, count);
    }
    batch.push_back(std::move(component));
  }
  return batch;
}

// ---- first in, first out

QueueTuple FifoQueue::take() {
  QueueTuple tuple = std::move(elements_.front());
  elements_.pop_front();
  return tuple;
}

void FifoQueue::put_back(std::vector<QueueTuple> tuples) {
  elements_.insert(elements_.begin(), std::make_move_iterator(tuples.begin()),
                   std::make_move_iterator(tuples.end()));
}

// ---- with padding

namespace {

/// The largest of every dimension; 0 where there is nothing.
Shape padded_shape(const std::vector<QueueTuple>& tuples, size_t component, const Shape& declared) {
  Shape shape = declared;
  for (int d = 0; d < declared.rank(); ++d) {
    int64_t largest = std::max<int64_t>(declared.dim(d), 0);
    for (const QueueTuple& tuple : tuples) largest = std::max(largest, tuple[component].dim(d));
    shape.set_dim(d, largest);
  }
  return shape;
}

/// Copies `from` into the corner of row `row` of `to`, innermost runs at a time.
void copy_into_corner(const Array& from, Array& to, int64_t row) {
  const Shape& shape = from.shape();
  const int rank = shape.rank();
  const int64_t run = rank == 0 ? 1 : shape.dim(rank - 1);
  const int64_t num_runs = run == 0 ? 0 : shape.num_elements() / run;
  for (int64_t r = 0; r < num_runs; ++r) {
    int64_t rest = r;
    int64_t offset = 0;
    int64_t stride = rank == 0 ? 1 : to.dim(rank);
    for (int d = rank - 2; d >= 0; --d) {
      offset += rest % shape.dim(d) * stride;
      rest /= shape.dim(d);
      stride *= to.dim(d + 1);
    }
    copy_elements(from, r * run, to, row * stride + offset, run);
  }
}

}  // namespace

QueueTuple PaddingQueue::batch_of(const std::vector<QueueTuple>& tuples) const {
  QueueTuple batch;
  for (size_t i = 0; i < spec().dtypes.size(); ++i) {
    const Shape shape = padded_shape(tuples, i, spec().shapes[i]);
    Array component(spec().dtypes[i], batch_shape(static_cast<int64_t>(tuples.size()), shape));
    for (size_t r = 0; r < tuples.size(); ++r)
      copy_into_corner(tuples[r][i], component, static_cast<int64_t>(r));
    batch.push_back(std::move(component));
  }
  return batch;
}

// ---- at random

namespace {

Philox start_of(const ShuffleQueue::Shuffle& shuffle) {
  // What RandomStream makes of two zeros: nondeterministic seeds.
  return RandomStream(shuffle.seed, shuffle.seed2).reserve(0);
}

}  // namespace

ShuffleQueue::ShuffleQueue(std::string name, QueueSpec spec, const Shuffle& shuffle)
    : Queue(std::move(name), std::move(spec)), shuffle_(shuffle), position_(start_of(shuffle)) {}

/// TensorFlow reads the four words of a position one after the other.
uint32_t ShuffleQueue::random() {
  if (next_word_ == words_.size()) {
    words_ = position_.next();
    next_word_ = 0;
  }
  return words_[next_word_++];
}

QueueTuple ShuffleQueue::take() {
  std::swap(elements_[random() % elements_.size()], elements_.back());
  QueueTuple tuple = std::move(elements_.back());
  elements_.pop_back();
  return tuple;
}

void ShuffleQueue::put_back(std::vector<QueueTuple> tuples) {
  for (QueueTuple& tuple : tuples) elements_.push_back(std::move(tuple));
}

int64_t ShuffleQueue::available(bool closed) const {
  return closed ? count() : std::max<int64_t>(count() - shuffle_.min_after_dequeue, 0);
}

// ---- by priority

void PriorityQueue::put(QueueTuple tuple) {
  const int64_t priority = tuple[0].item<int64_t>();
  elements_.emplace(priority, std::move(tuple));
}

QueueTuple PriorityQueue::take() { return std::move(elements_.extract(elements_.begin()).mapped()); }

void PriorityQueue::put_back(std::vector<QueueTuple> tuples) {
  for (QueueTuple& tuple : tuples) put(std::move(tuple));
}

}  // namespace flowray::ops
