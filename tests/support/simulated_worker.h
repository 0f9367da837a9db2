#pragma once
/// A worker process of the simulation: does at random what programs may do in a worker, by the rules of the
/// real one (src/ray/worker/worker_backend.h).

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ray/store/extent_allocator.h"
#include "support/simulated_value.h"
#include "support/simulated_world.h"
#include "support/simulation_book.h"

namespace flowray::ray {

class SimulatedWorker {
 public:
  SimulatedWorker(WorkerId id, SimulatedWorld& world, SimulationBook& book, SimulationRandom& random)
      : id_(id), world_(world), book_(book), random_(random) {}

  /// Whether it can do anything now.
  bool can_step() const;
  void step();
  /// Releases every handle and ends every reading, as a program that is through with them. Only
  /// between calls.
  void let_go_of_everything();
  /// Everything that it reads in the store lies there as it was written.
  void check_reads() const;
  const std::vector<ObjectId>& handles() const { return handles_; }
  bool is_waiting() const {
    return wait_ || std::ranges::any_of(other_lanes_, [](const Lane& lane) { return lane.wait.has_value(); });
  }
  /// The call that made the actor whose process this is; 0: none that is known.
  uint64_t maker() const { return maker_; }
  std::string text() const;

 private:
  /// A value that came: in a message, or to be read in the store.
  struct View {
    ObjectId object;
    std::vector<std::byte> bytes;
    Extent extent;
    bool is_error = false;
  };
  struct QueuedRun {
    SimulatedMessage message;
    std::vector<View> ahead;
  };
  struct Wait {
    uint64_t request = 0;
    bool has_deadline = false;
    bool is_wait = false;
    bool is_next = false;
    bool is_cancelled = false;
    uint32_t left = 1;              // values that are still to come
    bool is_of_small_ones = false;  // in place of others nothing comes
    std::vector<ObjectId> objects;  // whose handles the thread has until then
  };
  struct Current {
    TaskId task;
    CallMode mode = CallMode::kTask;
    uint32_t num_returns = 0;
    uint64_t number = 0;
    ObjectId first_return;
    uint32_t budget = 0;
    uint32_t actions = 0;
    bool has_thread = false;  // that acts while the call waits
    bool is_stream = false;
    uint32_t most_ahead = 0;
    uint64_t given = 0;
    uint64_t taken = 0;  // of those, as it was told
  };
  /// A thread of an actor that has several calls at a time.
  struct Lane {
    std::optional<Current> current;
    std::optional<Wait> wait;
  };
  struct WritableRoom {
    Leased leased;
    ExtentAllocator free_space;
  };

  template <class Message>
  void post(const Message& message) {
    world_.post(id_, message);
  }
  bool can_step(const std::optional<Current>& current, const std::optional<Wait>& wait) const;
  void choose_lane();
  std::optional<Wait>* wait_of(uint64_t request);
  bool receive();
  void on_value(View view);
  void on_value_of(uint64_t request, View view);
  void check_is_of_object(const View& view) const;
  /// As it came: not one of views_ yet, which a call may let go of.
  View came(const ValuePart& part) const;
  void hold(const View& view) {
    if (view.extent) views_.push_back(view);
  }
  View view_of(const ValuePart& part) {
    View view = came(part);
    hold(view);
    return view;
  }
  void end(const View& view);
  void adopt_refs(const View& view);
  SimulatedValue read(const View& view) const;
  void begin_next();
  void act();
  void act_beside_a_wait();
  void done();
  SimulatedValue make_return(uint32_t index);
  void tell_let_go();
  void put();
  void submit();
  void ask();
  void release_one();
  void release_all();
  void give();
  void ask_next(ObjectId stream);
  void on_next(const FoundNext& found);
  void on_taken(const Taken& message);
  void keep(ObjectId object);
  bool is_waited_for(ObjectId object) const;
  void cancel_one();
  void exit_actor();
  void on_interrupt(TaskId task);
  void on_freed(const Extent& extent);
  std::optional<Extent> allocate(size_t bytes);
  /// The value as part of a message; `storage` keeps its bytes.
  ValuePart place(const std::vector<std::byte>& value, bool is_error, std::vector<std::byte>& storage);
  SimulatedValue make_value(ObjectId object);
  /// Now and then, one that it reads, as the value of that object; where that cannot be, none.
  std::optional<ValuePart> lend(ObjectId object);
  ObjectId some_handle() { return handles_[random_.below(handles_.size())]; }

  const WorkerId id_;
  SimulatedWorld& world_;
  SimulationBook& book_;
  SimulationRandom& random_;
  bool started_ = false;
  bool broken_ = false;  // its constructor failed, or it has ended itself
  uint64_t maker_ = 0;
  uint64_t last_object_ = 0;
  uint64_t last_request_ = 0;
  std::deque<QueuedRun> runs_;
  std::map<uint64_t, std::vector<View>> arguments_;
  std::optional<Wait> wait_;
  std::optional<Current> current_;
  std::vector<Lane> other_lanes_;  // those beside current_ and wait_
  std::vector<ObjectId> handles_;  // one entry for each
  std::vector<ObjectId> shares_;   // of actors that count
  std::vector<View> views_;        // in the store, being read
  std::vector<ActorId> actors_;
  std::vector<ObjectId> released_;
  std::vector<ObjectId> read_ended_;
  std::vector<WritableRoom> leases_;
};

}  // namespace flowray::ray
