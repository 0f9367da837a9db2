#include "engine/executor.h"

#include "graph/evaluate.h"

#include <fmt/format.h>

#include <cstring>

namespace flowray::engine {

RunState::RunState(const Program& program)
    : arena_(Array::uninitialized(DType::kUint8, {static_cast<int64_t>(program.segment.arena_bytes)})),
      slots_(program.slots.size(), nullptr),
      held_(program.slots.size()) {
  auto* base = static_cast<std::byte*>(arena_.mutable_raw_data());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = program.slots[i];
    switch (slot.kind) {
      case SlotKind::kArena: slots_[i] = base + slot.offset; break;
      // Kernels never write their inputs, and no output is planned onto a constant.
      case SlotKind::kConstant: slots_[i] = const_cast<void*>(slot.constant.raw_data()); break;
      case SlotKind::kVariable: slots_[i] = slot.variable.get(); break;
      case SlotKind::kFeed:
      case SlotKind::kHeld: break;  // set in each run
    }
  }
}

/// One run of a Program on a RunState.
class ProgramRun {
 public:
  ProgramRun(const Program& program, RunState& state, std::span<const Array* const> feeds, graph::NodeStates& states,
             Parallel& parallel)
      : program_(program),
        segment_(program.segment),
        slots_(state.slots_),
        held_(state.held_),
        base_(const_cast<std::byte*>(static_cast<const std::byte*>(state.arena_.raw_data()))),
        feeds_(feeds),
        states_(states),
        parallel_(parallel) {}

  void run() {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      slots_[program_.feed_slots[i]] = const_cast<void*>(feeds_[i]->raw_data());
    }
    for (SlotId id : program_.fresh_slots) {
      hold(id, Array::uninitialized(program_.slots[id].dtype, program_.slots[id].shape));
    }
    for (const Instruction& instruction : segment_.instructions) {
      switch (instruction.kind) {
        case InstructionKind::kKernel: run_kernel(instruction); break;
        case InstructionKind::kRead: run_read(instruction); break;
        case InstructionKind::kDynamic: run_dynamic(instruction); break;
      }
      for (uint32_t k = instruction.release_begin; k < instruction.release_end; ++k) {
        held_[segment_.releases[k]] = Array();
      }
    }
  }

  void hand_out(std::span<Array> results) {
    for (size_t i = 0; i < results.size(); ++i) {
      const Result& result = program_.results[i];
      const Slot& slot = program_.slots[result.slot];
      Array value;
      switch (slot.kind) {
        case SlotKind::kHeld: value = held_[result.slot]; break;
        case SlotKind::kConstant: value = slot.constant; break;
        case SlotKind::kFeed: value = *feeds_[slot.offset]; break;
        default: throw errors::InternalError("A fetched value was planned into the arena");
      }
      // Views share a slot; each fetch has its own shape.
      const bool reshaped = result.shape.is_fully_defined() && !(result.shape == value.shape());
      results[i] = reshaped ? value.reshape(result.shape) : std::move(value);
    }
    for (const Result& result : program_.results) held_[result.slot] = Array();
  }

  /// Forgets everything that is held, after an error.
  void abandon() {
    for (Array& array : held_) array = Array();
  }

 private:
  SlotId operand(uint32_t position) const { return segment_.operands[position]; }

  void hold(SlotId id, Array array) {
    slots_[id] = const_cast<void*>(array.raw_data());
    held_[id] = std::move(array);
  }

  void run_kernel(const Instruction& instruction) {
    const SlotId* operands = segment_.operands.data();
    try {
      instruction.kernel->run(graph::KernelCall(slots_.data(), operands + instruction.inputs,
                                                operands + instruction.outputs,
                                                base_ + instruction.workspace_offset, parallel_));
    } catch (const Error& error) {
      graph::rethrow_with_node(*instruction.node, error);
    }
  }

  void run_read(const Instruction& instruction) {
    const auto& variable = *static_cast<const graph::Variable*>(slots_[operand(instruction.inputs)]);
    const SlotId to = operand(instruction.outputs);
    const Slot& slot = program_.slots[to];
    try {
      Array value = variable.read();
      // An assignment without shape validation may have changed it after this step was planned.
      if (value.dtype() != slot.dtype || (slot.shape.is_fully_defined() && !(slot.shape == value.shape()))) {
        throw errors::InvalidArgumentError(fmt::format("Variable {} has shape {} and dtype {}, but {} {} was expected",
                                                       variable.name(), value.shape().to_string(),
                                                       dtype_name(value.dtype()), slot.shape.to_string(),
                                                       dtype_name(slot.dtype)));
      }
      hold(to, std::move(value));
    } catch (const Error& error) {
      graph::rethrow_with_node(*instruction.node, error);
    }
  }

  /// A slot's elements as an Array. What lies in the arena is copied: the result of a dynamic instruction may share it, and
  /// the arena's bytes are soon used again.
  graph::NodeInput dynamic_input(SlotId id) const {
    const Slot& slot = program_.slots[id];
    switch (slot.kind) {
      case SlotKind::kConstant: return {slot.constant, nullptr};
      case SlotKind::kFeed: return {*feeds_[slot.offset], nullptr};
      case SlotKind::kHeld: return {held_[id], nullptr};
      case SlotKind::kVariable: return {Array(), static_cast<graph::Variable*>(slots_[id])};
      case SlotKind::kArena: break;
    }
    Array copy = Array::uninitialized(slot.dtype, slot.shape);
    if (copy.size() > 0) std::memcpy(copy.mutable_raw_data(), slots_[id], copy.size_bytes());
    return {std::move(copy), nullptr};
  }

  void run_dynamic(const Instruction& instruction) {
    try {
      std::vector<graph::NodeInput> inputs;
      for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
        inputs.push_back(dynamic_input(operand(instruction.inputs + k)));
      }
      std::vector<Array> outputs = graph::evaluate(*instruction.node, inputs, states_, parallel_);
      for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
        if (outputs[k].has_value()) hold(operand(instruction.outputs + k), std::move(outputs[k]));
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*instruction.node, error);
    }
  }

  const Program& program_;
  const Segment& segment_;
  std::vector<void*>& slots_;
  std::vector<Array>& held_;
  std::byte* base_;
  std::span<const Array* const> feeds_;
  graph::NodeStates& states_;
  Parallel& parallel_;
};

void Executor::run(std::span<const Array* const> feeds, std::span<Array> results, Parallel& parallel) {
  std::unique_ptr<RunState> state = check_out();
  ProgramRun run(*program_, *state, feeds, states_, parallel);
  try {
    run.run();
    run.hand_out(results);
  } catch (...) {
    run.abandon();
    check_in(std::move(state));
    throw;
  }
  check_in(std::move(state));
}

std::unique_ptr<RunState> Executor::check_out() {
  {
    std::lock_guard lock(mutex_);
    if (!free_states_.empty()) {
      std::unique_ptr<RunState> state = std::move(free_states_.back());
      free_states_.pop_back();
      return state;
    }
  }
  return std::make_unique<RunState>(*program_);
}

void Executor::check_in(std::unique_ptr<RunState> state) {
  std::lock_guard lock(mutex_);
  free_states_.push_back(std::move(state));
}

}  // namespace flowray::engine
