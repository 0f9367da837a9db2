// Every op has a gradient where TensorFlow has one, stops quietly where TensorFlow does, and is an error
// elsewhere: tests/golden/gradient_registry.tsv, as record_gradient_registry.py wrote it.

#include "ops/all_ops.h"

#include "graph/op_schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

namespace flowray::testing {
namespace {

const char* const kGradient = "gradient";
const char* const kNotDifferentiable = "not differentiable";
const char* const kError = "an error";

/// Ops whose gradient is not written yet. What gets one has to leave this list.
const std::set<std::string>& missing() {
  static const std::set<std::string> names = {"EagerPyFunc"};
  return names;
}

/// Ops that TensorFlow's registry does not know, so that to differentiate them is an error there, and
/// here nothing flows: what they give are integers, strings, handles, or numbers that no input of numbers
/// goes into.
const std::set<std::string>& stopping_quietly() {
  static const std::set<std::string> names = {"AccumulatorApplyGradient",
                                              "AccumulatorNumAccumulated",
                                              "AccumulatorSetGlobalStep",
                                              "AccumulatorTakeGradient",
                                              "ComputeAccidentalHits",
                                              "ConditionalAccumulator",
                                              "DecodeCSV",
                                              "DecodeJpeg",
                                              "DecodePng",
                                              "DisableCopyOnRead",
                                              "EncodeJpeg",
                                              "EncodePng",
                                              "ExtractJpegShape",
                                              "LogUniformCandidateSampler",
                                              "LowerBound",
                                              "MergeV2Checkpoints",
                                              "NonMaxSuppressionV3",
                                              "NonMaxSuppressionV4",
                                              "NonMaxSuppressionV5",
                                              "ParseExample",
                                              "ParseExampleV2",
                                              "PrintV2",
                                              "RegexFullMatch",
                                              "RestoreV2",
                                              "SaveV2",
                                              "ScatterMax",
                                              "ScatterMin",
                                              "ShardedFilename",
                                              "SparseAccumulatorApplyGradient",
                                              "SparseAccumulatorTakeGradient",
                                              "SparseConditionalAccumulator",
                                              "StackCloseV2",
                                              "StackPopV2",
                                              "StackPushV2",
                                              "StackV2",
                                              "StaticRegexFullMatch",
                                              "StaticRegexReplace",
                                              "ToBool",
                                              "UniformCandidateSampler",
                                              "UpperBound",
                                              "_HostRecv",
                                              "_HostSend",
                                              "_Recv",
                                              "_Send"};
  return names;
}

std::map<std::string, std::string> registered_by_tensorflow() {
  std::map<std::string, std::string> kinds;
  std::ifstream lines(FLOWRAY_SOURCE_DIR "/tests/golden/gradient_registry.tsv");
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    kinds[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return kinds;
}

bool calls_functions(const graph::OpRow& row) {
  const bool has_kernel = row.prepare != nullptr || row.compute != nullptr || row.start != nullptr ||
                          row.resource != nullptr || row.not_differentiable;
  return !has_kernel && row.attrs.find("func") != std::string_view::npos;
}

/// Whose gradient TensorFlow does not find in its registry but in the function; of a gradient it finds none,
/// and here it is that of the gradient's function.
const std::set<std::string>& differentiated_by_function() {
  static const std::set<std::string> names = {"PartitionedCall", "StatefulPartitionedCall",
                                              "SymbolicGradient"};
  return names;
}

std::string kind_of(const graph::OpRow& row) {
  // What steers the flow of a step and what calls functions is differentiated by the language, which knows
  // loops, branches and bodies.
  if (row.gradient != nullptr || row.flow != graph::FlowRole::kNone || calls_functions(row)) return kGradient;
  return row.not_differentiable ? kNotDifferentiable : kError;
}

TEST(GradientRegistry, IsTensorFlows) {
  const std::map<std::string, std::string> kinds = registered_by_tensorflow();
  ASSERT_GT(kinds.size(), 600u);
  for (const std::string_view name : ops::op_table().names()) {
    const auto found = kinds.find(std::string(name));
    const std::string unknown = stopping_quietly().contains(std::string(name)) ? kNotDifferentiable : kError;
    const bool by_function = differentiated_by_function().contains(std::string(name));
    const std::string expected = by_function ? kGradient : found == kinds.end() ? unknown : found->second;
    const std::string kind = kind_of(ops::op_table().find(name)->row);
    if (missing().contains(std::string(name))) {
      EXPECT_NE(kind, expected) << name << " is no longer missing";
    } else {
      EXPECT_EQ(kind, expected) << name;
    }
  }
}

}  // namespace
}  // namespace flowray::testing
