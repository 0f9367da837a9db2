// In which order instructions run, worked out by hand, and what must not be moved.
#include "engine/plan/order.h"

#include "engine/engine_fixture.h"
#include "engine/plan/order_rules.h"

namespace flowray::engine {
namespace {

using graph::Endpoint;
using graph::Node;

/// Values of 1,024 bytes unless it says otherwise.
class OrderTest : public EngineTest {
 protected:
  Fed fed(const Shape& shape) {
    Array value(DType::kFloat32, shape);
    for (int64_t i = 0; i < value.size(); ++i)
      value.mutable_data<float>()[i] = static_cast<float>(i % 5) - 2.0f;
    return {placeholder(DType::kFloat32, shape), value};
  }
  Endpoint product(Endpoint a, Endpoint b, const std::string& name) {
    return builder.node("MatMul", {a, b}, {}, name)->output(0);
  }
  Endpoint sum(Endpoint x, const std::string& name) {
    return builder.node("Sum", {x, builder.constant(Array{0})}, {}, name)->output(0);
  }
  Node* update(Endpoint v, Endpoint gradient, const std::string& name) {
    return builder.node("ApplyGradientDescent", {v, builder.constant(0.5f), gradient}, {}, name);
  }
  Endpoint matrix_variable(const std::string& name, const Shape& shape) {
    return variable(name, Array(DType::kFloat32, shape));
  }

  /// The names of what computes, one behind the other; what is fused is joined by +.
  std::string order(const std::vector<Endpoint>& fetches, const std::vector<Fed>& feeds,
                    const std::vector<Node*>& targets, bool on = true) {
    const auto program = plan_for(fetches, feeds, targets, {.order = on, .verify = true});
    std::string names;
    for (const Instruction& instruction : program->segment.instructions) {
      if (instruction.kind == InstructionKind::kRead) continue;
      if (!names.empty()) names += " ";
      if (instruction.fused_begin == instruction.fused_end) names += instruction.node->name();
      for (uint32_t k = instruction.fused_begin; k < instruction.fused_end; ++k)
        names += (k == instruction.fused_begin ? "" : "+") + program->segment.fused[k]->name();
    }
    return names;
  }
};

TEST_F(OrderTest, EndsWhatItHasBegunBeforeItBeginsMore) {
  const Fed x = fed({16, 16});
  const Fed y = fed({16, 16});
  const Endpoint a = product(x.endpoint, y.endpoint, "a");
  const Endpoint b = product(y.endpoint, x.endpoint, "b");
  const Endpoint of_a = sum(a, "of_a");
  const Endpoint of_b = sum(b, "of_b");
  EXPECT_EQ(order({of_a, of_b}, {x, y}, {}, false), "a b of_a of_b");
  EXPECT_EQ(order({of_a, of_b}, {x, y}, {}), "a of_a b of_b");
}

/// From 1,024 bytes to 65,536: the product of the small ones has to wait, where it is read by
/// nobody meanwhile.
TEST_F(OrderTest, MakesAResultAfterWhatIsLargeIsOver) {
  const Fed x = fed({16, 16});
  const Fed column = fed({1024, 16});
  const Endpoint parts =
      builder.node("Transpose", {x.endpoint, builder.constant(Array({1, 0}))}, {}, "parts")->output(0);
  const Endpoint result = product(parts, x.endpoint, "result");
  const Endpoint large = product(column.endpoint, parts, "large");
  const Endpoint of_large = sum(large, "of_large");
  EXPECT_EQ(order({result, of_large}, {x, column}, {}, false), "parts result large of_large");
  EXPECT_EQ(order({result, of_large}, {x, column}, {}), "parts large of_large result");
}

/// Three gradients of 1,024, 1,024 and 4,096 bytes. As the list stands all are there at once: 6,144 bytes. No
/// order can do with less than 4,096, so the first two, which are made before, must be gone by then, and can
/// go together.
TEST_F(OrderTest, UpdatesTogetherWhatIsInTheWayOfMore) {
  const Fed x = fed({16, 16});
  const Fed wide = fed({16, 64});
  const Endpoint u = matrix_variable("u", {16, 16});
  const Endpoint v = matrix_variable("v", {16, 16});
  const Endpoint w = matrix_variable("w", {16, 64});
  const Endpoint du = product(x.endpoint, x.endpoint, "du");
  const Endpoint dv =
      builder.node("MatMul", {x.endpoint, x.endpoint}, {{"transpose_a", true}}, "dv")->output(0);
  const Endpoint dw = product(x.endpoint, wide.endpoint, "dw");
  const std::vector<Node*> updates{update(u, du, "of_u"), update(v, dv, "of_v"), update(w, dw, "of_w")};
  EXPECT_EQ(order({}, {x, wide}, updates, false), "du dv dw of_u+of_v+of_w");
  EXPECT_EQ(order({}, {x, wide}, updates), "du dv of_u+of_v dw of_w");
}

/// The gradient could be let go at once, but the update would then have to copy the variable, which is
/// still read.
TEST_F(OrderTest, UpdatesAVariableAfterTheLastWhoHoldsItsValue) {
  const Fed x = fed({16, 16});
  const Fed wide = fed({16, 64});
  const Endpoint v = matrix_variable("v", {16, 16});
  const Endpoint w = matrix_variable("w", {16, 64});
  const Endpoint read = builder.op("Identity", {v});
  const Endpoint dv = product(x.endpoint, x.endpoint, "dv");
  const Endpoint dw = builder.node("MatMul", {read, wide.endpoint}, {}, "dw")->output(0);
  const std::vector<Node*> updates{update(v, dv, "of_v"), update(w, dw, "of_w")};
  // What makes dv can come later, though.
  EXPECT_EQ(order({}, {x, wide}, updates), "dw of_w dv of_v");
}

TEST_F(OrderTest, KeepsWhatHasToWait) {
  const Fed x = fed({16, 16});
  const Fed y = fed({16, 16});
  const Endpoint a = product(x.endpoint, y.endpoint, "a");
  const Endpoint b = product(y.endpoint, x.endpoint, "b");
  const Endpoint of_a = sum(a, "of_a");
  const Endpoint of_b = sum(b, "of_b");
  // Directly, and by way of what has no instruction.
  of_a.node->add_control_input(b.node);
  EXPECT_EQ(order({of_a, of_b}, {x, y}, {}), "a b of_a of_b");
  const Endpoint c =
      builder.node("MatMul", {x.endpoint, y.endpoint}, {{"transpose_a", true}}, "c")->output(0);
  const Endpoint d =
      builder.node("MatMul", {y.endpoint, x.endpoint}, {{"transpose_a", true}}, "d")->output(0);
  const Endpoint view = builder.op("Identity", {d});
  const Endpoint of_c = sum(c, "of_c");
  const Endpoint of_d = sum(d, "of_d");
  of_c.node->add_control_input(view.node);
  EXPECT_EQ(order({of_c, of_d}, {x, y}, {}), "c d of_c of_d");
}

/// A read stands where it stood among the changes of its variable, and changes keep their order.
TEST_F(OrderTest, KeepsTheOrderOfReadsAndChangesOfAVariable) {
  const Fed x = fed({16, 16});
  const Endpoint v = matrix_variable("v", {16});
  const Endpoint before =
      builder.node("Add", {builder.op("Identity", {v}), builder.constant(1.0f)}, {}, "before")->output(0);
  const Endpoint large = product(x.endpoint, x.endpoint, "large");
  Node* const first = builder.node("AssignAdd", {v, sum(large, "of_large")}, {}, "first");
  first->add_control_input(before.node);
  const Endpoint other =
      builder.node("MatMul", {x.endpoint, x.endpoint}, {{"transpose_a", true}}, "other")->output(0);
  Node* const second = builder.node("Assign", {v, sum(other, "of_other")}, {}, "second");
  second->add_control_input(first);
  const auto program = plan_for({before}, {x}, {second}, {.order = false, .verify = true});
  const StepGraph step = make_step_graph({{&x.endpoint, 1}, {&before, 1}, std::vector{second}}, kVerified);
  const OrderRules rules(*program, step);
  const auto place = [&](const std::string& name, InstructionKind kind) {
    for (uint32_t i = 0; i < program->segment.instructions.size(); ++i) {
      const Instruction& instruction = program->segment.instructions[i];
      if (instruction.node->name() == name && instruction.kind == kind) return i;
    }
    ADD_FAILURE() << name << " has no instruction";
    return uint32_t{0};
  };
  const auto waits = [&](uint32_t after, uint32_t earlier) {
    const auto list = rules.before(after);
    return std::find(list.begin(), list.end(), earlier) != list.end();
  };
  EXPECT_TRUE(waits(place("first", InstructionKind::kKernel), place("before", InstructionKind::kKernel)));
  EXPECT_TRUE(waits(place("second", InstructionKind::kKernel), place("first", InstructionKind::kKernel)));
  EXPECT_FALSE(waits(place("second", InstructionKind::kKernel), place("large", InstructionKind::kKernel)));
}

TEST_F(OrderTest, LeavesTheListAloneWhereThereIsNothingToGain) {
  const Fed x = fed({16, 16});
  const Endpoint a = product(x.endpoint, x.endpoint, "a");
  const Endpoint b = product(a, x.endpoint, "b");
  const Endpoint c = product(a, b, "c");
  EXPECT_EQ(order({c}, {x}, {}), "a b c");
  // Two values of 128 bytes: less than what is worth it, unless asked for.
  const Fed row = fed({1, 32});
  const Fed square = fed({32, 32});
  const Endpoint d = product(row.endpoint, square.endpoint, "d");
  const Endpoint e =
      builder.node("MatMul", {row.endpoint, square.endpoint}, {{"transpose_b", true}}, "e")->output(0);
  const Endpoint axes = builder.constant(Array({0, 1}));
  const Endpoint of_d = builder.node("Sum", {d, axes}, {}, "of_d")->output(0);
  const Endpoint of_e = builder.node("Sum", {e, axes}, {}, "of_e")->output(0);
  EXPECT_EQ(order({of_d, of_e}, {row, square}, {}), "d e of_d of_e");
  const auto program = plan_for({of_d, of_e}, {row, square}, {}, {.order = false});
  const std::vector<Endpoint> feeds{row.endpoint, square.endpoint};
  const StepGraph step = make_step_graph({feeds, std::vector{of_d, of_e}, {}});
  EXPECT_EQ(memory_order(*program, step, 0), (std::vector<uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(most_bytes_in_order(*program, std::vector<uint32_t>{0, 1, 2, 3}), 128 + 128 + 4);
  EXPECT_EQ(most_bytes_in_order(*program, std::vector<uint32_t>{0, 2, 1, 3}), 128 + 4 + 4);
}

}  // namespace
}  // namespace flowray::engine
