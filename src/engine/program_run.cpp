#include "core/buffer.h"
#include "engine/blocking_part.h"
#include "engine/program_run.h"
#include "engine/step_trace.h"
#include "engine/token_run.h"
#include "graph/evaluate.h"
#include "graph/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::engine {

RunState::RunState(std::shared_ptr<const Program> of) : RunState(std::move(of), nullptr) {}

RunState::RunState(std::shared_ptr<const Program> of, std::byte* arena)
    : program_(std::move(of)),
      arena_(arena),
      slots_(program_->slots.size(), nullptr),
      held_(program_->slots.size()),
      bodies_(program_->bodies.size()),
      dynamic_(program_->num_dynamic) {
  const Program& program = *program_;
  if (arena_ == nullptr) {
    memory_ = Array::uninitialized(DType::kUint8, {static_cast<int64_t>(program.segment.arena_bytes)});
    arena_ = static_cast<std::byte*>(memory_.mutable_raw_data());
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = program.slots[i];
    switch (slot.kind) {
      case SlotKind::kArena:
        if (slot.lodges_in == kNoSlot) slots_[i] = arena_ + slot.offset;
        break;
      // Kernels never write their inputs, and no output is planned onto a constant.
      case SlotKind::kConstant:
        slots_[i] = const_cast<void*>(slot.constant.raw_data());
        break;
      case SlotKind::kResource:
        slots_[i] = slot.resource.get();
        break;
      case SlotKind::kFeed:
      case SlotKind::kHeld:
        break;  // set in each run
    }
  }
}

/// One run of a Program on a RunState.
class ProgramRun final : private BlockingPart::Run {
 public:
  ProgramRun(RunState& state, std::span<const Array* const> feeds, const RunSurroundings& surroundings)
      : program_(*state.program_),
        segment_(program_.segment),
        state_(state),
        slots_(state.slots_),
        held_(state.held_),
        base_(state.arena_),
        feeds_(feeds),
        states_(surroundings.states),
        parallel_(surroundings.parallel),
        context_(surroundings.context),
        closing_(surroundings.closing) {}

  /// `spare`: arrays for the results to be written into where nobody else holds them; none, or one a result.
  void run(std::span<Array> spare = {}) {
    begin(spare);
    if (segment_.num_blocking_part > 0 || !context_.is_empty()) return run_watched();
    for (const Instruction& instruction : segment_.instructions) {
      hold_fresh(instruction.fresh_begin, instruction.fresh_end);
      execute(instruction);
      release(instruction.release_begin, instruction.release_end);
    }
  }

  /// In pieces: begin, advance the blocking part until it is over, go through the rest.
  void begin(std::span<Array> spare = {}) {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      const SlotId id = program_.feed_slots[i];
      if (id != kNoSlot) slots_[id] = const_cast<void*>(feeds_[i]->raw_data());
    }
    spare_ = spare;
    for (size_t i = 0; i < spare.size(); ++i) {
      if (!program_.results[i].reuses_memory) spare[i] = Array();
    }
    hold_fresh(0, program_.num_first_fresh);
  }

  BlockingPart blocking_part(std::function<void()> wake = {}) {
    return {segment_, *this, context_, closing_, std::move(wake)};
  }

  void run_rest() {
    release(segment_.part_release_begin, segment_.part_release_end);
    for (size_t i = segment_.num_blocking_part; i < segment_.instructions.size(); ++i) {
      const Instruction& instruction = segment_.instructions[i];
      hold_fresh(instruction.fresh_begin, instruction.fresh_end);
      execute_watched(instruction);
      release(instruction.release_begin, instruction.release_end);
    }
  }

  void hand_out(std::span<Array> results) {
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

  /// Forgets everything that is held, after an error.
  void abandon() { abandon(state_); }

 private:
  /// Where something may have to wait, somebody may end the run or wants to know how it went. Apart from the
  /// straight way, which shall stay short.
  [[gnu::noinline]] void run_watched() {
    if (segment_.num_blocking_part > 0) {
      BlockingPart part = blocking_part();
      while (!part.advance()) part.calls().wait();
    }
    run_rest();
  }

  static void abandon(RunState& state) {
    for (Array& array : state.held_) array = Array();
    for (RunState::Body& body : state.bodies_) {
      for (std::vector<Array>& results : body.results) results.clear();
      if (body.state != nullptr) abandon(*body.state);
    }
  }

  void hold_fresh(uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; ++k) {
      const FreshSlot& fresh = program_.fresh_slots[k];
      const Slot& slot = program_.slots[fresh.slot];
      const bool reuses =
          !spare_.empty() && fresh.result != FreshSlot::kNoResult && fits(spare_[fresh.result], slot);
      hold(fresh.slot,
           reuses ? std::move(spare_[fresh.result]) : Array::uninitialized(slot.dtype, slot.shape));
      for (uint32_t i = fresh.lodgers_begin; i < fresh.lodgers_end; ++i) {
        const SlotId lodger = program_.lodgers[i];
        slots_[lodger] = static_cast<std::byte*>(slots_[fresh.slot]) + program_.slots[lodger].offset;
      }
    }
  }

  static bool fits(const Array& spare, const Slot& slot) {
    return spare.has_value() && spare.dtype() == slot.dtype && spare.shape() == slot.shape &&
           spare.buffer()->writable_in_place();
  }

  [[gnu::always_inline]] void execute(const Instruction& instruction) {
    switch (instruction.kind) {
      case InstructionKind::kKernel:
        run_kernel(instruction);
        break;
      case InstructionKind::kRead:
        run_read(instruction);
        break;
      case InstructionKind::kDynamic:
        run_dynamic(instruction);
        break;
      case InstructionKind::kIf:
        run_if(instruction);
        break;
      case InstructionKind::kWhile:
        run_while(instruction);
        break;
      case InstructionKind::kTokens:
        run_tokens(instruction);
        break;
      case InstructionKind::kBlocking:
        throw errors::InternalError("A blocking instruction is outside of its part");
    }
  }

  void execute_watched(const Instruction& instruction) {
    check_wanted();
    const int64_t start_ns = context_.trace == nullptr ? 0 : StepTrace::now_ns();
    execute(instruction);
    // What runs in tokens has told of itself.
    const bool is_traced = context_.trace != nullptr && instruction.kind != InstructionKind::kTokens;
    if (is_traced) trace(instruction, start_ns);
  }

  void check_wanted() const override {
    if (!context_.is_empty()) context_.check_wanted(closing_);
  }

  void release(uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; ++k) held_[segment_.releases[k]] = Array();
  }

  void trace(const Instruction& instruction, int64_t start_ns) {
    NodeTrace entry{instruction.node, start_ns, StepTrace::now_ns(), StepTrace::this_thread(), {}};
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      const SlotId id = operand(instruction.outputs + k);
      const Slot& slot = program_.slots[id];
      if (slot.kind == SlotKind::kResource) continue;
      entry.outputs.push_back({slot.dtype, held_[id].has_value() ? held_[id].shape() : slot.shape});
    }
    trace_fused(instruction, entry);
    context_.trace->add(std::move(entry), instruction.kind == InstructionKind::kRead);
  }

  /// Of what was computed as one each node gets an equal share of the time; the last one, and with it the
  /// outputs, stays in `entry`.
  void trace_fused(const Instruction& instruction, NodeTrace& entry) {
    const uint32_t count = instruction.fused_end - instruction.fused_begin;
    if (count == 0) return;
    const int64_t share_ns = (entry.end_ns - entry.start_ns) / count;
    for (uint32_t k = 0; k + 1 < count; ++k) {
      const int64_t start_ns = entry.start_ns + share_ns;
      context_.trace->add(
          {segment_.fused[instruction.fused_begin + k], entry.start_ns, start_ns, entry.thread, {}}, false);
      entry.start_ns = start_ns;
    }
  }

  // ---- the blocking part

  void run_one(const Instruction& instruction) override { execute_watched(instruction); }

  std::vector<graph::NodeInput> inputs_of(const Instruction& instruction) const override {
    return dynamic_inputs(instruction);
  }

  void take(const Instruction& instruction, graph::BlockingResult result, int64_t started_ns) override {
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
    if (context_.trace != nullptr) trace(instruction, started_ns);
  }

  /// What came may be of another shape than the step was planned for.
  void hold_checked(SlotId id, Array value) {
    const Slot& slot = program_.slots[id];
    if (value.dtype() != slot.dtype || (slot.shape.is_fully_defined() && !(slot.shape == value.shape()))) {
      throw errors::InvalidArgumentError(fmt::format("Got {} {}, but {} {} was expected",
                                                     dtype_name(value.dtype()), value.shape().to_string(),
                                                     dtype_name(slot.dtype), slot.shape.to_string()));
    }
    hold(id, std::move(value));
  }

  // ---- single instructions

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
      if (instruction.fused_begin < instruction.fused_end) throw;  // it names the node inside
      graph::rethrow_with_node(*instruction.node, error);
    }
  }

  void run_read(const Instruction& instruction) {
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
  graph::NodeInput dynamic_input(SlotId id) const {
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

  std::vector<graph::NodeInput> dynamic_inputs(const Instruction& instruction) const {
    std::vector<graph::NodeInput> inputs;
    for (uint32_t k = 0; k < instruction.num_inputs; ++k) {
      inputs.push_back(dynamic_input(operand(instruction.inputs + k)));
    }
    return inputs;
  }

  void run_dynamic(const Instruction& instruction) {
    std::unique_ptr<DynamicNode>& kept = state_.dynamic_[instruction.bodies];
    if (kept == nullptr) kept = std::make_unique<DynamicNode>(*instruction.node);
    DynamicNode& dynamic = *kept;
    dynamic.inputs().clear();
    for (uint32_t k = 0; k < instruction.num_inputs; ++k) dynamic.inputs().push_back(dynamic_operand(instruction, k));
    try {
      const std::span<Array> outputs = dynamic.run(states_, parallel_);
      for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
        if (outputs[k].has_value()) hold(operand(instruction.outputs + k), std::move(outputs[k]));
      }
    } catch (const Error& error) {
      graph::rethrow_with_node(*instruction.node, error);
    }
  }

  DynamicNode::Input dynamic_operand(const Instruction& instruction, uint32_t k) {
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

  /// Whether nobody reads a held slot after this instruction, which has it once.
  bool is_last_use(const Instruction& instruction, SlotId id) const {
    const auto inputs = std::span(segment_.operands).subspan(instruction.inputs, instruction.num_inputs);
    const auto released = std::span(segment_.releases)
                              .subspan(instruction.release_begin, instruction.release_end - instruction.release_begin);
    return std::ranges::count(inputs, id) == 1 && std::ranges::find(released, id) != released.end();
  }

  // ---- If and While

  /// The elements of a slot that bodies are fed; null for a resource, which they know.
  const Array* array_of(SlotId id) const {
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

  /// Runs body `number`; what it gives is written over `results` where nobody else holds those.
  void run_body(const Instruction& instruction, uint32_t number, std::span<const Array* const> feeds,
                std::vector<Array>& results) {
    const Program& program = *program_.bodies[number];
    RunState::Body& body = state_.bodies_[number];
    if (body.state == nullptr) {
      // Shares the owner of the program that it is a part of.
      body.state = std::make_unique<RunState>(std::shared_ptr<const Program>(state_.program_, &program),
                                              base_ + instruction.workspace_offset);
    }
    results.resize(program.results.size());
    ProgramRun run(*body.state, feeds, {states_, parallel_, context_, closing_});
    run.run(results);
    run.hand_out(results);
  }

  /// A predicate's value. Throws errors::InvalidArgumentError if it is not one.
  static bool truth(const Instruction& instruction, const Shape& shape, const void* data) {
    if (shape.rank() == 0) return *static_cast<const bool*>(data);
    const errors::InvalidArgumentError error("The second input must be a scalar, but it has shape " +
                                             shape.to_string());
    graph::rethrow_with_node(*instruction.node, error);
  }

  void run_if(const Instruction& instruction) {
    const SlotId asked = operand(instruction.inputs);
    const Slot& slot = program_.slots[asked];
    const bool predicate = truth(
        instruction, slot.kind == SlotKind::kArena ? slot.shape : array_of(asked)->shape(), slots_[asked]);
    const uint32_t number = instruction.bodies + (predicate ? 1 : 0);
    auto& [state, feeds, results] = state_.bodies_[number];
    feeds[0].clear();
    for (uint32_t k = 1; k < instruction.num_inputs; ++k) {
      feeds[0].push_back(array_of(operand(instruction.inputs + k)));
    }
    run_body(instruction, number, feeds[0], results[0]);
    hold_outputs(instruction, results[0]);
  }

  void run_tokens(const Instruction& instruction) {
    const std::vector<graph::NodeInput> feeds = dynamic_inputs(instruction);
    const TokenProgram& program = *program_.token_programs[instruction.bodies];
    std::vector<Array> results = TokenRun(program, feeds, states_, parallel_, context_, closing_).run();
    hold_outputs(instruction, results);
  }

  /// The loop's variables live by turns in the two results of the body, so that a loop whose shapes do not
  /// change allocates nothing from its third iteration on.
  void run_while(const Instruction& instruction) {
    RunState::Body& condition = state_.bodies_[instruction.bodies];
    RunState::Body& body = state_.bodies_[instruction.bodies + 1];
    begin_loop(instruction, condition, body);
    size_t now = 0;
    while (true) {
      check_wanted();
      run_body(instruction, instruction.bodies, condition.feeds[now], condition.results[0]);
      const Array& goes_on = condition.results[0][0];
      if (!truth(instruction, goes_on.shape(), goes_on.raw_data())) break;
      run_body(instruction, instruction.bodies + 1, body.feeds[now], body.results[1 - now]);
      now = 1 - now;
    }
    hold_outputs(instruction, body.results[now]);
    for (std::vector<Array>& results : body.results) results.clear();
    // Kept, a variable's value would have to be copied by its next update.
    for (Array& given : std::span(condition.results[0]).subspan(1)) given = Array();
  }

  /// The variables' first values become the body's first results; both bodies are fed either of its results,
  /// then what the loop takes from around it, and the body is fed what the condition gives.
  void begin_loop(const Instruction& instruction, RunState::Body& condition, RunState::Body& body) {
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

  void hold_outputs(const Instruction& instruction, std::span<Array> results) {
    for (uint32_t k = 0; k < instruction.num_outputs; ++k) {
      const SlotId id = operand(instruction.outputs + k);
      const bool is_held = program_.slots[id].kind == SlotKind::kHeld;
      if (is_held && results[k].has_value()) hold(id, std::move(results[k]));
    }
  }

  const Program& program_;
  const Segment& segment_;
  RunState& state_;
  std::vector<void*>& slots_;
  std::vector<Array>& held_;
  std::byte* base_;
  std::span<const Array* const> feeds_;
  std::span<Array> spare_;
  graph::NodeStates& states_;
  Parallel& parallel_;
  const RunContext& context_;
  Cancellation& closing_;
};

void run_program(RunState& state, std::span<const Array* const> feeds, std::span<Array> results,
                 const RunSurroundings& surroundings) {
  ProgramRun run(state, feeds, surroundings);
  try {
    run.run();
    run.hand_out(results);
  } catch (...) {
    run.abandon();
    throw;
  }
}

namespace {

class PausingProgramRun final : public PausingRun {
 public:
  PausingProgramRun(RunState& state, std::span<const Array* const> feeds, const RunSurroundings& surroundings,
                    std::function<void()> wake)
      : run_(state, feeds, surroundings), part_(run_.blocking_part(std::move(wake))) {}

  bool advance(std::span<Array> results) override {
    try {
      if (!std::exchange(has_begun_, true)) run_.begin();
      while (!part_.advance()) {
        if (part_.calls().suspend()) return false;
      }
      run_.run_rest();
      run_.hand_out(results);
    } catch (...) {
      run_.abandon();
      throw;
    }
    return true;
  }
  void expire() override { part_.calls().expire(); }

 private:
  ProgramRun run_;
  BlockingPart part_;
  bool has_begun_ = false;
};

bool has_blocking(const Program& program) {
  return program.segment.num_blocking_part > 0 || waits_in_bodies(program);
}

}  // namespace

std::unique_ptr<PausingRun> PausingRun::begin(RunState& state, std::span<const Array* const> feeds,
                                              const RunSurroundings& surroundings,
                                              std::function<void()> wake) {
  return std::make_unique<PausingProgramRun>(state, feeds, surroundings, std::move(wake));
}

bool waits_in_bodies(const Program& program) {
  return std::ranges::any_of(program.bodies,
                             [](const auto& body) { return body != nullptr && has_blocking(*body); }) ||
         std::ranges::any_of(program.token_programs,
                             [](const auto& tokens) { return has_blocking(*tokens); });
}

}  // namespace flowray::engine
