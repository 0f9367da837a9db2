#pragma once
/// Loops whose iterations need no bookkeeping: what their variables are and where they live is known when the
/// loop is planned, so an iteration sets a few pointers and runs.

#include "engine/program/program.h"

#include <memory>
#include <vector>

namespace flowray::engine {

/// How a While with a condition and a body of fixed shapes runs. The variables live by turns in two sets of
/// arrays; the body writes one while it and the condition read the other.
struct StraightLoop {
  struct Variable {
    uint32_t number = 0;  // of the variable, and of the body's result
    /// The slots that it is read from; kNoSlot: it is not read there.
    SlotId in_condition = kNoSlot;
    SlotId in_body = kNoSlot;
    /// The body's slot that has its next value.
    SlotId next = kNoSlot;
    /// In Program::fresh_slots of the body, where the next value is written into the set itself; kNoFresh: it
    /// is copied there.
    uint32_t fresh = kNoFresh;
    size_t size_bytes = 0;
  };
  static constexpr uint32_t kNoFresh = ~uint32_t{0};

  std::vector<Variable> variables;  // but for references
  SlotId predicate = kNoSlot;       // of the condition
  /// Whether the programs need new memory in each iteration for other things than results.
  bool has_other_fresh = false;
};

/// Null where that is not so: shapes are not fixed, elements are not plain bytes, something may have to wait,
/// or a large variable is not computed anew but handed on.
std::unique_ptr<const StraightLoop> straight_loop(const Program& condition, const Program& body);

}  // namespace flowray::engine
