#include "engine/fuse.h"

#include "engine/fused_head.h"
#include "engine/fused_kernel.h"
#include "engine/fused_loop.h"
#include "engine/fused_rows.h"
#include "engine/fused_tail.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace flowray::engine {
namespace {

using graph::ElementwiseLoop;
using graph::Walk;

using GroupId = uint32_t;
constexpr GroupId kNoGroup = ~GroupId{0};
constexpr uint32_t kNobody = ~uint32_t{0};
/// Memory that is kept for longer because of a group, at most.
constexpr size_t kMostKeptBytes = 8192;

size_t bytes_of(const Slot& slot) {
  if (!slot.shape.is_fully_defined()) return 0;
  return static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
}

/// Instructions that will run as one, where the last of them stands.
struct Group {
  std::vector<uint32_t> members;  // in list order
  int64_t count = 0;              // elements
  int64_t period = 0;
  size_t num_operands = 0;
  /// The member whose output the others work on piece by piece, which is elementwise no more than it needs to
  /// be.
  uint32_t head = kNobody;
  bool head_is_shared = true;
  /// The last member, which reads what the others compute piece by piece.
  uint32_t tail = kNobody;
  /// Where members reduce rows of others: rows and their width; count is of all elements. Members have one
  /// element for each of them or one for each row.
  RowGrid grid;
  /// Members with an element for each of `count`.
  int64_t num_wide = 0;
  /// How many threads the elementwise members are worth.
  double worth = 0;
  /// Whether others may still join: nobody outside reads what a member computes, and nothing that others can
  /// see has happened since.
  bool is_open = true;

  bool takes(const Group& other) const {
    // A head that works on one thread would keep a long loop to it.
    const bool threads_fit = worth + other.worth < 2 || (head_is_shared && other.head_is_shared);
    return is_open && other.is_open && sizes_fit(other) && threads_fit &&
           (head == kNobody || other.head == kNobody) &&
           members.size() + other.members.size() <= kMostFusedParts &&
           num_operands + other.num_operands <= kMostFusedInputs;
  }

  bool sizes_fit(const Group& other) const {
    if (grid.rows > 0 || other.grid.rows > 0) {
      const RowGrid& rows = grid.rows > 0 ? grid : other.grid;
      return fits_rows(rows) && other.fits_rows(rows) &&
             (wide_in(rows) + other.wide_in(rows)) * rows.width <= kMostFusedRowElements;
    }
    return count == other.count && (period == 0 || other.period == 0 || period == other.period);
  }

 private:
  bool fits_rows(const RowGrid& rows) const {
    if (grid.rows > 0) return grid.rows == rows.rows && grid.width == rows.width;
    if (head != kNobody) return false;
    if (count == rows.rows) return period == 0;
    return count == rows.rows * rows.width && (period == 0 || period == rows.width);
  }
  int64_t wide_in(const RowGrid& rows) const {
    if (grid.rows > 0) return num_wide;
    return count == rows.rows ? 0 : static_cast<int64_t>(members.size());
  }
  friend class Grouping;
};

/// Goes through the list once. Whoever joins a group moves those before it down to its own place, which
/// changes nothing: nobody between them has read their results.
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

  void run() {
    const auto& instructions = program_.segment.instructions;
    for (uint32_t i = program_.segment.num_blocking_part; i < instructions.size(); ++i) {
      if (is_seen_by_others(instructions[i])) close_all();
      if (can_fuse(instructions[i])) {
        join(i);
      } else if (!reduces_rows(instructions[i]) || !join_rows(i)) {
        const GroupId source = can_trail(instructions[i]) ? maker_[source_slot(instructions[i])] : kNoGroup;
        for (const SlotId slot : inputs_of(i)) {
          if (maker_[slot] != source || slot != source_slot(instructions[i])) close(maker_[slot]);
        }
        if (source != kNoGroup) trail(i, source);
        if (can_lead(instructions[i])) lead(i);
      }
    }
  }

  const std::vector<Group>& groups() const { return groups_; }
  /// By instruction.
  const std::vector<GroupId>& groups_of() const { return group_of_; }

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
    Group group;
    group.members = {i};
    group.count = loop.count * loop.period;
    group.grid = {loop.count, loop.period};
    group.num_operands = 1;
    group.worth = static_cast<double>(loop.count) / static_cast<double>(loop.elements_per_worker);
    if (before != kNoGroup && (is_untold_[inputs_of(i)[0]] || !group.takes(groups_[before]))) return false;
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
    const Slot& told = program_.slots[told_slot(instruction)];
    return told.shape.num_elements() > 1 && dtype_size(told.dtype) <= kMostFusedElementBytes;
  }

  SlotId told_slot(const Instruction& instruction) const {
    const auto output = static_cast<uint32_t>(instruction.kernel->pieces().output);
    return program_.segment.operands[instruction.outputs + output];
  }

  bool can_trail(const Instruction& instruction) const {
    return !is_seen_by_others(instruction) && instruction.kind == InstructionKind::kKernel &&
           instruction.kernel->source().input >= 0 && instruction.num_inputs <= kMostTailInputs &&
           instruction.num_outputs <= kMostTailOutputs;
  }

  /// What a tail reads piece by piece.
  SlotId source_slot(const Instruction& instruction) const {
    if (instruction.kernel == nullptr || instruction.kernel->source().input < 0) return kNoSlot;
    return program_.segment
        .operands[instruction.inputs + static_cast<uint32_t>(instruction.kernel->source().input)];
  }

  /// Adds the tail to the group that computes what it reads, if that is a loop and fits it; nobody joins
  /// after it.
  void trail(uint32_t i, GroupId id) {
    const graph::SourceRule& rule = program_.segment.instructions[i].kernel->source();
    Group& group = groups_[id];
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

  /// A group that others may join who work on the told output.
  void lead(uint32_t i) {
    const Instruction& instruction = program_.segment.instructions[i];
    const auto mine = static_cast<GroupId>(groups_.size());
    Group group;
    group.members = {i};
    group.count = program_.slots[told_slot(instruction)].shape.num_elements();
    group.num_operands = instruction.num_inputs;
    group.head = i;
    group.head_is_shared = instruction.kernel->pieces().is_shared;
    groups_.push_back(std::move(group));
    group_of_[i] = mine;
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      const SlotId slot = program_.segment.operands[instruction.outputs + k];
      maker_[slot] = mine;
      is_untold_[slot] = slot != told_slot(instruction);
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
    Group group;
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
      if (groups_[mine].takes(groups_[before]) && !keeps_too_much(before, i)) {
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

  /// Element by element, or one for each row of a group that has rows: what it makes for them is an element
  /// for each.
  static bool reads_as_made(const ElementwiseLoop& loop, size_t input, const Group& maker) {
    const Walk walk = loop.inputs[input].walk;
    return walk == Walk::kEach ||
           (walk == Walk::kColumn && maker.grid.rows > 0 && loop.period == maker.grid.width);
  }

  /// Whether reductions of rows would move so far down, to instruction `i`, that much of what they read, and
  /// nobody after them, is there beside much that is made in between.
  bool keeps_too_much(GroupId id, uint32_t i) const {
    const Group& group = groups_[id];
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
    Group& source = groups_[from];
    Group& target = groups_[to];
    if (source.grid.rows > 0 || target.grid.rows > 0) {
      const RowGrid grid = source.grid.rows > 0 ? source.grid : target.grid;
      target.num_wide = source.wide_in(grid) + target.wide_in(grid);
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
  std::vector<Group> groups_;
  std::vector<GroupId> group_of_;      // by instruction
  std::vector<GroupId> maker_;         // by slot: the group that computes it
  std::vector<bool> is_untold_;        // by slot: a head computes it and does not tell of it in pieces
  std::vector<uint32_t> last_reader_;  // by slot
  std::vector<size_t> made_bytes_;     // by all instructions before this one
  size_t first_open_ = 0;              // groups before it are closed
  GroupId scalars_ = kNoGroup;         // the last group of single elements
};

/// Rewrites the list with each group of several as one instruction.
class Rewriting {
 public:
  Rewriting(Program& program, const Grouping& grouping)
      : program_(program), groups_(grouping.groups()), group_of_(grouping.groups_of()) {}

  void run() {
    count_reads();
    std::vector<Instruction> before = std::exchange(program_.segment.instructions, {});
    for (Group& group : groups_) {
      if (group.head != kNobody && group.members.size() > 1 && keeps_too_much(before, group))
        leave_head(group);
    }
    for (uint32_t i = 0; i < before.size(); ++i) {
      const GroupId id = group_of_[i];
      const bool is_fused = id != kNoGroup && groups_[id].members.size() > 1;
      if (!is_fused) {
        program_.segment.instructions.push_back(std::move(before[i]));
      } else if (groups_[id].members.back() == i) {
        program_.segment.instructions.push_back(fused(before, groups_[id]));
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
  bool keeps_too_much(const std::vector<Instruction>& before, const Group& group) const {
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
    if (!has_others || !is_output(told_slot(head))) return false;
    size_t kept_bytes = 0;
    for (uint32_t k = 0; k < head.num_inputs; ++k) {
      const SlotId slot = operands[head.inputs + k];
      if (program_.slots[slot].kind == SlotKind::kArena && last_reader_[slot] == group.head)
        kept_bytes += bytes_of(program_.slots[slot]);
    }
    return kept_bytes >= kMostKeptBytes;
  }

  void leave_head(Group& group) {
    std::erase(group.members, group.head);
    group_of_[std::exchange(group.head, kNobody)] = kNoGroup;
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

  Instruction fused(std::vector<Instruction>& before, const Group& group) {
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
    if (group.head != kNobody) put_told_last(told_slot(before[group.head]), loop);
    if (group.tail != kNobody) ++loop.reads[source_slot(before[group.tail])];
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

  SlotId told_slot(const Instruction& head) const {
    return program_.segment.operands[head.outputs + static_cast<uint32_t>(head.kernel->pieces().output)];
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
    const SlotId told = told_slot(instruction);
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

  SlotId source_slot(const Instruction& tail) const {
    return program_.segment.operands[tail.inputs + static_cast<uint32_t>(tail.kernel->source().input)];
  }

  /// The tail with the loop before it. Brings the operands in the order of the whole.
  std::unique_ptr<graph::Kernel> with_tail(Instruction& instruction, Loop& loop) {
    const std::vector<SlotId>& operands = program_.segment.operands;
    const SlotId source = source_slot(instruction);
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
  std::vector<Group> groups_;
  std::vector<GroupId> group_of_;      // by instruction
  std::vector<uint32_t> reads_;        // by slot: how often it is read or handed out
  std::vector<uint32_t> last_reader_;  // by slot
};

}  // namespace

void fuse(Program& program) {
  Grouping grouping(program);
  grouping.run();
  Rewriting(program, grouping).run();
}

}  // namespace flowray::engine
