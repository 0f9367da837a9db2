/// A loop without bookkeeping (straight_loop.h), while one run goes through it.

#include "engine/program/straight_loop.h"
#include "engine/run/program_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace flowray::engine {

class ProgramRun::StraightLoopRun {
 public:
  StraightLoopRun(ProgramRun& around, const Instruction& instruction, const StraightLoop& loop)
      : around_(around),
        instruction_(instruction),
        loop_(loop),
        kept_condition_(around.state_.bodies_[instruction.bodies]),
        kept_body_(around.state_.bodies_[instruction.bodies + 1]),
        condition_(around.state_of_body(instruction, instruction.bodies), kept_condition_.feeds[0],
                   around.surroundings_),
        body_(around.state_of_body(instruction, instruction.bodies + 1), kept_body_.feeds[0],
              around.surroundings_) {}

  void run() {
    place_given();
    condition_.take_feeds();
    body_.take_feeds();
    size_t now = 0;  // which of the two sets of variables holds their values
    // Before the first iteration that is what the loop was given, which stays as it is.
    for (int iteration = 0; true; ++iteration) {
      around_.check_wanted();
      go_through(condition_);
      if (!*static_cast<const bool*>(condition_.slots_[loop_.predicate])) break;
      const size_t next = 1 - now;
      if (iteration < 2) make_set(next);
      apply(kept_body_.writes[next], body_);
      go_through(body_);
      copy_handed_on(next);
      now = next;
      apply(kept_condition_.reads[now], condition_);
      apply(kept_body_.reads[now], body_);
      condition_.feeds_ = kept_condition_.feeds[now];
      body_.feeds_ = kept_body_.feeds[now];
    }
    forget_results(condition_);
    forget_results(body_);
    around_.end_loop(instruction_, now);
  }

 private:
  using Places = std::vector<RunState::Place>;

  static void apply(const Places& places, ProgramRun& run) {
    for (const RunState::Place& place : places) run.slots_[place.slot] = place.memory;
  }

  void go_through(ProgramRun& run) const {
    if (!around_.surroundings_.context.is_empty()) return go_through_watched(run);
    if (loop_.has_other_fresh) run.hold_other_fresh(0, run.program_.num_first_fresh);
    for (const Instruction& instruction : run.segment_.instructions) {
      if (loop_.has_other_fresh) run.hold_other_fresh(instruction.fresh_begin, instruction.fresh_end);
      run.execute(instruction);
      run.release(instruction.release_begin, instruction.release_end);
    }
  }
  void go_through_watched(ProgramRun& run) const {
    run.hold_other_fresh(0, run.program_.num_first_fresh);
    for (const Instruction& instruction : run.segment_.instructions) {
      run.hold_other_fresh(instruction.fresh_begin, instruction.fresh_end);
      run.execute_watched(instruction);
      run.release(instruction.release_begin, instruction.release_end);
    }
  }

  /// What the condition gives stays in one place, the predicate too.
  void place_given() {
    const Program& program = condition_.program_;
    for (const FreshSlot& fresh : program.fresh_slots) {
      if (fresh.result == FreshSlot::kNoResult) continue;
      Array& given = kept_condition_.results[0][fresh.result];
      const Result& result = program.results[fresh.result];
      const bool fits =
          given.has_value() && given.shape() == result.shape && given.buffer()->writable_in_place();
      if (!fits) given = Array::uninitialized(result.dtype, result.shape);
      write_to(condition_, fresh, given.mutable_raw_data(),
               [&](SlotId slot, void* memory) { condition_.slots_[slot] = memory; });
    }
  }

  /// Allocates the variables, and sets the pointers to them of the kernels that write and read them.
  void make_set(size_t set) {
    Places& writes = kept_body_.writes[set];
    for (Places* const places : {&writes, &kept_body_.reads[set], &kept_condition_.reads[set]})
      places->clear();
    for (const StraightLoop::Variable& variable : loop_.variables) {
      const Result& result = body_.program_.results[variable.number];
      Array& array = kept_body_.results[set][variable.number];
      // Both sets show the one array of a variable that is written over.
      array = set == 0 && takes_over(variable) ? kept_body_.results[1][variable.number]
                                               : Array::uninitialized(result.dtype, result.shape);
      void* const memory = const_cast<void*>(array.raw_data());
      if (variable.fresh != StraightLoop::kNoFresh) {
        write_to(body_, body_.program_.fresh_slots[variable.fresh], memory,
                 [&](SlotId slot, void* place) { writes.push_back({slot, place}); });
      }
      if (variable.in_body != kNoSlot) kept_body_.reads[set].push_back({variable.in_body, memory});
      if (variable.in_condition != kNoSlot) {
        kept_condition_.reads[set].push_back({variable.in_condition, memory});
      }
    }
  }

  bool takes_over(const StraightLoop::Variable& variable) const {
    return variable.fresh != StraightLoop::kNoFresh && body_.program_.fresh_slots[variable.fresh].takes_over;
  }

  /// Calls `place` with a fresh slot's memory, and for the slots that lie in it.
  template <class F>
  static void write_to(const ProgramRun& run, const FreshSlot& fresh, void* first, F place) {
    auto* const memory = static_cast<std::byte*>(first);
    place(fresh.slot, memory);
    for (uint32_t i = fresh.lodgers_begin; i < fresh.lodgers_end; ++i) {
      const SlotId lodger = run.program_.lodgers[i];
      place(lodger, memory + run.program_.slots[lodger].offset);
    }
  }

  void copy_handed_on(size_t set) {
    for (const StraightLoop::Variable& variable : loop_.variables) {
      if (variable.fresh != StraightLoop::kNoFresh || variable.size_bytes == 0) continue;
      std::memcpy(kept_body_.results[set][variable.number].mutable_raw_data(), body_.slots_[variable.next],
                  variable.size_bytes);
    }
  }

  static void forget_results(ProgramRun& run) {
    for (const Result& result : run.program_.results) {
      if (result.slot != kNoSlot) run.held_[result.slot] = Array();
    }
  }

  ProgramRun& around_;
  const Instruction& instruction_;
  const StraightLoop& loop_;
  RunState::Body& kept_condition_;
  RunState::Body& kept_body_;
  ProgramRun condition_;
  ProgramRun body_;
};

void ProgramRun::run_straight_loop(const Instruction& instruction, const StraightLoop& loop) {
  begin_loop(instruction);
  StraightLoopRun(*this, instruction, loop).run();
}

}  // namespace flowray::engine
