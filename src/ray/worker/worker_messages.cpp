// What a worker hears from the owner, and how it speaks to it.

#include <flowray/errors.h>

#include <algorithm>
#include <cstring>

#include "core/buffer.h"
#include "ray/worker/worker_backend.h"

namespace flowray::ray {

using internal::ValueView;

template <class Message>
void WorkerBackend::post(const Message& message) {
  const size_t bytes = message_size_bytes(message);
  std::byte* out = writer_.reserve(bytes);
  while (out == nullptr) {
    // The driver reads without ever waiting for this process, so there will be room; or it is dead, and so
    // are we soon.
    Doorbell& doorbell = channel_.worker_doorbell();
    doorbell.announce(Doorbell::How::kFutex);
    if (writer_.ask_for_room(bytes)) {
      doorbell.cancel();
    } else {
      doorbell.sleep(10'000);
    }
    out = writer_.reserve(bytes);
  }
  write_message(message, out);
  writer_.commit(bytes);
  driver_doorbell_.ring(event_fd_);
}

#define FLOWRAY_INSTANTIATE(Message) template void WorkerBackend::post<Message>(const Message&)
FLOWRAY_INSTANTIATE(Started);
FLOWRAY_INSTANTIATE(Done);
FLOWRAY_INSTANTIATE(Submit);
FLOWRAY_INSTANTIATE(PutValue);
FLOWRAY_INSTANTIATE(GetValues);
FLOWRAY_INSTANTIATE(WaitFor);
FLOWRAY_INSTANTIATE(Cancel);
FLOWRAY_INSTANTIATE(Adopt);
FLOWRAY_INSTANTIATE(Lease);
FLOWRAY_INSTANTIATE(KillActor);
FLOWRAY_INSTANTIATE(FindActor);
#undef FLOWRAY_INSTANTIATE

void WorkerBackend::tell_let_go() {
  if (!let_go_->take(released_scratch_, read_scratch_)) return;
  constexpr size_t kAtOnce = 4096;
  for (std::span<const ObjectId> left = read_scratch_; !left.empty();
       left = left.subspan(std::min(kAtOnce, left.size()))) {
    post(ReadEnded{left.first(std::min(kAtOnce, left.size()))});
  }
  for (std::span<const ObjectId> left = released_scratch_; !left.empty();
       left = left.subspan(std::min(kAtOnce, left.size()))) {
    post(Release{left.first(std::min(kAtOnce, left.size()))});
  }
  read_scratch_.clear();
  released_scratch_.clear();
}

bool WorkerBackend::drain() {
  bool any = false;
  for (auto message = reader_.peek(); message.data() != nullptr; message = reader_.peek()) {
    on_message(message);
    reader_.pop();
    any = true;
  }
  if (any && reader_.take_writer_waits()) driver_doorbell_.ring(event_fd_);
  return any;
}

void WorkerBackend::on_message(std::span<const std::byte> bytes) {
  const auto reply_to = [&](uint64_t request) FLOWRAY_REQUIRES(mutex_) {
    const auto found = replies_.find(request);
    return found == replies_.end() ? nullptr : found->second;
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
      runs_.push_back(std::move(copy));
      break;
    }
    case Argument::kKind: {
      const auto message = read_message<Argument>(bytes, parts_);
      arguments_[message.task][message.index] = view_of(message.parts[0]);
      break;
    }
    case Value::kKind: {
      const auto message = read_message<Value>(bytes, parts_);
      ValueView view = view_of(message.parts[0]);  // one that came too late is let go at once
      if (Reply* reply = reply_to(message.request)) {
        reply->value = std::move(view);
        reply->is_there = true;
      }
      break;
    }
    case Waited::kKind: {
      const auto message = read_message<Waited>(bytes, parts_);
      if (Reply* reply = reply_to(message.request)) {
        reply->ready.assign(message.ready.begin(), message.ready.end());
        reply->is_there = true;
      }
      break;
    }
    case Leased::kKind: {
      const auto message = read_message<Leased>(bytes, parts_);
      if (Reply* reply = reply_to(message.request)) {
        reply->slab = message.slab;
        reply->text = message.text;
        reply->is_there = true;
      }
      break;
    }
    case FoundActor::kKind: {
      const auto message = read_message<FoundActor>(bytes, parts_);
      if (Reply* reply = reply_to(message.request)) {
        reply->actor = message.actor;
        reply->is_there = true;
      }
      break;
    }
    case Freed::kKind: {
      const Extent extent = read_message<Freed>(bytes, parts_).extent;
      for (LeasedSlab& lease : leases_) {
        if (lease.id == extent.slab) lease.free_space.free(extent.offset);
      }
      break;
    }
    case Forget::kKind: {
      const SlabId slab = read_message<Forget>(bytes, parts_).slab;
      if (regions_.erase(slab.value) == 0) gone_early_.push_back(slab);
      break;
    }
    case Exit::kKind:
      exiting_ = true;
      break;
    default:
      throw errors::DataLossError("the driver sent a message of the unknown kind " +
                                  std::to_string(message_kind(bytes)));
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

std::shared_ptr<SharedRegion> WorkerBackend::region(SlabId slab, SharedRegion::Access access) {
  // The driver sends a region's descriptor before the first message that needs it.
  while (true) {
    const auto found = regions_.find(slab.value);
    if (found != regions_.end() &&
        (access == SharedRegion::Access::kRead || found->second.access == SharedRegion::Access::kReadWrite)) {
      return found->second.memory;
    }
    receive_region();
  }
}

void WorkerBackend::receive_region() {
  DescriptorSocket::Message message;
  if (socket_.receive(message) != DescriptorSocket::Received::kMessage) {
    throw errors::UnavailableError("the driver is gone");
  }
  RegionNotice notice;
  if (message.bytes.size() != sizeof notice) throw errors::DataLossError("a damaged notice of a region");
  std::memcpy(&notice, message.bytes.data(), sizeof notice);
  if (message.descriptors.size() != 1) {
    throw errors::ResourceExhaustedError(
        "this process cannot map a region of the object store; it has too many open files");
  }
  if (std::erase(gone_early_, notice.slab) > 0) return;
  const auto access = notice.writable != 0 ? SharedRegion::Access::kReadWrite : SharedRegion::Access::kRead;
  auto region = std::make_shared<SharedRegion>(
      SharedRegion::map(std::move(message.descriptors[0]), notice.size_bytes, access));
  region->close_descriptor();
  regions_[notice.slab.value] = {std::move(region), access};
}

}  // namespace flowray::ray
