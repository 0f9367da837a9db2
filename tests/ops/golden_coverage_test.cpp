// Which ops the recorded cases of tests/golden/ops/ hold to TensorFlow, and which they leave out.

#include "ops/all_ops.h"

#include "support/golden_op_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace flowray::testing {
namespace {

std::set<std::string> ops_with_cases() {
  std::set<std::string> ops;
  for (const auto& entry : std::filesystem::directory_iterator(FLOWRAY_SOURCE_DIR "/tests/golden/ops")) {
    if (entry.path().extension() != ".json") continue;
    for (const GoldenOpCase& test : read_golden_ops(entry.path().stem().string())) ops.insert(test.op);
  }
  return ops;
}

/// What linear regression and LeNet-5 are made of. Const, Placeholder, VariableV2 and NoOp have nothing
/// to compare.
const char* const kLanguage[] = {"Fill",
                                 "ZerosLike",
                                 "Range",
                                 "Shape",
                                 "Size",
                                 "Rank",
                                 "Reshape",
                                 "ExpandDims",
                                 "Squeeze",
                                 "Identity",
                                 "StopGradient",
                                 "Transpose",
                                 "ConcatV2",
                                 "ConcatOffset",
                                 "Pack",
                                 "Unpack",
                                 "Split",
                                 "Slice",
                                 "StridedSlice",
                                 "StridedSliceGrad",
                                 "Tile",
                                 "Pad",
                                 "GatherV2",
                                 "OneHot",
                                 "DynamicStitch",
                                 "UnsortedSegmentSum",
                                 "InvertPermutation",
                                 "BroadcastGradientArgs",
                                 "BroadcastTo",
                                 "AddV2",
                                 "Sub",
                                 "Mul",
                                 "RealDiv",
                                 "FloorDiv",
                                 "FloorMod",
                                 "Pow",
                                 "Maximum",
                                 "Minimum",
                                 "AddN",
                                 "SquaredDifference",
                                 "Neg",
                                 "Abs",
                                 "Sign",
                                 "Square",
                                 "Sqrt",
                                 "Rsqrt",
                                 "Exp",
                                 "Log",
                                 "Tanh",
                                 "Sigmoid",
                                 "Floor",
                                 "Equal",
                                 "NotEqual",
                                 "Less",
                                 "LessEqual",
                                 "Greater",
                                 "GreaterEqual",
                                 "LogicalAnd",
                                 "LogicalOr",
                                 "LogicalNot",
                                 "SelectV2",
                                 "Cast",
                                 "Sum",
                                 "Mean",
                                 "Prod",
                                 "Max",
                                 "Min",
                                 "All",
                                 "Any",
                                 "ArgMax",
                                 "ArgMin",
                                 "MatMul",
                                 "BiasAdd",
                                 "BiasAddGrad",
                                 "Conv2D",
                                 "Conv2DBackpropInput",
                                 "Conv2DBackpropFilter",
                                 "AvgPool",
                                 "AvgPoolGrad",
                                 "MaxPool",
                                 "MaxPoolGrad",
                                 "Relu",
                                 "ReluGrad",
                                 "Softmax",
                                 "LogSoftmax",
                                 "SoftmaxCrossEntropyWithLogits",
                                 "SparseSoftmaxCrossEntropyWithLogits",
                                 "L2Loss",
                                 "RandomUniform",
                                 "RandomStandardNormal",
                                 "TruncatedNormal",
                                 "Assign",
                                 "AssignAdd",
                                 "AssignSub",
                                 "ApplyGradientDescent",
                                 "ApplyMomentum",
                                 "ApplyAdam"};

TEST(GoldenCoverage, HasACaseForEveryOpOfTheLanguage) {
  const std::set<std::string> covered = ops_with_cases();
  for (const char* op : kLanguage)
    EXPECT_TRUE(covered.contains(op)) << op << " has no case recorded from TensorFlow";
}

TEST(GoldenCoverage, FindsEveryOpOfTheLanguageRegistered) {
  for (const char* op : kLanguage) EXPECT_NE(ops::op_table().find(op), nullptr) << op;
  for (const char* op : {"Const", "Placeholder", "PlaceholderWithDefault", "VariableV2", "NoOp"}) {
    EXPECT_NE(ops::op_table().find(op), nullptr) << op;
  }
}

/// Not a demand, a count: shown in the test's output and its properties.
TEST(GoldenCoverage, IsCounted) {
  const std::set<std::string> covered = ops_with_cases();
  std::set<std::string> registered;
  for (const std::string_view name : ops::op_table().names()) registered.emplace(name);
  std::string without_case;
  std::string without_op;
  int num_without_case = 0;
  int num_without_op = 0;
  for (const std::string& op : registered) {
    if (!covered.contains(op)) ++num_without_case, without_case += " " + op;
  }
  for (const std::string& op : covered) {
    if (!registered.contains(op)) ++num_without_op, without_op += " " + op;
  }
  RecordProperty("ops_without_case", num_without_case);
  RecordProperty("cases_without_op", num_without_op);
  std::cout << num_without_case << " registered ops without a recorded case:" << without_case << "\n"
            << num_without_op << " recorded ops that are not registered:" << without_op << "\n";
  EXPECT_GT(registered.size() - static_cast<size_t>(num_without_case), std::size(kLanguage) - 1);
}

}  // namespace
}  // namespace flowray::testing
