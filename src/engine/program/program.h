#pragma once
/// A compiled step: a list of instructions over numbered slots, ready to run any number of times from any
/// number of threads.

#include "graph/kernel/kernel.h"
#include "graph/resource/resource.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace flowray::engine {

/// Index into the table of pointers that a run works on.
using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = ~SlotId{0};

/// Where the elements behind a slot come from.
enum class SlotKind : uint8_t {
  kArena,     // planned memory of the run; `offset` into its arena or into the memory of a result
  kConstant,  // the same Array in every run
  kFeed,      // given by the caller; `offset` is the number of the feed
  kResource,  // not elements: the variable or queue itself
  kHeld,      // an Array that the run holds: a variable's value, a fetched result, a dynamic result
};

struct Slot {
  SlotKind kind = SlotKind::kArena;
  DType dtype = DType::kInvalid;
  /// Fully defined for arena slots and for held ones that are allocated before the run.
  Shape shape = Shape::unknown_rank();
  size_t offset = 0;
  /// For an arena slot: the fresh slot in whose memory it lies, which is free until it is
  /// written; kNoSlot: in the arena.
  SlotId lodges_in = kNoSlot;
  Array constant = {};
  std::shared_ptr<graph::Resource> resource = nullptr;
};

enum class InstructionKind : uint8_t {
  kKernel,    // run a prepared kernel on pointers
  kRead,      // hold a variable's value: input 0 -> output 0
  kDynamic,   // shapes follow at run time: infer, prepare, run into fresh arrays
  kBlocking,  // start it, hold its outputs when it ends
  kIf,        // run one of two programs: for false and for true
  kWhile,     // run two programs by turns: condition and body
  kTokens,    // run a graph node by node
};

struct Instruction {
  InstructionKind kind = InstructionKind::kKernel;
  const graph::Node* node = nullptr;
  std::unique_ptr<graph::Kernel> kernel;
  /// Positions in Program::operands.
  uint32_t inputs = 0;
  uint32_t num_inputs = 0;
  uint32_t outputs = 0;
  uint32_t num_outputs = 0;
  size_t workspace_offset = 0;  // in the arena; that of bodies is their arena
  /// What gets new memory before it runs: [fresh_begin, fresh_end) in Program::fresh_slots.
  uint32_t fresh_begin = 0;
  uint32_t fresh_end = 0;
  /// Held slots whose last read is this instruction's: [release_begin, release_end) in Program::releases.
  uint32_t release_begin = 0;
  uint32_t release_end = 0;
  /// Blocking instructions of the segment that end before this one starts: [waits_begin, waits_end)
  /// in Segment::waits.
  uint32_t waits_begin = 0;
  uint32_t waits_end = 0;
  /// If, While: the first of two in Program::bodies. Tokens: in Program::token_programs. Dynamic: its number
  /// among these.
  uint32_t bodies = 0;
  /// The nodes that it computes, where there are several: [fused_begin, fused_end) in Segment::fused. `node`
  /// is the last.
  uint32_t fused_begin = 0;
  uint32_t fused_end = 0;
};

/// How a result is handed out.
struct Result {
  SlotId slot = 0;  // kNoSlot: nothing is handed out here
  DType dtype = DType::kInvalid;
  /// Fully defined, or unknown where the held array has it.
  Shape shape = Shape::unknown_rank();
  /// Whether no later result shows the slot.
  bool is_last = true;
  /// Whether the array that it was in the run before may be written over in this one.
  bool reuses_memory = false;
  /// Whether the array in the slot may have another shape: views share a slot.
  bool may_reshape = false;
};

/// Instructions that do not branch, in one thread, with their own arena and buffer plan. Immutable once
/// planned. Today a Program is one segment. The first `num_blocking_part` instructions run as what they wait
/// for ends; each of their values has memory of its own until all of them are over. The buffer plan of the
/// others holds in list order only.
struct Segment {
  std::vector<Instruction> instructions;
  uint32_t num_blocking_part = 0;
  std::vector<uint32_t> waits;
  /// Held slots that only the blocking part reads, in `releases`: [part_release_begin, part_release_end).
  uint32_t part_release_begin = 0;
  uint32_t part_release_end = 0;
  std::vector<SlotId> operands;
  std::vector<SlotId> releases;
  std::vector<const graph::Node*> fused;
  size_t arena_bytes = 0;  // those of the bodies included
  size_t value_bytes = 0;  // of these: what the segment's own values would need alone, without workspaces
};

/// A held slot that gets new memory in each run: its value is handed out or given to a body, or others lie
/// in it.
struct FreshSlot {
  SlotId slot = 0;
  /// The arena slots that lie in its memory: [lodgers_begin, lodgers_end) in Program::lodgers.
  uint32_t lodgers_begin = 0;
  uint32_t lodgers_end = 0;
  /// The result that shows it, whose array of the run before may be written again; kNoResult: none.
  uint32_t result = kNoResult;
  static constexpr uint32_t kNoResult = ~uint32_t{0};
  /// For the body of a While: whether the variable's memory of the iteration before may be written over,
  /// because all its reads are over.
  bool takes_over = false;
};

struct StraightLoop;
struct TokenProgram;

struct Program {
  Segment segment;
  std::vector<Slot> slots;
  std::vector<Shape> fed_shapes;       // by number of the feed; of a step's program, not of bodies
  std::vector<SlotId> feed_slots;      // by number of the feed; kNoSlot where it is not read
  std::vector<FreshSlot> fresh_slots;  // in the order in which they get it
  uint32_t num_first_fresh = 0;        // so many get it before the run
  std::vector<SlotId> lodgers;
  std::vector<Result> results;
  /// What If and While run. Null for a branch that is never taken.
  std::vector<std::unique_ptr<Program>> bodies;
  /// By number of the condition in `bodies`; null for other bodies, and for loops that are not straight.
  std::vector<std::shared_ptr<const StraightLoop>> straight_loops;
  std::vector<std::shared_ptr<const TokenProgram>> token_programs;
  uint32_t num_dynamic = 0;
  /// Whether it is the body of a While: result k is the next value of feed k.
  bool is_loop_body = false;
};

/// Whether it may have to wait for others. What may stands in the blocking part, branches and loops that have
/// such in them too.
inline bool may_wait(const Program& program) { return program.segment.num_blocking_part > 0; }
/// Whether `instruction` of `program` may.
bool may_wait(const Program& program, const Instruction& instruction);

/// Whether it runs programs of their own.
inline bool has_bodies(const Instruction& instruction) {
  return instruction.kind == InstructionKind::kIf || instruction.kind == InstructionKind::kWhile;
}

}  // namespace flowray::engine
