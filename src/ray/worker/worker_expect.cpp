// Values that a thread gets one after the other: asked for several at a time, as each question costs a way to
// the driver and back, on which this process may lose its core.

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/thread_owned.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"

namespace flowray::ray {

using internal::Deadline;
using internal::ValueView;

/// What a thread gets next. Large values are asked for one by one: all of them at a time may be more than the
/// store has room for.
class WorkerBackend::Expecting {
 public:
  static Expecting& of_thread() { return ThreadOwned<Expecting>::get(); }

  void begin(WorkerBackend& backend, std::span<const ObjectId> objects) {
    objects_.assign(objects.begin(), objects.end());
    next_ = end_ = 0;
    backend_ = &backend;
  }
  bool is_of(const WorkerBackend& backend) const { return backend_ == &backend; }

  bool is_next(ObjectId object) const { return next_ < objects_.size() && objects_[next_] == object; }

  /// What is to be asked for now, by question().
  std::span<const ObjectId> part_to_ask() {
    // So many small values are little memory, in the driver, too, which keeps what a ring has no room for.
    constexpr size_t kAtOnce = 64;
    std::span<const ObjectId> asked;
    if (next_ == end_) {
      asked = std::span(objects_).subspan(next_);
      asked = asked.first(std::min(kAtOnce, asked.size()));
      question_.reset();
      question_ = std::make_unique<Question>(*backend_);
      question_->values.resize(asked.size());
      begin_ = next_;
      end_ = next_ + asked.size();
    }
    question_->awaited = next_ - begin_;
    question_->is_answered = question_->values[question_->awaited].has_value();
    return asked;
  }
  /// Whose answer has the next value.
  const Question& question() const { return *question_; }
  ValueView take() {
    ValueView value = std::move(*question_->values[next_ - begin_]);
    ++next_;
    return value;
  }

  /// Nothing is expected any more. The question whose answers are not wanted; 0: none.
  uint64_t stop() {
    backend_ = nullptr;
    const auto question = std::move(question_);
    return question != nullptr && question->num_values < question->values.size() ? question->id : 0;
  }

 private:
  WorkerBackend* backend_ = nullptr;
  std::vector<ObjectId> objects_;
  size_t next_ = 0;   // of these: what was not taken yet
  size_t begin_ = 0;  // what the question asks for
  size_t end_ = 0;
  std::unique_ptr<Question> question_;
};

void WorkerBackend::expect(std::span<const ObjectId> objects) noexcept {
  try {
    const MutexLock lock(mutex_);
    Expecting& expecting = Expecting::of_thread();
    if (const uint64_t left = expecting.is_of(*this) ? expecting.stop() : 0) post(Cancel{left});
    if (objects.empty()) return;
    if (linked_calls_.empty()) return expecting.begin(*this, objects);
    std::vector<ObjectId> owners;
    std::ranges::copy_if(objects, std::back_inserter(owners),
                         [this](ObjectId object)
                             FLOWRAY_REQUIRES(mutex_) { return !linked_calls_.contains(object); });
    if (!owners.empty()) expecting.begin(*this, owners);
  } catch (...) {  // without memory, or as the actor has ended: then each value is asked for, or nothing is
  }
}

/// Whether it was expected; then it is the value, or there is none, as the deadline has passed.
bool WorkerBackend::take_expected(ObjectId object, Deadline deadline, std::optional<ValueView>& value) {
  Expecting& expecting = Expecting::of_thread();
  if (!expecting.is_of(*this)) return false;
  if (expecting.is_next(object)) {
    if (const auto asked = expecting.part_to_ask(); !asked.empty())
      post(GetValues{expecting.question().id, asked, 1});
    if (!answered_unless_cancelled(expecting.question(), deadline)) return true;
    value = expecting.take();
    if (!value->bytes.empty()) return true;
    value.reset();
  }
  if (const uint64_t left = expecting.stop()) post(Cancel{left});
  return false;
}

}  // namespace flowray::ray
