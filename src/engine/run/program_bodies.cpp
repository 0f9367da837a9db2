/// If and While: programs that a run goes through inside of its own.

#include "engine/run/program_run.h"

#include <utility>

namespace flowray::engine {

/// The state of body `number`, made when it first runs, with room for what it gives.
RunState& ProgramRun::state_of_body(const Instruction& instruction, uint32_t number) {
  const Program& program = *program_.bodies[number];
  RunState::Body& body = state_.bodies_[number];
  if (body.state == nullptr) {
    // Shares the owner of the program that it is a part of.
    body.state = std::make_unique<RunState>(std::shared_ptr<const Program>(state_.program_, &program),
                                            base_ + instruction.workspace_offset);
  }
  return *body.state;
}

/// Runs body `number`; its results are written over `results`, or over what is `handed` to it, where those
/// are not shared.
void ProgramRun::run_body(const Instruction& instruction, uint32_t number,
                          std::span<const Array* const> feeds, std::vector<Array>& results,
                          std::span<Array> handed) {
  ProgramRun run(state_of_body(instruction, number), feeds, surroundings_);
  run.handed_ = handed;
  results.resize(run.program_.results.size());
  run.run(results);
  run.hand_out(results);
}

/// A predicate's value. Throws errors::InvalidArgumentError if it is not one.
bool ProgramRun::truth(const Instruction& instruction, const Shape& shape, const void* data) {
  if (shape.rank() == 0) return *static_cast<const bool*>(data);
  const errors::InvalidArgumentError error("The second input must be a scalar, but it has shape " +
                                           shape.to_string());
  graph::rethrow_with_node(*instruction.node, error);
}

void ProgramRun::run_if(const Instruction& instruction) {
  const uint32_t number = begin_if(instruction);
  RunState::Body& taken = state_.bodies_[number];
  run_body(instruction, number, taken.feeds[0], taken.results[0]);
  hold_outputs(instruction, taken.results[0]);
}

/// Feeds the branch that is taken and returns its number.
uint32_t ProgramRun::begin_if(const Instruction& instruction) {
  const SlotId asked = operand(instruction.inputs);
  const Slot& slot = program_.slots[asked];
  const bool predicate = truth(
      instruction, slot.kind == SlotKind::kArena ? slot.shape : array_of(asked)->shape(), slots_[asked]);
  const uint32_t number = instruction.bodies + (predicate ? 1 : 0);
  std::vector<const Array*>& feeds = state_.bodies_[number].feeds[0];
  feeds.clear();
  for (uint32_t k = 1; k < instruction.num_inputs; ++k) {
    feeds.push_back(array_of(operand(instruction.inputs + k)));
  }
  return number;
}

/// The loop's variables live by turns in the two results of the body, so that a loop whose shapes do not
/// change allocates nothing from its third iteration on.
void ProgramRun::run_while(const Instruction& instruction) {
  if (const StraightLoop* const loop = program_.straight_loops[instruction.bodies].get()) {
    return run_straight_loop(instruction, *loop);
  }
  RunState::Body& condition = state_.bodies_[instruction.bodies];
  RunState::Body& body = state_.bodies_[instruction.bodies + 1];
  begin_loop(instruction);
  size_t now = 0;
  while (true) {
    check_wanted();
    run_body(instruction, instruction.bodies, condition.feeds[now], condition.results[0]);
    if (!goes_on(instruction)) break;
    run_body(instruction, instruction.bodies + 1, body.feeds[now], body.results[1 - now], body.results[now]);
    now = 1 - now;
  }
  end_loop(instruction, now);
}

/// The variables' first values become the body's first results; both bodies are fed either of its results,
/// then what the loop takes from around it, and the body is fed what the condition gives.
void ProgramRun::begin_loop(const Instruction& instruction) {
  RunState::Body& condition = state_.bodies_[instruction.bodies];
  RunState::Body& body = state_.bodies_[instruction.bodies + 1];
  const size_t num_variables = instruction.num_outputs;
  const size_t num_extra = program_.bodies[instruction.bodies]->results.size();
  condition.results[0].resize(num_extra);
  for (const size_t turn : {0u, 1u}) {
    std::vector<const Array*>& feeds = condition.feeds[turn];
    feeds.clear();
    body.results[turn].resize(num_variables);
    for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
      const Array* input = array_of(operand(instruction.inputs + k));
      if (k < num_variables) {
        if (turn == 0 && input != nullptr) body.results[0][k] = *input;
        input = &body.results[turn][k];
      }
      feeds.push_back(input);
    }
    body.feeds[turn] = feeds;
    for (size_t i = 1; i < num_extra; ++i) body.feeds[turn].push_back(&condition.results[0][i]);
  }
}

/// Whether the condition's result says that the loop goes on.
bool ProgramRun::goes_on(const Instruction& instruction) const {
  const Array& said = state_.bodies_[instruction.bodies].results[0][0];
  return truth(instruction, said.shape(), said.raw_data());
}

void ProgramRun::end_loop(const Instruction& instruction, size_t now) {
  RunState::Body& body = state_.bodies_[instruction.bodies + 1];
  hold_outputs(instruction, body.results[now]);
  for (std::vector<Array>& results : body.results) results.clear();
  // Kept, a variable's value would have to be copied by its next update.
  for (Array& given : std::span(state_.bodies_[instruction.bodies].results[0]).subspan(1)) given = Array();
}

void ProgramRun::hold_outputs(const Instruction& instruction, std::span<Array> results) {
  for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
    const SlotId id = operand(instruction.outputs + k);
    const bool is_held = program_.slots[id].kind == SlotKind::kHeld;
    if (is_held && results[k].has_value()) hold(id, std::move(results[k]));
  }
}

}  // namespace flowray::engine
