#include "engine/fuse.h"

#include "engine/fused_loop.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::Walk;

using GroupId = uint32_t;
constexpr GroupId kNoGroup = ~GroupId{0};

/// Instructions that will run as one, where the last of them stands.
struct Group {
  std::vector<uint32_t> members;  // in list order
  int64_t count = 0;              // elements
  int64_t period = 0;
  size_t num_operands = 0;
  /// Whether others may still join: nobody outside reads what a member computes, and nothing that others can
  /// see has happened since.
  bool is_open = true;

  bool takes(const Group& other) const {
    return is_open && other.is_open && count == other.count &&
           (period == 0 || other.period == 0 || period == other.period) &&
           members.size() + other.members.size() <= kMostFusedParts &&
           num_operands + other.num_operands <= kMostFusedInputs;
  }
};

/// Goes through the list once. Whoever joins a group moves those before it down to its own place, which
/// changes nothing: nobody between them has read their results.
class Grouping {
 public:
  explicit Grouping(const Program& program)
      : program_(program),
        group_of_(program.segment.instructions.size(), kNoGroup),
        maker_(program.slots.size(), kNoGroup) {}

  void run() {
    const auto& instructions = program_.segment.instructions;
    for (uint32_t i = program_.segment.num_blocking_part; i < instructions.size(); ++i) {
      if (is_seen_by_others(instructions[i])) close_all();
      if (can_fuse(instructions[i])) {
        join(i);
      } else {
        for (const SlotId slot : inputs_of(i)) close(maker_[slot]);
      }
    }
  }

  const std::vector<Group>& groups() const { return groups_; }
  GroupId group_of(uint32_t i) const { return group_of_[i]; }

 private:
  std::span<const SlotId> inputs_of(uint32_t i) const {
    const Instruction& instruction = program_.segment.instructions[i];
    return std::span(program_.segment.operands).subspan(instruction.inputs, instruction.num_inputs);
  }
  SlotId output_of(const Instruction& instruction) const {
    return program_.segment.operands[instruction.outputs];
  }

  static bool can_fuse(const Instruction& instruction) {
    if (instruction.kind != InstructionKind::kKernel || instruction.num_outputs != 1) return false;
    const ElementwiseLoop* loop = instruction.kernel->elementwise();
    if (loop == nullptr || loop->out_bytes > kMostFusedElementBytes) return false;
    return std::all_of(
        loop->inputs.begin(), loop->inputs.begin() + loop->num_inputs,
        [](const ElementwiseLoop::Input& input) { return input.bytes <= kMostFusedElementBytes; });
  }

  /// Updates, branches, loops, and whatever runs node by node.
  bool is_seen_by_others(const Instruction& instruction) const {
    if (instruction.kind == InstructionKind::kRead) return false;
    if (instruction.kind != InstructionKind::kKernel || instruction.num_outputs == 0) return true;
    const auto is_resource = [&](SlotId id) { return program_.slots[id].kind == SlotKind::kResource; };
    const std::span operands(program_.segment.operands);
    return std::ranges::any_of(operands.subspan(instruction.inputs, instruction.num_inputs), is_resource) ||
           std::ranges::any_of(operands.subspan(instruction.outputs, instruction.num_outputs), is_resource);
  }

  void close(GroupId id) {
    if (id != kNoGroup) groups_[id].is_open = false;
  }
  void close_all() {
    for (; first_open_ < groups_.size(); ++first_open_) groups_[first_open_].is_open = false;
    scalars_ = kNoGroup;
  }

  void join(uint32_t i) {
    const Instruction& instruction = program_.segment.instructions[i];
    const ElementwiseLoop& loop = *instruction.kernel->elementwise();
    const auto mine = static_cast<GroupId>(groups_.size());
    groups_.push_back({{i}, loop.count, loop.period, inputs_of(i).size()});
    group_of_[i] = mine;
    for (size_t k = 0; k < inputs_of(i).size(); ++k) {
      const GroupId before = maker_[inputs_of(i)[k]];
      if (before == kNoGroup || before == mine) continue;
      if (loop.inputs[k].walk == Walk::kEach && groups_[mine].takes(groups_[before])) {
        merge(before, mine);
      } else {
        close(before);
      }
    }
    if (loop.count == 1) {
      if (scalars_ != kNoGroup && scalars_ != mine && groups_[mine].takes(groups_[scalars_]))
        merge(scalars_, mine);
      scalars_ = mine;
    }
    maker_[output_of(instruction)] = mine;
  }

  void merge(GroupId from, GroupId to) {
    Group& source = groups_[from];
    Group& target = groups_[to];
    for (const uint32_t member : source.members) {
      group_of_[member] = to;
      maker_[output_of(program_.segment.instructions[member])] = to;
    }
    target.members.insert(target.members.end(), source.members.begin(), source.members.end());
    std::ranges::sort(target.members);
    target.num_operands += source.num_operands;
    target.period = std::max(target.period, source.period);
    source.members.clear();
    source.is_open = false;
  }

  const Program& program_;
  std::vector<Group> groups_;
  std::vector<GroupId> group_of_;  // by instruction
  std::vector<GroupId> maker_;     // by slot: the group that computes it
  size_t first_open_ = 0;          // groups before it are closed
  GroupId scalars_ = kNoGroup;     // the last group of single elements
};

/// Rewrites the list with each group of several as one instruction.
class Rewriting {
 public:
  Rewriting(Program& program, const Grouping& grouping) : program_(program), grouping_(grouping) {}

  void run() {
    count_reads();
    std::vector<Instruction> before = std::exchange(program_.segment.instructions, {});
    for (uint32_t i = 0; i < before.size(); ++i) {
      const GroupId id = grouping_.group_of(i);
      const bool is_fused = id != kNoGroup && grouping_.groups()[id].members.size() > 1;
      if (!is_fused) {
        program_.segment.instructions.push_back(std::move(before[i]));
      } else if (grouping_.groups()[id].members.back() == i) {
        program_.segment.instructions.push_back(fused(before, grouping_.groups()[id].members));
      }
    }
  }

 private:
  void count_reads() {
    reads_.assign(program_.slots.size(), 0);
    const Segment& segment = program_.segment;
    for (const Instruction& instruction : segment.instructions) {
      for (uint32_t k = 0; k < instruction.num_inputs; ++k)
        ++reads_[segment.operands[instruction.inputs + k]];
    }
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot) ++reads_[result.slot];
    }
  }

  Instruction fused(std::vector<Instruction>& before, const std::vector<uint32_t>& members) {
    std::vector<SlotId>& operands = program_.segment.operands;
    std::vector<FusedPart> parts;
    std::vector<SlotId> inputs;
    std::vector<ElementwiseLoop::Input> walks;
    std::map<SlotId, uint32_t> part_of;  // by output slot
    std::map<SlotId, uint32_t> reads;    // of parts, by parts
    for (const uint32_t member : members) {
      Instruction& instruction = before[member];
      const ElementwiseLoop& loop = *instruction.kernel->elementwise();
      FusedPart part;
      for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
        const SlotId slot = operands[instruction.inputs + k];
        const auto made = part_of.find(slot);
        if (made != part_of.end()) ++reads[slot];
        part.inputs.push_back(made != part_of.end() ? static_cast<uint32_t>(kMostFusedInputs) + made->second
                                                    : number_of(slot, loop.inputs[k], inputs, walks));
      }
      part_of[operands[instruction.outputs]] = static_cast<uint32_t>(parts.size());
      part.node = instruction.node;
      part.kernel = std::move(instruction.kernel);
      parts.push_back(std::move(part));
    }
    std::vector<SlotId> outputs;
    for (const uint32_t member : members) {
      const SlotId slot = operands[before[member].outputs];
      FusedPart& part = parts[part_of[slot]];
      for (uint32_t& input : part.inputs) {
        if (input >= kMostFusedInputs)
          input = static_cast<uint32_t>(inputs.size() + input - kMostFusedInputs);
      }
      const bool is_read = program_.slots[slot].kind != SlotKind::kArena || reads_[slot] > reads[slot];
      if (!is_read) continue;
      part.output = static_cast<int>(outputs.size());
      outputs.push_back(slot);
    }
    return instruction_of(before[members.back()], std::move(parts), walks, inputs, outputs);
  }

  static uint32_t number_of(SlotId slot, const ElementwiseLoop::Input& walk, std::vector<SlotId>& inputs,
                            std::vector<ElementwiseLoop::Input>& walks) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == slot && walks[i].walk == walk.walk) return static_cast<uint32_t>(i);
    }
    inputs.push_back(slot);
    walks.push_back(walk);
    return static_cast<uint32_t>(inputs.size() - 1);
  }

  Instruction instruction_of(Instruction& last, std::vector<FusedPart> parts,
                             const std::vector<ElementwiseLoop::Input>& walks,
                             const std::vector<SlotId>& inputs, const std::vector<SlotId>& outputs) {
    Segment& segment = program_.segment;
    Instruction made;
    made.node = last.node;
    made.fused_begin = static_cast<uint32_t>(segment.fused.size());
    for (const FusedPart& part : parts) segment.fused.push_back(part.node);
    made.fused_end = static_cast<uint32_t>(segment.fused.size());
    made.kernel = make_fused_loop(std::move(parts), walks);
    made.inputs = static_cast<uint32_t>(segment.operands.size());
    made.num_inputs = static_cast<uint32_t>(inputs.size());
    segment.operands.insert(segment.operands.end(), inputs.begin(), inputs.end());
    made.outputs = static_cast<uint32_t>(segment.operands.size());
    made.num_outputs = static_cast<uint32_t>(outputs.size());
    segment.operands.insert(segment.operands.end(), outputs.begin(), outputs.end());
    return made;
  }

  Program& program_;
  const Grouping& grouping_;
  std::vector<uint32_t> reads_;  // by slot: how often it is read or handed out
};

}  // namespace

void fuse(Program& program) {
  Grouping grouping(program);
  grouping.run();
  Rewriting(program, grouping).run();
}

}  // namespace flowray::engine
