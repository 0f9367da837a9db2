#include "ops/elements/elementwise_kernels.h"

#include <algorithm>
#include <cstring>

#include "ops/elements/element_words.h"

namespace flowray::ops {

using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;

namespace {

/// A binary operation ready to run: the loop for its rows and where they lie.
struct BinaryRows {
  BroadcastPlan plan;
  BinaryLoop loop = nullptr;
  size_t in_bytes = 0;
  size_t out_bytes = 0;
  int64_t min_per_worker = 0;

  void run(const KernelCall& call) const;
  void run_rows(const char* x, const char* y, char* z, int64_t begin, int64_t end) const;
};

void BinaryRows::run_rows(const char* x, const char* y, char* z, int64_t begin, int64_t end) const {
  plan.for_rows(begin, end, [&](int64_t row, const BroadcastPlan::Offsets& offsets) {
    loop(advance(x, offsets[0], in_bytes), advance(y, offsets[1], in_bytes),
         advance(z, row * plan.inner, out_bytes), plan.inner);
  });
}

void BinaryRows::run(const KernelCall& call) const {
  const char* x = call.in<char>(0);
  const char* y = call.in<char>(1);
  char* z = call.out<char>(0);
  if (plan.rows == 1) {
    // One row: share its elements.
    for_elements(call.parallel(), plan.inner, min_per_worker, [&](int64_t begin, int64_t end) {
      loop(plan.inner_moves[0] ? advance(x, begin, in_bytes) : x,
           plan.inner_moves[1] ? advance(y, begin, in_bytes) : y, advance(z, begin, out_bytes), end - begin);
    });
    return;
  }
  for_elements(call.parallel(), plan.rows, std::max<int64_t>(1, min_per_worker / plan.inner),
               [&](int64_t begin, int64_t end) { run_rows(x, y, z, begin, end); });
}

BinaryLoop loop_for(const BroadcastPlan& plan, const BinaryLoops& loops) {
  if (!plan.inner_moves[0]) return loops.one_left;
  return plan.inner_moves[1] ? loops.both : loops.one_right;
}

/// A short row operand that is the same for every row, as a bias: rows are done in groups, against copies of
/// it side by side.
struct RepeatedRow {
  static constexpr size_t kBytes = 4096;
  static constexpr int64_t kShort = 64;

  /// Which operand is repeated whole, row by row, while the other one is contiguous; -1 if that is not so.
  static int operand(const BroadcastPlan& plan) {
    if (plan.outer_rank != 1 || plan.inner > kShort || !plan.inner_moves[0] || !plan.inner_moves[1])
      return -1;
    if (plan.steps[0][0] == 0) return 0;
    return plan.steps[0][1] == 0 ? 1 : -1;
  }
};

std::unique_ptr<Kernel> repeated_row_kernel(const BinaryRows& rows, int repeated,
                                            graph::KernelOptions options) {
  const int64_t row_bytes = rows.plan.inner * static_cast<int64_t>(rows.in_bytes);
  const int64_t group = static_cast<int64_t>(RepeatedRow::kBytes) / row_bytes;
  return make_kernel(
      [rows, repeated, row_bytes, group](const KernelCall& call) {
        alignas(64) char copies[RepeatedRow::kBytes];
        const int64_t count = std::min(group, rows.plan.rows);
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(copies + i * row_bytes, call.in<char>(repeated), static_cast<size_t>(row_bytes));
        }
        const char* moving = call.in<char>(1 - repeated);
        char* out = call.out<char>(0);
        const int64_t inner = rows.plan.inner;
        for_elements(call.parallel(), rows.plan.rows, std::max<int64_t>(1, rows.min_per_worker / inner),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t row = begin; row < end; row += group) {
                         const void* x = advance(moving, row * inner, rows.in_bytes);
                         const void* y = copies;
                         if (repeated == 0) std::swap(x, y);
                         rows.loop(x, y, advance(out, row * inner, rows.out_bytes),
                                   std::min(group, end - row) * inner);
                       }
                     });
      },
      std::move(options));
}

}  // namespace

std::vector<graph::InPlacePair> in_place_pairs(const PrepareContext& context) {
  std::vector<graph::InPlacePair> pairs;
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input_shape(i) == context.output_shape(0) &&
        dtype_size(context.input_dtype(i)) == dtype_size(context.output_dtype(0))) {
      pairs.push_back({i, 0});
    }
  }
  return pairs;
}

std::optional<graph::ElementwiseLoop> elementwise_walks(const PrepareContext& context,
                                                        int64_t elements_per_worker) {
  graph::ElementwiseLoop loop;
  if (context.num_inputs() > graph::ElementwiseLoop::kMostInputs) return std::nullopt;
  loop.count = context.output_shape(0).num_elements();
  if (loop.count == 0) return std::nullopt;
  loop.num_inputs = context.num_inputs();
  loop.out_bytes = static_cast<uint32_t>(dtype_size(context.output_dtype(0)));
  loop.elements_per_worker = elements_per_worker;
  for (int k = 0; k < loop.num_inputs; ++k) {
    loop.inputs[static_cast<size_t>(k)].bytes = static_cast<uint32_t>(dtype_size(context.input_dtype(k)));
    if (context.input_shape(k).num_elements() != loop.count) return std::nullopt;
  }
  return loop;
}

std::optional<graph::ElementwiseLoop> elementwise_walks(const PrepareContext& context,
                                                        std::span<const Shape* const> operands,
                                                        int64_t elements_per_worker) {
  const BroadcastPlan plan = plan_broadcast(context.output_shape(0), operands);
  if (plan.rows == 0 || plan.outer_rank > 1) return std::nullopt;
  graph::ElementwiseLoop loop;
  loop.num_inputs = static_cast<int>(operands.size());
  loop.count = plan.rows * plan.inner;
  loop.out_bytes = static_cast<uint32_t>(dtype_size(context.output_dtype(0)));
  loop.elements_per_worker = elements_per_worker;
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool moves_outside = plan.outer_rank == 0 ? plan.inner_moves[k] : plan.steps[0][k] != 0;
    graph::Walk& walk = loop.inputs[k].walk;
    if (plan.inner_moves[k]) {
      walk = moves_outside ? graph::Walk::kEach : graph::Walk::kRepeated;
    } else {
      walk = moves_outside ? graph::Walk::kColumn : graph::Walk::kOne;
    }
    if (walk == graph::Walk::kColumn || walk == graph::Walk::kRepeated) loop.period = plan.inner;
    loop.inputs[k].bytes = static_cast<uint32_t>(dtype_size(context.input_dtype(static_cast<int>(k))));
  }
  return loop;
}

std::unique_ptr<Kernel> unary_kernel(PrepareContext& context, UnaryFunction function) {
  const DType dtype = context.input_dtype(0);
  const UnaryLoop loop = math_loops(cpu_level()).find(function, dtype);
  if (loop == nullptr) context.no_kernel_for(dtype);
  const int64_t count = context.input_shape(0).num_elements();
  const int64_t share = elements_per_worker(function);
  const size_t in_bytes = dtype_size(dtype);
  const size_t out_bytes = dtype_size(context.output_dtype(0));
  auto elementwise = elementwise_walks(context, share);
  if (elementwise) elementwise->unary = loop;
  return make_kernel(
      [=](const KernelCall& call) {
        const char* x = call.in<char>(0);
        char* y = call.out<char>(0);
        for_elements(call.parallel(), count, share, [&](int64_t begin, int64_t end) {
          loop(advance(x, begin, in_bytes), advance(y, begin, out_bytes), end - begin);
        });
      },
      {.in_place = in_place_pairs(context), .elementwise = elementwise});
}

std::unique_ptr<Kernel> binary_kernel(PrepareContext& context, BinaryFunction function) {
  const DType dtype = context.input_dtype(0);
  const BinaryLoops loops = math_loops(cpu_level()).find(function, dtype);
  if (loops.both == nullptr) context.no_kernel_for(dtype);
  const std::array<const Shape*, 2> operands = {&context.input_shape(0), &context.input_shape(1)};
  BinaryRows rows;
  rows.plan = plan_broadcast(context.output_shape(0), operands);
  rows.loop = loop_for(rows.plan, loops);
  rows.in_bytes = dtype_size(dtype);
  rows.out_bytes = dtype_size(context.output_dtype(0));
  rows.min_per_worker = elements_per_worker(function);
  std::vector<graph::InPlacePair> in_place = in_place_pairs(context);
  const int repeated = RepeatedRow::operand(rows.plan);
  auto elementwise = elementwise_walks(context, operands, rows.min_per_worker);
  if (elementwise) {
    elementwise->binary = elementwise->reads_one(0)   ? loops.one_left
                          : elementwise->reads_one(1) ? loops.one_right
                                                      : loops.both;
  }
  graph::KernelOptions options = {.in_place = std::move(in_place), .elementwise = elementwise};
  if (repeated >= 0) return repeated_row_kernel(rows, repeated, std::move(options));
  return make_kernel([rows](const KernelCall& call) { rows.run(call); }, std::move(options));
}

}  // namespace flowray::ops
