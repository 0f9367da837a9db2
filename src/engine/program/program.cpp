#include "engine/program/program.h"

#include "engine/program/token_program.h"

namespace flowray::engine {

bool may_wait(const Program& program, const Instruction& instruction) {
  switch (instruction.kind) {
    case InstructionKind::kBlocking:
      return true;
    case InstructionKind::kTokens:
      return program.token_programs[instruction.bodies]->may_wait;
    case InstructionKind::kIf:
    case InstructionKind::kWhile:
      for (const uint32_t number : {instruction.bodies, instruction.bodies + 1}) {
        if (program.bodies[number] != nullptr && may_wait(*program.bodies[number])) return true;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace flowray::engine
