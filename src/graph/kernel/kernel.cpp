#include "graph/kernel/kernel.h"

#include "graph/integers.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

namespace flowray::graph {

Kernel::Kernel() = default;
Kernel::~Kernel() = default;

Kernel::Kernel(KernelOptions& options, bool takes_sink, bool takes_source)
    : workspace_bytes_(options.workspace_bytes),
      in_place_(std::move(options.in_place)),
      update_(std::move(options.update)) {
  if (options.elementwise) elementwise_ = std::make_unique<ElementwiseLoop>(*options.elementwise);
  if (options.row_reduction) row_reduction_ = std::make_unique<ElementwiseLoop>(*options.row_reduction);
  if (takes_sink) pieces_ = options.pieces;
  if (takes_source) source_ = options.source;
}

void Kernel::run_in_pieces(const KernelCall& /*call*/, const PieceSink& /*sink*/) const {
  throw errors::InternalError("A kernel was run in pieces that has no rule for them");
}

void Kernel::run_from_source(const KernelCall& /*call*/, const ElementSource& /*source*/) const {
  throw errors::InternalError("A kernel was given a source that has no rule for one");
}

std::vector<int64_t> PrepareContext::integers(int i) const {
  const Array* array = input_value(i);
  if (array == nullptr) {
    throw UnknownValue(fmt::format("Kernel of '{}': the value of input {} is not known", schema_.name, i));
  }
  return to_integers(*array);
}

void PrepareContext::no_kernel_for(DType dtype) const {
  throw errors::UnimplementedError(fmt::format("No OpKernel was registered to support Op '{}' with T={}",
                                               schema_.name, dtype_kernel_name(dtype)));
}

}  // namespace flowray::graph
