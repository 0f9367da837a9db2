#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ray/transport/protocol.h"
#include "ray/transport/ring.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What the driver and one worker share from the worker's start: a ring in each direction, doorbells, and the
/// tickets of tasks. Lies in one SharedRegion; the driver makes it, the worker maps the same bytes.
class Channel {
 public:
  static constexpr size_t kRingBytes = size_t{1} << 18;
  static constexpr uint32_t kTickets = 1024;
  /// What worker_spin_us() is where each process that has work may have a core of its own, and where there
  /// are more of them.
  static constexpr uint32_t kLongSpinUs = 50;
  static constexpr uint32_t kShortSpinUs = 5;

  /// All zeros is the right beginning.
  struct Control {
    Doorbell worker_doorbell;
    /// Of the driver's service thread, for this worker alone: no other one can silence it.
    Doorbell service_doorbell;
    /// How long the worker looks for messages before it sleeps; the driver changes it as processes come
    /// and go.
    alignas(64) std::atomic<uint32_t> worker_spin_us;
    /// The runtime's, with a zero behind: written before the worker starts.
    alignas(64) std::array<char, kMostNamespaceBytes + 1> ray_namespace;
    /// What FetchedPlaces in the worker may take of the store; written before it starts, too.
    std::atomic<uint64_t> most_fetched_bytes;
    /// Interrupts that the driver has sent: a worker that computes sees by it that one may be in its ring.
    alignas(64) std::atomic<uint32_t> interrupts;
    /// The ticket of the last task that the worker has begun without asking, as the owner does not take it
    /// back. The worker alone writes here; it is read when the worker is dead, and costs the worker nothing.
    alignas(64) std::atomic<uint64_t> begun;
    /// Ticket t is in word t mod kTickets: 2t waits, 2t + 1 has begun; another number: taken back. The
    /// first to change 2t, the worker that begins or the owner that takes back, has the task; nothing else
    /// hangs on the word, so its accesses are relaxed.
    alignas(64) std::array<std::atomic<uint64_t>, kTickets> tickets;
    /// Lease l is in word l mod kMostLeases: l, and in the low half twice the number of values that the
    /// worker has placed there so far; the lowest bit says that the owner has taken it back. It may do so
    /// when it was told of all of these values, and the first to change the word has the room. What lies
    /// there is ordered by the messages that tell of it, so accesses are relaxed.
    alignas(64) std::array<std::atomic<uint64_t>, kMostLeases> leases;
  };

  static SharedRegion create(WorkerId worker);
  static constexpr size_t size_bytes() { return sizeof(Control) + 2 * ring_memory_bytes(kRingBytes); }

  explicit Channel(SharedRegion region);

  RingWriter writer_to_worker() const { return RingWriter(ring(0)); }
  RingReader reader_in_worker() const { return RingReader(ring(0)); }
  RingWriter writer_to_driver() const { return RingWriter(ring(1)); }
  RingReader reader_in_driver() const { return RingReader(ring(1)); }
  Doorbell& worker_doorbell() const { return control().worker_doorbell; }
  Doorbell& service_doorbell() const { return control().service_doorbell; }
  std::atomic<uint32_t>& worker_spin_us() const { return control().worker_spin_us; }

  /// Whether processes that have work share cores: waking one takes the core from another.
  bool is_crowded() const { return worker_spin_us().load(std::memory_order_relaxed) < kLongSpinUs; }

  void set_namespace(std::string_view text) const {
    text.copy(control().ray_namespace.data(), kMostNamespaceBytes);
  }
  std::string ray_namespace() const {
    const auto& text = control().ray_namespace;
    return std::string(text.begin(), std::find(text.begin(), text.end(), '\0'));
  }

  void set_most_fetched_bytes(uint64_t bytes) const {
    control().most_fetched_bytes.store(bytes, std::memory_order_relaxed);
  }
  uint64_t most_fetched_bytes() const { return control().most_fetched_bytes.load(std::memory_order_relaxed); }

  /// After the message.
  void count_interrupt() const { control().interrupts.fetch_add(1, std::memory_order_release); }
  /// With count_interrupt: a reader of the count finds the message in the ring, or in what comes by it soon.
  uint32_t num_interrupts() const { return control().interrupts.load(std::memory_order_acquire); }

  void issue(uint64_t ticket) const { word(ticket).store(2 * ticket, std::memory_order_relaxed); }
  bool begin(uint64_t ticket) const { return change(ticket, 2 * ticket + 1); }
  bool revoke(uint64_t ticket) const { return change(ticket, 0); }

  void begin_unasked(uint64_t ticket) const { control().begun.store(ticket, std::memory_order_relaxed); }
  /// To be asked about a worker that is dead.
  bool has_begun_unasked(uint64_t ticket) const {
    return control().begun.load(std::memory_order_relaxed) == ticket;
  }

  void open_lease(uint32_t lease) const {
    lease_word(lease).store(uint64_t{lease} << 32, std::memory_order_relaxed);
  }
  bool holds_lease(uint32_t lease) const {
    const uint64_t word = lease_word(lease).load(std::memory_order_relaxed);
    return word >> 32 == lease && (word & 1) == 0;
  }
  /// Called by the worker before it places a value; false: the lease was taken back.
  bool add_value(uint32_t lease) const;
  /// The value was not placed after all.
  void drop_value(uint32_t lease) const { lease_word(lease).fetch_sub(2, std::memory_order_relaxed); }
  /// Called by the owner, which was told of `num_values` (mod 2^31) since the lease began;
  /// false: there are more.
  bool end_lease(uint32_t lease, uint32_t num_values) const {
    uint64_t all_told = uint64_t{lease} << 32 | uint32_t{2 * num_values};
    return lease_word(lease).compare_exchange_strong(all_told, all_told | 1, std::memory_order_relaxed);
  }

  const SharedRegion& region() const { return region_; }

 private:
  Control& control() const { return *reinterpret_cast<Control*>(region_.data()); }
  std::atomic<uint64_t>& word(uint64_t ticket) const { return control().tickets[ticket % kTickets]; }
  std::atomic<uint64_t>& lease_word(uint32_t lease) const { return control().leases[lease % kMostLeases]; }
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

/// The doorbell of the driver's threads that wait, shared with all its workers: one word to sleep on.
struct DriverDoorbell {
  Doorbell doorbell;
};

}  // namespace flowray::ray
