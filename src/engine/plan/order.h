#pragma once
/// The order in which a Program's instructions run, chosen so that less memory is needed at once.

#include "engine/program/program.h"
#include "engine/step/step_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace flowray::engine {

/// The places of `program`'s instructions in the order in which they had better run: the list as it stands,
/// unless one of the others that are tried saves `least_gain_bytes` (and, where that is not 0, one part in
/// 256). Kept are the order of what reads from one another, of what `step` says has to wait, of reads and
/// changes of each variable, and of everything else that others can see; the blocking part stays where it is.
/// A variable is updated only after the last use of its old value, or the update would have to copy
/// it. Updates come as late as that memory allows, so that sweeps stay large. Buffers are not planned yet.
std::vector<uint32_t> memory_order(const Program& program, const StepGraph& step, int64_t least_gain_bytes);

/// Puts the instructions into the order that memory_order() chooses.
void order_for_memory(Program& program, const StepGraph& step, int64_t least_gain_bytes);

/// The most bytes that values need at once where the instructions run in this order, as far as shapes are
/// known: a value's memory is freed after its last read, and what may be written over its input is.
int64_t most_bytes_in_order(const Program& program, std::span<const uint32_t> order);

}  // namespace flowray::engine
