#pragma once
/// What surrounds a call of a public function.

#include "tf/build/apply_op.h"

#include <initializer_list>

namespace flowray::tf {

/// One call of a public function, from where its graph is known: nodes and errors made while it lives are of
/// the user's line, and the graph is the default one, so that functions of the language add to it whatever
/// their arguments are. What is looked at before has an ErrorLine around it.
class CallScope {
 public:
  /// In the graph of the arguments, which must be set. `where`: the line of the call; the arguments' where
  /// none is given.
  explicit CallScope(std::initializer_list<Argument> arguments, Input::Where where = {})
      : CallScope(graph_of(arguments, where), line_of(arguments, where)) {}
  CallScope(graph::Graph& graph, Input::Where where)
      : graph_(graph), line_(graph, where), in_graph_(&graph) {}

  graph::Graph& graph() const { return graph_; }

 private:
  static Input::Where line_of(std::initializer_list<Argument> arguments, Input::Where where) {
    for (const Argument& argument : arguments)
      where = first_in_program(where, place_in_program(argument.inputs()));
    return where;
  }

  graph::Graph& graph_;
  UserLine line_;
  GraphScope in_graph_;
};

}  // namespace flowray::tf
