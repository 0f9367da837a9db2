/// MaxPoolWithArgmax, which says where each maximum was, and its gradient.
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/neural/pool_attributes.h"
#include "ops/neural/register.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void pool_with_argmax_shape(ShapeContext& context) {
  const PoolAttrs pool(*attrs_of(context, 1));
  if (context.running()) {
    if (context.input(0).rank() != 4) ShapeContext::fail("tensor_in must be 4-dimensional (2)");
    if (context.input(0).num_elements() == 0) ShapeContext::fail("tensor_in must not be empty (2)");
    check_running(pool, context.attrs());
  }
  const Shape out = pooled_shape(pool, context.with_rank(0, 4), context.running());
  context.set_output(0, out);
  context.set_output(1, out);
}

/// The number of the first maximum of each window, counted within its image or in all of them.
template <class T, class Index>
void find_maxima(const Pool2DShape& s, bool counts_batch, const T* in, T* out, Index* places) {
  const int64_t image = s.in_height * s.in_width * s.channels;
  int64_t at = 0;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t row = 0; row < s.out_height; ++row) {
      for (int64_t column = 0; column < s.out_width; ++column) {
        const int64_t top = row * s.stride_height - s.pad_top;
        const int64_t left = column * s.stride_width - s.pad_left;
        const int64_t first = std::max<int64_t>(0, top) * s.in_width + std::max<int64_t>(0, left);
        for (int64_t c = 0; c < s.channels; ++c, ++at) {
          int64_t best = first * s.channels + c;
          for (int64_t y = std::max<int64_t>(0, top); y < std::min(s.in_height, top + s.window_height); ++y) {
            for (int64_t x = std::max<int64_t>(0, left); x < std::min(s.in_width, left + s.window_width);
                 ++x) {
              const int64_t place = (y * s.in_width + x) * s.channels + c;
              if (in[n * image + place] > in[n * image + best]) best = place;
            }
          }
          out[at] = in[n * image + best];
          places[at] = static_cast<Index>(counts_batch ? n * image + best : best);
        }
      }
    }
  }
}

using RoutedTypes = TypeList<float, double, int32_t, int64_t, uint64_t>;

std::unique_ptr<Kernel> prepare_pool_with_argmax(PrepareContext& context) {
  const Pool2DShape shape = kernel_shape(context, context.input_shape(0), context.output_shape(0), 1);
  const bool counts_batch = context.attrs().get<bool>("include_batch_in_index");
  const bool is_short = context.output_dtype(1) == DType::kInt32;
  return kernel_for_dtype<RoutedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([shape, counts_batch, is_short](const KernelCall& call) {
      if (is_short)
        return find_maxima(shape, counts_batch, call.in<T>(0), call.out<T>(0), call.out<int32_t>(1));
      find_maxima(shape, counts_batch, call.in<T>(0), call.out<T>(0), call.out<int64_t>(1));
    });
  });
}

void pool_grad_with_argmax_shape(ShapeContext& context) {
  if (context.running()) {
    if (context.input(0).rank() != 4) {
      ShapeContext::fail(
          fmt::format("tensor_in_shape must have 2 spatial dimensions. {} 0", context.input(0).rank()));
    }
    const Shape pooled = pooled_shape(PoolAttrs(*attrs_of(context, 3)), context.with_rank(0, 4), true);
    check_running_gradient("grad", context.input(1), pooled);
    check_running_gradient("argmax", context.input(2), pooled);
  }
  context.set_output(0, context.with_rank(0, 4));
}

/// Each gradient goes to the place that its maximum had.
std::unique_ptr<Kernel> prepare_pool_grad_with_argmax(PrepareContext& context) {
  const Shape in = context.input_shape(0);
  const int64_t batch = in.dim(0);
  const int64_t image = batch == 0 ? 0 : in.num_elements() / batch;
  const int64_t of_image = batch == 0 ? 0 : context.input_shape(1).num_elements() / batch;
  const bool counts_batch = context.attrs().get<bool>("include_batch_in_index");
  const DType index_dtype = context.input_dtype(2);
  return kernel_for_dtype<RoutedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return graph::make_kernel([=](const KernelCall& call) {
      const IntegerReader places{call.in<void>(2), index_dtype};
      std::fill_n(call.out<T>(0), batch * image, T(0));
      const int64_t end = counts_batch ? batch * image : image;
      for (int64_t i = 0; i < batch * of_image; ++i) {
        if (places[i] < 0 || places[i] >= end) {
          throw errors::InvalidArgumentError(
              fmt::format("argmax {} is out of range [0, {})", places[i], end));
        }
        const int64_t place = counts_batch ? places[i] : i / of_image * image + places[i];
        call.out<T>(0)[place] = static_cast<T>(call.out<T>(0)[place] + call.in<T>(1)[i]);
      }
    });
  });
}

std::vector<Endpoint> pool_with_argmax_gradient(GradientContext& g) {
  Attrs attrs;
  for (const char* name : {"ksize", "strides", "padding", "include_batch_in_index"})
    attrs.set(name, *g.attrs().find(name));
  return {g.op("MaxPoolGradWithArgmax", {g.input(0), g.grad(), g.output(1)}, std::move(attrs))};
}

constexpr graph::OpRow kPoolArgmaxOps[] = {
    {.name = "MaxPoolWithArgmax",
     .inputs = "input:T",
     .outputs = "output:T, argmax:Targmax",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; Targmax:type=int64{indices}; "
              "padding:string{[SAME,VALID]}; include_batch_in_index:bool=false; T:type{real_numbers}",
     .shape = pool_with_argmax_shape,
     .gradient = pool_with_argmax_gradient,
     .prepare = prepare_pool_with_argmax},
    {.name = "MaxPoolGradWithArgmax",
     .inputs = "input:T, grad:T, argmax:Targmax",
     .outputs = "output:T",
     .attrs = "ksize:list(int)>=4; strides:list(int)>=4; padding:string{[SAME,VALID]}; "
              "include_batch_in_index:bool=false; Targmax:type{indices}; T:type{real_numbers}",
     .shape = pool_grad_with_argmax_shape,
     .prepare = prepare_pool_grad_with_argmax},
};

}  // namespace

void register_pool_argmax_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPoolArgmaxOps) table.add(row);
}

}  // namespace flowray::ops
