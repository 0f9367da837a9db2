#include "engine/run/program_run.h"

#include "engine/run/pausing_run.h"
#include "engine/run/step_trace.h"
#include "engine/run/token_run.h"
#include "graph/resource/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::engine {

void run_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                 const RunSurroundings& surroundings) {
  if (may_wait(*state.program())) return run_waiting_program(state, feeds, results, surroundings);
  ProgramRun run(state, feeds, surroundings);
  try {
    run.run();
    run.hand_out(results);
  } catch (...) {
    run.abandon();
    throw;
  }
}

void ProgramRun::run_rest() {
  release(segment_.part_release_begin, segment_.part_release_end);
  for (size_t i = segment_.num_blocking_part; i < segment_.instructions.size(); ++i) {
    const Instruction& instruction = segment_.instructions[i];
    hold_fresh(instruction.fresh_begin, instruction.fresh_end);
    execute_watched(instruction);
    release(instruction.release_begin, instruction.release_end);
  }
}

void ProgramRun::hand_out(std::span<Array> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const Result& result = program_.results[i];
    if (result.slot == kNoSlot) continue;
    const Slot& slot = program_.slots[result.slot];
    Array value;
    switch (slot.kind) {
      case SlotKind::kHeld:
        value = result.is_last ? std::move(held_[result.slot]) : held_[result.slot];
        break;
      case SlotKind::kConstant:
        value = slot.constant;
        break;
      case SlotKind::kFeed:
        value = *feeds_[slot.offset];
        break;
      default:
        throw errors::InternalError("A fetched value was planned into the arena");
    }
    const bool reshaped = result.may_reshape && !(result.shape == value.shape());
    results[i] = reshaped ? value.reshape(result.shape) : std::move(value);
  }
}

/// No value: there is no better place than the heap.
Array ProgramRun::memory_of_result(const Slot& slot) {
  const ResultMemory memory = result_memory.load(std::memory_order_relaxed);
  const size_t bytes = static_cast<size_t>(slot.shape.num_elements()) * dtype_size(slot.dtype);
  if (memory == nullptr || bytes < kLeastResultBytes) return {};
  BufferRef buffer = memory(bytes);
  if (!buffer) return {};
  void* const data = buffer->data();
  return Array::wrap(buffer.leave(), data, slot.dtype, slot.shape);
}

void ProgramRun::abandon(RunState& state) {
  for (Array& array : state.held_) array = Array();
  for (RunState::Body& body : state.bodies_) {
    for (std::vector<Array>& results : body.results) results.clear();
    if (body.state != nullptr) abandon(*body.state);
  }
}

void ProgramRun::execute_watched(const Instruction& instruction) {
  check_wanted();
  const int64_t start_ns = surroundings_.context.trace == nullptr ? 0 : StepTrace::now_ns();
  execute(instruction);
  // Nodes of a dataflow run (tokens) are traced by that run.
  const bool is_traced =
      surroundings_.context.trace != nullptr && instruction.kind != InstructionKind::kTokens;
  if (is_traced) trace(instruction, start_ns);
}

void ProgramRun::trace(const Instruction& instruction, int64_t start_ns) {
  NodeTrace entry{instruction.node, start_ns, StepTrace::now_ns(), StepTrace::this_thread(), {}};
  for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
    const SlotId id = operand(instruction.outputs + k);
    const Slot& slot = program_.slots[id];
    if (slot.kind == SlotKind::kResource) continue;
    entry.outputs.push_back({slot.dtype, held_[id].has_value() ? held_[id].shape() : slot.shape});
  }
  trace_fused(instruction, entry);
  surroundings_.context.trace->add(std::move(entry), instruction.kind == InstructionKind::kRead);
}

/// Gives each node of a fused loop an equal share of its time; the last node, with the
/// outputs, stays in `entry`.
void ProgramRun::trace_fused(const Instruction& instruction, NodeTrace& entry) {
  const uint32_t count = instruction.fused_end - instruction.fused_begin;
  if (count == 0) return;
  const int64_t share_ns = (entry.end_ns - entry.start_ns) / count;
  for (uint32_t k = 0; k + 1 < count; ++k) {
    const int64_t start_ns = entry.start_ns + share_ns;
    surroundings_.context.trace->add(
        {segment_.fused[instruction.fused_begin + k], entry.start_ns, start_ns, entry.thread, {}}, false);
    entry.start_ns = start_ns;
  }
}

// ---- the blocking part

void ProgramRun::take(const Instruction& instruction, graph::BlockingResult result, int64_t started_ns) {
  try {
    if (result.code != Code::kOk) errors::throw_error(result.code, result.text);
    if (result.is_dead) {
      throw errors::InternalError(
          "A value of a branch that was not taken on another device arrived in a part of the step that was "
          "planned without branches");
    }
    result.outputs.resize(instruction.num_outputs);
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      hold_checked(operand(instruction.outputs + k), std::move(result.outputs[k]));
    }
  } catch (const Error& error) {
    graph::rethrow_with_node(*instruction.node, error);
  }
  if (surroundings_.context.trace != nullptr) trace(instruction, started_ns);
}

void ProgramRun::end_work(const Instruction& instruction, int64_t started_ns) {
  if (surroundings_.context.trace != nullptr && instruction.kind != InstructionKind::kTokens)
    trace(instruction, started_ns);
}

/// What came may be of another shape than the step was planned for.
void ProgramRun::hold_checked(SlotId id, Array value) {
  const Slot& slot = program_.slots[id];
  if (value.dtype() != slot.dtype || (slot.shape.is_fully_defined() && !(slot.shape == value.shape()))) {
    throw errors::InvalidArgumentError(fmt::format("Got {} {}, but {} {} was expected",
                                                   dtype_name(value.dtype()), value.shape().to_string(),
                                                   dtype_name(slot.dtype), slot.shape.to_string()));
  }
  hold(id, std::move(value));
}

// ---- single instructions

void ProgramRun::run_read(const Instruction& instruction) {
  const auto& resource = *static_cast<const graph::Resource*>(slots_[operand(instruction.inputs)]);
  const auto& variable = static_cast<const graph::Variable&>(resource);
  const SlotId to = operand(instruction.outputs);
  const Slot& slot = program_.slots[to];
  try {
    Array value = variable.read();
    // An assignment without shape validation may have changed it after this step was planned.
    if (value.dtype() != slot.dtype || (slot.shape.is_fully_defined() && !(slot.shape == value.shape()))) {
      throw errors::InvalidArgumentError(
          fmt::format("Variable {} has shape {} and dtype {}, but {} {} was expected", variable.name(),
                      value.shape().to_string(), dtype_name(value.dtype()), slot.shape.to_string(),
                      dtype_name(slot.dtype)));
    }
    hold(to, std::move(value));
  } catch (const Error& error) {
    graph::rethrow_with_node(*instruction.node, error);
  }
}

/// A slot's elements as an Array. What lies in the arena is copied: the result of a dynamic instruction may
/// share it, and the arena's bytes are soon used again.
graph::NodeInput ProgramRun::dynamic_input(SlotId id) const {
  const Slot& slot = program_.slots[id];
  switch (slot.kind) {
    case SlotKind::kConstant:
      return {slot.constant, nullptr};
    case SlotKind::kFeed:
      return {*feeds_[slot.offset], nullptr};
    case SlotKind::kHeld:
      return {held_[id], nullptr};
    case SlotKind::kResource:
      return {Array(), static_cast<graph::Resource*>(slots_[id])};
    case SlotKind::kArena:
      break;
  }
  Array copy = Array::uninitialized(slot.dtype, slot.shape);
  if (copy.size() > 0) std::memcpy(copy.mutable_raw_data(), slots_[id], copy.size_bytes());
  return {std::move(copy), nullptr};
}

std::vector<graph::NodeInput> ProgramRun::dynamic_inputs(const Instruction& instruction) const {
  std::vector<graph::NodeInput> inputs;
  for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
    inputs.push_back(dynamic_input(operand(instruction.inputs + k)));
  }
  return inputs;
}

void ProgramRun::run_dynamic(const Instruction& instruction) {
  std::unique_ptr<DynamicNode>& kept = state_.dynamic_[instruction.bodies];
  if (kept == nullptr) kept = std::make_unique<DynamicNode>(*instruction.node);
  DynamicNode& dynamic = *kept;
  dynamic.inputs().clear();
  for (uint32_t k = 0; k < instruction.num_inputs; ++k)
    dynamic.inputs().push_back(dynamic_operand(instruction, k));
  try {
    const std::span<Array> outputs =
        dynamic.run(surroundings_.states, surroundings_.parallel, surroundings_.files);
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      if (!outputs[k].has_value()) continue;
      const SlotId id = operand(instruction.outputs + k);
      // A placeholder of another value is not an array whose elements a kernel would read.
      const DType dtype = program_.slots[id].dtype;
      if (dtype == DType::kResource || dtype == DType::kVariant) {
        hold(id, std::move(outputs[k]));
      } else {
        hold_checked(id, std::move(outputs[k]));
      }
    }
  } catch (const Error& error) {
    graph::rethrow_with_node(*instruction.node, error);
  }
}

DynamicNode::Input ProgramRun::dynamic_operand(const Instruction& instruction, uint32_t k) {
  const SlotId id = operand(instruction.inputs + k);
  const Slot& slot = program_.slots[id];
  DynamicNode::Input input{.shape = &slot.shape, .dtype = slot.dtype};
  if (slot.kind == SlotKind::kResource) {
    input.resource = static_cast<graph::Resource*>(slots_[id]);
  } else if (slot.kind == SlotKind::kArena) {
    input.elements = slots_[id];
  } else {
    input.array = array_of(id);
    if (slot.kind == SlotKind::kHeld && is_last_use(instruction, id)) input.given = &held_[id];
  }
  return input;
}

/// Whether this instruction, which has the held slot once, reads it last.
bool ProgramRun::is_last_use(const Instruction& instruction, SlotId id) const {
  const auto inputs = std::span(segment_.operands).subspan(instruction.inputs, instruction.num_inputs);
  const auto released =
      std::span(segment_.releases)
          .subspan(instruction.release_begin, instruction.release_end - instruction.release_begin);
  return std::ranges::count(inputs, id) == 1 && std::ranges::find(released, id) != released.end();
}

/// The elements of a slot that bodies are fed; null for a resource, which they know.
const Array* ProgramRun::array_of(SlotId id) const {
  const Slot& slot = program_.slots[id];
  switch (slot.kind) {
    case SlotKind::kConstant:
      return &slot.constant;
    case SlotKind::kFeed:
      return feeds_[slot.offset];
    case SlotKind::kHeld:
      return &held_[id];
    case SlotKind::kResource:
      return nullptr;
    case SlotKind::kArena:
      break;
  }
  throw errors::InternalError("What a body is fed was planned into the arena");
}

void ProgramRun::run_tokens(const Instruction& instruction) {
  const std::vector<graph::NodeInput> feeds = dynamic_inputs(instruction);
  const TokenProgram& program = *program_.token_programs[instruction.bodies];
  TokenRun run(program, feeds, surroundings_, std::make_shared<RunInbox>());
  if (!run.advance()) throw errors::InternalError("A graph that waits is outside of the blocking part");
  std::vector<Array> results = run.take_results();
  hold_outputs(instruction, results);
}

}  // namespace flowray::engine
