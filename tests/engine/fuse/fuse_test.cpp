// Which instructions become one loop, worked out by hand, and that the loop gives the same bits as they do.
#include "engine/fuse/fuse.h"

#include "engine/fuse_fixture.h"

#include <random>

namespace flowray::engine {
namespace {

using Fuse = FuseTest;

const Array kThree({1.0f, 2.0f, 3.0f});

/// Each of three channels has its own bias, although the last dimensions are 1.
TEST_F(Fuse, TakesTheChannelsOfImagesOfOnePixelForWhatTheyAre) {
  for (const Shape& shape : {Shape{2, 3, 1, 1}, Shape{3, 3, 1, 1}}) {
    const Fed x{placeholder(DType::kFloat32, shape), Array(DType::kFloat32, shape)};
    const auto biased = builder.op("BiasAdd", {builder.op("Neg", {x.endpoint}), builder.constant(kThree)},
                                   {{"data_format", std::string("NCHW")}});
    const auto y = builder.op("Square", {biased});
    const Array got = run_in(session, {y}, {x})[0];
    for (int64_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got.data<float>()[i], static_cast<float>((i % 3 + 1) * (i % 3 + 1))) << shape.to_string();
    }
  }
}

// ---- golden lists

TEST_F(Fuse, MakesOneLoopOfAChain) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto m = builder.op("Mul", {x, builder.constant(2.0f)}, {}, "m");
  const auto a = builder.op("AddV2", {m, builder.constant(1.0f)}, {}, "a");
  const auto y = builder.op("Tanh", {a}, {}, "y");
  EXPECT_EQ(text({y}, {{x, kThree}}, false),
            "arena 0 bytes\n"
            "run Mul m(%0, %1) -> %2 float32[3] in %5+0\n"
            "run AddV2 a(%2, %3) -> %4 float32[3] in %5+0\n"
            "run Tanh y(%4) -> %5 float32[3] held\n"
            "fetch %5 float32[3]\n");
  EXPECT_EQ(text({y}, {{x, kThree}}),
            "arena 0 bytes\n"
            "fuse Mul m + AddV2 a + Tanh y(%0, %1, %3) -> %5 float32[3] held\n"
            "fetch %5 float32[3]\n");
  testing::expect_close(run({y}, {{x, kThree}})[0], Array({0.99505475f, 0.9999092f, 0.99999834f}));
}

TEST_F(Fuse, StoresWhatIsFetchedOrReadElsewhere) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto n = builder.op("Neg", {x}, {}, "n");
  const auto q = builder.op("Square", {n}, {}, "q");
  const auto s = builder.op("Cumsum", {q, builder.constant(0)}, {}, "s");
  EXPECT_EQ(text({n, s}, {{x, kThree}}),
            "arena 12 bytes\n"
            "fuse Neg n + Square q(%0) -> %1 float32[3] held, %2 float32[3] arena+0\n"
            "run Cumsum s(%2, %3) -> %4 float32[3] held\n"
            "fetch %1 float32[3]\nfetch %4 float32[3]\n");
  const std::vector<Array> both = run({n, s}, {{x, kThree}});
  EXPECT_EQ(both[0], Array({-1.0f, -2.0f, -3.0f}));
  EXPECT_EQ(both[1], Array({1.0f, 5.0f, 14.0f}));
}

TEST_F(Fuse, DoesNotReachAcrossWhatReadsAResult) {
  const auto x = placeholder(DType::kFloat32, {3, 3});
  const auto n = builder.op("Neg", {x}, {}, "n");
  const auto m = builder.op("MatMul", {n, n}, {}, "m");
  const auto y = builder.op("AddV2", {n, m}, {}, "y");
  const Fed zeros{x, Array(DType::kFloat32, {3, 3})};
  const std::string found = text({y}, {zeros});
  EXPECT_NE(found.find("\nrun Neg n(%0) -> %1 float32[3,3] arena+"), std::string::npos) << found;
  EXPECT_NE(found.find("\nfuse MatMul m + AddV2 y(%1, %1, %1) -> %3 float32[3,3] held\n"), std::string::npos)
      << found;
}

TEST_F(Fuse, DoesNotReachAcrossAnUpdate) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto w = variable("w", kThree);
  const auto n = builder.op("Neg", {builder.op("Identity", {w})}, {}, "n");
  graph::Node* update = builder.node("AssignAdd", {w, x}, {}, "update");
  update->add_control_input(n.node);
  const auto y = builder.op("Exp", {n}, {}, "y");
  y.node->add_control_input(update);
  EXPECT_EQ(text({y}, {{x, kThree}}), text({y}, {{x, kThree}}, false));
}

TEST_F(Fuse, JoinsAChainOnBothSidesOfAView) {
  const auto x = placeholder(DType::kFloat32, {2, 3});
  const auto n = builder.op("Neg", {x}, {}, "n");
  const auto flat = builder.op("Reshape", {n, builder.constant(Array(std::vector<int32_t>{6}))});
  const auto y = builder.op("Abs", {flat}, {}, "y");
  EXPECT_EQ(text({y}, {{x, Array(DType::kFloat32, {2, 3})}}),
            "arena 0 bytes\nfuse Neg n + Abs y(%0) -> %2 float32[6] held\nfetch %2 float32[6]\n");
}

TEST_F(Fuse, KeepsSizesApart) {
  const auto x = placeholder(DType::kFloat32, {2, 3});
  const auto row = placeholder(DType::kFloat32, {3});
  const auto n = builder.op("Neg", {row}, {}, "n");
  const auto y = builder.op("AddV2", {x, n}, {}, "y");
  const std::vector<Fed> feeds{{x, Array(DType::kFloat32, {2, 3})}, {row, kThree}};
  EXPECT_EQ(text({y}, feeds), text({y}, feeds, false));
}

TEST_F(Fuse, JoinsAllScalars) {
  const auto p = placeholder(DType::kFloat32, {});
  const auto q = placeholder(DType::kInt64, {});
  const auto a = builder.op("Neg", {p}, {}, "a");
  const auto b = builder.op("AddV2", {q, builder.constant(int64_t{1})}, {}, "b");
  EXPECT_EQ(text({a, b}, {{p, Array(2.0f)}, {q, Array(int64_t{41})}}),
            "arena 0 bytes\n"
            "fuse Neg a + AddV2 b(%0, %1, %3) -> %2 float32[] held, %4 int64[] held\n"
            "fetch %2 float32[]\nfetch %4 int64[]\n");
  const std::vector<Array> both = run({a, b}, {{p, Array(2.0f)}, {q, Array(int64_t{41})}});
  EXPECT_EQ(both[0], Array(-2.0f));
  EXPECT_EQ(both[1], Array(int64_t{42}));
}

TEST_F(Fuse, WritesOverAnInputThatNobodyReadsLater) {
  // s comes from elsewhere and lies in the arena; the loop's result takes its bytes.
  const Fed x = fed({4, 16});
  const auto s = builder.op("Max", {x.endpoint, builder.constant(Array(std::vector<int32_t>{0}))}, {}, "s");
  const auto y = builder.op("Exp", {builder.op("Neg", {s}, {}, "n")}, {}, "y");
  const auto z = builder.op("Cumsum", {y, builder.constant(0)}, {}, "z");
  const std::string listed = text({z}, {x});
  EXPECT_NE(listed.find("run Max s(%0, %1) -> %2 float32[16] arena+0\n"
                        "fuse Neg n + Exp y(%2) -> %4 float32[16] arena+0\n"),
            std::string::npos)
      << listed;
  expect_same({z}, {x});
}

// ---- bits

TEST_F(Fuse, BroadcastsRowsColumnsAndScalars) {
  for (const auto& [rows, inner] :
       {std::pair<int64_t, int64_t>{7, 5}, {400, 10}, {9, 300}, {3, 4000}, {1, 64}}) {
    const Fed x = fed({rows, inner});
    const Fed row = fed({inner}, 0.5f);
    const Fed column = fed({rows, 1}, 0.25f);
    const Fed one = fed({}, 3.0f);
    auto y = builder.op("AddV2", {x.endpoint, row.endpoint});
    y = builder.op("Sub", {one.endpoint, y});
    const auto by_rows = builder.op("Tanh", {y});
    expect_same({by_rows}, {x, row, one});
    y = builder.op("Mul", {column.endpoint, builder.op("Exp", {by_rows})});
    expect_same({y, by_rows}, {x, row, one, column});
    expect_same({builder.op("Square", {builder.op("Sub", {x.endpoint, column.endpoint})})}, {x, column});
  }
}

TEST_F(Fuse, SharesLargeArraysBetweenThreads) {
  const Fed x = fed({700, 310});
  const Fed row = fed({310});
  const auto a = builder.op("BiasAdd", {x.endpoint, row.endpoint});
  const auto b = builder.op("Relu", {a});
  const auto c = builder.op("Sigmoid", {builder.op("Mul", {b, x.endpoint})});
  EXPECT_NE(text({c, b}, {x, row}).find("fuse BiasAdd BiasAdd + Relu Relu + Mul Mul + Sigmoid"),
            std::string::npos);
  expect_same({c, b}, {x, row});
}

TEST_F(Fuse, ConvertsAndChooses) {
  const Fed x = fed({500}, 9.0f);
  const auto whole = builder.op("Cast", {x.endpoint}, {{"SrcT", DType::kFloat32}, {"DstT", DType::kInt32}});
  const auto even =
      builder.op("Equal", {builder.op("FloorMod", {whole, builder.constant(2)}), builder.constant(0)});
  const auto wide = builder.op("Cast", {x.endpoint}, {{"SrcT", DType::kFloat32}, {"DstT", DType::kFloat64}});
  const auto y = builder.op("SelectV2", {even, builder.op("Sqrt", {builder.op("Abs", {wide})}), wide});
  const auto other = builder.op("LogicalNot", {even});
  const auto sum = builder.op("AddN", {y, wide, y}, {{"N", int64_t{3}}, {"T", DType::kFloat64}});
  expect_same({y, other, whole, sum}, {x});
  const Array halves({0.5f, 2.25f, -3.0f, -4.0f});
  const auto small = placeholder(DType::kFloat32, {4});
  const auto cut = builder.op("Cast", {small}, {{"SrcT", DType::kFloat32}, {"DstT", DType::kInt64}});
  EXPECT_EQ(run({builder.op("Neg", {cut})}, {{small, halves}})[0],
            Array({int64_t{0}, int64_t{-2}, int64_t{3}, int64_t{4}}));
}

TEST_F(Fuse, RunsActivationsAndTheirGradients) {
  const Fed x = fed({33, 40}, 4.0f);
  const Fed d = fed({33, 40}, 2.0f);
  std::vector<graph::Endpoint> all;
  const graph::Attrs alpha{{"alpha", 0.3f}};
  for (const char* op : {"Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign"}) {
    all.push_back(builder.op("Neg", {builder.op(op, {builder.op("Neg", {x.endpoint})})}));
  }
  all.push_back(builder.op("Neg", {builder.op("LeakyRelu", {builder.op("Neg", {x.endpoint})}, alpha)}));
  for (const char* op :
       {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftsignGrad", "SigmoidGrad", "TanhGrad"}) {
    all.push_back(builder.op("Neg", {builder.op(op, {builder.op("Neg", {d.endpoint}), x.endpoint})}));
  }
  expect_same(all, {x, d});
}

TEST_F(Fuse, AnErrorNamesTheNodeInside) {
  for (const int64_t size : {1, 3}) {
    const auto x = placeholder(DType::kInt32, {size});
    const auto below = builder.op("Sub", {x, builder.constant(1)}, {}, "below");
    const auto bad = builder.op("FloorDiv", {x, below}, {}, "bad");
    const auto y = builder.op("Neg", {bad});
    try {
      (void)run({y}, {{x, Array::full(DType::kInt32, {size}, 1)}});
      FAIL() << "divided by zero";
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_EQ(error.node_name(), bad.node->name());
      const std::string& message = error.message();
      EXPECT_EQ(message.find("[[{{node"), message.rfind("[[{{node")) << message;
    }
    EXPECT_EQ(run({y}, {{x, Array::full(DType::kInt32, {size}, 4)}})[0],
              Array::full(DType::kInt32, {size}, -1));
  }
}

/// Elementwise graphs of all dtypes and kinds of broadcasting.
class RandomChains {
 public:
  RandomChains(graph::Builder& builder, unsigned seed) : builder_(builder), random_(seed) {}

  void add(graph::Endpoint endpoint) { values_.push_back(endpoint); }
  graph::Endpoint any() { return values_[random_() % values_.size()]; }

  void grow(int nodes) {
    while (nodes-- > 0) values_.push_back(next());
  }

 private:
  graph::Endpoint of(DType dtype) {
    const graph::Endpoint x = any();
    if (x.dtype() == dtype) return x;
    return builder_.op("Cast", {x}, {{"SrcT", x.dtype()}, {"DstT", dtype}});
  }

  graph::Endpoint next() {
    static constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};
    static constexpr const char* kUnary[] = {"Neg", "Abs", "Square", "Sign"};
    static constexpr const char* kOfFloats[] = {"Tanh", "Sigmoid", "Sin", "Floor", "Softsign"};
    static constexpr const char* kBinary[] = {"AddV2",   "Sub",     "Mul",
                                              "Maximum", "Minimum", "SquaredDifference"};
    static constexpr const char* kOrder[] = {"Less", "GreaterEqual", "NotEqual"};
    const DType dtype = kTypes[random_() % 4];
    switch (random_() % 6) {
      case 0:
        return bounded(builder_.op(kUnary[random_() % 4], {of(dtype)}));
      case 1:
        return builder_.op(kOfFloats[random_() % 5], {of(kTypes[random_() % 2])});
      case 2:
      case 3:
        return bounded(builder_.op(kBinary[random_() % 6], {of(dtype), of(dtype)}));
      case 4:
        return builder_.op(kOrder[random_() % 3], {of(dtype), of(dtype)});
      default:
        return builder_.op("SelectV2", {of(DType::kBool), of(dtype), of(dtype)});
    }
  }

  /// Numbers stay small enough to be converted to any type.
  graph::Endpoint bounded(graph::Endpoint x) {
    const auto number = [&](float value) {
      return builder_.op("Cast", {builder_.constant(value)},
                         {{"SrcT", DType::kFloat32}, {"DstT", x.dtype()}});
    };
    return builder_.op("Maximum", {builder_.op("Minimum", {x, number(9)}), number(-9)});
  }

  graph::Builder& builder_;
  std::mt19937 random_;
  std::vector<graph::Endpoint> values_;
};

TEST_F(Fuse, GivesTheSameBitsOnRandomChains) {
  const std::vector<Fed> feeds{fed({6, 70}, 5.0f), fed({70}, 3.0f),       fed({6, 1}, 2.0f),
                               fed({}, 4.0f),      fed({2, 6, 70}, 5.0f), fed({1, 70}, 2.0f)};
  int loops = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomChains chains(builder, seed);
    for (const Fed& feed : feeds) chains.add(feed.endpoint);
    chains.grow(4 + static_cast<int>(seed % 30));
    const std::vector<graph::Endpoint> fetches{chains.any(), chains.any(), chains.any()};
    expect_same(fetches, feeds);
    loops += text(fetches, feeds).find("fuse ") != std::string::npos;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(loops, 100);
}

}  // namespace
}  // namespace flowray::engine
