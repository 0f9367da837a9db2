#pragma once
/// Predicates that are read of reference variables. A conditional reads its variable in several places (as
/// the data of its pivot, as its predicate's Identity), and all of them must take the same branch.

#include "engine/raise/flow_units.h"

#include <optional>
#include <unordered_set>
#include <vector>

namespace flowray::engine {

class VariablePredicates {
 public:
  explicit VariablePredicates(const FlatFlow& flow) : flow_(flow) {}

  /// Forgets the reads of another frame.
  void begin_frame() {
    reads_.clear();
    loop_condition_ = kNoValue;
  }
  /// All gates of a loop go by the value that its LoopCond gets.
  void set_loop_condition(ValueId root) { loop_condition_ = root; }

  struct Predicate {
    ValueId value = kNoValue;
    /// The unit that reads it, where the Switch has to wait for that.
    std::optional<uint32_t> read_by = std::nullopt;
  };
  /// The predicate of unit number `number`, a Switch whose condition is known. Where the step changes no
  /// variable behind it, all reads in one region are the first one. Throws IrregularFlow for a variable that
  /// is changed or that nothing reads.
  Predicate of_switch(const Unit& unit, uint32_t number,
                      const std::unordered_map<uint32_t, uint32_t>& unit_of_node);

 private:
  struct Read {
    const graph::Node* variable;
    ValueId value;
    std::optional<uint32_t> unit;  // none: outside of the frame
    Condition condition;
  };

  bool may_change(const graph::Node* variable);
  bool changes(const StepNode& item, size_t input) const;

  const FlatFlow& flow_;
  std::vector<Read> reads_;  // of the frame that is worked on
  ValueId loop_condition_ = kNoValue;
  std::optional<std::unordered_set<const graph::Node*>> changed_;
};

bool is_prefix(const Condition& prefix, const Condition& whole);

}  // namespace flowray::engine
