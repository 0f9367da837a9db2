#include "support/filled_memory.h"

#include "core/buffer.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/math/register.h"
#include "support/graph_trial.h"

#include <flowray/array.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace flowray::testing {
namespace {

TEST(FilledMemory, IsWhatBuffersAreMadeOf) {
  if (!can_fill_free_memory()) GTEST_SKIP() << "no block is kept under a sanitizer";
  for (const std::byte fill : {std::byte{0x12}, std::byte{0xfe}}) {
    fill_free_memory(fill);
    for (const size_t bytes : {size_t{4}, size_t{100}, size_t{5000}, size_t{50'000}, kMostFilledBytes}) {
      const BufferRef buffer = Buffer::allocate(bytes);
      EXPECT_EQ(std::count(buffer->data(), buffer->data() + bytes, fill), bytes);
    }
  }
}

constexpr const char* kShapeAndUse =
    "node { name: 'shape' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' "
    "value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 20 } } } } "
    "node { name: 'x' op: 'OP' input: 'shape' ATTRS } "
    "node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }";

wire::GraphDef graph_of(const std::string& op, const std::string& attrs) {
  std::string text = kShapeAndUse;
  text.replace(text.find("OP"), 2, op);
  text.replace(text.find("ATTRS"), 5, attrs);
  return wire::from_text_format<wire::GraphDef>(text);
}

TEST(FilledMemory, DoesNotShowInWhatIsWritten) {
  const std::string dtype = "attr { key: 'dtype' value { type: DT_FLOAT } }";
  EXPECT_EQ(node_that_is_not_written(graph_of("Empty", dtype)), std::nullopt);
}

TEST(FilledMemory, DoesNotShowInWhatIsDrawnByLot) {
  const std::string attrs =
      "attr { key: 'T' value { type: DT_INT32 } } attr { key: 'dtype' value { type: DT_FLOAT } }";
  EXPECT_EQ(node_that_is_not_written(graph_of("RandomUniform", attrs)), std::nullopt);
}

// ---- kernels that are wrong

using graph::DynamicCall;
using graph::KernelCall;
using graph::PrepareContext;

void shape_of_value(graph::ShapeContext& context) {
  const std::vector<int64_t> dims = context.integers(0);
  context.set_output(0, Shape(dims));
}

/// Ones, but for the element that `forgets` names of each 8.
template <int kForgotten>
std::unique_ptr<graph::Kernel> prepare_ones(PrepareContext& context) {
  const int64_t count = context.output_shape(0).num_elements();
  return graph::make_kernel([count](const KernelCall& call) {
    for (int64_t i = 0; i < count; ++i) {
      if (i % 8 != kForgotten) call.out<float>(0)[i] = 1;
    }
  });
}

/// Writes all, but of what it has not written itself.
std::unique_ptr<graph::Kernel> prepare_sum_of_workspace(PrepareContext& context) {
  const int64_t count = context.output_shape(0).num_elements();
  return graph::make_kernel(
      [count](const KernelCall& call) {
        std::fill_n(call.workspace<uint8_t>(), 50, uint8_t{1});
        for (int64_t i = 0; i < count; ++i) call.out<float>(0)[i] = call.workspace<uint8_t>()[2 * i + 12];
      },
      {.workspace_bytes = 100});
}

void compute_nothing(DynamicCall& call) {
  call.set_out(0, Array::uninitialized(DType::kFloat32, Shape{call.in(0).span<int32_t>()[0]}));
}

constexpr graph::OpRow wrong_op(std::string_view name, graph::PrepareFunction prepare,
                                graph::ComputeFunction compute = nullptr) {
  return {.name = name,
          .inputs = "shape:int32",
          .outputs = "output:float32",
          .stateful = true,
          .shape = shape_of_value,
          .prepare = prepare,
          .compute = compute};
}

const graph::OpTable& ops_with_wrong_ones() {
  static const graph::OpTable* const kTable = [] {
    static constexpr graph::OpRow kWrong[] = {
        wrong_op("Right", prepare_ones<8>),
        wrong_op("LacksTheFirst", prepare_ones<0>),
        wrong_op("LacksOneOfEight", prepare_ones<5>),
        wrong_op("LacksTheLastOfTwenty", prepare_ones<3>),
        wrong_op("ReadsItsWorkspace", prepare_sum_of_workspace),
        wrong_op("WritesNothing", nullptr, compute_nothing),
    };
    auto* table = new graph::OpTable;
    ops::register_array_family(*table);
    ops::register_math_family(*table);
    for (const graph::OpRow& row : kWrong) table->add(row);
    return table;
  }();
  return *kTable;
}

std::optional<size_t> found_in(const std::string& op, bool passes) {
  return node_that_is_not_written(graph_of(op, ""), {.passes = passes, .ops = &ops_with_wrong_ones()});
}

TEST(FilledMemory, ShowsKernelsThatDoNotWriteAll) {
  if (!can_fill_free_memory()) GTEST_SKIP() << "no block is kept under a sanitizer";
  constexpr size_t kWrongNode = 1;
  for (const bool passes : {false, true}) {
    EXPECT_EQ(found_in("Right", passes), std::nullopt);
    for (const char* op :
         {"LacksTheFirst", "LacksOneOfEight", "LacksTheLastOfTwenty", "ReadsItsWorkspace", "WritesNothing"}) {
      EXPECT_EQ(found_in(op, passes), kWrongNode) << op << (passes ? " with" : " without") << " passes";
    }
  }
}

}  // namespace
}  // namespace flowray::testing
