// Objects: their values, who holds them, who waits for them.

#include <flowray/errors.h>

#include <utility>

#include "ray/owner_state.h"
#include "ray/value.h"

namespace flowray::ray {

Owner::Object& Owner::object(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) {
    throw errors::DataLossError("object " + std::to_string(id.value) +
                                " is unknown to its owner: it was let go before a message that names it");
  }
  return found->second;
}

void Owner::put(ObjectId id, StoredValue value, WorkerId holder) {
  Object& entry = objects_.try_emplace(id).first->second;
  entry.handles = 1;
  if (holder) ++workers_.at(holder.value).handles[id];
  complete(id, std::move(value));
}

bool Owner::is_ready(ObjectId id) const {
  const auto found = objects_.find(id);
  return found != objects_.end() && found->second.ready;
}

const StoredValue& Owner::begin_read(ObjectId id) {
  Object& entry = object(id);
  if (entry.value.extent) ++entry.reads;
  return entry.value;
}

void Owner::read_ended(ObjectId id) { end_read(id); }

void Owner::end_read(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.reads > 0) --found->second.reads;
  drop_if_unused(id);
}

void Owner::adopt(ObjectId id) { ++object(id).handles; }

void Owner::release(ObjectId id) { release_handle(id); }

void Owner::release_handle(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.handles > 0) --found->second.handles;
  drop_if_unused(id);
}

void Owner::pin(ObjectId id) { ++object(id).pins; }

void Owner::unpin(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.pins > 0) --found->second.pins;
  drop_if_unused(id);
}

void Owner::drop_if_unused(ObjectId first) {
  // A value may hold the last reference to another one, and so on: a list, not recursion, which has no bottom.
  std::vector<ObjectId> unused{first};
  while (!unused.empty()) {
    const ObjectId id = unused.back();
    unused.pop_back();
    const auto found = objects_.find(id);
    if (found == objects_.end()) continue;
    Object& entry = found->second;
    if (entry.handles > 0 || entry.pins > 0 || entry.reads > 0 || !entry.ready) continue;
    free_value(entry);
    const std::vector<ObjectId> nested = std::move(entry.nested);
    objects_.erase(found);
    for (const ObjectId inner : nested) {
      const auto at = objects_.find(inner);
      if (at == objects_.end()) continue;
      if (at->second.pins > 0) --at->second.pins;
      unused.push_back(inner);
    }
  }
}

void Owner::free_value(Object& entry) {
  entry.value.bytes.reset();
  if (!entry.value.extent) return;
  const Extent extent = std::exchange(entry.value.extent, {});
  if (const auto writer = store_.free(extent)) world_.send(*writer, Freed{extent});
}

/// Throws errors::DataLossError for what is no value; its room in the store is free again then.
std::vector<ObjectId> Owner::nested_ids_of(const StoredValue& value) {
  if (!value.extent) return nested_object_ids({value.bytes->data(), value.bytes->size_bytes()});
  try {
    return nested_object_ids(world_.view(value.extent));
  } catch (const errors::DataLossError&) {
    store_.free(value.extent);
    throw;
  }
}

void Owner::complete(ObjectId id, StoredValue value) {
  Object& entry = object(id);
  if (entry.ready) {  // a broken worker says it twice
    throw errors::DataLossError("object " + std::to_string(id.value) + " was given a value twice");
  }
  // Before anything changes: a worker may have sent anything.
  const std::vector<ObjectId> nested = nested_ids_of(value);
  entry.value = std::move(value);
  entry.ready = true;
  ++num_ready_events_;
  for (const ObjectId inner : nested) {
    if (!objects_.contains(inner)) continue;
    pin(inner);
    entry.nested.push_back(inner);
  }
  if (const auto interest = std::move(entry.interest)) {
    for (const TaskId task : interest->dependents) {
      const auto found = tasks_.find(task);
      if (found != tasks_.end() && --found->second.missing == 0) make_runnable(found->second);
    }
    for (const auto& get : interest->gets) send_value(get.worker, get.request, get.index, id, entry);
    for (const auto& wait : interest->waits) {
      const auto worker = workers_.find(wait.worker.value);
      if (worker == workers_.end()) continue;
      const auto request = worker->second.requests.find(wait.request);
      if (request == worker->second.requests.end()) continue;
      if (request->second.count > 0 && --request->second.count == 0) answer_wait(worker->second, wait.request);
    }
  }
  drop_if_unused(id);
}

ValuePart Owner::part_for(WorkerId worker, ObjectId id, Object& entry) {
  ValuePart part;
  part.object = id;
  part.is_error = entry.value.is_error;
  if (entry.value.extent) {
    store_.show(entry.value.extent, worker);
    ++entry.reads;
    ++workers_.at(worker.value).reads[id];
    part.extent = entry.value.extent;
  } else {
    part.bytes = {entry.value.bytes->data(), entry.value.bytes->size_bytes()};
  }
  return part;
}

StoredValue Owner::stored(WorkerId worker, const ValuePart& part) {
  StoredValue value;
  value.is_error = part.is_error;
  if (part.extent) {
    store_.seal(worker, part.extent);
    value.extent = part.extent;
  } else {
    value.bytes = Buffer::allocate(part.bytes.size());
    std::copy(part.bytes.begin(), part.bytes.end(), value.bytes->data());
  }
  return value;
}

void Owner::send_value(WorkerId worker_id, uint64_t request, uint32_t index, ObjectId id, Object& entry) {
  const auto worker = workers_.find(worker_id.value);
  if (worker == workers_.end()) return;
  const auto found = worker->second.requests.find(request);
  if (found == worker->second.requests.end()) return;  // cancelled meanwhile
  const ValuePart part = part_for(worker_id, id, entry);
  world_.send(worker_id, Value{request, index, {&part, 1}});
  if (--found->second.count == 0) end_request(worker->second, request);
}

void Owner::start_get(Worker& worker, const GetValues& message) {
  auto& request = worker.requests[message.request];
  request.objects.assign(message.objects.begin(), message.objects.end());
  request.count = static_cast<uint32_t>(request.objects.size());
  const std::vector<ObjectId> objects = request.objects;  // the request may end on the way
  bool waits = false;
  for (uint32_t i = 0; i < objects.size(); ++i) {
    Object& entry = object(objects[i]);
    if (entry.ready) {
      send_value(worker.id, message.request, i, objects[i], entry);
    } else {
      entry.interested().gets.push_back({worker.id, message.request, i});
      waits = true;
    }
  }
  if (objects.empty()) worker.requests.erase(message.request);
  if (waits) take_back_unbegun(worker);
}

void Owner::start_wait(Worker& worker, const WaitFor& message) {
  auto& request = worker.requests[message.request];
  request.is_wait = true;
  request.objects.assign(message.objects.begin(), message.objects.end());
  uint32_t ready = 0;
  for (uint32_t i = 0; i < request.objects.size(); ++i) {
    Object& entry = object(request.objects[i]);
    if (entry.ready) {
      ++ready;
    } else {
      entry.interested().waits.push_back({worker.id, message.request, i});
    }
  }
  request.count = message.count > ready ? message.count - ready : 0;
  if (request.count == 0) {
    answer_wait(worker, message.request);
  } else {
    take_back_unbegun(worker);
  }
}

void Owner::answer_wait(Worker& worker, uint64_t request) {
  std::vector<uint8_t> ready;
  for (const ObjectId id : worker.requests.at(request).objects) ready.push_back(is_ready(id) ? 1 : 0);
  world_.send(worker.id, Waited{request, ready});
  end_request(worker, request);
}

void Owner::cancel(Worker& worker, uint64_t request) {
  const auto found = worker.requests.find(request);
  if (found == worker.requests.end()) return;  // answered meanwhile
  if (found->second.is_wait) {
    answer_wait(worker, request);
  } else {
    end_request(worker, request);
  }
}

void Owner::end_request(Worker& worker, uint64_t request) {
  // Objects that are still awaited keep an entry with this request until they are there; it finds nothing then.
  worker.requests.erase(request);
}

}  // namespace flowray::ray
