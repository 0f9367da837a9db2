#include "engine/program/verify_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace flowray::engine {
namespace {

/// Goes through the list as a run does, with an account of which slot owns which bytes. Shares nothing with
/// the pass that planned.
class ProgramCheck {
 public:
  explicit ProgramCheck(const Program& program)
      : program_(program),
        segment_(program.segment),
        last_use_(program.slots.size(), kNever),
        written_(program.slots.size(), false),
        released_(program.slots.size(), false) {}

  void run() {
    for (index_ = 0; index_ < count(); ++index_) check_ranges(current());
    find_last_uses();
    for (SlotId id = 0; id < program_.slots.size(); ++id) {
      const SlotKind kind = program_.slots[id].kind;
      written_[id] = kind != SlotKind::kArena && kind != SlotKind::kHeld;
    }
    for (index_ = 0; index_ < count(); ++index_) {
      if (index_ == segment_.num_blocking_part) end_part();
      check_current();
    }
    if (count() == segment_.num_blocking_part) end_part();
    check_results();
    for (const auto& body : program_.bodies) {
      if (body != nullptr) verify(*body);
    }
  }

 private:
  static constexpr size_t kNever = ~size_t{0};

  /// The held slot whose memory it is, or kNoSlot for the arena; the offset in it.
  using Place = std::pair<SlotId, size_t>;
  struct Range {
    size_t end;
    SlotId owner;
  };

  size_t count() const { return segment_.instructions.size(); }
  const Instruction& current() const { return segment_.instructions[index_]; }
  std::span<const SlotId> inputs() const {
    return std::span(segment_.operands).subspan(current().inputs, current().num_inputs);
  }
  std::span<const SlotId> outputs() const {
    return std::span(segment_.operands).subspan(current().outputs, current().num_outputs);
  }
  bool in_part() const { return index_ < segment_.num_blocking_part; }

  [[noreturn]] void fail(const std::string& what) const {
    const bool is_inside = index_ < count() && current().node != nullptr;
    throw errors::InternalError(fmt::format("The program is wrong at instruction {} {}: {}", index_,
                                            is_inside ? current().node->name() : "(the end)", what));
  }

  void check_ranges(const Instruction& instruction) const {
    const size_t operands = segment_.operands.size();
    if (size_t{instruction.inputs} + instruction.num_inputs > operands ||
        size_t{instruction.outputs} + instruction.num_outputs > operands) {
      fail("its operands are out of range");
    }
    for (const auto list : {inputs(), outputs()}) {
      for (const SlotId id : list) {
        if (id >= program_.slots.size()) fail(fmt::format("slot {} does not exist", id));
      }
    }
    if (instruction.release_end > segment_.releases.size() ||
        instruction.release_begin > instruction.release_end) {
      fail("its releases are out of range");
    }
    if (instruction.kind == InstructionKind::kKernel && instruction.kernel == nullptr)
      fail("it has no kernel");
    if (has_bodies(instruction) && size_t{instruction.bodies} + 2 > program_.bodies.size())
      fail("its bodies do not exist");
    const bool runs_tokens = instruction.kind == InstructionKind::kTokens;
    if (runs_tokens && instruction.bodies >= program_.token_programs.size()) fail("its nodes do not exist");
  }

  void find_last_uses() {
    const auto use = [&](SlotId id) { last_use_[id] = index_; };
    for (index_ = 0; index_ < count(); ++index_) {
      for (const SlotId id : inputs()) use(id);
      for (const SlotId id : outputs()) use(id);
    }
    // In the blocking part the order is not fixed: everything there lives until all of it is over.
    for (size_t& last : last_use_) {
      if (last < segment_.num_blocking_part) last = segment_.num_blocking_part - 1;
    }
    for (const Result& result : program_.results) {
      if (result.slot != kNoSlot && result.slot < program_.slots.size()) last_use_[result.slot] = count();
    }
  }

  void check_current() {
    for (const SlotId id : inputs()) check_input(id);
    for (uint32_t k = current().fresh_begin; k < current().fresh_end; ++k)
      check_taken_over(program_.fresh_slots[k]);
    const Instruction& instruction = current();
    if (has_bodies(instruction)) check_predicate(instruction);
    if (!in_part() && may_wait(program_, instruction))
      fail("it may wait and stands behind the blocking part");
    const size_t workspace_bytes = workspace_of(instruction);
    for (size_t k = 0; k < outputs().size(); ++k) check_output(outputs()[k], static_cast<int>(k));
    if (workspace_bytes > 0)
      check_free({kNoSlot, instruction.workspace_offset}, workspace_bytes, std::nullopt);
    if (in_part()) {
      if (workspace_bytes > 0) take({kNoSlot, instruction.workspace_offset}, workspace_bytes, kNoSlot);
      return;
    }
    for (uint32_t k = instruction.release_begin; k < instruction.release_end; ++k)
      check_release(segment_.releases[k]);
    drop_dead();
  }

  /// The predicate of an If or a loop has elements: a variable's value is read first.
  void check_predicate(const Instruction& instruction) const {
    const Program* of = &program_;
    SlotId asked = kNoSlot;
    if (instruction.kind == InstructionKind::kIf) {
      asked = inputs()[0];
    } else {
      of = program_.bodies[instruction.bodies].get();
      asked = of->results[0].slot;
    }
    if (asked == kNoSlot || of->slots[asked].kind == SlotKind::kResource)
      fail("what it goes by has no value");
    if (of->slots[asked].dtype != DType::kBool) fail("its condition is not a boolean");
  }

  /// A loop's variable that lies in the memory is not read after this instruction.
  void check_taken_over(const FreshSlot& fresh) const {
    if (!fresh.takes_over) return;
    if (!program_.is_loop_body || fresh.result == FreshSlot::kNoResult)
      fail("it takes over a value that is not a loop variable");
    const SlotId variable = program_.feed_slots[fresh.result];
    if (variable != kNoSlot && last_use_[variable] != kNever && last_use_[variable] > index_)
      fail(fmt::format("it writes over variable {}, which is still read", fresh.result));
  }

  void check_input(SlotId id) const {
    if (!written_[id]) fail(fmt::format("slot {} is read before it is written", id));
    const SlotId memory = program_.slots[id].lodges_in;
    if (released_[id] || (memory != kNoSlot && released_[memory]))
      fail(fmt::format("slot {} is read after it was let go", id));
  }

  void check_output(SlotId id, int number) {
    const Slot& slot = program_.slots[id];
    if (slot.kind == SlotKind::kResource) return;
    if (slot.kind != SlotKind::kArena && slot.kind != SlotKind::kHeld)
      fail(fmt::format("slot {} is not to be written", id));
    if (written_[id]) fail(fmt::format("slot {} is written twice", id));
    written_[id] = true;
    if (!slot.shape.is_fully_defined()) {
      if (slot.kind == SlotKind::kArena)
        fail(fmt::format("slot {} lies in the arena and its size is not known", id));
      return;
    }
    if (slot.lodges_in != kNoSlot && (written_[slot.lodges_in] || released_[slot.lodges_in]))
      fail(fmt::format("slot {} lies in slot {}, which is written or let go already", id, slot.lodges_in));
    const std::optional<SlotId> below = taken_over(id, number);
    check_free(place_of(id), bytes_of(slot), below);
    if (below.has_value()) give_back(*below);
    take(place_of(id), bytes_of(slot), id);
  }

  /// The memory that the slot lies in, and where. A held slot has memory of its own.
  Place place_of(SlotId id) const {
    const Slot& slot = program_.slots[id];
    return slot.kind == SlotKind::kArena ? Place(slot.lodges_in, slot.offset) : Place(id, 0);
  }

  size_t workspace_of(const Instruction& instruction) const {
    if (instruction.kernel != nullptr) return instruction.kernel->workspace_bytes();
    size_t bytes = 0;
    for (uint32_t i = 0; has_bodies(instruction) && i < 2; ++i) {
      const Program* body = program_.bodies[instruction.bodies + i].get();
      if (body != nullptr) bytes = std::max(bytes, body->segment.arena_bytes);
    }
    return bytes;
  }

  size_t bytes_of(const Slot& slot) const {
    return static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
  }

  /// The input that output `number` is written over, if that is allowed.
  std::optional<SlotId> taken_over(SlotId output, int number) const {
    if (in_part() || current().kernel == nullptr) return std::nullopt;
    for (const graph::InPlacePair& pair : current().kernel->in_place()) {
      const SlotId id = inputs()[static_cast<size_t>(pair.input)];
      const Slot& from = program_.slots[id];
      if (pair.output == number && from.kind == SlotKind::kArena && place_of(id) == place_of(output) &&
          bytes_of(from) == bytes_of(program_.slots[output]) && last_use_[id] == index_ &&
          std::ranges::count(inputs(), id) == 1) {
        return id;
      }
    }
    return std::nullopt;
  }

  /// No slot but `allowed` overlaps it.
  void check_free(const Place& place, size_t bytes, std::optional<SlotId> allowed) const {
    if (bytes == 0) return;
    const auto [memory, offset] = place;
    if (offset + bytes > (memory == kNoSlot ? segment_.arena_bytes : bytes_of(program_.slots[memory])))
      fail(memory == kNoSlot ? "it writes behind the arena"
                             : fmt::format("it writes behind slot {}", memory));
    if (offset % 64 != 0) fail("it writes to an offset that is not a multiple of 64");
    auto range = owners_.upper_bound(place);
    if (range != owners_.begin()) --range;
    for (; range != owners_.end() && range->first < Place(memory, offset + bytes); ++range) {
      const bool is_before = range->first.first != memory || range->second.end <= offset;
      if (is_before || (allowed.has_value() && range->second.owner == *allowed)) continue;
      fail(fmt::format("it overwrites slot {}, which is still read", range->second.owner));
    }
  }

  void take(const Place& place, size_t bytes, SlotId owner) {
    if (bytes > 0) owners_[place] = {place.second + bytes, owner};
  }

  void give_back(SlotId id) {
    const auto range = owners_.find(place_of(id));
    if (range != owners_.end() && range->second.owner == id) owners_.erase(range);
  }

  void drop_dead() {
    for (const auto list : {inputs(), outputs()}) {
      for (const SlotId id : list) {
        if (last_use_[id] != index_) continue;
        give_back(id);
        if (program_.slots[id].kind == SlotKind::kHeld && !released_[id])
          fail(fmt::format("slot {} is never let go", id));
      }
    }
  }

  void check_release(SlotId id) {
    if (id >= program_.slots.size() || program_.slots[id].kind != SlotKind::kHeld)
      fail("it lets go what is not held");
    if (released_[id]) fail(fmt::format("slot {} is let go twice", id));
    if (last_use_[id] > index_ && last_use_[id] != kNever)
      fail(fmt::format("slot {} is let go and read later", id));
    released_[id] = true;
  }

  void end_part() {
    if (segment_.num_blocking_part == 0) return;
    const size_t last = segment_.num_blocking_part - 1;
    for (uint32_t k = segment_.part_release_begin; k < segment_.part_release_end; ++k)
      check_release(segment_.releases[k]);
    std::erase_if(owners_, [&](const auto& range) {
      return range.second.owner == kNoSlot || last_use_[range.second.owner] == last;
    });
  }

  void check_results() const {
    for (const Result& result : program_.results) {
      if (result.slot == kNoSlot) continue;
      if (result.slot >= program_.slots.size()) fail("a result's slot does not exist");
      const SlotKind kind = program_.slots[result.slot].kind;
      if (kind == SlotKind::kArena || kind == SlotKind::kResource) fail("a result cannot be handed out");
      if (!written_[result.slot])
        fail(fmt::format("slot {} is handed out and nobody writes it", result.slot));
      if (released_[result.slot]) fail(fmt::format("slot {} is handed out after it was let go", result.slot));
    }
  }

  const Program& program_;
  const Segment& segment_;
  size_t index_ = 0;
  std::vector<size_t> last_use_;  // by slot: index of the instruction; the number of instructions for results
  std::vector<bool> written_;
  std::vector<bool> released_;
  std::map<Place, Range> owners_;  // an owner kNoSlot: a workspace
};

}  // namespace

void verify(const Program& program) { ProgramCheck(program).run(); }

}  // namespace flowray::engine
