#include "cluster/worker/partial_part.h"

#include "cluster/bodies.h"
#include "core/job_queue.h"

#include <flowray/errors.h>

#include <string>

namespace flowray::cluster {

/// One RunGraph, from its request to its answer. Kept by what it waits for.
class PartialPart::Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<PartialPart> part, const Request& request, Reply reply, AnsweredRun run)
      : part_(std::move(part)), request_(request), reply_(std::move(reply)), run_(std::move(run)) {
    // The trace goes with the last answer, when nothing is added to it any more.
    if (!is_last() && run_.message.exec_opts.has_value()) run_.message.exec_opts->record_timeline = false;
    values_.resize(run_.message.recv_key.size());
  }

  void begin() {
    // What it waits for may be nothing that the nodes leave: the step ends for it, too,
    // but not in the listener.
    listening_.emplace(request_.cancellation, [part = part_] {
      part->cancellation_->cancel();
      default_jobs().post(
          [part] { part->rendezvous_->step().fail(Code::kCancelled, "RunGraph was cancelled."); });
    });
    const size_t num_values = run_.message.recv_key.size();
    {
      const MutexLock lock(mutex_);
      num_open_ = num_values + 2;
    }
    try {
      for (const wire::NamedTensorProto& sent : run_.message.send)
        part_->rendezvous_->send(sent.name.str(), {fed_value(sent.tensor, request_)});
    } catch (...) {
      // What it waits for may need what it could not bring: the answer fails the step.
      {
        const MutexLock lock(mutex_);
        num_open_ = 1;
      }
      return one_less(std::current_exception());
    }
    for (size_t i = 0; i < num_values; ++i) {
      (void)part_->rendezvous_->step().here().receive(
          run_.message.recv_key[i].str(),
          [self = shared_from_this(), i](graph::Parcel parcel) { self->received(i, std::move(parcel)); });
    }
    if (is_last()) {
      part_->when_ended(
          [self = shared_from_this()](const std::exception_ptr& error) { self->one_less(error); });
    } else {
      one_less(part_->error());
    }
    one_less(nullptr);
  }

 private:
  bool is_last() const { return run_.message.is_last_partial_run; }

  void received(size_t i, graph::Parcel parcel) {
    try {
      if (parcel.code != Code::kOk) errors::throw_error(parcel.code, parcel.text);
      Array value = value_for_master(std::move(parcel), run_.message.recv_key[i].view());
      const MutexLock lock(mutex_);
      values_[i] = std::move(value);
    } catch (...) {
      fail(std::current_exception());
    }
    one_less(nullptr);
  }

  void fail(const std::exception_ptr& error) {
    const MutexLock lock(mutex_);
    if (error_ == nullptr) error_ = error;
  }

  void one_less(const std::exception_ptr& error) {
    if (error != nullptr) fail(error);
    {
      const MutexLock lock(mutex_);
      if (--num_open_ > 0) return;
    }
    answer();
  }

  /// Whatever belongs to the request or the server may be gone once it is answered.
  void answer() {
    listening_.reset();
    std::vector<Array> values;
    std::exception_ptr error;
    {
      const MutexLock lock(mutex_);
      values.swap(values_);
      error = error_;
    }
    Response response;
    try {
      if (error != nullptr) std::rethrow_exception(error);
      response = run_.success(std::move(values), part_->trace_, shared_from_this());
    } catch (...) {
      response = run_.failure(std::current_exception(), part_->rendezvous_->step());
    }
    if (is_last()) part_->leave();
    reply_(std::move(response));
  }

  const std::shared_ptr<PartialPart> part_;
  const Request request_;
  const Reply reply_;
  AnsweredRun run_;
  std::optional<Cancellation::Listening> listening_;
  Mutex mutex_;
  size_t num_open_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::vector<Array> values_ FLOWRAY_GUARDED_BY(mutex_);
  std::exception_ptr error_ FLOWRAY_GUARDED_BY(mutex_);
};

PartialPart::PartialPart(const AnsweredRun& first, std::function<void()> over)
    : session_(first.session),
      graph_(first.graph),
      step_id_(first.message.step_id),
      over_(std::move(over)),
      is_traced_(first.is_traced()) {}

void PartialPart::begin(Steps& steps) {
  const MutexLock alone(beginning_);
  if (has_begun_) return;
  const std::shared_ptr<StepRendezvous> step = steps.begin(step_id_);
  rendezvous_.emplace(step, session_->names());
  has_begun_ = true;
  {
    const MutexLock lock(mutex_);
    is_running_ = true;
  }
  watch_.emplace(step, [given = cancellation_, weak = weak_from_this()] {
    given->cancel();
    if (const auto self = weak.lock()) self->leave();
  });
  engine::RunContext context{.cancellation = cancellation_.get(), .rendezvous = &*rendezvous_};
  if (is_traced_) context.trace = &trace_;
  graph_->step->start({}, context,
                      [self = shared_from_this()](const engine::RunOutcome& outcome) { self->end(outcome); });
}

void PartialPart::run(const Request& request, const Reply& reply, AnsweredRun run) {
  std::make_shared<Call>(shared_from_this(), request, reply, std::move(run))->begin();
}

void PartialPart::end(const engine::RunOutcome& outcome) {
  if (outcome.error != nullptr) {
    try {
      std::rethrow_exception(outcome.error);
    } catch (const std::exception& error) {
      const Status status = status_of(error);
      rendezvous_->step().fail(static_cast<Code>(status.code), status.text);  // what still waits gets it
    }
  }
  std::vector<std::function<void(std::exception_ptr)>> waiting;
  bool is_over = false;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    error_ = outcome.error;
    is_over = is_left_ || outcome.error != nullptr;
    waiting.swap(waiting_);
    ended_.notify_all();
  }
  for (const auto& then : waiting) then(outcome.error);
  if (is_over) over_();
}

void PartialPart::leave() {
  {
    const MutexLock lock(mutex_);
    is_left_ = true;
    if (!has_ended_) return;
  }
  over_();
}

std::exception_ptr PartialPart::error() {
  const MutexLock lock(mutex_);
  return error_;
}

void PartialPart::when_ended(std::function<void(std::exception_ptr)> then) {
  std::exception_ptr error;
  {
    const MutexLock lock(mutex_);
    if (!has_ended_) {
      waiting_.push_back(std::move(then));
      return;
    }
    error = error_;
  }
  then(error);
}

void PartialPart::wait_for_end() {
  const MutexLock lock(mutex_);
  ended_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return !is_running_ || has_ended_; });
}

void PartialParts::run(const Request& request, const Reply& reply, AnsweredRun run) {
  const Name name{run.message.step_id, run.graph.get()};
  const auto over = [table = table_, name] {
    std::shared_ptr<PartialPart> last;  // ends outside of the lock
    const MutexLock lock(table->mutex);
    const auto found = table->parts.find(name);
    if (found == table->parts.end()) return;
    last = std::move(found->second);
    table->parts.erase(found);
  };
  std::shared_ptr<PartialPart> part;
  {
    const MutexLock lock(table_->mutex);
    std::shared_ptr<PartialPart>& kept = table_->parts[name];
    if (kept == nullptr) kept = std::make_shared<PartialPart>(run, over);
    part = kept;
  }
  try {
    part->begin(steps_);
  } catch (...) {
    over();
    throw;
  }
  part->run(request, reply, std::move(run));
}

void PartialParts::wait_for_all() {
  std::vector<std::shared_ptr<PartialPart>> parts;
  {
    const MutexLock lock(table_->mutex);
    for (const auto& [name, part] : table_->parts) parts.push_back(part);
  }
  for (const auto& part : parts) part->wait_for_end();
}

}  // namespace flowray::cluster
