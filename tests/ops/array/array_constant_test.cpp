#include "ops/array_testing.h"

#include <complex>
#include <limits>

namespace flowray::testing {
namespace {

TEST(Const, IsItsValue) {
  for (const Array& value : {Array({{1.f, 2.f}}), Array("text"), Array(true),
                             Array(std::complex<double>(1, 2)), Array(DType::kInt64, Shape{0})}) {
    graph::Graph graph(ops::op_table());
    const graph::Endpoint constant = graph::Builder(graph).constant(value);
    EXPECT_EQ(constant.shape(), value.shape());
    EXPECT_EQ(Interpreter().run(constant), value);
  }
}

TEST(Placeholder, MustBeFed) {
  const auto message = [](DType dtype, const Shape& shape) -> std::string {
    graph::Graph graph(ops::op_table());
    const graph::Endpoint x =
        graph::Builder(graph).op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}, "x");
    try {
      Interpreter().run(x);
    } catch (const errors::InvalidArgumentError& error) {
      return error.message().substr(0, error.message().find('\n'));
    }
    return "no error";
  };
  EXPECT_EQ(message(DType::kFloat32, {-1, 2}),
            "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,2]");
  EXPECT_EQ(message(DType::kString, kUnknownRank),
            "You must feed a value for placeholder tensor 'x' with dtype string");
}

TEST(PlaceholderWithDefault, IsItsDefaultUnlessFed) {
  const graph::Attrs attrs = {{"shape", Shape{-1}}};
  EXPECT_EQ(run_op("PlaceholderWithDefault", {Array({1.f, 2.f})}, attrs), Array({1.f, 2.f}));
  EXPECT_EQ(built_shape("PlaceholderWithDefault", {floats({2})}, attrs), "[?]");
  expect_build_error("Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [?,4].",
                     "PlaceholderWithDefault", {floats({2, 3})}, {{"shape", Shape{-1, 4}}});
  check_gradient("PlaceholderWithDefault", {counting<double>({3})}, {.attrs = attrs});
}

TEST(Fill, RepeatsOneValue) {
  EXPECT_EQ(run_op("Fill", {int_vector({2, 2}), Array(1.5f)}), Array({{1.5f, 1.5f}, {1.5f, 1.5f}}));
  EXPECT_EQ(run_op("Fill", {Array(std::vector<int64_t>{3}), Array("s")}), Array({"s", "s", "s"}));
  EXPECT_EQ(run_op("Fill", {Array(DType::kInt32, Shape{0}), Array(true)}), Array(true));
  EXPECT_EQ(run_op("Fill", {int_vector({0, 2}), Array(1.f)}).shape(), Shape({0, 2}));
  const Array large = run_op("Fill", {int_vector({300, 1000}), Array(int64_t{-7})});
  for (int64_t i = 0; i < large.size(); ++i) ASSERT_EQ(large.data<int64_t>()[i], -7);
}

TEST(Fill, RefusesWhatIsNoShape) {
  expect_build_error("Shape must be rank 1 but is rank 0", "Fill", {Array(3), Array(1.f)});
  expect_build_error("Shape must be rank 0 but is rank 1", "Fill", {int_vector({3}), Array({1.f})});
  expect_build_error("Fill dimensions must be >= 0", "Fill", {int_vector({3, -1}), Array(1.f)});
  expect_run_error("Dimension -1 must be >= 0", "Fill", {int_vector({3, -1}), Array(1.f)});
  expect_run_error("Dimension -2 must be >= 0", "Fill", {int_vector({3, -2}), Array(1.f)});
  EXPECT_EQ(built_shape("Fill", {ints({3}), Array(1.f)}), "[?,?,?]");
  EXPECT_EQ(built_shape("Fill", {ints(kUnknownRank), Array(1.f)}), "<unknown>");
}

TEST(Fill, SumsItsGradient) { check_gradient("Fill", {int_vector({2, 3}), Array(0.5)}); }

TEST(ZerosLike, OnesLikeHaveTheShapeAndDType) {
  EXPECT_EQ(run_op("ZerosLike", {Array({{1.f, 2.f}})}), Array({{0.f, 0.f}}));
  EXPECT_EQ(run_op("ZerosLike", {Array{"a"}}), Array{""});
  EXPECT_EQ(run_op("ZerosLike", {Array({true})}), Array({false}));
  EXPECT_EQ(run_op("OnesLike", {Array(std::vector<double>{3, 4})}), Array(std::vector<double>{1, 1}));
  EXPECT_EQ(run_op("OnesLike", {Array({false})}), Array({true}));
  EXPECT_EQ(run_op("OnesLike", {Array(std::complex<float>(3, 4))}), Array(std::complex<float>(1, 0)));
  EXPECT_EQ(run_op("OnesLike", {zeros({2, 0})}).shape(), Shape({2, 0}));
  EXPECT_EQ(built_shape("ZerosLike", {floats({-1, 2})}), "[?,2]");
}

TEST(Range, CountsFromStartToLimit) {
  EXPECT_EQ(run_op("Range", {Array(3), Array(9), Array(2)}), Array({3, 5, 7}));
  EXPECT_EQ(run_op("Range", {Array(5), Array(0), Array(-2)}), Array({5, 3, 1}));
  EXPECT_EQ(run_op("Range", {Array(0.f), Array(1.f), Array(0.3f)}), Array({0.f, 0.3f, 0.6f, 3 * 0.3f}));
  EXPECT_EQ(run_op("Range", {Array(int64_t{1}), Array(int64_t{1}), Array(int64_t{1})}).shape(), Shape({0}));
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(run_op("Range", {Array(lowest), Array(2147483647), Array(2147483647)}),
            Array({lowest, -1, 2147483646}));
}

TEST(Range, RefusesToGoTheWrongWay) {
  expect_build_error("Requires start <= limit when delta > 0: 5/0", "Range", {Array(5), Array(0), Array(1)});
  expect_build_error("Requires start >= limit when delta < 0: 0/5", "Range", {Array(0), Array(5), Array(-1)});
  expect_build_error("Requires delta != 0", "Range", {Array(0), Array(5), Array(0)});
  expect_build_error("Shape must be rank 0 but is rank 1", "Range", {int_vector({0}), Array(5), Array(1)});
  expect_run_error("Requires start <= limit when delta > 0: 5/0.5", "Range",
                   {Array(5.f), Array(0.5f), Array(1.f)});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_run_error("Requires start <= limit when delta > 0: nan/1", "Range",
                   {Array(nan), Array(1.f), Array(1.f)});
  expect_run_error("Requires start >= limit when delta < 0: 0/1", "Range",
                   {Array(0.f), Array(1.f), Array(nan)});
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  expect_run_error("Requires ((limit - start) / delta) <= 9223372036854775807", "Range",
                   {Array(lowest), Array(std::numeric_limits<int64_t>::max()), Array(int64_t{1})});
  expect_run_error("Requires delta != 0: 0", "Range", {Array(0), Array(5), Array(0)});
  expect_run_error("start must be a scalar, not shape [2]", "Range",
                   {int_vector({0, 1}), Array(5), Array(1)});
  EXPECT_EQ(built_shape("Range", {ints({}), Array(5), Array(1)}), "[?]");
  EXPECT_EQ(built_shape("Range", {Array(1), Array(5), Array(3)}), "[2]");
}

TEST(LinSpace, EndsWhereItIsTold) {
  expect_close(run_op("LinSpace", {Array(0.f), Array(1.f), Array(4)}), Array({0.f, 1.f / 3, 2.f / 3, 1.f}));
  EXPECT_EQ(run_op("LinSpace", {Array(2.5), Array(7.0), Array(1)}), Array(std::vector<double>{2.5}));
  expect_build_error("Requires num > 0: 0", "LinSpace", {Array(0.f), Array(1.f), Array(0)});
  expect_run_error("start must be a scalar, not shape [2]", "LinSpace",
                   {Array({0.f, 1.f}), Array(1.f), Array(4)});
}

TEST(NoOp, RunsAsATarget) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  EXPECT_TRUE(Interpreter().run(std::vector<graph::Endpoint>{}, {}, {builder.node("NoOp", {})}).empty());
}

TEST(Fill, TakesOneValue) {
  EXPECT_EQ(run_op_all("Fill", {int_vector({2}), Array({3.f})}, {.unknown_shapes = true}).at(0),
            Array({3.f, 3.f}));
  expect_run_error("value must represent a scalar, got shape [0]", "Fill", {int_vector({2}), zeros({0})});
  expect_run_error("value must represent a scalar, got shape [2]", "Fill", {int_vector({2}), zeros({2})});
}

TEST(Fill, RefusesMoreElementsThanThereAreBytes) {
  const auto fill = [](int64_t rows, int64_t columns) {
    return run_op_all("Fill", {Array(std::vector<int64_t>{rows, columns}), Array(3.f)},
                      {.unknown_shapes = true});
  };
  expect_run_error("Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements", "Fill",
                   {Array(std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 40}), Array(3.f)});
  EXPECT_THROW(fill(int64_t{1} << 30, int64_t{1} << 31), errors::ResourceExhaustedError);
  EXPECT_EQ(fill(int64_t{1} << 40, 0).at(0).shape(), Shape({int64_t{1} << 40, 0}));
}

}  // namespace
}  // namespace flowray::testing
