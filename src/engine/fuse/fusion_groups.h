#pragma once
/// Which instructions become one.

#include "engine/fuse/fused_rows.h"
#include "engine/program/program.h"

#include <cstdint>
#include <vector>

namespace flowray::engine {

using GroupId = uint32_t;
constexpr GroupId kNoGroup = ~GroupId{0};
/// Stands where a number of an instruction is expected, for none.
constexpr uint32_t kNobody = ~uint32_t{0};
/// Memory that is kept for longer because of a group, at most.
constexpr size_t kMostKeptBytes = 8192;

/// Instructions that will run as one, where the last of them stands.
struct FusionGroup {
  std::vector<uint32_t> members;  // in list order
  int64_t count = 0;              // elements
  int64_t period = 0;
  size_t num_operands = 0;
  /// The member whose output the others work on piece by piece. It need not be elementwise itself: a product
  /// may be one.
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
  /// Whether others may still join: no instruction outside has read a member's result, and no side effect has
  /// happened since.
  bool is_open = true;
};

struct FusionGroups {
  std::vector<FusionGroup> groups;  // those of one member stay as they are
  std::vector<GroupId> of;          // by instruction
};

/// Groups for all instructions behind the blocking part. Changes nothing.
FusionGroups find_fusion_groups(const Program& program);

/// 0 where that is not known before the run.
size_t bytes_of(const Slot& slot);
/// The output that a head tells of piece by piece.
SlotId told_slot(const Program& program, const Instruction& head);
/// What a tail reads piece by piece; kNoSlot of other instructions.
SlotId source_slot(const Program& program, const Instruction& tail);

}  // namespace flowray::engine
