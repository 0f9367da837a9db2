// Calls that give their values one by one.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {

using internal::NextItem;

/// A call that is run again gives its first values once more: they are there.
void Owner::on_give(Worker& worker, const Give& message) {
  const auto task = tasks_.find(message.task);
  if (task == tasks_.end() || task->second.worker != worker.id || task->second.terms.is_stream == 0 ||
      message.parts.size() != 1) {
    throw errors::DataLossError(
        fmt::format("worker {} gives a value of task {}, which is not a streaming call that it runs",
                    worker.id.value, message.task.value));
  }
  const ObjectId item = worker_object(worker, message.parts[0].object);
  const auto found = objects_.find(task->second.first_return);
  Object* const entry = found == objects_.end() ? nullptr : &found->second;
  Stream* const stream = entry == nullptr ? nullptr : entry->stream.get();
  if (stream != nullptr && message.index > stream->num_given) {
    throw errors::DataLossError(
        fmt::format("worker {} gives value {} of {}", worker.id.value, message.index, stream->num_given));
  }
  Incoming value = take_value(worker.id, message.parts[0]);
  came_up(worker);
  const bool is_wanted = stream != nullptr && message.index == stream->num_given;
  objects_[item].pins = is_wanted ? 1 : 0;
  complete(item, std::move(value));  // and is freed at once, if it is unreachable
  if (is_wanted) {
    add_item(*entry, item);
  } else if (task->second.terms.most_ahead > 0) {
    const uint64_t taken = stream == nullptr ? ~uint64_t{0} : stream->num_taken;
    world_.send(worker.id, Taken{message.task, taken});
  }
}

void Owner::add_item(Object& entry, ObjectId item) {
  entry.stream->items.push_back(item);
  ++entry.stream->num_given;
  answer_next(entry);
}

/// The call is done, or has failed: an error comes last. Returns what is its value then, which is nothing.
Owner::Incoming Owner::end_stream(Object& entry, Incoming outcome) {
  if (outcome.value.is_error) {
    const ObjectId item{++last_id_};
    objects_[item].pins = 1;
    complete(item, {error_in_heap(outcome.value), {}});
    add_item(entry, item);
    let_go(outcome);
    outcome = {{empty_value(), {}, false}, {}};
  }
  entry.stream->is_over = true;
  answer_next(entry);
  return outcome;
}

NextItem Owner::next_item(ObjectId id) const {
  const auto found = objects_.find(id);
  if (found == objects_.end() || found->second.stream == nullptr) return NextItem::kEnd;
  const Stream& stream = *found->second.stream;
  return !stream.items.empty() ? NextItem::kItem : stream.is_over ? NextItem::kEnd : NextItem::kNotYet;
}

ObjectId Owner::next_item_id(ObjectId id) const { return objects_.at(id).stream->items.front(); }

ObjectId Owner::take_item(ObjectId id) {
  Object& entry = object(id);
  Stream& stream = *entry.stream;
  const ObjectId item = stream.items.front();
  stream.items.pop_front();
  ++stream.num_taken;
  Object& taken = object(item);
  ++taken.handles;
  --taken.pins;
  tell_taken(entry);
  return item;
}

/// Tells the worker how many values were taken: backpressure holds its generator until then.
void Owner::tell_taken(const Object& entry) {
  if (entry.stream != nullptr && entry.stream->most_ahead == 0) return;
  const auto task = tasks_.find(entry.maker);
  if (task == tasks_.end() || task->second.terms.most_ahead == 0) return;
  const auto worker = workers_.find(task->second.worker.value);
  if (worker == workers_.end() || worker->second.exiting) return;
  const uint64_t count = entry.stream == nullptr ? ~uint64_t{0} : entry.stream->num_taken;
  world_.send(worker->second.id, Taken{task->first, count});
}

void Owner::on_ask_next(Worker& worker, const AskNext& message) {
  require_new_request(worker, message.request, {&message.stream, 1});
  Object& entry = object(message.stream);
  if (entry.stream == nullptr) {
    world_.send(worker.id, FoundNext{message.request, NextItem::kEnd, {}});
    return;
  }
  auto& request = worker.requests[message.request];
  request.is_next = true;
  request.count = 1;
  request.objects = {message.stream};
  entry.stream->waits.push_back({worker.id, message.request, message.takes != 0});
  answer_next(entry);
  if (worker.requests.contains(message.request)) take_back_unbegun(worker);
}

/// Answers requests for the next value, while there is one or the stream has ended.
void Owner::answer_next(Object& entry) {
  Stream& stream = *entry.stream;
  while (!stream.waits.empty() && (!stream.items.empty() || stream.is_over)) {
    const Stream::Request waiting = stream.waits.front();
    stream.waits.pop_front();
    const auto worker = workers_.find(waiting.worker.value);
    if (worker == workers_.end()) continue;
    worker->second.requests.erase(waiting.request);
    FoundNext found{waiting.request, stream.items.empty() ? NextItem::kEnd : NextItem::kItem, {}};
    if (found.what == NextItem::kItem && waiting.takes) {
      const ObjectId item = stream.items.front();
      stream.items.pop_front();
      ++stream.num_taken;
      Object& taken = object(item);
      ++taken.handles;
      --taken.pins;
      ++worker->second.handles[item];
      found.item = item;
      tell_taken(entry);
    }
    world_.send(worker->second.id, found);
  }
}

/// Its values are unreachable: the call is cancelled, or runs to its end without backpressure, as Python's
/// generators do in Ray.
void Owner::drop_stream(Object& entry, std::vector<ObjectId>& unused) {
  const std::unique_ptr<Stream> stream = std::move(entry.stream);
  tell_taken(entry);
  const auto task = stream->is_over ? tasks_.end() : tasks_.find(entry.maker);
  if (task != tasks_.end() && task->second.terms.is_stream == kStreamOfReader) unread_.push_back(task->first);
  for (const ObjectId item : stream->items) {
    const auto found = objects_.find(item);
    if (found == objects_.end()) continue;
    --found->second.pins;
    unused.push_back(item);
  }
}

/// Cancels calls whose values nobody can reach. Called by dispatch, as cancelling makes objects ready.
void Owner::end_unread() {
  while (!unread_.empty()) {
    const auto found = tasks_.find(unread_.front());
    unread_.pop_front();
    if (found != tasks_.end()) cancel(found->second, false, false);
  }
}

}  // namespace flowray::ray
