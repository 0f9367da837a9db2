#pragma once
/// Which loop each node of a step runs in.

#include "engine/step/step_graph.h"

#include <string>
#include <vector>

namespace flowray::engine {

/// A loop: what runs between its Enter and its Exit nodes.
struct Frame {
  int parent = -1;  // -1 for the outermost, which is the step itself
  int depth = 0;
  std::string name;
  std::vector<uint32_t>
      nodes;  // in the step's order; Enter nodes belong to the loop, Exit nodes to its parent
  std::vector<uint32_t> enters;
  std::vector<uint32_t> exits;  // that leave it
};

struct Frames {
  std::vector<Frame> list;  // parents come first; number 0 is the step
  std::vector<int> of_node;
};

/// Loops within loops, and branches within branches: what a step is made of grows with the square of the
/// depth and more.
inline constexpr int kMostNestedLoops = 200;
inline constexpr size_t kMostNestedBranches = 500;

/// Throws IrregularFlow where a node takes values from two loops at once, and ResourceExhaustedError for
/// loops nested too deeply.
Frames find_frames(const StepGraph& step);

/// The graph cannot be raised, because of this node.
[[noreturn]] void fail_irregular(const graph::Node& node, const std::string& reason);

}  // namespace flowray::engine
