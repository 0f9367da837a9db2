#pragma once
/// A compiled step: a list of instructions over numbered slots, ready to run any number of times from any
/// number of threads.

#include "graph/kernel.h"
#include "graph/resource.h"

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
  kArena,     // planned memory of the run; `offset` into its arena
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
  Array constant = {};
  std::shared_ptr<graph::Resource> resource = nullptr;
};

enum class InstructionKind : uint8_t {
  kKernel,    // run a prepared kernel on pointers
  kRead,      // hold a variable's value: input 0 -> output 0
  kDynamic,   // shapes follow at run time: infer, prepare, run into fresh arrays
  kBlocking,  // start it, hold its outputs when it ends
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
  size_t workspace_offset = 0;  // in the arena
  /// Held slots that nobody reads after this instruction: [release_begin, release_end) in Program::releases.
  uint32_t release_begin = 0;
  uint32_t release_end = 0;
  /// Blocking instructions of the segment that end before this one starts: [waits_begin, waits_end) in
  /// Segment::waits.
  uint32_t waits_begin = 0;
  uint32_t waits_end = 0;
};

/// How a result is handed out.
struct Result {
  SlotId slot = 0;
  DType dtype = DType::kInvalid;
  /// Fully defined, or unknown where the held array has it.
  Shape shape = Shape::unknown_rank();
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
  size_t arena_bytes = 0;
};

struct Program {
  Segment segment;
  std::vector<Slot> slots;
  std::vector<SlotId> feed_slots;   // by number of the feed
  std::vector<SlotId> fresh_slots;  // held slots that get new memory before each run: fetched results
  std::vector<Result> results;
};

/// What is planned, for people and golden tests: instructions, slots, bytes.
std::string to_text(const Program& program);

}  // namespace flowray::engine
