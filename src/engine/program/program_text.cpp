#include "engine/program/program_text.h"

#include "engine/program/token_program.h"
#include "graph/graph.h"

#include <fmt/format.h>

namespace flowray::engine {

namespace {

std::string slot_text(const Program& program, SlotId id) {
  static constexpr const char* kKinds[] = {"arena", "constant", "feed", "resource", "held"};
  const Slot& slot = program.slots[id];
  std::string place = kKinds[static_cast<size_t>(slot.kind)];
  if (slot.lodges_in != kNoSlot) place = fmt::format("in %{}", slot.lodges_in);
  if (slot.kind == SlotKind::kArena) place += fmt::format("+{}", slot.offset);
  return fmt::format("%{} {}{} {}", id, dtype_name(slot.dtype), slot.shape.to_string(), place);
}

/// "run Add y(%0, %1) -> %2 float32[] arena+0 release %1".
std::string instruction_text(const Program& program, const Instruction& instruction) {
  static constexpr const char* kVerbs[] = {"run", "read", "dynamic", "block", "if", "while", "tokens"};
  const Segment& segment = program.segment;
  const bool is_fused = instruction.fused_begin < instruction.fused_end;
  std::string text = is_fused ? "fuse" : kVerbs[static_cast<size_t>(instruction.kind)];
  for (uint32_t k = instruction.fused_begin; k + 1 < instruction.fused_end; ++k) {
    text += fmt::format(" {} {} +", segment.fused[k]->op(), segment.fused[k]->name());
  }
  text += fmt::format(" {} {}(", instruction.node->op(), instruction.node->name());
  for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
    text += fmt::format("{}%{}", k == 0 ? "" : ", ", segment.operands[instruction.inputs + k]);
  }
  text += ")";
  for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
    text += (k == 0 ? " -> " : ", ") + slot_text(program, segment.operands[instruction.outputs + k]);
  }
  for (uint32_t k = instruction.release_begin; k < instruction.release_end; ++k) {
    text += fmt::format(" release %{}", segment.releases[k]);
  }
  for (uint32_t k = instruction.waits_begin; k < instruction.waits_end; ++k) {
    text += fmt::format(" after {}", segment.instructions[segment.waits[k]].node->name());
  }
  return text;
}

}  // namespace

std::string to_text(const Program& program, int indent, const LinePrefix& prefix) {
  static constexpr const char* kBodies[][2] = {{"else", "then"}, {"cond", "body"}};
  const std::string spaces(static_cast<size_t>(indent), ' ');
  const auto begin_of = [&](const Instruction* instruction) {
    return prefix == nullptr ? spaces : prefix(instruction) + spaces;
  };
  const std::string margin = begin_of(nullptr);
  const Segment& segment = program.segment;
  std::string text = fmt::format("{}arena {} bytes\n", margin, segment.arena_bytes);
  for (size_t index = 0; index < segment.instructions.size(); ++index) {
    const Instruction& instruction = segment.instructions[index];
    if (index > 0 && index == segment.num_blocking_part) text += margin + "then\n";
    text += begin_of(&instruction) + instruction_text(program, instruction) + "\n";
    if (instruction.kind == InstructionKind::kTokens) {
      const TokenProgram& tokens = *program.token_programs[instruction.bodies];
      text += fmt::format("{}  {} nodes, one by one: {}\n", margin, tokens.nodes.size(), tokens.reason);
    }
    if (!has_bodies(instruction)) continue;
    const bool is_while = instruction.kind == InstructionKind::kWhile;
    for (const size_t i : {0u, 1u}) {
      const Program* body = program.bodies[instruction.bodies + i].get();
      text += fmt::format("{}  {}:\n{}", margin, kBodies[is_while ? 1 : 0][i],
                          body == nullptr ? margin + "    never\n" : to_text(*body, indent + 4, prefix));
    }
  }
  for (const Result& result : program.results) {
    if (result.slot == kNoSlot) continue;
    text += fmt::format("{}fetch %{} {}{}\n", margin, result.slot, dtype_name(result.dtype),
                        result.shape.to_string());
  }
  return text;
}

}  // namespace flowray::engine
