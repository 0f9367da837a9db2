// Range and LinSpace.

#include "core/dtype_dispatch.h"
#include "core/wrapping.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/element_types.h"

#include <fmt/format.h>

#include <cmath>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

/// The kernels' words at run time; while a graph is built any shape function says "Shape must be rank 0".
void check_scalars(ShapeContext& context, std::initializer_list<const char*> names) {
  int i = 0;
  for (const char* name : names) {
    if (context.running() && context.input(i).num_elements() != 1) {
      ShapeContext::fail(
          fmt::format("{} must be a scalar, not shape {}", name, context.input(i).to_string()));
    }
    if (!context.running()) context.with_rank(i, 0);
    ++i;
  }
}

template <class T>
T scalar_value(const ShapeContext& context, int i) {
  return context.value(i)->data<T>()[0];
}

// ---- Range

using RangeTypes = TypeList<float, double, int32_t, int64_t, float16, bfloat16>;

/// How many steps of `delta` lie in [start, limit).
template <class T>
int64_t range_size(T start, T limit, T delta, bool running) {
  if (delta == T(0)) {
    ShapeContext::fail(running ? fmt::format("Requires delta != 0: {}", delta) : "Requires delta != 0");
  }
  // A NaN is neither below nor above.
  if (delta > T(0) ? !(start <= limit) : !(start >= limit)) {
    const bool up = delta > T(0);
    ShapeContext::fail(fmt::format("Requires start {} limit when delta {} 0: {}/{}",
                                   up ? "<=" : ">=", up ? ">" : "<", start, limit));
  }
  if constexpr (std::is_integral_v<T>) {
    // Distances may exceed the signed type: unsigned arithmetic is exact.
    using U = std::make_unsigned_t<T>;
    const U distance = delta > T(0) ? U(limit) - U(start) : U(start) - U(limit);
    const U step = delta > T(0) ? U(delta) : U(0) - U(delta);
    const U size = distance / step + (distance % step != 0 ? 1 : 0);
    if (static_cast<uint64_t>(size) > static_cast<uint64_t>(INT64_MAX)) {
      ShapeContext::fail(fmt::format("Requires ((limit - start) / delta) <= {}", INT64_MAX));
    }
    return static_cast<int64_t>(size);
  } else {
    const auto size = std::ceil(std::abs((limit - start) / delta));
    if (!(size < 9e18)) {
      ShapeContext::fail(fmt::format("Requires ((limit - start) / delta) <= {}", INT64_MAX));
    }
    return static_cast<int64_t>(size);
  }
}

void range_shape(ShapeContext& context) {
  check_scalars(context, {"start", "limit", "delta"});
  context.set_output(0, Shape{Shape::kUnknownDim});
  for (int i = 0; i < 3; ++i) {
    if (context.value(i) == nullptr) return;
  }
  const bool known = dispatch<RangeTypes>(context.input_dtype(0), [&]<class T>() {
    const auto number = [&](int i) { return static_cast<Wide<T>>(scalar_value<T>(context, i)); };
    context.set_output(0, Shape{range_size<Wide<T>>(number(0), number(1), number(2), context.running())});
  });
  if (!known && context.running()) {
    throw errors::UnimplementedError("No OpKernel was registered to support Op 'Range' with Tidx=" +
                                     dtype_kernel_name(context.input_dtype(0)));
  }
}

/// start + i * delta. A product that leaves the integer type comes back into it with the sum: it is taken
/// modulo its width.
template <class T>
T element(T start, int64_t i, T delta) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_add(start, wrapping_multiply(static_cast<T>(i), delta));
  } else if constexpr (std::is_same_v<T, bfloat16>) {  // TensorFlow rounds each step of it
    return static_cast<T>(
        static_cast<float>(start) +
        static_cast<float>(static_cast<T>(static_cast<float>(static_cast<T>(static_cast<float>(i))) *
                                          static_cast<float>(delta))));
  } else {
    return static_cast<T>(static_cast<Wide<T>>(start) +
                          static_cast<Wide<T>>(i) * static_cast<Wide<T>>(delta));
  }
}

std::unique_ptr<Kernel> prepare_range(PrepareContext& context) {
  const int64_t count = context.output_shape(0).num_elements();
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<RangeTypes>(context.output_dtype(0), [&]<class T>() {
    kernel = make_kernel([count](const KernelCall& call) {
      const T start = *call.in<T>(0);
      const T delta = *call.in<T>(2);
      T* const out = call.out<T>(0);
      for (int64_t i = 0; i < count; ++i) out[i] = element<T>(start, i, delta);
    });
  });
  if (!known) context.no_kernel_for(context.output_dtype(0));
  return kernel;
}

// ---- LinSpace

void lin_space_shape(ShapeContext& context) {
  const char* const names[] = {"start", "stop", "num"};
  for (int i = 0; i < 3 && context.running(); ++i) {
    if (context.input(i).rank() == 0) continue;
    ShapeContext::fail(
        fmt::format("{} must be a scalar, not shape {}", names[i], context.input(i).to_string()));
  }
  check_scalars(context, {"start", "stop", "num"});
  if (context.value(2) == nullptr) return context.set_output(0, Shape{Shape::kUnknownDim});
  const int64_t count = context.integers(2)[0];
  if (count <= 0) ShapeContext::fail(fmt::format("Requires num > 0: {}", count));
  context.set_output(0, Shape{count});
}

std::unique_ptr<Kernel> prepare_lin_space(PrepareContext& context) {
  const int64_t count = context.output_shape(0).num_elements();
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch<FloatTypes>(context.output_dtype(0), [&]<class T>() {
    kernel = make_kernel([count](const KernelCall& call) {
      const T start = *call.in<T>(0);
      const T stop = *call.in<T>(1);
      T* const out = call.out<T>(0);
      out[0] = start;
      if (count == 1) return;
      const T step = (stop - start) / static_cast<T>(count - 1);
      for (int64_t i = 1; i + 1 < count; ++i) out[i] = start + step * static_cast<T>(i);
      out[count - 1] = stop;
    });
  });
  if (!known) context.no_kernel_for(context.output_dtype(0));
  return kernel;
}

constexpr graph::OpRow kArrayRangeOps[] = {
    {.name = "Range",
     .inputs = "start:Tidx, limit:Tidx, delta:Tidx",
     .outputs = "output:Tidx",
     .attrs =
         "Tidx:type=int32{[bfloat16,float16,float32,float64,int8,int16,int32,int64,uint16,uint32,uint64]}",
     .shape_by_any_numbers = true,
     .shape = range_shape,
     .not_differentiable = true,
     .prepare = prepare_range},
    {.name = "LinSpace",
     .inputs = "start:T, stop:T, num:Tidx",
     .outputs = "output:T",
     .attrs = "T:type{math_floats}; Tidx:type=int32{indices}",
     .shape = lin_space_shape,
     .not_differentiable = true,
     .prepare = prepare_lin_space},
};

}  // namespace

void register_array_range_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayRangeOps) table.add(row);
}

}  // namespace flowray::ops
