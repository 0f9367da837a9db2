#pragma once
/// Which gradients nodes have that are made just now: tf.Graph.gradient_override_map.

#include <map>
#include <string>
#include <string_view>

namespace flowray::graph {

class Attrs;
class Graph;

/// The attribute that names another op, whose gradient a node has in place of its own op's.
inline constexpr const char* kGradientOp = "_gradient_op_type";

/// While it lives, nodes that this thread makes in `graph` have the gradients of other ops: of what stands
/// for their op in `ops`. An inner one goes before those around it. They may end in any order.
class GradientOverrides {
 public:
  GradientOverrides(const Graph& graph, std::map<std::string, std::string> ops);
  GradientOverrides(const GradientOverrides&) = delete;
  GradientOverrides& operator=(const GradientOverrides&) = delete;
  ~GradientOverrides();

 private:
  friend void override_gradient(const Graph& graph, std::string_view op, Attrs& attrs);
  const Graph* graph_;
  std::map<std::string, std::string> ops_;
};

/// Sets kGradientOp among the attributes of a node of that op where one of them says so.
void override_gradient(const Graph& graph, std::string_view op, Attrs& attrs);

}  // namespace flowray::graph
