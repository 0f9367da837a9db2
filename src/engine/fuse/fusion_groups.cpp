#include "engine/fuse/fusion_groups.h"

#include "engine/fuse/fused_head.h"
#include "engine/fuse/fused_kernel.h"
#include "engine/fuse/fused_tail.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::Walk;

int64_t wide_in(const RowGrid& rows, const FusionGroup& group) {
  if (group.grid.rows > 0) return group.num_wide;
  return group.count == rows.rows ? 0 : static_cast<int64_t>(group.members.size());
}

bool fits_rows(const RowGrid& rows, const FusionGroup& group) {
  if (group.grid.rows > 0) return group.grid.rows == rows.rows && group.grid.width == rows.width;
  if (group.head != kNobody) return false;
  if (group.count == rows.rows) return group.period == 0;
  return group.count == rows.rows * rows.width && (group.period == 0 || group.period == rows.width);
}

bool sizes_fit(const FusionGroup& a, const FusionGroup& b) {
  if (a.grid.rows > 0 || b.grid.rows > 0) {
    const RowGrid& rows = a.grid.rows > 0 ? a.grid : b.grid;
    return fits_rows(rows, a) && fits_rows(rows, b) &&
           (wide_in(rows, a) + wide_in(rows, b)) * rows.width <= kMostFusedRowElements;
  }
  return a.count == b.count && (a.period == 0 || b.period == 0 || a.period == b.period);
}

/// Whether the two may become one.
bool fit(const FusionGroup& a, const FusionGroup& b) {
  // A head that works on one thread would keep a long loop to it.
  const bool threads_fit = a.worth + b.worth < 2 || (a.head_is_shared && b.head_is_shared);
  return a.is_open && b.is_open && sizes_fit(a, b) && threads_fit &&
         (a.head == kNobody || b.head == kNobody) && a.members.size() + b.members.size() <= kMostFusedParts &&
         a.num_operands + b.num_operands <= kMostFusedInputs;
}

/// Goes through the list once. An instruction that joins a group moves the earlier members down to its own
/// place, which changes nothing: no instruction in between has read their results.
class Grouping {
 public:
  explicit Grouping(const Program& program)
      : program_(program),
        group_of_(program.segment.instructions.size(), kNoGroup),
        maker_(program.slots.size(), kNoGroup),
        is_untold_(program.slots.size(), false),
        last_reader_(program.slots.size(), 0) {
    made_bytes_.push_back(0);
    const Segment& segment = program.segment;
    for (uint32_t i = 0; i < segment.instructions.size(); ++i) {
      for (const SlotId slot : inputs_of(i)) last_reader_[slot] = i;
      const Instruction& made = segment.instructions[i];
      size_t bytes = made_bytes_.back();
      for (const SlotId slot : std::span(segment.operands).subspan(made.outputs, made.num_outputs))
        bytes += bytes_of(program.slots[slot]);
      made_bytes_.push_back(bytes);
    }
  }

  FusionGroups run() {
    const auto& instructions = program_.segment.instructions;
    for (uint32_t i = program_.segment.num_blocking_part; i < instructions.size(); ++i) {
      if (is_seen_by_others(instructions[i])) close_all();
      if (can_fuse(instructions[i])) {
        join(i);
      } else if (!reduces_rows(instructions[i]) || !join_rows(i)) {
        const GroupId source =
            can_trail(instructions[i]) ? maker_[source_slot(program_, instructions[i])] : kNoGroup;
        for (const SlotId slot : inputs_of(i)) {
          if (maker_[slot] != source || slot != source_slot(program_, instructions[i])) close(maker_[slot]);
        }
        if (source != kNoGroup) trail(i, source);
        if (can_lead(instructions[i])) lead(i);
      }
    }
    return {std::move(groups_), std::move(group_of_)};
  }

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

  static bool reduces_rows(const Instruction& instruction) {
    if (instruction.kind != InstructionKind::kKernel || instruction.num_outputs != 1) return false;
    const ElementwiseLoop* loop = instruction.kernel->row_reduction();
    return loop != nullptr && loop->count > 1 && loop->out_bytes <= kMostFusedElementBytes;
  }

  /// False where what it reduces comes from a group that cannot take it.
  bool join_rows(uint32_t i) {
    const Instruction& instruction = program_.segment.instructions[i];
    const ElementwiseLoop& loop = *instruction.kernel->row_reduction();
    const GroupId before = maker_[inputs_of(i)[0]];
    FusionGroup group;
    group.members = {i};
    group.count = loop.count * loop.period;
    group.grid = {loop.count, loop.period};
    group.num_operands = 1;
    group.worth = static_cast<double>(loop.count) / static_cast<double>(loop.elements_per_worker);
    if (before != kNoGroup &&
        (is_untold_[inputs_of(i)[0]] || !fit(group, groups_[before]) || keeps_too_much(before, i)))
      return false;
    for (const SlotId slot : inputs_of(i).subspan(1)) close(maker_[slot]);
    const auto mine = static_cast<GroupId>(groups_.size());
    groups_.push_back(std::move(group));
    group_of_[i] = mine;
    if (before != kNoGroup) merge(before, mine);
    maker_[output_of(instruction)] = mine;
    return true;
  }

  bool can_lead(const Instruction& instruction) const {
    if (is_seen_by_others(instruction) || instruction.kind != InstructionKind::kKernel) return false;
    if (instruction.num_inputs > kMostHeadInputs || instruction.num_outputs > kMostHeadOutputs) return false;
    if (instruction.kernel->pieces().elements == 0) return false;
    const Slot& told = program_.slots[told_slot(program_, instruction)];
    return told.shape.num_elements() > 1 && dtype_size(told.dtype) <= kMostFusedElementBytes;
  }

  bool can_trail(const Instruction& instruction) const {
    return !is_seen_by_others(instruction) && instruction.kind == InstructionKind::kKernel &&
           instruction.kernel->source().input >= 0 && instruction.num_inputs <= kMostTailInputs &&
           instruction.num_outputs <= kMostTailOutputs;
  }

  /// Adds the tail to the group that computes what it reads, if that is a loop and fits it; the group is
  /// closed then.
  void trail(uint32_t i, GroupId id) {
    const graph::SourceRule& rule = program_.segment.instructions[i].kernel->source();
    FusionGroup& group = groups_[id];
    const bool rows_fit =
        group.period == 0 || group.period >= ElementwiseLoop::kShortRow || rule.elements % group.period == 0;
    const bool threads_fit = group.worth < 2 || rule.is_shared;
    if (group.is_open && group.head == kNobody && group.grid.rows == 0 && group.count > 1 && rows_fit &&
        threads_fit && group.members.size() < kMostFusedParts) {
      group.members.push_back(i);
      group.tail = i;
      group_of_[i] = id;
    }
    group.is_open = false;
  }

  /// Opens a group, which instructions that read the head's main output may join.
  void lead(uint32_t i) {
    const Instruction& instruction = program_.segment.instructions[i];
    const auto mine = static_cast<GroupId>(groups_.size());
    FusionGroup group;
    group.members = {i};
    group.count = program_.slots[told_slot(program_, instruction)].shape.num_elements();
    group.num_operands = instruction.num_inputs;
    group.head = i;
    group.head_is_shared = instruction.kernel->pieces().is_shared;
    groups_.push_back(std::move(group));
    group_of_[i] = mine;
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      const SlotId slot = program_.segment.operands[instruction.outputs + k];
      maker_[slot] = mine;
      is_untold_[slot] = slot != told_slot(program_, instruction);
    }
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
    FusionGroup group;
    group.members = {i};
    group.count = loop.count;
    group.period = loop.period;
    group.num_operands = inputs_of(i).size();
    group.worth = static_cast<double>(loop.count) / static_cast<double>(loop.elements_per_worker);
    groups_.push_back(std::move(group));
    group_of_[i] = mine;
    for (size_t k = 0; k < inputs_of(i).size(); ++k) {
      const SlotId slot = inputs_of(i)[k];
      const GroupId before = maker_[slot];
      if (before == kNoGroup) continue;
      if (is_untold_[slot] || !reads_as_made(loop, k, groups_[before])) close(before);
    }
    for (const SlotId slot : inputs_of(i)) {
      const GroupId before = maker_[slot];
      if (before == kNoGroup || before == mine) continue;
      if (fit(groups_[mine], groups_[before]) && !keeps_too_much(before, i)) {
        merge(before, mine);
      } else {
        close(before);
      }
    }
    if (loop.count == 1) {
      if (scalars_ != kNoGroup && scalars_ != mine && fit(groups_[mine], groups_[scalars_]))
        merge(scalars_, mine);
      scalars_ = mine;
    }
    maker_[output_of(instruction)] = mine;
  }

  /// Element by element, or one for each row of a group that has rows: what it makes for them is an element
  /// for each.
  static bool reads_as_made(const ElementwiseLoop& loop, size_t input, const FusionGroup& maker) {
    const Walk walk = loop.inputs[input].walk;
    return walk == Walk::kEach ||
           (walk == Walk::kColumn && maker.grid.rows > 0 && loop.period == maker.grid.width);
  }

  /// Whether reductions of rows would move so far down, to instruction `i`, that large inputs which they read
  /// last stay live beside much that is made in between.
  bool keeps_too_much(GroupId id, uint32_t i) const {
    const FusionGroup& group = groups_[id];
    if (group.grid.rows == 0) return false;
    if (made_bytes_[i] - made_bytes_[group.members.back() + 1] < kMostKeptBytes) return false;
    std::set<SlotId> kept;
    for (const uint32_t member : group.members) {
      for (const SlotId slot : inputs_of(member)) {
        if (program_.slots[slot].kind == SlotKind::kArena && maker_[slot] != id && last_reader_[slot] < i)
          kept.insert(slot);
      }
    }
    size_t kept_bytes = 0;
    for (const SlotId slot : kept) kept_bytes += bytes_of(program_.slots[slot]);
    return kept_bytes >= kMostKeptBytes;
  }

  void merge(GroupId from, GroupId to) {
    FusionGroup& source = groups_[from];
    FusionGroup& target = groups_[to];
    if (source.grid.rows > 0 || target.grid.rows > 0) {
      const RowGrid grid = source.grid.rows > 0 ? source.grid : target.grid;
      target.num_wide = wide_in(grid, source) + wide_in(grid, target);
      target.count = grid.rows * grid.width;
      target.grid = grid;
    }
    for (const uint32_t member : source.members) {
      group_of_[member] = to;
      const Instruction& instruction = program_.segment.instructions[member];
      for (uint32_t k = 0; k < instruction.num_outputs; ++k)
        maker_[program_.segment.operands[instruction.outputs + k]] = to;
    }
    target.members.insert(target.members.end(), source.members.begin(), source.members.end());
    std::ranges::sort(target.members);
    target.num_operands += source.num_operands;
    target.period = std::max(target.period, source.period);
    target.worth += source.worth;
    if (source.head != kNobody) {
      target.head = source.head;
      target.head_is_shared = source.head_is_shared;
    }
    source.members.clear();
    source.is_open = false;
  }

  const Program& program_;
  std::vector<FusionGroup> groups_;
  std::vector<GroupId> group_of_;      // by instruction
  std::vector<GroupId> maker_;         // by slot: the group that computes it
  std::vector<bool> is_untold_;        // by slot: a head computes it and does not tell of it in pieces
  std::vector<uint32_t> last_reader_;  // by slot
  std::vector<size_t> made_bytes_;     // by all instructions before this one
  size_t first_open_ = 0;              // groups before it are closed
  GroupId scalars_ = kNoGroup;         // the last group of single elements
};

}  // namespace

FusionGroups find_fusion_groups(const Program& program) { return Grouping(program).run(); }

size_t bytes_of(const Slot& slot) {
  if (!slot.shape.is_fully_defined()) return 0;
  return static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
}

SlotId told_slot(const Program& program, const Instruction& head) {
  return program.segment.operands[head.outputs + static_cast<uint32_t>(head.kernel->pieces().output)];
}

SlotId source_slot(const Program& program, const Instruction& tail) {
  if (tail.kernel == nullptr || tail.kernel->source().input < 0) return kNoSlot;
  return program.segment.operands[tail.inputs + static_cast<uint32_t>(tail.kernel->source().input)];
}

}  // namespace flowray::engine
