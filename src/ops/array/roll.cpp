// Roll: elements moved along dimensions, in at one end what falls out at the other.

#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/word_access.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

/// How far each dimension is rolled; one that is named twice is rolled by both.
std::vector<int64_t> shifts_of(const DynamicCall& call) {
  const Shape& shape = call.in(0).shape();
  if (shape.rank() < 1) throw errors::InvalidArgumentError("input must be 1-D or higher");
  const std::vector<int64_t> shift = graph::to_integers(call.in(1));
  const std::vector<int64_t> axis = graph::to_integers(call.in(2));
  if (call.in(1).rank() > 1 || call.in(2).rank() > 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "{} must be a scalar or a 1-D vector. Found: {}", call.in(1).rank() > 1 ? "shift" : "axis",
        call.in(call.in(1).rank() > 1 ? 1 : 2).shape().to_string()));
  }
  if (shift.size() != axis.size())
    throw errors::InvalidArgumentError("shift and axis must have the same size");
  std::vector<int64_t> shifts(static_cast<size_t>(shape.rank()), 0);
  for (size_t i = 0; i < axis.size(); ++i) {
    const int64_t dim = axis[i] < 0 ? axis[i] + shape.rank() : axis[i];
    if (dim < 0 || dim >= shape.rank()) {
      throw errors::InvalidArgumentError(fmt::format("axis {} is out of range", dim));
    }
    const int64_t size = std::max<int64_t>(shape.dim(static_cast<int>(dim)), 1);
    const int64_t by = shift[i] % size + (shift[i] % size < 0 ? size : 0);
    int64_t& sum = shifts[static_cast<size_t>(dim)];
    sum = sum >= size - by ? sum - (size - by) : sum + by;
  }
  return shifts;
}

template <class W>
void roll_dimension(const Array& in, Array& out, const std::vector<int64_t>& shifts, int d, int64_t from,
                    int64_t to) {
  if (d == in.rank()) {
    words_in<W>(out)[to] = words_in<W>(in)[from];
    return;
  }
  const int64_t size = in.dim(d);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t moved = (i + shifts[static_cast<size_t>(d)]) % size;
    roll_dimension<W>(in, out, shifts, d + 1, from * size + i, to * size + moved);
  }
}

void roll(DynamicCall& call) {
  const std::vector<int64_t> shifts = shifts_of(call);
  Array out(call.in(0).dtype(), call.in(0).shape());
  if (out.size() > 0) {  // else there may be any number of rows without elements
    for_words(out.dtype(), [&]<class W>() { roll_dimension<W>(call.in(0), out, shifts, 0, 0, 0); });
  }
  call.set_out(0, std::move(out));
}

void roll_shape(ShapeContext& context) { context.set_output(0, context.with_rank_at_least(0, 1)); }

std::vector<Endpoint> roll_gradient(GradientContext& g) {
  const Endpoint back = g.op("Neg", {g.input(1)});
  return {g.op("Roll", {g.grad(), back, g.input(2)}), {}, {}};
}

constexpr graph::OpRow kRollOps[] = {
    {.name = "Roll",
     .inputs = "input:T, shift:Tshift, axis:Taxis",
     .outputs = "output:T",
     .attrs = "T:type; Tshift:type{indices}; Taxis:type{indices}",
     .shape = roll_shape,
     .gradient = roll_gradient,
     .compute = roll},
};

}  // namespace

void register_roll_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kRollOps) table.add(row);
}

}  // namespace flowray::ops
