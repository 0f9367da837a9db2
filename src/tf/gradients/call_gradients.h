#pragma once
/// Gradients of nodes that call functions: If, Case, While, PartitionedCall, and functions called by
/// their names.

#include "tf/gradients/body_gradient.h"

#include <vector>

namespace flowray::tf {

/// Whether it is one of these.
bool calls_function(const graph::Node& node);

/// Whether it is one function that it calls, by an attribute or by its own op: no If, Case or While.
bool calls_one_function(const graph::Node& node);

/// The gradients of its inputs; `grads` are those of its outputs, null where nothing depends on one. What the
/// gradient needs of the inside of the functions comes from an extension of the node
/// (engine/step/extended_calls.h). Of a function for which the library names a gradient it is a call of that.
std::vector<graph::Endpoint> call_gradient(graph::Node& node, const std::vector<graph::Endpoint>& grads);

/// The same for a While.
std::vector<graph::Endpoint> while_gradient(graph::Node& node, const std::vector<graph::Endpoint>& grads);

// ---- what both make

/// Makes nodes where `call` is, for an extension of it, whatever scopes and contexts the gradient is made in.
class BesideCall {
 public:
  explicit BesideCall(graph::Node& call);
  BesideCall(const BesideCall&) = delete;
  BesideCall& operator=(const BesideCall&) = delete;
  ~BesideCall();

  graph::Endpoint op(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {});
  graph::Endpoint constant(const Array& value);
  /// The extension: of op `op`, with `attrs` instead of those of the same names, waiting for what the call
  /// waits for.
  graph::Node& extend(std::string_view op, std::vector<graph::Endpoint> inputs, const graph::Attrs& attrs,
                      const std::vector<Shape>& output_shapes);

 private:
  graph::Node* known(graph::Node* node);

  graph::Node& call_;
  graph::Builder builder_;
  WithoutScopes without_;
  InsideOf inside_;
  std::vector<std::vector<std::string>> colocation_;
};

/// Output `i` of a call, of that node which had it first: a program may feed it, or take a gradient by it.
graph::Endpoint own_output(graph::Node& call, int i);

/// The dtype of the variable behind a handle; kInvalid where that is not known.
DType variable_dtype(const graph::Endpoint& handle);

/// What is known of the shape of the gradient of an input: the input's, or that of the variable behind
/// a handle.
Shape shape_of_gradient(const graph::Endpoint& input);
/// Zeros for an input that no gradient reaches, as TensorFlow gives them; null for a handle.
graph::Endpoint no_gradient(graph::Builder& builder, const graph::Endpoint& input);

}  // namespace flowray::tf
