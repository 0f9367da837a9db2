#pragma once
/// What an op says of the elements of its output as dimensions, where they are not all known: Shape(x) of a
/// partly known x is as good as a shape for the node that takes it.

#include "graph/graph.h"

namespace flowray::graph {

/// What a function of OpRow::dims sees: inputs as far as they are known while a graph is built.
class DimsContext {
 public:
  /// Nothing is looked up through more than `depth` nodes.
  DimsContext(Endpoint endpoint, int depth) : endpoint_(endpoint), depth_(depth) {}

  const Attrs& attrs() const { return endpoint_.node->attrs(); }
  int num_inputs() const { return endpoint_.node->num_inputs(); }
  /// Which output is asked for.
  int output() const { return endpoint_.index; }
  const Shape& input_shape(int i) const { return endpoint_.node->input(i).shape(); }
  /// The shape of the variable behind a handle.
  Shape handle_shape(int i) const;
  /// The value of input `i`; none where it is not known. In kernel/constant_value.cpp, as dims().
  Array value(int i) const;
  /// What is known of the elements of input `i` as dimensions; unknown rank where nothing is.
  Shape dims(int i) const;

 private:
  Endpoint endpoint_;
  int depth_;
};

}  // namespace flowray::graph
