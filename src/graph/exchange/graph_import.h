#pragma once
/// TensorFlow's GraphDef message as nodes of a graph.

#include "graph/graph.h"
#include "wire/graph_def.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::graph {

class FunctionLibrary;

struct ImportOptions {
  /// Put before every name, with a '/' between; empty: names as they are.
  std::string prefix;
  /// Takes these for inputs "name:0" (also written "name") and "^name" of the message, whether it has such
  /// nodes or not.
  std::map<std::string, Endpoint, std::less<>> input_map;
  /// Fills in what the nodes' devices leave open.
  std::string device_around = {};
  /// Groups that all nodes stand with, instead of their own, and then on `device_around` alone.
  std::vector<std::string> colocation = {};
  /// Whether inputs may be nodes that the graph had before, by their full names: a graph that is extended.
  bool may_use_nodes_of_graph = false;
  /// Whether it is a part of a step that a master has split: names may begin with '_', and `_class` may name
  /// nodes of other parts.
  bool is_part = false;
  SourceLine line = {};
  /// Where functions that nodes call by name are found; null: with the graph, and in the message.
  const FunctionLibrary* functions = nullptr;
};

/// Adds the nodes of `message`, which may come in any order, to `graph`; all of them or, where an error is
/// thrown, none. Nothing is borrowed from the message. Attributes are checked against the op's schema,
/// defaults are filled in, those that the schema does not know are kept; functions are kept with the graph
/// (graph/exchange/function_library.h). Of the open scopes those of control dependencies and the branch or
/// loop that is being built apply, names and devices are the options'.
///
/// Returns the nodes in the message's order. Throws, with TensorFlow's words, errors::NotFoundError for an
/// unknown op, errors::InvalidArgumentError for everything else that is wrong, and
/// ValueError for an input that another loop keeps to itself.
std::vector<Node*> import_graph_def(const wire::GraphDef& message, Graph& graph,
                                    const ImportOptions& options = {});

}  // namespace flowray::graph
