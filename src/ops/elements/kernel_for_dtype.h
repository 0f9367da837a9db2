#pragma once
/// Kernels that are templates over the element type.

#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"

namespace flowray::ops {

/// make.operator()<T>() for the type in `Types` that `dtype` stands for; throws UnimplementedError if it
/// is not among them.
template <class Types, class Make>
std::unique_ptr<graph::Kernel> kernel_for_dtype(const graph::PrepareContext& context, DType dtype,
                                                Make make) {
  std::unique_ptr<graph::Kernel> kernel;
  if (!dispatch<Types>(dtype, [&]<class T>() { kernel = make.template operator()<T>(); })) {
    context.no_kernel_for(dtype);
  }
  return kernel;
}

}  // namespace flowray::ops
