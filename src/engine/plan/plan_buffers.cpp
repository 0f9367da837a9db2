#include "engine/plan/plan_buffers.h"

#include "engine/plan/live_bytes.h"
#include "engine/plan/place_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace flowray::engine {
namespace {

class BufferPlanner {
 public:
  explicit BufferPlanner(Program& program)
      : program_(program),
        segment_(program.segment),
        last_use_(program.slots.size(), -1),
        block_of_(program.slots.size(), kNone),
        room_of_(program.slots.size(), kNone) {}

  void run() {
    find_last_uses();
    for (const FreshSlot& fresh : program_.fresh_slots) {
      room_of_[fresh.slot] = static_cast<uint32_t>(rooms_.size());
      rooms_.push_back({bytes_of(program_.slots[fresh.slot]), -1});
      entered_.push_back(kBeforeRun);
      first_lodger_.push_back(kNone);
    }
    if (program_.is_loop_body) find_variables();
    for (size_t i = 0; i < segment_.instructions.size(); ++i) {
      make_blocks(static_cast<int>(i));
    }
    find_allocated();
    num_value_blocks_ = blocks_.size();
    add_workspaces(/*of_values_only=*/true);
    segment_.value_bytes = place();
    pool_some();
    add_workspaces(/*of_values_only=*/false);
    segment_.arena_bytes = place();
    write_offsets();
    if (program_.is_loop_body) take_variables_over();
    order_fresh();
    release_held();
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  static size_t bytes_of(const Slot& slot) {
    size_t bytes = 0;
    const auto count = static_cast<size_t>(slot.shape.num_elements());
    constexpr size_t kMost = size_t{1} << 46;  // sums of them cannot overflow
    if (!__builtin_mul_overflow(count, dtype_size(slot.dtype), &bytes) && bytes < kMost) return bytes;
    if (slot.shape.num_elements() == std::numeric_limits<int64_t>::max()) {
      throw errors::InvalidArgumentError(
          fmt::format("Shape {} would have more than 2**63 - 1 elements", slot.shape.to_string()));
    }
    throw errors::ResourceExhaustedError(fmt::format("OOM when allocating tensor with shape{} and type {}",
                                                     slot.shape.to_string(), dtype_kernel_name(slot.dtype)));
  }
  bool in_part(int index) const { return index < static_cast<int>(segment_.num_blocking_part); }
  int end_of_part() const { return static_cast<int>(segment_.num_blocking_part) - 1; }

  void find_last_uses() {
    const auto& instructions = segment_.instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      for_operands(instructions[i], [&](SlotId slot) { last_use_[slot] = static_cast<int>(i); });
    }
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot) last_use_[result.slot] = static_cast<int>(instructions.size());
    }
  }

  /// What instructions hold that make their outputs' memory themselves.
  void find_allocated() {
    if (std::ranges::all_of(segment_.instructions,
                            [](const Instruction& each) { return each.kernel != nullptr; }))
      return;
    const ValueSizes sizes(program_);
    for (uint32_t i = segment_.num_blocking_part; i < segment_.instructions.size(); ++i) {
      if (segment_.instructions[i].kernel != nullptr) continue;
      for (const SlotId id : sizes.outputs(i)) {
        allocated_.push_back({static_cast<size_t>(sizes.bytes(id)), static_cast<int>(i),
                              std::max(static_cast<int>(i), last_use_[id])});
      }
    }
  }

  /// A variable's new value may take over the buffer of the old one, after the last read of that.
  void find_variables() {
    variable_of_.assign(rooms_.size(), kNoSlot);
    for (uint32_t room = 0; room < rooms_.size(); ++room) {
      const FreshSlot& fresh = program_.fresh_slots[room];
      if (fresh.result == FreshSlot::kNoResult) continue;
      const SlotId variable = program_.feed_slots[fresh.result];
      const Slot& slot = program_.slots[fresh.slot];
      if (variable == kNoSlot || !is_read_by_kernels(variable)) continue;
      if (program_.slots[variable].dtype != slot.dtype || !(program_.slots[variable].shape == slot.shape))
        continue;
      variable_of_[room] = variable;
      rooms_[room].first = last_use_[variable] + 1;
    }
  }

  /// An instruction without a kernel may keep a reference to its input beyond its own run.
  bool is_read_by_kernels(SlotId id) const {
    if (last_use_[id] == static_cast<int>(segment_.instructions.size())) return false;
    return std::ranges::all_of(segment_.instructions, [&](const Instruction& instruction) {
      const auto inputs = std::span(segment_.operands).subspan(instruction.inputs, instruction.num_inputs);
      return instruction.kernel != nullptr || std::ranges::find(inputs, id) == inputs.end();
    });
  }

  void take_variables_over() {
    for (uint32_t room = 0; room < variable_of_.size(); ++room) {
      const SlotId variable = variable_of_[room];
      if (variable == kNoSlot || entered_[room] < static_cast<int>(segment_.num_blocking_part)) continue;
      program_.fresh_slots[room].takes_over =
          entered_[room] > last_use_[variable] ||
          (entered_[room] == last_use_[variable] && may_be_written_over(variable, room));
    }
  }

  /// Whether the variable's last reader may also be the first writer of `room`, in place: its kernel allows
  /// that output to be written over that input.
  bool may_be_written_over(SlotId variable, uint32_t room) const {
    const Instruction& instruction = segment_.instructions[static_cast<size_t>(last_use_[variable])];
    const auto inputs = std::span(segment_.operands).subspan(instruction.inputs, instruction.num_inputs);
    if (std::ranges::count(inputs, variable) != 1) return false;
    const SlotId memory = program_.fresh_slots[room].slot;
    uint32_t num_written = 0;
    bool is_allowed = false;
    for (int k = 0; k < static_cast<int>(instruction.num_outputs); ++k) {
      const SlotId id = output(instruction, k);
      if (id != memory && program_.slots[id].lodges_in != memory) continue;
      ++num_written;
      is_allowed =
          std::ranges::any_of(instruction.kernel->in_place(),
                              [&](const graph::InPlacePair& pair) {
                                return pair.output == k && input(instruction, pair.input) == variable;
                              }) &&
          bytes_of(program_.slots[id]) == bytes_of(program_.slots[memory]);
    }
    return num_written == 1 && is_allowed;
  }

  template <class F>
  void for_operands(const Instruction& instruction, F visit) const {
    for (uint32_t k = 0; k < instruction.num_inputs; ++k) visit(segment_.operands[instruction.inputs + k]);
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) visit(segment_.operands[instruction.outputs + k]);
  }

  SlotId input(const Instruction& instruction, int i) const {
    return segment_.operands[instruction.inputs + static_cast<uint32_t>(i)];
  }
  SlotId output(const Instruction& instruction, int i) const {
    return segment_.operands[instruction.outputs + static_cast<uint32_t>(i)];
  }

  /// The time in which each output is needed. Instructions of the blocking part run in any order, so each of
  /// its outputs is needed until the part has ended.
  void make_blocks(int index) {
    const Instruction& instruction = segment_.instructions[static_cast<size_t>(index)];
    if (instruction.kind != InstructionKind::kKernel) return;
    for (int k = 0; k < static_cast<int>(instruction.num_outputs); ++k) {
      const SlotId id = output(instruction, k);
      const bool is_result = room_of_[id] != kNone;
      if (program_.slots[id].kind != SlotKind::kArena && !is_result) continue;
      const std::optional<SlotId> below = in_place_source(instruction, index, k);
      if (is_result) {
        enter_room(room_of_[id], index, below);
      } else {
        if (below.has_value()) {
          block_of_[id] = block_of_[*below];
        } else {
          block_of_[id] = static_cast<uint32_t>(blocks_.size());
          blocks_.push_back({bytes_of(program_.slots[id]), in_part(index) ? 0 : index, 0});
        }
        blocks_[block_of_[id]].last = std::max(last_use_[id], in_part(index) ? end_of_part() : index);
      }
      if (below.has_value()) last_use_[*below] = kTakenOver;
    }
  }

  /// The memory of a result is free until the result is written, or what the result is written over.
  void enter_room(uint32_t room, int index, const std::optional<SlotId>& below) {
    if (in_part(index)) return;
    rooms_[room].last = index - 1;
    entered_[room] = index;
    if (!below.has_value()) return;
    Block& block = blocks_[block_of_[*below]];
    rooms_[room].last = block.first - 1;
    entered_[room] = block.first;
    first_lodger_[room] = block_of_[*below];
    block.bytes = 0;
  }

  /// An input whose memory output `k` may take: the kernel allows it, it lies in the arena, this is its
  /// last read, and it enters this instruction only once.
  std::optional<SlotId> in_place_source(const Instruction& instruction, int index, int k) const {
    if (in_part(index)) return std::nullopt;
    for (const graph::InPlacePair& pair : instruction.kernel->in_place()) {
      if (pair.output != k) continue;
      const SlotId source = input(instruction, pair.input);
      int uses = 0;
      for (uint32_t i = 0; i < instruction.num_inputs; ++i)
        uses += input(instruction, static_cast<int>(i)) == source;
      if (block_of_[source] != kNone && last_use_[source] == index && uses == 1 &&
          bytes_of(program_.slots[source]) == bytes_of(program_.slots[output(instruction, k)])) {
        return source;
      }
    }
    return std::nullopt;
  }

  /// What kernels ask for, and the arenas of the bodies of an If or a While, of which one runs at a time; or
  /// of these the part that is for values.
  void add_workspaces(bool of_values_only) {
    blocks_.resize(num_value_blocks_);
    for (int index = 0; index < static_cast<int>(segment_.instructions.size()); ++index) {
      const size_t bytes = workspace_bytes(segment_.instructions[static_cast<size_t>(index)], of_values_only);
      if (bytes == 0) continue;
      const bool is_part = in_part(index);
      blocks_.push_back({bytes, is_part ? 0 : index, is_part ? end_of_part() : index, false});
    }
  }

  size_t workspace_bytes(const Instruction& instruction, bool of_values_only) const {
    if (instruction.kernel != nullptr) return of_values_only ? 0 : instruction.kernel->workspace_bytes();
    if (!has_bodies(instruction)) return 0;
    size_t bytes = 0;
    for (const uint32_t number : {instruction.bodies, instruction.bodies + 1}) {
      if (program_.bodies[number] == nullptr) continue;
      const Segment& body = program_.bodies[number]->segment;
      bytes = std::max(bytes, of_values_only ? body.value_bytes : body.arena_bytes);
    }
    return bytes;
  }

  /// Returns the bytes of the arena.
  size_t place() {
    Placement placed = place_blocks(blocks_, rooms_);
    places_ = std::move(placed.places);
    return placed.arena_bytes;
  }

  /// The arena is there all the time, and what is handed out comes to it in the end, when less of the arena
  /// is needed. Where that makes a difference, a value or two that take part in the arena's largest moment
  /// get memory of their own while they are needed.
  void pool_some() {
    for (int round = 0; round < kMostPooled; ++round) {
      const size_t before = most_bytes(segment_.value_bytes);
      const size_t excess = before - std::min(before, most_bytes_needed());
      if (excess < kLeastExcess) break;
      const uint32_t number = pooled_block(excess);
      if (number == kNone) break;
      pool(number);
      const size_t value_bytes = place();
      if (most_bytes(value_bytes) >= before) {
        unpool(pooled_.size() - 1);
        segment_.value_bytes = place();
        break;
      }
      segment_.value_bytes = value_bytes;
    }
    if (num_value_blocks_ <= kMostTried) pool_all_but_some();
  }

  void pool(uint32_t number) {
    pooled_.push_back({number, blocks_[number]});
    blocks_[number].bytes = 0;
  }
  void unpool(size_t place) {
    blocks_[pooled_[place].number] = pooled_[place].block;
    pooled_.erase(pooled_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  /// The other way round, where a value or two do not help: all values get memory of their own but those that
  /// the arena can take at no cost. Tried where something is left to gain; kept where few are left.
  void pool_all_but_some() {
    const size_t before = most_bytes(segment_.value_bytes);
    const std::vector<Pooled> pooled_before = pooled_;
    while (!pooled_.empty()) unpool(pooled_.size() - 1);
    const std::vector<Block> blocks_before = blocks_;
    for (uint32_t number = 0; number < num_value_blocks_; ++number) {
      if (blocks_[number].bytes > 0 && !in_part(blocks_[number].first)) pool(number);
    }
    const size_t least = most_bytes(place());
    const bool is_worth_it = before > least + std::max(kLeastExcess, before / kLeastExcessShare);
    for (size_t i = pooled_.size(); i-- > 0 && is_worth_it;) {
      const Pooled tried = pooled_[i];
      unpool(i);
      if (most_bytes(place()) <= least + kSlack) continue;
      blocks_[tried.number].may_lodge = false;  // the result would need its memory too early
      if (most_bytes(place()) <= least + kSlack) continue;
      pooled_.insert(pooled_.begin() + static_cast<std::ptrdiff_t>(i), tried);
      blocks_[tried.number].bytes = 0;
    }
    if (!is_worth_it || pooled_.size() > kMostPooledOfAll) {
      blocks_ = blocks_before;
      pooled_.clear();
      for (const Pooled& each : pooled_before) pool(each.number);
    }
    segment_.value_bytes = place();
  }

  /// The smallest value in the arena at its peak that saves `excess`, or else the largest one there.
  uint32_t pooled_block(size_t excess) const {
    const auto [when, most] = largest_moment(blocks_in_arena());
    uint32_t best = kNone;
    for (uint32_t number = 0; number < num_value_blocks_; ++number) {
      const Block& block = blocks_[number];
      const bool counts = block.bytes > 0 && places_[number].room == kInArena && block.first <= when &&
                          when <= block.last && !in_part(block.first);
      if (!counts) continue;
      const size_t bytes = block.bytes;
      const size_t best_bytes = best == kNone ? 0 : blocks_[best].bytes;
      if (best == kNone || (best_bytes < excess ? bytes > best_bytes : bytes >= excess && bytes < best_bytes))
        best = number;
    }
    return best;
  }

  std::vector<Block> blocks_in_arena() const {
    std::vector<Block> blocks = blocks_;
    for (size_t number = 0; number < blocks.size(); ++number) {
      if (places_[number].room != kInArena) blocks[number].bytes = 0;
    }
    return blocks;
  }
  /// The blocks of values that get new memory, and the time in which they have it.
  std::vector<Block> fresh_blocks() const {
    std::vector<Block> blocks = allocated_;
    for (const auto& [number, block] : pooled_) blocks.push_back(block);
    std::vector<int> first(entered_.begin(), entered_.end());
    for (size_t number = 0; number < num_value_blocks_; ++number) {
      const uint32_t room = places_[number].room;
      if (room != kInArena) first[room] = std::min(first[room], blocks_[number].first);
    }
    for (uint32_t room = 0; room < rooms_.size(); ++room) {
      blocks.push_back(
          {rooms_[room].bytes, std::max(0, first[room]), last_use_[program_.fresh_slots[room].slot]});
    }
    return blocks;
  }
  size_t most_bytes(size_t arena_bytes) const { return arena_bytes + most_live_bytes(fresh_blocks()); }
  size_t most_bytes_needed() const {
    std::vector<Block> blocks = blocks_in_arena();
    for (const Block& block : fresh_blocks()) blocks.push_back(block);
    return most_live_bytes(blocks);
  }

  void write_offsets() {
    for (const auto& [number, block] : pooled_) give_own_memory(number, block);
    for (uint32_t room = 0; room < rooms_.size(); ++room) {
      if (first_lodger_[room] != kNone) places_[first_lodger_[room]] = {room, 0};
    }
    for (SlotId id = 0; id < block_of_.size(); ++id) {
      if (block_of_[id] == kNone) continue;
      const Place& place = places_[block_of_[id]];
      program_.slots[id].offset = place.offset;
      if (place.room == kInArena) continue;
      program_.slots[id].lodges_in = program_.fresh_slots[place.room].slot;
      lodgers_[place.room].push_back(id);
      if (block_of_[id] < num_value_blocks_)
        entered_[place.room] = std::min(entered_[place.room], blocks_[block_of_[id]].first);
    }
    size_t next = num_value_blocks_;
    for (Instruction& instruction : segment_.instructions) {
      if (workspace_bytes(instruction, false) > 0) instruction.workspace_offset = places_[next++].offset;
    }
  }

  void give_own_memory(uint32_t number, const Block& block) {
    places_[number] = {static_cast<uint32_t>(program_.fresh_slots.size()), 0};
    blocks_[number].first = block.first;
    const Shape shape{static_cast<int64_t>(block.bytes)};
    program_.fresh_slots.push_back({.slot = static_cast<SlotId>(program_.slots.size())});
    program_.slots.push_back({.kind = SlotKind::kHeld, .dtype = DType::kUint8, .shape = shape});
    last_use_.push_back(block.last);
    entered_.push_back(block.first);
    ends_[block.last].push_back(program_.fresh_slots.back().slot);
  }

  /// Each gets its memory before the instruction that needs it first.
  void order_fresh() {
    std::vector<uint32_t> order(program_.fresh_slots.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](uint32_t number) { return entered_[number]; });
    std::vector<FreshSlot> ordered;
    for (const uint32_t number : order) {
      FreshSlot& fresh = ordered.emplace_back(program_.fresh_slots[number]);
      fresh.lodgers_begin = static_cast<uint32_t>(program_.lodgers.size());
      for (const SlotId id : lodgers_[number]) program_.lodgers.push_back(id);
      fresh.lodgers_end = static_cast<uint32_t>(program_.lodgers.size());
      const auto place = static_cast<uint32_t>(ordered.size());
      if (entered_[number] < static_cast<int>(segment_.num_blocking_part)) {
        program_.num_first_fresh = place;
        continue;
      }
      Instruction& instruction = segment_.instructions[static_cast<size_t>(entered_[number])];
      if (instruction.fresh_end == 0) instruction.fresh_begin = place - 1;
      instruction.fresh_end = place;
    }
    program_.fresh_slots = std::move(ordered);
  }

  void release_held() {
    for (size_t i = 0; i < segment_.instructions.size(); ++i) {
      if (i == segment_.num_blocking_part && i > 0) end_blocking_part();
      if (i >= segment_.num_blocking_part) release_dead(static_cast<int>(i));
    }
    if (segment_.instructions.size() == segment_.num_blocking_part) end_blocking_part();
  }

  /// At its end: values without a later read are freed.
  void end_blocking_part() {
    segment_.part_release_begin = static_cast<uint32_t>(segment_.releases.size());
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      if (last_use_[id] < 0 || !in_part(last_use_[id])) continue;
      last_use_[id] = kTakenOver;
      if (program_.slots[id].kind == SlotKind::kHeld) segment_.releases.push_back(id);
    }
    segment_.part_release_end = static_cast<uint32_t>(segment_.releases.size());
  }

  void release_dead(int index) {
    Instruction& instruction = segment_.instructions[static_cast<size_t>(index)];
    instruction.release_begin = static_cast<uint32_t>(segment_.releases.size());
    for_operands(instruction, [&](SlotId id) {
      if (last_use_[id] != index) return;
      last_use_[id] = kTakenOver;  // an operand that occurs twice is released once
      if (program_.slots[id].kind == SlotKind::kHeld) segment_.releases.push_back(id);
    });
    if (const auto found = ends_.find(index); found != ends_.end())
      segment_.releases.insert(segment_.releases.end(), found->second.begin(), found->second.end());
    instruction.release_end = static_cast<uint32_t>(segment_.releases.size());
  }

  static constexpr int kTakenOver = -2;
  static constexpr int kBeforeRun = -1;
  /// Memory of its own costs some 20 ns a run.
  static constexpr int kMostPooled = 4;
  static constexpr size_t kMostPooledOfAll = 6;
  static constexpr size_t kLeastExcess = 256;
  static constexpr size_t kLeastExcessShare = 64;
  static constexpr size_t kMostTried = 48;
  static constexpr size_t kSlack = 64;
  struct Pooled {
    uint32_t number;
    Block block;
  };

  Program& program_;
  Segment& segment_;
  std::vector<int> last_use_;  // by slot: index of the instruction; the number of instructions for results
  std::vector<Block> blocks_;  // of values, which may follow one another in it; then of workspaces
  std::vector<uint32_t> block_of_;   // by slot
  std::vector<Room> rooms_;          // as Program::fresh_slots
  std::vector<uint32_t> room_of_;    // by slot
  std::vector<int> entered_;         // by fresh slot: the instruction that needs its memory first
  std::vector<SlotId> variable_of_;  // by room, in the body of a loop: which it may take the memory of
  std::vector<Pooled> pooled_;       // blocks with memory of their own
  std::vector<Block> allocated_;     // while held
  std::map<uint32_t, std::vector<SlotId>> lodgers_;  // by fresh slot
  std::map<int, std::vector<SlotId>> ends_;          // by instruction: memory that is free after it
  std::vector<uint32_t> first_lodger_;  // by room: the block that the result itself is written over
  std::vector<Place> places_;           // by block
  size_t num_value_blocks_ = 0;
};

}  // namespace

void plan_buffers(Program& program) { BufferPlanner(program).run(); }

}  // namespace flowray::engine
