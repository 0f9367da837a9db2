#include "graph/resource/rendezvous.h"

#include "core/murmur_hash.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace flowray::graph {

// ---- LocalRendezvous

void LocalRendezvous::send(const std::string& key, Parcel parcel) {
  Taker taker;
  {
    const MutexLock lock(table_->mutex);
    Place& place = table_->places[key];
    if (place.has_parcel) throw errors::AbortedError("Duplicated send: " + key);
    place.has_parcel = true;
    if (place.taker == nullptr) {
      if (!place.is_taken) place.parcel = std::move(parcel);
      return;
    }
    taker = std::exchange(place.taker, nullptr);
  }
  taker(std::move(parcel));
}

std::function<void()> LocalRendezvous::receive(const std::string& key, Taker take) {
  Parcel parcel;
  {
    const MutexLock lock(table_->mutex);
    Place& place = table_->places[key];
    if (place.is_taken) {
      parcel = {{}, false, Code::kAborted, "Duplicated recv: " + key};
    } else if (place.has_parcel) {
      parcel = std::move(place.parcel);
      place.is_taken = true;
    } else if (table_->failure.code != Code::kOk) {
      parcel = table_->failure;
    } else {
      place.is_taken = true;
      place.taker = std::move(take);
      return [table = table_, key] { give_up(*table, key); };
    }
  }
  take(std::move(parcel));
  return {};
}

void LocalRendezvous::give_up(Table& table, const std::string& key) {
  Taker taker;
  {
    const MutexLock lock(table.mutex);
    taker = std::exchange(table.places[key].taker, nullptr);
  }
  if (taker != nullptr) taker({{}, false, Code::kCancelled, "RecvAsync is cancelled."});
}

void LocalRendezvous::fail(Code code, std::string text) {
  std::vector<Taker> takers;
  {
    const MutexLock lock(table_->mutex);
    if (table_->failure.code != Code::kOk) return;
    table_->failure = {{}, false, code, text};
    for (auto& [key, place] : table_->places) {
      if (place.taker != nullptr) takers.push_back(std::exchange(place.taker, nullptr));
    }
  }
  for (const Taker& taker : takers) taker({{}, false, code, text});
}

// ---- keys

namespace {

uint64_t combine(uint64_t a, uint64_t b) { return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4)); }

}  // namespace

uint64_t frame_inside(const FrameIteration& around, std::string_view name) {
  return combine(around.frame, combine(static_cast<uint64_t>(around.iteration), murmur_hash(name)));
}

bool is_transfer(const OpSchema& schema) {
  return schema.row.start != nullptr && schema.find_attr("send_device_incarnation") != nullptr;
}

std::string rendezvous_key(const Attrs& transfer, const FrameIteration& at) {
  return fmt::format("{};{:016x};{};{};{}:{}", transfer.get<std::string>("send_device"),
                     static_cast<uint64_t>(transfer.get<int64_t>("send_device_incarnation")),
                     transfer.get<std::string>("recv_device"), transfer.get<std::string>("tensor_name"),
                     at.frame, at.iteration);
}

}  // namespace flowray::graph
