#pragma once
/// A private copy of the part of a graph that one step needs: what the passes work on. Nodes and values are
/// plain numbers into flat lists.

#include "graph/graph.h"

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace flowray::engine {

/// Index of a value in StepGraph::values.
using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

/// Whether a value of this dtype stands for a resource instead of holding elements.
inline bool stands_for_resource(DType dtype) { return is_ref(dtype) || dtype == DType::kResource; }

struct StepValue {
  /// What gives the value its name and dtype.
  graph::Endpoint endpoint;
  /// Index of the node that makes it; -1 for a fed or a known value.
  int32_t producer = -1;
  /// The value, where a pass has made it up; the graph has no node for it then.
  Array known = {};

  DType dtype() const { return endpoint ? endpoint.dtype() : known.dtype(); }
  std::string name() const;
};

enum class StepKind : uint8_t {
  kOp,      // run `node`
  kIf,      // run one of two graphs
  kWhile,   // run a graph again and again
  kTokens,  // run a graph node by node, as far as values come: token_program.h
};

struct StepGraph;

struct StepNode {
  /// For If and While: the node that errors and listings name it by.
  const graph::Node* node = nullptr;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// Indices of nodes that must run before.
  std::vector<uint32_t> controls = {};
  /// Indices of blocking nodes that it waits for, directly or through others that do not block.
  std::vector<uint32_t> waits_for = {};
  StepKind kind = StepKind::kOp;
  /// If: what runs where input 0 is false, and where it is true. Both are fed the other inputs and fetch the
  /// outputs (kNoValue: what does not exist in this branch, and is not read after it).
  /// While: condition and body. Both are fed the inputs, of which the first, as many as there are outputs,
  /// are the loop's variables. The condition fetches the predicate and then values that the body is fed
  /// behind the inputs; the body fetches the next values of the variables. The outputs are their last ones.
  /// Tokens: one graph without bodies, fed the inputs, whose fetches are the outputs.
  std::vector<StepGraph> bodies;
  /// Tokens: why this could not become an If or a While.
  std::string reason = {};
};

struct StepGraph {
  std::vector<StepNode> nodes;  // in the order in which they run
  /// So many nodes at the beginning are the blocking part: they run as what they wait for ends, in any order.
  size_t num_blocking_part = 0;
  std::vector<StepValue> values;
  std::vector<ValueId> feeds;    // in the order in which they were asked for
  std::vector<ValueId> fetches;  // likewise
};

/// What a step is asked to do.
struct StepRequest {
  std::span<const graph::Endpoint> feeds;
  std::span<const graph::Endpoint> fetches;
  std::span<graph::Node* const> targets;
  /// Ran before, in another step of the same run, and do not run again, not even where they are control
  /// inputs. What is needed of their outputs is fed; references pass through them.
  const std::unordered_set<const graph::Node*>* done = nullptr;
};

/// The nodes that `request` needs, stopping at what is fed, in a topological order that follows creation
/// order where it is free. Throws errors::InvalidArgumentError for an endpoint fed twice or a cycle.
StepGraph prune(const StepRequest& request);

/// Puts first the nodes that may have to wait for others (queues), what leads to them, and what others can
/// see without waiting for them: two of these may wait for each other, so no fixed order suits them. The rest
/// keeps its order, and a step without blocking nodes stays as it is.
StepGraph blocking_first(StepGraph step);

/// Whether nodes of the graph call functions.
bool calls_functions(const StepGraph& step);

/// Functions in place of the nodes that call them: the bodies of plain calls among the other nodes, those of
/// If, While and Case as graphs of If and While nodes. What nothing depends on any more is left out, but for
/// `targets` and for what a function runs in any case. Throws errors::UnimplementedError for a function that
/// calls itself.
///
/// `structured`: what makes If and While of the control flow in a graph that another one has as its
/// body (raise/raise.h).
StepGraph call_functions(const StepGraph& flat, std::span<graph::Node* const> targets,
                         StepGraph (*structured)(StepGraph));

/// Whether the graph has ops of control flow in it, which raise/raise.h turns into If and While.
bool has_control_flow(const StepGraph& step);

/// A graph whose control flow is not made of conditionals and loops nested in one another: which node is in
/// the way, and why.
class IrregularFlow : public std::exception {
 public:
  IrregularFlow(const graph::Node& node, const std::string& reason);
  const char* what() const noexcept override { return text_.c_str(); }
  const graph::Node& node() const { return node_; }

 private:
  const graph::Node& node_;
  std::string text_;
};

/// Whether something runs only to see that all is well: an operation without results, of values alone, which
/// TensorFlow's Assert may put into a branch.
bool has_checks(const StepGraph& step);

/// One line a node; the graphs of If and While indented below it.
std::string to_text(const StepGraph& step, int indent = 0);

}  // namespace flowray::engine
