/// The ops that run functions of the graph's library, and what belongs to them. Those that call have no
/// kernels: the engine puts the functions' bodies in their place (engine/step/call_functions.cpp).
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/flow/register.h"

#include <cstring>

namespace flowray::ops {
namespace {

using graph::ShapeContext;

/// What the client says that the functions return; otherwise unknown.
void declared_shapes(ShapeContext& context) {
  const auto& shapes = context.attrs().get<std::vector<Shape>>("output_shapes");
  if (static_cast<int>(shapes.size()) != context.num_outputs()) return;
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, shapes[static_cast<size_t>(i)]);
}

/// The shape that is known where the function is called: see graph/exchange/function_body.h.
void arg_shape(ShapeContext& context) {
  if (context.attrs().get<DType>("T") == DType::kResource) return context.set_output(0, Shape());
  const graph::AttrValue* shape = context.attrs().find("_shape");
  if (shape != nullptr && shape->get_if<Shape>() != nullptr) context.set_output(0, shape->get<Shape>());
}

void fake_param_shape(ShapeContext& context) { context.set_output(0, context.attrs().get<Shape>("shape")); }

/// A value of the dtype, for results that are not read.
void fake_param(graph::DynamicCall& call) {
  Shape shape = call.attrs().get<Shape>("shape");
  if (!shape.has_rank()) shape = Shape{0};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) shape.set_dim(i, 0);
  }
  const DType dtype = call.attrs().get<DType>("dtype");
  const bool has_elements = dtype != DType::kVariant && dtype != DType::kResource;
  call.set_out(0, has_elements ? Array(dtype, shape) : Array::wrap(nullptr, nullptr, dtype, Shape()));
}

/// TensorFlow's rule of truth: of a scalar that it is not zero and not the empty string, of anything else
/// that it has elements.
std::unique_ptr<graph::Kernel> prepare_to_bool(graph::PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  const Shape& shape = context.input_shape(0);
  if (shape.rank() > 0) {
    return graph::make_kernel(
        [truth = shape.num_elements() > 0](const graph::KernelCall& call) { *call.out<bool>(0) = truth; });
  }
  if (dtype == DType::kString) {
    return graph::make_kernel(
        [](const graph::KernelCall& call) { *call.out<bool>(0) = !call.in<std::string>(0)->empty(); });
  }
  if (dtype == DType::kVariant || dtype == DType::kResource) context.no_kernel_for(dtype);
  if (dtype == DType::kFloat32) {  // -0 is false, too
    return graph::make_kernel(
        [](const graph::KernelCall& call) { *call.out<bool>(0) = *call.in<float>(0) != 0; });
  }
  if (dtype == DType::kFloat64) {
    return graph::make_kernel(
        [](const graph::KernelCall& call) { *call.out<bool>(0) = *call.in<double>(0) != 0; });
  }
  return graph::make_kernel([bytes = dtype_size(dtype)](const graph::KernelCall& call) {
    const char* const value = call.in<char>(0);
    bool truth = false;
    for (size_t i = 0; i < bytes; ++i) truth = truth || value[i] != 0;
    *call.out<bool>(0) = truth;
  });
}

/// The gradient of each argument has the shape of the argument.
void symbolic_gradient_shape(ShapeContext& context) {
  if (context.num_inputs() < context.num_outputs()) ShapeContext::fail("len(inputs) < len(outputs)");
  for (int i = 0; i < context.num_outputs(); ++i) {
    const bool is_handle = context.input_dtype(i) == DType::kResource;
    context.set_output(i, is_handle ? context.value_as_shape(i) : context.input(i));
  }
}

constexpr const char* kCallAttrs =
    "Tin:list(type); Tout:list(type); f:func; config:string=\"\"; config_proto:string=\"\"; "
    "executor_type:string=\"\"";
constexpr const char* kIfAttrs =
    "Tcond:type; Tin:list(type); Tout:list(type); then_branch:func; else_branch:func; "
    "output_shapes:list(shape)=[]";
constexpr const char* kWhileAttrs =
    "T:list(type); cond:func; body:func; output_shapes:list(shape)=[]; parallel_iterations:int=10";
constexpr const char* kCaseAttrs =
    "Tin:list(type); Tout:list(type); branches:list(func)>=1; output_shapes:list(shape)=[]";

constexpr graph::OpRow calling_op_row(std::string_view name, std::string_view inputs,
                                      std::string_view outputs, std::string_view attrs, bool stateful,
                                      graph::ShapeFunction shape) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .stateful = stateful,
          .shape = shape};
}

constexpr graph::OpRow kCallingOps[] = {
    calling_op_row("PartitionedCall", "args:[Tin]", "output:[Tout]", kCallAttrs, false, graph::unknown_shape),
    calling_op_row("StatefulPartitionedCall", "args:[Tin]", "output:[Tout]", kCallAttrs, true,
                   graph::unknown_shape),
    // The function's gradient, whose name tf::gradients writes beside that of the function.
    calling_op_row("SymbolicGradient", "input:[Tin]", "output:[Tout]",
                   "Tin:list(type)>=1; Tout:list(type)>=1; f:func", false, symbolic_gradient_shape),
    calling_op_row("If", "cond:Tcond, input:[Tin]", "output:[Tout]", kIfAttrs, true, declared_shapes),
    calling_op_row("StatelessIf", "cond:Tcond, input:[Tin]", "output:[Tout]", kIfAttrs, false,
                   declared_shapes),
    calling_op_row("While", "input:[T]", "output:[T]", kWhileAttrs, true, declared_shapes),
    calling_op_row("StatelessWhile", "input:[T]", "output:[T]", kWhileAttrs, false, declared_shapes),
    calling_op_row("Case", "branch_index:int32, input:[Tin]", "output:[Tout]", kCaseAttrs, true,
                   declared_shapes),
    calling_op_row("StatelessCase", "branch_index:int32, input:[Tin]", "output:[Tout]", kCaseAttrs, false,
                   declared_shapes),
};

constexpr graph::OpRow kFunctionalOps[] = {
    {.name = "_Arg",
     .outputs = "output:T",
     .attrs = "T:type; index:int>=0",
     .stateful = true,
     .shape = arg_shape},
    {.name = "ToBool",
     .inputs = "input:T",
     .outputs = "output:bool",
     .attrs = "T:type",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_to_bool},
    {.name = "FakeParam",
     .outputs = "output:dtype",
     .attrs = "dtype:type; shape:shape",
     .shape = fake_param_shape,
     .compute = fake_param},
};

}  // namespace

void register_functional_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kCallingOps) table.add(row);
  for (const graph::OpRow& row : kFunctionalOps) table.add(row);
}

}  // namespace flowray::ops
