#pragma once
/// What the programs of a simulation of the actor runtime may expect of it.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/simulated_world.h"

namespace flowray::ray {

/// Every call of a simulation, and what is promised of it.
class SimulationBook {
 public:
  struct Call {
    CallMode mode = CallMode::kTask;
    ActorId actor;
    uint32_t caller = 0;  ///< worker; 0: the driver
    uint64_t parent = 0;  ///< the call that makes it; 0: the driver
    uint32_t max_retries = 0;
    bool retries_exceptions = false;
    uint32_t cpu_milli = 0;
    uint32_t gpu_milli = 0;
    uint32_t max_concurrency = 1;
    uint32_t group = 0;  ///< of an actor: its only concurrency group's size; of a call: 1: it runs in that
    ObjectId first_return;
    uint32_t num_returns = 0;
    std::vector<ObjectId> refs;
    uint32_t begun = 0;
    bool has_name = false;
    bool is_counted = false;  ///< an actor that ends with its last handle
    uint32_t is_stream = 0;   ///< as in CallTerms
    uint32_t most_ahead = 0;
    bool may_be_waited_for = false;
    bool is_cancelled = false;
    bool are_children_cancelled = false;  ///< with it
  };

  /// As in CallSpec.
  static std::string groups_of(const Call& call);
  static uint32_t some_retries(CallMode mode, SimulationRandom& random);
  /// Of a task; sometimes more than there is.
  static uint32_t some_cpu_milli(CallMode mode, SimulationRandom& random);
  /// Whether handles to the actor count, or the call gives its values one by one.
  static void choose_kind(Call& call, SimulationRandom& random);
  static uint32_t some_gpu_milli(CallMode mode, SimulationRandom& random);
  static uint32_t some_concurrency(CallMode mode, SimulationRandom& random);
  /// Numbers are given in the order of submissions.
  uint64_t add(Call call);
  /// The call begins to run. Checks how often it did, and the order of an actor's calls.
  void begin(uint64_t number);
  /// Whether a call may wait for the object without a deadline: a cycle would be the program's own fault.
  /// Tasks may be waited for, if no actor stands between, as those do one thing at a time, and if they do not
  /// wait for this call.
  bool may_be_waited_for(ObjectId object, uint64_t by_call);
  void put(ObjectId object) { safe_.insert(object.value); }
  /// The object's value is said to be another one's, which says `number`.
  void lend(ObjectId object, uint64_t number) { lent_[object.value] = number; }
  /// What the object's value says.
  uint64_t number_in(ObjectId object) const {
    const auto found = lent_.find(object.value);
    return found == lent_.end() ? object.value : found->second;
  }
  /// The value of `object` is about to refer to `refs`; takes those out that would close a circle of
  /// references, which counting never frees. An actor that is sent a reference to what its own later call
  /// returns could make one.
  void hold(ObjectId object, std::vector<ObjectId>& refs);

  /// The call that returns the object is cancelled, and (`recursive`) those that it has made.
  void cancel(ObjectId object, bool recursive);
  bool may_be_cancelled(const Call& call) const;

  // What becomes of actors, and whether it may.
  void kill(ActorId actor, bool may_restart);
  void constructor_failed(uint64_t number);
  /// The actor that the call has made has ended itself.
  void actor_exited(uint64_t maker) { constructor_failed(maker); }
  /// The actor's process died; no number: it is not known whose it was.
  void process_died(uint64_t number);
  /// Fails if an actor is dead that should live, or lives that should be dead. When nothing happens any more.
  void check_living(const std::vector<ActorId>& living) const;
  /// Fails if an actor lives that ends with its last handle. When nobody has any.
  void check_none_is_forsaken(const std::vector<ActorId>& living) const;
  /// The object stands for an actor that ends with its last handle.
  bool is_share(ObjectId object) const { return counted_.contains(object.value); }

  // What calls give one by one.
  bool is_stream(ObjectId object) const { return streams_.contains(object.value); }
  void give(ObjectId stream, ObjectId item) { held_[stream.value].insert(item.value); }
  /// Fails if somebody has taken it before.
  void take(ObjectId item);

  const std::vector<Call>& calls() const { return calls_; }
  ObjectId first_return(uint64_t number) const;
  /// Somebody sends damaged messages: nothing is promised of the values.
  bool is_hostile = false;
  /// At times no process can be started: actors may die of it.
  bool lacks_processes = false;
  /// Values are large.
  bool is_tight = false;

 private:
  struct Actor {
    bool is_ended = false;  ///< killed for good, or its constructor failed
    /// Killed, with leave to be made again: for good, if that comes in the pause before its last restart.
    bool was_killed = false;
    uint32_t deaths = 0;  ///< of its processes
  };
  Actor& actor_of(const Call& call) { return actors_[call.actor.value]; }

  using Edges = std::map<uint64_t, std::set<uint64_t>>;
  static bool leads_to(const Edges& edges, uint64_t from, uint64_t to);

  std::vector<Call> calls_;
  std::map<uint64_t, Actor> actors_;
  bool knows_all_deaths_ = true;
  std::set<uint64_t> counted_;
  std::set<uint64_t> streams_;
  std::set<uint64_t> taken_;
  std::map<uint64_t, uint64_t> lent_;  // objects whose values are others', by what these say
  std::set<uint64_t> safe_;
  std::map<uint64_t, uint64_t> maker_;  // of an object: the call that returns it
  Edges needs_;                         // which calls a call has waited for
  Edges held_;                          // which objects an object's value refers to
  /// Of an actor, and a caller with a group: the last call that began.
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> last_;
};

}  // namespace flowray::ray
