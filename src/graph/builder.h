#pragma once
/// Makes nodes in the current scopes of a graph: the layer that both gradient functions and the public
/// language use.

#include "graph/graph.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace flowray::graph {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}
  Graph& graph() const { return graph_; }

  /// A node; its name is the op's where none is given.
  Node* node(std::string_view op, std::vector<Endpoint> inputs, Attrs attrs = {}, std::string_view name = {});
  /// A node with one output, as that output.
  Endpoint op(std::string_view op, std::vector<Endpoint> inputs, Attrs attrs = {},
              std::string_view name = {}) {
    return node(op, std::move(inputs), std::move(attrs), name)->output(0);
  }
  /// A Const node of an array's dtype and shape.
  Endpoint constant(const Array& value, std::string_view name = "Const");

 private:
  Graph& graph_;
};

/// A name scope for as long as the guard lives: nodes made meanwhile are called "SCOPE/...". The scope's own
/// name is made unique; a name ending in '/' re-enters that scope; an empty one goes back to the root.
class NameScope {
 public:
  NameScope(Graph& graph, std::string_view name);
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  ~NameScope();
  /// The scope's full name with a trailing '/': given as a node's name it makes the node bear the
  /// scope's name.
  const std::string& path() const { return path_; }

 private:
  Graph& graph_;
  std::string outer_;
  std::string path_;
};

}  // namespace flowray::graph
