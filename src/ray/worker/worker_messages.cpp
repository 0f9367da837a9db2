// The messages between a worker and the owner, in both directions.

#include <flowray/errors.h>
#include <flowray/ray/errors.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "core/buffer.h"
#include "ray/transport/stamps.h"
#include "ray/values/value.h"
#include "ray/worker/executor.h"
#include "ray/worker/question.h"

namespace flowray::ray {

using internal::ValueView;

template <class Message>
void WorkerBackend::post(const Message& message) {
  publish(message);
  ring_driver();
}

template <class Message>
void WorkerBackend::publish(const Message& message) {
  const size_t bytes = message_size_bytes(message);
  std::byte* out = writer_.reserve(bytes);
  if (out == nullptr) out = wait_for_room(bytes);
  write_message(message, out);
  writer_.commit(bytes, keeper_ == nullptr ? 0 : next_stamp());
}

void WorkerBackend::ring_driver() {
  unrung_since_.reset();
  num_quiet_ = 0;
  Doorbell::ring_both(driver_doorbell_, channel_.service_doorbell(), event_fd_);
}

#define FLOWRAY_INSTANTIATE(Message)                          \
  template void WorkerBackend::post<Message>(const Message&); \
  template void WorkerBackend::publish<Message>(const Message&)
FLOWRAY_INSTANTIATE(Started);
FLOWRAY_INSTANTIATE(Done);
FLOWRAY_INSTANTIATE(ReadEnded);
FLOWRAY_INSTANTIATE(RanSteps);
FLOWRAY_INSTANTIATE(Measured);
FLOWRAY_INSTANTIATE(Submit);
FLOWRAY_INSTANTIATE(PutValue);
FLOWRAY_INSTANTIATE(KeepCheckpoint);
FLOWRAY_INSTANTIATE(GetValues);
FLOWRAY_INSTANTIATE(WaitFor);
FLOWRAY_INSTANTIATE(Cancel);
FLOWRAY_INSTANTIATE(Adopt);
FLOWRAY_INSTANTIATE(Lease);
FLOWRAY_INSTANTIATE(KillActor);
FLOWRAY_INSTANTIATE(FindActor);
FLOWRAY_INSTANTIATE(CancelCall);
FLOWRAY_INSTANTIATE(ExitActorCall);
FLOWRAY_INSTANTIATE(AskResources);
FLOWRAY_INSTANTIATE(AskPendingCalls);
FLOWRAY_INSTANTIATE(Give);
FLOWRAY_INSTANTIATE(AskNext);
FLOWRAY_INSTANTIATE(MakeGroup);
FLOWRAY_INSTANTIATE(RemoveGroup);
FLOWRAY_INSTANTIATE(AskGroup);
FLOWRAY_INSTANTIATE(WantRegion);
FLOWRAY_INSTANTIATE(AskLink);
FLOWRAY_INSTANTIATE(LinkMade);
FLOWRAY_INSTANTIATE(LinkClosed);
FLOWRAY_INSTANTIATE(Promise);
FLOWRAY_INSTANTIATE(AnswerFor);
FLOWRAY_INSTANTIATE(RanLinked);
#undef FLOWRAY_INSTANTIATE

/// Reserves them as well. The driver reads without ever waiting for this process, so there will be room; or
/// it is dead, and so is this process soon. Messages are read meanwhile, and other threads have their turns.
std::byte* WorkerBackend::wait_for_room(size_t bytes) {
  if (bytes > writer_.max_message_bytes()) {
    throw RayException("A message of " + std::to_string(bytes) +
                       " bytes to the driver is too long; at most " +
                       std::to_string(writer_.max_message_bytes()) + " are possible.");
  }
  ring_driver();  // it may not have been woken for what is there
  std::byte* out = nullptr;
  ++waiting_for_room_;
  room_wanted_ = std::max(room_wanted_, bytes);
  try {
    wait_until({}, [&]() FLOWRAY_REQUIRES(mutex_) {
      return writer_.ask_for_room(bytes) && (out = writer_.reserve(bytes)) != nullptr;
    });
  } catch (...) {
    if (--waiting_for_room_ == 0) room_wanted_ = 0;
    throw;
  }
  if (--waiting_for_room_ == 0) room_wanted_ = 0;
  return out;
}

/// If a thread waits for it; else the driver rings when there is.
bool WorkerBackend::has_wanted_room() { return waiting_for_room_ > 0 && writer_.ask_for_room(room_wanted_); }

bool WorkerBackend::wait_until(internal::Deadline deadline, const FunctionRef<bool()>& done) {
  if (unrung_since_) ring_driver();
  bool is_done = false;
  // Asked first: what done() says of an actor that is abandoned then stands.
  const auto is_over = [&]() FLOWRAY_REQUIRES(mutex_) {
    const bool is_abandoned = is_abandoned_;
    return (is_done = done()) || is_abandoned;
  };
  waiting_room_.wait(mutex_, deadline, channel_.worker_spin_us().load(std::memory_order_relaxed), is_over,
                     {[this]() FLOWRAY_REQUIRES(mutex_) {
                        return !reader_.empty() || has_linked_messages() || has_wanted_room();
                      },
                      [this]() FLOWRAY_REQUIRES(mutex_) { return drain(); },
                      [this]() FLOWRAY_REQUIRES(mutex_) { return may_sleep(); }});
  if (!is_done && is_abandoned_) throw RayException(kActorHasEnded);
  return is_done;
}

bool WorkerBackend::may_sleep() {
  if (reader_.take_writer_waits()) ring_driver();
  report_ran_linked();
  return reader_.empty() && !has_linked_messages() && !has_wanted_room();
}

void WorkerBackend::tell_let_go() {
  while (!lost_regions_.empty()) {
    const SlabId slab = lost_regions_.back();
    lost_regions_.pop_back();
    try {
      post(WantRegion{slab});
    } catch (...) {
      lost_regions_.push_back(slab);  // it is not asked for yet
      throw;
    }
  }
  if (!cancelled_runs_.empty()) answer_cancelled_runs();
  if (has_link_news()) tell_link_news();
  for (const Extent& unused : let_go_->take_discarded()) give_up(unused);
  if (!let_go_->take(released_scratch_, read_scratch_)) return;
  // Other threads may come here while this one waits for room.
  std::vector<ObjectId> released = std::exchange(released_scratch_, {});
  std::vector<ObjectId> read = std::exchange(read_scratch_, {});
  if (!linked_calls_.empty())
    std::erase_if(released, [this](ObjectId id) FLOWRAY_REQUIRES(mutex_) { return forget_linked(id); });
  constexpr size_t kAtOnce = 4096;
  for (std::span<const ObjectId> left = read; !left.empty();
       left = left.subspan(std::min(kAtOnce, left.size()))) {
    post(ReadEnded{left.first(std::min(kAtOnce, left.size()))});
  }
  for (std::span<const ObjectId> left = released; !left.empty();
       left = left.subspan(std::min(kAtOnce, left.size()))) {
    post(Release{left.first(std::min(kAtOnce, left.size()))});
  }
  released.clear();
  read.clear();
  if (released_scratch_.empty()) released_scratch_ = std::move(released);
  if (read_scratch_.empty()) read_scratch_ = std::move(read);
}

/// Whether anything has changed for the threads that wait. A message that cannot be taken in, as memory is
/// short, stays in the ring and is read again: on_message() then goes on where it was, or has done nothing.
bool WorkerBackend::drain() {
  bool any = drain_links();
  for (auto message = reader_.peek(); message.data() != nullptr; message = reader_.peek()) {
    // What lies in a link by now may have been sent before what comes from the driver, by the same caller.
    if (!in_links_.empty()) drain_links();
    on_message(message);
    reader_.pop();
    num_parts_taken_ = 0;
    any = true;
  }
  if (any && reader_.take_writer_waits()) ring_driver();
  return any || has_wanted_room();
}

/// drain() in a thread that does not wait: those that do and sleep behind the poller look whether it was
/// theirs, as the poller finds nothing any more.
bool WorkerBackend::drain_for_all() {
  const bool any = drain();
  if (any) waiting_room_.wake_sleepers();
  return any;
}

void WorkerBackend::on_message(std::span<const std::byte> bytes) {
  const auto question_of = [&](uint64_t request) FLOWRAY_REQUIRES(mutex_) {
    const auto found = questions_.find(request);
    return found == questions_.end() ? nullptr : found->second;
  };
  switch (message_kind(bytes)) {
    case Run::kKind: {
      // Copied, as the ring must go on while the call runs.
      std::vector<std::byte> copy;
      if (!spare_.empty()) {
        copy = std::move(spare_.back());
        spare_.pop_back();
      }
      copy.assign(bytes.begin(), bytes.end());
      lanes_[lanes_.size() == 1 ? 0 : lane_of_run(bytes)].runs.push_back(std::move(copy));
      break;
    }
    case RunArguments::kKind: {
      const auto message = read_message<RunArguments>(bytes, parts_);
      std::vector<ValueView>& values = arguments_[message.task];
      values.reserve(values.size() + message.parts.size() - num_parts_taken_);
      for (; num_parts_taken_ < message.parts.size(); ++num_parts_taken_)
        values.push_back(view_or_error(message.parts[num_parts_taken_]));
      break;
    }
    case Value::kKind: {
      const auto message = read_message<Value>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->take(message.index, view_or_error(message.parts[0]));
      } else if (!take_awaited(message.request, message.parts[0])) {
        view_or_error(message.parts[0]);  // it came too late, and is let go at once
      }
      break;
    }
    case Waited::kKind: {
      const auto message = read_message<Waited>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->ready.assign(message.ready.begin(), message.ready.end());
        question->is_answered = true;
      }
      break;
    }
    case Leased::kKind: {
      const auto message = read_message<Leased>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->leased = message;
        question->leased.text = {};  // the ring's
        question->text = message.text;
        question->is_answered = true;
      }
      break;
    }
    case FoundActor::kKind: {
      const auto message = read_message<FoundActor>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->actor = message.actor;
        question->is_answered = true;
      }
      break;
    }
    case Freed::kKind:
      on_freed(read_message<Freed>(bytes, parts_).extent);
      break;
    case Forget::kKind:
      forget_region(read_message<Forget>(bytes, parts_));
      break;
    case BecomeActor::kKind:
      become_actor(read_message<BecomeActor>(bytes, parts_));
      break;
    case Interrupt::kKind:
      on_interrupt(read_message<Interrupt>(bytes, parts_));
      break;
    case Cancelled::kKind: {
      const auto message = read_message<Cancelled>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->text = message.refusal;
        question->is_answered = true;
      }
      break;
    }
    case Taken::kKind: {
      const auto message = read_message<Taken>(bytes, parts_);
      taken_[message.task] = message.count;
      waiting_room_.wake_all();
      break;
    }
    case FoundNext::kKind: {
      const auto message = read_message<FoundNext>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->next = message;
        question->is_answered = true;
      } else if (message.item) {
        let_go_->release(message.item);  // its waiter has given up
      }
      break;
    }
    case ToldGroup::kKind: {
      const auto message = read_message<ToldGroup>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->group =
            group_spec(message.group, message.strategy, message.state, message.name, message.bundles);
        question->is_answered = true;
      }
      break;
    }
    case ToldResources::kKind: {
      const auto message = read_message<ToldResources>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->text = message.text;
        question->is_answered = true;
      }
      break;
    }
    case ToldPendingCalls::kKind: {
      const auto message = read_message<ToldPendingCalls>(bytes, parts_);
      if (Question* question = question_of(message.request)) {
        question->count = message.count;
        question->is_answered = true;
      }
      break;
    }
    case Exit::kKind:
      exiting_ = true;
      break;
    default:
      on_link_message(bytes);
  }
}

ValueView WorkerBackend::view_of(const ValuePart& part) {
  ValueView view;
  if (part.extent) {
    view = view_in_store(region(part.extent.slab, SharedRegion::Access::kRead), part.extent, part.object,
                         let_go_);
  } else {
    BufferRef copy = Buffer::allocate(part.bytes.size());
    std::copy(part.bytes.begin(), part.bytes.end(), copy->data());
    view.bytes = {copy->data(), part.bytes.size()};
    view.buffer = copy.leave();
  }
  view.is_error = part.is_error;
  return view;
}

/// Where this process cannot have the value, the error that says why. What else it throws leaves the value to
/// be asked for again.
ValueView WorkerBackend::view_or_error(const ValuePart& part) {
  try {
    return view_of(part);
  } catch (const errors::ResourceExhaustedError& error) {
    ValueView told = error_view(ErrorKind::kOther, error.message());
    let_go_->read_ended(part.object);
    return told;
  }
}

ValueView WorkerBackend::error_view(ErrorKind kind, const std::string& text) {
  Encoder encoder;
  encode_error(encoder, kind, {.message = text});
  ValuePart told;
  std::vector<std::byte> bytes(encoded_size_bytes(encoder));
  write_value(encoder, bytes.data());
  told.bytes = bytes;
  told.is_error = true;
  return view_of(told);
}

void WorkerBackend::become_actor(const BecomeActor& message) {
  std::vector<Lane> lanes(message.group_sizes.size());
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i].max_concurrency = message.group_sizes[i];
  lanes_.reserve(lanes_.size() + lanes.size());
  self_ = message;
  self_.group_sizes = {};  // the ring's
  lanes_[0].max_concurrency = message.max_concurrency;
  std::ranges::move(lanes, std::back_inserter(lanes_));
}

std::shared_ptr<SharedRegion> WorkerBackend::region(SlabId slab, SharedRegion::Access access) {
  // The driver sends a region's descriptor before the first message that needs it.
  while (true) {
    const auto found = regions_.find(slab.value);
    if (found != regions_.end() &&
        (access == SharedRegion::Access::kRead || found->second.access == SharedRegion::Access::kReadWrite)) {
      return found->second.memory;
    }
    if (std::ranges::find(lost_regions_, slab) != lost_regions_.end()) {
      throw errors::ResourceExhaustedError(
          "A value in the object store cannot be read or written by this process: it cannot map the region, "
          "as it "
          "has too many files open (ulimit -n), or too few addresses (ulimit -v) or too little memory left. "
          "Close some, or let go of values.");
    }
    receive_region();
  }
}

/// A notice comes once: what its arrival takes of memory is there before it is read, and what cannot be
/// mapped is asked for again.
void WorkerBackend::receive_region() {
  if (!notice_) {
    DescriptorSocket::Message message;
    if (socket_.receive(message) != DescriptorSocket::Received::kMessage) {
      throw errors::UnavailableError("the driver is gone");
    }
    RegionNotice notice;
    if (message.bytes.size() != sizeof notice) throw errors::DataLossError("a damaged notice of a region");
    std::memcpy(&notice, message.bytes.data(), sizeof notice);
    notice_.emplace(notice, Descriptor());
    if (message.descriptors.size() == 1) notice_->second = std::move(message.descriptors[0]);
  }
  auto& [notice, descriptor] = *notice_;
  if (const auto gone = std::ranges::find(gone_early_, notice.slab); gone != gone_early_.end()) {
    gone_early_.erase(gone);
    notice_.reset();
    return;
  }
  uint32_t& num_notices = notices_[notice.slab.value];
  if (lost_regions_.size() == lost_regions_.capacity()) lost_regions_.reserve(2 * lost_regions_.size() + 1);
  const auto access = notice.writable != 0 ? SharedRegion::Access::kReadWrite : SharedRegion::Access::kRead;
  const SlabId slab = notice.slab;
  try {
    if (!descriptor) throw errors::ResourceExhaustedError("no descriptor is left");
    auto region =
        std::make_shared<SharedRegion>(SharedRegion::map(std::move(descriptor), notice.size_bytes, access));
    region->close_descriptor();
    regions_[slab.value] = {std::move(region), access};
  } catch (const errors::ResourceExhaustedError&) {
    lost_regions_.push_back(slab);
  } catch (const std::bad_alloc&) {
    lost_regions_.push_back(slab);
  }
  ++num_notices;
  notice_.reset();
}

/// Forgets the region and the notices about it, those that are still to come, too.
void WorkerBackend::forget_region(const Forget& message) {
  const auto received = notices_.find(message.slab.value);
  const uint32_t num_received = received == notices_.end() ? 0 : received->second;
  if (num_received < message.num_notices)
    gone_early_.reserve(gone_early_.size() + message.num_notices - num_received);
  std::erase(lost_regions_, message.slab);
  regions_.erase(message.slab.value);
  if (received != notices_.end()) notices_.erase(received);
  for (uint32_t i = num_received; i < message.num_notices; ++i) gone_early_.push_back(message.slab);
}

}  // namespace flowray::ray
