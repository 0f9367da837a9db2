// MatrixBandPart: what is near the diagonal, zeros elsewhere.

#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/word_access.h"
#include "ops/matrix/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

/// What TensorFlow refuses: a vector where one number is meant.
void check_scalar(const Array& value, std::string_view what) {
  if (value.rank() == 0) return;
  throw errors::InvalidArgumentError(
      fmt::format("{} must be scalar, got shape {}", what, value.shape().to_string()));
}

void band_part(DynamicCall& call) {
  Array out = call.in(0);
  if (out.rank() < 2) {
    throw errors::InvalidArgumentError(
        fmt::format("input must be at least 2-dim, received shape: {}", out.shape().to_string()));
  }
  const int64_t rows = out.dim(-2);
  const int64_t columns = out.dim(-1);
  check_scalar(call.in(1), "num_lower");
  check_scalar(call.in(2), "num_upper");
  const int64_t lower = graph::to_integers(call.in(1))[0];
  const int64_t upper = graph::to_integers(call.in(2))[0];
  if (lower > rows) {
    throw errors::InvalidArgumentError(fmt::format(
        "num_lower must be negative or less or equal to number of rows ({}) got: {}", rows, lower));
  }
  if (upper > columns) {
    throw errors::InvalidArgumentError(fmt::format(
        "num_upper must be negative or less or equal to number of columns ({}) got: {}", columns, upper));
  }
  for_words(out.dtype(), [&]<class W>() {
    W* element = words_in<W>(out);
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t above = i % columns - i / columns % rows;  // how far above the diagonal
      const bool kept = (lower < 0 || -above <= lower) && (upper < 0 || above <= upper);
      if (!kept) element[i] = W{};
    }
  });
  call.set_out(0, std::move(out));
}

void band_part_shape(ShapeContext& context) { context.set_output(0, context.with_rank_at_least(0, 2)); }

std::vector<Endpoint> band_part_gradient(GradientContext& g) {
  return {g.op("MatrixBandPart", {g.grad(), g.input(1), g.input(2)}), {}, {}};
}

constexpr graph::OpRow kMatrixBandPartOps[] = {
    {.name = "MatrixBandPart",
     .inputs = "input:T, num_lower:Tindex, num_upper:Tindex",
     .outputs = "band:T",
     .attrs = "T:type; Tindex:type=int64{indices}",
     .shape = band_part_shape,
     .gradient = band_part_gradient,
     .compute = band_part},
};

}  // namespace

void register_matrix_band_part_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kMatrixBandPartOps) table.add(row);
}

}  // namespace flowray::ops
