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

void two_strings_shape(ShapeContext& context) { context.set_output(0, Shape{2}); }

void scalar_argument_shape(ShapeContext& context) {
  if (!context.running()) (void)context.with_rank(1, 0);
}

// ---- the table

struct Use {
  std::string_view name;
  std::string_view inputs[2];  // with a reference, with a handle
  std::string_view outputs;
  std::string_view attrs;
  graph::ShapeFunction shape;
  graph::StartFunction start;
};
constexpr Use kUses[] = {
    {"AccumulatorApplyGradient",
     {"handle:ref string, local_step:int64, gradient:dtype",
      "handle:resource, local_step:int64, gradient:dtype"},
     "",
     "dtype:type{numbers}",
     scalar_argument_shape,
     start_apply},
    {"AccumulatorNumAccumulated",
     {"handle:ref string", "handle:resource"},
     "num_accumulated:int32",
     "",
     graph::scalar_shape,
     start_num_accumulated},
    {"AccumulatorSetGlobalStep",
     {"handle:ref string, new_global_step:int64", "handle:resource, new_global_step:int64"},
     "",
     "",
     scalar_argument_shape,
     start_set_global_step},
    {"AccumulatorTakeGradient",
     {"handle:ref string, num_required:int32", "handle:resource, num_required:int32"},
     "average:dtype",
     "dtype:type{numbers}",
     scalar_argument_shape,
     start_take},
};
constexpr std::string_view kResourceNames[] = {
    "ResourceAccumulatorApplyGradient", "ResourceAccumulatorNumAccumulated",
    "ResourceAccumulatorSetGlobalStep", "ResourceAccumulatorTakeGradient"};

}  // namespace

void register_accumulator_ops(OpTable& table) {
  table.add({.name = "ConditionalAccumulator",
             .outputs = "handle:ref string",
             .attrs = "dtype:type{numbers}; shape:shape; container:string=\"\"; shared_name:string=\"\"; "
                      "reduction_type:string=\"MEAN\"{[MEAN,SUM]}",
             .stateful = true,
             .shape = two_strings_shape,
             .not_differentiable = true,
             .resource = find_or_make<DenseAccumulator>});
  table.add({.name = "SparseConditionalAccumulator",
             .outputs = "handle:ref string",
             .attrs = "dtype:type{numbers}; shape:shape; container:string=\"\"; shared_name:string=\"\"; "
                      "reduction_type:string=\"MEAN\"{[MEAN,SUM]}",
             .stateful = true,
             .shape = two_strings_shape,
             .not_differentiable = true,
             .resource = find_or_make<SparseAccumulator>});
  table.add({.name = "ResourceConditionalAccumulator",
             .outputs = "handle:resource",
             .attrs = "dtype:type{numbers}; shape:shape; container:string=\"\"; shared_name:string=\"\"; "
                      "reduction_type:string=\"MEAN\"{[MEAN,SUM]}",
             .stateful = true,
             .shape = graph::scalar_shape,
             .resource = find_or_make<DenseAccumulator>});
  for (size_t i = 0; i < std::size(kUses); ++i) {
    for (const size_t form : {0u, 1u}) {
      table.add({.name = form == 0 ? kUses[i].name : kResourceNames[i],
                 .inputs = kUses[i].inputs[form],
                 .outputs = kUses[i].outputs,
                 .attrs = kUses[i].attrs,
                 .stateful = form == 1,
                 .shape = kUses[i].shape,
                 .not_differentiable = form == 0,
                 .start = kUses[i].start});
    }
  }
  table.add({.name = "SparseAccumulatorApplyGradient",
             .inputs = "handle:ref string, local_step:int64, gradient_indices:int64, gradient_values:dtype, "
                       "gradient_shape:int64",
             .attrs = "dtype:type{numbers}; has_known_shape:bool",
             .shape = scalar_argument_shape,
             .not_differentiable = true,
             .start = start_apply_sparse});
  table.add({.name = "SparseAccumulatorTakeGradient",
             .inputs = "handle:ref string, num_required:int32",
             .outputs = "indices:int64, values:dtype, shape:int64",
             .attrs = "dtype:type{numbers}",
             .shape = scalar_argument_shape,
             .not_differentiable = true,
             .start = start_take});
}

}  // namespace flowray::ops
