// Objects: their values, their references, the requests that wait for them.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"
#include "ray/values/value.h"

namespace flowray::ray {

Owner::Object& Owner::object(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) require_known({&id, 1});
  return found->second;
}

Extent Owner::allocate(uint64_t bytes) {
  Extent extent;
  with_room(bytes, [&] { extent = store_.allocate(bytes); });
  return extent;
}

Extent Owner::allocate_if_there_is_room(uint64_t bytes) {
  try {
    return store_.allocate(bytes);
  } catch (const StoreFullError&) {
    return {};
  }
}

namespace {

/// What one holder has in the store.
struct Held {
  uint64_t values = 0;
  uint64_t bytes = 0;
};

std::string name_of_holder(WorkerId id, uint32_t pid, std::string_view label) {
  return fmt::format(
      "worker {}{}", id.value,
      label.empty() ? fmt::format(" (pid {})", pid) : fmt::format(" ({}, pid {})", label, pid));
}

}  // namespace

/// A line for each of those that hold most in the store, of each value one.
std::string Owner::holders_text() const {
  struct OfWorkers {
    uint64_t handles = 0;
    uint64_t reads = 0;
  };
  std::unordered_map<ObjectId, OfWorkers> of_workers;
  std::unordered_map<ObjectId, const Worker*> holder;
  for (const auto& [number, worker] : workers_) {
    for (const auto& [id, count] : worker.handles) of_workers[id].handles += count;
    for (const auto& [id, count] : worker.reads) {
      of_workers[id].reads += count;
      holder.try_emplace(id, &worker);
    }
  }
  for (const auto& [number, worker] : workers_) {
    for (const auto& [id, count] : worker.handles) holder.try_emplace(id, &worker);
  }
  std::map<std::string, Held> held;
  for (const auto& [id, object] : objects_) {
    if (!object.value.extent) continue;
    // Those that have it from there are told of.
    if (object.lent > 0 && object.handles == 0 && object.pins == 0 && object.reads == 0) continue;
    const auto theirs = of_workers.find(id);
    const OfWorkers of_them = theirs == of_workers.end() ? OfWorkers() : theirs->second;
    const auto worker = holder.find(id);
    const bool is_drivers = object.handles > of_them.handles;
    // Readers come first: they keep a value from being spilled, references do not.
    Held& entry = held[object.reads > of_them.reads ? std::string("arrays that the driver has read") +
                                                          (is_drivers ? " and has ObjectRefs to" : "")
                       : is_drivers && of_them.reads == 0 ? "ObjectRefs of the driver"
                       : worker != holder.end()           ? "ObjectRefs or arrays of " +
                                                      name_of_holder(worker->second->id, worker->second->pid,
                                                                     worker->second->label) +
                                                      (is_drivers ? ", and ObjectRefs of the driver" : "")
                       : object.pins > 0 ? "calls that wait for their turn, and values that refer to them"
                                         : "values that nobody holds any more"];
    ++entry.values;
    entry.bytes += object.value.extent.size_bytes;
  }
  for (const auto& [number, worker] : workers_) {
    if (const uint64_t bytes = store_.leased_bytes(worker.id); bytes > 0)
      held["room for a value that is being written by " + name_of_holder(worker.id, worker.pid, worker.label)]
          .bytes += bytes;
  }
  std::vector<std::pair<std::string, Held>> most(held.begin(), held.end());
  std::ranges::stable_sort(most,
                           [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  constexpr size_t kMostLines = 8;
  std::string text;
  for (size_t i = 0; i < std::min(most.size(), kMostLines); ++i) {
    const auto& [who, what] = most[i];
    text += what.values == 0 ? fmt::format("\n  {} bytes: {}", what.bytes, who)
                             : fmt::format("\n  {} bytes in {} values: {}", what.bytes, what.values, who);
  }
  if (most.size() > kMostLines) text += fmt::format("\n  and {} more", most.size() - kMostLines);
  return text.empty() ? text : "\nIt is held by" + text;
}

void Owner::discard(const StoredValue& value) {
  if (!value.extent) return;
  store_.free(value.extent);
  ++num_room_events_;
  if (is_room_awaited()) dispatch();
}

void Owner::put(ObjectId id, StoredValue value) {
  Incoming taken = take_value(std::move(value), {});
  objects_.try_emplace(id).first->second.handles = 1;
  complete(id, std::move(taken));
}

void Owner::put(Worker& worker, const PutValue& message) {
  if (message.parts.size() != 1) throw errors::DataLossError("a put without its value");
  const ValuePart& part = message.parts[0];
  if (message.is_read != 0 && (!part.extent || part.lender))
    throw errors::DataLossError("a put that its worker reads, of a value that is not its own in the store");
  const ObjectId id = worker_object(worker, part.object);
  Incoming value = take_value(worker.id, part);
  Object& entry = objects_.try_emplace(id).first->second;
  entry.handles = 1;
  ++worker.handles[id];
  if (message.is_read != 0) {
    ++entry.reads;
    ++worker.reads[id];
  }
  complete(id, std::move(value));
}

bool Owner::is_ready(ObjectId id) const {
  const auto found = objects_.find(id);
  return found != objects_.end() && found->second.ready;
}

const StoredValue& Owner::begin_read(ObjectId id) {
  Object& entry = object(id);
  if (entry.spilled != nullptr) restore(entry);
  if (entry.value.extent) ++entry.reads;
  return entry.value;
}

void Owner::read_ended(ObjectId id) {
  end_read(id);
  if (has_forsaken() || is_room_awaited()) dispatch();
}

void Owner::end_read(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.reads > 0 && --found->second.reads == 0) ++num_room_events_;
  if (found->second.handles == 0) drop_if_unused(id);
}

void Owner::adopt(ObjectId id) { ++object(id).handles; }

void Owner::release(ObjectId id) {
  release_handle(id);
  if (has_forsaken() || is_room_awaited()) dispatch();
}

void Owner::release_handle(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.handles > 0) --found->second.handles;
  if (found->second.handles == 0) drop_if_unused(id);
}

void Owner::pin(ObjectId id) { ++object(id).pins; }

void Owner::unpin(ObjectId id) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  if (found->second.pins > 0) --found->second.pins;
  drop_if_unused(id);
}

void Owner::drop_if_unused(ObjectId id) {
  // A value may hold the last reference to another one, and so on: a list, not recursion, which has
  // no bottom.
  std::vector<ObjectId> unused;
  drop_if_unused(id, unused);
  while (!unused.empty()) {
    const ObjectId inner = unused.back();
    unused.pop_back();
    drop_if_unused(inner, unused);
  }
}

/// Appends to `unused` what may be unused now as well.
void Owner::drop_if_unused(ObjectId id, std::vector<ObjectId>& unused) {
  const auto found = objects_.find(id);
  if (found == objects_.end()) return;
  Object& entry = found->second;
  if (entry.stream != nullptr && entry.handles == 0 && entry.pins == 0) drop_stream(entry, unused);
  if (entry.handles > 0 || entry.pins > 0 || entry.reads > 0 || entry.lent > 0 || entry.is_leaving ||
      !entry.ready)
    return;
  if (entry.is_actor && is_share_kept(id)) {
    forsaken_.push_back({id.value});
    return;
  }
  entry.value.bytes.reset();
  if (entry.spilled != nullptr) forget_spilled(entry);
  if (const ObjectId lender = std::exchange(entry.value.lender, {})) {
    entry.value.extent = {};
    --object(lender).lent;
    ++num_room_events_;
    unused.push_back(lender);
  }
  free_room(entry.value);
  const std::vector<ObjectId> nested = std::move(entry.nested);
  objects_.erase(found);
  for (const ObjectId inner : nested) {
    const auto at = objects_.find(inner);
    if (at == objects_.end()) continue;
    if (at->second.pins > 0) --at->second.pins;
    unused.push_back(inner);
  }
}

/// The value of an object whose value is not read.
BufferRef Owner::empty_value() {
  Encoder encoder;
  encoder.write_nil();
  return value_bytes(encoder);
}

/// Gives back what the value has in the store, if it is there.
void Owner::free_room(StoredValue& value) {
  const Extent extent = std::exchange(value.extent, {});
  if (!extent) return;
  if (const ObjectId lender = std::exchange(value.lender, {})) return end_loan(lender);
  ++num_room_events_;
  if (const auto writer = store_.free(extent)) world_.send(*writer, Freed{extent});
}

void Owner::end_loan(ObjectId lender) {
  --object(lender).lent;
  ++num_room_events_;
  drop_if_unused(lender);
}

/// A value that the worker has not written: it is a part of one that it reads. Another process may have
/// written over that meanwhile, which is not the worker's fault.
StoredValue Owner::borrowed(WorkerId worker, const ValuePart& part) {
  if (part.is_error || !workers_.at(worker.value).reads.contains(part.lender)) {
    throw errors::DataLossError(
        fmt::format("worker {} sent a part of object {}, which it does not read, as a value", worker.value,
                    part.lender.value));
  }
  const StoredValue& all = object(part.lender).value;
  const uint64_t begin = part.extent.offset - all.extent.offset;  // or huge
  if (part.extent.slab != all.extent.slab || begin > all.extent.size_bytes ||
      part.extent.size_bytes > all.extent.size_bytes - begin || begin % kArrayAlignment != 0) {
    throw errors::DataLossError(fmt::format("worker {} sent what lies outside of object {} as a part of it",
                                            worker.value, part.lender.value));
  }
  StoredValue value;
  value.extent = part.extent;
  try {
    const ValueParts parts = value_parts(bytes_of(value));
    if (parts.is_error || parts.num_refs > 0)
      return lost_value_error("what was returned has changed meanwhile");
  } catch (const errors::DataLossError& error) {
    return lost_value_error(error.message());
  }
  // A value that is lent on has room of the first one.
  value.lender = all.lender ? all.lender : part.lender;
  ++object(value.lender).lent;
  return value;
}

void Owner::complete(ObjectId id, Incoming incoming) {
  Object& entry = object(id);
  if (entry.stream != nullptr) incoming = end_stream(entry, std::move(incoming));
  entry.value = std::move(incoming.value);
  entry.ready = true;
  ++num_ready_events_;
  if (entry.value.extent) ++num_room_events_;  // it may be spilled
  entry.nested = std::move(incoming.nested);
  if (entry.interest == nullptr && entry.handles > 0) return;
  if (const auto interest = std::move(entry.interest)) {
    for (const TaskId task : interest->dependents) {
      const auto found = tasks_.find(task);
      if (found != tasks_.end() && --found->second.missing == 0) runnable_.push_back(found->first);
    }
    for (const auto& get : interest->gets) send_value(get.worker, get.request, get.index, id, entry);
    for (const auto& wait : interest->waits) {
      const auto worker = workers_.find(wait.worker.value);
      if (worker == workers_.end()) continue;
      const auto request = worker->second.requests.find(wait.request);
      if (request == worker->second.requests.end()) continue;
      if (request->second.count > 0 && --request->second.count == 0)
        answer_wait(worker->second, wait.request);
    }
  }
  drop_if_unused(id);
}

ValuePart Owner::no_room_part() {
  if (no_room_error_.bytes.get() == nullptr) no_room_error_ = no_room_to_read_error();
  ValuePart part;
  part.is_error = true;
  part.bytes = {std::as_const(*no_room_error_.bytes).data(), no_room_error_.bytes->size_bytes()};
  return part;
}

/// The value as a part of a message to the worker; where the value is on disk, an error in its place.
ValuePart Owner::part_for(WorkerId worker, ObjectId id, Object& entry) {
  if (entry.spilled != nullptr) return no_room_part();
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

std::span<const std::byte> Owner::bytes_of(const StoredValue& value) {
  if (value.extent) return world_.view(value.extent);
  return {std::as_const(*value.bytes).data(), value.bytes->size_bytes()};
}

/// For further returns of calls: in the store each would need an extent of its own.
StoredValue Owner::error_in_heap(const StoredValue& error) {
  StoredValue copy{error.bytes, {}, true};
  if (!error.extent) return copy;
  const auto bytes = bytes_of(error);
  if (bytes.size() > kInlineBytes) return short_error(bytes);
  copy.bytes = Buffer::allocate(bytes.size());
  std::ranges::copy(bytes, copy.bytes->data());
  return copy;
}

Owner::Incoming Owner::take_value(WorkerId worker, const ValuePart& part) {
  Incoming taken;
  StoredValue& value = taken.value;
  if (part.extent && part.lender) {
    value = borrowed(worker, part);
    return taken;
  }
  value.is_error = part.is_error;
  if (part.extent) {
    store_.seal(worker, part.extent);
    value.extent = part.extent;
  } else if (part.bytes.size() > kInlineBytes) {
    throw errors::DataLossError(
        fmt::format("worker {} sent a value of {} bytes in a message, where {} are the most", worker.value,
                    part.bytes.size(), kInlineBytes));
  } else {
    value.bytes = Buffer::allocate(part.bytes.size());
    std::ranges::copy(part.bytes, value.bytes->data());
  }
  try {
    const auto bytes = bytes_of(value);
    if (is_error_value(bytes) != part.is_error)
      throw errors::DataLossError("a value is an error, or is said to be one");
    pin_nested(taken, nested_object_ids(bytes));
  } catch (...) {
    give_up(taken);
    throw;
  }
  return taken;
}

void Owner::take_values(WorkerId worker, std::span<const ValuePart> parts, std::vector<Incoming>& taken) {
  taken.clear();
  try {
    for (const ValuePart& part : parts) taken.push_back(take_value(worker, part));
  } catch (...) {
    for (const Incoming& value : taken) give_up(value);
    taken.clear();
    throw;
  }
}

/// From now on: until the value is completed, what it refers to might go otherwise. Throws
/// errors::DataLossError for unknown ones, and has done nothing.
void Owner::pin_nested(Incoming& value, std::vector<ObjectId> nested) {
  require_known(nested);
  for (const ObjectId inner : nested) pin(inner);
  value.nested = std::move(nested);
}

void Owner::give_up(const Incoming& value) {
  for (const ObjectId inner : value.nested) unpin(inner);
  if (value.value.lender) return end_loan(value.value.lender);
  if (value.value.extent) store_.free(value.value.extent);
}

/// Frees a value that a worker has sent and that is not kept.
void Owner::let_go(Incoming& value) {
  for (const ObjectId inner : value.nested) unpin(inner);
  free_room(value.value);
  value = {};
}

void Owner::require_known(std::span<const ObjectId> ids) const {
  for (const ObjectId id : ids) {
    if (!objects_.contains(id)) {
      throw errors::DataLossError("object " + std::to_string(id.value) +
                                  " is unknown to its owner: it was let go before a message that names it");
    }
  }
}

void Owner::send_value(WorkerId worker_id, uint64_t request, uint32_t index, ObjectId id, Object& entry) {
  const bool may_wait = entry.spilled != nullptr && room_may_come();
  if (!try_to_send_value(worker_id, request, index, id, entry, may_wait))
    wait_for_room({worker_id, request, 0, id, index});
}

/// False: it was spilled, there is no room for it now, and the worker may wait, for others or for the disk.
bool Owner::try_to_send_value(WorkerId worker_id, uint64_t request, uint32_t index, ObjectId id,
                              Object& entry, bool may_wait) {
  const auto worker = workers_.find(worker_id.value);
  if (worker == workers_.end()) return true;
  const auto found = worker->second.requests.find(request);
  if (found == worker->second.requests.end()) return true;  // cancelled meanwhile
  if (found->second.small_alone && (entry.value.extent || entry.spilled != nullptr)) {
    const ValuePart none{.object = id};
    world_.send(worker_id, Value{request, index, {&none, 1}});
    if (--found->second.count == 0) end_request(worker->second, request);
    return true;
  }
  if (entry.spilled != nullptr) {
    try {
      restore(entry);
    } catch (const StoreFullError&) {
      if (may_wait || num_leaving_ > 0) return false;
    }
  }
  const ValuePart part = part_for(worker_id, id, entry);
  world_.send(worker_id, Value{request, index, {&part, 1}});
  if (--found->second.count == 0) end_request(worker->second, request);
  return true;
}

void Owner::start_get(Worker& worker, const GetValues& message) {
  require_new_request(worker, message.request, message.objects);
  auto& request = worker.requests[message.request];
  request.objects.assign(message.objects.begin(), message.objects.end());
  request.count = static_cast<uint32_t>(request.objects.size());
  request.small_alone = message.small_alone != 0;
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

void Owner::require_new_request(const Worker& worker, uint64_t request,
                                std::span<const ObjectId> objects) const {
  require_known(objects);
  if (worker.requests.contains(request)) {
    throw errors::DataLossError(
        fmt::format("worker {} makes the request {} twice", worker.id.value, request));
  }
}

void Owner::start_wait(Worker& worker, const WaitFor& message) {
  require_new_request(worker, message.request, message.objects);
  if (message.count > message.objects.size()) {
    throw errors::DataLossError(fmt::format("worker {} waits for {} of {} objects", worker.id.value,
                                            message.count, message.objects.size()));
  }
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
  if (found->second.is_next) {
    end_request(worker, request);
    world_.send(worker.id, FoundNext{request, internal::NextItem::kNotYet, {}});
  } else if (found->second.is_wait) {
    answer_wait(worker, request);
  } else {
    end_request(worker, request);
  }
}

void Owner::end_request(Worker& worker, uint64_t request) {
  const auto found = worker.requests.find(request);
  if (found == worker.requests.end()) return;
  const auto is_of_it = [&](const Interest::Request& waiting) {
    return waiting.worker == worker.id && waiting.request == request;
  };
  for (const ObjectId id : found->second.objects) {
    const auto awaited = objects_.find(id);
    if (awaited == objects_.end()) continue;
    if (Stream* const stream = awaited->second.stream.get()) {
      std::erase_if(stream->waits, [&](const Stream::Request& waiting) {
        return waiting.worker == worker.id && waiting.request == request;
      });
    }
    if (awaited->second.interest == nullptr) continue;
    std::erase_if(awaited->second.interest->gets, is_of_it);
    std::erase_if(awaited->second.interest->waits, is_of_it);
  }
  worker.requests.erase(found);
}

}  // namespace flowray::ray
