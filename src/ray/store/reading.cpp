#include "ray/store/reading.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <iterator>
#include <new>
#include <utility>

#include "core/buffer.h"
#include "ray/values/value.h"

namespace flowray::ray {
namespace {

struct Reading {
  std::shared_ptr<SharedRegion> region;
  std::shared_ptr<LetGo> let_go;
  ObjectId object;
  std::span<const std::byte> bytes;
  bool has_begun = false;
};

void end_reading(void* owner) {
  const std::unique_ptr<Reading> reading(static_cast<Reading*>(owner));
  // Without a runtime there is no owner to tell; and in a process that the program forked, a thread that is
  // not here may hold the lock.
  if (reading->has_begun && internal::backend_or_null() != nullptr)
    reading->let_go->read_ended(reading->object, reading->bytes);
}

}  // namespace

void LetGo::note_any() noexcept {
  any_.store(true, std::memory_order_relaxed);
  if (event_fd_ < 0) return;
  const uint64_t one = 1;
  (void)!write(std::exchange(event_fd_, -1), &one, sizeof one);  // one that is full wakes as well
  has_added_ = true;
}

bool LetGo::wakes(int event_fd) noexcept {
  const MutexLock lock(mutex_);
  if (any_.load(std::memory_order_relaxed)) return false;
  event_fd_ = event_fd;
  return true;
}

bool LetGo::awake() noexcept {
  const MutexLock lock(mutex_);
  event_fd_ = -1;
  return std::exchange(has_added_, false);
}

void LetGo::note(ObjectId object, std::vector<ObjectId>& list) noexcept {
  try {
    list.push_back(object);
    note_any();
  } catch (const std::bad_alloc&) {  // called where nothing may be thrown: by destructors
  }
}

namespace {

void count_down(std::unordered_map<ObjectId, uint64_t>& counts, ObjectId object) {
  const auto found = counts.find(object);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

}  // namespace

void LetGo::handle_begins(ObjectId object) {
  if (!counts_) return;
  const MutexLock lock(mutex_);
  ++held_.handles[object];
}

void LetGo::read_begins(const Large& read) {
  const bool is_large = read.bytes.size() >= kLeastLentBytes;
  if (!counts_ && !is_large) return;
  const MutexLock lock(mutex_);
  uint64_t* const count = counts_ ? &held_.reads[read.object] : nullptr;
  if (is_large)
    ++large_.try_emplace({read.bytes.data(), read.object.value}, Counted{.large = read})
          .first->second.readings;
  if (count != nullptr) ++*count;
}

LetGo::Large LetGo::begin_loan(const void* byte) {
  const MutexLock lock(mutex_);
  auto after = large_.upper_bound({static_cast<const std::byte*>(byte), UINT64_MAX});
  // Those that begin at the same byte are the same value; one that is still being read is wanted.
  while (after != large_.begin()) {
    Counted& before = (--after)->second;
    if (!std::less<>()(byte, before.large.bytes.data() + before.large.bytes.size())) break;
    if (before.readings == 0) continue;
    ++before.loans;
    return before.large;
  }
  return {};
}

void LetGo::end_loan(const Large& large) noexcept {
  uint64_t ended = 0;
  {
    const MutexLock lock(mutex_);
    const auto found = large_.find({large.bytes.data(), large.object.value});
    if (found == large_.end() || --found->second.loans > 0) return;
    ended = std::exchange(found->second.withheld, 0);
    if (found->second.readings == 0) large_.erase(found);
  }
  for (; ended > 0; --ended) read_ended(large.object);
}

void LetGo::release(ObjectId object) noexcept {
  const MutexLock lock(mutex_);
  if (counts_) count_down(held_.handles, object);
  if (heir_ != nullptr) return heir_->release(object);
  note(object, released_);
}

void LetGo::read_ended(ObjectId object) noexcept {
  const MutexLock lock(mutex_);
  tell_of_end(object);
}

void LetGo::tell_of_end(ObjectId object) noexcept {
  if (counts_) count_down(held_.reads, object);
  if (heir_ != nullptr) return heir_->read_ended(object);
  note(object, read_);
}

void LetGo::read_ended(ObjectId object, std::span<const std::byte> bytes) noexcept {
  const MutexLock lock(mutex_);
  if (bytes.size() >= kLeastLentBytes) {
    const auto found = large_.find({bytes.data(), object.value});
    if (found != large_.end()) {
      --found->second.readings;
      if (found->second.loans > 0) {
        ++found->second.withheld;
        return;
      }
      if (found->second.readings == 0) large_.erase(found);
    }
  }
  tell_of_end(object);
}

void LetGo::discard(const Extent& extent) noexcept {
  const MutexLock lock(mutex_);
  try {
    discarded_.push_back(extent);
    any_discarded_.store(true, std::memory_order_relaxed);
    note_any();
  } catch (const std::bad_alloc&) {  // as above
  }
}

LetGo::Held LetGo::pass_to(std::shared_ptr<LetGo> heir) noexcept {
  const MutexLock lock(mutex_);
  heir_ = std::move(heir);
  return std::exchange(held_, {});
}

std::vector<Extent> LetGo::take_discarded() {
  if (!any_discarded_.load(std::memory_order_relaxed)) return {};
  const MutexLock lock(mutex_);
  any_discarded_.store(false, std::memory_order_relaxed);
  return std::exchange(discarded_, {});
}

bool LetGo::take(std::vector<ObjectId>& released, std::vector<ObjectId>& read) {
  if (!any_.load(std::memory_order_relaxed)) return false;
  const MutexLock lock(mutex_);
  any_.store(false, std::memory_order_relaxed);
  released.swap(released_);
  read.swap(read_);
  return true;
}

internal::ValueView view_in_store(std::shared_ptr<SharedRegion> region, const Extent& extent, ObjectId object,
                                  std::shared_ptr<LetGo> let_go) {
  if (extent.offset > region->size_bytes() || extent.size_bytes > region->size_bytes() - extent.offset) {
    throw errors::DataLossError(fmt::format("a value of {} bytes at {} of a region of {}", extent.size_bytes,
                                            extent.offset, region->size_bytes()));
  }
  std::byte* data = region->data() + extent.offset;
  LetGo& counted = *let_go;
  const std::span<const std::byte> bytes(data, extent.size_bytes);
  auto reading = std::make_unique<Reading>(Reading{std::move(region), std::move(let_go), object, bytes});
  internal::ValueView view;
  view.buffer = Buffer::adopt(data, extent.size_bytes, end_reading, reading.get(), false).leave();
  Reading& begun = *reading.release();  // the buffer's now
  counted.read_begins({object, extent, bytes});
  begun.has_begun = true;
  view.bytes = bytes;
  view.in_place = true;
  return view;
}

}  // namespace flowray::ray
