#pragma once
/// One run of a Program: single instructions, and going straight through all of them. What a run does that
/// may have to wait is in pausing_run.h.

#include "core/buffer.h"
#include "core/result_memory.h"
#include "engine/run/blocking_part.h"
#include "engine/run/run_state.h"
#include "graph/kernel/evaluate.h"

#include <memory>
#include <span>
#include <vector>

namespace flowray::engine {

struct NodeTrace;
struct StraightLoop;

class ProgramRun final : private BlockingPart::Run {
 public:
  ProgramRun(RunState& state, std::span<const Array* const> feeds, const RunSurroundings& surroundings)
      : program_(*state.program_),
        segment_(program_.segment),
        state_(state),
        slots_(state.slots_),
        held_(state.held_),
        base_(state.arena_),
        feeds_(feeds),
        surroundings_(surroundings) {}

  /// From begin to end, for programs that do not wait. `spare`: arrays for the results to be written into
  /// where they are not shared; none, or one a result.
  void run(std::span<Array> spare = {}) {
    begin(spare);
    if (!surroundings_.context.is_empty()) return run_rest();
    for (const Instruction& instruction : segment_.instructions) {
      hold_fresh(instruction.fresh_begin, instruction.fresh_end);
      execute(instruction);
      release(instruction.release_begin, instruction.release_end);
    }
  }

  /// In pieces: begin, advance the blocking part until it is over, go through the rest.
  void begin(std::span<Array> spare = {}) {
    take_feeds();
    spare_ = spare;
    for (size_t i = 0; i < spare.size(); ++i) {
      if (!program_.results[i].reuses_memory) spare[i] = Array();
    }
    hold_fresh(0, program_.num_first_fresh);
  }
  BlockingPart blocking_part(std::shared_ptr<RunInbox> inbox) {
    return {segment_, *this, surroundings_, std::move(inbox)};
  }
  /// Apart from the common path, which is kept short: the run may be cancelled, or is traced or timed.
  [[gnu::noinline]] void run_rest();

  void hand_out(std::span<Array> results);

  /// Forgets everything that is held, after an error.
  void abandon() { abandon(state_); }

 private:
  class WaitingBody;
  class WaitingIf;
  class WaitingWhile;
  class WaitingTokens;
  class StraightLoopRun;

  static void abandon(RunState& state);

  [[gnu::always_inline]] void execute(const Instruction& instruction) {
    switch (instruction.kind) {
      case InstructionKind::kKernel:
        run_kernel(instruction);
        break;
      case InstructionKind::kRead:
        run_read(instruction);
        break;
      case InstructionKind::kDynamic:
        run_dynamic(instruction);
        break;
      case InstructionKind::kIf:
        run_if(instruction);
        break;
      case InstructionKind::kWhile:
        run_while(instruction);
        break;
      case InstructionKind::kTokens:
        run_tokens(instruction);
        break;
      case InstructionKind::kBlocking:
        throw errors::InternalError("A blocking instruction is outside of its part");
    }
  }

  void execute_watched(const Instruction& instruction);
  void check_wanted() const override {
    if (!surroundings_.context.is_empty() || surroundings_.closing.is_cancelled())
      surroundings_.check_wanted();
  }
  void trace(const Instruction& instruction, int64_t start_ns);
  void trace_fused(const Instruction& instruction, NodeTrace& entry);

  // ---- memory

  void take_feeds() {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      const SlotId id = program_.feed_slots[i];
      if (id != kNoSlot) slots_[id] = const_cast<void*>(feeds_[i]->raw_data());
    }
  }
  void hold_fresh(uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; ++k) {
      const FreshSlot& fresh = program_.fresh_slots[k];
      const Slot& slot = program_.slots[fresh.slot];
      const bool reuses =
          !spare_.empty() && fresh.result != FreshSlot::kNoResult && fits(spare_[fresh.result], slot);
      const bool takes_over = fresh.takes_over && !handed_.empty() && fits(handed_[fresh.result], slot);
      hold(fresh.slot, takes_over ? std::move(handed_[fresh.result])
                       : reuses   ? std::move(spare_[fresh.result])
                                  : new_memory(fresh, slot));
      for (uint32_t i = fresh.lodgers_begin; i < fresh.lodgers_end; ++i) {
        const SlotId lodger = program_.lodgers[i];
        slots_[lodger] = static_cast<std::byte*>(slots_[fresh.slot]) + program_.slots[lodger].offset;
      }
    }
  }
  static Array new_memory(const FreshSlot& fresh, const Slot& slot) {
    if (fresh.result != FreshSlot::kNoResult && slot.dtype != DType::kString &&
        result_memory.load(std::memory_order_relaxed) != nullptr) {
      if (Array array = memory_of_result(slot); array.has_value()) return array;
    }
    return Array::uninitialized(slot.dtype, slot.shape);
  }
  static Array memory_of_result(const Slot& slot);
  /// Holds the fresh slots in [begin, end) that are not results.
  void hold_other_fresh(uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; ++k) {
      if (program_.fresh_slots[k].result == FreshSlot::kNoResult) hold_fresh(k, k + 1);
    }
  }
  static bool fits(const Array& spare, const Slot& slot) {
    return spare.has_value() && spare.dtype() == slot.dtype && spare.shape() == slot.shape &&
           spare.buffer()->writable_in_place();
  }
  void hold(SlotId id, Array array) {
    slots_[id] = const_cast<void*>(array.raw_data());
    held_[id] = std::move(array);
  }
  void hold_checked(SlotId id, Array value);
  void release(uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; ++k) held_[segment_.releases[k]] = Array();
  }

  // ---- the blocking part

  void run_one(const Instruction& instruction) override { execute_watched(instruction); }
  std::unique_ptr<WaitingWork> begin_work(const Instruction& instruction,
                                          const std::shared_ptr<RunInbox>& inbox) override;
  std::vector<graph::NodeInput> inputs_of(const Instruction& instruction) const override {
    return dynamic_inputs(instruction);
  }
  void take(const Instruction& instruction, graph::BlockingResult result, int64_t started_ns) override;
  void end_work(const Instruction& instruction, int64_t started_ns) override;

  // ---- single instructions

  SlotId operand(uint32_t position) const { return segment_.operands[position]; }

  void run_kernel(const Instruction& instruction) {
    const SlotId* operands = segment_.operands.data();
    try {
      instruction.kernel->run(
          graph::KernelCall(slots_.data(), {operands + instruction.inputs, instruction.num_inputs},
                            {operands + instruction.outputs, instruction.num_outputs},
                            base_ + instruction.workspace_offset, surroundings_.parallel));
    } catch (const Error& error) {
      if (instruction.fused_begin < instruction.fused_end) throw;  // it names the node inside
      graph::rethrow_with_node(*instruction.node, error);
    }
  }
  void run_read(const Instruction& instruction);
  void run_dynamic(const Instruction& instruction);
  void run_tokens(const Instruction& instruction);

  graph::NodeInput dynamic_input(SlotId id) const;
  std::vector<graph::NodeInput> dynamic_inputs(const Instruction& instruction) const;
  DynamicNode::Input dynamic_operand(const Instruction& instruction, uint32_t k);
  bool is_last_use(const Instruction& instruction, SlotId id) const;
  const Array* array_of(SlotId id) const;

  // ---- If and While (program_bodies.cpp)

  RunState& state_of_body(const Instruction& instruction, uint32_t number);
  void run_body(const Instruction& instruction, uint32_t number, std::span<const Array* const> feeds,
                std::vector<Array>& results, std::span<Array> handed = {});
  static bool truth(const Instruction& instruction, const Shape& shape, const void* data);
  void run_if(const Instruction& instruction);
  uint32_t begin_if(const Instruction& instruction);
  void run_while(const Instruction& instruction);
  void run_straight_loop(const Instruction& instruction, const StraightLoop& loop);
  void begin_loop(const Instruction& instruction);
  bool goes_on(const Instruction& instruction) const;
  void end_loop(const Instruction& instruction, size_t now);
  void hold_outputs(const Instruction& instruction, std::span<Array> results);

  const Program& program_;
  const Segment& segment_;
  RunState& state_;
  std::vector<void*>& slots_;
  std::vector<Array>& held_;
  std::byte* base_;
  std::span<const Array* const> feeds_;
  std::span<Array> spare_;
  std::span<Array> handed_;             // of the body of a loop: the variables, which it may write over
  const RunSurroundings surroundings_;  // its own copy: kernels are told of their threads without a detour
};

/// Runs from begin to end in the calling thread, which blocks where the program has to wait. Throws
/// errors::OpError naming the node that failed, or what the context tells; nothing is handed out then.
void run_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                 const RunSurroundings& surroundings);

}  // namespace flowray::engine
