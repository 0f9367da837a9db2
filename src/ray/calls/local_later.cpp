// Calls of local mode that run in threads of their own, or wait in their actor's line.

#include <flowray/ray/errors.h>

#include <algorithm>
#include <utility>

#include "ray/calls/local_state.h"
#include "ray/calls/local_threads.h"
#include "ray/functions/function_registry.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

/// As a worker says it.
std::string not_begun_text(const CallOptions& call) {
  return "Task: " + std::string(call.function_name) + " was cancelled. It had not begun.";
}

}  // namespace

size_t LocalBackend::end(std::chrono::milliseconds patience) {
  if (threads_ == nullptr) return 0;
  {
    const MutexLock lock(state_->mutex);
    state_->has_ended = true;
    state_->changed.notify_all();
  }
  return threads_->end(patience);
}

bool LocalBackend::is_made(ObjectId object) const {
  const auto objects = state_->objects.lock();
  const auto found = objects->find(object);
  return found == objects->end() || found->second.job == nullptr;
}

bool LocalBackend::are_made(std::span<ObjectHandle* const> objects) const {
  return std::ranges::all_of(objects, [this](const ObjectHandle* handle) { return is_made(handle->id()); });
}

/// Whether `ready` holds before the deadline. Throws TaskCancelledException in a call that is cancelled, and
/// RayException when the runtime ends.
bool LocalBackend::wait_until(FunctionRef<bool()> ready, internal::Deadline deadline) {
  if (ready()) return true;
  const LocalThreads::Waiting waiting;
  RunningHere* const here = RunningHere::here;
  const auto is_cancelled_here = [here] {
    return here != nullptr && here->is_cancelled != nullptr && *here->is_cancelled &&
           !here->was_told_of_cancel;
  };
  State& state = *state_;
  const MutexLock lock(state.mutex);
  const auto is_over = [&]() FLOWRAY_REQUIRES(state.mutex) {
    return ready() || state.has_ended || is_cancelled_here();
  };
  if (!deadline) {
    state.changed.wait(state.mutex, is_over);
  } else if (!state.changed.wait_until(state.mutex, *deadline, is_over)) {
    return false;
  }
  if (ready()) return true;
  if (!is_cancelled_here()) throw RayException("The runtime was shut down while a value was waited for.");
  here->was_told_of_cancel = true;
  throw TaskCancelledException("Task was cancelled. It waited for a value.");
}

bool LocalBackend::wait_for_value(ObjectId object, internal::Deadline deadline) {
  if (threads_ == nullptr) return true;
  return wait_until([&] { return is_made(object); }, deadline);
}

/// The call, with all that its arguments refer to; `returns` are objects that are not made yet.
std::shared_ptr<LocalBackend::Job> LocalBackend::job_of(const CallOptions& call, Encoder& arguments,
                                                        std::span<ObjectHandle*> returns) {
  auto job = std::make_shared<Job>();
  job->call = call;
  job->values = value_bytes(arguments);
  const auto hold = [&](ObjectHandle* handle) {
    handle->retain();
    job->held.push_back(handle);
  };
  for (ObjectHandle* handle : arguments.nested_refs()) hold(handle);
  for (ObjectHandle* handle : arguments.argument_refs()) {
    hold(handle);
    job->references.push_back(handle->id());
  }
  for (ObjectHandle*& returned : returns) {
    Encoder nothing;
    nothing.write_nil();
    returned = store(nothing);
    job->returns.push_back(returned->id());
  }
  const auto objects = state_->objects.lock();
  for (const ObjectId object : job->returns) objects->at(object).job = job;
  return job;
}

/// Whether the call has been made, or stands where it will be; else it is the calling thread's.
bool LocalBackend::submit_to_threads(const CallOptions& call, Encoder& arguments,
                                     std::span<ObjectHandle*> returns) {
  if (threads_ == nullptr || call.is_stream || registered_functions().find(call.function) == nullptr)
    return false;
  if (!call.actor) {
    post(job_of(call, arguments, returns));
    return true;
  }
  const std::shared_ptr<Actor> actor = actor_of(call.actor);
  if (const auto refusal = refusal_of(call, actor.get())) {
    refuse(*refusal, returns);
  } else if (!actor->runs_several) {
    submit_to_line(*actor, call, arguments, returns);
  } else if (are_made(arguments.argument_refs())) {
    return false;
  } else {
    post(job_of(call, arguments, returns));
  }
  return true;
}

void LocalBackend::post(std::shared_ptr<Job> job) {
  threads_->post([this, job = std::move(job)] { run_job(*job); });
}

/// Makes the call at once if it is its turn, which is so in a method of the actor itself, too: nobody else
/// could go on.
void LocalBackend::submit_to_line(const Actor& actor, const CallOptions& call, Encoder& arguments,
                                  std::span<ObjectHandle*> returns) {
  const std::shared_ptr<Line> line = actor.line;
  bool is_within = false;
  for (const RunningHere* here = RunningHere::here; here != nullptr; here = here->outer)
    is_within = is_within || here->actor.id == call.actor;
  const bool are_arguments_made = are_made(arguments.argument_refs());
  const auto run_now = [&] {
    call_now(call, std::make_shared<const Call>(take_arguments(arguments)), returns);
  };
  if (is_within && are_arguments_made) return run_now();
  {
    const auto calls = line->calls.lock();
    if (calls->is_busy || !calls->waiting.empty() || !are_arguments_made) {
      calls->waiting.push_back(job_of(call, arguments, returns));
      if (!calls->is_busy) threads_->post([this, line] { run_line(line); });
      calls->is_busy = true;
      return;
    }
    calls->is_busy = true;
  }
  struct Turn {
    ~Turn() { backend.end_turn(line); }
    LocalBackend& backend;
    const std::shared_ptr<Line>& line;
  };
  const Turn turn{*this, line};
  run_now();
}

void LocalBackend::end_turn(const std::shared_ptr<Line>& line) noexcept {
  const auto calls = line->calls.lock();
  calls->is_busy = false;
  if (calls->waiting.empty()) return;
  try {
    threads_->post([this, line] { run_line(line); });
    calls->is_busy = true;
  } catch (const std::exception&) {
    // No thread: the next call of the actor tries it again.
  }
}

void LocalBackend::run_line(const std::shared_ptr<Line>& line) {
  while (true) {
    std::shared_ptr<Job> job;
    {
      const auto calls = line->calls.lock();
      if (calls->waiting.empty()) {
        calls->is_busy = false;
        return;
      }
      job = std::move(calls->waiting.front());
      calls->waiting.pop_front();
    }
    run_job(*job);
  }
}

void LocalBackend::run_job(Job& job) {
  if (job.is_taken) return;
  try {
    const Call arguments = arguments_of(job);
    if (!job.is_taken.exchange(true)) run_begun_job(job, arguments);
  } catch (const TaskCancelledException& error) {
    fill_with(job, {ErrorKind::kTaskCancelled, {.message = error.message()}});
  } catch (const std::exception& error) {  // of its arguments, or of memory
    fill_with(job, {ErrorKind::kOther, {.message = error.what()}});
  }
}

/// Waits for them.
LocalBackend::Call LocalBackend::arguments_of(const Job& job) {
  Call arguments;
  arguments.values = view_of_bytes(job.values);
  for (const ObjectId reference : job.references)
    arguments.references.push_back(std::move(get(reference, std::nullopt).value()));
  return arguments;
}

void LocalBackend::run_begun_job(Job& job, const Call& arguments) {
  const size_t num_returns = job.returns.size();
  if (!job.call.actor)
    return fill_all(job, run_to_end(job.call, arguments, nullptr, num_returns, &job.is_cancelled));
  const std::shared_ptr<Actor> actor = actor_of(job.call.actor);
  if (const auto refusal = refusal_of(job.call, actor.get())) return fill_with(job, *refusal);
  if (actor->runs_several)
    return fill_all(job, run_to_end(job.call, arguments, actor, num_returns, &job.is_cancelled));
  const RecursiveLock running(actor->running);
  end_open_streams(*actor);
  fill_all(job, run_to_end(job.call, arguments, actor, num_returns, &job.is_cancelled));
}

/// A job that has not begun does not run; in one that runs, is_cancelled() is true from now on.
void LocalBackend::cancel_job(ObjectId object) {
  std::shared_ptr<Job> job;
  {
    const auto objects = state_->objects.lock();
    if (const auto found = objects->find(object); found != objects->end()) job = found->second.job;
  }
  if (job == nullptr) return;
  job->is_cancelled = true;
  if (!job->is_taken.exchange(true)) {
    fill_with(*job, {ErrorKind::kTaskCancelled, {.message = not_begun_text(job->call)}});
    return;
  }
  const MutexLock lock(state_->mutex);
  state_->changed.notify_all();
}

/// Gives the object its value; one that nobody refers to any more is gone.
void LocalBackend::fill(ObjectId id, const Encoder& value) {
  Object made = object_of(value);
  std::shared_ptr<Job> job;  // ends outside of the lock
  {
    const auto objects = state_->objects.lock();
    if (const auto found = objects->find(id); found != objects->end()) {
      Object& object = found->second;
      object.bytes = std::move(made.bytes);
      object.nested = std::exchange(made.nested, {});
      job = std::move(object.job);
    }
  }
  for (ObjectHandle* handle : made.nested) handle->release();
  const MutexLock lock(state_->mutex);
  state_->changed.notify_all();
}

void LocalBackend::fill_all(const Job& job, const Ran& ran) {
  const std::span<Encoder> filled = ran.filled();
  for (size_t i = 0; i < job.returns.size(); ++i) fill(job.returns[i], filled[i]);
}

void LocalBackend::fill_with(const Job& job, const Refusal& refusal) {
  for (const ObjectId object : job.returns) {
    Encoder encoder;
    encode_error(encoder, refusal.kind, refusal.failure);
    fill(object, encoder);
  }
}

uint64_t LocalBackend::pending_calls(ActorId id) {
  const std::shared_ptr<Actor> actor = actor_of(id);
  return actor == nullptr ? 0 : actor->line->calls.lock()->waiting.size();
}

}  // namespace flowray::ray
