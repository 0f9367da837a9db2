// Variables: where they come from, how they are read and assigned. One set of kernels serves reference
// variables (VariableV2, Assign) and resource variables (VarHandleOp, AssignVariableOp).

#include "core/checked_size.h"
#include "graph/dims_context.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/combine_rules.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/variables/register.h"
#include "ops/variables/variable_shapes.h"

#include <fmt/format.h>

#include <cstring>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;
using graph::Variable;

constexpr int64_t kMinElementsPerWorker = 64 * 1024;

// ---- shapes

void declared_shape(ShapeContext& context) { context.set_output(0, context.attrs().get<Shape>("shape")); }

/// The old op cannot tell "a scalar" from "unknown".
void old_declared_shape(ShapeContext& context) {
  const Shape& shape = context.attrs().get<Shape>("shape");
  if (shape.rank() > 0) context.set_output(0, shape);
}

void handle_value_shape(ShapeContext& context) { context.set_output(0, variable_shape(context, 0)); }

void assign_shape(ShapeContext& context) {
  const Shape& value = context.input(1);
  if (!context.attrs().get<bool>("validate_shape")) return context.set_output(0, value);
  if (context.running() && !context.input(0).is_compatible_with(value)) {
    ShapeContext::fail(
        fmt::format("Assign requires shapes of both tensors to match. lhs shape= {} rhs shape= {}",
                    context.input(0).to_string(), value.to_string()));
  }
  context.set_output(0, merge_shapes(context.input(0), value));
}

void assign_variable_shape(ShapeContext& context) {
  if (!context.running()) merge_shapes(variable_shape(context, 0), context.input(1));
}

std::string sizes_differ(DType handle, const Shape& variable, const Shape& value) {
  if (handle != DType::kResource) return "Parameters and update must be the same size";
  return fmt::format(
      "Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
      variable.to_string(), value.to_string());
}

void assign_op_shape(ShapeContext& context) {
  const Shape variable = variable_shape(context, 0);
  if (context.running() && !variable.is_compatible_with(context.input(1))) {
    ShapeContext::fail(sizes_differ(context.input_dtype(0), variable, context.input(1)));
  }
  const Shape merged = merge_shapes(variable, context.input(1));
  if (context.num_outputs() > 0) context.set_output(0, merged);
}

void variable_rank_shape(ShapeContext& context) {
  const Shape shape = variable_shape(context, 0);
  context.set_output(0, Shape{shape.has_rank() ? shape.rank() : Shape::kUnknownDim});
}

Shape variable_dims(const graph::DimsContext& context) { return context.handle_shape(0); }

// ---- reading

[[noreturn]] void throw_not_found(const Variable& variable) {
  throw errors::FailedPreconditionError(
      fmt::format("Could not find variable {0}. This could mean that the variable has been deleted. In TF1, "
                  "it can also mean the "
                  "variable is uninitialized. Debug info: container=localhost, status error message=Resource "
                  "localhost/{0} does "
                  "not exist.",
                  variable.name()));
}

Array read_resource(const Variable& variable) {
  if (!variable.initialized()) throw_not_found(variable);
  return variable.read();
}

/// By this step, or by another one that runs meanwhile.
[[noreturn]] void throw_changed_shape(const Variable& variable, const Shape& shape, const std::string& what) {
  throw errors::FailedPreconditionError(fmt::format(
      "Variable {} has changed its shape during the step: {} {}\nA step is planned for the shapes "
      "that variables have when it begins: let the assignment be a step of its own.",
      variable.name(), shape.to_string(), what));
}

std::unique_ptr<Kernel> prepare_read(PrepareContext& context) {
  return graph::make_kernel(
      [dtype = context.output_dtype(0), shape = context.output_shape(0)](const KernelCall& call) {
        const Array value = read_resource(call.variable(0));
        if (value.dtype() != dtype) {
          throw errors::InvalidArgumentError(
              fmt::format("Trying to read variable with wrong dtype. Expected {} got {}",
                          dtype_kernel_name(dtype), dtype_kernel_name(value.dtype())));
        }
        if (!(value.shape() == shape)) {
          throw_changed_shape(call.variable(0), value.shape(), "was " + shape.to_string());
        }
        if (is_trivial(dtype)) {
          std::memcpy(call.out<char>(0), value.raw_data(), value.size_bytes());
        } else {
          std::copy_n(value.data<std::string>(), value.size(), call.out<std::string>(0));
        }
      });
}

std::unique_ptr<Kernel> prepare_is_initialized(PrepareContext&) {
  return graph::make_kernel(
      [](const KernelCall& call) { *call.out<bool>(0) = call.variable(0).initialized(); });
}

std::unique_ptr<Kernel> prepare_variable_shape(PrepareContext& context) {
  const DType dtype = context.output_dtype(0);
  return graph::make_kernel([dtype, rank = context.output_shape(0).dim(0)](const KernelCall& call) {
    const Shape shape = read_resource(call.variable(0)).shape();
    if (shape.rank() != rank) {
      throw_changed_shape(call.variable(0), shape, fmt::format("has not {} dimensions", rank));
    }
    for (int i = 0; i < shape.rank(); ++i) {
      if (dtype == DType::kInt64) call.out<int64_t>(0)[i] = shape.dim(i);
      if (dtype == DType::kInt32) call.out<int32_t>(0)[i] = checked_int32("Dimension", shape.dim(i));
    }
  });
}

std::vector<graph::Endpoint> read_gradient(graph::GradientContext& g) { return {g.grad()}; }

// ---- assigning

std::unique_ptr<Kernel> prepare_assign(PrepareContext& context) {
  // That the value fits what this graph says of the variable is known; another graph may have said something
  // else of it.
  const bool look = context.attrs().get<bool>("validate_shape");
  return graph::make_kernel(
      [look, dtype = context.input_dtype(1), shape = context.input_shape(1)](const KernelCall& call) {
        Variable& variable = call.variable(0);
        if (look && variable.initialized()) {
          const Shape old = variable.read().shape();
          if (!(old == shape)) {
            throw errors::InvalidArgumentError(
                fmt::format("Assign requires shapes of both tensors to match. lhs shape= {} rhs shape= {}",
                            old.to_string(), shape.to_string()));
          }
        }
        variable.assign_copy(dtype, shape, call.in<void>(1));
      });
}

std::unique_ptr<Kernel> prepare_assign_variable(PrepareContext& context) {
  const bool validate = context.attrs().get<bool>("validate_shape");
  return graph::make_kernel(
      [validate, dtype = context.input_dtype(1), shape = context.input_shape(1)](const KernelCall& call) {
        Variable& variable = call.variable(0);
        if (validate && variable.initialized()) {
          const Shape old = variable.read().shape();
          if (!(old == shape)) {
            throw errors::InvalidArgumentError(
                fmt::format("Trying to assign to variable with tensor with wrong shape. Expected {} got {}",
                            old.to_string(), shape.to_string()));
          }
        }
        variable.assign_copy(dtype, shape, call.in<void>(1));
      });
}

template <class T>
void check_dtype(const Variable::Update& update) {
  if (update.dtype() != kDTypeOf<T>) {
    throw errors::InvalidArgumentError(
        fmt::format("Trying to update a variable of dtype {} with values of dtype {}",
                    dtype_kernel_name(update.dtype()), dtype_kernel_name(kDTypeOf<T>)));
  }
}

template <class Operation, class T>
void combine_all(T* variable, const T* value, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) variable[i] = Operation::combine(variable[i], value[i]);
}

template <class Operation>
std::unique_ptr<Kernel> prepare_assign_op(PrepareContext& context) {
  return kernel_for_dtype<AllNumberTypes>(context, context.input_dtype(1), [&]<class T>() {
    return graph::make_kernel(
        [handle = context.input_dtype(0), shape = context.input_shape(1)](const KernelCall& call) {
          Variable::Update update = call.variable(0).update();
          check_dtype<T>(update);
          if (!(update.shape() == shape)) {
            throw errors::InvalidArgumentError(sizes_differ(handle, update.shape(), shape));
          }
          T* variable = update.data<T>();
          const T* value = call.in<T>(1);
          call.parallel().for_range(
              shape.num_elements(), kMinElementsPerWorker,
              [&](int64_t begin, int64_t end, int) { combine_all<Operation>(variable, value, begin, end); });
        });
  });
}

/// The value before one is added to it; an error once it has reached the limit.
template <class T>
T count_up(Variable& variable, int64_t limit) {
  Variable::Update update = variable.update();
  check_dtype<T>(update);
  if (update.shape().rank() != 0) {
    throw errors::InvalidArgumentError("input is not a scalar: " + update.shape().to_string());
  }
  T& value = *update.data<T>();
  if (value >= limit) throw errors::OutOfRangeError(fmt::format("Reached limit of {}", limit));
  return value++;
}

std::unique_ptr<Kernel> prepare_count_up_to(PrepareContext& context) {
  const auto limit = context.attrs().get<int64_t>("limit");
  if (context.output_dtype(0) == DType::kInt32) (void)checked_int32("Attr limit", limit);
  return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class T>() {
    return graph::make_kernel(
        [limit](const KernelCall& call) { *call.out<T>(0) = count_up<T>(call.variable(0), limit); });
  });
}

void count_up_to_shape(ShapeContext& context) { context.set_output(0, context.with_rank(0, 0)); }

void resource_count_up_to_shape(ShapeContext& context) {
  const Shape variable = variable_shape(context, 0);
  if (variable.has_rank() && variable.rank() != 0)
    ShapeContext::fail(fmt::format("Shape must be rank 0 but is rank {}", variable.rank()));
  context.set_output(0, Shape());
}

constexpr OpRow kReferenceOps[] = {
    {.name = "VariableV2",
     .outputs = "ref:ref dtype",
     .attrs = "shape:shape; dtype:type; container:string=\"\"; shared_name:string=\"\"",
     .stateful = true,
     .shape = declared_shape},
    {.name = "Variable",
     .outputs = "ref:ref dtype",
     .attrs = "shape:shape; dtype:type; container:string=\"\"; shared_name:string=\"\"",
     .stateful = true,
     .shape = old_declared_shape},
    {.name = "IsVariableInitialized",
     .inputs = "ref:ref dtype",
     .outputs = "is_initialized:bool",
     .attrs = "dtype:type",
     .shape = graph::scalar_shape,
     .prepare = prepare_is_initialized},
    {.name = "Assign",
     .inputs = "ref:ref T, value:T",
     .outputs = "output_ref:ref T",
     .attrs = "T:type; validate_shape:bool=true; use_locking:bool=true",
     .shape = assign_shape,
     .not_differentiable = true,
     .prepare = prepare_assign},
    {.name = "AssignAdd",
     .inputs = "ref:ref T, value:T",
     .outputs = "output_ref:ref T",
     .attrs = "T:type{numbers}; use_locking:bool=false",
     .shape = assign_op_shape,
     .not_differentiable = true,
     .prepare = prepare_assign_op<Plus>},
    {.name = "AssignSub",
     .inputs = "ref:ref T, value:T",
     .outputs = "output_ref:ref T",
     .attrs = "T:type{numbers}; use_locking:bool=false",
     .shape = assign_op_shape,
     .not_differentiable = true,
     .prepare = prepare_assign_op<Minus>},
    {.name = "CountUpTo",
     .inputs = "ref:ref T",
     .outputs = "output:T",
     .attrs = "limit:int; T:type{indices}",
     .shape = count_up_to_shape,
     .prepare = prepare_count_up_to},
};

constexpr OpRow kResourceOps[] = {
    {.name = "VarHandleOp",
     .outputs = "resource:resource",
     .attrs =
         "container:string=\"\"; shared_name:string=\"\"; debug_name:string=\"\"; dtype:type; shape:shape; "
         "allowed_devices:list(string)=[]",
     .stateful = true,
     .shape = graph::scalar_shape},
    {.name = "ReadVariableOp",
     .inputs = "resource:resource",
     .outputs = "value:dtype",
     .attrs = "dtype:type",
     .stateful = true,
     .shape = handle_value_shape,
     .gradient = read_gradient,
     .prepare = prepare_read},
    {.name = "VarIsInitializedOp",
     .inputs = "resource:resource",
     .outputs = "is_initialized:bool",
     .stateful = true,
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .prepare = prepare_is_initialized},
    // Reads share the buffer here and updates copy it (copy on write): there is nothing to switch off.
    {.name = "DisableCopyOnRead",
     .inputs = "resource:resource",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .compute = [](graph::DynamicCall&) {}},
    {.name = "VariableShape",
     .inputs = "input:resource",
     .outputs = "output:out_type",
     .attrs = "out_type:type=int32{indices}",
     .stateful = true,
     .shape = variable_rank_shape,
     .dims = variable_dims,
     .not_differentiable = true,
     .prepare = prepare_variable_shape},
    {.name = "AssignVariableOp",
     .inputs = "resource:resource, value:dtype",
     .attrs = "dtype:type; validate_shape:bool=false",
     .stateful = true,
     .shape = assign_variable_shape,
     .prepare = prepare_assign_variable},
    {.name = "AssignAddVariableOp",
     .inputs = "resource:resource, value:dtype",
     .attrs = "dtype:type",
     .stateful = true,
     .shape = assign_op_shape,
     .prepare = prepare_assign_op<Plus>},
    {.name = "AssignSubVariableOp",
     .inputs = "resource:resource, value:dtype",
     .attrs = "dtype:type",
     .stateful = true,
     .shape = assign_op_shape,
     .prepare = prepare_assign_op<Minus>},
    {.name = "ResourceCountUpTo",
     .inputs = "resource:resource",
     .outputs = "output:T",
     .attrs = "limit:int; T:type{indices}",
     .stateful = true,
     .shape = resource_count_up_to_shape,
     .prepare = prepare_count_up_to},
};

}  // namespace

void register_state_ops(graph::OpTable& table) {
  for (const OpRow& row : kReferenceOps) table.add(row);
  for (const OpRow& row : kResourceOps) table.add(row);
}

}  // namespace flowray::ops
