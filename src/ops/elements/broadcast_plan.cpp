#include "ops/elements/broadcast_plan.h"

#include "core/checked_size.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <vector>

namespace flowray::ops {
namespace {

struct Dim {
  int64_t size;
  unsigned moving;  // bit k: operand k has this dimension, it is not repeated along it
};

unsigned moving_operands(int from_end, std::span<const Shape* const> operands) {
  unsigned moving = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& shape = *operands[k];
    if (from_end < shape.rank() && shape.dim(shape.rank() - 1 - from_end) != 1) moving |= 1u << k;
  }
  return moving;
}

/// Innermost first.
std::vector<Dim> merged_dims(const Shape& output, std::span<const Shape* const> operands) {
  std::vector<Dim> dims;
  for (int from_end = 0; from_end < output.rank(); ++from_end) {
    const int64_t size = output.dim(output.rank() - 1 - from_end);
    if (size == 1) continue;
    const unsigned moving = moving_operands(from_end, operands);
    if (!dims.empty() && dims.back().moving == moving) {
      dims.back().size = checked(dims.back().size) * size;
    } else {
      dims.push_back({size, moving});
    }
  }
  return dims;
}

}  // namespace

BroadcastPlan::Offsets BroadcastPlan::offsets_of(int64_t row) const {
  Offsets offsets = {};
  for (int d = outer_rank - 1; d >= 0; --d) {
    const int64_t index = row % sizes[d];
    row /= sizes[d];
    for (int k = 0; k < kMaxOperands; ++k) offsets[k] += index * steps[d][k];
  }
  return offsets;
}

BroadcastPlan plan_broadcast(const Shape& output, std::span<const Shape* const> operands) {
  BroadcastPlan plan;
  if (output.num_elements() == 0) {
    plan.rows = 0;
    return plan;
  }
  const std::vector<Dim> dims = merged_dims(output, operands);
  if (dims.empty()) return plan;
  if (dims.size() > BroadcastPlan::kMaxOuterDims + 1) {
    throw errors::UnimplementedError(fmt::format("Broadcast between {} and {} is not supported yet.",
                                                 operands.front()->to_string(),
                                                 operands.back()->to_string()));
  }
  BroadcastPlan::Offsets extent = {1, 1, 1};  // elements of each operand in the dimensions done so far
  for (size_t i = 0; i < dims.size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const bool moves = (dims[i].moving >> k & 1u) != 0;
      if (i == 0) {
        plan.inner_moves[k] = moves;
      } else {
        plan.steps[dims.size() - 1 - i][k] = moves ? extent[k] : 0;
      }
      if (moves) extent[k] = checked(extent[k]) * dims[i].size;
    }
    if (i > 0) {
      plan.sizes[dims.size() - 1 - i] = dims[i].size;
      plan.rows = checked(plan.rows) * dims[i].size;
    }
  }
  plan.inner = dims[0].size;
  (void)(checked(plan.rows) * plan.inner);  // what kernels multiply
  plan.outer_rank = static_cast<int>(dims.size()) - 1;
  return plan;
}

}  // namespace flowray::ops
