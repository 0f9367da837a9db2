#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ray/transport/ring.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What two workers share so that one calls the other's actor without the driver in between: a ring in each
/// direction, a doorbell of each end's, and the tickets of calls. Lies in one SharedRegion that the driver
/// makes. docs/runtime.md tells how it is used.
class Link {
 public:
  static constexpr size_t kRingBytes = size_t{1} << 17;
  static constexpr uint64_t kTickets = 4096;
  /// Arguments and values up to this size go by links.
  static constexpr size_t kMostInline = 16 << 10;

  /// All zeros is the right beginning.
  struct Control {
    Doorbell caller_doorbell;
    Doorbell callee_doorbell;
    /// Ticket t is in word t mod kTickets: 2t waits, 2t + 1 is answered by the link, anything else: the owner
    /// gets the answer. The first to change 2t decides; what lies in the rings is ordered by these, so
    /// accesses are relaxed. The caller issues no ticket whose word a call has that is still pending.
    alignas(64) std::array<std::atomic<uint64_t>, kTickets> tickets;
  };
  static constexpr size_t size_bytes() { return sizeof(Control) + 2 * ring_memory_bytes(kRingBytes); }

  explicit Link(std::shared_ptr<SharedRegion> region) : region_(std::move(region)) {}

  RingWriter writer_to_callee() const { return RingWriter(ring(0)); }
  RingReader reader_in_callee() const { return RingReader(ring(0)); }
  RingWriter writer_to_caller() const { return RingWriter(ring(1)); }
  RingReader reader_in_caller() const { return RingReader(ring(1)); }
  std::shared_ptr<Doorbell> caller_doorbell() const { return {region_, &control().caller_doorbell}; }
  std::shared_ptr<Doorbell> callee_doorbell() const { return {region_, &control().callee_doorbell}; }

  void issue(uint64_t ticket) const { word(ticket).store(2 * ticket, std::memory_order_relaxed); }
  /// By the callee, before it answers by the link.
  bool answer(uint64_t ticket) const { return change(ticket, 2 * ticket + 1); }
  /// By the caller: the callee answers the owner. False: the answer lies in the ring, or is about to.
  bool redirect(uint64_t ticket) const { return change(ticket, 0); }
  /// Whether the callee has changed it, and not to what cannot be.
  bool is_answered(uint64_t ticket) const {
    return word(ticket).load(std::memory_order_relaxed) == 2 * ticket + 1;
  }

 private:
  Control& control() const { return *reinterpret_cast<Control*>(region_->data()); }
  std::atomic<uint64_t>& word(uint64_t ticket) const { return control().tickets[ticket % kTickets]; }
  bool change(uint64_t ticket, uint64_t to) const {
    uint64_t waits = 2 * ticket;
    return word(ticket).compare_exchange_strong(waits, to, std::memory_order_relaxed);
  }
  std::span<std::byte> ring(size_t index) const {
    return {region_->data() + sizeof(Control) + index * ring_memory_bytes(kRingBytes),
            ring_memory_bytes(kRingBytes)};
  }

  std::shared_ptr<SharedRegion> region_;
};

}  // namespace flowray::ray
