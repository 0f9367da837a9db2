#include "engine/program/straight_loop.h"

#include <algorithm>
#include <optional>
#include <span>

namespace flowray::engine {
namespace {

/// Larger values are passed on as Arrays, without a copy.
constexpr size_t kMostCopiedBytes = 256;

class LoopPlanner {
 public:
  LoopPlanner(const Program& condition, const Program& body) : condition_(condition), body_(body) {}

  std::unique_ptr<const StraightLoop> plan() {
    const bool is_plain = !may_wait(condition_) && !may_wait(body_) && has_plain_predicate() &&
                          gives_as_it_goes() && nobody_keeps(condition_) && nobody_keeps(body_);
    if (!is_plain) return nullptr;
    for (uint32_t k = 0; k < body_.results.size(); ++k) {
      if (body_.results[k].slot != kNoSlot && !add_variable(k)) return nullptr;
    }
    loop_.has_other_fresh = has_other_fresh(condition_) || has_other_fresh(body_);
    return std::make_unique<const StraightLoop>(std::move(loop_));
  }

 private:
  static bool is_plain(const Slot& slot) {
    return slot.kind != SlotKind::kResource && slot.shape.is_fully_defined() && is_trivial(slot.dtype);
  }

  bool has_plain_predicate() {
    loop_.predicate = condition_.results[0].slot;
    if (loop_.predicate == kNoSlot) return false;
    const Slot& slot = condition_.slots[loop_.predicate];
    return is_plain(slot) && slot.shape.rank() == 0 && slot.dtype == DType::kBool;
  }

  /// Whether the condition writes what it gives to the body into memory that can stay the same.
  bool gives_as_it_goes() const {
    for (uint32_t i = 1; i < condition_.results.size(); ++i) {
      const SlotId id = condition_.results[i].slot;
      if (id == kNoSlot || !is_plain(condition_.slots[id]) || !fresh_of(condition_, i).has_value())
        return false;
    }
    return true;
  }

  /// Whether no instruction can keep an Array whose memory the next iterations write over, or asks for one
  /// that is only memory here: a stack keeps what is pushed, and dynamic instructions hand on what they get.
  bool nobody_keeps(const Program& program) const {
    const Segment& segment = program.segment;
    std::vector<bool> is_result(program.slots.size(),
                                false);  // in memory that the next iteration writes over
    for (const FreshSlot& fresh : program.fresh_slots) {
      if (fresh.result != FreshSlot::kNoResult) is_result[fresh.slot] = true;
    }
    const std::vector<bool> is_variable = may_be_variables(program);
    return std::ranges::all_of(segment.instructions, [&](const Instruction& instruction) {
      if (instruction.kind == InstructionKind::kKernel) return true;
      const auto inputs = std::span(segment.operands).subspan(instruction.inputs, instruction.num_inputs);
      if (std::ranges::any_of(inputs, [&](SlotId id) { return is_result[id]; })) return false;
      if (has_bodies(instruction)) return is_of_kernels(program, instruction);
      return std::ranges::none_of(inputs, [&](SlotId id) { return is_variable[id]; });
    });
  }

  /// By slot: whether a variable of the loop may be in it. An If or a While may hand on what it is fed.
  std::vector<bool> may_be_variables(const Program& program) const {
    const Segment& segment = program.segment;
    std::vector<bool> may_be(program.slots.size(), false);
    for (SlotId id = 0; id < program.slots.size(); ++id) {
      const Slot& slot = program.slots[id];
      may_be[id] = slot.kind == SlotKind::kFeed && !is_invariant(slot.offset);
    }
    for (const Instruction& maker : segment.instructions) {
      if (!has_bodies(maker)) continue;
      for (const SlotId id : std::span(segment.operands).subspan(maker.outputs, maker.num_outputs))
        may_be[id] = may_be[id] || program.slots[id].kind == SlotKind::kHeld;
    }
    return may_be;
  }

  /// What the loop takes from around it: neither its variables nor what the condition gives.
  bool is_invariant(size_t feed) const {
    return feed >= body_.results.size() && feed < condition_.feed_slots.size();
  }

  static bool is_of_kernels(const Program& program, const Instruction& instruction) {
    return std::ranges::all_of(
        std::span(program.bodies).subspan(instruction.bodies, 2), [](const auto& body) {
          return body == nullptr ||
                 std::ranges::all_of(body->segment.instructions, [&](const Instruction& inner) {
                   if (has_bodies(inner)) return is_of_kernels(*body, inner);
                   return inner.kind == InstructionKind::kKernel || inner.kind == InstructionKind::kRead;
                 });
        });
  }

  static bool has_other_fresh(const Program& program) {
    return std::ranges::any_of(program.fresh_slots,
                               [](const FreshSlot& fresh) { return fresh.result == FreshSlot::kNoResult; });
  }

  static std::optional<uint32_t> fresh_of(const Program& program, uint32_t result) {
    const auto found = std::ranges::find(program.fresh_slots, result, &FreshSlot::result);
    if (found == program.fresh_slots.end()) return std::nullopt;
    return static_cast<uint32_t>(found - program.fresh_slots.begin());
  }

  bool add_variable(uint32_t k) {
    const Result& result = body_.results[k];
    const Slot& slot = body_.slots[result.slot];
    if (!is_plain(slot) || !result.shape.is_fully_defined()) return false;
    StraightLoop::Variable variable{.number = k,
                                    .in_condition = condition_.feed_slots[k],
                                    .in_body = body_.feed_slots[k],
                                    .next = result.slot,
                                    .fresh = fresh_of(body_, k).value_or(StraightLoop::kNoFresh)};
    variable.size_bytes = static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
    if (variable.fresh == StraightLoop::kNoFresh && variable.size_bytes > kMostCopiedBytes) return false;
    if (!fits(condition_, variable.in_condition, result) || !fits(body_, variable.in_body, result))
      return false;
    loop_.variables.push_back(variable);
    return true;
  }

  static bool fits(const Program& program, SlotId feed, const Result& result) {
    return feed == kNoSlot ||
           (program.slots[feed].shape == result.shape && program.slots[feed].dtype == result.dtype);
  }

  const Program& condition_;
  const Program& body_;
  StraightLoop loop_;
};

}  // namespace

std::unique_ptr<const StraightLoop> straight_loop(const Program& condition, const Program& body) {
  return LoopPlanner(condition, body).plan();
}

}  // namespace flowray::engine
