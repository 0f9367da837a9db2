#pragma once
/// A graph whose control flow is not made of nested conditionals and loops, ready to run as TensorFlow runs
/// it: values travel as tokens along the edges, and a node runs when all that it waits for has arrived. What
/// a Switch does not let through travels on as a dead token.

#include "engine/step/step_graph.h"
#include "graph/resource/resource.h"

#include <memory>
#include <string>
#include <vector>

namespace flowray::engine {

struct Program;

/// Where a token goes.
struct TokenEdge {
  uint32_t node = 0;
  uint32_t input = 0;
};

/// A run of consecutive entries of a list.
struct TokenRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct TokenNode {
  const graph::Node* node = nullptr;
  graph::FlowRole role = graph::FlowRole::kNone;
  /// The frame in which it runs: for an Enter that around the loop, for an Exit that of the loop.
  uint32_t frame = 0;
  /// Enter: the loop.
  uint32_t enters = 0;
  bool enters_constant = false;
  /// _Send and its kin: a dead value is sent, too, so that the other side knows that there is none.
  bool is_transfer = false;
  uint32_t first_input = 0;  // in a run's list of tokens
  uint32_t num_inputs = 0;
  uint32_t num_controls = 0;
  /// Merge: inputs that come from the iteration before.
  uint32_t num_back_edges = 0;
  std::vector<ValueId> outputs;  // in TokenProgram::out_edges
  TokenRange control_edges;      // in TokenProgram::controls: its dependents
  /// The variable, queue, ... that output 0 of a node without inputs stands for.
  std::shared_ptr<graph::Resource> resource = nullptr;
  /// For a functional If or While: the program that runs, fed the inputs.
  std::shared_ptr<const Program> program = nullptr;
};

/// A loop, or the step itself (number 0). One iteration after the other: so there is one set of tokens
/// for each.
struct TokenFrame {
  uint32_t parent = 0;
  std::string name;
  std::vector<uint32_t> nodes;
  uint32_t num_enters = 0;
};

/// Immutable; any number of runs may use it at once.
struct TokenProgram {
  static constexpr uint32_t kNotFetched = ~uint32_t{0};

  std::string reason;            // why this could not become an If or a While
  std::vector<TokenNode> nodes;  // where several are ready, the first in this order runs
  std::vector<TokenFrame> frames;
  std::vector<TokenEdge> edges;
  std::vector<uint32_t> controls;
  std::vector<TokenRange> out_edges;  // by value of the graph: in `edges`
  std::vector<uint32_t> result_of;    // by value: which result it is
  std::vector<ValueId> feeds;
  std::vector<graph::Endpoint> results;
  std::vector<uint32_t> roots;  // wait for nothing
  uint32_t num_inputs = 0;      // of all nodes together
  bool may_wait = false;        // something in it may have to wait for others
};

}  // namespace flowray::engine
