#pragma once

#include "engine/program/program.h"

#include <functional>
#include <string>

namespace flowray::engine {

/// What stands at the beginning of an instruction's line; for other lines it gets a null pointer.
using LinePrefix = std::function<std::string(const Instruction* instruction)>;

/// What is planned, for people and golden tests: instructions, slots, bytes.
std::string to_text(const Program& program, int indent = 0, const LinePrefix& prefix = {});

}  // namespace flowray::engine
