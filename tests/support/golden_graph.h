#pragma once
/// Programs whose graphs real TensorFlow's are recorded in tests/golden/graphs: the same program in C++ must
/// build the same nodes, names and attributes in the same order.

#include <flowray/tf/graph.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowray::testing {

/// The graph and its collections as tests/golden/README.md lists them.
std::string listing_of(const tf::Graph& graph);

/// EXPECTs `graph` to be what tests/golden/graphs/`program`.txt says, but for recorded nodes whose names
/// begin with one of `without`; shows the lines that differ.
void expect_golden(std::string_view program, const tf::Graph& graph,
                   const std::vector<std::string>& without = {});

/// Runs `build` in a new default graph and compares; so must be the graph that its GraphDef becomes when it
/// is imported.
void expect_program(std::string_view program, void (*build)(), const std::vector<std::string>& without = {});

}  // namespace flowray::testing

/// A test that is named like its program: GOLDEN_PROGRAM(reduce_axes) { ... builds it ... }
/// tests/tf/golden_graphs_coverage_test.cpp looks for these to see that no recorded program was forgotten.
#define GOLDEN_PROGRAM(program)                                                          \
  static void program();                                                                 \
  TEST(GoldenGraphs, program) { ::flowray::testing::expect_program(#program, program); } \
  static void program()

/// The same without nodes of functions that do not exist yet, which stand at the program's end:
/// GOLDEN_PROGRAM_WITHOUT(ranges, "linspace") { ... }
#define GOLDEN_PROGRAM_WITHOUT(program, ...)                                                            \
  static void program();                                                                                \
  TEST(GoldenGraphs, program) { ::flowray::testing::expect_program(#program, program, {__VA_ARGS__}); } \
  static void program()
