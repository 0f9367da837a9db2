// The ops of accumulators. As for queues, those of the first form take a reference to two strings, those that
// are called Resource... a handle.

#include "graph/graph.h"
#include "graph/kernel/blocking_call.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/queues/accumulator.h"
#include "ops/queues/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::BlockingCall;
using graph::OpTable;
using graph::ResourceContext;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

// ---- making them

template <class A>
std::shared_ptr<graph::Resource> find_or_make(ResourceContext& context) {
  const graph::Attrs& attrs = context.attrs();
  const AccumulatorSpec asked{attrs.get<DType>("dtype"), attrs.get<Shape>("shape"),
                              attrs.get<std::string>("reduction_type") == "MEAN"};
  if (asked.dtype != DType::kFloat16 && asked.dtype != DType::kFloat32 && asked.dtype != DType::kFloat64) {
    throw errors::NotFoundError(
        fmt::format("No OpKernel was registered to support Op '{}' with dtype {}; it has one for "
                    "float16, float32 and float64",
                    context.node().op(), dtype_name(asked.dtype)));
  }
  const auto found =
      context.find_or_make<Accumulator>([&](const std::string& name) -> std::shared_ptr<Accumulator> {
        return std::make_shared<A>(name, asked);
      });
  if (dynamic_cast<A*>(found.get()) == nullptr) {
    throw InvalidArgumentError(fmt::format("Accumulator '{}' is of another kind", found->name()));
  }
  return found;
}

// ---- using them

template <class T>
T scalar(const BlockingCall& call, int i, std::string_view name) {
  const Array& value = call.in(i);
  if (value.rank() != 0) {
    throw InvalidArgumentError(
        fmt::format("Argument {} must be scalar, but had bad shape {}", name, value.shape().to_string()));
  }
  return *value.data<T>();
}

void check_dtype(const BlockingCall& call, const Accumulator& accumulator, DType dtype,
                 std::string_view inputs, bool comes_in) {
  if (dtype == accumulator.spec().dtype) return;
  const bool is_resource = call.node().input(0).dtype() == DType::kResource;
  const auto text = [&](DType shown) {
    const std::string handle = is_resource ? "resource" : "string_ref";
    return fmt::format("{}, {}{}->{}", handle, inputs, comes_in ? dtype_kernel_name(shown) : "",
                       comes_in ? "" : dtype_kernel_name(shown));
  };
  throw InvalidArgumentError(
      fmt::format("Signature mismatch, have: {} expected: {}", text(dtype), text(accumulator.spec().dtype)));
}

GiveUp start_apply(BlockingCall& call) {
  auto& accumulator = call.resource<Accumulator>(0);
  check_dtype(call, accumulator, call.in(2).dtype(), "int64, ", true);
  accumulator.apply(scalar<int64_t>(call, 1, "local_step"), {call.in(2)});
  call.done();
  return {};
}

GiveUp start_apply_sparse(BlockingCall& call) {
  auto& accumulator = call.resource<Accumulator>(0);
  check_dtype(call, accumulator, call.in(3).dtype(), "int64, int64, ", true);
  std::vector<Array> gradient = {call.in(2), call.in(3), call.in(4)};
  if (call.attrs().get<bool>("has_known_shape")) gradient.push_back(call.in(4));
  accumulator.apply(scalar<int64_t>(call, 1, "local_step"), gradient);
  call.done();
  return {};
}

GiveUp start_num_accumulated(BlockingCall& call) {
  call.done({Array(static_cast<int32_t>(call.resource<Accumulator>(0).num_accumulated()))});
  return {};
}

GiveUp start_set_global_step(BlockingCall& call) {
  auto& accumulator = call.resource<Accumulator>(0);
  accumulator.set_global_step(scalar<int64_t>(call, 1, "new_global_step"));
  call.done();
  return {};
}

GiveUp start_take(BlockingCall& call) {
  auto& accumulator = call.resource<Accumulator>(0);
  check_dtype(call, accumulator, call.attrs().get<DType>("dtype"), "int32", false);
  const auto attempt =
      accumulator.take(scalar<int32_t>(call, 1, "num_required"), [&call](TakenGradient taken) {
        taken.code == Code::kOk ? call.done(std::move(taken.outputs))
                                : call.fail(taken.code, std::move(taken.text));
      });
  return [&accumulator, attempt] { accumulator.cancel(attempt); };
}

// ---- shapes

void scalar_argument_shape(ShapeContext& context) {
  if (!context.running()) (void)context.with_rank(1, 0);
}

// ---- the ops

constexpr std::string_view kAccumulatorAttrs =
    "dtype:type{numbers}; shape:shape; container:string=\"\"; shared_name:string=\"\"; "
    "reduction_type:string=\"MEAN\"{[MEAN,SUM]}";

constexpr graph::OpRow accumulator_row(std::string_view name, graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "handle:ref string",
          .attrs = kAccumulatorAttrs,
          .stateful = true,
          .shape = graph::reference_handle_shape,
          .not_differentiable = true,
          .resource = resource};
}

constexpr graph::OpRow kAccumulatorOps[] = {
    accumulator_row("ConditionalAccumulator", find_or_make<DenseAccumulator>),
    accumulator_row("SparseConditionalAccumulator", find_or_make<SparseAccumulator>),
    {.name = "ResourceConditionalAccumulator",
     .outputs = "handle:resource",
     .attrs = kAccumulatorAttrs,
     .stateful = true,
     .shape = graph::scalar_shape,
     .resource = find_or_make<DenseAccumulator>},
    {.name = "AccumulatorApplyGradient",
     .inputs = "handle:ref string, local_step:int64, gradient:dtype",
     .attrs = "dtype:type{numbers}",
     .shape = scalar_argument_shape,
     .not_differentiable = true,
     .start = start_apply},
    {.name = "ResourceAccumulatorApplyGradient",
     .inputs = "handle:resource, local_step:int64, gradient:dtype",
     .attrs = "dtype:type{numbers}",
     .stateful = true,
     .shape = scalar_argument_shape,
     .start = start_apply},
    {.name = "AccumulatorNumAccumulated",
     .inputs = "handle:ref string",
     .outputs = "num_accumulated:int32",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .start = start_num_accumulated},
    {.name = "ResourceAccumulatorNumAccumulated",
     .inputs = "handle:resource",
     .outputs = "num_accumulated:int32",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_num_accumulated},
    {.name = "AccumulatorSetGlobalStep",
     .inputs = "handle:ref string, new_global_step:int64",
     .shape = scalar_argument_shape,
     .not_differentiable = true,
     .start = start_set_global_step},
    {.name = "ResourceAccumulatorSetGlobalStep",
     .inputs = "handle:resource, new_global_step:int64",
     .stateful = true,
     .shape = scalar_argument_shape,
     .start = start_set_global_step},
    {.name = "AccumulatorTakeGradient",
     .inputs = "handle:ref string, num_required:int32",
     .outputs = "average:dtype",
     .attrs = "dtype:type{numbers}",
     .shape = scalar_argument_shape,
     .not_differentiable = true,
     .start = start_take},
    {.name = "ResourceAccumulatorTakeGradient",
     .inputs = "handle:resource, num_required:int32",
     .outputs = "average:dtype",
     .attrs = "dtype:type{numbers}",
     .stateful = true,
     .shape = scalar_argument_shape,
     .start = start_take},
    {.name = "SparseAccumulatorApplyGradient",
     .inputs = "handle:ref string, local_step:int64, gradient_indices:int64, gradient_values:dtype, "
               "gradient_shape:int64",
     .attrs = "dtype:type{numbers}; has_known_shape:bool",
     .shape = scalar_argument_shape,
     .not_differentiable = true,
     .start = start_apply_sparse},
    {.name = "SparseAccumulatorTakeGradient",
     .inputs = "handle:ref string, num_required:int32",
     .outputs = "indices:int64, values:dtype, shape:int64",
     .attrs = "dtype:type{numbers}",
     .shape = scalar_argument_shape,
     .not_differentiable = true,
     .start = start_take},
};

}  // namespace

void register_accumulator_ops(OpTable& table) {
  for (const graph::OpRow& row : kAccumulatorOps) table.add(row);
}

}  // namespace flowray::ops
