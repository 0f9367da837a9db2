// Reductions of rows with what feeds and follows them: which instructions become one, worked out by hand, and
// that the results are those of the kernels by themselves, bit by bit.
#include "engine/fuse/fuse.h"

#include "engine/fuse_fixture.h"

#include <random>

namespace flowray::engine {
namespace {

using graph::Endpoint;

class FusedRows : public FuseTest {
 protected:
  Endpoint reduce(const char* op, Endpoint x, int32_t axis, bool keep_dims, std::string_view name = {}) {
    return builder.op(op, {x, builder.constant(Array({axis}))}, {{"keep_dims", keep_dims}}, name);
  }
  /// A softmax of simple operations.
  Endpoint softmax(Endpoint x) {
    const Endpoint m = reduce("Max", x, 1, true, "m");
    const Endpoint e = builder.op("Exp", {builder.op("Sub", {x, m}, {}, "d")}, {}, "e");
    return builder.op("RealDiv", {e, reduce("Sum", e, 1, true, "s")}, {}, "p");
  }
  Endpoint normalised(Endpoint x, Endpoint scale, Endpoint shift) {
    const Endpoint mean = reduce("Mean", x, 1, true);
    const Endpoint d = builder.op("Sub", {x, mean});
    const Endpoint variance = reduce("Mean", builder.op("Square", {d}), 1, true);
    const Endpoint r = builder.op("Rsqrt", {builder.op("AddV2", {variance, builder.constant(1e-3f)})});
    return builder.op("AddV2", {builder.op("Mul", {builder.op("Mul", {d, r}), scale}), shift});
  }
  static int count(const std::string& listed, const std::string& word) {
    int found = 0;
    for (size_t at = listed.find(word); at != std::string::npos; at = listed.find(word, at + 1)) ++found;
    return found;
  }
};

TEST_F(FusedRows, MakeOneLoopOfASoftmax) {
  const Fed x{placeholder(DType::kFloat32, {2, 4}),
              Array({0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 101.0f, 101.0f}).reshape({2, 4})};
  const Endpoint p = softmax(x.endpoint);
  EXPECT_EQ(text({p}, {x}),
            "arena 0 bytes\n"
            "fuse Max m + Sub d + Exp e + Sum s + RealDiv p(%0) -> %6 float32[2,4] held\n"
            "fetch %6 float32[2,4]\n");
  EXPECT_EQ(run({p}, {x})[0], Array({0.25f, 0.25f, 0.25f, 0.25f, 0.0f, 0.0f, 0.5f, 0.5f}).reshape({2, 4}));
}

TEST_F(FusedRows, MakeOneLoopOfANormalisation) {
  const Fed x{placeholder(DType::kFloat64, {2, 2}), Array(std::vector<double>{1, 3, -4, 4}).reshape({2, 2})};
  const auto number = [&](double value) { return builder.constant(Array::full(DType::kFloat64, {}, value)); };
  const Endpoint d = builder.op("Sub", {x.endpoint, reduce("Mean", x.endpoint, 1, true)});
  const Endpoint variance = reduce("Mean", builder.op("Square", {d}), 1, true);
  const Endpoint y =
      builder.op("RealDiv", {d, builder.op("Sqrt", {builder.op("AddV2", {variance, number(0)})})});
  EXPECT_EQ(count(text({y}, {x}), "\nfuse "), 1);
  EXPECT_EQ(count(text({y}, {x}), "\nrun "), 0);
  EXPECT_EQ(run({y}, {x})[0], Array(std::vector<double>{-1, 1, -1, 1}).reshape({2, 2}));
}

TEST_F(FusedRows, WorkOnWhatFollowsAReductionAlone) {
  const Fed x{placeholder(DType::kFloat32, {2, 3}),
              Array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}).reshape({2, 3})};
  const Endpoint s = reduce("Sum", x.endpoint, 1, false, "s");
  const Endpoint y = builder.op("Neg", {builder.op("Square", {s}, {}, "q")}, {}, "y");
  EXPECT_EQ(text({y}, {x}),
            "arena 0 bytes\n"
            "fuse Sum s + Square q + Neg y(%0) -> %4 float32[2] held\n"
            "fetch %4 float32[2]\n");
  EXPECT_EQ(run({y}, {x})[0], Array({-36.0f, -225.0f}));
}

TEST_F(FusedRows, StoreWhatIsFetchedToo) {
  const Fed x{placeholder(DType::kFloat32, {2, 2}), Array({1.0f, 2.0f, 3.0f, 5.0f}).reshape({2, 2})};
  const Endpoint q = builder.op("Square", {x.endpoint}, {}, "q");
  const Endpoint s = reduce("Sum", q, 1, true, "s");
  const Endpoint y = builder.op("Sub", {q, s}, {}, "y");
  EXPECT_EQ(count(text({y, s, q}, {x}), "fuse Square q + Sum s + Sub y("), 1);
  const std::vector<Array> all = run({y, s, q}, {x});
  EXPECT_EQ(all[0], Array({-4.0f, -1.0f, -25.0f, -9.0f}).reshape({2, 2}));
  EXPECT_EQ(all[1], Array({5.0f, 34.0f}).reshape({2, 1}));
  EXPECT_EQ(all[2], Array({1.0f, 4.0f, 9.0f, 25.0f}).reshape({2, 2}));
}

TEST_F(FusedRows, LeaveOtherWidthsAndLongRowsAlone) {
  const Fed x = fed({4, 6});
  const Fed wide = fed({3, 2000});
  const Endpoint regrouped = builder.op("Reshape", {x.endpoint, builder.constant(Array({8, 3}))});
  const Endpoint once = builder.op("Square", {x.endpoint});
  const Endpoint of_six = builder.op("Sub", {once, reduce("Sum", once, 1, true)});
  const Endpoint of_three = builder.op("Sub", {regrouped, reduce("Sum", regrouped, 1, true)});
  const std::string listed = text({of_six, of_three}, {x});
  EXPECT_EQ(count(listed, "\nfuse "), 2) << listed;
  expect_same({of_six, of_three}, {x});
  const Endpoint far = builder.op("Sub", {wide.endpoint, reduce("Sum", wide.endpoint, 1, true)});
  EXPECT_EQ(count(text({far}, {wide}), "fuse "), 0);
  expect_same({far}, {wide});
}

TEST_F(FusedRows, DoNotReachAcrossWhatReadsAResult) {
  const Fed x = fed({4, 6});
  const Endpoint s = reduce("Sum", x.endpoint, 1, true, "s");
  const Endpoint turned = builder.op("Transpose", {s, builder.constant(Array({1, 0}))}, {}, "t");
  const Endpoint total = builder.op("Cumsum", {turned, builder.constant(Array({1}).reshape({}))});
  const Endpoint z = builder.op("Sub", {builder.op("Square", {s}, {}, "q"), total});
  EXPECT_EQ(count(text({z}, {x}), "Sum s + "), 0);
  expect_same({z, s}, {x});
}

/// What a reduction gives for each row, read as a row: of a square matrix it is as long as one.
TEST_F(FusedRows, TakeNoColumnForARow) {
  for (const int64_t n : {2, 5, 16, 40, 64, 100, 300}) {
    const Fed x = fed({n, n}, 3.0f);
    const Endpoint q = builder.op("Square", {x.endpoint});
    const Endpoint s = reduce("Sum", q, 1, false);
    const auto shaped = [&](int32_t rows, int32_t columns) {
      return builder.op("Reshape", {s, builder.constant(Array({rows, columns}))});
    };
    const auto size = static_cast<int32_t>(n);
    expect_same({builder.op("Sub", {q, s})}, {x});
    expect_same({builder.op("Sub", {s, q})}, {x});
    expect_same({builder.op("AddV2", {shaped(size, 1), shaped(1, size)})}, {x});
    expect_same({builder.op("AddV2", {builder.op("Mul", {q, shaped(size, 1)}), s})}, {x});
    const Endpoint greater = builder.op("Greater", {q, builder.constant(1.0f)});
    expect_same({builder.op("SelectV2", {greater, q, builder.op("Mul", {q, reduce("Mean", q, 1, false)})})},
                {x});
    if (HasFailure()) FAIL() << n;
  }
  const Fed x = fed({2, 3, 6}, 3.0f);
  const Endpoint flat = builder.op("Reshape", {x.endpoint, builder.constant(Array({6, 6}))});
  const Endpoint s =
      builder.op("Reshape", {reduce("Sum", x.endpoint, 2, false), builder.constant(Array({6}))});
  expect_same({builder.op("Sub", {flat, s})}, {x});
}

/// Sums of what several gathers give, added up at the end: each is let go before the next one is made.
TEST_F(FusedRows, DoNotKeepWhatTheyReduceForOthers) {
  const Fed table = fed({50, 64});
  const Fed places{placeholder(DType::kInt32, {1000}), Array::full(DType::kInt32, {1000}, 7)};
  Endpoint total = builder.constant(0.0f);
  std::vector<Endpoint> sums;
  for (int i = 0; i < 6; ++i) {
    const Endpoint gathered = builder.op(
        "GatherV2", {builder.op("Mul", {table.endpoint, builder.constant(1.0f + static_cast<float>(i))}),
                     places.endpoint, builder.constant(Array(0))});
    sums.push_back(reduce("Sum", builder.op("Square", {gathered}), 1, false));
  }
  for (const Endpoint& sum : sums) total = builder.op("AddV2", {total, sum});
  const auto arena = [](const std::string& listed) { return std::stol(listed.substr(listed.find(' ') + 1)); };
  EXPECT_LE(arena(text({total}, {table, places})), arena(text({total}, {table, places}, false)));
  expect_same({total}, {table, places});
}

TEST_F(FusedRows, GiveTheBitsOfAllShapes) {
  for (const int64_t width : {2, 5, 31, 63, 64, 65, 100, 257, 1000, 1024, 1025}) {
    for (const int64_t rows : {1, 2, 3, 17, 70, 700}) {
      const Fed x = fed({rows, width}, 3.0f);
      const Fed row = fed({width}, 0.5f);
      const Fed column = fed({rows, 1}, 0.5f);
      expect_same({softmax(x.endpoint)}, {x});
      const Endpoint y = normalised(x.endpoint, row.endpoint, column.endpoint);
      expect_same({y}, {x, row, column});
      expect_same({reduce("Max", y, 1, false), y, softmax(builder.op("Mul", {y, column.endpoint}))},
                  {x, row, column});
      if (HasFailure()) FAIL() << rows << " rows of " << width;
    }
  }
}

TEST_F(FusedRows, GiveTheBitsOnManyThreads) {
  const Fed x = fed({9000, 100}, 3.0f);
  const Fed row = fed({100}, 0.5f);
  const Fed column = fed({9000, 1}, 0.5f);
  expect_same({softmax(normalised(x.endpoint, row.endpoint, column.endpoint))}, {x, row, column});
}

TEST_F(FusedRows, GiveTheBitsOfOtherTypes) {
  const Fed x = fed({90, 50}, 9.0f);
  for (const DType dtype : {DType::kFloat64, DType::kInt32, DType::kInt64}) {
    const Endpoint cast = builder.op("Cast", {x.endpoint}, {{"SrcT", DType::kFloat32}, {"DstT", dtype}});
    for (const char* op : {"Sum", "Mean", "Prod", "Min", "Max"}) {
      const Endpoint s = reduce(op, cast, 1, true);
      const Endpoint y = builder.op("Sub", {cast, builder.op("Maximum", {s, s})});
      EXPECT_EQ(count(text({y}, {x}), "fuse Cast"), 1) << op << text({y}, {x});
      expect_same({y, s}, {x});
    }
  }
  const Endpoint right = builder.op("Equal", {x.endpoint, builder.constant(0.5f)});
  expect_same({builder.op("LogicalAnd", {right, reduce("Any", right, 1, true)}),
               builder.op("LogicalNot", {reduce("All", right, 1, false)})},
              {x});
}

TEST_F(FusedRows, AnErrorNamesTheNodeInside) {
  const Fed x{placeholder(DType::kInt32, {2, 2}), Array({1, 2, 3, -3}).reshape({2, 2})};
  const Endpoint s = reduce("Sum", x.endpoint, 1, true, "s");
  const Endpoint y = builder.op("Neg", {builder.op("FloorDiv", {x.endpoint, s}, {}, "bad")});
  EXPECT_EQ(count(text({y}, {x}), "fuse Sum s + FloorDiv bad"), 1);
  try {
    (void)run({y}, {x});
    FAIL() << "the second row's sum is 0";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.node_name(), "bad");
  }
}

/// Matrices, columns and rows, reduced and put together again in any order.
TEST_F(FusedRows, GiveTheSameBitsOnRandomGraphs) {
  static constexpr const char* kUnary[] = {"Neg", "Abs", "Square", "Tanh", "Sigmoid"};
  static constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum", "SquaredDifference"};
  static constexpr const char* kReductions[] = {"Sum", "Mean", "Max", "Min"};
  int loops = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const int64_t width = std::vector<int64_t>{7, 11, 63, 64, 300}[random() % 5];
    const std::vector<Fed> feeds{fed({11, width}), fed({width}), fed({11, 1}), fed({}),
                                 fed({1, width}, 0.5f)};
    std::vector<Endpoint> values;
    for (const Fed& feed : feeds) values.push_back(feed.endpoint);
    const auto any = [&] { return values[random() % values.size()]; };
    for (unsigned n = 5 + seed % 30; n > 0; --n) {
      const Endpoint x = any();
      const unsigned kind = random() % 6;
      Endpoint made;
      if (kind < 2) {
        made = builder.op(kUnary[random() % 5], {x});
      } else if (kind < 5 || x.shape().rank() != 2) {
        made = builder.op(kBinary[random() % 5], {x, any()});
      } else {
        const bool is_square = width == 11 && random() % 2 == 0;
        made = reduce(kReductions[random() % 4], x, static_cast<int32_t>(random() % 4 > 0), !is_square);
      }
      values.push_back(builder.op("Tanh", {made}));
    }
    const std::vector<Endpoint> fetches{values.back(), any(), any()};
    expect_same(fetches, feeds);
    const std::string listed = text(fetches, feeds);
    for (const char* op : kReductions) loops += listed.find(std::string(" + ") + op) != std::string::npos;
    if (HasFailure()) return;
  }
  EXPECT_GT(loops, 100);
}

}  // namespace
}  // namespace flowray::engine
