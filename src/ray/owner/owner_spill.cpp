// Spilling: values that are not being read go to disk, and requests for more room than there is wait.

#include <flowray/errors.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "ray/owner/error_value.h"
#include "ray/owner/owner_state.h"

namespace flowray::ray {

namespace {

/// A disk is written to in large parts: so much room is made at once, if there is so much to be had.
constexpr uint64_t kMostAtOnce = uint64_t{32} << 20;

}  // namespace

/// Values that are not being read, slab by slab, so that whole slabs become free: those that have room of
/// their own, which others have no share in, or those that have a share in another's. The latter are worth
/// it only where all that have a share can go, and then the value that it is of.
std::vector<ObjectId> Owner::spillable(RoomOf of) const {
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t>> found;
  std::unordered_map<ObjectId, uint32_t> sharers;  // that can go, by the value that they have a share in
  const auto can_go = [](const Object& entry) {
    return entry.ready && entry.value.extent && entry.reads == 0 && !entry.value.is_error;
  };
  if (of == RoomOf::kOthers) {
    for (const auto& [id, entry] : objects_) {
      if (entry.value.lender && can_go(entry)) ++sharers[entry.value.lender];
    }
  }
  const auto is_meant = [&](const Object& entry) {
    if (!entry.value.lender) return of == RoomOf::kTheirOwn && entry.lent == 0;
    const auto shared = sharers.find(entry.value.lender);
    if (shared == sharers.end()) return false;
    const Object& lender = objects_.at(entry.value.lender);
    return can_go(lender) && lender.lent == shared->second;
  };
  for (const auto& [id, entry] : objects_) {
    if (can_go(entry) && !entry.is_leaving && is_meant(entry))
      found.emplace_back(entry.value.extent.slab.value, entry.value.extent.offset, id.value);
  }
  std::ranges::sort(found);
  std::vector<ObjectId> ids;
  ids.reserve(found.size());
  for (const auto& place : found) ids.push_back({std::get<2>(place)});
  return ids;
}

/// Starts to spill values, unless enough are being spilled. Returns why that cannot be, else "": it is not
/// tried again before another event, or requests that wait for room would wait without end.
std::string Owner::start_spilling(uint64_t bytes) {
  if (leaving_bytes_ >= bytes) return {};
  if (!spill_trouble_.empty() && spill_trouble_at_ == num_room_events_) return spill_trouble_;
  spill_trouble_.clear();
  const uint64_t wanted = std::max(bytes, std::min(store_.capacity_bytes() / 16, kMostAtOnce));
  try {
    for (const ObjectId id : spillable(RoomOf::kTheirOwn)) {
      if (leaving_bytes_ >= wanted) break;
      start_leaving(id);
    }
    if (leaving_bytes_ >= bytes) return {};
    // What these have a share in goes when they are gone.
    uint64_t later = 0;
    for (const ObjectId id : spillable(RoomOf::kOthers)) {
      if (leaving_bytes_ + later >= bytes) break;
      start_leaving(id);
      later += object(id).value.extent.size_bytes;
    }
  } catch (const errors::ResourceExhaustedError& error) {
    return error.message();
  }
  return {};
}

/// Its bytes are counted where their room is free when it has gone.
void Owner::start_leaving(ObjectId id) {
  Object& entry = object(id);
  world_.start_spill(id, entry.value.extent);
  entry.is_leaving = true;
  ++num_leaving_;
  if (!entry.value.lender) leaving_bytes_ += entry.value.extent.size_bytes;
}

/// Makes the attempt; without room it starts to spill values and throws: the request repeats it later.
void Owner::with_room(uint64_t bytes, const FunctionRef<void()>& attempt) {
  try {
    attempt();
  } catch (const StoreFullError& error) {
    if (bytes > store_.capacity_bytes()) throw;
    std::string trouble = start_spilling(bytes);
    if (num_leaving_ > 0) throw;  // it is waited for
    if (trouble.empty()) trouble = "no value can go to disk: what is in the store is being read, or written";
    if (!room_may_come()) spill_trouble_.clear();  // the next request tries it again
    throw StoreFullError(error.message() + holders_text() + (trouble.empty() ? "" : "\n" + trouble));
  }
}

void Owner::on_spilled(ObjectId id, const Spilled& spilled) {
  Object& entry = object(id);
  end_spill(entry);
  const bool is_wanted = entry.handles > 0 || entry.pins > 0;
  if (entry.reads > 0 || entry.lent > 0 || !is_wanted) {  // it stays after all, or goes at once
    world_.forget(spilled);
  } else {
    entry.spilled = std::make_unique<Spilled>(spilled);
    spilled_bytes_ += spilled.size_bytes;
    free_room(entry.value);
  }
  drop_if_unused(id);
  dispatch();
}

void Owner::on_spill_failed(ObjectId id, const std::string& why) {
  end_spill(object(id));
  drop_if_unused(id);
  spill_trouble_ = why;
  spill_trouble_at_ = num_room_events_;
  dispatch();
}

void Owner::end_spill(Object& entry) {
  entry.is_leaving = false;
  --num_leaving_;
  if (!entry.value.lender) leaving_bytes_ -= entry.value.extent.size_bytes;
  ++num_room_events_;
}

/// Brings the value back. Throws StoreFullError where there is no room for it; one that cannot be read any
/// more is an error from now on.
void Owner::restore(Object& entry) {
  const Spilled spilled = *entry.spilled;
  Extent extent;
  with_room(spilled.size_bytes, [&] { extent = store_.allocate(spilled.size_bytes); });
  try {
    world_.restore(spilled, extent);
    entry.value.extent = extent;
  } catch (const errors::DataLossError& error) {
    store_.free(extent);
    entry.value = lost_value_error(error.message());
  }
  forget_spilled(entry);
}

void Owner::forget_spilled(Object& entry) {
  const auto spilled = std::move(entry.spilled);
  spilled_bytes_ -= spilled->size_bytes;
  world_.forget(*spilled);
}

/// It lets go of everything when it is gone.
bool Owner::is_ending(const Worker& worker) const {
  return worker.actor && actors_.at(worker.actor).state >= Actor::State::kEnding;
}

/// Whether values are being spilled, or a call that runs, or a process that ends, may free something: then
/// it is worth waiting.
bool Owner::room_may_come() const {
  return num_leaving_ > 0 || std::ranges::any_of(workers_, [this](const auto& entry) {
           const Worker& worker = entry.second;
           if (worker.exiting || is_ending(worker) || worker.owes_read_end) return true;
           // Others may have been sent to it that have not begun.
           const size_t running = std::min<size_t>(worker.in_flight.size(), worker.max_concurrency);
           return running > worker.requests.size() + worker.num_starved;
         });
}

/// The call's arguments are in the store, and stay there until it has ended. False: there is no room now.
bool Owner::bring_arguments(Task& task) {
  if (spilled_bytes_ == 0) return true;
  std::vector<ObjectId> arguments = task.refs;
  if (task.arguments_object) arguments.push_back(task.arguments_object);
  const auto is_spilled = [this](ObjectId id) { return object(id).spilled != nullptr; };
  if (std::ranges::none_of(arguments, is_spilled)) return true;
  if (is_futile() && room_may_come()) return false;
  size_t brought = 0;
  try {
    for (; brought < arguments.size(); ++brought) {
      Object& entry = object(arguments[brought]);
      if (entry.spilled != nullptr) restore(entry);
      ++entry.reads;
    }
  } catch (const StoreFullError&) {
    futile_at_ = num_room_events_;
  }
  for (size_t i = 0; i < brought; ++i) --object(arguments[i]).reads;  // they are shown before anything else
  return brought == arguments.size();
}

void Owner::wait_for_room(Starved starved) {
  if (!starved.object) ++workers_.at(starved.worker.value).num_starved;
  starved_.push_back(starved);
  if (std::exchange(warned_of_room_, true)) return;
  world_.warn(
      "the object store is full, and what is in it is being read: calls that ask for more room wait until "
      "others "
      "are done.");
}

/// Retries the requests that wait for room, in their order.
void Owner::feed_starved() {
  if (is_futile() && room_may_come()) return;
  for (const ActorId id : std::exchange(starved_actors_, {})) {
    if (const auto actor = actors_.find(id); actor != actors_.end()) pump(actor->second);
  }
  for (size_t left = starved_.size(); left > 0 && !starved_.empty(); --left) {
    const Starved starved = starved_.front();
    const auto found = workers_.find(starved.worker.value);
    if (found == workers_.end()) {
      starved_.pop_front();
      continue;
    }
    Worker& worker = found->second;
    const bool may_wait = room_may_come();
    if (!try_to_feed(worker, starved, may_wait)) {
      futile_at_ = num_room_events_;
      return;
    }
    starved_.pop_front();
    if (!starved.object) --worker.num_starved;
  }
}

/// False: there is no room, and it may wait on.
bool Owner::try_to_feed(Worker& worker, const Starved& starved, bool may_wait) {
  if (!starved.object) return lease(worker, starved.request, starved.bytes, may_wait);
  const auto request = worker.requests.find(starved.request);
  const auto entry = objects_.find(starved.object);
  if (request == worker.requests.end() || entry == objects_.end()) return true;  // cancelled meanwhile
  return try_to_send_value(worker.id, starved.request, starved.index, starved.object, entry->second,
                           may_wait);
}

}  // namespace flowray::ray
