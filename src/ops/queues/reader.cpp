#include "ops/queues/reader.h"

#include <flowray/errors.h>

namespace flowray::ops {

std::function<void()> Reader::read(Queue& queue, int64_t count, Done done) {
  uint64_t id = 0;
  {
    const MutexLock lock(mutex_);
    id = ++last_id_;
    attempts_.push_back({id, &queue, count, std::move(done)});
    if (is_serving_) return [this, id] { give_up(id); };
    is_serving_ = true;
  }
  serve();
  return [this, id] { give_up(id); };
}

int64_t Reader::num_records() const {
  const MutexLock lock(mutex_);
  return num_records_;
}

int64_t Reader::num_finished() const {
  const MutexLock lock(mutex_);
  return num_finished_;
}

void Reader::reset() {
  const MutexLock lock(mutex_);
  has_work_ = false;
  num_records_ = 0;
  num_finished_ = 0;
}

/// Serves pending reads until there are none, or the first one waits for work; then take_work goes on.
void Reader::serve() {
  while (true) {
    MutexLock lock(mutex_);
    if (attempts_.empty()) {
      is_serving_ = false;
      return;
    }
    Attempt& first = attempts_.front();
    Queue& queue = *first.queue;
    try {
      std::vector<Record> records = records_at_hand(first.count);
      if (records.empty()) {
        lock.unlock();
        if (!wait_for_work(queue)) return;
        continue;
      }
      const Done done = std::move(first.done);
      attempts_.pop_front();
      lock.unlock();
      done({Code::kOk, {}, std::move(records)});
    } catch (const errors::OpError& error) {
      has_work_ = false;
      lock.unlock();
      fail_first(error.code(), error.message());
    } catch (const std::exception& error) {  // out of memory: completes the pending read with it
      has_work_ = false;
      lock.unlock();
      fail_first(Code::kResourceExhausted, error.what());
    }
  }
}

std::vector<Record> Reader::records_at_hand(int64_t count) {
  std::vector<Record> records;
  while (has_work_ && std::ssize(records) < count) {
    std::optional<Record> record = source_->next();
    if (record) {
      ++num_records_;
      records.push_back(std::move(*record));
    } else {
      has_work_ = false;
      ++num_finished_;
    }
  }
  return records;
}

/// False: it will come, and take_work() goes on then. What comes at once is for the caller to go on with: a
/// queue may have the names of thousands of empty files, and each would take its part of the stack.
bool Reader::wait_for_work(Queue& queue) {
  {
    const MutexLock lock(mutex_);
    is_asking_ = true;
  }
  const Queue::Attempt attempt =
      queue.dequeue([this](QueueOutcome outcome) { take_work(std::move(outcome)); });
  MutexLock lock(mutex_);
  is_asking_ = false;
  if (const std::optional<QueueOutcome> answer = std::exchange(answer_, std::nullopt)) {
    lock.unlock();
    if (answer->code != Code::kOk) fail_first(answer->code, answer->text);
    return true;
  }
  waiting_.emplace(&queue, attempt);
  if (!std::exchange(is_unwanted_, false)) return false;
  lock.unlock();
  queue.cancel(attempt);
  return false;
}

void Reader::take_work(QueueOutcome outcome) {
  {
    const MutexLock lock(mutex_);
    waiting_.reset();
    is_unwanted_ = false;
    if (outcome.code == Code::kOk) begin_work(outcome);
    if (is_asking_) {
      answer_ = std::move(outcome);
      return;
    }
  }
  if (outcome.code != Code::kOk) fail_first(outcome.code, std::move(outcome.text));
  serve();
}

/// An error takes the outcome's place.
void Reader::begin_work(QueueOutcome& outcome) {
  try {
    source_->begin(outcome.tuple.at(0).item<std::string>());
    has_work_ = true;
  } catch (const errors::OpError& error) {
    outcome.code = error.code();
    outcome.text = error.message();
  } catch (const std::exception& error) {
    outcome.code = Code::kResourceExhausted;
    outcome.text = error.what();
  }
}

void Reader::fail_first(Code code, std::string text) {
  Done done;
  {
    const MutexLock lock(mutex_);
    done = std::move(attempts_.front().done);
    attempts_.pop_front();
  }
  done({code, std::move(text), {}});
}

void Reader::give_up(uint64_t id) {
  MutexLock lock(mutex_);
  for (auto attempt = attempts_.begin(); attempt != attempts_.end(); ++attempt) {
    if (attempt->id != id) continue;
    if (attempt == attempts_.begin()) {
      if (!waiting_) {
        is_unwanted_ = true;
        return;
      }
      const auto [queue, waiting] = *waiting_;
      lock.unlock();
      return queue->cancel(waiting);
    }
    const Done done = std::move(attempt->done);
    attempts_.erase(attempt);
    lock.unlock();
    return done({Code::kCancelled, "Reading was cancelled", {}});
  }
}

}  // namespace flowray::ops
