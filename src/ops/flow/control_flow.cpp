/// The ops that branches and loops are made of. None but RefIdentity and RefSelect has a kernel: the engine
/// turns them into instructions of its own. Source: Yu et al., "Dynamic Control Flow in Large-Scale Machine
/// Learning" (EuroSys 2018).
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

namespace flowray::ops {
namespace {

using graph::FlowRole;
using graph::ShapeContext;

void switch_shape(ShapeContext& context) {
  if (!context.input(1).is_compatible_with(Shape())) (void)context.with_rank(1, 0);
  context.set_output(0, context.input(0));
  context.set_output(1, context.input(0));
}

/// What all inputs have in common.
void merge_shape(ShapeContext& context) {
  Shape common = context.input(0);
  for (int i = 1; i < context.num_inputs(); ++i) common = graph::common_shape(common, context.input(i));
  context.set_output(0, common);
  context.set_output(1, Shape());
}

/// A loop variable may change its shape from one iteration to the next; a constant does not.
void enter_shape(ShapeContext& context) {
  const bool is_constant = context.attrs().get<bool>("is_constant");
  context.set_output(0, is_constant ? context.input(0) : Shape::unknown_rank());
}

void loop_cond_shape(ShapeContext& context) { context.set_output(0, context.with_rank(0, 0)); }

/// Known where all variables have one shape.
void select_shape(ShapeContext& context) {
  if (!context.running()) (void)context.with_rank(0, 0);
  Shape common = context.input(1);
  for (int i = 2; i < context.num_inputs(); ++i) {
    if (!common.is_fully_defined() || !(context.input(i) == common)) common = Shape::unknown_rank();
  }
  context.set_output(0, common);
}

std::unique_ptr<graph::Kernel> prepare_nothing(graph::PrepareContext&) {
  return graph::make_kernel([](const graph::KernelCall&) {});  // the output is an input's variable
}

constexpr const char* kEnterAttrs =
    "T:type; frame_name:string; is_constant:bool=false; parallel_iterations:int=10";

constexpr graph::OpRow kControlFlowOps[] = {
    {.name = "Switch",
     .inputs = "data:T, pred:bool",
     .outputs = "output_false:T, output_true:T",
     .attrs = "T:type",
     .view = true,
     .flow = FlowRole::kSwitch,
     .shape = switch_shape},
    {.name = "RefSwitch",
     .inputs = "data:ref T, pred:bool",
     .outputs = "output_false:ref T, output_true:ref T",
     .attrs = "T:type",
     .flow = FlowRole::kSwitch,
     .shape = switch_shape},
    {.name = "Merge",
     .inputs = "inputs:N*T",
     .outputs = "output:T, value_index:int32",
     .attrs = "T:type; N:int>=1",
     .flow = FlowRole::kMerge,
     .shape = merge_shape},
    {.name = "RefMerge",
     .inputs = "inputs:N*ref T",
     .outputs = "output:ref T, value_index:int32",
     .attrs = "T:type; N:int>=1",
     .flow = FlowRole::kMerge,
     .shape = merge_shape},
    {.name = "Enter",
     .inputs = "data:T",
     .outputs = "output:T",
     .attrs = kEnterAttrs,
     .view = true,
     .flow = FlowRole::kEnter,
     .shape = enter_shape},
    {.name = "RefEnter",
     .inputs = "data:ref T",
     .outputs = "output:ref T",
     .attrs = kEnterAttrs,
     .flow = FlowRole::kEnter,
     .shape = graph::unchanged_shape},
    {.name = "Exit",
     .inputs = "data:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .view = true,
     .flow = FlowRole::kExit,
     .shape = graph::unchanged_shape},
    {.name = "RefExit",
     .inputs = "data:ref T",
     .outputs = "output:ref T",
     .attrs = "T:type",
     .flow = FlowRole::kExit,
     .shape = graph::unchanged_shape},
    {.name = "RefIdentity",
     .inputs = "input:ref T",
     .outputs = "output:ref T",
     .attrs = "T:type",
     .shape = graph::unchanged_shape,
     .gradient = [](graph::GradientContext& g) -> std::vector<graph::Endpoint> { return {g.grad()}; },
     .prepare = prepare_nothing},
    {.name = "RefSelect",
     .inputs = "index:int32, inputs:N*ref T",
     .outputs = "output:ref T",
     .attrs = "T:type; N:int>=1",
     .shape = select_shape,
     .prepare = prepare_nothing},
    {.name = "NextIteration",
     .inputs = "data:T",
     .outputs = "output:T",
     .attrs = "T:type",
     .view = true,
     .flow = FlowRole::kNextIteration,
     .shape = graph::unchanged_shape},
    {.name = "RefNextIteration",
     .inputs = "data:ref T",
     .outputs = "output:ref T",
     .attrs = "T:type",
     .flow = FlowRole::kNextIteration,
     .shape = graph::unchanged_shape},
    {.name = "LoopCond",
     .inputs = "input:bool",
     .outputs = "output:bool",
     .attrs = "",
     .view = true,
     .flow = FlowRole::kLoopCond,
     .shape = loop_cond_shape},
};

}  // namespace

void register_control_flow_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kControlFlowOps) table.add(row);
}

}  // namespace flowray::ops
