#include "engine/plan/instructions.h"

#include "engine/plan/plan_tokens.h"
#include "engine/program/straight_loop.h"
#include "graph/kernel/evaluate.h"
#include "graph/kernel/widened_kernel.h"
#include "graph/resource/variable.h"
#include "graph/shape_context.h"
#include "graph/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace flowray::engine {
namespace {

using graph::Node;
using graph::PrepareContext;

/// Which instructions there are and which slots they read and write.
class InstructionMaker {
 public:
  InstructionMaker(const PlanRequest& request, const Resources& resources, PlanProgram plan_program,
                   Program& program)
      : step_(request.step),
        facts_(request.facts),
        resources_(resources),
        gives_(request.gives),
        misfits_(request.misfits),
        plan_program_(plan_program),
        program_(program),
        slot_of_(step_.values.size(), kNoSlot) {}

  void make() {
    mark_handed_out();
    mark_taken_as_arrays();
    for (size_t i = 0; i < step_.feeds.size(); ++i) add_feed(step_.feeds[i], i);
    std::vector<uint32_t> last_of(step_.nodes.size());  // by node: its last instruction
    for (size_t i = 0; i < step_.nodes.size(); ++i) {
      const StepNode& item = step_.nodes[i];
      const size_t first = program_.segment.instructions.size();
      try {
        if (item.kind == StepKind::kOp) {
          visit(item);
        } else if (item.kind == StepKind::kTokens) {
          make_tokens(item);
        } else {
          make_with_bodies(item, facts_.bodies.at(static_cast<uint32_t>(i)));
        }
      } catch (const Error& error) {
        if (item.kind != StepKind::kOp) throw;  // it names the node inside
        graph::rethrow_with_node(*item.node, error);
      }
      if (i >= step_.num_blocking_part) continue;
      for (uint32_t& before : waits_of(item, first)) before = last_of[before];
      program_.segment.num_blocking_part = static_cast<uint32_t>(program_.segment.instructions.size());
      last_of[i] = program_.segment.num_blocking_part - 1;
    }
    for (size_t i = 0; i < step_.fetches.size(); ++i) add_result(step_.fetches[i], i);
    connect_results();
  }

 private:
  DType dtype_of(ValueId id) const { return base_dtype(step_.values[id].dtype()); }
  bool is_resource(ValueId id) const { return facts_[id].resource != nullptr; }

  /// Gives the instructions from number `first` on what their node waits for; returns it to be filled in.
  std::span<uint32_t> waits_of(const StepNode& item, size_t first) {
    Segment& segment = program_.segment;
    const auto begin = static_cast<uint32_t>(segment.waits.size());
    segment.waits.insert(segment.waits.end(), item.waits_for.begin(), item.waits_for.end());
    for (size_t k = first; k < segment.instructions.size(); ++k) {
      segment.instructions[k].waits_begin = begin;
      segment.instructions[k].waits_end = static_cast<uint32_t>(segment.waits.size());
    }
    return std::span(segment.waits).subspan(begin);
  }

  SlotId add_slot(Slot slot) {
    program_.slots.push_back(std::move(slot));
    return static_cast<SlotId>(program_.slots.size() - 1);
  }

  void add_feed(ValueId id, size_t number) {
    if (is_resource(id)) {
      slot_of_[id] = resource_slot(id);
    } else if (!facts_[id].constant.has_value()) {
      slot_of_[id] = add_slot(
          {.kind = SlotKind::kFeed, .dtype = dtype_of(id), .shape = facts_[id].shape, .offset = number});
      program_.feed_slots.push_back(slot_of_[id]);
      return;
    }
    program_.feed_slots.push_back(kNoSlot);
  }

  /// What is fetched must outlive the run, and what bodies and `compute` functions are fed must be an Array,
  /// so what computes it writes into memory that is handed out. Views of one value share its slot, so the
  /// mark goes back through them.
  void mark_handed_out() {
    handed_out_.assign(step_.values.size(), false);
    for (ValueId id : step_.fetches) {
      if (id != kNoValue) handed_out_[id] = true;
    }
    for (auto item = step_.nodes.rbegin(); item != step_.nodes.rend(); ++item) {
      const bool is_computed = item->kind == StepKind::kOp && item->node->schema().row.compute != nullptr;
      const bool is_dynamic_view =
          item->kind == StepKind::kOp && item->node->schema().row.view &&
          !(facts_[item->inputs[0]].is_static() && facts_[item->outputs[0]].is_static());
      if (item->kind != StepKind::kOp || is_computed ||
          is_dynamic_view) {  // or what lies in the arena would have to be copied for them
        for (ValueId id : item->inputs) handed_out_[id] = true;
      } else if (item->node->schema().row.view && handed_out_[item->outputs[0]]) {
        handed_out_[item->inputs[0]] = true;
      }
    }
  }

  /// What is taken as an Array, not as a pointer, must have its own shape, which the slot that a view shares
  /// has not.
  void mark_taken_as_arrays() {
    taken_as_array_.assign(step_.values.size(), false);
    for (auto item = step_.nodes.rbegin(); item != step_.nodes.rend(); ++item) {
      const bool is_op = item->kind == StepKind::kOp;
      const bool is_view = is_op && item->node->schema().row.view;
      const bool takes_arrays =
          is_view ? taken_as_array_[item->outputs[0]] || !facts_[item->outputs[0]].is_static()
                  : !is_op || item->node->schema().row.start != nullptr || is_dynamic(*item);
      if (!takes_arrays) continue;
      for (const ValueId id : item->inputs) taken_as_array_[id] = true;
    }
  }

  /// An If or a While: what the bodies give becomes held slots.
  void make_with_bodies(const StepNode& item, const std::vector<Facts>& facts) {
    Instruction instruction;
    instruction.kind = item.kind == StepKind::kIf ? InstructionKind::kIf : InstructionKind::kWhile;
    instruction.node = item.node;
    instruction.bodies = static_cast<uint32_t>(program_.bodies.size());
    for (size_t i = 0; i < item.bodies.size(); ++i) {
      const bool can_run = !facts[i].values.empty() || item.bodies[i].values.empty();
      program_.bodies.push_back(can_run ? plan_body(item, i, facts[i]) : nullptr);
      program_.straight_loops.push_back(nullptr);
    }
    if (item.kind == StepKind::kWhile) {
      const auto* const bodies = &program_.bodies[instruction.bodies];
      program_.straight_loops[instruction.bodies] = straight_loop(*bodies[0], *bodies[1]);
    }
    std::vector<SlotId> inputs;
    for (size_t i = 0; i < item.inputs.size(); ++i) {
      const ValueId id = item.inputs[i];
      const bool is_predicate = item.kind == StepKind::kIf && i == 0;
      const bool is_variable_of_loop = item.kind == StepKind::kWhile && i < item.outputs.size();
      const bool is_read = is_predicate || (is_variable_of_loop && !is_reference_in_loop(item, i));
      inputs.push_back(is_resource(id) && is_read ? read(*item.node, id) : slot(id));
    }
    std::vector<SlotId> outputs;
    for (const ValueId id : item.outputs) {
      slot_of_[id] =
          is_resource(id)
              ? resource_slot(id)
              : add_slot({.kind = SlotKind::kHeld, .dtype = dtype_of(id), .shape = facts_[id].shape});
      outputs.push_back(slot_of_[id]);
    }
    add(std::move(instruction), inputs, outputs);
  }

  std::unique_ptr<Program> plan_body(const StepNode& item, size_t number, const Facts& facts) const {
    const std::vector<DType> gives = given_by(item, number);
    return plan_program_({.step = item.bodies[number],
                          .facts = facts,
                          .misfits = Misfits::kLeftToTheRun,
                          .gives = &gives,
                          .is_loop_body = item.kind == StepKind::kWhile && number == 1});
  }

  void make_tokens(const StepNode& item) {
    Instruction instruction;
    instruction.kind = InstructionKind::kTokens;
    instruction.node = item.node;
    instruction.bodies = static_cast<uint32_t>(program_.token_programs.size());
    std::vector<SlotId> inputs;
    std::vector<std::shared_ptr<graph::Resource>> resources;
    for (const ValueId id : item.inputs) {
      inputs.push_back(slot(id));
      resources.push_back(facts_[id].resource);
    }
    program_.token_programs.push_back(make_token_program(item, resources, resources_, plan_program_));
    std::vector<SlotId> outputs;
    for (const ValueId id : item.outputs) {
      slot_of_[id] = add_slot({.kind = SlotKind::kHeld, .dtype = dtype_of(id), .shape = facts_[id].shape});
      outputs.push_back(slot_of_[id]);
    }
    add(std::move(instruction), inputs, outputs);
  }

  /// The dtypes of the results of body `number`, as the If or While that it belongs to declares them.
  std::vector<DType> given_by(const StepNode& item, size_t number) const {
    std::vector<DType> dtypes;
    const StepGraph& body = item.bodies[number];
    for (size_t i = 0; i < body.fetches.size(); ++i) {
      if (item.kind == StepKind::kIf) {
        dtypes.push_back(step_.values[item.outputs[i]].dtype());
      } else if (number == 0) {  // the condition gives a predicate and values for the body
        const DType dtype = body.values[body.fetches[i]].dtype();
        dtypes.push_back(i == 0 ? base_dtype(dtype) : dtype);
      } else {  // and that the next values of the loop's variables
        dtypes.push_back(body.values[body.feeds[i]].dtype());
      }
    }
    return dtypes;
  }

  /// Which result shows a fresh slot, so that its memory can be used again by the next run, and which one is
  /// the last to do so.
  void connect_results() {
    std::unordered_map<SlotId, uint32_t> last;
    for (uint32_t i = 0; i < program_.results.size(); ++i) {
      Result& result = program_.results[i];
      if (result.slot == kNoSlot) continue;
      result.may_reshape =
          result.shape.is_fully_defined() && !(result.shape == program_.slots[result.slot].shape);
      const auto [known, is_first] = last.try_emplace(result.slot, i);
      if (!is_first) program_.results[std::exchange(known->second, i)].is_last = false;
    }
    for (FreshSlot& fresh : program_.fresh_slots) {
      const auto known = last.find(fresh.slot);
      if (known == last.end()) continue;
      fresh.result = known->second;
      program_.results[fresh.result].reuses_memory = true;
    }
  }

  void visit(const StepNode& item) {
    const bool all_constant =
        !item.outputs.empty() && std::all_of(item.outputs.begin(), item.outputs.end(),
                                             [&](ValueId id) { return facts_[id].constant.has_value(); });
    if (all_constant) return;  // its slots are made for their first reader
    if (item.inputs.empty() && !item.outputs.empty() && is_resource(item.outputs[0])) {
      slot_of_[item.outputs[0]] = resource_slot(item.outputs[0]);
      return;
    }
    const graph::OpRow& row = item.node->schema().row;
    if (row.start != nullptr) {
      make_blocking(item);
    } else if (row.view) {
      make_view(item);
    } else if (row.prepare == nullptr && row.compute == nullptr) {
      make_without_kernel(item);
    } else if (is_dynamic(item)) {
      make_dynamic(item);
    } else {
      make_kernel(item);
    }
  }

  SlotId resource_slot(ValueId id) {
    return add_slot({.kind = SlotKind::kResource,
                     .dtype = dtype_of(id),
                     .shape = facts_[id].shape,
                     .resource = facts_[id].resource});
  }

  /// The slot of a value as an ordinary one; constants get theirs here.
  SlotId slot(ValueId id) {
    if (slot_of_[id] == kNoSlot && facts_[id].constant.has_value()) {
      slot_of_[id] = add_slot({.kind = SlotKind::kConstant,
                               .dtype = dtype_of(id),
                               .shape = facts_[id].shape,
                               .constant = facts_[id].constant});
    }
    return slot_of_[id];
  }

  /// The slot for input `i`, read from its variable first where the op wants the value.
  SlotId input_slot(const StepNode& item, int i) {
    const ValueId id = item.inputs[static_cast<size_t>(i)];
    const DType dtype = step_.values[id].dtype();
    const bool wants_resource =
        dtype == DType::kResource || graph::takes_reference(item.node->schema(), item.node->attrs(), i);
    // Kernels take what stands behind a handle for a variable without looking; the other forms look.
    const graph::OpRow& row = item.node->schema().row;
    const bool looks = row.start != nullptr || row.compute != nullptr || row.view;
    if (!is_resource(id)) {
      if (wants_resource && !looks) no_reference(item, i);
      return slot(id);
    }
    if (row.start == nullptr && !row.view) (void)graph::resource_as<graph::Variable>(*facts_[id].resource);
    return wants_resource ? slot(id) : read(*item.node, id);
  }

  /// Where a reference is wanted, a value was fed, or a handle whose resource shows only in the step.
  [[noreturn]] void no_reference(const StepNode& item, int i) const {
    const StepValue& value = step_.values[item.inputs[static_cast<size_t>(i)]];
    const DType base = base_dtype(value.dtype());
    if (base == DType::kResource) {
      throw errors::UnimplementedError(
          fmt::format("Input {} of node {} is the handle of a variable that is chosen in the step", i,
                      item.node->name()));
    }
    const std::string from =
        value.producer < 0 && value.endpoint
            ? fmt::format("_recv_{}_{}:0", value.endpoint.node->name(), value.endpoint.index)
            : value.name();
    throw errors::InvalidArgumentError(
        fmt::format("Input {} of node {} was passed {} from {} incompatible with expected {}.", i,
                    item.node->name(), dtype_kernel_name(base), from, dtype_kernel_name(ref_dtype(base))));
  }

  SlotId read(const Node& reader, ValueId id) {
    (void)graph::resource_as<graph::Variable>(*facts_[id].resource);
    const SlotId held = add_slot({.kind = SlotKind::kHeld, .dtype = dtype_of(id), .shape = facts_[id].shape});
    Instruction instruction;
    instruction.kind = InstructionKind::kRead;
    instruction.node = &reader;
    add(std::move(instruction), {slot(id)}, {held});
    return held;
  }

  void make_view(const StepNode& item) {
    const ValueId in = item.inputs[0];
    const ValueId out = item.outputs[0];
    const bool same_memory = facts_[out].is_static() && (is_resource(in) || facts_[in].is_static()) &&
                             !facts_[in].constant.has_value() && is_trivial(dtype_of(in));
    const auto keeps_shape = [&] {
      return facts_[out].shape == (is_resource(in) ? facts_[in].shape : program_.slots[slot(in)].shape);
    };
    if (same_memory && (!taken_as_array_[out] || keeps_shape())) {
      slot_of_[out] = input_slot(item, 0);
    } else {
      make_dynamic(item);
    }
  }

  /// NoOp and its like only order others; anything with outputs needs a kernel.
  void make_without_kernel(const StepNode& item) {
    if (item.node->num_outputs() == 0) return;
    throw errors::UnimplementedError(
        fmt::format("No OpKernel was registered to support Op '{}'", item.node->op()));
  }

  bool is_dynamic(const StepNode& item) const {
    if (item.node->schema().row.prepare == nullptr) return true;
    const auto unknown = [&](ValueId id) { return !facts_[id].is_static() || !is_trivial(dtype_of(id)); };
    const auto unknown_input = [&](ValueId id) {
      return unknown(id) && !(is_resource(id) && dtype_of(id) == DType::kResource);
    };
    return std::any_of(item.inputs.begin(), item.inputs.end(), unknown_input) ||
           std::any_of(item.outputs.begin(), item.outputs.end(), unknown_input);
  }

  /// Output slots: references are the first input's variable, the rest get memory of their own.
  std::vector<SlotId> output_slots(const StepNode& item, const std::vector<SlotId>& inputs, bool dynamic) {
    std::vector<SlotId> outputs;
    for (ValueId id : item.outputs) {
      if (is_resource(id)) {
        slot_of_[id] = inputs[0];
      } else {
        const bool held = dynamic || handed_out_[id];
        slot_of_[id] = add_slot({.kind = held ? SlotKind::kHeld : SlotKind::kArena,
                                 .dtype = dtype_of(id),
                                 .shape = facts_[id].shape});
        if (held && !dynamic) program_.fresh_slots.push_back({slot_of_[id]});
      }
      outputs.push_back(slot_of_[id]);
    }
    return outputs;
  }

  std::vector<SlotId> input_slots(const StepNode& item) {
    std::vector<SlotId> inputs;
    for (int i = 0; i < static_cast<int>(item.inputs.size()); ++i) inputs.push_back(input_slot(item, i));
    return inputs;
  }

  void make_dynamic(const StepNode& item) {
    const std::vector<SlotId> inputs = input_slots(item);
    const std::vector<SlotId> outputs = output_slots(item, inputs, /*dynamic=*/true);
    Instruction instruction;
    instruction.kind = InstructionKind::kDynamic;
    instruction.bodies = program_.num_dynamic++;
    instruction.node = item.node;
    add(std::move(instruction), inputs, outputs);
  }

  void make_blocking(const StepNode& item) {
    const std::vector<SlotId> inputs = input_slots(item);
    const std::vector<SlotId> outputs = output_slots(item, inputs, /*dynamic=*/true);
    Instruction instruction;
    instruction.kind = InstructionKind::kBlocking;
    instruction.node = item.node;
    add(std::move(instruction), inputs, outputs);
  }

  void make_kernel(const StepNode& item) {
    std::vector<PrepareContext::Value> inputs;
    std::vector<PrepareContext::Value> outputs;
    for (ValueId id : item.inputs) {
      const Array& constant = facts_[id].constant;
      inputs.push_back({facts_[id].shape, dtype_of(id), constant.has_value() ? &constant : nullptr});
    }
    for (ValueId id : item.outputs) outputs.push_back({facts_[id].shape, dtype_of(id), nullptr});
    PrepareContext context(item.node->name(), item.node->schema(), item.node->attrs(), inputs, outputs,
                           resources_.states, resources_.workers);
    Instruction instruction;
    instruction.node = item.node;
    try {
      instruction.kernel = graph::prepare_kernel(context);
    } catch (const graph::UnknownValue&) {
      make_dynamic(item);
      return;
    } catch (const Error&) {
      if (misfits_ == Misfits::kRefused) throw;
      make_dynamic(item);  // an error if it runs at all
      return;
    }
    const std::vector<SlotId> in = input_slots(item);
    const std::vector<SlotId> out = output_slots(item, in, /*dynamic=*/false);
    add(std::move(instruction), in, out);
  }

  void add(Instruction instruction, const std::vector<SlotId>& inputs, const std::vector<SlotId>& outputs) {
    Segment& segment = program_.segment;
    instruction.inputs = static_cast<uint32_t>(segment.operands.size());
    instruction.num_inputs = static_cast<uint32_t>(inputs.size());
    segment.operands.insert(segment.operands.end(), inputs.begin(), inputs.end());
    instruction.outputs = static_cast<uint32_t>(segment.operands.size());
    instruction.num_outputs = static_cast<uint32_t>(outputs.size());
    segment.operands.insert(segment.operands.end(), outputs.begin(), outputs.end());
    segment.instructions.push_back(std::move(instruction));
  }

  void add_result(ValueId id, size_t number) {
    const bool is_body = gives_ != nullptr;
    if (id == kNoValue || (is_body && is_resource(id) && stands_for_resource((*gives_)[number]))) {
      program_.results.push_back({.slot = kNoSlot});
      return;
    }
    const StepValue& value = step_.values[id];
    if (is_resource(id) && value.endpoint.dtype() == DType::kResource) {
      throw errors::InvalidArgumentError(
          fmt::format("Tensor {} of type resource cannot be fetched.\nFetch the variable's value.",
                      value.endpoint.name()));
    }
    const SlotId from = is_resource(id) ? read(*value.endpoint.node, id) : slot(id);
    program_.results.push_back({from, dtype_of(id), facts_[id].shape});
  }

  const StepGraph& step_;
  const Facts& facts_;
  const Resources& resources_;
  const std::vector<DType>* gives_;
  const Misfits misfits_;
  const PlanProgram plan_program_;
  Program& program_;
  std::vector<SlotId> slot_of_;
  std::vector<bool> handed_out_;
  std::vector<bool> taken_as_array_;  // likewise
};

}  // namespace

std::unique_ptr<Program> make_instructions(const PlanRequest& request, const Resources& resources,
                                           PlanProgram plan_program) {
  auto program = std::make_unique<Program>();
  InstructionMaker(request, resources, plan_program, *program).make();
  program->is_loop_body = request.is_loop_body;
  return program;
}

}  // namespace flowray::engine
