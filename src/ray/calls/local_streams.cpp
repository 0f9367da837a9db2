// Generators in local mode: their values are computed on demand.

#include <flowray/ray/errors.h>

#include <cxxabi.h>

#include <utility>

#include "ray/calls/local_state.h"
#include "ray/values/value.h"

namespace flowray::ray {

std::shared_ptr<LocalBackend::Stream> LocalBackend::stream_of_call(uint64_t call) {
  std::shared_ptr<Stream>& stream = (*state_->streams.lock())[call];
  if (stream == nullptr) stream = std::make_shared<Stream>();
  return stream;
}

std::shared_ptr<LocalBackend::Stream> LocalBackend::stream_of(ObjectId object) {
  const auto streams = state_->streams.lock();
  const auto found = streams->find(object.value);
  return found == streams->end() ? nullptr : found->second;
}

void LocalBackend::forget_stream(ObjectId object) noexcept {
  std::shared_ptr<Stream> stream;  // ends outside of the lock
  const auto streams = state_->streams.lock();
  if (const auto found = streams->find(object.value); found != streams->end()) {
    stream = std::move(found->second);
    streams->erase(found);
  }
}

/// An error that ends the call is the last of its values.
void LocalBackend::end_stream(Stream& stream, Encoder& outcome) {
  stream.rest.reset();
  if (!outcome.is_error()) return;
  stream.items.lock()->push_back(store(outcome));
  outcome.clear();
  outcome.write_nil();
}

bool LocalBackend::keep_values(std::unique_ptr<internal::GivenValues>& values) {
  if (RunningHere::here == nullptr) return false;
  RunningHere::here->kept = std::move(values);
  return true;
}

void LocalBackend::give_item(const internal::CurrentCall& call, uint64_t index, Encoder& value) {
  const std::shared_ptr<Stream> stream = stream_of_call(call.number);
  if (index < stream->items.lock()->size()) return;  // run again, it gives what is there once more
  stream->items.lock()->push_back(store(value));
}

internal::NextItem LocalBackend::next_item(ObjectId object, ObjectHandle** taken,
                                           internal::Deadline /*deadline*/) {
  const std::shared_ptr<Stream> stream = stream_of(object);
  if (stream == nullptr) return internal::NextItem::kEnd;
  for (bool is_over = false;; is_over = !make_next(*stream)) {
    const auto items = stream->items.lock();
    if (items->empty() && is_over) return internal::NextItem::kEnd;
    if (items->empty()) continue;
    if (taken != nullptr) {
      *taken = items->front();
      items->pop_front();
    }
    return internal::NextItem::kItem;
  }
}

/// False: there is nothing to come.
bool LocalBackend::make_next(Stream& stream) {
  if (stream.actor == nullptr || stream.actor->runs_several) return make_value(stream);
  const RecursiveLock running(stream.actor->running);
  return make_value(stream);
}

bool LocalBackend::make_value(Stream& stream) {
  const RecursiveLock asking(stream.asking);
  if (stream.rest == nullptr) return false;
  if (stream.is_running) {
    throw RayException("The generator '" + std::string(stream.call.function_name) +
                       "' waits for its own next value, which cannot come.");
  }
  Encoder value;
  if (const std::string death = death_of(stream); !death.empty()) {
    encode_error(value, ErrorKind::kActor, {.message = death});
    end_stream(stream, value);
  } else if (stream.is_cancelled) {
    encode_error(
        value, ErrorKind::kTaskCancelled,
        {.message = "Task: " + std::string(stream.call.function_name) + " was cancelled. It gave a value."});
    end_stream(stream, value);
  } else if (go_on(stream, value)) {
    stream.items.lock()->push_back(store(value));
  } else {
    end_stream(stream, value);
  }
  return true;
}

/// Why the actor's generator gives no more values; empty: it does.
std::string LocalBackend::death_of(const Stream& stream) {
  if (stream.actor == nullptr || actor_of(stream.call.actor) == stream.actor) return {};
  return "The actor " + std::string(stream.call.class_name) + " is dead: it was killed.";
}

/// Whether `value` is the next one; else it may be the error that ended the function.
bool LocalBackend::go_on(Stream& stream, Encoder& value) {
  struct Running {
    explicit Running(Stream& of) : stream(of), outer(std::exchange(RunningHere::here, &of.here)) {
      stream.here.outer = outer;
      stream.is_running = true;
    }
    ~Running() {
      stream.is_running = false;
      RunningHere::here = outer;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    Stream& stream;
    RunningHere* const outer;
  };
  const Running running(stream);
  uint64_t to_skip = 0;  // run again, it makes what is there once more
  while (true) {
    value.clear();
    try {
      if (!stream.rest->next(value)) return false;
      if (to_skip > 0 && to_skip-- > 0) continue;
      ++stream.num_made;
      return true;
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (const internal::ActorExit&) {
      value.clear();
      encode_error(value, ErrorKind::kActor, {.message = ended_itself_text(stream.call.class_name)});
      kill_actor(stream.call.actor, true);
      return false;
    } catch (...) {
      value.clear();
      encode_current_exception(value, stream.call.function_name);
    }
    if (stream.retries == 0 || stream.here.fails_for_good || !begin_again(stream)) return false;
    to_skip = stream.num_made;
  }
}

bool LocalBackend::begin_again(Stream& stream) {
  if (stream.retries > 0) --stream.retries;
  ActorObject none;
  Encoder nothing;
  run_function(stream.call.function, stream.arguments->values, stream.arguments->references,
               stream.actor == nullptr ? none : stream.actor->object, {&nothing, 1});
  if (stream.here.kept == nullptr) return false;
  stream.rest = std::move(stream.here.kept);
  return true;
}

/// Makes all values of a stream, after which the call's own return is there. False: the deadline has passed.
bool LocalBackend::make_all(ObjectId object, internal::Deadline deadline) {
  const std::shared_ptr<Stream> stream = stream_of(object);
  if (stream == nullptr) return true;
  while (make_next(*stream)) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return false;
  }
  return true;
}

/// As calls of an actor run one after the other. One that runs has made the call, and goes on behind it.
void LocalBackend::end_open_streams(Actor& actor) {
  const auto open = std::exchange(actor.open, {});
  for (const std::weak_ptr<Stream>& entry : open) {
    const std::shared_ptr<Stream> stream = entry.lock();
    if (stream == nullptr) continue;
    if (stream->is_running) {
      actor.open.push_back(entry);
      continue;
    }
    while (make_next(*stream)) {
    }
  }
}

void LocalBackend::cancel(ObjectId object, bool /*force*/, bool /*recursive*/) {
  if (const std::shared_ptr<Stream> stream = stream_of(object)) stream->is_cancelled = true;
  cancel_job(object);
}

bool LocalBackend::is_cancelled() {
  return RunningHere::here != nullptr && RunningHere::here->is_cancelled != nullptr &&
         *RunningHere::here->is_cancelled;
}

}  // namespace flowray::ray
