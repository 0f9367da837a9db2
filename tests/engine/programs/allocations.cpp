// Counts what steps allocate once they have run twice. Prints one line for each step:
//   NAME system MALLOCS blocks BLOCKS asked ASKED   in runs 3 to 100
// The calls of malloc and its kin are counted, and with them operator new; the blocks are those of arrays,
// and ASKED are those that the pool had to ask the system for.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/block_pool.h"
#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"

namespace {

thread_local bool counts = false;
thread_local long mallocs = 0;

void count() {
  if (counts) ++mallocs;
}

}  // namespace

// What glibc's own are called beside these, which stand in for them.
extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT
void* __libc_calloc(size_t number, size_t size);       // NOLINT
void* __libc_realloc(void* old, size_t size);          // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT

void* malloc(size_t size) noexcept {
  count();
  return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) noexcept {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* old, size_t size) noexcept {
  count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  count();
  return __libc_memalign(alignment, size);
}
}

namespace flowray::engine {
namespace {

using graph::Endpoint;

class Steps {
 public:
  /// Two warm-up runs, then 98 that are counted.
  void measure(const char* name, const std::vector<Endpoint>& feeds, const std::vector<const Array*>& values,
               const std::vector<Endpoint>& fetches, const std::vector<graph::Node*>& targets) {
    Step& step = session.step({feeds, fetches, targets});
    std::vector<Array> results(fetches.size());
    const auto runs = [&](int n) {
      for (int i = 0; i < n; ++i) step.run(values, results);
    };
    runs(2);
    const BlockPoolStats before = block_pool_stats();
    mallocs = 0;
    counts = true;
    runs(98);
    counts = false;
    const BlockPoolStats after = block_pool_stats();
    std::printf("%s system %ld blocks %ld asked %ld\n", name, mallocs,
                static_cast<long>(after.blocks_allocated - before.blocks_allocated),
                static_cast<long>(after.system_allocations - before.system_allocations));
  }

  Endpoint variable(const char* name, const Array& value) {
    const Endpoint ref =
        builder.op("VariableV2", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}}, name);
    graph::Node* const targets[] = {builder.node("Assign", {ref, builder.constant(value)})};
    session.step({{}, {}, targets}).run({}, {});
    return ref;
  }
  Endpoint placeholder(DType dtype, const Shape& shape) {
    return builder.op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
  }

  graph::Graph graph{ops::op_table()};
  graph::Builder builder{graph};
  Session session;
};

/// Gradient descent for y = w x + b on 100 points: without fetches, and with the loss.
void linear_regression(Steps& steps) {
  graph::Builder& builder = steps.builder;
  const Endpoint w = steps.variable("w", Array(std::vector<float>{-0.5f}));
  const Endpoint b = steps.variable("b", Array(std::vector<float>{0.0f}));
  const Endpoint x = builder.constant(Array::full(DType::kFloat32, {100}, 0.5f));
  const Endpoint y = builder.constant(Array::full(DType::kFloat32, {100}, 0.35f));
  const Endpoint first_axis = builder.constant(Array(std::vector<int32_t>{0}));
  const Endpoint line =
      builder.op("AddV2", {builder.op("Mul", {builder.op("Identity", {w}), x}), builder.op("Identity", {b})});
  const Endpoint error = builder.op("Sub", {line, y});
  const Endpoint loss = builder.op("Mean", {builder.op("Square", {error}), first_axis});
  const Endpoint two = builder.constant(0.02f);
  const auto gradient = [&](Endpoint of) {
    return builder.op("Sum", {builder.op("Mul", {of, two}), first_axis}, {{"keep_dims", true}});
  };
  const Endpoint rate = builder.constant(0.5f);
  const std::vector<graph::Node*> train{
      builder.node("ApplyGradientDescent", {w, rate, gradient(builder.op("Mul", {error, x}))}),
      builder.node("ApplyGradientDescent", {b, rate, gradient(error)})};
  steps.measure("linear_regression", {}, {}, {}, train);
  steps.measure("linear_regression_with_loss", {}, {}, {loss}, train);
}

/// x = x + 1, as often as it is told.
void loop(Steps& steps, const char* name, int32_t iterations, bool fetches) {
  graph::Builder& builder = steps.builder;
  const graph::Attrs frame{{"frame_name", std::string("loop")}};
  const graph::Attrs constant{{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto merge_of = [&](const Array& first) {
    const Endpoint entered = builder.op("Enter", {builder.constant(first)}, frame);
    return builder.node("Merge", {entered, entered});
  };
  graph::Node* const i = merge_of(Array(0));
  graph::Node* const x = merge_of(Array::full(DType::kFloat32, {500}, 1.0f));
  const Endpoint limit = builder.op("Enter", {builder.constant(iterations)}, constant);
  const Endpoint goes_on = builder.op("LoopCond", {builder.op("Less", {i->output(0), limit})});
  const auto close = [&](graph::Node* merge, const Array& by) {
    graph::Node* const gate = builder.node("Switch", {merge->output(0), goes_on});
    const Endpoint operand = builder.op("Enter", {builder.constant(by)}, constant);
    merge->close_loop(1, builder.op("NextIteration", {builder.op("AddV2", {gate->output(1), operand})}));
    return builder.op("Exit", {gate->output(0)});
  };
  close(i, Array(1));
  const Endpoint last = close(x, Array(1.0f));
  if (fetches) {
    steps.measure(name, {}, {}, {last}, {});
  } else {
    steps.measure(name, {}, {}, {}, {last.node});
  }
}

/// Where: how many there are is known only when it runs.
void dynamic(Steps& steps) {
  graph::Builder& builder = steps.builder;
  const Endpoint x = steps.placeholder(DType::kBool, {1000});
  const Array fed = Array::full(DType::kBool, {1000}, true);
  const Endpoint found = builder.op("Where", {x}, {{"T", DType::kBool}});
  steps.measure("where_and_neg", {x}, {&fed}, {}, {builder.op("Neg", {found}).node});

  // A boolean mask: rows of a table by where, scaled, and their sum handed out.
  const Endpoint rows = steps.placeholder(DType::kFloat32, {1000, 4});
  const Array table = Array::full(DType::kFloat32, {1000, 4}, 0.5f);
  const Endpoint zero = builder.constant(0);
  const Endpoint index = builder.op("Squeeze", {found}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  const Endpoint kept = builder.op("GatherV2", {rows, index, zero});
  const Endpoint scaled = builder.op("Exp", {builder.op("Mul", {kept, builder.constant(0.1f)})});
  const Endpoint sum = builder.op("Sum", {scaled, builder.constant(Array(std::vector<int32_t>{0}))});
  steps.measure("mask_and_sum", {x, rows}, {&fed, &table}, {sum}, {});

  const Endpoint shape = steps.placeholder(DType::kInt32, {2});
  const Array two_by_2000(std::vector<int32_t>{2, 2000});
  const Endpoint reshaped = builder.op("Reshape", {builder.op("Tanh", {rows}), shape});
  steps.measure("reshape_by_feed", {rows, shape}, {&table, &two_by_2000}, {builder.op("Softmax", {reshaped})},
                {});
}

}  // namespace
}  // namespace flowray::engine

int main() {
  flowray::engine::Steps steps;
  flowray::engine::linear_regression(steps);
  flowray::engine::loop(steps, "loop_of_10", 10, false);
  flowray::engine::loop(steps, "loop_of_100", 100, false);
  flowray::engine::loop(steps, "loop_of_10_with_result", 10, true);
  flowray::engine::dynamic(steps);
}
