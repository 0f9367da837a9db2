#pragma once
/// The world of an Owner (src/ray/owner/owner.h) without processes: its messages are written and read as in
/// reality, and lie in queues that a test or a simulation moves on as it likes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ray/owner/owner.h"
#include "ray/transport/channel.h"

namespace flowray::ray {

/// A rule of the runtime was broken.
class SimulationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same numbers for the same seed on every machine.
class SimulationRandom {
 public:
  explicit SimulationRandom(uint64_t seed) : engine_(seed) {}
  uint64_t below(uint64_t end) { return engine_() % end; }
  bool one_in(uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

/// The bytes of one message, aligned as in a ring.
class SimulatedMessage {
 public:
  explicit SimulatedMessage(size_t bytes) : words_((bytes + 7) / 8), size_bytes_(bytes) {}
  template <class Message>
  static SimulatedMessage of(const Message& message) {
    SimulatedMessage written(message_size_bytes(message));
    write_message(message, written.data());
    return written;
  }

  std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(words_.data()), size_bytes_};
  }
  uint32_t kind() const { return message_kind(bytes()); }
  void truncate(size_t bytes) { size_bytes_ = bytes; }

 private:
  std::vector<uint64_t> words_;
  size_t size_bytes_;
};

class SimulatedWorld final : public World {
 public:
  /// A few, so that they come round.
  static constexpr uint32_t kTickets = 16;
  /// What fits into a ring.
  static constexpr size_t kMostMessageBytes = Channel::kRingBytes / 2 - 16;

  struct Process {
    WorkerId id;
    WorkerKind kind = WorkerKind::kProgram;
    bool is_actors = false;
    ActorId actor;        // as it was told
    bool killed = false;  ///< by the owner; it may go on for a while
    bool is_dead = false;
    std::deque<SimulatedMessage> to_worker;
    std::deque<SimulatedMessage> to_owner;
    std::array<uint64_t, kTickets> tickets{};
    uint64_t begun = 0;                   // the ticket of the last task that was its
    std::set<uint32_t> regions;           // that it has seen
    std::set<uint32_t> shown;             // of those that messages sent from now on may name
    std::set<uint32_t> writable;          // of those
    std::map<uint32_t, uint32_t> leases;  // that hold, by number: values placed so far
    // What the owner must know of it.
    std::map<uint64_t, uint64_t> tasks;        // sent, not done, not taken back: task to ticket
    uint32_t cpu_milli = 0;                    // of those tasks, which ask for the same
    std::map<uint32_t, uint32_t> gpus;         // of those tasks, in thousandths of each
    std::map<uint64_t, uint64_t> calls_ahead;  // whose arguments came before their Run: task to call
    std::map<uint64_t, uint32_t> requests;     // not answered: request to values that are still to come
  };

  explicit SimulatedWorld(uint32_t num_cpus) : num_cpus_(num_cpus) {}

  // ---- for tests

  std::map<uint32_t, Process>& processes() { return processes_; }
  Process& process(WorkerId worker) { return processes_.at(worker.value); }
  std::vector<WorkerId> started() const;
  /// A message from the worker, to lie in its queue.
  template <class Message>
  void post(WorkerId worker, const Message& message) {
    process(worker).to_owner.push_back(SimulatedMessage::of(message));
  }
  /// The worker's next message reaches the owner.
  void deliver(Owner& owner, WorkerId worker);
  /// Everything that it said, then its death.
  void die(Owner& owner, WorkerId worker, std::string_view reason);
  /// The worker begins the call; false: the owner took it back.
  bool begin(WorkerId worker, const Run& run);
  /// The worker is about to place a value under the lease; false: the owner took it back.
  bool add_value(WorkerId worker, uint32_t lease);
  bool holds_lease(WorkerId worker, uint32_t lease) { return process(worker).leases.contains(lease); }
  std::byte* data(const Extent& extent);
  /// The worker has the region, and may write it if it says so.
  bool has_region(WorkerId worker, SlabId slab, bool writable) const;
  size_t num_regions() const { return regions_.size(); }
  /// Somebody sends damaged messages, so that what the owner knows of the workers is not what this knows.
  bool is_hostile = false;
  struct Pause {
    ActorId actor;
    uint32_t ms = 0;
  };
  /// Those that are not over yet.
  std::vector<Pause>& pauses() { return pauses_; }
  struct RunningTimer {
    TaskId task;
    Timer timer;
    uint32_t ms = 0;
  };
  /// Those whose time is not over yet.
  std::vector<RunningTimer>& timers() { return timers_; }
  std::vector<std::string> warnings;
  /// From now on the system has no processes to give.
  void refuse_processes(bool refuse) { refuses_processes_ = refuse; }
  /// From now on the system has no shared memory to give, or no descriptor for it.
  void refuse_regions(bool refuse) { refuses_regions_ = refuse; }
  /// The call of that number, from 0, of those that the owner makes from now on
  /// has no memory; none other has.
  void lack_memory_at(uint64_t call) { lacks_memory_at_ = num_calls_ + call; }
  /// Whether that call was made.
  bool has_lacked_memory() const { return num_calls_ > lacks_memory_at_; }
  /// What the call of this number asks for of a processor, in thousandths; the number is in its arguments.
  std::function<uint32_t(uint64_t call)> cpu_milli_of = [](uint64_t) { return 1000; };
  /// The same of GPUs; empty: nobody looks.
  std::function<uint32_t(uint64_t call)> gpu_milli_of;

  void trace(std::string line);
  /// Keeps the whole schedule, not only its end.
  bool traces_all = false;
  std::string last_trace() const;
  [[noreturn]] static void fail(const std::string& text) { throw SimulationFailure(text); }

  // ---- World

  void start_worker(WorkerId worker, std::string_view label, WorkerKind kind) override;
  void kill_worker(WorkerId worker) override;
  void interrupt_worker(WorkerId) override {}
  void pause(ActorId actor, uint32_t pause_ms) override;
  void start_timer(TaskId task, Timer timer, uint32_t after_ms) override;
  void stop_timers(TaskId task) noexcept override;
  void send(WorkerId worker, const ToWorker& message) override;
  void issue(WorkerId worker, uint64_t ticket) override;
  bool revoke(WorkerId worker, uint64_t ticket) override;
  bool has_begun(WorkerId worker, uint64_t ticket) override;
  void warn(const std::string& text) override;
  std::span<const std::byte> view(const Extent& extent) override;
  void start_spill(ObjectId object, const Extent& value) override;
  void restore(const Spilled& value, const Extent& to) override;
  void forget(const Spilled& value) override;
  /// Objects whose values are being written to disk.
  std::vector<ObjectId> leaving() const;
  /// The write of one of them ends: well, if there is room on the disk.
  void end_spill(Owner& owner, ObjectId object);
  /// From now on the disk has no room.
  void fill_disk(bool is_full) { is_disk_full_ = is_full; }
  /// What is on disk cannot be read any more.
  void damage_spilled() { is_disk_damaged_ = true; }
  size_t num_spilled() const { return spilled_.size(); }
  uint64_t num_spilled_ever() const { return last_spilled_; }
  void create(SlabId slab, uint64_t bytes) override;
  void destroy(SlabId slab) override;
  void share(SlabId slab, WorkerId worker, bool writable) override;
  void unshare(SlabId slab, WorkerId worker) override;
  void open_lease(WorkerId worker, uint32_t lease) override;
  bool end_lease(WorkerId worker, uint32_t lease, uint32_t num_values) override;

 private:
  struct Leaving {
    Extent extent;
    std::vector<std::byte> bytes;  // as they were when it began
  };
  struct Region {
    std::unique_ptr<std::byte[]> bytes;
    uint64_t size_bytes = 0;
  };

  // Check a message against what is known of its worker, and note it there; its line in the trace.
  std::string note_sent(Process& to, const Run& message);
  std::string note_sent(Process& to, const RunArguments& message);
  std::string note_sent(Process& to, const Value& message);
  std::string note_sent(Process& to, const Waited& message);
  std::string note_sent(Process& to, const Leased& message);
  std::string note_sent(Process&, const Freed&) { return "freed"; }
  std::string note_sent(Process&, const FoundActor&) { return "found actor"; }
  std::string note_sent(Process&, const Exit&) { return "exit"; }
  std::string note_sent(Process& to, const BecomeActor& message);
  std::string note_sent(Process& to, const Interrupt& message);
  std::string note_sent(Process&, const Cancelled&) { return "cancelled"; }
  std::string note_sent(Process&, const ToldResources&) { return "told resources"; }
  std::string note_sent(Process&, const ToldPendingCalls&) { return "told of pending calls"; }
  std::string note_sent(Process&, const Linked&) { return "linked"; }
  std::string note_sent(Process&, const LinkEnded&) { return "link ended"; }
  std::string note_sent(Process&, const Handed&) { return "handed"; }
  std::string note_sent(Process&, const Taken&) { return "taken"; }
  std::string note_sent(Process&, const ToldGroup&) { return "told of a group"; }
  std::string note_sent(Process& to, const FoundNext& message);
  void check_parts(const Process& process, std::span<const ValuePart> parts) const;
  void check_computing(Process& process, uint32_t cpu_milli) const;
  void check_gpus(Process& process, uint32_t gpu_milli, std::span<const uint32_t> gpus) const;
  uint64_t call_of(const ValuePart& arguments);
  void note(Process& process, std::span<const std::byte> message);
  /// In each call that takes memory. Throws std::bad_alloc where there is none.
  void take_memory();

  const uint32_t num_cpus_;
  bool refuses_processes_ = false;
  bool refuses_regions_ = false;
  std::map<uint64_t, std::vector<std::byte>> spilled_;
  uint64_t last_spilled_ = 0;
  std::map<uint64_t, Leaving> leaving_;  // by object
  bool is_disk_damaged_ = false;
  bool is_disk_full_ = false;
  uint64_t num_calls_ = 0;  // that take memory
  uint64_t lacks_memory_at_ = ~uint64_t{0};
  std::map<uint32_t, Process> processes_;
  std::map<uint32_t, Region> regions_;
  std::vector<Pause> pauses_;
  std::vector<RunningTimer> timers_;
  std::deque<std::string> trace_;
};

}  // namespace flowray::ray
