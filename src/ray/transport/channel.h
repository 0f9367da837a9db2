#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ray/transport/protocol.h"
#include "ray/transport/ring.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What the driver and one worker share from the worker's start: a ring in each direction, the worker's
/// doorbell, and the tickets of tasks. Lies in one SharedRegion; the driver makes it, the worker maps the
/// same bytes.
class Channel {
 public:
  static constexpr size_t kRingBytes = size_t{1} << 18;
  static constexpr uint32_t kTickets = 1024;

  /// All zeros is the right beginning.
  struct Control {
    Doorbell worker_doorbell;
    /// How long the worker looks for messages before it sleeps; the driver changes it as processes come
    /// and go.
    alignas(64) std::atomic<uint32_t> worker_spin_us;
    /// Ticket t is in word t mod kTickets: 2t waits, 2t + 1 has begun; another number: taken back. Whoever
    /// changes 2t first, the worker that begins or the owner that takes back, has the task; nothing else
    /// hangs on the word, so its accesses are relaxed.
    alignas(64) std::array<std::atomic<uint64_t>, kTickets> tickets;
  };

  static SharedRegion create(WorkerId worker);
  static constexpr size_t size_bytes() { return sizeof(Control) + 2 * ring_memory_bytes(kRingBytes); }

  explicit Channel(SharedRegion region);

  RingWriter writer_to_worker() const { return RingWriter(ring(0)); }
  RingReader reader_in_worker() const { return RingReader(ring(0)); }
  RingWriter writer_to_driver() const { return RingWriter(ring(1)); }
  RingReader reader_in_driver() const { return RingReader(ring(1)); }
  Doorbell& worker_doorbell() const { return control().worker_doorbell; }
  std::atomic<uint32_t>& worker_spin_us() const { return control().worker_spin_us; }

  void issue(uint64_t ticket) const { word(ticket).store(2 * ticket, std::memory_order_relaxed); }
  bool begin(uint64_t ticket) const { return change(ticket, 2 * ticket + 1); }
  bool revoke(uint64_t ticket) const { return change(ticket, 0); }

  const SharedRegion& region() const { return region_; }

 private:
  Control& control() const { return *reinterpret_cast<Control*>(region_.data()); }
  std::atomic<uint64_t>& word(uint64_t ticket) const { return control().tickets[ticket % kTickets]; }
  bool change(uint64_t ticket, uint64_t to) const {
    uint64_t waits = 2 * ticket;
    return word(ticket).compare_exchange_strong(waits, to, std::memory_order_relaxed);
  }
  std::span<std::byte> ring(size_t index) const {
    return {region_.data() + sizeof(Control) + index * ring_memory_bytes(kRingBytes),
            ring_memory_bytes(kRingBytes)};
  }

  SharedRegion region_;
};

/// Of the driver: shared with all its workers.
struct DriverDoorbell {
  Doorbell doorbell;
};

}  // namespace flowray::ray
