// Kernels that are fused with the chains after and before them: which instructions become one, worked out by
// hand, and that the results are those of the kernels by themselves.
#include "engine/fuse/fuse.h"

#include "engine/fuse_fixture.h"

namespace flowray::engine {
namespace {

using graph::Endpoint;

class FusedKernels : public FuseTest {
 protected:
  /// Whether more than two threads could make it better to leave a long chain by itself.
  bool may_stand_alone() { return session.parallel().workers() > 2; }
  static Array ints(const std::vector<int32_t>& values) { return Array(values); }
  static Array matrix(const std::vector<float>& values, int64_t rows) {
    return Array(values).reshape({rows, static_cast<int64_t>(values.size()) / rows});
  }
  Endpoint sum(Endpoint x, std::vector<int32_t> axes, const char* op = "Sum") {
    return builder.op(op, {x, builder.constant(Array(std::move(axes)))});
  }
  bool has(const std::string& listed, const std::string& part) {
    return listed.find(part) != std::string::npos;
  }
};

// ---- chains behind a kernel

TEST_F(FusedKernels, WorkOnTheRowsOfAProductAsTheyAreMade) {
  const Fed x{placeholder(DType::kFloat32, {2, 2}), matrix({1, 2, 3, 4}, 2)};
  const Fed w{placeholder(DType::kFloat32, {2, 2}), matrix({1, -1, 0, 2}, 2)};
  const auto p = builder.op("MatMul", {x.endpoint, w.endpoint}, {}, "p");
  const auto b = builder.op("BiasAdd", {p, builder.constant(Array({-2.0f, -4.0f}))}, {}, "b");
  const auto y = builder.op("Relu", {b}, {}, "y");
  const std::string listed = text({y}, {x, w});
  EXPECT_TRUE(has(listed, "fuse MatMul p + BiasAdd b + Relu y(%3, %0, %1) -> %5 float32[2,2] held\n"))
      << listed;
  EXPECT_EQ(run({y}, {x, w})[0], matrix({0, 0, 1, 1}, 2));
}

TEST_F(FusedKernels, KeepAProductThatIsFetchedToo) {
  const Fed x{placeholder(DType::kFloat32, {2, 2}), matrix({1, 2, 3, 4}, 2)};
  const auto p = builder.op("MatMul", {x.endpoint, x.endpoint}, {}, "p");
  const auto y = builder.op("Neg", {p}, {}, "y");
  const std::string listed = text({p, y}, {x});
  EXPECT_TRUE(has(listed, "fuse MatMul p + Neg y(%0, %0) -> %2 float32[2,2] held, %1 float32[2,2] held\n"))
      << listed;
  const std::vector<Array> both = run({p, y}, {x});
  EXPECT_EQ(both[0], matrix({7, 10, 15, 22}, 2));
  EXPECT_EQ(both[1], matrix({-7, -10, -15, -22}, 2));
}

TEST_F(FusedKernels, LeaveAProductAloneThatSomebodyReadsBefore) {
  const Fed x = fed({6, 6});
  const auto p = builder.op("MatMul", {x.endpoint, x.endpoint}, {}, "p");
  const auto s = builder.op("Cumsum", {p, builder.constant(0)}, {}, "s");
  const auto y = builder.op("AddV2", {builder.op("Neg", {p}), s}, {}, "y");
  EXPECT_TRUE(has(text({y}, {x}), "run MatMul p"));
  expect_same({y}, {x});
}

/// The second product stands directly before the sum; the first one is computed by itself.
TEST_F(FusedKernels, AChainHasOneHead) {
  const Fed x = fed({6, 6});
  const auto p = builder.op("MatMul", {x.endpoint, x.endpoint}, {}, "p");
  const auto q = builder.op("MatMul", {x.endpoint, x.endpoint}, {{"transpose_b", true}}, "q");
  const auto y = builder.op("AddV2", {p, q}, {}, "y");
  const std::string listed = text({y}, {x});
  EXPECT_TRUE(has(listed, "run MatMul q") != has(listed, "run MatMul p")) << listed;
  EXPECT_TRUE(has(listed, "fuse MatMul ")) << listed;
  expect_same({y}, {x});
}

TEST_F(FusedKernels, DoNotWriteOverWhatTheHeadStillReads) {
  const Fed fed_x = fed({40, 40});
  // Lies in the arena and is read for the last time by both the product and the sum.
  const auto x = builder.op("Cumsum", {fed_x.endpoint, builder.constant(0)});
  const auto other = builder.op("Cumsum", {fed_x.endpoint, builder.constant(1)});
  const auto p = builder.op("MatMul", {x, fed_x.endpoint});
  const auto y = builder.op("Relu", {builder.op("Sub", {builder.op("AddV2", {p, x}), other})});
  const auto z = builder.op("Cumsum", {y, builder.constant(0)});
  EXPECT_TRUE(has(text({z}, {fed_x}), "fuse MatMul"));
  expect_same({z}, {fed_x});
}

TEST_F(FusedKernels, GiveTheBitsOfProductsOfAllShapes) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{5, 3, 4},
                                {200, 64, 33},
                                {64, 300, 20},
                                {130, 1000, 7},
                                {1, 500, 300},
                                {700, 1, 50},
                                {256, 250, 256},
                                {1024, 64, 64},
                                {64, 64, 1024},
                                {3, 2000, 300}}) {
    const Fed a = fed({m, k});
    const Fed b = fed({n, k}, 0.5f);
    const Fed row = fed({n});
    const Fed column = fed({m, 1}, 3.0f);
    const Fed same = fed({m, n}, 2.0f);
    const auto p = builder.op("MatMul", {a.endpoint, b.endpoint}, {{"transpose_b", true}});
    const auto y = builder.op("Relu", {builder.op("BiasAdd", {p, row.endpoint})});
    const auto z =
        builder.op("Tanh", {builder.op("Mul", {builder.op("AddV2", {p, same.endpoint}), column.endpoint})});
    expect_same({y}, {a, b, row});
    expect_same({z}, {a, b, same, column});
    expect_same({y, z, p}, {a, b, row, same, column});
    EXPECT_TRUE(n == 1 || may_stand_alone() || has(text({y}, {a, b, row}), "fuse MatMul"))
        << m << " " << n << " " << k;
  }
}

TEST_F(FusedKernels, GiveTheBitsOfOtherTypesAndOfManyProducts) {
  for (const int64_t batch : {1, 3, 50}) {
    const Fed a = fed({batch, 20, 7});
    const Fed b = fed({1, 7, 31}, 0.5f);
    const Fed row = fed({31});
    const auto p = builder.op("BatchMatMulV2", {a.endpoint, b.endpoint});
    const auto y = builder.op("Sigmoid", {builder.op("Mul", {p, row.endpoint})});
    EXPECT_TRUE(may_stand_alone() || has(text({y}, {a, b, row}), "fuse BatchMatMulV2"));
    expect_same({y}, {a, b, row});
  }
  const Fed x = fed({300, 40}, 9.0f);
  for (const DType dtype : {DType::kFloat64, DType::kInt32, DType::kInt64}) {
    const auto cast = builder.op("Cast", {x.endpoint}, {{"SrcT", DType::kFloat32}, {"DstT", dtype}});
    const auto p = builder.op("MatMul", {cast, cast}, {{"transpose_b", true}});
    const auto y = builder.op("Neg", {builder.op("Square", {p})});
    const auto back = builder.op("Cast", {y}, {{"SrcT", dtype}, {"DstT", DType::kBool}});
    EXPECT_TRUE(has(text({y}, {x}), "fuse MatMul"));
    expect_same({y, back}, {x});
    expect_same({back}, {x});
  }
}

TEST_F(FusedKernels, GiveTheBitsOfConvolutionsAndPools) {
  for (const auto& [images, size, in, out] :
       {std::array<int64_t, 4>{3, 9, 1, 6}, {5, 14, 6, 16}, {2, 40, 8, 70}, {2, 5, 3, 4}}) {
    const Fed x = fed({images, size, size, in});
    const Fed filter = fed({3, 3, in, out}, 0.3f);
    const Fed bias = fed({out}, 0.2f);
    const graph::Attrs conv{{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("SAME")}};
    const graph::Attrs pool{{"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                            {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                            {"padding", std::string("VALID")}};
    const auto c = builder.op("Conv2D", {x.endpoint, filter.endpoint}, conv);
    const auto y = builder.op("Relu", {builder.op("BiasAdd", {c, bias.endpoint})});
    EXPECT_TRUE(may_stand_alone() || has(text({y}, {x, filter, bias}), "fuse Conv2D"));
    expect_same({y}, {x, filter, bias});
    const auto pooled = builder.op("MaxPool", {y}, pool);
    const auto means = builder.op("Neg", {builder.op("AvgPool", {y}, pool)});
    const auto half = builder.op("Neg", {builder.op("Mul", {pooled, bias.endpoint})});
    const auto back = builder.op("ReluGrad", {builder.op("MaxPoolGrad", {y, pooled, half}, pool), y});
    EXPECT_TRUE(may_stand_alone() || has(text({back}, {x, filter, bias}), "fuse MaxPoolGrad"));
    const auto of_x = builder.op(
        "Conv2DBackpropInput",
        {builder.constant(Array(std::vector<int32_t>{static_cast<int32_t>(images), static_cast<int32_t>(size),
                                                     static_cast<int32_t>(size), static_cast<int32_t>(in)})),
         filter.endpoint, back},
        conv);
    const auto gradient = builder.op("Mul", {builder.op("Tanh", {of_x}), x.endpoint});
    EXPECT_TRUE(may_stand_alone() || has(text({gradient}, {x, filter, bias}), "fuse Conv2DBackpropInput"));
    expect_same({gradient, means, half}, {x, filter, bias});
  }
}

TEST_F(FusedKernels, MultiplyTheGradientOfACrossEntropyInItsRows) {
  const Fed logits{placeholder(DType::kFloat32, {2, 2}), Array(DType::kFloat32, {2, 2})};
  const Fed labels{placeholder(DType::kFloat32, {2, 2}), matrix({1, 0, 0, 1}, 2)};
  const Fed weights{placeholder(DType::kFloat32, {2, 1}), matrix({2, 4}, 2)};
  graph::Node* const e =
      builder.node("SoftmaxCrossEntropyWithLogits", {logits.endpoint, labels.endpoint}, {}, "e");
  const auto g = builder.op("Mul", {weights.endpoint, e->output(1)}, {}, "g");
  const std::vector<Fed> feeds{logits, labels, weights};
  const std::string listed = text({e->output(0), g}, feeds);
  EXPECT_TRUE(has(listed,
                  "fuse SoftmaxCrossEntropyWithLogits e + Mul g(%2, %0, %1) -> %5 float32[2,2] held, %3 "
                  "float32[2] held\n"))
      << listed;
  const std::vector<Array> both = run({e->output(0), g}, feeds);
  testing::expect_close(both[0], Array({0.6931472f, 0.6931472f}));
  testing::expect_close(both[1], matrix({-1, 1, 2, -2}, 2));
}

TEST_F(FusedKernels, GiveTheBitsOfRowsOfClasses) {
  for (const auto& [rows, classes] :
       {std::pair<int64_t, int64_t>{3, 1}, {32, 10}, {1000, 10}, {700, 129}, {2, 5000}}) {
    const Fed logits = fed({rows, classes}, 4.0f);
    const Fed labels = fed({rows, classes});
    const Fed column = fed({rows, 1});
    graph::Node* const e = builder.node("SoftmaxCrossEntropyWithLogits", {logits.endpoint, labels.endpoint});
    const auto loss =
        builder.op("Reshape", {e->output(0), builder.constant(ints({static_cast<int32_t>(rows), 1}))});
    const auto scaled = builder.op("Mul", {e->output(1), column.endpoint});
    // The loss of a row is not told of together with its gradient.
    const auto with_loss = builder.op("Mul", {builder.op("Neg", {e->output(1)}), loss});
    expect_same({builder.op("Tanh", {scaled})}, {logits, labels, column});
    expect_same({with_loss}, {logits, labels});
    expect_same({builder.op("Square", {builder.op("Softmax", {logits.endpoint})})}, {logits});
    expect_same({builder.op("Neg", {builder.op("LogSoftmax", {builder.op("Neg", {logits.endpoint})})})},
                {logits});
  }
}

TEST_F(FusedKernels, AnErrorNamesTheNodeInsideOnce) {
  const Fed x{placeholder(DType::kInt32, {2, 2}), Array(std::vector<int32_t>{1, 2, 3, 4}).reshape({2, 2})};
  const Fed by{placeholder(DType::kInt32, {2, 2}), Array(std::vector<int32_t>{1, 0, 1, 1}).reshape({2, 2})};
  const auto p = builder.op("MatMul", {x.endpoint, x.endpoint});
  const auto divided = builder.op("FloorDiv", {p, by.endpoint}, {}, "divided");
  const auto total = builder.op("Sum", {builder.op("FloorDiv", {x.endpoint, by.endpoint}, {}, "terms"),
                                        builder.constant(ints({0, 1}))});
  for (const Endpoint y : {divided, total}) {
    try {
      (void)run({y}, {x, by});
      FAIL() << "divided by zero";
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_EQ(error.node_name(), y == total ? "terms" : "divided");
      EXPECT_EQ(error.message().find("[[{{node"), error.message().rfind("[[{{node")) << error.message();
    }
  }
  const Fed logits = fed({2, 3});
  const Fed labels{placeholder(DType::kInt64, {2}), Array(std::vector<int64_t>{0, 3})};
  graph::Node* const e =
      builder.node("SparseSoftmaxCrossEntropyWithLogits", {logits.endpoint, labels.endpoint}, {}, "losses");
  try {
    (void)run({builder.op("Neg", {e->output(1)})}, {logits, labels});
    FAIL() << "3 is not a class";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.node_name(), "losses");
  }
}

// ---- chains before a reduction

TEST_F(FusedKernels, SumAChainThatIsNeverStored) {
  const Fed x{placeholder(DType::kFloat32, {2, 3}), matrix({1, 2, 3, 4, 5, 6}, 2)};
  const Fed y{placeholder(DType::kFloat32, {2, 3}), matrix({0, 2, 1, 4, 1, 0}, 2)};
  const auto d = builder.op("Sub", {x.endpoint, y.endpoint}, {}, "d");
  const auto q = builder.op("Square", {d}, {}, "q");
  const auto s = builder.op("Sum", {q, builder.constant(ints({1}))}, {}, "s");
  EXPECT_EQ(text({s}, {x, y}),
            "arena 0 bytes\n"
            "fuse Sub d + Square q + Sum s(%0, %1) -> %5 float32[2] held\n"
            "fetch %5 float32[2]\n");
  EXPECT_EQ(run({s}, {x, y})[0], Array({5.0f, 52.0f}));
}

TEST_F(FusedKernels, SumAChainThatIsFetchedToo) {
  const Fed x{placeholder(DType::kFloat32, {2, 2}), matrix({1, 2, 3, 4}, 2)};
  const auto q = builder.op("Square", {x.endpoint}, {}, "q");
  const auto s = builder.op("Sum", {q, builder.constant(ints({0}))}, {}, "s");
  const std::string listed = text({s, q}, {x});
  EXPECT_TRUE(has(listed, "fuse Square q + Sum s(%0, %2) -> %1 float32[2,2] held, %3 float32[2] held\n"))
      << listed;
  const std::vector<Array> both = run({s, q}, {x});
  EXPECT_EQ(both[0], Array({10.0f, 20.0f}));
  EXPECT_EQ(both[1], matrix({1, 4, 9, 16}, 2));
}

TEST_F(FusedKernels, GiveTheBitsOfReductionsOfAllShapes) {
  const std::vector<std::vector<int32_t>> axes{{0}, {1}, {0, 1}};
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 5},
                                      {300, 10},
                                      {1000, 64},
                                      {70, 100},
                                      {5, 3000},
                                      {2000, 128},
                                      {40, 300},
                                      {400'000, 2},
                                      {1, 300'000}}) {
    const Fed x = fed({rows, columns});
    const Fed row = fed({columns}, 0.5f);
    const Fed column = fed({rows, 1}, 0.5f);
    const std::vector<Fed> feeds{x, row, column};
    const auto chain = builder.op("Mul", {builder.op("AddV2", {x.endpoint, row.endpoint}), column.endpoint});
    for (const std::vector<int32_t>& axis : axes) {
      for (const char* op : {"Sum", "Mean", "Max"}) {
        expect_same({sum(builder.op("Neg", {x.endpoint}), axis, op)}, {x});
        expect_same({sum(chain, axis, op)}, feeds);
        expect_same({sum(chain, axis, op), chain}, feeds);
        EXPECT_TRUE(columns > 128 || may_stand_alone() ||
                    has(text({sum(builder.op("Neg", {x.endpoint}), axis, op)}, {x}), "fuse Neg"));
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(FusedKernels, GiveTheBitsOfReductionsOfOtherTypes) {
  const Fed x = fed({90, 50}, 9.0f);
  for (const DType dtype : {DType::kFloat64, DType::kInt32, DType::kInt64}) {
    const auto cast = builder.op("Cast", {x.endpoint}, {{"SrcT", DType::kFloat32}, {"DstT", dtype}});
    EXPECT_TRUE(has(text({sum(cast, {0})}, {x}), "fuse Cast"));
    for (const char* op : {"Sum", "Mean", "Prod", "Min"})
      expect_same({sum(cast, {0}, op), sum(cast, {1}, op)}, {x});
  }
  const auto right = builder.op("Equal", {x.endpoint, builder.constant(0.5f)});
  expect_same({sum(right, {0}, "Any"), sum(right, {1}, "All")}, {x});
}

}  // namespace
}  // namespace flowray::engine
