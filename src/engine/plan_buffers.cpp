#include "engine/plan_buffers.h"

#include "engine/arena_planner.h"

#include <optional>
#include <vector>

namespace flowray::engine {
namespace {

class BufferPlanner {
 public:
  explicit BufferPlanner(Program& program) : program_(program), last_use_(program.slots.size(), -1) {}

  void run() {
    auto& instructions = program_.segment.instructions;
    find_last_uses();
    for (size_t i = 0; i < instructions.size(); ++i) {
      if (i == program_.segment.num_blocking_part && i > 0) end_blocking_part();
      place_outputs(static_cast<int>(i));
      place_workspace(static_cast<int>(i));
      if (i >= program_.segment.num_blocking_part) free_dead(static_cast<int>(i));
    }
    if (instructions.size() == program_.segment.num_blocking_part) end_blocking_part();
    program_.segment.arena_bytes = arena_.size_bytes();
  }

 private:
  static size_t bytes_of(const Slot& slot) {
    return static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
  }

  void find_last_uses() {
    const auto& instructions = program_.segment.instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      for_operands(instructions[i], [&](SlotId slot) { last_use_[slot] = static_cast<int>(i); });
    }
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot) last_use_[result.slot] = static_cast<int>(instructions.size());
    }
  }

  template <class F>
  void for_operands(const Instruction& instruction, F visit) const {
    for (uint32_t k = 0; k < instruction.num_inputs; ++k)
      visit(program_.segment.operands[instruction.inputs + k]);
    for (uint32_t k = 0; k < instruction.num_outputs; ++k)
      visit(program_.segment.operands[instruction.outputs + k]);
  }

  SlotId input(const Instruction& instruction, int i) const {
    return program_.segment.operands[instruction.inputs + static_cast<uint32_t>(i)];
  }
  SlotId output(const Instruction& instruction, int i) const {
    return program_.segment.operands[instruction.outputs + static_cast<uint32_t>(i)];
  }

  void place_outputs(int index) {
    const Instruction& instruction = program_.segment.instructions[static_cast<size_t>(index)];
    if (instruction.kind != InstructionKind::kKernel) return;
    for (int k = 0; k < static_cast<int>(instruction.num_outputs); ++k) {
      Slot& slot = program_.slots[output(instruction, k)];
      if (slot.kind != SlotKind::kArena) continue;
      const std::optional<SlotId> reused = in_place_source(instruction, index, k);
      if (reused.has_value()) {
        slot.offset = program_.slots[*reused].offset;
        last_use_[*reused] = kTakenOver;
      } else {
        slot.offset = arena_.allocate(bytes_of(slot));
      }
    }
  }

  /// An input whose memory output `k` may take: the kernel allows it, it lies in the arena, nobody reads it
  /// later, and it enters this instruction only once.
  std::optional<SlotId> in_place_source(const Instruction& instruction, int index, int k) const {
    if (index < static_cast<int>(program_.segment.num_blocking_part)) return std::nullopt;
    for (const graph::InPlacePair& pair : instruction.kernel->in_place()) {
      if (pair.output != k) continue;
      const SlotId source = input(instruction, pair.input);
      const Slot& slot = program_.slots[source];
      int uses = 0;
      for (uint32_t i = 0; i < instruction.num_inputs; ++i)
        uses += input(instruction, static_cast<int>(i)) == source;
      if (slot.kind == SlotKind::kArena && last_use_[source] == index && uses == 1 &&
          bytes_of(slot) == bytes_of(program_.slots[output(instruction, k)])) {
        return source;
      }
    }
    return std::nullopt;
  }

  void place_workspace(int index) {
    Instruction& instruction = program_.segment.instructions[static_cast<size_t>(index)];
    if (instruction.kernel == nullptr || instruction.kernel->workspace_bytes() == 0) return;
    instruction.workspace_offset = arena_.allocate(instruction.kernel->workspace_bytes());
    // In the blocking part what comes later in the list may run before.
    if (index >= static_cast<int>(program_.segment.num_blocking_part)) free_workspace(instruction);
  }

  void free_workspace(const Instruction& instruction) {
    arena_.free(instruction.workspace_offset, instruction.kernel->workspace_bytes());
  }

  /// All of it is over: what nobody reads any more is let go.
  void end_blocking_part() {
    Segment& segment = program_.segment;
    for (uint32_t i = 0; i < segment.num_blocking_part; ++i) {
      const Instruction& instruction = segment.instructions[i];
      if (instruction.kernel != nullptr && instruction.kernel->workspace_bytes() > 0)
        free_workspace(instruction);
    }
    segment.part_release_begin = static_cast<uint32_t>(segment.releases.size());
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      if (last_use_[id] < 0 || last_use_[id] >= static_cast<int>(segment.num_blocking_part)) continue;
      last_use_[id] = kTakenOver;
      const Slot& slot = program_.slots[id];
      if (slot.kind == SlotKind::kArena) arena_.free(slot.offset, bytes_of(slot));
      if (slot.kind == SlotKind::kHeld) segment.releases.push_back(id);
    }
    segment.part_release_end = static_cast<uint32_t>(segment.releases.size());
  }

  void free_dead(int index) {
    Segment& segment = program_.segment;
    Instruction& instruction = segment.instructions[static_cast<size_t>(index)];
    instruction.release_begin = static_cast<uint32_t>(segment.releases.size());
    for_operands(instruction, [&](SlotId id) {
      if (last_use_[id] != index) return;
      last_use_[id] = kTakenOver;  // an operand that occurs twice is freed once
      const Slot& slot = program_.slots[id];
      if (slot.kind == SlotKind::kArena) arena_.free(slot.offset, bytes_of(slot));
      if (slot.kind == SlotKind::kHeld) segment.releases.push_back(id);
    });
    instruction.release_end = static_cast<uint32_t>(segment.releases.size());
  }

  static constexpr int kTakenOver = -2;
  Program& program_;
  std::vector<int> last_use_;  // by slot: index of the instruction; the number of instructions for results
  ArenaPlanner arena_;
};

}  // namespace

void plan_buffers(Program& program) { BufferPlanner(program).run(); }

}  // namespace flowray::engine
