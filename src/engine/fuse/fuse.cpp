#include "engine/fuse/fuse.h"

#include "engine/fuse/fused_head.h"
#include "engine/fuse/fused_kernel.h"
#include "engine/fuse/fused_loop.h"
#include "engine/fuse/fused_rows.h"
#include "engine/fuse/fused_tail.h"
#include "engine/fuse/fusion_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::Walk;

/// Rewrites the list with each group of several as one instruction.
class Rewriting {
 public:
  explicit Rewriting(Program& program) : program_(program), groups_(find_fusion_groups(program)) {}

  void run() {
    count_reads();
    std::vector<Instruction> before = std::exchange(program_.segment.instructions, {});
    for (FusionGroup& group : groups_.groups) {
      if (group.head != kNobody && group.members.size() > 1 && keeps_too_much(before, group))
        leave_head(group);
    }
    for (uint32_t i = 0; i < before.size(); ++i) {
      const GroupId id = groups_.of[i];
      const bool is_fused = id != kNoGroup && groups_.groups[id].members.size() > 1;
      if (!is_fused) {
        program_.segment.instructions.push_back(std::move(before[i]));
      } else if (groups_.groups[id].members.back() == i) {
        program_.segment.instructions.push_back(fused(before, groups_.groups[id]));
      }
    }
  }

 private:
  void count_reads() {
    reads_.assign(program_.slots.size(), 0);
    last_reader_.assign(program_.slots.size(), kNobody);
    const Segment& segment = program_.segment;
    for (const Instruction& instruction : segment.instructions) {
      for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
        const SlotId slot = segment.operands[instruction.inputs + k];
        ++reads_[slot];
        last_reader_[slot] = static_cast<uint32_t>(&instruction - segment.instructions.data());
      }
    }
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot) ++reads_[result.slot];
    }
  }

  /// A head that writes its output for others too, and a loop with outputs of its own: fused, what the head
  /// reads is there beside all of them; apart, it is gone by then.
  bool keeps_too_much(const std::vector<Instruction>& before, const FusionGroup& group) const {
    const Instruction& head = before[group.head];
    const std::vector<SlotId>& operands = program_.segment.operands;
    std::map<SlotId, uint32_t> inside;  // by slot: how often members read it
    for (const uint32_t member : group.members) {
      for (uint32_t k = 0; k < before[member].num_inputs; ++k) ++inside[operands[before[member].inputs + k]];
    }
    const auto is_output = [&](SlotId slot) {
      return program_.slots[slot].kind != SlotKind::kArena || reads_[slot] > inside[slot];
    };
    const bool has_others = std::ranges::any_of(group.members, [&](uint32_t member) {
      return member != group.head && is_output(operands[before[member].outputs]);
    });
    if (!has_others || !is_output(told_slot(program_, head))) return false;
    size_t kept_bytes = 0;
    for (uint32_t k = 0; k < head.num_inputs; ++k) {
      const SlotId slot = operands[head.inputs + k];
      if (program_.slots[slot].kind == SlotKind::kArena && last_reader_[slot] == group.head)
        kept_bytes += bytes_of(program_.slots[slot]);
    }
    return kept_bytes >= kMostKeptBytes;
  }

  void leave_head(FusionGroup& group) {
    std::erase(group.members, group.head);
    groups_.of[std::exchange(group.head, kNobody)] = kNoGroup;
  }

  /// What one loop is made of.
  struct Loop {
    std::vector<FusedPart> parts;
    std::vector<SlotId> inputs;
    std::vector<ElementwiseLoop::Input> walks;
    std::vector<SlotId> outputs;
    std::map<SlotId, uint32_t> part_of;  // by output slot
    std::map<SlotId, uint32_t> reads;    // by slot: how often parts read it
  };

  Instruction fused(std::vector<Instruction>& before, const FusionGroup& group) {
    Segment& segment = program_.segment;
    Instruction made;
    made.node = before[group.members.back()].node;
    made.fused_begin = static_cast<uint32_t>(segment.fused.size());
    for (const uint32_t member : group.members) segment.fused.push_back(before[member].node);
    made.fused_end = static_cast<uint32_t>(segment.fused.size());
    Loop loop;
    for (const uint32_t member : group.members) {
      if (member != group.head && member != group.tail) add_part(before[member], loop);
    }
    if (group.head != kNobody) put_told_last(told_slot(program_, before[group.head]), loop);
    if (group.tail != kNobody) ++loop.reads[source_slot(program_, before[group.tail])];
    number_outputs(loop);
    if (group.head != kNobody) {
      made.kernel = with_head(before[group.head], loop);
    } else if (group.tail != kNobody) {
      made.kernel = with_tail(before[group.tail], loop);
    } else if (group.grid.rows > 0) {
      made.kernel = make_fused_rows(std::move(loop.parts), loop.walks, group.grid);
    } else {
      made.kernel = make_fused_loop(std::move(loop.parts), loop.walks, group.count);
    }
    set_operands(made, loop.inputs, loop.outputs);
    return made;
  }

  void add_part(Instruction& instruction, Loop& loop) {
    const std::vector<SlotId>& operands = program_.segment.operands;
    const ElementwiseLoop& own = loop_of(*instruction.kernel);
    FusedPart part;
    for (uint32_t k = 0; k < static_cast<uint32_t>(own.num_inputs); ++k) {
      const SlotId slot = operands[instruction.inputs + k];
      ++loop.reads[slot];
      const auto made = loop.part_of.find(slot);
      part.inputs.push_back(made != loop.part_of.end()
                                ? static_cast<uint32_t>(kMostFusedInputs) + made->second
                                : number_of(slot, own.inputs[k], loop));
    }
    loop.part_of[operands[instruction.outputs]] = static_cast<uint32_t>(loop.parts.size());
    part.node = instruction.node;
    part.kernel = std::move(instruction.kernel);
    loop.parts.push_back(std::move(part));
  }

  /// The head's output becomes the last input of the loop.
  static void put_told_last(SlotId told, Loop& loop) {
    const auto number = static_cast<uint32_t>(std::ranges::find(loop.inputs, told) - loop.inputs.begin());
    const auto last = static_cast<uint32_t>(loop.inputs.size() - 1);
    std::swap(loop.inputs[number], loop.inputs[last]);
    std::swap(loop.walks[number], loop.walks[last]);
    for (FusedPart& part : loop.parts) {
      for (uint32_t& input : part.inputs) input = input == number ? last : input == last ? number : input;
    }
  }

  void number_outputs(Loop& loop) {
    std::vector<SlotId> slots(loop.parts.size());
    for (const auto& [slot, part] : loop.part_of) slots[part] = slot;
    for (size_t p = 0; p < loop.parts.size(); ++p) {
      FusedPart& part = loop.parts[p];
      for (uint32_t& input : part.inputs) {
        if (input >= kMostFusedInputs)
          input = static_cast<uint32_t>(loop.inputs.size() + input - kMostFusedInputs);
      }
      if (!is_read_outside(slots[p], loop)) continue;
      part.output = static_cast<int>(loop.outputs.size());
      loop.outputs.push_back(slots[p]);
    }
  }

  bool is_read_outside(SlotId slot, Loop& loop) {
    return program_.slots[slot].kind != SlotKind::kArena || reads_[slot] > loop.reads[slot];
  }

  /// The head with the loop behind it. Brings the operands in the order of the whole.
  std::unique_ptr<graph::Kernel> with_head(Instruction& instruction, Loop& loop) {
    const std::vector<SlotId>& operands = program_.segment.operands;
    const SlotId told = told_slot(program_, instruction);
    const auto num_loop_inputs = static_cast<uint32_t>(loop.inputs.size());
    const auto num_loop_outputs = static_cast<uint32_t>(loop.outputs.size());
    FusedHead head;
    head.node = instruction.node;
    head.num_inputs = instruction.num_inputs;
    head.told_bytes = bytes_of(program_.slots[told]);
    loop.inputs.pop_back();
    for (uint32_t k = 0; k < instruction.num_inputs; ++k)
      loop.inputs.push_back(operands[instruction.inputs + k]);
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      const SlotId output = operands[instruction.outputs + k];
      const bool is_inside = output == told && !is_read_outside(output, loop);
      head.outputs.push_back(is_inside ? FusedHead::kInside : static_cast<int>(loop.outputs.size()));
      if (!is_inside) loop.outputs.push_back(output);
    }
    const int64_t granularity = instruction.kernel->pieces().elements;
    head.kernel = std::move(instruction.kernel);
    return make_fused_head(std::move(head), make_fused_loop(std::move(loop.parts), loop.walks, granularity),
                           num_loop_inputs, num_loop_outputs, static_cast<uint32_t>(loop.outputs.size()));
  }

  /// The tail with the loop before it. Brings the operands in the order of the whole.
  std::unique_ptr<graph::Kernel> with_tail(Instruction& instruction, Loop& loop) {
    const std::vector<SlotId>& operands = program_.segment.operands;
    const SlotId source = source_slot(program_, instruction);
    const auto num_loop_inputs = static_cast<uint32_t>(loop.inputs.size());
    const auto num_loop_outputs = static_cast<uint32_t>(loop.outputs.size());
    FusedPart& part = loop.parts[loop.part_of.at(source)];
    FusedTail tail;
    tail.node = instruction.node;
    tail.num_inputs = instruction.num_inputs;
    tail.num_outputs = instruction.num_outputs;
    tail.element_bytes = part.kernel->elementwise()->out_bytes;
    if (part.output == FusedPart::kInside) {
      part.output = FusedPart::kIntoBuffer;
    } else {
      tail.output = part.output;
    }
    const graph::SourceRule& rule = instruction.kernel->source();
    for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
      if (static_cast<int>(k) != rule.input) loop.inputs.push_back(operands[instruction.inputs + k]);
    }
    for (uint32_t k = 0; k < instruction.num_outputs; ++k)
      loop.outputs.push_back(operands[instruction.outputs + k]);
    const int64_t granularity = rule.elements;
    tail.kernel = std::move(instruction.kernel);
    return make_fused_tail(std::move(tail), make_fused_loop(std::move(loop.parts), loop.walks, granularity),
                           num_loop_inputs, num_loop_outputs);
  }

  static uint32_t number_of(SlotId slot, ElementwiseLoop::Input walk, Loop& loop) {
    if (walk.walk == Walk::kRow) walk.walk = Walk::kEach;  // a row at a time, all the same
    for (size_t i = 0; i < loop.inputs.size(); ++i) {
      if (loop.inputs[i] == slot && loop.walks[i].walk == walk.walk) return static_cast<uint32_t>(i);
    }
    loop.inputs.push_back(slot);
    loop.walks.push_back(walk);
    return static_cast<uint32_t>(loop.inputs.size() - 1);
  }

  void set_operands(Instruction& made, const std::vector<SlotId>& inputs,
                    const std::vector<SlotId>& outputs) {
    Segment& segment = program_.segment;
    made.inputs = static_cast<uint32_t>(segment.operands.size());
    made.num_inputs = static_cast<uint32_t>(inputs.size());
    segment.operands.insert(segment.operands.end(), inputs.begin(), inputs.end());
    made.outputs = static_cast<uint32_t>(segment.operands.size());
    made.num_outputs = static_cast<uint32_t>(outputs.size());
    segment.operands.insert(segment.operands.end(), outputs.begin(), outputs.end());
  }

  Program& program_;
  FusionGroups groups_;
  std::vector<uint32_t> reads_;        // by slot: how often it is read or handed out
  std::vector<uint32_t> last_reader_;  // by slot
};

}  // namespace

void fuse(Program& program) { Rewriting(program).run(); }

}  // namespace flowray::engine
